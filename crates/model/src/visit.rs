//! Visits what statements and expressions are made of.

use std::ops::Range;

use crate::{Binary, DStep, Expr, Guard, Node, Pattern, Place, Proctype, Receive, Send, Setup, Statement};

impl Place {
    /// Returns the bytes it may be at, whatever its indices are.
    pub fn extent(&self) -> Range<usize> {
        let more: u32 = self.indices.iter().map(|index| index.length.saturating_sub(1) * index.stride).sum();
        self.offset as usize..(self.offset + more + self.scalar.bytes()) as usize
    }

    fn each_index(&self, visit: &mut dyn FnMut(&Expr)) {
        self.indices.iter().for_each(|index| visit(&index.value));
    }
}

impl DStep {
    /// Returns its statements.
    pub fn statements(&self) -> impl Iterator<Item = &Statement> {
        self.nodes.iter().filter_map(|node| match node {
            Node::Execute(statement, ..) => Some(statement),
            _ => None,
        })
    }
}

impl Proctype {
    /// Visits every expression, but not those inside others.
    pub(crate) fn each_expr(&self, visit: &mut dyn FnMut(&Expr)) {
        for transition in &self.transitions {
            transition.statement.each_read(visit);
        }
        for step in &self.setup {
            if let Setup::Value(place, value) = step {
                place.each_index(visit);
                visit(value);
            }
        }
        self.provided.iter().for_each(visit);
    }
}

impl Statement {
    /// Returns the variable that it adds something to, if that is all it does.
    pub(crate) fn counter(&self) -> Option<&Place> {
        let Statement::Assign(place, value) = self else { return None };
        let Expr::Binary(Binary::Add | Binary::Subtract, left, right, _) = value else { return None };
        let (Expr::Load(old), Expr::Constant(_)) = (&**left, &**right) else { return None };
        (old.area == place.area && old.extent() == place.extent()).then_some(old)
    }

    /// Visits every place that it may store to.
    pub fn each_store<'s>(&'s self, visit: &mut dyn FnMut(&'s Place)) {
        match self {
            Statement::Assign(place, _) | Statement::Run(_, Some((place, _))) => visit(place),
            Statement::Receive(receive) => receive.stored().for_each(visit),
            Statement::DStep(step) => step.statements().for_each(|statement| statement.each_store(visit)),
            _ => {}
        }
    }

    /// Visits the expressions that it may evaluate, but not those inside others; of a variable that it only
    /// adds to, just the indices.
    pub(crate) fn each_read(&self, visit: &mut dyn FnMut(&Expr)) {
        match self {
            Statement::Skip | Statement::Else | Statement::End => {}
            Statement::Condition(value) | Statement::Assert(value) | Statement::PrintMtype(value, _) => {
                visit(value);
            }
            Statement::Assign(place, value) => {
                place.each_index(visit);
                match self.counter() {
                    Some(old) => old.each_index(visit),
                    None => visit(value),
                }
            }
            Statement::Run(run, assign) => {
                run.arguments.iter().for_each(&mut *visit);
                if let Some((place, value)) = assign {
                    place.each_index(visit);
                    visit(value);
                }
            }
            Statement::Send(send) => send.each_read(visit),
            Statement::Receive(receive) => receive.each_read(visit),
            Statement::Print(_, values) => values.iter().for_each(visit),
            Statement::SetPriority(who, priority) => {
                visit(who);
                visit(priority);
            }
            Statement::DStep(step) => {
                step.guards.iter().for_each(|guard| guard.each_read(visit));
                step.statements().for_each(|statement| statement.each_read(visit));
            }
        }
    }
}

impl Guard {
    pub(crate) fn each_read(&self, visit: &mut dyn FnMut(&Expr)) {
        match self {
            Guard::Else | Guard::Always => {}
            Guard::Condition(value) => visit(value),
            Guard::Send(send) => send.each_read(visit),
            Guard::Receive(receive) => receive.each_read(visit),
        }
    }
}

impl Send {
    fn each_read(&self, visit: &mut dyn FnMut(&Expr)) {
        visit(&self.channel);
        self.arguments.iter().for_each(visit);
    }
}

impl Receive {
    /// Returns the places that it stores to.
    pub(crate) fn stored(&self) -> impl Iterator<Item = &Place> {
        self.patterns.iter().filter_map(|pattern| match pattern {
            Pattern::Store(place) => Some(place),
            _ => None,
        })
    }

    fn each_read(&self, visit: &mut dyn FnMut(&Expr)) {
        visit(&self.channel);
        for pattern in &self.patterns {
            match pattern {
                Pattern::Store(place) => place.each_index(visit),
                Pattern::Match(value) => visit(value),
                Pattern::Discard => {}
            }
        }
    }
}

impl Expr {
    /// Visits it, and all expressions inside it.
    pub fn each(&self, visit: &mut dyn FnMut(&Expr)) {
        visit(self);
        let mut inside = |expr: &Expr| expr.each(visit);
        match self {
            Expr::Constant(_)
            | Expr::Pid
            | Expr::ProcessCount
            | Expr::Last
            | Expr::Timeout
            | Expr::NonProgress
            | Expr::RunResult
            | Expr::Priority => {}
            Expr::Load(place) => place.each_index(&mut inside),
            Expr::Unary(_, value)
            | Expr::Channel(_, value, _)
            | Expr::Enabled(value, _)
            | Expr::LocationOf(value)
            | Expr::PriorityOf(value) => inside(value),
            Expr::Binary(_, left, right, _) => {
                inside(left);
                inside(right);
            }
            Expr::Conditional(condition, yes, no) => {
                inside(condition);
                inside(yes);
                inside(no);
            }
            Expr::Poll(receive) => receive.each_read(&mut inside),
            Expr::AtLocation { pid, .. } => {
                if let Some(pid) = pid {
                    inside(pid);
                }
            }
            Expr::Remote { pid, place, .. } => {
                if let Some(pid) = pid {
                    inside(pid);
                }
                place.each_index(&mut inside);
            }
        }
    }
}
