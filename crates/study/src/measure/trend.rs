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
        let (mut grows, mut falls, mut pairs) = (Known::Yes, Known::Yes, 0);
        let mut is_missing = false;
        // Why a value is not known, if a limit is the reason: then nothing can be said of the whole.
        let mut limit = None;
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
                    FigureResult::Estimated { low, high, .. } => Some((*low, *high)),
                    FigureResult::Undecided(reason) => {
                        limit.get_or_insert(*reason);
                        None
                    }
                    _ => None,
                })
                .collect();
            for pair in values.windows(2) {
                pairs += 1;
                let Some((before, after)) = pair[0].zip(pair[1]) else {
                    is_missing = true;
                    continue;
                };
                grows = grows.and(before.1 < after.0, before.0 >= after.1);
                falls = falls.and(after.1 < before.0, after.0 >= before.1);
            }
        }
        if let Some(reason) = limit {
            trend.result = FigureResult::Undecided(reason);
            trend.notes.push(format!("Expected: {}.", expected.text));
            figures.push(trend);
            continue;
        }
        let word = match (grows, falls) {
            _ if pairs == 0 => Err("There are no two values to compare."),
            _ if is_missing => Err("Some points have no value."),
            (Known::Yes, _) => Ok("increasing"),
            (_, Known::Yes) => Ok("decreasing"),
            (Known::No, Known::No) => Ok("mixed"),
            _ => Err("The values are not known well enough to tell them apart."),
        };
        let word = match word {
            Ok(word) => word,
            Err(reason) => {
                trend.result = FigureResult::None(reason.to_owned());
                trend.notes.push(format!("Expected: {}.", expected.text));
                figures.push(trend);
                continue;
            }
        };
        trend.result = FigureResult::Word(word.to_owned());
        trend.expected = Some((expected.text.clone(), word == expected.text));
        figures.push(trend);
    }
    figures
}

/// Whether something is so for all pairs of values, which lie between bounds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    Yes,
    No,
    /// The bounds leave it open.
    Open,
}

impl Known {
    /// Adds a pair for which it is certainly so, certainly not, or neither.
    fn and(self, is_so: bool, is_not: bool) -> Known {
        match (self, is_so, is_not) {
            (Known::No, ..) | (_, _, true) => Known::No,
            (known, true, _) => known,
            _ => Known::Open,
        }
    }
}

#[cfg(test)]
mod tests {
    use narrows_model::{Figure, FigureResult, Limit, Number, SweepPoint};
    use narrows_source::Span;

    use super::trends;
    use crate::file::{Ask, Question, Study, Text};

    /// Says what a study that expects growth is told of values.
    fn told(values: &[FigureResult]) -> (String, bool) {
        let text = |text: &str| Text { text: text.to_owned(), span: Span::default() };
        let ask = Ask::plain(Question::Throughput(text("done")));
        let (kind, name) = (ask.question.kind(), ask.name.clone());
        let trends_expected = vec![(0, text("n"), text("increasing"))];
        let study = Study { asks: vec![ask], trends: trends_expected, ..Study::default() };
        let point = |(number, result): (usize, &FigureResult)| SweepPoint {
            settings: vec![("n".to_owned(), number.to_string())],
            figures: vec![Figure::new(kind, name.clone(), "stochastic", result.clone())],
        };
        let points: Vec<SweepPoint> = values.iter().enumerate().map(point).collect();
        let figure = trends(&study, &points).remove(0);
        let fails = figure.fails();
        match figure.result {
            FigureResult::Word(word) => (word, fails),
            FigureResult::None(reason) => (reason, fails),
            other => (format!("{other:?}"), fails),
        }
    }

    fn between(low: f64, high: f64) -> FigureResult {
        FigureResult::Value { low: Number::Float(low), high: Number::Float(high), exact: false }
    }

    #[test]
    fn only_what_is_known_fails() {
        let check = |values: &[FigureResult], word: &str, fails: bool| {
            assert_eq!(told(values), (word.to_owned(), fails));
        };
        check(&[between(1.0, 2.0), between(3.0, 4.0)], "increasing", false);
        check(&[between(3.0, 4.0), between(1.0, 2.0)], "decreasing", true);
        check(&[between(1.0, 1.0), between(1.0, 1.0)], "mixed", true);
        check(&[between(1.0, 2.0), between(3.0, 4.0), between(0.0, 1.0)], "mixed", true);
        let open = "The values are not known well enough to tell them apart.";
        check(&[between(1.0, 3.0), between(2.0, 4.0)], open, false);
        check(&[between(1.0, 2.0), between(1.5, 4.0), between(5.0, 6.0)], open, false);
        let missing = FigureResult::None("no such event".to_owned());
        check(&[between(1.0, 2.0), missing], "Some points have no value.", false);
        check(&[between(1.0, 2.0)], "There are no two values to compare.", false);
        check(&[between(1.0, 2.0), FigureResult::Undecided(Limit::Time)], "Undecided(Time)", false);
    }
}
