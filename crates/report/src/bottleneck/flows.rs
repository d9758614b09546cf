//! What was found out about an event, for pages that draw it themselves.

use narrows_model::Flow;
use serde_json::{Value, json};

use super::{Analysed, levels};
use crate::figures::result_text;

impl Analysed<'_> {
    /// Writes what was found out about an event, with its throughputs as texts, and as levels to compare.
    pub fn flow_document(&self, flow: &Flow) -> Value {
        let mut entry = self.flow_value(flow);
        let told = |figure| result_text(figure, self.figures.digits());
        entry["throughput"] = flow.throughput.iter().map(told).collect();
        let levels = levels(flow, self.figures.digits).into_iter().map(|level| {
            json!({ "name": level.name, "value": level.value, "text": level.text, "meaning": level.meaning })
        });
        entry["levels"] = levels.collect();
        entry
    }
}
