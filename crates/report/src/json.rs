//! Reports as JSON: one document, the same shape for every command.

use std::ops::ControlFlow;

use narrows_model::{Answer, Evaluator, MoveKind, Scratch, StateSpace, Trace, TraceMove, TraceStep, Verdict};
use narrows_source::{Diagnostic, Severity, Sources, Span};
use serde_json::{Map, Value, json};

use crate::Report;
use crate::report::place_of;
use crate::run::violation_text;

/// The version of the shape.
const SCHEMA: u32 = 1;

fn tool() -> String {
    format!("narrows {}", env!("CARGO_PKG_VERSION"))
}

fn head(model: &str) -> Map<String, Value> {
    let mut document = Map::new();
    document.insert("schema".into(), json!(SCHEMA));
    document.insert("tool".into(), json!(tool()));
    document.insert("model".into(), json!(model));
    document
}

/// Reports on a model.
pub fn document(report: &Report<'_>) -> Value {
    let coverage = report.coverage;
    let mut document = head(report.model);
    let mut put = |name: &str, value: Value| {
        document.insert(name.to_owned(), value);
    };
    put("states", json!(coverage.states));
    put("transitions", json!(coverage.transitions));
    put("depth", json!(coverage.depth));
    put("seconds", json!((report.seconds * 1000.0).round() / 1000.0));
    put("bytes_per_state", json!(report.bytes_per_state()));
    put("memory", json!(coverage.bytes));
    put("complete", json!(report.limit.is_none()));
    if let Some(limit) = report.limit {
        put("reason", json!(limit.reason()));
    }
    put(
        "violations",
        report
            .problems
            .iter()
            .map(|problem| {
                let mut entry = Map::new();
                entry.insert("kind".into(), json!(problem.kind));
                entry.insert("message".into(), json!(problem.message));
                add_place(&mut entry, report.sources, problem.span);
                entry.insert("count".into(), json!(problem.count));
                Value::Object(entry)
            })
            .collect(),
    );
    put("answers", report.answers.iter().map(|answer| answer_value(report, answer)).collect());
    put(
        "unreached",
        report
            .unreached()
            .iter()
            .map(|entry| {
                let mut value = Map::new();
                value.insert("proctype".into(), json!(entry.proctype));
                add_place(&mut value, report.sources, Some(entry.span));
                value.insert("text".into(), json!(entry.text));
                Value::Object(value)
            })
            .collect(),
    );
    Value::Object(document)
}

fn add_place(entry: &mut Map<String, Value>, sources: &Sources, span: Option<Span>) {
    if let Some((file, line)) = span.and_then(|span| place_of(sources, span)) {
        entry.insert("file".into(), json!(file));
        entry.insert("line".into(), json!(line));
    }
}

fn answer_value(report: &Report<'_>, answer: &Answer) -> Value {
    let mut entry = Map::new();
    entry.insert("kind".into(), json!(answer.question.kind()));
    entry.insert("name".into(), json!(answer.question.name()));
    match &answer.verdict {
        Verdict::Holds => {
            entry.insert("verdict".into(), json!("holds"));
        }
        Verdict::Fails { violation, trace, shortest } => {
            entry.insert("verdict".into(), json!("fails"));
            let (message, span) = match violation {
                Some(violation) => (violation_text(report, *violation), Some(violation.span)),
                None if trace.initial.is_empty() => ("no process can move".to_owned(), None),
                None => {
                    let problem = Report::deadlock(report.evaluator, trace.last_state(), 1);
                    (problem.message, problem.span)
                }
            };
            entry.insert("message".into(), json!(message));
            add_place(&mut entry, report.sources, span);
            entry.insert("shortest".into(), json!(shortest));
            entry.insert("trace".into(), trace_value(report.evaluator, report.sources, trace));
        }
        Verdict::Undecided(limit) => {
            entry.insert("verdict".into(), json!("undecided"));
            entry.insert("reason".into(), json!(limit.reason()));
        }
        Verdict::Refused(refusal) => {
            entry.insert("verdict".into(), json!("undecided"));
            entry.insert("reason".into(), json!(refusal.reason));
        }
        _ => {
            entry.insert("verdict".into(), json!("undecided"));
        }
    }
    Value::Object(entry)
}

