//! Holds the page *What can be asked of what* to what engines say they accept.
//!
//! `UPDATE_DOCS=1 cargo test -p narrows-tests --test capabilities` writes the tables into the page.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

use narrows::{
    Capability, CommandCapability, Formula, Logic, Model, NoFiles, Options, automatic_engine, capabilities,
    command_capabilities, engines, engines_for, read, study_capabilities,
};

/// The tables stand behind this line.
const MARK: &str = "<!-- written by tests/tests/capabilities.rs -->\n";

const PROMELA: &str = "\
byte x;
chan c = [1] of { byte };
trace { do :: c!1; c?1 od }
ltl small { <> (x < 3) }
active proctype P() {
end: do :: c!1; accept: c?x; progress: assert(x == 1) od
}
never { do :: x == 2 -> break :: true od }
";

const SMV: &str = "\
MODULE main
VAR x : boolean;
ASSIGN init(x) := FALSE; next(x) := !x;
INVARSPEC x | !x;
LTLSPEC G F x;
CTLSPEC AG (x -> AF !x);
CTLSPEC AG EF x;
COMPUTE MIN [!x, x];
";

const LOTOS: &str =
    "specification s [a] : noexit behaviour p [a] where process p [a] : noexit := a; p [a] endproc endspec";

const AUT: &str = "des (0, 1, 1)\n(0, \"a\", 0)\n";

fn model(name: &str, text: &str, formulas: &[(Logic, &str)]) -> Model {
    let formula = |(logic, text): &(Logic, &str)| Formula {
        logic: *logic,
        text: (*text).to_owned(),
        origin: "formula".to_owned(),
    };
    let options = Options { formulas: formulas.iter().map(formula).collect(), ..Options::default() };
    read(name, text.to_owned(), &NoFiles, &options).unwrap_or_else(|wrong| panic!("{wrong:?}")).model
}

/// A small model in each language, with every kind of question that can be asked of it.
fn models() -> Vec<Model> {
    let labels = [(Logic::Mu, "[true*] <true> true"), (Logic::Ltl, "[] <> a")];
    vec![
        model("model.pml", PROMELA, &[(Logic::Ctl, "AG EF (x == 1)")]),
        model("model.smv", SMV, &[]),
        model("model.lotos", LOTOS, &labels),
        model("model.aut", AUT, &labels),
    ]
}

/// Writes the tables of a model: who takes which question, and which questions with an option.
fn tables(model: &Model) -> String {
    let list = capabilities(model);
    let (names, others) = engines_for(model);
    let mut reasons: Vec<&str> = Vec::new();
    let lines = "---|".repeat(names.len());
    let mut text = format!("## {}\n\n| question | {} |\n|---|{lines}\n", model.language, names.join(" | "));
    let is_named = |one: &&Capability| names.contains(&one.engine);
    for row in list.chunks(engines().len()).filter(|row| row[0].option.is_empty()) {
        let _ = write!(text, "| `{}`{} |", row[0].question, named(&row[0]));
        for cell in row.iter().filter(is_named) {
            let _ = write!(text, " {} |", told(cell, &mut reasons));
        }
        text.push('\n');
    }
    let _ = write!(text, "\n| option | {} |\n|---|{lines}\n", names.join(" | "));
    let mut options: Vec<&str> = list.iter().map(|one| one.option).filter(|one| !one.is_empty()).collect();
    options.dedup();
    for option in options {
        let _ = write!(text, "| `{option}` |");
        for engine in &names {
            let of_engine = |one: &&Capability| one.engine == *engine;
            let taken: Vec<&Capability> =
                list.iter().filter(|one| one.option.is_empty()).filter(of_engine).collect();
            let with: Vec<&Capability> =
                list.iter().filter(|one| one.option == option).filter(of_engine).collect();
            let is_taken = |one: &&&Capability| one.refusal.is_none();
            let cell = match with.iter().filter(is_taken).count() {
                0 => told(with[0], &mut reasons),
                some if some == taken.iter().filter(is_taken).count() => "yes".to_owned(),
                _ => {
                    let kinds: Vec<String> =
                        with.iter().filter(is_taken).map(|one| format!("`{}`", one.question)).collect();
                    format!("for {}", kinds.join(", "))
                }
            };
            let _ = write!(text, " {cell} |");
        }
        text.push('\n');
    }
    text.push('\n');
    for (number, reason) in reasons.iter().enumerate() {
        let _ = writeln!(text, "{}. {reason}", number + 1);
    }
    let others: Vec<String> = others.iter().map(|name| format!("`{name}`")).collect();
    let automatic = automatic_engine(model);
    let _ = writeln!(
        text,
        "\nWithout `--engine`: `{automatic}`. For models in other languages only: {}.",
        others.join(", ")
    );
    text
}

