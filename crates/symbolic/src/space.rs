//! A system as sets: its initial states, its steps, and the states that can be reached.

use std::cell::RefCell;

use narrows_model::Limit;
use narrows_model::synchronous::{Demand, Product, Role, SynchronousSystem, Value, VariableId};
use rustc_hash::FxHashSet;

use crate::bdd::{Bdd, Manager, Natural};
use crate::disjuncts::split;
use crate::encode::{Encoder, Encoding, Side};
use crate::events::{Conjunct, Events, is_invariant};
use crate::fairness::Fairness;
use crate::order_file::Order;
use crate::relation::Relation;

type Result<T> = std::result::Result<T, Limit>;

/// A system as sets.
pub(crate) struct Space {
    pub(crate) encoding: Encoding,
    pub(crate) relation: Relation,
    pub(crate) initial: Bdd,
    /// The bits of inputs, as a cube.
    pub(crate) inputs: Bdd,
    /// A set of states that no step leaves; what sets are outside it does not matter.
    care: Bdd,
}

/// The states that can be reached.
pub(crate) struct Reached {
    pub(crate) all: Bdd,
    /// Those that are first reached after so many steps, as far as that was asked for.
    layers: RefCell<Vec<Bdd>>,
    /// Those in all layers so far.
    layered: RefCell<Bdd>,
    /// How hard it was to find them, as [`Manager::effort`] counts.
    pub(crate) effort: u64,
}

impl Reached {
    /// Returns the states that are first reached after so many steps; `None` if there are none.
    pub(crate) fn layer(&self, space: &Space, number: usize) -> Result<Option<Bdd>> {
        let mut layers = self.layers.borrow_mut();
        let mut layered = self.layered.borrow_mut();
        while layers.len() <= number {
            let Some(last) = layers.last().filter(|_| *layered != self.all) else { return Ok(None) };
            // What was reached before does not matter: its successors are known.
            let frontier = smaller(last, &layered.not().or(last)?)?;
            let new = space.relation.successors(&frontier)?.minus(&layered)?;
            *layered = layered.or(&new)?;
            layers.push(new);
        }
        Ok(layers.get(number).cloned())
    }

    /// Returns after how many steps all states have been reached.
    pub(crate) fn depth(&self, space: &Space) -> Result<u64> {
        while *self.layered.borrow() != self.all {
            let number = self.layers.borrow().len();
            if self.layer(space, number)?.is_none() {
                break;
            }
        }
        Ok(self.layers.borrow().len() as u64 - 1)
    }

    /// Returns after how many steps all states have been reached, if that is known.
    pub(crate) fn known_depth(&self) -> Option<u64> {
        (*self.layered.borrow() == self.all).then(|| self.layers.borrow().len() as u64 - 1)
    }
}

