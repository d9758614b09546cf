//! Reports as JSON: one document, the same shape for every command.

use narrows_model::{Answer, Counterexample, Question, Reply, Verdict};
use narrows_source::{Diagnostic, Severity, Sources, Span};
use serde_json::{Map, Value, json};

use crate::figures::told_figure;
use crate::report::place_of;
use crate::run::violation_text;
use crate::text::headline;
use crate::{Document, Report, loss, narration, orbits};

/// The version of the shape.
pub(crate) const SCHEMA: u32 = 1;

/// Begins a document: every one that the program writes begins so.
pub fn envelope() -> Map<String, Value> {
    let mut document = Map::new();
    document.insert("schema".into(), json!(SCHEMA));
    document.insert("tool".into(), json!(format!("narrows {}", env!("CARGO_PKG_VERSION"))));
    document
}

/// Begins a document about a model.
pub fn head(model: &str) -> Map<String, Value> {
    let mut document = envelope();
    document.insert("model".into(), json!(model));
    document
}

/// Makes a document about a model of an object with what there is to say.
pub fn with_head(model: &str, mut content: Value) -> Value {
    let mut document = head(model);
    if let Some(content) = content.as_object_mut() {
        document.append(content);
    }
    Value::Object(document)
}

/// Reports on a model.
pub fn document<'a>(report: &'a Report<'_>) -> Document<'a> {
    let coverage = report.coverage;
    let mut document = Document::from(head(&report.model.name));
    let mut put = |name: &str, value: Value| document.insert(name, value);
    if let Some(sets) = &coverage.sets {
        if let Some(states) = &sets.states {
            put("states", large(states));
            put("bits", json!(sets.bits));
        }
        if let Some(depth) = sets.depth {
            put("depth", json!(depth));
        }
        put("seconds", json!((report.seconds * 1000.0).round() / 1000.0));
    } else {
        put("states", json!(coverage.states));
        put("transitions", json!(coverage.transitions));
        put("depth", json!(coverage.depth));
        put("seconds", json!((report.seconds * 1000.0).round() / 1000.0));
        if coverage.state_bytes > 0 {
            put("bytes_per_state", json!(report.bytes_per_state()));
        }
    }
    put("memory", json!(coverage.bytes));
    put("complete", json!(report.limit.is_none()));
    if let Some(limit) = report.limit {
        put("reason", json!(limit.reason()));
    }
    if !coverage.labels.is_empty() {
        let labels = coverage.labels.iter().map(|(label, count)| json!({ "label": label, "count": count }));
        put("labels", labels.collect());
    }
    if let Some(orbits) = &coverage.orbits {
        put("orbits", orbits::value(orbits));
    }
    if let Some(loss) = loss::value(coverage) {
        put("loss", loss);
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
                add_place(&mut entry, report.sources(), problem.span);
                entry.insert("count".into(), json!(problem.count));
                Value::Object(entry)
            })
            .collect(),
    );
    let told = |reply: &'a Reply| match reply {
        Reply::Answer(answer) => told_answer(report, answer),
        Reply::Figure(figure) => told_figure(figure, |trace| narration::document(report.model, trace)),
    };
    document.insert("answers", Document::list(move || report.replies.iter().map(told)));
    document.insert(
        "unreached",
        report
            .unreached()
            .iter()
            .map(|entry| {
                let mut value = Map::new();
                value.insert("proctype".into(), json!(entry.proctype));
                add_place(&mut value, report.sources(), Some(entry.span));
                value.insert("text".into(), json!(entry.text));
                value.insert("reached".into(), json!(entry.is_waited_for));
                Value::Object(value)
            })
            .collect::<Value>(),
    );
    document
}

/// Writes a number that may be large: few programs read large ones, so that these are texts.
pub(crate) fn large(number: &str) -> Value {
    let small = number.parse::<u64>().ok().filter(|number| *number < 1 << 53);
    small.map_or_else(|| json!(number), |number| json!(number))
}

pub(crate) fn add_place(entry: &mut Map<String, Value>, sources: &Sources, span: Option<Span>) {
    if let Some((file, line)) = span.and_then(|span| place_of(sources, span)) {
        entry.insert("file".into(), json!(file));
        entry.insert("line".into(), json!(line));
    }
}

fn told_answer<'a>(report: &'a Report<'_>, answer: &'a Answer) -> Document<'a> {
    let mut entry = Map::new();
    let mut run = None;
    entry.insert("kind".into(), json!(answer.question.kind()));
    entry.insert("name".into(), json!(answer.question.name()));
    match &answer.verdict {
        Verdict::Holds => {
            entry.insert("verdict".into(), json!("holds"));
        }
        Verdict::Fails { violation, trace, shortest } => {
            entry.insert("verdict".into(), json!("fails"));
            let (message, span) = match violation {
                Some(violation) => (violation_text(report.sources(), *violation), Some(violation.span)),
                None if answer.question != Question::Deadlock => {
                    (headline(&answer.question, None, trace, *shortest), None)
                }
                None if trace.initial.is_empty() => ("no process can move".to_owned(), None),
                None => {
                    let problem = report.model.deadlock(trace.last_state(), 1);
                    (problem.message, problem.span)
                }
            };
            entry.insert("message".into(), json!(message));
            add_place(&mut entry, report.sources(), span);
            entry.insert("shortest".into(), json!(shortest));
            run = Some(narration::document(report.model, trace));
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
    let mut document = Document::from(entry);
    let has_place =
        matches!(&document, Document::Object(fields) if fields.iter().any(|(name, _)| name == "line"));
    if let Some(run) = run {
        document.insert("trace", run);
    }
    if let Some(witness) = &answer.witness {
        document.insert("witness", narration::document(report.model, witness));
    }
    if !answer.more.is_empty() {
        let trace = |other: &'a Counterexample| narration::document(report.model, &other.trace);
        document.insert("more", Document::list(move || answer.more.iter().map(trace)));
    }
    if !answer.notes.is_empty() {
        document.insert("notes", json!(answer.notes));
    }
    if let Some(engine) = answer.engine {
        document.insert("engine", json!(engine));
    }
    if !has_place && report.model.synchronous().is_some() {
        let mut place = Map::new();
        add_place(&mut place, report.sources(), report.model.place_of(&answer.question));
        place.into_iter().for_each(|(name, value)| document.insert(&name, value));
    }
    document
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
