//! The closure of a jump: guards and definitions take no step, so they are evaluated when control enters
//! them, up to control points that are stable.

use super::memory::{Memory, NOTHING};
use super::points::{Behaviour, Jump, Offer, PointId, PointKind};
use super::rewrite::{Computed, Fault};
use super::step_cache::OPEN;
use super::values::Value;
use crate::ViolationKind;

/// The maximal length of such a path.
pub(super) const MAX_JUMPS: u32 = 2000;

impl Behaviour {
    /// Returns the node after control has entered a point.
    pub(super) fn enter(
        &self,
        point: PointId,
        variables: &[Value],
        memory: &mut Memory,
        depth: u32,
    ) -> Computed<u32> {
        let here = self.point(point);
        if depth > MAX_JUMPS {
            return Err(Box::new(self.endless_recursion(point)));
        }
        let go = |jump: &Jump, values: &[Value], memory: &mut Memory| {
            let passed: Vec<Value> = jump.sources.iter().map(|source| values[usize::from(*source)]).collect();
            self.enter(jump.point, &passed, memory, depth + 1)
        };
        match &here.kind {
            PointKind::Guard(condition, next) => {
                if self.data.holds(condition, variables, memory)? {
                    return go(next, variables, memory);
                }
                Ok(memory.leaf(Behaviour::STOP, &[]))
            }
            PointKind::Let(terms, next) => {
                let mut values = variables.to_vec();
                for term in terms {
                    values.push(self.data.evaluate(term, variables, memory)?);
                }
                go(next, &values, memory)
            }
            PointKind::Parallel { left, right, .. } => {
                let left = go(left, variables, memory)?;
                let right = go(right, variables, memory)?;
                Ok(memory.balanced(point, left, right))
            }
            PointKind::Disable(left, right) => {
                let left = go(left, variables, memory)?;
                let right = go(right, variables, memory)?;
                Ok(memory.pair(point.0, left, right))
            }
            PointKind::Hide(_, body) => {
                let body = go(body, variables, memory)?;
                Ok(memory.wrap(point.0, body, 0))
            }
            PointKind::Enable { left, kept, .. } => {
                let tuple = memory.tuple(kept.iter().map(|kept| variables[usize::from(*kept)]));
                let left = go(left, variables, memory)?;
                Ok(memory.wrap(point.0, left, tuple))
            }
            _ => Ok(memory.leaf(point, variables)),
        }
    }

    fn is_pair(&self, point: u32) -> bool {
        matches!(self.point(PointId(point)).kind, PointKind::Parallel { .. } | PointKind::Disable(..))
    }

    /// Follows a jump.
    pub(super) fn follow(&self, jump: &Jump, values: &[Value], memory: &mut Memory) -> Computed<u32> {
        let passed: Vec<Value> = jump.sources.iter().map(|source| values[usize::from(*source)]).collect();
        self.enter(jump.point, &passed, memory, 0)
    }

    /// Returns the fault of unguarded recursion.
    pub(super) fn endless_recursion(&self, point: PointId) -> Fault {
        let (span, about) = (self.point(point).span, String::new());
        Fault { kind: ViolationKind::EndlessRecursion, span, about }
    }

    /// Returns the fault of unbounded nesting of processes. The operators around all of them are not to
    /// blame.
    pub(super) fn too_high(&self, node: u32, memory: &mut Memory) -> Fault {
        let below = memory.highest_side(node, |point| self.is_pair(point));
        let span = self.point(PointId(memory.nodes.get(below)[0])).span;
        Fault { kind: ViolationKind::StateTooLarge, span, about: String::new() }
    }

    /// Substitutes the values of an event, all decided, in an open target; `None` if they violate a
    /// predicate.
    pub(super) fn decided(&self, then: u32, event: u32, memory: &mut Memory) -> Computed<Option<u32>> {
        if then & OPEN == 0 {
            return Ok(Some(then));
        }
        let [point, first, second] = memory.opens.get(then & !OPEN);
        match &self.point(PointId(point)).kind {
            PointKind::Prefix { offers, predicate, next, .. } => {
                if let Some(known) = memory.decided.get(&(then, event)) {
                    return Ok((*known != NOTHING).then_some(*known));
                }
                let mut values = memory.values_of(first);
                for (own, given) in offers.iter().zip(memory.events.given(event)) {
                    if let (Offer::Any(_), Some(value)) = (own, given.1) {
                        values.push(value);
                    }
                }
                let fits = match predicate {
                    Some(predicate) => self.data.holds(predicate, &values, memory)?,
                    None => true,
                };
                let node = if fits { Some(self.follow(next, &values, memory)?) } else { None };
                memory.decided.insert((then, event), node.unwrap_or(NOTHING));
                Ok(node)
            }
            PointKind::Parallel { .. } | PointKind::Disable(..) => {
                let Some(left) = self.decided(first, event, memory)? else { return Ok(None) };
                let right = self.decided(second, event, memory)?;
                Ok(right.map(|right| memory.pair(point, left, right)))
            }
            _ => {
                let body = self.decided(first, event, memory)?;
                Ok(body.map(|body| memory.wrap(point, body, second)))
            }
        }
    }

    /// Substitutes values as far as they are decided: what depends on undecided values stays as it is, and so
    /// do faults, as the step may not happen. `None` if the values violate a predicate.
    #[inline]
    pub(super) fn attempt(&self, then: u32, event: u32, memory: &mut Memory) -> Option<u32> {
        if then & OPEN == 0 || memory.events.is_open(event) {
            return Some(then);
        }
        self.decided(then, event, memory).unwrap_or(Some(then))
    }
}