impl Space {
    /// Encodes a system.
    pub(crate) fn new(system: &SynchronousSystem, manager: Manager, order: &Order) -> Result<Space> {
        let encoding = Encoding::new(system, manager, order);
        let manager = encoding.manager.clone();
        let input_bits = encoding.bits_of(|role| role == Role::Input);
        let inputs = manager.cube(&input_bits.iter().map(|bit| 2 * bit).collect::<Vec<_>>())?;
        let mut encoder = Encoder::new(system, &encoding);
        let mut initial = manager.truth(true);
        let mut valid = Vec::new();
        for (id, variable) in system.each_variable() {
            if variable.role != Role::Input {
                initial = initial.and(&encoding.valid(id, Side::Current)?)?;
            }
            if variable.role == Role::Input {
                valid.push(encoding.valid(id, Side::Current)?);
            }
        }
        let mut invariants = Vec::new();
        for constraint in &system.invariants {
            invariants.push(encoder.constraint(constraint, Side::Current)?);
        }
        for constraint in &system.initial {
            initial = initial.and(&encoder.constraint(constraint, Side::Current)?)?;
        }
        for invariant in &invariants {
            initial = initial.and(invariant)?;
        }
        let alternatives = if system.selector.is_none() { split(system) } else { None };
        let mut groups = Vec::new();
        for group in alternatives.iter().flat_map(|(_, groups)| groups) {
            let mut any = manager.truth(false);
            for demands in &group.demands {
                let mut all = manager.truth(true);
                for demand in demands {
                    all = all.and(&encoder.holds(*demand)?)?;
                }
                any = any.or(&all)?;
            }
            groups.push((any, &group.kept));
        }
        let mut conjuncts = Vec::new();
        for (number, constraint) in system.transitions.iter().enumerate() {
            if alternatives.as_ref().is_some_and(|(other, _)| *other == number) {
                continue;
            }
            let assigned = match constraint.demand {
                Demand::Assigned(variable, _) => Some(variable),
                Demand::Holds(_) => None,
            };
            let set = encoder.constraint(constraint, Side::Next)?;
            let is_next_only = is_invariant(&set, &initial)?;
            conjuncts.push(Conjunct { set, assigned, is_next_only });
        }
        drop(encoder);
        let changing = encoding.bits_of(|role| role == Role::State);
        let cube = manager.cube(&changing.iter().map(|bit| 2 * bit).collect::<Vec<_>>())?;
        for invariant in invariants {
            conjuncts.push(Conjunct { set: invariant.to_next(&cube)?, assigned: None, is_next_only: true });
        }
        let assigned: FxHashSet<VariableId> =
            conjuncts.iter().filter_map(|part: &Conjunct| part.assigned).collect();
        for (id, variable) in system.each_variable() {
            if variable.role == Role::State && !assigned.contains(&id) {
                conjuncts.push(Conjunct {
                    set: encoding.valid(id, Side::Next)?,
                    assigned: None,
                    is_next_only: true,
                });
            }
        }
        conjuncts.extend(valid.into_iter().map(|set| Conjunct { set, assigned: None, is_next_only: false }));
        let events = Events { system, encoding: &encoding, conjuncts, inputs: &input_bits };
        let relation = match system.selector {
            Some(selector) => events.by_process(selector)?,
            None if !groups.is_empty() => events.by_alternative(&groups)?,
            None => events.together()?,
        };
        Ok(Space { encoding, relation, initial, inputs, care: manager.truth(true) })
    }

    /// Takes note that only these states matter from now on; no step leaves them.
    pub(crate) fn settle(&mut self, states: &Bdd) -> Result<()> {
        self.care = states.clone();
        if !self.relation.has_events() {
            let manager = self.manager().clone();
            self.relation.simplify(&manager, states)?;
        }
        Ok(())
    }

    /// Returns a small set that is the same as another one among the states that matter.
    pub(crate) fn trimmed(&self, set: &Bdd) -> Result<Bdd> {
        // What lies outside makes products larger: that has to be worth it.
        let other = set.restrict(&self.care)?;
        Ok(if other.size() * 2 < set.size() { other } else { set.clone() })
    }

    pub(crate) fn manager(&self) -> &Manager {
        &self.encoding.manager
    }

    /// Returns where an expression over current values is so; without inputs, if it is so for some.
    pub(crate) fn states(
        &self,
        system: &SynchronousSystem,
        root: narrows_model::synchronous::ExprId,
    ) -> Result<Bdd> {
        Encoder::new(system, &self.encoding).holds(root)
    }

    /// Returns where all inputs have values.
    pub(crate) fn valid_inputs(&self, system: &SynchronousSystem) -> Result<Bdd> {
        let mut valid = self.manager().truth(true);
        for (id, variable) in system.each_variable() {
            if variable.role == Role::Input {
                valid = valid.and(&self.encoding.valid(id, Side::Current)?)?;
            }
        }
        Ok(valid)
    }

