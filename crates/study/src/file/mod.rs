//! What a study file says, as data.

mod delays;
mod outline;
mod quantity;
mod questions;
mod read;
mod rewrite;
mod sweep;
mod table;
#[cfg(test)]
mod tests;

use narrows_languages::of_ending;
use narrows_lts::Relation;
use narrows_model::FormKind;
use narrows_performance::requests::Order;
use narrows_performance::{Delay, Time};
use narrows_source::Span;

pub use outline::{Entry, entries, keys_of};
pub use quantity::QuantityError;
pub use read::read;
pub(crate) use read::written;
pub use rewrite::{RewriteError, rewritten};
pub use sweep::{Axis, ChangeError, Values, Variant};
pub(crate) use table::{Reader, Value, listed};

use crate::Layer;
use crate::measure::expect::as_decimal;

/// A piece of text, and where it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    /// What is written.
    pub text: String,
    /// Where, without quotes.
    pub span: Span,
}

/// Everything a study file says.
#[derive(Clone, Debug, Default)]
pub struct Study {
    /// What it is about, for people.
    pub title: String,
    /// The file of the model, beside the study.
    pub model: Option<Text>,
    /// The unit of all times.
    pub unit: String,
    /// What the figures that others found are called, beside those that come out here.
    pub reference: String,
    /// Macros of the model, with their values.
    pub constants: Vec<(Text, String)>,
    /// Named predicates.
    pub definitions: Vec<(Text, Text)>,
    /// What is busy while a predicate holds.
    pub resources: Vec<(Text, Text)>,
    /// Amounts of data, with names.
    pub amounts: Vec<(Text, Text)>,
    /// How long statements take.
    pub delays: Vec<DelayEntry>,
    /// What is counted: names, and places.
    pub events: Vec<(Text, Vec<Text>)>,
    /// How much data some events are, by their names.
    pub bytes: Vec<(Text, Text)>,
    /// The weights of choices, by place.
    pub weights: Vec<(Text, Vec<u32>)>,
    /// What is gained as time passes, and with events.
    pub rewards: Vec<RewardEntry>,
    /// What is drawn of runs: names and expressions.
    pub signals: Vec<(Text, Text)>,
    /// What is asked.
    pub asks: Vec<Ask>,
    /// How it is simulated, where it is.
    pub simulation: Simulation,
    /// Whether the analysis leaves out what takes longest and is not needed at first: what each delay would
    /// gain, overlap without time, and how variables change.
    pub is_first_look: bool,
    /// What is varied.
    pub sweep: Vec<Axis>,
    /// What it says about caches, if it does.
    pub coherence: Option<Layer>,
    /// What should come out along a sweep: the number of a question, what is varied, and whether it is
    /// `increasing` or `decreasing`.
    pub trends: Vec<(usize, Text, Text)>,
}

impl Study {
    /// Returns which form of model it is about, by the name of the file.
    pub(crate) fn form(&self) -> FormKind {
        let language = self.model.as_ref().and_then(|model| of_ending(&model.text));
        language.map_or(FormKind::Processes, narrows_languages::Language::form)
    }

    /// Returns whether all delays have a least and a greatest value, so that there are best and worst cases.
    pub fn has_windows(&self) -> bool {
        self.delays.iter().all(|entry| entry.delay.window().is_some())
            && self.coherence.as_ref().is_none_or(Layer::has_windows)
    }

    /// Forgets what is expected: that is expected of the study as it is, and not with other values.
    pub fn expect_nothing(&mut self) {
        self.asks.iter_mut().for_each(|ask| ask.expect = None);
    }

    /// Returns whether some delay is for simulation alone.
    pub fn has_drawn_delays(&self) -> bool {
        self.delays.iter().any(|entry| entry.delay.is_drawn())
    }

    /// Returns whether simulation answers what is asked about time, and nothing else does.
    pub fn is_simulated(&self) -> bool {
        self.simulation.engine == StudyEngine::Simulation || self.has_drawn_delays()
    }

