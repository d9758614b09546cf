//! The stochastic view beside an observer of requests, as chains or as automata.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use super::{Stochastic, Target};
use crate::fine::Fine;
use crate::markov::automaton::{self, Automaton};
use crate::markov::chain::{self, ChainError};
use crate::markov::{Begun, OpenRequests, Requests};
use crate::requests::{Change, MAX_OPEN, RequestEvents};

/// The requests of a view.
#[derive(Debug)]
pub enum Latencies {
    /// Nothing is left open.
    Chain(Box<Requests>),
    /// Some choices are.
    Open(Box<OpenRequests>),
}

/// Why requests can't be followed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LatencyError {
    /// More are open at the same time than can be.
    #[error("more than {MAX_OPEN} requests are open at the same time")]
    TooManyOpen,
    /// There is no chain.
    #[error("{0}")]
    NoChain(#[from] ChainError),
}

impl Stochastic<'_> {
    /// Follows each request, given what happens to the first kind at the start; with all choices equally
    /// likely, if they are meant to be. The view was built for the same kinds; if
    /// there are several, [`Next`](crate::requests::Order::Next) is that of all.
    ///
    /// # Errors
    ///
    /// If too many are open at the same time, or the observed view is no chain.
    pub fn latencies(
        &self,
        kinds: &[RequestEvents],
        initially: Change,
        is_even: bool,
    ) -> Result<Latencies, LatencyError> {
        self.latencies_from(0, kinds, initially, is_even)
    }

    /// Follows each request of some kinds, of which the first has this number among those that the view was
    /// built for.
    ///
    /// # Errors
    ///
    /// As above.
    pub fn latencies_from(
        &self,
        first_kind: u32,
        kinds: &[RequestEvents],
        initially: Change,
        is_even: bool,
    ) -> Result<Latencies, LatencyError> {
        let (base, followed) = (Numbered::default(), Numbered::default());
        let mut observed = Observed { view: self, first_kind, kinds, is_even, base, followed };
        let Some(first) = kinds.first() else { return Err(ChainError::Empty.into()) };
        let open = first.open(0, initially);
        let begun = first.begun(0, initially);
        let mut start = Row::default();
        for arrival in self.initial() {
            let (weight, target, tallies) = (arrival.probability, arrival.target, vec![arrival.tally]);
            for lead in observed.resolve(Lead { choice: 0, weight, target, tallies }, 0) {
                observed.lead(open, &lead, &mut start)?;
                for place in &begun {
                    let followed = place.and_then(|place| observed.after(Followed { kind: 0, place }, &lead));
                    start.begun.push((lead.weight.near(), followed));
                }
            }
        }
        let mut rows = Vec::new();
        while let Some((target, open)) = observed.base.list.get(rows.len()).copied() {
            let mut row = Row::default();
            for lead in observed.leads(target) {
                observed.lead(open, &lead, &mut row)?;
            }
            rows.push(row);
        }
        let mut tails = Vec::new();
        while let Some((target, followed)) = observed.followed.list.get(tails.len()).copied() {
            let mut tail = Vec::new();
            for lead in observed.leads(target) {
                tail.push((lead.choice, lead.weight.near(), observed.after(followed, &lead)));
            }
            tails.push(tail);
        }
        let is_chain = observed.base.list.iter().all(|(target, _)| matches!(target, Target::Tangible(_)));
        if is_chain {
            observed.chains(&start, &rows, &tails)
        } else {
            observed.automata(start, &rows, &tails)
        }
    }
}

/// A way to a next state: one transition, or one arrival of a choice. Tallies follow each other.
struct Lead {
    choice: u32,
    weight: Fine,
    target: Target,
    tallies: Vec<u32>,
}

/// So many choices may follow each other at an instant to be equally likely.
const MAX_DEPTH: usize = 64;

/// A request that is followed: its kind, and its place.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Followed {
    kind: u32,
    place: u32,
}

/// Where a state leads: by choice, weight and next state.
#[derive(Default)]
struct Row {
    next: Vec<(u32, f64, u32)>,
    /// The requests that begin on the way: the weight, and where each is followed unless it has ended.
    begun: Vec<(f64, Option<u32>)>,
    /// The choice of each.
    choices: Vec<u32>,
}

