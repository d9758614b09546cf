//! What limits a design, as plain data.

use crate::{Figure, Number};

/// What was found out about the bottleneck of a design.
#[derive(Clone, Debug, Default)]
pub struct Bottleneck {
    /// What can be busy.
    pub resources: Vec<Resource>,
    /// Every pair of resources.
    pub overlaps: Vec<Overlap>,
    /// Which sets of resources can be busy at the same time, by view; those that are in no larger one.
    pub together: Vec<Together>,
    /// For what part of the time each resource is busy, by view: at least, at most, and on average.
    pub utilisation: Vec<Vec<Figure>>,
    /// What is counted, and what limits it.
    pub flows: Vec<Flow>,
    /// How variables change that hold the state of something: those with names for values.
    pub diagrams: Vec<StateDiagram>,
}

/// How a variable changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StateDiagram {
    /// The variable.
    pub variable: String,
    /// The values it takes; the first is the one it begins with.
    pub values: Vec<String>,
    /// From which value to which it changes, and what processes do that.
    pub changes: Vec<(usize, usize, String)>,
}

/// Something that is busy or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// Its name in the study.
    pub name: String,
    /// When it is busy, in the words of the study.
    pub busy: String,
}

/// Whether two resources can be busy at the same time.
#[derive(Clone, Debug)]
pub struct Overlap {
    /// The number of the first.
    pub first: usize,
    /// The number of the second.
    pub second: usize,
    /// The answers, one for each view: `never`, `possible` or `inevitable`, with runs.
    pub answers: Vec<Figure>,
}

/// The largest sets of resources that can be busy at the same time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Together {
    /// How time was taken.
    pub view: &'static str,
    /// The sets: numbers of resources.
    pub sets: Vec<Vec<usize>>,
    /// Whether every state was looked at.
    pub is_complete: bool,
}

/// How often something happens, and what limits it.
#[derive(Clone, Debug, Default)]
pub struct Flow {
    /// What is counted.
    pub event: String,
    /// How many MB/s it is if it happens once in a unit of time, if it is data.
    pub megabytes: Option<f64>,
    /// How often it happens: at worst and at best, and on average.
    pub throughput: Vec<Figure>,
    /// The runs on which it happens least and most often; one if there is no difference.
    pub cases: Vec<Case>,
    /// How often it could happen on average if the busiest process never waited, where that is more than in
    /// the best run: a process that serves several events may serve them in another proportion when delays
    /// are random.
    pub mean_overlapped: Option<f64>,
    /// What a change of each delay would do, the greatest gain first.
    pub changes: Vec<Sensitivity>,
    /// What the bottleneck is: names of resources or delays; `None` if it is not known.
    pub bottleneck: Option<Vec<String>>,
    /// What it is and what would help, in full sentences.
    pub findings: Vec<String>,
}

/// A run that goes round, and what happens on it.
#[derive(Clone, Debug)]
pub struct Case {
    /// Which one it is: `worst`, `best`, or `every` if they are the same.
    pub name: &'static str,
    /// Whether it goes round for ever; otherwise it ends, and is looked at as a whole.
    pub is_endless: bool,
    /// How often the event happens.
    pub throughput: Number,
    /// How long a round takes.
    pub period: Number,
    /// How many times the event happens in a round.
    pub count: u64,
    /// How much of a round each resource is busy.
    pub busy: Vec<Number>,
    /// Whether each resource is at work while it is busy, as far as is known, and does not just wait for
    /// others.
    pub works: Vec<bool>,
    /// How much work there is for each event, process by process.
    pub work: Vec<Work>,
    /// How often the event could happen if all this work was done at the same time.
    pub all_overlapped: Number,
    /// How often it would happen if nothing was done at the same time.
    pub none_overlapped: Number,
    /// What a round waits for, one after the other.
    pub critical: Vec<Link>,
    /// When resources are busy on the run.
    pub gantt: Gantt,
}

/// What a process does for an event.
#[derive(Clone, Debug, PartialEq)]
pub struct Work {
    /// The process.
    pub process: String,
    /// The names of its delays.
    pub delays: String,
    /// How long they take for each event.
    pub time: Number,
}

/// A delay that a round waits for.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Its name.
    pub delay: String,
    /// The process.
    pub process: String,
    /// The resources that are busy all the while, by number.
    pub resources: Vec<usize>,
    /// What part of the round it takes.
    pub part: Number,
}

/// When resources are busy.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gantt {
    /// The unit of time.
    pub unit: String,
    /// For each resource, when it is busy.
    pub lanes: Vec<Vec<Bar>>,
    /// From when to when the round takes place that comes again and again.
    pub round: Option<(f64, f64)>,
    /// For each latency that the study asks about, its name, and from when to when each of the first requests
    /// on the run is open.
    pub requests: Vec<(String, Vec<Bar>)>,
}

/// A time in which a resource is busy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bar {
    /// When it begins.
    pub from: f64,
    /// When it ends.
    pub to: f64,
}

/// What happens to a throughput if a delay changes.
#[derive(Clone, Debug, PartialEq)]
pub struct Sensitivity {
    /// The name of the delay.
    pub delay: String,
    /// In which view.
    pub view: &'static str,
    /// The throughput as it is.
    pub now: f64,
    /// With the delay cut by 10 %; `None` if it was not decided.
    pub less: Option<f64>,
    /// With a tenth more.
    pub more: Option<f64>,
}

impl Sensitivity {
    /// Returns the elasticity: by how many percent the throughput falls for each percent of delay.
    pub fn elasticity(&self) -> Option<f64> {
        // The time of a round grows evenly with a delay, as long as the critical cycle stays the same.
        let elasticity = (self.now / self.more? - self.now / self.less?) / 0.2;
        elasticity.is_finite().then_some(elasticity)
    }

    /// Returns what part of the throughput is gained with the delay cut by 10 %.
    pub fn gain(&self) -> Option<f64> {
        Some(self.less? / self.now - 1.0)
    }
}

/// A study with other values, and what came out.
#[derive(Clone, Debug)]
pub struct SweepPoint {
    /// What is varied, and its value here.
    pub settings: Vec<(String, String)>,
    /// What came out.
    pub figures: Vec<Figure>,
}
