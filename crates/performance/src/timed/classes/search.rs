//! Searches for the least and the most that is measured on a run.
//!
//! A node of the search is a class with what an observer knows, and what was measured so far: times are marks
//! of its zone, events a count. A node whose dates and measure another one allows as well leads to nothing
//! that the other does not lead to, and is left out: so all that is left out is no better. For the least, the
//! nodes with the least so far come first, and the first end is the answer. For the most, all are searched.
//! If a node allows all dates that one on the way to it allows, the steps in between can be taken again and
//! again; if they add to what is measured, there is no most. There are finitely many zones without marks, so
//! that a search which goes on for ever comes to such a node.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use narrows_model::Limit;
use rustc_hash::FxHashMap;

use super::schedule::Part;
use super::steps::{ClassStep, Scale};
use super::zone::{Side, Zone};
use super::{Classes, DatedRun};
use crate::timed::bounds::Bound;
use crate::timed::requests::{FollowError, Seen};
use crate::timed::{Span, Timed};

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClassCost {
    /// Ticks.
    Time,
    /// How many times an event happens.
    Event(u16),
}

/// A bound, with the view that the walk which shows it is one through.
#[derive(Debug)]
pub struct ClassBound<'a> {
    /// The bound.
    pub bound: Bound,
    /// The view; `None` where there is no run.
    pub timed: Option<Timed<'a>>,
}

/// A class on the way, with what was measured.
struct Node {
    state: u32,
    seen: Seen,
    zone: Zone,
    count: i64,
    parent: u32,
    choice: u32,
    depth: u32,
    is_dominated: bool,
}

/// The budget is polled every so many nodes.
const WATCH_EVERY: usize = 1 << 7;

/// A search has at most so many nodes.
const MAX_NODES: usize = 1 << 19;

/// What a search adds up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Measure {
    /// What is asked for.
    Plain(ClassCost),
    /// Time, less so many ticks for each event.
    Excess { event: u16, per_event: Quotient },
}

/// A number of ticks, as a quotient.
pub(super) type Quotient = (i64, i64);

pub(super) struct Search<'c, 'a> {
    classes: &'c Classes<'a>,
    span: Span<'c>,
    measure: Measure,
    side: Side,
    /// States in which no time may pass.
    still: &'c [bool],
    /// There are at most so many nodes.
    max_nodes: usize,
    nodes: Vec<Node>,
    /// By state and what the observer knows, the nodes that no other stands for, and all.
    known: FxHashMap<(u32, Seen), [Vec<u32>; 2]>,
    bytes: u64,
}

/// What a search for the most found.
pub(super) enum Longest {
    /// Nothing begins, or nothing is ever over.
    Nothing,
    /// The most, or that there is none.
    Found(End),
    /// There were too many nodes.
    TooMany,
}

/// Steps that can be taken again and again.
pub(super) struct Circle<'s> {
    /// The choices on the way there.
    pub(super) way: Vec<u32>,
    /// The class from which they can.
    pub(super) place: (u32, &'s Zone),
    /// The choices of a round.
    pub(super) choices: Vec<u32>,
}

/// How the run ends that shows something.
pub(super) enum End {
    /// A node in which the way is over.
    Over(u32),
    /// A node in which the run stops.
    Stops(u32),
    /// A node, and one on the way to it from which the way leads on for ever.
    Circle(u32, u32),
}

