//! Random programs of loads and stores, and their Markov chain built and solved by hand: protocols as code,
//! no tables.

use std::collections::HashMap;
use std::fmt::Write;

use narrows_graph::Random;

/// What a process does in a round.
#[derive(Clone, Copy, Debug)]
enum Deed {
    Load(usize),
    Store(usize, u8),
    TestAndSet(usize),
    /// `x != 0 && y != 0`.
    Both(usize, usize),
    /// `z = (x + y) % 2`.
    Sum(usize, usize, usize),
}

/// A program, the table it runs on, and where.
#[derive(Debug)]
pub(crate) struct Program {
    table: &'static str,
    variables: usize,
    processes: Vec<Vec<Deed>>,
    is_refined: bool,
    /// Whether the first two variables share a line.
    shares: bool,
}

/// A process that waits for a transfer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Flight {
    deed: usize,
    /// How many accesses of the deed have begun.
    done: usize,
    first: u8,
    second: u8,
    latency: u32,
    is_miss: bool,
    /// What is to be changed in the middle: the line, and whether it is stored to.
    later: Option<(usize, bool)>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    memory: Vec<u8>,
    lines: Vec<Vec<u8>>,
    flights: Vec<Flight>,
}

/// From, to, rate, rounds of the first process, misses.
type Edge = (usize, usize, f64, f64, f64);

const HIT: u32 = 5;

/// The latencies of cache, memory, lookup and invalidation at distances 0 and 1.
const LATENCY: [[u32; 2]; 4] = [[190, 420], [170, 330], [200, 410], [210, 400]];

/// More states are not solved by hand.
const MAX_STATES: usize = 1_500;

/// The mean of the pause before a process begins.
const PAUSE: u32 = 11;

impl Program {
    pub(crate) fn random(seed: u64) -> Program {
        let mut random = Random::new(seed);
        let tables = ["mesi-a", "mesi-b", "mesi-b-store", "msi", "moesi"];
        let variables = 2 + random.index(2);
        let processes = 2 + random.index(2);
        let deed = |random: &mut Random| {
            let (x, y, z) = (random.index(variables), random.index(variables), random.index(variables));
            match random.index(6) {
                0 | 1 => Deed::Load(x),
                2 => Deed::Store(x, random.index(2) as u8),
                3 => Deed::TestAndSet(x),
                4 => Deed::Both(x, y),
                _ => Deed::Sum(x, y, z),
            }
        };
        let processes =
            (0..processes).map(|_| (0..=random.index(2)).map(|_| deed(&mut random)).collect()).collect();
        let table = tables[random.index(tables.len())];
        let (is_refined, shares) = (random.index(4) == 0, random.index(4) == 0);
        let mut program = Program { table, variables, processes, is_refined, shares };
        // Every variable is used by two processes at least.
        for process in 0..2 {
            for variable in 0..variables {
                program.processes[process].push(Deed::Load(variable));
            }
        }
        program
    }

    pub(crate) fn promela(&self) -> String {
        let name = |number: usize| format!("v{number}");
        let mut text = String::new();
        for variable in 0..self.variables {
            let _ = writeln!(text, "byte v{variable};");
        }
        for (number, deeds) in self.processes.iter().enumerate() {
            let _ = writeln!(text, "active proctype p{number}() {{ byte t; pause: skip; do :: start: skip;");
            for deed in deeds {
                let statement = match *deed {
                    Deed::Load(x) => format!("t = {}; t = 0", name(x)),
                    Deed::Store(x, value) => format!("{} = {value}", name(x)),
                    Deed::TestAndSet(x) => format!("atomic {{ t = {0}; {0} = 1 }}; t = 0", name(x)),
                    Deed::Both(x, y) => format!("if :: {} != 0 && {} != 0 :: else fi", name(x), name(y)),
                    Deed::Sum(x, y, z) => format!("{} = ({} + {}) % 2", name(z), name(x), name(y)),
                };
                let _ = writeln!(text, "  {statement};");
            }
            let _ = writeln!(text, "od }}");
        }
        text
    }

