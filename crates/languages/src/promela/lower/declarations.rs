//! Declarations: room for variables, and their first values.

use narrows_model::{Area, Expr, Leaf, Place, Scalar, Setup, Statement};
use narrows_source::{Diagnostic, Span};

use super::processes::Body;
use super::scopes;
use super::types::Type;
use super::{Lowering, count};
use crate::promela::ast::{self, Declaration, ExprKind, Initial, Variable, Visibility};
use crate::promela::flow::{Shape, ShapeKind};

/// What a variable starts with.
#[derive(Clone, Debug, Default)]
pub(super) enum Start {
    /// 0.
    #[default]
    Zero,
    /// The same value for every element.
    Value(Expr),
    /// A value for each element.
    List(Vec<i32>),
    /// A channel for every element.
    Channel(u16),
}

impl Lowering<'_> {
    pub(super) fn global_declaration(&mut self, declaration: &Declaration) {
        for variable in &declaration.variables {
            let hidden = declaration.visibility == Visibility::Hidden;
            if hidden {
                self.warn_hidden(variable);
            }
            let length = self.length(variable);
            let kind =
                self.resolve_type(&declaration.kind, variable.width, length.is_some(), declaration.kind_span);
            let start = self.start_value(variable, kind);
            let (area, offset) = self.allocate(hidden, kind, length);
            self.declare(variable, kind, length, area, offset, &start);
            if !self.take_room(kind, length.unwrap_or(1), &variable.name.name, true, variable.name.span) {
                continue;
            }
            let leaves = self.named_leaves(&variable.name.name, kind, length, offset);
            let mut setup = Vec::new();
            self.set_up(kind, length, area, offset, &start, variable.name.span, &mut setup);
            if hidden {
                self.system.hidden.extend(leaves);
            } else {
                self.system.globals.extend(leaves);
            }
            self.system.setup.extend(setup);
        }
    }

    fn warn_hidden(&mut self, variable: &Variable) {
        Diagnostic::warning(
            "P0301",
            variable.name.span,
            format!("`{}` is hidden: states that differ only in it count as one", variable.name.name),
        )
        .help("make sure that nothing depends on its value between steps, or drop `hidden`")
        .emit(self.diagnostics);
    }

    fn allocate(&mut self, hidden: bool, kind: Type, length: Option<u32>) -> (Area, u32) {
        // What is too large is reported: where it would be does not matter.
        let bytes = self.bytes_of(kind).saturating_mul(length.unwrap_or(1));
        if !self.scopes.is_global() {
            let offset = self.scopes.local_bytes;
            self.scopes.local_bytes = offset.saturating_add(bytes);
            (Area::Local, offset)
        } else if hidden {
            let offset = self.scopes.hidden_bytes;
            self.scopes.hidden_bytes = offset.saturating_add(bytes);
            (Area::Hidden, offset)
        } else {
            let offset = self.system.global_bytes;
            self.system.global_bytes = offset.saturating_add(bytes);
            (Area::Global, offset)
        }
    }

    fn declare(
        &mut self,
        variable: &Variable,
        kind: Type,
        length: Option<u32>,
        area: Area,
        offset: u32,
        start: &Start,
    ) {
        let name = &variable.name;
        if self.mtypes.contains_key(&name.name) {
            let span = self.mtypes[&name.name].2;
            self.redeclared(name, span);
            return;
        }
        let (constant, channel) = match start {
            Start::Value(Expr::Constant(value)) => (Some(*value), None),
            Start::Channel(kind) => (None, Some(*kind)),
            _ => (None, None),
        };
        let declared = scopes::Variable { kind, length, area, offset, span: name.span, constant, channel };
        if let Some(earlier) = self.scopes.declare(name.name.clone(), declared) {
            self.redeclared(name, earlier);
        }
    }

    fn named_leaves(&self, name: &str, kind: Type, length: Option<u32>, offset: u32) -> Vec<Leaf> {
        let leaves = self.leaves(kind, length);
        let named = leaves.into_iter().map(|leaf| Leaf {
            name: format!("{name}{}", leaf.suffix),
            offset: offset + leaf.offset,
            scalar: leaf.scalar,
        });
        named.collect()
    }

    /// Works out what a variable starts with.
    pub(super) fn start_value(&mut self, variable: &Variable, kind: Type) -> Start {
        match &variable.initial {
            None => Start::Zero,
            Some(Initial::Value(value)) => {
                let value_span = value.span;
                let value = self.expr(value);
                if let Type::Structure(_) = kind {
                    self.warn_ignored(variable, value_span);
                    return Start::Zero;
                }
                if let (Type::Scalar(scalar), Expr::Constant(constant)) = (kind, &value) {
                    self.warn_truncation(scalar, *constant, value_span);
                }
                Start::Value(value)
            }
            Some(Initial::List(values, span)) => {
                let length = self.length(variable);
                if length.is_none() {
                    let name = &variable.name.name;
                    Diagnostic::error("P0207", *span, format!("`{name}` is not an array"))
                        .help(format!("write `{name}[{}]` to declare an array", values.len()))
                        .emit(self.diagnostics);
                } else if values.len() > length.unwrap_or(0) as usize {
                    let title = format!(
                        "`{}` has {}, but is given {} values",
                        variable.name.name,
                        count(length.unwrap_or(0) as usize, "element"),
                        values.len()
                    );
                    Diagnostic::warning("P0233", *span, title)
                        .label("the last ones are ignored, as in SPIN")
                        .help("leave some out, or make the array longer")
                        .emit(self.diagnostics);
                }
                self.warn_list(values, *span);
                let values = values.iter().map(|value| self.constant(value).unwrap_or(0)).collect();
                if let (Type::Structure(_), Some(_)) = (kind, length) {
                    self.warn_ignored(variable, *span);
                    return Start::Zero;
                }
                Start::List(values)
            }
            Some(Initial::Channel(channel)) => {
                if kind != Type::Scalar(Scalar::Channel) {
                    let title = format!("`{}` is not a channel", variable.name.name);
                    Diagnostic::error("P0206", channel.span, title)
                        .label("this makes a channel")
                        .help(format!("declare it with `chan {} = …`", variable.name.name))
                        .emit(self.diagnostics);
                    return Start::Zero;
                }
                Start::Channel(self.channel_kind(channel, &variable.name.name))
            }
        }
    }

    /// Warns of a value that is given to a structure as a whole: SPIN takes no notice of it.
    fn warn_ignored(&mut self, variable: &Variable, span: Span) {
        let title = format!("the initial value of `{}` is ignored: it is a structure", variable.name.name);
        Diagnostic::warning("P0304", span, title)
            .label("without effect, as in SPIN")
            .help("assign its fields one by one, or give them values in the typedef")
            .emit(self.diagnostics);
    }

    /// Warns of a list of initial values that SPIN can't read: it takes numbers and symbolic names.
    fn warn_list(&mut self, values: &[ast::Expr], span: Span) {
        let is_read = |value: &ast::Expr| match &value.kind {
            ExprKind::Number(number) => *number >= 0,
            ExprKind::Place(place) => {
                place.parts.len() == 1 && self.mtypes.contains_key(&place.parts[0].name.name)
            }
            _ => false,
        };
        let span = match values.iter().find(|value| !is_read(value)) {
            Some(value) => value.span,
            None if values.is_empty() => span,
            None => return,
        };
        Diagnostic::warning("P0310", span, "SPIN can't read this list of initial values")
            .label(if values.is_empty() {
                "SPIN wants a value here"
            } else {
                "no plain number or symbolic name"
            })
            .help("write the values as numbers, or assign them in a process")
            .emit(self.diagnostics);
    }

    /// Warns of a constant that does not fit where it is stored.
    pub(super) fn warn_truncation(&mut self, scalar: Scalar, value: i32, span: Span) {
        let kept = scalar.truncate(value);
        if kept != value {
            Diagnostic::warning("P0303", span, format!("{value} does not fit: {kept} is stored"))
                .help("use a wider type, or a value that fits")
                .emit(self.diagnostics);
        }
    }

    /// Lists how a variable gets its first value; what starts with 0 needs nothing.
    fn set_up(
        &mut self,
        kind: Type,
        length: Option<u32>,
        area: Area,
        offset: u32,
        start: &Start,
        span: Span,
        setup: &mut Vec<Setup>,
    ) {
        for element in 0..length.unwrap_or(1) {
            let offset = offset + element * self.bytes_of(kind);
            match kind {
                Type::Scalar(scalar) => {
                    let place = Place { area, offset, indices: Vec::new(), scalar, span };
                    match start {
                        Start::Zero => {}
                        Start::Value(Expr::Constant(0)) => {}
                        Start::Value(value) => setup.push(Setup::Value(place, value.clone())),
                        Start::List(values) => {
                            // SPIN repeats the last value for the elements that have none.
                            if let Some(value) = values.get(element as usize).or(values.last()) {
                                setup.push(Setup::Value(place, Expr::Constant(*value)));
                            }
                        }
                        Start::Channel(kind) => setup.push(Setup::Channel(place, *kind)),
                    }
                }
                Type::Structure(structure) => {
                    for index in 0..self.structures[structure].fields.len() {
                        let field = self.structures[structure].fields[index].clone();
                        let at = offset + field.offset;
                        self.set_up(field.kind, field.length, area, at, &field.start, span, setup);
                    }
                }
            }
        }
    }

    /// Reports a structure that is given a value behind the first statement, which SPIN can't compile.
    fn is_late_structure(&mut self, variable: &Variable, kind: Type) -> bool {
        let (Type::Structure(_), Some(Initial::Value(_) | Initial::List(..))) = (kind, &variable.initial)
        else {
            return false;
        };
        Diagnostic::error("P0224", variable.name.span, "a whole structure can't be given one value")
            .help("assign its fields one by one, or give them values in the typedef")
            .emit(self.diagnostics);
        true
    }

    /// Declares local variables; behind the first statement, a declaration is a step that assigns.
    pub(super) fn local_declaration(&mut self, declaration: &Declaration, body: &mut Body) {
        for variable in &declaration.variables {
            let length = self.length(variable);
            let kind =
                self.resolve_type(&declaration.kind, variable.width, length.is_some(), declaration.kind_span);
            let start = if !body.may_initialise && self.is_late_structure(variable, kind) {
                Start::Zero
            } else {
                self.start_value(variable, kind)
            };
            let (area, offset) = self.allocate(false, kind, length);
            self.declare(variable, kind, length, area, offset, &start);
            if !self.take_room(kind, length.unwrap_or(1), &variable.name.name, true, variable.name.span) {
                continue;
            }
            let leaves = self.named_leaves(&variable.name.name, kind, length, offset);
            body.locals.extend(leaves);
            let span = variable.name.span;
            let at_creation = body.may_initialise
                || matches!(start, Start::Channel(_))
                || (length.is_some() && matches!(start, Start::Value(_)))
                || matches!(start, Start::List(_))
                || matches!(kind, Type::Structure(_));
            if at_creation {
                let mut setup = Vec::new();
                self.set_up(kind, length, area, offset, &start, span, &mut setup);
                body.setup.extend(setup);
            }
            if body.may_initialise {
                continue;
            }
            if let Start::Channel(_) = start {
                Diagnostic::error("P0229", span, "a channel can't be created behind the first statement")
                    .help("move the declaration to the start of the process")
                    .emit(self.diagnostics);
                continue;
            }
            let text = format!("{} = …", variable.name.name);
            let statement = match kind {
                // SPIN sets only the first element; an array with one value for all is set at creation.
                Type::Scalar(scalar) => {
                    let value = match start {
                        Start::Value(_) if length.is_some() => continue,
                        Start::Value(value) => value,
                        Start::List(values) => Expr::Constant(values.first().copied().unwrap_or(0)),
                        _ => Expr::Constant(0),
                    };
                    Statement::Assign(Place { area, offset, indices: Vec::new(), scalar, span }, value)
                }
                // A step that changes nothing, but not a skip, of which SPIN drops the second in a row.
                Type::Structure(_) => Statement::Condition(Expr::Constant(1)),
            };
            body.graph.add(Shape::new(ShapeKind::Basic(statement), span, text));
        }
    }
}
