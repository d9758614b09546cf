//! `narrows cluster`: a command on several machines, or in several processes on this one.

use std::io::ErrorKind;
use std::net::TcpListener;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use clap::{Args, Subcommand};
use narrows_network::{Hosts, Secret};

use crate::cluster::{self, Job, Launch, Membership, launch};
use crate::limits::{default_memory, default_threads, parse_time};

const EXAMPLES: &str = "\
Examples:
  narrows cluster local 4 -- check leader.pml
  narrows cluster run --hosts hosts.txt -- explore leader.pml -D N=9 --memory 100G
  narrows cluster run --hosts hosts.txt --launch 'ssh -p 2222 {host} /opt/narrows' -- check leader.pml
  narrows cluster join --hosts hosts.txt --process 2 --secret-file secret

What can be asked: `explore`, and `check` for assertions, deadlocks, faults and invariants.";

/// Search on several machines, with the same answers
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Start some processes on this machine, and run a command with them
    Local(Local),
    /// Start a process on each machine of a list, by ssh, and run a command with them
    Run(Run),
    /// Be one process of a list, and do what process 0 says
    Join(Box<Join>),
}

#[derive(Args)]
struct Local {
    /// Start this many processes
    #[arg(value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..=256))]
    processes: u16,

    /// Search with this many workers in each process [default: the cores of this machine, divided]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..=1024))]
    workers: Option<u16>,

    /// Run this command, with its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<String>,
}

#[derive(Args)]
struct Run {
    /// Start a process at each address in this file: host:port, one a line
    #[arg(long, value_name = "FILE")]
    hosts: PathBuf,

    /// Search with this many workers in each process [default: the cores of this machine]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..=1024))]
    workers: Option<u16>,

    /// Share what is in this file, instead of a secret that is made up for this run
    #[arg(long, value_name = "FILE")]
    secret_file: Option<PathBuf>,

    /// Run `narrows` on a machine by this command; {host}, {port} and {process} are replaced
    #[arg(long, value_name = "COMMAND", default_value = "ssh -o BatchMode=yes {host} narrows")]
    launch: String,

    /// Let the processes wait this long for each other
    #[arg(long, value_name = "TIME", value_parser = parse_time, default_value = "60s")]
    wait: Duration,

    /// Run this command, with its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<String>,
}

#[derive(Args)]
struct Join {
    #[command(flatten)]
    membership: Membership,

    /// Read who this is from standard input, as `cluster run` writes it
    #[arg(long, conflicts_with_all = ["hosts", "process", "workers", "secret_file"])]
    stdin: bool,

    /// Use at most this much memory here, whatever process 0 says
    #[arg(long, value_name = "SIZE")]
    memory: Option<String>,

    /// Stop here after this time, whatever process 0 says
    #[arg(long, value_name = "TIME")]
    time: Option<String>,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<u8> {
    match &arguments.command {
        Command::Local(local) => local.run(),
        Command::Run(run) => run.run(),
        Command::Join(join) => join.run(),
    }
}

impl Local {
    fn run(&self) -> anyhow::Result<u8> {
        let count = usize::from(self.processes);
        let workers = self.workers.map_or_else(|| (default_threads() / count).max(1), usize::from);
        let mut command = self.command.clone();
        if !command.iter().any(|word| word == "--memory" || word.starts_with("--memory=")) {
            // Together they use what one would.
            let end = command.iter().position(|word| word == "--").unwrap_or(command.len());
            let share = (default_memory() / count as u64) >> 20;
            command.splice(end..end, ["--memory".to_owned(), format!("{}M", share.max(1))]);
        }
        let job = match Job::of(&command, workers)? {
            Ok(job) => job,
            Err(status) => return Ok(status),
        };
        let program = std::env::current_exe().context("can't find this program")?;
        let program = vec![program.to_string_lossy().into_owned()];
        launch(&Launch {
            hosts: loopback(count)?,
            secret: Secret::random()?,
            wait: Duration::from_mins(1),
            job,
            programs: vec![program; count],
        })
    }
}

/// Ports below this are given to nobody who does not ask for one.
const LAST_PORT: u16 = 32_000;
const FIRST_PORT: u16 = 12_000;

/// Finds addresses on this machine at which nobody listens.
fn loopback(count: usize) -> anyhow::Result<Hosts> {
    let mut held = Vec::new();
    let mut names = Vec::new();
    let span = u32::from(LAST_PORT - FIRST_PORT);
    // Runs that start at the same time look in different places.
    let seed =
        Secret::random()?.bytes().iter().fold(0_u32, |sum, byte| sum.wrapping_mul(31) + u32::from(*byte));
    for offset in 0..span {
        if held.len() == count {
            break;
        }
        let port = FIRST_PORT + (seed.wrapping_add(offset) % span) as u16;
        match TcpListener::bind(("127.0.0.1", port)) {
            Ok(listener) => {
                held.push(listener);
                names.push(format!("127.0.0.1:{port}"));
            }
            Err(error) if error.kind() == ErrorKind::AddrInUse => {}
            Err(error) => return Err(error).context("can't listen on this machine"),
        }
    }
    anyhow::ensure!(held.len() == count, "there are not enough free ports on this machine");
    Ok(Hosts::parse(&names.join("\n"))?)
}

impl Run {
    fn run(&self) -> anyhow::Result<u8> {
        let hosts = cluster::read_hosts(&self.hosts)?;
        let secret = match &self.secret_file {
            Some(path) => cluster::read_secret(path)?,
            None => Secret::random()?,
        };
        let workers = self.workers.map_or_else(default_threads, usize::from);
        let job = match Job::of(&self.command, workers)? {
            Ok(job) => job,
            Err(status) => return Ok(status),
        };
        let program = |(process, name): (usize, &String)| self.program(process, name);
        let programs = hosts.names().iter().enumerate().map(program).collect();
        launch(&Launch { hosts, secret, wait: self.wait, job, programs })
    }

    /// Returns the command that runs the program for a process.
    fn program(&self, process: usize, name: &str) -> Vec<String> {
        let (host, port) = name.rsplit_once(':').unwrap_or((name, ""));
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let number = process.to_string();
        let filled =
            |word: &str| word.replace("{host}", host).replace("{port}", port).replace("{process}", &number);
        self.launch.split_whitespace().map(filled).collect()
    }
}

impl Join {
    fn run(&self) -> anyhow::Result<u8> {
        if self.stdin {
            return cluster::join_by_input();
        }
        let mut own = Vec::new();
        for (name, value) in [("--memory", &self.memory), ("--time", &self.time)] {
            if let Some(value) = value {
                own.extend([name.to_owned(), value.clone()]);
            }
        }
        self.membership.join(own)
    }
}
