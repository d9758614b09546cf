//! Formulas that tell states apart, each stored once, and how they are written.

use std::fmt::Write;

use rustc_hash::FxHashMap;

use crate::minimise::SILENT;

/// The number of a formula.
pub(super) type Id = u32;

/// A formula about a state. Labels are numbers; 0 is that of internal steps.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Formula {
    True,
    Not(Id),
    And(Vec<Id>),
    /// A step with this label leads to such a state.
    Step(u32, Id),
    /// A step with this label, and internal ones before and after, lead there.
    WeakStep(u32, Id),
    /// Internal steps through states of the first kind, and from such a state a step with this label, lead
    /// there. If it is the label of internal steps, no step at all may be enough: otherwise a state would be
    /// told from one that differs only by a cycle of internal steps, and behaves the same.
    Until(Id, u32, Id),
    /// Internal steps through states of this kind go on for ever.
    Diverges(Id),
}

/// The formula that holds everywhere.
pub(super) const TRUE: Id = 0;

/// Formulas, each once.
pub(super) struct Formulas {
    all: Vec<Formula>,
    numbers: FxHashMap<Formula, Id>,
    /// How long each is as text, about.
    lengths: Vec<usize>,
    labels: Vec<String>,
}

impl Formulas {
    pub(super) fn new(labels: Vec<String>) -> Formulas {
        let mut formulas =
            Formulas { all: Vec::new(), numbers: FxHashMap::default(), lengths: Vec::new(), labels };
        formulas.add(Formula::True);
        formulas
    }

    pub(super) fn get(&self, id: Id) -> &Formula {
        &self.all[id as usize]
    }

    /// Returns the text of a label.
    pub(super) fn label(&self, label: u32) -> &str {
        &self.labels[label as usize]
    }

    /// Returns the number of labels.
    pub(super) fn labels(&self) -> usize {
        self.labels.len()
    }

    /// Returns how many formulas there are.
    pub(super) fn count(&self) -> usize {
        self.all.len()
    }

    /// Returns about how long the text of a formula is.
    pub(super) fn length(&self, id: Id) -> usize {
        self.lengths[id as usize]
    }

    pub(super) fn add(&mut self, formula: Formula) -> Id {
        if let Some(id) = self.numbers.get(&formula) {
            return *id;
        }
        let of = |id: &Id| self.lengths[*id as usize];
        let name = |label: &u32| self.labels[*label as usize].len() + 10;
        let length = match &formula {
            Formula::True => 5,
            Formula::Not(inner) => of(inner),
            Formula::And(parts) => parts.iter().fold(2, |sum: usize, part| sum.saturating_add(of(part) + 5)),
            Formula::Step(label, then) | Formula::WeakStep(label, then) => {
                of(then).saturating_add(name(label))
            }
            Formula::Until(during, label, then) => {
                of(during).saturating_add(of(then)).saturating_add(name(label) + 20)
            }
            Formula::Diverges(during) => of(during).saturating_add(20),
        };
        let id = self.all.len() as Id;
        self.lengths.push(length.min(usize::MAX / 4));
        self.all.push(formula.clone());
        self.numbers.insert(formula, id);
        id
    }

    /// Returns the negation of a formula.
    pub(super) fn not(&mut self, id: Id) -> Id {
        match self.get(id) {
            Formula::Not(inner) => *inner,
            _ => self.add(Formula::Not(id)),
        }
    }

    /// Returns the formula that holds where all of these do.
    pub(super) fn and(&mut self, mut parts: Vec<Id>) -> Id {
        parts.retain(|part| *part != TRUE);
        parts.sort_unstable();
        parts.dedup();
        match parts[..] {
            [] => TRUE,
            [part] => part,
            _ => self.add(Formula::And(parts)),
        }
    }

    /// Writes a formula as in CADP's MCL.
    pub(super) fn text(&self, id: Id) -> String {
        let mut text = String::new();
        self.write(id, true, 1, &mut text);
        text
    }

