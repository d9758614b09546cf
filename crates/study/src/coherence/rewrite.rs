//! Rewrites a kind of process so that each access to shared memory is a step of its own, with a wait after it.
//!
//! What a process does stays the same; what was one statement may become several. An access is one step that does what
//! the statement says, changes the states of its line, and notes how the data is transferred. Then the process waits, in a
//! location with one transition for each way of transfer: these have the delays. A condition that reads memory is
//! evaluated by loads; if nothing can be executed afterwards, it is polled again. An atomic sequence, or a `d_step`, may
//! use one place in memory, and is one access to it.

use narrows_model::{
    Area, Binary, DStep, Edge, Expr, Guard, Leaf, Location, LocationId, Node, NodeId, Place, Proctype,
    ProctypeId, Scalar, Statement, Transition, TransitionId,
};
use narrows_performance::Site;
use narrows_source::{Diagnostic, Diagnostics, Span};

use super::memory::Found;
use super::places::{bare, may_meet, touches};
use super::protocol::Access;
use super::split::{Load, Split, put_back, put_back_in};
use super::steps::{CacheSystem, Own, Way, forget};
use super::tree::{binary, constant, load, not};

/// More guards than this have no room in a number.
const MOST_GUARDS: usize = 30;

/// Where a process waits for a transfer.
#[derive(Clone, Debug)]
pub(crate) struct Wait {
    /// The transition that ends it.
    pub(crate) site: Site,
    /// The variable.
    pub(crate) variable: usize,
    pub(crate) way: Way,
    /// Which phase it is, and whether that is the last one.
    pub(crate) is_last: bool,
}

/// What became of a kind of process.
pub(crate) struct Rewritten {
    pub(crate) proctype: Proctype,
    /// The transition of the text that each transition stands for.
    pub(crate) origins: Vec<Option<TransitionId>>,
    pub(crate) waits: Vec<Wait>,
}

/// The place where a wait leads on, and what it waits for.
type Key = (LocationId, usize, Access, Vec<u32>);

struct Rewriter<'a> {
    cache_system: &'a CacheSystem,
    id: ProctypeId,
    /// The caches of its processes.
    caches: Vec<usize>,
    old: &'a Proctype,
    own: Own,
    /// Which guards hold, one bit each.
    guards: Place,
    temporaries: Vec<(usize, Scalar, Place)>,
    new: Proctype,
    origins: Vec<Option<TransitionId>>,
    waits: Vec<Wait>,
    known: Vec<(Key, LocationId)>,
    /// Which locations inside atomic sequences are used already.
    taken: Vec<bool>,
    diagnostics: &'a mut Diagnostics,
}

/// Rewrites a kind of process. The scalar is for the transfer that goes on; `has_delay` says of which statements the study
/// gives a delay.
pub(crate) fn rewrite(
    cache_system: &CacheSystem,
    id: ProctypeId,
    old: &Proctype,
    transfers: Scalar,
    has_delay: &dyn Fn(TransitionId) -> bool,
    diagnostics: &mut Diagnostics,
) -> Rewritten {
    let caches = cache_system.memory.caches.iter().enumerate();
    let caches = caches.filter(|(_, cache)| cache.proctype == id).map(|(number, _)| number).collect();
    let mut new = Proctype { transitions: Vec::new(), ..old.clone() };
    let transfer = add_local(&mut new, "transfer", transfers);
    let line = add_local(&mut new, "line", Scalar::Short);
    let guards = add_local(&mut new, "guards", Scalar::Int);
    let mut rewriter = Rewriter {
        cache_system,
        id,
        caches,
        old,
        own: Own { transfer, line },
        guards,
        temporaries: Vec::new(),
        new,
        origins: Vec::new(),
        waits: Vec::new(),
        known: Vec::new(),
        taken: vec![false; old.locations.len()],
        diagnostics,
    };
    rewriter.check_whole(has_delay);
    rewriter.run();
    Rewritten { proctype: rewriter.new, origins: rewriter.origins, waits: rewriter.waits }
}

/// Adds a local variable.
fn add_local(proctype: &mut Proctype, name: &str, scalar: Scalar) -> Place {
    let offset = proctype.local_bytes;
    proctype.locals.push(Leaf { name: name.to_owned(), offset, scalar });
    proctype.local_bytes += scalar.bytes();
    Place { area: Area::Local, offset, indices: Vec::new(), scalar, span: Span::default() }
}

