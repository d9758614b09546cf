//! What was found out as a JSON document.

use narrows_model::{Case, Figure, Flow, Number};
use serde_json::{Map, Value, json};

use super::{Analysed, word};
use crate::Document;
use crate::figures::number_value;

impl<'a> Analysed<'a> {
    /// Writes everything as a JSON document: the answers of the study, then what was found out beside them.
    pub fn document(&self) -> Document<'a> {
        self.told(true)
    }

    /// Writes everything as a JSON document, with or without the runs behind figures.
    pub(super) fn told(&self, with_runs: bool) -> Document<'a> {
        let bottleneck = self.bottleneck;
        let answer = |figure: &'a Figure| self.figures.answer(figure, with_runs);
        let mut more: Vec<Document<'a>> = Vec::new();
        for overlap in &bottleneck.overlaps {
            more.extend(overlap.answers.iter().map(answer));
        }
        more.extend(bottleneck.utilisation.iter().flatten().map(answer));
        for flow in &bottleneck.flows {
            more.extend(flow.throughput.iter().map(answer));
            more.push(self.flow_value(flow).into());
        }
        let mut document = self.figures.with_more(with_runs, more);
        let resources = &bottleneck.resources;
        let names =
            |set: &Vec<usize>| set.iter().map(|number| json!(resources[*number].name)).collect::<Value>();
        let together = bottleneck.together.iter().map(|together| {
            json!({
                "view": together.view, "complete": together.is_complete,
                "sets": together.sets.iter().map(names).collect::<Value>(),
            })
        });
        document.insert("together", together.collect::<Value>());
        document
    }

    pub(super) fn flow_value(&self, flow: &Flow) -> Value {
        let mut entry = Map::new();
        let mut put = |key: &str, value: Value| _ = entry.insert(key.to_owned(), value);
        put("kind", json!("bottleneck"));
        put("name", json!(flow.event));
        if let Some(each) = flow.megabytes {
            put("megabytes_per_second", json!(each));
        }
        match &flow.bottleneck {
            Some(names) => put("verdict", json!(names.join(" + "))),
            None => {
                put("verdict", json!("undecided"));
                let reason = flow.throughput.iter().map(word).find(|reason| !reason.is_empty());
                put("reason", json!(reason.unwrap_or_else(|| "nothing is known about time".to_owned())));
            }
        }
        put("findings", json!(flow.findings));
        put("cases", flow.cases.iter().map(|case| self.case(case)).collect());
        let changes = flow.changes.iter().map(|change| {
            json!({
                "delay": change.delay, "view": change.view, "now": change.now, "less": change.less,
                "more": change.more, "elasticity": change.elasticity(),
            })
        });
        put("changes", changes.collect());
        if let Some(possible) = flow.mean_overlapped {
            put("mean_overlapped", json!(possible));
        }
        Value::Object(entry)
    }

    fn case(&self, case: &Case) -> Value {
        let resources = &self.bottleneck.resources;
        let name = |number: usize| resources.get(number).map_or("", |resource| resource.name.as_str());
        let number = |number: Number| number_value(number, Number::to_f64);
        let lanes = case.gantt.lanes.iter().enumerate().map(|(resource, bars)| {
            let bars: Value = bars.iter().map(|bar| json!([bar.from, bar.to])).collect();
            json!({ "resource": name(resource), "bars": bars })
        });
        let requests = case.gantt.requests.iter().map(|(name, bars)| {
            let bars: Value = bars.iter().map(|bar| json!([bar.from, bar.to])).collect();
            json!({ "latency": name, "bars": bars })
        });
        json!({
            "case": case.name,
            "throughput": number(case.throughput),
            "period": number(case.period),
            "count": case.count,
            "busy": case.busy.iter().enumerate().map(|(resource, part)| {
                json!({ "resource": name(resource), "part": number(*part) })
            }).collect::<Value>(),
            "work": case.work.iter().map(|work| json!({
                "process": work.process, "delays": work.delays, "time": number(work.time),
            })).collect::<Value>(),
            "all_overlapped": number(case.all_overlapped),
            "none_overlapped": number(case.none_overlapped),
            "critical": case.critical.iter().map(|link| json!({
                "delay": link.delay, "process": link.process, "part": number(link.part),
                "resources": link.resources.iter().map(|resource| json!(name(*resource))).collect::<Value>(),
            })).collect::<Value>(),
            "gantt": lanes.collect::<Value>(),
            "requests": requests.collect::<Value>(),
        })
    }
}
