//! The connections of one process with all others.

use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use narrows_cluster::{Mesh, Trouble};

use crate::control::{FrameKind, read_frame};
use crate::greeting::{Hello, Refused, Rejection, answer, call};
use crate::hosts::Hosts;
use crate::secret::{Digest, Secret, digest};
use crate::sockets;
use crate::state::{Board, State, Waited};

/// Who this process is, and whom it speaks to.
pub struct Settings {
    /// All processes.
    pub hosts: Hosts,
    /// The number of this one.
    pub process: usize,
    /// What all know.
    pub secret: Secret,
    /// The version of the program: all run the same.
    pub version: String,
    /// How long to wait for the others to come.
    pub patience: Duration,
    /// A process that says nothing for so long is lost.
    pub silence: Duration,
    /// Hears who was turned away, and why.
    pub note: Box<dyn Fn(&str) + Send + Sync>,
}

/// Why there is no network, or no agreement.
#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    /// The list is shorter.
    #[error("there is no process {process}: the list has {count}, which are numbered from 0")]
    NoSuchProcess {
        /// The number that was given.
        process: usize,
        /// How many there are.
        count: usize,
    },
    /// The address of this process can't be listened at.
    #[error("can't listen at `{host}`: {error}; it must be an address of this machine with a free port")]
    Listen {
        /// The address.
        host: String,
        /// Why not.
        error: io::Error,
    },
    /// Another process, or this one, was turned away.
    #[error("`{host}`: {why}")]
    Rejected {
        /// Where the other one is.
        host: String,
        /// Why.
        why: String,
    },
    /// Some did not come.
    #[error("{}", missing(.hosts, *.seconds, .hint.as_deref()))]
    Missing {
        /// Where they should be, each with what happened there last.
        hosts: Vec<String>,
        /// How long they were waited for.
        seconds: u64,
        /// Who was turned away meanwhile.
        hint: Option<String>,
    },
    /// A process died, was stopped, or can't be reached any more.
    #[error("a process was lost: {0}")]
    Lost(String),
    /// The processes would not do the same.
    #[error("{0}")]
    Disagreed(String),
    /// The system does not do something.
    #[error(transparent)]
    System(#[from] io::Error),
}

fn missing(hosts: &[String], seconds: u64, hint: Option<&str>) -> String {
    let hint = hint.map(|hint| format!("; {hint}")).unwrap_or_default();
    format!("not there after {seconds} s: {}{hint}", hosts.join(", "))
}

/// Who connects has so long for the handshake.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// How often it is tried again to connect, and looked who connects.
const AGAIN: Duration = Duration::from_millis(100);
const ACCEPT: Duration = Duration::from_millis(5);

/// How often a process says that it is there.
const BEAT: Duration = Duration::from_secs(1);

/// At most so many handshakes go on at once: whoever opens connections without end keeps nobody out.
const MAX_HANDSHAKES: usize = 256;

/// So many that are turned away are told.
const MAX_NOTES: usize = 8;

/// The connections of one process with all others.
pub struct Network {
    shared: Arc<Shared>,
    searches: AtomicU64,
}

/// What came over a control connection.
enum Heard {
    Something,
    /// The process has said all.
    Farewell,
    /// The process is lost, and how.
    Loss(String),
}

struct Shared {
    settings: Settings,
    board: Board,
    /// What all have in common.
    list: Digest,
    /// Where connections of this process come from.
    from: Option<IpAddr>,
    handshakes: AtomicUsize,
    notes: AtomicUsize,
}

