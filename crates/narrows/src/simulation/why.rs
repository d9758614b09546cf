//! Why something can't be done in a state, as far as a model tells.

use narrows_model::synchronous::{
    Constraint, Demand, Evaluation, Moment, Reference, Role, Run, SynchronousSystem, Value, VariableId,
};
use narrows_model::{EntryGroup, Form, Trace};
use narrows_report::one_line;
use narrows_source::Span;

use super::{Session, text};

/// So many steps are looked at to find out what rules a value out.
const MAX_EXAMPLES: usize = 50;
/// Domains of more values are not gone through.
const MAX_VALUES: u128 = 32;

/// Something that can't be done, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// Who can't do it, or which variable can't have a value.
    pub who: String,
    /// Where that is written.
    pub place: Option<Span>,
    /// What can't be done.
    pub what: String,
    /// Why.
    pub reason: String,
}

impl Session<'_> {
    /// Says of everything that can't be done now why that is so.
    pub fn why_not(&self) -> Vec<Reason> {
        match &self.model().form {
            Form::Processes(_) => self.blocked_statements(),
            Form::Synchronous(system) if !self.is_before_first() => self.excluded_values(system),
            Form::Labelled(_) => self.waiting_processes(),
            _ => Vec::new(),
        }
    }

    fn blocked_statements(&self) -> Vec<Reason> {
        let mut reasons = Vec::new();
        for process in self.model().waiting(self.state()) {
            for (span, text, reason) in process.statements {
                let (who, place, what) = (process.process.clone(), Some(span), one_line(&text));
                reasons.push(Reason { who, place, what, reason });
            }
        }
        reasons
    }

    /// Processes that take part in no step, and what they offer in vain.
    fn waiting_processes(&self) -> Vec<Reason> {
        let processes = |state: &[u8]| {
            let all = self.model().entries(state).into_iter();
            all.filter(|entry| entry.group == EntryGroup::Process).collect::<Vec<_>>()
        };
        let here = processes(self.state());
        let targets: Vec<_> = self.steps().iter().map(|step| processes(&step.state)).collect();
        let mut reasons = Vec::new();
        for (index, process) in here.iter().enumerate() {
            let moves = targets.iter().any(|after| after.len() != here.len() || after[index] != *process);
            let Some(span) = process.span.filter(|_| !moves) else { continue };
            let source = self.sources().text(span);
            let gates = gates(source);
            let reason = match gates.as_slice() {
                [] => "it takes part in no step".to_owned(),
                gates => format!("nobody is ready for {} with it", gates.join(", ")),
            };
            let values = Some(&process.value).filter(|values| !values.is_empty());
            let who = values.map_or(process.owner.clone(), |values| format!("{} ({values})", process.owner));
            reasons.push(Reason { who, place: Some(span), what: text::excerpt(source), reason });
        }
        reasons
    }

    /// Values that a variable has after no step, with the constraints that are violated by it; where there is
    /// no step, the constraints that contradict each other.
    fn excluded_values(&self, system: &SynchronousSystem) -> Vec<Reason> {
        let reference = Reference::new(system);
        let run = |step| {
            let trace = Trace { initial: self.state().to_vec(), steps: vec![step], ..Trace::default() };
            Run::of_trace(&reference, &trace).states
        };
        let examples: Vec<Vec<Vec<Value>>> =
            self.steps().iter().take(MAX_EXAMPLES).map(|step| run(step.kept())).collect();
        let mut search = Search { session: self, system, evaluation: Evaluation::new(system) };
        if examples.is_empty() {
            return search.contradiction(&reference.unpack(self.state()));
        }
        let all: Vec<Vec<Value>> = self.steps().iter().map(|step| reference.unpack(&step.state)).collect();
        let mut reasons = Vec::new();
        for (index, variable) in system.variables.iter().enumerate() {
            if variable.role == Role::Input || variable.domain.len() > MAX_VALUES {
                continue;
            }
            let excluded = (0..variable.domain.len())
                .filter_map(|place| variable.domain.value(place))
                .filter(|value| all.iter().all(|after| after[index] != *value));
            for value in excluded.collect::<Vec<_>>() {
                reasons.push(search.reason(VariableId(index as u32), value, &examples));
            }
        }
        reasons
    }
}

/// Looks for what rules values out.
struct Search<'s, 'm> {
    session: &'s Session<'m>,
    system: &'s SynchronousSystem,
    evaluation: Evaluation<'s>,
}

