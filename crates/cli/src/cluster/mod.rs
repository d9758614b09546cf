//! A run on several machines, as one of its processes.
//!
//! Process 0 reads the model and sends the others what they need: the arguments, and every file that was
//! read. Then all do the same command, each with its part of the states. Only process 0 prints.

mod job;
mod launch;
mod parts;

use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use narrows_cluster::Team;
use narrows_model::Limit;
use narrows_network::{Digest, Hosts, Network, Secret, Settings, digest};

use crate::checkpoint::{Checkpointing, fingerprint};
use crate::input::{Models, read_text, unreadable};
use crate::limits::{default_threads, parse_time};
use crate::{output, reading};

use parts::Folder;

pub(crate) use job::{Job, own_limits, strip};
pub(crate) use launch::{Launch, join_by_input, launch};

/// Which process of several this is.
#[derive(Args)]
#[group(skip)]
pub(crate) struct Membership {
    /// Search on several machines: in this file is the host:port of each process, one a line
    #[arg(long, value_name = "FILE", requires = "process", help_heading = "Several machines")]
    hosts: Option<PathBuf>,

    /// Be the process with this number, counted from 0, in the order of the list
    #[arg(long, value_name = "NUMBER", requires = "hosts", help_heading = "Several machines")]
    process: Option<usize>,

    /// Search with this many workers in each process [default: one for each core of process 0]
    #[arg(long, value_name = "NUMBER", requires = "hosts", help_heading = "Several machines")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=1024))]
    workers: Option<u16>,

    /// Turn away whoever does not know what is in this file
    #[arg(long, value_name = "FILE", requires = "hosts", help_heading = "Several machines")]
    secret_file: Option<PathBuf>,

    /// Wait this long for the other processes to come
    #[arg(long, value_name = "TIME", requires = "hosts", help_heading = "Several machines")]
    #[arg(value_parser = parse_time, default_value = "60s")]
    wait: Duration,
}

/// A process that says nothing for so long is lost.
const SILENCE: Duration = Duration::from_secs(8);

/// One process of several.
struct Member {
    network: Network,
    workers: usize,
    /// A digest of what all do.
    job: Digest,
}

/// What this process is part of, if it is. There is one run on several machines in the life of a process.
static MEMBER: OnceLock<Member> = OnceLock::new();

/// Where the search of this process is saved, if it is. There is one search that is.
static FOLDER: OnceLock<Folder> = OnceLock::new();

/// How a process comes to its part.
pub(crate) struct Entry {
    pub(crate) hosts: Hosts,
    pub(crate) process: usize,
    pub(crate) secret: Secret,
    pub(crate) wait: Duration,
    /// What all do, if this is process 0.
    pub(crate) job: Option<Job>,
    /// Options that hold for this process alone.
    pub(crate) own: Vec<String>,
}

impl Membership {
    /// Takes part in a run on several machines, if the options say so; returns the exit status.
    pub(crate) fn take_part(&self, models: &Models) -> anyhow::Result<Option<u8>> {
        let (Some(hosts), Some(process)) = (&self.hosts, self.process) else { return Ok(None) };
        let given: Vec<String> = std::env::args().skip(1).collect();
        let arguments = job::shared_arguments(&given);
        let mut entry = self.entry(hosts, process)?;
        let workers = self.workers.map(usize::from);
        if process == 0 {
            let workers = workers.or(models.threads.map(usize::from)).unwrap_or_else(default_threads);
            match Job::load(arguments, models, workers)? {
                Ok(job) => entry.job = Some(job),
                Err(status) => return Ok(Some(status)),
            }
            return enter(entry, |_| Ok(())).map(Some);
        }
        entry.own = own_limits(&given);
        let arguments = strip(&arguments, &job::LIMITS);
        enter(entry, |job| job.agrees(&arguments, workers)).map(Some)
    }

    /// Takes part in whatever process 0 says; returns the exit status.
    pub(crate) fn join(&self, own: Vec<String>) -> anyhow::Result<u8> {
        let (Some(hosts), Some(process)) = (&self.hosts, self.process) else {
            anyhow::bail!(
                "give the list of processes with --hosts, and the number of this one with --process"
            );
        };
        anyhow::ensure!(
            process > 0,
            "process 0 says what is done: give it a command, such as `narrows check`"
        );
        let workers = self.workers.map(usize::from);
        enter(Entry { own, ..self.entry(hosts, process)? }, |job| job.agrees(&[], workers))
    }

    fn entry(&self, hosts: &Path, process: usize) -> anyhow::Result<Entry> {
        let secret = self.secret_file.as_deref().map(read_secret).transpose()?;
        Ok(Entry {
            hosts: read_hosts(hosts)?,
            process,
            secret: secret.unwrap_or_else(|| Secret::new(Vec::new())),
            wait: self.wait,
            job: None,
            own: Vec::new(),
        })
    }
}