impl Network {
    /// Connects with all others.
    ///
    /// # Errors
    ///
    /// All must come in time, run the same version, and have the same list and the same secret.
    pub fn open(settings: Settings) -> Result<Network, NetworkError> {
        let (process, count) = (settings.process, settings.hosts.len());
        if process >= count {
            return Err(NetworkError::NoSuchProcess { process, count });
        }
        let until = Instant::now() + settings.patience;
        let (listener, from) = listen(&settings)?;
        let shared = Arc::new(Shared {
            list: digest(settings.hosts.names().iter().map(String::as_bytes)),
            from,
            board: Board::new(count),
            settings,
            handshakes: AtomicUsize::new(0),
            notes: AtomicUsize::new(0),
        });
        let listening = Arc::clone(&shared);
        spawn("network", move || listening.accept_all(&listener))?;
        let network = Network { shared, searches: AtomicU64::new(0) };
        // Who is there already hears that this one still is, while both wait for others.
        let beating = Arc::clone(&network.shared);
        spawn("beat", move || beating.beat())?;
        network.join_all(until)?;
        Ok(network)
    }

    fn join_all(&self, until: Instant) -> Result<(), NetworkError> {
        let shared = &self.shared;
        let me = shared.settings.process;
        let mut open: Vec<(usize, String)> = (0..me).map(|process| (process, String::new())).collect();
        while !open.is_empty() {
            let mut still = Vec::new();
            for (process, _) in open {
                match shared.call(process, 0) {
                    Ok(socket) => shared.add_link(process, socket)?,
                    Err(why) if why.is_passing() => still.push((process, why.to_string())),
                    Err(why) => return Err(shared.rejected(process, &why)),
                }
            }
            open = still;
            if !open.is_empty() {
                if Instant::now() >= until {
                    let absent = open.into_iter().map(|(process, why)| (process, Some(why))).collect();
                    return Err(shared.missing(absent));
                }
                thread::sleep(AGAIN);
            }
        }
        let all_there = |state: &mut State| {
            (me + 1..state.links.len()).all(|process| state.links[process].is_some()).then_some(())
        };
        shared.board.wait(Some(until), all_there).map_err(|waited| match waited {
            Waited::Lost(lost) => NetworkError::Lost(lost),
            Waited::Late => {
                let is_absent = |link: &Option<_>| link.is_none();
                let absent: Vec<bool> = shared.board.lock().links.iter().map(is_absent).collect();
                let absent = (me + 1..absent.len()).filter(|process| absent[*process]);
                shared.missing(absent.map(|process| (process, None)).collect())
            }
        })
    }

    /// Returns the number of this process.
    pub fn number(&self) -> usize {
        self.shared.settings.process
    }

    /// Tells the others what is to be done, as process 0.
    pub fn send_job(&self, job: &[u8]) {
        self.shared.board.tell_all(FrameKind::Job, job);
    }

    /// Hears what is to be done, from process 0.
    ///
    /// # Errors
    ///
    /// A process may be lost meanwhile.
    pub fn receive_job(&self) -> Result<Vec<u8>, NetworkError> {
        self.hear(0, |state| state.job.take())
    }

    /// Agrees with all others about what each will do: with a digest of it, or a reason why this process
    /// will not. Returns when all have the same.
    ///
    /// # Errors
    ///
    /// The digests may differ, a process may not take part, or be lost.
    pub fn agree(&self, mine: Result<Digest, String>) -> Result<(), NetworkError> {
        let board = &self.shared.board;
        if self.number() > 0 {
            match &mine {
                Ok(digest) => board.tell(0, FrameKind::Ready, digest),
                Err(why) => board.tell(0, FrameKind::Unready, why.as_bytes()),
            }
            return self.hear(0, |state| state.go.take())?.map_err(NetworkError::Disagreed);
        }
        let outcome = self.ask_all(mine);
        match &outcome {
            Ok(()) => board.tell_all(FrameKind::Go, b""),
            Err(why) => board.tell_all(FrameKind::Stop, why.to_string().as_bytes()),
        }
        outcome
    }

