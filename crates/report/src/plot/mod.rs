//! Numbers as pictures: bars, lines, and who is busy when. Each is an SVG that needs nothing else, says in
//! words what it shows, and fits light and dark pages.

mod bars;
mod busy;
mod lines;
mod ranges;
mod waves;

use std::fmt::Write;

use crate::escape::Escaped;

pub(crate) use bars::{Bars, bars};
pub(crate) use busy::{lanes, requests};
pub(crate) use lines::{Line, Lines, lines};
pub(crate) use ranges::{Range, ranges};
pub(crate) use waves::{Waves, waves};

/// The style of all pictures: each has it, and a page with many of them has it once.
pub(crate) const STYLE: &str = include_str!("plot.css");

/// How wide a letter is, about.
const LETTER: f64 = 7.3;

/// How many colours there are.
const COLOURS: usize = 8;

/// A picture that is being drawn.
struct Canvas {
    out: String,
}

impl Canvas {
    /// Begins a picture; the description says in words what it shows.
    fn new(width: f64, height: f64, title: &str, description: &str) -> Canvas {
        let mut out = String::new();
        let _ = writeln!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
             width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\" \
             class=\"plot\">\n<title>{}</title>\n<desc>{}</desc>\n\
             <style>{STYLE}</style>\n<rect class=\"back\" width=\"{width:.0}\" height=\"{height:.0}\"/>",
            Escaped(title),
            Escaped(description),
        );
        Canvas { out }
    }

    /// Makes the picture one that can be zoomed, by what the script of a page needs to know about it.
    fn mark(&mut self, data: &str) {
        self.out = self.out.replacen(" class=\"plot\"", &format!(" class=\"plot timeline\"{data}"), 1);
    }

    fn text(&mut self, class: &str, x: f64, y: f64, text: &str) {
        let _ =
            writeln!(self.out, "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", Escaped(text));
    }

    fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        self.marked_line(class, "", from, to);
    }

    /// Draws a line with data for the script of a page.
    fn marked_line(&mut self, class: &str, data: &str, from: (f64, f64), to: (f64, f64)) {
        let _ = writeln!(
            self.out,
            "<line class=\"{class}\"{data} x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\"/>",
            from.0, from.1, to.0, to.1
        );
    }

    /// Draws a box that says something when it is pointed at.
    fn bar(&mut self, class: &str, place: (f64, f64), size: (f64, f64), says: &str) {
        self.marked_bar(class, "", place, size, says);
    }

    /// Draws such a box with data for the script of a page.
    fn marked_bar(&mut self, class: &str, data: &str, place: (f64, f64), size: (f64, f64), says: &str) {
        let _ = writeln!(
            self.out,
            "<rect class=\"bar {class}\"{data} x=\"{:.2}\" y=\"{:.1}\" width=\"{:.2}\" \
             height=\"{:.1}\"><title>{}</title></rect>",
            place.0,
            place.1,
            size.0.max(0.0),
            size.1,
            Escaped(says)
        );
    }

    fn finish(mut self) -> String {
        self.out.push_str("</svg>\n");
        self.out
    }
}

/// Returns round numbers from 0 to a greatest one, for an axis.
fn ticks(most: f64) -> Vec<f64> {
    if !(most > 0.0 && most.is_finite()) {
        return vec![0.0];
    }
    let rough = most / 5.0;
    let power = 10_f64.powf(rough.log10().floor());
    let step =
        [1.0, 2.0, 2.5, 5.0, 10.0].into_iter().map(|factor| factor * power).find(|step| *step >= rough);
    let step = step.unwrap_or(rough);
    (0..=20).map(|number| f64::from(number) * step).take_while(|tick| *tick <= most * 1.000_001).collect()
}

/// Returns how much room texts need.
fn room<'t>(texts: impl Iterator<Item = &'t str>) -> f64 {
    texts.map(|text| text.chars().count()).max().unwrap_or(0) as f64 * LETTER
}

#[cfg(test)]
mod tests {
    use narrows_model::Bar;

    use super::{Bars, Line, Lines, Waves, bars, lanes, lines, requests, ticks, waves};

    #[test]
    fn axes_have_round_numbers() {
        assert_eq!(ticks(10.0), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        assert_eq!(ticks(0.9).len(), 5);
        assert_eq!(ticks(0.0), [0.0]);
        assert_eq!(ticks(f64::INFINITY), [0.0]);
    }

    #[test]
    fn names_stay_texts() {
        let hostile = "</text><script>alert(1)</script>";
        let drawn = [
            bars(&Bars {
                title: hostile,
                whole: None,
                rows: &[(hostile.to_owned(), Some(1.0), hostile.to_owned())],
            }),
            lanes(&[hostile.to_owned()], &[vec![Bar { from: 0.0, to: 1.0 }]], hostile, None),
            requests(hostile, &[Bar { from: 0.0, to: 1.0 }], hostile),
            lines(&Lines {
                title: hostile,
                across: hostile,
                points: &[hostile.to_owned()],
                shown: &[Line { name: hostile.to_owned(), values: vec![Some((1.0, 2.0))] }],
                whole: None,
                is_stepped: false,
            }),
            waves(&Waves {
                title: hostile,
                rows: &[(hostile.to_owned(), vec![Some(hostile.to_owned()), None])],
                part: None,
                cycle: None,
            }),
        ];
        for picture in drawn {
            assert!(!picture.contains("<script"), "{picture}");
            assert!(picture.contains("<title>") && picture.contains("<desc>"), "{picture}");
        }
    }

    #[test]
    fn nothing_is_drawn_as_nothing() {
        assert!(bars(&Bars { title: "t", whole: None, rows: &[] }).ends_with("</svg>\n"));
        assert!(lanes(&[], &[], "us", None).ends_with("</svg>\n"));
        assert!(requests("read", &[], "us").ends_with("</svg>\n"));
        let empty =
            Lines { title: "t", across: "x", points: &[], shown: &[], whole: None, is_stepped: false };
        assert!(lines(&empty).ends_with("</svg>\n"));
    }

    #[test]
    fn signals_go_up_and_down() {
        let row = |values: &[&str]| values.iter().map(|value| Some((*value).to_owned())).collect::<Vec<_>>();
        let rows = [
            ("REQ".to_owned(), row(&["FALSE", "TRUE", "TRUE", "FALSE"])),
            ("phase".to_owned(), row(&["quiet", "data", "data", "quiet"])),
        ];
        let drawn = waves(&Waves { title: "t", rows: &rows, part: Some((1, Some(3))), cycle: Some(2) });
        assert!(drawn.contains("REQ is up in cycles 1 to 2"), "{drawn}");
        assert!(
            drawn.contains("phase is quiet in cycle 0, data in cycles 1 to 2, quiet in cycle 3"),
            "{drawn}"
        );
        assert_eq!(drawn.matches("class=\"part\"").count(), 1);
        assert_eq!(drawn.matches("class=\"wave ").count(), 1);
        assert!(waves(&Waves { title: "t", rows: &[], part: None, cycle: None }).ends_with("</svg>\n"));
    }

    #[test]
    fn there_is_a_box_for_each_bar() {
        let lane = vec![Bar { from: 0.0, to: 2.0 }, Bar { from: 2.0, to: 5.0 }];
        let names = ["a".to_owned(), "b".to_owned()];
        let both = [lane.clone(), lane];
        assert_eq!(lanes(&names, &both, "us", Some((0.0, 2.0))).matches("class=\"bar ").count(), 4);
    }
}
