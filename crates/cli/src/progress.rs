//! Live progress on a terminal.

use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use narrows::Progress;
use narrows_report::{bytes, grouped};
use narrows_source::printable;

/// How often the line changes.
const EVERY: Duration = Duration::from_millis(100);

/// A line on standard error that says how far the search is.
pub(crate) struct Display {
    bar: ProgressBar,
    last: Mutex<Duration>,
    /// What the search is about, with a colon; may be empty.
    about: String,
}

impl Display {
    /// Makes a display, if standard error is a terminal.
    pub(crate) fn new(about: &str) -> Option<Display> {
        if !std::io::stderr().is_terminal() {
            return None;
        }
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {msg}") {
            bar.set_style(style);
        }
        let about = if about.is_empty() { String::new() } else { format!("{}: ", printable(about)) };
        Some(Display { bar, last: Mutex::new(Duration::ZERO), about })
    }

    pub(crate) fn show(&self, progress: &Progress, elapsed: Duration) {
        self.say(elapsed, || {
            // Where states are not counted one by one, only the memory is known.
            if progress.states == 0 {
                return format!("sets of states, {}", bytes(progress.memory));
            }
            let rate = progress.states as f64 / elapsed.as_secs_f64();
            format!(
                "{} states ({}/s), depth {}, {}",
                grouped(progress.states),
                grouped(rate as u64),
                grouped(progress.depth),
                bytes(progress.memory),
            )
        });
    }

    fn say(&self, elapsed: Duration, text: impl FnOnce() -> String) {
        let Ok(mut last) = self.last.try_lock() else { return };
        if elapsed.saturating_sub(*last) < EVERY {
            return;
        }
        *last = elapsed;
        self.bar.set_message(format!("{}{}", self.about, text()));
        self.bar.tick();
    }

    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
