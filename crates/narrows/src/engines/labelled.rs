//! By the graph of all states: labelled systems, of which formulas speak by their labels.

use std::cell::OnceCell;

use narrows_lts::mu::{Checker, Run};
use narrows_lts::{Graph, deadlocks, linear, stuck_states};
use narrows_model::{
    Answer, Counterexample, FormKind, LabelledSystem, Limit, Model, Problem, Question, Refusal, Reply,
    RunStep, Trace, Verdict,
};
use narrows_performance::labelled::{self, BuiltGraph, GraphError, PartialGraph};
use narrows_source::Diagnostics;

use super::cluster;
use crate::reading::{ParsedFormula, parse};
use crate::{Budget, CheckOptions, Checked, Engine, Feature, Unanswered};

/// The engine.
pub(crate) struct ByGraph;

const NOT_FAIR: &str = "A formula of the mu-calculus is about states, and `--fair` about runs: write \
                        fairness into the formula, as in `[true*] <true* . \"A\"> true`, or ask in LTL.";

const NOT_SAVED: &str = "A search that is saved looks for deadlocks alone: formulas need the whole graph.";

impl Engine for ByGraph {
    fn name(&self) -> &'static str {
        "graph"
    }

    fn forms(&self) -> &'static [FormKind] {
        &[FormKind::Labelled]
    }

    fn features(&self, _: FormKind) -> &'static [Feature] {
        &[Feature::Fairness, Feature::SeveralRuns, Feature::Checkpoints]
    }

    fn accepts_question(
        &self,
        model: &Model,
        question: &Question,
        options: &CheckOptions<'_>,
    ) -> Result<(), Refusal> {
        let count = model.labelled().map_or(0, |labelled| labelled.formulas.len());
        match question {
            Question::Deadlock => Ok(()),
            _ if options.checkpoints.is_some() => Err(Refusal::new(NOT_SAVED)),
            Question::Property { kind: "mu", .. } if options.fair => Err(Refusal::new(NOT_FAIR)),
            Question::Property { index, .. } if *index < count => Ok(()),
            _ => Err(Refusal::new(format!(
                "graphs of labels have no questions of the kind `{}`",
                question.kind()
            ))),
        }
    }

    fn answer(
        &self,
        model: &Model,
        questions: &[Question],
        options: &CheckOptions<'_>,
        budget: &Budget,
    ) -> Result<Checked, Unanswered> {
        let labelled = model.labelled().ok_or_else(|| Refusal::new("this is for LOTOS models and graphs"))?;
        if let Some(checkpoints) = options.checkpoints {
            return cluster::deadlocks(&*labelled.system, questions, &cluster::Saved(checkpoints), budget);
        }
        let PartialGraph { built, visited, limit } = match build_some(&*labelled.system, budget) {
            Ok(built) => built,
            // Nobody asked about faults: they leave the questions open, and do not fail them.
            Err(unbuilt) => return Ok(Checked { problems: Vec::new(), ..undecided(questions, &unbuilt) }),
        };
        let (system, graph) = (&*labelled.system, &built.graph);
        let asked = Asked { model, system, graph, visited, limit, is_fair: options.fair };
        let checker = OnceCell::new();
        let mut answers = Vec::new();
        for question in questions {
            answers.push(match (question, limit) {
                (Question::Deadlock, _) => asked.deadlocks(options.more_runs.max(1))?,
                // Of a formula, what is missing may say anything.
                (Question::Property { .. }, Some(limit)) => {
                    Answer::new(question.clone(), Verdict::Undecided(limit))
                }
                (Question::Property { index, .. }, None) => {
                    let formula = labelled.formulas.get(*index);
                    let formula =
                        formula.and_then(|formula| parse(model, formula, &mut Diagnostics::default()));
                    let missing =
                        || Unanswered::Internal(format!("there is no formula `{}`", question.name()));
                    let checker = checker.get_or_init(|| Checker::new(graph));
                    asked.formula(question, &formula.ok_or_else(missing)?, checker)?
                }
                _ => Answer::new(question.clone(), Verdict::Refused(Refusal::new("no such question"))),
            });
        }
        let replies = answers.into_iter().map(Reply::from).collect();
        Ok(Checked { replies, coverage: built.coverage, limit, ..Checked::default() })
    }
}

/// Makes the graph of all states.
pub(crate) fn build(system: &dyn LabelledSystem, budget: &Budget) -> Result<BuiltGraph, GraphError> {
    labelled::build(system, budget)
}

/// Makes the graph of all states, or of as many as there is time and memory for.
pub(crate) fn build_some(system: &dyn LabelledSystem, budget: &Budget) -> Result<PartialGraph, GraphError> {
    let some = labelled::build_some(system, budget).map_err(GraphError::Fault)?;
    some.ok_or(GraphError::Limit(Limit::Memory))
}

