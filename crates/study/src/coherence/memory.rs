//! Which caches and lines there are: processes with their nodes, variables with their lines and homes.

use narrows_model::{Expr, Index, Place, ProctypeId, System};
use narrows_source::{Diagnostic, Diagnostics, Span, closest};

use super::accesses::{is_memory, touches};
use super::expressions::{constant, product, sum};
use super::settings::Layer;
use crate::Text;

/// A process with a cache of its own.
#[derive(Clone, Debug)]
pub(crate) struct Cache {
    /// Its number.
    pub(crate) pid: usize,
    pub(crate) proctype: ProctypeId,
    /// What it is called: its kind, and which one of these it is if there are several.
    pub(crate) name: String,
    /// The number of its node.
    pub(crate) node: usize,
}

/// A cache line.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) name: String,
    /// The node in whose memory it is.
    pub(crate) home: usize,
}

/// The caches, the lines, and what is in them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory {
    pub(crate) caches: Vec<Cache>,
    pub(crate) lines: Vec<Line>,
    /// The names of shared variables.
    pub(crate) variables: Vec<String>,
    /// The names of nodes, in parts.
    nodes: Vec<Vec<String>>,
    /// For each scalar: where it begins, its variable and its line; those that are not shared are left out.
    leaves: Vec<(u32, usize, u32)>,
}

/// The line that a place is in, as far as it is known: its index may decide.
#[derive(Clone, Debug)]
pub(crate) struct LineRef {
    /// The number of the line.
    pub(crate) line: Expr,
    /// All lines it can be.
    pub(crate) lines: Vec<u32>,
    /// The variable.
    pub(crate) variable: usize,
}

/// Returns the variable that a scalar belongs to.
fn root(name: &str) -> &str {
    name.split(['[', '.']).next().unwrap_or(name)
}

/// Returns whether a name stands for a scalar: its own, or that of an array or structure it is in.
fn covers(name: &str, leaf: &str) -> bool {
    leaf.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(['[', '.']))
}

impl Memory {
    /// Finds caches and lines of a system.
    pub(crate) fn find(layer: &Layer, system: &System, diagnostics: &mut Diagnostics) -> Memory {
        let mut memory = Memory::default();
        memory.find_nodes(layer, diagnostics);
        check_names(layer, system, diagnostics);
        let is_free = |id: ProctypeId| layer.free.iter().any(|name| name.text == system.proctype(id).name);
        let private = |name: &str| layer.private.iter().any(|text| root(&text.text) == name);
        // Who uses which variable.
        let mut users: Vec<(String, Vec<usize>)> = Vec::new();
        for (number, proctype) in system.proctypes.iter().enumerate() {
            let id = ProctypeId(number as u16);
            if is_free(id) {
                continue;
            }
            let pids = system.initial_processes.iter().enumerate();
            let pids: Vec<usize> =
                pids.filter(|(_, process)| process.proctype == id).map(|(pid, _)| pid).collect();
            let mut names: Vec<&str> = Vec::new();
            for transition in &proctype.transitions {
                touches(&transition.statement, &mut |place, _| {
                    if let Some(name) = variable_at(system, place)
                        && !private(name)
                        && !names.contains(&name)
                    {
                        names.push(name);
                    }
                });
            }
            if !names.is_empty() && pids.is_empty() {
                let title =
                    format!("`{}` uses shared variables, and is not there from the start", proctype.name);
                diagnostics.push(Diagnostic::error("C0005", proctype.span, title).help(
                    "write `active proctype`, or name it under `free` if its accesses should cost nothing",
                ));
            }
            for name in names {
                match users.iter_mut().find(|(known, _)| known == name) {
                    Some((_, list)) => list.extend(&pids),
                    None => users.push((name.to_owned(), pids.clone())),
                }
            }
        }
        users.retain(|(_, pids)| pids.len() > 1);
        for (pid, process) in system.initial_processes.iter().enumerate() {
            if users.iter().any(|(_, pids)| pids.contains(&pid)) {
                memory.add_cache(layer, system, pid, process.proctype, diagnostics);
            }
        }
        if users.is_empty() {
            let title = "no variable is used by more than one process, so caches make no difference";
            diagnostics.push(Diagnostic::error("C0005", layer.span, title));
        }
        memory.find_lines(layer, system, &users, diagnostics);
        memory
    }

