//! Makes expressions: each once, and those of constants as constants.

use std::collections::HashMap;

use super::evaluate::binary;
use super::system::{ExprId, Node, Operator, SynchronousSystem, Value, VariableId};

/// Adds expressions to a synchronous system, each once.
#[derive(Debug, Default)]
pub struct Builder {
    /// The system that is built.
    pub system: SynchronousSystem,
    known: HashMap<Node, ExprId>,
}

impl Builder {
    /// Goes on with a synchronous system.
    pub fn new(system: SynchronousSystem) -> Builder {
        let known = system.nodes.iter().enumerate().map(|(index, node)| (node.clone(), ExprId(index as u32)));
        Builder { known: known.collect(), system }
    }

    /// Returns the expression of a node, which is new or known.
    pub fn node(&mut self, node: Node) -> ExprId {
        if let Some(id) = self.known.get(&node) {
            return *id;
        }
        let id = ExprId(self.system.nodes.len() as u32);
        self.system.nodes.push(node.clone());
        self.known.insert(node, id);
        id
    }

    /// Returns the value of a constant expression.
    pub fn constant_value(&self, id: ExprId) -> Option<Value> {
        match self.system.node(id) {
            Node::Constant(value) => Some(*value),
            _ => None,
        }
    }

    /// Makes a constant.
    pub fn constant(&mut self, value: Value) -> ExprId {
        self.node(Node::Constant(value))
    }

    /// Makes a truth value.
    pub fn truth(&mut self, value: bool) -> ExprId {
        self.constant(Value::from(value))
    }

    /// Makes the current value of a variable.
    pub fn current(&mut self, variable: VariableId) -> ExprId {
        self.node(Node::Current(variable))
    }

    /// Makes a negation.
    pub fn not(&mut self, operand: ExprId) -> ExprId {
        match self.system.node(operand) {
            Node::Constant(value) => {
                let value = *value == 0;
                self.truth(value)
            }
            Node::Not(inner) => *inner,
            _ => self.node(Node::Not(operand)),
        }
    }

    /// Makes a number with the other sign.
    pub fn negate(&mut self, operand: ExprId) -> ExprId {
        match self.constant_value(operand) {
            Some(value) => self.constant(-value),
            None => self.node(Node::Negate(operand)),
        }
    }

    /// Makes a number with every bit the other way.
    pub fn invert(&mut self, operand: ExprId) -> ExprId {
        match self.constant_value(operand) {
            Some(value) => self.constant(!value),
            None => self.node(Node::Invert(operand)),
        }
    }

    /// Makes the last bits of a number.
    pub fn wrap(&mut self, operand: ExprId, width: u32, signed: bool) -> ExprId {
        match self.constant_value(operand) {
            Some(value) => self.constant(super::evaluate::wrap(value, width, signed)),
            None => self.node(Node::Wrap { operand, width, signed }),
        }
    }

    /// Makes an expression with two operands.
    pub fn binary(&mut self, operator: Operator, left: ExprId, right: ExprId) -> ExprId {
        let values = (self.constant_value(left), self.constant_value(right));
        match (operator, values) {
            (_, (Some(left), Some(right))) => return self.constant(binary(operator, left, right)),
            (Operator::Or | Operator::Add | Operator::Xor, (Some(0), _)) => return right,
            (Operator::Or | Operator::Add | Operator::Subtract | Operator::Xor, (_, Some(0))) => return left,
            (Operator::And, (Some(0), _)) => return left,
            (Operator::And, (_, Some(0))) => return right,
            _ => {}
        }
        if left == right {
            match operator {
                Operator::And | Operator::Or => return left,
                Operator::Equal | Operator::LessEqual => return self.truth(true),
                Operator::Less => return self.truth(false),
                _ => {}
            }
        }
        self.node(Node::Binary(operator, left, right))
    }

    /// Makes a conjunction of truth values.
    pub fn and(&mut self, left: ExprId, right: ExprId) -> ExprId {
        match (self.constant_value(left), self.constant_value(right)) {
            (Some(1), _) => right,
            (_, Some(1)) => left,
            _ => self.binary(Operator::And, left, right),
        }
    }

    /// Makes a disjunction of truth values.
    pub fn or(&mut self, left: ExprId, right: ExprId) -> ExprId {
        match (self.constant_value(left), self.constant_value(right)) {
            (Some(1), _) => left,
            (_, Some(1)) => right,
            _ => self.binary(Operator::Or, left, right),
        }
    }

    /// Makes an equality.
    pub fn equal(&mut self, left: ExprId, right: ExprId) -> ExprId {
        self.binary(Operator::Equal, left, right)
    }

    /// Makes a choice.
    pub fn choose(&mut self, condition: ExprId, then: ExprId, otherwise: ExprId) -> ExprId {
        match self.constant_value(condition) {
            Some(0) => otherwise,
            Some(_) => then,
            None if then == otherwise => then,
            None => self.node(Node::Choose(condition, then, otherwise)),
        }
    }

    /// Returns an expression with next values in the place of current ones. `None` if it has next values
    /// already.
    pub fn shifted(&mut self, root: ExprId) -> Option<ExprId> {
        let mut known: HashMap<ExprId, ExprId> = HashMap::new();
        for id in self.system.below([root]) {
            let at = |known: &HashMap<ExprId, ExprId>, id: &ExprId| known[id];
            let made = match self.system.node(id).clone() {
                Node::Constant(_) => id,
                Node::Current(variable) => self.node(Node::Next(variable)),
                Node::Next(_) => return None,
                Node::Not(operand) => self.not(at(&known, &operand)),
                Node::Negate(operand) => self.negate(at(&known, &operand)),
                Node::Invert(operand) => self.invert(at(&known, &operand)),
                Node::Within(operand, variable) => self.node(Node::Within(at(&known, &operand), variable)),
                Node::Wrap { operand, width, signed } => self.wrap(at(&known, &operand), width, signed),
                Node::Binary(operator, left, right) => {
                    self.binary(operator, at(&known, &left), at(&known, &right))
                }
                Node::In(left, right) => self.node(Node::In(at(&known, &left), at(&known, &right))),
                Node::Choose(condition, then, otherwise) => {
                    self.choose(at(&known, &condition), at(&known, &then), at(&known, &otherwise))
                }
                Node::Set(members) => {
                    let members = members.iter().map(|member| known[member]).collect();
                    self.node(Node::Set(members))
                }
            };
            known.insert(id, made);
        }
        known.get(&root).copied()
    }
}
