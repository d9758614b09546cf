//! A search by several workers, in one process and in several, comes to what breadth-first search on one
//! machine comes to: the same counts, the same findings in the same order, with the same runs.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use narrows_cluster::{Cut, Mesh, Parts, Team};
use narrows_explicit::{
    Budget, Elsewhere, End, Engine, Exploration, Goal, SearchScope, Unwatched, Wrong, breadth_first, replay,
};
use narrows_languages::promela::{Options, compile};
use narrows_model::{Evaluator, Limit, Progress, Question, StateSpace, System};
use narrows_source::{Diagnostics, LoadError, Loaded, Loader, Sources};
use narrows_tests::generator;
use narrows_tests::seeds::seeds;

struct Disk;

impl Loader for Disk {
    fn load(&self, path: &str, from: &str, _system: bool) -> Result<Loaded, LoadError> {
        let path = Path::new(from).with_file_name(path);
        let name = path.display().to_string();
        match fs::read_to_string(&path) {
            Ok(text) => Ok(Loaded { name, text }),
            Err(error) => Err(LoadError::Unreadable { name, reason: error.to_string() }),
        }
    }
}

fn system(name: &str, text: &str) -> Option<System> {
    let mut sources = Sources::default();
    let file = sources.add(name, text);
    compile(&mut sources, file, &Disk, &Options::default(), &mut Diagnostics::default())
}

/// Everything but the memory, as a text.
fn essence(exploration: &Exploration) -> String {
    let Exploration { end, coverage, findings, .. } = exploration;
    let (states, transitions, depth) = (coverage.states, coverage.transitions, coverage.depth);
    let findings: Vec<String> = findings.iter().map(|finding| format!("{finding:?}")).collect();
    let (bytes, taken) = (coverage.state_bytes, &coverage.taken);
    let findings = findings.join("\n");
    format!("{end:?} {states} {transitions} {depth} {bytes} {taken:?}\n{findings}")
}

/// The run to the first finding that answers a question.
fn first_run(exploration: &Exploration, question: &Question) -> Option<String> {
    let mut findings = exploration.findings.iter();
    let found = findings.find(|finding| finding.run.is_some() && finding.wrong.question() == *question)?;
    Some(format!("{:?} {:?}", found.wrong, found.run))
}

/// So many states are few enough to be visited again and again.
const MANY: u64 = 30_000;

/// Compares searches of a system by so many workers; returns how many states it has and how much goes wrong.
fn compare(name: &str, system: &System, workers: &[usize]) -> Option<(u64, usize)> {
    let engine = Engine::automatic(Evaluator::new(system));
    if engine.hidden_bytes() > 0 || engine.initial().is_err() {
        return None;
    }
    let budget = Budget::unlimited(Unwatched);
    let scope = SearchScope { states: MANY, transitions: 20 * MANY, ..SearchScope::within(&budget) };
    let alone = breadth_first(&engine, &[], &scope);
    if alone.end != End::Complete {
        return None;
    }
    let whole = SearchScope::within(&budget);
    for workers in workers {
        let team = Team::local(*workers);
        let together = team.breadth_first(&engine, &[], &whole);
        assert_eq!(essence(&together), essence(&alone), "{name}: {workers} workers");
        for finding in together.findings.iter().filter(|finding| finding.run.is_some()) {
            assert!(replay(Evaluator::new(system), finding).is_ok(), "{name}: {finding:?}");
        }
        for question in [Question::Assertions, Question::Deadlock, Question::Faults] {
            let goals = [Goal { question: question.clone(), patience: None }];
            let together = team.breadth_first(&engine, &goals, &whole);
            let what = format!("{name}, {question:?}: {workers} workers");
            assert_eq!(first_run(&together, &question), first_run(&alone, &question), "{what}");
            assert_eq!(together.end == End::Complete, first_run(&alone, &question).is_none(), "{what}");
        }
    }
    Some((alone.coverage.states, alone.findings.len()))
}

fn models(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            models(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "pml") {
            found.push(path);
        }
    }
}

#[test]
fn several_workers_find_what_one_machine_finds() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut paths = Vec::new();
    for folder in ["tests/models", "examples"] {
        models(&root.join(folder), &mut paths);
    }
    let (mut compared, mut wrong) = (0, 0);
    for path in paths {
        let text = String::from_utf8_lossy(&fs::read(&path).expect("a model")).into_owned();
        let name = path.display().to_string();
        let Some(system) = system(&name, &text) else { continue };
        if let Some((_, findings)) = compare(&name, &system, &[1, 2, 3]) {
            compared += 1;
            wrong += usize::from(findings > 0);
        }
    }
    eprintln!("{compared} models, something goes wrong in {wrong} of them");
    assert!(compared > 40 && wrong > 10 && wrong < compared);
}

