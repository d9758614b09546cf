//! Claims about runs: formulas of temporal logic and never claims.

use narrows_graph::Random;

use super::bodies::Body;
use super::features::Feature;
use super::globals::World;
use crate::tree::Node;

/// Draws a few claims, each with its name.
pub(super) fn write(random: &mut Random, world: &World) -> Vec<(String, Node)> {
    let mut body = Body::new(random, world, 0);
    body.outside = true;
    // SPIN stops at a poll of a rendezvous channel, and so must no claim ask for the length of one.
    body.channels.retain(|channel| channel.buffered);
    let mut claims = Vec::new();
    for number in 0..body.random.between(2, 4) {
        // SPIN takes for ever to translate some of the larger ones.
        let size = 1 + body.random.weighted(&[5, 6, 5, 3, 2, 1]);
        let formula = body.formula(size);
        let name = format!("f{number}");
        let node =
            Node::Sequence { head: format!("ltl {name} {{"), body: vec![Node::leaf(formula)], foot: "}" };
        claims.push((name, node));
    }
    for number in 0..body.random.index(3) {
        let name = format!("n{number}");
        let claim = if body.random.percent(60) { body.automaton() } else { body.structured() };
        claims.push((name.clone(), Node::braces(&format!("never {name}"), claim)));
    }
    claims
}

impl Body<'_> {
    /// A formula with about so many temporal operators.
    fn formula(&mut self, size: usize) -> String {
        if size == 0 {
            return self.proposition();
        }
        let split = self.random.index(size);
        let rest = size - 1 - split;
        match self.random.weighted(&[4, 4, 4, 2, 2, 2, 2, 2, 2, 1]) {
            0 => format!("[] ({})", self.formula(size - 1)),
            1 => format!("<> ({})", self.formula(size - 1)),
            2 => format!("({}) U ({})", self.formula(split), self.formula(rest)),
            3 => format!("({}) V ({})", self.formula(split), self.formula(rest)),
            4 => format!("({}) W ({})", self.formula(split), self.formula(rest)),
            5 => format!("! ({})", self.formula(size)),
            6 => format!("({}) && ({})", self.formula(split), self.formula(size - split)),
            7 => format!("({}) || ({})", self.formula(split), self.formula(size - split)),
            8 => format!("({}) -> ({})", self.formula(split), self.formula(size - split)),
            _ => format!("({}) <-> ({})", self.formula(split), self.formula(rest.min(2))),
        }
    }

    /// What a formula says of a state. SPIN's formulas take no conditional expressions, and no `full` or
    /// `empty`.
    fn proposition(&mut self) -> String {
        let operator = ["==", "!=", "<", ">"][self.random.index(4)];
        let number = self.random.index(3);
        match self.random.weighted(&[12, 4, 3, 4, 1]) {
            1 if !self.channels.is_empty() => {
                let channel = self.any_channel();
                return format!("len({channel}) {operator} {number}");
            }
            2 => {
                if let Some(poll) = self.poll() {
                    return poll;
                }
            }
            3 => {
                if let Some(place) = self.random.pick(&self.world.landmarks).cloned() {
                    return if place.contains('@') { place } else { format!("{place} {operator} {number}") };
                }
            }
            4 => return ["true", "false"][self.random.index(2)].into(),
            _ => {}
        }
        let Some(place) = self.place(|_| true) else { return "true".into() };
        let text = self.text(&place);
        if place.kind.is_symbolic() {
            let operator = if self.random.percent(50) { "==" } else { "!=" };
            return format!("{text} {operator} {}", self.world.draw_constant(self.random, place.kind));
        }
        format!("{text} {operator} {number}")
    }

    /// The guard of a never claim's step.
    fn watch(&mut self) -> String {
        match self.random.index(12) {
            0 | 1 => "true".into(),
            2 if self.has(Feature::Fullness) => self.fullness().unwrap_or_else(|| "true".into()),
            3 if self.has(Feature::Last) => format!("_last == {}", self.random.index(3)),
            4..=6 => self.condition(1),
            7 => format!("!({})", self.proposition()),
            _ => format!("({})", self.proposition()),
        }
    }

    /// A never claim as an automaton: labels and gotos, as `spin -f` writes them.
    fn automaton(&mut self) -> Vec<Node> {
        let count = self.random.between(1, 4);
        let names: Vec<String> = (0..count)
            .map(|state| format!("{}{state}", if self.random.percent(40) { "accept_S" } else { "S" }))
            .collect();
        let mut nodes = Vec::new();
        for name in &names {
            let mut options = Vec::new();
            for _ in 0..self.random.between(1, 3) {
                let guard = if self.random.percent(8) { "else".into() } else { self.watch() };
                let guard = if options.is_empty() || guard != "else" { guard } else { "true".into() };
                let target = match self.random.index(12) {
                    // Falls out of the choice: into the next state, or to the claim's end.
                    0 => None,
                    _ => self.random.pick(&names),
                };
                let jump = target.map(|target| Node::leaf(format!("goto {target}")));
                let step = if self.random.percent(12) {
                    let mut inner = vec![Node::leaf(guard)];
                    inner.extend(jump.or_else(|| Some(Node::leaf(self.watch()))));
                    vec![Node::braces("atomic", inner)]
                } else {
                    let mut step = vec![Node::leaf(guard)];
                    step.extend(jump);
                    step
                };
                options.push(Node::option(step));
            }
            let keyword = if self.random.percent(25) { "do" } else { "if" };
            let foot = if keyword == "do" { "od" } else { "fi" };
            nodes.push(Node::Choice { head: format!("{name}: {keyword}"), options, foot });
        }
        nodes
    }

    /// A never claim as people write one: a few steps, then a loop, perhaps with a way to the end.
    fn structured(&mut self) -> Vec<Node> {
        let mut nodes = Vec::new();
        for number in 0..self.random.between(1, 3) {
            let label = if self.random.percent(35) { format!("accept{number}: ") } else { String::new() };
            match self.random.index(4) {
                0 => {
                    let steps = vec![Node::leaf(self.watch()), Node::leaf(self.watch())];
                    nodes.push(Node::braces(&format!("{label}atomic"), steps));
                }
                1 => nodes.push(Node::leaf(format!("{label}{}", self.watch()))),
                _ => {
                    let mut options = vec![Node::option(vec![Node::leaf(self.watch())])];
                    if self.random.percent(75) {
                        let out = vec![Node::leaf(self.watch()), Node::leaf("break")];
                        options.push(Node::option(out));
                    }
                    if self.random.percent(30) {
                        options.push(Node::option(vec![Node::leaf(self.watch()), Node::leaf(self.watch())]));
                    }
                    nodes.push(Node::Choice { head: format!("{label}do"), options, foot: "od" });
                }
            }
        }
        nodes
    }
}
