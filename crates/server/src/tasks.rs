//! What a run does, and what it answers.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use narrows::editing::{self, Document, Lines, Outcome, Quantity, asked};
use narrows::{
    Analysis, Budget, FigureResult, Limit, Loader, PreparedStudy, Progress, Reply, StudyFindings, StudyTask,
    StudyText, Verdict, Watch,
};
use narrows_report::{Picture, check, document, result_text, without_style};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::Duration;

use crate::runs::Asked;
use crate::texts::{Work, range};
use crate::{Environment, Refused};

/// A counterexample of more steps is not sent.
const MAX_STEPS: usize = 20_000;

/// What a run does with a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Task {
    /// Answer the questions of a model or a study.
    Check,
    /// Find the bottleneck of a study.
    Bottleneck,
    /// The same, without what takes longest.
    FirstLook,
    /// Answer the questions of a study for each value that it varies.
    Sweep,
}

/// What is told of a run before all is known: what it lacks, and what there is.
pub(crate) type Tell<'t> = &'t (dyn Fn(&'static str, Value) + Sync);

/// A first look that takes no longer than this needs no estimate before it.
const AT_ONCE: Duration = Duration::from_millis(60);

/// Does what is asked for, within a budget; what is known before all is known, `tell` gets.
pub(crate) fn perform(
    asked: Asked,
    environment: &Environment,
    budget: &Budget,
    tell: Tell<'_>,
) -> Result<Value, Refused> {
    let Asked { texts, task, changes, .. } = asked;
    let work = texts.work(environment)?;
    let document = work.document();
    if !document.is_study() {
        return match task {
            Task::Check => check_model(&work, &document, environment, budget),
            _ => Err(Refused::Bad("this is for studies, and not for models".to_owned())),
        };
    }
    if task == Task::FirstLook {
        return first_look(&work, environment, &changes, budget, tell);
    }
    let mut study = prepare(&work, environment, &changes)?;
    if task == Task::Bottleneck {
        return Ok(analysed(&study, &study.analyse(budget), &quantities(&work), budget));
    }
    let loader = work.loader(environment);
    let sweep = (task == Task::Sweep).then_some(&loader as &dyn Loader);
    let found = study.find(StudyTask::Measure, sweep, budget).map_err(|why| Refused::Bad(why.to_string()))?;
    Ok(if task == Task::Sweep { swept(&found) } else { measured(&found, &document) })
}

/// Returns what can be varied. Sliders begin at what the text says.
fn quantities(work: &Work) -> Vec<Quantity> {
    StudyText::read(&work.file, work.text.clone()).quantities()
}

/// Finds the bottleneck, without what takes longest. Where even that takes more than a moment, it is
/// estimated beside that.
fn first_look(
    work: &Work,
    environment: &Environment,
    changes: &[String],
    budget: &Budget,
    tell: Tell<'_>,
) -> Result<Value, Refused> {
    let quantities = quantities(work);
    let study = prepare(work, environment, changes)?;
    let (ended, end) = channel::<()>();
    let progress = Arc::new(Exact { inner: Arc::clone(&budget.watch), is_known: Mutex::new(false) });
    let rough = Budget { watch: Arc::<Exact>::clone(&progress), ..budget.clone() };
    let (known, estimated) = (&progress, &quantities);
    let estimate = move || {
        if end.recv_timeout(AT_ONCE) != Err(RecvTimeoutError::Timeout) {
            return;
        }
        // A study belongs to one thread.
        let Ok(study) = prepare(work, environment, changes) else { return };
        let Some(found) = study.rough_look(&rough) else { return };
        let found = analysed(&study, &found, estimated, &rough);
        // What is exact must not be followed by an estimate.
        let is_known = known.is_known();
        if !*is_known {
            tell("exact figures, critical cycle and timelines", found);
        }
    };
    thread::scope(|scope| {
        // If there is no thread, there is no estimate.
        let beside = thread::Builder::new().stack_size(environment.stack);
        let _ = beside.spawn_scoped(scope, estimate);
        let found = study.first_look(budget, &mut |found| {
            *progress.is_known() = true;
            tell("means", analysed(&study, found, &quantities, budget));
        });
        *progress.is_known() = true;
        drop(ended);
        Ok(analysed(&study, &found, &quantities, budget))
    })
}

/// Ends an estimate when what it estimates is known.
struct Exact {
    inner: Arc<dyn Watch>,
    is_known: Mutex<bool>,
}

impl Exact {
    fn is_known(&self) -> MutexGuard<'_, bool> {
        self.is_known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watch for Exact {
    fn check(&self, progress: &Progress) -> Option<Limit> {
        if *self.is_known() { Some(Limit::Interrupted) } else { self.inner.check(progress) }
    }

    fn seconds(&self) -> f64 {
        self.inner.seconds()
    }

    fn seconds_left(&self) -> Option<f64> {
        self.inner.seconds_left()
    }
}

fn check_model(
    work: &Work,
    document_of: &Document,
    environment: &Environment,
    budget: &Budget,
) -> Result<Value, Refused> {
    let found = editing::check(document_of, &work.loader(environment), budget);
    let found = found.map_err(|why| Refused::Bad(why.to_string()))?;
    let report = found.report();
    let steps = |reply: &Reply| match reply {
        Reply::Answer(answer) => match &answer.verdict {
            Verdict::Fails { trace, .. } => trace.steps.len(),
            _ => 0,
        },
        Reply::Figure(_) => 0,
    };
    let is_short = found.checked.replies.iter().map(steps).sum::<usize>() <= MAX_STEPS;
    let wrongs = found.wrongs().into_iter().map(|wrong| {
        let text = work.text_of(environment, &wrong.file).unwrap_or_default();
        json!({ "file": wrong.file, "place": range(&Lines::new(&text), &wrong.place), "text": wrong.text })
    });
    Ok(json!({
        "outcomes": placed(document_of, &found.outcomes()),
        "wrong": wrongs.collect::<Value>(),
        "document": is_short.then(|| document(&report).to_value()),
        "text": check(&report),
        "status": report.status(),
    }))
}

/// Writes what came out, each with the place where it was asked.
fn placed(document: &Document, outcomes: &[Outcome]) -> Value {
    let (places, lines) = (asked(document), Lines::new(&document.text));
    let told = outcomes.iter().map(|outcome| {
        let place = places.iter().find(|asked| asked.what == outcome.what && !outcome.what.is_empty());
        json!({
            "what": outcome.what, "text": outcome.text, "fails": outcome.fails,
            "place": place.map(|asked| range(&lines, &asked.place)),
        })
    });
    told.collect()
}

/// Returns a document as one value.
fn value<'a>(document: impl Into<narrows_report::Document<'a>>) -> Value {
    document.into().to_value()
}

fn prepare(work: &Work, environment: &Environment, changes: &[String]) -> Result<PreparedStudy, Refused> {
    let mut study = StudyText::read(&work.file, work.text.clone());
    for change in changes {
        study.change(change).map_err(|error| Refused::Bad(error.to_string()))?;
    }
    let study = PreparedStudy::of(study, &work.loader(environment));
    let study = study.map_err(|error| Refused::Bad(error.to_string()))?;
    match study.nothing_asked() {
        Some(nothing) if study.study.events.is_empty() => Err(Refused::Bad(nothing.title)),
        _ => Ok(study),
    }
}

fn measured(found: &StudyFindings, document: &Document) -> Value {
    let figures = found.figures();
    json!({
        "outcomes": placed(document, &found.outcomes(document)),
        "wrong": [],
        "document": value(figures.document()),
        "text": figures.text(false),
        "status": figures.status(),
    })
}

/// What limits a design, with pictures, and what can be varied.
fn analysed(study: &PreparedStudy, analysis: &Analysis, quantities: &[Quantity], budget: &Budget) -> Value {
    let model = study.model();
    let analysed = study.analysed(&model, analysis, budget.watch.seconds());
    let bottleneck = &analysis.bottleneck;
    let word = |figure: &narrows::Figure| match &figure.result {
        FigureResult::Word(word) => word.clone(),
        FigureResult::Estimated { value, .. } if *value > 0.0 => "possible".to_owned(),
        FigureResult::Estimated { .. } => "not seen".to_owned(),
        _ => "undecided".to_owned(),
    };
    let overlaps = bottleneck.overlaps.iter().map(|overlap| {
        let answers = overlap.answers.iter().map(|figure| {
            json!({
                "view": figure.view, "word": word(figure),
                "text": result_text(figure, narrows_report::DIGITS),
            })
        });
        json!([overlap.first, overlap.second, answers.collect::<Value>()])
    });
    let quantities = quantities.iter().map(|one| {
        json!({
            "name": one.name, "value": one.value, "text": one.text, "distribution": one.distribution,
        })
    });
    let picture = |picture: Picture| {
        let svg = without_style(&picture.svg);
        json!({ "name": picture.name, "title": picture.title, "svg": svg })
    };
    let column = analysed.column();
    json!({
        "title": study.study.title,
        "unit": study.study.unit,
        "limit": analysed.limit(),
        "quantities": quantities.collect::<Value>(),
        "resources": bottleneck.resources.iter().map(|one| one.name.clone()).collect::<Vec<_>>(),
        "overlaps": overlaps.collect::<Value>(),
        "flows": bottleneck.flows.iter().map(|flow| analysed.flow_document(flow)).collect::<Value>(),
        "lines": column.lines,
        "charts": analysed.charts().into_iter().map(picture).collect::<Value>(),
        "text": analysed.text(),
    })
}

fn swept(found: &StudyFindings) -> Value {
    let wrong = found.wrong.iter().map(|diagnostic| narrows::render(diagnostic, &found.model.sources, false));
    let figures = found.figures();
    let rows = found.points.iter().map(|point| {
        let figures = point.figures.iter().map(|figure| {
            let ends = match &figure.result {
                FigureResult::Value { low, high, .. } => Some((low.to_f64(), high.to_f64())),
                FigureResult::Estimated { low, high, .. } => Some((*low, *high)),
                _ => None,
            };
            let ends = ends.filter(|(low, high)| low.is_finite() && high.is_finite());
            json!({
                "kind": figure.kind, "name": figure.name, "view": figure.view, "unit": figure.unit,
                "text": result_text(figure, narrows_report::DIGITS), "ends": ends,
            })
        });
        json!({ "settings": point.settings, "figures": figures.collect::<Value>() })
    });
    json!({
        "title": found.study.title,
        "unit": found.study.unit,
        "axes": found.study.sweep.iter().map(|axis| axis.name.text.clone()).collect::<Vec<_>>(),
        "points": rows.collect::<Value>(),
        "wrong": wrong.collect::<Value>(),
        "csv": figures.csv(),
        "text": figures.text(false),
    })
}
