//! Time in a run of the model of a study: what is due when.
//!
//! A delay begins when its statement or action becomes enabled, goes on while it stays so, and is lost when
//! it is disabled. How long it takes is drawn as the study says, once for each time it begins: whoever takes
//! the same choices sees the same times. Steps without a delay are taken before time passes. Processes that
//! poll, and change nothing about what is delayed, wait, and let time pass.

use narrows_graph::Random;
use narrows_lts::LabelPattern;
use narrows_model::{Move, TraceStep};
use narrows_performance::{Delay, Site, Timing, simulation::drawn};
use narrows_study::Subject;

use super::Session;
use crate::PreparedStudy;

/// So many states are looked at to find out whether processes only poll.
const MAX_POLLING: usize = 256;

/// A delay that runs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    /// The process, the statement, and the number of the delay.
    Statement(u8, u32, u16),
    /// The label, and the number of the delay.
    Action(String, usize),
}

/// When things happen in a run.
#[derive(Clone, Debug)]
pub struct Clock {
    kind: ClockKind,
    seed: u64,
    /// For each state of the run what time it is, and what runs.
    moments: Vec<Moment>,
    /// The steps between them.
    taken: Vec<TraceStep>,
}

#[derive(Clone, Debug)]
enum ClockKind {
    /// Statements of processes have delays.
    Statements(Box<Timing>),
    /// Actions have them, whose labels the patterns fit.
    Actions(Vec<(LabelPattern, Delay)>),
    /// One step takes one unit.
    Steps,
}

impl ClockKind {
    /// Returns the delay that a step waits for.
    fn key(&self, step: &TraceStep) -> Option<Key> {
        match self {
            ClockKind::Statements(timing) => {
                let delayed = |one: Move| {
                    let delay =
                        timing.delay_at(Site { proctype: one.proctype, transition: one.transition })?;
                    Some(Key::Statement(one.pid, one.transition.0, delay))
                };
                step.moves().into_iter().find_map(delayed)
            }
            ClockKind::Actions(delays) => {
                let label = &step.actions.first()?.label;
                let number = delays.iter().position(|(pattern, _)| pattern.fits(label))?;
                Some(Key::Action(label.clone(), number))
            }
            ClockKind::Steps => None,
        }
    }

    /// Draws how long a delay takes that begins in the state after so many steps.
    fn drawn(&self, key: &Key, seed: u64, position: u64) -> f64 {
        let (own, delay) = match (self, key) {
            (ClockKind::Statements(timing), Key::Statement(pid, transition, delay)) => {
                let own = (u64::from(*pid) << 16) | u64::from(*transition as u16);
                (own, &timing.delays()[usize::from(*delay)].delay)
            }
            (ClockKind::Actions(delays), Key::Action(label, number)) => {
                let next = |own: u64, byte: u8| own.wrapping_mul(31).wrapping_add(u64::from(byte));
                (label.bytes().fold(0, next) & 0xff_ffff, &delays[*number].1)
            }
            _ => return 0.0,
        };
        drawn(delay, &mut Random::stream(seed, (position << 24) | own))
    }
}

#[derive(Clone, Debug, Default)]
struct Moment {
    now: f64,
    /// What runs, and how long it will still take.
    left: Vec<(Key, f64)>,
    /// Whether the step before was taken although something else was due.
    is_out_of_turn: bool,
}

/// When a step is due.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Due {
    /// How long it takes from now on; 0 if it has no delay.
    pub after: f64,
    /// Whether it may be the next one.
    pub is_next: bool,
}

impl PreparedStudy {
    /// Returns a clock for runs of its model; `None` where that is not known step by step: where the speed of
    /// a delay depends on the state.
    pub fn clock(&self, seed: u64) -> Option<Clock> {
        let kind = match &self.subject {
            Subject::Processes(study) => {
                let delays = study.timing.delays();
                if delays.is_empty() || delays.iter().any(|delayed| delayed.speed.is_some()) {
                    return None;
                }
                ClockKind::Statements(Box::new(study.timing.clone()))
            }
            Subject::Synchronous(_) => ClockKind::Steps,
            Subject::Labelled(study) => {
                let delays: Vec<_> =
                    study.delays().map(|(pattern, delay)| (pattern.clone(), delay.clone())).collect();
                if delays.is_empty() {
                    return None;
                }
                ClockKind::Actions(delays)
            }
        };
        Some(Clock { kind, seed, moments: Vec::new(), taken: Vec::new() })
    }
}