    fn find_nodes(&mut self, layer: &Layer, diagnostics: &mut Diagnostics) {
        for text in &layer.nodes {
            let parts: Vec<String> = text.text.split('.').map(str::to_owned).collect();
            if self.nodes.first().is_some_and(|first| first.len() != parts.len()) {
                let title = "nodes have as many levels as each other: `\"module.node\"`";
                diagnostics.push(Diagnostic::error("C0006", text.span, title));
            }
            if self.nodes.contains(&parts) {
                let title = format!("there are two nodes `{}`", text.text);
                diagnostics.push(Diagnostic::error("C0006", text.span, title));
            }
            self.nodes.push(parts);
        }
        if self.nodes.is_empty() {
            self.nodes.push(vec!["here".to_owned()]);
        }
    }

    /// Returns how far two nodes are from each other: 0 for the same, and one more for each level they do not
    /// share.
    pub(crate) fn distance(&self, one: usize, other: usize) -> usize {
        let (one, other) = (&self.nodes[one], &self.nodes[other]);
        let common = one.iter().zip(other).take_while(|(left, right)| left == right).count();
        one.len().max(other.len()) - common
    }

    /// Returns the greatest distance there can be.
    pub(crate) fn farthest(&self) -> usize {
        let pairs = (0..self.nodes.len()).flat_map(|one| (0..one).map(move |other| (one, other)));
        pairs.map(|(one, other)| self.distance(one, other)).max().unwrap_or(0)
    }

    fn node(&self, name: &str) -> Option<usize> {
        self.nodes.iter().position(|parts| parts.join(".") == name)
    }

    fn add_cache(
        &mut self,
        layer: &Layer,
        system: &System,
        pid: usize,
        proctype: ProctypeId,
        diagnostics: &mut Diagnostics,
    ) {
        let kind = &system.proctype(proctype).name;
        let same = |process: &&narrows_model::InitialProcess| process.proctype == proctype;
        let number = system.initial_processes[..pid].iter().filter(same).count();
        let count = system.initial_processes.iter().filter(same).count();
        let own = format!("{kind}[{number}]");
        let name = if count > 1 { own.clone() } else { kind.clone() };
        let entry = layer.mapping.iter().find(|(known, _)| known.text == own);
        let place = match entry {
            Some((_, places)) => places.first(),
            None => {
                let entry = layer.mapping.iter().find(|(known, _)| known.text == *kind);
                entry.and_then(
                    |(_, places)| if places.len() > 1 { places.get(number) } else { places.first() },
                )
            }
        };
        let node = match place {
            Some(text) => self.node(&text.text).unwrap_or_else(|| {
                let title = format!("there is no node `{}`", text.text);
                let near = self.nodes.iter().map(|parts| parts.join(".")).collect::<Vec<_>>();
                diagnostics.push(suggest(
                    Diagnostic::error("C0006", text.span, title),
                    &text.text,
                    near.iter().map(String::as_str),
                    "nodes stand under `[topology]`, as `nodes = [\"module.node\", …]`",
                ));
                0
            }),
            None => {
                if self.nodes.len() > 1 {
                    let title = format!("`[mapping]` does not say on which node `{name}` runs");
                    diagnostics.push(Diagnostic::error("C0006", layer.span, title));
                }
                0
            }
        };
        self.caches.push(Cache { pid, proctype, name, node });
    }

    fn find_lines(
        &mut self,
        layer: &Layer,
        system: &System,
        users: &[(String, Vec<usize>)],
        diagnostics: &mut Diagnostics,
    ) {
        self.variables = users.iter().map(|(name, _)| name.clone()).collect();
        let mut groups: Vec<Option<u32>> = vec![None; layer.lines.len()];
        for leaf in &system.globals {
            let Some(variable) = self.variables.iter().position(|name| name == root(&leaf.name)) else {
                continue;
            };
            let group = layer
                .lines
                .iter()
                .position(|(_, names)| names.iter().any(|name| covers(&name.text, &leaf.name)));
            let known = group.and_then(|group| groups[group]);
            let line = known.unwrap_or_else(|| {
                let name = group.map_or_else(|| leaf.name.clone(), |group| layer.lines[group].0.text.clone());
                let home = self.home(layer, &leaf.name, &name, diagnostics);
                self.lines.push(Line { name, home });
                self.lines.len() as u32 - 1
            });
            if let Some(group) = group {
                groups[group] = Some(line);
            }
            self.leaves.push((leaf.offset, variable, line));
        }
        self.leaves.sort_unstable();
    }

