//! Assignments: one for each variable and time, none that needs itself.

use std::collections::BTreeMap;
use std::rc::Rc;

use narrows_model::synchronous::{Constraint, Demand, ExprId, HazardKind, Node, Role, VariableId};
use narrows_source::{Diagnostic, Span};

use super::scopes::ScopeId;
use super::sorts::Sort;
use super::wide_words::is_wide;
use super::{Lowering, Typed};
use crate::smv::ast::{Id, Item, When};

/// An assignment in one process.
struct Assigned {
    process: usize,
    value: ExprId,
    span: Span,
}

/// Whether values are among those of a variable.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fits {
    Always,
    Maybe,
    Never,
}

impl Lowering<'_> {
    pub(super) fn assignments(&mut self) {
        let mut found: BTreeMap<(VariableId, u8), Vec<Assigned>> = BTreeMap::new();
        for (scope, item) in self.items() {
            let Item::Assign(when, target, value) = item else { continue };
            let target_of = self.target(*target, scope);
            let process = if *when == When::Next { self.scopes[scope.0].process } else { 0 };
            let running = self.runs(process).filter(|_| *when == When::Next);
            if let Some(running) = running {
                self.guards.push(running);
            }
            let value = self.assignment(*when, target_of.as_ref(), *value, scope);
            self.guards.clear();
            let (Some((variables, _)), Some(values)) = (target_of, value) else { continue };
            let span = self.tree.span(*target);
            if !self.may_assign(*when, variables[0], span) {
                continue;
            }
            for (variable, value) in variables.into_iter().zip(values) {
                let list = found.entry((variable, *when as u8)).or_default();
                if let Some(first) = list.iter().find(|other| other.process == process) {
                    let (first, name) = (first.span, self.builder.system.variable(variable).name.clone());
                    self.assigned_twice(&name, span, first, "the first assignment");
                    break;
                }
                list.push(Assigned { process, value, span });
            }
        }
        self.contradictions(&found);
        for ((variable, when), list) in found {
            let span = list[0].span;
            let mut value = list[0].value;
            if self.selector.is_some() && when == When::Next as u8 {
                // A variable keeps its value while no process runs that assigns it.
                value = self.builder.current(variable);
                for assigned in list.iter().rev() {
                    if let Some(running) = self.runs(assigned.process) {
                        value = self.builder.choose(running, assigned.value, value);
                    }
                }
            }
            let constraint = Constraint { demand: Demand::Assigned(variable, value), span };
            let system = &mut self.builder.system;
            if when == When::Initial as u8 {
                system.initial.push(constraint);
            } else if when == When::Next as u8 {
                system.transitions.push(constraint);
            } else {
                system.invariants.push(constraint);
            }
        }
        self.circles();
    }

    /// Returns the condition that a process runs; `None` if there are none.
    fn runs(&mut self, process: usize) -> Option<ExprId> {
        let selector = self.selector?;
        let name: Rc<str> = self.processes[process].as_str().into();
        let value = self.symbol(&name);
        let (current, value) = (self.builder.current(selector), self.builder.constant(value));
        Some(self.builder.equal(current, value))
    }

    fn assigned_twice(&mut self, name: &str, span: Span, first: Span, what: &str) {
        let diagnostic = Diagnostic::error("V0206", span, format!("`{name}` is assigned twice"))
            .label("assigned again")
            .also(first, what);
        self.report(diagnostic);
    }

    fn may_assign(&mut self, when: When, variable: VariableId, span: Span) -> bool {
        let declared = self.builder.system.variable(variable);
        let reason = match (declared.role, when) {
            (Role::Input, _) => "an input has any value in every step",
            (Role::Frozen, When::Next | When::Current) => {
                "a frozen variable gets its value at the start alone"
            }
            _ => return true,
        };
        let title = format!("`{}` can't be assigned here", declared.name);
        let diagnostic =
            Diagnostic::error("V0214", span, title).label(reason).also(declared.span, "it is declared here");
        self.report(diagnostic);
        false
    }

    /// Reports variables that are assigned for all times, and for the start or the next step as well.
    fn contradictions(&mut self, found: &BTreeMap<(VariableId, u8), Vec<Assigned>>) {
        let mut reports = Vec::new();
        for ((variable, when), list) in found {
            if *when == When::Current as u8 {
                for other in [When::Initial, When::Next] {
                    if let Some(others) = found.get(&(*variable, other as u8)) {
                        reports.push((*variable, others[0].span, list[0].span));
                    }
                }
            }
        }
        for (variable, span, first) in reports {
            let name = self.builder.system.variable(variable).name.clone();
            self.assigned_twice(&name, span, first, "this gives its value at all times");
        }
    }

    /// Lowers the right side of an assignment; of a wide word, limb by limb.
    fn assignment(
        &mut self,
        when: When,
        target: Option<&(Vec<VariableId>, Sort)>,
        expr: Id,
        scope: ScopeId,
    ) -> Option<Vec<ExprId>> {
        let value = self.value(expr, scope)?;
        let (variables, sort) = target?;
        let what = match when {
            When::Initial => "`init(…)`",
            When::Current => "an assignment for all times",
            When::Next => "",
        };
        if when != When::Next
            && !(self.allows_no_next(value.id, expr, what) && self.allows_no_input(value.id, expr, what))
        {
            return None;
        }
        if *sort != value.sort && !self.suits(*sort, value, expr) {
            return None;
        }
        if is_wide(*sort) {
            return Some(self.limbs_of(value));
        }
        self.check_range(when, variables[0], value.id, expr)?;
        Some(vec![value.id])
    }

    fn suits(&mut self, sort: Sort, value: Typed, expr: Id) -> bool {
        let span = self.tree.span(expr);
        match (sort, value.sort) {
            (Sort::Boolean, Sort::Number) | (Sort::Number, Sort::Boolean) => {
                self.warn_of_numbers(span);
                true
            }
            (Sort::Mixed | Sort::Symbol | Sort::Number, Sort::Mixed | Sort::Symbol | Sort::Number) => true,
            (Sort::Mixed, Sort::Boolean) => {
                self.warn_of_numbers(span);
                true
            }
            _ => {
                self.mismatch(span, &sort.name(), &value.sort.name(), None);
                false
            }
        }
    }

    /// Finds out whether the variable can have what is assigned to it.
    fn check_range(&mut self, when: When, variable: VariableId, value: ExprId, expr: Id) -> Option<()> {
        let mut all = Fits::Always;
        let mut is_possible = false;
        let mut waiting = vec![value];
        let span = self.tree.span(expr);
        let name = self.builder.system.variable(variable).name.clone();
        while let Some(id) = waiting.pop() {
            let fits = match self.builder.system.node(id).clone() {
                Node::Set(members) => {
                    waiting.extend(members);
                    continue;
                }
                Node::Choose(_, then, otherwise) => {
                    waiting.extend([then, otherwise]);
                    continue;
                }
                Node::Constant(value) if !self.builder.system.variable(variable).domain.contains(value) => {
                    let plain = narrows_model::synchronous::Display::Plain;
                    let shown = self.builder.system.show(value, plain);
                    let title = format!("`{name}` can't be {shown}");
                    let declared = self.builder.system.variable(variable).span;
                    let diagnostic = Diagnostic::error("V0218", span, title)
                        .label(format!("{shown} is assigned here"))
                        .also(declared, "its values are declared here");
                    self.report(diagnostic);
                    return None;
                }
                Node::Constant(_) => Fits::Always,
                _ => self.fits(id, variable),
            };
            is_possible |= fits != Fits::Never;
            if fits != Fits::Always {
                all = Fits::Maybe;
            }
        }
        if !is_possible {
            let title = format!("`{name}` can never be what is assigned to it");
            let declared = self.builder.system.variable(variable).span;
            let diagnostic =
                Diagnostic::error("V0218", span, title).also(declared, "its values are declared here");
            self.report(diagnostic);
            return None;
        }
        if all == Fits::Maybe {
            let looks_ahead = self.looks(value).next;
            if when == When::Next && !looks_ahead {
                let within = self.builder.node(Node::Within(value, variable));
                let outside = self.builder.not(within);
                self.hazard(outside, HazardKind::OutOfRange(variable), span);
            } else {
                let title = format!("`{name}` may not be able to have what is assigned to it");
                let diagnostic = Diagnostic::warning("V0304", span, title)
                    .label("where its value is outside of its range, there is no state")
                    .help("use `mod` or a case to stay within the range");
                self.report(diagnostic);
            }
        }
        Some(())
    }

    fn fits(&mut self, id: ExprId, variable: VariableId) -> Fits {
        let system = &self.builder.system;
        let domain = system.variable(variable).domain.clone();
        if let Node::Current(other) | Node::Next(other) = system.node(id) {
            let other = &system.variable(*other).domain;
            if other.len() <= 1 << 12 {
                let count = other.values().filter(|value| domain.contains(*value)).count();
                return match count {
                    0 => Fits::Never,
                    _ if count as u128 == other.len() => Fits::Always,
                    _ => Fits::Maybe,
                };
            }
        }
        match self.interval(id) {
            Some((low, high)) if high - low <= 1 << 12 => {
                let count = (low..=high).filter(|value| domain.contains(*value)).count();
                match count {
                    0 => Fits::Never,
                    _ if count as i128 == high - low + 1 => Fits::Always,
                    _ => Fits::Maybe,
                }
            }
            Some((low, high)) => {
                let covers = |least: i128, most: i128| least <= low && high <= most;
                match domain {
                    narrows_model::synchronous::Domain::Range(least, most) if covers(least, most) => {
                        Fits::Always
                    }
                    _ => Fits::Maybe,
                }
            }
            None => Fits::Maybe,
        }
    }

    /// Reports variables whose value at one time needs itself.
    fn circles(&mut self) {
        let system = &self.builder.system;
        let mut needs: BTreeMap<VariableId, (Vec<VariableId>, Span)> = BTreeMap::new();
        let lists = [(&system.transitions, true), (&system.invariants, false)];
        for (list, in_step) in lists {
            for constraint in list {
                if let Demand::Assigned(variable, value) = constraint.demand {
                    let (current, next) = system.looks_at(value);
                    let entry = needs.entry(variable).or_insert((Vec::new(), constraint.span));
                    entry.0.extend(if in_step { next } else { current });
                }
            }
        }
        let mut done = std::collections::BTreeSet::new();
        let mut found: Vec<(VariableId, Vec<VariableId>, Span)> = Vec::new();
        for start in needs.keys() {
            let mut path: Vec<(VariableId, usize)> = vec![(*start, 0)];
            while let Some((variable, next)) = path.last_mut() {
                let below = needs.get(variable).map_or(&[][..], |(list, _)| list.as_slice());
                let Some(target) = below.get(*next).copied().filter(|_| !done.contains(variable)) else {
                    done.insert(*variable);
                    path.pop();
                    continue;
                };
                *next += 1;
                if let Some(at) = path.iter().position(|(other, _)| *other == target) {
                    let circle: Vec<VariableId> = path[at..].iter().map(|(variable, _)| *variable).collect();
                    found.push((target, circle, needs[&target].1));
                    done.extend(path.iter().map(|(variable, _)| *variable));
                    break;
                }
                if !done.contains(&target) {
                    path.push((target, 0));
                }
            }
        }
        for (variable, circle, span) in found {
            let names: Vec<&str> = circle
                .iter()
                .chain([&variable])
                .map(|id| self.builder.system.variable(*id).name.as_str())
                .collect();
            let title = format!("the value of `{}` needs itself", names[0]);
            let diagnostic = Diagnostic::error("V0207", span, title)
                .label("this can't be computed")
                .note(format!("it goes round: {}", names.join(" needs ")))
                .help("use the value of the step before: `next(x) := …` with current values on the right");
            self.report(diagnostic);
        }
    }
}