impl Clock {
    /// Follows a run to where it is now.
    pub fn follow(&mut self, session: &Session<'_>) {
        if matches!(self.kind, ClockKind::Steps) {
            return;
        }
        let past = session.past();
        let is_same = |(known, taken): &(&TraceStep, &super::Taken)| {
            known.state == taken.step.state && known.actions == taken.step.actions
        };
        let same = self.taken.iter().zip(past).take_while(is_same).count();
        // Going back loses nothing: the same step again leads to the same time.
        if same < past.len() {
            self.taken.truncate(same);
            self.moments.truncate(same + 1);
        }
        if self.moments.is_empty() {
            let start = session.state_at(session.first);
            self.moments.push(self.begun(&session.model.steps(start).0, &Moment::default(), 0));
        }
        for (position, taken) in past.iter().enumerate().skip(self.moments.len() - 1) {
            let step = &taken.step;
            let after = self.passed(&self.moments[position], step);
            let steps = session.model.steps(&step.state).0;
            self.moments.push(self.begun(&steps, &after, position as u64 + 1));
            self.taken.push(step.clone());
        }
    }

    /// Returns the time of the state where a run is that was followed.
    pub fn now(&self, session: &Session<'_>) -> f64 {
        match self.kind {
            ClockKind::Statements(_) | ClockKind::Actions(_) => {
                self.moments.get(session.position()).map_or(0.0, |moment| moment.now)
            }
            ClockKind::Steps => session.step_number() as f64,
        }
    }

    /// Returns whether the last step was taken although something else was due.
    pub fn is_out_of_turn(&self, session: &Session<'_>) -> bool {
        self.moments.get(session.position()).is_some_and(|moment| moment.is_out_of_turn)
    }

    /// Returns when each step is due that can be taken now, in their order.
    pub fn due(&self, session: &Session<'_>) -> Vec<Due> {
        let steps = session.steps();
        let moment = self.moments.get(session.position());
        let Some(moment) = moment.filter(|_| !matches!(self.kind, ClockKind::Steps)) else {
            return vec![Due { after: 1.0, is_next: true }; steps.len()];
        };
        let after: Vec<Option<f64>> =
            steps.iter().map(|step| self.kind.key(step).and_then(|key| moment.left_of(&key))).collect();
        let is_waiting = after.iter().all(Option::is_some) || self.is_polling(session);
        let least = after.iter().flatten().copied().fold(f64::INFINITY, f64::min);
        let due = |after: &Option<f64>| match after {
            None => Due { after: 0.0, is_next: true },
            Some(after) => Due { after: *after, is_next: is_waiting && *after <= least },
        };
        after.iter().map(due).collect()
    }

    /// Takes a step that is due, one of several at random; of processes that only poll, what is delayed.
    /// Returns whether there was one.
    pub fn random_step(&mut self, session: &mut Session<'_>) -> bool {
        self.follow(session);
        let due = self.due(session);
        let next = || due.iter().enumerate().filter(|(_, due)| due.is_next);
        let mut choices: Vec<usize> =
            next().filter(|(_, due)| due.after > 0.0).map(|(number, _)| number).collect();
        if choices.is_empty() {
            choices = next().map(|(number, _)| number).collect();
        }
        let mut random = Random::stream(self.seed, session.position() as u64);
        random.pick(&choices).is_some_and(|choice| session.choose(*choice))
    }

    /// Lets the time pass that a step takes.
    fn passed(&self, before: &Moment, step: &TraceStep) -> Moment {
        let key = self.kind.key(step);
        let time = key.as_ref().and_then(|key| before.left_of(key)).unwrap_or(0.0);
        let least = before.left.iter().map(|(_, left)| *left).fold(f64::INFINITY, f64::min);
        let others = before.left.iter().filter(|(known, _)| Some(known) != key.as_ref());
        let left = others.map(|(known, left)| (known.clone(), (left - time).max(0.0))).collect();
        Moment { now: before.now + time, left, is_out_of_turn: time > least }
    }

    /// Begins and ends delays: those of what can be done now run.
    fn begun(&self, steps: &[TraceStep], before: &Moment, position: u64) -> Moment {
        let mut left: Vec<(Key, f64)> = Vec::new();
        for key in steps.iter().filter_map(|step| self.kind.key(step)) {
            if left.iter().any(|(known, _)| *known == key) {
                continue;
            }
            let time = before.left_of(&key).unwrap_or_else(|| self.kind.drawn(&key, self.seed, position));
            left.push((key, time));
        }
        Moment { left, ..*before }
    }

