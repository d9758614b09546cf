//! What a search may use: time, memory, and the user's patience.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use narrows::{Budget, Limit, Progress, Watch};
use signal_hook::consts::{SIGABRT, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::output;
use crate::progress::Display;
use crate::watchdog::{self, Work};

/// If the machine does not say how much memory it has.
const UNKNOWN_MEMORY: u64 = 4 << 30;

/// What is wrong with the text of a limit.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum LimitError {
    #[error("write a size such as 4G or 500M")]
    NotASize,
    #[error("write a unit, such as {0}M or {0}G")]
    MissingUnit(String),
    #[error("unknown unit of memory `{0}`; use K, M, G or T")]
    UnknownMemoryUnit(String),
    #[error("write a time such as 90s, 5m or 1h30m")]
    NotATime,
    #[error("unknown unit of time `{0}`; use ms, s, m, h or d")]
    UnknownTimeUnit(String),
}

/// Reads a size such as `4G`, `500MB` or `1.5GiB`.
pub(crate) fn parse_memory(text: &str) -> Result<u64, LimitError> {
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let number: f64 = number.parse().map_err(|_| LimitError::NotASize)?;
    let factor = match unit.trim().to_ascii_lowercase().as_str() {
        "k" | "kib" => f64::from(1 << 10),
        "m" | "mib" => f64::from(1 << 20),
        "g" | "gib" => f64::from(1 << 30),
        "t" | "tib" => 1024.0 * f64::from(1 << 30),
        "kb" => 1e3,
        "mb" => 1e6,
        "gb" => 1e9,
        "tb" => 1e12,
        "" => return Err(LimitError::MissingUnit(text.to_owned())),
        other => return Err(LimitError::UnknownMemoryUnit(other.to_owned())),
    };
    Ok((number * factor) as u64)
}

/// Reads a time such as `90s`, `5m`, `1h30m` or `500ms`; a plain number is seconds.
pub(crate) fn parse_time(text: &str) -> Result<Duration, LimitError> {
    let mut rest = text.trim();
    let mut total = 0.0;
    if rest.is_empty() {
        return Err(LimitError::NotATime);
    }
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let number: f64 = rest[..digits].parse().map_err(|_| LimitError::NotATime)?;
        rest = &rest[digits..];
        let letters = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        total += number
            * match &rest[..letters] {
                "ms" => 0.001,
                "" | "s" => 1.0,
                "m" | "min" => 60.0,
                "h" => 3600.0,
                "d" => 86_400.0,
                other => return Err(LimitError::UnknownTimeUnit(other.to_owned())),
            };
        rest = rest[letters..].trim_start();
    }
    Duration::try_from_secs_f64(total).map_err(|_| LimitError::NotATime)
}

/// Returns how much memory a search may use if the user does not say.
pub(crate) fn default_memory() -> u64 {
    let physical = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| total_memory(&text));
    let group = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let group: Option<u64> = group.and_then(|text| text.trim().parse().ok());
    let memory = physical.unwrap_or(UNKNOWN_MEMORY).min(group.unwrap_or(u64::MAX));
    memory / 5 * 4
}

/// The allocator keeps so much address space for each thread.
const THREAD_SPACE: u64 = 64 << 20;

/// How much address space there may be (`ulimit -v`): an allocation that fails can't be answered everywhere,
/// so searches end before. Where that does not help, the program [ends](end_without_memory).
static ADDRESS_LIMIT: LazyLock<Option<u64>> =
    LazyLock::new(|| address_limit(&std::fs::read_to_string("/proc/self/limits").ok()?));

/// Returns how much address space is left, if it is limited.
fn address_space() -> Option<u64> {
    let limit = (*ADDRESS_LIMIT)?;
    let size = std::fs::read_to_string("/proc/self/statm").ok()?;
    Some(limit.saturating_sub(size.split_whitespace().next()?.parse::<u64>().ok()? * 4096))
}

