//! Numbers of graphs with rates: in the long run, at given times, and on the way to a target.

use std::fmt::Write;

use narrows_model::decimals::{certain, told_above, told_below};
use narrows_source::csv_cell;
use serde_json::{Value, json};

use crate::json::with_head;
use crate::units::WIDEST;

/// What is not below the first number and not above the second.
pub type Bounds = (f64, f64);

/// A number with a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranged {
    /// What it is called.
    pub name: String,
    /// With equally likely choices.
    pub even: Bounds,
    /// The least and the greatest over all schedulers, if there are choices.
    pub open: Option<[Bounds; 2]>,
}

/// How likely states of a graph are, by their numbers.
pub type StateProbabilities = Vec<(u32, f64, Bounds)>;

/// How often actions happen in the long run.
#[derive(Clone, Debug, PartialEq)]
pub struct LongRun {
    /// How many states are reached.
    pub states: usize,
    /// In how many of them no time passes.
    pub vanishing: usize,
    /// How often each action happens.
    pub throughputs: Vec<Ranged>,
    /// How likely each state is, if that was asked.
    pub distribution: Option<StateProbabilities>,
}

/// How often actions happen at given times.
#[derive(Clone, Debug, PartialEq)]
pub struct AtTimes {
    /// Whether choices were taken as equally likely.
    pub has_choices: bool,
    /// The actions.
    pub actions: Vec<String>,
    /// What holds at each time.
    pub times: Vec<AtTime>,
}

/// What holds at one time.
#[derive(Clone, Debug, PartialEq)]
pub struct AtTime {
    /// The time.
    pub time: f64,
    /// How often each action happens.
    pub throughputs: Vec<Bounds>,
    /// How likely each state is, and how far all of these may be off together, if that was asked.
    pub distribution: Option<(StateProbabilities, f64)>,
}

/// How likely a target is reached, when, and what is gained on the way.
#[derive(Clone, Debug, PartialEq)]
pub struct OnTheWay {
    /// How many states come before the target.
    pub states: usize,
    /// In how many of them no time passes.
    pub vanishing: usize,
    /// Whether steps are counted, and not time.
    pub is_discrete: bool,
    /// What was asked, with the time before which the target is to be reached, and what came out.
    pub reached: Vec<(Option<f64>, Ranged)>,
}

impl LongRun {
    /// Writes what came out for people.
    pub fn text(&self, graph: &str, digits: usize) -> String {
        let mut text = format!(
            "{graph}\n  {} states are reached; in {} of them no time passes\n\n",
            self.states, self.vanishing
        );
        if self.throughputs.is_empty() {
            text += "  no rate has an action\n";
        } else {
            let names = ["action", "throughput"];
            text += &ranged_table("action", Some(names), self.throughputs.iter(), digits);
        }
        if let Some(distribution) = &self.distribution {
            let _ = write!(text, "\n{}", state_table(distribution, digits));
        }
        text
    }

    /// Writes all digits as comma-separated values.
    pub fn csv(&self) -> String {
        let mut text = format!("value,{}\n", names(self.throughputs.iter().map(|one| &one.name)));
        let mut row = |name: &str, of: &dyn Fn(&Ranged) -> Option<f64>| {
            let found: Option<Vec<f64>> = self.throughputs.iter().map(of).collect();
            if let Some(found) = found {
                let _ = writeln!(text, "{name},{}", numbers(found));
            }
        };
        row("low", &|one| Some(told_below(one.even.0)));
        row("high", &|one| Some(told_above(one.even.1)));
        if self.has_choices() {
            row("least low", &|one| Some(told_below(one.open?[0].0)));
            row("least high", &|one| Some(told_above(one.open?[0].1)));
            row("greatest low", &|one| Some(told_below(one.open?[1].0)));
            row("greatest high", &|one| Some(told_above(one.open?[1].1)));
        }
        if let Some(distribution) = &self.distribution {
            text += "\nstate,probability,low,high\n";
            for (state, share, (low, high)) in distribution {
                let (low, high) = (told_below(*low), told_above(*high));
                let _ = writeln!(text, "{state},{share:e},{low:e},{high:e}");
            }
        }
        text
    }

