//! Runs as JSON: what `narrows check` writes and `narrows simulate` opens and saves.
//!
//! A step is identified by its moves (process number, location, transition), so that it can be found again in
//! the same model; names, places and changes are there for people and scripts, and are not read back.

use narrows_model::{
    Action, Change, Model, MoveKind, Narrator, Shown, Trace, TraceAtom, TraceStep, Violation,
};
use narrows_source::Sources;
use serde_json::{Map, Value, json};

use crate::Document;
use crate::error::{StepError, TraceError};
use crate::json::{SCHEMA, add_place, head};
use crate::narration;

/// A run as a file tells it; it may not fit the model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedTrace {
    /// The name of the model it was made with.
    pub model: String,
    /// The macros it was compiled with, as in `-D`.
    pub definitions: Vec<String>,
    /// The steps: what the processes did in each.
    pub steps: Vec<Vec<RecordedMove>>,
    /// For an endless run: the step that comes again after the last one. If there is no such step, the run
    /// stays in its last state for ever.
    pub cycle: Option<usize>,
    /// What the propositions of the formula are on the way.
    pub atoms: Vec<RecordedAtom>,
}

/// A proposition along a run, as a file tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedAtom {
    /// What the text says.
    pub text: String,
    /// Whether it holds: in the initial state, and after each step.
    pub values: Vec<bool>,
}

/// What a process did, as a file tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedMove {
    /// The name of the process's kind.
    pub process: String,
    /// The process's number.
    pub pid: u8,
    /// The number of the transition within its kind of process.
    pub transition: u32,
    /// The number of the location it started from.
    pub from: u16,
    /// Its part in a rendezvous.
    pub kind: MoveKind,
    /// What the text says; empty if the file does not tell.
    pub text: String,
}

/// Makes the document that holds one run and nothing else; `kind` says what the run shows.
pub fn trace_document<'a>(model: &'a Model, kind: &str, trace: &'a Trace) -> Document<'a> {
    let mut document = Document::from(head(&model.name));
    document.insert("kind", json!(kind));
    document.insert("definitions", json!(model.definitions));
    document.insert("trace", narration::document(model, trace));
    document
}

/// Makes the value of `"trace"` of a run of processes.
pub(crate) fn of_processes<'a>(model: &'a Model, trace: &'a Trace) -> Document<'a> {
    let choices = move || {
        (0..trace.steps.len())
            .map(move |index| json!(model.choice(trace.state(index), &trace.steps[index])).into())
    };
    let step = move |index: usize, narrator: &Narrator<'_>| {
        let mut value = step_value(&model.sources, &narrator.step(trace, index));
        if let (Some(time), Value::Object(entry)) = (trace.times.get(index), &mut value) {
            entry.insert("time".to_owned(), json!(time));
        }
        value.into()
    };
    let mut document = Document::from(Map::new());
    document.insert("initial", json!(hexadecimal(&trace.initial)));
    document.insert("choices", Document::list(choices));
    document.insert("cycle", json!(trace.cycle));
    document.insert("atoms", atoms(&model.sources, trace));
    let steps = move || {
        let narrator = Narrator::new(model);
        (0..trace.steps.len()).map(move |index| step(index, &narrator))
    };
    document.insert("steps", Document::list(steps));
    document
}

/// Writes what the propositions of a formula are along a run.
pub(crate) fn atoms<'a>(sources: &'a Sources, trace: &'a Trace) -> Document<'a> {
    let atom = move |atom: &'a TraceAtom| {
        let mut entry = Map::new();
        entry.insert("text".into(), json!(atom.text));
        add_place(&mut entry, sources, Some(atom.span));
        let mut document = Document::from(entry);
        let value = |value: &bool| Document::from(json!(value));
        document.insert("values", Document::list(move || atom.values.iter().map(value)));
        document
    };
    Document::list(move || trace.atoms.iter().map(atom))
}

fn step_value(sources: &Sources, step: &TraceStep) -> Value {
    let moves: Vec<Value> = step.actions.iter().map(|action| move_value(sources, action)).collect();
    let changes: Vec<Value> = step.changes.iter().map(change_value).collect();
    let violations: Vec<Value> =
        step.violations.iter().map(|found| violation_value(sources, found)).collect();
    json!({ "moves": moves, "changes": changes, "violations": violations })
}

fn move_value(sources: &Sources, action: &Action) -> Value {
    let mut entry = Map::new();
    if let Some(actor) = &action.actor {
        entry.insert("process".into(), json!(actor.name));
        entry.insert("pid".into(), json!(actor.number));
    }
    if let Some(step) = action.transition() {
        entry.insert("transition".into(), json!(step.transition.0));
        entry.insert("from".into(), json!(step.from.0));
        entry.insert("kind".into(), json!(kind_name(step.kind)));
    }
    add_place(&mut entry, sources, Some(action.span));
    entry.insert("text".into(), json!(action.label));
    Value::Object(entry)
}

