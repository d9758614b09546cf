//! The body of a proctype or an inline, while it is being written: what is in sight, and where in it we are.

use narrows_graph::Random;

use super::features::Feature;
use super::globals::World;
use super::names::{Channel, Place, ScalarKind};
use super::statements::starts_with_step;
use crate::tree::Node;

/// A body being written.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each says one thing about where we are, in any combination"
)]
pub(super) struct Body<'a> {
    pub(super) random: &'a mut Random,
    pub(super) world: &'a World,
    /// Places by block, innermost last; the first block is the model's.
    pub(super) scopes: Vec<Vec<Place>>,
    pub(super) channels: Vec<Channel>,
    /// Names from the common stock that the blocks around have declared: SPIN lets no name hide another.
    pub(super) reused: Vec<Vec<String>>,
    /// Statements that may still be written.
    pub(super) budget: usize,
    /// The `atomic` we are in.
    pub(super) atomic: Option<usize>,
    /// Whether we are in a `d_step`.
    pub(super) step: bool,
    /// Whether a remote reference is allowed.
    pub(super) remote: bool,
    /// How many loops we are in.
    pub(super) looping: usize,
    /// Whether a `break` here would leave a loop.
    pub(super) breakable: bool,
    /// Whether this is not a proctype's own text, as in an inline or a `provided`.
    pub(super) outside: bool,
    /// Whether this is the first process, which remote references are about.
    pub(super) first: bool,
    /// Declarations that go to the start of the body.
    pub(super) opening: Vec<Node>,
    pub(super) labels: Vec<Label>,
    pub(super) gotos: Vec<Goto>,
    /// Counts everything that needs a number of its own.
    pub(super) count: usize,
}

/// A label and where it stands.
#[derive(Debug, Clone)]
pub(super) struct Label {
    pub(super) name: String,
    order: usize,
    atomic: Option<usize>,
    /// Whether it stands at a statement without parts.
    simple: bool,
}

/// A goto, whose target is chosen when all labels are known.
#[derive(Debug, Clone)]
pub(super) struct Goto {
    order: usize,
    atomic: Option<usize>,
    /// Whether a statement outside any `atomic` comes just before it.
    prepared: bool,
}

impl<'a> Body<'a> {
    pub(super) fn new(random: &'a mut Random, world: &'a World, budget: usize) -> Self {
        Self {
            random,
            world,
            scopes: vec![world.places.clone()],
            channels: world.channels.clone(),
            reused: vec![Vec::new()],
            budget,
            remote: true,
            atomic: None,
            step: false,
            looping: 0,
            breakable: false,
            outside: false,
            first: false,
            opening: Vec::new(),
            labels: Vec::new(),
            gotos: Vec::new(),
            count: 0,
        }
    }

    pub(super) fn has(&self, feature: Feature) -> bool {
        self.world.features.has(feature)
    }

    /// A number that nothing else in this body has.
    pub(super) fn fresh(&mut self) -> usize {
        self.count += 1;
        self.count
    }

    /// The places in sight.
    pub(super) fn visible(&self) -> Vec<&Place> {
        let mut seen: Vec<&Place> = Vec::new();
        for (level, scope) in self.scopes.iter().enumerate().rev() {
            for place in scope {
                let root = |place: &Place| place.name.split('.').next().map(String::from);
                let hidden =
                    self.scopes[level + 1..].iter().flatten().any(|inner| root(inner) == root(place));
                if !hidden {
                    seen.push(place);
                }
            }
        }
        seen
    }

