//! Proctypes, `init` and inlines: who exists, who starts whom, and with what.

use narrows_graph::Random;

use super::bodies::Body;
use super::features::Feature;
use super::globals::{Inline, World};
use super::names::{Channel, Place, ScalarKind};
use crate::tree::Node;

/// A proctype before its body is written.
#[derive(Debug, Clone)]
struct Plan {
    name: String,
    /// How many instances exist from the start.
    active: usize,
    /// How many there will ever be.
    instances: usize,
    parameters: Vec<Parameter>,
    /// Which proctypes each instance starts.
    runs: Vec<usize>,
}

#[derive(Debug, Clone, Copy)]
enum Parameter {
    Scalar(ScalarKind),
    /// A channel of the shape.
    Channel(usize),
}

/// Draws the processes and adds them to the model.
pub(super) fn write(random: &mut Random, world: &mut World, nodes: &mut Vec<Node>) {
    if world.features.has(Feature::Inlines) {
        for index in 0..random.between(1, 2) {
            let inline = inline(random, world, index, nodes);
            world.inlines.push(inline);
        }
    }
    let (mut plans, init) = plan(random, world);
    // The more processes, the shorter each: their interleavings multiply.
    let instances: usize = plans.iter().map(|plan| plan.instances).sum();
    let instances = instances + usize::from(world.features.has(Feature::Environment));
    let length = match instances {
        0 | 1 => 22,
        2 => 13,
        3 => 8,
        4 => 6,
        _ => 4,
    };
    // Every question about runs is another search, and some states are visited twice.
    let length = if world.watched { length * 2 / 3 } else { length };
    for index in 0..plans.len() {
        let plan = plans[index].clone();
        let first = index == 0 && plan.active > 0;
        let node = proctype(random, world, &plan, &plans, first, length);
        nodes.push(node);
    }
    if world.features.has(Feature::Environment) && !world.channels.is_empty() {
        nodes.push(environment(random, world));
    }
    if let Some(started) = init {
        plans.push(Plan { name: String::new(), active: 1, instances: 1, parameters: vec![], runs: started });
        let plan = plans[plans.len() - 1].clone();
        nodes.push(initial(random, world, &plan, &plans));
    }
}

/// Draws the proctypes and what `init` starts, if there is an `init`.
fn plan(random: &mut Random, world: &World) -> (Vec<Plan>, Option<Vec<usize>>) {
    let mut plans: Vec<Plan> = (0..random.weighted(&[0, 2, 5, 3]))
        .map(|index| Plan {
            name: format!("P{index}"),
            active: 0,
            instances: 0,
            parameters: vec![],
            runs: vec![],
        })
        .collect();
    let run = world.features.has(Feature::Run);
    let with_init = run && random.percent(60);
    let mut started = Vec::new();
    for index in 0..plans.len() {
        if run && (with_init || index > 0) && random.percent(65) {
            for _ in 0..random.weighted(&[0, 3, 1]) {
                // Started by `init` or by a proctype before it, so that nobody starts its own ancestors.
                if with_init && (index == 0 || random.percent(60)) {
                    started.push(index);
                    plans[index].instances += 1;
                } else if index > 0 {
                    let parent = random.index(index);
                    plans[parent].runs.push(index);
                    plans[index].instances += plans[parent].instances;
                }
            }
            if world.features.has(Feature::Parameters) {
                for _ in 0..random.between(1, 2) {
                    let parameter = if !world.shapes.is_empty() && random.percent(40) {
                        Parameter::Channel(random.index(world.shapes.len()))
                    } else {
                        Parameter::Scalar(world.draw_kind(random))
                    };
                    plans[index].parameters.push(parameter);
                }
            }
        }
        let total: usize = plans.iter().map(|plan| plan.instances).sum();
        if plans[index].instances == 0 || total < 3 && random.percent(15) {
            let alone = plans.len() == 1 && world.features.has(Feature::Rendezvous);
            let count = if alone {
                2
            } else if total < 2 {
                random.weighted(&[0, 5, 3, 1])
            } else {
                1
            };
            plans[index].active = count;
            plans[index].instances += count;
        }
    }
    (plans, with_init.then_some(started))
}

