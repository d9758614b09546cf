//! Answers to questions in computation tree logic, on state spaces that fit into memory.
//!
//! The whole graph is built first ([`graph`]), then each sub-formula gets the set of its states ([`label`]),
//! then a run is looked for that shows what came out in the initial state ([`evidence`]). Several formulas
//! share the graph and what they have in common.
//!
//! States are those that are stored, so an atomic sequence is one step. A state that no step leads out of is
//! followed by itself for ever, as in LTL. A step that ends in a fault leads nowhere: a state with such steps
//! alone stays as it is.

mod evidence;
mod formulas;
mod graph;
mod label;
mod shortest_paths;

#[cfg(test)]
mod agreement;
#[cfg(test)]
mod tests;

use std::ops::ControlFlow;

use narrows_graph::DenseSet;
use narrows_logic::Ctl;
use narrows_model::{
    Answer, Atom, Claim, Evaluator, Limit, Question, Refusal, Scratch, StateSpace, System, Trace, TraceAtom,
    Verdict, Violation,
};
use rustc_hash::FxHashMap;

use crate::{Engine, Exploration, NotReplayed, Options, Progress, SearchScope, Store};
use evidence::{Evidence, Fact};
use formulas::{Formulas, Sub};
use graph::{Graph, build};
use label::{Labels, Means, label};

/// What came out for one formula.
#[derive(Clone, Debug)]
pub struct CtlAnswer {
    /// Whether the initial state satisfies it; a run shows why not, if a run can.
    pub verdict: Verdict,
    /// A run that shows why it holds, if a run can.
    pub witness: Option<Box<Trace>>,
    /// What the run alone does not show.
    pub notes: Vec<String>,
}

impl CtlAnswer {
    fn undecided(limit: Limit) -> CtlAnswer {
        CtlAnswer { verdict: Verdict::Undecided(limit), witness: None, notes: Vec::new() }
    }

    fn refused(reason: String) -> CtlAnswer {
        CtlAnswer { verdict: Verdict::Refused(Refusal::new(reason)), witness: None, notes: Vec::new() }
    }
}

/// Why formulas are not answered with fairness.
const NOT_FAIR: &str = "CTL formulas are answered without fairness only.";

/// Returns why a question is not answered for fair runs alone, if it isn't.
pub fn accepts_fair(system: &System, question: &Question) -> Result<(), Refusal> {
    match question {
        Question::Property { index, .. }
            if matches!(system.properties.get(*index).map(|found| &found.claim), Some(Claim::Ctl(_))) =>
        {
            Err(Refusal::new(NOT_FAIR))
        }
        _ => Ok(()),
    }
}

/// Answers those of the questions that are formulas of computation tree logic; returns how the search for
/// them went, if there are any.
pub(crate) fn answer(
    engine: &Engine<'_>,
    answers: &mut [Answer],
    options: &Options,
    scope: &SearchScope<'_>,
) -> Result<Option<Exploration>, NotReplayed> {
    let properties = &engine.system().properties;
    let mut formulas = Vec::new();
    let mut places = Vec::new();
    for (place, answer) in answers.iter().enumerate() {
        if let Question::Property { index, .. } = answer.question
            && let Some(Claim::Ctl(formula)) = properties.get(index).map(|property| &property.claim)
        {
            formulas.push(formula);
            places.push(place);
        }
    }
    if options.fair {
        for place in places {
            answers[place].verdict = Verdict::Refused(Refusal::new(NOT_FAIR));
        }
        return Ok(None);
    }
    if formulas.is_empty() {
        return Ok(None);
    }
    let (found, exploration) = ctl(engine, &formulas, scope)?;
    for (place, found) in places.into_iter().zip(found) {
        let answer = &mut answers[place];
        (answer.verdict, answer.witness, answer.notes) = (found.verdict, found.witness, found.notes);
    }
    Ok(Some(exploration))
}

