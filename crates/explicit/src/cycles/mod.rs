//! Runs that go on for ever and must not: acceptance cycles, with or without fairness.
//!
//! The states near the initial one are searched first, so that a violation close to the start is found at
//! once, however large the rest. If there is none, some searches go deep at once, in different orders, and
//! end after so many states: what many runs lead to is far from the start, but easily met. Then the whole is
//! searched on the fly, on all cores. What is found is shortened before it is given away.
//!
//! | file | contents |
//! |---|---|
//! | `fragment.rs` | the states nearest to the start, breadth first |
//! | `components.rs`, `places.rs`, `pids.rs` | one thread's search for an accepting, fair component |
//! | `rounds.rs` | what threads share, who searches from where, and which violation counts |
//! | `space.rs` | the product of system and observer as this search sees it |
//! | `lasso.rs` | from a component to a short lasso |

mod components;
mod fragment;
mod lasso;
mod pids;
mod places;
mod rounds;
mod space;

use std::ops::ControlFlow;

use narrows_model::{Coverage, Evaluator, Limit, ProcessSet, Scratch, StateSpace, Trace, Violation, Watched};

use crate::reduction::take_apart;
use crate::shorten::shortest_within;
use crate::store::{Components, Memory, learn};
use crate::{End, Reduction, SearchScope, Store};
use components::Found;
use fragment::{Edge, fragment};
pub(crate) use lasso::Step;
use lasso::{Inside, different, lasso, shorter, shortest_seen, shortest_way, state_of, steps_between};
use rounds::{Explored, Way, explore};
use space::{Coloured, Joint, Within};

/// How many states count as near the initial one.
pub(crate) const NEAR: u64 = 20_000;

/// A shortest way to a violation is looked for among this many states,
const ALWAYS: u64 = 100_000;

/// and this many for each state on the way that was found, which is no shortest one,
const FOR_EACH: u64 = 64;

/// but not among more than this many for the whole of it,
const MOST_FOR_WAY: u64 = 1 << 19;

/// and this many times the states that were visited before the round in which it was found. How many were
/// visited when it was found is no measure: that depends on threads, and the run that is shown must not.
const PATIENCE: u64 = 4;

/// In which order the searches follow successors that go deep at once, and how many states they visit. The
/// last goes as SPIN does; the others go at random, and so do not stay long in one corner.
const DEEP_SEARCHES: [(u64, u64); 3] = [(1, 1 << 16), (2, 1 << 16), (0, 1 << 18)];

/// How many violations that look alike may be seen for each that is wanted.
const ALIKE: usize = 64;

/// What a search for a forbidden run came to.
pub(crate) struct Outcome {
    pub(crate) coverage: Coverage,
    pub(crate) result: Result<Option<Forbidden>, Limit>,
}

impl Outcome {
    /// Takes merged steps apart, if there were any. A run that can't be taken apart stays as it is, and will
    /// not be confirmed.
    fn apart(mut self, watched: &Watched<'_>, plan: Plan<'_>) -> Outcome {
        if let Ok(Some(forbidden)) = &mut self.result
            && plan.merged.is_some()
        {
            forbidden.shortest = false;
            if let Some((stem, cycle)) = forbidden.apart(watched) {
                (forbidden.stem, forbidden.cycle) = (stem, cycle);
            }
        }
        self
    }

    /// Counts the memory of a store that was there all the time.
    fn beside(mut self, store: &Store) -> Outcome {
        self.coverage.bytes += store.memory();
        self
    }
}

/// A run that must not be.
pub(crate) struct Forbidden {
    pub(crate) stem: Vec<Step>,
    /// What comes again and again after it; `None` if the watcher has seen enough.
    pub(crate) cycle: Option<Vec<Step>>,
    /// What the watcher saw.
    pub(crate) violation: Option<Violation>,
    /// Whether no shorter run leads to a violation of this kind.
    pub(crate) shortest: bool,
}

