//! Simulations that are stepped through. Each has a thread with the model and the run; there are a few of
//! them, and the one that was not used for longest gives way to a new one. Who comes back to one that is gone
//! starts it anew, with the same choices.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use axum::Json;
use axum::extract::State;
use narrows::editing::{self, Lines};
use narrows::simulation::{Clock, Recording, Session, Status, Stop, text};
use narrows::{Model, PreparedStudy};
use narrows_report::{drawing, without_style};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::oneshot;

use crate::listen::Shared;
use crate::texts::{Texts, Work, range};
use crate::{Environment, Refused, workers};

/// So many simulations are kept.
const MAX_SIMULATIONS: usize = 12;
/// A run of more steps is not drawn.
const MAX_DRAWN: usize = 400;
/// So many steps are taken at random at once.
const MAX_RANDOM: usize = 10_000;
/// Choices of longer runs are not told.
const MAX_CHOICES: usize = 2_000;
/// So many steps that could be taken are told.
const MAX_STEPS: usize = 200;

type Reply = oneshot::Sender<Result<Value, Refused>>;

/// All simulations, the one used last at the end.
#[derive(Default)]
pub(crate) struct Simulations {
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    count: u64,
    /// Numbers, and where orders go.
    list: Vec<(u64, Sender<(Order, Reply)>)>,
}

impl Simulations {
    /// Ends all: their threads see that nobody sends any more.
    pub(crate) fn end_all(&self) {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).list.clear();
    }

    fn add(&self) -> (u64, Receiver<(Order, Reply)>) {
        let (sender, receiver) = channel();
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.count += 1;
        let number = open.count;
        open.list.push((number, sender));
        if open.list.len() > MAX_SIMULATIONS {
            open.list.remove(0);
        }
        (number, receiver)
    }

    /// Sends an order to a simulation, which is the one used last from now on.
    fn send(&self, number: u64, order: Order, reply: Reply) -> Result<(), Refused> {
        let gone = || Refused::Missing("this simulation is not there any more: start it again".to_owned());
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let place = open.list.iter().position(|(known, _)| *known == number).ok_or_else(gone)?;
        let (number, sender) = open.list.remove(place);
        if sender.send((order, reply)).is_err() {
            return Err(gone());
        }
        open.list.push((number, sender));
        Ok(())
    }
}

#[derive(Deserialize)]
pub(crate) struct Begin {
    #[serde(flatten)]
    texts: Texts,
    #[serde(default)]
    seed: u64,
    /// What is chosen at first, step by step.
    #[serde(default)]
    choices: Vec<usize>,
    /// A run that was found, as documents have it.
    #[serde(default)]
    recording: Value,
}

/// Starts a simulation of a model, or of the model of a study.
pub(crate) async fn start(
    State(shared): State<Arc<Shared>>,
    Json(begin): Json<Begin>,
) -> Result<Json<Value>, Refused> {
    let (number, orders) = shared.simulations.add();
    let (reply, first) = oneshot::channel();
    let stack = shared.environment.stack;
    let runs = Arc::clone(&shared);
    workers::start("simulation", stack, move || simulate(begin, &runs.environment, &orders, reply))?;
    let mut state = first.await.map_err(|_| Refused::Internal)??;
    state["number"] = json!(number);
    Ok(Json(state))
}

/// What is done with a simulation.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case", tag = "do")]
enum Order {
    /// Take a step.
    Choose {
        step: usize,
    },
    /// Take random steps.
    Random {
        count: usize,
    },
    Back,
    Forward,
    /// Go to the state after so many steps.
    Jump {
        step: usize,
    },
    /// Say what can't be done, and why.
    Why,
    /// Draw the run.
    Draw,
    End,
}

#[derive(Deserialize)]
pub(crate) struct Ordered {
    number: u64,
    #[serde(flatten)]
    order: Order,
}