    fn ask_all(&self, mine: Result<Digest, String>) -> Result<(), NetworkError> {
        let mine = mine.map_err(NetworkError::Disagreed)?;
        for process in 1..self.shared.settings.hosts.len() {
            let theirs = self.hear(process, |state| state.ready[process].take())?;
            let host = self.shared.name(process);
            match theirs {
                Ok(theirs) if theirs == mine => {}
                Ok(_) => {
                    let what =
                        "it would search another model, with other options, or from another checkpoint";
                    return Err(NetworkError::Disagreed(format!("`{host}`: {what}")));
                }
                Err(why) => return Err(NetworkError::Disagreed(format!("`{host}`: {why}"))),
            }
        }
        Ok(())
    }

    /// Waits for what a process says, as long as it is there.
    fn hear<T>(
        &self,
        process: usize,
        mut look: impl FnMut(&mut State) -> Option<T>,
    ) -> Result<T, NetworkError> {
        let seen =
            |state: &mut State| look(state).map(Some).or_else(|| state.finished[process].then_some(None));
        match self.shared.board.wait(None, seen) {
            Ok(Some(heard)) => Ok(heard),
            Ok(None) => Err(NetworkError::Lost(format!("{}: it has ended", self.shared.name(process)))),
            Err(Waited::Lost(lost)) => Err(NetworkError::Lost(lost)),
            Err(Waited::Late) => Err(NetworkError::Lost("nobody answers".to_owned())),
        }
    }

    /// Lets somebody hear of it when a process is lost.
    pub fn attach(&self, trouble: &Arc<Trouble>) {
        self.shared.board.attach(trouble);
    }

    /// Says farewell: from now on the others do not miss this process.
    pub fn close(&self) {
        if self.shared.board.is_closing() {
            return;
        }
        if self.lost().is_some() {
            // Who is lost was told to the others, who should hear that before connections end.
            thread::sleep(AGAIN);
        }
        self.shared.board.close();
    }

    /// Returns who is lost, and how.
    pub fn lost(&self) -> Option<String> {
        self.shared.board.lock().lost.clone()
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        self.close();
    }
}

impl Mesh for Network {
    fn process(&self) -> usize {
        self.number()
    }

    fn hosts(&self) -> &[String] {
        self.shared.settings.hosts.names()
    }

    fn connect(&self) -> Result<Vec<Option<TcpStream>>, String> {
        let search = self.searches.fetch_add(1, Ordering::Relaxed) + 1;
        let me = self.number();
        let mut sockets = Vec::new();
        for process in 0..self.hosts().len() {
            let socket = match process {
                _ if process == me => None,
                _ if process < me => Some(self.call_for(process, search)?),
                _ => Some(self.hear(process, |state| state.searches.remove(&(process, search))).map_err(
                    |error| match error {
                        NetworkError::Lost(what) => what,
                        other => other.to_string(),
                    },
                )?),
            };
            sockets.push(socket);
        }
        Ok(sockets)
    }
}

impl Network {
    /// Connects for a search with a process that listens, as it was there before.
    fn call_for(&self, process: usize, search: u64) -> Result<TcpStream, String> {
        let until = Instant::now() + self.shared.settings.silence;
        loop {
            match self.shared.call(process, search) {
                Ok(socket) => return Ok(socket),
                Err(why) => {
                    if let Some(lost) = self.lost() {
                        return Err(lost);
                    }
                    if !why.is_passing() || Instant::now() >= until {
                        return Err(self.shared.rejected(process, &why).to_string());
                    }
                }
            }
            thread::sleep(AGAIN);
        }
    }
}

impl Shared {
    fn name(&self, process: usize) -> &str {
        &self.settings.hosts.names()[process]
    }

    fn rejected(&self, process: usize, why: &Rejection) -> NetworkError {
        NetworkError::Rejected { host: self.name(process).to_owned(), why: why.to_string() }
    }

    fn missing(&self, absent: Vec<(usize, Option<String>)>) -> NetworkError {
        let host = |(process, why): (usize, Option<String>)| {
            let why = why.map(|why| format!(" ({why})")).unwrap_or_default();
            format!("process {process} at `{}`{why}", self.name(process))
        };
        NetworkError::Missing {
            hosts: absent.into_iter().map(host).collect(),
            seconds: self.settings.patience.as_secs(),
            hint: self.board.lock().turned_away.clone(),
        }
    }