fn proctype(
    random: &mut Random,
    world: &mut World,
    plan: &Plan,
    plans: &[Plan],
    first: bool,
    length: usize,
) -> Node {
    let features = world.features;
    let deterministic = features.has(Feature::DeterministicProctypes) && plan.runs.is_empty();
    let mut head = if deterministic { "D_proctype ".to_owned() } else { "proctype ".to_owned() };
    match plan.active {
        0 => {}
        1 => head.insert_str(0, "active "),
        count => head.insert_str(0, &format!("active [{count}] ")),
    }
    let mut body = Body::new(random, world, length);
    body.first = first;
    body.scopes.push(Vec::new());
    let parameters = body.parameters(plan);
    head = format!("{head}{}({parameters})", plan.name);
    if features.has(Feature::Priority) && body.random.percent(60) {
        head = format!("{head} priority {}", body.random.between(1, 3));
    }
    if features.has(Feature::Provided) && body.random.percent(50) {
        body.outside = true;
        let scopes = std::mem::replace(&mut body.scopes, vec![world.places.clone()]);
        let channels = std::mem::take(&mut body.channels);
        let condition = body.likely();
        body.channels = channels;
        body.scopes = scopes;
        body.outside = false;
        head = format!("{head} provided ({condition})");
    }
    let declarations = body.locals();
    let depth = if deterministic { 0 } else { 3 };
    let mut nodes = if depth > 0 && features.has(Feature::Loops) && body.random.percent(45) {
        body.forever(length, depth)
    } else {
        body.sequence(length, depth)
    };
    body.start(&plan.runs, plans, &mut nodes);
    body.resolve(&mut nodes);
    let mut all = declarations.clone();
    all.append(&mut body.opening);
    all.append(&mut nodes);
    if first && (features.has(Feature::RemoteReferences) || world.watched) && plan.active > 0 {
        let mut remote: Vec<String> =
            body.labels.iter().map(|label| format!("{}[0]@{}", plan.name, label.name)).collect();
        let locals = body.scopes.last().into_iter().flatten();
        let plain = |place: &&Place| {
            place.size.is_none()
                && place.name.starts_with('l')
                && !place.name.contains('.')
                && !place.kind.is_symbolic()
        };
        remote.extend(locals.filter(plain).map(|place| format!("{}[0]:{}", plan.name, place.name)));
        if world.watched {
            world.landmarks.clone_from(&remote);
        }
        if features.has(Feature::RemoteReferences) {
            world.remote = remote;
        }
    }
    Node::braces(&head, all)
}

fn initial(random: &mut Random, world: &World, plan: &Plan, plans: &[Plan]) -> Node {
    let length = random.index(3);
    let mut body = Body::new(random, world, length);
    body.scopes.push(Vec::new());
    let mut nodes = body.sequence(length, 1);
    let mut runs = Vec::new();
    body.start(&plan.runs, plans, &mut runs);
    if body.random.percent(50) {
        nodes.insert(0, Node::braces("atomic", runs));
    } else {
        nodes.splice(0..0, runs);
    }
    body.resolve(&mut nodes);
    let mut all = std::mem::take(&mut body.opening);
    all.append(&mut nodes);
    Node::braces("init", all)
}

/// A process that sends to and receives from the model's channels for ever, so that others rarely wait in
/// vain.
fn environment(random: &mut Random, world: &World) -> Node {
    let mut body = Body::new(random, world, 2);
    body.looping = 1;
    // It has nothing but constants to say, and forgets what it hears.
    body.scopes = vec![Vec::new()];
    let mut options = Vec::new();
    for _ in 0..=world.channels.len() {
        let node = if body.random.percent(50) { body.send(false) } else { body.receive() };
        options.extend(node.map(|node| Node::option(vec![node])));
    }
    if options.is_empty() {
        options.push(Node::option(vec![Node::leaf("false")]));
    }
    let label = if body.random.percent(50) { "end: do" } else { "do" };
    let choice = Node::Choice { head: label.into(), options, foot: "od" };
    Node::braces("active proctype Environment()", vec![choice])
}

fn inline(random: &mut Random, world: &World, index: usize, nodes: &mut Vec<Node>) -> Inline {
    let name = format!("step{index}");
    let mut body = Body::new(random, world, 3);
    body.outside = true;
    // Numbers of an inline's own, apart from those of the bodies that it is called in.
    body.count = 100 * (index + 1);
    let count = body.random.index(3);
    let written: Vec<bool> = (0..count).map(|_| body.random.percent(50)).collect();
    let parameters: Vec<String> = (0..count).map(|number| format!("a{number}")).collect();
    // What a parameter will stand for is not known, so it is taken for signed, and not an index.
    let places = parameters
        .iter()
        .zip(&written)
        .map(|(name, &written)| Place { writable: written, ..Place::scalar(name, ScalarKind::Short) });
    body.scopes.push(places.collect());
    let plain = body.random.percent(40);
    let text = if plain {
        body.atomic = Some(0);
        (0..2).map(|_| body.simple()).collect()
    } else {
        body.sequence(3, 2)
    };
    nodes.push(Node::braces(&format!("inline {name}({})", parameters.join(", ")), text));
    Inline { name, written, plain }
}

