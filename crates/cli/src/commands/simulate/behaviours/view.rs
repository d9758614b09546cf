//! What the screen shows of a run of a LOTOS model: where processes stand, and labels.

use narrows_model::behaviour::Behaviour;
use narrows_report::one_line;
use ratatui::style::Style;
use ratatui::text::Line;

use super::super::keys::Run;
use super::super::view::{CHANGED, clean};
use super::session::Session;

impl Run for Session<'_> {
    fn name(&self) -> &str {
        Session::name(self)
    }

    fn position(&self) -> usize {
        Session::position(self)
    }

    fn length(&self) -> usize {
        Session::length(self)
    }

    fn cycle(&self) -> Option<usize> {
        Session::cycle(self)
    }

    fn choices(&self) -> usize {
        self.steps().len()
    }

    fn choose(&mut self, index: usize) -> bool {
        Session::choose(self, index)
    }

    fn random_step(&mut self) -> bool {
        Session::random_step(self)
    }

    fn back(&mut self) -> bool {
        Session::back(self)
    }

    fn forward(&mut self) -> bool {
        Session::forward(self)
    }

    fn jump(&mut self, number: usize) {
        Session::jump(self, number);
    }

    fn fault(&self) -> Option<String> {
        Session::fault(self).map(Behaviour::fault_text)
    }

    fn state(&self) -> (&'static str, Vec<Line<'static>>) {
        let here = self.here();
        let before = here.checked_sub(1).map(|before| self.places(before));
        let mut lines = Vec::new();
        for place in self.places(here) {
            let is_new = before.as_ref().is_some_and(|before| !before.contains(&place));
            let style = if is_new { CHANGED } else { Style::new() };
            lines.push(Line::styled(clean(&place.0), style));
            // Values stand first in a line, so that they are seen even if the text is long.
            if !place.1.is_empty() {
                lines.push(Line::styled(format!("  with {}", clean(&place.1)), style));
            }
        }
        ("Processes", lines)
    }

    fn choices_title(&self) -> (&'static str, String) {
        ("Steps", self.steps().len().to_string())
    }

    fn choice(&self, index: usize) -> String {
        self.steps().get(index).map_or_else(String::new, |(label, _)| one_line(label))
    }

    fn dead_end(&self) -> (&'static str, bool) {
        if Session::fault(self).is_some() {
            ("Something has no value here.", true)
        } else if self.has_ended() {
            ("The run has ended.", false)
        } else {
            ("Deadlock: nothing can happen.", true)
        }
    }

    fn past(&self, number: usize) -> String {
        self.label(number).map_or_else(|| "the first state".to_owned(), one_line)
    }
}
