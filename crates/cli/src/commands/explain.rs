//! `narrows explain`: what a message means and what to do.

use clap::Args;
use narrows_source::{Explanation, closest};

use crate::output;

/// Say what a message means and what to do
#[derive(Args)]
pub(crate) struct Arguments {
    /// The code of the message, such as P0104, or the name of a coherence table, such as mesi-a; without it, list all codes
    #[arg(value_name = "CODE")]
    code: Option<String>,
}

/// What the program itself has to say; languages have their own lists.
const EXPLANATIONS: &[Explanation] = &[
    Explanation {
        code: "N0001",
        title: "file can't be read",
        text: "A model file, or a folder of models, can't be opened.\n\n\
               Check the path. Names given to `narrows` are relative to the folder you are in; names in `#include` are \
               relative to the file that includes them, then to the folders given with `-I`.\n",
    },
    Explanation {
        code: "N0002",
        title: "not a model for sets of states",
        text: "`--engine symbolic` makes a finite set of variables of a model, and one step of each way through an atomic \
               sequence. It does not take priorities, hidden variables, `enabled()`, an ever growing number of processes, \
               or atomic sequences and `d_step`s whose loops have no end that is plain to see.\n\n\
               Leave `--engine symbolic` out: then states are visited one by one, and nothing of Promela is refused.\n",
    },
];

fn all() -> Vec<&'static Explanation> {
    let languages = narrows_languages::promela::messages::explanations();
    let others = narrows_lts::mu::EXPLANATIONS
        .iter()
        .chain(narrows_lts::linear::EXPLANATIONS)
        .chain(narrows_study::messages::explanations());
    let smv = narrows_languages::smv::messages::EXPLANATIONS;
    let lotos = narrows_languages::lotos::messages::EXPLANATIONS;
    let aut = narrows_languages::aut::messages::EXPLANATIONS;
    EXPLANATIONS.iter().chain(languages).chain(smv).chain(lotos).chain(aut).chain(others).collect()
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<u8> {
    let all = all();
    let Some(code) = &arguments.code else {
        for entry in all {
            output::print(&format!("{}  {}\n", entry.code, entry.title))?;
        }
        return Ok(0);
    };
    if let Some(entry) = all.iter().find(|entry| entry.code.eq_ignore_ascii_case(code)) {
        output::print(&format!("{}: {}\n\n{}\n", entry.code, entry.title, entry.text.trim_end()))?;
        return Ok(0);
    }
    if let Some(text) = narrows_study::coherence_table(code) {
        output::print(text)?;
        return Ok(0);
    }
    let hint = match closest(code, all.iter().map(|entry| entry.code)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`narrows explain` lists all codes".to_owned(),
    };
    output::error(&format!("there is no message with the code `{code}`; {hint}"));
    Ok(2)
}
