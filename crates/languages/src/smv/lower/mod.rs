//! The tree to a synchronous system: instances, names, types, constraints, formulas.
//!
//! `scopes.rs` creates the instances of modules, `resolve.rs` resolves names, `sorts.rs` checks types,
//! `memory.rs` has arrays whose indices are words,
//! `assignments.rs` combines assignments and finds circular ones, `formulas.rs` has the specifications.

mod assignments;
mod calls;
mod expressions;
mod formulas;
mod memory;
mod resolve;
mod scopes;
mod sorts;
mod types;
mod wide_words;

use std::rc::Rc;

use narrows_model::synchronous::{
    Builder, Definition, Display, ExprId, Hazard, HazardKind, Node, Role, VariableId,
};
use narrows_source::{Diagnostic, Diagnostics, Sources, Span};
use rustc_hash::FxHashMap;

use super::Compiled;
use super::ast::{ConstraintKind, Id, Item, SpecKind, Tree};
use scopes::{Define, Scope, ScopeId};
use sorts::Sort;
use wide_words::{LIMB, is_wide};

/// An expression and what it is.
#[derive(Clone, Copy, Debug)]
struct Typed {
    id: ExprId,
    sort: Sort,
    is_set: bool,
}

/// A number from a constant expression, and the place it stands.
type Bound = i128;

struct Lowering<'a> {
    tree: &'a Tree,
    sources: &'a Sources,
    diagnostics: &'a mut Diagnostics,
    builder: Builder,
    modules: FxHashMap<Rc<str>, usize>,
    scopes: Vec<Scope>,
    defines: Vec<Define>,
    /// Symbols by name, with their numbers.
    symbols: FxHashMap<Rc<str>, usize>,
    /// Where symbols are first written.
    symbol_spans: FxHashMap<Rc<str>, Span>,
    /// The names of the processes; `main` first. More than one, if there are processes at all.
    processes: Vec<String>,
    selector: Option<VariableId>,
    /// What holds where the expression at hand counts.
    guards: Vec<ExprId>,
    hazards: Vec<Hazard>,
    warned_of_numbers: bool,
    intervals: FxHashMap<ExprId, Option<(i128, i128)>>,
    /// Whether the name of a symbol has a dot.
    has_dotted_symbols: bool,
    /// What each expression looks at, as far as that was asked for.
    looks: Vec<Looks>,
}

/// What an expression looks at beside current values of the state.
#[derive(Clone, Copy, Debug, Default)]
struct Looks {
    next: bool,
    input: bool,
}

/// What is asked beside what the text asks, about `main`.
pub(super) struct Asked<'a> {
    pub(super) formulas: &'a [(SpecKind, Id)],
    /// Expressions about states.
    pub(super) expressions: &'a [Id],
    /// Expressions about steps.
    pub(super) steps: &'a [Id],
    /// Values of any kind.
    pub(super) values: &'a [Id],
}

/// Lowers a tree, with further formulas and expressions about `main`.
pub(super) fn lower(
    tree: &Tree,
    asked: &Asked<'_>,
    sources: &Sources,
    diagnostics: &mut Diagnostics,
) -> Option<Compiled> {
    let mut lowering = Lowering {
        tree,
        sources,
        diagnostics,
        builder: Builder::default(),
        modules: FxHashMap::default(),
        scopes: Vec::new(),
        defines: Vec::new(),
        symbols: FxHashMap::default(),
        symbol_spans: FxHashMap::default(),
        has_dotted_symbols: false,
        looks: Vec::new(),
        processes: vec!["main".to_owned()],
        selector: None,
        guards: Vec::new(),
        hazards: Vec::new(),
        warned_of_numbers: false,
        intervals: FxHashMap::default(),
    };
    let main = lowering.instantiate_all()?;
    lowering.constraints();
    lowering.assignments();
    lowering.definitions();
    lowering.specifications(main, asked.formulas);
    let hazards = std::mem::take(&mut lowering.hazards);
    let found = asked.expressions.iter().filter_map(|id| lowering.state_predicate(*id, main, "this"));
    let expressions: Vec<ExprId> = found.collect();
    let steps: Vec<ExprId> = asked.steps.iter().filter_map(|id| lowering.predicate(*id, main)).collect();
    let values = asked.values.iter().filter_map(|id| lowering.value(*id, main));
    let is_plain = |typed: &Typed| !typed.is_set && !is_wide(typed.sort);
    let values = values.map(|typed| is_plain(&typed).then(|| (typed.id, typed.sort.display()))).collect();
    if lowering.diagnostics.has_errors() {
        return None;
    }
    let mut system = lowering.builder.system;
    system.selector = lowering.selector;
    system.hazards = hazards;
    Some(Compiled { system, expressions, steps, values })
}

