//! Instances of modules: what each name means in each of them.

use std::rc::Rc;

use narrows_model::synchronous::{Display, Domain, Role, SynchronousSystem, Variable, VariableId};
use narrows_source::{Diagnostic, Span, closest};
use rustc_hash::{FxHashMap, FxHashSet};

use super::sorts::Sort;
use super::wide_words::{LIMB, is_wide, limb_widths};
use super::{Lowering, Typed};
use narrows_model::synchronous::Hazard;

use crate::smv::ast::{ExprKind, Id, Ident, Item, Section, Type, TypeKind};

/// Names one of the instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ScopeId(pub(super) usize);

/// An instance of a module.
#[derive(Debug)]
pub(super) struct Scope {
    /// Its module, and those that are included there.
    pub(super) modules: Vec<usize>,
    /// What stands before the names of its variables.
    pub(super) prefix: String,
    pub(super) parameters: FxHashMap<Rc<str>, (Id, ScopeId)>,
    pub(super) symbols: FxHashMap<Rc<str>, (Symbol, Span)>,
    /// What names that look like paths begin with: `p` and `p.q`, if there is a `p.q.r`.
    pub(super) prefixes: FxHashSet<Rc<str>>,
    /// The number of the process it belongs to.
    pub(super) process: usize,
    /// The modules it is within.
    within: Vec<usize>,
}

/// What a name means.
#[derive(Clone, Debug)]
pub(super) enum Symbol {
    Variable(VariableId, Sort),
    /// A wide word, limb by limb, or an array whose indices are words.
    Wide(Rc<[VariableId]>, Sort),
    Define(usize),
    Instance(ScopeId),
    /// The first index, and the elements.
    Array(i128, Rc<[Symbol]>),
    /// An element that an index chooses.
    Value(Typed),
    /// Its declaration is wrong, and that has been said.
    Broken,
}

/// A definition.
#[derive(Debug)]
pub(super) struct Define {
    pub(super) name: Ident,
    /// Where the name is known.
    pub(super) home: ScopeId,
    /// Where its value is written.
    pub(super) scope: ScopeId,
    pub(super) value: Id,
    pub(super) state: DefineState,
}

#[derive(Debug)]
pub(super) enum DefineState {
    Fresh,
    Busy,
    Done(Typed, Vec<Hazard>),
    Broken,
}

/// At most this many instances and elements of arrays.
const MAX_INSTANCES: usize = 200_000;
/// Instances can be within each other this deeply.
const MAX_NESTING: usize = 200;

