//! From statements to machine code, with Cranelift: one function for each transition.
//!
//! A function tests whether its statement is executable and, if so, executes it. Whatever goes wrong on the
//! way (an index out of range, a division by zero, a false assertion) it leaves to the reference evaluator by
//! returning `UNUSUAL`: machine code has no faults of its own, and both engines say the same.

mod chain;
mod channels;
mod constant_channels;
mod creation;
mod d_step;
mod emit;
mod expressions;
mod scan;
mod statements;

use std::fmt;

use cranelift_codegen::ir::{AbiParam, Function, Signature, UserFuncName, types};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_codegen::{Context, isa};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Module, default_libcall_names};
use narrows_model::{Evaluator, Location, Proctype, Statement, System};

use super::level::Layout;
use super::plan::{Action, Creation, Gate};
use super::undo_log::{Code, MAX_CHANGES};
use chain::Link;
use constant_channels::Facts;
use creation::PendingCreation;
use d_step::is_straight;
use emit::Emitter;
use scan::ScannedEdge;

/// Why there is no machine code for a system.
#[derive(Clone, Debug)]
pub struct Unsupported {
    reason: String,
}

impl Unsupported {
    fn new(reason: impl fmt::Display) -> Self {
        Unsupported { reason: reason.to_string() }
    }
}

impl fmt::Display for Unsupported {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.reason)
    }
}

impl std::error::Error for Unsupported {}

/// A statement that is left to the reference evaluator.
struct Interpreted;

/// What came out for a kind of process.
pub(super) struct CompiledKind {
    pub(super) gate: Gate,
    /// By transition.
    pub(super) actions: Vec<Action>,
    /// All edges of a location together, by location.
    pub(super) scans: Vec<Option<Code>>,
    /// What it does inside atomic sequences while it has no choice.
    pub(super) chain: Option<Code>,
}

/// Machine code, and what it was made for.
pub(super) struct Compiled {
    pub(super) kinds: Vec<CompiledKind>,
    pub(super) creations: Vec<Creation>,
    pub(super) memory: CodeMemory,
}

/// The memory that machine code lies in.
pub(super) struct CodeMemory {
    module: Option<JITModule>,
    /// Machine code has its address.
    _shape_of: Vec<u8>,
}

#[expect(unsafe_code, reason = "code that is finished is only read")]
// SAFETY: nothing changes the memory between its making and its release, which needs the one owner.
unsafe impl Sync for CodeMemory {}

impl Drop for CodeMemory {
    #[expect(unsafe_code, reason = "the memory is not released by itself")]
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: the plan, which holds the only pointers to the code, goes with its owner.
            unsafe { module.free_memory() };
        }
    }
}

/// A function that is compiled but has no address yet.
enum Pending {
    Plain(Action),
    Run(FuncId),
    Step(Option<FuncId>, FuncId),
    Create(PendingCreation),
}

/// Compiles every statement of a system that can be.
pub(super) fn compile(evaluator: &Evaluator<'_>, layout: &Layout) -> Result<Compiled, Unsupported> {
    let facts =
        Facts::of(evaluator, layout).ok_or_else(|| Unsupported::new("it has too many kinds of channel"))?;
    let mut compiler = Compiler::new(evaluator, layout, &facts)?;
    let mut kinds = Vec::new();
    for proctype in &evaluator.system().proctypes {
        let provided = match &proctype.provided {
            Some(condition) => compiler.function(|emitter| emitter.condition(condition))?,
            None => None,
        };
        let mut actions = Vec::new();
        for transition in &proctype.transitions {
            actions.push(compiler.statement(&transition.statement)?);
        }
        let mut scans = Vec::new();
        for location in &proctype.locations {
            scans.push(compiler.location(proctype, location, &actions)?);
        }
        let chain = compiler.chain(proctype, &actions)?;
        kinds.push((proctype.provided.is_some(), provided, actions, scans, chain));
    }
    let mut module = compiler.module;
    module.finalize_definitions().map_err(Unsupported::new)?;
    let finished = |id: FuncId| code(&module, id);
    let mut creations = Vec::new();
    let kinds = kinds
        .into_iter()
        .map(|(has_gate, provided, actions, scans, chain)| CompiledKind {
            chain: chain.map(finished),
            scans: scans.into_iter().map(|scan| scan.map(finished)).collect(),
            gate: match provided {
                Some(id) => Gate::Provided(finished(id)),
                None if has_gate => Gate::Interpreted,
                None => Gate::Open,
            },
            actions: actions
                .into_iter()
                .map(|action| match action {
                    Pending::Plain(action) => action,
                    Pending::Run(id) => Action::Run(finished(id)),
                    Pending::Create(pending) => {
                        creations.push(pending.finish(&finished));
                        Action::Create(creations.len() as u32 - 1)
                    }
                    Pending::Step(guard, body) => Action::Step(guard.map(finished), finished(body)),
                })
                .collect(),
        })
        .collect();
    let memory = CodeMemory { module: Some(module), _shape_of: facts.shape_of };
    Ok(Compiled { kinds, creations, memory })
}