/// Says of each formula whether the initial state satisfies it.
pub fn ctl(
    engine: &Engine<'_>,
    questions: &[&Ctl<Atom>],
    scope: &SearchScope<'_>,
) -> Result<(Vec<CtlAnswer>, Exploration), NotReplayed> {
    let mut formulas = Formulas::default();
    let roots: Vec<Sub> = questions.iter().map(|formula| formulas.add(formula)).collect();
    let evaluator = engine.evaluator();
    let built = build(engine, scope);
    let graph = match &built.graph {
        Ok(graph) => graph,
        Err(end) => {
            let limit = end.limit().unwrap_or(Limit::Enough);
            let answers = questions.iter().map(|_| CtlAnswer::undecided(limit)).collect();
            return Ok((answers, built.exploration(0)));
        }
    };
    let progress = Progress {
        states: built.store.len(),
        memory: built.store.memory() + graph.bytes(),
        ..Progress::default()
    };
    let mut means = Means::new(scope.budget, progress);
    let observed = observe(evaluator, &built.store, &formulas, &mut means);
    let labelled = observed.and_then(|atoms| {
        let labels = label(graph, &formulas, &atoms.sets, &mut means)?;
        Ok((atoms, labels))
    });
    let mut answers = Vec::new();
    match &labelled {
        Err(limit) => answers = questions.iter().map(|_| CtlAnswer::undecided(*limit)).collect(),
        Ok((atoms, labels)) => {
            let decider =
                Decider { evaluator, store: &built.store, graph, formulas: &formulas, atoms, labels };
            for (root, question) in roots.into_iter().zip(questions) {
                answers.push(decider.decide(root, question, &mut means)?);
            }
        }
    }
    let more = means.peak() - built.store.memory();
    Ok((answers, built.exploration(more)))
}

/// What the atoms are in each state.
struct Atoms {
    sets: Vec<DenseSet>,
    /// What goes wrong when an atom is evaluated.
    faults: Vec<Option<Violation>>,
}

/// Evaluates every atom in every state.
fn observe(
    evaluator: Evaluator<'_>,
    store: &Store,
    formulas: &Formulas,
    means: &mut Means,
) -> Result<Atoms, Limit> {
    let count = store.len() as u32;
    means.claim(u64::from(count).div_ceil(8) * formulas.atoms.len() as u64)?;
    let empty = || DenseSet::try_new(count as usize).map_err(|_| Limit::Memory);
    let sets = formulas.atoms.iter().map(|_| empty()).collect::<Result<Vec<DenseSet>, Limit>>()?;
    let mut atoms = Atoms { sets, faults: vec![None; formulas.atoms.len()] };
    let mut next = store.first();
    for number in 0..count {
        let Some(id) = next else { break };
        let mut observation = evaluator.observe(store.get(id));
        for (index, atom) in formulas.atoms.iter().enumerate() {
            means.tick()?;
            match observation.holds(&atom.expr) {
                Ok(true) => atoms.sets[index].insert(number),
                Ok(false) => {}
                Err(fault) => atoms.faults[index] = atoms.faults[index].or(Some(fault)),
            }
        }
        next = store.next(id);
    }
    Ok(atoms)
}

struct Decider<'a> {
    evaluator: Evaluator<'a>,
    store: &'a Store,
    graph: &'a Graph,
    formulas: &'a Formulas,
    atoms: &'a Atoms,
    labels: &'a Labels,
}

