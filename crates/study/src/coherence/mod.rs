//! Caches under a model: every access to shared memory takes as long as the states of all caches make it
//! take.
//!
//! A study names a coherence table ([`read`]), where processes run and variables live, and how long transfers
//! take ([`settings`]). The table is checked in every reachable global state, which is the states of all
//! caches ([`global_states`]). Then each process is rewritten ([`rewrite`]): system in, system out, plain
//! data that every engine takes as it is. The idea is that of G. Chehaibar, M. Zidouni and R. Mateescu,
//! *Modeling multiprocessor cache protocol impact on MPI performance*, 2009, who did it by hand for the
//! ping-pong of two processes.
//!
//! From plain processes to ones whose accesses take time:
//!
//! | module | what it does |
//! |---|---|
//! | `settings` | what a study says: the table, nodes, where processes and variables are, latencies |
//! | `protocol`, `read`, `tables` | a coherence table as data, from a file, or from `crates/study/tables` |
//! | `global_states` | all reachable global states of a line; whether the table is coherent there |
//! | `memory` | which caches and lines there are, and in which line a place is |
//! | `accesses`, `loads` | what statements read and write; loads taken out of expressions, in order |
//! | `hierarchy`, `expressions` | what an access does to its line, as expressions that look it up |
//! | `rewrite` | locations and transitions: accesses, waits, polling, test-and-set |
//! | `events` | `miss(packet)` and the like |
//!
//! A new protocol is a table in `crates/study/tables`, a line in `tables.rs`, and by hand in
//! `narrows/tests/oracle`.

mod accesses;
mod events;
mod expressions;
mod global_states;
mod hierarchy;
mod loads;
mod memory;
mod protocol;
mod read;
mod rewrite;
mod settings;
mod tables;
#[cfg(test)]
mod tests;

use narrows_model::{Area, Leaf, MtypeSet, Place, ProctypeId, Scalar, Setup, System, mark_dead};
use narrows_performance::{Delay, Delayed, Site, Time, Timing};
use narrows_source::{Diagnostic, Diagnostics, Loader, Sources, Span};

use self::global_states::{GlobalStates, TableFault};
use self::hierarchy::{Hierarchy, Transfer};
use self::memory::Memory;
use self::protocol::Protocol;
use self::rewrite::{Wait, rewrite};

pub(crate) use events::{UnknownName, is_access};
pub(crate) use settings::KEYS;
pub use settings::Layer;

/// What is known of a model after caches were put under it.
#[derive(Clone, Debug)]
pub(crate) struct Attached {
    pub(crate) hierarchy: Hierarchy,
    pub(crate) waits: Vec<Wait>,
    /// The kinds of variables: names, and numbers of variables.
    pub(crate) kinds: Vec<(String, Vec<usize>)>,
}

/// Returns the text of a coherence table that comes with the program.
pub fn coherence_table(name: &str) -> Option<&'static str> {
    tables::find(name)
}

/// Returns whether a table is a file beside the study.
fn is_file(name: &str) -> bool {
    std::path::Path::new(name).extension().is_some_and(|extension| extension == "toml")
}

/// Reads the table of a layer: a file beside the study, or one that comes with the program.
fn load(
    layer: &Layer,
    sources: &mut Sources,
    loader: &dyn Loader,
    diagnostics: &mut Diagnostics,
) -> Option<Protocol> {
    let name = layer.table.text.as_str();
    let found = match tables::find(name) {
        Some(text) => Ok((format!("{name}.toml (comes with narrows)"), text.to_owned())),
        None if !is_file(name) => {
            let title = format!("there is no coherence table `{name}`");
            let help = "a file beside the study ends with `.toml`; narrows comes with ";
            let names = tables::names();
            let help = format!("{help}{}", crate::file::listed(&names));
            let diagnostic = Diagnostic::error("C0001", layer.table.span, title);
            diagnostics.push(memory::suggest(diagnostic, name, names.into_iter(), &help));
            return None;
        }
        None => {
            let study = sources.file(layer.table.span.file).name.clone();
            loader.load(name, &study, false).map(|loaded| (loaded.name, loaded.text))
        }
    };
    match found {
        Ok((name, text)) => {
            let known = sources.files().find(|(_, file)| file.name == name && file.text == text);
            let file = known.map(|(id, _)| id);
            let file = file.unwrap_or_else(|| sources.add(name, text));
            read::read(sources, file, diagnostics)
        }
        Err(reason) => {
            let title = format!("can't read the coherence table `{name}`: {reason}");
            diagnostics.push(Diagnostic::error("C0001", layer.table.span, title));
            None
        }
    }
}