/// Writes a run as a document of its own: `choices` alone is enough to open it again.
pub fn trace_document(report: &Report<'_>, kind: &str, trace: &Trace, definitions: &[String]) -> Value {
    let mut document = head(report.model);
    document.insert("kind".into(), json!(kind));
    document.insert("definitions".into(), json!(definitions));
    document.insert("trace".into(), trace_value(report.evaluator, report.sources, trace));
    Value::Object(document)
}

fn trace_value(evaluator: Evaluator<'_>, sources: &Sources, trace: &Trace) -> Value {
    let mut before = trace.initial.as_slice();
    let mut choices = Vec::new();
    let mut steps = Vec::new();
    for step in &trace.steps {
        choices.push(choice(evaluator, before, step));
        steps.push(step_value(sources, step));
        before = &step.state;
    }
    json!({ "initial": hexadecimal(&trace.initial), "choices": choices, "cycle": trace.cycle, "steps": steps })
}

/// Returns which successor of a state a step is, counted from 0.
fn choice(evaluator: Evaluator<'_>, before: &[u8], step: &TraceStep) -> Option<u32> {
    let mut index = 0;
    let mut found = None;
    evaluator.successors(before, &mut Scratch::default(), &mut |successor| {
        let moves = successor.moves.iter().eq(step.moves.iter().map(|step| &step.step));
        if moves
            && successor.target.unwrap_or(before) == step.state
            && successor.violations == step.violations
        {
            found = Some(index);
            return ControlFlow::Break(());
        }
        index += 1;
        ControlFlow::Continue(())
    });
    found
}

fn step_value(sources: &Sources, step: &TraceStep) -> Value {
    let changes = step
        .changes
        .iter()
        .map(|change| json!({ "name": change.name, "before": change.before, "after": change.after }));
    let violations = step.violations.iter().map(|violation| {
        let mut entry = Map::new();
        entry.insert("message".into(), json!(violation.kind.message()));
        add_place(&mut entry, sources, Some(violation.span));
        entry.insert("pid".into(), json!(violation.pid));
        Value::Object(entry)
    });
    json!({
        "moves": step.moves.iter().map(|step| move_value(sources, step)).collect::<Vec<_>>(),
        "changes": changes.collect::<Vec<_>>(),
        "violations": violations.collect::<Vec<_>>(),
    })
}

fn move_value(sources: &Sources, step: &TraceMove) -> Value {
    let mut entry = Map::new();
    entry.insert("process".into(), json!(step.process));
    entry.insert("pid".into(), json!(step.step.pid));
    add_place(&mut entry, sources, Some(step.span));
    entry.insert("text".into(), json!(step.text));
    let kind = match step.step.kind {
        MoveKind::Alone => "alone",
        MoveKind::Offer => "offer",
        MoveKind::Accept => "accept",
    };
    entry.insert("kind".into(), json!(kind));
    Value::Object(entry)
}

fn hexadecimal(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// Reports that a model can't be used.
pub fn diagnostics(model: &str, list: &[Diagnostic], sources: &Sources, other: Option<&str>) -> Value {
    let mut document = head(model);
    document.insert("answers".into(), json!([]));
    let mut entries: Vec<Value> =
        list.iter().map(|diagnostic| diagnostic_value(diagnostic, sources)).collect();
    entries.extend(other.map(|message| json!({ "code": "N0001", "severity": "error", "message": message })));
    document.insert("diagnostics".into(), Value::Array(entries));
    Value::Object(document)
}

fn diagnostic_value(diagnostic: &Diagnostic, sources: &Sources) -> Value {
    let mut entry = Map::new();
    entry.insert("code".into(), json!(diagnostic.code));
    let severity = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    entry.insert("severity".into(), json!(severity));
    entry.insert("message".into(), json!(diagnostic.title));
    add_place(&mut entry, sources, Some(diagnostic.primary.span));
    if place_of(sources, diagnostic.primary.span).is_some() {
        entry.insert("column".into(), json!(sources.position(diagnostic.primary.span).column));
    }
    if let Some(help) = &diagnostic.help {
        entry.insert("help".into(), json!(help));
    }
    Value::Object(entry)
}
