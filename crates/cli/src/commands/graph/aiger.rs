//! `narrows graph model.smv -o model.aag`: a synchronous model as a circuit, for other programs.

use std::path::Path;

use anyhow::Context;
use narrows::{AigerForm, circuit};
use narrows_report::count;
use serde_json::json;

use super::Arguments;
use crate::output;

/// Returns the form that the name of a file asks for.
pub(super) fn form(path: &Path) -> Option<AigerForm> {
    match path.extension()?.to_str()? {
        "aag" => Some(AigerForm::Text),
        "aig" => Some(AigerForm::Binary),
        _ => None,
    }
}

/// Writes a model to a file.
pub(super) fn run(arguments: &Arguments, path: &Path, form: AigerForm) -> anyhow::Result<u8> {
    arguments.models.each(&[], |model| {
        let file = circuit(model, form)
            .map_err(|refusal| anyhow::anyhow!("{}: use a name with .aut, .dot or .svg", refusal.reason))?;
        std::fs::write(path, &file.bytes).with_context(|| format!("can't write `{}`", path.display()))?;
        if !file.left_out.is_empty() {
            output::warning(&format!(
                "only invariants and faults are written as bad states; left out: {}",
                file.left_out.join(", ")
            ));
        }
        let counts = [("input", file.inputs), ("latch", file.latches), ("gate", file.gates)];
        let said = || {
            let bad = count(file.bad.len() as u64, "bad state");
            let latches = if file.latches == 1 { "latch" } else { "latches" };
            format!(
                "{}: {}, {} {latches}, {}, {bad}\n",
                path.display(),
                count(file.inputs as u64, "input"),
                file.latches,
                count(file.gates as u64, "gate")
            )
        };
        let document = || {
            let mut document = super::head(&model.name);
            document["complete"] = json!(file.left_out.is_empty());
            document["file"] = json!(path.display().to_string());
            document["bad"] = json!(file.bad);
            document["left_out"] = json!(file.left_out);
            for (thing, number) in counts {
                let plural = if thing == "latch" { "latches".to_owned() } else { format!("{thing}s") };
                document[plural] = json!(number);
            }
            document
        };
        arguments.models.say(0, said, || document().into())
    })
}
