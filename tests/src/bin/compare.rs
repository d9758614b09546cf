//! Compares Narrows with SPIN on random models and on files.
//!
//! `cargo run -p narrows-tests --bin compare -- --seeds 1..2000 --jobs 2 --shrink`, or with names of files
//! instead.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program for people at a terminal")]

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use std::{env, io, thread};

use narrows_tests::compare::{Summary, Verdict, compare_file, compare_text};
use narrows_tests::generator::{self, Questions};
use narrows_tests::questions::{self, Asked};
use narrows_tests::shrink;
use narrows_tests::spin::{self, Limits};

const HELP: &str = "Compare Narrows with SPIN

Usage: compare [OPTIONS] [FILE]...

Options:
  --seeds A..B      Compare the random models of these seeds, B included
  --jobs N          Compare so many at once (1)
  --runs            Ask about the runs of the random models: formulas, never claims, cycles, fairness
  --seconds N       Give SPIN so long per model (2)
  --depth N         Let SPIN search so deep (2000000)
  -D NAME=VALUE     Define a name for the preprocessor, for files
  --shrink          Reduce each random model that differs
  --spin-only       Only have SPIN explore, and say how the models turn out
  --print SEED      Print a seed's model and its features, and end

NARROWS_BIN names the program to test, NARROWS_CC the C compiler for SPIN's verifiers.";

/// What the command line asks for.
#[derive(Default)]
struct Request {
    items: Vec<Item>,
    jobs: usize,
    definitions: Vec<String>,
    limits: Limits,
    shrink: bool,
    spin_only: bool,
    runs: bool,
}

enum Item {
    Seed(u64),
    File(PathBuf),
}

fn main() -> ExitCode {
    let request = match read_arguments() {
        Ok(Some(request)) => request,
        Ok(None) => return ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("error: {why}\n\n{HELP}");
            return ExitCode::from(2);
        }
    };
    if !spin::installed() {
        eprintln!("error: there is no `spin` here");
        return ExitCode::from(2);
    }
    let ended = if request.spin_only {
        census(&request)
    } else if request.runs {
        runs(&request)
    } else {
        comparison(&request)
    };
    ended.unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::from(2)
    })
}

fn read_arguments() -> Result<Option<Request>, String> {
    let mut request = Request { jobs: 1, limits: Limits::quick(), ..Request::default() };
    let mut words = env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("`{word}` needs a value"));
        let number = |text: String| text.parse::<u64>().map_err(|_| format!("`{text}` is not a number"));
        match word.as_str() {
            "--help" | "-h" => {
                println!("{HELP}");
                return Ok(None);
            }
            "--seeds" => {
                let text = value()?;
                let (low, high) = text.split_once("..").unwrap_or((&text, &text));
                let seeds = number(low.to_owned())?..=number(high.trim_start_matches('=').to_owned())?;
                request.items.extend(seeds.map(Item::Seed));
            }
            "--jobs" => request.jobs = number(value()?)?.clamp(1, 64) as usize,
            "--seconds" => request.limits.time = Duration::from_secs(number(value()?)?),
            "--depth" => request.limits.depth = number(value()?)?,
            "-D" => request.definitions.push(value()?),
            "--runs" => request.runs = true,
            "--shrink" => request.shrink = true,
            "--spin-only" => request.spin_only = true,
            "--print" => {
                let seed = number(value()?)?;
                if request.runs {
                    print!("{}", questions::claims_text(&generator::generate_questions(seed)));
                    return Ok(None);
                }
                print!(
                    "/* seed {seed}: {:?} */\n{}",
                    generator::features(seed),
                    generator::generate_with_long_sequences(seed)
                );
                return Ok(None);
            }
            option if option.starts_with('-') => return Err(format!("there is no option `{option}`")),
            file => request.items.push(Item::File(file.into())),
        }
    }
    if request.items.is_empty() { Err("there is nothing to compare".into()) } else { Ok(Some(request)) }
}

/// Does something with every item, several at once, in order of their start.
fn for_each(request: &Request, act: impl Fn(&Item) -> io::Result<()> + Sync) -> io::Result<()> {
    let next = AtomicUsize::new(0);
    let failure = Mutex::new(None);
    thread::scope(|scope| {
        for _ in 0..request.jobs {
            scope.spawn(|| {
                while let Some(item) = request.items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(error) = act(item) {
                        next.store(request.items.len(), Ordering::Relaxed);
                        if let Ok(mut failure) = failure.lock() {
                            *failure = Some(error);
                        }
                    }
                }
            });
        }
    });
    match failure.into_inner() {
        Ok(Some(error)) => Err(error),
        _ => Ok(()),
    }
}

