//! Values: natural numbers, and hash-consed constructor terms.
//!
//! Each thread has [`Values`] of its own, so that there are no locks. In states, values are encoded as bytes:
//! a state does not depend on the thread that found it.

use narrows_graph::varint;
use rustc_hash::FxHashMap;

use super::data::{Data, Meaning, OperationId, SortId};

/// A number, or the number of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub(crate) struct Value(u32);

/// Numbers are below this.
pub(crate) const NUMBERS: u32 = 1 << 31;

impl Value {
    pub(crate) fn number(number: u32) -> Value {
        Value(number | NUMBERS)
    }

    /// Returns the value of a constructor without arguments.
    pub(crate) fn constant(operation: OperationId) -> Value {
        Value(operation.0)
    }

    /// Returns the value as a word, to be kept.
    pub(crate) fn word(self) -> u32 {
        self.0
    }

    /// Returns the value that a word stands for.
    pub(crate) fn from_word(word: u32) -> Value {
        Value(word)
    }

    pub(crate) fn as_number(self) -> u32 {
        self.0 & !NUMBERS
    }
}

/// The maximal number of values of one sort that are enumerated.
const MAX_VALUES: usize = 1 << 20;

#[derive(Clone, Copy, Debug)]
struct Entry {
    operation: OperationId,
    start: u32,
    count: u32,
    /// How deep it is nested.
    depth: u32,
}

/// Hash-consed terms.
#[derive(Debug, Default)]
pub(crate) struct Values {
    entries: Vec<Entry>,
    arguments: Vec<Value>,
    known: FxHashMap<(OperationId, Box<[Value]>), Value>,
    /// The enumerated values of sorts; `None` if there are too many.
    all: FxHashMap<SortId, Option<Box<[Value]>>>,
}

impl Values {
    /// Makes room for constants: the number of the term is that of the operation.
    pub(crate) fn prepare(&mut self, data: &Data) {
        if self.entries.is_empty() {
            let entry = |operation| Entry { operation: OperationId(operation), start: 0, count: 0, depth: 0 };
            self.entries.extend((0..data.operations.len() as u32).map(entry));
        }
    }

    /// Returns the value that a constructor makes.
    pub(crate) fn term(&mut self, operation: OperationId, arguments: &[Value]) -> Value {
        if arguments.is_empty() {
            return Value(operation.0);
        }
        let key = (operation, Box::from(arguments));
        if let Some(value) = self.known.get(&key) {
            return *value;
        }
        let value = Value(self.entries.len() as u32);
        let start = self.arguments.len() as u32;
        let depth = arguments.iter().map(|argument| self.depth(*argument) + 1).max().unwrap_or(0);
        self.entries.push(Entry { operation, start, count: arguments.len() as u32, depth });
        self.arguments.extend_from_slice(arguments);
        self.known.insert(key, value);
        value
    }

    /// Returns how deep a value is nested.
    pub(crate) fn depth(&self, value: Value) -> u32 {
        self.entries.get(value.0 as usize).map_or(0, |entry| entry.depth)
    }

    /// Takes a term apart.
    pub(crate) fn parts(&self, value: Value) -> (OperationId, &[Value]) {
        let entry = self.entries[value.0 as usize];
        (entry.operation, &self.arguments[entry.start as usize..(entry.start + entry.count) as usize])
    }

    /// Writes a value of a sort.
    pub(crate) fn encode(&self, data: &Data, sort: SortId, value: Value, bytes: &mut Vec<u8>) {
        if data.sort(sort).natural {
            write_number(value.as_number(), bytes);
            return;
        }
        let (operation, arguments) = self.parts(value);
        let operation = data.operation(operation);
        if let Meaning::Constructor(index) = operation.meaning {
            write_number(u32::from(index), bytes);
        }
        for (sort, argument) in operation.arguments.iter().zip(arguments) {
            self.encode(data, *sort, *argument, bytes);
        }
    }

    /// Reads a value of a sort.
    pub(crate) fn decode(&mut self, data: &Data, sort: SortId, bytes: &mut &[u8]) -> Value {
        let number = read_number(bytes);
        let sort = data.sort(sort);
        if sort.natural {
            return Value::number(number);
        }
        let constructor = sort.constructors[number as usize];
        let sorts = &data.operation(constructor).arguments;
        let arguments: Vec<Value> = sorts.iter().map(|sort| self.decode(data, *sort, bytes)).collect();
        self.term(constructor, &arguments)
    }

