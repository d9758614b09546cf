//! Labels that weigh: those with rates or probabilities, whose sums count, not their single edges.

use rustc_hash::FxHashMap;

use super::decimals::{self, Amount};
use crate::error::EquivalenceError;
use crate::label::{Label, LabelTiming};

/// What has a sum of its own: rates, or probabilities, of one action.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct WeightGroup {
    is_rate: bool,
    action: Option<String>,
}

/// The sums of rates and probabilities that states have, each with a number as if it were a label.
#[derive(Default)]
pub(super) struct Weights {
    /// The power of ten that all amounts are multiples of.
    exponent: i64,
    groups: Vec<WeightGroup>,
    /// For each label that weighs: its group and its amount.
    of: Vec<Option<(u32, Amount)>>,
    sums: Vec<(u32, Amount)>,
    numbers: FxHashMap<(u32, Amount), u32>,
    /// The number of the first sum.
    first: u32,
}

fn parse(text: &str) -> Result<Label<'_>, EquivalenceError> {
    Label::parse(text).map_err(|error| EquivalenceError::Label { label: text.to_owned(), error })
}

/// Returns whether a label weighs, as one with a rate or a probability.
pub(super) fn weighs(text: &str, rates: bool, probabilities: bool) -> Result<bool, EquivalenceError> {
    let label = parse(text)?;
    Ok(match label.timing {
        LabelTiming::Rate(_) => rates,
        LabelTiming::Probability(_) => probabilities,
        LabelTiming::Immediate => false,
    })
}

impl Weights {
    /// Reads the labels that weigh; the others are `None`.
    pub(super) fn new(labels: &[Option<&str>]) -> Result<Weights, EquivalenceError> {
        let mut weights = Weights { first: labels.len() as u32, ..Weights::default() };
        let number = |text: &&'_ str| parse(text).map(|label| label.number.unwrap_or_default().to_owned());
        let texts: Vec<String> = labels.iter().flatten().map(number).collect::<Result<_, _>>()?;
        let (amounts, exponent) = decimals::read_all(&texts.iter().map(String::as_str).collect::<Vec<_>>())?;
        weights.exponent = exponent;
        let mut amounts = amounts.into_iter();
        let mut groups = FxHashMap::default();
        for text in labels {
            let Some(text) = text else {
                weights.of.push(None);
                continue;
            };
            let label = parse(text)?;
            let is_rate = matches!(label.timing, LabelTiming::Rate(_));
            let group = WeightGroup { is_rate, action: label.action.map(str::to_owned) };
            let number = *groups.entry(group.clone()).or_insert(weights.groups.len() as u32);
            if number as usize == weights.groups.len() {
                weights.groups.push(group);
            }
            weights.of.push(amounts.next().map(|amount| (number, amount)));
        }
        Ok(weights)
    }

    /// Returns whether there are none.
    pub(super) fn are_absent(&self) -> bool {
        self.groups.is_empty()
    }

    /// Returns the group and the amount of a label.
    pub(super) fn of(&self, label: u32) -> Option<&(u32, Amount)> {
        self.of.get(label as usize)?.as_ref()
    }

    /// Returns whether a label is a rate.
    pub(super) fn is_rate(&self, label: u32) -> bool {
        self.of(label).is_some_and(|(group, _)| self.groups[*group as usize].is_rate)
    }

    /// Returns the sum of all amounts of some labels, as text, if it is more than 1.
    pub(super) fn excess(&self, labels: impl Iterator<Item = u32>) -> Option<String> {
        let mut sum = Amount::default();
        labels.filter_map(|label| self.of(label)).for_each(|(_, amount)| decimals::add(&mut sum, amount));
        decimals::exceeds_one(&sum, self.exponent).then(|| decimals::write(&sum, self.exponent))
    }

    /// Sums the amounts with the same group and block, and appends a word for each.
    pub(super) fn append(&mut self, parts: &mut [(u32, u32, Amount)], words: &mut Vec<u64>) {
        parts.sort_unstable_by_key(|(group, block, _)| (*group, *block));
        for same in parts.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1)) {
            let (group, block, mut sum) = same[0];
            same[1..].iter().for_each(|part| decimals::add(&mut sum, &part.2));
            let next = self.first + self.sums.len() as u32;
            let number = *self.numbers.entry((group, sum)).or_insert(next);
            if number == next {
                self.sums.push((group, sum));
            }
            words.push(super::table::word(number, block));
        }
    }

    /// Writes the label of a sum.
    pub(super) fn text(&self, number: u32) -> String {
        let (group, amount) = &self.sums[(number - self.first) as usize];
        let WeightGroup { is_rate, action } = &self.groups[*group as usize];
        let kind = if *is_rate { "rate" } else { "prob" };
        let number = decimals::write(amount, self.exponent);
        match action {
            Some(action) => format!("{action}; {kind} {number}"),
            None => format!("{kind} {number}"),
        }
    }
}
