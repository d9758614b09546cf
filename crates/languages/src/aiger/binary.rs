//! The binary form of a circuit, as the text form of the same circuit: places in messages are places in that.

use std::fmt::Write;

use narrows_graph::varint;
use thiserror::Error;

/// What is wrong with a binary file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum DamagedAiger {
    /// The first line is another.
    #[error("its first line is not that of a binary AIGER file")]
    Header,
    /// Numbers of the first line do not fit each other.
    #[error("the variables of its first line are not the sum of inputs, latches and gates")]
    Sum,
    /// There are too many inputs.
    #[error("it has more than {MAX_INPUTS} inputs")]
    Inputs,
    /// Lines are missing.
    #[error("it ends before its lines do")]
    Lines,
    /// Gates are missing.
    #[error("it ends before its gates do")]
    Gates,
    /// The order of the gates is another.
    #[error("a gate looks at one that comes after it")]
    Order,
    /// A gate depends on itself.
    #[error("a gate looks at itself")]
    Itself,
    /// A line has other bytes than text.
    #[error("a line is no text")]
    Text,
}

/// Writes a binary file as text.
pub(super) fn as_text(bytes: &[u8]) -> Result<String, DamagedAiger> {
    let mut rest = bytes;
    let header = line(&mut rest)?;
    let words: Option<Vec<u32>> = header.split(' ').skip(1).map(|word| word.parse().ok()).collect();
    let counts = words.filter(|words| (5..=9).contains(&words.len()));
    let counts = counts.ok_or(DamagedAiger::Header)?;
    let count = |index: usize| counts.get(index).copied().unwrap_or(0);
    let (inputs, latches, gates) = (count(1), count(2), count(4));
    let first = inputs
        .checked_add(latches)
        .filter(|first| first.checked_add(gates).is_some_and(|most| most == count(0) && most < 1 << 31));
    let first = first.ok_or(DamagedAiger::Sum)?;
    let mut text = header.replacen("aig", "aag", 1);
    text.push('\n');
    // An input takes no bytes in the file: how many can be is said by what follows.
    if u64::from(inputs) > MAX_INPUTS {
        return Err(DamagedAiger::Inputs);
    }
    for input in 1..=inputs {
        let _ = writeln!(text, "{}", 2 * input);
    }
    for latch in 1..=latches {
        let _ = writeln!(text, "{} {}", 2 * (inputs + latch), line(&mut rest)?);
    }
    let mut copy = |number: u64, text: &mut String| -> Result<u64, DamagedAiger> {
        let mut sum = 0u64;
        for _ in 0..number {
            let line = line(&mut rest)?;
            sum = sum.saturating_add(line.parse().unwrap_or(0));
            text.push_str(line);
            text.push('\n');
        }
        Ok(sum)
    };
    for index in [3, 5, 6] {
        copy(u64::from(count(index)), &mut text)?;
    }
    let sizes = copy(u64::from(count(7)), &mut text)?;
    copy(sizes, &mut text)?;
    copy(u64::from(count(8)), &mut text)?;
    for gate in 1..=gates {
        let literal = 2 * (first + gate);
        let mut less = |than: u32| {
            let delta = varint::read(&mut rest).ok_or(DamagedAiger::Gates)?;
            let delta = u32::try_from(delta).ok().filter(|delta| *delta <= than);
            delta.map(|delta| than - delta).ok_or(DamagedAiger::Order)
        };
        let left = less(literal)?;
        let right = less(left)?;
        if left == literal {
            return Err(DamagedAiger::Itself);
        }
        let _ = writeln!(text, "{literal} {left} {right}");
    }
    text.push_str(&String::from_utf8_lossy(rest));
    Ok(text)
}

/// The most inputs of a file.
const MAX_INPUTS: u64 = 1 << 22;

/// Takes a line off.
fn line<'b>(rest: &mut &'b [u8]) -> Result<&'b str, DamagedAiger> {
    let end = rest.iter().position(|byte| *byte == b'\n').ok_or(DamagedAiger::Lines)?;
    let (line, after) = rest.split_at(end);
    *rest = &after[1..];
    std::str::from_utf8(line).map_err(|_| DamagedAiger::Text)
}