/// Returns how much memory may be used if address space is limited. Threads take some, and what the allocator
/// can't use again.
fn memory_in_address_space(threads: usize) -> Option<u64> {
    Some(address_space()?.saturating_sub(threads as u64 * THREAD_SPACE) / 5 * 3)
}

/// Returns whether little address space is left: what is not counted has used up the rest.
fn is_address_space_short() -> bool {
    ADDRESS_LIMIT.is_some_and(|limit| address_space().is_some_and(|left| left < limit / 16))
}

fn address_limit(limits: &str) -> Option<u64> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Makes an allocation that fails, which Rust answers with a message and SIGABRT, end the program with the
/// exit status of what is undecided.
pub(crate) fn end_without_memory() -> std::io::Result<()> {
    signal_hook::flag::register_conditional_shutdown(SIGABRT, 2, Arc::new(AtomicBool::new(true))).map(drop)
}

/// Terms, expressions and formulas are trees, and some are walked by recursion: deep ones need a deep stack.
/// Pages that are not used cost nothing but address space.
const STACK: usize = 512 << 20;

/// Returns how large a stack may be.
pub(crate) fn stack() -> usize {
    ADDRESS_LIMIT.map_or(STACK, |limit| STACK.min((limit / 4) as usize))
}

/// Returns how many threads a search uses if the user does not say.
pub(crate) fn default_threads() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