/// States of the view with what the observer knows, by number.
struct Numbered<S> {
    list: Vec<(Target, S)>,
    numbers: FxHashMap<(Target, S), u32>,
}

impl<S> Default for Numbered<S> {
    fn default() -> Self {
        Numbered { list: Vec::new(), numbers: FxHashMap::default() }
    }
}

impl<S: Copy + Eq + Hash> Numbered<S> {
    fn number(&mut self, target: Target, seen: S) -> u32 {
        let next = self.list.len() as u32;
        let number = *self.numbers.entry((target, seen)).or_insert(next);
        if number == next {
            self.list.push((target, seen));
        }
        number
    }
}

struct Observed<'v, 'a> {
    view: &'v Stochastic<'a>,
    /// The number of the first kind among those that the view was built for.
    first_kind: u32,
    kinds: &'v [RequestEvents],
    /// Whether all choices are equally likely.
    is_even: bool,
    /// With how many requests are open.
    base: Numbered<u32>,
    /// With the one that is followed.
    followed: Numbered<Followed>,
}

impl Observed<'_, '_> {
    /// Returns how often rates are rounded: those that begin with choices that are equally likely, too.
    fn rate_roundings(&self) -> usize {
        if self.is_even { 2 } else { self.view.rate_roundings() }
    }

    fn leads(&self, target: Target) -> Vec<Lead> {
        let leads = self.own_leads(target).into_iter();
        leads.flat_map(|lead| self.resolve(lead, 0)).collect()
    }

    /// Makes choices equally likely, if they are meant to be.
    fn resolve(&self, lead: Lead, depth: usize) -> Vec<Lead> {
        let Target::Decision(decision) = lead.target else { return vec![lead] };
        if !self.is_even || depth > MAX_DEPTH {
            return vec![lead];
        }
        let choices: Vec<Vec<_>> = self.view.choices(decision).map(Iterator::collect).collect();
        let share = Fine::ratio(1, choices.len() as i128);
        let next = choices.into_iter().flatten().flat_map(|arrival| {
            let weight = lead.weight.times(arrival.probability).times(share);
            let tallies = lead.tallies.iter().copied().chain([arrival.tally]).collect();
            let next = Lead { choice: lead.choice, weight, target: arrival.target, tallies };
            self.resolve(next, depth + 1)
        });
        next.collect()
    }

    fn own_leads(&self, target: Target) -> Vec<Lead> {
        match target {
            Target::Tangible(state) => {
                let transitions = self.view.transitions(state);
                let lead = |one: super::Transition| Lead {
                    choice: 0,
                    weight: one.rate,
                    target: one.target,
                    tallies: vec![one.tally],
                };
                transitions.map(lead).collect()
            }
            Target::Decision(decision) => {
                let choices = (0..).zip(self.view.choices(decision));
                let leads = choices.flat_map(|(choice, arrivals)| {
                    arrivals.map(move |one| Lead {
                        choice,
                        weight: one.probability,
                        target: one.target,
                        tallies: vec![one.tally],
                    })
                });
                leads.collect()
            }
        }
    }

    /// Returns what a lead does to requests of each kind, in order.
    fn changes(&self, lead: &Lead) -> Vec<(u32, Change)> {
        let all = lead.tallies.iter().flat_map(|tally| self.view.outcomes.changes(*tally));
        let own = all.filter_map(|(kind, change)| Some((kind.checked_sub(self.first_kind)?, change)));
        own.filter(|(kind, _)| (*kind as usize) < self.kinds.len()).collect()
    }

    /// Adds what a lead does where so many requests are open.
    fn lead(&mut self, open: u32, lead: &Lead, row: &mut Row) -> Result<(), LatencyError> {
        let mut after = open;
        let mut begun: Vec<Option<Followed>> = Vec::new();
        for (kind, change) in self.changes(lead) {
            let ends = self.kinds[kind as usize];
            for one in begun.iter_mut().filter(|one| one.is_some_and(|one| one.kind == kind)) {
                let place = one.and_then(|one| ends.place(one.place, change));
                *one = place.map(|place| Followed { kind, place });
            }
            let places = ends.begun(after, change).into_iter();
            begun.extend(places.map(|place| place.map(|place| Followed { kind, place })));
            after = ends.open(after, change);
            if after > MAX_OPEN {
                return Err(LatencyError::TooManyOpen);
            }
        }
        for one in begun {
            let followed = one.map(|one| self.followed.number(lead.target, one));
            row.begun.push((lead.weight.near(), followed));
            row.choices.push(lead.choice);
        }
        row.next.push((lead.choice, lead.weight.near(), self.base.number(lead.target, after)));
        Ok(())
    }