    /// Returns the same study with simulation for all that it takes.
    #[must_use]
    pub fn estimated(&self) -> Study {
        let simulation = Simulation { engine: StudyEngine::Simulation, ..self.simulation.clone() };
        Study { simulation, ..self.clone() }
    }

    /// Returns whether something takes time.
    pub fn has_delays(&self) -> bool {
        let takes_time = |entry: &DelayEntry| {
            let is_zero = matches!(entry.delay.window(), Some((_, most)) if most == Time::ZERO);
            !is_zero || self.sweep.iter().any(|axis| axis.name.text == entry.place.text)
        };
        self.delays.iter().any(takes_time) || self.coherence.is_some()
    }

    /// Returns whether only the labels of the model's steps are known, by its name.
    pub fn is_about_labels(&self) -> bool {
        self.form() == FormKind::Labelled
    }

    /// Returns how many MB/s it is if an event of a question happens once in a unit of time.
    pub(crate) fn bandwidth(&self, ask: &Ask) -> Option<Time> {
        self.megabytes(&ask.each.as_ref()?.text)
    }

    /// Returns how many MB/s it is if an event happens once in a unit of time, and is data.
    pub(crate) fn bandwidth_of(&self, event: &Text) -> Option<Time> {
        let (_, bytes) = self.bytes.iter().find(|(name, _)| name.text == event.text)?;
        self.megabytes(&bytes.text)
    }

    /// Returns how many MB/s so much data in a unit of time is; an amount may have a name.
    fn megabytes(&self, data: &str) -> Option<Time> {
        let named = self.amounts.iter().find(|(name, _)| name.text == data);
        quantity::megabytes_per_second(named.map_or(data, |(_, amount)| &amount.text), &self.unit)
    }

    /// Returns what is gained, by its name.
    pub(crate) fn reward(&self, name: &Text) -> Option<&RewardEntry> {
        self.rewards.iter().find(|reward| reward.name.text == name.text)
    }

    /// Returns when a resource is busy, or the text itself if there is no such resource.
    pub fn busy<'t>(&'t self, what: &'t Text) -> &'t Text {
        self.resources.iter().find(|(name, _)| name.text == what.text).map_or(what, |(_, text)| text)
    }
}

/// How long the statements at a place take.
#[derive(Clone, Debug)]
pub struct DelayEntry {
    /// The place: `proctype:label`.
    pub place: Text,
    /// How long.
    pub delay: Delay,
    /// How many times as fast it goes, in the model's expressions.
    pub times: Option<Text>,
    /// What that is divided by.
    pub over: Option<Text>,
    /// Where the times are that were measured, if it is one of them.
    pub samples: Option<Samples>,
}

/// Times that were measured.
#[derive(Clone, Debug)]
pub struct Samples {
    /// The file.
    pub file: Text,
    /// One of the columns of a log; otherwise all numbers in the file count.
    pub column: Option<Text>,
}

/// When a study is simulated, and how far.
#[derive(Clone, Debug, PartialEq)]
pub struct Simulation {
    /// When.
    pub engine: StudyEngine,
    /// How wide confidence intervals may be: half of it, relative to the middle.
    pub accuracy: f64,
    /// What decides about all random numbers.
    pub seed: u64,
    /// How near a state is to what is rare: an expression, or [`QUEUES`](Simulation::QUEUES).
    pub level: Option<Text>,
}

impl Simulation {
    /// Stands for the length of the fullest queue.
    pub const QUEUES: &'static str = "queues";
}

impl Default for Simulation {
    fn default() -> Simulation {
        Simulation { engine: StudyEngine::Automatic, accuracy: 0.01, seed: 1, level: None }
    }
}

/// Who answers what a study asks about time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StudyEngine {
    /// The exact views; simulation estimates what they leave undecided.
    #[default]
    Automatic,
    /// The exact views alone.
    Exact,
    /// Simulation, for all questions that it takes.
    Simulation,
}

