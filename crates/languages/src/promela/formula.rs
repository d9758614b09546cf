//! Formulas that stand beside a text, such as those given on the command line.

use std::rc::Rc;

use narrows_logic::Ctl;
use narrows_source::{Diagnostics, FileId, Sources, Span};

use super::ast::{CtlBlock, Ident, LtlBlock, Program, Unit};
use super::parser::{Context, parse_ctl_text, parse_expression_text, parse_formula_text};
use crate::{Formula, Logic};

/// Parses formulas, and adds them to the program as if its text had them at its end.
pub(super) fn append(
    program: &mut Program,
    context: &Context,
    sources: &mut Sources,
    formulas: &[Formula],
    diagnostics: &mut Diagnostics,
) {
    for Formula { logic, text, origin } in formulas {
        // The parser adds the text to the sources.
        let file = FileId(sources.files().count() as u32);
        let head = Span::new(file, 0, text.len());
        let name: Rc<str> = text.split_whitespace().collect::<Vec<_>>().join(" ").into();
        let name = Ident { name, span: head };
        let unit = match logic {
            Logic::Ltl => parse_formula_text(sources, origin, text, context, diagnostics)
                .map(|formula| Unit::Ltl(LtlBlock { name: Some(name), formula, head })),
            Logic::Ctl => parse_ctl_text(sources, origin, text, context, diagnostics)
                .map(|formula| Unit::Ctl(CtlBlock { name, formula, head })),
            // It is refused before.
            Logic::Mu => None,
            Logic::Expression => parse_expression_text(sources, origin, text, context, diagnostics)
                .map(|expr| Unit::Ctl(CtlBlock { name, formula: Ctl::Atom(expr), head })),
        };
        program.units.extend(unit);
    }
}
