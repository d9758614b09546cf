//! Variants below each other: from the worst to the best, the mean, and what would be possible.

use narrows_model::decimals::outwards;

use super::{Canvas, room};
use crate::bottleneck::short;

/// A variant.
pub(crate) struct Range {
    pub(crate) name: String,
    /// The worst and the best case, if they are known.
    pub(crate) ends: Option<(f64, f64)>,
    /// The mean, or the middle of its bounds.
    pub(crate) mean: Option<f64>,
    /// What would be possible.
    pub(crate) possible: Option<f64>,
}

impl Range {
    /// Returns what variants are ordered by: the best that is known.
    pub(crate) fn best(&self) -> f64 {
        self.ends.map(|(_, best)| best).or(self.mean).unwrap_or(0.0)
    }

    fn words(&self) -> String {
        let ends = self.ends.map(|(worst, best)| match (short(worst), short(best)) {
            (worst, best) if worst == best => worst,
            _ => outwards(worst, best, 4).join(" to "),
        });
        let mean = self.mean.map(|mean| format!("mean {}", short(mean)));
        let possible = self.possible.map(|possible| format!("possible {}", short(possible)));
        ends.into_iter().chain(mean).chain(possible).collect::<Vec<_>>().join(", ")
    }
}

const HEIGHT: f64 = 26.0;
const LENGTH: f64 = 380.0;

/// Draws variants, in the order in which they are given.
pub(crate) fn ranges(title: &str, rows: &[Range]) -> String {
    let texts: Vec<String> = rows.iter().map(Range::words).collect();
    let left = room(rows.iter().map(|row| row.name.as_str())) + 16.0;
    let right = room(texts.iter().map(String::as_str)) + 24.0;
    let all = rows.iter().flat_map(|row| [Some(row.best()), row.mean, row.possible]).flatten();
    let most = all.filter(|value| value.is_finite()).fold(0.0, f64::max);
    let x = |value: f64| left + if most > 0.0 { (value / most).clamp(0.0, 1.0) * LENGTH } else { 0.0 };
    let height = rows.len() as f64 * HEIGHT + 34.0;
    let words: Vec<String> =
        rows.iter().zip(&texts).map(|(row, text)| format!("{}: {text}", row.name)).collect();
    let mut canvas = Canvas::new(left + LENGTH + right, height, title, &words.join("; "));
    for (number, row) in rows.iter().enumerate() {
        let top = 6.0 + number as f64 * HEIGHT;
        let says = &words[number];
        canvas.text("right", left - 8.0, top + 16.0, &row.name);
        if let Some(possible) = row.possible.filter(|value| value.is_finite()) {
            canvas.bar("possible", (left, top + 4.0), (x(possible) - left, HEIGHT - 10.0), says);
        }
        if let Some((worst, best)) = row.ends {
            canvas.bar("c0", (left, top + 4.0), (x(worst) - left, HEIGHT - 10.0), says);
            if best > worst {
                canvas.bar("c0 upto", (x(worst), top + 4.0), (x(best) - x(worst), HEIGHT - 10.0), says);
            }
        }
        if let Some(mean) = row.mean {
            if row.ends.is_none() {
                canvas.bar("c1 upto", (left, top + 4.0), (x(mean) - left, HEIGHT - 10.0), says);
            }
            canvas.bar("c1 mean", (x(mean) - 2.0, top + 1.0), (4.0, HEIGHT - 4.0), says);
        }
        canvas.text("", left + LENGTH + 12.0, top + 16.0, &texts[number]);
    }
    let bottom = height - 24.0;
    // What is not drawn needs no explanation.
    let has = |is_so: &dyn Fn(&Range) -> bool| rows.iter().any(is_so);
    let is_wide = |value: f64| x(value) > left;
    let legend = [
        ("c0", "worst case", has(&|row| row.ends.is_some_and(|(worst, _)| is_wide(worst)))),
        ("c0 upto", "up to the best", has(&|row| row.ends.is_some_and(|(worst, best)| x(best) > x(worst)))),
        ("c1 mean", "mean", has(&|row| row.mean.is_some())),
        ("possible", "possible", has(&|row| row.possible.is_some_and(|it| it.is_finite() && is_wide(it)))),
    ];
    let mut at = left;
    for (class, name, _) in legend.into_iter().filter(|(_, _, is_drawn)| *is_drawn) {
        canvas.bar(class, (at, bottom + 4.0), (10.0, 10.0), name);
        canvas.text("faint", at + 15.0, bottom + 13.0, name);
        at += 15.0 + room([name].into_iter()) + 16.0;
    }
    canvas.finish()
}

#[cfg(test)]
mod tests {
    use super::{Range, ranges};

    #[test]
    fn a_variant_shows_what_is_known_of_it() {
        let rows = [
            Range { name: "a".to_owned(), ends: Some((1.0, 2.0)), mean: Some(1.5), possible: Some(4.0) },
            Range { name: "b".to_owned(), ends: None, mean: Some(0.5), possible: None },
        ];
        let drawn = ranges("t", &rows);
        assert!(drawn.contains("<desc>a: 1 to 2, mean 1.5, possible 4; b: mean 0.5</desc>"), "{drawn}");
        // Four boxes of the first, two of the second, and four of the legend.
        assert_eq!(drawn.matches("<rect class=\"bar ").count(), 10);
        let alone = ranges("t", &rows[1..]);
        assert!(alone.contains(">mean<") && !alone.contains(">worst case<"), "{alone}");
        assert!(ranges("t", &[]).ends_with("</svg>\n"));
    }

    #[test]
    fn a_legend_names_only_what_has_a_width() {
        let row = |ends| Range { name: "a".to_owned(), ends: Some(ends), mean: None, possible: Some(0.0) };
        let never = ranges("t", &[row((0.0, 2.0))]);
        assert!(never.contains(">up to the best<"), "{never}");
        assert!(!never.contains(">worst case<") && !never.contains(">possible<"), "{never}");
        let sometimes = ranges("t", &[row((0.0, 2.0)), row((1.0, 1.0))]);
        assert!(sometimes.contains(">worst case<"), "{sometimes}");
        // Nothing is drawn at all.
        let nothing = ranges("t", &[row((0.0, 0.0))]);
        assert!(["worst case", "up to the best"].iter().all(|name| !nothing.contains(name)), "{nothing}");
    }
}