    /// Returns the node where a variable is at home.
    fn home(&self, layer: &Layer, leaf: &str, line: &str, diagnostics: &mut Diagnostics) -> usize {
        let named = |name: &str| layer.mapping.iter().find(|(known, _)| known.text == name);
        // The longest name that covers it counts.
        let covering = layer.mapping.iter().filter(|(name, _)| covers(&name.text, leaf));
        let covering = covering.max_by_key(|(name, _)| name.text.len());
        let Some((name, places)) = named(line).or(covering).or_else(|| named("*")) else {
            if self.nodes.len() > 1 {
                let title = format!("`[mapping]` does not say in which node's memory `{leaf}` is");
                let help = "give it a node or a process, or write `\"*\" = \"…\"` for all variables";
                diagnostics.push(Diagnostic::error("C0006", layer.span, title).help(help));
            }
            return 0;
        };
        let text = if places.len() > 1 {
            let rest = leaf.strip_prefix(name.text.as_str()).unwrap_or("");
            let index = rest.strip_prefix('[').and_then(|rest| rest.split(']').next());
            let index: Option<usize> = index.and_then(|index| index.parse().ok());
            let Some(text) = index.and_then(|index| places.get(index)) else {
                let title = format!("`{leaf}` has no home: this list gives one to each element of an array");
                diagnostics.push(Diagnostic::error("C0006", name.span, title));
                return 0;
            };
            text
        } else {
            let Some(text) = places.first() else { return 0 };
            text
        };
        let of_process = || self.caches.iter().find(|cache| cache.name == text.text).map(|cache| cache.node);
        self.node(&text.text).or_else(of_process).unwrap_or_else(|| {
            let title = format!("there is no node or process `{}`", text.text);
            let nodes: Vec<String> = self.nodes.iter().map(|parts| parts.join(".")).collect();
            let names = nodes.iter().chain(self.caches.iter().map(|cache| &cache.name)).map(String::as_str);
            let help = "a home is a node of `[topology]`, or a process";
            diagnostics.push(suggest(Diagnostic::error("C0006", text.span, title), &text.text, names, help));
            0
        })
    }

    /// Returns the lines that a variable is in.
    pub(crate) fn lines_of(&self, variable: usize) -> Vec<u32> {
        let own = self.leaves.iter().filter(|(_, other, _)| *other == variable);
        let mut lines: Vec<u32> = own.map(|(.., line)| *line).collect();
        lines.sort_unstable();
        lines.dedup();
        lines
    }

    /// Returns the number of a scalar among those that are shared.
    fn leaf(&self, offset: u32) -> Option<usize> {
        self.leaves.binary_search_by_key(&offset, |(start, ..)| *start).ok()
    }

    /// Returns whether a place is shared.
    pub(crate) fn is_shared(&self, place: &Place) -> bool {
        is_memory(place) && self.leaf(place.offset).is_some()
    }

    /// Returns in which line a place is.
    pub(crate) fn find_place(&self, place: &Place) -> Option<LineRef> {
        let first = self.leaf(place.offset)?;
        let (_, variable, start) = self.leaves[first];
        let mut line = constant(start as i32);
        let mut is_even = true;
        // All scalars it can be, with the lines they would be in if these followed each other.
        let mut offsets: Vec<(u32, i64)> = vec![(place.offset, i64::from(start))];
        for index in &place.indices {
            let second = self.leaf(place.offset + index.stride);
            let step = match second {
                Some(second) => i64::from(self.leaves[second].2) - i64::from(start),
                None => 0,
            };
            line = sum(line, product(index.value.clone(), step as i32));
            let steps = 0..index.length;
            offsets = offsets
                .iter()
                .flat_map(|(offset, line)| {
                    let at =
                        move |count: u32| (offset + count * index.stride, line + i64::from(count) * step);
                    steps.clone().map(at)
                })
                .collect();
        }
        let mut lines = Vec::new();
        for (offset, expected) in &offsets {
            let leaf = self.leaf(*offset)?;
            let line = self.leaves[leaf].2;
            is_even &= i64::from(line) == *expected;
            lines.push(line);
        }
        if !is_even {
            line = self.by_ordinal(place, first, &offsets)?;
        }
        lines.sort_unstable();
        lines.dedup();
        if let [only] = lines[..] {
            line = constant(only as i32);
        }
        Some(LineRef { line, lines, variable })
    }

