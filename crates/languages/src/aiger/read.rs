//! The lines of a circuit as text. What a header announces is not believed before it is there.

use std::collections::BTreeMap;

use narrows_source::{Diagnostic, Diagnostics, FileId, Span};

/// A bit: twice the number of an input, a latch or a gate, and one more for its opposite. 0 is false.
pub(super) type Literal = u32;

/// A bit that is kept from step to step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Latch {
    pub(super) literal: Literal,
    pub(super) next: Use,
    /// What it is at first; `None` if it can be anything.
    pub(super) reset: Option<bool>,
    pub(super) span: Span,
}

/// A conjunction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gate {
    pub(super) literal: Literal,
    pub(super) operands: [Literal; 2],
    pub(super) span: Span,
}

/// A literal and where it is used.
#[derive(Clone, Copy, Debug)]
pub(super) struct Use {
    pub(super) literal: Literal,
    pub(super) span: Span,
}

/// A circuit as its file lists it.
#[derive(Debug, Default)]
pub(super) struct Circuit {
    pub(super) inputs: Vec<Use>,
    pub(super) latches: Vec<Latch>,
    pub(super) outputs: Vec<Use>,
    pub(super) bad: Vec<Use>,
    pub(super) constraints: Vec<Use>,
    pub(super) justice: Vec<Vec<Use>>,
    pub(super) fairness: Vec<Use>,
    pub(super) gates: Vec<Gate>,
    /// Names, by the letter of what they are for and its place in its list.
    pub(super) names: BTreeMap<(char, usize), String>,
    /// The header.
    pub(super) header: Span,
    /// Whether the header says nothing of bad states and what follows them: before version 1.9, an output was
    /// what must not be.
    pub(super) is_old: bool,
}

/// Why reading ends: what is wrong has been said.
struct Reported;

type Part<T> = Result<T, Reported>;

/// The counts of the header, in its order.
const COUNTS: [&str; 9] = [
    "variables",
    "inputs",
    "latches",
    "outputs",
    "gates",
    "bad states",
    "constraints",
    "justice",
    "fairness",
];

/// Numbers of variables end here.
const MAX_VARIABLE: u32 = (1 << 31) - 1;

struct Reader<'a> {
    file: FileId,
    rest: &'a str,
    place: usize,
    /// The largest variable that the header allows.
    most: u32,
    diagnostics: &'a mut Diagnostics,
}

/// Reads a circuit; `None` if there are errors.
pub(super) fn read(text: &str, file: FileId, diagnostics: &mut Diagnostics) -> Option<Circuit> {
    let mut reader = Reader { file, rest: text, place: 0, most: 0, diagnostics };
    reader.circuit().ok().filter(|_| !diagnostics.has_errors())
}

impl<'a> Reader<'a> {
    /// Takes the next line off, without its end.
    fn line(&mut self) -> Option<(&'a str, Span)> {
        if self.rest.is_empty() {
            return None;
        }
        let whole = self.rest.split_inclusive('\n').next().unwrap_or(self.rest);
        let line = whole.trim_end_matches(['\n', '\r']);
        let span = Span::new(self.file, self.place, self.place + line.len());
        self.place += whole.len();
        self.rest = &self.rest[whole.len()..];
        Some((line, span))
    }

    fn fail<T>(&mut self, code: &'static str, span: Span, title: String, help: &str) -> Part<T> {
        let mut diagnostic = Diagnostic::error(code, span, title);
        if !help.is_empty() {
            diagnostic = diagnostic.help(help);
        }
        self.diagnostics.push(diagnostic);
        Err(Reported)
    }

    fn circuit(&mut self) -> Part<Circuit> {
        let (counts, header) = self.header()?;
        let count = |index: usize| counts.get(index).copied().unwrap_or(0);
        self.most = count(0);
        let mut circuit = Circuit { header, is_old: counts.len() == 5, ..Circuit::default() };
        for _ in 0..count(1) {
            let (numbers, span) = self.numbers("an input", 1..=1)?;
            let literal = self.defined(numbers[0], span)?;
            circuit.inputs.push(Use { literal, span });
        }
        for _ in 0..count(2) {
            let latch = self.latch()?;
            circuit.latches.push(latch);
        }
        circuit.outputs = self.uses("an output", count(3))?;
        circuit.bad = self.uses("a bad state", count(5))?;
        circuit.constraints = self.uses("a constraint", count(6))?;
        let mut sizes = Vec::new();
        for _ in 0..count(7) {
            sizes.push(self.numbers("the size of a justice property", 1..=1)?.0[0]);
        }
        for size in sizes {
            let list = self.uses("a literal of a justice property", size)?;
            circuit.justice.push(list);
        }
        circuit.fairness = self.uses("a fairness constraint", count(8))?;
        for _ in 0..count(4) {
            let (numbers, span) = self.numbers("a gate", 3..=3)?;
            let literal = self.defined(numbers[0], span)?;
            let operands = [self.used(numbers[1], span)?, self.used(numbers[2], span)?];
            circuit.gates.push(Gate { literal, operands, span });
        }
        self.symbols(&mut circuit)?;
        Ok(circuit)
    }

