//! Sends, receives and polls.

use super::bodies::Body;
use super::features::Feature;
use super::names::{Channel, Field, ScalarKind};
use crate::tree::Node;

impl Body<'_> {
    /// The text of a channel, with an index if it is an array of them.
    pub(super) fn channel_text(&mut self, channel: &Channel) -> String {
        match channel.size {
            Some(size) => format!("{}[{}]", channel.name, self.random.index(size)),
            None => channel.name.clone(),
        }
    }

    /// Some channel, for questions that can be asked of every one.
    pub(super) fn any_channel(&mut self) -> String {
        match self.channel(|_| true) {
            Some(channel) => self.channel_text(&channel),
            None => "0".into(),
        }
    }

    /// Draws one of the visible channels that pass a test.
    pub(super) fn channel(&mut self, test: impl Fn(&Channel) -> bool) -> Option<Channel> {
        let candidates: Vec<Channel> =
            self.channels.iter().filter(|channel| test(channel)).cloned().collect();
        self.random.pick(&candidates).cloned()
    }

    /// A channel that carries messages of a shape, as an argument.
    pub(super) fn channel_argument(&mut self, shape: usize) -> Option<String> {
        let dangling = self.has(Feature::DanglingChannels);
        let channel = self.channel(|channel| channel.shape == shape && (channel.travels || dangling))?;
        Some(self.channel_text(&channel))
    }

    /// A send; `None` if no channel is in sight.
    pub(super) fn send(&mut self, only_buffered: bool) -> Option<Node> {
        let channel = self.channel(|channel| channel.buffered || !only_buffered)?;
        let mut fields = self.world.shapes[channel.shape].clone();
        if let [Field::Scalar(alone @ (ScalarKind::Bit | ScalarKind::Bool))] = fields.as_mut_slice() {
            // SPIN keeps a bit that is alone in its message as a byte.
            *alone = ScalarKind::Byte;
        }
        let mut arguments = Vec::new();
        for field in fields {
            arguments.push(self.sent(field)?);
        }
        let operator = if self.has(Feature::Sorted) && self.random.percent(40) { "!!" } else { "!" };
        let name = self.channel_text(&channel);
        if arguments.len() > 1
            && self.random.percent(10)
            && matches!(self.world.shapes[channel.shape][0], Field::Scalar(ScalarKind::Mtype(_)))
        {
            let rest = arguments[1..].join(", ");
            return Some(Node::leaf(format!("{name} {operator} {}({rest})", arguments[0])));
        }
        Some(Node::leaf(format!("{name} {operator} {}", arguments.join(", "))))
    }

    fn sent(&mut self, field: Field) -> Option<String> {
        match field {
            Field::Scalar(kind @ ScalarKind::Mtype(_)) => Some(self.world.draw_constant(self.random, kind)),
            Field::Scalar(_) if self.has(Feature::Truncation) && self.random.percent(15) => {
                Some(["2", "256", "258", "65535", "70000", "-1"][self.random.index(6)].into())
            }
            Field::Scalar(_) if self.random.percent(50) => Some(self.random.index(3).to_string()),
            Field::Scalar(_) => Some(format!("({} % {})", self.number(1), self.random.between(2, 3))),
            Field::Channel(shape) => self.channel_argument(shape),
            Field::Struct => self.struct_variable(),
        }
    }

    /// A variable of the typedef that messages carry.
    fn struct_variable(&mut self) -> Option<String> {
        let candidates: Vec<String> =
            self.world.structs.iter().filter(|entry| entry.1 == 0).map(|entry| entry.0.clone()).collect();
        self.random.pick(&candidates).cloned()
    }

    /// A receive; `None` if there is no channel or nothing to receive into.
    pub(super) fn receive(&mut self) -> Option<Node> {
        let channel = self.channel(|_| true)?;
        let arguments = self.received(&channel, false)?;
        let name = self.channel_text(&channel);
        let random = self.has(Feature::Sorted) && channel.buffered && self.random.percent(40);
        let copying = self.has(Feature::Copying) && channel.buffered && self.random.percent(40);
        let operator = if random { "??" } else { "?" };
        Some(Node::leaf(if copying {
            format!("{name} {operator} <{arguments}>")
        } else {
            format!("{name} {operator} {arguments}")
        }))
    }

    /// A test for a message, without receiving it.
    pub(super) fn poll(&mut self) -> Option<String> {
        let channel = self.channel(|channel| channel.buffered)?;
        let arguments = self.received(&channel, true)?;
        let operator = if self.has(Feature::Sorted) && self.random.percent(50) { "??" } else { "?" };
        let name = self.channel_text(&channel);
        Some(format!("{name} {operator} [{arguments}]"))
    }

    fn received(&mut self, channel: &Channel, poll: bool) -> Option<String> {
        let mut fields = self.world.shapes[channel.shape].clone();
        if let [Field::Scalar(alone @ (ScalarKind::Bit | ScalarKind::Bool))] = fields.as_mut_slice() {
            // SPIN keeps a bit that is alone in its message as a byte.
            *alone = ScalarKind::Byte;
        }
        let mut arguments = Vec::new();
        for field in fields {
            let pattern = self.pattern(field, poll)?;
            // SPIN wants no variable in two fields, and takes a receive back wrongly if it changes its own
            // indices.
            let repeated = pattern.starts_with(char::is_lowercase)
                && arguments.iter().any(|other: &String| share_a_name(other, &pattern));
            arguments.push(if repeated { "_".into() } else { pattern });
        }
        if self.has(Feature::Arity) && self.random.percent(30) {
            if arguments.len() > 1 && self.random.percent(50) {
                arguments.pop();
            } else {
                arguments.push("1".into());
            }
        }
        Some(arguments.join(", "))
    }

    /// What stands for a field in a receive.
    fn pattern(&mut self, field: Field, poll: bool) -> Option<String> {
        let kind = match field {
            Field::Scalar(kind) => kind,
            Field::Channel(shape) => {
                let variable = self.channel(|channel| channel.variable && channel.shape == shape);
                return Some(variable.map_or("_".into(), |channel| channel.name));
            }
            Field::Struct => return self.struct_variable(),
        };
        if self.has(Feature::Matching) && self.random.percent(35) {
            return Some(match self.random.index(4) {
                0 | 1 => self.world.draw_constant(self.random, kind),
                2 if kind.is_symbolic() => "_".into(),
                2 => format!("eval({})", self.evaluated()),
                _ => "_".into(),
            });
        }
        let place = self.place(|place| {
            place.writable
                && place.kind.is_symbolic() == kind.is_symbolic()
                && (poll || place.kind.holds(kind))
        });
        match place {
            Some(place) => Some(self.text(&place)),
            None if poll => Some(self.world.draw_constant(self.random, kind)),
            None => Some("_".into()),
        }
    }

    fn evaluated(&mut self) -> String {
        match self.place(|place| !place.kind.is_symbolic()) {
            Some(place) if self.random.percent(70) => self.text(&place),
            // SPIN evaluates it again to take the receive back, so it must not look at the channel.
            _ => self.random.index(3).to_string(),
        }
    }

    /// A guard on how full a channel is.
    pub(super) fn fullness(&mut self) -> Option<String> {
        let channel = self.channel(|channel| channel.buffered)?;
        let name = self.channel_text(&channel);
        let word = ["full", "empty", "nfull", "nempty"][self.random.index(4)];
        Some(format!("{word}({name})"))
    }

    /// Whether `enabled` may be used: SPIN forbids it beside rendezvous.
    pub(super) fn enabled_allowed(&self) -> bool {
        !self.outside && !self.has(Feature::Rendezvous)
    }
}

/// Whether two texts name the same variable.
fn share_a_name(left: &str, right: &str) -> bool {
    let is_name = |word: &&str| word.starts_with(char::is_lowercase);
    let words = |text| str::split(text, |c: char| !c.is_alphanumeric() && c != '_');
    words(left).filter(is_name).any(|word| words(right).any(|other| other == word))
}