/// Reads a list of processes.
pub(crate) fn read_hosts(path: &Path) -> anyhow::Result<Hosts> {
    let text = read_text(path).map_err(|error| anyhow::anyhow!(unreadable(path, &error)))?;
    Hosts::parse(&text).with_context(|| format!("{}", path.display()))
}

/// Reads a shared secret: what is in the file, but for the end of the line.
pub(crate) fn read_secret(path: &Path) -> anyhow::Result<Secret> {
    let text = read_text(path).map_err(|error| anyhow::anyhow!(unreadable(path, &error)))?;
    let secret = text.trim_end_matches(['\r', '\n']);
    anyhow::ensure!(
        secret.len() >= 16,
        "{}: a secret of fewer than 16 characters can be guessed; `openssl rand -hex 32` makes a good one",
        path.display()
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let is_open = std::fs::metadata(path).is_ok_and(|data| data.permissions().mode() & 0o077 != 0);
        if is_open {
            output::note(&format!("others may read `{}`: chmod 600 keeps it secret", path.display()));
        }
    }
    Ok(Secret::new(secret.as_bytes().to_vec()))
}

/// Finds the other processes, hears or says what is done, and does it; returns the exit status. Before that,
/// `agrees` may say why this process will not.
pub(crate) fn enter(entry: Entry, agrees: impl Fn(&Job) -> Result<(), String>) -> anyhow::Result<u8> {
    let process = entry.process;
    let network = Network::open(Settings {
        hosts: entry.hosts,
        process,
        secret: entry.secret,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        patience: entry.wait,
        silence: SILENCE,
        note: Box::new(output::note),
    })?;
    let bytes = match &entry.job {
        Some(job) => {
            let bytes = job.bytes();
            network.send_job(&bytes);
            bytes
        }
        None => network.receive_job()?,
    };
    let job = Job::read(&bytes).context("process 0 sent what can't be read")?;
    if let Err(why) = agrees(&job) {
        // The error is that there is none.
        let _ = network.agree(Err(why.clone()));
        anyhow::bail!(why);
    }
    let arguments = job.arguments_for(process, &entry.own);
    reading::provide(job.files);
    let member = MEMBER.get_or_init(|| Member { network, workers: job.workers, job: digest([&bytes[..]]) });
    let status = crate::run_arguments(&arguments);
    member.network.close();
    status
}

/// Returns whether another process prints what comes out.
pub(crate) fn is_silent() -> bool {
    MEMBER.get().is_some_and(|member| member.network.number() > 0)
}

/// Returns whether this process is one of several.
pub(crate) fn is_member() -> bool {
    MEMBER.get().is_some()
}

/// Returns those who search, if this process is one of several: once all are about to search the same, the
/// subject, from the same checkpoint.
pub(crate) fn team(
    subject: &dyn Debug,
    checkpointing: &Checkpointing,
    quiet: bool,
) -> anyhow::Result<Option<Team<'static>>> {
    let Some(member) = MEMBER.get() else { return Ok(None) };
    let subject = fingerprint(subject);
    let is_first = member.network.number() == 0;
    let open = |(path, every)| Folder::open(path, every, subject, quiet, is_first);
    let folder = match checkpointing.folder().map(open).transpose() {
        Ok(folder) => folder.map(|folder| FOLDER.get_or_init(|| folder) as &Folder),
        Err(error) => {
            // The others learn why, and the error is that there is none.
            let _ = member.network.agree(Err(format!("{error:#}")));
            return Err(error);
        }
    };
    let seen = folder.map(Folder::seen).unwrap_or_default();
    member.network.agree(Ok(digest([member.job.as_slice(), &subject.to_le_bytes(), seen.as_bytes()])))?;
    let team = Team::of(member.workers, &member.network);
    member.network.attach(team.trouble());
    Ok(Some(match folder {
        Some(folder) => team.with_parts(folder),
        None => team,
    }))
}

/// Ends what is saved of a search, given the limits that it hit.
pub(crate) fn finish(limits: &[Limit]) -> anyhow::Result<()> {
    FOLDER.get().map_or(Ok(()), |folder| folder.finish(limits))
}

/// Says who was lost, if that is why a search ended.
pub(crate) fn tell_loss(team: Option<&Team<'_>>, limits: impl IntoIterator<Item = Limit>) {
    if let Some(team) = team
        && limits.into_iter().any(|limit| limit == Limit::HostLost)
    {
        let what = team.trouble().what().unwrap_or_else(|| "it is not known which".to_owned());
        output::error(&format!("a process was lost: {what}"));
    }
}