    fn hello(&self, purpose: u64) -> io::Result<Hello> {
        Hello::new(&self.settings.version, self.list, self.settings.process, purpose)
    }

    /// Connects with a process, once.
    fn call(&self, process: usize, purpose: u64) -> Result<TcpStream, Rejection> {
        let addresses = self.settings.hosts.resolve(process)?;
        let mut socket = sockets::connect(&addresses, self.from, HANDSHAKE.min(self.settings.silence))?;
        socket.set_read_timeout(Some(HANDSHAKE))?;
        socket.set_write_timeout(Some(HANDSHAKE))?;
        call(&mut socket, &self.hello(purpose)?, process, &self.settings.secret)?;
        self.settle(socket)
    }

    /// Makes a connection ready that has passed the handshake.
    fn settle(&self, socket: TcpStream) -> Result<TcpStream, Rejection> {
        socket.set_read_timeout(None)?;
        socket.set_write_timeout(None)?;
        sockets::prepare(&socket, self.settings.silence)?;
        Ok(socket)
    }

    /// Takes connections until this process has finished.
    fn accept_all(self: &Arc<Shared>, listener: &TcpListener) {
        while !self.board.is_closing() {
            match listener.accept() {
                Ok((socket, address)) => {
                    let shared = Arc::clone(self);
                    if self.handshakes.fetch_add(1, Ordering::Relaxed) >= MAX_HANDSHAKES
                        || spawn("handshake", move || shared.take(socket, address)).is_err()
                    {
                        self.handshakes.fetch_sub(1, Ordering::Relaxed);
                    }
                }
                Err(_) => thread::sleep(ACCEPT),
            }
        }
    }

    fn take(self: &Arc<Shared>, socket: TcpStream, address: SocketAddr) {
        if let Err(why) = self.try_take(socket, address.ip()) {
            self.turn_away(address, &why);
        }
        self.handshakes.fetch_sub(1, Ordering::Relaxed);
    }

    fn try_take(self: &Arc<Shared>, mut socket: TcpStream, address: IpAddr) -> Result<(), Rejection> {
        socket.set_nonblocking(false)?;
        socket.set_read_timeout(Some(HANDSHAKE))?;
        socket.set_write_timeout(Some(HANDSHAKE))?;
        let may_enter = |theirs: &Hello| self.may_enter(theirs, address);
        let theirs = answer(&mut socket, &self.hello(0)?, &self.settings.secret, may_enter)?;
        let socket = self.settle(socket)?;
        let process = theirs.process as usize;
        if theirs.purpose == 0 {
            return Ok(self.add_link(process, socket)?);
        }
        self.board.change(|state| state.searches.insert((process, theirs.purpose), socket));
        Ok(())
    }

    fn may_enter(&self, theirs: &Hello, address: IpAddr) -> Result<(), Refused> {
        let process = theirs.process as usize;
        if process <= self.settings.process || process >= self.settings.hosts.len() {
            return Err(Refused::Number);
        }
        if !self.settings.hosts.is_of(process, address) {
            return Err(Refused::Host);
        }
        let is_there = self.board.lock().links[process].is_some();
        if is_there == (theirs.purpose == 0) { Err(Refused::Twice) } else { Ok(()) }
    }

    fn turn_away(&self, address: SocketAddr, why: &Rejection) {
        if self.board.is_closing() {
            return;
        }
        let what = format!("a connection from {} was turned away: {why}", address.ip());
        self.board.change(|state| state.turned_away = Some(what.clone()));
        if self.notes.fetch_add(1, Ordering::Relaxed) < MAX_NOTES {
            (self.settings.note)(&what);
        }
    }

