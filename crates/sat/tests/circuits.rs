//! Random circuits in the format AIGER: what engines say of them is what their definition says, computed by
//! going through all values of latches and inputs; and a model that is written as a circuit and read back is
//! the same.

#[allow(dead_code)]
#[path = "../../symbolic/tests/writer/mod.rs"]
mod writer;

use std::collections::BTreeSet;
use std::fmt::Write;

use narrows_graph::Random;
use narrows_languages::{NotText, aiger, smv, text_of};
use narrows_model::synchronous::SynchronousSystem;
use narrows_model::{Budget, Question, Reply, Unwatched, Verdict};
use narrows_sat::{AigerForm, Engine, check};
use narrows_source::{Diagnostics, Sources};

/// A circuit, with gates as they are to be computed.
struct Circuit {
    inputs: u32,
    /// The next value of each latch, and the first one, if it has only one.
    latches: Vec<(u32, Option<bool>)>,
    gates: Vec<[u32; 2]>,
    bad: Vec<u32>,
    constraints: Vec<u32>,
    justice: Vec<Vec<u32>>,
    fairness: Vec<u32>,
}

impl Circuit {
    fn random(random: &mut Random) -> Circuit {
        let mut number = |below: u32| random.below(u64::from(below)) as u32;
        let (inputs, latches, gates) = (number(3), 1 + number(4), number(9));
        let all = 1 + inputs + latches;
        let gates: Vec<[u32; 2]> = (0..gates).map(|gate| [0; 2].map(|_| number(2 * (all + gate)))).collect();
        let most = 2 * (all + gates.len() as u32);
        let resets = [Some(false), Some(false), Some(true), None];
        let mut list = |count: u32| (0..count).map(|_| number(most)).collect::<Vec<u32>>();
        let [next, bad, constraints, fairness] = [latches, 2, 1, 1].map(&mut list);
        let justice = vec![list(2), list(1)];
        let mut keep = |mut list: Vec<u32>| {
            list.truncate(number(list.len() as u32 + 1) as usize);
            list
        };
        let (bad, constraints, fairness) = (keep(bad), keep(constraints), keep(fairness));
        let latches = next.into_iter().map(|next| (next, resets[number(4) as usize])).collect();
        Circuit { inputs, latches, gates, bad, constraints, justice, fairness }
    }

    /// Writes the circuit, its gates in another order than they need.
    fn text(&self) -> String {
        let (inputs, latches, gates) = (self.inputs, self.latches.len() as u32, self.gates.len() as u32);
        let mut text = format!(
            "aag {} {inputs} {latches} 0 {gates} {} {} {} {}\n",
            inputs + latches + gates,
            self.bad.len(),
            self.constraints.len(),
            self.justice.len(),
            self.fairness.len()
        );
        for input in 1..=inputs {
            let _ = writeln!(text, "{}", 2 * input);
        }
        for (latch, (next, reset)) in self.latches.iter().enumerate() {
            let literal = 2 * (1 + inputs + latch as u32);
            let _ = match reset {
                Some(reset) => writeln!(text, "{literal} {next} {}", u32::from(*reset)),
                None => writeln!(text, "{literal} {next} {literal}"),
            };
        }
        let sizes: Vec<u32> = self.justice.iter().map(|list| list.len() as u32).collect();
        let justice: Vec<u32> = self.justice.concat();
        for list in [&self.bad, &self.constraints, &sizes, &justice, &self.fairness] {
            for literal in list {
                let _ = writeln!(text, "{literal}");
            }
        }
        for (gate, [left, right]) in self.gates.iter().enumerate().rev() {
            let _ = writeln!(text, "{} {left} {right}", 2 * (1 + inputs + latches + gate as u32));
        }
        text
    }

    /// Returns the values of all literals in a frame: inputs in its first bits, then latches.
    fn values(&self, frame: usize) -> Vec<bool> {
        let leaves = self.inputs as usize + self.latches.len();
        let mut values = vec![false, true];
        for bit in 0..leaves {
            let value = frame >> bit & 1 == 1;
            values.extend([value, !value]);
        }
        for [left, right] in &self.gates {
            let value = values[*left as usize] && values[*right as usize];
            values.extend([value, !value]);
        }
        values
    }

    fn frames(&self) -> usize {
        1 << (self.inputs as usize + self.latches.len())
    }

    fn is_allowed(&self, frame: usize) -> bool {
        let values = self.values(frame);
        self.constraints.iter().all(|literal| values[*literal as usize])
    }

    fn successors(&self, frame: usize) -> impl Iterator<Item = usize> + '_ {
        let values = self.values(frame);
        let next = self.latches.iter().enumerate();
        let latches: usize =
            next.map(|(latch, (next, _))| usize::from(values[*next as usize]) << latch).sum();
        (0..1 << self.inputs)
            .map(move |inputs| inputs | latches << self.inputs)
            .filter(|frame| self.is_allowed(*frame))
    }

    fn reachable(&self, from: impl Iterator<Item = usize>) -> BTreeSet<usize> {
        let (mut found, mut waiting) = (BTreeSet::new(), from.collect::<Vec<usize>>());
        while let Some(frame) = waiting.pop() {
            if found.insert(frame) {
                waiting.extend(self.successors(frame));
            }
        }
        found
    }

    fn all_reachable(&self) -> BTreeSet<usize> {
        let is_first = |frame: &usize| {
            self.latches.iter().enumerate().all(|(latch, (_, reset))| {
                reset.is_none_or(|reset| reset == (frame >> (self.inputs as usize + latch) & 1 == 1))
            })
        };
        self.reachable((0..self.frames()).filter(|frame| is_first(frame) && self.is_allowed(*frame)))
    }

    /// Returns of each claim whether it holds: first of bad states, then of justice.
    fn holds(&self) -> Vec<bool> {
        let reachable = self.all_reachable();
        let is_bad = |literal: &u32| reachable.iter().any(|frame| self.values(*frame)[*literal as usize]);
        let mut holds: Vec<bool> = self.bad.iter().map(|literal| !is_bad(literal)).collect();
        for list in &self.justice {
            // All that a frame can come back from: a component; every literal is true somewhere in it.
            let is_cycle = |frame: &usize| {
                let beyond = self.reachable(self.successors(*frame));
                let component: Vec<usize> = beyond
                    .iter()
                    .filter(|other| self.reachable(self.successors(**other)).contains(frame))
                    .copied()
                    .collect();
                let mut literals = list.iter().chain(&self.fairness);
                let is_met =
                    |literal: &u32| component.iter().any(|frame| self.values(*frame)[*literal as usize]);
                beyond.contains(frame) && literals.all(is_met)
            };
            holds.push(!reachable.iter().any(is_cycle));
        }
        holds
    }
}

