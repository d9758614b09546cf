//! Holds the answers about runs against a check by definition: every state of a small random model, with a
//! guess of what each temporal operator is worth in it, and the strongly connected components of that graph.
//! SPIN can't be asked about fairness beside rendezvous; this can.

use std::collections::HashMap;
use std::ops::ControlFlow;

use narrows_explicit::{Budget, Engine, Options, SearchScope, Unwatched, check};
use narrows_languages::promela;
use narrows_logic::Ltl;
use narrows_model::{
    Atom, Claim, Evaluator, Expansion, Location, MoveKind, Question, Scratch, StateSpace, System, Verdict,
};
use narrows_source::{Diagnostics, NoFiles, Sources};
use narrows_tests::generator;
use narrows_tests::questions::claims_text;
use narrows_tests::seeds::seeds;

/// Larger models are left out, and so are formulas that make a larger graph.
const STATES: usize = 1500;
const NODES: usize = 60_000;

fn compile(text: &str) -> Option<System> {
    let mut sources = Sources::default();
    let file = sources.add("random.pml", text);
    let mut diagnostics = Diagnostics::default();
    promela::compile(&mut sources, file, &NoFiles, &promela::Options::default(), &mut diagnostics)
}

/// A step: where it leads, and who takes part in it.
struct Step {
    target: usize,
    moved: Vec<u8>,
}

/// Every state of a system, with its steps and the processes that could take part in one.
struct Graph {
    states: Vec<Vec<u8>>,
    steps: Vec<Vec<Step>>,
    enabled: Vec<Vec<u8>>,
}

/// Explores a system; `None` if it is large or anything goes wrong in it.
fn explore(evaluator: Evaluator<'_>, ends_stay: bool) -> Option<Graph> {
    let (initial, violations) = evaluator.initial().ok()?;
    if !violations.is_empty() || evaluator.hidden_bytes() > 0 {
        return None;
    }
    let mut graph = Graph { states: vec![initial.clone()], steps: Vec::new(), enabled: Vec::new() };
    let mut numbers = HashMap::from([(initial, 0)]);
    let mut scratch = Scratch::default();
    while graph.steps.len() < graph.states.len() {
        let number = graph.steps.len();
        let state = graph.states[number].clone();
        let (mut steps, mut enabled) = (Vec::new(), Vec::new());
        let mut wrong = false;
        let expansion = evaluator.successors(&state, &mut scratch, &mut |successor| {
            wrong |= !successor.violations.is_empty() || successor.target.is_none();
            let Some(target) = successor.target else { return ControlFlow::Continue(()) };
            let fresh = graph.states.len();
            let target = *numbers.entry(target.to_vec()).or_insert(fresh);
            if target == fresh {
                graph.states.push(successor.target.unwrap_or_default().to_vec());
            }
            // Only the first thing that is done need be possible now; a rendezvous is done by two.
            let first = &successor.moves[0];
            enabled.push(first.pid);
            if first.kind == MoveKind::Offer {
                enabled.push(successor.moves[1].pid);
            }
            steps.push(Step { target, moved: successor.moves.iter().map(|step| step.pid).collect() });
            ControlFlow::Continue(())
        });
        if wrong || graph.states.len() > STATES {
            return None;
        }
        if expansion != Expansion::Moves && ends_stay {
            steps.push(Step { target: number, moved: Vec::new() });
        }
        graph.steps.push(steps);
        graph.enabled.push(enabled);
    }
    Some(graph)
}

/// A formula's parts, each after those it is made of, by their numbers.
enum Part {
    Atom(Atom),
    Constant(bool),
    Not(usize),
    And(usize, usize),
    Or(usize, usize),
    Equivalent(usize, usize),
    /// The right one comes, and until then the left one holds.
    Until(usize, usize),
    Next(usize),
}

#[derive(Default)]
struct Parts(Vec<Part>);

impl Parts {
    fn push(&mut self, part: Part) -> usize {
        self.0.push(part);
        self.0.len() - 1
    }

    fn not(&mut self, part: usize) -> usize {
        self.push(Part::Not(part))
    }

    fn until(&mut self, left: usize, right: usize) -> usize {
        self.push(Part::Until(left, right))
    }

