//! Reports on synchronous systems: the same shape as for others, with runs as values of variables.

use std::fmt::Write;

use narrows_model::synchronous::{Reference, Role, Run, Signal, SynchronousSystem};
use narrows_model::{Answer, Bottleneck, Figure, FigureResult, Limit, Question, Reply, Trace, Verdict};
use narrows_source::Sources;
use serde_json::{Map, Value, json};

use crate::bottleneck::{Analysed, StudyPage};
use crate::figures::{answer_value, judgement, result_text};
use crate::json::{add_place, head, large};
use crate::plot::{Waves, waves};
use crate::run::{change_text, repeats};
use crate::text::{headline, title};
use crate::trace_json::{atom_value, change_value};
use crate::units::{bytes, grouped_digits, seconds};
use crate::{Figures, Teller, ViewSize};

/// Everything a report says about a synchronous system.
#[derive(Clone, Debug)]
pub struct MachineReport<'a> {
    /// The model's name, as the user gave it.
    pub model: &'a str,
    /// The model.
    pub machine: &'a SynchronousSystem,
    /// Its text.
    pub sources: &'a Sources,
    /// What was found out.
    pub replies: &'a [Reply],
    /// How many states can be reached, of how many bits, and after how many steps if that is known; `None` if nothing is.
    pub size: Option<(String, u64, Option<u64>)>,
    /// How many bytes were used.
    pub memory: u64,
    /// How long it took.
    pub seconds: f64,
    /// Why not everything was found out.
    pub limit: Option<Limit>,
    /// Whether to show the runs that show numbers.
    pub with_runs: bool,
}

/// A run with more steps than this is shown without its middle.
const LONGEST: usize = 400;
/// Of a long run, this many steps at either end are shown.
const ENDS: usize = 100;

