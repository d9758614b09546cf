//! Statements, from assignments to nested blocks.

use super::bodies::Body;
use super::features::Feature;
use super::names::Place;
use super::names::ScalarKind;
use crate::tree::Node;

impl Body<'_> {
    /// Writes about so many statements, with labels at some.
    pub(super) fn sequence(&mut self, length: usize, depth: usize) -> Vec<Node> {
        let mut nodes = Vec::new();
        self.extend(&mut nodes, length, depth);
        nodes
    }

    /// Adds about so many statements to others.
    fn extend(&mut self, nodes: &mut Vec<Node>, length: usize, depth: usize) {
        for _ in 0..length {
            if self.budget == 0 && !nodes.is_empty() {
                break;
            }
            self.budget = self.budget.saturating_sub(1);
            let node = self.compound(depth, nodes).unwrap_or_else(|| self.simple());
            // SPIN forbids a label at the first statement of anything smaller than a body.
            let inner = self.scopes.len() > 2;
            let node = if inner && nodes.is_empty() { node } else { self.label(node) };
            // The way out of a loop is a jump, and SPIN forbids one into a d_step.
            if starts_with_step(&node) && nodes.last().is_some_and(|last| !matches!(last, Node::Leaf(_))) {
                nodes.push(Node::leaf("skip"));
            }
            nodes.push(node);
        }
    }

    /// Whether a statement that may block is welcome here.
    pub(super) fn may_block(&self) -> bool {
        !self.step && (self.atomic.is_none() || self.has(Feature::BlockingAtomic))
    }

    /// Writes a statement with parts; `None` where a simple one is due.
    fn compound(&mut self, depth: usize, nodes: &mut Vec<Node>) -> Option<Node> {
        if depth == 0 || self.budget == 0 {
            return None;
        }
        let on = |feature: Feature, weight: usize| if self.has(feature) { weight } else { 0 };
        let plain = !self.step;
        let weights = [
            14,
            5,
            if plain && self.atomic.is_none() { on(Feature::Loops, 4) } else { 0 },
            on(Feature::Counting, 3),
            on(Feature::For, 3),
            if plain { on(Feature::Atomic, 5) } else { 0 },
            if plain { on(Feature::DeterministicSteps, 4) } else { 0 },
            if plain && !self.outside { on(Feature::Unless, 4) } else { 0 },
            on(Feature::LateDeclarations, 3),
            on(Feature::LateDeclarations, 2),
            if plain { on(Feature::Inlines, 4) } else { 0 },
            if self.looping == 0 && self.is_exclusive() { on(Feature::LongAtomics, 6) } else { 0 },
            if self.looping == 0 && self.atomic.is_some() && plain {
                on(Feature::AtomicChoices, 6)
            } else {
                0
            },
            if self.looping == 0 && self.is_exclusive() { on(Feature::LongWork, 8) } else { 0 },
            if self.looping == 0 && self.atomic.is_some() && self.may_block() {
                on(Feature::LongBlocking, 8)
            } else {
                0
            },
            if self.looping == 0 && self.atomic.is_some() && plain { on(Feature::LateChoices, 6) } else { 0 },
        ];
        match self.random.weighted(&weights) {
            1 => Some(self.choose(depth)),
            2 => Some(self.repeat(depth)),
            3 => Some(self.count_up(depth, nodes)),
            4 => Some(self.iterate(depth, nodes)),
            5 => Some(self.atomic(depth)),
            6 => Some(self.deterministic_step(depth)),
            7 => Some(self.unless(depth)),
            8 => Some(self.declaration()),
            9 => {
                let length = self.random.between(1, 3);
                let body = self.block(|body| body.sequence(length, depth - 1));
                Some(Node::braces("", body))
            }
            10 => self.call(),
            11 => Some(self.count_far(nodes)),
            12 => Some(self.choose_often(nodes)),
            13 => Some(self.work_long(depth, nodes)),
            14 => Some(self.pause_long(nodes)),
            15 => Some(self.choose_late(nodes)),
            _ => None,
        }
    }

    /// Whether no other process can move between the statements here.
    fn is_exclusive(&self) -> bool {
        self.step || self.atomic.is_some()
    }

    /// Writes a statement without parts.
    pub(super) fn simple(&mut self) -> Node {
        let on = |feature: Feature, weight: usize| if self.has(feature) { weight } else { 0 };
        let blocking = self.may_block();
        let weights = [
            10,
            usize::from(blocking),
            if blocking && !self.channels.is_empty() { 6 } else { 0 },
            if blocking && !self.channels.is_empty() { 4 } else { 0 },
            on(Feature::Assertions, 2),
            on(Feature::Idle, 3),
            on(Feature::Select, 2),
            if blocking && !self.outside { on(Feature::Gotos, 2) } else { 0 },
            on(Feature::Hidden, 2),
        ];
        let node = match self.random.weighted(&weights) {
            1 => Some(Node::leaf(self.likely())),
            2 => self.send(false),
            3 => self.receive(),
            4 => Some(Node::leaf(format!("assert({})", self.likely()))),
            5 => Some(self.idle()),
            6 => self.select(),
            7 => Some(self.goto(false)),
            8 => {
                let number = self.number(1);
                self.world.hidden.first().map(|name| Node::leaf(format!("{name} = {number}")))
            }
            _ => None,
        };
        node.unwrap_or_else(|| self.assign())
    }

    /// A condition that holds most of the time.
    pub(super) fn likely(&mut self) -> String {
        let condition = self.condition(1);
        if self.random.percent(60) { format!("({condition} || {})", self.condition(1)) } else { condition }
    }

    pub(super) fn assign(&mut self) -> Node {
        match self.place(|place| place.writable) {
            Some(place) => {
                let value = self.assignment(&place);
                let text = self.text(&place);
                Node::leaf(format!("{text}{value}"))
            }
            None => Node::leaf("skip"),
        }
    }

    fn idle(&mut self) -> Node {
        match self.random.index(4) {
            0 => Node::leaf("skip"),
            1 => Node::leaf("true"),
            2 => Node::leaf("printf(\"here\\n\")"),
            _ => {
                let number = self.number(1);
                Node::leaf(format!("printf(\"%d\\n\", {number})"))
            }
        }
    }

    fn select(&mut self) -> Option<Node> {
        let plain = |place: &Place| {
            place.writable && place.size.is_none() && !place.name.contains('.') && place.kind.can_count()
        };
        let place = self.place(plain)?;
        let name = place.name;
        // In a d_step the loop that SPIN makes of variable bounds would never be left.
        if self.random.percent(60) || self.step {
            let low = self.random.index(2);
            let high = low + self.random.between(0, 2);
            return Some(Node::leaf(format!("select ({name} : {low} .. {high})")));
        }
        let other = self.place(|other| !other.kind.is_symbolic() && other.name != name)?;
        if other.name.contains(&name) {
            return None;
        }
        let bound = match other.size {
            None => other.name,
            Some(_) => format!("{}[0]{}", other.name, other.suffix),
        };
        Some(Node::leaf(format!("select ({name} : 0 .. ({bound} % 3))")))
    }

    /// A condition as a statement.
    pub(super) fn guard(&mut self) -> String {
        if self.has(Feature::Timeout) && !self.step && self.random.percent(15) {
            return if self.random.percent(85) {
                "timeout".into()
            } else {
                format!("(timeout && {})", self.condition(0))
            };
        }
        if self.has(Feature::Fullness)
            && self.random.percent(25)
            && let Some(guard) = self.fullness()
        {
            return guard;
        }
        self.condition(1)
    }

    /// The first statement of an option.
    fn option_start(&mut self, depth: usize) -> Node {
        if self.step {
            return Node::leaf(self.guard());
        }
        if self.has(Feature::OldSyntax) && self.random.percent(25) {
            return Node::leaf(format!("{} --> skip", self.guard()));
        }
        match self.random.weighted(&[6, 6, 3, 3, if depth > 0 { 2 } else { 0 }]) {
            1 => self.assign(),
            2 => self.send(false).unwrap_or_else(|| self.assign()),
            3 => self.receive().unwrap_or_else(|| self.assign()),
            4 => {
                let mut before = Vec::new();
                let node = self.compound(depth, &mut before);
                // A declaration before it would be the option's first statement.
                match node {
                    Some(node) if before.is_empty() => node,
                    Some(node) => {
                        before.push(node);
                        Node::braces("", before)
                    }
                    None => Node::leaf(self.guard()),
                }
            }
            _ => Node::leaf(self.guard()),
        }
    }

    /// Options; one of them `else` where that is wanted or, in a place that must not block, needed.
    fn options(&mut self, depth: usize, ending: bool) -> Vec<Node> {
        let count = self.random.between(1, 3);
        let mut options = Vec::new();
        for _ in 0..count {
            let option = self.scoped(|body| {
                let start = body.option_start(depth - 1);
                let mut nodes = vec![start];
                let length = body.random.index(3);
                body.extend(&mut nodes, length, depth - 1);
                body.end_option(&mut nodes);
                nodes
            });
            options.push(Node::option(option));
        }
        // SPIN's verifier takes no `else` beside another that an option begins with.
        let nested = options.iter().any(starts_with_else) && self.random.percent(97);
        let needed = !self.may_block();
        if !nested && (needed || self.has(Feature::Else) && self.random.percent(45)) {
            let mut nodes = vec![Node::leaf("else")];
            if ending {
                nodes.push(Node::leaf("break"));
            } else {
                let length = self.random.index(3);
                self.scoped(|body| body.extend(&mut nodes, length, depth - 1));
                self.end_option(&mut nodes);
            }
            let position = self.random.index(options.len() + 1);
            options.insert(position, Node::option(nodes));
        }
        options
    }

    /// Leaves the loop or jumps at the end of some options.
    fn end_option(&mut self, nodes: &mut Vec<Node>) {
        if self.breakable && !self.step && self.random.percent(35) {
            nodes.push(Node::leaf("break"));
        } else if self.has(Feature::Gotos) && !self.step && !self.outside && self.random.percent(25) {
            let prepared =
                matches!(nodes.last(), Some(Node::Leaf(text)) if text != "else" && !text.contains("goto"));
            let goto = self.goto(prepared);
            nodes.push(goto);
        }
    }

    fn choose(&mut self, depth: usize) -> Node {
        let options = self.options(depth, false);
        Node::Choice { head: "if".into(), options, foot: "fi" }
    }

    /// A loop that values, blocking or `break` may end.
    fn repeat(&mut self, depth: usize) -> Node {
        let outer = std::mem::replace(&mut self.breakable, true);
        self.looping += 1;
        let mut options = self.options(depth, true);
        if self.random.percent(50) {
            options.push(Node::option(vec![Node::leaf("break")]));
        }
        self.looping -= 1;
        self.breakable = outer;
        Node::Choice { head: "do".into(), options, foot: "od" }
    }

    /// A loop that a counter ends.
    fn count_up(&mut self, depth: usize, nodes: &mut Vec<Node>) -> Node {
        let counter = self.counter(nodes);
        let limit = self.random.between(1, 3);
        if self.random.percent(70) {
            nodes.push(Node::leaf(format!("{counter} = 0")));
        }
        let outer = std::mem::replace(&mut self.breakable, true);
        self.looping += 1;
        let length = self.random.between(1, 2);
        let body = self.scoped(|body| body.sequence(length, depth - 1));
        self.looping -= 1;
        self.breakable = outer;
        let mut round =
            vec![Node::leaf(format!("({counter} < {limit})")), Node::leaf(format!("{counter}++"))];
        round.extend(body);
        let rest = Node::option(vec![Node::leaf("else"), Node::leaf("break")]);
        let mut options = vec![Node::option(round), rest];
        if !self.step && self.random.percent(30) {
            // A way out at any time.
            options.push(Node::option(vec![
                Node::leaf(if self.random.percent(50) { "break" } else { "skip" }),
                Node::leaf("break"),
            ]));
        }
        if self.random.percent(30) {
            options.swap(0, 1);
        }
        Node::Choice { head: "do".into(), options, foot: "od" }
    }

    fn iterate(&mut self, depth: usize, nodes: &mut Vec<Node>) -> Node {
        let counter = self.counter(nodes);
        let low = self.random.index(2);
        let array =
            self.place(|place| place.size.is_some() && place.suffix.is_empty() && !place.name.contains('.'));
        let head = match array {
            Some(array) if self.random.percent(40) => format!("for ({counter} in {})", array.name),
            _ if self.random.percent(20) => {
                let number = self.number(0);
                format!("for ({counter} : {low} .. ({number} % 3))")
            }
            _ => format!("for ({counter} : {low} .. {})", low + self.random.between(0, 2)),
        };
        let outer = std::mem::replace(&mut self.breakable, true);
        self.looping += 1;
        let length = self.random.between(1, 2);
        let body = self.block(|body| body.sequence(length, depth - 1));
        self.looping -= 1;
        self.breakable = outer;
        Node::braces(&head, body)
    }

    fn atomic(&mut self, depth: usize) -> Node {
        let region = Some(self.fresh());
        let outer = std::mem::replace(&mut self.atomic, region);
        let length = self.random.between(1, 4);
        let body = self.block(|body| body.sequence(length, depth - 1));
        self.atomic = outer;
        Node::braces("atomic", body)
    }

    fn deterministic_step(&mut self, depth: usize) -> Node {
        let remote = std::mem::replace(&mut self.remote, false);
        let start = match self.random.index(4) {
            0 if self.may_block() => Some(Node::leaf(self.guard())),
            1 if self.may_block() => self.receive(),
            // A d_step that starts with a choice or a printf can run in the middle of a rendezvous in SPIN.
            _ if self.has(Feature::Rendezvous) => Some(self.assign()),
            _ => None,
        };
        self.remote = remote;
        let breakable = std::mem::replace(&mut self.breakable, false);
        let outer = std::mem::replace(&mut self.step, true);
        let length = self.random.between(1, 3);
        let mut body: Vec<Node> = start.into_iter().collect();
        self.block(|inner| inner.extend(&mut body, length, depth - 1));
        if self.has(Feature::BlockingSteps) && self.random.percent(60) {
            body.push(Node::leaf(self.guard()));
            body.push(self.assign());
        }
        self.step = outer;
        self.breakable = breakable;
        Node::braces("d_step", body)
    }

    fn unless(&mut self, depth: usize) -> Node {
        let breakable = std::mem::replace(&mut self.breakable, false);
        let length = self.random.between(1, 3);
        let main = self.block(|body| body.sequence(length, depth - 1));
        let escape = self.block(|body| {
            let start = match body.random.index(3) {
                0 => body.receive(),
                _ => None,
            };
            let mut nodes = vec![start.unwrap_or_else(|| Node::leaf(body.guard()))];
            let length = body.random.index(3);
            body.extend(&mut nodes, length, depth - 1);
            nodes
        });
        self.breakable = breakable;
        let node = Node::Unless { main, escape };
        if self.random.percent(15) { Node::braces("", vec![node]) } else { node }
    }

    /// A declaration among the statements, sometimes of a name that a block before had too.
    fn declaration(&mut self) -> Node {
        let mut name = format!("v{}", self.fresh());
        if self.has(Feature::ReusedNames) && !self.outside && self.random.percent(60) {
            let stock = format!("w{}", self.random.index(2));
            if !self.reused.iter().flatten().any(|taken| *taken == stock) {
                if let Some(block) = self.reused.last_mut() {
                    block.push(stock.clone());
                }
                name = stock;
            }
        }
        let kind = self.world.draw_kind(self.random);
        let declaration = kind.declare(&name, &self.world.sets);
        let text = match self.random.index(3) {
            0 => declaration,
            1 => format!("{declaration} = {}", self.world.draw_constant(self.random, kind)),
            _ if kind.is_symbolic() => declaration,
            _ => {
                let number = self.place(|place| !place.kind.is_symbolic() && place.name != name);
                let number = number.map_or("1".into(), |place| self.text(&place));
                if number.contains(&name) { declaration } else { format!("{declaration} = ({number} % 3)") }
            }
        };
        self.bring(vec![Place::scalar(name, kind)]);
        Node::leaf(text)
    }

    fn call(&mut self) -> Option<Node> {
        let inline = self.random.pick(&self.world.inlines).cloned()?;
        if self.atomic.is_some() && !self.has(Feature::BlockingAtomic) && !inline.plain {
            return None;
        }
        let mut arguments = Vec::new();
        for written in inline.written {
            // The inline takes what it writes for a short, and may receive into it.
            let place = self.place(|place| {
                !place.kind.is_symbolic()
                    && (!written || place.writable && place.kind.holds(ScalarKind::Short))
            });
            let argument = match place {
                Some(place) if written || self.random.percent(60) => self.text(&place),
                _ if written => return None,
                _ => self.random.index(3).to_string(),
            };
            arguments.push(argument);
        }
        Some(Node::leaf(format!("{}({})", inline.name, arguments.join(", "))))
    }
}

/// Whether one of the first things that a statement can do is an `else`.
fn starts_with_else(node: &Node) -> bool {
    match node {
        Node::Leaf(text) => text == "else",
        // A `for` is a loop with an `else` inside, but it begins with an assignment.
        Node::Sequence { head, .. } if head.contains("for (") => false,
        Node::Sequence { body, .. } => body.first().is_some_and(starts_with_else),
        Node::Choice { options, .. } => options.iter().any(starts_with_else),
        Node::Unless { main, escape } => {
            main.first().is_some_and(starts_with_else) || escape.first().is_some_and(starts_with_else)
        }
    }
}

/// Whether the first thing that a statement does is a `d_step`.
pub(super) fn starts_with_step(node: &Node) -> bool {
    match node {
        Node::Leaf(_) => false,
        Node::Sequence { head, body, .. } => {
            head.contains("d_step") || body.first().is_some_and(starts_with_step)
        }
        Node::Choice { options, .. } => options.iter().any(starts_with_step),
        Node::Unless { main, .. } => main.first().is_some_and(starts_with_step),
    }
}