pub(crate) fn change_value(change: &Change) -> Value {
    let text = |shown: &Option<Shown>| shown.as_ref().map(|shown| shown.text.clone());
    json!({ "name": change.name, "before": text(&change.before), "after": text(&change.after) })
}

fn violation_value(sources: &Sources, violation: &Violation) -> Value {
    let mut entry = Map::new();
    entry.insert("message".into(), json!(violation.kind.message()));
    add_place(&mut entry, sources, Some(violation.span));
    entry.insert("pid".into(), json!(violation.pid));
    Value::Object(entry)
}

fn hexadecimal(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

fn kind_name(kind: MoveKind) -> &'static str {
    match kind {
        MoveKind::Alone => "alone",
        MoveKind::Offer => "offer",
        MoveKind::Accept => "accept",
    }
}

/// Reads a run from a document of its own, or from the first answer of `narrows check --format json` that has
/// one. The error says what is wrong with the document.
pub fn read_trace(document: &Value) -> Result<RecordedTrace, TraceError> {
    let (trace, steps) = find_trace(document)?;
    let mut recorded = RecordedTrace {
        model: document.get("model").and_then(Value::as_str).unwrap_or_default().to_owned(),
        definitions: strings(document.get("definitions")),
        ..RecordedTrace::default()
    };
    for (index, step) in steps.iter().enumerate() {
        let step = read_step(step).map_err(|error| TraceError::Step { number: index + 1, error })?;
        recorded.steps.push(step);
    }
    recorded.cycle = read_cycle(trace, steps.len())?;
    recorded.atoms = read_atoms(trace, steps.len())?;
    Ok(recorded)
}

/// Finds the run in a document, and its steps.
pub(crate) fn find_trace(document: &Value) -> Result<(&Value, &Vec<Value>), TraceError> {
    match document.get("schema").and_then(Value::as_u64) {
        Some(schema) if schema == u64::from(SCHEMA) => {}
        Some(found) => return Err(TraceError::Schema { found, known: SCHEMA }),
        None => return Err(TraceError::NoSchema),
    }
    let mut answers = document.get("answers").and_then(Value::as_array).into_iter().flatten();
    let trace = document.get("trace").or_else(|| answers.find_map(of_answer));
    let trace = trace.filter(|trace| trace.is_object()).ok_or(TraceError::NoTrace)?;
    let steps = trace.get("steps").and_then(Value::as_array).ok_or(TraceError::NoSteps)?;
    Ok((trace, steps))
}

/// Returns the run of an answer: a counterexample, a run of a graph, or the first one that shows a figure.
fn of_answer(answer: &Value) -> Option<&Value> {
    let of_figure = || answer.get("runs")?.get(0)?.get("trace");
    answer.get("trace").or_else(|| answer.get("run")).or_else(of_figure)
}

/// A recorded run of a synchronous system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedRun {
    /// The values that were given to definitions.
    pub definitions: Vec<String>,
    /// The first state: names and values.
    pub values: Vec<(String, String)>,
    /// The inputs of each step, and what it changes.
    pub steps: Vec<Vec<Change>>,
    /// The state that follows the last one, by its number, if the run is endless.
    pub cycle: Option<usize>,
    /// What the propositions of a formula are in each state.
    pub atoms: Vec<RecordedAtom>,
}

/// Reads a run of a synchronous system out of a document.
///
/// # Errors
///
/// Says what is wrong with it.
pub fn read_run(document: &Value) -> Result<RecordedRun, TraceError> {
    let (trace, steps) = find_trace(document)?;
    let values = trace.get("values").and_then(Value::as_object);
    let values = values.ok_or(TraceError::NoValues)?;
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let change = |change: &Value| Change {
        name: change.get("name").and_then(text).unwrap_or_default(),
        before: change.get("before").and_then(text).map(Shown::from),
        after: change.get("after").and_then(text).map(Shown::from),
    };
    let read = |step: &Value| {
        step.get("changes").and_then(Value::as_array).into_iter().flatten().map(change).collect()
    };
    Ok(RecordedRun {
        definitions: strings(document.get("definitions")),
        values: values.iter().filter_map(|(name, value)| Some((name.clone(), text(value)?))).collect(),
        steps: steps.iter().map(read).collect(),
        cycle: read_cycle(trace, steps.len())?,
        atoms: read_atoms(trace, steps.len())?,
    })
}

/// Reads a list of texts.
pub(crate) fn strings(list: Option<&Value>) -> Vec<String> {
    let entries = list.and_then(Value::as_array).into_iter().flatten();
    entries.filter_map(|entry| entry.as_str().map(str::to_owned)).collect()
}

/// Reads where an endless run of so many steps comes back to.
pub(crate) fn read_cycle(trace: &Value, steps: usize) -> Result<Option<usize>, TraceError> {
    match trace.get("cycle") {
        None | Some(Value::Null) => Ok(None),
        Some(cycle) => match cycle.as_u64().map(|cycle| cycle as usize) {
            Some(cycle) if cycle <= steps => Ok(Some(cycle)),
            _ => Err(TraceError::Cycle { cycle: cycle.to_string(), steps }),
        },
    }
}