impl Decider<'_> {
    fn decide(&self, root: Sub, question: &Ctl<Atom>, means: &mut Means) -> Result<CtlAnswer, NotReplayed> {
        let mut own: Vec<Atom> = Vec::new();
        question.each_atom(&mut |atom| {
            if !own.contains(atom) {
                own.push(atom.clone());
            }
        });
        if let Some(reason) = self.unanswerable(&own) {
            return Ok(CtlAnswer::refused(reason));
        }
        let holds = self.labels.holds(root, 0);
        let evidence = match evidence::show(self.graph, self.formulas, self.labels, root, means) {
            Ok(evidence) => evidence,
            Err(limit) => return Ok(CtlAnswer::undecided(limit)),
        };
        let notes: Vec<String> = evidence
            .facts
            .iter()
            .filter(|fact| fact.sub != root || fact.places != (0, 1))
            .map(|fact| self.note(fact, &evidence))
            .collect();
        let Some(trace) = self.trace(&evidence, &own) else {
            if self.evaluator.hidden_bytes() > 0 {
                let reason = "Hidden variables decide which steps there are, so no run can be shown.";
                return Ok(CtlAnswer::refused(reason.to_owned()));
            }
            return Err(NotReplayed { what: "formula of computation tree logic".to_owned() });
        };
        if holds {
            let is_shown = evidence.path.len() > 1 || evidence.cycle.is_some() || evidence.facts.is_empty();
            let witness = is_shown.then(|| Box::new(trace));
            let notes = if is_shown { notes } else { Vec::new() };
            return Ok(CtlAnswer { verdict: Verdict::Holds, witness, notes });
        }
        let verdict = Verdict::Fails { violation: None, trace: Box::new(trace), shortest: evidence.shortest };
        Ok(CtlAnswer { verdict, witness: None, notes })
    }

    /// Says why the formula has no answer, if an atom has no value in some state.
    fn unanswerable(&self, own: &[Atom]) -> Option<String> {
        let faulty = self.formulas.atoms.iter().zip(&self.atoms.faults);
        faulty.filter(|(atom, _)| own.contains(atom)).find_map(|(atom, fault)| {
            let message = fault.as_ref()?.kind.message();
            Some(format!("`{}` has no value in some state that can be reached: {message}.", atom.text))
        })
    }

    fn note(&self, fact: &Fact, evidence: &Evidence) -> String {
        let formula = self.formulas.formula(fact.sub).show(&|atom| atom.text.clone());
        let (from, to) = fact.places;
        let last = evidence.path.len() - 1;
        let place = match (from, to - from) {
            (0, 1) => "In the initial state".to_owned(),
            (_, 1) if from == last && evidence.cycle.is_none() => "In the last state".to_owned(),
            (_, 1) => format!("After step {from}"),
            (0, _) if to > last => "In every state of the run".to_owned(),
            (0, _) => format!("Before step {to} is taken"),
            _ if to > last => format!("After step {from} and ever after"),
            _ => format!("After step {from} and until after step {}", to - 1),
        };
        format!("{place}, `{formula}` is {}.", fact.holds)
    }

    /// Replays a run in the reference evaluator.
    fn trace(&self, evidence: &Evidence, own: &[Atom]) -> Option<Trace> {
        let wanted = self.states(&evidence.path);
        let hidden = self.evaluator.hidden_bytes();
        let visible = |state: &[u8]| state[..state.len() - hidden].to_vec();
        let mut states = vec![self.evaluator.initial().ok()?.0];
        for number in &evidence.path[1..] {
            // Hidden variables may have other values than when the state was stored.
            let expected = visible(wanted.get(number)?);
            let mut found = None;
            self.evaluator.successors(states.last()?, &mut Scratch::default(), &mut |successor| {
                found = successor.target.filter(|target| visible(target) == expected).map(<[u8]>::to_vec);
                if found.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            states.push(found?);
        }
        let mut trace = Trace::replay(&self.evaluator, &states, None)?;
        if let Some(start) = evidence.cycle {
            if visible(states.get(start)?) != visible(trace.last_state()) {
                return None;
            }
            trace.cycle = Some(start);
        }
        for atom in own {
            let values: Result<Vec<bool>, Violation> =
                states.iter().map(|state| self.evaluator.holds(&atom.expr, state)).collect();
            let values = values.ok()?;
            trace.atoms.push(TraceAtom { text: atom.text.clone(), span: atom.span, values });
        }
        Some(trace)
    }

    /// Finds states by their numbers.
    fn states(&self, numbers: &[u32]) -> FxHashMap<u32, Vec<u8>> {
        let mut wanted: Vec<u32> = numbers.to_vec();
        wanted.sort_unstable();
        wanted.dedup();
        let mut states = FxHashMap::default();
        let mut next = self.store.first();
        let mut number = 0;
        let mut wanted = wanted.into_iter().peekable();
        while let (Some(id), Some(first)) = (next, wanted.peek()) {
            if number == *first {
                states.insert(number, self.store.get(id).to_vec());
                wanted.next();
            }
            number += 1;
            next = self.store.next(id);
        }
        states
    }
}
