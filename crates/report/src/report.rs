//! What a report is about.

use narrows_model::{Answer, Checked, Coverage, Limit, Model, Problem, Proctype, Reply, Statement};
use narrows_source::{Sources, Span};

/// Everything a report says about one model.
#[derive(Clone, Debug)]
pub struct Report<'a> {
    /// The model.
    pub model: &'a Model,
    /// What was covered.
    pub coverage: &'a Coverage,
    /// How long it took.
    pub seconds: f64,
    /// Why the search stopped early; `None` if it visited every state.
    pub limit: Option<Limit>,
    /// What goes wrong.
    pub problems: &'a [Problem],
    /// The answers to what was asked.
    pub replies: &'a [Reply],
}

/// A statement that no run reaches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreached {
    /// The name of the kind of process.
    pub proctype: String,
    /// Where it is written.
    pub span: Span,
    /// What is written there.
    pub text: String,
    /// Whether a process comes there, and finds that it can't be executed.
    pub is_waited_for: bool,
}

impl<'a> Report<'a> {
    /// Reports what was found about a model, in so many seconds.
    pub fn new(model: &'a Model, checked: &'a Checked, seconds: f64) -> Report<'a> {
        let Checked { replies, coverage, limit, problems, .. } = checked;
        Report { model, coverage, seconds, limit: *limit, problems, replies }
    }

    /// Returns the texts of the model.
    pub(crate) fn sources(&self) -> &'a Sources {
        &self.model.sources
    }

    /// Returns the answers that are no figures.
    pub fn answers(&self) -> impl Iterator<Item = &'a Answer> {
        self.replies.iter().filter_map(|reply| match reply {
            Reply::Answer(answer) => Some(&**answer),
            Reply::Figure(_) => None,
        })
    }

    /// Returns the statements that no run reaches, by kind of process, in the order of the text.
    pub fn unreached(&self) -> Vec<Unreached> {
        let mut list = Vec::new();
        let Some(system) = self.model.processes().filter(|_| self.coverage.of_system) else { return list };
        for (number, proctype) in system.proctypes.iter().enumerate() {
            let taken = self.coverage.taken.get(number).map_or(&[][..], Vec::as_slice);
            list.extend(unreached_of(proctype, taken));
        }
        list
    }

    /// Returns a place as `file:line`.
    pub(crate) fn place(&self, span: Span) -> String {
        place(self.sources(), span)
    }

    /// Returns the average size of a state.
    pub(crate) fn bytes_per_state(&self) -> u64 {
        self.coverage.state_bytes.div_ceil(self.coverage.states.max(1))
    }

    /// Returns the exit status that the answers and problems call for.
    pub fn status(&self) -> u8 {
        let fails = self.replies.iter().any(Reply::fails);
        if fails || !self.problems.is_empty() {
            return 1;
        }
        if self.limit.is_some() || self.replies.iter().any(Reply::is_open) { 2 } else { 0 }
    }
}

/// Returns the statements of a kind of process that could be taken and never were.
fn unreached_of(proctype: &Proctype, taken: &[bool]) -> Vec<Unreached> {
    let is_taken = |index: usize| taken.get(index).copied().unwrap_or(false);
    // One statement can be several transitions, or be part of one: it is reached if any of them is.
    let mut known: Vec<Span> = Vec::new();
    for (index, transition) in proctype.transitions.iter().enumerate() {
        if is_taken(index) {
            known.push(transition.span);
        }
    }
    let inside_d_step = |span: Span| {
        proctype.transitions.iter().any(|transition| match &transition.statement {
            Statement::DStep(step) => step.span != span && step.span.to(span) == step.span,
            _ => false,
        })
    };
    let followed = followed_edges(proctype);
    let visited = visited_locations(proctype, taken);
    let is_waited_for = |index: usize| {
        proctype.locations.iter().zip(&visited).any(|(location, visited)| {
            *visited && location.edges.iter().any(|edge| edge.transition.0 as usize == index)
        })
    };
    let mut list = Vec::new();
    for (index, transition) in proctype.transitions.iter().enumerate() {
        // A jump that nothing leads to was folded into what leads to its target; other such statements are
        // dead code.
        let is_folded = !followed[index]
            && (matches!(transition.statement, Statement::Skip | Statement::End)
                || inside_d_step(transition.span));
        if is_taken(index) || transition.is_glue || is_folded || known.contains(&transition.span) {
            continue;
        }
        known.push(transition.span);
        let (span, text) = (transition.span, transition.text.clone());
        let is_waited_for = is_waited_for(index);
        list.push(Unreached { proctype: proctype.name.clone(), span, text, is_waited_for });
    }
    list.sort_by_key(|entry| entry.span);
    list
}

/// Returns for each location whether a process came there.
fn visited_locations(proctype: &Proctype, taken: &[bool]) -> Vec<bool> {
    let mut visited = vec![false; proctype.locations.len()];
    // Where nothing was ever done, nobody may ever have been.
    let start = taken.contains(&true).then_some(proctype.start);
    let done = proctype.transitions.iter().zip(taken).filter(|(_, taken)| **taken);
    for location in done.map(|(transition, _)| transition.target).chain(start) {
        if let Some(visited) = visited.get_mut(usize::from(location.0)) {
            *visited = true;
        }
    }
    visited
}

/// Returns for each transition whether it can be reached by following edges, whatever the guards say.
fn followed_edges(proctype: &Proctype) -> Vec<bool> {
    let mut followed = vec![false; proctype.transitions.len()];
    let mut seen = vec![false; proctype.locations.len()];
    let mut waiting = vec![proctype.start];
    while let Some(location) = waiting.pop() {
        if std::mem::replace(&mut seen[usize::from(location.0)], true) {
            continue;
        }
        for edge in &proctype.location(location).edges {
            followed[edge.transition.0 as usize] = true;
            waiting.push(proctype.transition(edge.transition).target);
        }
    }
    followed
}

/// Returns the file and the line of a place; `None` if there is no such file.
pub(crate) fn place_of(sources: &Sources, span: Span) -> Option<(&str, usize)> {
    let (_, file) = sources.files().find(|(id, _)| *id == span.file)?;
    Some((&file.name, sources.position(span).line))
}

/// Returns a place as `file:line`; empty if there is no such file.
pub(crate) fn place(sources: &Sources, span: Span) -> String {
    place_of(sources, span).map_or_else(String::new, |(file, line)| format!("{file}:{line}"))
}

/// Returns the first line of what is written at a place; empty if there is no such file.
pub(crate) fn written(sources: &Sources, span: Span) -> &str {
    if sources.files().any(|(id, _)| id == span.file) {
        sources.text(span).lines().next().unwrap_or("").trim()
    } else {
        ""
    }
}
