//! Which resources can be busy at the same time, and which must be.
//!
//! Without delays, every state is visited, and the sets of resources that are busy there are kept: that says
//! which pairs never overlap. For a pair that does, the checker finds a shortest run to that, and whether
//! every fair run comes to it. With delays, an overlap is one that lasts, and the runs are those of the timed
//! view.

use std::rc::Rc;

use narrows_explicit::{End, numbered_walk};
use narrows_model::{Figure, FigureResult, Refusal, StateDiagram, StateSpace, Together, Trace};
use narrows_performance::timed::{DatedRun, Edge, Timed, Walk};

use super::diagrams::Diagrams;
use crate::measure::{Exact, Workbench, new_figure, timed_trace};

/// A set of resources, one bit each.
type Set = u64;

/// There are at most so many resources in a set.
pub(crate) const MAX_RESOURCES: usize = 64;

/// What was found in the states of a model.
#[derive(Default)]
pub(crate) struct Sets {
    /// The sets that are busy somewhere.
    found: Vec<Set>,
    /// How many states were visited.
    states: u64,
    /// Why not all were.
    cut: Option<FigureResult>,
    /// How variables with names for values change.
    diagrams: Diagrams,
}

impl Sets {
    /// Visits all states.
    pub(crate) fn visit(bench: &Workbench<'_, '_>) -> Sets {
        let mut found: Vec<Set> = Vec::new();
        let mut wrong = None;
        let mut look = |state: &[u8]| match bench.busy(state) {
            Ok(set) if !found.contains(&set) => found.push(set),
            Ok(_) => {}
            Err(refusal) => wrong = Some(refusal.into()),
        };
        if let Ok((initial, _)) = bench.engine.initial() {
            look(&initial);
        }
        let mut diagrams = Diagrams::new(bench.engine.evaluator());
        let mut known = 0;
        let walk = numbered_walk(bench.engine, &bench.budget, &mut |edge| {
            diagrams.note(edge);
            // States are numbered as they are found.
            if let Some(state) = edge.successor.target
                && edge.target > known
            {
                known = edge.target;
                look(state);
            }
            0
        });
        let fault = "The model goes wrong, so that not all states are visited; `narrows check` shows more.";
        let cut = match walk.exploration.end {
            End::Limit(limit) => Some(FigureResult::Undecided(limit)),
            End::Fault => Some(FigureResult::None(fault.to_owned())),
            _ if walk.faults > 0 => Some(FigureResult::None(fault.to_owned())),
            _ => None,
        };
        Sets { found, states: walk.exploration.coverage.states, cut: wrong.or(cut), diagrams }
    }

    /// Returns the largest sets.
    pub(crate) fn together(&self) -> Together {
        Together {
            view: "untimed",
            sets: largest(self.found.iter().copied()),
            is_complete: self.cut.is_none(),
        }
    }
}

/// Returns those sets that are in no other one.
pub(crate) fn largest(sets: impl Iterator<Item = Set>) -> Vec<Vec<usize>> {
    let mut all: Vec<Set> = sets.filter(|set| *set != 0).collect();
    all.sort_unstable();
    all.dedup();
    let is_largest = |set: &Set| !all.iter().any(|other| other != set && other & set == *set);
    let members = |set: Set| (0..MAX_RESOURCES).filter(|number| set >> number & 1 == 1).collect::<Vec<_>>();
    let mut largest: Vec<Vec<usize>> = all.iter().copied().filter(is_largest).map(members).collect();
    largest.sort();
    largest
}

impl Workbench<'_, '_> {
    /// Returns which resources are busy in a state; refused if something goes wrong there.
    pub(crate) fn busy(&self, state: &[u8]) -> Result<Set, Refusal> {
        let mut observed = self.engine.evaluator().observe(state);
        let mut set = 0;
        for (number, (_, text)) in self.study.resources.iter().enumerate().take(MAX_RESOURCES) {
            let Some(expr) = self.prepared.predicate(text) else { continue };
            match observed.holds(expr) {
                Ok(holds) => set |= Set::from(holds) << number,
                Err(violation) => {
                    let what = violation.kind.message();
                    return Err(Refusal::new(format!("`{}` goes wrong in a state: {what}.", text.text)));
                }
            }
        }
        Ok(set)
    }

    /// Returns the sets of resources that are busy in the states of the model, which are visited once.
    fn sets(&mut self) -> &Sets {
        if self.sets.is_none() {
            self.sets = Some(Sets::visit(self));
        }
        // It was just made.
        self.sets.get_or_insert_with(Sets::default)
    }

    /// Returns how variables change that hold the state of something.
    pub(crate) fn find_diagrams(&mut self) -> Vec<StateDiagram> {
        let evaluator = self.engine.evaluator();
        self.sets().diagrams.describe(evaluator)
    }

