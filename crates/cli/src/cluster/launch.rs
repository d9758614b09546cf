//! Starts all processes of a run, and looks after them.
//!
//! Each is `narrows cluster join --stdin`, wherever it runs: on its standard input it gets, in one line of
//! JSON, what it needs to know, and later a byte if it is to stop. When its standard input ends, so does it:
//! no process outlives the one that started it.

use std::io::{self, BufRead, Read, Write};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use narrows_network::{Hosts, Secret};
use serde_json::{Value, json};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use super::{Entry, Job};
use crate::output;

/// What is to be started.
pub(crate) struct Launch {
    pub(crate) hosts: Hosts,
    pub(crate) secret: Secret,
    pub(crate) wait: Duration,
    pub(crate) job: Job,
    /// How the program is run for each process: a command and its arguments.
    pub(crate) programs: Vec<Vec<String>>,
}

/// The byte that asks a process to stop.
const STOP: u8 = b's';

/// How often it is looked who has ended.
const LOOK_UP: Duration = Duration::from_millis(20);

/// When one process has ended, the others have so long to notice and to say so.
const GRACE: Duration = Duration::from_secs(15);

/// So much of what a process says is kept for when it fails.
const MAX_KEPT: u64 = 1 << 14;

struct Member {
    host: String,
    child: Child,
    input: Option<ChildStdin>,
    said: Arc<Mutex<String>>,
    status: Option<ExitStatus>,
    /// Passes on what it prints, and returns whether there was anything.
    printed: Option<JoinHandle<bool>>,
}

/// Starts all processes, and waits for them; returns the exit status of process 0.
pub(crate) fn launch(launch: &Launch) -> anyhow::Result<u8> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&stop))?;
    }
    let mut members = Vec::new();
    for (process, program) in launch.programs.iter().enumerate() {
        let host = launch.hosts.names()[process].clone();
        match start(program, process == 0, host, &introduction(launch, process)) {
            Ok(member) => members.push(member),
            Err(error) => {
                end(&mut members);
                return Err(error);
            }
        }
    }
    let status = watch(&mut members, &stop);
    end(&mut members);
    status
}

/// What a process needs to know, in one line.
fn introduction(launch: &Launch, process: usize) -> String {
    let job = (process == 0).then(|| String::from_utf8_lossy(&launch.job.bytes()).into_owned());
    let value = json!({
        "process": process,
        "hosts": launch.hosts.names(),
        "secret": launch.secret.bytes(),
        "wait": launch.wait.as_millis() as u64,
        "job": job,
    });
    format!("{value}\n")
}

fn start(program: &[String], is_first: bool, host: String, introduction: &str) -> anyhow::Result<Member> {
    let Some((name, arguments)) = program.split_first() else {
        bail!("there is no command to start `{host}`")
    };
    let mut command = Command::new(name);
    command.args(arguments).args(["cluster", "join", "--stdin"]).stdin(Stdio::piped());
    if is_first {
        command.stdout(Stdio::piped());
    } else {
        command.stdout(Stdio::null()).stderr(Stdio::piped());
    }
    #[cfg(unix)]
    {
        // Ctrl-C is for this process, which asks the others to stop: they would lose what they have found.
        use std::os::unix::process::CommandExt;
        command.process_group(0);
    }
    let mut child = command.spawn().with_context(|| format!("can't start `{name}` for `{host}`"))?;
    let said = Arc::new(Mutex::new(String::new()));
    if let Some(errors) = child.stderr.take() {
        let said = Arc::clone(&said);
        thread::Builder::new().spawn(move || listen(errors, &said))?;
    }
    let printed = child.stdout.take().map(|printed| thread::Builder::new().spawn(move || relay(printed)));
    let printed = printed.transpose()?;
    let mut input = child.stdin.take();
    if let Some(input) = &mut input {
        // Who is gone already is seen to be.
        let _ = input.write_all(introduction.as_bytes()).and_then(|()| input.flush());
    }
    Ok(Member { host, child, input, said, status: None, printed })
}

fn relay(mut printed: ChildStdout) -> bool {
    let mut stdout = io::stdout().lock();
    // A reader that has gone away is no error.
    io::copy(&mut printed, &mut stdout).and_then(|count| stdout.flush().map(|()| count > 0)).unwrap_or(true)
}

fn listen(mut errors: ChildStderr, said: &Mutex<String>) {
    let mut bytes = [0; 1024];
    while let Ok(count @ 1..) = errors.read(&mut bytes) {
        let mut said = said.lock().unwrap_or_else(PoisonError::into_inner);
        if (said.len() as u64) < MAX_KEPT {
            said.push_str(&String::from_utf8_lossy(&bytes[..count]));
        }
    }
}

