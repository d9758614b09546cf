//! Graphs as text, in CADP's format AUT: a line `des (initial, edges, states)`, and a line for each edge.
//!
//! Reads the format as it is found: labels with and without quotes, states in any order, numbers that are
//! left open.

use thiserror::Error;

use crate::labelled::{Builder, Graph, TooLarge};

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {error}")]
pub struct Malformed {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong there.
    pub error: AutError,
}

/// What can be wrong with a line, or with the whole.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AutError {
    /// There is nothing.
    #[error("the text is empty; it should begin with `des (0, …, …)`")]
    Empty,
    /// The first line is another one.
    #[error("expected `des (initial, edges, states)`, found `{0}`")]
    Header(String),
    /// A line is no edge.
    #[error("expected `(from, label, to)`, found `{0}`")]
    Edge(String),
    /// A label has one quote.
    #[error("the quote at the start of the label is not closed")]
    Quote,
    /// Something should be a number.
    #[error("`{0}` is not a number")]
    NoNumber(String),
    /// A number is too large.
    #[error("`{0}` is too large: numbers go up to 4 294 967 294")]
    NumberTooLarge(String),
    /// The initial state is none of the states.
    #[error("the graph begins with state {initial}, but has only {states} states")]
    Initial {
        /// The initial state.
        initial: u32,
        /// How many states there are.
        states: u32,
    },
    /// An edge has a state that is none.
    #[error("state {state} is beyond the {states} states of the first line")]
    State {
        /// The state.
        state: u32,
        /// How many states there are.
        states: u32,
    },
    /// Far more states than edges could connect.
    #[error("{states} states are too many for {edges} edges: most would stand alone")]
    Alone {
        /// How many states there would be.
        states: u32,
        /// How many edges there are.
        edges: usize,
    },
    /// There are more or fewer edges than the first line says.
    #[error("the first line announces {announced} edges, but there are {found}")]
    Edges {
        /// What the first line says.
        announced: usize,
        /// How many there are.
        found: usize,
    },
    /// The graph has too many states, edges or labels.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
}

/// Reads a graph. Numbers of edges and states in the first line may be `?`; if they are given, they must be
/// right.
pub fn read(text: &str) -> Result<Graph, Malformed> {
    let mut reader = Reader::default();
    text.lines().try_for_each(|line| reader.line(line))?;
    reader.finish()
}

/// Reads a graph line by line, so that the whole text need not be in memory.
#[derive(Debug, Default)]
pub struct Reader {
    /// How many lines there were.
    lines: usize,
    /// The last line that was not empty.
    last: usize,
    /// What the first line says.
    edges: Option<usize>,
    states: Option<u32>,
    count: usize,
    /// One more than the greatest state of an edge.
    named: u32,
    builder: Option<Builder>,
}

/// So many states may be without edges, and so many for each edge: more are a mistake that would only take
/// memory.
const MAX_ALONE: u64 = 1 << 24;
const ALONE_PER_EDGE: u64 = 64;

impl Reader {
    /// Takes the next line.
    pub fn line(&mut self, line: &str) -> Result<(), Malformed> {
        self.lines += 1;
        if line.trim().is_empty() {
            return Ok(());
        }
        self.last = self.lines;
        let wrong = |error: AutError| Malformed { line: self.lines, error };
        let Some(builder) = &mut self.builder else {
            let (initial, edges, states) = header(line).map_err(wrong)?;
            // What the first line says may be wrong: not all room is taken at once.
            self.builder = Some(Builder::new(initial, edges.unwrap_or(0).min(1 << 20)));
            self.named = initial + 1;
            (self.edges, self.states) = (edges, states);
            return Ok(());
        };
        let (from, label, target) = edge(line).map_err(wrong)?;
        if let Some(states) = self.states
            && from.max(target) >= states
        {
            return Err(wrong(AutError::State { state: from.max(target), states }));
        }
        let label = builder.label(label);
        builder.edge(from, label, target);
        self.named = self.named.max(from + 1).max(target + 1);
        self.count += 1;
        Ok(())
    }

