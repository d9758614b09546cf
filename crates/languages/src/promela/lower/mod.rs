//! From the syntax tree to a [`System`]: names are resolved, types checked, processes turned into locations.

mod channels;
mod constants;
mod declarations;
mod expressions;
mod processes;
mod properties;
mod remote;
mod scopes;
mod statements;
mod types;

use std::cell::Cell;
use std::rc::Rc;

use narrows_model::{InitialProcess, MtypeSet, ProctypeId, System, TransitionId};
use narrows_source::{Diagnostic, Diagnostics, Span};
use rustc_hash::FxHashMap;

use super::ast::{Ident, Proctype, Program, Unit};
use scopes::Scopes;
use types::{Room, Structure};

/// Lowers a program; `None` if there are errors.
pub(super) fn lower(program: &Program, name: &str, diagnostics: &mut Diagnostics) -> Option<System> {
    let mut lowering = Lowering::new(program, name, diagnostics);
    lowering.units(program);
    lowering.finish()
}

/// How many kinds of process, and of channel, there may be: a state numbers them with 15 bits.
const MAX_KINDS: usize = 32_000;

/// Writes a number of things: `1 field`, `2 fields`.
fn count(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

/// What is known of a proctype before its body is lowered.
#[derive(Clone, Debug)]
struct Signature {
    id: ProctypeId,
    name_span: Span,
    /// How many scalars its parameters are; known once its declaration was reached.
    parameters: usize,
    priority: u8,
}

/// The state of lowering a program.
struct Lowering<'d> {
    system: System,
    diagnostics: &'d mut Diagnostics,
    scopes: Scopes,
    structures: Vec<Structure>,
    structure_names: FxHashMap<Rc<str>, usize>,
    mtypes: FxHashMap<Rc<str>, (u16, i32, Span)>,
    signatures: FxHashMap<Rc<str>, Signature>,
    /// Labels of finished proctypes, for remote references: name to location.
    remote_labels: Vec<FxHashMap<String, u16>>,
    /// Labels that remote references name: a jump there stays a location.
    watched_labels: Vec<(Rc<str>, Rc<str>)>,
    /// Local variables of finished proctypes, for remote references.
    remote_locals: Vec<Vec<(Rc<str>, scopes::Variable)>>,
    /// The next number for SPIN's trail files, shared with the graph that is being built.
    next_trail_number: Rc<Cell<u32>>,
    /// Jumps that were split because their label is watched: SPIN numbers them at the first reference.
    unnumbered: Vec<(ProctypeId, String, TransitionId)>,
    next_loop: u32,
    /// How many more bytes variables and messages may take, and how many more scalars they may be.
    room: Room,
    /// Every `run`: what it creates, how many arguments it has, and where it stands.
    runs: Vec<(ProctypeId, usize, Span, Ident)>,
    /// Whether a formula is being lowered: everything else is known then.
    in_formula: bool,
}

impl<'d> Lowering<'d> {
    fn new(program: &Program, name: &str, diagnostics: &'d mut Diagnostics) -> Self {
        let mut lowering = Lowering {
            system: System { name: name.to_owned(), mtypes: vec![MtypeSet::default()], ..System::default() },
            diagnostics,
            scopes: Scopes::default(),
            structures: Vec::new(),
            structure_names: FxHashMap::default(),
            mtypes: FxHashMap::default(),
            signatures: FxHashMap::default(),
            remote_labels: Vec::new(),
            watched_labels: Vec::new(),
            remote_locals: Vec::new(),
            next_trail_number: Rc::default(),
            unnumbered: Vec::new(),
            next_loop: 0,
            room: Room::default(),
            runs: Vec::new(),
            in_formula: false,
        };
        lowering.collect_signatures(program);
        lowering.watched_labels = properties::watched_labels(program);
        lowering
    }