    pub(crate) fn study(&self) -> String {
        let phases = if self.is_refined { 2 } else { 1 };
        let mut text = format!(
            "model = \"m.pml\"\nunit = \"ns\"\ncoherence = {{ table = \"{}\", phases = {phases} }}\n\
             [topology]\nnodes = [\"a\", \"b\"]\n[mapping]\n",
            self.table
        );
        let node = |number: usize| ["a", "b"][number % 2];
        for number in 0..self.processes.len() {
            let _ = writeln!(text, "p{number} = \"{}\"", node(number));
        }
        for number in 0..self.variables {
            let _ = writeln!(text, "v{number} = \"{}\"", node(number));
        }
        if self.shares {
            let _ = writeln!(text, "[line]\ntwo = [\"v0\", \"v1\"]");
        }
        text.push_str("[delay]\n");
        for number in 0..self.processes.len() {
            let _ = writeln!(text, "\"p{number}:pause\" = {{ exponential = {PAUSE} }}");
        }
        let _ = writeln!(text, "[latency]\nhit = {HIT}");
        let names = ["cache", "memory", "memory_lookup", "memory_invalidate"];
        for (name, latency) in names.iter().zip(LATENCY) {
            let _ = writeln!(text, "{name} = [{}, {}]", latency[0], latency[1]);
        }
        text.push_str(
            "[[ask]]\nmean_period = \"p0:start\"\n[[ask]]\nmean_count = { of = \"miss\", per = \"p0:start\" }\n",
        );
        text
    }

    fn line(&self, variable: usize) -> usize {
        if self.shares && variable < 2 { 0 } else { variable }
    }

    /// Returns what an access costs, whether it is a miss, and the states afterwards.
    fn protocol(&self, states: &[u8], own: usize, line: usize, stores: bool) -> (u32, bool, Vec<u8>) {
        let mut next = states.to_vec();
        let others = || (0..states.len()).filter(move |other| *other != own);
        let one = |wanted: &[u8]| others().find(|other| wanted.contains(&states[*other]));
        let home = usize::from(own % 2 != line % 2);
        let from = |other: usize| usize::from(own % 2 != other % 2);
        let alone = |next: &mut Vec<u8>| {
            others().for_each(|other| next[other] = b'I');
            next[own] = b'M';
        };
        let valid: &[u8] = if stores { b"ME" } else { b"MOES" };
        if valid.contains(&states[own]) {
            if stores {
                next[own] = b'M';
            }
            return (HIT, false, next);
        }
        let (kind, distance) = if stores {
            if states[own] == b'O' {
                alone(&mut next);
                (3, home)
            } else if let Some(other) = one(b"MO") {
                if self.table == "mesi-b-store" {
                    (next[own], next[other]) = (b'S', b'S');
                } else {
                    alone(&mut next);
                }
                (0, from(other))
            } else {
                let kind = if one(b"SE").is_some() { 3 } else { 1 };
                alone(&mut next);
                (kind, home)
            }
        } else if let Some(other) = one(b"MO") {
            match self.table {
                "mesi-a" | "mesi-b-store" => (next[own], next[other]) = (b'E', b'I'),
                "moesi" => (next[own], next[other]) = (b'S', b'O'),
                _ => (next[own], next[other]) = (b'S', b'S'),
            }
            (0, from(other))
        } else if let Some(other) = one(b"E") {
            (next[own], next[other]) = (b'S', b'S');
            (2, home)
        } else if one(b"S").is_some() || self.table == "msi" {
            next[own] = b'S';
            (1, home)
        } else {
            next[own] = b'E';
            (1, home)
        };
        (LATENCY[kind][distance], true, next)
    }

    /// Begins an access.
    fn access(&self, state: &mut State, own: usize, variable: usize, stores: bool) {
        let line = self.line(variable);
        let (latency, is_miss, next) = self.protocol(&state.lines[line], own, line, stores);
        let flight = &mut state.flights[own];
        (flight.latency, flight.is_miss) = (latency, is_miss);
        if self.is_refined {
            flight.later = Some((line, stores));
        } else {
            state.lines[line] = next;
        }
    }