/// Puts caches under a model. `None` if something is wrong.
pub(crate) fn apply(
    layer: &Layer,
    system: &mut System,
    timing: &mut Timing,
    sources: &mut Sources,
    loader: &dyn Loader,
    diagnostics: &mut Diagnostics,
) -> Option<Attached> {
    let protocol = load(layer, sources, loader, diagnostics);
    let memory = Memory::find(layer, system, diagnostics);
    let protocol = protocol.filter(|_| !diagnostics.has_errors())?;
    let global_states = explore(&protocol, memory.caches.len(), diagnostics)?;
    let kinds = kinds(layer, &memory);
    let hierarchy =
        Hierarchy { memory, protocol, global_states, cells: 0, cell: Scalar::Byte, phases: layer.phases };
    let (hierarchy, transfers) = add_lines(hierarchy, system);
    let mut waits: Vec<Wait> = Vec::new();
    for number in 0..system.proctypes.len() {
        let id = ProctypeId(number as u16);
        if !hierarchy.memory.caches.iter().any(|cache| cache.proctype == id) {
            continue;
        }
        let has_delay = |transition| timing.has_delay(Site { proctype: id, transition });
        let rewritten =
            rewrite(&hierarchy, id, &system.proctypes[number], transfers, &has_delay, diagnostics);
        if rewritten.proctype.locations.len() > usize::from(u16::MAX) {
            let title = "this process has too many accesses to shared memory";
            diagnostics.push(Diagnostic::error("C0008", rewritten.proctype.span, title));
            return None;
        }
        timing.rearrange(id, &rewritten.origins);
        system.proctypes[number] = rewritten.proctype;
        waits.extend(rewritten.waits);
    }
    mark_dead(system);
    add_delays(layer, &hierarchy, &waits, timing, diagnostics);
    (!diagnostics.has_errors()).then_some(Attached { hierarchy, waits, kinds })
}

/// Finds all combinations of states, and says what is wrong with the table there.
fn explore(protocol: &Protocol, caches: usize, diagnostics: &mut Diagnostics) -> Option<GlobalStates> {
    match GlobalStates::explore(protocol, caches) {
        Ok(global_states) => Some(global_states),
        Err(broken) => {
            let code = match broken.kind {
                TableFault::Missing | TableFault::Ambiguous => "C0002",
                TableFault::TwoCopies => "C0003",
                TableFault::Stale => "C0004",
                TableFault::TooMany => "C0010",
            };
            let place = broken.rows.first().copied().unwrap_or(protocol.span);
            let mut diagnostic = Diagnostic::error(code, place, broken.title);
            for other in broken.rows.iter().skip(1) {
                diagnostic = diagnostic.also(*other, "this row fits too");
            }
            if !broken.run.is_empty() {
                diagnostic = diagnostic.note("a shortest run that shows it:");
            }
            for line in broken.run {
                diagnostic = diagnostic.note(line);
            }
            diagnostics.push(diagnostic);
            None
        }
    }
}