impl<'s> Search<'s, '_> {
    /// Says what is violated if a variable has a value after a step, with as little else as possible.
    fn reason(&mut self, id: VariableId, value: Value, examples: &[Vec<Vec<Value>>]) -> Reason {
        let variable = self.system.variable(id);
        let (who, what) = (variable.name.clone(), self.system.show(value, variable.display));
        if variable.role == Role::Frozen {
            let reason = "it is frozen: it keeps its value".to_owned();
            return Reason { who, place: Some(variable.span), what, reason };
        }
        let mut least: Option<Vec<&Constraint>> = None;
        for pair in examples {
            let [before, after] = pair.as_slice() else { continue };
            let mut after = after.clone();
            after[id.0 as usize] = value;
            let violated = self.violated(before, &after);
            if !violated.is_empty() && least.as_ref().is_none_or(|least| violated.len() < least.len()) {
                least = Some(violated);
            }
        }
        let least = least.unwrap_or_default();
        let reason = match least.as_slice() {
            [] => "the other variables would have to change with it".to_owned(),
            [only] => self.told(only),
            [first, rest @ ..] => format!("{}, and {} more", self.told(first), rest.len()),
        };
        Reason { who, place: least.first().map(|constraint| constraint.span), what, reason }
    }

    /// Says which constraints no next state satisfies: those that are violated if the variables are what
    /// assignments say.
    fn contradiction(&mut self, before: &[Value]) -> Vec<Reason> {
        let mut after = before.to_vec();
        for constraint in &self.system.transitions {
            if let Demand::Assigned(variable, root) = constraint.demand {
                let members = self.evaluation.members(root, Moment { current: before, next: before });
                if let [only] = members.as_slice() {
                    after[variable.0 as usize] = *only;
                }
            }
        }
        let violated = self.violated(before, &after);
        let reason = |constraint: &&Constraint| Reason {
            who: "next state".to_owned(),
            place: Some(constraint.span),
            what: "if assignments hold and all else stays".to_owned(),
            reason: self.told(constraint),
        };
        let mut reasons: Vec<Reason> = violated.iter().map(reason).collect();
        let outside =
            self.system.variables.iter().zip(&after).filter(|(v, value)| !v.domain.contains(**value));
        reasons.extend(outside.map(|(variable, value)| Reason {
            who: variable.name.clone(),
            place: Some(variable.span),
            what: self.system.show(*value, variable.display),
            reason: "this is none of its values".to_owned(),
        }));
        reasons
    }

    /// Returns the constraints that a step violates.
    fn violated(&mut self, before: &[Value], after: &[Value]) -> Vec<&'s Constraint> {
        let system = self.system;
        let mut violated = Vec::new();
        let step = Moment { current: before, next: after };
        let invariants = system.invariants.iter().map(|constraint| (constraint, Moment::still(after)));
        for (constraint, moment) in system.transitions.iter().map(|one| (one, step)).chain(invariants) {
            let holds = match constraint.demand {
                Demand::Holds(root) => self.evaluation.is_true(root, moment),
                Demand::Assigned(variable, root) => {
                    self.evaluation.members(root, moment).contains(&after[variable.0 as usize])
                }
            };
            if !holds {
                violated.push(constraint);
            }
        }
        violated
    }

    fn told(&self, constraint: &Constraint) -> String {
        let text = match self.session.line(constraint.span) {
            Some(_) => text::excerpt(self.session.sources().text(constraint.span)),
            None => "a constraint".to_owned(),
        };
        match constraint.demand {
            Demand::Holds(_) => format!("`{text}` would not hold"),
            Demand::Assigned(variable, _) => {
                format!("`{text}` gives {} another value", self.system.variable(variable).name)
            }
        }
    }
}

/// Returns the gates that the text of a behaviour begins with, one for each alternative.
fn gates(text: &str) -> Vec<String> {
    let mut gates: Vec<String> = Vec::new();
    let (mut depth, mut start) = (0_usize, 0);
    for (at, character) in text.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            '[' if depth == 0 && text[at..].starts_with("[]") => {
                gates.extend(gate(&text[start..at]));
                start = at + 2;
            }
            _ => {}
        }
    }
    gates.extend(gate(&text[start..]));
    gates.dedup();
    gates
}

/// Returns the gate that an action is at, if the text begins with one.
fn gate(text: &str) -> Option<String> {
    let text = text.rsplit_once("->").map_or(text, |(_, action)| action);
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || c == '(');
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let rest = rest.trim_start();
    let is_action = rest.is_empty() || rest.starts_with([';', '!', '?']);
    let is_gate = !["", "i", "stop", "exit"].contains(&name);
    (is_action && is_gate).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::gates;

    #[test]
    fn gates_are_what_alternatives_begin_with() {
        let check = |text: &str, expected: &[&str]| assert_eq!(gates(text), expected, "{text}");
        check("put; (i; P [put] [] get; stop)", &["put"]);
        check("[n gt 0] -> get !n; stop [] done; exit", &["get", "done"]);
        check("i; stop", &[]);
        check("a", &["a"]);
        check("stop", &[]);
        check("P [a, b] (1)", &[]);
    }
}