    /// Takes a formula apart, by the textbook equations.
    fn add(&mut self, formula: &Ltl<Atom>) -> usize {
        match formula {
            Ltl::Atom(atom) => self.push(Part::Atom(atom.clone())),
            Ltl::Constant(value) => self.push(Part::Constant(*value)),
            Ltl::Not(operand) => {
                let operand = self.add(operand);
                self.not(operand)
            }
            Ltl::And(left, right) => {
                let (left, right) = (self.add(left), self.add(right));
                self.push(Part::And(left, right))
            }
            Ltl::Or(left, right) => {
                let (left, right) = (self.add(left), self.add(right));
                self.push(Part::Or(left, right))
            }
            Ltl::Implies(left, right) => {
                let (left, right) = (self.add(left), self.add(right));
                let left = self.not(left);
                self.push(Part::Or(left, right))
            }
            Ltl::Equivalent(left, right) => {
                let (left, right) = (self.add(left), self.add(right));
                self.push(Part::Equivalent(left, right))
            }
            Ltl::Next(operand) => {
                let operand = self.add(operand);
                self.push(Part::Next(operand))
            }
            Ltl::Eventually(operand) => {
                let (always, operand) = (self.push(Part::Constant(true)), self.add(operand));
                self.until(always, operand)
            }
            Ltl::Always(operand) => {
                let (always, operand) = (self.push(Part::Constant(true)), self.add(operand));
                let never = self.not(operand);
                let until = self.until(always, never);
                self.not(until)
            }
            Ltl::Until(left, right) => {
                let (left, right) = (self.add(left), self.add(right));
                self.until(left, right)
            }
            // a W b = !(!b U (!a && !b)), a R b = !(!a U !b).
            Ltl::WeakUntil(left, right) => {
                let (left, right) = (self.add(left), self.add(right));
                let (left, right) = (self.not(left), self.not(right));
                let neither = self.push(Part::And(left, right));
                let until = self.until(right, neither);
                self.not(until)
            }
            Ltl::Release(left, right) => {
                let (left, right) = (self.add(left), self.add(right));
                let (left, right) = (self.not(left), self.not(right));
                let until = self.until(left, right);
                self.not(until)
            }
        }
    }

    fn temporal(&self) -> Vec<usize> {
        let is_temporal = |number: &usize| matches!(self.0[*number], Part::Until(..) | Part::Next(_));
        (0..self.0.len()).filter(is_temporal).collect()
    }

    /// The value of every part in a state, given a guess for each temporal one.
    fn values(
        &self,
        evaluator: Evaluator<'_>,
        state: &[u8],
        temporal: &[usize],
        guess: usize,
    ) -> Option<Vec<bool>> {
        let mut values: Vec<bool> = Vec::new();
        for (number, part) in self.0.iter().enumerate() {
            values.push(match part {
                Part::Atom(atom) => evaluator.holds(&atom.expr, state).ok()?,
                Part::Constant(value) => *value,
                Part::Not(operand) => !values[*operand],
                Part::And(left, right) => values[*left] && values[*right],
                Part::Or(left, right) => values[*left] || values[*right],
                Part::Equivalent(left, right) => values[*left] == values[*right],
                Part::Until(..) | Part::Next(_) => {
                    let bit = temporal.iter().position(|other| *other == number)?;
                    guess >> bit & 1 == 1
                }
            });
        }
        Some(values)
    }

    /// Whether guesses for a state and the next one fit together.
    fn fits(&self, now: &[bool], next: &[bool]) -> bool {
        self.0.iter().enumerate().all(|(number, part)| match part {
            Part::Until(left, right) => now[number] == (now[*right] || now[*left] && next[number]),
            Part::Next(operand) => now[number] == next[*operand],
            _ => true,
        })
    }
}

/// A state and the edges, with who moves.
type Node = (usize, Vec<(usize, Vec<u8>)>);

/// A graph whose runs are judged: what must be met again and again, and what never.
struct Judged {
    nodes: Vec<Node>,
    initial: Vec<usize>,
    /// Sets of nodes; a run that counts meets each of them for ever.
    again: Vec<Vec<bool>>,
    /// Nodes that a run that counts leaves behind.
    barred: Vec<bool>,
}

