//! Finds instances that a model does not tell apart.
//!
//! Values that number the same things make a class (`typing.rs`). A class becomes a domain, whose numbers may
//! be exchanged, if processes of one kind are numbered by it, or elements of arrays of one length. A number
//! that a statement or a question names is left out of exchanges, unless it is one of several choices that
//! together name all. What remains is checked: the initial state is the same after each exchange, and so are
//! the steps of some states. Whatever does not fit makes the domain smaller, never the answer wrong.

use std::ops::ControlFlow;

use narrows_model::{Evaluator, Expr, Outline, ProctypeId, Scratch, StateSpace, Statement, TransitionId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::base::{Base, Guard};
use super::layout::Layout;
use super::place::Placement;
use super::typing::{Token, Transfer, Typing, range};
use super::unify::Node;

/// What a class numbers: the numbers of the root that may be exchanged.
#[derive(Clone, Debug)]
pub(super) struct Numbers {
    pub(super) root: Node,
    /// The first, as a value of the root.
    pub(super) first: i64,
    pub(super) count: usize,
    /// Which of them something names.
    pub(super) is_named: Vec<bool>,
    /// The kinds of process that it numbers.
    pub(super) proctypes: Vec<usize>,
}

/// The transitions of a kind of process that are alike but for the instance they name.
pub(super) type Alike = Vec<(ProctypeId, TransitionId)>;

/// What was found.
#[derive(Debug)]
pub(super) struct Analysis {
    pub(super) layout: Layout,
    pub(super) alike: Vec<Alike>,
    /// For each domain, what it consists of, in words.
    pub(super) words: Vec<String>,
    /// Whether something could not be exchanged because of the values at the start.
    pub(super) is_uneven: bool,
    /// Whether exchanges leave the state as it is from which all others are reached, so that orbits tell how
    /// many there are.
    pub(super) is_counted: bool,
    /// In which states anything may be exchanged.
    pub(super) guard: Guard,
    /// How many processes there are.
    pub(super) processes: usize,
}

/// Says of a transition what else is said about it: of two that are alike, it must be the same.
pub type Label<'l> = &'l dyn Fn(ProctypeId, TransitionId) -> String;

/// Looks for instances that may be exchanged; the error says why there are none.
pub(super) fn analyse(
    evaluator: Evaluator<'_>,
    asked: &[&Expr],
    named: &[u8],
    label: Label<'_>,
) -> Result<Analysis, &'static str> {
    let system = evaluator.system();
    if system.tracks_last {
        return Err("the model asks which process moved last");
    }
    if system.hidden_bytes > 0 {
        return Err("the model has hidden variables");
    }
    let Base { state: base, outline, reached, is_initial } = Base::find(evaluator)?;
    let Some(last) = outline.processes.last() else { return Err("there are no processes") };
    if !is_initial && system.has_priorities {
        return Err("processes with priorities are created on the way");
    }
    let is_end = |transition: &TransitionId| {
        system.proctype(last.proctype).transition(*transition).statement == Statement::End
    };
    // Only the youngest process can go.
    if reached[usize::from(last.proctype.0)].0.iter().any(is_end) {
        return Err("processes end");
    }
    let mut typing = Typing::new(system).ok_or("an array is not laid out as arrays are")?;
    let mut pids: Vec<Vec<usize>> = vec![Vec::new(); system.proctypes.len()];
    for (pid, process) in outline.processes.iter().enumerate() {
        pids[usize::from(process.proctype.0)].push(pid);
    }
    for (proctype, pids) in pids.iter().enumerate() {
        match pids[..] {
            [only] => typing.single[proctype] = Some(only),
            [first, .., last] => {
                typing.pid_ranges[proctype] = (first as i64, last as i64);
                let priority =
                    |pid: &usize| system.initial_processes.get(*pid).map(|process| process.priority);
                let is_even = pids.windows(2).all(|two| {
                    two[0] + 1 == two[1] && (!system.has_priorities || priority(&two[0]) == priority(&two[1]))
                });
                typing.nodes.class_mut(typing.pids[proctype]).is_rigid |= !is_even;
            }
            [] => {}
        }
    }
    seed_channels(&mut typing, &base, &outline);
    let mut transitions: FxHashMap<(usize, usize), Vec<Token>> = FxHashMap::default();
    let mut others: Vec<Token> = Vec::new();
    for (number, proctype) in
        system.proctypes.iter().enumerate().filter(|(number, _)| !pids[*number].is_empty())
    {
        for transition in &reached[number].0 {
            let tokens = typing.statement_of(number, &proctype.transition(*transition).statement);
            transitions.insert((number, transition.0 as usize), tokens);
        }
        if let Some(provided) = &proctype.provided {
            others.extend(typing.condition_of(Some(number), provided));
        }
    }
    for expr in asked {
        others.extend(typing.value_of(expr));
    }
    if let Some(why) = typing.refused {
        return Err(why);
    }
    finish_channels(&mut typing, &outline);
    let mut rigid: FxHashSet<Node> = FxHashSet::default();
    let mut is_uneven = false;
    loop {
        let mut numbers = numbers(&typing, &pids, &rigid);
        for pid in named {
            name_process(&typing, &pids, usize::from(*pid), &mut numbers);
        }
        for token in &others {
            name_constant(&typing, token, &mut numbers);
        }
        let alike = Choices { typing: &typing, transitions: &transitions, reached: &reached, label }
            .name(&mut numbers);
        numbers.retain(|one| one.is_named.iter().filter(|named| !**named).count() > 1);
        if numbers.is_empty() {
            return Err(if is_uneven {
                "instances differ at the start"
            } else {
                "there are no instances that it does not tell apart"
            });
        }
        let placed = Placement::new(&typing, &numbers, &evaluator, &base, &outline).place();
        let layout = match placed {
            Ok(layout) => layout,
            Err(root) => {
                is_uneven = true;
                rigid.insert(root);
                continue;
            }
        };
        // Where processes are created, what they are given may number them: then they are exchanged with
        // that.
        if let Some(domain) = uneven(&layout, &base, !is_initial) {
            is_uneven = true;
            rigid.insert(numbers[domain].root);
            continue;
        }
        if !steps_agree(evaluator, &layout, &base) {
            return Err("steps of exchanged instances differ");
        }
        let words = numbers.iter().map(|one| words(&typing, one)).collect();
        let is_counted = uneven(&layout, &base, false).is_none();
        let count = outline.processes.len();
        let guard = Guard::new(system, &outline, &reached, base.len());
        return Ok(Analysis { layout, alike, words, is_uneven, is_counted, guard, processes: count });
    }
}

