//! The steps of a sequential process.

use super::alphabet::GateSets;
use super::closure::MAX_JUMPS;
use super::data::SortId;
use super::events::OfferValue;
use super::memory::Memory;
use super::points::{Behaviour, GateId, Offer, PointId, PointKind};
use super::rewrite::{Computed, Fault};
use super::step_cache::{OPEN, Step};
use super::values::Value;
use crate::ViolationKind;

/// The maximal number of value combinations of one step.
const MAX_COMBINATIONS: usize = 1 << 20;
/// An alternative that begins with a parallel composition counts as so many nested choices.
const COMPOUND_WEIGHT: u32 = 16;

impl Behaviour {
    /// Returns whether a control point belongs to a sequential process.
    pub(super) fn is_leaf(&self, point: u32) -> bool {
        !matches!(
            self.point(PointId(point)).kind,
            PointKind::Parallel { .. }
                | PointKind::Hide(..)
                | PointKind::Enable { .. }
                | PointKind::Disable(..)
        )
    }

    /// Pushes the steps of a process on the stack.
    pub(super) fn list_leaf(&self, node: u32, memory: &mut Memory) -> Computed<()> {
        let [point, tuple, _] = memory.nodes.get(node);
        let here = self.point(PointId(point));
        let variables = memory.values_of(tuple);
        match &here.kind {
            PointKind::Exit(offers) => {
                let given = self.given(offers, &variables, memory)?;
                let event = memory.events.number(GateId::EXIT, &given);
                let then = memory.leaf(Behaviour::DONE, &[]);
                memory.stack.push(Step::new(event, then));
            }
            PointKind::Prefix { gate, offers, predicate, next } => {
                let given = self.given(offers, &variables, memory)?;
                let event = memory.events.number(*gate, &given);
                let then = if memory.events.is_open(event) {
                    memory.opens.number([point, tuple, 0]).0 | OPEN
                } else {
                    if let Some(predicate) = predicate
                        && !self.data.holds(predicate, &variables, memory)?
                    {
                        return Ok(());
                    }
                    self.follow(next, &variables, memory)?
                };
                memory.stack.push(Step::new(event, then));
            }
            PointKind::Choice(branches) => {
                for branch in branches {
                    let node = self.follow(branch, &variables, memory)?;
                    self.list_branch(PointId(point), node, memory)?;
                }
            }
            PointKind::Over(sorts, next) => {
                let given: Vec<OfferValue> = sorts.iter().map(|sort| (*sort, None)).collect();
                let ends = if self.lacks_number(&given) {
                    self.ends_of_choice(&variables, given.len(), next, memory)
                } else {
                    Vec::new()
                };
                let ways = self
                    .ways(&given, &ends, memory)
                    .map_err(|sort| Box::new(self.endless_sort(sort, here.span)))?;
                for way in ways {
                    let values: Vec<Value> =
                        variables.iter().copied().chain(way.iter().filter_map(|given| given.1)).collect();
                    let node = self.follow(next, &values, memory)?;
                    self.list_branch(PointId(point), node, memory)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Pushes the steps of an alternative on the stack.
    fn list_branch(&self, point: PointId, node: u32, memory: &mut Memory) -> Computed<()> {
        let is_leaf = self.is_leaf(memory.nodes.get(node)[0]);
        let weight = if is_leaf { 1 } else { COMPOUND_WEIGHT };
        memory.nesting += weight;
        if memory.nesting > MAX_JUMPS {
            return Err(Box::new(self.endless_recursion(point)));
        }
        if is_leaf {
            self.list_leaf(node, memory)?;
        } else {
            let steps = self.all(node, GateSets::EMPTY, memory)?;
            memory.stack.extend_from_slice(memory.step_cache.steps(steps));
        }
        memory.nesting -= weight;
        Ok(())
    }

    /// Evaluates the offers of an action.
    fn given(&self, offers: &[Offer], variables: &[Value], memory: &mut Memory) -> Computed<Vec<OfferValue>> {
        let mut all = Vec::with_capacity(offers.len());
        for offer in offers {
            all.push(match offer {
                Offer::Value(term, sort) => (*sort, Some(self.data.evaluate(term, variables, memory)?)),
                Offer::Any(sort) => (*sort, None),
            });
        }
        Ok(all)
    }

    /// Returns whether a natural number is open.
    pub(super) fn lacks_number(&self, given: &[OfferValue]) -> bool {
        given.iter().any(|(sort, value)| value.is_none() && self.data.sort(*sort).natural)
    }

    /// Gives open values all values they can have, numbers up to their ends, the last one changing first; or
    /// returns the sort of which there are too many.
    pub(super) fn ways(
        &self,
        given: &[OfferValue],
        ends: &[Option<u32>],
        memory: &mut Memory,
    ) -> Result<Vec<Vec<OfferValue>>, SortId> {
        let mut choices: Vec<Vec<Value>> = Vec::new();
        let mut count = 1_usize;
        for (place, (sort, value)) in given.iter().enumerate() {
            let end = ends.get(place).copied().flatten().filter(|_| self.data.sort(*sort).natural);
            let values = match (value, end) {
                (Some(value), _) => vec![*value],
                (None, Some(end)) if end as usize > MAX_COMBINATIONS => return Err(*sort),
                (None, Some(end)) => (0..end).map(Value::number).collect(),
                (None, None) => memory.values.all(&self.data, *sort).ok_or(*sort)?.to_vec(),
            };
            count = count.saturating_mul(values.len());
            if count > MAX_COMBINATIONS {
                return Err(*sort);
            }
            choices.push(values);
        }
        let mut ways = Vec::with_capacity(count);
        for number in 0..count {
            let mut rest = number;
            let mut way = given.to_vec();
            for (given, choice) in way.iter_mut().zip(&choices).rev() {
                given.1 = Some(choice[rest % choice.len()]);
                rest /= choice.len();
            }
            ways.push(way);
        }
        Ok(ways)
    }

    /// Returns the fault that a sort has too many values.
    pub(super) fn endless_sort(&self, sort: SortId, span: narrows_source::Span) -> Fault {
        let about = self.data.sort(sort).name.clone();
        Fault { kind: ViolationKind::EndlessSort, span, about }
    }
}
