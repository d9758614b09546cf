//! Which resources can be busy at the same time, and which must be.
//!
//! Without delays, every state is visited, and the sets of resources that are busy there are kept: that says which pairs
//! never overlap, with a shortest run to those that do. Whether every fair run comes to an overlap is a formula, and the
//! checker's. With delays, an overlap is one that lasts, and the runs are those of the timed view.

use narrows_explicit::{Options, check};
use narrows_model::{Figure, FigureResult, Limit, Question, Together, Verdict};
use narrows_performance::Rows;
use narrows_performance::timed::{Edge, Walk};

use crate::measure::{Workbench, new_figure, result_of, timed_trace, trace_of};

/// A set of resources, one bit each.
type Set = u64;

/// There are at most so many resources in a set.
pub(crate) const MOST: usize = 64;

/// What was found in the states of a model.
pub(crate) struct Sets {
    /// The sets that are busy somewhere, each with the choices on a shortest way there.
    found: Vec<(Set, Vec<u32>)>,
    /// How many states were visited.
    states: u64,
    /// Why not all were.
    cut: Option<FigureResult>,
}

impl Sets {
    /// Visits all states.
    pub(crate) fn visit(bench: &Workbench<'_, '_>) -> Sets {
        let mut sets = Sets { found: Vec::new(), states: 0, cut: None };
        let evaluator = bench.engine.evaluator();
        let timing = &bench.prepared.timing;
        let mut rows = match Rows::new(bench.engine, &bench.prepared.system, timing, bench.budget) {
            Ok(rows) => rows,
            Err(trouble) => {
                sets.cut = Some(result_of(&trouble, evaluator).0);
                return sets;
            }
        };
        let mut state = 0;
        while state < rows.states() {
            match bench.busy(rows.state(state)) {
                Ok(set) if !sets.found.iter().any(|(known, _)| *known == set) => {
                    sets.found.push((set, rows.choices_to(state)));
                }
                Ok(_) => {}
                Err(reason) => {
                    sets.cut = Some(FigureResult::None(reason));
                    break;
                }
            }
            if let Err(trouble) = rows.expand(state) {
                sets.cut = Some(result_of(&trouble, evaluator).0);
                break;
            }
            state += 1;
        }
        sets.states = u64::from(state);
        sets
    }

    /// Returns the largest sets.
    pub(crate) fn together(&self) -> Together {
        let sets = self.found.iter().map(|(set, _)| *set);
        Together { view: "untimed", sets: largest(sets), is_complete: self.cut.is_none() }
    }
}

/// Returns those sets that are in no other one.
fn largest(sets: impl Iterator<Item = Set>) -> Vec<Vec<usize>> {
    let mut all: Vec<Set> = sets.filter(|set| *set != 0).collect();
    all.sort_unstable();
    all.dedup();
    let is_largest = |set: &Set| !all.iter().any(|other| other != set && other & set == *set);
    let members = |set: Set| (0..MOST).filter(|number| set >> number & 1 == 1).collect::<Vec<_>>();
    let mut largest: Vec<Vec<usize>> = all.iter().copied().filter(is_largest).map(members).collect();
    largest.sort();
    largest
}

