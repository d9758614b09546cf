//! Checks and measurements in the background, with progress, until they end or are cancelled.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use crossbeam_channel::Sender;
use lsp_server::{Message, Notification, Request, RequestId};
use narrows::editing::{Document, DocumentError, Outcome, Wrong, check};
use narrows::{Budget, Limit, Loader, PreparedStudy, Progress, StudyError, StudyTask, Unanswered, Watch};
use narrows_report::grouped;
use serde_json::{Value, json};
use thiserror::Error;

use crate::Environment;
use crate::documents::Overlay;

/// The client is told how far a run is after so many seconds.
const TELL_AFTER: f64 = 0.3;

/// What a run does with a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// Answer the questions of a model or a study.
    Check,
    /// The same of a study, and find the bottleneck.
    Bottleneck,
}

impl Task {
    /// Returns the task of a command.
    pub(crate) fn of_command(command: &str) -> Option<Task> {
        match command {
            "narrows.check" => Some(Task::Check),
            "narrows.bottleneck" => Some(Task::Bottleneck),
            _ => None,
        }
    }

    fn title(self) -> &'static str {
        match self {
            Task::Check => "Checking",
            Task::Bottleneck => "Looking for the bottleneck",
        }
    }
}

/// What a run found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Results {
    pub(crate) outcomes: Vec<Outcome>,
    pub(crate) wrong: Vec<Wrong>,
    /// The whole report, for people.
    pub(crate) report: String,
}