    /// Finds all states: event by event, or by the number of steps it takes to reach them.
    pub(crate) fn reach(&self) -> Result<Reached> {
        let before = self.manager().effort();
        let mut all = self.initial.clone();
        if self.relation.has_events() {
            let everything =
                self.relation.all_after(self.manager(), &all, &self.manager().truth(true), false)?;
            let layered = RefCell::new(all.clone());
            let effort = self.manager().effort() - before;
            return Ok(Reached { all: everything, layers: RefCell::new(vec![all]), layered, effort });
        }
        let mut layers = vec![all.clone()];
        let mut frontier = all.clone();
        loop {
            let new = self.relation.successors(&frontier)?.minus(&all)?;
            if new.is_false() {
                let layered = RefCell::new(all.clone());
                let effort = self.manager().effort() - before;
                return Ok(Reached { all, layers: RefCell::new(layers), layered, effort });
            }
            // Any set between the new states and all known ones has the same new successors: a small one is
            // best.
            frontier = smaller(&new, &all.not())?;
            all = all.or(&new)?;
            layers.push(new);
        }
    }

    /// Makes the product with what follows a formula, and what makes a run of it fair.
    pub(crate) fn with_product(
        &self,
        product: &Product,
        system: &SynchronousSystem,
        reached: &Bdd,
    ) -> Result<(Space, Fairness)> {
        let mut encoding = self.encoding.clone();
        let first = encoding.bits.len();
        encoding.extend(&product.system);
        for input in &product.inputs {
            encoding.set_role(*input, Role::State);
        }
        let manager = encoding.manager.clone();
        let input_bits = encoding.bits_of(|role| role == Role::Input);
        let inputs = manager.cube(&input_bits.iter().map(|bit| 2 * bit).collect::<Vec<_>>())?;
        let mut written: Vec<u32> = encoding.bits[first..].iter().flatten().copied().collect();
        let mut conjuncts = Vec::new();
        for input in &product.inputs {
            written.extend(&encoding.bits[input.0 as usize]);
            conjuncts.push(encoding.valid(*input, Side::Next)?);
        }
        let mut encoder = Encoder::new(&product.system, &encoding);
        for constraint in &product.steps {
            conjuncts.push(encoder.constraint(constraint, Side::Next)?);
        }
        let mut initial = self.initial.and(reached)?.and(&encoder.holds(product.start)?)?;
        for input in &product.inputs {
            initial = initial.and(&encoding.valid(*input, Side::Current)?)?;
        }
        let mut justice = Vec::new();
        for condition in product.justice.iter().chain(&system.justice) {
            justice.push(encoder.holds(*condition)?);
        }
        let mut compassion = Vec::new();
        for (first, second) in &system.compassion {
            compassion.push((encoder.holds(*first)?, encoder.holds(*second)?));
        }
        drop(encoder);
        let relation = self.relation.constrained(&manager, &conjuncts, &written, &input_bits)?;
        let space = Space { encoding, relation, initial, inputs, care: manager.truth(true) };
        let mut fairness = Fairness::default();
        for set in justice {
            fairness.with_justice(&space, set);
        }
        for (first, second) in compassion {
            fairness.with_compassion(&space, first, second);
        }
        Ok((space, fairness))
    }

    /// Returns how many states a set has.
    pub(crate) fn count(&self, states: &Bdd) -> Natural {
        let bits = self.encoding.bits_of(|role| role != Role::Input);
        states.count(&bits.iter().map(|bit| 2 * bit).collect::<Vec<_>>())
    }

    /// Returns one of the states, with inputs if the set is about them.
    pub(crate) fn pick(&self, states: &Bdd) -> Option<Vec<Value>> {
        states.pick().map(|assignment| self.encoding.values(&assignment))
    }
}

/// Returns the smaller one of a set and another that is the same where that matters.
pub(crate) fn smaller(set: &Bdd, care: &Bdd) -> Result<Bdd> {
    let other = set.restrict(care)?;
    Ok(if other.size() < set.size() { other } else { set.clone() })
}