/// Writes the table of the questions of studies: in which views each is answered.
fn study_table() -> String {
    let list = study_capabilities();
    let mut reasons: Vec<&str> = Vec::new();
    let mut text =
        "## Questions of studies\n\n| question | Promela | SMV | LOTOS, AUT |\n|---|---|---|---|\n"
            .to_owned();
    for row in list.chunks(3) {
        let with = if row[0].with.is_empty() { String::new() } else { format!(", `{}`", row[0].with) };
        let _ = write!(text, "| `{}`{with} |", row[0].question);
        for one in row {
            let is_verdict =
                ["ltl", "ctl", "mu", "invariant", "deadlock", "equivalence", "size"].contains(&one.question);
            let cell = match (one.views.as_slice(), one.refusals.first()) {
                ([], Some(reason)) => format!("no ({})", number_of(reason, &mut reasons)),
                (_, _) if is_verdict => "yes".to_owned(),
                (views, _) => views.join(", "),
            };
            let _ = write!(text, " {cell} |");
        }
        text.push('\n');
    }
    text.push('\n');
    for (number, reason) in reasons.iter().enumerate() {
        let _ = writeln!(text, "{}. {reason}", number + 1);
    }
    text
}

/// Writes the table of commands that not every model is for.
fn command_table() -> String {
    let models = models();
    let languages: Vec<&str> = models.iter().map(|model| model.language).collect();
    let mut text = format!(
        "## Commands\n\n| command | {} |\n|---|{}\n",
        languages.join(" | "),
        "---|".repeat(models.len())
    );
    let lists: Vec<Vec<CommandCapability>> = models.iter().map(command_capabilities).collect();
    let mut reasons: Vec<&str> = Vec::new();
    for (number, one) in lists[0].iter().enumerate() {
        let _ = write!(text, "| `{}` |", one.command);
        for list in &lists {
            let cell = match &list[number].refusal {
                None => "yes".to_owned(),
                Some(reason) => format!("no ({})", number_of(reason, &mut reasons)),
            };
            let _ = write!(text, " {cell} |");
        }
        text.push('\n');
    }
    text.push('\n');
    for (number, reason) in reasons.iter().enumerate() {
        let _ = writeln!(text, "{}. {reason}", number + 1);
    }
    text
}

fn named(one: &Capability) -> String {
    if one.name.is_empty() { String::new() } else { format!(", such as `{}`", one.name) }
}

/// Says yes, or the number of the reason why not.
fn told<'c>(one: &'c Capability, reasons: &mut Vec<&'c str>) -> String {
    match &one.refusal {
        None => "yes".to_owned(),
        Some(reason) => format!("no ({})", number_of(reason, reasons)),
    }
}

fn number_of<'c>(reason: &'c str, reasons: &mut Vec<&'c str>) -> usize {
    let known = reasons.iter().position(|other| *other == reason);
    known.map_or_else(
        || {
            reasons.push(reason);
            reasons.len()
        },
        |place| place + 1,
    )
}

#[test]
fn the_page_says_what_engines_accept() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/src/reference/capabilities.md");
    let page = fs::read_to_string(&path).expect("the page");
    let (before, written) = page.split_once(MARK).expect("the page has a mark");
    let mut now: Vec<String> = models().iter().map(|model| format!("\n{}", tables(model))).collect();
    now.push(format!("\n{}\n{}", study_table(), command_table()));
    let now = now.concat();
    if env::var_os("UPDATE_DOCS").is_some() && written != now {
        fs::write(&path, format!("{before}{MARK}{now}")).expect("the page can be written");
    }
    assert!(written == now, "the page differs from what engines accept: UPDATE_DOCS=1 writes\n{now}");
}

/// Every kind of question that a language has is in the table, and each is taken by some engine.
#[test]
fn every_kind_of_question_is_listed_and_taken() {
    let kinds = [
        ("Promela", "assertion deadlock fault accept progress ltl ctl never trace"),
        ("SMV", "deadlock invariant ltl ctl min_delay"),
        ("LOTOS", "deadlock mu ltl"),
        ("AUT", "deadlock mu ltl"),
    ];
    for (model, (language, kinds)) in models().iter().zip(kinds) {
        assert_eq!(model.language, language);
        let list = capabilities(model);
        let asked = model.questions();
        for kind in kinds.split(' ') {
            assert!(
                list.iter().any(|one| one.question == kind && one.refusal.is_none()),
                "{language}: {kind}: {asked:?}"
            );
        }
        for one in &list {
            assert!(
                kinds.split(' ').any(|kind| kind == one.question),
                "{language}: `{}` is new",
                one.question
            );
        }
    }
}
