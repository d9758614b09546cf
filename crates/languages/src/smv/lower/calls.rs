//! Words and functions.

use narrows_model::synchronous::{ExprId, Operator};
use narrows_source::Diagnostic;

use super::scopes::ScopeId;
use super::sorts::Sort;
use super::wide_words::{LIMB, is_wide};
use super::{Lowering, Typed};
use crate::smv::MAX_BITS;
use crate::smv::ast::{Binary, Function, Id};

fn word(id: ExprId, width: u32, signed: bool) -> Typed {
    Typed { id, sort: Sort::Word { width, signed }, is_set: false }
}

impl Lowering<'_> {
    /// Takes some bits of a word.
    pub(super) fn bits(
        &mut self,
        of_word: Typed,
        width: u32,
        (high, low): (i128, i128),
        of: Id,
    ) -> Option<Typed> {
        if low < 0 || high < low || high >= i128::from(width) {
            let title = format!("the word has no bits {high} to {low}");
            let label = format!("it has bits {} to 0", width - 1);
            self.report(Diagnostic::error("V0215", self.tree.span(of), title).label(label));
            return None;
        }
        if is_wide(of_word.sort) {
            return self.wide_bits(of_word, (high as u32, low as u32));
        }
        let by = self.builder.constant(low);
        let shifted = self.builder.binary(Operator::ShiftRight, of_word.id, by);
        let width = (high - low + 1) as u32;
        Some(word(self.builder.wrap(shifted, width, false), width, false))
    }

    pub(super) fn word_operator(
        &mut self,
        operator: Binary,
        left: (Typed, Id),
        right: (Typed, Id),
    ) -> Option<Typed> {
        let Sort::Word { width, signed } = left.0.sort else {
            self.mismatch(self.tree.span(left.1), "a word", &left.0.sort.name(), None);
            return None;
        };
        let by = self.amount(right, width)?;
        let operator = if operator == Binary::ShiftLeft { Operator::ShiftLeft } else { Operator::ShiftRight };
        let id = self.builder.binary(operator, left.0.id, by);
        Some(word(self.builder.wrap(id, width, signed), width, signed))
    }

    pub(super) fn width_limit(&mut self, width: u32, at: Id) -> Option<()> {
        if width <= MAX_BITS {
            return Some(());
        }
        let title = format!("a word can't have {width} bits");
        let label = format!("1 to {MAX_BITS} bits are read");
        self.report(Diagnostic::error("V0210", self.tree.span(at), title).label(label));
        None
    }

    pub(super) fn call(
        &mut self,
        function: Function,
        arguments: &[Id],
        expr: Id,
        scope: ScopeId,
    ) -> Option<Typed> {
        let takes = match function {
            Function::Write => Some(3),
            Function::Extend
            | Function::Read
            | Function::ConstantArray
            | Function::Resize
            | Function::UnsignedConstant
            | Function::SignedConstant
            | Function::Least
            | Function::Greatest => Some(2),
            Function::Count => None,
            _ => Some(1),
        };
        if takes.is_some_and(|takes| takes != arguments.len()) {
            let title =
                format!("this function takes {} arguments, but gets {}", takes.unwrap_or(0), arguments.len());
            self.report(Diagnostic::error("V0204", self.tree.span(expr), title));
            return None;
        }
        if matches!(function, Function::Read | Function::Write | Function::ConstantArray) {
            return self.memory_function(function, arguments, scope);
        }
        let mut values = Vec::new();
        for argument in arguments {
            let typed = self.value(*argument, scope)?;
            self.single(typed, self.tree.span(*argument))?;
            values.push((typed, *argument));
        }
        let number = |id| Some(Typed { id, sort: Sort::Number, is_set: false });
        match function {
            Function::Count => {
                let mut sum = self.builder.constant(0);
                for (typed, argument) in values {
                    let id = self.boolean(typed, argument)?;
                    sum = self.builder.binary(Operator::Add, sum, id);
                }
                number(sum)
            }
            Function::Absolute => {
                let id = self.number(values[0].0, values[0].1)?;
                let (zero, negated) = (self.builder.constant(0), self.builder.negate(id));
                let is_negative = self.builder.binary(Operator::Less, id, zero);
                number(self.builder.choose(is_negative, negated, id))
            }
            Function::Least | Function::Greatest => {
                let (a, b) = (self.number(values[0].0, values[0].1)?, self.number(values[1].0, values[1].1)?);
                let is_less = self.builder.binary(Operator::Less, a, b);
                let (then, otherwise) = if function == Function::Least { (a, b) } else { (b, a) };
                number(self.builder.choose(is_less, then, otherwise))
            }
            Function::UnsignedConstant | Function::SignedConstant => {
                let value = self.constant(arguments[0], scope)?;
                let width = self.width_argument(arguments[1], scope)?;
                let id = self.builder.constant(value);
                let signed = function == Function::SignedConstant;
                if width > LIMB {
                    let narrow = word(self.builder.wrap(id, LIMB, true), LIMB, true);
                    let cast = if signed { Function::Signed } else { Function::Unsigned };
                    return self.wide_cast(narrow, cast, width);
                }
                Some(word(self.builder.wrap(id, width, signed), width, signed))
            }
            Function::Word1 => {
                let id = self.boolean(values[0].0, values[0].1)?;
                Some(word(id, 1, false))
            }
            Function::ToInt if !matches!(values[0].0.sort, Sort::Word { .. }) => {
                let id = if values[0].0.sort == Sort::Boolean {
                    values[0].0.id
                } else {
                    self.number(values[0].0, values[0].1)?
                };
                number(id)
            }
            Function::Bool if values[0].0.sort == Sort::Boolean => Some(values[0].0),
            Function::Bool if values[0].0.sort == Sort::Number => {
                let zero = self.builder.constant(0);
                let is_zero = self.builder.equal(values[0].0.id, zero);
                Some(Typed { id: self.builder.not(is_zero), sort: Sort::Boolean, is_set: false })
            }
            _ => self.word_function(function, values[0], arguments, scope),
        }
    }

    fn width_argument(&mut self, argument: Id, scope: ScopeId) -> Option<u32> {
        let width = self.constant(argument, scope)?;
        let width = u32::try_from(width).ok().filter(|width| *width > 0).unwrap_or(u32::MAX);
        self.width_limit(width, argument)?;
        Some(width)
    }

    /// Returns the width that a function gives a word, if one of both is wide; `None` within if that is
    /// wrong.
    #[expect(clippy::option_option, reason = "it does not apply, is wrong, or is so wide")]
    fn wide_target(
        &mut self,
        function: Function,
        width: u32,
        arguments: &[Id],
        scope: ScopeId,
    ) -> Option<Option<u32>> {
        let target = match function {
            Function::Signed | Function::Unsigned => Some(width),
            Function::Extend => {
                let more = self.constant(arguments[1], scope).and_then(|more| u32::try_from(more).ok());
                more.and_then(|more| width.checked_add(more)).filter(|width| *width <= MAX_BITS)
            }
            Function::Resize => {
                self.constant(arguments[1], scope).and_then(|width| u32::try_from(width).ok())
            }
            _ => return None,
        };
        let is_narrow = width <= LIMB && target.is_none_or(|target| target <= LIMB);
        if is_narrow {
            return None;
        }
        Some(target.filter(|width| (1..=MAX_BITS).contains(width)).or_else(|| {
            self.width_limit(u32::MAX, arguments[arguments.len() - 1]);
            None
        }))
    }

    fn word_function(
        &mut self,
        function: Function,
        (typed, argument): (Typed, Id),
        arguments: &[Id],
        scope: ScopeId,
    ) -> Option<Typed> {
        let Sort::Word { width, signed } = typed.sort else {
            self.mismatch(self.tree.span(argument), "a word", &typed.sort.name(), None);
            return None;
        };
        let id = typed.id;
        if let Some(target) = self.wide_target(function, width, arguments, scope) {
            return self.wide_cast(typed, function, target?);
        }
        if is_wide(typed.sort) && function == Function::Bool {
            let id = self.wide_truth(typed);
            return Some(Typed { id, sort: Sort::Boolean, is_set: false });
        }
        if is_wide(typed.sort) && function == Function::ToInt {
            let title = format!("a word of {width} bits can't be a number");
            let diagnostic = Diagnostic::error("V0210", self.tree.span(argument), title)
                .label("numbers have at most 64 bits")
                .help("take some bits of it with `[…:…]`");
            self.report(diagnostic);
            return None;
        }
        match function {
            Function::Bool => {
                let zero = self.builder.constant(0);
                let is_zero = self.builder.equal(id, zero);
                Some(Typed { id: self.builder.not(is_zero), sort: Sort::Boolean, is_set: false })
            }
            Function::Unsigned => Some(word(self.builder.wrap(id, width, false), width, false)),
            Function::Signed => Some(word(self.builder.wrap(id, width, true), width, true)),
            Function::ToInt => Some(Typed { id, sort: Sort::Number, is_set: false }),
            Function::SizeOf => {
                let id = self.builder.constant(i128::from(width));
                Some(Typed { id, sort: Sort::Number, is_set: false })
            }
            Function::Extend => {
                let more = self.constant(arguments[1], scope)?;
                let width =
                    u32::try_from(more).ok().and_then(|more| width.checked_add(more)).unwrap_or(u32::MAX);
                self.width_limit(width, arguments[1])?;
                Some(word(id, width, signed))
            }
            _ => {
                let new = self.width_argument(arguments[1], scope)?;
                if !signed || new >= width {
                    return Some(word(self.builder.wrap(id, new, signed), new, signed));
                }
                // A word with a sign keeps it, before its last bits.
                let (zero, sign) = (self.builder.constant(0), self.builder.constant(1 << (new - 1)));
                let last = if new == 1 { zero } else { self.builder.wrap(id, new - 1, false) };
                let below = self.builder.binary(Operator::Subtract, last, sign);
                let is_negative = self.builder.binary(Operator::Less, id, zero);
                Some(word(self.builder.choose(is_negative, below, last), new, signed))
            }
        }
    }
}
