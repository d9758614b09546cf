//! What a search that does not keep whole states may have missed.

use narrows_model::{Coverage, Kept, Limit};
use serde_json::{Value, json};

use crate::Report;
use crate::units::{bytes, count, grouped};

/// Says what was kept of states, and what that may have missed, as full sentences; nothing if all was kept,
/// or if it does not matter.
pub(crate) fn sentences(report: &Report<'_>) -> Vec<String> {
    let Some(loss) = report.coverage.loss.filter(|_| report.limit != Some(Limit::Enough)) else {
        return Vec::new();
    };
    let mut list = match loss.kept {
        Kept::Bits { table, set, hashes, missed } => vec![
            format!(
                "Of each state {} in a table of {} were kept; {} of the table is in use.",
                count(u64::from(hashes), "bit"),
                bytes(table / 8),
                share(set as f64 / table as f64),
            ),
            format!(
                "The hash factor is {} bits a state; an estimate of what was missed is {} of the states, and \
                 what only they lead to.",
                rounded(factor(table, report.coverage)),
                share(missed_share(missed, report.coverage)),
            ),
        ],
        Kept::Hashes { any_missed } => vec![format!(
            "Of each state a hash of 64 bits was kept; the probability that any state was missed is {}.",
            share(any_missed)
        )],
    };
    if loss.cut > 0 {
        list.push(format!(
            "The search turned back at {}, as there was no memory for longer runs; no estimate covers what \
             lies behind.",
            count(loss.cut, "state")
        ));
    }
    list
}

/// The same for programs.
pub(crate) fn value(coverage: &Coverage) -> Option<Value> {
    let loss = coverage.loss?;
    Some(match loss.kept {
        Kept::Bits { table, set, hashes, missed } => json!({
            "kept": "bits",
            "table_bits": table,
            "bits_set": set,
            "hash_functions": hashes,
            "hash_factor": factor(table, coverage),
            "expected_missed": missed,
            "expected_missed_share": missed_share(missed, coverage),
            "turned_back": loss.cut,
        }),
        Kept::Hashes { any_missed } => {
            json!({ "kept": "hashes", "any_missed_probability": any_missed, "turned_back": loss.cut })
        }
    })
}

/// Returns how many bits of the table there are for each state.
fn factor(table: u64, coverage: &Coverage) -> f64 {
    table as f64 / coverage.states.max(1) as f64
}

fn missed_share(missed: f64, coverage: &Coverage) -> f64 {
    missed / (missed + coverage.states.max(1) as f64)
}

/// Writes a share as a percentage, with as many digits as say something.
fn share(share: f64) -> String {
    let percent = share * 100.0;
    if percent == 0.0 || percent >= 0.01 {
        return format!("{percent:.2} %");
    }
    let exponent = percent.log10().floor() as i32;
    if exponent < -6 {
        "less than 0.000001 %".to_owned()
    } else {
        format!("{percent:.*} %", (1 - exponent) as usize)
    }
}

fn rounded(number: f64) -> String {
    if number < 100.0 { format!("{number:.1}") } else { grouped(number.round() as u64) }
}

#[cfg(test)]
mod tests {
    use super::{rounded, share};

    #[test]
    fn writes_shares_and_factors() {
        let cases = [
            (0.0, "0.00 %"),
            (0.5, "50.00 %"),
            (0.000_123_4, "0.01 %"),
            (0.000_012_34, "0.0012 %"),
            (1e-8, "0.0000010 %"),
            (1e-12, "less than 0.000001 %"),
        ];
        for (number, text) in cases {
            assert_eq!(share(number), text);
        }
        assert_eq!((rounded(3.06), rounded(12_345.6)), ("3.1".to_owned(), "12 346".to_owned()));
    }
}