impl Workbench<'_, '_> {
    /// Returns which resources are busy in a state; the error says what goes wrong.
    pub(crate) fn busy(&self, state: &[u8]) -> Result<Set, String> {
        let evaluator = self.engine.evaluator();
        let mut set = 0;
        for (number, (_, text)) in self.study.resources.iter().enumerate().take(MOST) {
            let Some(expr) = self.prepared.predicate(text) else { continue };
            match evaluator.holds(expr, state) {
                Ok(holds) => set |= Set::from(holds) << number,
                Err(violation) => {
                    return Err(format!(
                        "`{}` goes wrong in a state: {}.",
                        text.text,
                        violation.kind.message()
                    ));
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
        self.sets.get_or_insert_with(|| Sets { found: Vec::new(), states: 0, cut: None })
    }

    /// Returns the largest sets of resources, in the views that there are.
    pub(crate) fn together(&mut self) -> Vec<Together> {
        let mut list = vec![self.sets().together()];
        if let Some(busy) = self.busy_states() {
            let Ok(timed) = self.timed.timed() else { return list };
            let passes = |node: &u32| timed.edges(*node).iter().any(|edge| edge.ticks > 0);
            let nodes = (0..timed.nodes()).filter(passes);
            let sets = largest(nodes.map(|node| busy[timed.state(node) as usize]));
            list.push(Together { view: "timed", sets, is_complete: true });
        }
        list
    }

    /// Returns which resources are busy in each state of the timed view; `None` if there is none.
    pub(crate) fn busy_states(&mut self) -> Option<Vec<Set>> {
        if self.study.delays.is_empty() {
            return None;
        }
        let states = {
            let timed = self.timed.timed().ok()?;
            (0..timed.rows().states()).map(|state| timed.rows().state(state).to_vec()).collect::<Vec<_>>()
        };
        states.iter().map(|state| self.busy(state).ok()).collect()
    }

    /// Says whether two resources overlap, delays ignored.
    pub(crate) fn overlap_untimed(&mut self, first: usize, second: usize) -> Figure {
        let mut figure = new_figure("overlap", self.pair(first, second), "untimed");
        let pair: Set = 1 << first | 1 << second;
        let evaluator = self.engine.evaluator();
        let sets = self.sets();
        let (states, cut) = (sets.states, sets.cut.clone());
        let Some((_, choices)) = sets.found.iter().find(|(set, _)| set & pair == pair) else {
            figure.result = cut.unwrap_or_else(|| FigureResult::Word("never".to_owned()));
            figure.notes.push(format!("None of {states} states has both busy."));
            return figure;
        };
        figure.result = FigureResult::Word("possible".to_owned());
        if let Some(trace) = trace_of(evaluator, choices) {
            figure.witnesses.push(("a shortest run to where both are busy".to_owned(), trace));
        }
        let Some(index) = self.prepared.overlap(first, second) else { return figure };
        let question = Question::Property { index, kind: "ltl", name: figure.name.clone() };
        let options = Options { fair: true, runs: 1, reduce: true, ..Options::default() };
        let open = |figure: &mut Figure, reason: &str| {
            figure.notes.push(format!("Whether it is inevitable is undecided: {reason}"));
        };
        match check(self.engine, &[question], &options, &self.budget) {
            Ok(checked) => {
                for answer in checked.answers {
                    match answer.verdict {
                        Verdict::Holds => {
                            figure.result = FigureResult::Word("inevitable".to_owned());
                            figure.notes.push("Every fair run comes to where both are busy.".to_owned());
                        }
                        Verdict::Fails { trace, .. } => {
                            let what = "a fair run that never comes to where both are busy";
                            figure.witnesses.push((what.to_owned(), *trace));
                        }
                        Verdict::Undecided(limit) => open(&mut figure, &reason(limit)),
                        Verdict::Refused(refusal) => open(&mut figure, &refusal.reason),
                        _ => {}
                    }
                }
            }
            Err(error) => open(&mut figure, &format!("{error}.")),
        }
        figure
    }

    /// Says whether two resources overlap for some time, with the delays that are given.
    pub(crate) fn overlap_timed(&mut self, first: usize, second: usize) -> Figure {
        let mut figure = new_figure("overlap", self.pair(first, second), "timed");
        let pair: Set = 1 << first | 1 << second;
        let unit = self.study.unit.clone();
        let evaluator = self.engine.evaluator();
        let busy = self.busy_states().unwrap_or_default();
        let timed = match self.timed.timed() {
            Ok(timed) => timed,
            Err(result) => {
                figure.result = result;
                return figure;
            }
        };
        let is_meant =
            |node: u32, edge: &Edge| edge.ticks > 0 && busy[timed.state(node) as usize] & pair == pair;
        let mut show = |what: &str, walk: &Walk| {
            figure
                .witnesses
                .extend(timed_trace(timed, evaluator, walk, &unit).map(|trace| (what.to_owned(), trace)));
        };
        let word = match (timed.meeting(is_meant), timed.avoiding(is_meant)) {
            (None, _) => "never",
            (Some(meets), None) => {
                show("a run to where both are busy", &meets);
                "inevitable"
            }
            (Some(meets), Some(avoids)) => {
                show("a run to where both are busy", &meets);
                show("a run on which they are never busy at the same time", &avoids);
                "possible"
            }
        };
        if word == "never" {
            figure
                .notes
                .push(format!("In none of {} timed states both are busy for some time.", timed.nodes()));
        }
        figure.result = FigureResult::Word(word.to_owned());
        figure
    }

    pub(crate) fn pair(&self, first: usize, second: usize) -> String {
        format!("{} and {}", self.study.resources[first].0.text, self.study.resources[second].0.text)
    }
}

fn reason(limit: Limit) -> String {
    format!("{}.", limit.reason())
}
