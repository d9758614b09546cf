//! Variables as bits, and expressions as functions of them.

use std::collections::BTreeMap;

use narrows_model::Limit;
use narrows_model::synchronous::{
    Constraint, Demand, Display, Domain, ExprId, Node, Role, SynchronousSystem, Value, VariableId,
    index_width,
};
use rustc_hash::FxHashMap;

use crate::bdd::{Bdd, Manager};
use crate::order_file::Order;
use crate::value::{Arithmetic, Symbolic, arithmetic};

type Result<T> = std::result::Result<T, Limit>;

/// Which value of a variable is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// In the state, or during the step.
    Current,
    /// After the step.
    Next,
}

/// A variable of more values than this is computed with bit by bit.
const MAX_CASES: u128 = 64;

/// Which bits stand for which variable: the index of its value, the first bit first.
#[derive(Clone)]
pub(crate) struct Encoding {
    pub(crate) manager: Manager,
    /// The bits of each variable.
    pub(crate) bits: Vec<Vec<u32>>,
    roles: Vec<Role>,
    domains: Vec<Domain>,
    is_truth: Vec<bool>,
}

impl Encoding {
    /// Gives every variable of a synchronous system its bits.
    pub(crate) fn new(system: &SynchronousSystem, manager: Manager, order: &Order) -> Encoding {
        let mut encoding = Encoding {
            manager,
            bits: Vec::new(),
            roles: Vec::new(),
            domains: Vec::new(),
            is_truth: Vec::new(),
        };
        encoding.bits = system.each_variable().map(|(id, _)| vec![0; Encoding::width(system, id)]).collect();
        encoding.note(system, 0);
        for (id, bit) in &order.bits {
            encoding.bits[id.0 as usize][*bit] = encoding.manager.add_bit();
        }
        encoding
    }

    /// Returns how many bits a variable takes.
    pub(crate) fn width(system: &SynchronousSystem, id: VariableId) -> usize {
        index_width(&system.variable(id).domain) as usize
    }

    /// Returns in which order bits stand now.
    pub(crate) fn order(&self) -> Order {
        let all = self.bits.iter().enumerate();
        let mut bits: Vec<(u32, (VariableId, usize))> = all
            .flat_map(|(index, bits)| {
                bits.iter().enumerate().map(move |(place, bit)| (*bit, (VariableId(index as u32), place)))
            })
            .collect();
        bits.sort_by_key(|(bit, _)| self.manager.first_level(&[2 * bit]));
        Order { bits: bits.into_iter().map(|(_, place)| place).collect() }
    }

    /// Adds the bits of variables that a synchronous system has got since.
    pub(crate) fn extend(&mut self, system: &SynchronousSystem) {
        let first = self.bits.len();
        self.note(system, first);
        for variable in &system.variables[first..] {
            let bits = self.new_bits(&variable.domain);
            self.bits.push(bits);
        }
    }

    fn note(&mut self, system: &SynchronousSystem, first: usize) {
        for variable in &system.variables[first..] {
            self.roles.push(variable.role);
            self.domains.push(variable.domain.clone());
            self.is_truth
                .push(variable.display == Display::Boolean && variable.domain == Domain::Range(0, 1));
        }
    }

    fn new_bits(&self, domain: &Domain) -> Vec<u32> {
        (0..index_width(domain)).map(|_| self.manager.add_bit()).collect()
    }

    /// Makes an input part of the state.
    pub(crate) fn set_role(&mut self, variable: VariableId, role: Role) {
        self.roles[variable.0 as usize] = role;
    }

    /// Returns the bits of the variables with a role.
    pub(crate) fn bits_of(&self, mut is_meant: impl FnMut(Role) -> bool) -> Vec<u32> {
        let meant = self.bits.iter().zip(&self.roles).filter(|(_, role)| is_meant(**role));
        meant.flat_map(|(bits, _)| bits.iter().copied()).collect()
    }

