//! What a model declares outside its proctypes.

use narrows_graph::Random;

use super::features::{Feature, Features};
use super::names::{Channel, Field, MtypeSet, Place, ScalarKind, Typedef};
use crate::tree::Node;

/// Everything that bodies can refer to.
#[derive(Debug, Clone)]
pub(super) struct World {
    pub(super) features: Features,
    pub(super) sets: Vec<MtypeSet>,
    pub(super) typedefs: Vec<Typedef>,
    /// Variables of the typedefs: name and number of the typedef.
    pub(super) structs: Vec<(String, usize)>,
    pub(super) places: Vec<Place>,
    /// What the messages of channels look like.
    pub(super) shapes: Vec<Vec<Field>>,
    pub(super) channels: Vec<Channel>,
    /// Write-only variables.
    pub(super) hidden: Vec<String>,
    pub(super) inlines: Vec<Inline>,
    /// Expressions over labels and variables of the first process.
    pub(super) remote: Vec<String>,
    /// Whether questions about runs will be asked, for which there are labels everywhere.
    pub(super) watched: bool,
    /// Places in processes that claims can speak of, as remote references.
    pub(super) landmarks: Vec<String>,
}

/// An inline's name, with for each parameter whether it is written.
#[derive(Debug, Clone)]
pub(super) struct Inline {
    pub(super) name: String,
    pub(super) written: Vec<bool>,
    /// Whether it has nothing but assignments, as a `d_step` wants it.
    pub(super) plain: bool,
}

impl World {
    /// Draws the declarations and adds them to the model.
    pub(super) fn draw(random: &mut Random, features: Features, nodes: &mut Vec<Node>) -> Self {
        let mut world = Self {
            features,
            sets: Vec::new(),
            typedefs: Vec::new(),
            structs: Vec::new(),
            places: Vec::new(),
            shapes: Vec::new(),
            channels: Vec::new(),
            hidden: Vec::new(),
            inlines: Vec::new(),
            remote: Vec::new(),
            watched: false,
            landmarks: Vec::new(),
        };
        world.draw_sets(random, nodes);
        if features.has(Feature::Typedefs) || features.has(Feature::StructMessages) {
            world.draw_typedefs(random, nodes);
        }
        for index in 0..random.between(1, 4) {
            let (declaration, places) = world.draw_variable(random, &format!("g{index}"));
            let stray = if features.has(Feature::OddSigns) && index == 0 { "*/ " } else { "" };
            nodes.push(Node::leaf(format!("{stray}{declaration}")));
            world.places.extend(places);
        }
        if features.has(Feature::Hidden) {
            nodes.push(Node::leaf("hidden byte hid"));
            nodes.push(Node::leaf("show byte shown"));
            world.hidden.push("hid".into());
            world.places.push(Place::scalar("shown", ScalarKind::Byte));
        }
        world.draw_channels(random, nodes);
        world
    }

    fn draw_sets(&mut self, random: &mut Random, nodes: &mut Vec<Node>) {
        if self.features.has(Feature::Mtypes) {
            let names: Vec<String> = (0..random.between(2, 4)).map(|index| format!("M{index}")).collect();
            nodes.push(Node::leaf(format!("mtype = {{ {} }}", names.join(", "))));
            let mut set = MtypeSet { keyword: "mtype".into(), names };
            if random.percent(25) {
                nodes.push(Node::leaf("mtype = { M8, M9 }"));
                set.names.extend(["M8".into(), "M9".into()]);
            }
            self.sets.push(set);
        }
        if self.features.has(Feature::NamedMtypes) {
            nodes.push(Node::leaf("mtype:colour = { Red, Green, Blue }"));
            let names = ["Red", "Green", "Blue"].map(String::from).to_vec();
            self.sets.push(MtypeSet { keyword: "mtype:colour".into(), names });
        }
    }

    fn draw_typedefs(&mut self, random: &mut Random, nodes: &mut Vec<Node>) {
        for number in 0..random.between(1, 2) {
            let mut fields = Vec::new();
            let mut body = Vec::new();
            for index in 0..random.between(1, 3) {
                // What messages carry, as they may the first typedef, has no bit fields.
                let kind = if number == 0 { self.draw_field(random) } else { self.draw_kind(random) };
                let field = format!("f{index}");
                // A typedef that messages carry, the first, has no arrays.
                if number > 0 && !matches!(kind, ScalarKind::Unsigned(_)) && random.percent(40) {
                    body.push(Node::leaf(kind.declare(&format!("{field}[2]"), &self.sets)));
                    fields.push((format!(".{field}"), Some(2), kind));
                } else {
                    body.push(Node::leaf(kind.declare(&field, &self.sets)));
                    fields.push((format!(".{field}"), None, kind));
                }
            }
            if number > 0 && random.percent(60) {
                body.push(Node::leaf("T0 inner"));
                let inner = self.typedefs[0].fields.clone();
                fields.extend(
                    inner.into_iter().map(|(field, size, kind)| (format!(".inner{field}"), size, kind)),
                );
            }
            nodes.push(Node::braces(&format!("typedef T{number}"), body));
            self.typedefs.push(Typedef { name: format!("T{number}"), fields });
        }
        for (number, typedef) in self.typedefs.iter().enumerate() {
            let name = format!("s{number}");
            if random.percent(30) {
                nodes.push(Node::leaf(format!("{} {name}[2]", typedef.name)));
                self.places.extend(typedef.places(&name, Some(2)));
            } else {
                let old = self.features.has(Feature::OldSyntax) && random.percent(60);
                let initialiser = if old { " = 1" } else { "" };
                nodes.push(Node::leaf(format!("{} {name}{initialiser}", typedef.name)));
                self.places.extend(typedef.places(&name, None));
                self.structs.push((name, number));
            }
        }
    }