impl Forbidden {
    /// Returns the run with merged steps taken apart.
    fn apart(&self, watched: &Watched<'_>) -> Option<(Vec<Step>, Option<Vec<Step>>)> {
        let evaluator = watched.evaluator();
        let (mut state, _) = evaluator.initial().ok()?;
        let mut steps_of = |merged: &[Step]| {
            let mut steps = Vec::new();
            for step in merged {
                if step.moves.is_empty() {
                    steps.push(step.clone());
                }
                take_apart(&evaluator, &mut state, &step.moves, &mut |_, successor| {
                    steps.push(Step { moves: successor.moves.to_vec() });
                    ControlFlow::Continue(())
                })?;
            }
            Some(steps)
        };
        let stem = steps_of(&self.stem)?;
        let cycle = match &self.cycle {
            Some(cycle) => Some(steps_of(cycle)?),
            None => None,
        };
        Some((stem, cycle))
    }
}

/// How a search is to be made.
#[derive(Clone, Copy)]
pub(crate) struct Plan<'r> {
    /// Whether only fair runs count.
    pub(crate) fair: bool,
    /// Whether states that differ in hidden bytes alone are different.
    pub(crate) exact: bool,
    /// How many states count as near the initial one.
    pub(crate) near: u64,
    /// Leaves out steps, if that is wanted. It must be one for the same watcher; fairness knows none.
    pub(crate) reduction: Option<&'r Reduction<'r>>,
    /// The same with merged steps, if there are any: for what is not near the start. Then the reduction is
    /// one for it.
    pub(crate) merged: Option<&'r Watched<'r>>,
}

impl Plan<'_> {
    /// Returns whether the successors of a state that are followed depend on the state alone. They do if all
    /// of them are; a reduction looks at the way to a state too, to make sure that nobody waits for ever.
    fn is_by_state(self) -> bool {
        self.reduction.is_none()
    }

    /// Returns how many threads may search: what they share must be the same for each of them.
    ///
    /// Which hidden bytes a state has depends on how it was first reached, so with any there is one thread.
    /// And a dead state is dead only for those who would have followed the same successors.
    fn threads(self, space: &Joint<'_>, scope: &SearchScope<'_>) -> usize {
        if space.hidden_bytes() > 0 || !self.is_by_state() { 1 } else { scope.budget.threads.max(1) }
    }

    /// Returns the way of one thread to search, with the reduction or without.
    fn alone(&self, reduces: bool) -> Way<'_> {
        Way { reduction: self.reduction.filter(|_| reduces), fair: self.fair, threads: 1, order: 0 }
    }

    /// Returns the space for the search of all states. What waits at a barrier is on nobody's way, so where
    /// the way matters there are no more barriers than the watcher has by itself.
    fn whole<'w>(self, space: &Joint<'w>) -> Joint<'w> {
        if self.is_by_state() { space.with_barriers() } else { space.clone() }
    }
}