fn comparison(request: &Request) -> io::Result<ExitCode> {
    let summary = Mutex::new(Summary::default());
    for_each(request, |item| {
        let verdict = match item {
            Item::Seed(seed) => {
                compare_text(&generator::generate_with_long_sequences(*seed).to_string(), &request.limits)?
            }
            Item::File(file) => compare_file(file, &request.definitions, &request.limits)?,
        };
        if let Verdict::Differed(why) = &verdict {
            match item {
                Item::Seed(seed) => println!("seed {seed}: {why}\n{}", example(*seed, request)),
                Item::File(file) => println!("{}: {why}\n", file.display()),
            }
        }
        if let Ok(mut summary) = summary.lock() {
            summary.add(&verdict);
        }
        Ok(())
    })?;
    let summary = summary.into_inner().unwrap_or_default();
    println!("{summary}");
    Ok(if summary.differed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The model of a seed that differs, reduced on request.
fn example(seed: u64, request: &Request) -> String {
    let model = generator::generate_with_long_sequences(seed);
    if !request.shrink {
        return model.to_string();
    }
    let differs = |text: &str| matches!(compare_text(text, &request.limits), Ok(Verdict::Differed(_)));
    let small = shrink::shrink(&model, 2000, |model| differs(&model.to_string()));
    let why = match compare_text(&small.to_string(), &request.limits) {
        Ok(Verdict::Differed(why)) => why,
        _ => String::new(),
    };
    format!("reduced: {why}\n{small}")
}

/// Compares answers to questions about runs of random models.
fn runs(request: &Request) -> io::Result<ExitCode> {
    let summary = Mutex::new((Summary::default(), 0_usize));
    for_each(request, |item| {
        let Item::Seed(seed) = item else { return Ok(()) };
        let questions = generator::generate_questions(*seed);
        for compared in questions::compare(&questions, &request.limits)? {
            if let Verdict::Differed(why) = &compared.verdict {
                println!("seed {seed}: {why}\n{}", reduced(&questions, &compared.asked, request));
            }
            if let Ok(mut summary) = summary.lock() {
                summary.0.add(&compared.verdict);
                summary.1 += usize::from(compared.holds);
            }
        }
        Ok(())
    })?;
    let (summary, holding) = summary.into_inner().unwrap_or_default();
    println!("{summary}; {holding} of those agreed hold");
    Ok(if summary.differed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The text that a question which differs is about, reduced on request.
fn reduced(questions: &Questions, asked: &Asked, request: &Request) -> String {
    let small = if request.shrink {
        questions::reduce(questions, asked, 1500, &request.limits)
    } else {
        questions.clone()
    };
    questions::text(&small, asked)
}

/// Says how models turn out for SPIN alone: what a generator of models is worth.
fn census(request: &Request) -> io::Result<ExitCode> {
    let start = Instant::now();
    let rows = Mutex::new((Vec::new(), [0_usize; 6]));
    for_each(request, |item| {
        let (name, outcome) = match item {
            Item::Seed(seed) => {
                let model = generator::generate_with_long_sequences(*seed).to_string();
                (format!("seed {seed}"), spin::explore_text(&model, &request.limits)?)
            }
            Item::File(file) => {
                let outcome = spin::explore_file(file, &request.definitions, &request.limits)?;
                (file.display().to_string(), outcome)
            }
        };
        let (index, said) = match &outcome {
            spin::Outcome::Rejected(text) => (0, format!("rejected: {}", text.trim())),
            spin::Outcome::Crashed(text) => (1, format!("crashed: {}", text.trim())),
            spin::Outcome::Refused(text) => (2, format!("refused: {text}")),
            spin::Outcome::TimedOut => (3, "too large".to_owned()),
            spin::Outcome::Ran(found) if found.fatal => (4, format!("fatal: {:?}", found.messages)),
            spin::Outcome::Ran(found) => (
                5,
                format!("{} states, {} transitions, {:?}", found.states, found.transitions, found.messages),
            ),
        };
        println!("{name}: {said}");
        if let Ok(mut rows) = rows.lock() {
            rows.1[index] += 1;
            if let spin::Outcome::Ran(found) = outcome {
                rows.0.push(found.states);
            }
        }
        Ok(())
    })?;
    let (mut states, counts) = rows.into_inner().unwrap_or_default();
    states.sort_unstable();
    let [rejected, crashed, refused, large, fatal, ran] = counts;
    println!(
        "{ran} ran, {fatal} fatal, {refused} refused, {rejected} rejected, {crashed} crashed, {large} too \
         large"
    );
    let quantile = |percent: usize| states.get(states.len() * percent / 100).copied().unwrap_or(0);
    println!("states: 10 % below {}, half below {}, 90 % below {}", quantile(10), quantile(50), quantile(90));
    let seconds = start.elapsed().as_secs_f64();
    println!("{seconds:.1} s, {:.0} ms per model", seconds * 1000.0 / request.items.len() as f64);
    Ok(ExitCode::SUCCESS)
}