    fn draw_channels(&mut self, random: &mut Random, nodes: &mut Vec<Node>) {
        let buffered = self.features.has(Feature::Buffered);
        if !buffered && !self.features.has(Feature::Rendezvous) {
            return;
        }
        for _ in 0..random.between(1, 2) {
            let fields =
                (0..random.weighted(&[0, 5, 3, 1]).max(1)).map(|_| Field::Scalar(self.draw_field(random)));
            let mut fields: Vec<Field> = fields.collect();
            if self.features.has(Feature::StructMessages) && random.percent(60) {
                fields.push(Field::Struct);
            }
            self.shapes.push(fields);
        }
        if self.features.has(Feature::ChannelsInMessages) {
            let carried = random.index(self.shapes.len());
            let mut fields = vec![Field::Channel(carried)];
            if random.percent(30) {
                fields.insert(random.index(2), Field::Scalar(self.draw_field(random)));
            }
            self.shapes.push(fields);
        }
        let shapes = self.shapes.len();
        for index in 0..shapes.max(random.between(1, 3)) {
            let shape = if index < shapes { index } else { random.index(shapes) };
            let name = format!("q{index}");
            let size = (self.features.has(Feature::ChannelArrays) && random.percent(60)).then_some(2);
            let (declaration, buffered) = self.declare_channel(random, &name, size, shape);
            nodes.push(Node::leaf(declaration));
            self.channels.push(Channel { name, size, shape, buffered, variable: false, travels: true });
        }
    }

    /// The declaration of a channel, and whether it has slots.
    pub(super) fn declare_channel(
        &self,
        random: &mut Random,
        name: &str,
        size: Option<usize>,
        shape: usize,
    ) -> (String, bool) {
        let rendezvous = self.features.has(Feature::Rendezvous)
            && (!self.features.has(Feature::Buffered) || random.percent(50));
        let slots = if rendezvous { 0 } else { random.weighted(&[0, 5, 4, 1]) };
        let fields: Vec<String> = self.shapes[shape]
            .iter()
            .map(|field| match field {
                Field::Scalar(kind) => kind.keyword(&self.sets),
                Field::Channel(_) => "chan".into(),
                Field::Struct => self.typedefs[0].name.clone(),
            })
            .collect();
        let index = size.map(|size| format!("[{size}]")).unwrap_or_default();
        (format!("chan {name}{index} = [{slots}] of {{ {} }}", fields.join(", ")), slots > 0)
    }

    /// The type of a message's field: a bit field cannot be one.
    fn draw_field(&self, random: &mut Random) -> ScalarKind {
        match self.draw_kind(random) {
            ScalarKind::Unsigned(_) => ScalarKind::Byte,
            kind => kind,
        }
    }

    /// Draws a type, symbolic ones included.
    pub(super) fn draw_kind(&self, random: &mut Random) -> ScalarKind {
        if !self.sets.is_empty() && random.percent(30) {
            ScalarKind::Mtype(random.index(self.sets.len()))
        } else {
            ScalarKind::draw(random)
        }
    }

    /// Draws the declaration of a variable, an array sometimes, with constants as initial values.
    pub(super) fn draw_variable(&self, random: &mut Random, name: &str) -> (String, Vec<Place>) {
        let kind = self.draw_kind(random);
        let is_array = self.features.has(Feature::Arrays)
            && !matches!(kind, ScalarKind::Unsigned(_))
            && random.percent(40);
        if is_array {
            let size = random.between(1, 3);
            let mut text = kind.declare(&format!("{name}[{size}]"), &self.sets);
            match random.index(4) {
                0 => text = format!("{text} = {}", self.draw_constant(random, kind)),
                1 if !kind.is_symbolic() => {
                    let values: Vec<String> = (0..size).map(|_| self.draw_constant(random, kind)).collect();
                    text = format!("{text} = {{ {} }}", values.join(", "));
                }
                _ => {}
            }
            return (text, vec![Place::array(name, size, kind)]);
        }
        let mut text = kind.declare(name, &self.sets);
        if random.percent(30) {
            text = format!("{text} = {}", self.draw_constant(random, kind));
        }
        (text, vec![Place::scalar(name, kind)])
    }

    /// A constant that a variable of the type may well have.
    pub(super) fn draw_constant(&self, random: &mut Random, kind: ScalarKind) -> String {
        match kind {
            ScalarKind::Bit => random.index(2).to_string(),
            ScalarKind::Bool => if random.percent(50) { "true" } else { "false" }.into(),
            ScalarKind::Mtype(set) => random.pick(&self.sets[set].names).cloned().unwrap_or_default(),
            _ => random.index(4).to_string(),
        }
    }
}
