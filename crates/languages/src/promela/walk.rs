//! Visits every expression of a tree.

use super::ast::{
    Expr, ExprKind, Initial, Place, Program, ReceiveArgument, Sequence, Statement, StatementKind, Step, Unit,
};

type Visit<'v> = &'v mut dyn FnMut(&Expr);

impl Program {
    /// Visits every expression of the program.
    pub(super) fn each_expression(&self, visit: Visit<'_>) {
        for unit in &self.units {
            match unit {
                Unit::Proctype(proctype) => {
                    if let Some(provided) = &proctype.provided {
                        provided.each(visit);
                    }
                    proctype.body.each_expression(visit);
                }
                Unit::Init(init) => init.body.each_expression(visit),
                Unit::Never(claim) => claim.body.each_expression(visit),
                Unit::Trace(trace) => trace.body.each_expression(visit),
                Unit::Ltl(block) => block.formula.atoms().into_iter().for_each(|atom| atom.each(visit)),
                Unit::Ctl(block) => block.formula.each_atom(&mut |atom| atom.each(visit)),
                Unit::Variables(_) | Unit::Typedef(_) | Unit::Mtype(_) => {}
            }
        }
    }
}

impl Sequence {
    /// Visits every expression of the sequence.
    pub(super) fn each_expression(&self, visit: Visit<'_>) {
        for step in &self.steps {
            match step {
                Step::Declaration(declaration) => {
                    for variable in &declaration.variables {
                        if let Some(Initial::Value(value)) = &variable.initial {
                            value.each(visit);
                        }
                    }
                }
                Step::Exclusive(_) => {}
                Step::Statement(statement) => statement.each_expression(visit),
                Step::Unless(main, escape) => {
                    main.each_expression(visit);
                    escape.each_expression(visit);
                }
            }
        }
    }
}

impl Statement {
    fn each_expression(&self, visit: Visit<'_>) {
        match &self.kind {
            StatementKind::Label(_, inner) => inner.each_expression(visit),
            StatementKind::If(options) | StatementKind::Do(options) => {
                for option in options {
                    option.each_expression(visit);
                }
            }
            StatementKind::ForRange(variable, low, high, body) => {
                variable.each(visit);
                low.each(visit);
                high.each(visit);
                body.each_expression(visit);
            }
            StatementKind::ForIn(_, _, body)
            | StatementKind::Block(body)
            | StatementKind::Atomic(body)
            | StatementKind::DStep(body)
            | StatementKind::Inline(_, body) => body.each_expression(visit),
            StatementKind::Select { variable, low, high, .. } => {
                variable.each(visit);
                low.each(visit);
                high.each(visit);
            }
            StatementKind::Break | StatementKind::Goto(_) | StatementKind::Else => {}
            StatementKind::Condition(value)
            | StatementKind::Assert(value)
            | StatementKind::PrintMtype(value) => {
                value.each(visit);
            }
            StatementKind::Assign(place, value) => {
                place.each(visit);
                value.each(visit);
            }
            StatementKind::Send { channel, arguments, .. } => {
                channel.each(visit);
                for argument in arguments {
                    argument.each(visit);
                }
            }
            StatementKind::Receive { channel, arguments, .. } => {
                channel.each(visit);
                for argument in arguments {
                    argument.each(visit);
                }
            }
            StatementKind::Print(_, arguments) => arguments.iter().for_each(|argument| argument.each(visit)),
            StatementKind::SetPriority(pid, priority) => {
                pid.each(visit);
                priority.each(visit);
            }
        }
    }
}

impl ReceiveArgument {
    fn each(&self, visit: Visit<'_>) {
        match self {
            ReceiveArgument::Variable(place) => place.each(visit),
            ReceiveArgument::Constant(..) => {}
            ReceiveArgument::Eval(value) => value.each(visit),
        }
    }
}

impl Place {
    fn each(&self, visit: Visit<'_>) {
        for part in &self.parts {
            if let Some(index) = &part.index {
                index.each(visit);
            }
        }
    }
}

impl Expr {
    /// Visits the expression and all that stand in it.
    pub(super) fn each(&self, visit: Visit<'_>) {
        visit(self);
        match &self.kind {
            ExprKind::Number(_) | ExprKind::Timeout | ExprKind::NonProgress => {}
            ExprKind::Place(place) | ExprKind::Channel(_, place) => place.each(visit),
            ExprKind::Unary(_, operand)
            | ExprKind::Enabled(operand)
            | ExprKind::PcValue(operand)
            | ExprKind::GetPriority(operand) => operand.each(visit),
            ExprKind::Binary(_, left, right) => {
                left.each(visit);
                right.each(visit);
            }
            ExprKind::Conditional(condition, yes, no) => {
                condition.each(visit);
                yes.each(visit);
                no.each(visit);
            }
            ExprKind::Run { arguments, .. } => arguments.iter().for_each(|argument| argument.each(visit)),
            ExprKind::Poll { channel, arguments, .. } => {
                channel.each(visit);
                for argument in arguments {
                    argument.each(visit);
                }
            }
            ExprKind::RemoteLabel { pid, .. } => {
                if let Some(pid) = pid {
                    pid.each(visit);
                }
            }
            ExprKind::RemoteVariable { pid, variable, .. } => {
                if let Some(pid) = pid {
                    pid.each(visit);
                }
                variable.each(visit);
            }
        }
    }
}