impl<'a> Lowering<'a> {
    /// Returns what an expression looks at. Each is looked at once: definitions may be built on each other by
    /// the thousand.
    fn looks(&mut self, id: ExprId) -> Looks {
        let system = &self.builder.system;
        for index in self.looks.len()..system.nodes.len() {
            let node = ExprId(index as u32);
            let mut found = Looks::default();
            match system.node(node) {
                Node::Current(variable) => found.input = system.variable(*variable).role == Role::Input,
                Node::Next(_) => found.next = true,
                _ => {
                    for operand in system.operands(node) {
                        let below = self.looks[operand.0 as usize];
                        found.next |= below.next;
                        found.input |= below.input;
                    }
                }
            }
            self.looks.push(found);
        }
        self.looks[id.0 as usize]
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Returns every item of every instance, with the instance.
    fn items(&self) -> Vec<(ScopeId, &'a Item)> {
        let mut list = Vec::new();
        for (index, scope) in self.scopes.iter().enumerate() {
            for module in &scope.modules {
                let items = &self.tree.modules[*module].items;
                list.extend(items.iter().map(|item| (ScopeId(index), item)));
            }
        }
        list
    }

    fn constraints(&mut self) {
        for (scope, item) in self.items() {
            match item {
                Item::Constraint(kind, expr) => self.constraint(*kind, *expr, scope),
                Item::Justice(expr) => {
                    if let Some(id) = self.predicate(*expr, scope)
                        && self.allows_no_next(id, *expr, "a fairness constraint")
                    {
                        self.builder.system.justice.push(id);
                    }
                }
                Item::Compassion(first, second) => {
                    let pair = (self.predicate(*first, scope), self.predicate(*second, scope));
                    if let (Some(p), Some(q)) = pair
                        && self.allows_no_next(p, *first, "a fairness constraint")
                        && self.allows_no_next(q, *second, "a fairness constraint")
                    {
                        self.builder.system.compassion.push((p, q));
                    }
                }
                _ => {}
            }
        }
    }

    fn constraint(&mut self, kind: ConstraintKind, expr: Id, scope: ScopeId) {
        use narrows_model::synchronous::{Constraint, Demand, Operator};
        let Some(id) = self.predicate(expr, scope) else { return };
        let what = match kind {
            ConstraintKind::Initial => "INIT",
            ConstraintKind::Invariant => "INVAR",
            ConstraintKind::Transition => "TRANS",
        };
        if kind != ConstraintKind::Transition
            && !(self.allows_no_next(id, expr, what) && self.allows_no_input(id, expr, what))
        {
            return;
        }
        // Each conjunct by itself: engines join them as it suits them.
        let mut conjuncts = Vec::new();
        let mut waiting = vec![id];
        while let Some(id) = waiting.pop() {
            match self.builder.system.node(id) {
                Node::Binary(Operator::And, left, right) => waiting.extend([*right, *left]),
                _ => conjuncts.push(id),
            }
        }
        let span = self.tree.span(expr);
        let system = &mut self.builder.system;
        let list = match kind {
            ConstraintKind::Initial => &mut system.initial,
            ConstraintKind::Invariant => &mut system.invariants,
            ConstraintKind::Transition => &mut system.transitions,
        };
        list.extend(conjuncts.into_iter().map(|id| Constraint { demand: Demand::Holds(id), span }));
    }

    /// Lowers every definition, also those that nobody uses: for runs, and for what is wrong in them.
    fn definitions(&mut self) {
        for index in 0..self.defines.len() {
            let before = self.hazards.len();
            let value = self.define_value(index, self.defines[index].name.span);
            // What nobody uses can do no harm.
            self.hazards.truncate(before);
            if let Some(value) = value.filter(|value| !value.is_set)
                && !self.looks(value.id).next
            {
                let define = &self.defines[index];
                let name = format!("{}{}", self.scopes[define.home.0].prefix, define.name.name);
                if matches!(value.sort, Sort::Memory { .. }) {
                    continue;
                }
                let mut limbs = vec![(name.clone(), value.id, value.sort.display())];
                if let (Sort::Word { width, .. }, true) = (value.sort, is_wide(value.sort)) {
                    limbs.clear();
                    for (place, value) in self.limbs_of(value).into_iter().enumerate() {
                        let low = place as u32 * LIMB;
                        let bits = (width - low).min(LIMB);
                        let name = format!("{name}[{}:{low}]", low + bits - 1);
                        limbs.push((name, value, Display::Unsigned(bits)));
                    }
                }
                let definitions = limbs.into_iter();
                let definitions =
                    definitions.map(|(name, value, display)| Definition { name, value, display });
                self.builder.system.definitions.extend(definitions);
            }
        }
    }

    /// Says that something must not be where the expression at hand counts.
    fn hazard(&mut self, condition: ExprId, kind: HazardKind, span: Span) {
        let mut all = condition;
        for guard in self.guards.clone() {
            all = self.builder.and(guard, all);
        }
        if self.builder.constant_value(all) == Some(0) {
            return;
        }
        if !self.looks(all).next {
            self.hazards.push(Hazard { condition: all, kind, span });
            return;
        }
        let what = match kind {
            HazardKind::OutOfRange(_) => "this is out of range",
            HazardKind::DivisionByZero => "this is a division by zero",
            HazardKind::Index => "this is outside of the array",
            HazardKind::NoBranch => "a branch is missing here",
        };
        let title = format!("not checked: whether {what}");
        let diagnostic =
            Diagnostic::warning("V0305", span, title).label("it depends on the state after the step");
        self.report(diagnostic);
    }

    /// Runs a rule where something holds.
    fn guarded<T>(&mut self, guard: ExprId, rule: impl FnOnce(&mut Self) -> T) -> T {
        self.guards.push(guard);
        let result = rule(self);
        self.guards.pop();
        result
    }

    /// Lowers what is true or false.
    fn predicate(&mut self, expr: Id, scope: ScopeId) -> Option<ExprId> {
        let typed = self.value(expr, scope)?;
        self.boolean(typed, expr)
    }

    /// Lowers what is true or false in a state, without a step.
    fn state_predicate(&mut self, expr: Id, scope: ScopeId, what: &str) -> Option<ExprId> {
        let id = self.predicate(expr, scope)?;
        (self.allows_no_next(id, expr, what) && self.allows_no_input(id, expr, what)).then_some(id)
    }

    fn allows_no_next(&mut self, id: ExprId, expr: Id, what: &str) -> bool {
        let fine = !self.looks(id).next;
        if !fine {
            let title = format!("`next` has no place in {what}");
            let diagnostic = Diagnostic::error("V0211", self.tree.span(expr), title)
                .label("this looks at the state after a step")
                .help("steps are described in TRANS and in `next(x) := …`");
            self.report(diagnostic);
        }
        fine
    }

    fn allows_no_input(&mut self, id: ExprId, expr: Id, what: &str) -> bool {
        if !self.looks(id).input {
            return true;
        }
        let system = &self.builder.system;
        let (current, _) = system.looks_at(id);
        let input = current.into_iter().find(|id| system.variable(*id).role == Role::Input);
        let Some(input) = input else { return true };
        let variable = system.variable(input);
        let title = format!("the input `{}` has no place in {what}", variable.name);
        let declared = variable.span;
        let diagnostic = Diagnostic::error("V0213", self.tree.span(expr), title)
            .label("inputs belong to steps, and this is about states")
            .also(declared, "it is declared here")
            .help("declare it with VAR, or keep its last value in a variable");
        self.report(diagnostic);
        false
    }

    /// Returns what the text says at an expression, in one line.
    fn text(&self, expr: Id) -> String {
        self.sources.text(self.tree.span(expr)).split_whitespace().collect::<Vec<_>>().join(" ")
    }
}
