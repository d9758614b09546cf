//! Measured durations: comma-separated values with one column a kind, or with the times of begins and ends.

use std::collections::{BTreeMap, VecDeque};

use super::distributions::Sample;
use super::timestamp::Timestamp;

/// What was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Log {
    /// The kinds, in the order in which they come.
    pub columns: Vec<Column>,
    /// How many begins had no end.
    pub open: usize,
}

/// The durations of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// What it is called.
    pub name: String,
    /// The unit of time, if the header names one.
    pub unit: Option<String>,
    /// The durations, in the order of size.
    pub sample: Sample,
    /// How many ended per unit of time, if times are known: all but the first, between the first and the
    /// last.
    pub throughput: Option<f64>,
    /// Where the true one lies with 99 % confidence, if the times between ends are independent.
    pub throughput_within: Option<(f64, f64)>,
}

/// Why a log cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LogError {
    /// There is nothing below the header.
    #[error(
        "there are no measurements: the first line names the columns, each further line has durations, one \
         column a kind"
    )]
    Empty,
    /// A cell is no number.
    #[error(
        "line {line}: `{text}` in column `{column}` is not a duration; write a number without a unit, and \
         the unit in the header, such as `{column} us`"
    )]
    NoNumber {
        /// The line, from 1.
        line: usize,
        /// What stands there.
        text: String,
        /// The column.
        column: String,
    },
    /// A duration is below 0.
    #[error(
        "line {line}: `{text}` in column `{column}` is below 0; a duration is not: are begin and end swapped?"
    )]
    Negative {
        /// The line, from 1.
        line: usize,
        /// What stands there.
        text: String,
        /// The column.
        column: String,
    },
    /// A line has more cells than the header.
    #[error(
        "line {line} has {cells} cells, but the header has {heads}; a text with commas stands in double \
         quotes"
    )]
    TooManyCells {
        /// The line, from 1.
        line: usize,
        /// How many cells it has.
        cells: usize,
        /// How many the header has.
        heads: usize,
    },
    /// A quoted cell does not end.
    #[error(
        "line {line}: a double quote is not closed; inside a quoted cell a double quote is written twice"
    )]
    OpenQuote {
        /// The line, from 1.
        line: usize,
    },
    /// The first line is no header.
    #[error("line 1 is `{text}`, but should name the columns, such as `read us,write us`")]
    NoHeader {
        /// What stands there.
        text: String,
    },
    /// Two columns have one name.
    #[error("line 1: two columns are called `{name}`; give each kind a name of its own")]
    Twice {
        /// The name.
        name: String,
    },
    /// An event is neither a begin nor an end.
    #[error("line {line}: the event `{text}` is neither `begin` nor `end`")]
    NoEvent {
        /// The line, from 1.
        line: usize,
        /// What stands there.
        text: String,
    },
    /// Something ends that has not begun.
    #[error(
        "line {line}: an end of `{kind}` without a begin before it; sort the log by time, or leave out what \
         began before it"
    )]
    NoBegin {
        /// The line, from 1.
        line: usize,
        /// The kind.
        kind: String,
    },
}

/// Nothing takes as long as this, in any unit: sums stay numbers.
const LONGEST: f64 = 1e100;

/// The units of time that a header may name.
const UNITS: [&str; 7] = ["ns", "us", "ms", "s", "min", "h", "cycles"];

