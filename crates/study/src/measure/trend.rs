//! Whether something grows or falls along what is varied.

use narrows_model::{Figure, FigureResult, SweepPoint};

use super::new_figure;
use crate::Study;

/// Says for each trend that a study expects what came out along its sweep: `increasing` or `decreasing`, if
/// it is so from each value to the next whatever the other values are, and otherwise `mixed`.
pub fn trends(study: &Study, points: &[SweepPoint]) -> Vec<Figure> {
    let mut figures = Vec::new();
    for (ask, axis, expected) in &study.trends {
        let ask = &study.asks[*ask];
        let mut trend = new_figure("trend", format!("{} along {}", ask.name, axis.text), "stochastic");
        let is_it = |figure: &&Figure| figure.kind == ask.question.kind() && figure.name == ask.name;
        let others = |point: &SweepPoint| -> Vec<(String, String)> {
            point.settings.iter().filter(|(name, _)| *name != axis.text).cloned().collect()
        };
        let (mut grows, mut falls, mut pairs) = (true, true, 0);
        // Why a value is not known, if a limit is the reason: then nothing can be said of the whole.
        let mut limit = None;
        let mut is_estimated = false;
        let mut groups: Vec<Vec<(String, String)>> = Vec::new();
        for point in points {
            if !groups.contains(&others(point)) {
                groups.push(others(point));
            }
        }
        for group in groups {
            let values: Vec<Option<(f64, f64)>> = points
                .iter()
                .filter(|point| others(point) == group)
                .map(|point| match &point.figures.iter().find(is_it)?.result {
                    FigureResult::Value { low, high, .. } => Some((low.to_f64(), high.to_f64())),
                    FigureResult::Estimated { low, high, .. } => {
                        is_estimated = true;
                        Some((*low, *high))
                    }
                    FigureResult::Undecided(reason) => {
                        limit.get_or_insert(*reason);
                        None
                    }
                    _ => None,
                })
                .collect();
            for pair in values.windows(2) {
                pairs += 1;
                let (before, after) = (pair[0], pair[1]);
                grows &= before.zip(after).is_some_and(|(before, after)| before.1 < after.0);
                falls &= before.zip(after).is_some_and(|(before, after)| after.1 < before.0);
            }
        }
        if let Some(reason) = limit {
            trend.result = FigureResult::Undecided(reason);
            trend.notes.push(format!("Expected: {}.", expected.text));
            figures.push(trend);
            continue;
        }
        let word = match (pairs, grows, falls) {
            (0, ..) => None,
            (_, true, _) => Some("increasing"),
            (_, _, true) => Some("decreasing"),
            _ => Some("mixed"),
        };
        trend.result = match word {
            Some(word) => FigureResult::Word(word.to_owned()),
            None => FigureResult::None("There are no two values to compare.".to_owned()),
        };
        if is_estimated && word == Some("mixed") {
            trend.result = FigureResult::None("The estimates are too wide to tell them apart.".to_owned());
            trend.notes.push(format!("Expected: {}.", expected.text));
            figures.push(trend);
            continue;
        }
        trend.expected = Some((expected.text.clone(), word == Some(expected.text.as_str())));
        figures.push(trend);
    }
    figures
}
