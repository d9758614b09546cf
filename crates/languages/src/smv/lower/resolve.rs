//! What names mean.

use std::rc::Rc;

use narrows_model::synchronous::{ExprId, HazardKind, Node, Operator, SynchronousSystem};
use narrows_source::{Diagnostic, Span, closest};

use super::scopes::{DefineState, ScopeId, Symbol};
use super::sorts::Sort;
use super::{Lowering, Typed};
use crate::smv::ast::{ExprKind, Id, Ident};

/// What a path of names leads to.
#[derive(Clone, Debug)]
pub(super) enum Resolved {
    Value(Typed),
    Instance(ScopeId),
    Array(i128, Rc<[Symbol]>),
}

impl Lowering<'_> {
    /// Lowers an expression to a value or a set.
    pub(super) fn value(&mut self, expr: Id, scope: ScopeId) -> Option<Typed> {
        match self.resolve(expr, scope)? {
            Resolved::Value(typed) => Some(typed),
            // A symbol may have the name of an instance, which is no value.
            Resolved::Instance(_) if self.symbol_named(expr).is_some() => self.symbol_named(expr),
            other => {
                let found = match other {
                    Resolved::Instance(_) => "an instance of a module",
                    _ => "an array",
                };
                self.mismatch(self.tree.span(expr), "a value", found, Some("name a variable within it"));
                None
            }
        }
    }

    /// Returns the symbol that an expression names, whatever else has that name.
    fn symbol_named(&mut self, expr: Id) -> Option<Typed> {
        let ExprKind::Name(name) = &self.tree.expr(expr).kind else { return None };
        if !self.symbols.contains_key(name) {
            return None;
        }
        let value = self.symbol(name);
        let id = self.builder.constant(value);
        Some(Typed { id, sort: Sort::Symbol, is_set: false })
    }

    /// Finds out what an expression is: a value, an instance or an array.
    pub(super) fn resolve(&mut self, expr: Id, scope: ScopeId) -> Option<Resolved> {
        let span = self.tree.span(expr);
        match &self.tree.expr(expr).kind {
            ExprKind::Name(name) => self.named(name, scope, span),
            ExprKind::Own => Some(Resolved::Instance(scope)),
            ExprKind::Dot(left, part) => match self.resolve(*left, scope)? {
                Resolved::Instance(inner) => self.part(inner, part, span),
                _ => {
                    self.no_part(part, *left);
                    None
                }
            },
            ExprKind::Index(left, index) => self.element(*left, *index, scope),
            _ => self.compute(expr, scope).map(Resolved::Value),
        }
    }

    fn named(&mut self, name: &Rc<str>, scope: ScopeId, span: Span) -> Option<Resolved> {
        if let Some((symbol, _)) = self.scopes[scope.0].symbols.get(name).cloned() {
            return self.symbol_value(&symbol, span);
        }
        if let Some((argument, outer)) = self.scopes[scope.0].parameters.get(name).copied() {
            return self.resolve(argument, outer);
        }
        if &**name == "running" {
            return Some(Resolved::Value(self.running(scope)));
        }
        if self.symbols.contains_key(name) {
            let value = self.symbol(name);
            let id = self.builder.constant(value);
            return Some(Resolved::Value(Typed { id, sort: Sort::Symbol, is_set: false }));
        }
        self.unknown(name, scope, span);
        None
    }

    /// Lowers a name after a dot: only what is declared there counts.
    fn part(&mut self, scope: ScopeId, part: &Ident, span: Span) -> Option<Resolved> {
        if let Some((symbol, _)) = self.scopes[scope.0].symbols.get(&part.name).cloned() {
            return self.symbol_value(&symbol, span);
        }
        if let Some((argument, outer)) = self.scopes[scope.0].parameters.get(&part.name).copied() {
            return self.resolve(argument, outer);
        }
        if &*part.name == "running" {
            return Some(Resolved::Value(self.running(scope)));
        }
        let module = &self.tree.modules[self.scopes[scope.0].modules[0]].name;
        let title = format!("module `{}` has no `{}`", module.name, part.name);
        let mut diagnostic =
            Diagnostic::error("V0201", part.span, title).also(module.span, "the module is declared here");
        if let Some(near) = self.similar(&part.name, scope, false) {
            diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
        }
        self.report(diagnostic);
        None
    }

    pub(super) fn no_part(&mut self, part: &Ident, left: Id) {
        let title = format!("what stands before `.{}` has no parts", part.name);
        let diagnostic = Diagnostic::error("V0201", part.span, title)
            .also(self.tree.span(left), "this is no instance of a module");
        self.report(diagnostic);
    }

    fn symbol_value(&mut self, symbol: &Symbol, span: Span) -> Option<Resolved> {
        match symbol {
            Symbol::Variable(id, sort) => {
                let id = self.builder.current(*id);
                Some(Resolved::Value(Typed { id, sort: *sort, is_set: false }))
            }
            Symbol::Define(index) => self.define_value(*index, span).map(Resolved::Value),
            Symbol::Instance(scope) => Some(Resolved::Instance(*scope)),
            Symbol::Array(low, elements) => Some(Resolved::Array(*low, Rc::clone(elements))),
            Symbol::Broken => None,
        }
    }

    /// Returns the value of a definition, with what must not be where it is used.
    pub(super) fn define_value(&mut self, index: usize, used: Span) -> Option<Typed> {
        match &self.defines[index].state {
            DefineState::Done(typed, hazards) => {
                let typed = *typed;
                for hazard in hazards.clone() {
                    self.hazard(hazard.condition, hazard.kind, hazard.span);
                }
                return Some(typed);
            }
            DefineState::Broken => return None,
            DefineState::Busy => {
                let name = self.defines[index].name.clone();
                let title = format!("the definition of `{}` needs itself", name.name);
                let diagnostic = Diagnostic::error("V0207", name.span, title)
                    .label("this can't be computed")
                    .also(used, "its value is needed here");
                self.report(diagnostic);
                return None;
            }
            DefineState::Fresh => {}
        }
        self.defines[index].state = DefineState::Busy;
        let (value, scope) = (self.defines[index].value, self.defines[index].scope);
        let guards = std::mem::take(&mut self.guards);
        let before = std::mem::take(&mut self.hazards);
        let is_temporal = self.tree.expr(value).is_temporal;
        let typed = if is_temporal {
            self.temporal_here(value);
            None
        } else {
            self.value(value, scope)
        };
        let hazards = std::mem::replace(&mut self.hazards, before);
        self.guards = guards;
        let Some(typed) = typed else {
            self.defines[index].state = DefineState::Broken;
            return None;
        };
        self.defines[index].state = DefineState::Done(typed, hazards);
        self.define_value(index, used)
    }

    fn running(&mut self, scope: ScopeId) -> Typed {
        let id = match self.selector {
            Some(selector) => {
                let name: Rc<str> = self.processes[self.scopes[scope.0].process].as_str().into();
                let value = self.symbol(&name);
                let (current, value) = (self.builder.current(selector), self.builder.constant(value));
                self.builder.equal(current, value)
            }
            // All of it moves in every step.
            None => self.builder.truth(true),
        };
        Typed { id, sort: Sort::Boolean, is_set: false }
    }

    fn element(&mut self, left: Id, index: Id, scope: ScopeId) -> Option<Resolved> {
        match self.resolve(left, scope)? {
            Resolved::Array(low, elements) => {
                let typed = self.value(index, scope)?;
                let position = self.number(typed, index)?;
                let high = low + elements.len() as i128 - 1;
                if let Some(value) = self.builder.constant_value(position) {
                    if let Some(element) = usize::try_from(value - low).ok().and_then(|at| elements.get(at)) {
                        return self.symbol_value(&element.clone(), self.tree.span(left));
                    }
                    let title = format!("the array has no element {value}");
                    let label = format!("its elements are {low} to {high}");
                    self.report(Diagnostic::error("V0215", self.tree.span(index), title).label(label));
                    return None;
                }
                self.chosen(low, &elements, position, left, index)
            }
            Resolved::Value(Typed { id, sort: Sort::Word { width, .. }, is_set: false }) => {
                let position = self.constant(index, scope)?;
                self.bits(id, width, (position, position), left).map(Resolved::Value)
            }
            _ => {
                let title = "this is not an array";
                let diagnostic = Diagnostic::error("V0215", self.tree.span(left), title)
                    .label("there is an index after it")
                    .help("leave the index out");
                self.report(diagnostic);
                None
            }
        }
    }

    /// Chooses among the elements of an array.
    fn chosen(
        &mut self,
        low: i128,
        elements: &[Symbol],
        position: ExprId,
        left: Id,
        index: Id,
    ) -> Option<Resolved> {
        let span = self.tree.span(left);
        let mut result: Option<Typed> = None;
        for (number, element) in elements.iter().enumerate().rev() {
            let Resolved::Value(value) = self.symbol_value(&element.clone(), span)? else {
                let diagnostic =
                    Diagnostic::error("V0209", self.tree.span(index), "this index is no constant")
                        .label("elements that are no plain values are chosen by constants");
                self.report(diagnostic);
                return None;
            };
            result = Some(match result {
                None => value,
                Some(other) => {
                    let sort = self.join(value.sort, other.sort, span)?;
                    let at = self.builder.constant(low + number as i128);
                    let here = self.builder.equal(position, at);
                    let id = self.builder.choose(here, value.id, other.id);
                    Typed { id, sort, is_set: value.is_set || other.is_set }
                }
            });
        }
        let high = low + elements.len() as i128 - 1;
        if !matches!(self.interval(position), Some((least, most)) if least >= low && most <= high) {
            let (first, last) = (self.builder.constant(low), self.builder.constant(high));
            let below = self.builder.binary(Operator::Less, position, first);
            let above = self.builder.binary(Operator::Less, last, position);
            let outside = self.builder.or(below, above);
            self.hazard(outside, HazardKind::Index, self.tree.span(index));
        }
        result.map(Resolved::Value)
    }

    fn unknown(&mut self, name: &Rc<str>, scope: ScopeId, span: Span) {
        let title = format!("unknown name `{name}`");
        let mut diagnostic = Diagnostic::error("V0201", span, title)
            .label("not a variable, definition, parameter or symbol of this module");
        let parts: Vec<&str> = name.split('-').collect();
        let is_known = |part: &str| {
            part.parse::<i64>().is_ok()
                || self.scopes[scope.0].symbols.contains_key(part)
                || self.scopes[scope.0].parameters.contains_key(part)
        };
        if parts.len() > 1 && parts.iter().all(|part| is_known(part)) {
            diagnostic = diagnostic
                .note("a name may hold a minus sign")
                .help(format!("for a difference, write `{}`", parts.join(" - ")));
        } else if let Some(near) = self.similar(name, scope, true) {
            diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
        } else if matches!(&**name, "true" | "false" | "True" | "False") {
            diagnostic = diagnostic.help(format!("did you mean `{}`?", name.to_uppercase()));
        }
        self.report(diagnostic);
    }

    /// Returns a name that differs little; with symbols, or without.
    fn similar(&self, name: &str, scope: ScopeId, with_symbols: bool) -> Option<String> {
        let scope = &self.scopes[scope.0];
        let mut names: Vec<&str> =
            scope.symbols.keys().chain(scope.parameters.keys()).map(|name| &**name).collect();
        if with_symbols {
            names.extend(self.builder.system.symbols.iter().map(String::as_str));
        }
        names.sort_unstable();
        closest(name, names).map(str::to_owned)
    }

    /// Returns the variable that an expression names.
    pub(super) fn target(
        &mut self,
        expr: Id,
        scope: ScopeId,
    ) -> Option<narrows_model::synchronous::VariableId> {
        let typed = self.value(expr, scope)?;
        if let Node::Current(variable) = self.builder.system.node(typed.id) {
            return Some(*variable);
        }
        let node = self.builder.system.node(typed.id);
        let is_symbol = matches!(node, Node::Constant(value) if *value >= SynchronousSystem::SYMBOLS);
        let what = if is_symbol { "a symbol" } else { "no variable" };
        let title = format!("`{}` can't be assigned", self.text(expr));
        self.report(Diagnostic::error("V0214", self.tree.span(expr), title).label(format!("this is {what}")));
        None
    }
}