/// Something that is gained, such as energy, bytes or money.
#[derive(Clone, Debug, Default)]
pub struct RewardEntry {
    /// Its name.
    pub name: Text,
    /// Its unit; its name if there is none.
    pub unit: String,
    /// How much per time: so many times as much as an expression says, or while a resource is busy.
    pub rates: Vec<(Text, Time)>,
    /// How much each time an event happens.
    pub events: Vec<(Text, Time)>,
}

/// A question, and what is expected to come out.
#[derive(Clone, Debug)]
pub struct Ask {
    /// What is asked.
    pub question: Question,
    /// Its name, for people.
    pub name: String,
    /// Whether what is measured begins in any state where `from` holds, and not only where that becomes true.
    pub anywhere: bool,
    /// In which views it is asked; empty for all that suit it.
    pub view: Option<View>,
    /// What should come out.
    pub expect: Option<Expect>,
    /// What came out elsewhere, such as in a paper: it is shown beside what comes out here.
    pub reference: Option<Expect>,
    /// The table in which it is shown, the row and the column.
    pub cell: Option<[String; 3]>,
    /// Whether the run that shows it is drawn.
    pub draw: bool,
    /// The amount of data that each event is, by name: what comes out is a bandwidth.
    pub each: Option<Text>,
    /// Where it stands.
    pub span: Span,
}

impl Ask {
    /// Makes a question without anything beside it, called by its own words.
    pub fn plain(question: Question) -> Ask {
        let name = question.describe();
        let (view, expect, reference, cell, each) = (None, None, None, None, None);
        let (anywhere, draw, span) = (false, false, Span::default());
        Ask { question, name, anywhere, view, expect, reference, cell, draw, each, span }
    }
}

/// How time is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// Delays are ignored, and steps counted.
    Untimed,
    /// Delays take their time exactly.
    Timed,
    /// Delays are random.
    Stochastic,
    /// Delays are drawn as they are given, in runs at random.
    Simulated,
}

impl View {
    /// All of them.
    pub const ALL: [View; 4] = [View::Untimed, View::Timed, View::Stochastic, View::Simulated];

    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            View::Untimed => "untimed",
            View::Timed => "timed",
            View::Stochastic => "stochastic",
            View::Simulated => "simulated",
        }
    }
}

/// What should come out.
#[derive(Clone, Debug, PartialEq)]
pub enum Expect {
    /// A number, or both ends of a range.
    Number(Time, Time),
    /// A range without an upper end.
    From(Time),
    /// More than any number.
    Infinity,
    /// A word, such as `holds`.
    Word(String),
}

/// What is counted of a state space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizePart {
    /// States that can be reached.
    States,
    /// Edges between them.
    Transitions,
    /// Steps after which all have been reached.
    Depth,
}

impl SizePart {
    /// All of them.
    pub const ALL: [SizePart; 3] = [SizePart::States, SizePart::Transitions, SizePart::Depth];

    /// Returns its name in studies.
    pub fn name(self) -> &'static str {
        match self {
            SizePart::States => "states",
            SizePart::Transitions => "transitions",
            SizePart::Depth => "depth",
        }
    }
}