/// Waits until process 0 has ended; returns its exit status.
fn watch(members: &mut [Member], stop: &AtomicBool) -> anyhow::Result<u8> {
    let mut is_told = false;
    let mut first_end: Option<(usize, Instant)> = None;
    loop {
        thread::sleep(LOOK_UP);
        for (process, member) in members.iter_mut().enumerate() {
            if member.status.is_none() {
                member.status = member.child.try_wait()?;
                if member.status.is_some() {
                    first_end.get_or_insert_with(|| (process, Instant::now()));
                }
            }
        }
        if let Some(status) = members[0].status {
            let has_printed = members[0].printed.take().is_some_and(|printed| printed.join().unwrap_or(true));
            // A command that could not run the program has an exit status, too.
            match status.code().and_then(|code| u8::try_from(code).ok()) {
                Some(code @ 0..=1) if has_printed => return Ok(code),
                Some(2) => return Ok(2),
                _ => {}
            }
            explain(members);
            bail!("undecided: process 0 at `{}` has ended: {status}", members[0].host);
        }
        if let Some((process, since)) = first_end
            && since.elapsed() >= GRACE
        {
            explain(members);
            let member = &members[process];
            let status = member.status.map(|status| format!(": {status}")).unwrap_or_default();
            bail!("undecided: process {process} at `{}` has ended{status}", member.host);
        }
        if stop.swap(false, Ordering::Relaxed) && !is_told {
            is_told = true;
            for input in members.iter_mut().filter_map(|member| member.input.as_mut()) {
                let _ = input.write_all(&[STOP]).and_then(|()| input.flush());
            }
        }
    }
}

/// Tells what processes said that have failed.
fn explain(members: &[Member]) {
    for member in members.iter().filter(|member| member.status.is_some()) {
        let said = member.said.lock().unwrap_or_else(PoisonError::into_inner);
        for line in said.lines().filter(|line| !line.trim().is_empty()) {
            output::note(&format!("{}: {line}", member.host));
        }
    }
}

/// After process 0, the others need as long to say farewell.
const FAREWELL: Duration = Duration::from_secs(3);

fn end(members: &mut [Member]) {
    let begun = Instant::now();
    let is_over = |member: &mut Member| !matches!(member.child.try_wait(), Ok(None));
    while !members.iter_mut().all(is_over) && begun.elapsed() < FAREWELL {
        thread::sleep(LOOK_UP);
    }
    for member in members {
        member.input = None;
        if matches!(member.child.try_wait(), Ok(None)) {
            let _ = member.child.kill();
        }
        let _ = member.child.wait();
    }
}

/// Takes part as a process that was started so; returns the exit status.
pub(crate) fn join_by_input() -> anyhow::Result<u8> {
    let mut line = String::new();
    // It has the whole model.
    io::stdin().lock().take(1 << 31).read_line(&mut line)?;
    let entry =
        introduced(&line).context("standard input does not say what to do; see `narrows cluster --help`")?;
    thread::Builder::new().name("input".to_owned()).spawn(heed_input)?;
    super::enter(entry, |_| Ok(()))
}

fn introduced(line: &str) -> Option<Entry> {
    let value: Value = serde_json::from_str(line).ok()?;
    let names = value["hosts"].as_array()?.iter().map(Value::as_str).collect::<Option<Vec<_>>>()?;
    let byte = |value: &Value| value.as_u64().and_then(|byte| u8::try_from(byte).ok());
    let secret = value["secret"].as_array()?.iter().map(byte).collect::<Option<Vec<_>>>()?;
    let job = match value["job"].as_str() {
        Some(text) => Some(Job::read(text.as_bytes())?),
        None => None,
    };
    Some(Entry {
        hosts: Hosts::parse(&names.join("\n")).ok()?,
        process: usize::try_from(value["process"].as_u64()?).ok()?,
        secret: Secret::new(secret),
        wait: Duration::from_millis(value["wait"].as_u64()?),
        job,
        own: Vec::new(),
    })
}

/// Stops when it is asked to, and ends with the one who started this process.
fn heed_input() {
    let mut byte = [0];
    loop {
        match io::stdin().lock().read(&mut byte) {
            Ok(0) => break,
            Ok(_) if byte[0] == STOP => {
                // As Ctrl-C would: what was found is told.
                let _ = signal_hook::low_level::raise(SIGINT);
            }
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    output::error("undecided: who started this process has ended");
    std::process::exit(2);
}