    /// Adds a place to the innermost block.
    pub(super) fn bring(&mut self, places: Vec<Place>) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.extend(places);
        }
    }

    /// Declares a counter at the start of the body, or here as a statement.
    pub(super) fn counter(&mut self, here: &mut Vec<Node>) -> String {
        let kind = if self.random.percent(50) { ScalarKind::Byte } else { ScalarKind::Int };
        self.counter_of(kind, here)
    }

    /// Declares a counter of a type.
    pub(super) fn counter_of(&mut self, kind: ScalarKind, here: &mut Vec<Node>) -> String {
        let name = format!("k{}", self.fresh());
        let declaration = Node::leaf(kind.declare(&name, &self.world.sets));
        if self.outside || (self.has(Feature::LateDeclarations) && self.random.percent(40)) {
            here.push(declaration);
            self.bring(vec![Place::counter(&name, kind)]);
        } else {
            self.opening.push(declaration);
            // In sight from here on only: that it exists earlier does not matter.
            self.bring(vec![Place::counter(&name, kind)]);
        }
        name
    }

    /// Writes something between braces: names declared there can be declared again after them.
    pub(super) fn block<T>(&mut self, write: impl FnOnce(&mut Self) -> T) -> T {
        self.reused.push(Vec::new());
        let written = self.scoped(write);
        self.reused.pop();
        written
    }

    /// Writes something after which what it declares is not used any more.
    pub(super) fn scoped<T>(&mut self, write: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.push(Vec::new());
        let written = write(self);
        self.scopes.pop();
        written
    }

    /// Puts a label at a statement, sometimes.
    pub(super) fn label(&mut self, node: Node) -> Node {
        let wanted = self.has(Feature::Gotos)
            || self.has(Feature::EndLabels)
            || self.has(Feature::RemoteReferences)
            || self.world.watched;
        let unfit = matches!(&node, Node::Leaf(text) if cannot_be_labelled(text));
        let unfit = unfit || starts_with_step(&node);
        if !wanted || unfit || self.step || self.outside || !self.random.percent(25) {
            return node;
        }
        let number = self.fresh();
        // SPIN sees no accept label inside an `atomic`, but for the last statement's, and that only without
        // fairness.
        let invisible = self.world.watched && self.atomic.is_some();
        let prefix = match self.random.index(8) {
            2 | 3 | 5 if invisible => "L",
            0 | 1 if self.world.watched => "progress",
            2 | 3 if self.world.watched => "accept",
            0..=3 if self.has(Feature::EndLabels) => "end",
            4 => "progress",
            5 => "accept",
            _ => "L",
        };
        let name = format!("{prefix}{number}");
        let simple = matches!(node, Node::Leaf(_));
        self.labels.push(Label { name: name.clone(), order: number, atomic: self.atomic, simple });
        node.labelled(&name)
    }

    /// Writes a goto without its target yet.
    pub(super) fn goto(&mut self, prepared: bool) -> Node {
        let order = self.fresh();
        self.gotos.push(Goto { order, atomic: self.atomic, prepared: prepared && self.atomic.is_none() });
        Node::leaf(format!("goto #{}", self.gotos.len() - 1))
    }

    /// Gives every goto a label that cannot make an endless loop inside an `atomic`.
    pub(super) fn resolve(&mut self, nodes: &mut [Node]) {
        let mut targets = Vec::new();
        for goto in &self.gotos {
            let into = self.world.features.has(Feature::GotosInto);
            let fits = |label: &&Label| {
                let forwards = label.order > goto.order;
                let stays = label.atomic == goto.atomic;
                match label.atomic {
                    None => forwards && stays || label.simple || goto.prepared,
                    Some(_) => forwards && (stays || into) || into && goto.prepared,
                }
            };
            let labels: Vec<&Label> = self.labels.iter().filter(fits).collect();
            targets.push(self.random.pick(&labels).map(|label| label.name.clone()));
        }
        replace(nodes, &targets);
    }
}

/// Whether a statement's text is a declaration, which cannot have a label, or a jump, which would make an
/// endless loop of nothing if it were the target of one.
fn cannot_be_labelled(text: &str) -> bool {
    let words = [
        "goto ",
        "break",
        "else",
        "bit ",
        "bool ",
        "byte ",
        "short ",
        "int ",
        "unsigned ",
        "mtype",
        "pid ",
        "chan ",
        "T0 ",
        "T1 ",
    ];
    words.iter().any(|word| text.starts_with(word))
}

fn replace(nodes: &mut [Node], targets: &[Option<String>]) {
    for node in nodes {
        match node {
            Node::Leaf(text) => {
                let Some((start, number)) = text.split_once("goto #") else { continue };
                let target = number.parse::<usize>().ok().and_then(|number| targets[number].clone());
                *text = match target {
                    Some(label) => format!("{start}goto {label}"),
                    None => format!("{start}skip"),
                };
            }
            Node::Sequence { body, .. } => replace(body, targets),
            Node::Choice { options, .. } => replace(options, targets),
            Node::Unless { main, escape } => {
                replace(main, targets);
                replace(escape, targets);
            }
        }
    }
}