/// Reads a log. The first line names the columns:
///
/// - kinds, each perhaps with its unit (`read us`, `read (us)`, `read [us]`): durations, empty where there is
///   none;
/// - `begin` and `end`, and perhaps `kind`: the times of each;
/// - `time` and `event`, and perhaps `kind` and `id`: a line for each begin and each end. Ends belong to the
///   begin with the same `id`, or to the first that is open.
///
/// Times are numbers, of which no digit is lost, or dates such as `2026-01-31T12:00:00.25Z`.
///
/// # Errors
///
/// With the line and what to do about it.
pub fn read_log(text: &str) -> Result<Log, LogError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = Lines { rest: text, number: 0 };
    let Some((_, first)) = lines.next_cells()? else { return Err(LogError::Empty) };
    let heads: Vec<(String, Option<String>)> = first.iter().map(|cell| head(cell)).collect();
    if heads.iter().all(|(name, _)| name.parse::<f64>().is_ok()) {
        return Err(LogError::NoHeader { text: first.join(",") });
    }
    for (place, (name, _)) in heads.iter().enumerate() {
        if heads[..place].iter().any(|(known, _)| known == name) {
            return Err(LogError::Twice { name: name.clone() });
        }
    }
    let place = |names: &[&str]| {
        heads.iter().position(|(head, _)| names.iter().any(|name| head.eq_ignore_ascii_case(name)))
    };
    let mut kinds = Kinds::default();
    let kind = place(&["kind", "name", "operation"]);
    let mut reader = Reader { lines, heads: &heads };
    let open =
        if let (Some(begin), Some(end)) = (place(&["begin", "start"]), place(&["end", "stop", "finish"])) {
            reader.intervals(begin, end, kind, &mut kinds)?;
            0
        } else if let (Some(time), Some(event)) = (place(&["time", "timestamp"]), place(&["event"])) {
            reader.events(time, event, kind, place(&["id"]), &mut kinds)?
        } else {
            reader.durations(&mut kinds)?;
            0
        };
    let columns = kinds.finish();
    if columns.is_empty() { Err(LogError::Empty) } else { Ok(Log { columns, open }) }
}

/// Splits a head into a name and a unit.
fn head(cell: &str) -> (String, Option<String>) {
    let cell = cell.trim();
    let last = cell.rfind([' ', '(', '[']).map(|at| cell.split_at(at));
    if let Some((name, unit)) = last {
        let unit = unit.trim_matches([' ', '(', ')', '[', ']']);
        let unit = if unit == "µs" || unit == "μs" { "us" } else { unit };
        if UNITS.contains(&unit) && !name.trim().is_empty() {
            return (name.trim().to_owned(), Some(unit.to_owned()));
        }
    }
    (cell.to_owned(), None)
}

/// What was found of each kind.
#[derive(Default)]
struct Kinds {
    names: Vec<(String, Option<String>)>,
    durations: Vec<Vec<f64>>,
    /// When each has ended.
    ends: Vec<Vec<Timestamp>>,
    places: BTreeMap<String, usize>,
}

impl Kinds {
    fn place(&mut self, name: &str, unit: Option<&String>) -> usize {
        if let Some(place) = self.places.get(name) {
            return *place;
        }
        self.places.insert(name.to_owned(), self.names.len());
        self.names.push((name.to_owned(), unit.cloned()));
        self.durations.push(Vec::new());
        self.ends.push(Vec::new());
        self.names.len() - 1
    }

    fn ended(&mut self, place: usize, from: Timestamp, to: Timestamp) {
        self.durations[place].push(to.since(from));
        self.ends[place].push(to);
    }

    fn finish(self) -> Vec<Column> {
        let each = self.names.into_iter().zip(self.durations).zip(self.ends);
        each.filter(|((_, durations), _)| !durations.is_empty())
            .map(|(((name, unit), durations), ends)| {
                let (throughput, throughput_within) = often(ends).unzip();
                Column { name, unit, sample: Sample::new(durations), throughput, throughput_within }
            })
            .collect()
    }
}

/// Returns how many ends there are per time, and where that lies with 99 % confidence.
fn often(mut ends: Vec<Timestamp>) -> Option<(f64, (f64, f64))> {
    ends.sort_unstable();
    let whole = ends.last()?.since(*ends.first()?);
    if whole <= 0.0 {
        return None;
    }
    let gaps = Sample::new(ends.windows(2).map(|pair| pair[1].since(pair[0])).collect());
    let (low, high) = gaps.mean_within();
    Some(((ends.len() - 1) as f64 / whole, (1.0 / high, 1.0 / low)))
}

