//! Reads what a study asks: questions, and what is expected of their answers.

use narrows_performance::{Time, as_f64, requests::Order};
use narrows_source::Span;
use toml::de::DeTable;

use super::quantity::{decimal, megabytes_per_second, time};
use super::read::written;
use super::table::{Reader, Value, listed};
use super::{
    Ask, Equivalence, Expect, Latency, LatencyKind, Question, ReachKind, SizePart, Study, Text, View,
};

const QUESTIONS: [&str; 30] = [
    "min_delay",
    "max_delay",
    "delay",
    "min_count",
    "max_count",
    "count",
    "makespan",
    "size",
    "throughput",
    "mean_period",
    "latency",
    "period",
    "duration",
    "miss_time",
    "utilisation",
    "mean_delay",
    "mean_count",
    "transient",
    "mean",
    "reward",
    "probability",
    "mean_time",
    "overlap",
    "bottleneck",
    "ltl",
    "ctl",
    "invariant",
    "deadlock",
    "mu",
    "equivalence",
];

/// All keys of a question.
pub(super) fn keys() -> Vec<&'static str> {
    let more = ["name", "view", "expect", "trend", "reference", "cell", "draw", "percentile", "each"];
    QUESTIONS.into_iter().chain(more).collect()
}

/// Returns whether something holds or fails.
fn is_verdict(question: &Question) -> bool {
    use Question::{Ctl, Deadlock, Equivalence, Invariant, Ltl, Mu};
    matches!(question, Ltl(_) | Ctl(_) | Mu(_) | Equivalence(_) | Invariant(_) | Deadlock)
}