    /// Returns the graph, after the last line.
    pub fn finish(self) -> Result<Graph, Malformed> {
        let wrong = |error: AutError| Malformed { line: self.last.max(1), error };
        let Some(mut builder) = self.builder else {
            return Err(wrong(AutError::Empty));
        };
        if let Some(edges) = self.edges
            && edges != self.count
        {
            return Err(wrong(AutError::Edges { announced: edges, found: self.count }));
        }
        let states = self.states.unwrap_or(0).max(self.named);
        let most = MAX_ALONE.max(ALONE_PER_EDGE * self.count as u64);
        if u64::from(states) > most {
            return Err(wrong(AutError::Alone { states, edges: self.count }));
        }
        builder.states(states);
        builder.build().map_err(|reason| wrong(reason.into()))
    }
}

/// Reads `des (initial, edges, states)`.
fn header(line: &str) -> Result<(u32, Option<usize>, Option<u32>), AutError> {
    let expected = || AutError::Header(shorten(line));
    let inner = line.trim().strip_prefix("des").map(str::trim_start).ok_or_else(expected)?;
    let inner = inner.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).ok_or_else(expected)?;
    let mut parts = inner.split(',').map(str::trim);
    let (Some(initial), Some(edges), Some(states), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return Err(expected());
    };
    let open = |text: &str| text == "?" || text == "-1";
    let edges = if open(edges) { None } else { Some(number(edges)? as usize) };
    let states = if open(states) { None } else { Some(number(states)?) };
    let initial = number(initial)?;
    match states {
        Some(states) if initial >= states => Err(AutError::Initial { initial, states }),
        _ => Ok((initial, edges, states)),
    }
}

/// Reads `(from, label, target)`. Quotes inside a label are not marked: the first and the last of a line
/// count.
fn edge(line: &str) -> Result<(u32, &str, u32), AutError> {
    let expected = || AutError::Edge(shorten(line));
    let inner = line.trim().strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).ok_or_else(expected)?;
    let (from, rest) = inner.split_once(',').ok_or_else(expected)?;
    let (label, target) = rest.rsplit_once(',').ok_or_else(expected)?;
    let label = label.trim();
    let label = match label.strip_prefix('"') {
        Some(quoted) => quoted.strip_suffix('"').ok_or(AutError::Quote)?,
        None => label,
    };
    Ok((number(from.trim())?, label, number(target.trim())?))
}

fn number(text: &str) -> Result<u32, AutError> {
    match text.parse::<u32>() {
        Ok(number) if number < u32::MAX => Ok(number),
        _ if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) => {
            Err(AutError::NumberTooLarge(text.to_owned()))
        }
        _ => Err(AutError::NoNumber(shorten(text))),
    }
}

/// Returns as much of a text as fits a message.
fn shorten(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn reads_what_programs_write() {
        let text = "des(1, ?, ?)\n(0, a b, 1)\r\n\n(1,\"say \"hi\", now\",0)\n (1, \"i\", 2) \n";
        let graph = read(text).unwrap();
        assert_eq!((graph.initial(), graph.states(), graph.edges().len()), (1, 3, 3));
        assert_eq!(graph.labels(), ["a b", "say \"hi\", now", "i"]);
    }

    #[test]
    fn says_what_is_wrong_and_where() {
        let message = |text: &str| read(text).unwrap_err().to_string();
        assert!(message("").starts_with("line 1: the text is empty"));
        assert!(message("x").contains("expected `des"));
        assert!(message("des (0, 1, 1)\n(0, a, 1)").contains("line 2: state 1 is beyond the 1 states"));
        assert!(message("des (0, 2, 2)\n(0, a, 1)").contains("announces 2 edges, but there are 1"));
        assert!(message("des (0, 1, 2)\n(0, \"a, 1)").contains("not closed"));
        assert!(message("des (0, 1, 2)\n(0, a, 99999999999)").contains("too large"));
        assert!(message("des (3, 1, 2)\n(0, a, 1)").contains("begins with state 3"));
        assert!(message("des (0, 1, 2)\n(é, a, 1)").contains("not a number"));
        let alone = "1000000000 states are too many for 1 edges";
        assert!(message("des (0, 1, 1000000000)\n(0, a, 1)").contains(alone));
        assert!(message("des (0, ?, ?)\n(0, a, 999999999)").contains(alone));
        assert!(message("des (4000000000, ?, ?)\n(0, a, 1)").contains("too many"));
        assert_eq!(read("des (0, 1, 100000)\n(0, a, 1)").unwrap().states(), 100_000);
    }

    #[test]
    fn long_labels_are_read() {
        let label = "x".repeat(5_000);
        let graph = read(&format!("des (0, 1, 1)\n(0, \"{label}\", 0)")).unwrap();
        assert_eq!(graph.label(0), label);
    }
}