impl Lowering<'_> {
    /// Makes every instance, from `main` on. `None` if there is no such module.
    pub(super) fn instantiate_all(&mut self) -> Option<ScopeId> {
        for (index, module) in self.tree.modules.iter().enumerate() {
            if let Some(first) = self.modules.get(&module.name.name) {
                let first = self.tree.modules[*first].name.span;
                self.twice(&module.name, first);
            } else {
                self.modules.insert(module.name.name.clone(), index);
            }
        }
        self.declare_constants();
        let Some(main) = self.modules.get("main").copied() else {
            let span = self.tree.modules.first().map(|module| module.name.span).unwrap_or_default();
            let names = self.tree.modules.iter().map(|module| &*module.name.name);
            let mut diagnostic = Diagnostic::error("V0200", span, "there is no module `main`");
            if let Some(near) = closest("main", names) {
                diagnostic = diagnostic.help(format!("did you mean `main` by `{near}`?"));
            }
            self.report(diagnostic.note("`main` is the module that everything else is part of"));
            return None;
        };
        let module = &self.tree.modules[main];
        if let Some(first) = module.parameters.first() {
            let title = "`main` has parameters, and nobody gives them";
            self.report(Diagnostic::error("V0204", first.span, title));
        }
        let scope = Scope {
            modules: vec![main],
            prefix: String::new(),
            parameters: FxHashMap::default(),
            symbols: FxHashMap::default(),
            prefixes: FxHashSet::default(),
            process: 0,
            within: vec![main],
        };
        self.scopes.push(scope);
        self.declare(ScopeId(0));
        if self.processes.len() > 1 {
            self.add_selector();
        }
        self.define_within();
        self.collisions();
        Some(ScopeId(0))
    }

    /// Reports names of `main` that are symbols as well: nobody could say which is meant.
    #[expect(clippy::iter_over_hash_type, reason = "what is found is sorted by its place")]
    fn collisions(&mut self) {
        let mut found: Vec<(Ident, Span)> = Vec::new();
        for (name, (symbol, span)) in &self.scopes[0].symbols {
            if let (Some(first), false) = (self.symbol_spans.get(name), matches!(symbol, Symbol::Instance(_)))
            {
                found.push((Ident { name: name.clone(), span: *span }, *first));
            }
        }
        found.sort_by_key(|(name, _)| name.span.start);
        for (name, first) in found {
            let title = format!("`{}` is a symbol and something else as well", name.name);
            let diagnostic = Diagnostic::error("V0202", name.span, title)
                .label("declared again")
                .also(first, "here it is a symbol")
                .help("give one of them another name");
            self.report(diagnostic);
        }
    }

    /// Enters definitions of names in other instances than the one they are written in.
    fn define_within(&mut self) {
        for (scope, item) in self.items() {
            let Item::DefineWithin(instance, name, value) = item else { continue };
            match (self.locate(*instance, scope), self.tree.flat_name(*instance)) {
                (Some(home), _) => self.define(home, scope, name, *value),
                (None, Some(path)) => {
                    let whole = Ident { name: format!("{path}.{}", name.name).into(), span: name.span };
                    self.define(scope, scope, &whole, *value);
                }
                (None, None) => self.no_part(name, *instance),
            }
        }
    }

    /// Enters a definition: where it is known, and where its value is written.
    fn define(&mut self, home: ScopeId, scope: ScopeId, name: &Ident, value: Id) {
        let symbol = self.defined(home, scope, name, value);
        self.enter(home, name, symbol);
    }

    /// Makes a definition; of an array, one for each element.
    fn defined(&mut self, home: ScopeId, scope: ScopeId, name: &Ident, value: Id) -> Symbol {
        if let ExprKind::List(elements) = &self.tree.expr(value).kind {
            let numbered = elements.iter().enumerate();
            let elements: Vec<Symbol> = numbered
                .map(|(index, element)| {
                    let name = Ident { name: format!("{}[{index}]", name.name).into(), span: name.span };
                    self.defined(home, scope, &name, *element)
                })
                .collect();
            return Symbol::Array(0, elements.into());
        }
        let state = DefineState::Fresh;
        self.defines.push(Define { name: name.clone(), home, scope, value, state });
        Symbol::Define(self.defines.len() - 1)
    }

    /// Makes symbols known before anything can look for them.
    fn declare_constants(&mut self) {
        for module in &self.tree.modules {
            for item in &module.items {
                if let Item::Constants(names) = item {
                    for name in names {
                        self.symbol(&name.name.clone());
                        self.symbol_spans.entry(name.name.clone()).or_insert(name.span);
                    }
                }
            }
        }
    }

    /// Returns the value of a symbol.
    pub(super) fn symbol(&mut self, name: &Rc<str>) -> i128 {
        let next = self.builder.system.symbols.len();
        let number = *self.symbols.entry(name.clone()).or_insert(next);
        if number == next {
            self.has_dotted_symbols |= name.contains('.');
            self.builder.system.symbols.push(name.to_string());
        }
        SynchronousSystem::SYMBOLS + number as i128
    }

    fn add_selector(&mut self) {
        let names: Vec<Rc<str>> = self.processes.iter().map(|name| name.as_str().into()).collect();
        let values = names.iter().map(|name| self.symbol(name)).collect();
        let variable = Variable {
            name: "_process_selector_".to_owned(),
            domain: Domain::Values(values),
            display: Display::Plain,
            role: Role::Input,
            span: Span::default(),
        };
        self.selector = Some(VariableId(self.builder.system.variables.len() as u32));
        self.builder.system.variables.push(variable);
    }

    fn twice(&mut self, name: &Ident, first: Span) {
        let diagnostic = Diagnostic::error("V0202", name.span, format!("`{}` is declared twice", name.name))
            .label("declared again")
            .also(first, "first declared here");
        self.report(diagnostic);
    }

    /// Declares what a module has in an instance: definitions first, as types may use them.
    fn declare(&mut self, id: ScopeId) {
        let mut next = 0;
        while next < self.scopes[id.0].modules.len() {
            let module = self.scopes[id.0].modules[next];
            next += 1;
            for item in &self.tree.modules[module].items {
                match item {
                    Item::Define(name, value) => self.define(id, id, name, *value),
                    Item::Include(name) => {
                        if let Some(module) = self.find_module(name)
                            && !self.scopes[id.0].modules.contains(&module)
                        {
                            self.scopes[id.0].modules.push(module);
                        }
                    }
                    _ => {}
                }
            }
        }
        for module in self.scopes[id.0].modules.clone() {
            for item in &self.tree.modules[module].items {
                if let Item::Variable(section, name, kind) = item {
                    let whole = format!("{}{}", self.scopes[id.0].prefix, name.name);
                    let symbol = self.declared(id, *section, &whole, name, kind);
                    self.enter(id, name, symbol);
                }
            }
        }
    }

    fn enter(&mut self, id: ScopeId, name: &Ident, symbol: Symbol) {
        let scope = &self.scopes[id.0];
        let parameter = scope.modules.iter().find_map(|module| {
            let parameters = &self.tree.modules[*module].parameters;
            parameters.iter().find(|parameter| parameter.name == name.name)
        });
        let first = parameter.map(|ident| ident.span).or(scope.symbols.get(&name.name).map(|known| known.1));
        match first {
            Some(first) => self.twice(name, first),
            None => {
                let scope = &mut self.scopes[id.0];
                scope.symbols.insert(name.name.clone(), (symbol, name.span));
                let ends = name.name.match_indices(['.', '[']).map(|(end, _)| &name.name[..end]);
                scope.prefixes.extend(ends.map(Rc::from));
            }
        }
    }

    pub(super) fn declared(
        &mut self,
        id: ScopeId,
        section: Section,
        whole: &str,
        name: &Ident,
        kind: &Type,
    ) -> Symbol {
        let symbol = match &kind.kind {
            TypeKind::Instance { module, arguments, is_process } => {
                self.instance(id, whole, module, arguments, *is_process)
            }
            TypeKind::Array(low, high, element) => {
                self.array(id, section, whole, name, (*low, *high), element)
            }
            TypeKind::Memory(index, element) => {
                self.memory_declared(id, section, (whole, name), *index, element)
            }
            _ => self.simple_type(kind, id).map(|(domain, sort)| {
                let role = match section {
                    Section::State => Role::State,
                    Section::Input => Role::Input,
                    Section::Frozen => Role::Frozen,
                };
                if is_wide(sort) {
                    return self.wide_declared(whole, sort, role, name);
                }
                let display = sort.display();
                let variable = Variable { name: whole.to_owned(), domain, display, role, span: name.span };
                self.builder.system.variables.push(variable);
                Symbol::Variable(VariableId(self.builder.system.variables.len() as u32 - 1), sort)
            }),
        };
        symbol.unwrap_or(Symbol::Broken)
    }

    /// Declares a wide word as a variable for each limb, named by its bits.
    fn wide_declared(&mut self, whole: &str, sort: Sort, role: Role, name: &Ident) -> Symbol {
        let Sort::Word { width, .. } = sort else { return Symbol::Broken };
        let mut limbs = Vec::new();
        for (place, bits) in limb_widths(width).enumerate() {
            let low = place as u32 * LIMB;
            limbs.push(VariableId(self.builder.system.variables.len() as u32));
            self.builder.system.variables.push(Variable {
                name: format!("{whole}[{}:{low}]", low + bits - 1),
                domain: Domain::Range(0, (1 << bits) - 1),
                display: Display::Unsigned(bits),
                role,
                span: name.span,
            });
        }
        Symbol::Wide(limbs.into(), sort)
    }

    fn array(
        &mut self,
        id: ScopeId,
        section: Section,
        whole: &str,
        name: &Ident,
        bounds: (Id, Id),
        element: &Type,
    ) -> Option<Symbol> {
        let (low, high) = (self.constant(bounds.0, id)?, self.constant(bounds.1, id)?);
        let span = self.tree.span(bounds.0).to(self.tree.span(bounds.1));
        if high < low || high - low >= MAX_INSTANCES as i128 {
            let title = "an array has at least one element, and not too many";
            self.report(Diagnostic::error("V0210", span, title).label(format!("from {low} to {high}")));
            return None;
        }
        let mut elements = Vec::new();
        for index in low..=high {
            if self.builder.system.variables.len() >= MAX_INSTANCES {
                let title = "there are too many elements of arrays";
                let label = format!("more than {MAX_INSTANCES} variables");
                self.report(Diagnostic::error("V0210", span, title).label(label));
                return None;
            }
            match self.declared(id, section, &format!("{whole}[{index}]"), name, element) {
                // It is the same for all of them.
                Symbol::Broken => return None,
                symbol => elements.push(symbol),
            }
        }
        Some(Symbol::Array(low, elements.into()))
    }

    fn find_module(&mut self, name: &Ident) -> Option<usize> {
        if let Some(module) = self.modules.get(&name.name) {
            return Some(*module);
        }
        let title = format!("unknown module `{}`", name.name);
        let diagnostic = Diagnostic::error("V0203", name.span, title)
            .label("there is no such module")
            .did_you_mean(closest(&name.name, self.tree.modules.iter().map(|module| &*module.name.name)));
        self.report(diagnostic);
        None
    }

    fn instance(
        &mut self,
        outer: ScopeId,
        whole: &str,
        name: &Ident,
        arguments: &[Id],
        is_process: bool,
    ) -> Option<Symbol> {
        let module = self.find_module(name)?;
        let declared = &self.tree.modules[module];
        let mut within = self.scopes[outer.0].within.clone();
        if within.contains(&module) || within.len() >= MAX_NESTING {
            let title = format!("module `{}` is part of itself", declared.name.name);
            let diagnostic = Diagnostic::error("V0205", name.span, title)
                .label("this instance would have no end")
                .also(declared.name.span, "the module");
            self.report(diagnostic);
            return None;
        }
        within.push(module);
        if declared.parameters.len() != arguments.len() {
            let (takes, gets) = (declared.parameters.len(), arguments.len());
            let title = format!("`{}` takes {takes} arguments, but gets {gets}", declared.name.name);
            let diagnostic =
                Diagnostic::error("V0204", name.span, title).also(declared.name.span, "it is declared here");
            self.report(diagnostic);
            return None;
        }
        if self.scopes.len() >= MAX_INSTANCES {
            let title = "there are too many instances of modules";
            self.report(
                Diagnostic::error("V0210", name.span, title).label(format!("more than {MAX_INSTANCES}")),
            );
            return None;
        }
        let names = declared.parameters.iter().map(|parameter| parameter.name.clone());
        let parameters = names.zip(arguments.iter().map(|argument| (*argument, outer))).collect();
        let process = if is_process {
            self.processes.push(whole.to_owned());
            self.processes.len() - 1
        } else {
            self.scopes[outer.0].process
        };
        let id = ScopeId(self.scopes.len());
        self.scopes.push(Scope {
            modules: vec![module],
            prefix: format!("{whole}."),
            parameters,
            symbols: FxHashMap::default(),
            prefixes: FxHashSet::default(),
            process,
            within,
        });
        self.declare(id);
        Some(Symbol::Instance(id))
    }
}
