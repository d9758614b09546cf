//! The way from the start to something: how likely it is, how long it takes, and what is gained on it.

use std::sync::atomic::{AtomicBool, Ordering};

use narrows_explicit::{Progress, Watch};
use narrows_model::{Figure, FigureResult, Limit};
use narrows_performance::Fine;
use narrows_performance::markov::{Accuracy, OverSchedulers, Reach, reach, reach_before};
use narrows_performance::stochastic::Stochastic;

use super::solve::{ACCURACY, Gains, Open, no_chain, set};
use crate::{ReachKind, Study};

/// A view in which a target is an event.
pub(super) struct Way<'f, 'v> {
    pub(super) view: &'f Stochastic<'v>,
    pub(super) event: u16,
    /// Whether it is reached at the start.
    pub(super) is_there: bool,
    /// What is gained, if that is asked for.
    pub(super) gains: Gains,
    pub(super) watch: &'f dyn Watch,
}

impl Way<'_, '_> {
    /// Says what is asked about it.
    pub(super) fn fill(self, kind: &ReachKind, study: &Study, figure: &mut Figure) {
        let Way { view, event, is_there, gains, watch } = self;
        let automaton = match view.reaching(event, is_there) {
            Ok(automaton) => automaton,
            Err(wrong) => {
                figure.result = no_chain(&wrong);
                return;
            }
        };
        let cut = AtomicBool::new(false);
        let progress = Progress { states: view.tangible_states().into(), ..Progress::default() };
        let stop = || {
            let is_over = watch.check(&progress).is_some();
            cut.fetch_or(is_over, Ordering::Relaxed);
            is_over
        };
        let accuracy = Accuracy { stop: Some(&stop), ..ACCURACY };
        let target = automaton.states() as u32 - 1;
        let reward = match kind {
            ReachKind::Ever | ReachKind::Before(_) => Gains::default(),
            ReachKind::Time => {
                study.unit.clone_into(&mut figure.unit);
                Gains { rates: vec![1.0; view.tangible_states() as usize], events: Vec::new() }
            }
            ReachKind::Reward(_) => gains,
        };
        let reward = view.reaching_reward(reward.rates, &reward.events, is_there);
        let what = match kind {
            ReachKind::Ever => Reach::Ever,
            ReachKind::Before(time) => Reach::Before(Fine::of(*time)),
            ReachKind::Time | ReachKind::Reward(_) => Reach::Total(&reward),
        };
        let found = match kind {
            ReachKind::Before(time) if view.is_chain() => {
                // Without choices, rates and time keep all their digits.
                let (time, factor) = Fine::split(*time);
                match view.fine_chain_reaching(event, is_there, factor) {
                    Ok(chain) => {
                        Ok(OverSchedulers { even: reach_before(&chain, time, accuracy), open: None })
                    }
                    Err(_) => reach(&automaton, target, what, accuracy),
                }
            }
            _ => reach(&automaton, target, what, accuracy),
        };
        let clock =
            if matches!(kind, ReachKind::Before(_)) { ", also those that look at the clock" } else { "" };
        let told = found.map(|OverSchedulers { even, open }| match open {
            None => even,
            Some([least, greatest]) => Open { least, greatest, even }.tell(clock, figure),
        });
        if let (Ok(found), true) = (&told, matches!(what, Reach::Total(_)))
            && found.high.is_infinite()
        {
            figure.notes.push("It may never come to that, and then there is no end to it.".to_owned());
        }
        set(&told, figure);
        if cut.into_inner() {
            let limit = watch.check(&progress).unwrap_or(Limit::Time);
            figure.result = FigureResult::Undecided(limit);
            figure.notes.clear();
        }
    }
}
