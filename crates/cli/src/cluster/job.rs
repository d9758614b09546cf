//! What all processes do: the arguments of a command, and the files that it reads.

use std::collections::BTreeMap;

use clap::{CommandFactory, FromArgMatches};
use serde_json::{Value, json};

use crate::Command;
use crate::input::Models;
use crate::{output, reading};

/// What all processes do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Job {
    /// Those of the command, without what is about one process alone.
    pub(crate) arguments: Vec<String>,
    /// How many workers each process has.
    pub(crate) workers: usize,
    /// All files that are read, by name.
    pub(crate) files: BTreeMap<String, String>,
}

/// Options that say which process this is.
const MEMBERSHIP: [&str; 5] = ["--hosts", "--process", "--workers", "--secret-file", "--wait"];

/// Options that each process may have for itself.
pub(crate) const LIMITS: [&str; 3] = ["--memory", "--time", "--color"];

/// Options that are about this machine alone: files of others are not read.
const PLACES: [&str; 1] = ["--include-only"];

/// Options for files that process 0 writes.
const WRITTEN: [&str; 5] = ["--html", "--trace", "--svg", "--spin-trail", "--write-order"];

/// Returns arguments without some options, which have values.
pub(crate) fn strip(arguments: &[String], options: &[&str]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if argument == "--" {
            kept.push(argument.clone());
            kept.extend(rest.cloned());
            break;
        }
        let (name, has_value) = match argument.split_once('=') {
            Some((name, _)) => (name, true),
            None => (argument.as_str(), false),
        };
        if !options.contains(&name) {
            kept.push(argument.clone());
        } else if !has_value {
            rest.next();
        }
    }
    kept
}

/// Returns the arguments that all processes have.
pub(super) fn shared_arguments(given: &[String]) -> Vec<String> {
    strip(&strip(given, &MEMBERSHIP), &PLACES)
}

/// Returns the options that hold for one process alone.
pub(crate) fn own_limits(given: &[String]) -> Vec<String> {
    let mut own = Vec::new();
    let mut rest = given.iter().peekable();
    while let Some(argument) = rest.next().filter(|argument| *argument != "--") {
        if LIMITS.contains(&argument.as_str()) {
            own.push(argument.clone());
            own.extend(rest.next().cloned());
        } else if LIMITS.iter().any(|name| argument.starts_with(&format!("{name}="))) {
            own.push(argument.clone());
        }
    }
    own
}

impl Job {
    /// Reads everything that a command needs; or shows what is wrong with it, and returns the exit status.
    pub(crate) fn load(
        arguments: Vec<String>,
        models: &Models,
        workers: usize,
    ) -> anyhow::Result<Result<Job, u8>> {
        Ok(models.preload()?.map(|files| Job { arguments, workers, files }))
    }

    /// Reads everything that the command needs that these arguments are.
    pub(crate) fn of(arguments: &[String], workers: usize) -> anyhow::Result<Result<Job, u8>> {
        let line = std::iter::once("narrows".to_owned()).chain(arguments.iter().cloned());
        // What is wrong with it, or its help, is told as for the command itself.
        let matches = crate::Arguments::command().get_matches_from(line);
        output::choose(&matches);
        let parsed = crate::Arguments::from_arg_matches(&matches)?;
        if let Some(folder) = &parsed.include_only {
            reading::confine(folder)?;
        }
        let models = match &parsed.command {
            Command::Check(check) => &check.models,
            Command::Explore(explore) => &explore.models,
            _ => anyhow::bail!("on several machines there are `explore` and `check`"),
        };
        Job::load(strip(arguments, &PLACES), models, workers)
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let Job { arguments, workers, files } = self;
        json!({ "arguments": arguments, "workers": workers, "files": files }).to_string().into_bytes()
    }

    pub(crate) fn read(bytes: &[u8]) -> Option<Job> {
        let value: Value = serde_json::from_slice(bytes).ok()?;
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let file = |(name, value): (&String, &Value)| Some((name.clone(), text(value)?));
        Some(Job {
            arguments: value["arguments"].as_array()?.iter().map(text).collect::<Option<_>>()?,
            workers: usize::try_from(value["workers"].as_u64()?)
                .ok()
                .filter(|count| (1..=1024).contains(count))?,
            files: value["files"].as_object()?.iter().map(file).collect::<Option<_>>()?,
        })
    }

    /// Says why another process will not do this: it was started with other arguments (none if it takes any),
    /// or has other files of the same names.
    pub(crate) fn agrees(&self, arguments: &[String], workers: Option<usize>) -> Result<(), String> {
        if let Some(workers) = workers.filter(|workers| *workers != self.workers) {
            return Err(format!("it was started with {workers} workers, and process 0 has {}", self.workers));
        }
        if arguments.is_empty() {
            return Ok(());
        }
        let theirs = strip(&self.arguments, &LIMITS);
        if arguments != theirs {
            let (mine, theirs) = (arguments.join(" "), theirs.join(" "));
            return Err(format!("it was started with `{mine}`, and process 0 with `{theirs}`"));
        }
        let differs = |(name, text): &(&String, &String)| {
            reading::read_as_text(name.as_ref()).is_ok_and(|mine| mine != **text)
        };
        match self.files.iter().find(differs) {
            Some((name, _)) => Err(format!("its file `{name}` differs from that of process 0")),
            None => Ok(()),
        }
    }

    /// Returns the arguments for a process: only the first one writes and warns.
    pub(crate) fn arguments_for(&self, process: usize, own: &[String]) -> Vec<String> {
        let mut arguments = self.arguments.clone();
        if process > 0 {
            arguments = strip(&arguments, &WRITTEN);
            arguments.retain(|argument| argument != "-q" && argument != "--quiet");
            let end = arguments.iter().position(|argument| argument == "--").unwrap_or(arguments.len());
            arguments.insert(end, "--quiet".to_owned());
        }
        for option in own.iter().filter(|option| option.starts_with("--")) {
            let name = option.split('=').next().unwrap_or(option);
            arguments = strip(&arguments, &[name]);
        }
        let end = arguments.iter().position(|argument| argument == "--").unwrap_or(arguments.len());
        arguments.splice(end..end, own.iter().cloned());
        arguments
    }
}

#[cfg(test)]
mod tests {
    use super::{Job, own_limits, shared_arguments};

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn arguments_of_one_process_are_told_from_those_of_all() {
        let given =
            words("check --hosts=h --process 1 m.pml --memory 1G -DN=3 --workers 2 --time=5m -- --hosts");
        assert_eq!(shared_arguments(&given), words("check m.pml --memory 1G -DN=3 --time=5m -- --hosts"));
        assert_eq!(own_limits(&given), words("--memory 1G --time=5m"));
    }

    #[test]
    fn a_job_travels_and_is_compared() {
        let files = [("m.pml".to_owned(), "byte \"x\";\n".to_owned())].into();
        let job = Job { arguments: words("check m.pml --html x.html --memory 1G -- a"), workers: 2, files };
        assert_eq!(Job::read(&job.bytes()), Some(job.clone()));
        assert_eq!(Job::read(b"{}"), None);
        let expected = words("check m.pml --quiet --memory 2G -- a");
        assert_eq!(job.arguments_for(1, &words("--memory 2G")), expected);
        assert_eq!(job.arguments_for(0, &[]), job.arguments);
        assert!(job.agrees(&words("check m.pml --html x.html -- a"), Some(2)).is_ok());
        assert!(job.agrees(&words("check n.pml"), None).is_err_and(|why| why.contains("n.pml")));
        assert!(job.agrees(&[], Some(3)).is_err_and(|why| why.contains("3 workers")));
    }
}
