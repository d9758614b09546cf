//! Where the time of a search went: the phases it consists of, and how often each thing was done.

/// What a search of states spent its time on.
#[derive(Clone, Debug, Default)]
pub struct SearchProfile {
    /// How many threads there were.
    pub threads: usize,
    /// The phases that took any time.
    pub phases: Vec<Phase>,
    /// How often things were done, by their names.
    pub counts: Vec<(&'static str, u64)>,
}

/// Something that a search does again and again, on one thread or on several at once.
#[derive(Clone, Copy, Debug, Default)]
pub struct Phase {
    /// What it is called.
    pub name: &'static str,
    /// How often it was begun.
    pub turns: u64,
    /// How many seconds passed meanwhile.
    pub seconds: f64,
    /// How many seconds the threads worked, all together.
    pub busy: f64,
    /// How many seconds they had nothing to do meanwhile, all together.
    pub idle: f64,
}
