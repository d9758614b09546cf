//! Trees as short texts, for tests.

use narrows_logic::{Ctl, Ltl};

use crate::promela::ast::{
    ActiveCount, Declaration, Expr, ExprKind, Initial, Place, Program, ReceiveArgument, Sequence, Statement,
    StatementKind, Step, Type, UnaryOperator, Unit,
};

fn list<T>(items: &[T], separator: &str, show: impl Fn(&T) -> String) -> String {
    items.iter().map(show).collect::<Vec<_>>().join(separator)
}

pub(super) fn program(program: &Program) -> String {
    list(&program.units, "\n", unit)
}

fn unit(unit: &Unit) -> String {
    match unit {
        Unit::Proctype(p) => {
            let active = match &p.active {
                None => String::new(),
                Some(ActiveCount::One) => "active ".to_owned(),
                Some(ActiveCount::Count(count)) => format!("active[{}] ", expr(count)),
            };
            let word = if p.deterministic { "D_proctype" } else { "proctype" };
            let parameters = list(&p.parameters, "; ", declaration);
            let priority = p.priority.map(|n| format!(" priority {n}")).unwrap_or_default();
            let provided = p.provided.as_ref().map(|e| format!(" provided {}", expr(e))).unwrap_or_default();
            format!("{active}{word} {}({parameters}){priority}{provided} {}", p.name.name, sequence(&p.body))
        }
        Unit::Init(init) => {
            let priority = init.priority.map(|n| format!("priority {n} ")).unwrap_or_default();
            format!("init {priority}{}", sequence(&init.body))
        }
        Unit::Never(claim) => {
            let name = claim.name.as_ref().map(|name| format!("{} ", name.name)).unwrap_or_default();
            format!("never {name}{}", sequence(&claim.body))
        }
        Unit::Trace(trace) => {
            format!("{} {}", if trace.forbidden { "notrace" } else { "trace" }, sequence(&trace.body))
        }
        Unit::Ltl(block) => {
            let name = block.name.as_ref().map(|name| format!("{} ", name.name)).unwrap_or_default();
            format!("ltl {name}{}", ltl(&block.formula))
        }
        Unit::Ctl(block) => format!("ctl {}", ctl(&block.formula)),
        Unit::Variables(d) => declaration(d),
        Unit::Typedef(t) => format!("typedef {} {{{}}}", t.name.name, list(&t.fields, "; ", declaration)),
        Unit::Mtype(m) => {
            let set = m.set.as_ref().map(|set| format!(":{}", set.name)).unwrap_or_default();
            format!("mtype{set} = {{{}}}", list(&m.names, " ", |name| name.name.to_string()))
        }
    }
}

fn kind(kind: &Type) -> String {
    match kind {
        Type::Mtype(Some(set)) => format!("mtype:{}", set.name),
        Type::Mtype(None) => "mtype".to_owned(),
        Type::Named(name) => name.name.to_string(),
        other => format!("{other:?}").to_lowercase(),
    }
}

fn declaration(declaration: &Declaration) -> String {
    let visibility = match format!("{:?}", declaration.visibility).to_lowercase().as_str() {
        "normal" => String::new(),
        word => format!("{word} "),
    };
    let variables = list(&declaration.variables, ", ", |variable| {
        let width = variable.width.map(|(width, _)| format!(":{width}")).unwrap_or_default();
        let length = variable.length.as_ref().map(|length| format!("[{}]", expr(length))).unwrap_or_default();
        let initial = match &variable.initial {
            None => String::new(),
            Some(Initial::Value(value)) => format!(" = {}", expr(value)),
            Some(Initial::List(values, _)) => format!(" = {{{}}}", list(values, ", ", expr)),
            Some(Initial::Channel(channel)) => {
                let fields = list(&channel.fields, ", ", |(field, _)| kind(field));
                format!(" = [{}] of {{{fields}}}", expr(&channel.capacity))
            }
        };
        format!("{}{width}{length}{initial}", variable.name.name)
    });
    format!("{visibility}{} {variables}", kind(&declaration.kind))
}

pub(super) fn sequence(sequence: &Sequence) -> String {
    format!("{{{}}}", list(&sequence.steps, "; ", step))
}

fn step(step: &Step) -> String {
    match step {
        Step::Declaration(d) => declaration(d),
        Step::Exclusive(exclusive) => {
            format!("{} {}", if exclusive.send { "xs" } else { "xr" }, list(&exclusive.channels, ", ", place))
        }
        Step::Statement(s) => statement(s),
        Step::Unless(main, escape) => format!("{} unless {}", statement(main), statement(escape)),
    }
}