    /// Writes a formula or its negation; `depth` is the number of the next variable.
    fn write(&self, id: Id, holds: bool, depth: u32, text: &mut String) {
        match self.get(id) {
            Formula::True => text.push_str(if holds { "true" } else { "false" }),
            Formula::Not(inner) => self.write(*inner, !holds, depth, text),
            Formula::And(parts) => {
                text.push('(');
                for (at, part) in parts.iter().enumerate() {
                    if at > 0 {
                        text.push_str(if holds { " and " } else { " or " });
                    }
                    self.write(*part, holds, depth, text);
                }
                text.push(')');
            }
            Formula::Step(label, then) => {
                text.push_str(&modal(holds, &self.action(*label)));
                self.write(*then, holds, depth, text);
            }
            Formula::WeakStep(label, then) => {
                let path =
                    if *label == 0 { "i*".to_owned() } else { format!("i* . {} . i*", self.action(*label)) };
                text.push_str(&modal(holds, &path));
                self.write(*then, holds, depth, text);
            }
            Formula::Until(TRUE, SILENT, then) => {
                text.push_str(&modal(holds, "i*"));
                self.write(*then, holds, depth, text);
            }
            Formula::Until(during, SILENT, then) => {
                let (sign, first, second) = if holds { ("mu", "or", "and") } else { ("nu", "and", "or") };
                let is_whole = open_fixpoint(text);
                let _ = write!(text, "{sign} X{depth} . (");
                self.write(*then, holds, depth + 1, text);
                let _ = write!(text, " {first} (");
                self.write(*during, holds, depth + 1, text);
                let _ = write!(text, " {second} {}X{depth}))", modal(holds, "i"));
                close_fixpoint(is_whole, text);
            }
            Formula::Until(TRUE, label, then) => {
                text.push_str(&modal(holds, &format!("i* . {}", self.action(*label))));
                self.write(*then, holds, depth, text);
            }
            Formula::Until(during, label, then) => {
                let (sign, first, second) = if holds { ("mu", "and", "or") } else { ("nu", "or", "and") };
                let is_whole = open_fixpoint(text);
                let _ = write!(text, "{sign} X{depth} . (");
                self.write(*during, holds, depth + 1, text);
                let _ = write!(text, " {first} ({}", modal(holds, &self.action(*label)));
                self.write(*then, holds, depth + 1, text);
                let _ = write!(text, " {second} {}X{depth}))", modal(holds, "i"));
                close_fixpoint(is_whole, text);
            }
            Formula::Diverges(TRUE) => text.push_str(if holds { "<i> @" } else { "[i] -|" }),
            Formula::Diverges(during) => {
                let (sign, first) = if holds { ("nu", "and") } else { ("mu", "or") };
                let is_whole = open_fixpoint(text);
                let _ = write!(text, "{sign} X{depth} . (");
                self.write(*during, holds, depth + 1, text);
                let _ = write!(text, " {first} {}X{depth})", modal(holds, "i"));
                close_fixpoint(is_whole, text);
            }
        }
    }

    fn action(&self, label: u32) -> String {
        if label == 0 {
            return "i".to_owned();
        }
        format!("\"{}\"", self.label(label).replace('\\', "\\\\").replace('"', "\\\""))
    }
}

/// Opens a parenthesis before a fixpoint that is a part: its body would take in the operators behind it.
fn open_fixpoint(text: &mut String) -> bool {
    let is_whole = text.is_empty();
    if !is_whole {
        text.push('(');
    }
    is_whole
}

fn close_fixpoint(is_whole: bool, text: &mut String) {
    if !is_whole {
        text.push(')');
    }
}

fn modal(holds: bool, path: &str) -> String {
    if holds { format!("<{path}> ") } else { format!("[{path}] ") }
}

#[cfg(test)]
mod tests {
    use super::{Formula, Formulas, TRUE};

    #[test]
    fn formulas_are_written_without_negations() {
        let mut formulas = Formulas::new(["i", "-", "a", "say \"b\""].map(str::to_owned).to_vec());
        let can = formulas.add(Formula::Step(3, TRUE));
        let never = formulas.not(can);
        let path = formulas.add(Formula::Until(never, 2, can));
        assert_eq!(
            formulas.text(path),
            r#"mu X1 . (["say \"b\""] false and (<"a"> <"say \"b\""> true or <i> X1))"#
        );
        let not = formulas.not(path);
        assert_eq!(
            formulas.text(not),
            r#"nu X1 . (<"say \"b\""> true or (["a"] ["say \"b\""] false and [i] X1))"#
        );
        let until = formulas.add(Formula::Until(TRUE, 2, never));
        let weak = formulas.add(Formula::WeakStep(0, until));
        let endless = formulas.add(Formula::Diverges(TRUE));
        let both = formulas.and(vec![weak, TRUE, endless, weak]);
        assert_eq!(formulas.text(both), r#"(<i*> <i* . "a"> ["say \"b\""] false and <i> @)"#);
        let neither = formulas.not(both);
        assert_eq!(formulas.text(neither), r#"([i*] [i* . "a"] <"say \"b\""> true or [i] -|)"#);
    }
}