    /// Returns what came out as JSON.
    pub fn document(&self, graph: &str) -> Value {
        let throughput = |one: &Ranged| one.value("action", &one.name);
        let mut content = json!({
            "states": self.states,
            "vanishing": self.vanishing,
            "choices": self.has_choices(),
            "throughputs": self.throughputs.iter().map(throughput).collect::<Value>(),
            "answers": [],
        });
        if let Some(distribution) = &self.distribution {
            content["distribution"] = state_values(distribution);
        }
        with_head(graph, content)
    }

    fn has_choices(&self) -> bool {
        self.throughputs.iter().any(|one| one.open.is_some())
    }
}

impl AtTimes {
    /// Writes what came out for people.
    pub fn text(&self, graph: &str, digits: usize) -> String {
        let mut rows = vec![vec!["time".to_owned()]];
        rows[0].extend(self.actions.iter().cloned());
        for AtTime { time, throughputs, .. } in &self.times {
            let mut row = vec![time.to_string()];
            row.extend(throughputs.iter().map(|(low, high)| certain(*low, *high, digits)));
            rows.push(row);
        }
        let mut text = format!("{graph}\n{}", align(&rows));
        for AtTime { time, distribution, .. } in &self.times {
            if let Some((distribution, _)) = distribution {
                let _ = write!(text, "\n  at time {time}\n{}", state_table(distribution, digits));
            }
        }
        text
    }

    /// Writes all digits as comma-separated values.
    pub fn csv(&self) -> String {
        let mut text = format!("time,value,{}\n", names(self.actions.iter()));
        for AtTime { time, throughputs, .. } in &self.times {
            let _ =
                writeln!(text, "{time},low,{}", numbers(throughputs.iter().map(|(low, _)| told_below(*low))));
            let _ = writeln!(
                text,
                "{time},high,{}",
                numbers(throughputs.iter().map(|(_, high)| told_above(*high)))
            );
        }
        let known = self.times.iter().filter_map(|at| Some((at.time, &at.distribution.as_ref()?.0)));
        for (number, (time, distribution)) in known.enumerate() {
            if number == 0 {
                text += "\ntime,state,probability,low,high\n";
            }
            for (state, share, (low, high)) in distribution {
                let (low, high) = (told_below(*low), told_above(*high));
                let _ = writeln!(text, "{time},{state},{share:e},{low:e},{high:e}");
            }
        }
        text
    }

    /// Returns what came out as JSON.
    pub fn document(&self, graph: &str) -> Value {
        let moment = |at: &AtTime| {
            let of = |(action, (low, high)): (&String, &Bounds)| {
                let (low, high) = (told_below(*low), told_above(*high));
                json!({ "action": action, "low": low, "high": high })
            };
            let throughputs: Value = self.actions.iter().zip(&at.throughputs).map(of).collect();
            let mut value = json!({ "time": at.time, "throughputs": throughputs });
            if let Some((distribution, error)) = &at.distribution {
                value["distribution"] = state_values(distribution);
                value["error"] = json!(error);
            }
            value
        };
        let moments: Value = self.times.iter().map(moment).collect();
        with_head(graph, json!({ "choices": self.has_choices, "moments": moments, "answers": [] }))
    }
}

impl OnTheWay {
    /// Writes what came out for people.
    pub fn text(&self, graph: &str, digits: usize) -> String {
        let rows = self.reached.iter().map(|(_, found)| found);
        format!(
            "{graph}\n  {} states come before the target; in {} of them no time passes\n\n{}",
            self.states,
            self.vanishing,
            ranged_table("", None, rows, digits)
        )
    }