/// Looks for a run that must not be.
pub(crate) fn search(watched: &Watched<'_>, plan: Plan<'_>, scope: &SearchScope<'_>) -> Outcome {
    let joint = Joint::new(watched, plan.exact);
    let far = Joint::new(plan.merged.unwrap_or(watched), plan.exact);
    let (space, fair) = (&joint, plan.fair);
    let near = fragment(space, &SearchScope { states: plan.near.min(scope.states), ..*scope }, 1, |_| false);
    let coverage = || near.counts.coverage(&near.store, 0);
    let budget = scope.budget.less(near.store.memory());
    let left = SearchScope { budget: &budget, ..*scope };
    let mut outcome = match (&near.edge, near.seen.first()) {
        (_, Some(seen)) => {
            let (stem, violation) = (near.steps_to(space, seen), Some(seen.violation));
            let forbidden = Forbidden { stem, cycle: None, violation, shortest: true };
            Outcome { coverage: coverage(), result: Ok(Some(forbidden)) }
        }
        (Edge::Limit(End::Limit(limit)), None) => Outcome { coverage: coverage(), result: Err(*limit) },
        (Edge::Limit(_), None) => {
            let within = Within { space, store: &near.store };
            let outcome = components(&within, plan.alone(false), None, &left).beside(&near.store);
            if matches!(outcome.result, Ok(None)) {
                let outcome = deep(&far, plan, &near.store, &left).unwrap_or_else(|| {
                    let space = plan.whole(&far);
                    let way = Way { threads: plan.threads(&space, scope), ..plan.alone(true) };
                    components(&space, way, Some(&near.store), &left)
                });
                let outcome = outcome.beside(&near.store);
                let fails = matches!(outcome.result, Ok(Some(_)));
                // How far threads have come when one of them finds something depends on luck; how long the
                // way is that one of them has gone, too.
                let figures = if fails { coverage() } else { Coverage { depth: 0, ..outcome.coverage } };
                Outcome { coverage: figures, ..outcome }.apart(watched, plan)
            } else {
                outcome
            }
        }
        _ => components(&far, plan.alone(true), None, &left).beside(&near.store).apart(watched, plan),
    };
    if let Ok(Some(Forbidden { stem, cycle: Some(cycle), .. })) = &mut outcome.result
        && let Some(shorter) = shorter(space, &near, fair, stem.len() + cycle.len(), scope.budget)
    {
        (*stem, *cycle) = (shorter.stem, shorter.cycle);
    }
    outcome
}

/// Looks for further runs that must not be, among the states near the initial one: each with another cycle,
/// or ending at another place.
pub(crate) fn others(
    watched: &Watched<'_>,
    plan: Plan<'_>,
    most: usize,
    scope: &SearchScope<'_>,
) -> Vec<Forbidden> {
    let space = &Joint::new(watched, plan.exact);
    let scope = SearchScope { states: plan.near.min(scope.states), ..*scope };
    let near = fragment(space, &scope, most.saturating_mul(ALIKE), |_| false);
    let mut found = Vec::new();
    let mut places = Vec::new();
    for seen in &near.seen {
        let mut control = Vec::new();
        space.control(near.store.get(seen.id), &mut control);
        let moves = seen.last.as_ref().map(|step| step.moves.clone());
        if found.len() < most && !places.contains(&(control.clone(), moves.clone())) {
            places.push((control, moves));
            let (stem, violation) = (near.steps_to(space, seen), Some(seen.violation));
            found.push(Forbidden { stem, cycle: None, violation, shortest: false });
        }
    }
    let left = most - found.len();
    found.extend(different(space, &near, plan.fair, left, scope.budget).into_iter().map(|run| Forbidden {
        stem: run.stem,
        cycle: Some(run.cycle),
        violation: None,
        shortest: false,
    }));
    found
}

/// Returns whether every process that is enabled all along a cycle moves on it.
pub(crate) fn is_fair(evaluator: &Evaluator<'_>, trace: &Trace, start: usize) -> bool {
    let mut waiting = None;
    let mut moved = ProcessSet::default();
    for number in start..trace.steps.len() {
        let mut enabled = ProcessSet::default();
        evaluator.successors(trace.state(number), &mut Scratch::default(), &mut |successor| {
            // A statement that goes wrong and blocks is no step, here as in a watched system.
            if successor.target.is_some() || successor.violations.iter().any(|wrong| wrong.kind.is_fatal()) {
                enabled = enabled.union(pids::enabled(successor.moves));
            }
            ControlFlow::Continue(())
        });
        waiting = Some(waiting.map_or(enabled, |waiting: ProcessSet| waiting.intersection(enabled)));
        moved = moved.union(pids::moved(trace.steps[number].moves()));
    }
    waiting.is_none_or(|waiting| waiting.difference(moved).is_empty())
}

/// Goes deep at once, in several orders, for so many states each; `None` if nothing is decided then.
fn deep(space: &Joint<'_>, plan: Plan<'_>, like: &Store, scope: &SearchScope<'_>) -> Option<Outcome> {
    DEEP_SEARCHES.iter().find_map(|(order, states)| {
        let scope = SearchScope { states: scope.states.min(*states), ..*scope };
        let outcome = components(space, Way { order: *order, ..plan.alone(true) }, Some(like), &scope);
        // Of any limit but the number of states, the search of the whole tells.
        outcome.result.is_ok().then_some(outcome)
    })
}