/// Whether there is a run that counts, fair to every process if that is asked for.
fn exists(judged: &Judged, graph: &Graph, fair: bool) -> bool {
    let reached = reach(judged);
    let usable = |node: usize| reached[node] && !judged.barred[node];
    components(judged, &usable).iter().any(|component| {
        let inside = |node: usize| component.contains(&node);
        let edges = || component.iter().flat_map(|node| &judged.nodes[*node].1).filter(|edge| inside(edge.0));
        let is_cycle = edges().next().is_some();
        let meets = |set: &Vec<bool>| component.iter().any(|node| set[*node]);
        let is_fair = || {
            let enabled = |node: &usize| &graph.enabled[judged.nodes[*node].0];
            let some = component.first().map(enabled).into_iter().flatten();
            some.into_iter().all(|pid| {
                component.iter().any(|node| !enabled(node).contains(pid))
                    || edges().any(|edge| edge.1.contains(pid))
            })
        };
        is_cycle && judged.again.iter().all(meets) && (!fair || is_fair())
    })
}

fn reach(judged: &Judged) -> Vec<bool> {
    let mut reached = vec![false; judged.nodes.len()];
    let mut waiting = judged.initial.clone();
    while let Some(node) = waiting.pop() {
        if !std::mem::replace(&mut reached[node], true) {
            waiting.extend(judged.nodes[node].1.iter().map(|edge| edge.0));
        }
    }
    reached
}

/// Strongly connected components among the usable nodes, by Kosaraju's two passes: an oracle of its own, so
/// not by `narrows_graph::components`.
fn components(judged: &Judged, usable: &dyn Fn(usize) -> bool) -> Vec<std::collections::BTreeSet<usize>> {
    let count = judged.nodes.len();
    let mut back = vec![Vec::new(); count];
    for (node, (_, edges)) in judged.nodes.iter().enumerate() {
        for (target, _) in edges {
            if usable(node) && usable(*target) {
                back[*target].push(node);
            }
        }
    }
    let mut order = Vec::new();
    let mut seen = vec![false; count];
    for root in (0..count).filter(|node| usable(*node)) {
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        let mut stack = vec![(root, 0)];
        while let Some((node, next)) = stack.pop() {
            match judged.nodes[node].1.get(next) {
                None => order.push(node),
                Some((target, _)) => {
                    stack.push((node, next + 1));
                    if usable(*target) && !std::mem::replace(&mut seen[*target], true) {
                        stack.push((*target, 0));
                    }
                }
            }
        }
    }
    let mut found = Vec::new();
    let mut taken = vec![false; count];
    for &root in order.iter().rev() {
        let mut component = std::collections::BTreeSet::new();
        let mut waiting = vec![root];
        while let Some(node) = waiting.pop() {
            if !std::mem::replace(&mut taken[node], true) {
                component.insert(node);
                waiting.extend(&back[node]);
            }
        }
        if !component.is_empty() {
            found.push(component);
        }
    }
    found
}

/// The graph in which a formula is false on every run that counts; `None` if it is too large.
fn against(evaluator: Evaluator<'_>, graph: &Graph, formula: &Ltl<Atom>) -> Option<Judged> {
    let mut parts = Parts::default();
    let whole = parts.add(formula);
    let temporal = parts.temporal();
    let guesses = 1_usize.checked_shl(temporal.len() as u32)?;
    if graph.states.len() * guesses > NODES || guesses > 256 {
        return None;
    }
    let mut values = Vec::new();
    for state in &graph.states {
        for guess in 0..guesses {
            values.push(parts.values(evaluator, state, &temporal, guess)?);
        }
    }
    let mut nodes = Vec::new();
    for (node, now) in values.iter().enumerate() {
        let state = node / guesses;
        let mut edges = Vec::new();
        for step in &graph.steps[state] {
            for guess in 0..guesses {
                let target = step.target * guesses + guess;
                if parts.fits(now, &values[target]) {
                    edges.push((target, step.moved.clone()));
                }
            }
        }
        nodes.push((state, edges));
    }
    let again = temporal.iter().filter_map(|number| match parts.0[*number] {
        Part::Until(_, right) => Some(values.iter().map(|now| !now[*number] || now[right]).collect()),
        _ => None,
    });
    let again: Vec<Vec<bool>> = again.collect();
    let initial = (0..guesses).filter(|guess| !values[*guess][whole]).collect();
    let barred = vec![false; nodes.len()];
    Some(Judged { nodes, initial, again, barred })
}