/// Lines of cells, from which empty lines are left out.
struct Lines<'t> {
    rest: &'t str,
    /// How many lines came before.
    number: usize,
}

impl Lines<'_> {
    /// Returns the number of the next line and its cells.
    fn next_cells(&mut self) -> Result<Option<(usize, Vec<String>)>, LogError> {
        while !self.rest.is_empty() {
            self.number += 1;
            let line = self.number;
            let end = self.rest.find('\n').unwrap_or(self.rest.len());
            let whole = self.rest[..end].trim_end_matches('\r');
            if whole.contains('"') {
                return self.quoted(line).map(Some);
            }
            self.rest = self.rest.get(end + 1..).unwrap_or("");
            if !whole.trim().is_empty() {
                return Ok(Some((line, whole.split(',').map(|cell| cell.trim().to_owned()).collect())));
            }
        }
        Ok(None)
    }

    /// Reads a line in which some cells are quoted; they may go on in the next line.
    fn quoted(&mut self, line: usize) -> Result<(usize, Vec<String>), LogError> {
        let (mut cells, mut cell, mut inside) = (Vec::new(), String::new(), false);
        let mut letters = self.rest.char_indices().peekable();
        let mut end = self.rest.len();
        while let Some((at, letter)) = letters.next() {
            match letter {
                '"' if inside && letters.peek().is_some_and(|(_, next)| *next == '"') => {
                    cell.push('"');
                    letters.next();
                }
                '"' => inside = !inside,
                ',' if !inside => cells.push(std::mem::take(&mut cell)),
                '\n' if !inside => {
                    end = at + 1;
                    break;
                }
                letter => {
                    self.number += usize::from(letter == '\n');
                    cell.push(letter);
                }
            }
        }
        if inside {
            return Err(LogError::OpenQuote { line });
        }
        cells.push(cell);
        self.rest = &self.rest[end..];
        Ok((line, cells.into_iter().map(|cell| cell.trim().to_owned()).collect()))
    }
}

struct Reader<'t> {
    lines: Lines<'t>,
    heads: &'t [(String, Option<String>)],
}