    /// Proctypes may be run before they are declared; everything else must be declared before it is used.
    fn collect_signatures(&mut self, program: &Program) {
        let proctypes = program.units.iter().filter_map(|unit| match unit {
            Unit::Proctype(proctype) => Some(proctype),
            _ => None,
        });
        for (index, proctype) in proctypes.enumerate() {
            if index >= MAX_KINDS {
                let title = format!("more than {MAX_KINDS} proctypes");
                Diagnostic::error("P0240", proctype.name.span, title)
                    .help("give one proctype parameters instead of writing many")
                    .emit(self.diagnostics);
                break;
            }
            let signature = Signature {
                id: ProctypeId(index as u16),
                name_span: proctype.name.span,
                parameters: usize::MAX,
                priority: Self::priority_of(proctype.priority),
            };
            if let Some(earlier) = self.signatures.get(&proctype.name.name) {
                let earlier = earlier.name_span;
                self.redeclared(&proctype.name, earlier);
            } else {
                self.signatures.insert(proctype.name.name.clone(), signature);
            }
        }
    }

    fn priority_of(priority: Option<i32>) -> u8 {
        priority.and_then(|priority| u8::try_from(priority).ok()).unwrap_or(1).max(1)
    }

    fn redeclared(&mut self, name: &Ident, earlier: Span) {
        Diagnostic::error("P0202", name.span, format!("`{}` is declared twice", name.name))
            .also(earlier, "first declared here")
            .emit(self.diagnostics);
    }

    fn units(&mut self, program: &Program) {
        let mut inits: Vec<Span> = Vec::new();
        for unit in &program.units {
            match unit {
                Unit::Proctype(proctype) => self.proctype_unit(proctype),
                Unit::Init(body) => {
                    if let Some(earlier) = inits.last() {
                        Diagnostic::warning("P0308", body.head, "a second `init` runs beside the first")
                            .also(*earlier, "first declared here")
                            .help("write `active proctype` and a name if that is meant")
                            .emit(self.diagnostics);
                    }
                    let priority = Self::priority_of(body.priority);
                    self.system.has_priorities |= body.priority.is_some();
                    let id = self.init(body, inits.len());
                    inits.push(body.head);
                    self.system.initial_processes.push(InitialProcess { proctype: id, priority });
                }
                Unit::Variables(declaration) => self.global_declaration(declaration),
                Unit::Typedef(typedef) => self.typedef(typedef),
                Unit::Mtype(mtype) => self.mtype(mtype),
                Unit::Never(claim) => self.never(claim),
                Unit::Trace(trace) => self.trace(trace),
                Unit::Ltl(_) | Unit::Ctl(_) => {}
            }
        }
        // Formulas may name anything, wherever they stand.
        self.in_formula = true;
        for unit in &program.units {
            match unit {
                Unit::Ltl(block) => self.ltl(block),
                Unit::Ctl(block) => self.ctl(block),
                _ => {}
            }
        }
    }

    fn proctype_unit(&mut self, proctype: &Proctype) {
        let Some(signature) = self.signatures.get(&proctype.name.name).cloned() else { return };
        if signature.name_span != proctype.name.span {
            return;
        }
        self.system.has_priorities |= proctype.priority.is_some();
        let count = proctype.active.as_ref().map(|active| self.active_count(active));
        self.proctype(proctype, signature.id);
        for _ in 0..count.unwrap_or(0) {
            let process = InitialProcess { proctype: signature.id, priority: signature.priority };
            self.system.initial_processes.push(process);
        }
    }

    fn finish(mut self) -> Option<System> {
        self.check_runs();
        if self.system.initial_processes.is_empty() && !self.diagnostics.has_errors() {
            let span = self.system.proctypes.first().map_or(Span::default(), |proctype| proctype.span);
            Diagnostic::error("P0231", span, "no process runs at the start")
                .help("write `active` before a proctype, or add an `init` process that runs it")
                .emit(self.diagnostics);
        }
        (!self.diagnostics.has_errors()).then(|| {
            self.system.hidden_bytes = self.scopes.hidden_bytes;
            narrows_model::mark_dead(&mut self.system);
            narrows_model::cut_globals(&mut self.system);
            self.system
        })
    }
}