impl MachineReport<'_> {
    /// Returns the exit status that the answers call for.
    pub fn status(&self) -> u8 {
        let fails = |reply: &Reply| match reply {
            Reply::Answer(answer) => matches!(answer.verdict, Verdict::Fails { .. }),
            Reply::Figure(figure) => figure.fails(),
        };
        let is_open = |reply: &Reply| match reply {
            Reply::Answer(answer) => !matches!(answer.verdict, Verdict::Holds | Verdict::Fails { .. }),
            Reply::Figure(figure) => figure.is_open(),
        };
        if self.replies.iter().any(fails) {
            1
        } else if self.limit.is_some() || self.replies.iter().any(is_open) {
            2
        } else {
            0
        }
    }

    /// Adds the report to a page.
    pub fn add_to(&self, page: &mut StudyPage) {
        let figures: Vec<Figure> = self.replies.iter().map(figure_of).collect();
        let size = |(states, ..): &(String, u64, Option<u64>)| ViewSize {
            view: "timed",
            states: states.clone(),
            transitions: None,
            minimised: None,
            seconds: self.seconds,
        };
        let figures = Figures {
            name: self.model,
            title: "",
            figures: &figures,
            sizes: self.size.iter().map(size).collect(),
            sweep: &[],
            seconds: self.seconds,
            teller: Teller::Machine(self.machine, self.sources, &[]),
        };
        page.add(&Analysed { figures, unit: "steps", bottleneck: &Bottleneck::default() }, &[]);
    }

    /// Returns the first run against something: what kind of thing, and the run.
    pub fn first_failure(&self) -> Option<(&'static str, &Trace)> {
        self.replies.iter().find_map(|reply| match reply {
            Reply::Answer(answer) => match &answer.verdict {
                Verdict::Fails { trace, .. } if !trace.initial.is_empty() => {
                    Some((answer.question.kind(), &**trace))
                }
                _ => None,
            },
            Reply::Figure(_) => None,
        })
    }

    /// Writes the report for people.
    pub fn text(&self) -> String {
        let mut text = format!("{}\n", self.model);
        for reply in self.replies {
            match reply {
                Reply::Answer(answer) => Self::answer_line(answer, &mut text),
                Reply::Figure(figure) => {
                    let _ = writeln!(
                        text,
                        "  {:<10} {}: {}{}",
                        figure.kind,
                        figure.name,
                        result_text(figure),
                        judgement(figure)
                    );
                }
            }
        }
        for reply in self.replies {
            match reply {
                Reply::Answer(answer) => self.answer_runs(answer, &mut text),
                Reply::Figure(figure) => self.figure_runs(figure, &mut text),
            }
        }
        if !self.replies.is_empty() {
            text.push('\n');
        }
        if let Some(limit) = self.limit {
            let _ = writeln!(text, "  INCOMPLETE: {}", limit.reason());
        }
        match &self.size {
            Some((states, bits, depth)) => {
                let plural = if states == "1" { "state" } else { "states" };
                let depth = depth.map_or_else(String::new, |depth| format!("depth {depth}, "));
                let _ = writeln!(
                    text,
                    "  {} {plural} of {bits} bits, {depth}{}, {}",
                    grouped_digits(states),
                    bytes(self.memory),
                    seconds(self.seconds)
                );
            }
            None => {
                let _ = writeln!(text, "  {}, {}", bytes(self.memory), seconds(self.seconds));
            }
        }
        text
    }

    fn answer_line(answer: &Answer, text: &mut String) {
        let name = title(&answer.question);
        let (mark, line) = match &answer.verdict {
            Verdict::Holds => ("holds", name),
            Verdict::Fails { .. } => ("fails", failure(&answer.question, &name)),
            Verdict::Undecided(limit) => ("undecided", format!("{name}: {}", limit.reason())),
            Verdict::Refused(refusal) => ("undecided", format!("{name}: {}", refusal.reason)),
            _ => ("undecided", name),
        };
        // Sets of states are the rule.
        let by = answer.engine.filter(|engine| *engine != "symbolic");
        let by = by.map_or_else(String::new, |engine| format!(" (by {engine})"));
        let _ = writeln!(text, "  {mark:<10} {line}{by}");
        for note in &answer.notes {
            let _ = writeln!(text, "             {note}");
        }
    }

    fn answer_runs(&self, answer: &Answer, text: &mut String) {
        if let Verdict::Fails { trace, shortest, .. } = &answer.verdict
            && !trace.initial.is_empty()
        {
            let _ = writeln!(text, "\n{}", headline(&answer.question, None, trace, *shortest));
            run_text(self.machine, trace, text);
        }
        if let Some(trace) = answer.witness.as_deref().filter(|_| self.with_runs) {
            let _ = writeln!(text, "\n{} shown", title(&answer.question));
            run_text(self.machine, trace, text);
        }
    }

    fn figure_runs(&self, figure: &Figure, text: &mut String) {
        for (what, trace) in figure.witnesses.iter().filter(|_| self.with_runs) {
            let _ = writeln!(text, "\n{} {}: {what}", figure.kind, figure.name);
            run_text(self.machine, trace, text);
        }
    }

    /// Writes the report as a JSON document.
    pub fn document(&self) -> Value {
        let mut document = head(self.model);
        let mut put = |name: &str, value: Value| _ = document.insert(name.to_owned(), value);
        if let Some((states, bits, depth)) = &self.size {
            put("states", large(states));
            put("bits", json!(bits));
            if let Some(depth) = depth {
                put("depth", json!(depth));
            }
        }
        put("seconds", json!((self.seconds * 1000.0).round() / 1000.0));
        put("memory", json!(self.memory));
        put("complete", json!(self.limit.is_none()));
        if let Some(limit) = self.limit {
            put("reason", json!(limit.reason()));
        }
        let answers = self.replies.iter().map(|reply| match reply {
            Reply::Answer(answer) => self.answer_value(answer),
            Reply::Figure(figure) => {
                answer_value(figure, |trace| trace_value(self.machine, self.sources, trace))
            }
        });
        put("answers", answers.collect());
        Value::Object(document)
    }

    fn answer_value(&self, answer: &Answer) -> Value {
        let mut entry = Map::new();
        let mut put = |name: &str, value: Value| _ = entry.insert(name.to_owned(), value);
        put("kind", json!(answer.question.kind()));
        put("name", json!(answer.question.name()));
        match &answer.verdict {
            Verdict::Holds => put("verdict", json!("holds")),
            Verdict::Fails { trace, shortest, .. } => {
                put("verdict", json!("fails"));
                put("message", json!(headline(&answer.question, None, trace, *shortest)));
                put("shortest", json!(shortest));
                put("trace", trace_value(self.machine, self.sources, trace));
            }
            Verdict::Undecided(limit) => {
                put("verdict", json!("undecided"));
                put("reason", json!(limit.reason()));
            }
            Verdict::Refused(refusal) => {
                put("verdict", json!("undecided"));
                put("reason", json!(refusal.reason));
            }
            _ => put("verdict", json!("undecided")),
        }
        if let Some(engine) = answer.engine {
            put("engine", json!(engine));
        }
        if let Some(witness) = &answer.witness {
            put("witness", trace_value(self.machine, self.sources, witness));
        }
        if !answer.notes.is_empty() {
            put("notes", json!(answer.notes));
        }
        if let Question::Property { index, .. } = &answer.question
            && let Some(specification) = self.machine.specifications.get(*index)
        {
            add_place(&mut entry, self.sources, Some(specification.span));
        }
        Value::Object(entry)
    }
}

