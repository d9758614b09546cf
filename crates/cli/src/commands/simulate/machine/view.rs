//! What the screen shows of a run of a synchronous system: values, and what steps change.

use narrows_model::Change;
use narrows_model::synchronous::{Evaluation, Moment, Role};
use narrows_report::change_line;
use ratatui::style::Style;
use ratatui::text::Line;

use super::super::keys::Run;
use super::super::view::{CHANGED, FAINT, clean};
use super::session::Session;

/// A session, and the name of its model.
pub(super) struct Shown<'m> {
    pub(super) session: Session<'m>,
    pub(super) name: String,
}

impl Run for Shown<'_> {
    fn name(&self) -> &str {
        &self.name
    }

    fn position(&self) -> usize {
        self.session.position()
    }

    fn length(&self) -> usize {
        self.session.length()
    }

    fn cycle(&self) -> Option<usize> {
        self.session.cycle()
    }

    fn choices(&self) -> usize {
        self.session.steps().len()
    }

    fn choose(&mut self, index: usize) -> bool {
        self.session.choose(index)
    }

    fn random_step(&mut self) -> bool {
        self.session.random_step()
    }

    fn back(&mut self) -> bool {
        self.session.back()
    }

    fn forward(&mut self) -> bool {
        self.session.forward()
    }

    fn jump(&mut self, number: usize) {
        self.session.jump(number);
    }

    fn fault(&self) -> Option<String> {
        self.session.fault()
    }

    fn state(&self) -> (&'static str, Vec<Line<'static>>) {
        ("Values", values(&self.session))
    }

    fn choices_title(&self) -> (&'static str, String) {
        let what = if self.session.state().is_none() { "First states" } else { "Steps" };
        let more = if self.session.has_more() { "more than " } else { "" };
        (what, format!("{more}{}", self.choices()))
    }

    fn choice(&self, index: usize) -> String {
        self.session.steps().get(index).map_or_else(String::new, |step| told(&step.changes))
    }

    fn dead_end(&self) -> (&'static str, bool) {
        ("There is no next state.", true)
    }

    fn past(&self, number: usize) -> String {
        match number {
            0 => "the first state".to_owned(),
            _ => told(&self.session.changes_to(number)),
        }
    }
}

/// The values of variables, of definitions, and of the propositions of a formula.
fn values(session: &Session<'_>) -> Vec<Line<'static>> {
    let system = session.system();
    let mut lines: Vec<Line<'static>> = Vec::new();
    for (text, value, changed) in session.atoms() {
        let style = if changed { CHANGED } else { Style::new() };
        lines.push(Line::styled(format!("◆ {}: {value}", clean(text)), style));
    }
    let changed: Vec<Change> = match session.position() {
        0 => Vec::new(),
        number => session.changes_to(number),
    };
    match session.state() {
        None => lines.push(Line::styled("Choose a first state.", FAINT)),
        Some(state) => {
            for (variable, value) in system.variables.iter().zip(state) {
                if variable.role == Role::Input {
                    continue;
                }
                let is_new = changed.iter().any(|one| one.name == variable.name && one.before.is_some());
                let style = if is_new { CHANGED } else { Style::new() };
                let text = format!("{} = {}", variable.name, system.show(*value, variable.display));
                lines.push(Line::styled(text, style));
            }
            let mut evaluation = Evaluation::new(system);
            for definition in &system.definitions {
                let (looked_at, _) = system.looks_at(definition.value);
                if looked_at.iter().any(|id| system.variable(*id).role == Role::Input) {
                    continue;
                }
                let value = evaluation.value(definition.value, Moment::still(state));
                let text = format!("{} = {}", definition.name, system.show(value, definition.display));
                lines.push(Line::styled(text, FAINT));
            }
        }
    }
    lines
}

fn told(changes: &[Change]) -> String {
    match changes {
        [] => "nothing changes".to_owned(),
        _ => changes.iter().map(change_line).collect::<Vec<_>>().join(", "),
    }
}