    /// Keeps a control connection, and listens to it.
    fn add_link(self: &Arc<Shared>, process: usize, socket: TcpStream) -> io::Result<()> {
        let mut ear = socket.try_clone()?;
        ear.set_read_timeout(Some(self.settings.silence))?;
        socket.set_write_timeout(Some(self.settings.silence))?;
        let shared = Arc::clone(self);
        self.board.change(|state| state.links[process] = Some(Arc::new(Mutex::new(socket))));
        // Who waits for the others already shows that it is there.
        self.board.tell(process, FrameKind::Beat, b"");
        spawn("control", move || {
            loop {
                match shared.listen_to(process, &mut ear) {
                    Heard::Something => {}
                    Heard::Farewell => return,
                    Heard::Loss(how) => {
                        return shared.board.lose(process, &format!("{}: {how}", shared.name(process)));
                    }
                }
            }
        })
    }

    /// Hears what a process says.
    fn listen_to(&self, process: usize, ear: &mut TcpStream) -> Heard {
        let (kind, bytes) = match read_frame(ear) {
            Ok(frame) => frame,
            Err(error) => return Heard::Loss(self.how(&error)),
        };
        let text = || String::from_utf8_lossy(&bytes).into_owned();
        match kind {
            FrameKind::Beat => {}
            FrameKind::Farewell => {
                self.board.change(|state| state.finished[process] = true);
                return Heard::Farewell;
            }
            FrameKind::Lost => self.board.hear_of_loss(&text()),
            FrameKind::Job if process == 0 => self.board.change(|state| state.job = Some(bytes)),
            FrameKind::Go if process == 0 => self.board.change(|state| state.go = Some(Ok(()))),
            FrameKind::Stop if process == 0 => {
                let why = text();
                self.board.change(|state| state.go = Some(Err(why)));
            }
            FrameKind::Ready => {
                if let Ok(digest) = Digest::try_from(bytes.as_slice()) {
                    self.board.change(|state| state.ready[process] = Some(Ok(digest)));
                }
            }
            FrameKind::Unready => {
                let why = text();
                self.board.change(|state| state.ready[process] = Some(Err(why)));
            }
            FrameKind::Job | FrameKind::Go | FrameKind::Stop => {
                return Heard::Loss("it speaks for process 0".to_owned());
            }
        }
        Heard::Something
    }

    fn how(&self, error: &io::Error) -> String {
        match error.kind() {
            io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset => {
                "the process has ended, without a word".to_owned()
            }
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
                let seconds = self.settings.silence.as_secs();
                format!("nothing was heard for {seconds} s: it was stopped, or can't be reached")
            }
            _ => format!("the connection is broken: {error}"),
        }
    }

    /// Says once a second that this process is there.
    fn beat(&self) {
        while !self.board.is_closing() {
            self.board.tell_all(FrameKind::Beat, b"");
            thread::sleep(BEAT);
        }
    }
}

/// Listens at the address of this process; returns also where its connections come from.
fn listen(settings: &Settings) -> Result<(TcpListener, Option<IpAddr>), NetworkError> {
    let host = &settings.hosts.names()[settings.process];
    let failed = |error| NetworkError::Listen { host: host.clone(), error };
    let mine = settings.hosts.resolve(settings.process).map_err(failed)?;
    let is_far = |process: usize| {
        let addresses = settings.hosts.resolve(process).unwrap_or_default();
        addresses.iter().any(|address| !address.ip().is_loopback())
    };
    let others_are_far = (0..settings.hosts.len()).any(|other| other != settings.process && is_far(other));
    let listener = sockets::listen(&mine, others_are_far).map_err(failed)?;
    listener.set_nonblocking(true)?;
    let ip = listener.local_addr()?.ip();
    Ok((listener, Some(ip).filter(|ip| !ip.is_unspecified())))
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    // Threads of the network need little room, and there are several for each process.
    thread::Builder::new().name(name.to_owned()).stack_size(1 << 18).spawn(work).map(drop)
}
