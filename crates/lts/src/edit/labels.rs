//! Labels that become internal, or others.

use regex::{Regex, RegexBuilder};

use crate::error::ExpressionError;
use crate::graph::{Builder, Graph};
use crate::label::{INTERNAL, Label, LabelTiming};

/// A regular expression for whole texts.
#[derive(Clone, Debug)]
pub struct Pattern(Regex);

impl Pattern {
    /// Reads an expression, as the crate `regex` describes them; the error says what is wrong.
    pub fn new(text: &str) -> Result<Pattern, ExpressionError> {
        // Where the expression is wrong is shown without what stands round it.
        Regex::new(text)?;
        let whole = RegexBuilder::new(&format!("^(?:{text})$")).dot_matches_new_line(true).build();
        Ok(Pattern(whole?))
    }
}

/// Some labels, chosen by their actions.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// Actions as they are, or their gates.
    pub names: Vec<String>,
    /// Expressions that whole actions fit.
    pub patterns: Vec<Pattern>,
    /// Whether all others are meant.
    pub all_but: bool,
}

impl Choice {
    fn has(&self, action: &str) -> bool {
        let is_named = self.names.iter().any(|name| name == action || name == super::gate(action));
        (is_named || self.patterns.iter().any(|pattern| pattern.0.is_match(action))) != self.all_but
    }
}

/// What labels become that fit an expression.
#[derive(Clone, Debug)]
pub struct Rule {
    /// An expression for whole labels.
    pub pattern: Pattern,
    /// What they become; `$1` stands for what the first group fits.
    pub replacement: String,
}

/// Makes actions internal; of labels with rates or probabilities, these remain.
pub fn hide(graph: &Graph, choice: &Choice) -> Graph {
    relabel(graph, |text| {
        let Ok(label) = Label::parse(text) else { return text.to_owned() };
        match label {
            Label { action: Some(action), timing, .. } if choice.has(action) => match timing {
                LabelTiming::Immediate => INTERNAL.to_owned(),
                // What comes after the last `;` is the timing.
                _ => text.rsplit_once(';').map_or(text, |(_, timing)| timing.trim()).to_owned(),
            },
            _ => text.to_owned(),
        }
    })
}

/// Gives labels other texts, by the first rule that fits.
pub fn rename(graph: &Graph, rules: &[Rule]) -> Graph {
    relabel(graph, |text| match rules.iter().find(|rule| rule.pattern.0.is_match(text)) {
        Some(rule) => rule.pattern.0.replace(text, rule.replacement.as_str()).into_owned(),
        None => text.to_owned(),
    })
}

fn relabel(graph: &Graph, new: impl Fn(&str) -> String) -> Graph {
    let mut builder = Builder::new(graph.initial(), graph.edges().len());
    let labels: Vec<u32> = graph.labels().iter().map(|text| builder.label(&new(text))).collect();
    for (from, edge) in graph.all_edges() {
        builder.edge(from, labels[edge.label as usize], edge.target);
    }
    builder.states(graph.states());
    // It is no larger than what there was.
    builder.build().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{Choice, Pattern, Rule, hide, rename};
    use crate::aut;

    const TEXT: &str =
        "des (0, 4, 2)\n(0, \"PUT !1\", 1)\n(1, GET, 0)\n(1, \"GET; rate 2\", 0)\n(1, \"rate 2\", 0)";

    fn hidden(choice: &Choice) -> Vec<String> {
        hide(&aut::read(TEXT).unwrap(), choice).labels().to_vec()
    }

    #[test]
    fn actions_are_hidden() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let named = Choice { names: names(&["PUT"]), ..Choice::default() };
        assert_eq!(hidden(&named), ["i", "GET", "GET; rate 2", "rate 2"]);
        let others = Choice { names: names(&["PUT !1"]), all_but: true, ..Choice::default() };
        assert_eq!(hidden(&others), ["PUT !1", "i", "rate 2"]);
        let pattern = Choice { patterns: vec![Pattern::new("G|G.*|P").unwrap()], ..Choice::default() };
        assert_eq!(hidden(&pattern), ["PUT !1", "i", "rate 2"]);
    }

    #[test]
    fn labels_are_renamed() {
        let rule = |pattern, replacement: &str| Rule {
            pattern: Pattern::new(pattern).unwrap(),
            replacement: replacement.to_owned(),
        };
        let rules = [rule("PUT !(.*)", "SEND $1; rate $1"), rule("G", "H"), rule("GET", "i")];
        let graph = rename(&aut::read(TEXT).unwrap(), &rules);
        assert_eq!(graph.labels(), ["SEND 1; rate 1", "i", "GET; rate 2", "rate 2"]);
        assert_eq!((graph.states(), graph.edges().len()), (2, 4));
    }
}
