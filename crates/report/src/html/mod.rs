//! Reports as one page that needs nothing else: no network, no library; without scripts it is a plain
//! document.
//!
//! The templates escape what models say. What the script needs to show any state of a run is in the page as
//! data: the first state, and what each step changes.

mod atoms;
mod coverage;
mod data;
mod run;
mod source;

use askama::Template;
use narrows_model::decimals::DIGITS;
use narrows_model::{Answer, Claim, Figure, Question, Reply, Verdict};
use narrows_source::printable;
use serde_json::Value;

use crate::figures::{judgement, result_text};
use crate::text::{answer_line, set_size, title};
use crate::units::{bytes, count, grouped, grouped_digits, seconds};
use crate::{Report, loss, orbits};
use coverage::{Dead, Share};
use run::Run;
use source::{Places, Text};

/// A page about some models.
#[derive(Default)]
pub struct Page {
    models: Vec<String>,
    names: Vec<String>,
}

/// The whole page.
#[derive(Template)]
#[template(path = "page.html")]
struct Whole<'p> {
    title: String,
    tool: String,
    models: &'p [String],
    page_style: &'static str,
    chart_style: &'static str,
    script: &'static str,
}

/// What the page says about one model.
#[derive(Template)]
#[template(path = "model.html")]
struct Model {
    name: String,
    /// Tells it from the other models of the page.
    id: String,
    verdicts: Vec<Row>,
    incomplete: Option<String>,
    /// What may have been missed, if states were kept with loss.
    loss: Vec<String>,
    figures: Vec<(&'static str, String)>,
    texts: Vec<Text>,
    runs: Vec<Run>,
    shares: Vec<Share>,
    dead: Vec<Dead>,
    so_far: &'static str,
    /// Whether the search was about all runs of the system, so that what it did not reach is not reached.
    is_covered: bool,
    data: String,
}

/// An answer.
struct Row {
    verdict: &'static str,
    mark: char,
    title: String,
    /// What the text states, word by word.
    stated: String,
    how: String,
    notes: Vec<String>,
    /// The run that shows it.
    run: Option<String>,
}

impl Page {
    /// Returns whether there is nothing on it yet.
    pub fn is_empty(&self) -> bool {
        self.models.is_empty()
    }

    /// Adds what there is to say about a model.
    pub fn add(&mut self, report: &Report<'_>) {
        let id = format!("m{}", self.models.len() + 1);
        let model = model(report, id);
        // Writing into a string can't fail.
        self.models.push(model.render().unwrap_or_default());
        self.names.push(model.name);
    }

