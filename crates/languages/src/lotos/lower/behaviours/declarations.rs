//! Processes and their names, and the values of the specification's parameters.

use std::collections::BTreeMap;
use std::rc::Rc;

use narrows_model::behaviour::{Data, SortId, Term};
use narrows_source::{Diagnostic, Diagnostics, Sources, Span, closest};

use super::super::super::Options;
use super::super::super::ast::Process;
use super::super::super::parser::parse_value;
use super::super::terms::Terms;
use super::super::types::Scope;
use super::Entry;

/// The greatest number up to which numbers can be listed.
const MAX_LISTED: u32 = 1_000_000;

pub(super) fn enter<'p>(
    process: &'p Process,
    parent: Option<usize>,
    scope: &Scope,
    entries: &mut Vec<Entry<'p>>,
    diagnostics: &mut Diagnostics,
) {
    let number = entries.len();
    let parameters = process.parameters.iter().filter_map(|one| scope.sort(&one.sort, diagnostics)).collect();
    let exits = process
        .functionality
        .as_ref()
        .map(|sorts| sorts.iter().filter_map(|sort| scope.sort(sort, diagnostics)).collect());
    entries.push(Entry { process, parent, parameters, exits });
    for inner in &process.processes {
        enter(inner, Some(number), scope, entries, diagnostics);
    }
}

pub(super) fn check_names(entries: &[Entry<'_>], diagnostics: &mut Diagnostics) {
    let mut seen: BTreeMap<(Option<usize>, &Rc<str>), Span> = BTreeMap::new();
    for entry in entries {
        let name = &entry.process.name;
        if let Some(other) = seen.insert((entry.parent, &name.name), name.span) {
            let title = format!("the process `{}` is defined twice", name.name);
            diagnostics.push(Diagnostic::error("L0202", name.span, title).also(other, "first here"));
        }
        let gates = entry.process.gates.iter();
        let parameters = entry.process.parameters.iter().map(|parameter| &parameter.name);
        for list in [gates.collect::<Vec<_>>(), parameters.collect()] {
            for (index, one) in list.iter().enumerate() {
                if let Some(other) = list[..index].iter().find(|other| other.name == one.name) {
                    let title = format!("`{}` is declared twice", one.name);
                    diagnostics
                        .push(Diagnostic::error("L0202", one.span, title).also(other.span, "first here"));
                }
            }
        }
    }
}

/// Returns the sort of natural numbers with a name.
fn natural_sort(name: &str, scope: &Scope) -> Option<SortId> {
    let sort = *scope.sorts.get(name.to_ascii_uppercase().as_str())?;
    scope.data.sort(sort).natural.then_some(sort)
}

/// Notes up to which number those that nobody decides are listed: `-D Nat=7`.
pub(super) fn list_numbers(
    root: &Process,
    scope: &Scope,
    options: &Options,
    data: &mut Data,
    sources: &mut Sources,
    diagnostics: &mut Diagnostics,
) {
    for (name, text, origin) in &options.values {
        if root.parameters.iter().any(|one| one.name.name.eq_ignore_ascii_case(name)) {
            continue;
        }
        let Some(sort) = natural_sort(name, scope) else { continue };
        if let Ok(last @ 0..=MAX_LISTED) = text.trim().parse::<u32>() {
            data.sorts[usize::from(sort.0)].listed = Some(last);
            continue;
        }
        let file = sources.add(origin.clone(), format!("{name}={text}"));
        let span = Span::new(file, 0, name.len() + 1 + text.len());
        let title = format!("`{name}` needs the greatest number that is tried, not `{text}`");
        let help = format!("write `-D {name}=7`; {MAX_LISTED} is the most");
        diagnostics.push(Diagnostic::error("L0231", span, title).help(help));
    }
}

/// Finds the values of the specification's parameters.
pub(super) fn values(
    root: &Process,
    scope: &Scope,
    options: &Options,
    sources: &mut Sources,
    diagnostics: &mut Diagnostics,
) -> Vec<Term> {
    let mut values = Vec::new();
    for (name, text, origin) in &options.values {
        let known = root.parameters.iter().any(|one| one.name.name.eq_ignore_ascii_case(name));
        if !known && natural_sort(name, scope).is_none() {
            let file = sources.add(origin.clone(), format!("{name}={text}"));
            let span = Span::new(file, 0, name.len());
            let title = format!("the specification has no parameter `{name}`");
            let upper = name.to_ascii_uppercase();
            let diagnostic = Diagnostic::error("L0231", span, title);
            let names = root.parameters.iter().map(|one| &*one.name.name);
            diagnostic.did_you_mean(closest(&upper, names)).emit(diagnostics);
        }
    }
    for parameter in &root.parameters {
        let given =
            options.values.iter().rev().find(|(name, ..)| name.eq_ignore_ascii_case(&parameter.name.name));
        let Some((_, text, origin)) = given else {
            let name = &parameter.name;
            let title = format!("the parameter `{}` of the specification has no value", name.name);
            let help = format!("give it one: `-D {}=VALUE`, or `[constant]` in a study", name.name);
            diagnostics.push(Diagnostic::error("L0230", name.span, title).help(help));
            continue;
        };
        let file = sources.add(origin.clone(), text.clone());
        let Some(expr) = parse_value(text, file, diagnostics) else { continue };
        let Some(sort) = scope.sort(&parameter.sort, diagnostics) else { continue };
        let found = Terms { scope, variables: &[], home: None, diagnostics }.term(&expr, Some(sort));
        values.extend(found.map(|found| found.0));
    }
    values
}