/// `NARROWS_SEEDS=1..5000` makes a long run of it.
#[test]
fn random_models_do_too() {
    let (mut states, mut wrong) = (0, 0);
    for seed in seeds(40) {
        let text = generator::generate(seed).to_string();
        let Some(system) = system("random.pml", &text) else { continue };
        if let Some(found) = compare(&format!("seed {seed}\n{text}"), &system, &[1, 2, 3]) {
            states += found.0;
            wrong += found.1;
        }
    }
    eprintln!("{states} states, {wrong} findings");
    assert!(states > 1_000 && wrong > 10);
}

/// Processes that are threads here, each with its end of the connections between all pairs.
struct Loopback {
    process: usize,
    hosts: Vec<String>,
    sockets: Vec<Option<TcpStream>>,
}

impl Mesh for Loopback {
    fn process(&self) -> usize {
        self.process
    }

    fn hosts(&self) -> &[String] {
        &self.hosts
    }

    fn connect(&self) -> Result<Vec<Option<TcpStream>>, String> {
        let copy = |socket: &TcpStream| socket.try_clone().map_err(|error| error.to_string());
        self.sockets.iter().map(|socket| socket.as_ref().map(copy).transpose()).collect()
    }
}

fn loopback(processes: usize) -> Vec<Loopback> {
    let hosts: Vec<String> = (0..processes).map(|process| format!("host {process}")).collect();
    let empty = || (0..processes).map(|_| None).collect();
    let member = |process| Loopback { process, hosts: hosts.clone(), sockets: empty() };
    let mut members: Vec<Loopback> = (0..processes).map(member).collect();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    for left in 0..processes {
        for right in 0..left {
            let near = TcpStream::connect(address).expect("a connection");
            let (far, _) = listener.accept().expect("a connection");
            near.set_nodelay(true).expect("a socket");
            far.set_nodelay(true).expect("a socket");
            members[left].sockets[right] = Some(near);
            members[right].sockets[left] = Some(far);
        }
    }
    members
}

const RING: &str = "
    #define N 7
    byte fork[N]; byte fed;
    proctype phil(byte me) {
        byte other = (me + 1) % N;
        do
        :: atomic { fork[me] == 0 -> fork[me] = 1 };
           atomic { fork[other] == 0 -> fork[other] = 1 };
           fed = (fed + 1) % 3; assert(fed != 2 || me != 4);
           fork[other] = 0; fork[me] = 0
        od
    }
    init { byte i; atomic { do :: i < N -> run phil(i); i++ :: else -> break od } }";

#[test]
fn processes_find_it_over_tcp() {
    let system = system("ring.pml", RING).expect("a model");
    let budget = Budget::unlimited(Unwatched);
    let scope = SearchScope::within(&budget);
    let alone = breadth_first(&Engine::automatic(Evaluator::new(&system)), &[], &scope);
    assert!(alone.coverage.states > 10_000 && alone.findings.len() == 2, "{}", essence(&alone));
    for (processes, workers) in [(2, 1), (3, 1), (2, 2)] {
        let members = loopback(processes);
        std::thread::scope(|threads| {
            for member in &members {
                let (system, alone) = (&system, &alone);
                threads.spawn(move || {
                    let budget = Budget::unlimited(Unwatched);
                    let team = Team::of(workers, member);
                    let engine = Engine::automatic(Evaluator::new(system));
                    let together = team.breadth_first(&engine, &[], &SearchScope::within(&budget));
                    assert_eq!(team.trouble().what(), None);
                    assert_eq!(
                        essence(&together),
                        essence(alone),
                        "{processes} processes, {workers} workers"
                    );
                });
            }
        });
    }
}

#[test]
fn whoever_stops_stops_all() {
    let system = system("ring.pml", RING).expect("a model");
    let members = loopback(2);
    std::thread::scope(|threads| {
        for member in &members {
            let system = &system;
            threads.spawn(move || {
                let first = member.process == 0;
                let watch = move |progress: &Progress| {
                    (first && progress.states > 2_000).then_some(Limit::Interrupted)
                };
                let budget = Budget::unlimited(watch);
                let engine = Engine::automatic(Evaluator::new(system));
                let together = Team::of(2, member).breadth_first(&engine, &[], &SearchScope::within(&budget));
                assert_eq!(together.end, End::Limit(Limit::Interrupted));
                assert!(together.coverage.states >= 2_000);
            });
        }
    });
}