fn read_atoms(trace: &Value, steps: usize) -> Result<Vec<RecordedAtom>, TraceError> {
    let list = trace.get("atoms").and_then(Value::as_array).into_iter().flatten();
    let read = |atom: &Value| {
        let text = atom.get("text").and_then(Value::as_str).unwrap_or_default().to_owned();
        let values = atom.get("values").and_then(Value::as_array).into_iter().flatten();
        let values: Vec<bool> = values.filter_map(Value::as_bool).collect();
        if values.len() != steps + 1 {
            return Err(TraceError::Values { text, values: values.len(), states: steps + 1 });
        }
        Ok(RecordedAtom { text, values })
    };
    list.map(read).collect()
}

fn read_step(step: &Value) -> Result<Vec<RecordedMove>, StepError> {
    let moves = step.get("moves").and_then(Value::as_array).ok_or(StepError::NoMoves)?;
    if moves.is_empty() {
        return Err(StepError::NothingMoves);
    }
    moves.iter().map(read_move).collect()
}

fn read_move(step: &Value) -> Result<RecordedMove, StepError> {
    let text = |name: &str| step.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    Ok(RecordedMove {
        process: text("process"),
        pid: number(step, "pid")?,
        transition: number(step, "transition")?,
        from: number(step, "from")?,
        kind: match step.get("kind").and_then(Value::as_str) {
            None | Some("alone") => MoveKind::Alone,
            Some("offer") => MoveKind::Offer,
            Some("accept") => MoveKind::Accept,
            Some(other) => return Err(StepError::Kind(other.to_owned())),
        },
        text: text("text"),
    })
}

fn number<N: TryFrom<u64>>(step: &Value, name: &'static str) -> Result<N, StepError> {
    let value = step.get(name).and_then(Value::as_u64);
    value.and_then(|value| N::try_from(value).ok()).ok_or(StepError::Number(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{Sample, TALK};

    fn written() -> Value {
        let mut sample = Sample::new(TALK, &[0, 1, 0], Some(0)).with_atom("n > 0", "n", "1");
        sample.model.definitions = vec!["N=3".to_owned()];
        trace_document(&sample.model, "run", &sample.trace).to_value()
    }

    #[test]
    fn a_trace_comes_back() {
        let document = written();
        let step = &document["trace"]["steps"][0];
        assert_eq!(
            (step["moves"][0]["line"].as_u64(), step["moves"][0]["text"].as_str()),
            (Some(5), Some("link!data, 1"))
        );
        assert_eq!(step["changes"][0]["after"], "[data,1]");
        let recorded = read_trace(&document).expect("it was just written");
        assert_eq!((recorded.model.as_str(), recorded.definitions), ("m.pml", vec!["N=3".to_owned()]));
        assert_eq!((recorded.cycle, recorded.steps.len()), (Some(0), 3));
        let atom = RecordedAtom { text: "n > 0".to_owned(), values: vec![false; 4] };
        assert_eq!(recorded.atoms, [atom]);
        let only = &recorded.steps[0][0];
        assert_eq!((only.pid, only.transition, only.from, only.kind), (0, 0, 1, MoveKind::Alone));
    }

    #[test]
    fn answers_hold_traces_too() {
        let document = json!({ "schema": 1, "model": "m.pml", "answers": [
            { "kind": "assertion", "verdict": "holds" },
            { "kind": "deadlock", "verdict": "fails", "trace": written()["trace"] } ] });
        assert_eq!(read_trace(&document).map(|trace| trace.steps.len()), Ok(3));
    }

    #[test]
    fn says_what_is_wrong() {
        let check = |document: Value, expected: &str| {
            assert_eq!(read_trace(&document).map_err(|error| error.to_string()), Err(expected.to_owned()));
        };
        check(json!({}), "it is not a trace: there is no \"schema\"");
        check(json!({ "schema": 7 }), "it has schema 7; this version reads schema 1");
        check(json!({ "schema": 1 }), "there is no \"trace\" in it");
        check(json!({ "schema": 1, "trace": {} }), "the trace has no \"steps\"");
        check(json!({ "schema": 1, "trace": { "steps": [{}] } }), "step 1: it has no \"moves\"");
        check(
            json!({ "schema": 1, "trace": { "steps": [{ "moves": [{ "pid": 300 }] }] } }),
            "step 1: \"pid\" is missing or out of range",
        );
        check(
            json!({ "schema": 1, "trace": { "steps": [], "cycle": 4 } }),
            "\"cycle\" is 4, but there are only 0 steps",
        );
        check(
            json!({ "schema": 1, "trace": { "steps": [], "atoms": [{ "text": "p", "values": [] }] } }),
            "`p` has 0 values in 1 states",
        );
    }
}