fn statement(s: &Statement) -> String {
    match &s.kind {
        StatementKind::Label(label, inner) => format!("{}: {}", label.name, statement(inner)),
        StatementKind::If(options) => format!("if {} fi", list(options, " ", sequence)),
        StatementKind::Do(options) => format!("do {} od", list(options, " ", sequence)),
        StatementKind::ForRange(variable, low, high, body) => {
            format!("for ({} : {} .. {}) {}", place(variable), expr(low), expr(high), sequence(body))
        }
        StatementKind::ForIn(variable, collection, body) => {
            format!("for ({} in {}) {}", place(variable), place(collection), sequence(body))
        }
        StatementKind::Select { variable, low, high, literal } => {
            let word = if *literal { "select!" } else { "select" };
            format!("{word} ({} : {} .. {})", place(variable), expr(low), expr(high))
        }
        StatementKind::Break => "break".to_owned(),
        StatementKind::Goto(label) => format!("goto {}", label.name),
        StatementKind::Block(body) => sequence(body),
        StatementKind::Atomic(body) => format!("atomic {}", sequence(body)),
        StatementKind::DStep(body) => format!("d_step {}", sequence(body)),
        StatementKind::Inline(name, body) => format!("{}() {}", name.name, sequence(body)),
        StatementKind::Else => "else".to_owned(),
        StatementKind::Condition(e) => expr(e),
        StatementKind::Assign(target, value) => format!("{} = {}", place(target), expr(value)),
        StatementKind::Send { channel, arguments, sorted } => {
            format!("{}{}{}", place(channel), if *sorted { "!!" } else { "!" }, list(arguments, ",", expr))
        }
        StatementKind::Receive { channel, arguments, random, peek } => {
            let operator = if *random { "??" } else { "?" };
            let arguments = list(arguments, ",", argument);
            let arguments = if *peek { format!("<{arguments}>") } else { arguments };
            format!("{}{operator}{arguments}", place(channel))
        }
        StatementKind::Assert(e) => format!("assert {}", expr(e)),
        StatementKind::Print(text, arguments) => {
            let arguments = arguments.iter().fold(String::new(), |text, e| text + ", " + &expr(e));
            format!("printf({text:?}{arguments})")
        }
        StatementKind::PrintMtype(e) => format!("printm({})", expr(e)),
        StatementKind::SetPriority(process, priority) => {
            format!("set_priority({}, {})", expr(process), expr(priority))
        }
    }
}

fn argument(argument: &ReceiveArgument) -> String {
    match argument {
        ReceiveArgument::Variable(p) => place(p),
        ReceiveArgument::Constant(value, _) => value.to_string(),
        ReceiveArgument::Eval(e) => format!("eval({})", expr(e)),
    }
}

fn place(place: &Place) -> String {
    list(&place.parts, ".", |part| {
        let index = part.index.as_ref().map(|index| format!("[{}]", expr(index))).unwrap_or_default();
        format!("{}{index}", part.name.name)
    })
}

pub(super) fn expr(e: &Expr) -> String {
    match &e.kind {
        ExprKind::Number(value) => value.to_string(),
        ExprKind::Place(p) => place(p),
        ExprKind::Unary(operator, operand) => {
            let sign = match operator {
                UnaryOperator::Minus => "-",
                UnaryOperator::Not => "!",
                UnaryOperator::Complement => "~",
            };
            format!("{sign}{}", expr(operand))
        }
        ExprKind::Binary(operator, left, right) => {
            let sign = operator.symbol();
            format!("({} {sign} {})", expr(left), expr(right))
        }
        ExprKind::Conditional(condition, yes, no) => {
            format!("({} -> {} : {})", expr(condition), expr(yes), expr(no))
        }
        ExprKind::Run { name, arguments, priority } => {
            let priority = priority.map(|n| format!(" priority {n}")).unwrap_or_default();
            format!("run {}({}){priority}", name.name, list(arguments, ", ", expr))
        }
        ExprKind::Channel(query, channel) => format!("{query:?}({})", place(channel)),
        ExprKind::Poll { channel, arguments, random } => {
            let operator = if *random { "??" } else { "?" };
            format!("{}{operator}[{}]", place(channel), list(arguments, ",", argument))
        }
        ExprKind::Timeout => "timeout".to_owned(),
        ExprKind::NonProgress => "np_".to_owned(),
        ExprKind::Enabled(e) => format!("enabled({})", expr(e)),
        ExprKind::PcValue(e) => format!("pc_value({})", expr(e)),
        ExprKind::GetPriority(e) => format!("get_priority({})", expr(e)),
        ExprKind::RemoteLabel { process, pid, label } => {
            let pid = pid.as_ref().map(|pid| format!("[{}]", expr(pid))).unwrap_or_default();
            format!("{}{pid}@{}", process.name, label.name)
        }
        ExprKind::RemoteVariable { process, pid, variable } => {
            let pid = pid.as_ref().map(|pid| format!("[{}]", expr(pid))).unwrap_or_default();
            format!("{}{pid}:{}", process.name, place(variable))
        }
    }
}

pub(super) fn ltl(formula: &Ltl<Expr>) -> String {
    let (name, left, right) = match formula {
        Ltl::Atom(e) => return format!("‹{}›", expr(e)),
        Ltl::Constant(value) => return value.to_string(),
        Ltl::Not(operand) => return format!("!{}", ltl(operand)),
        Ltl::Next(operand) => return format!("Next {}", ltl(operand)),
        Ltl::Always(operand) => return format!("Always {}", ltl(operand)),
        Ltl::Eventually(operand) => return format!("Eventually {}", ltl(operand)),
        Ltl::And(left, right) => ("And", left, right),
        Ltl::Or(left, right) => ("Or", left, right),
        Ltl::Implies(left, right) => ("Implies", left, right),
        Ltl::Equivalent(left, right) => ("Equivalent", left, right),
        Ltl::Until(left, right) => ("Until", left, right),
        Ltl::WeakUntil(left, right) => ("WeakUntil", left, right),
        Ltl::Release(left, right) => ("Release", left, right),
    };
    format!("({} {name} {})", ltl(left), ltl(right))
}

pub(super) fn ctl(formula: &Ctl<Expr>) -> String {
    formula.show(&|atom| format!("‹{}›", expr(atom)))
}