/// Searches all that can be reached; `like` has states from which to learn how states are best kept.
fn components<S: Coloured + ?Sized>(
    space: &S,
    way: Way<'_>,
    like: Option<&Store>,
    scope: &SearchScope<'_>,
) -> Outcome {
    let memory = Memory::new(scope.budget.memory);
    let empty = match like {
        Some(store) => {
            let ids = std::iter::successors(store.first(), |id| store.next(*id));
            learn(space, ids.map(|id| store.get(id)), &memory)
        }
        None => Components::new(&memory).map_err(Limit::from),
    };
    match empty.and_then(|empty| explore(space, way, empty, scope, &memory)) {
        Ok(explored) => {
            let states = explored.states.len();
            let coverage = explored.counts.coverage_of(states, memory.peak(), explored.state_bytes);
            Outcome { coverage, result: show(space, way.fair, explored, scope, &memory) }
        }
        Err(limit) => Outcome { coverage: Coverage::default(), result: Err(limit) },
    }
}

/// Makes a run of what a search has found.
fn show<S: Coloured + ?Sized>(
    space: &S,
    fair: bool,
    explored: Explored,
    scope: &SearchScope<'_>,
    memory: &Memory,
) -> Result<Option<Forbidden>, Limit> {
    let Explored { states, hidden, result, .. } = explored;
    let Some(violation) = result.map_err(|end| end.limit().unwrap_or(Limit::Enough))? else {
        return Ok(None);
    };
    let budget = scope.budget.less(memory.used());
    let left = SearchScope { budget: &budget, ..*scope };
    let way = violation.found.way();
    let for_way = (FOR_EACH * way.len() as u64).min(MOST_FOR_WAY);
    let enough = ALWAYS.max(for_way).max(PATIENCE * violation.before);
    let soon = SearchScope { states: enough.min(scope.states), ..left };
    // The way that the search has gone, from the initial state on.
    let whole_way = || -> Result<Vec<Vec<u8>>, Limit> {
        let visible = |state: &[u8]| state.len() - space.hidden_bytes();
        let mut whole = if violation.from_start {
            vec![state_of(space, &states, &hidden, way[0])]
        } else {
            shortest_way(space, &left, |state| state[..visible(state)] == *violation.root)?
        };
        whole.extend(way[1..].iter().map(|number| state_of(space, &states, &hidden, *number)));
        // A search that goes deep wanders.
        Ok(match shortest_within(space, &whole) {
            Some(steps) => {
                let last = whole.last().cloned();
                steps.iter().map(|(from, _)| whole[*from].clone()).chain(last).collect()
            }
            None => whole,
        })
    };
    match &violation.found {
        Found::Seen(_, seen, last) => {
            let short = shortest_seen(space, &soon);
            let shortest = short.is_some();
            let (stem, violation) = match short {
                Some(short) => short,
                None => {
                    let mut stem = steps_between(space, &whole_way()?);
                    stem.extend(last.clone());
                    (stem, *seen)
                }
            };
            Ok(Some(Forbidden { stem, cycle: None, violation: Some(violation), shortest }))
        }
        Found::Component(_, members) => {
            let members = members.iter().copied().collect();
            let part = Inside { space, states: &states, hidden: &hidden, members, memory };
            let is_inside = |state: &[u8]| lasso::Region::find(&part, state).is_some();
            let way = match shortest_way(space, &soon, is_inside) {
                Ok(way) => way,
                Err(_) => {
                    let mut way = whole_way()?;
                    let entry = way.iter().position(|state| is_inside(state));
                    way.truncate(entry.map_or(way.len(), |entry| entry + 1));
                    way
                }
            };
            let run = lasso(space, &part, &way, fair, left.budget)?.unwrap_or_default();
            Ok(Some(Forbidden { stem: run.stem, cycle: Some(run.cycle), violation: None, shortest: false }))
        }
    }
}
