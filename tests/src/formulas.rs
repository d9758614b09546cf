//! Formulas of temporal logic in SPIN's syntax, and the automata that SPIN makes of them.

use std::process::Command;
use std::time::Duration;

use narrows_graph::Random;
use narrows_logic::{Buchi, BuchiEdge, BuchiState, Cube, Ltl};

use crate::commands;

/// A formula whose atoms are names.
pub type Formula = Ltl<String>;

/// Reads a formula.
///
/// Operators bind as in Promela: `!`, `[]`, `<>`, `X`, then `U`, `V` and `W`, then `&&`, `||`, and `->` and
/// `<->` last.
pub fn parse(text: &str) -> Result<Formula, String> {
    let tokens = tokens(text);
    let mut reader = Reader { tokens: &tokens, position: 0 };
    let formula = reader.binary(0)?;
    match reader.tokens.get(reader.position) {
        None => Ok(formula),
        Some(token) => Err(format!("unexpected `{token}` in `{text}`")),
    }
}

fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let signs = ["<->", "->", "<>", "[]", "&&", "||", "!", "(", ")"];
        let length = signs.iter().find(|sign| rest.starts_with(**sign)).map_or_else(
            || rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len()).max(1),
            |sign| sign.len(),
        );
        tokens.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    tokens
}

type Join = fn(Box<Formula>, Box<Formula>) -> Formula;

struct Reader<'a> {
    tokens: &'a [&'a str],
    position: usize,
}