/// Says which channels are meant by variables at the start, and what their messages are.
fn seed_channels(typing: &mut Typing<'_>, base: &[u8], outline: &Outline) {
    let mut fields: Vec<Vec<Node>> = Vec::new();
    for channel in &outline.channels {
        let count = typing.system.channel_kinds[channel.kind].fields.len();
        fields.push((0..count).map(|_| typing.nodes.add()).collect());
    }
    for (content, at) in super::place::channel_places(typing, outline) {
        typing.nodes.class_mut(content).is_channel = true;
        let value = usize::from(base[at]);
        if value == 0 || value > outline.channels.len() {
            continue;
        }
        let own = typing.nodes.fields(content, fields[value - 1].len());
        for (one, other) in own.into_iter().zip(fields[value - 1].clone()) {
            typing.nodes.unite(one, other, 0);
        }
        typing.nodes.class_mut(content).channels.push(value - 1);
    }
}

/// Looks at what depends on which channels there are in a class.
fn finish_channels(typing: &mut Typing<'_>, outline: &Outline) {
    let kinds = &typing.system.channel_kinds;
    for transfer in typing.transfers.clone() {
        let (Transfer::Sent { channel, field, .. } | Transfer::Stored { channel, field, .. }) = transfer;
        let class = typing.nodes.class(channel);
        let Some(node) = class.fields.get(field).copied() else { continue };
        let fits = class.channels.iter().all(|channel| {
            let fields = &kinds[outline.channels[*channel].kind].fields;
            let Some(scalar) = fields.get(field) else { return false };
            let (least, most) = range(*scalar);
            match transfer {
                Transfer::Sent { low, high, .. } => low >= least && high <= most,
                Transfer::Stored { scalar, .. } => {
                    let (low, high) = range(scalar);
                    least >= low && most <= high
                }
            }
        });
        typing.nodes.class_mut(node).is_rigid |= !fits;
    }
    for node in 0..typing.nodes.len() {
        let class = typing.nodes.class(node).clone();
        for field in class.fields.iter().filter(|_| class.is_sorted) {
            typing.nodes.class_mut(*field).is_rigid = true;
        }
    }
    for node in typing.shifted.clone() {
        let class = typing.nodes.class_mut(node);
        class.is_rigid |= class.is_channel;
    }
    for constant in typing.constants.clone() {
        if let Some(node) = constant.node.filter(|_| constant.value != 0) {
            let class = typing.nodes.class_mut(node);
            class.is_rigid |= class.is_channel;
        }
    }
}

