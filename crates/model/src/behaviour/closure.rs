//! Where control is after it went to a point: conditions and definitions are no places to stay at.

use super::memory::{Memory, NOTHING};
use super::points::{Behaviour, Jump, Offer, PointId, PointKind};
use super::rewrite::{Computed, Fault};
use super::step_cache::OPEN;
use super::values::Value;
use crate::ViolationKind;

/// Points that lead to each other without a step are followed this far.
pub(super) const MAX_JUMPS: u32 = 2000;

impl Behaviour {
    /// Returns the node where control is after it went to a point.
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

    /// Says that there is no end of points that lead to each other.
    pub(super) fn endless_recursion(&self, point: PointId) -> Fault {
        let (span, about) = (self.point(point).span, String::new());
        Fault { kind: ViolationKind::EndlessRecursion, span, about }
    }

    /// Says that processes begin within processes without an end. What is around all of them is not to blame.
    pub(super) fn too_high(&self, node: u32, memory: &mut Memory) -> Fault {
        let below = memory.highest_side(node, |point| self.is_pair(point));
        let span = self.point(PointId(memory.nodes.get(below)[0])).span;
        Fault { kind: ViolationKind::StateTooLarge, span, about: String::new() }
    }

    /// Returns what something becomes when values are those of an event, all of which are decided; `None` if they are
    /// not what somebody asks for.
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

    /// Decides as far as it can be: what depends on values that are open stays as it is, and so does what goes wrong, as
    /// it may not come to that. `None` if the values are not what somebody asks for.
    #[inline]
    pub(super) fn attempt(&self, then: u32, event: u32, memory: &mut Memory) -> Option<u32> {
        if then & OPEN == 0 || memory.events.is_open(event) {
            return Some(then);
        }
        self.decided(then, event, memory).unwrap_or(Some(then))
    }
}