    /// Returns the functions of a variable's bits. A frozen variable is after a step what it was before.
    fn literals(&self, variable: VariableId, side: Side) -> Result<Vec<Bdd>> {
        let index = variable.0 as usize;
        let is_next = side == Side::Next && self.roles[index] != Role::Frozen;
        self.bits[index].iter().map(|bit| self.manager.literal(2 * bit + u32::from(is_next))).collect()
    }

    /// Returns where a variable has the value with an index.
    fn index_at(&self, literals: &[Bdd], index: u128) -> Result<Bdd> {
        let mut result = self.manager.truth(true);
        for (place, literal) in literals.iter().rev().enumerate() {
            let literal = if index >> place & 1 == 1 { literal.clone() } else { literal.not() };
            result = result.and(&literal)?;
        }
        Ok(result)
    }

    /// Returns the value of a variable.
    pub(crate) fn variable(&self, variable: VariableId, side: Side) -> Result<Symbolic> {
        let literals = self.literals(variable, side)?;
        let index = variable.0 as usize;
        if self.is_truth[index] {
            return Ok(Symbolic::Truth(literals[0].clone()));
        }
        let domain = &self.domains[index];
        if matches!(domain, Domain::Range(..)) && domain.len() > MAX_CASES {
            let bits: Vec<Bdd> = literals.into_iter().rev().collect();
            return arithmetic(&self.manager).indexed(domain, false, &bits);
        }
        let mut cases = BTreeMap::new();
        for (index, value) in domain.values().enumerate() {
            cases.insert(value, self.index_at(&literals, index as u128)?);
        }
        Ok(Symbolic::Cases(cases))
    }

    /// Returns where a variable has one of its values: not all bits do.
    pub(crate) fn valid(&self, variable: VariableId, side: Side) -> Result<Bdd> {
        let bits: Vec<Bdd> = self.literals(variable, side)?.into_iter().rev().collect();
        arithmetic(&self.manager).valid(&self.domains[variable.0 as usize], &bits)
    }

    /// Returns the set of one state, or of one state with inputs.
    pub(crate) fn exactly(&self, values: &[Value], with_inputs: bool) -> Result<Bdd> {
        let mut result = self.manager.truth(true);
        for (index, value) in values.iter().enumerate() {
            if index < self.bits.len() && (with_inputs || self.roles[index] != Role::Input) {
                let at = self.domains[index].index(*value).unwrap_or(0);
                let literals = self.literals(VariableId(index as u32), Side::Current)?;
                result = result.and(&self.index_at(&literals, at)?)?;
            }
        }
        Ok(result)
    }

    /// Returns the values of variables, given those of bits.
    pub(crate) fn values(&self, assignment: &[bool]) -> Vec<Value> {
        let of = |(bits, domain): (&Vec<u32>, &Domain)| {
            let bit = |bit: &u32| u128::from(assignment[2 * *bit as usize]);
            let index = bits.iter().fold(0, |index, next| index << 1 | bit(next));
            domain.value(index).or(domain.value(0)).unwrap_or(0)
        };
        self.bits.iter().zip(&self.domains).map(of).collect()
    }
}

/// Turns expressions into functions; each once.
pub(crate) struct Encoder<'a> {
    system: &'a SynchronousSystem,
    encoding: &'a Encoding,
    known: FxHashMap<ExprId, Symbolic>,
    variables: FxHashMap<(VariableId, bool), Symbolic>,
    /// Of each expression, whether it is a set.
    sets: Vec<bool>,
}