    /// Writes the page.
    pub fn write(&self) -> String {
        let title = match self.names.as_slice() {
            [name] => name.clone(),
            names => count(names.len() as u64, "model"),
        };
        let whole = Whole {
            title,
            tool: format!("narrows {}", env!("CARGO_PKG_VERSION")),
            models: &self.models,
            page_style: include_str!("../../templates/page.css"),
            chart_style: include_str!("../chart/chart.css"),
            script: include_str!("../../templates/page.js"),
        };
        printable(&whole.render().unwrap_or_default()).into_owned()
    }
}

fn model(report: &Report<'_>, id: String) -> Model {
    let places = Places::new(report.sources(), &id);
    let unreached = report.unreached();
    let mut runs = Vec::new();
    let mut data = Vec::new();
    let mut verdicts = Vec::new();
    for reply in report.replies {
        let answer = match reply {
            Reply::Answer(answer) => answer,
            Reply::Figure(figure) => {
                verdicts.push(figure_row(figure));
                continue;
            }
        };
        let mut row = row(report, answer);
        for shown in crate::text::runs(answer) {
            let run_id = format!("{id}r{}", runs.len() + 1);
            runs.push(run::run(report, &places, &run_id, &answer.question, &shown));
            data.push(data::data(report.model, &places, shown.trace));
            row.run.get_or_insert(run_id);
        }
        verdicts.push(row);
    }
    Model {
        name: report.model.name.clone(),
        verdicts,
        incomplete: report.limit.map(|limit| format!("{}.", limit.reason())),
        loss: loss::sentences(report),
        figures: figures(report),
        texts: source::texts(report.sources(), &places, &unreached),
        runs,
        shares: coverage::shares(report, &unreached),
        dead: coverage::dead(&places, &unreached),
        so_far: if report.limit.is_some() { " so far" } else { "" },
        is_covered: report.coverage.of_system && report.model.processes().is_some(),
        data: embedded(&Value::Array(data)),
        id,
    }
}

/// Writes data so that nothing in it can end the element it stands in.
fn embedded(data: &Value) -> String {
    data.to_string().replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

fn row(report: &Report<'_>, answer: &Answer) -> Row {
    let (verdict, line) = answer_line(report, answer);
    let states = match &report.coverage.sets {
        Some(sets) => set_size(sets),
        None => count(report.coverage.states, "state"),
    };
    let how = match &answer.verdict {
        Verdict::Holds if Question::SAFETY.contains(&answer.question) && report.limit.is_none() => {
            format!("every state was visited: {states}")
        }
        Verdict::Holds => "every run was covered, and no limit was hit".to_owned(),
        Verdict::Fails { shortest: true, .. } => "a run shows it, and no shorter one does".to_owned(),
        Verdict::Fails { .. } => "a run shows it; a shorter one may show it too".to_owned(),
        Verdict::Undecided(limit) => limit.reason().to_owned(),
        Verdict::Refused(refusal) => refusal.reason.clone(),
        _ => String::new(),
    };
    let title = if verdict == "undecided" { title(&answer.question) } else { line };
    // A formula from the command line is its own name.
    let stated = Some(stated(report, &answer.question)).filter(|stated| !title.ends_with(stated.as_str()));
    let mark = match verdict {
        "holds" => '✓',
        "fails" => '✗',
        _ => '?',
    };
    Row {
        verdict,
        mark,
        title,
        stated: stated.unwrap_or_default(),
        how,
        notes: answer.notes.clone(),
        run: None,
    }
}

fn figure_row(figure: &Figure) -> Row {
    Row {
        verdict: if figure.is_open() { "undecided" } else { "value" },
        mark: if figure.is_open() { '?' } else { '=' },
        title: format!("{} {}", figure.kind, figure.name),
        stated: String::new(),
        how: format!("{}{}", result_text(figure, DIGITS), judgement(figure)),
        notes: figure.notes.clone(),
        run: None,
    }
}

/// Returns what the text states, on one line.
fn stated(report: &Report<'_>, question: &Question) -> String {
    let Question::Property { index, .. } = question else { return String::new() };
    let property = report.model.processes().and_then(|system| system.properties.get(*index));
    let Some(property) = property else { return String::new() };
    if !report.sources().files().any(|(id, _)| id == property.span.file) {
        return String::new();
    }
    let whole = &report.sources().file(property.span.file).text;
    let rest = whole.get(property.span.start as usize..).unwrap_or_default();
    // The span is that of the keyword or of the name: the formula goes on to its brace.
    let written = match &property.claim {
        Claim::Ltl(_) | Claim::Ctl(_) => block(rest).unwrap_or(report.sources().text(property.span)),
        _ => return String::new(),
    };
    let words: Vec<&str> = written.split_whitespace().collect();
    let text = words.join(" ");
    if text.chars().count() <= 300 { text } else { text.chars().take(299).chain(['…']).collect() }
}

/// Returns a text up to the brace that closes its first one; `None` if the first line has no brace.
fn block(text: &str) -> Option<&str> {
    let start = text.find('{')?;
    if text[..start].contains('\n') {
        return None;
    }
    let mut depth = 0;
    for (at, character) in text.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth == 1 => return Some(&text[..=at]),
            '}' => depth -= 1,
            _ => {}
        }
    }
    None
}