/// Why a run found nothing.
#[derive(Debug, Error)]
pub(crate) enum NoResults {
    #[error(transparent)]
    Model(#[from] DocumentError),
    #[error(transparent)]
    Study(#[from] StudyError),
    #[error(transparent)]
    Unanswered(#[from] Unanswered),
}

/// A run that has ended.
pub(crate) struct Ended {
    pub(crate) name: String,
    pub(crate) version: i32,
    /// The request that asked for it; `None` if the server itself did.
    pub(crate) request: Option<RequestId>,
    /// What was found; an error if the text can't be used.
    pub(crate) results: Result<Results, NoResults>,
    pub(crate) is_cancelled: bool,
}

/// What a run is about.
pub(crate) struct Order {
    pub(crate) name: String,
    pub(crate) version: i32,
    pub(crate) task: Task,
    pub(crate) seconds: f64,
    pub(crate) request: Option<RequestId>,
    /// Under which the client shows progress; `None` if it can't.
    pub(crate) token: Option<String>,
    /// The texts that are open.
    pub(crate) texts: HashMap<String, String>,
}

/// Starts a run; returns what cancels it.
pub(crate) fn start(
    order: Order,
    environment: &Arc<Environment>,
    client: Sender<Message>,
    ended: Sender<Ended>,
) -> std::io::Result<Arc<AtomicBool>> {
    let cancelled = Arc::new(AtomicBool::new(false));
    let (environment, flag) = (Arc::clone(environment), Arc::clone(&cancelled));
    let stack = environment.stack;
    let run = move || {
        let notifier = ProgressNotifier { client, token: order.token.clone() };
        notifier.begin(&format!("{} {}", order.task.title(), short(&order.name)));
        let mut budget = (environment.budget)(order.seconds);
        budget.watch = Arc::new(Watched {
            inner: Arc::clone(&budget.watch),
            cancelled: Arc::clone(&flag),
            told: Mutex::new(0.0),
            notifier: notifier.clone(),
        });
        let disk: &dyn Loader = &*environment.loader;
        let overlay = Overlay { texts: order.texts, disk };
        let text = overlay.texts.get(&order.name).cloned().unwrap_or_default();
        let document = Document::new(order.name.clone(), text);
        let results = if document.is_study() {
            run_study(&document, order.task, &overlay, &budget)
        } else {
            run_model(&document, &overlay, &budget)
        };
        let message = match &results {
            _ if flag.load(Ordering::Relaxed) => "cancelled".to_owned(),
            Ok(results) => summary(&results.outcomes),
            Err(reason) => reason.to_string(),
        };
        notifier.end(&message);
        let is_cancelled = flag.load(Ordering::Relaxed);
        let (name, version, request) = (order.name, order.version, order.request);
        // The server may be gone already.
        let _ = ended.send(Ended { name, version, request, results, is_cancelled });
    };
    std::thread::Builder::new().name("run".to_owned()).stack_size(stack).spawn(run)?;
    Ok(cancelled)
}

/// Returns the last part of a file's name.
fn short(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// Says in a line what came out.
pub(crate) fn summary(outcomes: &[Outcome]) -> String {
    let failing = outcomes.iter().filter(|outcome| outcome.fails).count();
    let open = outcomes.iter().filter(|outcome| outcome.text.starts_with("undecided")).count();
    match (failing, open) {
        (0, 0) => format!("{} answered", outcomes.len()),
        (0, open) => format!("{open} of {} undecided", outcomes.len()),
        (failing, 0) => format!("{failing} of {} fail", outcomes.len()),
        (failing, open) => format!("{failing} of {} fail, {open} undecided", outcomes.len()),
    }
}

fn run_model(document: &Document, loader: &dyn Loader, budget: &Budget) -> Result<Results, NoResults> {
    let found = check(document, loader, budget)?;
    let report = narrows_report::check(&found.report());
    Ok(Results { outcomes: found.outcomes(), wrong: found.wrongs(), report })
}

fn run_study(
    document: &Document,
    task: Task,
    loader: &dyn Loader,
    budget: &Budget,
) -> Result<Results, NoResults> {
    let mut study = PreparedStudy::read(&document.name, document.text.clone(), loader)?;
    let task = match task {
        Task::Check => StudyTask::Measure,
        Task::Bottleneck => StudyTask::Bottleneck,
    };
    let found = study.find(task, None, budget)?;
    let report = found.analysed().map_or_else(|| found.figures().text(false), |analysed| analysed.text());
    Ok(Results { outcomes: found.outcomes(document), wrong: Vec::new(), report })
}

/// Tells the client how far a run is.
#[derive(Clone)]
struct ProgressNotifier {
    client: Sender<Message>,
    token: Option<String>,
}

impl ProgressNotifier {
    fn begin(&self, title: &str) {
        let Some(token) = &self.token else { return };
        let id = RequestId::from(format!("create {token}"));
        let create = Request::new(id, "window/workDoneProgress/create".to_owned(), json!({ "token": token }));
        let _ = self.client.send(Message::Request(create));
        self.tell(&json!({ "kind": "begin", "title": title, "cancellable": true }));
    }

    fn report(&self, progress: &Progress, seconds: f64) {
        let states = match progress.states {
            0 => String::new(),
            states => format!("{} states, ", grouped(states)),
        };
        self.tell(&json!({ "kind": "report", "message": format!("{states}{seconds:.0} s") }));
    }

    fn end(&self, message: &str) {
        self.tell(&json!({ "kind": "end", "message": message }));
    }

    fn tell(&self, value: &Value) {
        let Some(token) = &self.token else { return };
        let told = json!({ "token": token, "value": value });
        let told = Notification { method: "$/progress".to_owned(), params: told };
        let _ = self.client.send(Message::Notification(told));
    }
}

/// A watch that can be told to stop, and tells the client.
struct Watched {
    inner: Arc<dyn Watch>,
    cancelled: Arc<AtomicBool>,
    /// When the client was told last.
    told: Mutex<f64>,
    notifier: ProgressNotifier,
}

impl Watch for Watched {
    fn check(&self, progress: &Progress) -> Option<Limit> {
        if self.cancelled.load(Ordering::Relaxed) {
            return Some(Limit::Interrupted);
        }
        let seconds = self.inner.seconds();
        if let Ok(mut told) = self.told.try_lock()
            && seconds - *told >= TELL_AFTER
        {
            *told = seconds;
            self.notifier.report(progress, seconds);
        }
        self.inner.check(progress)
    }

    fn seconds(&self) -> f64 {
        self.inner.seconds()
    }

    fn seconds_left(&self) -> Option<f64> {
        self.inner.seconds_left()
    }
}