impl<'a> Classes<'a> {
    /// Finds the least.
    pub fn least(&self, span: Span<'_>, cost: ClassCost) -> Result<ClassBound<'a>, FollowError> {
        Search::new(self, span, Measure::Plain(cost), Side::Earliest).least()
    }

    /// Finds the most. A run that never ends takes infinite time; one that counts for ever has an infinite
    /// count.
    pub fn most(&self, span: Span<'_>, cost: ClassCost) -> Result<ClassBound<'a>, FollowError> {
        Search::new(self, span, Measure::Plain(cost), Side::Latest).most()
    }
}

impl<'c, 'a> Search<'c, 'a> {
    pub(super) fn new(
        classes: &'c Classes<'a>,
        span: Span<'c>,
        measure: Measure,
        side: Side,
    ) -> Search<'c, 'a> {
        let (nodes, known) = (Vec::new(), FxHashMap::default());
        Search { classes, span, measure, side, still: &[], max_nodes: MAX_NODES, nodes, known, bytes: 0 }
    }

    /// Lets no time pass in some states.
    pub(super) fn standing_still(self, still: &'c [bool]) -> Search<'c, 'a> {
        Search { still, ..self }
    }

    /// Gives up after so many nodes.
    pub(super) fn within(self, max_nodes: usize) -> Search<'c, 'a> {
        Search { max_nodes, ..self }
    }

    fn scale(&self) -> Scale {
        let scale = match self.measure {
            Measure::Plain(_) => 1,
            Measure::Excess { per_event: (_, under), .. } => under,
        };
        Scale { side: self.side, scale }
    }

    /// Adds a node unless another one stands for it; returns its number.
    fn add(&mut self, node: Node) -> Option<u32> {
        let nodes = &mut self.nodes;
        let is_least = self.side == Side::Earliest;
        let stands_for = |one: &Node, other: &Node| {
            let is_as_good = if is_least { one.count <= other.count } else { one.count >= other.count };
            is_as_good && other.zone.is_dominated_by(&one.zone)
        };
        let [known, all] = self.known.entry((node.state, node.seen)).or_default();
        if known.iter().any(|other| stands_for(&nodes[*other as usize], &node)) {
            return None;
        }
        known.retain(|other| {
            let other = &mut nodes[*other as usize];
            other.is_dominated = stands_for(&node, other);
            !other.is_dominated
        });
        let number = nodes.len() as u32;
        known.push(number);
        all.push(number);
        self.bytes += node.zone.memory() + (size_of::<Node>() + 8) as u64;
        nodes.push(node);
        Some(number)
    }

    /// Begins to measure in a zone.
    fn started(&self, zone: Zone) -> Zone {
        if matches!(self.measure, Measure::Plain(ClassCost::Event(_))) {
            return zone;
        }
        zone.marked(self.side, self.scale().scale)
    }

    fn begin(&mut self) -> Vec<u32> {
        let mut first = Vec::new();
        self.span.begin(&mut |seen| first.push(seen));
        let state = self.classes.found.first().map_or(0, |class| class.state);
        let zone = self.classes.clocks.fresh(state);
        let add = |seen: Seen| {
            let zone = zone.clone();
            let zone = if seen.has_begun() { self.started(zone) } else { zone };
            self.add(Node {
                state,
                seen,
                zone,
                count: 0,
                parent: 0,
                choice: 0,
                depth: 0,
                is_dominated: false,
            })
        };
        first.into_iter().filter_map(add).collect()
    }

    /// Takes all steps of a node; returns what is new.
    fn expand(&mut self, number: u32) -> Result<Vec<u32>, FollowError> {
        let (classes, span) = (self.classes, self.span);
        let Node { state, seen, count, depth, .. } = self.nodes[number as usize];
        let mut steps: Vec<ClassStep> = Vec::new();
        let is_still = Classes::is_still(self.still, state);
        let place = (state, &self.nodes[number as usize].zone);
        classes.steps(place, is_still, self.scale(), &mut |step| steps.push(step));
        let mut added = Vec::new();
        for ClassStep { choice, step, zone } in steps {
            let mut next = Vec::new();
            span.after(seen, state, &step, &mut |seen| next.push(seen))?;
            for seen_next in next {
                let begins = seen_next.has_begun() && !seen.has_begun();
                let mut zone = if begins { self.started(zone.clone()) } else { zone.clone() };
                let count = match self.measure {
                    _ if !seen.has_begun() => 0,
                    Measure::Plain(ClassCost::Time) => 0,
                    Measure::Plain(ClassCost::Event(event)) => count + classes.count(step.effect, event),
                    Measure::Excess { event, per_event: (over, _) } => {
                        let less = over * classes.count(step.effect, event);
                        zone.shift(if self.side == Side::Latest { -less } else { less });
                        0
                    }
                };
                let (state, seen) = (step.target, seen_next);
                let (parent, depth) = (number, depth + 1);
                added.extend(self.add(Node {
                    state,
                    seen,
                    zone,
                    count,
                    parent,
                    choice,
                    depth,
                    is_dominated: false,
                }));
            }
        }
        if (number as usize).is_multiple_of(WATCH_EVERY) {
            classes.state_graph.watch(self.bytes).map_err(FollowError::Limit)?;
        }
        Ok(added)
    }

    /// Returns what was measured, at least or at most.
    fn value(&self, number: u32) -> i64 {
        let Node { zone, count, .. } = &self.nodes[number as usize];
        match (self.measure, self.side) {
            (Measure::Plain(ClassCost::Event(_)), _) => *count,
            (_, Side::Latest) => zone.marks().first().copied().unwrap_or(0),
            (_, Side::Earliest) => -zone.marks().first().copied().unwrap_or(0),
        }
    }

    fn least(mut self) -> Result<ClassBound<'a>, FollowError> {
        let mut queue = BinaryHeap::new();
        let mut begun = None;
        let mut added = self.begin();
        loop {
            for number in added {
                let seen = self.nodes[number as usize].seen;
                if seen.has_begun() {
                    begun.get_or_insert(number);
                }
                // What has not begun comes first: it may begin with nothing.
                let rank = seen.has_begun().then(|| self.value(number));
                queue.push(Reverse((rank, number)));
            }
            let Some(Reverse((_, number))) = queue.pop() else { break };
            let node = &self.nodes[number as usize];
            if node.is_dominated {
                added = Vec::new();
                continue;
            }
            if node.seen.is_over() {
                return Ok(self.shown(&End::Over(number)));
            }
            added = self.expand(number)?;
            if self.nodes.len() > self.max_nodes {
                return Err(FollowError::Limit(Limit::Memory));
            }
        }
        match begun {
            None => Ok(ClassBound { bound: Bound::NeverBegins, timed: None }),
            Some(begun) => Ok(self.endless(begun)),
        }
    }

    pub(super) fn most(mut self) -> Result<ClassBound<'a>, FollowError> {
        match self.longest()? {
            Longest::Nothing => Ok(ClassBound { bound: Bound::NeverBegins, timed: None }),
            Longest::Found(end) => Ok(self.shown(&end)),
            Longest::TooMany => Err(FollowError::Limit(Limit::Memory)),
        }
    }

