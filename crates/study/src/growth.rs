//! Which variable or channel grows, where a view does not fit into memory.
//!
//! No limit is enough for a model in which something grows without bound, and then it is of no use to ask for
//! more. The first states that a breadth-first search finds tell what grows: it is larger in their second
//! half than in their first.

use std::sync::Arc;

use narrows_explicit::{Budget, Engine, Progress, Watch, numbered_walk};
use narrows_model::wording::listed;
use narrows_model::{Evaluator, Figure, FigureResult, Limit, StateView, ViewSize};
use rustc_hash::FxHashMap;

use crate::{Analysis, Measured, ProcessStudy, View};

/// So many states are looked at.
const STATES: u32 = 4000;

/// They take no more memory than this.
const MEMORY: u64 = 256 << 20;

/// And no longer, in seconds: it comes on top of the limit that was reached.
const SECONDS: f64 = 0.3;

/// What does not become as large as this is not said to grow.
const LARGE: i64 = 16;

/// So many names are told.
const NAMES: usize = 3;

/// Adds to what was measured what grows, if a limit is why something is not known.
pub(crate) fn explain_limits(prepared: &ProcessStudy, watch: &Arc<dyn Watch>, measured: &mut Measured) {
    let sizes = &measured.sizes;
    let mut figures = measured.figures.iter_mut();
    if let Some(figure) = figures.find(|figure| is_unbuilt(figure, sizes)) {
        figure.notes.extend(growth(prepared, watch));
    }
}

/// Adds to an analysis what grows, if a limit is why something is not known.
pub(crate) fn explain_limits_of(prepared: &ProcessStudy, watch: &Arc<dyn Watch>, analysis: &mut Analysis) {
    explain_limits(prepared, watch, &mut analysis.measured);
    let sizes = &analysis.measured.sizes;
    let mut flows = analysis.bottleneck.flows.iter_mut();
    if let Some(flow) = flows.find(|flow| flow.throughput.iter().any(|figure| is_unbuilt(figure, sizes))) {
        flow.findings.extend(growth(prepared, watch));
    }
}

/// Returns whether a limit was reached before the view was built. What is built whole does not grow without
/// bound.
fn is_unbuilt(figure: &Figure, built: &[ViewSize]) -> bool {
    // What the stochastic view left undecided was estimated.
    let is_estimated = matches!(figure.result, FigureResult::Estimated { .. });
    let is_cut = matches!(figure.result, FigureResult::Undecided(Limit::Memory | Limit::Time))
        || is_estimated && figure.view == View::Stochastic.name();
    is_cut && built.iter().all(|size| size.view != figure.view)
}

/// A number of a state, the least and the greatest value of it at first, and later.
struct Range {
    name: String,
    first: (i64, i64),
    later: (i64, i64),
}

impl Range {
    /// Returns how much larger it became.
    fn growth(&self) -> i64 {
        let beyond = (self.later.1 - self.first.1).max(self.first.0 - self.later.0);
        let size = self.later.1.abs().max(self.later.0.abs());
        if size >= LARGE { beyond } else { 0 }
    }
}

/// Grants some more time when the time is up, unless the user wants an end.
struct Overtime {
    watch: Arc<dyn Watch>,
    until: f64,
}

impl Watch for Overtime {
    fn check(&self, progress: &Progress) -> Option<Limit> {
        let is_over = || (self.watch.seconds() >= self.until).then_some(Limit::Time);
        self.watch.check(progress).filter(|limit| *limit == Limit::Interrupted).or_else(is_over)
    }

    fn seconds(&self) -> f64 {
        self.watch.seconds()
    }
}

/// Says which variables and channels grow; `None` if none seems to.
fn growth(prepared: &ProcessStudy, watch: &Arc<dyn Watch>) -> Option<String> {
    let engine = Engine::automatic(Evaluator::new(&prepared.system));
    let evaluator = engine.evaluator();
    let mut ranges: Vec<Range> = Vec::new();
    let mut places: FxHashMap<String, usize> = FxHashMap::default();
    let mut known = 0;
    let mut look = |view: &StateView, is_first: bool| {
        for (name, value) in numbers(view) {
            let place = places.get(&name).copied().unwrap_or_else(|| {
                places.insert(name.clone(), ranges.len());
                ranges.push(Range { name, first: (0, 0), later: (0, 0) });
                ranges.len() - 1
            });
            let Range { first, later, .. } = &mut ranges[place];
            *later = (later.0.min(value), later.1.max(value));
            if is_first {
                *first = *later;
            }
        }
    };
    let until = watch.seconds() + SECONDS;
    let overtime = Overtime { watch: Arc::clone(watch), until };
    let budget = Budget { memory: MEMORY, ..Budget::unlimited(overtime) };
    numbered_walk(&engine, &budget, &mut |edge| {
        if let Some(state) = edge.successor.target
            && edge.target > known
        {
            known = edge.target;
            look(&evaluator.describe(state), known < STATES / 2);
        }
        // Enough is known when there is no room left. Large states take long to look at.
        if known < STATES && watch.seconds() < until { 0 } else { MEMORY }
    });
    ranges.retain(|range| range.growth() > 0);
    ranges.sort_by_key(|range| std::cmp::Reverse(range.growth()));
    let said = ranges.iter().take(NAMES).map(|range| {
        let (least, most) = range.later;
        format!("`{}` (from {least} to {most})", range.name)
    });
    let said: Vec<String> = said.collect();
    let verb = if said.len() == 1 { "grows" } else { "grow" };
    (!said.is_empty()).then(|| {
        format!(
            "In the first {} states {} {verb} and {verb}: if nothing in the model bounds that, no limit is \
             enough.",
            known + 1,
            listed(said.into_iter())
        )
    })
}

/// Returns the numbers of a state that may grow, by name.
fn numbers(view: &StateView) -> Vec<(String, i64)> {
    let globals = view.globals.iter().map(|variable| (variable.name.clone(), i64::from(variable.number)));
    let channels = view.channels.iter().map(|channel| (channel.name.clone(), channel.messages.len() as i64));
    let locals = view.processes.iter().flat_map(|process| {
        let name = |variable: &str| format!("{}:{variable}", process.label());
        process.locals.iter().map(move |variable| (name(&variable.name), i64::from(variable.number)))
    });
    let processes = ("the number of processes".to_owned(), view.processes.len() as i64);
    globals.chain(channels).chain(locals).chain([processes]).collect()
}
