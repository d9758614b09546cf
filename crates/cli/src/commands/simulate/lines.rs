//! The simulator line by line, for scripts and for terminals that can do no more.

use std::fmt::Write as _;
use std::io::{self, BufRead, Write};

use super::view;
use crate::output::Printer;
use narrows::simulation::{Session, Status, text};

const HELP: &str = "\
  1, 2, …   take the step with this number
  r, r N    take a random step, or N of them
  b, b N    go back a step, or N of them
  s         show the state
  w         say why something can't be done
  t         show the steps so far
  q         quit
";

/// Asks what to do, until there is nothing more to read. Returns whether nothing went wrong.
pub(super) fn talk(session: &mut Session<'_>) -> io::Result<bool> {
    converse(session, &mut io::stdin().lock(), &mut Printer::stdout())
}

pub(super) fn converse(
    session: &mut Session<'_>,
    input: &mut dyn BufRead,
    out: &mut dyn Write,
) -> io::Result<bool> {
    writeln!(out, "{}: choose a step by its number; h for help", session.model().name)?;
    let mut lines = input.lines();
    loop {
        if session.diagnostic().is_some() {
            return Ok(false);
        }
        write!(out, "{}", choices(session))?;
        loop {
            write!(out, "> ")?;
            out.flush()?;
            let Some(line) = lines.next() else { return Ok(true) };
            let line = line?;
            let mut words = line.split_whitespace();
            let word = words.next().unwrap_or("");
            let count: usize = words.next().and_then(|word| word.parse().ok()).unwrap_or(1);
            if let Ok(number) = word.parse::<usize>() {
                if number.checked_sub(1).is_some_and(|index| session.choose(index)) {
                    break;
                }
                writeln!(out, "there is no step {number}")?;
                continue;
            }
            match word {
                "q" | "quit" => return Ok(true),
                "r" | "random" => {
                    for _ in 0..count {
                        if !session.random_step() {
                            break;
                        }
                        writeln!(
                            out,
                            "  {}",
                            session.last().map_or_else(String::new, |taken| text::title(&taken.step))
                        )?;
                    }
                    break;
                }
                "b" | "back" => {
                    (0..count).for_each(|_| _ = session.back());
                    break;
                }
                "s" | "state" => {
                    for entry in session.entries() {
                        writeln!(out, "  {}", view::entry_text(session, &entry))?;
                    }
                }
                "w" | "why" => {
                    for reason in session.why_not() {
                        writeln!(out, "  {}", view::reason_text(session, &reason))?;
                    }
                }
                "t" | "trace" => {
                    for (index, taken) in session.past().iter().enumerate() {
                        writeln!(out, "{:>5}  {}", index + 1, text::title(&taken.step))?;
                    }
                }
                _ => write!(out, "{HELP}")?,
            }
        }
    }
}

/// Lists what can be done.
fn choices(session: &Session<'_>) -> String {
    let mut list = if session.is_before_first() {
        "\nchoose a first state\n".to_owned()
    } else {
        format!("\nafter {} steps\n", session.position())
    };
    for (number, step) in session.steps().iter().enumerate() {
        let target = text::target(session, step);
        let target = if target.is_empty() { target } else { format!("   {target}") };
        let _ = writeln!(list, "{:>5}  {}{target}", number + 1, text::title(step));
    }
    if session.steps().is_empty() {
        list += match session.status() {
            Status::Ended => "  the run has ended\n",
            _ => "  deadlock: nothing can happen\n",
        };
    }
    list
}

#[cfg(test)]
mod tests {
    use super::super::examples::{buffer, light};
    use super::*;

    fn said(session: &mut Session<'_>, input: &str) -> String {
        let mut out = Vec::new();
        assert!(converse(session, &mut input.as_bytes(), &mut out).expect("memory takes everything"));
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn without_a_terminal_it_talks_line_by_line() {
        let model = buffer();
        let mut session = Session::new(&model, 1).expect("it has an initial state");
        let text = said(&mut session, "1\n2\nt\ns\nb 2\n7\nq\n");
        for part in
            ["after 2 steps", "    2  GET !1", "    1  PUT\n    2  i\n", "with 1", "there is no step 7"]
        {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert_eq!(session.position(), 0);
    }

    #[test]
    fn it_talks_about_values_too() {
        let model = light();
        let mut session = Session::new(&model, 1).expect("it has an initial state");
        let text = said(&mut session, "2\ns\nw\nr 3\nq\n");
        for part in
            ["choose a first state", "    2  fast = TRUE", "light = red", "it is frozen", "after 3 steps"]
        {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}
