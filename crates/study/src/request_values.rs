//! What tells requests of processes apart: a value that the process has which executes a statement.
//!
//! It is the number of the process, or an expression about its variables and what all processes see; its
//! value is the one after the statement, so that a receive has what it received.

use std::collections::HashMap;
use std::sync::OnceLock;

use narrows_languages::promela::{Options, compile};
use narrows_languages::{Formula, Logic};
use narrows_model::{Evaluator, Expr, Place, ProctypeId, System, Violation};
use narrows_performance::requests::RequestEvents;
use narrows_performance::{Rename, Site, Timing};
use narrows_source::{Diagnostic, Diagnostics, FileId, Loader, Sources};

use crate::checks::formula_origin;
use crate::{Latency, Text};

/// So many values are told apart: those of a byte.
const MAX_VALUES: u16 = 256;

/// A model that is compiled again to find out what a name means in a process.
pub(crate) struct Scope<'m> {
    pub(crate) sources: &'m mut Sources,
    pub(crate) model: FileId,
    pub(crate) loader: &'m dyn Loader,
    pub(crate) options: Options,
}

impl Scope<'_> {
    /// Returns what a text means in processes of a kind, as of process 0. The error is told.
    pub(crate) fn value(&mut self, by: &Text, proctype: &str, diagnostics: &mut Diagnostics) -> Option<Key> {
        if by.text == "_pid" {
            return Some(Key::Pid);
        }
        let own = self.of_first(by, proctype);
        let found = match own {
            Some(own) => self.expression(by, own).map(Key::Own),
            None => self.expression(by, by.text.clone()).map(Key::Shared),
        };
        if found.is_none() {
            let title = format!("`{}` means nothing to `{proctype}`", by.text);
            let help = "requests are told apart by `_pid`, or an expression of variables of the process and \
                        of the model";
            diagnostics.push(Diagnostic::error("S0005", by.span, title).help(help));
        }
        found
    }

    /// Returns the text in which variables of a process are those of process 0; `None` if it names none, or
    /// says itself of which process they are.
    fn of_first(&mut self, by: &Text, proctype: &str) -> Option<String> {
        if by.text.contains([':', '@']) {
            return None;
        }
        let (mut text, mut is_own, mut rest) = (String::new(), false, by.text.as_str());
        let is_inside = |letter: char| letter.is_alphanumeric() || letter == '_';
        while let Some(first) = rest.chars().next() {
            let end = rest.find(|letter| is_inside(letter) != is_inside(first)).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            let is_name = is_inside(first) && !first.is_ascii_digit() && !text.trim_end().ends_with('.');
            let remote = format!("{proctype}[0]:{word}");
            if is_name && matches!(self.expression(by, remote.clone()), Some(Expr::Remote { .. })) {
                is_own = true;
                text.push_str(&remote);
            } else {
                text.push_str(word);
            }
            rest = after;
        }
        is_own.then_some(text)
    }

    fn expression(&mut self, by: &Text, text: String) -> Option<Expr> {
        let formula = Formula { logic: Logic::Expression, text, origin: formula_origin(by) };
        let options = Options { formulas: vec![formula], ..self.options.clone() };
        let mut unheard = Diagnostics::default();
        let system = compile(self.sources, self.model, self.loader, &options, &mut unheard)?;
        let found = system.properties.last().and_then(|property| property.claim.predicate());
        found.filter(|_| !unheard.has_errors())
    }
}

/// What tells requests of a statement apart.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Key {
    /// The number of the process.
    Pid,
    /// An expression in which variables of the process are written as those of process 0.
    Own(Expr),
    /// An expression about what all processes see.
    Shared(Expr),
}

impl Key {
    /// Returns the value in a process.
    fn in_process(&self, process: u8) -> Expr {
        match self {
            Key::Pid => Expr::Constant(i32::from(process)),
            Key::Own(expr) => of_process(expr, process),
            Key::Shared(expr) => expr.clone(),
        }
    }
}

