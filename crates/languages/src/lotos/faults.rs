//! What is said when a model has no next steps because something has no value.

use narrows_model::ViolationKind;
use narrows_model::behaviour::Fault;
use narrows_source::Diagnostic;

/// Says what went wrong while states were visited.
pub fn fault(fault: &Fault) -> Diagnostic {
    let about = &fault.about;
    let error = |code, title: String| Diagnostic::error(code, fault.span, title);
    match fault.kind {
        ViolationKind::NoEquation => error("L0401", format!("no equation says what `{about}` is"))
            .help("add an equation for it, or a guard that keeps it from being asked for"),
        ViolationKind::EndlessRewriting => {
            error("L0402", format!("rewriting `{about}` does not come to an end"))
                .help("equations must lead to something simpler")
        }
        ViolationKind::EndlessSort => {
            error("L0403", format!("a value of sort {about} is to be chosen, and there is no end of them"))
                .help(
                    "bound numbers, with `[x le 7]` behind the offer or `-D Nat=7`; let a partner decide; \
                       or use a sort with finitely many values",
                )
        }
        ViolationKind::EndlessRecursion => {
            error("L0404", "processes call each other again and again without a step".to_owned())
                .help("put an action before the call, or a guard that is false at last")
        }
        ViolationKind::NumberTooLarge => error("L0405", format!("`{about}` is too large a number"))
            .note("natural numbers are below 2147483648"),
        ViolationKind::BelowZero => error("L0406", format!("`{about}` is below zero"))
            .help("natural numbers begin with 0: compare before you subtract"),
        ViolationKind::DivisionByZero => error("L0407", format!("`{about}` divides by zero")),
        ViolationKind::StateTooLarge if about.is_empty() => {
            error("L0409", "processes are nested too deeply".to_owned())
                .help("perhaps there is no end of them: each call here adds to the state")
        }
        _ => error("L0408", format!("values of `{about}` are nested too deeply"))
            .help("perhaps there is no end of them"),
    }
}