fn total_memory(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find(|line| line.starts_with("MemTotal:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}

/// Limits that were hit so far, a bit each: what helps is said once, at the end.
static HIT: AtomicU8 = AtomicU8::new(0);

/// Keeps in mind which limits were hit, unless the user wants quiet.
pub(crate) fn remember(quiet: bool, limits: impl IntoIterator<Item = Limit>) {
    if quiet {
        return;
    }
    let bit = |limit| match limit {
        Limit::Time => 1,
        Limit::Memory => 2,
        Limit::Lossy => 4,
        Limit::DeviceMemory => 8,
        _ => 0,
    };
    HIT.fetch_or(limits.into_iter().map(bit).fold(0, |all, bit| all | bit), Ordering::Relaxed);
}

/// Says what helps against the limits that were hit, given the name of the option for time.
pub(crate) fn advise(time: &str) {
    let advice = [
        (1, format!("{time} gives it more time")),
        (2, "--memory lets it use more memory".to_owned()),
        (
            8,
            "--gpu-memory lets it use more of the GPU's memory, if there is more; leave --engine gpu out for \
             states in the memory of this machine"
                .to_owned(),
        ),
        (4, "for a proof, leave --bitstate and --hash-compact out".to_owned()),
    ];
    let hit = HIT.swap(0, Ordering::Relaxed);
    advice.iter().filter(|(bit, _)| hit & bit != 0).for_each(|(_, text)| output::note(text));
}

/// A signal within this time of the first says the same once more: `timeout` sends it to the program and to
/// its group.
const SAME_SIGNAL: Duration = Duration::from_secs(1);

/// Set by the first Ctrl-C or SIGTERM; another one, a second later or more, ends the program at once.
pub(crate) fn interrupt_flag() -> anyhow::Result<Arc<AtomicBool>> {
    let flag = Arc::new(AtomicBool::new(false));
    watchdog::heed(&flag);
    let seen = Arc::clone(&flag);
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        let mut first: Option<Instant> = None;
        for _ in signals.forever() {
            seen.store(true, Ordering::Relaxed);
            if first.get_or_insert_with(Instant::now).elapsed() >= SAME_SIGNAL {
                signal_hook::low_level::exit(2);
            }
        }
    })?;
    Ok(flag)
}

/// Watches one search: the clock, the user, the display.
#[derive(Clone)]
pub(crate) struct Clock {
    start: Instant,
    time: Option<Duration>,
    interrupted: Arc<AtomicBool>,
    display: Option<Arc<Display>>,
    memory: u64,
    threads: usize,
}

impl Clock {
    pub(crate) fn new(models: &crate::input::Models, interrupted: &Arc<AtomicBool>) -> Clock {
        let threads = models.threads.map_or_else(default_threads, usize::from);
        watchdog::limit(Work::Searching, models.time, models.memory);
        Clock { threads, ..Clock::with(models.time, models.memory, models.quiet, "", interrupted) }
    }

    /// Starts with limits; those that are not given are the usual ones. The display says what it is about.
    pub(crate) fn with(
        time: Option<Duration>,
        memory: Option<u64>,
        quiet: bool,
        about: &str,
        interrupted: &Arc<AtomicBool>,
    ) -> Clock {
        Clock {
            start: Instant::now(),
            time,
            interrupted: Arc::clone(interrupted),
            display: if quiet { None } else { Display::new(about).map(Arc::new) },
            memory: memory
                .unwrap_or_else(default_memory)
                .min(memory_in_address_space(default_threads()).unwrap_or(u64::MAX)),
            threads: default_threads(),
        }
    }

    /// Returns what may be used.
    pub(crate) fn budget(&self) -> Budget {
        Budget { memory: self.memory, threads: self.threads, watch: Arc::new(self.clone()) }
    }

    /// Returns why to stop, if there is a reason, and lets the display show how far it is.
    fn look(&self, show: impl FnOnce(&Display, Duration)) -> Option<Limit> {
        if self.interrupted.load(Ordering::Relaxed) {
            return Some(Limit::Interrupted);
        }
        let elapsed = self.start.elapsed();
        if let Some(display) = &self.display {
            show(display, elapsed);
        }
        if self.time.is_some_and(|time| elapsed >= time) {
            return Some(Limit::Time);
        }
        is_address_space_short().then_some(Limit::Memory)
    }

    /// Returns how long it took, and ends the display.
    pub(crate) fn finish(&self) -> f64 {
        if let Some(display) = &self.display {
            display.finish();
        }
        self.start.elapsed().as_secs_f64()
    }
}

impl Watch for Clock {
    fn check(&self, progress: &Progress) -> Option<Limit> {
        self.look(|display, elapsed| display.show(progress, elapsed))
    }

    fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    fn seconds_left(&self) -> Option<f64> {
        Some(self.time?.saturating_sub(self.start.elapsed()).as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{address_limit, parse_memory, parse_time, total_memory};

    #[test]
    fn reads_memory() {
        let cases =
            [("4G", 4 << 30), ("500MB", 500_000_000), ("1.5k", 1536), ("2GiB", 2 << 30), ("1 T", 1 << 40)];
        for (text, bytes) in cases {
            assert_eq!(parse_memory(text), Ok(bytes), "{text}");
        }
        for text in ["", "G", "4096", "4X", "1.2.3G", "-1G"] {
            assert!(parse_memory(text).is_err(), "{text}");
        }
        assert_eq!(parse_memory("4096").unwrap_err().to_string(), "write a unit, such as 4096M or 4096G");
    }

    #[test]
    fn reads_time() {
        let cases = [("90s", 90_000), ("5m", 300_000), ("1h30m", 5_400_000), ("500ms", 500), ("60", 60_000)];
        for (text, milliseconds) in cases {
            assert_eq!(parse_time(text), Ok(Duration::from_millis(milliseconds)), "{text}");
        }
        for text in ["", "m", "5x", "1..2s", "-5s"] {
            assert!(parse_time(text).is_err(), "{text}");
        }
    }

    #[test]
    fn reads_what_the_machine_says() {
        assert_eq!(total_memory("MemTotal:       1024 kB\nMemFree: 1 kB\n"), Some(1 << 20));
        assert_eq!(total_memory("nothing"), None);
        let limits = |value: &str| {
            format!("Max file locks  unlimited\nMax address space  {value}  unlimited  bytes\n")
        };
        assert_eq!(address_limit(&limits("700000")), Some(700_000));
        assert_eq!(address_limit(&limits("unlimited")), None);
    }
}
