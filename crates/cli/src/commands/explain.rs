//! `narrows explain`: what a message means and what to do.

use clap::Args;
use narrows_source::closest;

use crate::output;

/// Say what a message means and what to do
#[derive(Args)]
pub(crate) struct Arguments {
    /// The code of the message, such as P0104, or the name of a coherence table, such as mesi-a; without it,
    /// list all codes
    #[arg(value_name = "CODE")]
    code: Option<String>,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<u8> {
    let all = narrows::explanations();
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
