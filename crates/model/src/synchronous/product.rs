//! Formulas about runs, as synchronous systems that follow a run and guess what is to come.
//!
//! The tableau of Clarke, Grumberg and Hamaguchi (1994): a variable for each formula that looks at the next
//! state or at the one before. A run of the product on which every `U` gets what it waits for is a run on
//! which the formula is what it was guessed to be.

use narrows_source::Span;

use super::build::Builder;
use super::formula::{Linear, LinearId};
use super::system::{
    Constraint, Demand, Display, Domain, ExprId, Node, Operator, Role, SynchronousSystem, Variable,
    VariableId,
};

/// A synchronous system with what follows a formula.
#[derive(Clone, Debug)]
pub struct Product {
    /// The system, with a further variable for each operator; constraints and justice are those of the system
    /// alone.
    pub system: SynchronousSystem,
    /// The first states on which the formula is false.
    pub start: ExprId,
    /// Further constraints on steps.
    pub steps: Vec<Constraint>,
    /// Further conditions that hold again and again.
    pub justice: Vec<ExprId>,
    /// Inputs that the formula looks at: they are part of the state here.
    pub inputs: Vec<VariableId>,
}

impl Product {
    /// Returns the system whose fair runs are those on which the formula is false.
    pub fn into_system(self) -> SynchronousSystem {
        let mut system = self.system;
        system.initial.push(Constraint { demand: Demand::Holds(self.start), span: Span::default() });
        system.transitions.extend(self.steps);
        system.justice.extend(self.justice);
        system
    }
}

/// Makes the product of a synchronous system and the opposite of a formula.
pub fn product(system: &SynchronousSystem, formulas: &[Linear]) -> Product {
    let mut builder = Builder::new(system.clone());
    let mut values: Vec<ExprId> = Vec::new();
    let mut steps = Vec::new();
    let mut start = builder.truth(true);
    let mut justice = Vec::new();
    let mut inputs = Vec::new();
    for formula in formulas {
        let of = |id: &LinearId| values[id.0 as usize];
        let value = match formula {
            Linear::Atom(id) => {
                let (current, next) = builder.system.looks_at(*id);
                inputs.extend(current.into_iter().filter(|id| system.variable(*id).role == Role::Input));
                if next.is_empty() {
                    *id
                } else {
                    // What is so in the step that follows is guessed, and the step has to agree.
                    let guess = add_variable(&mut builder);
                    let now = builder.current(guess);
                    let same = builder.equal(now, *id);
                    steps.push(Constraint { demand: Demand::Holds(same), span: Span::default() });
                    now
                }
            }
            Linear::Not(one) => builder.not(of(one)),
            Linear::And(left, right) => builder.and(of(left), of(right)),
            Linear::Or(left, right) => builder.or(of(left), of(right)),
            Linear::Next(one) => {
                let guess = add_variable(&mut builder);
                steps.push(foretold(&mut builder, guess, of(one)));
                builder.current(guess)
            }
            Linear::Until(left, right) => {
                let guess = add_variable(&mut builder);
                let later = builder.current(guess);
                let later = builder.and(of(left), later);
                let until = builder.or(of(right), later);
                steps.push(foretold(&mut builder, guess, until));
                let other = builder.not(until);
                justice.push(builder.or(other, of(right)));
                until
            }
            Linear::Previous(one) => {
                let memory = add_variable(&mut builder);
                steps.push(remembered(&mut builder, memory, of(one)));
                let value = builder.current(memory);
                let never = builder.not(value);
                start = builder.and(start, never);
                value
            }
            Linear::Since(left, right) => {
                let memory = add_variable(&mut builder);
                let before = builder.current(memory);
                let never = builder.not(before);
                start = builder.and(start, never);
                let still = builder.and(of(left), before);
                let since = builder.or(of(right), still);
                steps.push(remembered(&mut builder, memory, since));
                since
            }
        };
        values.push(value);
    }
    if let Some(root) = values.last() {
        let opposite = builder.not(*root);
        start = builder.and(start, opposite);
    }
    inputs.sort_unstable();
    inputs.dedup();
    for input in &inputs {
        builder.system.variables[input.0 as usize].role = Role::State;
    }
    Product { system: builder.system, start, steps, justice, inputs }
}

/// Makes the product of a system and what remembers whether something was so in the step before: returns that
/// too. It is so at the start.
pub fn monitor(system: &SynchronousSystem, root: ExprId) -> (Product, ExprId) {
    let mut builder = Builder::new(system.clone());
    let memory = add_variable(&mut builder);
    let start = builder.current(memory);
    let steps = vec![Constraint { demand: Demand::Assigned(memory, root), span: Span::default() }];
    let product = Product { system: builder.system, start, steps, justice: Vec::new(), inputs: Vec::new() };
    (product, start)
}

fn add_variable(builder: &mut Builder) -> VariableId {
    let id = VariableId(builder.system.variables.len() as u32);
    builder.system.variables.push(Variable {
        name: String::new(),
        domain: Domain::Range(0, 1),
        display: Display::Boolean,
        role: Role::State,
        span: Span::default(),
    });
    id
}

/// The variable is now what the expression is next.
fn foretold(builder: &mut Builder, variable: VariableId, value: ExprId) -> Constraint {
    let now = builder.current(variable);
    // Formulas look at current values alone.
    let next = builder.shifted(value).unwrap_or(value);
    let same = builder.binary(Operator::Equal, now, next);
    Constraint { demand: Demand::Holds(same), span: Span::default() }
}

/// The variable is next what the expression is now.
fn remembered(builder: &mut Builder, variable: VariableId, value: ExprId) -> Constraint {
    let next = builder.node(Node::Next(variable));
    let same = builder.binary(Operator::Equal, next, value);
    Constraint { demand: Demand::Holds(same), span: Span::default() }
}