    /// Lets a process go on after a wait; returns whether a new round began.
    fn go_on(&self, state: &mut State, own: usize) -> bool {
        let deeds = &self.processes[own];
        let mut began = false;
        loop {
            let Flight { deed, done, first, second, .. } = state.flights[own];
            if deed == deeds.len() {
                (state.flights[own].deed, state.flights[own].done) = (0, 0);
                began = true;
                continue;
            }
            let done_now = done + 1;
            state.flights[own].done = done_now;
            let finish = |state: &mut State| {
                let flight = &mut state.flights[own];
                (flight.deed, flight.done, flight.first, flight.second) = (deed + 1, 0, 0, 0);
            };
            match (deeds[deed], done) {
                (Deed::Load(x), 0) => self.access(state, own, x, false),
                (Deed::Store(x, value), 0) => {
                    self.access(state, own, x, true);
                    state.memory[x] = value;
                }
                (Deed::TestAndSet(x), 0) => {
                    self.access(state, own, x, true);
                    state.memory[x] = 1;
                }
                (Deed::Both(x, _) | Deed::Sum(x, ..), 0) => {
                    self.access(state, own, x, false);
                    state.flights[own].first = state.memory[x];
                }
                // The same variable is not loaded twice.
                (Deed::Both(x, y), 1) if first != 0 && x != y => self.access(state, own, y, false),
                (Deed::Sum(x, y, _), 1) => {
                    if x == y {
                        state.flights[own].second = first;
                        continue;
                    }
                    self.access(state, own, y, false);
                    state.flights[own].second = state.memory[y];
                }
                (Deed::Sum(.., z), 2) => {
                    self.access(state, own, z, true);
                    state.memory[z] = (first + second) % 2;
                    (state.flights[own].first, state.flights[own].second) = (0, 0);
                }
                _ => {
                    finish(state);
                    continue;
                }
            }
            return began;
        }
    }

    /// Returns the mean time between rounds of the first process, and the misses of all in that time; `None`
    /// if there are too many states to be solved by hand.
    pub(crate) fn solve(&self) -> Option<(f64, f64)> {
        let pause = |process: usize| Flight {
            deed: self.processes[process].len(),
            done: 0,
            first: 0,
            second: 0,
            latency: PAUSE,
            is_miss: false,
            later: None,
        };
        let start = State {
            memory: vec![0; self.variables],
            lines: vec![vec![b'I'; self.processes.len()]; self.variables],
            flights: (0..self.processes.len()).map(pause).collect(),
        };
        let mut numbers: HashMap<State, usize> = HashMap::from([(start.clone(), 0)]);
        let mut states = vec![start];
        let mut edges: Vec<Edge> = Vec::new();
        let mut at = 0;
        while at < states.len() {
            for own in 0..self.processes.len() {
                let mut next = states[at].clone();
                let halves = if self.is_refined && next.flights[own].latency != PAUSE { 2.0 } else { 1.0 };
                let rate = halves / f64::from(next.flights[own].latency);
                let (mut round, mut miss) = (0.0, 0.0);
                if let Some((line, stores)) = next.flights[own].later.take() {
                    next.lines[line] = self.protocol(&next.lines[line], own, line, stores).2;
                } else {
                    miss = f64::from(u8::from(next.flights[own].is_miss));
                    round = f64::from(u8::from(self.go_on(&mut next, own) && own == 0));
                }
                let fresh = states.len();
                let target = *numbers.entry(next.clone()).or_insert(fresh);
                if target == fresh {
                    states.push(next);
                }
                edges.push((at, target, rate, round, miss));
            }
            at += 1;
            if states.len() > MAX_STATES {
                return None;
            }
        }
        let fastest = self.processes.len() as f64 * 2.2 / f64::from(HIT);
        let mut likely = vec![0.0; states.len()];
        likely[0] = 1.0;
        for _ in 0..200_000 {
            let mut next = likely.clone();
            for (from, to, rate, ..) in &edges {
                let moves = likely[*from] * rate / fastest;
                next[*from] -= moves;
                next[*to] += moves;
            }
            let change: f64 = next.iter().zip(&likely).map(|(one, other)| (one - other).abs()).sum();
            likely = next;
            if change < 1e-13 {
                break;
            }
        }
        let often = |gain: &dyn Fn(&Edge) -> f64| -> f64 {
            edges.iter().map(|edge| likely[edge.0] * edge.2 * gain(edge)).sum()
        };
        let (rounds, misses) = (often(&|edge| edge.3), often(&|edge| edge.4));
        Some((1.0 / rounds, misses / rounds))
    }
}
