//! A simulation. The run borrows its model, and so both live on a thread of their own, which does what
//! Python asks for.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crossbeam_channel::{Sender, bounded};
use narrows::render;
use narrows::simulation::{NoStart, Recording, Session as Run, Status, Stop, text};
use narrows_model::EntryGroup;
use narrows_report::trace_document;
use narrows_source::{Sources, Span};
use pyo3::prelude::*;
use serde_json::{Map, Value, json};

use crate::failure::{Failure, raise};
use crate::model::Model;
use crate::work;

type Job = Box<dyn FnOnce(&mut Run<'_>) + Send>;

/// Where a run goes.
#[derive(Clone, Copy)]
enum Direction {
    Back,
    Forward,
}

/// A run that is made step by step.
#[pyclass(frozen, module = "narrows._narrows")]
pub(crate) struct Session {
    jobs: Sender<Job>,
}

impl Session {
    /// Does something with the run; a signal sets the flag, and is raised when that is done.
    fn ask<T: Send + 'static>(
        &self,
        py: Python<'_>,
        stop: &AtomicBool,
        job: impl FnOnce(&mut Run<'_>) -> T + Send + 'static,
    ) -> PyResult<T> {
        let (sender, receiver) = bounded(1);
        let job: Job = Box::new(move |run| {
            // Python may not wait any longer.
            let _ = sender.send(job(run));
        });
        // If the thread is gone, so is the sender, and the receiver says so.
        let _ = self.jobs.send(job);
        match work::receive(py, &receiver, stop)? {
            (value, None) => Ok(value),
            (_, Some(stopped)) => Err(stopped),
        }
    }

    fn moved(&self, py: Python<'_>, direction: Direction) -> PyResult<bool> {
        self.briefly(py, move |run| match direction {
            Direction::Back => run.back(),
            Direction::Forward => run.forward(),
        })
    }

    fn briefly<T: Send + 'static>(
        &self,
        py: Python<'_>,
        job: impl FnOnce(&mut Run<'_>) -> T + Send + 'static,
    ) -> PyResult<T> {
        self.ask(py, &AtomicBool::new(false), job)
    }
}

#[pymethods]
impl Session {
    #[new]
    fn new(py: Python<'_>, model: &Model, seed: u64) -> PyResult<Session> {
        let model = Arc::clone(&model.inner);
        let (jobs, received) = bounded::<Job>(1);
        let (sender, started) = bounded(1);
        let begun = work::start(move || {
            let mut run = match Run::new(&model, seed) {
                Ok(run) => run,
                Err(NoStart { message, diagnostic }) => {
                    let shown = diagnostic.map(|one| render(&one, &model.sources, false));
                    let _ = sender.send(Err(Failure::Refused(shown.unwrap_or(message))));
                    return;
                }
            };
            let _ = sender.send(Ok(()));
            received.iter().for_each(|job| job(&mut run));
        });
        begun.map_err(|failure| raise(py, failure))?;
        match work::receive(py, &started, &AtomicBool::new(false))? {
            (_, Some(stopped)) => Err(stopped),
            (Err(failure), None) => Err(raise(py, failure)),
            (Ok(()), None) => Ok(Session { jobs }),
        }
    }

    /// Describes where the run is, as a document.
    fn look(&self, py: Python<'_>) -> PyResult<String> {
        self.briefly(py, |run| look(run).to_string())
    }

    /// Takes one of the steps that can be taken; returns whether there is such a step.
    fn choose(&self, py: Python<'_>, index: usize) -> PyResult<bool> {
        self.briefly(py, move |run| run.choose(index))
    }

    /// Goes a step back.
    fn back(&self, py: Python<'_>) -> PyResult<bool> {
        self.moved(py, Direction::Back)
    }

    /// Goes a step forward again.
    fn forward(&self, py: Python<'_>) -> PyResult<bool> {
        self.moved(py, Direction::Forward)
    }

    /// Goes to the state after so many steps.
    fn jump(&self, py: Python<'_>, position: usize) -> PyResult<()> {
        self.briefly(py, move |run| run.jump(position))
    }

    /// Takes random steps; returns why they ended.
    fn run(&self, py: Python<'_>, count: usize) -> PyResult<String> {
        let stop = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&stop);
        self.ask(py, &stop, move |run| match run.run(count, |_| seen.load(Ordering::Relaxed)) {
            Stop::Count => "count".to_owned(),
            Stop::Status(status) => status_word(status).to_owned(),
            Stop::Wrong(wrong) => wrong,
            Stop::Breakpoint => "breakpoint".to_owned(),
            Stop::Reached => "interrupted".to_owned(),
        })
    }

    /// Says why what can't be done now can't be done, as a document.
    fn why_not(&self, py: Python<'_>) -> PyResult<String> {
        self.briefly(py, |run| {
            let reasons = run.why_not();
            let entry = |reason: &narrows::simulation::Reason| {
                let mut entry = Map::new();
                entry.insert("who".into(), json!(reason.who));
                entry.insert("what".into(), json!(reason.what));
                entry.insert("reason".into(), json!(reason.reason));
                place(&mut entry, run.sources(), reason.place);
                Value::Object(entry)
            };
            Value::Array(reasons.iter().map(entry).collect()).to_string()
        })
    }

    /// Draws the run so far.
    fn chart(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.briefly(py, |run| run.chart(None))
    }

    /// Writes the run so far as a document that can be replayed.
    fn trace(&self, py: Python<'_>) -> PyResult<Vec<u8>> {
        self.briefly(py, |run| {
            let mut bytes = Vec::new();
            // Memory takes everything.
            let _ = trace_document(run.model(), "run", &run.trace()).write(&mut bytes, 0);
            bytes
        })
    }

    /// Replays a run, given as a document.
    fn replay(&self, py: Python<'_>, trace: String) -> PyResult<()> {
        let replayed = self.briefly(py, move |run| {
            let document: Value = serde_json::from_str(&trace).map_err(|error| error.to_string())?;
            let recording = Recording::read(run.model(), &document).map_err(|error| error.to_string())?;
            run.replay(&recording).map_err(|error| error.to_string())
        })?;
        replayed.map_err(|reason| raise(py, Failure::Refused(reason)))
    }
}