impl Reader<'_> {
    fn next(&mut self) -> Result<Option<(usize, Vec<String>)>, LogError> {
        let Some((line, mut cells)) = self.lines.next_cells()? else { return Ok(None) };
        let heads = self.heads.len();
        while cells.len() > heads && cells.last().is_some_and(String::is_empty) {
            cells.pop();
        }
        if cells.len() > heads {
            return Err(LogError::TooManyCells { line, cells: cells.len(), heads });
        }
        cells.resize(heads, String::new());
        Ok(Some((line, cells)))
    }

    fn number(&self, line: usize, cells: &[String], place: usize) -> Result<f64, LogError> {
        let text = &cells[place];
        let number = text.parse::<f64>().ok().filter(|number| number.abs() < LONGEST);
        let column = || self.heads[place].0.clone();
        number.ok_or_else(|| LogError::NoNumber { line, text: text.clone(), column: column() })
    }

    /// Returns a time of a line, and its unit.
    fn timestamp(
        &self,
        line: usize,
        cells: &[String],
        place: usize,
    ) -> Result<(Timestamp, Option<String>), LogError> {
        let unit = &self.heads[place].1;
        if let Some(timestamp) = Timestamp::of_date(&cells[place]) {
            // Dates are counted in seconds.
            return Ok((timestamp, Some("s".to_owned())));
        }
        match Timestamp::of_number(&cells[place]) {
            Some(timestamp) => Ok((timestamp, unit.clone())),
            None => {
                let number = self.number(line, cells, place)?;
                Ok((Timestamp::near(number), unit.clone()))
            }
        }
    }

    fn durations(&mut self, kinds: &mut Kinds) -> Result<(), LogError> {
        let heads = self.heads;
        let places: Vec<usize> = heads.iter().map(|(name, unit)| kinds.place(name, unit.as_ref())).collect();
        while let Some((line, cells)) = self.next()? {
            for (place, text) in cells.iter().enumerate().filter(|(_, text)| !text.is_empty()) {
                let duration = self.number(line, &cells, place)?;
                if duration < 0.0 {
                    let (text, column) = (text.clone(), heads[place].0.clone());
                    return Err(LogError::Negative { line, text, column });
                }
                kinds.durations[places[place]].push(duration);
            }
        }
        Ok(())
    }

    /// Returns the kind of a line whose times have a unit.
    fn kind(cells: &[String], kind: Option<usize>, unit: Option<&String>, kinds: &mut Kinds) -> usize {
        let name = kind.map_or("duration", |kind| cells[kind].as_str());
        kinds.place(name, unit)
    }

    fn intervals(
        &mut self,
        begin: usize,
        end: usize,
        kind: Option<usize>,
        kinds: &mut Kinds,
    ) -> Result<(), LogError> {
        while let Some((line, cells)) = self.next()? {
            let (from, _) = self.timestamp(line, &cells, begin)?;
            let (to, unit) = self.timestamp(line, &cells, end)?;
            if to < from {
                let column = self.heads[end].0.clone();
                return Err(LogError::Negative { line, text: to.since(from).to_string(), column });
            }
            let place = Self::kind(&cells, kind, unit.as_ref(), kinds);
            kinds.ended(place, from, to);
        }
        Ok(())
    }

    /// Returns how many begins had no end.
    fn events(
        &mut self,
        time: usize,
        event: usize,
        kind: Option<usize>,
        id: Option<usize>,
        kinds: &mut Kinds,
    ) -> Result<usize, LogError> {
        let mut open: BTreeMap<(usize, String), VecDeque<Timestamp>> = BTreeMap::new();
        while let Some((line, cells)) = self.next()? {
            let (at, unit) = self.timestamp(line, &cells, time)?;
            let place = Self::kind(&cells, kind, unit.as_ref(), kinds);
            let key = (place, id.map_or_else(String::new, |id| cells[id].clone()));
            match cells[event].to_ascii_lowercase().as_str() {
                "begin" | "start" => open.entry(key).or_default().push_back(at),
                "end" | "stop" | "finish" => {
                    let begun = open.get_mut(&key).and_then(VecDeque::pop_front);
                    let kind = || kinds.names[place].0.clone();
                    let begun = begun.ok_or_else(|| LogError::NoBegin { line, kind: kind() })?;
                    if at < begun {
                        let column = self.heads[time].0.clone();
                        return Err(LogError::Negative { line, text: at.since(begun).to_string(), column });
                    }
                    kinds.ended(place, begun, at);
                }
                _ => return Err(LogError::NoEvent { line, text: cells[event].clone() }),
            }
        }
        Ok(open.values().map(VecDeque::len).sum())
    }
}

#[cfg(test)]
mod tests {
    use super::{Log, read_log};

    fn durations(log: &Log) -> Vec<(&str, Option<&str>, &[f64])> {
        log.columns
            .iter()
            .map(|column| (column.name.as_str(), column.unit.as_deref(), column.sample.sorted()))
            .collect()
    }

    #[test]
    fn one_column_a_kind() {
        let text = "\u{feff}read us,\"write, big (ms)\",seek [s]\r\n3,1,\r\n\r\n1,\"2\",5\r\n2,,\n";
        let log = read_log(text).unwrap();
        let expected: [(&str, Option<&str>, &[f64]); 3] = [
            ("read", Some("us"), &[1.0, 2.0, 3.0]),
            ("write, big", Some("ms"), &[1.0, 2.0]),
            ("seek", Some("s"), &[5.0]),
        ];
        assert_eq!(durations(&log), expected);
    }