/// Finds the classes that number instances.
fn numbers(typing: &Typing<'_>, pids: &[Vec<usize>], rigid: &FxHashSet<Node>) -> Vec<Numbers> {
    let usable = |node: Node| {
        let (root, more) = typing.nodes.find(node);
        let class = typing.nodes.class(node);
        (!class.is_rigid && !class.is_channel && !rigid.contains(&root)).then_some((root, more))
    };
    let mut found: Vec<Numbers> = Vec::new();
    let mut broken: FxHashSet<Node> = FxHashSet::default();
    let mut add = |root: Node, first: i64, count: usize, proctype: Option<usize>| {
        match found.iter_mut().find(|one| one.root == root) {
            Some(one) if one.first == first && one.count == count => one.proctypes.extend(proctype),
            // An array may be longer than the processes that it has something about.
            Some(one) if proctype.is_none() && !one.proctypes.is_empty() => {
                let last = one.first + one.count as i64;
                if first > one.first || first + (count as i64) < last {
                    broken.insert(root);
                }
            }
            Some(_) => {
                broken.insert(root);
            }
            None if count > 1 => {
                let is_named = vec![false; count];
                found.push(Numbers {
                    root,
                    first,
                    count,
                    is_named,
                    proctypes: proctype.into_iter().collect(),
                });
            }
            None => {
                broken.insert(root);
            }
        }
    };
    for (proctype, pids) in pids.iter().enumerate().filter(|(_, pids)| pids.len() > 1) {
        if let Some((root, more)) = usable(typing.pids[proctype]) {
            add(root, pids[0] as i64 - more, pids.len(), Some(proctype));
        }
    }
    for dimension in typing.variables.list.iter().flat_map(|variable| &variable.dimensions) {
        if let Some((root, more)) = usable(dimension.node) {
            add(root, -more, dimension.length as usize, None);
        }
    }
    for variable in &typing.variables.list {
        if let Some((root, more)) = usable(variable.content) {
            let (least, most) = range(variable.scalar);
            let fits = |one: &Numbers| {
                let first = one.first + more;
                first >= least && first + one.count as i64 - 1 <= most
            };
            if found.iter().any(|one| one.root == root && !fits(one)) {
                broken.insert(root);
            }
        }
    }
    found.retain(|one| !broken.contains(&one.root));
    found
}

/// Returns which number of a class a constant is, if it is one.
fn number_of(typing: &Typing<'_>, constant: usize, numbers: &[Numbers]) -> Option<(usize, usize)> {
    let constant = typing.constants[constant];
    let (root, more) = typing.nodes.find(constant.node?);
    let domain = numbers.iter().position(|one| one.root == root)?;
    let number = usize::try_from(constant.value - more - numbers[domain].first).ok()?;
    (number < numbers[domain].count).then_some((domain, number))
}