fn status_word(status: Status) -> &'static str {
    match status {
        Status::Running => "running",
        Status::Ended => "ended",
        Status::Deadlock => "deadlock",
        Status::Faulted => "fault",
    }
}

fn place(entry: &mut Map<String, Value>, sources: &Sources, span: Option<Span>) {
    let known = span.filter(|span| sources.files().any(|(file, _)| file == span.file));
    if let Some(span) = known {
        entry.insert("file".into(), json!(sources.file(span.file).name));
        entry.insert("line".into(), json!(sources.position(span).line));
    }
}

fn look(run: &Run<'_>) -> Value {
    let step = |step: &narrows_model::TraceStep| {
        let mut entry = Map::new();
        entry.insert("text".into(), json!(text::title(step)));
        let target = text::target(run, step);
        if !target.is_empty() {
            entry.insert("target".into(), json!(target));
        }
        if let Some(action) = step.actions.first() {
            if let Some(actor) = &action.actor {
                entry.insert("process".into(), json!(actor.name));
                entry.insert("pid".into(), json!(actor.number));
            }
            place(&mut entry, run.sources(), Some(action.span));
        }
        Value::Object(entry)
    };
    let entries = run.changed_entries().into_iter().map(|(one, is_changed)| {
        let group = match one.group {
            EntryGroup::Variable => "variable",
            EntryGroup::Channel => "channel",
            EntryGroup::Process => "process",
            EntryGroup::Local => "local",
        };
        let mut entry = Map::new();
        for (name, value) in
            [("group", group), ("owner", &one.owner), ("name", &one.name), ("value", &one.value)]
        {
            entry.insert(name.into(), json!(value));
        }
        entry.insert("changed".into(), json!(is_changed));
        place(&mut entry, run.sources(), one.span);
        Value::Object(entry)
    });
    let output: Vec<&str> = run.output().map(|(_, text)| text).collect();
    json!({
        "position": run.position(),
        "length": run.history().len(),
        "status": status_word(run.status()),
        "before_first": run.is_before_first(),
        "wrong": run.wrong(),
        "last": run.last().map(|taken| text::title(&taken.step)),
        "past": run.past().iter().map(|taken| text::title(&taken.step)).collect::<Vec<_>>(),
        "steps": run.steps().iter().map(step).collect::<Vec<_>>(),
        "entries": entries.collect::<Vec<_>>(),
        "definitions": run.definitions().into_iter().collect::<Vec<_>>(),
        "output": output.concat(),
        "atoms": run.atoms().map(|(text, now, _)| json!([text, now])).collect::<Vec<_>>(),
    })
}