    /// Returns all values of a sort, the simplest first; `None` if there is no end of them, or too many.
    pub(crate) fn all(&mut self, data: &Data, sort: SortId) -> Option<&[Value]> {
        if !self.all.contains_key(&sort) {
            let list = self.list(data, sort, &mut Vec::new()).map(Vec::into_boxed_slice);
            self.all.insert(sort, list);
        }
        self.all.get(&sort).and_then(Option::as_deref)
    }

    fn list(&mut self, data: &Data, sort: SortId, within: &mut Vec<SortId>) -> Option<Vec<Value>> {
        if let Some(known) = self.all.get(&sort) {
            return known.as_deref().map(<[Value]>::to_vec);
        }
        if data.sort(sort).natural {
            let last = data.sort(sort).listed.filter(|last| (*last as usize) < MAX_VALUES)?;
            return Some((0..=last).map(Value::number).collect());
        }
        if within.contains(&sort) {
            return None;
        }
        within.push(sort);
        let mut list = Vec::new();
        for constructor in &data.sort(sort).constructors {
            let mut rows: Vec<Vec<Value>> = vec![Vec::new()];
            for argument in &data.operation(*constructor).arguments {
                let values = self.list(data, *argument, within)?;
                if rows.len().saturating_mul(values.len()) > MAX_VALUES {
                    return None;
                }
                let longer = |row: &Vec<Value>| {
                    let row = row.clone();
                    values.iter().map(move |value| [row.as_slice(), &[*value]].concat()).collect::<Vec<_>>()
                };
                rows = rows.iter().flat_map(longer).collect();
            }
            for row in rows {
                list.push(self.term(*constructor, &row));
            }
            if list.len() > MAX_VALUES {
                return None;
            }
        }
        within.pop();
        Some(list)
    }

    /// Writes a value as text, as labels show it.
    pub(crate) fn show(&self, data: &Data, sort: SortId, value: Value, text: &mut String) {
        use std::fmt::Write;
        if data.sort(sort).natural {
            let _ = write!(text, "{}", value.as_number());
            return;
        }
        let (operation, arguments) = self.parts(value);
        let arguments: Vec<Value> = arguments.to_vec();
        self.show_applied(data, operation, &arguments, text);
    }

    /// Writes an operation with its arguments as text.
    pub(crate) fn show_applied(
        &self,
        data: &Data,
        operation: OperationId,
        arguments: &[Value],
        text: &mut String,
    ) {
        let operation = data.operation(operation);
        let is_infix = |values: &Values, sort: SortId, value: Value| {
            !data.sort(sort).natural && data.operation(values.parts(value).0).infix
        };
        if operation.infix && arguments.len() == 2 {
            for (place, (sort, argument)) in operation.arguments.iter().zip(arguments).enumerate() {
                if place == 1 {
                    text.push(' ');
                    text.push_str(&operation.name);
                    text.push(' ');
                }
                let nested = is_infix(self, *sort, *argument);
                text.push_str(if nested { "(" } else { "" });
                self.show(data, *sort, *argument, text);
                text.push_str(if nested { ")" } else { "" });
            }
            return;
        }
        text.push_str(&operation.name);
        for (place, (sort, argument)) in operation.arguments.iter().zip(arguments).enumerate() {
            text.push_str(if place == 0 { " (" } else { ", " });
            self.show(data, *sort, *argument, text);
        }
        text.push_str(if arguments.is_empty() { "" } else { ")" });
    }
}

/// Writes a number: few bytes for small ones.
#[inline]
pub(crate) fn write_number(number: u32, bytes: &mut Vec<u8>) {
    varint::write(u64::from(number), bytes);
}

/// Reads a number that was written so.
#[inline]
pub(crate) fn read_number(bytes: &mut &[u8]) -> u32 {
    varint::read(bytes).map_or(0, |number| number as u32)
}

/// Skips a value of a sort.
pub(crate) fn skip(data: &Data, sort: SortId, bytes: &mut &[u8]) {
    let number = read_number(bytes);
    let sort = data.sort(sort);
    if !sort.natural {
        let constructor = data.operation(sort.constructors[number as usize]);
        for argument in &constructor.arguments {
            skip(data, *argument, bytes);
        }
    }
}