/// Returns what an expression of process 0 is in another process.
fn of_process(expr: &Expr, process: u8) -> Expr {
    let inside = |expr: &Expr| Box::new(of_process(expr, process));
    let placed = |place: &Place| {
        let mut place = place.clone();
        for index in &mut place.indices {
            index.value = of_process(&index.value, process);
        }
        Box::new(place)
    };
    match expr {
        Expr::Remote { proctype, place, .. } => {
            let number = Expr::Constant(i32::from(process));
            Expr::Remote { proctype: *proctype, pid: Some(Box::new(number)), place: placed(place) }
        }
        Expr::Load(place) => Expr::Load(placed(place)),
        Expr::Unary(operator, value) => Expr::Unary(*operator, inside(value)),
        Expr::Binary(operator, left, right, span) => {
            Expr::Binary(*operator, inside(left), inside(right), *span)
        }
        Expr::Conditional(condition, yes, no) => {
            Expr::Conditional(inside(condition), inside(yes), inside(no))
        }
        Expr::Channel(query, channel, span) => Expr::Channel(*query, inside(channel), *span),
        other => other.clone(),
    }
}

/// The statements with which requests begin and end, each with what tells them apart.
pub(crate) type Valued = [Vec<(Site, Key)>; 2];

/// What gives events numbers by values.
#[derive(Debug, Default)]
pub(crate) struct ValueEvents {
    /// For each event of one process at one statement, whether it ends requests, and the value.
    of: HashMap<u16, (bool, Expr)>,
    /// The first number of events of values.
    first: u16,
    /// The kind of all processes whose numbers tell requests apart, if nothing else does.
    proctype: Option<ProctypeId>,
    /// A value that can't be told apart from others, if there was one.
    beyond: OnceLock<i32>,
}

impl ValueEvents {
    /// Adds events for statements and processes to a timing; returns what they mean, and the kinds of
    /// requests by value.
    pub(crate) fn new(
        timing: &mut Timing,
        valued: &Valued,
        latency: &Latency,
    ) -> (ValueEvents, Vec<RequestEvents>) {
        let mut of = HashMap::new();
        for (is_end, sites) in [false, true].into_iter().zip(valued) {
            for (site, key) in sites {
                for process in 0..u8::MAX {
                    let event = timing.event_of(&[(*site, Some(process))], &latency.from.text);
                    of.insert(event, (is_end, key.in_process(process)));
                }
            }
        }
        let first = timing.events().len() as u16;
        let kind = |value: u16| {
            let from = first + 3 * value;
            RequestEvents { from, to: from + 1, both: from + 2, order: latency.order }
        };
        let mut sites = valued.iter().flatten();
        let proctype = sites.next().map(|(site, _)| site.proctype).filter(|proctype| {
            valued.iter().flatten().all(|(site, key)| site.proctype == *proctype && *key == Key::Pid)
        });
        let beyond = OnceLock::new();
        (ValueEvents { of, first, proctype, beyond }, (0..MAX_VALUES).map(kind).collect())
    }

    /// Returns the events to count.
    pub(crate) fn counted(&self) -> impl Iterator<Item = u16> {
        self.of.keys().copied()
    }

    /// Returns the first process of those whose numbers tell requests apart: if that is what does, and if
    /// they are all of one kind.
    pub(crate) fn process(&self, system: &System) -> Option<u8> {
        let proctype = self.proctype?;
        let processes = &system.initial_processes;
        processes.iter().position(|process| process.proctype == proctype).map(|pid| pid as u8)
    }

    /// Returns the events of one process.
    pub(crate) fn of_process(&self, process: u8) -> impl Iterator<Item = u16> {
        let own = Expr::Constant(i32::from(process));
        self.of.iter().filter(move |(_, (_, expr))| *expr == own).map(|(event, _)| *event)
    }

    /// Returns what gives events of steps their numbers.
    pub(crate) fn rename<'r>(&'r self, evaluator: Evaluator<'r>) -> Rename<'r> {
        Box::new(move |event, state| self.number(evaluator, event, state))
    }

    /// Returns the number of an event by the value after it.
    pub(crate) fn number(
        &self,
        evaluator: Evaluator<'_>,
        event: u16,
        state: &[u8],
    ) -> Result<u16, Violation> {
        let Some((is_end, expr)) = self.of.get(&event) else { return Ok(event) };
        let value = evaluator.observe(state).value(expr)?;
        let Some(known) = u16::try_from(value).ok().filter(|value| *value < MAX_VALUES) else {
            self.beyond.get_or_init(|| value);
            return Ok(event);
        };
        Ok(self.first + 3 * known + u16::from(*is_end))
    }

    /// Says why requests can't be told apart, if they can't.
    pub(crate) fn why_not(&self, by: &Text) -> Option<String> {
        let value = *self.beyond.get()?;
        Some(format!(
            "`{}` has the value {value}, and requests are told apart by values from 0 to {}.",
            by.text,
            MAX_VALUES - 1
        ))
    }
}
