//! The operators of behaviours, one by one.

use std::rc::Rc;

use narrows_model::behaviour::{self, Behaviour, GateId, GateSet, Jump, PointKind, SortId, Term};
use narrows_source::{Diagnostic, Span, closest};

use super::super::super::ast::{self, Expr, GateRange, Ident, Meeting, Offer, Variable};
use super::super::names::{
    condition_variables, offer_variables, place, place_condition, place_offers, place_term, term_variables,
    united, uses,
};
use super::{Different, Lowered, Lowering, MAX_INSTANCES};

impl<'p> Lowering<'p, '_> {
    pub(super) fn exit(&mut self, results: &[ast::Result], span: Span) -> Option<Lowered> {
        let mut offers = Vec::new();
        for result in results {
            offers.push(match result {
                ast::Result::Value(expr) => {
                    let (term, sort) = self.terms().term(expr, None)?;
                    behaviour::Offer::Value(term, sort)
                }
                ast::Result::Any(sort) => {
                    behaviour::Offer::Any(self.scope.sort(sort, &mut self.diagnostics)?)
                }
            });
        }
        let exits = Some(offers.iter().map(behaviour::Offer::sort).collect());
        let free = offer_variables(&offers);
        place_offers(&mut offers, &free);
        Some(self.done(PointKind::Exit(offers), free, span, exits))
    }

    pub(super) fn action(
        &mut self,
        gate: &Ident,
        offers: &[Offer],
        predicate: Option<&ast::Condition>,
        next: &'p ast::Behaviour,
        span: Span,
    ) -> Option<Lowered> {
        let gate = self.gate(gate);
        let mut lowered = Vec::new();
        let mut complete = true;
        for offer in offers {
            let found = match offer {
                Offer::Value(expr) => {
                    self.terms().term(expr, None).map(|(term, sort)| behaviour::Offer::Value(term, sort))
                }
                Offer::Variable(variable) => {
                    self.scope.sort(&variable.sort, &mut self.diagnostics).map(behaviour::Offer::Any)
                }
            };
            complete &= found.is_some();
            lowered.extend(found);
        }
        let variables: Vec<Variable> = offers
            .iter()
            .filter_map(|offer| match offer {
                Offer::Variable(variable) => Some(variable.clone()),
                Offer::Value(_) => None,
            })
            .collect();
        let bound = self.bind_all(&variables)?;
        let predicate = match predicate {
            Some(condition) => {
                let found = self.terms().condition(condition);
                complete &= found.is_some();
                found
            }
            None => None,
        };
        let next = self.lower(next);
        let (gate, next) = (gate?, next?);
        if !complete {
            return None;
        }
        let in_predicate = predicate.as_ref().map(condition_variables).unwrap_or_default();
        let mut free = united(&[&next.free, &in_predicate]);
        free.retain(|number| !bound.contains(number));
        let free = united(&[&free, &offer_variables(&lowered)]);
        place_offers(&mut lowered, &free);
        let all = [free.as_slice(), &bound].concat();
        let mut predicate = predicate;
        if let Some(condition) = &mut predicate {
            place_condition(condition, &all);
        }
        let kind = PointKind::Prefix { gate, offers: lowered, predicate, next: jump(&next, &all) };
        let exits = next.exits;
        // The place of an action is its own, without what comes after it.
        let end = offers.last().map(|offer| match offer {
            Offer::Value(expr) => expr.span,
            Offer::Variable(variable) => variable.sort.span,
        });
        let start = Span { end: span.start + 1, ..span };
        Some(self.done(kind, free, start.to(end.unwrap_or(start)), exits))
    }

    pub(super) fn choice(&mut self, branches: &[Lowered], span: Span) -> Option<Lowered> {
        let all: Vec<&Lowered> = branches.iter().collect();
        let exits = self.same_exits(&all, span).ok()?;
        let lists: Vec<&[u16]> = branches.iter().map(|branch| branch.free.as_slice()).collect();
        let free = united(&lists);
        let mut jumps = Vec::new();
        for branch in branches {
            // A choice within a choice is one choice.
            match &self.behaviour.point(branch.point).kind {
                PointKind::Choice(inner) => {
                    let moved = |one: &Jump| Jump {
                        point: one.point,
                        sources: one
                            .sources
                            .iter()
                            .map(|source| place(branch.free[usize::from(*source)], &free))
                            .collect(),
                    };
                    jumps.extend(inner.iter().map(moved));
                }
                _ => jumps.push(jump(branch, &free)),
            }
        }
        Some(self.done(PointKind::Choice(jumps), free, span, exits))
    }

    /// Finds out what alternatives end with: those that end have to end alike.
    pub(super) fn same_exits(
        &mut self,
        all: &[&Lowered],
        span: Span,
    ) -> Result<Option<Vec<SortId>>, Different> {
        let mut exits: Option<Vec<SortId>> = None;
        for one in all {
            match (&exits, &one.exits) {
                (Some(first), Some(other)) if first != other => {
                    let (first, other) = (self.show_exits(Some(first)), self.show_exits(Some(other)));
                    let title = format!("these ways end differently: `{first}` and `{other}`");
                    self.diagnostics.push(Diagnostic::error("L0242", span, title));
                    return Err(Different);
                }
                (None, Some(found)) => exits = Some(found.clone()),
                _ => {}
            }
        }
        Ok(exits)
    }

    pub(super) fn meeting(&mut self, meeting: &Meeting) -> Option<GateSet> {
        let mut set = GateSet::default();
        match meeting {
            Meeting::Nowhere => {}
            Meeting::Everywhere => self.gates.iter().for_each(|(_, gate)| set.insert(*gate)),
            Meeting::Gates(names) => {
                let found: Vec<Option<GateId>> = names.iter().map(|name| self.gate(name)).collect();
                for gate in found {
                    set.insert(gate?);
                }
            }
        }
        Some(set)
    }

    pub(super) fn parallel(
        &mut self,
        gates: GateSet,
        left: &Lowered,
        right: &Lowered,
        span: Span,
    ) -> Option<Lowered> {
        let exits = match (&left.exits, &right.exits) {
            (Some(_), Some(_)) => self.same_exits(&[left, right], span).ok()?,
            _ => None,
        };
        let free = united(&[&left.free, &right.free]);
        let kind = PointKind::Parallel { gates, left: jump(left, &free), right: jump(right, &free) };
        Some(self.done(kind, free, span, exits))
    }

    pub(super) fn enable(
        &mut self,
        left: &'p ast::Behaviour,
        accepted: &[Variable],
        right: &'p ast::Behaviour,
        span: Span,
    ) -> Option<Lowered> {
        let place_of_left = left.span;
        let left = self.lower(left);
        let numbers = self.bind_all(accepted)?;
        let right = self.lower(right);
        let (left, right) = (left?, right?);
        let sorts: Vec<SortId> = numbers.iter().map(|number| self.sorts[usize::from(*number)]).collect();
        match &left.exits {
            Some(found) if *found == sorts => {}
            Some(found) => {
                let shown = self.show_exits(Some(found));
                let wanted = self.show_exits(Some(&sorts));
                let title = format!("this ends with `{shown}`, and what comes after accepts `{wanted}`");
                let help = "accept as many values of the same sorts: `>> accept x : SORT in`";
                self.diagnostics.push(Diagnostic::error("L0243", place_of_left, title).help(help));
                return None;
            }
            None => {
                let title = "this never ends: what comes after `>>` never begins";
                self.diagnostics.push(Diagnostic::warning("L0244", place_of_left, title));
            }
        }
        let later: Vec<u16> = right.free.iter().copied().filter(|number| !numbers.contains(number)).collect();
        let free = united(&[&left.free, &later]);
        let kept = later.iter().map(|number| place(*number, &free)).collect();
        let all = [later.as_slice(), &numbers].concat();
        let kind = PointKind::Enable { left: jump(&left, &free), kept, right: jump(&right, &all) };
        Some(self.done(kind, free, span, right.exits))
    }

    pub(super) fn binding(
        &mut self,
        bound: &[(Variable, Expr)],
        inner: &'p ast::Behaviour,
        span: Span,
    ) -> Option<Lowered> {
        let mut values = Vec::new();
        for (variable, expr) in bound {
            let sort = self.scope.sort(&variable.sort, &mut self.diagnostics)?;
            values.push(self.terms().term(expr, Some(sort))?.0);
        }
        let variables: Vec<Variable> = bound.iter().map(|(variable, _)| variable.clone()).collect();
        let numbers = self.bind_all(&variables)?;
        let inner = self.lower(inner)?;
        let rest: Vec<u16> = inner.free.iter().copied().filter(|number| !numbers.contains(number)).collect();
        let mut used = Vec::new();
        for value in &values {
            term_variables(value, &mut used);
        }
        let free = united(&[&rest, &used]);
        for value in &mut values {
            place_term(value, &free);
        }
        let all = [free.as_slice(), &numbers].concat();
        let kind = PointKind::Let(values, jump(&inner, &all));
        Some(self.done(kind, free, span, inner.exits))
    }

    /// Lowers a behaviour once for each combination of gates.
    pub(super) fn for_each_gate(
        &mut self,
        ranges: &[GateRange],
        inner: &'p ast::Behaviour,
    ) -> Option<Vec<Lowered>> {
        let mut rows: Vec<Vec<(Rc<str>, GateId)>> = vec![Vec::new()];
        for range in ranges {
            let gates: Vec<Option<GateId>> = range.gates.iter().map(|gate| self.gate(gate)).collect();
            let gates: Vec<GateId> = gates.into_iter().collect::<Option<_>>()?;
            for name in &range.names {
                let longer = |row: &Vec<(Rc<str>, GateId)>| {
                    let row = row.clone();
                    let add = move |gate: &GateId| [row.as_slice(), &[(name.name.clone(), *gate)]].concat();
                    gates.iter().map(add).collect::<Vec<_>>()
                };
                rows = rows.iter().flat_map(longer).collect();
                if rows.len() > MAX_INSTANCES {
                    let title = "there are too many combinations of gates";
                    self.diagnostics.push(Diagnostic::error("L0303", name.span, title));
                    return None;
                }
            }
        }
        let mut all = Vec::new();
        for row in rows {
            let known = self.gates.len();
            self.gates.extend(row);
            let lowered = self.lower(inner);
            self.gates.truncate(known);
            all.push(lowered?);
        }
        Some(all)
    }

    pub(super) fn call(
        &mut self,
        name: &Ident,
        gates: &[Ident],
        arguments: &[Expr],
        span: Span,
    ) -> Option<Lowered> {
        let Some(number) = self.find(&name.name) else {
            let title = format!("there is no process `{}`", name.name);
            let diagnostic = Diagnostic::error("L0260", name.span, title);
            let names = self.entries.iter().skip(1).map(|entry| &*entry.process.name.name);
            let is_gate = self.gates.iter().any(|(known, _)| *known == name.name);
            self.diagnostics.push(match closest(&name.name, names) {
                _ if is_gate => {
                    let help = format!("`{}` is a gate: an action is followed by `;`", name.name);
                    diagnostic.help(help)
                }
                Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
                None => diagnostic,
            });
            return None;
        };
        let entry = &self.entries[number];
        let actual: Vec<Option<GateId>> = gates.iter().map(|gate| self.gate(gate)).collect();
        for (what, given, wanted) in [
            ("gates", gates.len(), entry.process.gates.len()),
            ("values", arguments.len(), entry.process.parameters.len()),
        ] {
            if given != wanted {
                let title = format!("`{}` takes {wanted} {what}, and gets {given}", name.name);
                let diagnostic = Diagnostic::error("L0261", span, title);
                self.diagnostics.push(diagnostic.also(entry.process.name.span, "defined here"));
                return None;
            }
        }
        let mut values = Vec::new();
        for (argument, sort) in arguments.iter().zip(&entry.parameters) {
            values.push(self.terms().term(argument, Some(*sort)));
        }
        let mut values: Vec<Term> =
            values.into_iter().map(|value| value.map(|value| value.0)).collect::<Option<_>>()?;
        let gates: Vec<GateId> = actual.into_iter().collect::<Option<_>>()?;
        let exits = entry.exits.clone();
        let point = if self.is_trial { Behaviour::STOP } else { self.instance(number, gates) };
        let mut free = Vec::new();
        for value in &values {
            term_variables(value, &mut free);
        }
        let free = united(&[&free]);
        for value in &mut values {
            place_term(value, &free);
        }
        let (first, count) = (free.len() as u16, values.len() as u16);
        let sources = if self.is_trial { Vec::new() } else { (first..first + count).collect() };
        let kind = PointKind::Let(values, Jump { point, sources });
        Some(self.done(kind, free, span, exits))
    }

    pub(super) fn warn_unused(&mut self, names: &[Ident], inner: &ast::Behaviour) {
        for name in names {
            let mut used = false;
            uses(inner, &mut |found| used |= *found == name.name);
            if !used {
                let title = format!("the gate `{}` is never used", name.name);
                self.diagnostics.push(Diagnostic::warning("L0304", name.span, title));
            }
        }
    }
}

pub(super) fn jump(target: &Lowered, all: &[u16]) -> Jump {
    Jump { point: target.point, sources: target.free.iter().map(|number| place(*number, all)).collect() }
}