impl Body<'_> {
    /// Writes statements that are done over and over.
    fn forever(&mut self, length: usize, depth: usize) -> Vec<Node> {
        self.looping += 1;
        self.breakable = true;
        let nodes = self.scoped(|body| {
            let mut nodes = vec![body.simple()];
            nodes.extend(body.sequence(length, depth));
            nodes
        });
        self.looping -= 1;
        self.breakable = false;
        let mut options = vec![Node::option(nodes)];
        if self.random.percent(30) {
            let position = self.random.index(2);
            options.insert(position, Node::option(vec![Node::leaf(self.guard()), Node::leaf("break")]));
        }
        vec![Node::Choice { head: "do".into(), options, foot: "od" }]
    }

    /// Brings a proctype's parameters into sight and writes them down.
    fn parameters(&mut self, plan: &Plan) -> String {
        let mut texts = Vec::new();
        for (index, parameter) in plan.parameters.iter().enumerate() {
            let name = format!("p{index}");
            match *parameter {
                Parameter::Scalar(kind) => {
                    texts.push(kind.declare(&name, &self.world.sets));
                    self.bring(vec![Place::scalar(name, kind)]);
                }
                Parameter::Channel(shape) => {
                    texts.push(format!("chan {name}"));
                    let buffered = self.all_buffered(shape);
                    let variable = self.random.percent(30);
                    self.channels.push(Channel {
                        name,
                        size: None,
                        shape,
                        buffered,
                        variable,
                        travels: true,
                    });
                }
            }
        }
        texts.join("; ")
    }

    /// Whether whatever channel of a shape comes along, it has slots.
    fn all_buffered(&self, shape: usize) -> bool {
        !self.has(Feature::Rendezvous) && self.world.shapes.len() > shape
    }

    /// Declares local variables and channels.
    fn locals(&mut self) -> Vec<Node> {
        let mut nodes = Vec::new();
        for index in 0..self.random.index(3) {
            let (declaration, places) = self.world.draw_variable(self.random, &format!("l{index}"));
            nodes.push(Node::leaf(declaration));
            self.bring(places);
        }
        if let Some(typedef) = self.world.typedefs.last()
            && self.has(Feature::Typedefs)
            && self.random.percent(30)
        {
            nodes.push(Node::leaf(format!("{} ls", typedef.name)));
            self.bring(typedef.places("ls", None));
        }
        if self.has(Feature::LocalChannels) && !self.world.shapes.is_empty() {
            let shape = self.random.index(self.world.shapes.len());
            let (declaration, buffered) = self.world.declare_channel(self.random, "lq", None, shape);
            nodes.push(Node::leaf(declaration));
            let name = "lq".into();
            self.channels.push(Channel {
                name,
                size: None,
                shape,
                buffered,
                variable: false,
                travels: false,
            });
        }
        if self.has(Feature::ChannelsInMessages) && !self.world.shapes.is_empty() {
            let shape = self.random.index(self.world.shapes.len());
            if let Some(value) = self.channel_argument(shape) {
                nodes.push(Node::leaf(format!("chan lc = {value}")));
                let buffered = self.all_buffered(shape);
                let name = "lc".into();
                self.channels.push(Channel {
                    name,
                    size: None,
                    shape,
                    buffered,
                    variable: true,
                    travels: true,
                });
            }
        }
        nodes
    }

    /// Writes the `run`s, somewhere among the statements.
    fn start(&mut self, runs: &[usize], plans: &[Plan], nodes: &mut Vec<Node>) {
        for &started in runs {
            let plan = &plans[started];
            let mut arguments = Vec::new();
            for parameter in &plan.parameters {
                arguments.push(match *parameter {
                    Parameter::Scalar(ScalarKind::Mtype(set)) => {
                        self.world.draw_constant(self.random, ScalarKind::Mtype(set))
                    }
                    Parameter::Scalar(_) if self.random.percent(60) => self.random.index(3).to_string(),
                    Parameter::Scalar(_) => format!("({} % 3)", self.number(1)),
                    Parameter::Channel(shape) => self.channel_argument(shape).unwrap_or_else(|| "0".into()),
                });
            }
            let mut text = format!("run {}({})", plan.name, arguments.join(", "));
            if self.has(Feature::Priority) && self.random.percent(40) {
                text = format!("{text} priority {}", self.random.between(1, 4));
            }
            if self.random.percent(25)
                && let Some(place) = self.place(|place| {
                    place.writable
                        && !place.kind.is_symbolic()
                        && matches!(place.kind, ScalarKind::Byte | ScalarKind::Pid | ScalarKind::Int)
                })
            {
                text = format!("{} = {text}", self.text(&place));
            }
            let position = self.random.index(nodes.len() + 1);
            nodes.insert(position, Node::leaf(text));
        }
    }
}
