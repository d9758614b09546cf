//! Models as AIGER files: read back by a reader that knows nothing but the format, they do what the models
//! do.

#[allow(dead_code)]
#[path = "../../symbolic/tests/writer/mod.rs"]
mod writer;

use std::collections::{BTreeMap, BTreeSet};

use narrows_graph::{Random, varint};
use narrows_languages::smv::{Options, compile};
use narrows_model::synchronous::{Reference, Role, SynchronousClaim as Claim, SynchronousSystem, Value};
use narrows_model::{Budget, Question, Reply, Unwatched, Verdict};
use narrows_sat::{AigerForm, aiger};
use narrows_source::{Diagnostics, Sources};

#[derive(Debug, Default, PartialEq, Eq)]
struct File {
    inputs: Vec<u32>,
    /// Each with what comes next, and what it is at first: 0, 1, or itself.
    latches: Vec<(u32, u32, u32)>,
    outputs: Vec<u32>,
    bad: Vec<u32>,
    constraints: Vec<u32>,
    gates: Vec<(u32, u32, u32)>,
    symbols: BTreeMap<String, String>,
}

/// Takes a line off.
fn line<'b>(rest: &mut &'b [u8]) -> &'b str {
    let end = rest.iter().position(|byte| *byte == b'\n').expect("a line");
    let (line, after) = rest.split_at(end);
    *rest = &after[1..];
    std::str::from_utf8(line).expect("text")
}

fn numbers(line: &str) -> Vec<u32> {
    line.split(' ').map(|word| word.parse().expect("a number")).collect()
}

fn difference(rest: &mut &[u8]) -> u32 {
    varint::read(rest).and_then(|number| u32::try_from(number).ok()).expect("a number")
}

fn read(bytes: &[u8]) -> File {
    let mut rest = bytes;
    let header = line(&mut rest);
    let is_text = header.starts_with("aag ");
    let counts = numbers(&header[4..]);
    let [most, inputs, latches, outputs, gates, bad, constraints] = counts[..] else { panic!("{header}") };
    assert_eq!(most, inputs + latches + gates);
    let mut file = File::default();
    for number in 0..inputs {
        file.inputs.push(if is_text { numbers(line(&mut rest))[0] } else { 2 * (number + 1) });
    }
    for number in 0..latches {
        let mut words = numbers(line(&mut rest));
        if !is_text {
            words.insert(0, 2 * (inputs + number + 1));
        }
        file.latches.push((words[0], words[1], words.get(2).copied().unwrap_or(0)));
    }
    let mut list = |count: u32| (0..count).map(|_| numbers(line(&mut rest))[0]).collect();
    (file.outputs, file.bad, file.constraints) = (list(outputs), list(bad), list(constraints));
    for number in 0..gates {
        let gate = 2 * (inputs + latches + number + 1);
        if is_text {
            let words = numbers(line(&mut rest));
            assert!(words[0] == gate && words[1] >= words[2] && words[1] < gate);
            file.gates.push((gate, words[1], words[2]));
        } else {
            let left = gate - difference(&mut rest);
            let right = left - difference(&mut rest);
            file.gates.push((gate, left, right));
        }
    }
    while !rest.is_empty() {
        let text = line(&mut rest);
        if text == "c" {
            break;
        }
        let (key, name) = text.split_once(' ').expect("a symbol");
        file.symbols.insert(key.to_owned(), name.to_owned());
    }
    file
}

impl File {
    /// Computes all literals' variables.
    fn values(&self, latches: u128, inputs: u64) -> Vec<bool> {
        let mut values = vec![false; 1 + self.inputs.len() + self.latches.len() + self.gates.len()];
        for (number, input) in self.inputs.iter().enumerate() {
            values[*input as usize / 2] = inputs >> number & 1 == 1;
        }
        for (number, (latch, ..)) in self.latches.iter().enumerate() {
            values[*latch as usize / 2] = latches >> number & 1 == 1;
        }
        for (gate, left, right) in &self.gates {
            values[*gate as usize / 2] = is(&values, *left) && is(&values, *right);
        }
        values
    }

    fn first_states(&self) -> Vec<u128> {
        let mut states = vec![0];
        for (number, (latch, _, reset)) in self.latches.iter().enumerate() {
            if *reset == 1 || reset == latch {
                let with: Vec<u128> = states.iter().map(|state| state | 1 << number).collect();
                states = if *reset == 1 { with } else { [states, with].concat() };
            }
        }
        states
    }

    fn next(&self, values: &[bool]) -> u128 {
        let each = self.latches.iter().enumerate();
        each.map(|(number, (_, next, _))| u128::from(is(values, *next)) << number).sum()
    }
}

fn is(values: &[bool], literal: u32) -> bool {
    values[literal as usize / 2] != (literal % 2 == 1)
}

/// Reads the values of variables off the names of bits.
struct Names(Vec<Vec<u32>>);

