//! Holds the table of what is refused on a GPU, on the page *Search on a GPU*, to what is said then.
//!
//! `UPDATE_DOCS=1 cargo test --test gpu_refusals` writes the table into the page.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

use narrows::{
    CheckOptions, Choice, ExploreOptions, Formula, Logic, Lossy, Model, NoFiles, Options, engines, explore,
    read,
};
use narrows_explicit::{Budget, Engine, SearchScope, Unwatched, breadth_first_by_tables, labelled_by_tables};
use narrows_gpu::{Limits, Reference};
use narrows_model::{Evaluator, Question};

/// The table stands between these lines.
const BEGIN: &str = "<!-- written by tests/tests/gpu_refusals.rs -->\n";
const END: &str = "<!-- until here -->\n";

const PLAIN: &str = "bit x; active [2] proctype P() { do :: x = 1 - x od } ltl often { [] <> (x == 1) }";
const LOTOS: &str =
    "specification s [a] : noexit behaviour p [a] where process p [a] : noexit := a; p [a] endproc endspec";

fn model(name: &str, text: &str) -> Model {
    let formula =
        Formula { logic: Logic::Mu, text: "[true*] <true> true".to_owned(), origin: "formula".to_owned() };
    let formulas = if name.ends_with("lotos") { vec![formula] } else { Vec::new() };
    let options = Options { formulas, ..Options::default() };
    read(name, text.to_owned(), &NoFiles, &options).unwrap_or_else(|wrong| panic!("{wrong:?}")).model
}

/// Returns why a question of a model is refused, or an option of `check`.
fn refused_check(model: &Model, is_it: impl Fn(&Question) -> bool, options: &CheckOptions<'_>) -> String {
    let gpu = engines().into_iter().find(|engine| engine.name() == "gpu").expect("an engine");
    let question = model.questions().into_iter().find(is_it).expect("a question");
    gpu.accepts(model, &question, options).expect_err("a refusal").reason
}

fn any(_: &Question) -> bool {
    true
}

/// Returns why the states of a model are not visited. Whether there is a GPU matters to nobody before that.
fn refused_states(model: &Model, options: &ExploreOptions<'_>) -> String {
    let options = ExploreOptions { engine: Choice::Gpu, ..*options };
    let refused = explore(model, &options, &Budget::unlimited(Unwatched));
    refused.expect_err("a refusal").to_string()
}

/// Returns why a search by tables gives up.
fn given_up(model: &Model) -> String {
    let budget = Budget::unlimited(Unwatched);
    let scope = SearchScope::within(&budget);
    let mut device = Reference::new(Limits { memory: None });
    let found = match (model.processes(), model.labelled()) {
        (Some(system), _) => {
            let engine = Engine::interpreter(Evaluator::new(system));
            breadth_first_by_tables(&engine, &[], &scope, &mut device, 1000)
        }
        (None, Some(labelled)) => labelled_by_tables(&*labelled.system, &[], &scope, &mut device, 1000),
        (None, None) => panic!("nothing that tables are made of"),
    };
    found.expect_err("a refusal").reason
}

/// Everything that is refused: what it is, and what is said.
fn refusals() -> Vec<(&'static str, String)> {
    let states = |text: &str| refused_states(&model("model.pml", text), &ExploreOptions::default());
    let (plain, lotos) = (model("model.pml", PLAIN), model("model.lotos", LOTOS));
    let (check, visit) = (CheckOptions::default(), ExploreOptions::default());
    let is_property = |question: &Question| matches!(question, Question::Property { .. });
    let processor = refused_states(&plain, &ExploreOptions { reduce: true, ..visit });
    let lossy = Some(Lossy::Hashes);
    for other in [
        refused_states(&plain, &ExploreOptions { symmetry: true, ..visit }),
        refused_states(&plain, &ExploreOptions { lossy, ..visit }),
        refused_states(&lotos, &ExploreOptions { reduce: true, ..visit }),
        refused_check(&plain, any, &CheckOptions { fair: true, ..check }),
        refused_check(&plain, any, &CheckOptions { more_runs: 2, ..check }),
        refused_check(&plain, any, &CheckOptions { symmetry: true, ..check }),
        refused_check(&plain, any, &CheckOptions { lossy, ..check }),
    ] {
        assert_eq!(processor, other);
    }
    let wide = "active [43] proctype P() { byte x; do :: x = 1 :: x = 2 :: x = 3 :: x = 5 :: x = 6 :: x = 7 :: x = 8 od }";
    let whole =
        "int x; active [2] proctype P() { do :: x = (x * 7 + 1) % 30011 :: x = (x * 5 + 3) % 30011 od }";
    vec![
        (
            "temporal logic other than `[] p`, never claims, trace assertions, acceptance and progress",
            refused_check(&plain, is_property, &check),
        ),
        ("formulas about labels, of LOTOS models and graphs", refused_check(&lotos, is_property, &check)),
        (
            "`--reduce`, `--symmetry`, `--bitstate`, `--hash-compact`, `--checkpoint`, `--fair`, `--all`",
            processor,
        ),
        (
            "priorities",
            states("active proctype P() priority 2 { skip } active proctype Q() priority 3 { skip }"),
        ),
        ("`_last`", states("bit x; active proctype P() { do :: _last == 0 -> x = 1 - x od }")),
        ("hidden variables", states("hidden byte h; active proctype P() { do :: h = 1 :: h = 0 od }")),
        (
            "SMV models and circuits",
            refused_states(&model("model.smv", "MODULE main\nVAR x : boolean;\n"), &visit),
        ),
        ("states of too many bits", given_up(&model("model.pml", wide))),
        ("a row for every state, or nearly so", given_up(&model("model.pml", whole))),
    ]
}

#[test]
fn the_page_says_what_is_refused() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/src/howto/gpu.md");
    let page = fs::read_to_string(&path).expect("a page");
    let (before, rest) = page.split_once(BEGIN).expect("where the table begins");
    let (_, after) = rest.split_once(END).expect("where the table ends");
    let mut table = "| what | what is said |\n|---|---|\n".to_owned();
    for (what, reason) in refusals() {
        let _ = writeln!(table, "| {what} | {reason} |");
    }
    let expected = format!("{before}{BEGIN}\n{table}\n{END}{after}");
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, &expected).expect("the page is written");
    } else {
        assert_eq!(page, expected, "UPDATE_DOCS=1 cargo test --test gpu_refusals writes the table");
    }
}