/// What is asked.
#[derive(Clone, Debug, PartialEq)]
pub enum Question {
    /// The least time from one predicate to another.
    MinDelay(Text, Text),
    /// The most.
    MaxDelay(Text, Text),
    /// Both.
    Delay(Text, Text),
    /// The fewest times that something is counted on the way from one predicate to another.
    MinCount(Text, Text, Text),
    /// The most.
    MaxCount(Text, Text, Text),
    /// Both.
    Count(Text, Text, Text),
    /// How long until everything has ended.
    Makespan,
    /// How large the state space is.
    Size(SizePart),
    /// How often an event happens in the long run.
    Throughput(Text),
    /// How long it takes on average from an event to the next.
    MeanPeriod(Text),
    /// How long processes wait for misses on each shared variable, for each time that an event happens.
    MissTime(Text),
    /// For what part of the time a predicate holds, or a resource is busy.
    Utilisation(Text),
    /// How long it takes on average from one predicate to another.
    MeanDelay(Text, Text),
    /// How many of one event there are for each of another.
    MeanCount(Text, Text),
    /// How likely a predicate is at some time.
    Transient(Text, Time),
    /// What an expression is on average.
    Mean(Text),
    /// How much of a reward is gained on average: per time, or for each time an event happens.
    Reward(Text, Option<Text>),
    /// What is to be known of the way from the start to where a predicate becomes true, or an event happens.
    Reach(ReachKind, Text),
    /// How long requests take.
    Latency(Box<Latency>),
    /// Whether two resources can be, or must be, busy at the same time.
    Overlap(Text, Text),
    /// What limits how often an event happens.
    Bottleneck(Text),
    /// Whether a formula of linear temporal logic holds.
    Ltl(Text),
    /// Whether a formula of computation tree logic holds.
    Ctl(Text),
    /// Whether a predicate holds in every state.
    Invariant(Text),
    /// Whether something can always be done, or everything has ended as it should.
    Deadlock,
    /// Whether a formula of the modal mu-calculus holds of the labelled graph.
    Mu(Text),
    /// Whether the model behaves as another one.
    Equivalence(Equivalence),
}

/// What is asked about the way to something.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum ReachKind {
    /// How likely it is ever reached.
    #[default]
    Ever,
    /// How likely it is reached before a time.
    Before(Time),
    /// How long that takes on average.
    Time,
    /// How much of a reward is gained until then, on average.
    Reward(Text),
}

/// A model to compare with, and what is compared.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Equivalence {
    /// The file of the other model, beside the study's own.
    pub with: Text,
    /// The name of the relation.
    pub relation: String,
    /// The gates that remain visible; all if there are none.
    pub only: Vec<String>,
}

impl Equivalence {
    /// The relations there are, as studies name them.
    pub(crate) const RELATIONS: [(&'static str, Relation); 5] = [
        ("strong", Relation::Strong),
        ("branching", Relation::Branching),
        ("divbranching", Relation::DivergenceBranching),
        ("weak", Relation::Weak),
        ("trace", Relation::Trace),
    ];
}

/// What is measured from a beginning to its end.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Latency {
    /// What begins and ends.
    pub kind: LatencyKind,
    /// The event with which a request begins, or the predicate.
    pub from: Text,
    /// The event with which it ends; of a predicate, the same as `from`.
    pub to: Text,
    /// Which end belongs to which beginning.
    pub order: Order,
    /// By what an end is known to belong to a beginning, if not by the order: what the beginning has.
    pub by: Option<Text>,
    /// What the end has, if it is called differently there.
    pub by_end: Option<Text>,
    /// Which percentiles are asked for.
    pub percentiles: Vec<f64>,
    /// Whether the only percentile is what is asked for, and not the mean.
    pub is_percentile: bool,
}

/// What begins and ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LatencyKind {
    /// A request, from one event to another.
    #[default]
    Latency,
    /// From an event to the next one.
    Period,
    /// From where a predicate becomes true to where it becomes false.
    Duration,
    /// From an event, or where a predicate becomes true, to the next of another.
    Delay,
}

impl LatencyKind {
    fn name(self) -> &'static str {
        match self {
            LatencyKind::Latency => "latency",
            LatencyKind::Period => "period",
            LatencyKind::Duration => "duration",
            LatencyKind::Delay => "mean_delay",
        }
    }
}

impl Latency {
    /// Returns what the end of a request has, by which it is known to belong to a beginning.
    pub(crate) fn value_at_end(&self) -> Option<&Text> {
        self.by_end.as_ref().or(self.by.as_ref())
    }