    /// Returns whether all that can be done without a delay leads round, and never to another set of delays:
    /// then processes wait.
    fn is_polling(&self, session: &Session<'_>) -> bool {
        let running = |steps: &[TraceStep]| {
            let mut keys: Vec<Key> = steps.iter().filter_map(|step| self.kind.key(step)).collect();
            keys.sort_unstable();
            keys.dedup();
            keys
        };
        let here = running(session.steps());
        if here.is_empty() {
            return false;
        }
        let mut seen = vec![session.state().to_vec()];
        let mut next = 0;
        while let Some(state) = seen.get(next) {
            let steps = session.model.steps(state).0;
            if running(&steps) != here {
                return false;
            }
            for step in steps.into_iter().filter(|step| self.kind.key(step).is_none()) {
                if !seen.contains(&step.state) {
                    seen.push(step.state);
                }
            }
            if seen.len() > MAX_POLLING {
                return false;
            }
            next += 1;
        }
        true
    }
}

impl Moment {
    fn left_of(&self, key: &Key) -> Option<f64> {
        self.left.iter().find(|(known, _)| known == key).map(|(_, left)| *left)
    }
}

#[cfg(test)]
mod tests {
    use super::Due;
    use crate::{NoFiles, PreparedStudy, StudyText, simulation::Session};

    const MODEL: &str = "chan buffer = [1] of { byte };
        active proctype filler() { do :: fill: buffer!1 od }
        active proctype drainer() { do :: drain: buffer?_ od }";

    fn study(delays: &str) -> PreparedStudy {
        let text = format!(
            "model = \"m.pml\"\nunit = \"us\"\n[delay]\n{delays}\n[event]\ne = \"drainer:drain\"\n\
             [[ask]]\nthroughput = \"e\"\n"
        );
        let model = ("m.pml".to_owned(), MODEL.to_owned());
        StudyText::read("s.toml", text).prepare(Some(model), &NoFiles).expect("a study")
    }

    #[test]
    fn delays_run_while_they_are_enabled() {
        let study = study("\"filler:fill\" = 20\n\"drainer:drain\" = 50");
        let model = study.model();
        let mut session = Session::new(&model, 1).expect("a run");
        let mut clock = study.clock(1).expect("a clock");
        let mut times = Vec::new();
        for _ in 0..6 {
            assert!(clock.random_step(&mut session));
            clock.follow(&session);
            times.push(clock.now(&session).to_string());
        }
        // Filled at 20; drained at 70 and 120, and filled again 20 after each.
        assert_eq!(times, ["20", "70", "90", "140", "160", "210"]);
        session.jump(1);
        clock.follow(&session);
        assert_eq!(clock.now(&session).to_string(), "20");
        assert_eq!(clock.due(&session), [Due { after: 50.0, is_next: true }]);
    }

    #[test]
    fn drawn_times_depend_on_the_choices_alone() {
        let study =
            study("\"filler:fill\" = { exponential = 20 }\n\"drainer:drain\" = { between = [10, 50] }");
        let model = study.model();
        let run = || {
            let mut session = Session::new(&model, 1).expect("a run");
            let mut clock = study.clock(7).expect("a clock");
            (0..20).for_each(|_| assert!(clock.random_step(&mut session)));
            clock.follow(&session);
            (clock.now(&session).to_string(), session.choices())
        };
        let (one, other) = (run(), run());
        assert_eq!(one, other);
        assert!(one.0.parse::<f64>().is_ok_and(|now| now > 100.0), "{one:?}");
        // Whoever makes the same choices without the clock sees the same times.
        let mut session = Session::new(&model, 1).expect("a run");
        one.1.expect("choices").into_iter().for_each(|choice| assert!(session.choose(choice)));
        let mut clock = study.clock(7).expect("a clock");
        clock.follow(&session);
        assert_eq!(clock.now(&session).to_string(), one.0);
    }

    #[test]
    fn processes_that_poll_let_time_pass() {
        let model = "byte ready;
            active proctype device() { do :: work: ready = 1; ready = 0 od }
            active proctype driver() { do :: ready == 1 -> skip :: else -> skip od }";
        let text = "model = \"m.pml\"\nunit = \"us\"\n[delay]\n\"device:work\" = 5\n[event]\ne = \"device:work\"\n\
                    [[ask]]\nthroughput = \"e\"\n";
        let study = StudyText::read("s.toml", text.to_owned());
        let study = study.prepare(Some(("m.pml".to_owned(), model.to_owned())), &NoFiles).expect("a study");
        let model = study.model();
        let mut session = Session::new(&model, 1).expect("a run");
        let mut clock = study.clock(1).expect("a clock");
        assert!(clock.random_step(&mut session));
        clock.follow(&session);
        assert_eq!(clock.now(&session).to_string(), "5");
    }
}