fn read(text: &str) -> SynchronousSystem {
    let mut sources = Sources::default();
    let file = sources.add("circuit.aag", text);
    let mut diagnostics = Diagnostics::default();
    let compiled = aiger::compile(&mut sources, file, &smv::Options::default(), &mut diagnostics);
    compiled.unwrap_or_else(|| panic!("{text}\n{:?}", diagnostics.sorted())).system
}

fn verdicts(replies: &[Reply]) -> Vec<Option<bool>> {
    let verdict = |reply: &Reply| {
        let Reply::Answer(answer) = reply else { return None };
        match answer.verdict {
            Verdict::Holds => Some(true),
            Verdict::Fails { .. } => Some(false),
            _ => None,
        }
    };
    replies.iter().map(verdict).collect()
}

fn budget() -> Budget {
    Budget { memory: 1 << 30, ..Budget::unlimited(Unwatched) }
}

#[test]
fn random_circuits_do_what_their_definition_says() {
    let (mut held, mut failed) = (0, 0);
    for seed in 1..=300 {
        let circuit = Circuit::random(&mut Random::new(seed));
        let text = circuit.text();
        let system = read(&text);
        let questions = system.questions();
        let expected: Vec<Option<bool>> = circuit.holds().into_iter().map(Some).collect();
        let options = narrows_symbolic::Options::default();
        let by_sets = narrows_symbolic::check(&system, &questions, &options, &budget()).replies;
        assert_eq!(verdicts(&by_sets), expected, "seed {seed}, sets\n{text}");
        for engine in [Engine::Automatic, Engine::Ic3] {
            let found = check(&system, &questions, engine, &budget(), &mut |_, _| true).replies;
            assert_eq!(verdicts(&found), expected, "seed {seed}, {engine:?}\n{text}");
        }
        held += expected.iter().filter(|holds| **holds == Some(true)).count();
        failed += expected.iter().filter(|holds| **holds == Some(false)).count();
    }
    assert!(held > 100 && failed > 100, "{held} held, {failed} failed");
}

#[test]
fn what_is_written_as_a_circuit_is_read_back() {
    let mut compared = 0;
    for seed in 1..=150 {
        let text = writer::model(&mut Random::new(seed));
        let (mut sources, mut diagnostics) = (Sources::default(), Diagnostics::default());
        let file = sources.add("model.smv", text.as_str());
        let options = smv::Options::default();
        let Some(compiled) = smv::compile(&mut sources, file, &options, &mut diagnostics) else { continue };
        let system = compiled.system;
        let written = narrows_sat::aiger(&system, AigerForm::Text);
        let circuit = read(&text_of(written.bytes).expect("a text"));
        let binary = narrows_sat::aiger(&system, AigerForm::Binary);
        let decoded = text_of(binary.bytes).expect("a circuit");
        assert_eq!(read(&decoded).nodes, circuit.nodes, "seed {seed}");
        let asked: Vec<Question> = system
            .questions()
            .into_iter()
            .filter(|question| match question {
                Question::Faults => true,
                Question::Property { name, kind, .. } => *kind == "invariant" && written.bad.contains(name),
                _ => false,
            })
            .collect();
        let options = narrows_symbolic::Options::default();
        let expected = verdicts(&narrows_symbolic::check(&system, &asked, &options, &budget()).replies);
        let mut questions = circuit.questions();
        questions.retain(|question| *question != Question::Deadlock);
        let found = check(&circuit, &questions, Engine::Automatic, &budget(), &mut |_, _| true).replies;
        assert_eq!(verdicts(&found), expected, "seed {seed}\n{text}");
        compared += expected.len();
    }
    assert!(compared > 100, "{compared} compared");
}

#[test]
fn damaged_files_are_told() {
    let damaged = |bytes: &[u8]| match text_of(bytes.to_vec()) {
        Err(NotText::Damaged(reason)) => reason.to_string(),
        other => panic!("{other:?}"),
    };
    assert!(damaged(b"aig 2 1 0 0 1\n").contains("before its gates do"));
    assert!(damaged(b"aig 2 1 0 0 1\n\x09\x00").contains("comes after it"));
    assert!(damaged(b"aig 2 1 0 0 1\n\x00\x00").contains("looks at itself"));
    assert!(damaged(b"aig 9 1 0 0 1\n\x02\x00").contains("not the sum"));
    assert!(damaged(b"aig one").contains("lines"));
    assert_eq!(text_of(vec![b'x', 0, 0xff]), Err(NotText::Binary));
    let read = text_of(b"aig 2 1 0 0 1\n\x02\x00i0 request\n".to_vec());
    assert_eq!(read.as_deref(), Ok("aag 2 1 0 0 1\n2\n4 2 2\ni0 request\n"));
}