/// Says that nothing was decided, and why.
pub(crate) fn undecided(questions: &[Question], why: &GraphError) -> Checked {
    let (limit, problems, notes) = match why {
        GraphError::Limit(limit) => (*limit, Vec::new(), Vec::new()),
        GraphError::Fault(fault) => {
            let mut message = fault.kind.message().to_owned();
            if !fault.about.is_empty() {
                message = format!("{message}: {}", fault.about);
            }
            let note = format!("{message}.");
            let problem = Problem { kind: "fault", message, span: Some(fault.span), count: 1 };
            (Limit::Fault, vec![problem], vec![note])
        }
    };
    let answer = |question: &Question| Answer {
        notes: notes.clone(),
        ..Answer::new(question.clone(), Verdict::Undecided(limit))
    };
    let replies = questions.iter().map(answer).map(Reply::from).collect();
    Checked { replies, limit: Some(limit), problems, ..Checked::default() }
}

/// What questions are about.
pub(crate) struct Asked<'a> {
    pub(crate) model: &'a Model,
    pub(crate) system: &'a dyn LabelledSystem,
    pub(crate) graph: &'a Graph,
    /// How many states were visited, and why not all.
    pub(crate) visited: u32,
    pub(crate) limit: Option<Limit>,
    /// Whether formulas are about runs alone that are fair to every gate.
    pub(crate) is_fair: bool,
}

impl Asked<'_> {
    /// Finds runs to states without steps.
    fn deadlocks(&self, most: usize) -> Result<Answer, Unanswered> {
        let mut runs = Vec::new();
        for run in deadlocks(self.graph, self.visited, most) {
            runs.push(self.replay(&run)?);
        }
        let mut runs = runs.into_iter();
        let verdict = match runs.next() {
            None => self.limit.map_or(Verdict::Holds, Verdict::Undecided),
            // States are numbered level by level, and so the first one is among the nearest.
            Some(trace) => Verdict::Fails { violation: None, trace: Box::new(trace), shortest: true },
        };
        let more = runs.map(|trace| Counterexample { violation: None, trace }).collect();
        Ok(Answer { more, ..Answer::new(Question::Deadlock, verdict) })
    }

    fn formula(
        &self,
        question: &Question,
        formula: &ParsedFormula,
        checker: &Checker<'_>,
    ) -> Result<Answer, Unanswered> {
        let (holds, run) = match formula {
            ParsedFormula::Mu(formula) => {
                let answer = checker.check(formula).map_err(|error| refused(error.to_string()))?;
                (answer.holds(), answer.run())
            }
            ParsedFormula::Linear(formula) => {
                let run = linear::counterexample(formula, self.graph, self.is_fair)
                    .map_err(|error| refused(error.to_string()))?;
                (run.is_none(), run)
            }
        };
        let trace = run.as_ref().map(|run| self.replay(run)).transpose()?.map(Box::new);
        let notes: Vec<String> = run.as_ref().and_then(Run::note).into_iter().collect();
        let mut answer = Answer::new(question.clone(), Verdict::Holds);
        if holds {
            answer.witness = trace;
        } else {
            let trace = trace.unwrap_or_default();
            answer.verdict = Verdict::Fails { violation: None, trace, shortest: false };
        }
        Ok(Answer { notes, ..answer })
    }

    /// Follows a run of the graph in the system itself.
    fn replay(&self, run: &Run) -> Result<Trace, Unanswered> {
        let states = labelled::replay(self.system, self.graph, &run.steps);
        let mut states = states.unwrap_or_default().into_iter();
        let initial = states.next();
        let initial = initial.ok_or_else(|| Unanswered::Internal("a run can't be replayed".to_owned()))?;
        let step = |(((label, _), choice), state): ((&(u32, u32), u32), Vec<u8>)| {
            RunStep::labelled(self.graph.label(*label), choice, state)
        };
        let steps = run.steps.iter().zip(choices(self.graph, run)).zip(states).map(step).collect();
        Ok(Trace { initial, steps, cycle: run.cycle, ..Trace::default() })
    }
}

fn refused(reason: String) -> Unanswered {
    Unanswered::Refused(Refusal::new(reason))
}

/// Returns which of the edges of its state each step of a run is.
fn choices(graph: &Graph, run: &Run) -> Vec<u32> {
    let mut state = run.start;
    let choice = |(label, target): &(u32, u32)| {
        let edges = graph.edges_from(state);
        state = *target;
        edges.iter().position(|edge| (edge.label, edge.target) == (*label, *target)).unwrap_or(0) as u32
    };
    run.steps.iter().map(choice).collect()
}

/// Makes problems of the deadlocks of a graph.
pub(crate) fn problems(asked: &Asked<'_>) -> Result<Vec<Problem>, Unanswered> {
    let stuck = stuck_states(asked.graph, asked.visited).len();
    let Some(first) = deadlocks(asked.graph, asked.visited, 1).pop() else { return Ok(Vec::new()) };
    let trace = asked.replay(&first)?;
    Ok(vec![asked.model.deadlock(trace.last_state(), stuck as u64)])
}