impl<'a> Encoder<'a> {
    pub(crate) fn new(system: &'a SynchronousSystem, encoding: &'a Encoding) -> Encoder<'a> {
        Encoder {
            system,
            encoding,
            known: FxHashMap::default(),
            variables: FxHashMap::default(),
            sets: system.sets(),
        }
    }

    fn arithmetic(&self) -> Arithmetic<'a> {
        arithmetic(&self.encoding.manager)
    }

    fn variable(&mut self, variable: VariableId, side: Side) -> Result<Symbolic> {
        let key = (variable, side == Side::Next);
        if let Some(known) = self.variables.get(&key) {
            return Ok(known.clone());
        }
        let value = self.encoding.variable(variable, side)?;
        self.variables.insert(key, value.clone());
        Ok(value)
    }

    /// Returns where something is so.
    pub(crate) fn holds(&mut self, root: ExprId) -> Result<Bdd> {
        self.prepare(root)?;
        self.truth(root)
    }

    /// Returns where a constraint is met.
    pub(crate) fn constraint(&mut self, constraint: &Constraint, side: Side) -> Result<Bdd> {
        match constraint.demand {
            Demand::Holds(root) => self.holds(root),
            Demand::Assigned(variable, root) => {
                self.prepare(root)?;
                let target = self.variable(variable, side)?;
                self.member(&target, root)
            }
        }
    }

    fn truth(&self, id: ExprId) -> Result<Bdd> {
        match self.known.get(&id) {
            Some(value) => self.arithmetic().truth(value),
            None => Ok(self.encoding.manager.truth(false)),
        }
    }

    /// Computes an expression and all below it.
    fn prepare(&mut self, root: ExprId) -> Result<()> {
        for id in self.system.below([root]) {
            if self.known.contains_key(&id) || self.sets[id.0 as usize] {
                continue;
            }
            let value = self.compute(id)?;
            self.known.insert(id, value);
        }
        Ok(())
    }

    fn compute(&mut self, id: ExprId) -> Result<Symbolic> {
        let mut arithmetic = self.arithmetic();
        let at = |this: &Self, id: &ExprId| this.known[id].clone();
        Ok(match self.system.node(id) {
            Node::Constant(value) => arithmetic.constant(*value),
            Node::Current(variable) => self.variable(*variable, Side::Current)?,
            Node::Next(variable) => self.variable(*variable, Side::Next)?,
            Node::Not(operand) => Symbolic::Truth(self.truth(*operand)?.not()),
            Node::Negate(operand) => arithmetic.negate(&at(self, operand))?,
            Node::Invert(operand) => arithmetic.invert(&at(self, operand))?,
            Node::Binary(operator, left, right) => {
                arithmetic.binary(*operator, &at(self, left), &at(self, right))?
            }
            Node::Choose(condition, then, otherwise) => {
                let condition = self.truth(*condition)?;
                arithmetic.choose(&condition, &at(self, then), &at(self, otherwise))?
            }
            Node::Set(_) => arithmetic.constant(0),
            Node::In(left, set) => Symbolic::Truth(self.member(&at(self, left), *set)?),
            Node::Within(set, variable) => Symbolic::Truth(self.within(*set, *variable)?),
            Node::Wrap { operand, width, signed } => arithmetic.wrap(&at(self, operand), *width, *signed)?,
        })
    }

    /// Returns where a value is a member of a set, or is the same as another value.
    fn member(&self, value: &Symbolic, set: ExprId) -> Result<Bdd> {
        self.over_set(set, &|member| self.arithmetic().equal(value, member), false)
    }

    /// Returns where every member of a set is a value of a variable.
    fn within(&self, set: ExprId, variable: VariableId) -> Result<Bdd> {
        let domain = &self.system.variable(variable).domain;
        self.over_set(set, &|member| self.arithmetic().within(domain, member), true)
    }

    /// Joins what is said of each member of a set: by and, or by or.
    fn over_set(&self, set: ExprId, say: &dyn Fn(&Symbolic) -> Result<Bdd>, all: bool) -> Result<Bdd> {
        let mut said: FxHashMap<ExprId, Bdd> = FxHashMap::default();
        for id in self.system.set_parts(set, &self.sets) {
            let about = match self.system.node(id) {
                Node::Set(members) => {
                    let mut result = self.encoding.manager.truth(all);
                    for member in members {
                        let one = &said[member];
                        result = if all { result.and(one)? } else { result.or(one)? };
                    }
                    result
                }
                Node::Choose(condition, then, otherwise) if self.sets[id.0 as usize] => {
                    self.truth(*condition)?.choose(&said[then], &said[otherwise])?
                }
                _ => say(&self.known[&id])?,
            };
            said.insert(id, about);
        }
        Ok(said[&set].clone())
    }
}