    /// Makes the latency from one event or predicate to the next of another.
    pub(crate) fn delay(from: &Text, to: &Text) -> Latency {
        let (kind, order) = (LatencyKind::Delay, Order::Next);
        Latency { kind, from: from.clone(), to: to.clone(), order, ..Latency::default() }
    }

    fn describe(&self) -> String {
        match self.kind {
            LatencyKind::Latency | LatencyKind::Delay => {
                format!("from {} to {}", self.from.text, self.to.text)
            }
            _ => self.from.text.clone(),
        }
    }
}

impl Question {
    /// Returns its kind, as in the JSON output.
    pub fn kind(&self) -> &'static str {
        match self {
            Question::MinDelay(..) => "min_delay",
            Question::MaxDelay(..) => "max_delay",
            Question::Delay(..) => "delay",
            Question::MinCount(..) => "min_count",
            Question::MaxCount(..) => "max_count",
            Question::Count(..) => "count",
            Question::Makespan => "makespan",
            Question::Size(_) => "size",
            Question::Throughput(_) => "throughput",
            Question::MeanPeriod(_) => "mean_period",
            Question::MissTime(_) => "miss_time",
            Question::Utilisation(_) => "utilisation",
            Question::MeanDelay(..) => "mean_delay",
            Question::MeanCount(..) => "mean_count",
            Question::Transient(..) => "transient",
            Question::Mean(_) => "mean",
            Question::Reward(..) | Question::Reach(ReachKind::Reward(_), _) => "reward",
            Question::Reach(ReachKind::Ever | ReachKind::Before(_), _) => "probability",
            Question::Reach(ReachKind::Time, _) => "mean_time",
            Question::Latency(latency) => latency.kind.name(),
            Question::Overlap(..) => "overlap",
            Question::Bottleneck(_) => "bottleneck",
            Question::Ltl(_) => "ltl",
            Question::Ctl(_) => "ctl",
            Question::Invariant(_) => "invariant",
            Question::Deadlock => "deadlock",
            Question::Mu(_) => "mu",
            Question::Equivalence(_) => "equivalence",
        }
    }

    /// Says what is asked, in the study's own words.
    pub fn describe(&self) -> String {
        match self {
            Question::MinDelay(from, to)
            | Question::MaxDelay(from, to)
            | Question::Delay(from, to)
            | Question::MeanDelay(from, to) => {
                format!("from {} to {}", from.text, to.text)
            }
            Question::MinCount(what, from, to)
            | Question::MaxCount(what, from, to)
            | Question::Count(what, from, to) => {
                format!("{} from {} to {}", what.text, from.text, to.text)
            }
            Question::Makespan => "until everything has ended".to_owned(),
            Question::Size(part) => part.name().to_owned(),
            Question::Throughput(what)
            | Question::MeanPeriod(what)
            | Question::MissTime(what)
            | Question::Utilisation(what)
            | Question::Mean(what)
            | Question::Reward(what, None)
            | Question::Bottleneck(what)
            | Question::Ltl(what)
            | Question::Ctl(what)
            | Question::Mu(what)
            | Question::Invariant(what) => what.text.clone(),
            Question::Deadlock => "no deadlock".to_owned(),
            Question::Equivalence(other) => format!("{} with {}", other.relation, other.with.text),
            Question::Overlap(first, second) => format!("{} and {}", first.text, second.text),
            Question::MeanCount(of, per) | Question::Reward(of, Some(per)) => {
                format!("{} for each {}", of.text, per.text)
            }
            Question::Reach(ReachKind::Before(time), to) => {
                format!("{} before {}", to.text, as_decimal(time))
            }
            Question::Reach(ReachKind::Reward(of), to) => format!("{} to {}", of.text, to.text),
            Question::Reach(_, to) => format!("to {}", to.text),
            Question::Transient(what, time) => format!("{} at {}", what.text, as_decimal(time)),
            Question::Latency(latency) => latency.describe(),
        }
    }
}
