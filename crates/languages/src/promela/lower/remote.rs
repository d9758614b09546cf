//! References to labels and variables of other processes: `P@label`, `P[2]@label`, `P[any]@label`, `P[2]:x`.

use narrows_model::{Area, Binary, Expr, Place, ProctypeId};
use narrows_source::{Diagnostic, Span, closest};

use super::Lowering;
use super::expressions::Found;
use super::types::Type;
use crate::promela::ast::{self, Ident};

/// Words for several processes at once, in place of a number.
const WORDS: [(&str, Binary); 2] = [("any", Binary::Or), ("all", Binary::And)];

/// A model has at most so many processes at a time.
const MAX_PROCESSES: usize = 255;

fn holds(outer: Span, inner: Span) -> bool {
    outer.file == inner.file && outer.start <= inner.start && inner.end <= outer.end
}

impl Lowering<'_> {
    pub(super) fn remote_label(&mut self, process: &Ident, pid: Option<&ast::Expr>, label: &Ident) -> Expr {
        let Some(signature) = self.signature(process) else { return Expr::Constant(0) };
        if let Some(join) = pid.and_then(|pid| self.word_for_several(pid)) {
            return self.several_labels(process, signature.id, join, label);
        }
        self.look_for_others(process, signature.id, pid, Some(label));
        let pid = pid.map(|pid| Box::new(self.expr(pid)));
        self.number_jump(signature.id, &label.name);
        let labels = self.remote_labels.get(signature.id.0 as usize);
        let Some(labels) = labels.filter(|labels| !labels.is_empty()) else {
            self.remote_too_early(process, label.span);
            return Expr::Constant(0);
        };
        match labels.get(&*label.name) {
            Some(location) => Expr::AtLocation { proctype: signature.id, pid, location: *location },
            None if self.diagnostics.is_full() => Expr::Constant(0),
            None => {
                let mut names: Vec<&str> = labels.keys().map(String::as_str).collect();
                names.sort_unstable();
                let title = format!("`{}` has no label `{}`", process.name, label.name);
                Diagnostic::error("P0212", label.span, title)
                    .did_you_mean(closest(&label.name, names))
                    .emit(self.diagnostics);
                Expr::Constant(0)
            }
        }
    }

    fn remote_too_early(&mut self, process: &Ident, span: Span) {
        Diagnostic::error(
            "P0226",
            span,
            format!("nothing is known of the inside of `{}` here", process.name),
        )
        .note("a remote reference stands behind the proctype it refers to")
        .help("move the proctype up, or give it that label or variable")
        .emit(self.diagnostics);
    }

    pub(super) fn remote_variable(
        &mut self,
        process: &Ident,
        pid: Option<&ast::Expr>,
        variable: &ast::Place,
    ) -> Expr {
        let Some(signature) = self.signature(process) else { return Expr::Constant(0) };
        self.look_for_others(process, signature.id, pid, None);
        let pid = pid.map(|pid| Box::new(self.expr(pid)));
        let part = &variable.parts[0];
        let locals = self.remote_locals.get(signature.id.0 as usize);
        let found = locals.and_then(|locals| locals.iter().find(|local| local.0 == part.name.name)).cloned();
        let Some((_, local)) = found else {
            if locals.is_none_or(Vec::is_empty) {
                self.remote_too_early(process, part.name.span);
            } else {
                let title = format!("`{}` has no variable `{}`", process.name, part.name.name);
                let names = locals.into_iter().flatten().map(|local| &*local.0);
                Diagnostic::error("P0234", part.name.span, title)
                    .note("only variables at the top level of a process can be named from outside")
                    .did_you_mean(closest(&part.name.name, names))
                    .emit(self.diagnostics);
            }
            return Expr::Constant(0);
        };
        let mut found =
            Found { kind: local.kind, area: Area::Local, offset: local.offset, indices: Vec::new() };
        self.index(&mut found, part, local.length);
        let Type::Scalar(scalar) = found.kind else {
            Diagnostic::error(
                "P0224",
                part.name.span,
                "a whole structure can't be read from another process",
            )
            .help("keep what others read in a variable of its own")
            .emit(self.diagnostics);
            return Expr::Constant(0);
        };
        let place = Place {
            area: Area::Local,
            offset: found.offset,
            indices: found.indices,
            scalar,
            span: variable.span,
        };
        Expr::Remote { proctype: signature.id, pid, place: Box::new(place) }
    }

    /// Returns how what is said of each process is joined, if a word for several stands in place of a number.
    fn word_for_several(&self, pid: &ast::Expr) -> Option<Binary> {
        let ast::ExprKind::Place(place) = &pid.kind else { return None };
        let [part] = &place.parts[..] else { return None };
        let is_free = part.index.is_none() && self.scopes.find(&part.name.name).is_none();
        WORDS.into_iter().find(|(word, _)| is_free && *word == &*part.name.name).map(|(_, join)| join)
    }

    /// Lowers `P[any]@label` and `P[all]@label`: those that are there from the start have known numbers, and
    /// those that `run` creates get numbers behind them.
    fn several_labels(&mut self, process: &Ident, id: ProctypeId, join: Binary, label: &Ident) -> Expr {
        let mut numbers = self.numbers_of(id);
        if self.runs.iter().any(|(created, ..)| *created == id) {
            if join == Binary::And {
                let name = &process.name;
                let title =
                    format!("`{name}` is created by `run`, so that it is not known which are all of them");
                let help = format!("name each by its number: `{name}[1]@{0} && {name}[2]@{0}`", label.name);
                self.diagnostics.push(Diagnostic::error("P0242", process.span, title).help(help));
                return Expr::Constant(0);
            }
            numbers.extend(self.system.initial_processes.len()..self.most_processes());
        }
        let number = |pid: usize| ast::Expr { kind: ast::ExprKind::Number(pid as i32), span: process.span };
        let each: Vec<Expr> =
            numbers.into_iter().map(|pid| self.remote_label(process, Some(&number(pid)), label)).collect();
        let joined = each
            .into_iter()
            .reduce(|one, other| Expr::Binary(join, Box::new(one), Box::new(other), process.span));
        joined.unwrap_or(Expr::Constant(i32::from(join == Binary::And)))
    }

    /// Returns the numbers of the processes of a kind that are there from the start.
    fn numbers_of(&self, id: ProctypeId) -> Vec<usize> {
        let all = self.system.initial_processes.iter().enumerate();
        all.filter(|(_, process)| process.proctype == id).map(|(pid, _)| pid).collect()
    }

    /// Returns how many processes there may be: as many as a model can have, if some `run` may be executed
    /// again.
    fn most_processes(&self) -> usize {
        let mut sites: Vec<Span> = self.runs.iter().map(|(_, _, span, _)| *span).collect();
        sites.sort_unstable_by_key(|span| (span.file, span.start));
        sites.dedup();
        let mut most = self.system.initial_processes.len();
        for site in sites {
            for (index, proctype) in self.system.proctypes.iter().enumerate() {
                let statements = proctype.transitions.iter().filter(|one| holds(one.span, site)).count();
                let is_created = self.runs.iter().any(|(created, ..)| created.0 as usize == index);
                if statements > 0 && (is_created || self.is_in_loop(site)) {
                    return MAX_PROCESSES;
                }
                most += statements * self.numbers_of(ProctypeId(index as u16)).len();
            }
        }
        most.min(MAX_PROCESSES)
    }

    /// Warns in a formula of a reference without a number where there may be several processes: it means the
    /// first.
    fn look_for_others(
        &mut self,
        process: &Ident,
        id: ProctypeId,
        pid: Option<&ast::Expr>,
        label: Option<&Ident>,
    ) {
        if pid.is_some() || !self.in_formula {
            return;
        }
        let numbers = self.numbers_of(id);
        let runs = self.runs.iter().filter(|(created, ..)| *created == id);
        let created: usize = runs.map(|(_, _, span, _)| if self.is_in_loop(*span) { 2 } else { 1 }).sum();
        if numbers.len() + created < 2 || self.diagnostics.is_full() {
            return;
        }
        let name = &process.name;
        let title = format!("there may be several `{name}`, and this means the first of them");
        let rest = label.map_or(":…".to_owned(), |label| format!("@{}", label.name));
        let next = self.system.initial_processes.len() + 1;
        let one = numbers.last().copied().unwrap_or(next);
        let several = match label {
            Some(label) if created == 0 => {
                format!(", or `{name}[any]@{0}` or `{name}[all]@{0}`", label.name)
            }
            Some(label) => format!(" for one of them, or `{name}[any]@{}`", label.name),
            None => String::new(),
        };
        let help = format!("write `{name}[{one}]{rest}`{several}");
        self.diagnostics.push(Diagnostic::warning("P0241", process.span, title).help(help));
    }

    /// Returns whether a statement may be executed more than once by a process.
    fn is_in_loop(&self, span: Span) -> bool {
        self.system.proctypes.iter().any(|proctype| {
            let leads_to = |location: u16| {
                let edges = &proctype.locations[usize::from(location)].edges;
                edges.iter().map(|edge| &proctype.transitions[edge.transition.0 as usize])
            };
            let own = proctype.transitions.iter().filter(|transition| holds(transition.span, span));
            own.into_iter().any(|start| {
                let mut seen = vec![false; proctype.locations.len()];
                let mut next = vec![start.target.0];
                while let Some(location) = next.pop() {
                    if std::mem::replace(&mut seen[usize::from(location)], true) {
                        continue;
                    }
                    if leads_to(location).any(|transition| holds(transition.span, span)) {
                        return true;
                    }
                    next.extend(leads_to(location).map(|transition| transition.target.0));
                }
                false
            })
        })
    }
}
