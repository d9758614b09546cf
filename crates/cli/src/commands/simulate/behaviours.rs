//! The simulator for LOTOS models: lines of text, with or without a terminal.

use std::fmt::Write as _;
use std::io::{self, BufRead, Write};
use std::ops::ControlFlow;

use anyhow::{Result, anyhow, bail};
use narrows_model::behaviour::Behaviour;
use narrows_model::{Scratch, StateSpace};
use narrows_report::one_line;

use super::Arguments;
use super::prng::Random;
use crate::behaviours::{BehaviourModel, compile_file, show_fault};
use crate::input::unreadable;
use crate::output;

const HELP: &str = "\
  NUMBER    take that step
  r, r N    take a random step, or N of them
  b, b N    go back a step, or N of them
  s         show where the processes are
  t         show the steps so far
  q         quit
";

/// A run, state by state.
struct Session<'m> {
    model: &'m BehaviourModel,
    scratch: Scratch,
    states: Vec<Vec<u8>>,
    labels: Vec<String>,
    random: Random,
}

/// Simulates a model; returns the exit status.
pub(super) fn run(arguments: &Arguments) -> Result<u8> {
    if arguments.trace.is_some() || arguments.trail.is_some() {
        bail!("runs of LOTOS models are not saved yet: --trace and --trail are for Promela models");
    }
    let model = compile_file(&arguments.file, &arguments.define, arguments.quiet)
        .map_err(|error| anyhow!(unreadable(&arguments.file, &error)))?;
    let Ok(model) = model else { return Ok(2) };
    if let Some(fault) = model.behaviour.fault(None) {
        show_fault(&model, &fault);
        return Ok(2);
    }
    let initial = model.behaviour.initial().map_err(|violation| anyhow!(violation.kind.message()))?.0;
    let mut session = Session {
        model: &model,
        scratch: Scratch::default(),
        states: vec![initial],
        labels: Vec::new(),
        random: Random::new(arguments.seed),
    };
    match arguments.random {
        Some(steps) => session.random_run(steps, arguments.quiet),
        None => session.talk(),
    }
}

impl Session<'_> {
    /// Returns what can happen next: labels and states; `None` if something has no value.
    fn next(&mut self) -> Option<Vec<(String, Vec<u8>)>> {
        let behaviour = &self.model.behaviour;
        let mut found = Vec::new();
        let mut is_broken = false;
        if let Some(state) = self.states.last() {
            behaviour.successors(state, &mut self.scratch, &mut |successor| {
                match successor.target {
                    Some(target) => found.push((behaviour.label(successor.label), target.to_vec())),
                    None => is_broken = true,
                }
                ControlFlow::Continue(())
            });
            if is_broken {
                if let Some(fault) = behaviour.fault(Some(state)) {
                    show_fault(self.model, &fault);
                }
                return None;
            }
        }
        Some(found)
    }

    fn has_ended(&self) -> bool {
        self.labels.last().is_some_and(|label| label == "exit" || label.starts_with("exit !"))
    }

    fn take(&mut self, step: (String, Vec<u8>)) {
        self.labels.push(step.0);
        self.states.push(step.1);
    }

    fn random_run(&mut self, steps: u64, quiet: bool) -> Result<u8> {
        for number in 1..=steps {
            let Some(mut next) = self.next() else { return Ok(2) };
            if next.is_empty() {
                let ended = self.has_ended();
                let text = if ended { "the run has ended" } else { "deadlock: nothing can happen any more" };
                output::print(&format!("{text}\n"))?;
                return Ok(u8::from(!ended));
            }
            let chosen = next.swap_remove(self.random.below(next.len()));
            if !quiet {
                output::print(&format!("{number:>6}  {}\n", one_line(&chosen.0)))?;
            }
            self.take(chosen);
            if self.states.len() > 2 {
                // Without a way back, only the last state matters.
                self.states.drain(..self.states.len() - 1);
            }
        }
        Ok(0)
    }

    /// Asks what to do, line by line.
    fn talk(&mut self) -> Result<u8> {
        output::print(&format!("{}: choose a step by its number; h for help\n", self.model.name))?;
        let mut lines = io::stdin().lock().lines();
        loop {
            let Some(next) = self.next() else { return Ok(2) };
            let mut text = format!("\nafter {} steps\n", self.labels.len());
            for (number, (label, _)) in next.iter().enumerate() {
                let _ = writeln!(text, "{:>5}  {}", number + 1, one_line(label));
            }
            if next.is_empty() {
                text += if self.has_ended() {
                    "  the run has ended\n"
                } else {
                    "  deadlock: nothing can happen\n"
                };
            }
            output::print(&text)?;
            loop {
                print_prompt()?;
                let Some(line) = lines.next() else { return Ok(0) };
                let line = line?;
                let mut words = line.split_whitespace();
                let word = words.next().unwrap_or("");
                let count: usize = words.next().and_then(|word| word.parse().ok()).unwrap_or(1);
                if let Ok(number) = word.parse::<usize>() {
                    if let Some(step) = number.checked_sub(1).and_then(|index| next.get(index)) {
                        self.take(step.clone());
                        break;
                    }
                    output::print(&format!("there is no step {number}\n"))?;
                    continue;
                }
                match word {
                    "q" | "quit" => return Ok(0),
                    "r" | "random" => {
                        for _ in 0..count {
                            let Some(mut next) = self.next() else { return Ok(2) };
                            if next.is_empty() {
                                break;
                            }
                            let chosen = next.swap_remove(self.random.below(next.len()));
                            output::print(&format!("  {}\n", one_line(&chosen.0)))?;
                            self.take(chosen);
                        }
                        break;
                    }
                    "b" | "back" => {
                        let kept = self.labels.len().saturating_sub(count);
                        self.labels.truncate(kept);
                        self.states.truncate(kept + 1);
                        break;
                    }
                    "s" | "state" => output::print(&self.describe())?,
                    "t" | "trace" => {
                        for (number, label) in self.labels.iter().enumerate() {
                            output::print(&format!("{:>5}  {}\n", number + 1, one_line(label)))?;
                        }
                    }
                    _ => output::print(HELP)?,
                }
            }
        }
    }

    fn describe(&self) -> String {
        let Some(state) = self.states.last() else { return String::new() };
        let mut text = String::new();
        for (point, values) in self.model.behaviour.describe(state) {
            let place = if point == Behaviour::STOP || point == Behaviour::DONE {
                "stopped".to_owned()
            } else {
                let span = self.model.behaviour.point(point).span;
                let line = self.model.sources.position(span).line;
                format!("line {line}: {}", one_line(self.model.sources.text(span)))
            };
            let _ = writeln!(text, "  {place}{}{values}", if values.is_empty() { "" } else { "  with " });
        }
        text
    }
}

fn print_prompt() -> Result<()> {
    output::print("> ")?;
    io::stdout().flush()?;
    Ok(())
}
