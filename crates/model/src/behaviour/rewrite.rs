//! Innermost rewriting: equations from left to right, arguments first, the first equation that matches.

use narrows_source::Span;

use super::data::{Builtin, Condition, Data, Meaning, OperationId, Pattern, Term};
use super::memory::Memory;
use super::values::{NUMBERS, Value};
use crate::ViolationKind;

/// The maximal depth of calls.
const MAX_CALL_DEPTH: u32 = 4000;
/// The maximal depth of values.
const MAX_VALUE_DEPTH: u32 = 4000;
/// The maximal number of memoised results.
const MAX_RESULTS: usize = 1 << 18;

/// Why something has no value, or a state no steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What is wrong.
    pub kind: ViolationKind,
    /// Where in the text.
    pub span: Span,
    /// What it is about, such as the term that has no value.
    pub about: String,
}

/// A value, or why there is none.
pub(crate) type Computed<T> = Result<T, Box<Fault>>;

impl Data {
    /// Evaluates a term.
    pub(crate) fn evaluate(&self, term: &Term, variables: &[Value], memory: &mut Memory) -> Computed<Value> {
        self.compute(term, variables, memory, 0)
    }

    /// Evaluates a condition.
    pub(crate) fn holds(
        &self,
        condition: &Condition,
        variables: &[Value],
        memory: &mut Memory,
    ) -> Computed<bool> {
        self.check(condition, variables, memory, 0)
    }

    fn check(
        &self,
        condition: &Condition,
        variables: &[Value],
        memory: &mut Memory,
        depth: u32,
    ) -> Computed<bool> {
        match condition {
            Condition::Equal(left, right) => {
                let left = self.compute(left, variables, memory, depth)?;
                Ok(left == self.compute(right, variables, memory, depth)?)
            }
            Condition::True(term) => Ok(self.compute(term, variables, memory, depth)? == self.truth(true)),
        }
    }

    /// Returns a truth value; without that sort nobody asks.
    fn truth(&self, value: bool) -> Value {
        self.truth.map_or(Value::default(), |truth| Value::constant(truth[usize::from(value)]))
    }

    fn compute(&self, term: &Term, variables: &[Value], memory: &mut Memory, depth: u32) -> Computed<Value> {
        match term {
            Term::Variable(index) => Ok(variables[usize::from(*index)]),
            Term::Number(number) => Ok(Value::number(*number)),
            Term::Apply(operation, arguments) => match arguments.as_slice() {
                [] => self.apply(*operation, &[], memory, depth),
                [only] => {
                    let only = self.compute(only, variables, memory, depth)?;
                    self.apply(*operation, &[only], memory, depth)
                }
                [left, right] => {
                    let left = self.compute(left, variables, memory, depth)?;
                    let right = self.compute(right, variables, memory, depth)?;
                    self.apply(*operation, &[left, right], memory, depth)
                }
                more => {
                    let values: Computed<Vec<Value>> =
                        more.iter().map(|one| self.compute(one, variables, memory, depth)).collect();
                    self.apply(*operation, &values?, memory, depth)
                }
            },
        }
    }

    fn apply(
        &self,
        operation: OperationId,
        arguments: &[Value],
        memory: &mut Memory,
        depth: u32,
    ) -> Computed<Value> {
        match &self.operation(operation).meaning {
            Meaning::Constructor(_) => {
                let value = memory.values.term(operation, arguments);
                if memory.values.depth(value) > MAX_VALUE_DEPTH {
                    return Err(Box::new(self.fault(ViolationKind::StateTooLarge, operation, None, memory)));
                }
                Ok(value)
            }
            Meaning::Builtin(builtin) => self.built_in(*builtin, operation, arguments, memory),
            Meaning::Rules(rules) => {
                if depth > MAX_CALL_DEPTH {
                    return Err(Box::new(self.fault(
                        ViolationKind::EndlessRewriting,
                        operation,
                        None,
                        memory,
                    )));
                }
                let key = (operation, Box::from(arguments));
                if let Some(known) = memory.results.get(&key) {
                    return Ok(*known);
                }
                let mut bound = Vec::new();
                for rule in rules {
                    bound.clear();
                    bound.resize(usize::from(rule.variables), Value::default());
                    let mut pairs = rule.patterns.iter().zip(arguments);
                    if !pairs.all(|(pattern, value)| fits(pattern, *value, &mut bound, memory)) {
                        continue;
                    }
                    let mut met = true;
                    for premise in &rule.premises {
                        met = met && self.check(premise, &bound, memory, depth + 1)?;
                    }
                    if met {
                        let value = self.compute(&rule.result, &bound, memory, depth + 1)?;
                        if memory.results.len() >= MAX_RESULTS {
                            memory.results.clear();
                        }
                        memory.results.insert(key, value);
                        return Ok(value);
                    }
                }
                Err(Box::new(self.fault(ViolationKind::NoEquation, operation, Some(arguments), memory)))
            }
        }
    }

