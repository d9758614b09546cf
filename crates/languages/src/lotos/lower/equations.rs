//! Equations: which operations are constructors, and what the others give.

use std::collections::BTreeSet;

use narrows_model::behaviour::{Builtin, Condition, Meaning, OperationId, Pattern, Rule, SortId, Term};
use narrows_source::{Diagnostic, Diagnostics, Span};

use super::super::ast::{Body, Equation};
use super::terms::{Known, Terms};
use super::types::Scope;

/// An equation whose names are resolved.
struct Resolved {
    operation: OperationId,
    arguments: Vec<Term>,
    premises: Vec<Condition>,
    right: Term,
    span: Span,
    /// How many variables could be used.
    variables: u16,
}

/// Gives operations their meaning.
pub(super) fn lower(bodies: &[Body], scope: &mut Scope, diagnostics: &mut Diagnostics) {
    let mut resolved = Vec::new();
    for (home, body) in bodies.iter().enumerate() {
        for equation in &body.equations {
            resolved.extend(resolve(equation, home, scope, diagnostics));
        }
    }
    if diagnostics.has_errors() {
        return;
    }
    find_constructors(&resolved, scope, diagnostics);
    for equation in &resolved {
        let Some(rule) = rule(equation, scope, diagnostics) else { continue };
        let operation = &mut scope.data.operations[equation.operation.0 as usize];
        if let Meaning::Rules(rules) = &mut operation.meaning {
            rules.push(rule);
        }
    }
    if !diagnostics.has_errors() {
        super::missing_equations::warn(scope, diagnostics);
    }
}

fn resolve(
    equation: &Equation,
    home: usize,
    scope: &Scope,
    diagnostics: &mut Diagnostics,
) -> Option<Resolved> {
    let mut variables: Vec<Known> = Vec::new();
    for (number, variable) in (0..).zip(equation.variables.iter()) {
        let sort = scope.sort(&variable.sort, diagnostics)?;
        variables.push(Known { name: variable.name.name.clone(), number, sort });
    }
    let expected = match &equation.sort {
        Some(sort) => Some(scope.sort(sort, diagnostics)?),
        None => None,
    };
    let mut terms = Terms { scope, variables: &variables, home: Some(home), diagnostics };
    let sides = terms.pair(&equation.left, &equation.right, expected);
    let premises: Vec<Option<Condition>> =
        equation.premises.iter().map(|premise| terms.condition(premise)).collect();
    let (left, right, _) = sides?;
    let premises = premises.into_iter().collect::<Option<Vec<Condition>>>()?;
    let span = equation.left.span;
    let Term::Apply(operation, arguments) = left else {
        let title = "the left side of an equation must be an operation";
        diagnostics.push(Diagnostic::error("L0220", span, title));
        return None;
    };
    if let Meaning::Builtin(Builtin::Number(number)) = scope.data.operation(operation).meaning
        && premises.is_empty()
        && let Some(said) = constant(&right, scope)
    {
        // `1 = succ (0)` says nothing new, but must not say anything else.
        if said != number {
            let title = format!("`{number}` is the number {number}, but this equation says {said}");
            diagnostics.push(Diagnostic::error("L0221", span, title).label("digits mean what they say"));
        }
        return None;
    }
    if let Meaning::Builtin(_) = scope.data.operation(operation).meaning {
        let title = format!("`{}` needs no equations", scope.data.operation(operation).name);
        diagnostics.push(Diagnostic::error("L0221", span, title).label("what it gives is known"));
        return None;
    }
    Some(Resolved { operation, arguments, premises, right, span, variables: variables.len() as u16 })
}

/// Returns which number a term is, as far as successors, sums and products say.
fn constant(term: &Term, scope: &Scope) -> Option<u32> {
    let Term::Apply(operation, arguments) = term else {
        return if let Term::Number(number) = term { Some(*number) } else { None };
    };
    let values: Option<Vec<u32>> = arguments.iter().map(|argument| constant(argument, scope)).collect();
    match (&scope.data.operation(*operation).meaning, values?.as_slice()) {
        (Meaning::Builtin(Builtin::Number(number)), []) => Some(*number),
        (Meaning::Builtin(Builtin::Successor), [before]) => before.checked_add(1),
        (Meaning::Builtin(Builtin::Add), [left, right]) => left.checked_add(*right),
        (Meaning::Builtin(Builtin::Multiply), [left, right]) => left.checked_mul(*right),
        _ => None,
    }
}