fn figures(report: &Report<'_>) -> Vec<(&'static str, String)> {
    let coverage = report.coverage;
    if let Some(sets) = &coverage.sets {
        let states =
            sets.states.as_ref().map_or_else(|| "unknown".to_owned(), |states| grouped_digits(states));
        return vec![
            ("states", states),
            ("bits", grouped(sets.bits)),
            ("memory", bytes(coverage.bytes)),
            ("time", seconds(report.seconds)),
        ];
    }
    let mut list = vec![
        ("states", grouped(coverage.states)),
        ("transitions", grouped(coverage.transitions)),
        ("depth", grouped(coverage.depth)),
    ];
    list.extend(orbits::lines(report));
    if coverage.state_bytes > 0 {
        list.push(("a state", bytes(report.bytes_per_state())));
    }
    list.extend([("memory", bytes(coverage.bytes)), ("time", seconds(report.seconds))]);
    list
}

#[cfg(test)]
mod tests {
    use narrows_model::{Answer, Question, Trace, Verdict};

    use super::Page;
    use crate::samples::{Sample, TALK, TURNS};

    fn page(sample: &Sample, name: &str) -> String {
        let question = Question::Property { index: 0, kind: "ltl", name: name.to_owned() };
        let trace: Box<Trace> = Box::new(sample.trace.clone());
        let verdict = Verdict::Fails { violation: None, trace, shortest: true };
        let answers = [Answer::new(Question::Deadlock, Verdict::Holds), Answer::new(question, verdict)];
        sample.report(&answers, |report| {
            let mut page = Page::default();
            page.add(report);
            page.write()
        })
    }

    #[test]
    fn verdicts_come_before_runs_and_lassos_are_marked() {
        let sample = Sample::new(TURNS, &[0; 4], Some(1)).with_atom("turn == 1", "turn", "1");
        let page = page(&sample, "fair");
        let parts = [
            "<table class=\"verdicts\">",
            "holds</td>",
            "<a href=\"#m1r1\">ltl fair</a>",
            "id=\"m1f0-4\"",
            "ltl fair fails: 1 step, then a cycle of 3",
            "<code>turn == 1</code><span class=\"unseen\">true in states 2–3</span>",
            "<rect class=\"cycle\" x=\"2\" width=\"3\"",
            "cycle: steps 2–4 repeat for ever",
            "<a href=\"#m1f0-4\">line 4</a> <code>turn = 1 - _pid</code>",
            "◆ turn == 1: false → true",
            "class=\"bracket\"",
        ];
        let mut rest = page.as_str();
        for part in parts {
            let at = rest.find(part).unwrap_or_else(|| panic!("{part} is not in\n{rest}"));
            rest = &rest[at..];
        }
    }

    #[test]
    fn what_a_model_says_stays_text() {
        let hostile = "</script><img src=x onerror=alert(1)>";
        let model = TALK.replace("byte n;", "byte n; /* </code></script><img src=x onerror=alert(1)> */");
        let sample = Sample::new(&model, &[0, 1, 0], None).with_atom(hostile, "", "");
        let page = page(&sample, hostile);
        assert!(!page.contains("<img"), "{page}");
        assert_eq!(page.matches("<script").count(), page.matches("</script>").count());
        assert_eq!(page.matches("<script").count(), 2);
    }

    #[test]
    fn a_page_needs_nothing_else() {
        let page = page(&Sample::new(TALK, &[0, 1, 0], None), "p");
        for part in ["http:", "https:", "src=", "@import", "url("] {
            assert!(!page.contains(part), "{part}");
        }
    }

    #[test]
    fn a_long_run_makes_no_huge_page() {
        let page = page(&Sample::new(TURNS, &vec![0; 2000], None), "p");
        assert!(page.len() < 2_500_000, "{}", page.len());
    }
}