impl Reader<'_> {
    fn binary(&mut self, weakest: u8) -> Result<Formula, String> {
        let mut left = self.unary()?;
        while let Some(token) = self.tokens.get(self.position) {
            let (strength, join): (u8, Join) = match *token {
                "->" => (0, Ltl::Implies),
                "<->" => (0, Ltl::Equivalent),
                "||" => (1, Ltl::Or),
                "&&" => (2, Ltl::And),
                "U" => (3, Ltl::Until),
                "V" => (3, Ltl::Release),
                "W" => (3, Ltl::WeakUntil),
                _ => break,
            };
            if strength < weakest {
                break;
            }
            self.position += 1;
            let right = self.binary(strength + 1)?;
            left = join(Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Formula, String> {
        let token = *self.tokens.get(self.position).ok_or("the formula ends too early")?;
        self.position += 1;
        match token {
            "!" => Ok(Ltl::Not(Box::new(self.unary()?))),
            "[]" => Ok(Ltl::Always(Box::new(self.unary()?))),
            "<>" => Ok(Ltl::Eventually(Box::new(self.unary()?))),
            "X" => Ok(Ltl::Next(Box::new(self.unary()?))),
            "(" => {
                let inner = self.binary(0)?;
                let closing = self.tokens.get(self.position);
                self.position += 1;
                if closing == Some(&")") { Ok(inner) } else { Err("a parenthesis is not closed".to_owned()) }
            }
            "true" | "1" => Ok(Ltl::Constant(true)),
            "false" | "0" => Ok(Ltl::Constant(false)),
            name if name.starts_with(char::is_alphabetic) => Ok(Ltl::Atom(name.to_owned())),
            other => Err(format!("unexpected `{other}`")),
        }
    }
}

/// Writes a random formula with this many operators and atoms, over `names`.
pub fn random(random: &mut Random, size: usize, names: &[&str], with_next: bool) -> Formula {
    if size <= 1 {
        return Ltl::Atom(random.pick(names).copied().unwrap_or("p").to_owned());
    }
    let inner = |random: &mut Random, size| Box::new(self::random(random, size, names, with_next));
    if size == 2 || random.percent(45) {
        let operand = inner(random, size - 1);
        return match random.index(if with_next { 5 } else { 4 }) {
            0 => Ltl::Not(operand),
            1 | 2 => Ltl::Always(operand),
            3 => Ltl::Eventually(operand),
            _ => Ltl::Next(operand),
        };
    }
    let left_size = random.between(1, size - 2);
    let left = inner(random, left_size);
    let right = inner(random, size - 1 - left_size);
    match random.index(7) {
        0 | 1 => Ltl::And(left, right),
        2 => Ltl::Or(left, right),
        3 => Ltl::Implies(left, right),
        4 => Ltl::Release(left, right),
        5 => Ltl::Equivalent(left, right),
        _ => Ltl::Until(left, right),
    }
}

/// The automaton that SPIN makes of a formula; `None` if it takes longer than the limit.
pub fn spin_automaton(formula: &Formula, limit: Duration) -> Result<Option<Buchi<String>>, String> {
    let finished = commands::run(Command::new("spin").args(["-f", &formula.to_string()]), limit)
        .map_err(|error| format!("can't run spin: {error}"))?;
    if finished.status.is_none() {
        return Ok(None);
    }
    read_claim(&finished.stdout)
        .map(Some)
        .map_err(|error| format!("{error}: `{formula}`\n{}", finished.stdout))
}

/// Reads a never claim of the form in which `spin -f` and `narrows automaton --format never` write it.
pub fn read_claim(text: &str) -> Result<Buchi<String>, String> {
    let mut claim = Claim::default();
    let lines = text.lines().map(str::trim).skip_while(|line| !line.starts_with("never")).skip(1);
    for line in lines.take_while(|line| *line != "}") {
        claim.line(line)?;
    }
    claim.finish()
}

/// A claim while it is read.
#[derive(Default)]
struct Claim {
    labels: Vec<(String, usize)>,
    states: Vec<(bool, Vec<(Formula, String)>)>,
    in_labels: bool,
}

impl Claim {
    fn line(&mut self, line: &str) -> Result<(), String> {
        if let Some(label) = line.strip_suffix(':') {
            if !self.in_labels {
                self.states.push((false, Vec::new()));
            }
            let state = self.states.len() - 1;
            self.states[state].0 |= label.starts_with("accept");
            self.labels.push((label.to_owned(), state));
            self.in_labels = true;
            return Ok(());
        }
        self.in_labels = false;
        let Some((_, edges)) = self.states.last_mut() else { return Err("no label".to_owned()) };
        if line == "skip" {
            edges.push((Ltl::Constant(true), "accept_all".to_owned()));
        } else if let Some(edge) = line.strip_prefix(":: ") {
            let edge = edge.strip_prefix("atomic { ").unwrap_or(edge);
            if edge == "false" {
                return Ok(());
            }
            let (guard, action) = edge.split_once(" -> ").ok_or_else(|| format!("no arrow in `{line}`"))?;
            let target = action.strip_prefix("goto ").unwrap_or("accept_all");
            edges.push((parse(guard)?, target.to_owned()));
        } else if !["do", "od;", "od", "if", "fi;", "fi", "false;", "false", ""].contains(&line) {
            return Err(format!("unknown line `{line}`"));
        }
        Ok(())
    }

    fn finish(self) -> Result<Buchi<String>, String> {
        let mut atoms: Vec<String> = Vec::new();
        let mut states = Vec::new();
        for (accepting, edges) in self.states {
            let mut state = BuchiState { accepting, edges: Vec::new() };
            for (guard, target) in edges {
                let known = self.labels.iter().find(|(label, _)| *label == target);
                let target = known.ok_or_else(|| format!("no label `{target}`"))?.1;
                let cubes = cubes(&guard, true, &mut atoms);
                state.edges.extend(cubes.into_iter().map(|guard| BuchiEdge { guard, target }));
            }
            states.push(state);
        }
        if states.is_empty() { Err("no states".to_owned()) } else { Ok(Buchi { atoms, states, initial: 0 }) }
    }
}

/// A condition, or its negation, as conjunctions of which one must hold.
fn cubes(condition: &Formula, holds: bool, atoms: &mut Vec<String>) -> Vec<Cube> {
    match condition {
        Ltl::Constant(value) if *value == holds => vec![Cube::default()],
        Ltl::Atom(name) => {
            let atom = atoms.iter().position(|known| known == name).unwrap_or_else(|| {
                atoms.push(name.clone());
                atoms.len() - 1
            });
            vec![Cube::literal(atom, holds)]
        }
        Ltl::Not(operand) => cubes(operand, !holds, atoms),
        Ltl::And(left, right) | Ltl::Or(left, right) => {
            let (left, right) = (cubes(left, holds, atoms), cubes(right, holds, atoms));
            if matches!(condition, Ltl::And(..)) == holds {
                left.iter().flat_map(|one| right.iter().filter_map(|other| one.and(other))).collect()
            } else {
                left.into_iter().chain(right).collect()
            }
        }
        _ => Vec::new(),
    }
}

/// Whether SPIN is installed.
pub fn has_spin() -> bool {
    commands::run(Command::new("spin").arg("-V"), Duration::from_secs(10)).is_ok()
}