#[expect(unsafe_code, reason = "an address becomes a function here and nowhere else")]
fn code(module: &JITModule, id: FuncId) -> Code {
    let address = module.get_finalized_function(id);
    // SAFETY: every function of the module has the signature of `Code`, in the host's calling convention.
    unsafe { std::mem::transmute::<*const u8, Code>(address) }
}

struct Compiler<'c> {
    system: &'c System,
    /// Whether variables that nobody reads any more are set to 0.
    forgets: bool,
    layout: &'c Layout,
    facts: &'c Facts,
    module: JITModule,
    context: Context,
    builder: FunctionBuilderContext,
    signature: Signature,
}

impl<'c> Compiler<'c> {
    fn new(evaluator: &Evaluator<'c>, layout: &'c Layout, facts: &'c Facts) -> Result<Self, Unsupported> {
        let mut flags = settings::builder();
        let options = [
            ("use_colocated_libcalls", "false"),
            ("is_pic", "false"),
            ("opt_level", "speed"),
            // It is compared with the reference evaluator instead.
            ("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }),
        ];
        for (name, value) in options {
            flags.set(name, value).map_err(Unsupported::new)?;
        }
        let isa: isa::OwnedTargetIsa = cranelift_native::builder()
            .map_err(Unsupported::new)?
            .finish(settings::Flags::new(flags))
            .map_err(Unsupported::new)?;
        if isa.pointer_type() != types::I64 {
            return Err(Unsupported::new("addresses have not 64 bits here"));
        }
        let module = JITModule::new(JITBuilder::with_isa(isa, default_libcall_names()));
        let mut signature = module.make_signature();
        signature.params.extend([AbiParam::new(types::I64); 3]);
        signature.returns.push(AbiParam::new(types::I32));
        let context = module.make_context();
        let builder = FunctionBuilderContext::new();
        let (system, forgets) = (evaluator.system(), evaluator.forgets());
        Ok(Compiler { system, forgets, layout, facts, module, context, builder, signature })
    }

    /// Decides how a statement is executed, and compiles it if it is worth it.
    fn statement(&mut self, statement: &Statement) -> Result<Pending, Unsupported> {
        let interpreted = Pending::Plain(Action::Interpreted);
        Ok(match statement {
            Statement::Skip => Pending::Plain(Action::Always),
            Statement::Else => Pending::Plain(Action::Else),
            Statement::End => Pending::Plain(Action::End),
            Statement::Run(run, assign) => match self.creation(run, assign.as_ref())? {
                Some(creation) => Pending::Create(creation),
                None => interpreted,
            },
            Statement::DStep(step) => {
                let guard = if step.guards.is_empty() {
                    None
                } else {
                    match self.function(|emitter| emitter.guards(&step.guards))? {
                        Some(guard) => Some(guard),
                        None => return Ok(interpreted),
                    }
                };
                match self.function(|emitter| emitter.d_step(step))? {
                    Some(body) => Pending::Step(guard, body),
                    None => interpreted,
                }
            }
            _ => match self.function(|emitter| emitter.transition(statement))? {
                Some(id) => Pending::Run(id),
                None => interpreted,
            },
        })
    }

    /// Compiles all edges of a location; `None` if they have to be thought of one by one.
    fn location(
        &mut self,
        proctype: &Proctype,
        location: &Location,
        actions: &[Pending],
    ) -> Result<Option<FuncId>, Unsupported> {
        match self.edges(proctype, location, actions, false) {
            Some(edges) => self.function(|emitter| emitter.scan(&edges)),
            None => Ok(None),
        }
    }

    fn edges<'s>(
        &self,
        proctype: &'s Proctype,
        location: &Location,
        actions: &[Pending],
        with_steps: bool,
    ) -> Option<Vec<ScannedEdge<'s>>> {
        let has_escapes = location.edges.iter().any(|edge| edge.escape != 0);
        if proctype.deterministic || has_escapes || location.edges.is_empty() {
            return None;
        }
        let scanned = |edge: &narrows_model::Edge| {
            let transition = proctype.transition(edge.transition);
            let is_compiled = matches!(
                actions[edge.transition.0 as usize],
                Pending::Run(_) | Pending::Plain(Action::Always | Action::Else)
            );
            let is_compiled = is_compiled
                || with_steps && matches!(&transition.statement, Statement::DStep(step) if is_straight(step));
            let forgotten = |ranges: &'s Vec<_>| if self.forgets { ranges.as_slice() } else { &[] };
            ScannedEdge {
                statement: is_compiled.then_some(&transition.statement),
                transition: edge.transition.0,
                target: transition.target.0,
                atomic: transition.atomic,
                dead: forgotten(&transition.dead),
                unread: forgotten(&transition.unread),
            }
        };
        Some(location.edges.iter().map(scanned).collect())
    }

    /// Compiles what happens inside atomic sequences; `None` if there are none, or they have to be thought
    /// of.
    fn chain(&mut self, proctype: &Proctype, actions: &[Pending]) -> Result<Option<FuncId>, Unsupported> {
        if proctype.provided.is_some() || self.system.has_priorities {
            return Ok(None);
        }
        // With its short steps it may change too much at once.
        match self.links(proctype, actions, true)? {
            Some(chain) => Ok(Some(chain)),
            None => self.links(proctype, actions, false),
        }
    }

    fn links(
        &mut self,
        proctype: &Proctype,
        actions: &[Pending],
        with_steps: bool,
    ) -> Result<Option<FuncId>, Unsupported> {
        let is_inside = |location: usize| {
            let mut transitions = proctype.transitions.iter();
            transitions.any(|transition| transition.atomic && usize::from(transition.target.0) == location)
        };
        let mut links = Vec::new();
        for (number, location) in
            proctype.locations.iter().enumerate().filter(|(number, _)| is_inside(*number))
        {
            let edges = self.edges(proctype, location, actions, with_steps);
            if let Some(edges) = edges.filter(|edges| edges.iter().all(|edge| edge.statement.is_some())) {
                links.push(Link { location: number as u16, edges });
            }
        }
        if links.is_empty() {
            return Ok(None);
        }
        self.function(|emitter| emitter.chain(&links))
    }

    /// Compiles a function; `None` if it is left to the reference evaluator.
    fn function(
        &mut self,
        emit: impl FnOnce(&mut Emitter<'_, '_>) -> Result<(), Interpreted>,
    ) -> Result<Option<FuncId>, Unsupported> {
        self.context.func = Function::with_name_signature(UserFuncName::default(), self.signature.clone());
        let builder = FunctionBuilder::new(&mut self.context.func, &mut self.builder);
        let mut emitter = Emitter::new(builder, self.system, self.layout, self.facts);
        let emitted = emit(&mut emitter);
        let changes = emitter.changes;
        if emitted.is_err() || changes > MAX_CHANGES {
            self.builder = FunctionBuilderContext::new();
            self.module.clear_context(&mut self.context);
            return Ok(None);
        }
        emitter.finish(self.module.target_config());
        let id = self.module.declare_anonymous_function(&self.signature).map_err(Unsupported::new)?;
        self.module.define_function(id, &mut self.context).map_err(Unsupported::new)?;
        self.module.clear_context(&mut self.context);
        Ok(Some(id))
    }
}