    /// Reads the counts.
    fn header(&mut self) -> Part<(Vec<u32>, Span)> {
        let (line, span) = self.line().unwrap_or(("", Span::new(self.file, 0, 0)));
        let mut words = line.split(' ');
        match words.next() {
            Some("aag") => {}
            Some("aig") => {
                let title = "this is the binary form of AIGER, which is no text".to_owned();
                return self.fail(
                    "I0001",
                    span,
                    title,
                    "open the file itself, or convert it with `aigtoaig`",
                );
            }
            _ => {
                let title = "a circuit begins with `aag` and the counts of what it has".to_owned();
                return self.fail("I0001", span, title, "write `aag M I L O A` for M variables, I inputs, …");
            }
        }
        let counts: Option<Vec<u32>> = words.map(|word| word.parse().ok()).collect();
        let Some(counts) = counts.filter(|counts| (5..=COUNTS.len()).contains(&counts.len())) else {
            let title = format!("the header has five to nine counts: {}", COUNTS.join(", "));
            return self.fail("I0001", span, title, "");
        };
        if counts[0] > MAX_VARIABLE {
            let title = format!("a circuit has at most {MAX_VARIABLE} variables");
            return self.fail("I0006", span, title, "");
        }
        let least = [counts[1], counts[2], counts[4]].iter().map(|count| u64::from(*count)).sum::<u64>();
        if least > u64::from(counts[0]) {
            let title = format!(
                "the header allows {} variables, but has {least} inputs, latches and gates",
                counts[0]
            );
            return self.fail("I0001", span, title, "");
        }
        Ok((counts, span))
    }

    /// Reads a line of numbers.
    fn numbers(&mut self, what: &str, allowed: std::ops::RangeInclusive<usize>) -> Part<(Vec<u32>, Span)> {
        let Some((line, span)) = self.line() else {
            let end = self.place;
            let title = format!("the text ends where {what} should stand");
            let span = Span::new(self.file, end, end);
            return self.fail("I0002", span, title, "compare the counts in the first line with the lines");
        };
        let found: Option<Vec<u32>> = line.split(' ').map(|word| word.parse().ok()).collect();
        match found.filter(|found| allowed.contains(&found.len())) {
            Some(found) => Ok((found, span)),
            None => {
                let (least, most) = allowed.into_inner();
                let form = match (least, most) {
                    (1, 1) => "one number",
                    (3, 3) => "three numbers: the gate and what it is the conjunction of",
                    _ => "two or three numbers: the latch, its next value, and its first one",
                };
                let title = format!("`{line}` stands where {what} should");
                self.fail("I0002", span, title, &format!("{what} is a line with {form}"))
            }
        }
    }

    /// Returns a literal that is defined here: it is positive, and none of the constants.
    fn defined(&mut self, literal: u32, span: Span) -> Part<Literal> {
        let literal = self.used(literal, span)?;
        if literal < 2 || literal % 2 == 1 {
            let title = format!("{literal} can't be defined");
            return self.fail("I0003", span, title, "inputs, latches and gates are even numbers above 0");
        }
        Ok(literal)
    }

    fn used(&mut self, literal: u32, span: Span) -> Part<Literal> {
        if literal / 2 > self.most {
            let title = format!("{literal} is beyond the {} variables of the first line", self.most);
            return self.fail("I0003", span, title, &format!("the largest literal is {}", 2 * self.most + 1));
        }
        Ok(literal)
    }

    fn uses(&mut self, what: &str, count: u32) -> Part<Vec<Use>> {
        let mut list = Vec::new();
        for _ in 0..count {
            let (numbers, span) = self.numbers(what, 1..=1)?;
            list.push(Use { literal: self.used(numbers[0], span)?, span });
        }
        Ok(list)
    }

    fn latch(&mut self) -> Part<Latch> {
        let (numbers, span) = self.numbers("a latch", 2..=3)?;
        let literal = self.defined(numbers[0], span)?;
        let next = Use { literal: self.used(numbers[1], span)?, span };
        let reset = match numbers.get(2) {
            None | Some(0) => Some(false),
            Some(1) => Some(true),
            Some(other) if *other == literal => None,
            Some(other) => {
                let title = format!("{other} is no first value of a latch");
                let help = format!("it is 0, 1, or {literal} for either");
                return self.fail("I0003", span, title, &help);
            }
        };
        Ok(Latch { literal, next, reset, span })
    }

    /// Reads names, up to the comment.
    fn symbols(&mut self, circuit: &mut Circuit) -> Part<()> {
        while let Some((line, span)) = self.line() {
            if line == "c" {
                break;
            }
            if line.is_empty() {
                continue;
            }
            let lists = [
                ('i', circuit.inputs.len()),
                ('l', circuit.latches.len()),
                ('o', circuit.outputs.len()),
                ('b', circuit.bad.len()),
                ('c', circuit.constraints.len()),
                ('j', circuit.justice.len()),
                ('f', circuit.fairness.len()),
            ];
            let (key, name) = line.split_once(' ').unwrap_or((line, ""));
            let mut letters = key.chars();
            let list = letters.next().and_then(|letter| lists.into_iter().find(|list| list.0 == letter));
            let place: Option<usize> = letters.as_str().parse().ok();
            match (list, place) {
                (Some((letter, count)), Some(place)) if place < count && !name.is_empty() => {
                    circuit.names.insert((letter, place), name.to_owned());
                }
                _ => {
                    let title = format!("`{key}` names nothing in this circuit");
                    let help = "a name is a line such as `i0 request`; what follows a line `c` is a comment";
                    return self.fail("I0005", span, title, help);
                }
            }
        }
        Ok(())
    }
}