/// Does something with a simulation.
pub(crate) async fn step(
    State(shared): State<Arc<Shared>>,
    Json(ordered): Json<Ordered>,
) -> Result<Json<Value>, Refused> {
    let (reply, answer) = oneshot::channel();
    let number = ordered.number;
    shared.simulations.send(number, ordered.order, reply)?;
    let mut state = answer.await.map_err(|_| Refused::Internal)??;
    state["number"] = json!(number);
    Ok(Json(state))
}

/// Reads the model, and does what is ordered until nobody orders any more.
fn simulate(begin: Begin, environment: &Environment, orders: &Receiver<(Order, Reply)>, reply: Reply) {
    let Begin { texts, seed, choices, recording } = begin;
    let prepared = texts.work(environment).and_then(|work| Ok((model_of(&work, environment)?, work)));
    let ((model, study), work) = match prepared {
        Ok(prepared) => prepared,
        Err(error) => return drop(reply.send(Err(error))),
    };
    let mut session = match Session::new(&model, seed) {
        Ok(session) => session,
        Err(error) => return drop(reply.send(Err(Refused::Bad(error.message)))),
    };
    let clock = study.as_ref().and_then(|study| study.clock(seed));
    let unit = study.as_ref().map_or(String::new(), |study| study.study.unit.clone());
    let mut view = View { work: &work, environment, clock, unit };
    let mut first = Ok(());
    if !recording.is_null() {
        first = match Recording::read(&model, &recording) {
            Ok(recorded) => session.replay(&recorded).map_err(|error| Refused::Bad(error.to_string())),
            Err(error) => Err(Refused::Bad(error.to_string())),
        };
        session.jump(0);
    }
    for choice in choices {
        if !session.choose(choice) {
            break;
        }
    }
    let is_begun = first.is_ok();
    let _ = reply.send(first.map(|()| view.state(&session, None)));
    while let Some((order, reply)) = orders.recv().ok().filter(|_| is_begun) {
        let answer = match order {
            Order::Why => Ok(view.why(&session)),
            Order::Draw => draw(&model, &session),
            Order::End => return drop(reply.send(Ok(json!({})))),
            Order::Choose { step } if !session.choose(step) => {
                Err(Refused::Bad("there is no such step any more".to_owned()))
            }
            Order::Choose { .. } => Ok(view.state(&session, None)),
            Order::Random { count } => {
                let note = view.random(&mut session, count.min(MAX_RANDOM));
                Ok(view.state(&session, note.as_deref()))
            }
            Order::Back => {
                session.back();
                Ok(view.state(&session, None))
            }
            Order::Forward => {
                session.forward();
                Ok(view.state(&session, None))
            }
            Order::Jump { step } => {
                session.jump(step);
                Ok(view.state(&session, None))
            }
        };
        // The client may be gone; the next one goes on from here.
        let _ = reply.send(answer);
    }
}

/// Returns the model of a text, and the study if it is one.
fn model_of(work: &Work, environment: &Environment) -> Result<(Model, Option<PreparedStudy>), Refused> {
    let (loader, document) = (work.loader(environment), work.document());
    if document.is_study() {
        let study = PreparedStudy::read(&work.file, work.text.clone(), &loader);
        let study = study.map_err(|error| Refused::Bad(error.to_string()))?;
        return Ok((study.model(), Some(study)));
    }
    let model = editing::model(&document, &loader).map_err(|why| Refused::Bad(why.to_string()))?;
    Ok((model, None))
}

fn stopped(stop: &Stop) -> Option<String> {
    match stop {
        Stop::Wrong(wrong) => Some(wrong.clone()),
        Stop::Count | Stop::Reached | Stop::Breakpoint => None,
        Stop::Status(status) => Some(
            match status {
                Status::Running => return None,
                Status::Ended => "the run has ended",
                Status::Deadlock => "deadlock: nothing can happen any more",
                Status::Faulted => "the run can't go on after a fault",
            }
            .to_owned(),
        ),
    }
}

fn draw(model: &Model, session: &Session<'_>) -> Result<Value, Refused> {
    let steps = session.position();
    if steps > MAX_DRAWN {
        let reason = format!("runs of up to {MAX_DRAWN} steps are drawn, and this one has {steps}");
        return Err(Refused::Bad(reason));
    }
    let title = format!("The run of {} so far", model.name);
    Ok(json!({ "svg": without_style(&drawing(model, &session.trace(), &title)) }))
}

