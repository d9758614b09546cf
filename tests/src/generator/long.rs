//! Long sequences that nothing interrupts, and choices in them.

use super::bodies::Body;
use super::names::ScalarKind;
use crate::tree::Node;

impl Body<'_> {
    /// A number of rounds that recursion, or a search that stores each of them, would feel.
    fn many(&mut self) -> usize {
        [60, 400, 3000][self.random.weighted(&[5, 3, 1])] + self.random.index(20)
    }

    /// A loop of many rounds, in which nothing is chosen: SPIN would try every combination of choices.
    pub(super) fn count_far(&mut self, nodes: &mut Vec<Node>) -> Node {
        let counter = self.counter_of(ScalarKind::Int, nodes);
        let rounds = self.many();
        let statement = if self.random.percent(40) { Node::leaf("skip") } else { self.assign() };
        if self.random.percent(60) {
            return Node::braces(&format!("for ({counter} : 1 .. {rounds})"), vec![statement]);
        }
        nodes.push(Node::leaf(format!("{counter} = 0")));
        let round = [format!("({counter} < {rounds})"), format!("{counter}++")].map(Node::leaf);
        let rest = [Node::leaf("else"), Node::leaf("break")];
        let options = vec![Node::option([&round[..], &[statement]].concat()), Node::option(rest.to_vec())];
        Node::Choice { head: "do".into(), options, foot: "od" }
    }

    /// A loop of a few rounds, with a choice in each: as many paths as combinations, but few states.
    pub(super) fn choose_often(&mut self, nodes: &mut Vec<Node>) -> Node {
        let counter = self.counter(nodes);
        let rounds = self.random.between(2, 6);
        nodes.push(Node::leaf(format!("{counter} = 0")));
        let mut options = Vec::new();
        for _ in 0..self.random.between(2, 3) {
            let guard = Node::leaf(format!("({counter} < {rounds})"));
            options.push(Node::option(vec![guard, Node::leaf(format!("{counter}++")), self.assign()]));
        }
        // Either the rounds end the loop, or it may be left at any time.
        let out = if self.random.percent(50) { "else" } else { "true" };
        options.push(Node::option(vec![Node::leaf(out), Node::leaf("break")]));
        Node::Choice { head: "do".into(), options, foot: "od" }
    }

    /// A loop of many rounds that works: arrays, channels, choices that the values decide, loops within.
    pub(super) fn work_long(&mut self, depth: usize, nodes: &mut Vec<Node>) -> Node {
        let counter = self.counter_of(ScalarKind::Int, nodes);
        let rounds = self.many();
        self.looping += 1;
        let mut body = Vec::new();
        for _ in 0..self.random.between(1, 3) {
            let rest = self.random.between(2, 7);
            let node = match self.random.index(5) {
                0 => self.decide(&format!("{counter} % {rest}")),
                1 if self.atomic.is_some() || self.step => self.pass_on(),
                2 if depth > 1 => {
                    let inner = self.counter_of(ScalarKind::Byte, &mut body);
                    let head = format!("for ({inner} : 0 .. {})", self.random.between(0, 3));
                    Node::braces(&head, vec![self.assign()])
                }
                _ => self.assign(),
            };
            body.push(node);
        }
        self.looping -= 1;
        if self.random.percent(50) {
            return Node::braces(&format!("for ({counter} : 0 .. {rounds})"), body);
        }
        nodes.push(Node::leaf(format!("{counter} = {rounds}")));
        let mut round = vec![Node::leaf(format!("({counter} > 0)")), Node::leaf(format!("{counter}--"))];
        round.extend(body);
        let mut options = vec![Node::option(round)];
        let rest = [Node::leaf("else"), Node::leaf("break")];
        options.push(Node::option(rest.to_vec()));
        if self.random.percent(40) {
            options.swap(0, 1);
        }
        Node::Choice { head: "do".into(), options, foot: "od" }
    }

    /// A choice that a number decides: one option can be taken at any time.
    fn decide(&mut self, number: &str) -> Node {
        let first = vec![Node::leaf(format!("({number} == 0)")), self.assign()];
        let mut rest = vec![Node::leaf("else")];
        if self.random.percent(60) {
            rest.push(self.assign());
        }
        let options = vec![Node::option(first), Node::option(rest)];
        Node::Choice { head: "if".into(), options, foot: "fi" }
    }

    /// Puts a message into a channel with slots if there is room for one, and otherwise goes on.
    fn pass_on(&mut self) -> Node {
        let Some(channel) = self.channel(|channel| channel.buffered && !channel.variable) else {
            return self.assign();
        };
        let name = self.channel_text(&channel);
        let known = std::mem::replace(&mut self.channels, vec![channel]);
        let send = self.send(true);
        self.channels = known;
        // The channel is named twice: an element of an array must be the same one.
        match send {
            Some(Node::Leaf(send)) if send.starts_with(&format!("{name} ")) => {
                let first = vec![Node::leaf(format!("nfull({name})")), Node::leaf(send)];
                let options = vec![Node::option(first), Node::option(vec![Node::leaf("else")])];
                Node::Choice { head: "if".into(), options, foot: "fi" }
            }
            _ => self.assign(),
        }
    }

    /// A loop of many rounds that waits for something in the middle: control is lost there, and comes back.
    pub(super) fn pause_long(&mut self, nodes: &mut Vec<Node>) -> Node {
        let counter = self.counter_of(ScalarKind::Int, nodes);
        let rounds = self.many();
        let round = self.random.between(1, rounds);
        let wait = if self.random.percent(30) { self.receive() } else { None };
        let wait = wait.unwrap_or_else(|| Node::leaf(self.guard()));
        let at = vec![Node::leaf(format!("({counter} == {round})")), wait];
        let other = vec![Node::leaf(format!("({counter} != {round})"))];
        let options = vec![Node::option(at), Node::option(other)];
        let pause = Node::Choice { head: "if".into(), options, foot: "fi" };
        self.looping += 1;
        let mut body = vec![self.assign(), pause];
        self.looping -= 1;
        if self.random.percent(50) {
            body.swap(0, 1);
        }
        Node::braces(&format!("for ({counter} : 1 .. {rounds})"), body)
    }

    /// A choice in a late round of a long loop: each of its branches is a long way of its own.
    pub(super) fn choose_late(&mut self, nodes: &mut Vec<Node>) -> Node {
        let counter = self.counter_of(ScalarKind::Int, nodes);
        let rounds = self.many();
        let round = self.random.between(1, rounds);
        let out = self.random.percent(30);
        let mut options = vec![Node::option(vec![Node::leaf(format!("({counter} != {round})"))])];
        for _ in 0..self.random.between(1, 3) {
            let mut taken = vec![Node::leaf(format!("({counter} == {round})")), self.assign()];
            if out && self.random.percent(50) {
                taken.push(Node::leaf("break"));
            }
            options.push(Node::option(taken));
        }
        let choice = Node::Choice { head: "if".into(), options, foot: "fi" };
        nodes.push(Node::leaf(format!("{counter} = 0")));
        let mut body =
            vec![Node::leaf(format!("({counter} < {rounds})")), Node::leaf(format!("{counter}++"))];
        body.push(choice);
        let rest = [Node::leaf("else"), Node::leaf("break")];
        let options = vec![Node::option(body), Node::option(rest.to_vec())];
        Node::Choice { head: "do".into(), options, foot: "od" }
    }
}