/// The graph of the system alone, whose runs meet one set of states for ever, or leave another behind.
fn alone(graph: &Graph, again: Option<Vec<bool>>, barred: Option<Vec<bool>>) -> Judged {
    let nodes = graph.steps.iter().enumerate().map(|(state, steps)| {
        (state, steps.iter().map(|step| (step.target, step.moved.clone())).collect::<Vec<_>>())
    });
    let nodes: Vec<_> = nodes.collect();
    let barred = barred.unwrap_or_else(|| vec![false; nodes.len()]);
    Judged { nodes, initial: vec![0], again: again.into_iter().collect(), barred }
}

/// In which states a process is at a location with a property.
fn at(evaluator: Evaluator<'_>, graph: &Graph, is: impl Fn(&Location) -> bool) -> Vec<bool> {
    let anybody = |state: &Vec<u8>| {
        let processes = evaluator.describe(state).processes;
        processes
            .iter()
            .any(|process| is(evaluator.system().proctype(process.proctype).location(process.location)))
    };
    graph.states.iter().map(anybody).collect()
}

/// The answer by definition: whether a run against the question exists; `None` if that is too much work.
fn by_definition(evaluator: Evaluator<'_>, question: &Question, fair: bool) -> Option<bool> {
    let stays = !matches!(question, Question::Progress);
    let graph = explore(evaluator, stays)?;
    let judged = match question {
        Question::Acceptance => alone(&graph, Some(at(evaluator, &graph, |at| at.is_accepting)), None),
        Question::Progress => alone(&graph, None, Some(at(evaluator, &graph, |at| at.is_progress))),
        Question::Property { index, .. } => match &evaluator.system().properties[*index].claim {
            Claim::Ltl(formula) => against(evaluator, &graph, formula)?,
            _ => return None,
        },
        _ => return None,
    };
    Some(exists(&judged, &graph, fair))
}

/// Compares every answer for the model of a seed; returns how many, and how many of them beside rendezvous
/// and fair.
fn compare(seed: u64) -> (usize, usize) {
    let questions = generator::generate_questions(seed);
    let mut counts = (0, 0);
    for text in [claims_text(&questions), questions.model.to_string()] {
        let Some(system) = compile(&text) else { continue };
        let evaluator = Evaluator::new(&system);
        if explore(evaluator, true).is_none() {
            continue;
        }
        for question in Question::all(&system) {
            for fair in [false, true] {
                let Some(fails) = by_definition(evaluator, &question, fair) else { continue };
                let options = Options { fair, ..Options::default() };
                let asked = std::slice::from_ref(&question);
                let engine = Engine::automatic(evaluator);
                let checked =
                    check(&engine, asked, &options, &SearchScope::within(&Budget::unlimited(Unwatched)));
                let checked = checked.unwrap_or_else(|wrong| panic!("seed {seed}: {wrong}\n{text}"));
                let ours = match checked.answers().next().expect("an answer").verdict {
                    Verdict::Holds => false,
                    Verdict::Fails { .. } => true,
                    ref other => panic!("seed {seed}, {question:?}: {other:?}\n{text}"),
                };
                assert_eq!(ours, fails, "seed {seed}, {question:?}, fair {fair}: does it fail?\n{text}");
                counts.0 += 1;
                counts.1 += usize::from(fair && text.contains("[0] of"));
            }
        }
    }
    counts
}

#[test]
fn answers_are_those_by_definition() {
    let (mut all, mut beside) = (0, 0);
    for seed in seeds(40) {
        let counts = compare(seed);
        all += counts.0;
        beside += counts.1;
    }
    eprintln!("{all} answers compared, {beside} of them fair and beside rendezvous");
    assert!(all > 100 && beside > 10);
}