impl Reader<'_> {
    pub(super) fn asks(&mut self, table: &DeTable<'_>, study: &mut Study) {
        let Some(value) = table.get("ask") else { return };
        let Some(list) = value.get_ref().as_array() else {
            self.wrong("S0002", self.span(value.span()), "questions stand under `[[ask]]`, one each");
            return;
        };
        for value in list {
            let Some(entry) = self.table(value, "`ask`") else { continue };
            let span = self.span(value.span());
            let Some(ask) = self.ask(entry, &study.unit, span) else { continue };
            self.trends(entry, &ask.question, study);
            if ask.cell.is_some() && study.asks.iter().any(|other| other.cell == ask.cell) {
                let place = entry.get("cell").map_or(span, |value| self.span(value.span()));
                self.wrong("S0006", place, "another question is shown in this cell");
            }
            study.asks.push(ask);
        }
    }

    /// Reads what should come out along a sweep, for the next question.
    fn trends(&mut self, entry: &DeTable<'_>, question: &Question, study: &mut Study) {
        let Some(list) = entry.get("trend").and_then(|value| self.table(value, "`trend`")) else { return };
        for (name, value) in list {
            let Some(word) = self.text(value, "a trend") else { continue };
            if !["increasing", "decreasing"].contains(&word.text.as_str()) {
                self.wrong("S0005", word.span, "a trend is `increasing` or `decreasing`");
            }
            let name = Text { text: name.get_ref().to_string(), span: self.span(name.span()) };
            if is_verdict(question) {
                self.wrong("S0020", name.span, "a verdict is not a number, and can't grow");
            }
            study.trends.push((study.asks.len(), name, word));
        }
    }

    fn ask(&mut self, entry: &DeTable<'_>, unit: &str, span: Span) -> Option<Ask> {
        self.check_keys(entry, &keys(), "a question");
        let given: Vec<&str> = QUESTIONS.into_iter().filter(|kind| entry.contains_key(*kind)).collect();
        let [kind] = given[..] else {
            let first = entry.keys().next().map_or(span, |key| self.span(key.span()));
            self.wrong("S0006", first, format!("a question is exactly one of {}", listed(&QUESTIONS)));
            return None;
        };
        let mut question = self.question(kind, entry.get(kind)?, unit)?;
        if let Some(value) = entry.get("percentile") {
            self.percentiles(value, &mut question);
        }
        let name = entry.get("name").and_then(|value| self.text(value, "`name`"));
        let asked = entry.get(kind).and_then(|value| value.get_ref().as_table());
        let anywhere = asked.is_some_and(|table| table.contains_key("within"));
        let describe = |question: &Question| {
            if anywhere { question.describe().replacen("from ", "within ", 1) } else { question.describe() }
        };
        let mut name = name.map_or_else(|| describe(&question), |name| name.text);
        // Alone it is called as among others.
        if let Question::Latency(latency) = &question
            && let ([percent], true) = (&latency.percentiles[..], latency.is_percentile)
        {
            name = format!("{name}, {percent} %");
        }
        let view = entry.get("view").and_then(|value| self.view(value));
        if is_verdict(&question) && view.is_some_and(|view| view != View::Untimed) {
            let place = entry.get("view").map_or(span, |value| self.span(value.span()));
            self.wrong(
                "S0020",
                place,
                "the answer does not depend on the delays: a view makes no difference",
            );
        }
        let expect = entry.get("expect").and_then(|value| {
            let expect = self.expect(value, unit)?;
            self.check_word(&question, &expect, self.span(value.span()));
            Some(expect)
        });
        let reference = entry.get("reference").and_then(|value| self.expect(value, unit));
        let cell = entry.get("cell").and_then(|value| self.cell(value));
        let draw = entry.get("draw").is_some_and(|value| value.get_ref().as_bool() == Some(true));
        let each = entry.get("each").and_then(|value| self.each(value, &question, unit));
        Some(Ask { question, name, anywhere, view, expect, reference, cell, draw, each, span })
    }

    /// Reads how much data each event is: its throughput is then a bandwidth.
    fn each(&mut self, value: &Value<'_>, question: &Question, unit: &str) -> Option<Text> {
        let name = self.text(value, "`each`")?;
        let amount = self.amounts.iter().find(|(known, _)| *known == name.text);
        let wrong = match (question, amount) {
            (Question::Throughput(_), Some((_, amount))) => {
                let is_known = megabytes_per_second(amount, unit).is_some();
                (!is_known).then(|| format!("how many `{unit}` are in a second is unknown"))
            }
            (Question::Throughput(_), None) => Some(format!("`[amount]` has no `{}`", name.text)),
            _ => Some("only a throughput has an amount of data for `each` event".to_owned()),
        };
        match wrong {
            None => Some(name),
            Some(wrong) => {
                self.wrong("S0005", name.span, wrong);
                None
            }
        }
    }

    /// Reads where a figure is shown: a table, a row and a column.
    fn cell(&mut self, value: &Value<'_>) -> Option<[String; 3]> {
        let names: Vec<String> = match value.get_ref().as_array() {
            Some(list) => list.iter().filter_map(|value| Some(self.text(value, "a name")?.text)).collect(),
            None => Vec::new(),
        };
        <[String; 3]>::try_from(names).ok().or_else(|| {
            let title = "`cell` needs three names: of a table, a row and a column";
            self.wrong("S0006", self.span(value.span()), title);
            None
        })
    }

    fn question(&mut self, kind: &str, value: &Value<'_>, unit: &str) -> Option<Question> {
        let span = self.span(value.span());
        let what = format!("`{kind}`");
        match kind {
            "throughput" => Some(Question::Throughput(self.text(value, &what)?)),
            "latency" | "period" | "duration" => {
                Some(Question::Latency(Box::new(self.request(kind, value)?)))
            }
            "miss_time" => Some(Question::MissTime(self.text(value, &what)?)),
            "mean_period" => Some(Question::MeanPeriod(self.text(value, &what)?)),
            "mean" => Some(Question::Mean(self.text(value, &what)?)),
            "reward" | "probability" | "mean_time" => self.reached(kind, value, unit),
            "utilisation" => Some(Question::Utilisation(self.text(value, &what)?)),
            "ltl" => Some(Question::Ltl(self.text(value, &what)?)),
            "ctl" => Some(Question::Ctl(self.text(value, &what)?)),
            "invariant" => Some(Question::Invariant(self.text(value, &what)?)),
            "deadlock" | "makespan" if value.get_ref().as_bool() != Some(true) => {
                self.wrong("S0002", span, format!("{what} is asked with `true`, or left out"));
                None
            }
            "deadlock" => Some(Question::Deadlock),
            "mu" => Some(Question::Mu(self.text(value, &what)?)),
            "makespan" => Some(Question::Makespan),
            "size" => {
                let text = self.text(value, &what)?;
                let found = SizePart::ALL.into_iter().find(|part| part.name() == text.text);
                if found.is_none() {
                    self.wrong(
                        "S0005",
                        span,
                        format!("`size` is {}", listed(&SizePart::ALL.map(SizePart::name))),
                    );
                }
                found.map(Question::Size)
            }
            "equivalence" => self.equivalence(value, span),
            "bottleneck" => Some(Question::Bottleneck(self.text(value, &what)?)),
            "overlap" => {
                let names: Vec<Text> = match value.get_ref().as_array() {
                    Some(list) => list.iter().filter_map(|value| self.text(value, "a resource")).collect(),
                    None => Vec::new(),
                };
                let [first, second] = <[Text; 2]>::try_from(names).ok().or_else(|| {
                    self.wrong("S0006", span, "`overlap` needs a list of two resources");
                    None
                })?;
                Some(Question::Overlap(first, second))
            }
            "mean_count" => {
                let table = self.table(value, &what)?;
                self.check_keys(table, &["of", "per"], &what);
                let (of, per) =
                    (self.needed(table, "of", span, &what), self.needed(table, "per", span, &what));
                Some(Question::MeanCount(of?, per?))
            }
            "transient" => {
                let table = self.table(value, &what)?;
                self.check_keys(table, &["of", "at"], &what);
                let of = self.needed(table, "of", span, &what);
                let Some(at) = table.get("at") else {
                    self.wrong("S0003", span, "`transient` needs `at`: a time");
                    return None;
                };
                Some(Question::Transient(of?, self.time(at, unit)?))
            }
            _ => {
                let table = self.table(value, &what)?;
                let counts = kind.ends_with("count");
                let keys: &[&str] =
                    if counts { &["from", "within", "to", "of"] } else { &["from", "within", "to"] };
                self.check_keys(table, keys, &what);
                let first = if table.contains_key("within") { "within" } else { "from" };
                if first == "within" && (kind == "mean_delay" || table.contains_key("from")) {
                    let title =
                        "a mean begins `from` an event or where a predicate becomes true, not `within` one";
                    let both = "what is measured begins `from` somewhere or `within` something, not both";
                    self.wrong("S0006", span, if kind == "mean_delay" { title } else { both });
                }
                let from = self.needed(table, first, span, &what);
                let to = self.needed(table, "to", span, &what);
                let of = if counts { self.needed(table, "of", span, &what) } else { None };
                let (from, to) = (from?, to?);
                Some(match kind {
                    "min_delay" => Question::MinDelay(from, to),
                    "max_delay" => Question::MaxDelay(from, to),
                    "delay" => Question::Delay(from, to),
                    "mean_delay" => Question::MeanDelay(from, to),
                    "min_count" => Question::MinCount(of?, from, to),
                    "count" => Question::Count(of?, from, to),
                    _ => Question::MaxCount(of?, from, to),
                })
            }
        }
    }

    /// Reads a reward, or what is asked about the way to something.
    fn reached(&mut self, kind: &str, value: &Value<'_>, unit: &str) -> Option<Question> {
        let what = format!("`{kind}`");
        if kind == "reward" && value.get_ref().as_str().is_some() {
            return Some(Question::Reward(self.text(value, &what)?, None));
        }
        let (table, span) = (self.table(value, &what)?, self.span(value.span()));
        let keys: &[&str] = match kind {
            "reward" => &["of", "per", "to"],
            "probability" => &["to", "before"],
            _ => &["to"],
        };
        self.check_keys(table, keys, &what);
        if kind != "reward" {
            let to = self.needed(table, "to", span, &what)?;
            let before = table.get("before").map(|before| self.time(before, unit));
            let how = match before {
                _ if kind == "mean_time" => ReachKind::Time,
                None => ReachKind::Ever,
                Some(before) => ReachKind::Before(before?),
            };
            return Some(Question::Reach(how, to));
        }
        let of = self.needed(table, "of", span, &what)?;
        match (table.get("per"), table.get("to")) {
            (Some(per), None) => Some(Question::Reward(of, Some(self.text(per, "`per`")?))),
            (None, Some(to)) => Some(Question::Reach(ReachKind::Reward(of), self.text(to, "`to`")?)),
            (None, None) => Some(Question::Reward(of, None)),
            (Some(_), Some(_)) => {
                self.wrong(
                    "S0006",
                    span,
                    "a reward is gained `per` event or on the way `to` something, not both",
                );
                None
            }
        }
    }

    /// Reads a latency, a period or a duration.
    fn request(&mut self, kind: &str, value: &Value<'_>) -> Option<Latency> {
        let what = format!("`{kind}`");
        if kind != "latency" {
            let kind = if kind == "period" { LatencyKind::Period } else { LatencyKind::Duration };
            let from = self.text(value, &what)?;
            return Some(Latency { kind, to: from.clone(), from, order: Order::Next, ..Latency::default() });
        }
        let (table, span) = (self.table(value, &what)?, self.span(value.span()));
        self.check_keys(table, &["from", "to", "order", "by"], &what);
        let (from, to) = (self.needed(table, "from", span, &what), self.needed(table, "to", span, &what));
        let mut order = Order::Fifo;
        if let Some(word) = table.get("order").and_then(|value| self.text(value, "`order`")) {
            match word.text.as_str() {
                "fifo" => {}
                "lifo" => order = Order::Lifo,
                "next" => order = Order::Next,
                _ => self.wrong("S0005", word.span, "an order is `fifo`, `lifo` or `next`"),
            }
        }
        let [by, by_end] = self.values_of_ends(table);
        if by.is_some() {
            order = Order::Next;
        }
        Some(Latency { from: from?, to: to?, order, by, by_end, ..Latency::default() })
    }

    /// Reads by what an end is known to belong to a beginning: what both have, or what each has.
    fn values_of_ends(&mut self, table: &DeTable<'_>) -> [Option<Text>; 2] {
        let Some(value) = table.get("by") else { return [None, None] };
        let span = self.span(value.span());
        if table.contains_key("order") {
            self.wrong("S0006", span, "requests are matched in an `order` or `by` something, not both");
            return [None, None];
        }
        if let Some(ends) = value.get_ref().as_table() {
            self.check_keys(ends, &["from", "to"], "`by`");
            return ["from", "to"].map(|end| self.needed(ends, end, span, "`by`"));
        }
        let text = written(value).map(|text| {
            let span = if value.get_ref().as_str().is_some() { self.inside(value.span()) } else { span };
            Text { text, span }
        });
        if text.is_none() {
            self.wrong("S0002", span, "`by` must be a text, a number, or a table with `from` and `to`");
        }
        [text, None]
    }

    /// Reads which percentiles are asked for.
    fn percentiles(&mut self, value: &Value<'_>, question: &mut Question) {
        let span = self.span(value.span());
        let Question::Latency(latency) = question else {
            let title = "percentiles are those of a `latency`, a `period` or a `duration`";
            self.wrong("S0006", span, title);
            return;
        };
        let list = value.get_ref().as_array();
        latency.is_percentile = list.is_none();
        let number = |value: &Value<'_>| {
            let number = as_f64(decimal(&written(value)?)?);
            (number > 0.0 && number < 100.0).then_some(number)
        };
        let found: Option<Vec<f64>> = match list {
            Some(list) => list.iter().map(number).collect(),
            None => number(value).map(|one| vec![one]),
        };
        match found.filter(|found| !found.is_empty()) {
            Some(found) => latency.percentiles = found,
            None => {
                self.wrong(
                    "S0005",
                    span,
                    "a percentile is a number above 0 and below 100, or a list of them",
                );
            }
        }
    }

    /// Reads which model to compare with, and how.
    fn equivalence(&mut self, value: &Value<'_>, span: Span) -> Option<Question> {
        let what = "`equivalence`";
        let table = self.table(value, what)?;
        self.check_keys(table, &["with", "relation", "only"], what);
        let with = self.needed(table, "with", span, what)?;
        let relation = self.needed(table, "relation", span, what)?;
        let names = Equivalence::RELATIONS.map(|(name, _)| name);
        if !names.contains(&relation.text.as_str()) {
            self.wrong("S0005", relation.span, format!("a relation is {}", listed(&names)));
            return None;
        }
        let only = match table.get("only").map(|value| value.get_ref().as_array()) {
            None => Vec::new(),
            Some(Some(list)) => {
                list.iter().filter_map(|gate| Some(self.text(gate, "a gate")?.text)).collect()
            }
            Some(None) => {
                self.wrong("S0002", span, "`only` must be a list of gates");
                return None;
            }
        };
        Some(Question::Equivalence(Equivalence { with, relation: relation.text, only }))
    }

    /// Complains about a word that can't come out.
    fn check_word(&mut self, question: &Question, expect: &Expect, span: Span) {
        let words: &[&str] = match question {
            Question::Overlap(..) => &["never", "possible", "inevitable"],
            Question::Bottleneck(_) | Question::MissTime(_) => return,
            _ if is_verdict(question) => &["holds", "fails"],
            _ => {
                if matches!(expect, Expect::Word(_)) {
                    self.wrong("S0005", span, "what can come out is a number");
                }
                return;
            }
        };
        if !matches!(expect, Expect::Word(word) if words.contains(&word.as_str())) {
            self.wrong("S0005", span, format!("what can come out is {}", listed(words)));
        }
    }

    fn view(&mut self, value: &Value<'_>) -> Option<View> {
        let text = self.text(value, "`view`")?;
        let view = View::ALL.into_iter().find(|view| view.name() == text.text);
        if view.is_none() {
            self.wrong("S0005", text.span, "a view is `untimed`, `timed`, `stochastic` or `simulated`");
        }
        view
    }

    fn expect(&mut self, value: &Value<'_>, unit: &str) -> Option<Expect> {
        if let Some(list) = value.get_ref().as_array() {
            if let [low, high] = list.iter().collect::<Vec<_>>()[..]
                && written(high).is_some_and(|text| is_infinity(&text))
            {
                let low = written(low).and_then(|text| fraction(&text)).or_else(|| self.time(low, unit))?;
                return Some(Expect::From(low));
            }
            let end = |value| fraction(&written(value)?).or_else(|| self.time(value, unit));
            let ends: Vec<Time> = list.iter().filter_map(end).collect();
            let [low, high] = ends[..] else {
                self.wrong("S0005", self.span(value.span()), "a range that is expected has two ends");
                return None;
            };
            return Some(Expect::Number(low, high));
        }
        let text = written(value)?;
        if is_infinity(&text) {
            return Some(Expect::Infinity);
        }
        if let Some(number) = fraction(&text) {
            return Some(Expect::Number(number, number));
        }
        match time(&text, unit) {
            Ok(number) => Some(Expect::Number(number, number)),
            Err(_) => Some(Expect::Word(text)),
        }
    }
}

fn is_infinity(text: &str) -> bool {
    ["infinity", "inf", "∞"].contains(&text)
}

/// Reads a fraction such as `1/248`.
fn fraction(text: &str) -> Option<Time> {
    let (above, below) = text.split_once('/')?;
    let (above, below) = (decimal(above)?, decimal(below)?);
    (below != Time::from_integer(0)).then(|| above / below)
}