/// Where a sort has operations that are said to be constructors, these are its constructors; otherwise those
/// without equations.
fn find_constructors(resolved: &[Resolved], scope: &mut Scope, diagnostics: &mut Diagnostics) {
    let said: BTreeSet<SortId> =
        scope.constructors.iter().map(|id| scope.data.operation(*id).result).collect();
    for equation in resolved.iter().filter(|equation| scope.constructors.contains(&equation.operation)) {
        let operation = scope.data.operation(equation.operation);
        let title = format!("`{}` is a constructor, and has an equation", operation.name);
        let help = "a constructor's values are what they are: make an operation of its own of this";
        Diagnostic::error("L0222", equation.span, title)
            .also(operation.span, "declared here")
            .help(help)
            .emit(diagnostics);
    }
    let heads: BTreeSet<OperationId> = resolved.iter().map(|equation| equation.operation).collect();
    for index in 0..scope.data.operations.len() {
        let id = OperationId(index as u32);
        let operation = &scope.data.operations[index];
        if matches!(operation.meaning, Meaning::Builtin(_)) || scope.data.sort(operation.result).natural {
            continue;
        }
        let is_constructor = if said.contains(&operation.result) {
            scope.constructors.contains(&id)
        } else {
            !heads.contains(&id)
        };
        if is_constructor {
            let sort = &mut scope.data.sorts[usize::from(operation.result.0)];
            let place = sort.constructors.len() as u16;
            sort.constructors.push(id);
            scope.data.operations[index].meaning = Meaning::Constructor(place);
        }
    }
}

fn rule(equation: &Resolved, scope: &Scope, diagnostics: &mut Diagnostics) -> Option<Rule> {
    let mut bound = BTreeSet::new();
    let patterns: Option<Vec<Pattern>> = equation
        .arguments
        .iter()
        .map(|argument| pattern(argument, equation, &mut bound, scope, diagnostics))
        .collect();
    let patterns = patterns?;
    let mut used = BTreeSet::new();
    collect(&equation.right, &mut used);
    for premise in &equation.premises {
        match premise {
            Condition::True(term) => collect(term, &mut used),
            Condition::Equal(left, right) => {
                collect(left, &mut used);
                collect(right, &mut used);
            }
        }
    }
    if used.iter().any(|variable| !bound.contains(variable)) {
        let title = "a variable of this equation has no value: it does not stand on the left side";
        diagnostics.push(Diagnostic::error("L0223", equation.span, title));
        return None;
    }
    Some(Rule {
        patterns,
        premises: equation.premises.clone(),
        result: equation.right.clone(),
        variables: equation.variables,
    })
}

fn collect(term: &Term, used: &mut BTreeSet<u16>) {
    match term {
        Term::Variable(variable) => _ = used.insert(*variable),
        Term::Number(_) => {}
        Term::Apply(_, arguments) => arguments.iter().for_each(|argument| collect(argument, used)),
    }
}

fn pattern(
    term: &Term,
    equation: &Resolved,
    bound: &mut BTreeSet<u16>,
    scope: &Scope,
    diagnostics: &mut Diagnostics,
) -> Option<Pattern> {
    match term {
        Term::Variable(variable) if bound.insert(*variable) => Some(Pattern::Bind(*variable)),
        Term::Variable(variable) => Some(Pattern::Same(*variable)),
        Term::Number(number) => Some(Pattern::Number(*number)),
        Term::Apply(id, arguments) => match scope.data.operation(*id).meaning {
            Meaning::Builtin(Builtin::Successor) => {
                let before = pattern(&arguments[0], equation, bound, scope, diagnostics)?;
                Some(Pattern::Successor(Box::new(before)))
            }
            Meaning::Builtin(Builtin::Number(number)) => Some(Pattern::Number(number)),
            Meaning::Constructor(_) => {
                let inner: Option<Vec<Pattern>> = arguments
                    .iter()
                    .map(|argument| pattern(argument, equation, bound, scope, diagnostics))
                    .collect();
                Some(Pattern::Constructor(*id, inner?))
            }
            _ => {
                let name = &scope.data.operation(*id).name;
                let title = format!("`{name}` is not a constructor, and can't stand within the left side");
                let help = "values are told apart by their constructors; use a premise for the rest";
                Diagnostic::error("L0224", equation.span, title)
                    .also(scope.data.operation(*id).span, "declared here")
                    .help(help)
                    .emit(diagnostics);
                None
            }
        },
    }
}