    /// Writes all digits as comma-separated values.
    pub fn csv(&self) -> String {
        let mut text = "value,low,high,least low,least high,greatest low,greatest high\n".to_owned();
        for (_, found) in &self.reached {
            let all = std::iter::once(found.even).chain(found.open.into_iter().flatten());
            let ends = all.flat_map(|(low, high)| [told_below(low), told_above(high)]);
            let _ = writeln!(text, "{},{}", csv_cell(&found.name), numbers(ends));
        }
        text
    }

    /// Returns what came out as JSON.
    pub fn document(&self, graph: &str) -> Value {
        let one = |(before, found): &(Option<f64>, Ranged)| {
            let kind = found.name.split(" before ").next().unwrap_or_default();
            let mut value = found.value("kind", &kind.replace(' ', "_"));
            if let Some(before) = before {
                value["before"] = json!(before);
            }
            value
        };
        let content = json!({
            "states": self.states,
            "vanishing": self.vanishing,
            "discrete": self.is_discrete,
            "choices": self.reached.iter().any(|(_, found)| found.open.is_some()),
            "reached": self.reached.iter().map(one).collect::<Value>(),
            "answers": [],
        });
        with_head(graph, content)
    }
}

impl Ranged {
    fn value(&self, key: &str, name: &str) -> Value {
        let mut value = json!({ key: name, "uniform": ends(self.even) });
        if let Some([least, greatest]) = self.open {
            value["least"] = ends(least);
            value["greatest"] = ends(greatest);
        }
        value
    }
}

/// Writes a table of numbers. Where there are choices, it has three columns; where there are none, the names
/// of its columns may be left out.
fn ranged_table<'r>(
    what: &str,
    names: Option<[&str; 2]>,
    rows: impl Iterator<Item = &'r Ranged> + Clone,
    digits: usize,
) -> String {
    let has_choices = rows.clone().any(|row| row.open.is_some());
    let open = has_choices.then(|| vec![what, "least", "greatest", "choices alike"]);
    let head = open.or_else(|| names.map(|names| names.to_vec()));
    let mut table: Vec<Vec<String>> =
        head.into_iter().map(|row| row.into_iter().map(str::to_owned).collect()).collect();
    for row in rows {
        let all = row.open.into_iter().flatten().chain([row.even]);
        let cells = all.map(|(low, high)| certain(low, high, digits));
        table.push(std::iter::once(row.name.clone()).chain(cells).collect());
    }
    align(&table)
}

fn state_table(distribution: &StateProbabilities, digits: usize) -> String {
    let mut rows = vec![vec!["state".to_owned(), "probability".to_owned()]];
    let row =
        |(state, _, (low, high)): &(u32, f64, Bounds)| vec![state.to_string(), certain(*low, *high, digits)];
    rows.extend(distribution.iter().map(row));
    align(&rows)
}

fn state_values(distribution: &StateProbabilities) -> Value {
    let one = |(state, share, (low, high)): &(u32, f64, Bounds)| {
        let (low, high) = (told_below(*low), told_above(*high));
        json!({ "state": state, "probability": share, "low": low, "high": high })
    };
    distribution.iter().map(one).collect()
}

fn ends((low, high): Bounds) -> Value {
    let end = |number: f64| if number.is_infinite() { json!("infinity") } else { json!(number) };
    json!({ "low": end(told_below(low)), "high": end(told_above(high)) })
}

fn names<'n>(names: impl Iterator<Item = &'n String>) -> String {
    names.map(|name| csv_cell(name)).collect::<Vec<_>>().join(",")
}

fn numbers(numbers: impl IntoIterator<Item = f64>) -> String {
    numbers.into_iter().map(|number| format!("{number:e}")).collect::<Vec<_>>().join(",")
}

/// Puts columns below each other.
fn align(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0).min(WIDEST)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        let _ = writeln!(text, "  {}", cells.collect::<Vec<_>>().join("  ").trim_end());
    }
    text
}
