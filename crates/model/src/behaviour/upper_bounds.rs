//! Upper bounds of natural numbers that nobody decides, as far as predicates and guards give them.
//!
//! There is no end of natural numbers, but `g ?x:Nat [x le 2]` offers three: a condition that is true only if
//! all its conjuncts are says where to stop as soon as one of them compares `x` with something that is known.
//! Numbers up to the bound are listed and the condition is asked of each, so that a bound may be too high,
//! but never too low.

use super::data::{Builtin, Condition, Meaning, OperationId, Term};
use super::memory::Memory;
use super::points::{Behaviour, Jump, Offer, PointId, PointKind};
use super::step_cache::OPEN;
use super::values::Value;

/// What a variable of a condition stands for.
#[derive(Clone, Copy, Debug)]
enum Origin {
    /// A value that is known.
    Known(Value),
    /// The open value with this number.
    Open(usize),
}

/// For each open value the number from which on it need not be tried, if one is known.
pub(super) type Ends = Vec<Option<u32>>;

impl Behaviour {
    /// Returns where the open values of an event end, by the predicates of all that take part in it.
    ///
    /// The ends are those of all offers of the event; `open` has what becomes of those that take part.
    pub(super) fn ends_of_offers(&self, count: usize, open: &[u32], memory: &mut Memory) -> Ends {
        let mut ends = vec![None; count];
        let mut waiting = open.to_vec();
        while let Some(then) = waiting.pop() {
            if then & OPEN == 0 {
                continue;
            }
            let [point, first, second] = memory.opens.get(then & !OPEN);
            match &self.point(PointId(point)).kind {
                PointKind::Prefix { offers, predicate: Some(predicate), .. } => {
                    let mut origins: Vec<Origin> =
                        memory.values_of(first).into_iter().map(Origin::Known).collect();
                    let bound = offers.iter().enumerate().filter(|(_, offer)| matches!(offer, Offer::Any(_)));
                    origins.extend(bound.map(|(place, _)| Origin::Open(place)));
                    self.narrow(predicate, &origins, &mut ends, memory);
                }
                PointKind::Prefix { .. } => {}
                PointKind::Parallel { .. } | PointKind::Disable(..) => waiting.extend([first, second]),
                _ => waiting.push(first),
            }
        }
        ends
    }

    /// Returns where values that are chosen at a point end, by the guard or the predicate that comes next.
    pub(super) fn ends_of_choice(
        &self,
        variables: &[Value],
        count: usize,
        next: &Jump,
        memory: &mut Memory,
    ) -> Ends {
        let mut ends = vec![None; count];
        let (PointKind::Guard(condition, _) | PointKind::Prefix { predicate: Some(condition), .. }) =
            &self.point(next.point).kind
        else {
            return ends;
        };
        let origin = |source: &u16| match usize::from(*source).checked_sub(variables.len()) {
            Some(number) => Origin::Open(number),
            None => Origin::Known(variables[usize::from(*source)]),
        };
        let origins: Vec<Origin> = next.sources.iter().map(origin).collect();
        self.narrow(condition, &origins, &mut ends, memory);
        ends
    }

    /// Lowers ends to those that a condition gives.
    fn narrow(&self, condition: &Condition, origins: &[Origin], ends: &mut Ends, memory: &mut Memory) {
        match condition {
            Condition::Equal(left, right) => {
                self.compare(Builtin::Equal, left, right, origins, ends, memory);
            }
            Condition::True(term) => self.narrow_by(term, origins, ends, memory),
        }
    }

    fn narrow_by(&self, term: &Term, origins: &[Origin], ends: &mut Ends, memory: &mut Memory) {
        let Term::Apply(operation, arguments) = term else { return };
        let [left, right] = arguments.as_slice() else { return };
        match &self.data.operation(*operation).meaning {
            Meaning::Builtin(builtin) => self.compare(*builtin, left, right, origins, ends, memory),
            Meaning::Rules(_) if self.is_conjunction(*operation, memory) => {
                self.narrow_by(left, origins, ends, memory);
                self.narrow_by(right, origins, ends, memory);
            }
            _ => {}
        }
    }

    fn compare(
        &self,
        builtin: Builtin,
        left: &Term,
        right: &Term,
        origins: &[Origin],
        ends: &mut Ends,
        memory: &mut Memory,
    ) {
        let (open, other, more) = match (builtin, open_value(left, origins), open_value(right, origins)) {
            (Builtin::Less, Some(open), None) => (open, right, 0),
            (Builtin::LessOrEqual | Builtin::Equal, Some(open), None) => (open, right, 1),
            (Builtin::Greater, None, Some(open)) => (open, left, 0),
            (Builtin::GreaterOrEqual | Builtin::Equal, None, Some(open)) => (open, left, 1),
            _ => return,
        };
        // Whatever is open may be anything: what depends on it is no bound.
        if !is_known(other, origins) {
            return;
        }
        let known = origins.iter().map(|origin| match origin {
            Origin::Known(value) => *value,
            Origin::Open(_) => Value::default(),
        });
        let known: Vec<Value> = known.collect();
        let Ok(value) = self.data.evaluate(other, &known, memory) else { return };
        let end = value.as_number().saturating_add(more);
        ends[open] = Some(ends[open].map_or(end, |earlier| earlier.min(end)));
    }

    /// Returns whether an operation is true of two truth values only if both are true.
    fn is_conjunction(&self, operation: OperationId, memory: &mut Memory) -> bool {
        let Some(truth) = self.data.truth else { return false };
        let sort = self.data.operation(truth[0]).result;
        let found = self.data.operation(operation);
        if found.result != sort || found.arguments != [sort, sort] {
            return false;
        }
        [(0, 0), (0, 1), (1, 0), (1, 1)].into_iter().all(|(left, right)| {
            let arguments = [left, right].map(|value: usize| Term::Apply(truth[value], Vec::new()));
            let value = self.data.evaluate(&Term::Apply(operation, arguments.to_vec()), &[], memory);
            value == Ok(Value::constant(truth[left & right]))
        })
    }
}

/// Returns which open value a term is.
fn open_value(term: &Term, origins: &[Origin]) -> Option<usize> {
    match term {
        Term::Variable(variable) => match origins.get(usize::from(*variable)) {
            Some(Origin::Open(number)) => Some(*number),
            _ => None,
        },
        _ => None,
    }
}

fn is_known(term: &Term, origins: &[Origin]) -> bool {
    match term {
        Term::Variable(variable) => matches!(origins.get(usize::from(*variable)), Some(Origin::Known(_))),
        Term::Number(_) => true,
        Term::Apply(_, arguments) => arguments.iter().all(|argument| is_known(argument, origins)),
    }
}