/// Tells simulations, with places in the texts of the browser.
struct View<'v> {
    work: &'v Work,
    environment: &'v Environment,
    /// The time, in the run of a study.
    clock: Option<Clock>,
    unit: String,
}

impl View<'_> {
    /// Says where something is written, if the browser can show that.
    fn place(&self, session: &Session<'_>, span: narrows::Span) -> Value {
        let Some(_) = session.line(span) else { return Value::Null };
        let file = &session.sources().file(span.file).name;
        let Some(text) = self.work.text_of(self.environment, file) else { return Value::Null };
        let place = span.start as usize..span.end as usize;
        json!({ "file": file, "place": range(&Lines::new(&text), &place), "text": session.short_place(span) })
    }

    fn why(&self, session: &Session<'_>) -> Value {
        let reasons = session.why_not().into_iter().map(|reason| {
            json!({
                "who": reason.who, "what": reason.what, "reason": reason.reason,
                "place": reason.place.map(|span| self.place(session, span)),
            })
        });
        json!({ "reasons": reasons.collect::<Value>() })
    }

    /// Takes random steps; with a clock, those that are due. Says why the run stopped.
    fn random(&mut self, session: &mut Session<'_>, count: usize) -> Option<String> {
        let Some(clock) = &mut self.clock else { return stopped(&session.run(count, |_| false)) };
        for _ in 0..count {
            if !clock.random_step(session) {
                return stopped(&Stop::Status(session.status()));
            }
            if let Some(wrong) = session.wrong() {
                return Some(wrong);
            }
        }
        None
    }

    fn state(&mut self, session: &Session<'_>, note: Option<&str>) -> Value {
        let (mut time, mut due) = (Value::Null, Vec::new());
        if let Some(clock) = &mut self.clock {
            clock.follow(session);
            due = clock.due(session);
            let note = clock.is_out_of_turn(session).then_some("the last step was taken before it was due");
            time = json!({ "now": clock.now(session), "unit": self.unit, "note": note });
        }
        let steps = session.steps().iter().take(MAX_STEPS).enumerate().map(|(number, step)| {
            let due = due.get(number).map(|due| json!({ "after": due.after, "next": due.is_next }));
            let span = step.visible_actions().next().map(|action| action.span);
            json!({
                "title": text::title(step), "target": text::target(session, step),
                "place": span.map(|span| self.place(session, span)), "due": due,
            })
        });
        let entries = session.changed_entries().into_iter().map(|(entry, changed)| {
            json!({
                "group": group(entry.group), "owner": entry.owner, "name": entry.name, "value": entry.value,
                "place": entry.span.map(|span| self.place(session, span)), "changed": changed,
            })
        });
        let choices = session.choices().filter(|choices| choices.len() <= MAX_CHOICES);
        let atoms: Vec<_> = session.atoms().collect();
        json!({
            "step": session.step_number(),
            "known": session.history().len(),
            "status": status(session.status()),
            "before_first": session.is_before_first(),
            "wrong": session.wrong(),
            "note": note,
            "steps": steps.collect::<Value>(),
            "more": session.has_more() || session.steps().len() > MAX_STEPS,
            "entries": entries.collect::<Value>(),
            "definitions": session.definitions(),
            "atoms": atoms,
            "last": session.last().map(|taken| text::title(&taken.step)),
            "cycle": session.cycle(),
            "printed": text::output(session),
            "clock": time,
            "choices": choices,
        })
    }
}

fn status(status: Status) -> &'static str {
    match status {
        Status::Running => "running",
        Status::Ended => "ended",
        Status::Deadlock => "deadlock",
        Status::Faulted => "faulted",
    }
}

fn group(group: narrows::EntryGroup) -> &'static str {
    match group {
        narrows::EntryGroup::Variable => "variable",
        narrows::EntryGroup::Channel => "channel",
        narrows::EntryGroup::Process => "process",
        narrows::EntryGroup::Local => "local",
    }
}
