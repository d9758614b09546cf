//! Expressions and places.

use narrows_model::{Area, Expr, Index, Place, Scalar};
use narrows_source::{Diagnostic, Span, closest};

use super::Lowering;
use super::types::Type;
use crate::promela::ast::{self, ExprKind, Ident};

/// A place that may be a whole structure.
pub(super) struct Found {
    pub(super) kind: Type,
    pub(super) area: Area,
    pub(super) offset: u32,
    pub(super) indices: Vec<Index>,
}

/// Names that Promela itself gives a meaning.
pub(super) const PREDEFINED: [&str; 5] = ["_pid", "_nr_pr", "_last", "_priority", "_"];

/// Returns whether a name is written as those of macros are: in capitals.
fn looks_like_macro(name: &str) -> bool {
    name.len() > 1
        && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
        && !name.starts_with('_')
}

impl Lowering<'_> {
    pub(super) fn expr(&mut self, expr: &ast::Expr) -> Expr {
        match &expr.kind {
            ExprKind::Number(value) => Expr::Constant(*value),
            ExprKind::Place(place) => self.load(place),
            ExprKind::Unary(operator, operand) => Expr::Unary(*operator, Box::new(self.expr(operand))),
            ExprKind::Binary(operator, left, right) => {
                let (left, right) = (self.expr(left), self.expr(right));
                Expr::Binary(*operator, Box::new(left), Box::new(right), expr.span)
            }
            ExprKind::Conditional(condition, yes, no) => {
                let (condition, yes, no) = (self.expr(condition), self.expr(yes), self.expr(no));
                Expr::Conditional(Box::new(condition), Box::new(yes), Box::new(no))
            }
            ExprKind::Run { .. } => {
                Diagnostic::error("P0217", expr.span, "`run` can't stand here")
                    .help("make it a statement of its own: `run P()` or `p = run P()`")
                    .emit(self.diagnostics);
                Expr::Constant(0)
            }
            ExprKind::Channel(query, channel) => {
                let (channel, _) = self.channel(channel);
                Expr::Channel(*query, Box::new(channel), expr.span)
            }
            ExprKind::Poll { channel, arguments, random } => {
                Expr::Poll(Box::new(self.poll(channel, arguments, *random, expr.span)))
            }
            ExprKind::Timeout => Expr::Timeout,
            ExprKind::NonProgress => Expr::NonProgress,
            ExprKind::Enabled(pid) => Expr::Enabled(Box::new(self.expr(pid)), expr.span),
            ExprKind::PcValue(pid) => Expr::LocationOf(Box::new(self.expr(pid))),
            ExprKind::GetPriority(pid) => {
                self.system.has_priorities = true;
                Expr::PriorityOf(Box::new(self.expr(pid)))
            }
            ExprKind::RemoteLabel { process, pid, label } => {
                self.remote_label(process, pid.as_deref(), label)
            }
            ExprKind::RemoteVariable { process, pid, variable } => {
                self.remote_variable(process, pid.as_deref(), variable)
            }
        }
    }

    fn load(&mut self, place: &ast::Place) -> Expr {
        let name = &place.parts[0].name;
        if place.parts.len() == 1 && place.parts[0].index.is_none() {
            if let Some((_, value, _)) = self.mtypes.get(&name.name) {
                return Expr::Constant(*value);
            }
            match &*name.name {
                "_pid" => return Expr::Pid,
                "_nr_pr" => return Expr::ProcessCount,
                "_last" => {
                    self.system.tracks_last = true;
                    return Expr::Last;
                }
                "_priority" => {
                    self.system.has_priorities = true;
                    return Expr::Priority;
                }
                "_" => {
                    Diagnostic::error("P0222", name.span, "`_` can't be read")
                        .note("what is stored in it is thrown away")
                        .emit(self.diagnostics);
                    return Expr::Constant(0);
                }
                _ => {}
            }
        }
        self.place(place).map_or(Expr::Constant(0), |place| Expr::Load(Box::new(place)))
    }

    /// Resolves a place that must be a scalar.
    pub(super) fn place(&mut self, place: &ast::Place) -> Option<Place> {
        let found = self.find_place(place)?;
        match found.kind {
            Type::Scalar(scalar) => Some(Place {
                area: found.area,
                offset: found.offset,
                indices: found.indices,
                scalar,
                span: place.span,
            }),
            Type::Structure(_) => {
                let text = crate::promela::text::place(place);
                Diagnostic::error("P0224", place.span, format!("`{text}` is a whole structure"))
                    .help("name one of its fields")
                    .emit(self.diagnostics);
                None
            }
        }
    }

    /// Resolves a place that is stored to.
    pub(super) fn assignable(&mut self, place: &ast::Place) -> Option<Place> {
        let name = &place.parts[0].name;
        if place.parts.len() == 1 {
            if PREDEFINED.contains(&&*name.name) {
                Diagnostic::error("P0223", name.span, format!("`{}` can't be assigned", name.name))
                    .note("Promela itself sets it")
                    .emit(self.diagnostics);
                return None;
            }
            if self.mtypes.contains_key(&name.name) {
                let declared = self.mtypes[&name.name].2;
                let title = format!("`{}` is a symbolic name: it can't be assigned", name.name);
                Diagnostic::error("P0223", name.span, title)
                    .also(declared, "it is declared here")
                    .help("assign to a variable of type `mtype`")
                    .emit(self.diagnostics);
                return None;
            }
        }
        self.place(place)
    }

    /// Resolves names, fields and indices.
    pub(super) fn find_place(&mut self, place: &ast::Place) -> Option<Found> {
        let first = &place.parts[0];
        let Some(variable) = self.scopes.find(&first.name.name).cloned() else {
            self.unknown_name(&first.name);
            return None;
        };
        let mut found =
            Found { kind: variable.kind, area: variable.area, offset: variable.offset, indices: Vec::new() };
        self.index(&mut found, first, variable.length);
        for part in &place.parts[1..] {
            let Type::Structure(structure) = found.kind else {
                let title = format!("what stands before `.{}` has no fields", part.name.name);
                Diagnostic::error("P0208", part.name.span, title)
                    .also(variable.span, "the variable is declared here")
                    .help("only a variable whose type is a typedef has fields")
                    .emit(self.diagnostics);
                return None;
            };
            let structure = &self.structures[structure];
            let Some(field) =
                structure.fields.iter().find(|field| field.name.name == part.name.name).cloned()
            else {
                let names: Vec<&str> = structure.fields.iter().map(|field| &*field.name.name).collect();
                let title = format!("`{}` has no field `{}`", structure.name, part.name.name);
                Diagnostic::error("P0208", part.name.span, title)
                    .also(structure.span, "the structure is declared here")
                    .did_you_mean(closest(&part.name.name, names))
                    .emit(self.diagnostics);
                return None;
            };
            found.kind = field.kind;
            found.offset = found.offset.saturating_add(field.offset);
            self.index(&mut found, part, field.length);
        }
        Some(found)
    }

    pub(super) fn index(&mut self, found: &mut Found, part: &ast::PlacePart, length: Option<u32>) {
        let stride = self.bytes_of(found.kind);
        match (length, &part.index) {
            (None, None) => {}
            (None, Some(index)) => {
                // SPIN takes `x[0]` for `x`.
                if self.expr(index).constant() != Some(0) {
                    Diagnostic::error(
                        "P0207",
                        part.name.span,
                        format!("`{}` is not an array", part.name.name),
                    )
                    .help("leave the index out, or declare it as an array")
                    .emit(self.diagnostics);
                }
            }
            (Some(_), None) => {
                Diagnostic::error("P0207", part.name.span, format!("`{}` is an array", part.name.name))
                    .help(format!("write `{}[0]` for its first element", part.name.name))
                    .emit(self.diagnostics);
            }
            (Some(length), Some(index)) => {
                let value = self.expr(index);
                match value.constant().map(u32::try_from) {
                    Some(Ok(constant)) if constant < length => {
                        let more = constant.saturating_mul(stride);
                        found.offset = found.offset.saturating_add(more);
                    }
                    _ => found.indices.push(Index { value, stride, length }),
                }
            }
        }
    }

    fn unknown_name(&mut self, name: &Ident) {
        if self.diagnostics.is_full() {
            return;
        }
        let mut names = self.scopes.names();
        names.extend(PREDEFINED);
        names.extend([
            "break", "skip", "else", "timeout", "true", "false", "goto", "assert", "printf", "atomic",
        ]);
        let mut mtypes: Vec<&str> = self.mtypes.keys().map(|name| &**name).collect();
        mtypes.sort_unstable();
        names.extend(mtypes);
        let close = closest(&name.name, names).map(str::to_owned);
        let mut diagnostic = Diagnostic::error("P0201", name.span, format!("unknown name `{}`", name.name));
        diagnostic = if self.signatures.contains_key(&name.name) {
            diagnostic
                .label("this is a proctype")
                .help(format!("`run {}(…)` creates a process of this type", name.name))
        } else {
            diagnostic.label("not a variable, symbolic name or statement")
        };
        if let Some(close) = close {
            diagnostic = diagnostic.help(format!("did you mean `{close}`?"));
        } else if looks_like_macro(&name.name) && !self.signatures.contains_key(&name.name) {
            let name = &name.name;
            diagnostic = diagnostic.help(format!(
                "if it is a macro, write `#define {name} …` above, or give it with `-D {name}=…`"
            ));
        }
        self.diagnostics.push(diagnostic);
    }

    pub(super) fn signature(&mut self, process: &Ident) -> Option<super::Signature> {
        let signature = self.signatures.get(&process.name).cloned();
        if signature.is_none() && !self.diagnostics.is_full() {
            let mut names: Vec<&str> = self.signatures.keys().map(|name| &**name).collect();
            names.sort_unstable();
            let title = format!("unknown proctype `{}`", process.name);
            Diagnostic::error("P0204", process.span, title)
                .did_you_mean(closest(&process.name, names))
                .emit(self.diagnostics);
        }
        signature
    }

    /// Lowers `run`: what it creates, and with which arguments.
    pub(super) fn run(
        &mut self,
        name: &Ident,
        arguments: &[ast::Expr],
        priority: Option<i32>,
        span: Span,
    ) -> Option<narrows_model::Run> {
        self.system.has_priorities |= priority.is_some();
        let signature = self.signature(name)?;
        let lowered = self.arguments(arguments);
        self.runs.push((signature.id, lowered.len(), span, name.clone()));
        let priority = Self::priority_of(priority);
        Some(narrows_model::Run { proctype: signature.id, arguments: lowered, priority, span })
    }

    /// Returns the set of symbolic names that an expression's values are from.
    pub(super) fn mtype_of(&self, expr: &ast::Expr) -> u16 {
        let ExprKind::Place(place) = &expr.kind else { return 0 };
        let name = &place.parts[0].name.name;
        if let Some((set, _, _)) = self.mtypes.get(name) {
            return *set;
        }
        match self.scopes.find(name).map(|variable| variable.kind) {
            Some(Type::Scalar(Scalar::Mtype(set))) => set,
            _ => 0,
        }
    }
}