    #[test]
    fn begins_and_ends() {
        let log = read_log("kind,begin us,end us\nread,0,5\nwrite,1,2\nread,5,8\n").unwrap();
        let expected: [(&str, Option<&str>, &[f64]); 2] =
            [("read", Some("us"), &[3.0, 5.0]), ("write", Some("us"), &[1.0])];
        assert_eq!(durations(&log), expected);
        assert_eq!(log.columns[0].throughput, Some(1.0 / 3.0));
        let text = "time,event,id\n0,begin,a\n1,begin,b\n3,end,a\n4,begin,c\n7,end,b\n";
        let log = read_log(text).unwrap();
        assert_eq!((durations(&log), log.open), (vec![("duration", None, &[3.0, 6.0][..])], 1));
        // Without an id, first in first out.
        let log = read_log("time,event\n0,begin\n1,begin\n3,end\n7,end\n").unwrap();
        assert_eq!(durations(&log), vec![("duration", None, &[3.0, 6.0][..])]);
    }

    #[test]
    fn times_keep_their_digits() {
        let text = "begin ns,end ns\n1700000000123456789,1700000000123456794\n\
                    1700000000123456800,1700000000123456803\n";
        let log = read_log(text).unwrap();
        assert_eq!(durations(&log), vec![("duration", Some("ns"), &[3.0, 5.0][..])]);
        let text = "time,event,id\n2026-02-28T23:59:59.9999Z,begin,1\n2026-03-01 00:00:00.0004,end,1\n\
                    2026-03-01T01:00:00+01:00,start,2\n2026-03-01T00:00:02Z,stop,2\n";
        let log = read_log(text).unwrap();
        assert_eq!(durations(&log), vec![("duration", Some("s"), &[0.0005, 2.0][..])]);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        let cases = [
            ("", "there are no measurements"),
            ("read us\n", "there are no measurements"),
            ("1,2\n3,4\n", "line 1 is `1,2`, but should name the columns"),
            ("a\n1\n\nfast\n", "line 4: `fast` in column `a` is not a duration"),
            ("a\nNaN\n", "line 2: `NaN` in column `a` is not a duration"),
            ("a\ninf\n", "line 2: `inf` in column `a` is not a duration"),
            ("a\n1e300\n", "line 2: `1e300` in column `a` is not a duration"),
            (
                "time,event\n2026-13-01T00:00:00,begin\n",
                "line 2: `2026-13-01T00:00:00` in column `time` is not",
            ),
            ("a\n3 us\n", "write a number without a unit, and the unit in the header, such as `a us`"),
            ("a\n-1\n", "line 2: `-1` in column `a` is below 0"),
            ("a,b\n1,2,3\n", "line 2 has 3 cells, but the header has 2"),
            ("a\n\"1\n2\n", "line 2: a double quote is not closed"),
            ("a,a\n1,2\n", "two columns are called `a`"),
            ("begin,end\n3,1\n", "line 2: `-2` in column `end` is below 0"),
            ("time,event\n3,end\n", "line 2: an end of `duration` without a begin"),
            ("time,event\n3,middle\n", "line 2: the event `middle` is neither"),
        ];
        for (text, message) in cases {
            let error = read_log(text).unwrap_err().to_string();
            assert!(error.contains(message), "{text:?}: {error}");
        }
    }

    #[test]
    fn long_logs_are_read() {
        let mut text = String::from("read us\n");
        for number in 0..1_000_000 {
            text.push_str(if number % 2 == 0 { "1.5\n" } else { "2.5\n" });
        }
        let log = read_log(&text).unwrap();
        let summary = log.columns[0].sample.summary();
        assert_eq!((summary.count, summary.mean.to_bits()), (1_000_000, 2.0_f64.to_bits()));
    }
}
