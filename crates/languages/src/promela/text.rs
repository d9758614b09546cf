//! Statements and expressions written out again, tidied up: what a counterexample shows.

use std::fmt::Write;

use super::ast::{
    BinaryOperator, ChannelQuery, Expr, ExprKind, Place, ReceiveArgument, StatementKind, UnaryOperator,
};

/// Writes a basic statement.
pub(super) fn statement(kind: &StatementKind) -> String {
    match kind {
        StatementKind::Else => "else".to_owned(),
        StatementKind::Condition(condition) => match condition.kind {
            ExprKind::Number(1) => "skip".to_owned(),
            ExprKind::Run { .. } => expr(condition),
            _ => format!("({})", expr(condition)),
        },
        StatementKind::Assign(target, value) => format!("{} = {}", place(target), expr(value)),
        StatementKind::Send { channel, arguments, sorted } => {
            let operator = if *sorted { "!!" } else { "!" };
            format!("{}{operator}{}", place(channel), list(arguments))
        }
        StatementKind::Receive { channel, arguments, random, peek } => {
            let operator = if *random { "??" } else { "?" };
            let patterns = patterns(arguments);
            let patterns = if *peek { format!("<{patterns}>") } else { patterns };
            format!("{}{operator}{patterns}", place(channel))
        }
        StatementKind::Assert(condition) => format!("assert({})", expr(condition)),
        StatementKind::Print(format, arguments) if arguments.is_empty() => {
            format!("printf(\"{}\")", escaped(format))
        }
        StatementKind::Print(format, arguments) => {
            format!("printf(\"{}\", {})", escaped(format), list(arguments))
        }
        StatementKind::PrintMtype(value) => format!("printm({})", expr(value)),
        StatementKind::SetPriority(pid, priority) => {
            format!("set_priority({}, {})", expr(pid), expr(priority))
        }
        StatementKind::Break => "break".to_owned(),
        StatementKind::Goto(label) => format!("goto {}", label.name),
        StatementKind::If(_) => "if".to_owned(),
        StatementKind::Do(_) => "do".to_owned(),
        StatementKind::ForRange(..) | StatementKind::ForIn(..) => "for".to_owned(),
        StatementKind::Select { .. } => "select".to_owned(),
        StatementKind::Block(_) => "{ … }".to_owned(),
        StatementKind::Atomic(_) => "atomic { … }".to_owned(),
        StatementKind::DStep(_) => "d_step { … }".to_owned(),
        StatementKind::Inline(name, _) => format!("{}(…)", name.name),
        StatementKind::Label(_, inner) => statement(&inner.kind),
    }
}

/// Writes a text as it stands between quotes.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\n', "\\n").replace('\t', "\\t").replace('"', "\\\"")
}

fn list(arguments: &[Expr]) -> String {
    arguments.iter().map(expr).collect::<Vec<_>>().join(", ")
}

fn patterns(arguments: &[ReceiveArgument]) -> String {
    let texts = arguments.iter().map(|argument| match argument {
        ReceiveArgument::Variable(variable) => place(variable),
        ReceiveArgument::Constant(value, _) => value.to_string(),
        ReceiveArgument::Eval(value) => format!("eval({})", expr(value)),
    });
    texts.collect::<Vec<_>>().join(", ")
}

/// Writes a place.
pub(super) fn place(place: &Place) -> String {
    let mut text = String::new();
    for (index, part) in place.parts.iter().enumerate() {
        if index > 0 {
            text.push('.');
        }
        text.push_str(&part.name.name);
        if let Some(index) = &part.index {
            let _ = write!(text, "[{}]", expr(index));
        }
    }
    text
}

/// Writes an expression with as few parentheses as it needs.
pub(super) fn expr(expr: &Expr) -> String {
    write_expr(expr, 0)
}

fn write_expr(expr: &Expr, outer: u8) -> String {
    match &expr.kind {
        ExprKind::Number(value) => value.to_string(),
        ExprKind::Place(variable) => place(variable),
        ExprKind::Unary(operator, operand) => {
            let symbol = match operator {
                UnaryOperator::Minus => "-",
                UnaryOperator::Not => "!",
                UnaryOperator::Complement => "~",
            };
            format!("{symbol}{}", write_expr(operand, 20))
        }
        ExprKind::Binary(operator, left, right) => {
            let (symbol, level) = (operator.symbol(), strength(*operator));
            let text = format!("{} {symbol} {}", write_expr(left, level), write_expr(right, level + 1));
            if level < outer { format!("({text})") } else { text }
        }
        ExprKind::Conditional(condition, yes, no) => {
            format!("({} -> {} : {})", write_expr(condition, 0), write_expr(yes, 0), write_expr(no, 0))
        }
        ExprKind::Run { name, arguments, priority } => {
            let priority = priority.map_or_else(String::new, |priority| format!(" priority {priority}"));
            format!("run {}({}){priority}", name.name, list(arguments))
        }
        ExprKind::Channel(query, channel) => {
            let name = match query {
                ChannelQuery::Length => "len",
                ChannelQuery::Full => "full",
                ChannelQuery::Empty => "empty",
                ChannelQuery::NotFull => "nfull",
                ChannelQuery::NotEmpty => "nempty",
            };
            format!("{name}({})", place(channel))
        }
        ExprKind::Poll { channel, arguments, random } => {
            format!("{}{}[{}]", place(channel), if *random { "??" } else { "?" }, patterns(arguments))
        }
        ExprKind::Timeout => "timeout".to_owned(),
        ExprKind::NonProgress => "np_".to_owned(),
        ExprKind::Enabled(pid) => format!("enabled({})", write_expr(pid, 0)),
        ExprKind::PcValue(pid) => format!("pc_value({})", write_expr(pid, 0)),
        ExprKind::GetPriority(pid) => format!("get_priority({})", write_expr(pid, 0)),
        ExprKind::RemoteLabel { process, pid, label } => {
            format!("{}{}@{}", process.name, bracketed(pid.as_deref()), label.name)
        }
        ExprKind::RemoteVariable { process, pid, variable } => {
            format!("{}{}:{}", process.name, bracketed(pid.as_deref()), place(variable))
        }
    }
}

fn bracketed(pid: Option<&Expr>) -> String {
    pid.map_or_else(String::new, |pid| format!("[{}]", write_expr(pid, 0)))
}

/// How strongly an operator binds.
fn strength(operator: BinaryOperator) -> u8 {
    match operator {
        BinaryOperator::Multiply | BinaryOperator::Divide | BinaryOperator::Remainder => 10,
        BinaryOperator::Add | BinaryOperator::Subtract => 9,
        BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight => 8,
        BinaryOperator::Less
        | BinaryOperator::LessEqual
        | BinaryOperator::Greater
        | BinaryOperator::GreaterEqual => 7,
        BinaryOperator::Equal | BinaryOperator::NotEqual => 6,
        BinaryOperator::BitAnd => 5,
        BinaryOperator::BitXor => 4,
        BinaryOperator::BitOr => 3,
        BinaryOperator::And => 2,
        BinaryOperator::Or => 1,
    }
}