    /// Searches everything for the most.
    pub(super) fn longest(&mut self) -> Result<Longest, FollowError> {
        let mut queue: VecDeque<u32> = self.begin().into();
        let mut best: Option<u32> = None;
        while let Some(number) = queue.pop_front() {
            let Node { seen, is_dominated, .. } = self.nodes[number as usize];
            if seen.has_begun() {
                // What takes time counts when it is over: otherwise it is never over, or goes on.
                let counts = seen.is_over() || matches!(self.measure, Measure::Plain(ClassCost::Event(_)));
                if counts && best.is_none_or(|best| self.value(number) > self.value(best)) {
                    best = Some(number);
                }
                if seen.is_over() {
                    continue;
                }
                if let Some(end) = self.endless_from(number) {
                    return Ok(Longest::Found(end));
                }
            }
            if is_dominated {
                continue;
            }
            if seen.has_begun() && self.stops(number) {
                return Ok(Longest::Found(End::Stops(number)));
            }
            queue.extend(self.expand(number)?);
            if self.nodes.len() > self.max_nodes {
                return Ok(Longest::TooMany);
            }
        }
        Ok(best.map_or(Longest::Nothing, |best| Longest::Found(End::Over(best))))
    }

    /// Returns whether time is measured, and the run stops in a node.
    fn stops(&self, number: u32) -> bool {
        let Node { state, zone, .. } = &self.nodes[number as usize];
        self.measure == Measure::Plain(ClassCost::Time) && self.classes.stops((*state, zone))
    }

    /// Finds a node on the way to this one from which the same steps can be taken again and again, and add to
    /// what is measured.
    fn endless_from(&self, number: u32) -> Option<End> {
        let node = &self.nodes[number as usize];
        let [_, all] = self.known.get(&(node.state, node.seen))?;
        let adds = |before: u32| {
            let period = |side: Side| {
                let choices = self.choices(before, number);
                self.classes.period((node.state, &node.zone), &choices, side, self.still)
            };
            match self.measure {
                Measure::Plain(ClassCost::Event(_)) => true,
                Measure::Plain(ClassCost::Time) => period(Side::Latest).is_some_and(|(ticks, _)| ticks > 0),
                Measure::Excess { event, per_event: (over, under) } => {
                    let count = self.classes.count_all(
                        self.nodes[before as usize].state,
                        &self.choices(before, number),
                        event,
                    );
                    period(self.side).is_some_and(|(ticks, rounds)| {
                        let more = i128::from(ticks) * i128::from(under)
                            - i128::from(over) * i128::from(count) * i128::from(rounds);
                        if self.side == Side::Latest { more > 0 } else { more < 0 }
                    })
                }
            }
        };
        let is_plain_count = matches!(self.measure, Measure::Plain(ClassCost::Event(_)));
        let is_circle = |before: &u32| {
            let other = &self.nodes[*before as usize];
            let grows = if is_plain_count {
                node.count > other.count
            } else {
                node.zone.marks().first() > other.zone.marks().first()
            };
            grows
                && other.depth < node.depth
                && other.zone.is_within(&node.zone)
                && self.is_on_way(*before, number)
                && adds(*before)
        };
        let before = all.iter().copied().find(is_circle)?;
        Some(End::Circle(before, number))
    }