/// Adds the states of lines to the global variables; returns how a process notes a transfer too.
fn add_lines(mut hierarchy: Hierarchy, system: &mut System) -> (Hierarchy, Scalar) {
    let set = |system: &mut System, name: &str, names: Vec<String>| {
        system.mtypes.push(MtypeSet { name: name.to_owned(), names });
        Scalar::Mtype(system.mtypes.len() as u16 - 1)
    };
    if system.mtypes.is_empty() {
        // The first is the one without a name.
        system.mtypes.push(MtypeSet::default());
    }
    let combinations = &hierarchy.global_states.combinations;
    hierarchy.cell = if combinations.len() < 256 {
        let names = combinations.iter().map(|states| hierarchy.protocol.show(states)).collect();
        set(system, "line", names)
    } else {
        Scalar::Short
    };
    let all = hierarchy.transfers();
    let transfers = if all.len() < 256 {
        let names = all.iter().map(|transfer| hierarchy.transfer_name(*transfer)).collect();
        set(system, "transfer", names)
    } else {
        Scalar::Short
    };
    hierarchy.cells = system.global_bytes;
    for line in &hierarchy.memory.lines {
        let (offset, scalar) = (system.global_bytes, hierarchy.cell);
        system.globals.push(Leaf { name: format!("cache({})", line.name), offset, scalar });
        let place = Place { area: Area::Global, offset, indices: Vec::new(), scalar, span: Span::default() };
        system.setup.push(Setup::Value(place, expressions::constant(1)));
        system.global_bytes += scalar.bytes();
    }
    (hierarchy, transfers)
}

impl Hierarchy {
    /// Returns what a transfer is called.
    pub(crate) fn transfer_name(&self, transfer: Transfer) -> String {
        let name = &self.protocol.transfers[transfer.kind];
        if transfer.kind == 0 || self.memory.farthest() == 0 {
            name.clone()
        } else {
            format!("{name} at distance {}", transfer.distance)
        }
    }
}

/// Finds the variables of each kind.
fn kinds(layer: &Layer, memory: &Memory) -> Vec<(String, Vec<usize>)> {
    let of = |names: &Vec<crate::Text>| {
        let is_named = |variable: &str| names.iter().any(|name| name.text == variable);
        let all = memory.variables.iter().enumerate();
        all.filter(|(_, name)| is_named(name)).map(|(number, _)| number).collect()
    };
    layer.kinds.iter().map(|(name, names)| (name.text.clone(), of(names))).collect()
}

/// Returns how long a transfer takes; `None` if the study does not say.
pub(crate) fn latency<'l>(layer: &'l Layer, hierarchy: &Hierarchy, transfer: Transfer) -> Option<&'l Delay> {
    let name = &hierarchy.protocol.transfers[transfer.kind];
    let (_, delays) = layer.latencies.iter().find(|(known, _)| known.text == *name)?;
    if let [only] = &delays[..] { Some(only) } else { delays.get(transfer.distance) }
}

/// Gives each wait its delay.
fn add_delays(
    layer: &Layer,
    hierarchy: &Hierarchy,
    waits: &[Wait],
    timing: &mut Timing,
    diagnostics: &mut Diagnostics,
) {
    let transfers = || hierarchy.protocol.transfers.iter().map(String::as_str);
    for (name, _) in &layer.latencies {
        if !transfers().any(|known| known == name.text) {
            let title = format!("the coherence table has no transfer `{}`", name.text);
            let names: Vec<&str> = transfers().collect();
            let help = format!("it has {}", crate::file::listed(&names));
            // It may be for another table, if tables are varied.
            let diagnostic = Diagnostic::warning("C0011", name.span, title);
            diagnostics.push(memory::suggest(diagnostic, &name.text, transfers(), &help));
        }
    }
    for transfer in hierarchy.transfers() {
        let sites: Vec<Site> =
            waits.iter().filter(|wait| wait.transfer == transfer).map(|wait| wait.site).collect();
        if sites.is_empty() {
            continue;
        }
        let Some(delay) = latency(layer, hierarchy, transfer) else {
            let title =
                format!("`[latency]` does not say how long `{}` takes", hierarchy.transfer_name(transfer));
            let help = "give one time, or a list of times by distance";
            diagnostics.push(Diagnostic::error("C0011", layer.span, title).help(help));
            continue;
        };
        if delay.mean() > Time::from_integer(0) {
            let delay = delay.scaled(Time::new(1, i128::from(hierarchy.phases)));
            timing.delay(&sites, Delayed { name: hierarchy.transfer_name(transfer), delay, speed: None });
        }
    }
}