    fn built_in(
        &self,
        builtin: Builtin,
        operation: OperationId,
        arguments: &[Value],
        memory: &Memory,
    ) -> Computed<Value> {
        let number = |place: usize| arguments[place].as_number();
        let wrong = |kind| Err(Box::new(self.fault(kind, operation, Some(arguments), memory)));
        let result = match builtin {
            Builtin::Number(number) => Some(number),
            Builtin::Successor => number(0).checked_add(1),
            Builtin::Add => number(0).checked_add(number(1)),
            Builtin::Subtract if number(1) > number(0) => return wrong(ViolationKind::BelowZero),
            Builtin::Subtract => Some(number(0) - number(1)),
            Builtin::Multiply => number(0).checked_mul(number(1)),
            Builtin::Power => number(0).checked_pow(number(1)),
            Builtin::Divide | Builtin::Modulo if number(1) == 0 => {
                return wrong(ViolationKind::DivisionByZero);
            }
            Builtin::Divide => Some(number(0) / number(1)),
            Builtin::Modulo => Some(number(0) % number(1)),
            Builtin::Minimum => Some(number(0).min(number(1))),
            Builtin::Maximum => Some(number(0).max(number(1))),
            Builtin::Equal => return Ok(self.truth(arguments[0] == arguments[1])),
            Builtin::NotEqual => return Ok(self.truth(arguments[0] != arguments[1])),
            Builtin::Less => return Ok(self.truth(number(0) < number(1))),
            Builtin::LessOrEqual => return Ok(self.truth(number(0) <= number(1))),
            Builtin::Greater => return Ok(self.truth(number(0) > number(1))),
            Builtin::GreaterOrEqual => return Ok(self.truth(number(0) >= number(1))),
        };
        match result {
            Some(number) if number < NUMBERS => Ok(Value::number(number)),
            _ => wrong(ViolationKind::NumberTooLarge),
        }
    }

    fn fault(
        &self,
        kind: ViolationKind,
        operation: OperationId,
        arguments: Option<&[Value]>,
        memory: &Memory,
    ) -> Fault {
        let declared = self.operation(operation);
        let mut about = String::new();
        match arguments {
            Some(arguments) => memory.values.show_applied(self, operation, arguments, &mut about),
            None => about.clone_from(&declared.name),
        }
        Fault { kind, span: declared.span, about: shorten(&about) }
    }
}

/// Matches a value against a pattern, and binds variables.
fn fits(pattern: &Pattern, value: Value, bound: &mut [Value], memory: &Memory) -> bool {
    match pattern {
        Pattern::Bind(variable) => {
            bound[usize::from(*variable)] = value;
            true
        }
        Pattern::Same(variable) => bound[usize::from(*variable)] == value,
        Pattern::Number(number) => value.as_number() == *number,
        Pattern::Successor(before) => match value.as_number() {
            0 => false,
            number => fits(before, Value::number(number - 1), bound, memory),
        },
        Pattern::Constructor(operation, patterns) => {
            let (found, arguments) = memory.values.parts(value);
            let mut pairs = patterns.iter().zip(arguments);
            found == *operation && pairs.all(|(one, value)| fits(one, *value, bound, memory))
        }
    }
}

/// Cuts a long text.
fn shorten(text: &str) -> String {
    const MAX_TEXT: usize = 200;
    match text.char_indices().nth(MAX_TEXT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