#[test]
fn a_lost_process_is_named() {
    let system = system("ring.pml", RING).expect("a model");
    let mut members = loopback(2);
    let lost = members.pop().expect("a process");
    // It never says a word, and is gone.
    drop(lost);
    let budget = Budget::unlimited(Unwatched);
    let engine = Engine::automatic(Evaluator::new(&system));
    for workers in [1, 2] {
        let team = Team::of(workers, &members[0]);
        let together = team.breadth_first(&engine, &[], &SearchScope::within(&budget));
        assert_eq!(together.end, End::Limit(Limit::HostLost));
        assert!(team.trouble().what().is_some_and(|what| what.starts_with("host 1: ")));
    }
}

#[test]
fn memory_is_limited_and_nothing_is_called_complete() {
    let system = system("ring.pml", RING).expect("a model");
    let budget = Budget { memory: 4 << 20, ..Budget::unlimited(Unwatched) };
    let engine = Engine::automatic(Evaluator::new(&system));
    let together = Team::local(2).breadth_first(&engine, &[], &SearchScope::within(&budget));
    assert_eq!(together.end, End::Limit(Limit::Memory));
}

/// Parts in memory: saved at every level.
#[derive(Default)]
struct Shelf {
    parts: Mutex<BTreeMap<(u32, usize), Vec<u8>>>,
    complete: Mutex<Option<Cut>>,
    /// Levels are saved before this one alone.
    until: u32,
    loads: AtomicU32,
}

impl Parts for Shelf {
    fn is_due(&self) -> bool {
        self.complete.lock().expect("no panic").is_none_or(|cut| cut.level + 1 < self.until)
    }

    fn save(&self, cut: Cut, worker: usize, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) -> bool {
        let mut bytes = Vec::new();
        write(&mut bytes).expect("room");
        self.parts.lock().expect("no panic").insert((cut.level, worker), bytes);
        true
    }

    fn saved(&self, cut: Cut, are_safe: bool) {
        assert!(are_safe);
        *self.complete.lock().expect("no panic") = Some(cut);
    }

    fn earlier(&self) -> Option<Cut> {
        self.complete.lock().expect("no panic").filter(|_| self.until == 0)
    }

    fn open(&self, worker: usize) -> io::Result<Box<dyn Read + '_>> {
        let level = self.complete.lock().expect("no panic").expect("a cut").level;
        let part = self.parts.lock().expect("no panic").get(&(level, worker)).cloned();
        Ok(Box::new(io::Cursor::new(part.ok_or(io::ErrorKind::NotFound)?)))
    }

    fn loaded(&self, result: Result<Progress, String>) {
        if result.is_ok() {
            self.loads.fetch_add(1, Ordering::Relaxed);
        }
    }
}

#[test]
fn any_number_of_workers_goes_on_from_any_level() {
    let system = system("ring.pml", RING).expect("a model");
    let engine = Engine::automatic(Evaluator::new(&system));
    let budget = Budget::unlimited(Unwatched);
    let scope = SearchScope::within(&budget);
    let alone = breadth_first(&engine, &[], &scope);
    let goals = [Goal { question: Question::Deadlock, patience: None }];
    for (until, before, after) in [(1, 2, 3), (9, 3, 1), (14, 1, 2), (20, 3, 2)] {
        let shelf = Shelf { until, ..Shelf::default() };
        let saving = Team::local(before).with_parts(&shelf);
        assert_eq!(essence(&saving.breadth_first(&engine, &[], &scope)), essence(&alone));
        let mut shelf = shelf;
        let cut = shelf.complete.lock().expect("no panic").expect("a level was saved");
        assert!((cut.level + 1 >= until || until > 20) && cut.workers == before, "{cut:?}");
        shelf.until = 0;
        let going_on = Team::local(after).with_parts(&shelf);
        let together = going_on.breadth_first(&engine, &[], &scope);
        assert_eq!(essence(&together), essence(&alone), "from level {} on", cut.level);
        assert_eq!(shelf.loads.load(Ordering::Relaxed) as usize, after);
        // Only the first search of a team is the one that was saved.
        let other = going_on.breadth_first(&engine, &goals, &scope);
        assert_eq!(first_run(&other, &Question::Deadlock), first_run(&alone, &Question::Deadlock));
        let aimed = Team::local(after).with_parts(&shelf).breadth_first(&engine, &goals, &scope);
        assert_eq!(first_run(&aimed, &Question::Deadlock), first_run(&alone, &Question::Deadlock));
        for finding in &aimed.findings {
            assert!(!matches!(&finding.wrong, Wrong::Deadlock(state) if state.is_empty()), "{finding:?}");
        }
        // A part that was cut short is no state space: nothing is called complete.
        for part in shelf.parts.lock().expect("no panic").values_mut() {
            part.truncate(part.len() / 2);
        }
        let broken = Team::local(after).with_parts(&shelf).breadth_first(&engine, &[], &scope);
        assert!(matches!(broken.end, End::Limit(_)), "{:?}", broken.end);
    }
}