/// Writes a run: the first state, then what each step changes.
pub(crate) fn run_text(machine: &SynchronousSystem, trace: &Trace, text: &mut String) {
    let reference = Reference::new(machine);
    let first = reference.unpack(&trace.initial);
    let total = trace.steps.len();
    let width = total.to_string().len();
    let values: Vec<String> = machine
        .variables
        .iter()
        .zip(&first)
        .filter(|(variable, _)| variable.role != Role::Input)
        .map(|(variable, value)| format!("{} = {}", variable.name, machine.show(*value, variable.display)))
        .collect();
    for (number, line) in values.chunks(4).enumerate() {
        let label = if number == 0 { "0".to_owned() } else { String::new() };
        let _ = writeln!(text, "  {label:>width$}  {}", line.join(", "));
    }
    for atom in &trace.atoms {
        if let Some(value) = atom.values.first() {
            let _ = writeln!(text, "  {:>width$}  ◆ {}: {value}", "", atom.text);
        }
    }
    let cycle = trace.cycle.filter(|start| *start < total);
    for (index, step) in trace.steps.iter().enumerate() {
        if total > LONGEST && (ENDS..total - ENDS).contains(&index) && cycle != Some(index) {
            if index == ENDS {
                let _ = writeln!(text, "  … {} steps left out; --format json has them …", total - 2 * ENDS);
            }
            continue;
        }
        if cycle == Some(index) {
            let _ = writeln!(text, "┌─ cycle: {} for ever", repeats(index, total));
        }
        let bar = if cycle.is_some_and(|start| start <= index) { "│ " } else { "  " };
        let changes: Vec<String> = step.changes.iter().map(change_text).collect();
        let said = if changes.is_empty() { "nothing changes".to_owned() } else { changes.join(", ") };
        let _ = writeln!(text, "{bar}{:>width$}  {said}", index + 1);
        for atom in &trace.atoms {
            if let Some([before, after]) = atom.values.get(index..index + 2)
                && before != after
            {
                let _ = writeln!(text, "{bar}{:>width$}  ◆ {}: {before} → {after}", "", atom.text);
            }
        }
    }
    if let Some(start) = cycle {
        let _ = writeln!(text, "└─ back to step {}", start + 1);
    }
}

/// Of a run without signals, so many variables are drawn.
const DRAWN: usize = 24;