fn name_constant(typing: &Typing<'_>, token: &Token, numbers: &mut [Numbers]) {
    if let Token::Constant(constant) = token
        && let Some((domain, number)) = number_of(typing, *constant, numbers)
    {
        numbers[domain].is_named[number] = true;
    }
}

fn name_process(typing: &Typing<'_>, pids: &[Vec<usize>], pid: usize, numbers: &mut [Numbers]) {
    let Some(proctype) = pids.iter().position(|pids| pids.contains(&pid)) else { return };
    let (root, more) = typing.nodes.find(typing.pids[proctype]);
    if let Some(one) = numbers.iter_mut().find(|one| one.root == root)
        && let Ok(number) = usize::try_from(pid as i64 - more - one.first)
        && let Some(named) = one.is_named.get_mut(number)
    {
        *named = true;
    }
}

/// Choices at one location, some of which are alike.
struct Choices<'a, 's> {
    typing: &'a Typing<'s>,
    transitions: &'a FxHashMap<(usize, usize), Vec<Token>>,
    /// The transitions and the locations that each kind of process can come to.
    reached: &'a [(Vec<TransitionId>, Vec<bool>)],
    label: Label<'a>,
}

/// A statement in which the instance that it names is left open.
#[derive(PartialEq, Eq)]
enum Open {
    Word(u64),
    Value(i64),
    Instance,
}

impl Choices<'_, '_> {
    /// Marks all numbers that statements name, but for choices that together name all that are left; returns
    /// the transitions that are alike.
    fn name(&self, numbers: &mut [Numbers]) -> Vec<Alike> {
        loop {
            let mut alike = Vec::new();
            let mut has_changed = false;
            for (proctype, kind) in self.typing.system.proctypes.iter().enumerate() {
                let locations = kind.locations.iter().zip(&self.reached[proctype].1);
                for (location, _) in locations.filter(|(_, is_reached)| **is_reached) {
                    has_changed |= self.at(proctype, location, numbers, &mut alike);
                }
            }
            if !has_changed {
                return alike;
            }
        }
    }

    fn at(
        &self,
        proctype: usize,
        location: &narrows_model::Location,
        numbers: &mut [Numbers],
        alike: &mut Vec<Alike>,
    ) -> bool {
        type Group =
            (usize, Vec<Open>, (narrows_model::LocationId, bool, u16, String), Vec<(usize, TransitionId)>);
        let mut groups: Vec<Group> = Vec::new();
        let mut has_changed = false;
        for edge in &location.edges {
            let Some(tokens) = self.transitions.get(&(proctype, edge.transition.0 as usize)) else {
                continue;
            };
            let named = |token: &Token, numbers: &[Numbers]| match token {
                Token::Constant(constant) => number_of(self.typing, *constant, numbers)
                    .filter(|(domain, number)| !numbers[*domain].is_named[*number]),
                Token::Word(_) => None,
            };
            let mut all: Vec<(usize, usize)> =
                tokens.iter().filter_map(|token| named(token, numbers)).collect();
            all.sort_unstable();
            all.dedup();
            let [(domain, number)] = all[..] else {
                for (domain, number) in all {
                    numbers[domain].is_named[number] = true;
                    has_changed = true;
                }
                continue;
            };
            let open = tokens
                .iter()
                .map(|token| match token {
                    Token::Word(word) => Open::Word(*word),
                    Token::Constant(_) if named(token, numbers).is_some() => Open::Instance,
                    Token::Constant(constant) => Open::Value(self.typing.constants[*constant].value),
                })
                .collect();
            let kind = &self.typing.system.proctypes[proctype];
            let transition = kind.transition(edge.transition);
            let label = (self.label)(ProctypeId(proctype as u16), edge.transition);
            let rest = (transition.target, transition.atomic, edge.escape, label);
            let own = (number, edge.transition);
            match groups
                .iter_mut()
                .find(|(other, text, others, _)| (*other, text, others) == (domain, &open, &rest))
            {
                Some((.., list)) => list.push(own),
                None => groups.push((domain, open, rest, vec![own])),
            }
        }
        for (domain, _, _, list) in groups {
            let times = |number: usize| list.iter().filter(|(known, _)| *known == number).count();
            let free = (0..numbers[domain].count).filter(|number| !numbers[domain].is_named[*number]);
            let mut counts: Vec<usize> = free.map(times).collect();
            counts.dedup();
            if counts.len() == 1 {
                alike.push(
                    list.iter().map(|(_, transition)| (ProctypeId(proctype as u16), *transition)).collect(),
                );
                continue;
            }
            for (number, _) in list {
                has_changed |= !numbers[domain].is_named[number];
                numbers[domain].is_named[number] = true;
            }
        }
        has_changed
    }
}