    /// Returns whether a node lies on the way to another.
    fn is_on_way(&self, before: u32, mut number: u32) -> bool {
        let depth = self.nodes[before as usize].depth;
        while self.nodes[number as usize].depth > depth {
            number = self.nodes[number as usize].parent;
        }
        number == before
    }

    /// Returns a cycle that was found: the choices on the way to it, where it begins and ends, and its own.
    pub(super) fn circle(&self, before: u32, number: u32) -> Circle<'_> {
        let Node { state, zone, .. } = &self.nodes[number as usize];
        Circle { way: self.way_to(number).0, place: (*state, zone), choices: self.choices(before, number) }
    }

    /// Returns the choices on the way from a node to another.
    fn choices(&self, before: u32, mut number: u32) -> Vec<u32> {
        let mut choices = Vec::new();
        while number != before {
            let node = &self.nodes[number as usize];
            choices.push(node.choice);
            number = node.parent;
        }
        choices.reverse();
        choices
    }

    /// Returns the choices on the way from the start to a node, and where what is measured begins.
    fn way_to(&self, number: u32) -> (Vec<u32>, usize) {
        let mut begins = self.nodes[number as usize].depth;
        let (mut choices, mut at) = (Vec::new(), number);
        loop {
            let node = &self.nodes[at as usize];
            if node.seen.has_begun() {
                begins = node.depth;
            }
            if node.depth == 0 {
                break;
            }
            choices.push(node.choice);
            at = node.parent;
        }
        choices.reverse();
        (choices, begins as usize)
    }

    /// Gives dates to the run that shows an end.
    fn shown(&self, end: &End) -> ClassBound<'a> {
        let (number, cycle) = match end {
            End::Over(number) | End::Stops(number) => (*number, None),
            End::Circle(before, number) => (*number, Some(self.choices(*before, *number))),
        };
        let (choices, begins) = self.way_to(number);
        let part = Part { begins, side: self.side, still: self.still };
        let run = match &cycle {
            None => self.classes.dated(&choices, part),
            Some(cycle) => {
                let node = &self.nodes[number as usize];
                self.classes.lasso(&choices, (node.state, &node.zone), cycle, part)
            }
        };
        let (timed, walk) = run.map_or((None, None), |DatedRun { timed, walk }| (Some(timed), Some(walk)));
        let walk = walk.unwrap_or_default();
        let bound = match end {
            End::Over(number) => Bound::Finite(self.value(*number) as u64, walk),
            End::Stops(_) | End::Circle(..) => Bound::Infinite(walk),
        };
        ClassBound { bound, timed }
    }

    /// Shows a run that is never over, from where something begins.
    fn endless(&self, begun: u32) -> ClassBound<'a> {
        let (mut choices, begins) = self.way_to(begun);
        let mut seen: Vec<(u32, Zone)> = Vec::new();
        let mut state = self.nodes[begun as usize].state;
        let mut zone = self.nodes[begun as usize].zone.unmarked();
        let part = Part { begins, side: Side::Latest, still: &[] };
        loop {
            let known = seen.iter().position(|(known, dates)| *known == state && dates.is_within(&zone));
            if let Some(place) = known {
                let cycle = choices[begins + place..].to_vec();
                let run = self.classes.lasso(&choices, (state, &zone), &cycle, part);
                let (timed, walk) = run.map_or((None, None), |run| (Some(run.timed), Some(run.walk)));
                return ClassBound { bound: Bound::Infinite(walk.unwrap_or_default()), timed };
            }
            let mut first: Option<ClassStep> = None;
            self.classes
                .steps((state, &zone), false, self.scale(), &mut |step| _ = first.get_or_insert(step));
            let Some(ClassStep { choice, step, zone: next }) = first else { break };
            seen.push((state, zone));
            choices.push(choice);
            (state, zone) = (step.target, next);
        }
        let run = self.classes.dated(&choices, part);
        let (timed, walk) = run.map_or((None, None), |run| (Some(run.timed), Some(run.walk)));
        ClassBound { bound: Bound::Infinite(walk.unwrap_or_default()), timed }
    }
}
