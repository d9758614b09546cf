//! Random behaviours in LOTOS against the rules of the language, word for word: terms that become other
//! terms.

use std::collections::HashMap;
use std::fmt::Write;

use narrows_explicit::{
    Budget, End, Exploration, SearchScope, Unwatched, breadth_first, labelled_by_tables, numbered_walk,
};
use narrows_gpu::{Limits, Reference};
use narrows_graph::Random;
use narrows_languages::lotos::{Options, compile};
use narrows_lts::{Builder, Graph, Relation, Settings, Verdict, compare, minimise};
use narrows_model::behaviour::{Behaviour, Unfolding};
use narrows_performance::labelled::build;
use narrows_source::{Diagnostics, Sources, render};

/// A truth value that depends on variables.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Value {
    Constant(bool),
    Variable(u8),
    Not(Box<Value>),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Offer {
    Value(Value),
    Open(u8),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Term {
    Stop,
    Exit,
    Internal(Box<Term>),
    Action(u8, Vec<Offer>, Option<Value>, Box<Term>),
    Choice(Box<Term>, Box<Term>),
    Over(u8, Box<Term>),
    Guard(Value, Box<Term>),
    Let(u8, Value, Box<Term>),
    Parallel(u8, Box<Term>, Box<Term>),
    Hide(u8, Box<Term>),
    Enable(Box<Term>, Box<Term>),
    Disable(Box<Term>, Box<Term>),
    Call(usize, Value),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Label {
    Internal,
    Exit,
    Gate(u8, Vec<bool>),
}

/// How the two values are written: as those of what sort, declared how.
struct Notation {
    declarations: &'static str,
    sort: &'static str,
    /// False and true, in the text and in labels.
    constants: [&'static str; 2],
    shown: [&'static str; 2],
    negation: &'static str,
    /// Whether the sort has more values than these two, so that open offers need a bound.
    is_endless: bool,
}

const NOTATIONS: [Notation; 4] = [
    Notation {
        declarations: "library Boolean endlib",
        sort: "Bool",
        constants: ["false", "true"],
        shown: ["FALSE", "TRUE"],
        negation: "not",
        is_endless: false,
    },
    Notation {
        declarations: "library NaturalNumber, Boolean endlib\ntype Flips is NaturalNumber opns flip : Nat -> Nat\n\
                       eqns forall n : Nat ofsort Nat flip (0) = 1; flip (succ (n)) = 0; endtype",
        sort: "Nat",
        constants: ["0", "succ (0)"],
        shown: ["0", "1"],
        negation: "flip",
        is_endless: true,
    },
    // Digits of its own, beside the numerals that are built in.
    Notation {
        declarations: "library NaturalNumber, Boolean endlib\ntype Digits is Boolean sorts digit\n\
                       opns 0, 1 : -> digit flip : digit -> digit\n\
                       eqns ofsort digit flip (0) = 1; flip (1) = 0; endtype",
        sort: "digit",
        constants: ["(0 of digit)", "(1 of digit)"],
        shown: ["0", "1"],
        negation: "flip",
        is_endless: false,
    },
    Notation {
        declarations: "library Bit endlib\ntype Flips is Bit opns flip : Bit -> Bit\n\
                       eqns ofsort Bit flip (0) = 1; flip (1) = 0; endtype",
        sort: "Bit",
        constants: ["(0 of Bit)", "(1 of Bit)"],
        shown: ["0", "1"],
        negation: "flip",
        is_endless: false,
    },
];

/// Draws behaviours.
struct Sampler(Random);

impl Sampler {
    fn below(&mut self, limit: u64) -> u64 {
        self.0.below(limit)
    }

    fn value(&mut self, known: &[u8]) -> Value {
        match self.below(4) {
            0 => Value::Constant(self.below(2) == 0),
            1 => Value::Not(Box::new(self.value(known))),
            _ if known.is_empty() => Value::Constant(true),
            _ => Value::Variable(known[self.below(known.len() as u64) as usize]),
        }
    }

    fn action(&mut self, known: &[u8], next: impl FnOnce(&mut Self, &[u8]) -> Term) -> Term {
        let gate = self.below(3) as u8;
        let (mut offers, mut all) = (Vec::new(), known.to_vec());
        for _ in 0..self.below(3) {
            if self.below(2) == 0 {
                offers.push(Offer::Value(self.value(known)));
            } else {
                let name = all.len() as u8 + 1;
                all.push(name);
                offers.push(Offer::Open(name));
            }
        }
        let predicate = (self.below(4) == 0).then(|| self.value(&all));
        Term::Action(gate, offers, predicate, Box::new(next(self, &all)))
    }

    /// A process without others beside it, which may call processes from a number on at its end.
    fn sequential(&mut self, depth: u64, known: &[u8], first: usize, guarded: bool) -> Term {
        if depth == 0 {
            return match self.below(4) {
                0 => Term::Stop,
                1 if first == 0 => Term::Exit,
                _ if guarded => Term::Call(first + self.below(2 - first as u64) as usize, self.value(known)),
                _ => Term::Stop,
            };
        }
        match self.below(6) {
            0 => Term::Choice(
                Box::new(self.sequential(depth - 1, known, first, guarded)),
                Box::new(self.sequential(depth - 1, known, first, guarded)),
            ),
            1 => {
                let value = self.value(known);
                Term::Guard(value, Box::new(self.sequential(depth - 1, known, first, guarded)))
            }
            2 => Term::Internal(Box::new(self.sequential(depth - 1, known, first, true))),
            _ => self.action(known, |random, all| random.sequential(depth - 1, all, first, true)),
        }
    }

    fn term(&mut self, depth: u64, known: &[u8]) -> Term {
        if depth == 0 {
            return match self.below(4) {
                0 => Term::Stop,
                1 => Term::Exit,
                _ => Term::Call(self.below(2) as usize, self.value(known)),
            };
        }
        let inner = |random: &mut Self| Box::new(random.term(depth - 1, known));
        match self.below(12) {
            0 => Term::Choice(inner(self), inner(self)),
            1 | 2 => Term::Parallel(self.below(8) as u8, inner(self), inner(self)),
            3 => Term::Hide(1 + self.below(7) as u8, inner(self)),
            4 | 5 => Term::Enable(inner(self), inner(self)),
            6 | 7 => Term::Disable(inner(self), inner(self)),
            8 => {
                let name = known.len() as u8 + 1;
                let all = [known, &[name]].concat();
                let body = Box::new(self.term(depth - 1, &all));
                if self.below(2) == 0 {
                    Term::Over(name, body)
                } else {
                    Term::Let(name, self.value(known), body)
                }
            }
            9 => {
                let value = self.value(known);
                Term::Guard(value, inner(self))
            }
            _ => self.action(known, |random, all| random.term(depth - 1, all)),
        }
    }
}

fn worth(value: &Value) -> bool {
    match value {
        Value::Constant(value) => *value,
        Value::Not(inner) => !worth(inner),
        Value::Variable(_) => panic!("a variable without value"),
    }
}

fn put_value(value: &Value, name: u8, by: bool) -> Value {
    match value {
        Value::Variable(found) if *found == name => Value::Constant(by),
        Value::Not(inner) => Value::Not(Box::new(put_value(inner, name, by))),
        other => other.clone(),
    }
}

/// Replaces a variable by a value, where it is not bound again.
fn put(term: &Term, name: u8, by: bool) -> Term {
    let inside = |term: &Term| Box::new(put(term, name, by));
    let value = |value: &Value| put_value(value, name, by);
    match term {
        Term::Stop | Term::Exit => term.clone(),
        Term::Internal(next) => Term::Internal(inside(next)),
        Term::Action(gate, offers, predicate, next) => {
            let bound = offers.contains(&Offer::Open(name));
            let offers = offers
                .iter()
                .map(|offer| match offer {
                    Offer::Value(found) => Offer::Value(value(found)),
                    open @ Offer::Open(_) => open.clone(),
                })
                .collect();
            if bound {
                return Term::Action(*gate, offers, predicate.clone(), next.clone());
            }
            Term::Action(*gate, offers, predicate.as_ref().map(value), inside(next))
        }
        Term::Choice(left, right) => Term::Choice(inside(left), inside(right)),
        Term::Over(bound, body) if *bound == name => Term::Over(*bound, body.clone()),
        Term::Over(bound, body) => Term::Over(*bound, inside(body)),
        Term::Guard(condition, body) => Term::Guard(value(condition), inside(body)),
        Term::Let(bound, found, body) if *bound == name => Term::Let(*bound, value(found), body.clone()),
        Term::Let(bound, found, body) => Term::Let(*bound, value(found), inside(body)),
        Term::Parallel(gates, left, right) => Term::Parallel(*gates, inside(left), inside(right)),
        Term::Hide(gates, body) => Term::Hide(*gates, inside(body)),
        Term::Enable(left, right) => Term::Enable(inside(left), inside(right)),
        Term::Disable(left, right) => Term::Disable(inside(left), inside(right)),
        Term::Call(process, argument) => Term::Call(*process, value(argument)),
    }
}

/// The rules: what a term can do, and what it becomes.
fn steps(term: &Term, processes: &[Term; 2]) -> Vec<(Label, Term)> {
    let all = |term: &Term| steps(term, processes);
    match term {
        Term::Stop => Vec::new(),
        Term::Exit => vec![(Label::Exit, Term::Stop)],
        Term::Internal(next) => vec![(Label::Internal, (**next).clone())],
        Term::Action(gate, offers, predicate, next) => {
            let mut ways: Vec<(Vec<bool>, Term, Option<Value>)> =
                vec![(Vec::new(), (**next).clone(), predicate.clone())];
            for offer in offers {
                let mut longer = Vec::new();
                for (values, next, predicate) in &ways {
                    match offer {
                        Offer::Value(value) => {
                            let values = [values.as_slice(), &[worth(value)]].concat();
                            longer.push((values, next.clone(), predicate.clone()));
                        }
                        Offer::Open(name) => {
                            for by in [false, true] {
                                let values = [values.as_slice(), &[by]].concat();
                                let predicate = predicate.as_ref().map(|found| put_value(found, *name, by));
                                longer.push((values, put(next, *name, by), predicate));
                            }
                        }
                    }
                }
                ways = longer;
            }
            ways.retain(|(_, _, predicate)| predicate.as_ref().is_none_or(worth));
            ways.into_iter().map(|(values, next, _)| (Label::Gate(*gate, values), next)).collect()
        }
        Term::Choice(left, right) => [all(left), all(right)].concat(),
        Term::Over(name, body) => [all(&put(body, *name, false)), all(&put(body, *name, true))].concat(),
        Term::Guard(condition, body) => {
            if worth(condition) {
                all(body)
            } else {
                Vec::new()
            }
        }
        Term::Let(name, value, body) => all(&put(body, *name, worth(value))),
        Term::Parallel(gates, left, right) => {
            let together = |label: &Label| match label {
                Label::Exit => true,
                Label::Gate(gate, _) => gates >> gate & 1 != 0,
                Label::Internal => false,
            };
            let parallel = |left: Term, right: Term| Term::Parallel(*gates, Box::new(left), Box::new(right));
            let (ones, others) = (all(left), all(right));
            let mut found = Vec::new();
            for (label, next) in &ones {
                if !together(label) {
                    found.push((label.clone(), parallel(next.clone(), (**right).clone())));
                    continue;
                }
                for (other, beside) in others.iter().filter(|(other, _)| other == label) {
                    found.push((other.clone(), parallel(next.clone(), beside.clone())));
                }
            }
            for (label, next) in others.iter().filter(|(label, _)| !together(label)) {
                found.push((label.clone(), parallel((**left).clone(), next.clone())));
            }
            found
        }
        Term::Hide(gates, body) => all(body)
            .into_iter()
            .map(|(label, next)| {
                let hidden = matches!(&label, Label::Gate(gate, _) if gates >> gate & 1 != 0);
                (if hidden { Label::Internal } else { label }, Term::Hide(*gates, Box::new(next)))
            })
            .collect(),
        Term::Enable(left, right) => all(left)
            .into_iter()
            .map(|(label, next)| match label {
                Label::Exit => (Label::Internal, (**right).clone()),
                label => (label, Term::Enable(Box::new(next), right.clone())),
            })
            .collect(),
        Term::Disable(left, right) => {
            let mut found: Vec<(Label, Term)> = all(left)
                .into_iter()
                .map(|(label, next)| match label {
                    Label::Exit => (label, next),
                    label => (label, Term::Disable(Box::new(next), right.clone())),
                })
                .collect();
            found.extend(all(right));
            found
        }
        Term::Call(process, argument) => all(&put(&processes[*process], 0, worth(argument))),
    }
}

/// All terms that come up, as a graph; `None` if there are many.
fn reference(root: &Term, processes: &[Term; 2], notation: &Notation) -> Option<Graph> {
    let mut numbers: HashMap<Term, u32> = HashMap::from([(root.clone(), 0)]);
    let mut queue = vec![root.clone()];
    let mut builder = Builder::new(0, 0);
    let mut next = 0;
    while let Some(term) = queue.get(next).cloned() {
        for (label, target) in steps(&term, processes) {
            let count = numbers.len() as u32;
            let number = *numbers.entry(target.clone()).or_insert(count);
            if number == count {
                queue.push(target);
            }
            let text = match label {
                Label::Internal => "i".to_owned(),
                Label::Exit => "exit".to_owned(),
                Label::Gate(gate, values) => {
                    let values =
                        values.iter().map(|value| [" !", notation.shown[usize::from(*value)]].concat());
                    format!("{}{}", ["A", "B", "C"][usize::from(gate)], values.collect::<String>())
                }
            };
            let label = builder.label(&text);
            builder.edge(next as u32, label, number);
        }
        next += 1;
        if numbers.len() > 3000 {
            return None;
        }
    }
    builder.states(numbers.len() as u32);
    builder.build().ok()
}

fn gates(set: u8) -> String {
    let names = (0..3).filter(|gate| set >> gate & 1 != 0).map(|gate| ["a", "b", "c"][gate]);
    names.collect::<Vec<_>>().join(", ")
}

impl Notation {
    fn value(&self, value: &Value) -> String {
        match value {
            Value::Constant(value) => self.constants[usize::from(*value)].to_owned(),
            Value::Variable(name) => format!("x{name}"),
            Value::Not(inner) => format!("{} ({})", self.negation, self.value(inner)),
        }
    }

    /// Writes that a value is true.
    fn condition(&self, value: &Value) -> String {
        match self.sort {
            "Bool" => self.value(value),
            _ => format!("{} = {}", self.value(value), self.constants[1]),
        }
    }

    fn action(&self, gate: u8, offers: &[Offer], predicate: Option<&Value>) -> String {
        let mut text = ["a", "b", "c"][usize::from(gate)].to_owned();
        let mut bounds = Vec::new();
        for offer in offers {
            let _ = match offer {
                Offer::Value(value) => write!(text, " !{}", self.value(value)),
                Offer::Open(name) => {
                    if self.is_endless {
                        bounds.push(format!("(x{name} le 1)"));
                    }
                    write!(text, " ?x{name}:{}", self.sort)
                }
            };
        }
        match predicate {
            // A condition that is an equation stands alone.
            Some(predicate) if bounds.is_empty() => {
                let _ = write!(text, " [{}]", self.condition(predicate));
            }
            Some(predicate) => bounds.push(format!("({} eq 1)", self.value(predicate))),
            None => {}
        }
        if !bounds.is_empty() {
            let _ = write!(text, " [{}]", bounds.join(" and "));
        }
        text
    }

    fn term(&self, term: &Term) -> String {
        let inner = |term: &Term| self.term(term);
        match term {
            Term::Stop => "stop".to_owned(),
            Term::Exit => "exit".to_owned(),
            Term::Internal(next) => format!("i; ({})", inner(next)),
            Term::Action(gate, offers, predicate, next) => {
                format!("{}; ({})", self.action(*gate, offers, predicate.as_ref()), inner(next))
            }
            Term::Choice(left, right) => format!("({}) [] ({})", inner(left), inner(right)),
            Term::Over(name, body) => {
                let bound = if self.is_endless { format!("[x{name} le 1] -> ") } else { String::new() };
                format!("choice x{name} : {} [] {bound}({})", self.sort, inner(body))
            }
            Term::Guard(condition, body) => format!("[{}] -> ({})", self.condition(condition), inner(body)),
            Term::Let(name, value, body) => {
                format!("let x{name} : {} = {} in ({})", self.sort, self.value(value), inner(body))
            }
            Term::Parallel(0, left, right) => format!("({}) ||| ({})", inner(left), inner(right)),
            Term::Parallel(7, left, right) => format!("({}) || ({})", inner(left), inner(right)),
            Term::Parallel(set, left, right) => {
                format!("({}) |[{}]| ({})", inner(left), gates(*set), inner(right))
            }
            Term::Hide(set, body) => format!("hide {} in ({})", gates(*set), inner(body)),
            Term::Enable(left, right) => format!("({}) >> ({})", inner(left), inner(right)),
            Term::Disable(left, right) => format!("({}) [> ({})", inner(left), inner(right)),
            Term::Call(process, argument) => format!("P{process} [a, b, c] ({})", self.value(argument)),
        }
    }

    fn specification(&self, root: &Term, processes: &[Term; 2]) -> String {
        let functionality = if ends(root) { "exit" } else { "noexit" };
        format!(
            "specification S [a, b, c] : {functionality}\n{}\nbehaviour\n{}\nwhere\n\
             process P0 [a, b, c] (x0 : {sort}) : exit := {} endproc\n\
             process P1 [a, b, c] (x0 : {sort}) : noexit := {} endproc\nendspec\n",
            self.declarations,
            self.term(root),
            self.term(&processes[0]),
            self.term(&processes[1]),
            sort = self.sort,
        )
    }
}

/// Whether a term may end, as the static rules say.
fn ends(term: &Term) -> bool {
    match term {
        Term::Stop => false,
        Term::Exit => true,
        Term::Internal(next) | Term::Action(_, _, _, next) => ends(next),
        Term::Choice(left, right) | Term::Disable(left, right) => ends(left) || ends(right),
        Term::Parallel(_, left, right) => ends(left) && ends(right),
        Term::Over(_, body) | Term::Guard(_, body) | Term::Let(_, _, body) | Term::Hide(_, body) => {
            ends(body)
        }
        Term::Enable(_, right) => ends(right),
        Term::Call(process, _) => *process == 0,
    }
}

/// All edges of a graph: where from, the label, where to.
fn edges(graph: &Graph) -> Vec<(u32, String, u32)> {
    graph.all_edges().map(|(from, edge)| (from, graph.label(edge.label).to_owned(), edge.target)).collect()
}

/// All edges, with trees taken apart as soon as can be.
fn edges_apart(behaviour: &Behaviour) -> Vec<(u32, String, u32)> {
    let mut unfolding = Unfolding::new(behaviour).expect("an initial state");
    unfolding.take_apart_from(1);
    let (mut edges, mut state) = (Vec::new(), 0);
    while state < unfolding.states() {
        unfolding.expand(state).expect("a state with its steps");
        let found = unfolding.edges().iter().map(|(event, target)| (state, unfolding.label(*event), *target));
        edges.extend(found);
        state += 1;
    }
    edges
}

/// All edges, with states as bytes.
fn edges_written(behaviour: &Behaviour) -> Vec<(u32, String, u32)> {
    let mut edges = Vec::new();
    numbered_walk(behaviour, &Budget::unlimited(Unwatched), &mut |edge| {
        edges.push((edge.from, behaviour.label(edge.successor.label), edge.target));
        0
    });
    edges
}

/// Compares a search by tables with one that evaluates every step. Returns how many states the search by
/// tables left to the host.
fn agree_by_tables(behaviour: &Behaviour, text: &str) -> u64 {
    let budget = Budget::unlimited(Unwatched);
    let scope = SearchScope::within(&budget);
    let expected = breadth_first(behaviour, &[], &scope);
    let of = |found: &Exploration| {
        let coverage = &found.coverage;
        let stuck: u64 = found.findings.iter().map(|finding| finding.count).sum();
        let run = found.findings.iter().find_map(|finding| finding.run.as_ref());
        (coverage.states, coverage.transitions, coverage.depth, stuck, run.map(|run| run.choices.len()))
    };
    let mut by_host = 0;
    for samples in [2, 100] {
        let mut device = Reference::new(Limits { memory: None });
        let found = labelled_by_tables(behaviour, &[], &scope, &mut device, samples)
            .unwrap_or_else(|refusal| panic!("{}\n{text}", refusal.reason));
        assert_eq!(found.end, End::Complete, "{text}");
        assert_eq!(of(&expected), of(&found), "{samples} samples\n{text}");
        let counts = found.profile.iter().flat_map(|profile| &profile.counts);
        by_host += counts.filter(|(what, _)| *what == "by the host").map(|(_, count)| count).sum::<u64>();
    }
    by_host
}

#[test]
fn random_behaviours_follow_the_rules() {
    let mut random = Sampler(Random::new(7));
    let (mut compared, mut states, mut by_host, mut by_tables) = (0, 0, 0, 0);
    for round in 0..2500 {
        let processes = [random.sequential(3, &[0], 0, false), random.sequential(3, &[0], 1, false)];
        let depth = 2 + random.below(3);
        let root = random.term(depth, &[]);
        let notation = &NOTATIONS[round % NOTATIONS.len()];
        let Some(expected) = reference(&root, &processes, notation) else { continue };
        let text = notation.specification(&root, &processes);
        let mut sources = Sources::default();
        let file = sources.add("random.lotos", text.clone());
        let mut diagnostics = Diagnostics::default();
        let behaviour =
            compile(&mut sources, file, &Options::default(), &mut diagnostics).unwrap_or_else(|| {
                let shown =
                    diagnostics.sorted().iter().map(|one| render(one, &sources, false)).collect::<String>();
                panic!("round {round}\n{text}\n{shown}")
            });
        let built = build(&behaviour, &Budget::unlimited(Unwatched)).unwrap_or_else(|_| panic!("{text}"));
        let verdict = compare(&expected, &built.graph, Settings::plain(Relation::Strong)).unwrap();
        assert!(verdict == Verdict::Equivalent, "round {round}\n{text}\n{verdict:?}");
        // However states are kept, they have the same numbers, and their steps the same order.
        let all = edges(&built.graph);
        assert_eq!(edges_apart(&behaviour), all, "{text}");
        assert_eq!(edges_written(&behaviour), all, "{text}");
        let small = minimise(&expected, Settings::plain(Relation::Strong)).unwrap();
        // The same term may stand in several places of the text, which are states of their own.
        assert!(built.graph.states() >= small.states(), "{text}");
        by_host += agree_by_tables(&behaviour, &text);
        by_tables += u64::from(built.graph.states());
        compared += 1;
        states += u64::from(small.states());
    }
    assert!(compared > 1000 && states > 10_000, "{compared} {states}");
    // Those where components come and go, everything ends, or nothing can move.
    assert!(by_host < 2 * by_tables, "{by_host} {by_tables}");
}
