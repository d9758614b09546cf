//! Which labels of a graph fit an action.

use narrows_source::{Diagnostic, Diagnostics, Span, closest};
use regex::RegexBuilder;

use super::syntax::{Action, Formula, Operator, Pattern, Regular};
use crate::graph::Graph;
use crate::label::{INTERNAL, is_internal};

/// The most memory that a regular expression may take: large repetitions are refused instead of slow.
const MAX_PATTERN_BYTES: usize = 1 << 20;

/// Reads a regular expression.
pub(super) fn pattern(text: &str, span: Span) -> Result<Pattern, Box<Diagnostic>> {
    let compile =
        |text: &str| RegexBuilder::new(text).dot_matches_new_line(true).size_limit(MAX_PATTERN_BYTES).build();
    // By itself first: its parentheses must not match those around it.
    match compile(text).and_then(|_| compile(&format!("^(?:{text})$"))) {
        Ok(expression) => Ok(Pattern { text: text.to_owned(), expression, span }),
        Err(error) => {
            let reason = match &error {
                regex::Error::CompiledTooBig(_) => "it needs too much memory".to_owned(),
                other => {
                    let text = other.to_string();
                    let last = text.lines().last().unwrap_or_default();
                    last.strip_prefix("error: ").unwrap_or(last).to_owned()
                }
            };
            Err(Box::new(
                Diagnostic::error("M0005", span, "not a valid regular expression")
                    .label(reason)
                    .help("a `\\` before one of `.*+?()[]{}|^$\\` makes it an ordinary character"),
            ))
        }
    }
}

/// Returns for each label of a graph whether it fits an action.
pub(super) fn labels(action: &Action, graph: &Graph) -> Vec<bool> {
    graph.labels().iter().map(|label| fits(action, label)).collect()
}

fn fits(action: &Action, label: &str) -> bool {
    match action {
        Action::True => true,
        Action::False => false,
        Action::Internal => is_internal(label),
        Action::Label(name) => name.text == label || is_internal(&name.text) && is_internal(label),
        Action::Pattern(pattern) => {
            pattern.expression.is_match(if is_internal(label) { INTERNAL } else { label })
        }
        Action::Not(operand) => !fits(operand, label),
        Action::Binary(operator, left, right) => {
            let (left, right) = (fits(left, label), fits(right, label));
            match operator {
                Operator::And => left && right,
                Operator::Or => left || right,
                Operator::Implies => !left || right,
                Operator::Equivalent => left == right,
            }
        }
    }
}

/// Warns of labels and regular expressions that fit no label of a graph: mostly they are misspelt.
pub fn warn_of_unknown_labels(formula: &Formula, graph: &Graph, diagnostics: &mut Diagnostics) {
    match formula {
        Formula::True | Formula::False | Formula::Variable(_) => {}
        Formula::Not(operand) | Formula::Fixpoint(_, _, operand) => {
            warn_of_unknown_labels(operand, graph, diagnostics);
        }
        Formula::Binary(_, left, right) => {
            warn_of_unknown_labels(left, graph, diagnostics);
            warn_of_unknown_labels(right, graph, diagnostics);
        }
        Formula::Possible(regular, operand) | Formula::Necessary(regular, operand) => {
            in_paths(regular, graph, diagnostics);
            warn_of_unknown_labels(operand, graph, diagnostics);
        }
        Formula::Endless(regular, _) | Formula::Bounded(regular, _) => in_paths(regular, graph, diagnostics),
    }
}

fn in_paths(regular: &Regular, graph: &Graph, diagnostics: &mut Diagnostics) {
    match regular {
        Regular::Nil => {}
        Regular::Action(action) => in_action(action, graph, diagnostics),
        Regular::Then(first, second) | Regular::Either(first, second) => {
            in_paths(first, graph, diagnostics);
            in_paths(second, graph, diagnostics);
        }
        Regular::Star(part, _) | Regular::Plus(part, _) | Regular::Optional(part) => {
            in_paths(part, graph, diagnostics);
        }
    }
}

fn in_action(action: &Action, graph: &Graph, diagnostics: &mut Diagnostics) {
    let any = || graph.labels().iter().any(|label| fits(action, label));
    match action {
        Action::True | Action::False | Action::Internal => {}
        Action::Not(operand) => in_action(operand, graph, diagnostics),
        Action::Binary(_, left, right) => {
            in_action(left, graph, diagnostics);
            in_action(right, graph, diagnostics);
        }
        Action::Label(name) => {
            if !any() {
                let title = format!("no edge is labelled `{}`", name.text);
                let diagnostic = Diagnostic::warning("M0104", name.span, title).label("this fits nothing");
                let prefix = graph.labels().iter().find(|label| label.starts_with(&name.text));
                diagnostics.push(match closest(&name.text, graph.labels().iter().map(String::as_str)) {
                    Some(near) => diagnostic.help(format!("did you mean `\"{near}\"`?")),
                    None if prefix.is_some() => {
                        diagnostic.help(format!("`'{}.*'` fits all labels that begin so", name.text))
                    }
                    None => diagnostic.help("`narrows lts info` counts the labels of a graph"),
                });
            }
        }
        Action::Pattern(pattern) => {
            if !any() {
                let title = format!("no label matches `{}`", pattern.text);
                Diagnostic::warning("M0104", pattern.span, title)
                    .label("this fits nothing")
                    .note("an expression must match a whole label: `.*` stands for any text")
                    .emit(diagnostics);
            }
        }
    }
}