    /// Returns the line of a place whose scalars are in lines that do not follow each other: by their
    /// numbers.
    fn by_ordinal(&self, place: &Place, first: usize, offsets: &[(u32, i64)]) -> Option<Expr> {
        let mut ordinal = constant(first as i32);
        for index in &place.indices {
            let step =
                self.leaf(place.offset + index.stride).map_or(0, |second| second as i32 - first as i32);
            ordinal = sum(ordinal, product(index.value.clone(), step));
        }
        let mut table = Vec::new();
        for (offset, _) in offsets {
            let leaf = self.leaf(*offset)?;
            table.push((leaf as i32, constant(self.leaves[leaf].2 as i32)));
        }
        table.sort_by_key(|(leaf, _)| *leaf);
        table.dedup_by_key(|(leaf, _)| *leaf);
        Some(super::expressions::select(&ordinal, &table))
    }

    /// Returns the node where a line is at home.
    pub(crate) fn home_of(&self, line: u32) -> usize {
        self.lines[line as usize].home
    }

    /// Returns the index that leads to a line.
    pub(crate) fn index(&self, line: Expr) -> Index {
        Index { value: line, stride: 1, length: self.lines.len() as u32 }
    }
}

/// Returns the name of the variable at a place, if it is in memory.
fn variable_at<'s>(system: &'s System, place: &Place) -> Option<&'s str> {
    if !is_memory(place) {
        return None;
    }
    let leaf = system.globals.iter().find(|leaf| leaf.offset == place.offset)?;
    Some(root(&leaf.name))
}

/// Says what could be meant, or what to do.
pub(super) fn suggest<'n>(
    diagnostic: Diagnostic,
    name: &str,
    names: impl Iterator<Item = &'n str>,
    otherwise: &str,
) -> Diagnostic {
    match closest(name, names) {
        Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
        None => diagnostic.help(otherwise),
    }
}

/// Makes sure that names are those of variables and processes.
fn check_names(layer: &Layer, system: &System, diagnostics: &mut Diagnostics) {
    let variables: Vec<&str> = system.globals.iter().map(|leaf| leaf.name.as_str()).collect();
    let roots = || variables.iter().map(|name| root(name));
    let proctypes = || system.proctypes.iter().map(|proctype| proctype.name.as_str());
    let is_variable = |name: &str| variables.iter().any(|leaf| covers(name, leaf));
    let is_process = |name: &str| proctypes().any(|known| covers(known, name));
    let mut unknown = |text: &Text, what: &str, span: Span| {
        let title = format!("the model has no {what} `{}`", text.text);
        let names = roots().chain(proctypes());
        let help = "variables are global ones of the model, and processes are named by their kind";
        diagnostics.push(suggest(Diagnostic::error("C0007", span, title), &text.text, names, help));
    };
    let groups = layer.lines.iter().chain(&layer.kinds);
    for text in groups.flat_map(|(_, names)| names).chain(&layer.private) {
        if !is_variable(&text.text) {
            unknown(text, "variable", text.span);
        }
    }
    for text in layer.free.iter().filter(|text| !is_process(&text.text)) {
        unknown(text, "process", text.span);
    }
    let lines = |name: &str| layer.lines.iter().any(|(known, _)| known.text == name);
    for (text, _) in &layer.mapping {
        let name = text.text.as_str();
        if name != "*" && !is_variable(name) && !is_process(name) && !lines(name) {
            unknown(text, "variable or process", text.span);
        }
    }
}