/// Draws a run: signals, or if there are none, what the formula looks at and the variables that change.
pub(crate) fn run_picture(
    machine: &SynchronousSystem,
    signals: &[Signal],
    trace: &Trace,
    title: &str,
) -> String {
    let reference = Reference::new(machine);
    let run = Run::of_trace(&reference, trace);
    let truth = |value: &bool| Some(if *value { "TRUE" } else { "FALSE" }.to_owned());
    let mut rows: Vec<(String, Vec<Option<String>>)> = Vec::new();
    if signals.is_empty() {
        for atom in &trace.atoms {
            rows.push((atom.text.clone(), atom.values.iter().take(run.states.len()).map(truth).collect()));
        }
        for (index, variable) in machine.variables.iter().enumerate() {
            let changes = run.states.windows(2).any(|pair| pair[0][index] != pair[1][index]);
            if changes && rows.len() < DRAWN {
                let last = run.states.len() - 1;
                let is_known =
                    |place: usize| variable.role != Role::Input || place < last || run.cycle.is_some();
                let shown = |(place, state): (usize, &Vec<i128>)| {
                    is_known(place).then(|| machine.show(state[index], variable.display))
                };
                rows.push((variable.name.clone(), run.states.iter().enumerate().map(shown).collect()));
            }
        }
    } else {
        rows.extend(signals.iter().map(|signal| (signal.name.clone(), run.values_of(machine, signal))));
    }
    waves(&Waves { title, rows: &rows, part: trace.part, cycle: run.cycle })
}

/// Draws a run as a timing diagram: what the formula looks at, and the variables that change.
pub fn machine_picture(machine: &SynchronousSystem, trace: &Trace, title: &str) -> String {
    run_picture(machine, &[], trace, title)
}

/// Writes a run as JSON.
pub(crate) fn trace_value(machine: &SynchronousSystem, sources: &Sources, trace: &Trace) -> Value {
    let first = Reference::new(machine).unpack(&trace.initial);
    let mut values = Map::new();
    for (variable, value) in machine.variables.iter().zip(&first) {
        if variable.role != Role::Input && !trace.initial.is_empty() {
            values.insert(variable.name.clone(), json!(machine.show(*value, variable.display)));
        }
    }
    let steps = trace.steps.iter().map(|step| {
        let changes: Vec<Value> = step.changes.iter().map(change_value).collect();
        json!({ "changes": changes })
    });
    let atoms: Vec<Value> = trace.atoms.iter().map(|atom| atom_value(sources, atom)).collect();
    json!({ "values": values, "cycle": trace.cycle, "atoms": atoms, "steps": steps.collect::<Vec<_>>() })
}

/// Makes a figure of an answer, for pages.
fn figure_of(reply: &Reply) -> Figure {
    let answer = match reply {
        Reply::Figure(figure) => return Figure::clone(figure),
        Reply::Answer(answer) => answer,
    };
    let mut witnesses = Vec::new();
    let (result, expected) = match &answer.verdict {
        Verdict::Holds => (FigureResult::Word("holds".to_owned()), Some(("holds".to_owned(), true))),
        Verdict::Fails { trace, .. } => {
            if !trace.initial.is_empty() {
                witnesses.push(("a run against it".to_owned(), (**trace).clone()));
            }
            (FigureResult::Word("fails".to_owned()), Some(("holds".to_owned(), false)))
        }
        Verdict::Undecided(limit) => (FigureResult::Undecided(*limit), None),
        Verdict::Refused(refusal) => (FigureResult::None(refusal.reason.clone()), None),
        _ => (FigureResult::None(String::new()), None),
    };
    if let Some(trace) = &answer.witness {
        witnesses.push(("a run that shows it".to_owned(), (**trace).clone()));
    }
    Figure {
        kind: answer.question.kind(),
        name: answer.question.name().to_owned(),
        view: "timed",
        result,
        unit: String::new(),
        witnesses,
        notes: answer.notes.clone(),
        expected,
        reference: None,
        cell: None,
        is_drawn: false,
    }
}

/// Says what a failure means.
fn failure(question: &Question, name: &str) -> String {
    match question {
        Question::Deadlock => "deadlock: there is a state without a successor".to_owned(),
        Question::Faults => "fault: something happens that must not".to_owned(),
        _ => name.to_owned(),
    }
}