impl Names {
    fn new(system: &SynchronousSystem, file: &File) -> Names {
        let mut literals: BTreeMap<&str, u32> = BTreeMap::new();
        for (letter, list) in [
            ("i", file.inputs.clone()),
            ("l", file.latches.iter().map(|latch| latch.0).collect()),
            ("o", file.outputs.clone()),
        ] {
            for (number, literal) in list.iter().enumerate() {
                literals.insert(&file.symbols[&format!("{letter}{number}")], *literal);
            }
        }
        let bits = |name: &str| {
            (0..).map_while(|place| literals.get(format!("{name}[{place}]").as_str()).copied()).collect()
        };
        Names(system.variables.iter().map(|variable| bits(&variable.name)).collect())
    }

    fn values(&self, system: &SynchronousSystem, nodes: &[bool]) -> Vec<Value> {
        let index = |bits: &Vec<u32>| {
            bits.iter().rev().fold(0, |index: u128, bit| index << 1 | u128::from(is(nodes, *bit)))
        };
        let each = system.variables.iter().zip(&self.0);
        each.map(|(variable, bits)| variable.domain.value(index(bits)).unwrap_or(Value::MIN)).collect()
    }
}

/// Visits all states of a file; returns which bad states are reached. `None` if there are too many.
fn reached(system: &SynchronousSystem, file: &File, steps: &mut u32) -> Option<Vec<bool>> {
    let reference = Reference::new(system);
    let names = Names::new(system, file);
    let valid = file.symbols.iter().find(|(_, name)| *name == "_valid_");
    let valid = valid.map(|(key, _)| key[1..].parse::<u32>().expect("a number"));
    let mut found = vec![false; file.bad.len()];
    let mut waiting = file.first_states();
    let first: BTreeSet<u128> = waiting.iter().copied().collect();
    let mut seen = first.clone();
    while let Some(latches) = waiting.pop() {
        if seen.len() > 3000 {
            return None;
        }
        for inputs in 0..1_u64 << file.inputs.len() {
            let values = file.values(latches, inputs);
            let is_state = file.constraints.iter().all(|literal| is(&values, *literal));
            let is_valid = valid.is_none_or(|number| latches >> number & 1 == 1);
            if !is_state || !is_valid {
                continue;
            }
            for (bad, found) in file.bad.iter().zip(&mut found) {
                *found |= is(&values, *bad);
            }
            let next = file.next(&values);
            // What the file does, the model does: now and then, as that is slow.
            let state = names.values(system, &values);
            if latches % 5 == 0 && inputs % 7 == 0 {
                assert!(reference.is_state(&state), "{state:?}");
                assert!(!first.contains(&latches) || reference.is_initial(&state), "{state:?}");
                let after = (0..1_u64 << file.inputs.len()).map(|inputs| file.values(next, inputs));
                let is_good = |values: &Vec<bool>| {
                    file.constraints.iter().all(|literal| is(values, *literal))
                        && valid.is_none_or(|number| next >> number & 1 == 1)
                };
                if let Some(after) = after.into_iter().find(is_good) {
                    assert!(reference.is_step(&state, &names.values(system, &after)), "{state:?}");
                    *steps += 1;
                }
            }
            if seen.insert(next) {
                waiting.push(next);
            }
        }
    }
    Some(found)
}

#[test]
fn files_do_what_models_do() {
    let (mut models, mut steps, mut bad, mut good) = (0, 0, 0, 0);
    for seed in 0..250 {
        let text = writer::model(&mut Random::new(seed));
        let mut sources = Sources::default();
        let file = sources.add("model.smv", text.as_str());
        let compiled = compile(&mut sources, file, &Options::default(), &mut Diagnostics::default());
        let system = compiled.expect("a model").system;
        let written = aiger(&system, AigerForm::Text);
        let file = read(&written.bytes);
        assert_eq!(file, read(&aiger(&system, AigerForm::Binary).bytes), "seed {seed}");
        // Inputs of the model are free in its states here, and steps come once for each choice.
        let is_small = file.inputs.len() <= 6 && system.variables.iter().all(|one| one.role != Role::Input);
        if !is_small {
            continue;
        }
        let Some(found) = reached(&system, &file, &mut steps) else { continue };
        models += 1;
        let questions: Vec<Question> = system
            .questions()
            .into_iter()
            .filter(|question| match question {
                Question::Faults => true,
                // What is said of steps is not in the file.
                Question::Property { index, .. } => match system.specifications[*index].claim {
                    Claim::Invariant(root) => !system.is_of_step(root),
                    _ => false,
                },
                _ => false,
            })
            .collect();
        assert_eq!(questions.len(), found.len());
        let budget = Budget { memory: 1 << 30, ..Budget::unlimited(Unwatched) };
        let expected =
            narrows_symbolic::check(&system, &questions, &narrows_symbolic::Options::default(), &budget)
                .replies;
        for (reply, found) in expected.iter().zip(found) {
            let Reply::Answer(answer) = reply else { panic!("{reply:?}") };
            let fails = matches!(answer.verdict, Verdict::Fails { .. });
            assert_eq!(fails, found, "seed {seed}: {:?}\n{text}", answer.question);
            bad += u32::from(fails);
            good += u32::from(!fails);
        }
    }
    assert!(models > 50 && steps > 200 && bad > 30 && good > 15, "{models} {steps} {bad} {good}");
}
