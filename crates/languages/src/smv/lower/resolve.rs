//! What names mean.

use std::rc::Rc;

use narrows_model::synchronous::{ExprId, Hazard, HazardKind, Node, Operator, SynchronousSystem, VariableId};
use narrows_source::{Diagnostic, Span, closest};
use rustc_hash::FxHashSet;

use super::scopes::{DefineState, ScopeId, Symbol};
use super::sorts::Sort;
use super::wide_words::is_wide;
use super::{Lowering, Typed};
use crate::smv::ast::{ExprKind, Id, Ident};

/// A definition tells of so many hazards one by one.
const MAX_HAZARDS: usize = 64;

/// What a path of names leads to.
#[derive(Clone, Debug)]
pub(super) enum Resolved {
    Value(Typed),
    Instance(ScopeId),
    Array(i128, Rc<[Symbol]>),
    /// The beginning of names that look like paths, in an instance.
    Prefix(ScopeId, String),
}

/// What a path of names stands for, before any value is computed.
enum Found {
    Symbol(Symbol),
    /// What is given for a parameter, and where.
    Argument(Id, ScopeId),
}

impl Lowering<'_> {
    /// Lowers an expression to a value or a set.
    pub(super) fn value(&mut self, expr: Id, scope: ScopeId) -> Option<Typed> {
        match self.resolve(expr, scope)? {
            Resolved::Value(typed) => Some(typed),
            // A symbol may have the name of an instance, which is no value.
            Resolved::Instance(_) if self.symbol_named(expr).is_some() => self.symbol_named(expr),
            Resolved::Prefix(home, name) => {
                self.unknown(&name.into(), home, self.tree.span(expr));
                None
            }
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
        if let Some(whole) = self.whole_name(expr, scope) {
            return self.symbol_value(&whole, span);
        }
        match &self.tree.expr(expr).kind {
            ExprKind::Name(name) => self.named(name, scope, span),
            ExprKind::Own => Some(Resolved::Instance(scope)),
            ExprKind::Dot(left, part) => match self.resolve(*left, scope)? {
                Resolved::Instance(inner) => self.part(inner, part, span),
                Resolved::Prefix(home, path) => self.prefixed(home, format!("{path}.{}", part.name), span),
                _ => {
                    self.no_part(part, *left);
                    None
                }
            },
            ExprKind::Index(left, index) => self.element(*left, *index, scope),
            _ => self.compute(expr, scope).map(Resolved::Value),
        }
    }

    /// Returns what a path is that is declared as one name, such as `p.state`, or is a symbol.
    fn whole_name(&mut self, expr: Id, scope: ScopeId) -> Option<Symbol> {
        let here = &self.scopes[scope.0];
        let is_path = matches!(self.tree.expr(expr).kind, ExprKind::Dot(..) | ExprKind::Index(..));
        if !is_path || (here.prefixes.is_empty() && !self.has_dotted_symbols) {
            return None;
        }
        let name = self.tree.flat_name(expr)?;
        if let Some((symbol, _)) = here.symbols.get(name.as_str()) {
            return Some(symbol.clone());
        }
        let first = &name[..name.find(['.', '['])?];
        let is_known = here.symbols.contains_key(first) || here.parameters.contains_key(first);
        if is_known || !self.symbols.contains_key(name.as_str()) {
            return None;
        }
        let value = self.symbol(&name.into());
        let id = self.builder.constant(value);
        Some(Symbol::Value(Typed { id, sort: Sort::Symbol, is_set: false }))
    }

    /// Goes on with a name that looks like a path.
    fn prefixed(&mut self, home: ScopeId, name: String, span: Span) -> Option<Resolved> {
        let scope = &self.scopes[home.0];
        if let Some((symbol, _)) = scope.symbols.get(name.as_str()).cloned() {
            return self.symbol_value(&symbol, span);
        }
        if scope.prefixes.contains(name.as_str()) {
            return Some(Resolved::Prefix(home, name));
        }
        self.unknown(&name.into(), home, span);
        None
    }

    /// Finds what a path stands for without computing anything, and without a word if there is nothing.
    fn found(&self, expr: Id, scope: ScopeId) -> Option<Found> {
        let here = &self.scopes[scope.0];
        if !here.prefixes.is_empty()
            && let Some((symbol, _)) =
                self.tree.flat_name(expr).and_then(|name| here.symbols.get(name.as_str()))
        {
            return Some(Found::Symbol(symbol.clone()));
        }
        let within = |scope: ScopeId, name: &Rc<str>| {
            let here = &self.scopes[scope.0];
            match (here.symbols.get(name), here.parameters.get(name)) {
                (Some((symbol, _)), _) => Some(Found::Symbol(symbol.clone())),
                (None, Some((argument, outer))) => {
                    self.found(*argument, *outer).or(Some(Found::Argument(*argument, *outer)))
                }
                _ => None,
            }
        };
        match &self.tree.expr(expr).kind {
            ExprKind::Own => Some(Found::Symbol(Symbol::Instance(scope))),
            ExprKind::Name(name) => within(scope, name),
            ExprKind::Dot(left, part) => within(self.locate(*left, scope)?, &part.name),
            ExprKind::Index(left, index) => match self.found(*left, scope)? {
                Found::Symbol(Symbol::Array(low, elements)) => {
                    let at = usize::try_from(self.tree.number(*index)? - low).ok()?;
                    elements.get(at).cloned().map(Found::Symbol)
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the instance that a path names.
    pub(super) fn locate(&self, expr: Id, scope: ScopeId) -> Option<ScopeId> {
        match self.found(expr, scope)? {
            Found::Symbol(Symbol::Instance(instance)) => Some(instance),
            _ => None,
        }
    }

    /// Returns the definitions that an expression needs and that have not been looked at.
    fn needed(&self, expr: Id, scope: ScopeId) -> Vec<(usize, Span)> {
        let mut needed = Vec::new();
        let mut waiting = vec![(expr, scope)];
        while let Some((expr, scope)) = waiting.pop() {
            match self.found(expr, scope) {
                Some(Found::Symbol(symbol)) => {
                    let mut symbols = vec![symbol];
                    while let Some(symbol) = symbols.pop() {
                        match symbol {
                            Symbol::Define(index) => needed.push((index, self.tree.span(expr))),
                            Symbol::Array(_, elements) => symbols.extend(elements.iter().cloned()),
                            _ => {}
                        }
                    }
                }
                Some(Found::Argument(argument, outer)) => {
                    let operands = self.tree.expr(argument).kind.operands();
                    waiting.extend(operands.into_iter().map(|operand| (operand, outer)));
                }
                None => {
                    let operands = self.tree.expr(expr).kind.operands();
                    waiting.extend(operands.into_iter().map(|operand| (operand, scope)));
                }
            }
        }
        needed.retain(|(index, _)| matches!(self.defines[*index].state, DefineState::Fresh));
        needed
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
        if self.scopes[scope.0].prefixes.contains(name) {
            return Some(Resolved::Prefix(scope, name.to_string()));
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
        if self.scopes[scope.0].prefixes.contains(&part.name) {
            return Some(Resolved::Prefix(scope, part.name.to_string()));
        }
        let module = &self.tree.modules[self.scopes[scope.0].modules[0]].name;
        let title = format!("module `{}` has no `{}`", module.name, part.name);
        let diagnostic = Diagnostic::error("V0201", part.span, title)
            .also(module.span, "the module is declared here")
            .did_you_mean(self.similar(&part.name, scope, false).as_deref());
        self.report(diagnostic);
        None
    }

    pub(super) fn no_part(&mut self, part: &Ident, left: Id) {
        let title = format!("what stands before `.{}` has no parts", part.name);
        let diagnostic = Diagnostic::error("V0201", part.span, title)
            .also(self.tree.span(left), "this is not an instance of a module");
        self.report(diagnostic);
    }

    fn symbol_value(&mut self, symbol: &Symbol, span: Span) -> Option<Resolved> {
        match symbol {
            Symbol::Variable(id, sort) => {
                let id = self.builder.current(*id);
                Some(Resolved::Value(Typed { id, sort: *sort, is_set: false }))
            }
            Symbol::Wide(limbs, sort) => Some(Resolved::Value(self.wide_variable(limbs, *sort))),
            Symbol::Define(index) => self.define_value(*index, span).map(Resolved::Value),
            Symbol::Instance(scope) => Some(Resolved::Instance(*scope)),
            Symbol::Array(low, elements) => Some(Resolved::Array(*low, Rc::clone(elements))),
            Symbol::Value(typed) => Some(Resolved::Value(*typed)),
            Symbol::Broken => None,
        }
    }

    /// Returns the value of a definition, with what must not be where it is used.
    pub(super) fn define_value(&mut self, index: usize, used: Span) -> Option<Typed> {
        // Those it is built on come first: they may be built on each other by the thousand.
        let mut waiting = vec![index];
        let mut seen = FxHashSet::default();
        while let Some(last) = waiting.last().copied() {
            if matches!(self.defines[last].state, DefineState::Fresh) && seen.insert(last) {
                let define = &self.defines[last];
                let needed = self.needed(define.value, define.scope);
                if let Some((_, used)) = needed.iter().find(|(other, _)| *other == index) {
                    self.needs_itself(index, *used);
                    self.defines[index].state = DefineState::Broken;
                    return None;
                }
                waiting.extend(needed.into_iter().map(|(other, _)| other));
            } else {
                waiting.pop();
                if last != index {
                    self.lower_define(last, used);
                }
            }
        }
        self.lower_define(index, used);
        match &self.defines[index].state {
            DefineState::Done(typed, hazards) => {
                let typed = *typed;
                for hazard in hazards.clone() {
                    self.hazard(hazard.condition, hazard.kind, hazard.span);
                }
                Some(typed)
            }
            _ => None,
        }
    }

    /// Lowers a definition, unless that has been done.
    fn lower_define(&mut self, index: usize, used: Span) {
        match &self.defines[index].state {
            DefineState::Done(..) | DefineState::Broken => return,
            DefineState::Busy => {
                self.needs_itself(index, used);
                return;
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
        self.defines[index].state = match typed {
            Some(typed) => DefineState::Done(typed, self.merged(hazards)),
            None => DefineState::Broken,
        };
    }

    fn needs_itself(&mut self, index: usize, used: Span) {
        let name = self.defines[index].name.clone();
        let title = format!("the definition of `{}` needs itself", name.name);
        let diagnostic = Diagnostic::error("V0207", name.span, title)
            .label("this can't be computed")
            .also(used, "its value is needed here");
        self.report(diagnostic);
    }

    /// Puts hazards together where there are many: each is told again wherever a definition is used.
    fn merged(&mut self, hazards: Vec<Hazard>) -> Vec<Hazard> {
        if hazards.len() <= MAX_HAZARDS {
            return hazards;
        }
        let mut merged: Vec<Hazard> = Vec::new();
        for hazard in hazards {
            match merged.iter_mut().find(|other| other.kind == hazard.kind) {
                Some(other) => other.condition = self.builder.or(other.condition, hazard.condition),
                None => merged.push(hazard),
            }
        }
        merged
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
                if let Some(value) = self.builder.constant_value(position) {
                    if let Some(element) = usize::try_from(value - low).ok().and_then(|at| elements.get(at)) {
                        return self.symbol_value(&element.clone(), self.tree.span(left));
                    }
                    let title = format!("the array has no element {value}");
                    let high = low + elements.len() as i128 - 1;
                    let label = format!("its elements are {low} to {high}");
                    self.report(Diagnostic::error("V0215", self.tree.span(index), title).label(label));
                    return None;
                }
                let chosen = self.chosen(low, &elements, position, left, index)?;
                let high = low + elements.len() as i128 - 1;
                if !matches!(self.interval(position), Some((least, most)) if least >= low && most <= high) {
                    let (first, last) = (self.builder.constant(low), self.builder.constant(high));
                    let below = self.builder.binary(Operator::Less, position, first);
                    let above = self.builder.binary(Operator::Less, last, position);
                    let outside = self.builder.or(below, above);
                    self.hazard(outside, HazardKind::Index, self.tree.span(index));
                }
                Some(chosen)
            }
            Resolved::Prefix(home, path) => {
                let value = self.constant(index, scope)?;
                self.prefixed(home, format!("{path}[{value}]"), self.tree.span(left))
            }
            Resolved::Value(word @ Typed { sort: Sort::Word { width, .. }, is_set: false, .. }) => {
                let position = self.constant(index, scope)?;
                self.bits(word, width, (position, position), left).map(Resolved::Value)
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
        let mut parts = Vec::new();
        for element in elements {
            parts.push(self.symbol_value(&element.clone(), span)?);
        }
        // Of arrays in an array: element by element.
        if let Some(Resolved::Array(first, inner)) = parts.first() {
            let (first, length) = (*first, inner.len());
            let mut rows = Vec::new();
            for part in &parts {
                match part {
                    Resolved::Array(other, row) if *other == first && row.len() == length => rows.push(row),
                    _ => return self.not_alike(index),
                }
            }
            let mut columns = Vec::new();
            for place in 0..length {
                let column: Vec<Symbol> = rows.iter().map(|row| row[place].clone()).collect();
                columns.push(match self.chosen(low, &column, position, left, index)? {
                    Resolved::Array(low, elements) => Symbol::Array(low, elements),
                    Resolved::Value(typed) => Symbol::Value(typed),
                    _ => return self.not_alike(index),
                });
            }
            return Some(Resolved::Array(first, columns.into()));
        }
        let mut result: Option<Typed> = None;
        for (number, part) in parts.iter().enumerate().rev() {
            let Resolved::Value(value) = part else { return self.not_alike(index) };
            result = Some(match result {
                None => *value,
                Some(other) => {
                    let sort = self.join(value.sort, other.sort, span)?;
                    let at = self.builder.constant(low + number as i128);
                    let here = self.builder.equal(position, at);
                    let id = self.choose(here, *value, other);
                    Typed { id, sort, is_set: value.is_set || other.is_set }
                }
            });
        }
        result.map(Resolved::Value)
    }

    fn not_alike(&mut self, index: Id) -> Option<Resolved> {
        let diagnostic = Diagnostic::error("V0209", self.tree.span(index), "this index is not a constant")
            .label("elements that are not plain values are chosen by constants");
        self.report(diagnostic);
        None
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

    /// Returns the variable that an expression names; of a wide word, all of its limbs.
    pub(super) fn target(&mut self, expr: Id, scope: ScopeId) -> Option<(Vec<VariableId>, Sort)> {
        let typed = self.value(expr, scope)?;
        let limbs = if is_wide(typed.sort) { self.limbs_of(typed) } else { vec![typed.id] };
        let variable = |limb: &ExprId| match self.builder.system.node(*limb) {
            Node::Current(variable) => Some(*variable),
            _ => None,
        };
        if let Some(variables) = limbs.iter().map(variable).collect() {
            return Some((variables, typed.sort));
        }
        let node = self.builder.system.node(typed.id);
        let is_symbol = matches!(node, Node::Constant(value) if *value >= SynchronousSystem::SYMBOLS);
        let what = if is_symbol { "a symbol" } else { "no variable" };
        let title = format!("`{}` can't be assigned", self.text(expr));
        self.report(Diagnostic::error("V0214", self.tree.span(expr), title).label(format!("this is {what}")));
        None
    }
}