/// Makes one step of some statements.
fn sequence(guards: Vec<Guard>, statements: Vec<Statement>, span: Span) -> Statement {
    let next = |number: usize| NodeId(number as u32 + 1);
    let nodes = statements.into_iter().enumerate();
    let nodes = nodes.map(|(number, statement)| Node::Execute(statement, next(number), span));
    let nodes = nodes.chain([Node::Leave]).collect();
    Statement::DStep(Box::new(DStep { guards, nodes, start: NodeId(0), span }))
}

impl Rewriter<'_> {
    /// Returns whether a statement uses shared memory.
    fn uses(&self, statement: &Statement) -> bool {
        let mut found = false;
        touches(statement, &mut |place, _| found |= self.cache_system.memory.is_shared(place));
        found
    }

    fn wrong(&mut self, code: &'static str, span: Span, title: &str, help: &str) {
        self.diagnostics.push(Diagnostic::error(code, span, title).help(help));
    }

    /// Finds what can't be rewritten at all.
    fn check_whole(&mut self, has_delay: &dyn Fn(TransitionId) -> bool) {
        for (number, transition) in self.old.transitions.iter().enumerate() {
            if has_delay(TransitionId(number as u32)) && self.uses(&transition.statement) {
                self.wrong(
                    "C0008",
                    transition.span,
                    "this statement uses shared memory, and the study gives it a delay",
                    "its time is that of its accesses; give the delay to a `skip` before or after it",
                );
            }
        }
        let old = self.old;
        for location in &old.locations {
            let escapes = location.edges.iter().any(|edge| edge.escape != 0);
            let statement = |edge: &Edge| &old.transition(edge.transition).statement;
            if escapes && location.edges.iter().any(|edge| self.uses(statement(edge))) {
                self.wrong(
                    "C0008",
                    location.span,
                    "shared memory is used inside `unless`, which may interrupt it anywhere",
                    "use shared memory outside of `unless`",
                );
            }
        }
        if old.provided.as_ref().is_some_and(|expr| self.uses(&Statement::Condition(expr.clone()))) {
            self.wrong(
                "C0008",
                old.span,
                "a `provided` clause reads shared memory before every step",
                "read it where it is needed",
            );
        }
    }

    fn run(&mut self) {
        let old = self.old;
        let mut inside = vec![false; old.locations.len()];
        let mut outside = vec![false; old.locations.len()];
        outside[usize::from(old.start.0)] = true;
        for transition in &old.transitions {
            let target = usize::from(transition.target.0);
            if transition.atomic { inside[target] = true } else { outside[target] = true }
        }
        for location in &mut self.new.locations {
            location.edges.clear();
        }
        for number in 0..old.locations.len() {
            let at = LocationId(number as u16);
            if inside[number] && !outside[number] {
                // It belongs to an atomic sequence, and is rewritten with that if it has to be.
                continue;
            }
            if self.is_atomic(at)
                && self.region(at).1.iter().any(|one| self.uses(&old.transition(*one).statement))
            {
                self.rewrite_atomic(at, inside[number]);
            } else {
                self.rewrite_location(at);
            }
        }
        for number in 0..old.locations.len() {
            if inside[number] && !outside[number] && !self.taken[number] {
                self.copy_edges(LocationId(number as u16));
            }
        }
    }

    /// Returns whether an atomic sequence, or a `d_step`, begins at a location.
    fn is_atomic(&self, at: LocationId) -> bool {
        self.old.location(at).edges.iter().any(|edge| {
            let transition = self.old.transition(edge.transition);
            transition.atomic || matches!(transition.statement, Statement::DStep(_))
        })
    }

    /// Returns the locations inside the atomic sequence that begins at a location, and its transitions.
    fn region(&self, at: LocationId) -> (Vec<LocationId>, Vec<TransitionId>) {
        let (mut locations, mut transitions) = (Vec::new(), Vec::new());
        let mut todo = vec![at];
        while let Some(location) = todo.pop() {
            for edge in &self.old.location(location).edges {
                let transition = self.old.transition(edge.transition);
                if !transitions.contains(&edge.transition) {
                    transitions.push(edge.transition);
                }
                if transition.atomic && !locations.contains(&transition.target) {
                    locations.push(transition.target);
                    todo.push(transition.target);
                }
            }
        }
        (locations, transitions)
    }

    /// Leaves a location as it is.
    fn copy_edges(&mut self, at: LocationId) {
        for edge in self.old.location(at).edges.clone() {
            let transition = self.old.transition(edge.transition).clone();
            self.add_transition(at, transition, Some(edge.transition), edge.escape);
        }
    }

    fn add_transition(
        &mut self,
        at: LocationId,
        transition: Transition,
        origin: Option<TransitionId>,
        escape: u16,
    ) -> TransitionId {
        let id = TransitionId(self.new.transitions.len() as u32);
        self.new.transitions.push(transition);
        self.origins.push(origin);
        self.new.locations[usize::from(at.0)].edges.push(Edge { transition: id, escape });
        id
    }

    /// Adds a step that stands for something of the text, or for nothing.
    fn add(
        &mut self,
        at: LocationId,
        statement: Statement,
        target: LocationId,
        like: &Transition,
        origin: Option<TransitionId>,
    ) -> TransitionId {
        let text = like.text.clone();
        let is_glue = origin.is_none();
        let new = Transition { statement, target, atomic: false, text, is_glue, ..like.clone() };
        self.add_transition(at, new, origin, 0)
    }

    fn new_location(&mut self, like: Span) -> LocationId {
        let id = LocationId(self.new.locations.len() as u16);
        self.new.locations.push(Location { span: like, ..Location::default() });
        id
    }

    /// Returns the location where a process waits for a transfer, and then goes on.
    fn wait(&mut self, found: &Found, access: Access, like: &Transition, target: LocationId) -> LocationId {
        let lines = if self.cache_system.phases == 1 { Vec::new() } else { found.lines.clone() };
        let key = (target, found.variable, if lines.is_empty() { Access::Load } else { access }, lines);
        // With one phase, which access it was makes no difference any more.
        let accesses: &[Access] =
            if self.cache_system.phases == 1 { &Access::ALL } else { std::slice::from_ref(&access) };
        if let Some((_, known)) = self.known.iter().find(|(known, _)| *known == key) {
            return *known;
        }
        let at = self.new_location(like.span);
        self.known.push((key, at));
        let (cache_system, own, caches) = (self.cache_system, self.own.clone(), self.caches.clone());
        let every = cache_system.memory.lines_of(found.variable);
        let lines: &[u32] = if cache_system.phases == 1 { &every } else { &found.lines };
        let mut ways: Vec<Way> =
            accesses.iter().flat_map(|access| cache_system.possible(&caches, *access, lines)).collect();
        ways.sort_unstable();
        ways.dedup();
        let second = if cache_system.phases == 2 { Some(self.new_location(like.span)) } else { None };
        for way in ways {
            let guard = vec![Guard::Condition(cache_system.goes(way, &own))];
            let mut done = vec![Statement::Assign(own.transfer.clone(), constant(0))];
            let last = match second {
                None => at,
                Some(second) => {
                    let line = match found.line.constant() {
                        Some(_) => found.line.clone(),
                        None => load(&own.line),
                    };
                    let update = cache_system.update(&caches, access, &line);
                    self.add_wait(
                        at,
                        found.variable,
                        way,
                        (guard.clone(), vec![update]),
                        second,
                        like,
                        false,
                    );
                    done.extend(forget(found, &own));
                    second
                }
            };
            self.add_wait(last, found.variable, way, (guard, done), target, like, true);
        }
        at
    }

    fn add_wait(
        &mut self,
        at: LocationId,
        variable: usize,
        way: Way,
        (guards, steps): (Vec<Guard>, Vec<Statement>),
        target: LocationId,
        like: &Transition,
        is_last: bool,
    ) {
        let name = &self.cache_system.memory.variables[variable];
        let transfer = &self.cache_system.protocol.transfers[way.transfer];
        let text = match way.transfer {
            0 => format!("hit {name}"),
            _ => format!("{transfer} at distance {} for {name}", way.distance),
        };
        let statement = sequence(guards, steps, like.span);
        let mut new = Transition { statement, target, atomic: false, text, ..like.clone() };
        new.is_glue = false;
        let transition = self.add_transition(at, new, None, 0);
        let site = Site { proctype: self.id, transition };
        self.waits.push(Wait { site, variable, way, is_last });
    }

    fn temporary(&mut self, number: usize, scalar: Scalar) -> Place {
        let same = |known: &&(usize, Scalar, Place)| (known.0, known.1) == (number, scalar);
        if let Some((.., place)) = self.temporaries.iter().find(same) {
            return place.clone();
        }
        let place = add_local(&mut self.new, &format!("loaded {}", number + 1), scalar);
        self.temporaries.push((number, scalar, place.clone()));
        place
    }

    /// Takes the loads out of something.
    fn split<T>(&mut self, take: impl FnOnce(&mut Split<'_, '_>) -> T) -> (T, Vec<Load>) {
        let memory = &self.cache_system.memory;
        let mut temporary = |number, scalar| self.temporary(number, scalar);
        let mut split = Split { memory, temporary: &mut temporary, loads: Vec::new() };
        let result = take(&mut split);
        (result, split.loads)
    }

    fn found(&mut self, place: &Place, span: Span) -> Option<Found> {
        let found = self.cache_system.memory.find_place(place);
        if found.is_none() {
            self.wrong(
                "C0008",
                span,
                "it is not clear which cache line this is",
                "give all elements of the variable the same treatment",
            );
        }
        found
    }

    /// Adds the loads of a chain, from a location on; returns where they end. What comes before goes with the first step.
    fn add_loads(
        &mut self,
        mut at: LocationId,
        loads: &[Load],
        before: &mut Vec<Statement>,
        like: &Transition,
    ) -> LocationId {
        for one in loads {
            let next = self.new_location(like.span);
            let Some(found) = self.found(&one.place, like.span) else { return next };
            let first = std::mem::take(before);
            if let Some(need) = &one.need {
                let guard = vec![Guard::Condition(not(need.clone()))];
                self.add(at, sequence(guard, first.clone(), like.span), next, like, None);
            }
            let guards = one.need.iter().map(|need| Guard::Condition(need.clone())).collect();
            let mut steps = first;
            steps.extend(self.cache_system.begin(&self.caches, Access::Load, &found, &self.own));
            steps.push(Statement::Assign(one.temporary.clone(), load(&one.place)));
            self.forget_line(&found, &mut steps);
            let wait = self.wait(&found, Access::Load, like, next);
            self.add(at, sequence(guards, steps, like.span), wait, like, None);
            at = next;
        }
        at
    }

    /// With two phases the line is needed once more.
    fn forget_line(&self, found: &Found, steps: &mut Vec<Statement>) {
        if self.cache_system.phases == 1 {
            steps.extend(forget(found, &self.own));
        }
    }

    /// Rewrites a location without atomic sequences.
    fn rewrite_location(&mut self, at: LocationId) {
        let old = self.old;
        let edges = old.location(at).edges.clone();
        let conditions: Vec<(usize, &Expr)> = edges
            .iter()
            .enumerate()
            .filter_map(|(number, edge)| match &old.transition(edge.transition).statement {
                statement @ Statement::Condition(expr) if self.uses(statement) => Some((number, expr)),
                _ => None,
            })
            .collect();
        if conditions.is_empty() {
            for edge in edges {
                self.rewrite_edge(at, edge, Vec::new());
            }
            return;
        }
        let like = old.transition(edges[conditions[0].0].transition).clone();
        if conditions.len() > MOST_GUARDS {
            self.wrong("C0008", like.span, "this choice has too many conditions", "split the choice");
            return;
        }
        let (exprs, mut loads) =
            self.split(|split| conditions.iter().map(|(_, expr)| split.expr(expr, None)).collect::<Vec<_>>());
        let mut bits = constant(0);
        for (number, expr) in exprs.iter().enumerate() {
            let bit = Box::new(constant(1 << number));
            let one = Expr::Conditional(Box::new(expr.clone()), bit, Box::new(constant(0)));
            bits = if number == 0 { one } else { binary(Binary::BitOr, bits, one) };
        }
        // The last load needs no temporary variable: what it is for is decided in the same step.
        let last = loads.pop_if(|one| one.need.is_none());
        let reset: Vec<Statement> =
            loads.iter().map(|one| Statement::Assign(one.temporary.clone(), constant(0))).collect();
        let end = self.add_loads(at, &loads, &mut Vec::new(), &like);
        let choice = self.new_location(like.span);
        let mut steps = Vec::new();
        let mut target = choice;
        if let Some(last) = &last {
            let Some(found) = self.found(&last.place, like.span) else { return };
            steps.extend(self.cache_system.begin(&self.caches, Access::Load, &found, &self.own));
            bits = put_back(&bits, last);
            self.forget_line(&found, &mut steps);
            target = self.wait(&found, Access::Load, &like, choice);
        }
        steps.push(Statement::Assign(self.guards.clone(), bits));
        steps.extend(reset);
        self.add(end, sequence(Vec::new(), steps, like.span), target, &like, None);
        self.choose(at, choice, &edges, &conditions, &like);
    }

    /// Adds the choices of a location whose guards have been evaluated.
    fn choose(
        &mut self,
        at: LocationId,
        choice: LocationId,
        edges: &[Edge],
        conditions: &[(usize, &Expr)],
        like: &Transition,
    ) {
        let reset = vec![Statement::Assign(self.guards.clone(), constant(0))];
        let mut has_else = false;
        for (number, edge) in edges.iter().enumerate() {
            let transition = self.old.transition(edge.transition).clone();
            let origin = Some(edge.transition);
            let evaluated = conditions.iter().position(|(known, _)| *known == number);
            let guard = match (&transition.statement, evaluated) {
                (_, Some(bit)) => {
                    let bit = constant(1 << bit);
                    Some(Guard::Condition(binary(Binary::BitAnd, load(&self.guards), bit)))
                }
                (Statement::Condition(expr), None) => Some(Guard::Condition(expr.clone())),
                (Statement::Else, None) => {
                    has_else = true;
                    Some(Guard::Else)
                }
                _ => None,
            };
            match guard {
                Some(guard) => {
                    let statement = sequence(vec![guard], reset.clone(), transition.span);
                    self.add(choice, statement, transition.target, &transition, origin);
                }
                None => self.rewrite_edge(choice, *edge, reset.clone()),
            }
        }
        if !has_else {
            // Nothing could be executed: it is tried again.
            self.add(choice, sequence(vec![Guard::Else], reset, like.span), at, like, None);
        }
    }

    /// Rewrites what leads away from a location and needs nothing to be evaluated before it is chosen. Some statements go
    /// with its first step.
    fn rewrite_edge(&mut self, at: LocationId, edge: Edge, before: Vec<Statement>) {
        let transition = self.old.transition(edge.transition).clone();
        let origin = Some(edge.transition);
        match &transition.statement {
            Statement::Assign(place, expr) if self.uses(&transition.statement) => {
                self.rewrite_assignment(at, place, expr, &transition, edge, before);
            }
            statement if self.uses(statement) => {
                self.wrong(
                    "C0008",
                    transition.span,
                    "this statement does more than load or store",
                    "load shared variables into local ones first, and store results from local ones",
                );
            }
            _ if before.is_empty() => {
                self.add_transition(at, transition, origin, edge.escape);
            }
            Statement::Skip | Statement::Assign(..) | Statement::Assert(_) | Statement::Print(..) => {
                let mut steps = before;
                steps.push(transition.statement.clone());
                let statement = sequence(Vec::new(), steps, transition.span);
                self.add(at, statement, transition.target, &transition, origin);
            }
            _ => {
                // What was evaluated is forgotten right after it.
                let after = self.new_location(transition.span);
                let statement = sequence(Vec::new(), before, transition.span);
                self.add(after, statement, transition.target, &transition, None);
                let transition = Transition { target: after, ..transition };
                self.add_transition(at, transition, origin, edge.escape);
            }
        }
    }

    fn rewrite_assignment(
        &mut self,
        at: LocationId,
        place: &Place,
        expr: &Expr,
        like: &Transition,
        edge: Edge,
        mut before: Vec<Statement>,
    ) {
        let ((mut expr, mut place), mut loads) = self.split(|split| {
            let expr = split.expr(expr, None);
            (expr, split.indices(place, None))
        });
        let stores = self.cache_system.memory.is_shared(&place);
        // The last load needs no temporary variable: the assignment is the same step.
        let last = if stores { None } else { loads.pop_if(|one| one.need.is_none()) };
        let reset: Vec<Statement> =
            loads.iter().map(|one| Statement::Assign(one.temporary.clone(), constant(0))).collect();
        let end = self.add_loads(at, &loads, &mut before, like);
        let mut steps = before;
        let mut target = like.target;
        let access = if stores { Access::Store } else { Access::Load };
        let accessed = if stores { Some(place.clone()) } else { last.as_ref().map(|one| one.place.clone()) };
        if let Some(last) = &last {
            (expr, place) = (put_back(&expr, last), put_back_in(&place, last));
        }
        let mut forget = Vec::new();
        if let Some(accessed) = accessed {
            let Some(found) = self.found(&accessed, like.span) else { return };
            steps.extend(self.cache_system.begin(&self.caches, access, &found, &self.own));
            self.forget_line(&found, &mut forget);
            target = self.wait(&found, access, like, target);
        }
        steps.push(Statement::Assign(place, expr));
        steps.extend(forget);
        steps.extend(reset);
        self.add(end, sequence(Vec::new(), steps, like.span), target, like, Some(edge.transition));
    }

    /// Rewrites an atomic sequence that uses shared memory: it is one access.
    fn rewrite_atomic(&mut self, at: LocationId, is_inside: bool) {
        let old = self.old;
        let (locations, transitions) = self.region(at);
        let like = old.transition(transitions[0]).clone();
        let Some((place, stores)) = self.only_place(&transitions) else { return };
        if is_inside {
            self.wrong(
                "C0009",
                like.span,
                "this atomic sequence is entered again, or goes round, and uses shared memory",
                "end the sequence before it goes round",
            );
            return;
        }
        let Some(found) = self.found(&place, like.span) else { return };
        let access = if stores { Access::TestAndSet } else { Access::Load };
        let inner = self.new_location(like.span);
        let mut steps = self.cache_system.begin(&self.caches, access, &found, &self.own);
        self.forget_line(&found, &mut steps);
        let begin = Transition {
            statement: sequence(Vec::new(), steps, like.span),
            target: inner,
            atomic: true,
            is_glue: true,
            ..like.clone()
        };
        self.add_transition(at, begin, None, 0);
        // The first to use a location inside has it; others get a copy.
        let mut copies: Vec<(LocationId, LocationId)> = vec![(at, inner)];
        for location in locations {
            let number = usize::from(location.0);
            let copy = if self.taken[number] {
                let span = old.location(location).span;
                self.new_location(span)
            } else {
                self.taken[number] = true;
                location
            };
            copies.push((location, copy));
        }
        for (location, copy) in copies.clone() {
            let mut has_else = false;
            for edge in old.location(location).edges.clone() {
                let mut transition = old.transition(edge.transition).clone();
                has_else |= matches!(transition.statement, Statement::Else);
                transition.target = if transition.atomic {
                    let inside = copies.iter().find(|(known, _)| *known == transition.target);
                    inside.map_or(transition.target, |(_, copy)| *copy)
                } else {
                    self.wait(&found, access, &like, transition.target)
                };
                self.add_transition(copy, transition, Some(edge.transition), edge.escape);
            }
            if location == at && !has_else {
                // It could not begin: the access took place all the same, and is tried again.
                let again = self.wait(&found, access, &like, at);
                self.add(copy, Statement::Else, again, &like, None);
            }
        }
    }

    /// Returns the only place in shared memory that some transitions use, and whether they store there.
    fn only_place(&mut self, transitions: &[TransitionId]) -> Option<(Place, bool)> {
        let old = self.old;
        let mut places: Vec<(Place, Span)> = Vec::new();
        let (mut stores, mut written) = (false, Vec::new());
        for id in transitions {
            let transition = old.transition(*id);
            touches(&transition.statement, &mut |place, is_store| {
                if self.cache_system.memory.is_shared(place) {
                    stores |= is_store;
                    if !places.iter().any(|(known, _)| bare(known) == bare(place)) {
                        places.push((place.clone(), transition.span));
                    }
                } else if is_store {
                    written.push(place.clone());
                }
            });
        }
        if let [(_, first), (_, second), ..] = &places[..] {
            let title = "this atomic sequence uses more than one place in shared memory";
            let help = "no processor does that at once: protect it by a lock, and end the sequence";
            let diagnostic = Diagnostic::error("C0009", *second, title).also(*first, "this is another place");
            self.diagnostics.push(diagnostic.help(help));
            return None;
        }
        let (place, span) = places.pop()?;
        let mut moves = false;
        for index in &place.indices {
            super::places::reads(&index.value, &mut |read| {
                moves |= written.iter().any(|place| may_meet(place, read));
            });
        }
        if moves {
            let title = "this atomic sequence changes what it takes as an index into shared memory";
            self.wrong("C0009", span, title, "change the index before or after the sequence");
            return None;
        }
        Some((place, stores))
    }
}