    /// Returns where a request is followed after a lead; `None` if it has ended.
    fn after(&mut self, Followed { kind, mut place }: Followed, lead: &Lead) -> Option<u32> {
        for (other, change) in self.changes(lead) {
            if other == kind {
                place = self.kinds[kind as usize].place(place, change)?;
            }
        }
        Some(self.followed.number(lead.target, Followed { kind, place }))
    }

    fn chains(
        &self,
        start: &Row,
        rows: &[Row],
        tails: &[Vec<(u32, f64, Option<u32>)>],
    ) -> Result<Latencies, LatencyError> {
        let mut base = chain::Builder::new(rows.len(), rows.iter().map(|row| row.next.len()).sum());
        let mut begun = Vec::new();
        for (state, row) in (0..).zip(rows) {
            base.row(row.next.iter().map(|(_, rate, next)| (*next, *rate)));
            begun.extend(row.begun.iter().map(|(rate, followed)| Begun {
                state,
                rate: *rate,
                followed: *followed,
            }));
        }
        base.rounded(self.rate_roundings());
        let base = base.build(start.next.iter().map(|(_, weight, state)| (*state, *weight)))?;
        let over = tails.len() as u32;
        let mut followed = chain::Builder::new(tails.len() + 1, tails.iter().map(Vec::len).sum());
        for tail in tails {
            followed.row(tail.iter().map(|(_, rate, next)| (next.unwrap_or(over), *rate)));
        }
        followed.row([]);
        followed.rounded(self.rate_roundings());
        let followed = followed.build([(over, 1.0)])?;
        let open = self.base.list.iter().map(|(_, open)| f64::from(*open)).collect();
        let first = start.begun.clone();
        Ok(Latencies::Chain(Box::new(Requests { base, open, begun, first, followed })))
    }

    fn automata(
        &self,
        start: Row,
        rows: &[Row],
        tails: &[Vec<(u32, f64, Option<u32>)>],
    ) -> Result<Latencies, LatencyError> {
        let mut base = automaton::Builder::default();
        base.rounded(self.rate_roundings());
        let mut begun: Vec<(u32, Option<u32>)> = Vec::new();
        for ((target, _), row) in self.base.list.iter().zip(rows) {
            let first = add(&mut base, *target, row.next.iter().copied());
            begun.extend(row.choices.iter().zip(&row.begun).map(|(choice, (_, one))| (first + choice, *one)));
        }
        base.deciding();
        let choice = base.choice(start.next.iter().map(|(_, weight, state)| (*state, *weight)));
        begun.extend(start.begun.into_iter().map(|(_, one)| (choice, one)));
        let base = base.build(rows.len() as u32)?;
        let over = tails.len() as u32;
        let mut followed = automaton::Builder::default();
        followed.rounded(self.rate_roundings());
        for ((target, _), tail) in self.followed.list.iter().zip(tails) {
            let next = tail.iter().map(|(choice, weight, next)| (*choice, *weight, next.unwrap_or(over)));
            add(&mut followed, *target, next);
        }
        followed.waiting([]);
        let followed: Automaton = followed.build(over)?;
        Ok(Latencies::Open(Box::new(OpenRequests { base, begun, followed })))
    }
}

/// Adds a state; returns its first choice.
fn add(
    builder: &mut automaton::Builder,
    target: Target,
    next: impl Iterator<Item = (u32, f64, u32)> + Clone,
) -> u32 {
    let first = builder.choices() as u32;
    match target {
        Target::Tangible(_) => builder.waiting(next.map(|(_, rate, next)| (next, rate))),
        Target::Decision(_) => {
            builder.deciding();
            let last = next.clone().map(|(choice, ..)| choice).max().unwrap_or(0);
            for number in 0..=last {
                let own = next.clone().filter(|(choice, ..)| *choice == number);
                builder.choice(own.map(|(_, weight, next)| (next, weight)));
            }
        }
    }
    first
}