    /// Returns the largest sets of resources, in the views that there are; at a first look not in all states.
    pub(crate) fn together(&mut self) -> Vec<Together> {
        let mut list = Vec::new();
        if !self.study.is_first_look {
            list.push(self.sets().together());
        }
        if let Some(busy) = self.busy_states() {
            let states = match self.timed.timed() {
                Err(_) => return list,
                Ok(Exact::Classes(classes)) => classes.lasting_states(),
                Ok(Exact::Ticks(timed)) => {
                    let passes = |node: &u32| timed.edges(*node).iter().any(|edge| edge.ticks > 0);
                    (0..timed.nodes()).filter(passes).map(|node| timed.state(node)).collect()
                }
            };
            let sets = largest(states.into_iter().map(|state| busy[state as usize]));
            list.push(Together { view: "timed", sets, is_complete: true });
        }
        list
    }

    /// Returns which resources are busy in each state of the timed view; `None` if there is none. It is found
    /// out once.
    pub(crate) fn busy_states(&mut self) -> Option<Rc<[Set]>> {
        if !self.study.has_delays() {
            return None;
        }
        if let Some(known) = &self.busy_states {
            return Some(Rc::clone(known));
        }
        let states = {
            let timed = self.timed.timed().ok()?;
            (0..timed.state_graph().states())
                .map(|state| timed.state_graph().state(state))
                .collect::<Vec<_>>()
        };
        let found: Option<Rc<[Set]>> = states.iter().map(|state| self.busy(state).ok()).collect();
        self.busy_states.clone_from(&found);
        found
    }

    /// Says whether two resources overlap, delays ignored.
    pub(crate) fn overlap_untimed(&mut self, first: usize, second: usize) -> Figure {
        let mut figure = new_figure("overlap", self.pair(first, second), "untimed");
        let pair: Set = 1 << first | 1 << second;
        let sets = self.sets();
        if !sets.found.iter().any(|set| set & pair == pair) {
            let states = sets.states;
            figure.result = sets.cut.clone().unwrap_or_else(|| FigureResult::Word("never".to_owned()));
            figure.notes.push(format!("None of {states} states has both busy."));
            return figure;
        }
        figure.result = FigureResult::Word("possible".to_owned());
        if let Some(asked) = self.prepared.overlap(first, second, &figure.name) {
            self.asker.overlap(&asked, true, true, &mut figure);
        }
        figure
    }

    /// Says whether two resources overlap for some time, with the delays that are given.
    pub(crate) fn overlap_timed(&mut self, first: usize, second: usize) -> Figure {
        let mut figure = new_figure("overlap", self.pair(first, second), "timed");
        let pair: Set = 1 << first | 1 << second;
        let unit = self.study.unit.clone();
        let evaluator = self.engine.evaluator();
        let busy = self.busy_states().unwrap_or_else(|| Rc::new([]));
        let are_busy: Vec<bool> = busy.iter().map(|busy| busy & pair == pair).collect();
        let trace = |timed: &Timed<'_>, walk: &Walk| timed_trace(timed, evaluator, walk, &unit);
        // Whether a run meets both, and whether one avoids that, each with the run.
        let found = match self.timed.timed() {
            Err(result) => Err(result),
            Ok(Exact::Ticks(timed)) => {
                let is_meant =
                    |node: u32, edge: &Edge| edge.ticks > 0 && are_busy[timed.state(node) as usize];
                let meets = timed.reaching(is_meant).map(|walk| trace(timed, &walk));
                Ok((
                    meets,
                    timed.avoiding(is_meant).map(|walk| trace(timed, &walk)),
                    u64::from(timed.nodes()),
                ))
            }
            Ok(Exact::Classes(classes)) => {
                let shown = |run: DatedRun<'_>| trace(&run.timed, &run.walk);
                let meets = classes.reaching(&are_busy).map(shown);
                let avoids = classes.avoiding(&are_busy).map_err(FigureResult::Undecided);
                avoids.map(|(avoids, run)| (meets, avoids.then(|| run.and_then(shown)), classes.nodes()))
            }
        };
        let (meets, avoids, nodes) = match found {
            Ok(found) => found,
            Err(result) => {
                figure.result = result;
                return figure;
            }
        };
        let mut show = |what: &str, trace: Option<Trace>| {
            figure.witnesses.extend(trace.map(|trace| (what.to_owned(), trace)));
        };
        let word = match (meets, avoids) {
            (None, _) => "never",
            (Some(meets), None) => {
                show("a run to where both are busy", meets);
                "inevitable"
            }
            (Some(meets), Some(avoids)) => {
                show("a run to where both are busy", meets);
                show("a run on which they are never busy at the same time", avoids);
                "possible"
            }
        };
        if word == "never" {
            figure.notes.push(format!("In none of {nodes} timed states both are busy for some time."));
        }
        figure.result = FigureResult::Word(word.to_owned());
        figure
    }

    pub(crate) fn pair(&self, first: usize, second: usize) -> String {
        format!("{} and {}", self.study.resources[first].0.text, self.study.resources[second].0.text)
    }
}