/// Returns the first domain whose instances can't be exchanged at the start; perhaps whatever names they have
/// there.
fn uneven(layout: &Layout, base: &[u8], whatever_names: bool) -> Option<usize> {
    let mut base = base.to_vec();
    let mut output = Vec::new();
    let unnamed = |state: &mut [u8]| {
        for (at, width) in layout.names() {
            state[at..at + width].fill(0);
        }
    };
    let original = base.clone();
    if whatever_names {
        unnamed(&mut base);
    }
    (0..layout.domains.len()).find(|domain| {
        layout.swaps(*domain).any(|labels| {
            layout.apply(&labels, &original, &mut output);
            if whatever_names {
                unnamed(&mut output);
            }
            output != base
        })
    })
}

/// So many states are looked at, to be sure.
const LOOKED_AT: usize = 48;

/// Returns whether the steps of some states are the same after exchanges.
fn steps_agree(evaluator: Evaluator<'_>, layout: &Layout, base: &[u8]) -> bool {
    let mut scratch = Scratch::default();
    let mut successors = |state: &[u8]| {
        let mut list: Vec<(Option<Vec<u8>>, usize)> = Vec::new();
        let end = evaluator.successors(state, &mut scratch, &mut |successor| {
            list.push((successor.target.map(<[u8]>::to_vec), successor.violations.len()));
            if list.len() < 1 << 12 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        (list, end)
    };
    let swaps: Vec<Vec<usize>> = (0..layout.domains.len()).flat_map(|domain| layout.swaps(domain)).collect();
    let mut seen: FxHashSet<Vec<u8>> = FxHashSet::default();
    let mut states = vec![base.to_vec()];
    let (mut next, mut moved) = (0, Vec::new());
    while let Some(state) = states.get(next).cloned() {
        next += 1;
        let (mut plain, end) = successors(&state);
        for target in plain.iter().filter_map(|(target, _)| target.clone()) {
            if states.len() < LOOKED_AT && seen.insert(target.clone()) {
                states.push(target);
            }
        }
        let swap = &swaps[next % swaps.len()];
        layout.apply(swap, &state, &mut moved);
        let (mut others, other_end) = successors(&moved);
        for (target, _) in &mut plain {
            if let Some(target) = target {
                let mut moved = Vec::new();
                layout.apply(swap, target, &mut moved);
                *target = moved;
            }
        }
        plain.sort_unstable();
        others.sort_unstable();
        if plain != others || end != other_end {
            return false;
        }
    }
    true
}

/// Says what a domain consists of.
fn words(typing: &Typing<'_>, one: &Numbers) -> String {
    let free = one.is_named.iter().filter(|named| !**named).count();
    let names: Vec<&str> =
        one.proctypes.iter().map(|proctype| typing.system.proctypes[*proctype].name.as_str()).collect();
    let names = if names.is_empty() { "elements of arrays".to_owned() } else { names.join(" with ") };
    let of = if free < one.count { format!(" of {}", one.count) } else { String::new() };
    format!("{free}{of} × {names}")
}
