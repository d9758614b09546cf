//! The steps of a state.
//!
//! A state is a tree, written from the root: where processes run side by side there is a point and then both sides, and
//! the leaves are points where a single process stands, with the values of its variables. What a leaf can do is found
//! once and remembered; the inner points put the steps of their sides together. A step is a list of ranges of bytes and
//! what takes their place.

use std::hash::{BuildHasher, BuildHasherDefault};
use std::ops::Range;

use rustc_hash::{FxHashMap, FxHasher};

use super::data::SortId;
use super::memory::{Act, By, Combined, Given, Memory, Part, Start, Table, Then};
use super::points::{Behaviour, GateId, GateSet, Jump, Offer, PointId, PointKind};
use super::rewrite::{Computed, Fault};
use super::values::{Value, read_number, skip, write_number};
use crate::ViolationKind;

/// Points that lead to each other without a step are followed this far.
const DEEPEST: u32 = 2000;
/// More combinations of values than this are not tried for one step.
const MOST: usize = 1 << 20;

impl Behaviour {
    /// Writes where control is after it went to a point.
    pub(super) fn settle(
        &self,
        point: PointId,
        variables: &[Value],
        memory: &mut Memory,
        state: &mut Vec<u8>,
        depth: u32,
    ) -> Computed<()> {
        let here = self.point(point);
        if depth > DEEPEST {
            let about = String::new();
            return Err(Box::new(Fault { kind: ViolationKind::EndlessRecursion, span: here.span, about }));
        }
        let go = |jump: &Jump, values: &[Value], memory: &mut Memory, state: &mut Vec<u8>| {
            let passed: Vec<Value> = jump.sources.iter().map(|source| values[usize::from(*source)]).collect();
            self.settle(jump.point, &passed, memory, state, depth + 1)
        };
        match &here.kind {
            PointKind::Guard(condition, next) => {
                if self.data.holds(condition, variables, memory)? {
                    return go(next, variables, memory, state);
                }
                write_number(Behaviour::STOP.0, state);
                Ok(())
            }
            PointKind::Let(terms, next) => {
                let mut values = variables.to_vec();
                for term in terms {
                    values.push(self.data.evaluate(term, variables, memory)?);
                }
                go(next, &values, memory, state)
            }
            PointKind::Parallel { left, right, .. } | PointKind::Disable(left, right) => {
                write_number(point.0, state);
                go(left, variables, memory, state)?;
                go(right, variables, memory, state)
            }
            PointKind::Hide(_, body) => {
                write_number(point.0, state);
                go(body, variables, memory, state)
            }
            PointKind::Enable { left, kept, .. } => {
                write_number(point.0, state);
                for kept in kept {
                    let place = usize::from(*kept);
                    memory.values.encode(&self.data, here.variables[place], variables[place], state);
                }
                go(left, variables, memory, state)
            }
            _ => {
                write_number(point.0, state);
                for (sort, value) in here.variables.iter().zip(variables) {
                    memory.values.encode(&self.data, *sort, *value, state);
                }
                Ok(())
            }
        }
    }

    /// Follows a jump to a state of its own.
    fn settle_alone(&self, jump: &Jump, values: &[Value], memory: &mut Memory) -> Computed<Box<[u8]>> {
        let passed: Vec<Value> = jump.sources.iter().map(|source| values[usize::from(*source)]).collect();
        let mut state = Vec::new();
        self.settle(jump.point, &passed, memory, &mut state, 0)?;
        Ok(state.into_boxed_slice())
    }

    /// Adds the steps of the part of a state that begins at a byte; returns where the part ends. The steps are the last
    /// ones of the table, from the number that is returned on.
    pub(super) fn combine(
        &self,
        state: &[u8],
        start: usize,
        table: &mut Table,
        memory: &mut Memory,
        wanted: Option<&Wanted<'_>>,
    ) -> Computed<(usize, usize)> {
        let mut rest = &state[start..];
        let point = PointId(read_number(&mut rest));
        let inner = state.len() - rest.len();
        let here = self.point(point);
        match &here.kind {
            PointKind::Parallel { gates, .. } => {
                let (middle, first) = self.combine(state, inner, table, memory, wanted)?;
                let left = first..table.steps.len();
                // Of what the right side could do at common gates, only what goes with the left side matters.
                let also = Wanted { gates, steps: left.clone(), outer: wanted };
                let (end, right) = self.combine(state, middle, table, memory, Some(&also))?;
                Ok((end, meet(gates, left, right, table)))
            }
            PointKind::Hide(gates, _) => {
                // In a process within itself, a gate inside may have the number of another one outside.
                let wanted = wanted.filter(|wanted| !wanted.is_about(gates));
                let (end, first) = self.combine(state, inner, table, memory, wanted)?;
                let last = table.steps.len();
                for index in first..last {
                    let step = table.steps[index];
                    if !gates.contains(step.gate) {
                        table.steps.push(step);
                        continue;
                    }
                    self.decide(step, table, memory, |table, values| {
                        let offers = match values {
                            None => step.offers,
                            Some(values) => table.add_offers(values.iter().copied()),
                        };
                        table.steps.push(Combined { gate: GateId::INTERNAL, offers, ..step });
                        Ok(())
                    })?;
                }
                Ok((end, last))
            }
            PointKind::Enable { kept, right, .. } => {
                let mut values = Vec::with_capacity(kept.len() + 2);
                for kept in kept {
                    let sort = here.variables[usize::from(*kept)];
                    values.push(memory.values.decode(&self.data, sort, &mut rest));
                }
                let inner = state.len() - rest.len();
                let (end, first) = self.combine(state, inner, table, memory, wanted)?;
                let last = table.steps.len();
                for index in first..last {
                    let step = table.steps[index];
                    if step.gate != GateId::EXIT {
                        table.steps.push(step);
                        continue;
                    }
                    let mut ways: Vec<Vec<Given>> = Vec::new();
                    self.decide(step, table, memory, |table, values| {
                        ways.push(values.map_or_else(|| table.offers(step).to_vec(), <[Given]>::to_vec));
                        Ok(())
                    })?;
                    for way in ways {
                        let mut all = values.clone();
                        all.extend(way.iter().filter_map(|given| given.1));
                        let bytes = self.settle_alone(right, &all, memory)?;
                        let from = table.parts.len() as u32;
                        table.parts.push(Part { start: start as u32, end: end as u32, by: By::Bytes(bytes) });
                        table.steps.push(Combined {
                            gate: GateId::INTERNAL,
                            offers: (0, 0),
                            parts: (from, from + 1),
                        });
                    }
                }
                Ok((end, last))
            }
            PointKind::Disable(..) => {
                let (middle, left) = self.combine(state, inner, table, memory, wanted)?;
                let left = left..table.steps.len();
                let (end, right) = self.combine(state, middle, table, memory, wanted)?;
                let last = table.steps.len();
                let part =
                    |from: usize, to: usize| Part { start: from as u32, end: to as u32, by: By::Nothing };
                let before = table.parts.len() as u32;
                table.parts.extend([part(start, inner), part(middle, end), part(start, middle)]);
                for index in left.chain(right..last) {
                    let step = table.steps[index];
                    let parts = if index >= right {
                        table.join_parts(&[(before + 2, before + 3), step.parts])
                    } else if step.gate == GateId::EXIT {
                        table.join_parts(&[(before, before + 1), step.parts, (before + 1, before + 2)])
                    } else {
                        step.parts
                    };
                    table.steps.push(Combined { parts, ..step });
                }
                Ok((end, last))
            }
            _ => {
                for sort in &here.variables {
                    skip(&self.data, *sort, &mut rest);
                }
                let end = state.len() - rest.len();
                let first = table.steps.len();
                let leaf = self.leaf(&state[start..end], memory)?;
                for index in &*memory.leaves[leaf as usize] {
                    let act = &memory.acts[*index as usize];
                    if wanted.is_some_and(|wanted| !wanted.fits(act.gate, &act.offers, table)) {
                        continue;
                    }
                    let offers = table.add_offers(act.offers.iter().copied());
                    let from = table.parts.len() as u32;
                    table.parts.push(Part { start: start as u32, end: end as u32, by: By::Act(*index) });
                    table.steps.push(Combined { gate: act.gate, offers, parts: (from, from + 1) });
                }
                Ok((end, first))
            }
        }
    }

    /// Gives the open values of a step all values they can have; `None` if there are none.
    fn decide(
        &self,
        step: Combined,
        table: &mut Table,
        memory: &mut Memory,
        mut visit: impl FnMut(&mut Table, Option<&[Given]>) -> Computed<()>,
    ) -> Computed<()> {
        if table.offers(step).iter().all(|(_, value)| value.is_some()) {
            return visit(table, None);
        }
        let offers = table.offers(step).to_vec();
        let mut choices: Vec<Vec<Value>> = Vec::new();
        let mut count = 1_usize;
        for (sort, value) in &offers {
            let values = match value {
                Some(value) => vec![*value],
                None => match memory.values.all(&self.data, *sort) {
                    Some(values) => values.to_vec(),
                    None => return Err(Box::new(self.endless(step, *sort, table, memory))),
                },
            };
            count = count.saturating_mul(values.len());
            if count > MOST {
                return Err(Box::new(self.endless(step, *sort, table, memory)));
            }
            choices.push(values);
        }
        for number in 0..count {
            let mut rest = number;
            let mut values = offers.clone();
            // The last value changes first.
            for (given, choice) in values.iter_mut().zip(&choices).rev() {
                given.1 = Some(choice[rest % choice.len()]);
                rest /= choice.len();
            }
            visit(table, Some(&values))?;
        }
        Ok(())
    }

    fn endless(&self, step: Combined, sort: SortId, table: &Table, memory: &Memory) -> Fault {
        let place = table.parts(step).iter().find_map(|part| match part.by {
            By::Act(act) => Some(memory.acts[act as usize].span),
            _ => None,
        });
        let about = self.data.sort(sort).name.clone();
        Fault { kind: ViolationKind::EndlessSort, span: place.unwrap_or_default(), about }
    }

    /// Returns the number of a leaf.
    fn leaf(&self, bytes: &[u8], memory: &mut Memory) -> Computed<u32> {
        if let Some(number) = memory.known.get(bytes) {
            return Ok(*number);
        }
        let acts = self.acts(bytes, memory, 0)?;
        let number = memory.leaves.len() as u32;
        memory.leaves.push(acts.into_boxed_slice());
        memory.known.insert(Box::from(bytes), number);
        Ok(number)
    }

    /// Finds what a leaf can do.
    fn acts(&self, bytes: &[u8], memory: &mut Memory, depth: u32) -> Computed<Vec<u32>> {
        let mut rest = bytes;
        let point = PointId(read_number(&mut rest));
        let here = self.point(point);
        if depth > DEEPEST {
            let about = String::new();
            return Err(Box::new(Fault { kind: ViolationKind::EndlessRecursion, span: here.span, about }));
        }
        let is_leaf = !matches!(
            here.kind,
            PointKind::Parallel { .. }
                | PointKind::Hide(..)
                | PointKind::Enable { .. }
                | PointKind::Disable(..)
        );
        if !is_leaf {
            return self.acts_within(bytes, memory);
        }
        let variables: Vec<Value> =
            here.variables.iter().map(|sort| memory.values.decode(&self.data, *sort, &mut rest)).collect();
        match &here.kind {
            PointKind::Exit(offers) => {
                let offers = self.given(offers, &variables, memory)?;
                let mut done = Vec::new();
                write_number(Behaviour::DONE.0, &mut done);
                let then = Then::To(done.into_boxed_slice());
                Ok(vec![memory.act(Act { gate: GateId::EXIT, offers, then, span: here.span })])
            }
            PointKind::Prefix { gate, offers, predicate, next } => {
                let offers = self.given(offers, &variables, memory)?;
                let is_open = offers.iter().any(|(_, value)| value.is_none());
                let then = if is_open {
                    Then::Bound(Start::Prefix(point, variables.into_boxed_slice()), FxHashMap::default())
                } else {
                    if let Some(predicate) = predicate
                        && !self.data.holds(predicate, &variables, memory)?
                    {
                        return Ok(Vec::new());
                    }
                    Then::To(self.settle_alone(next, &variables, memory)?)
                };
                Ok(vec![memory.act(Act { gate: *gate, offers, then, span: here.span })])
            }
            PointKind::Choice(branches) => {
                let mut all = Vec::new();
                for branch in branches {
                    let state = self.settle_alone(branch, &variables, memory)?;
                    all.extend(self.acts(&state, memory, depth + 1)?);
                }
                Ok(all)
            }
            PointKind::Over(sorts, next) => {
                let offers: Vec<Given> = sorts.iter().map(|sort| (*sort, None)).collect();
                let mut table = Table::default();
                let offers = table.add_offers(offers);
                let step = Combined { gate: GateId::INTERNAL, offers, parts: (0, 0) };
                let mut ways: Vec<Vec<Value>> = Vec::new();
                let listed = self.decide(step, &mut table, memory, |_, values| {
                    ways.push(values.unwrap_or_default().iter().filter_map(|given| given.1).collect());
                    Ok(())
                });
                listed.map_err(|fault| Box::new(Fault { span: here.span, ..*fault }))?;
                let mut all = Vec::new();
                for way in ways {
                    let values = [variables.as_slice(), &way].concat();
                    let state = self.settle_alone(next, &values, memory)?;
                    all.extend(self.acts(&state, memory, depth + 1)?);
                }
                Ok(all)
            }
            _ => Ok(Vec::new()),
        }
    }

    /// Finds what several processes can do that are an alternative to something else.
    fn acts_within(&self, bytes: &[u8], memory: &mut Memory) -> Computed<Vec<u32>> {
        let mut table = Table::default();
        let (_, first) = self.combine(bytes, 0, &mut table, memory, None)?;
        let mut all = Vec::new();
        for index in first..table.steps.len() {
            let step = table.steps[index];
            let offers: Box<[Given]> = table.offers(step).into();
            let parts: Box<[Part]> = table.parts(step).into();
            let span = self.span_of(&parts, memory);
            let start = Start::Within(bytes.into(), parts);
            let then = if offers.iter().any(|(_, value)| value.is_none()) {
                Then::Bound(start, FxHashMap::default())
            } else {
                match self.start(&start, &offers, memory)? {
                    Some(target) => Then::To(target),
                    None => continue,
                }
            };
            // What is internal now shows no values any more.
            let offers = if step.gate == GateId::INTERNAL { Box::default() } else { offers };
            all.push(memory.act(Act { gate: step.gate, offers, then, span }));
        }
        Ok(all)
    }

    fn span_of(&self, parts: &[Part], memory: &Memory) -> narrows_source::Span {
        let span = parts.iter().find_map(|part| match part.by {
            By::Act(act) => Some(memory.acts[act as usize].span),
            _ => None,
        });
        span.unwrap_or(self.point(self.initial).span)
    }

    /// Computes the values of an action.
    fn given(&self, offers: &[Offer], variables: &[Value], memory: &mut Memory) -> Computed<Box<[Given]>> {
        let mut all = Vec::with_capacity(offers.len());
        for offer in offers {
            all.push(match offer {
                Offer::Value(term, sort) => (*sort, Some(self.data.evaluate(term, variables, memory)?)),
                Offer::Any(sort) => (*sort, None),
            });
        }
        Ok(all.into_boxed_slice())
    }

    /// Follows an act whose values are decided; `None` if they are not what it asks for.
    fn start(&self, start: &Start, offers: &[Given], memory: &mut Memory) -> Computed<Option<Box<[u8]>>> {
        match start {
            Start::Within(bytes, parts) => {
                let mut state = Vec::new();
                Ok(self.replace(bytes, parts, offers, memory, &mut state)?.then(|| state.into_boxed_slice()))
            }
            Start::Prefix(point, variables) => {
                let PointKind::Prefix { offers: own, predicate, next, .. } = &self.point(*point).kind else {
                    return Ok(None);
                };
                let mut values = variables.to_vec();
                for (own, given) in own.iter().zip(offers) {
                    if let (Offer::Any(_), Some(value)) = (own, given.1) {
                        values.push(value);
                    }
                }
                if let Some(predicate) = predicate
                    && !self.data.holds(predicate, &values, memory)?
                {
                    return Ok(None);
                }
                Ok(Some(self.settle_alone(next, &values, memory)?))
            }
        }
    }

    /// Writes the state that a step leads to; returns false if the values are not what somebody asks for.
    pub(super) fn replace(
        &self,
        state: &[u8],
        parts: &[Part],
        offers: &[Given],
        memory: &mut Memory,
        target: &mut Vec<u8>,
    ) -> Computed<bool> {
        let mut done = 0;
        for part in parts {
            target.extend_from_slice(&state[done..part.start as usize]);
            done = part.end as usize;
            match &part.by {
                By::Nothing => {}
                By::Bytes(bytes) => target.extend_from_slice(bytes),
                By::Act(act) => {
                    if !self.follow(*act, offers, memory, target)? {
                        return Ok(false);
                    }
                }
            }
        }
        target.extend_from_slice(&state[done..]);
        Ok(true)
    }

    fn follow(
        &self,
        act: u32,
        offers: &[Given],
        memory: &mut Memory,
        target: &mut Vec<u8>,
    ) -> Computed<bool> {
        let (start, key) = match &memory.acts[act as usize].then {
            Then::To(bytes) => {
                target.extend_from_slice(bytes);
                return Ok(true);
            }
            Then::Bound(start, known) => {
                let key: Box<[Value]> = offers.iter().filter_map(|given| given.1).collect();
                if let Some(found) = known.get(&key) {
                    target.extend_from_slice(found.as_deref().unwrap_or_default());
                    return Ok(found.is_some());
                }
                (start.clone(), key)
            }
        };
        let found = self.start(&start, offers, memory)?;
        target.extend_from_slice(found.as_deref().unwrap_or_default());
        let is_possible = found.is_some();
        if let Then::Bound(_, known) = &mut memory.acts[act as usize].then {
            known.insert(key, found);
        }
        Ok(is_possible)
    }

    /// Finds all successors of a state: labels and targets, each once.
    pub(super) fn expand(&self, state: &[u8], memory: &mut Memory) -> Computed<()> {
        let (mut table, mut found) = (std::mem::take(&mut memory.table), std::mem::take(&mut memory.found));
        table.clear();
        found.bytes.clear();
        found.ends.clear();
        found.seen.clear();
        let result = self.find(state, &mut table, memory, &mut found);
        memory.table = table;
        memory.found = found;
        result
    }

    fn find(
        &self,
        state: &[u8],
        table: &mut Table,
        memory: &mut Memory,
        found: &mut super::memory::Found,
    ) -> Computed<()> {
        let (_, first) = self.combine(state, 0, table, memory, None)?;
        let last = table.steps.len();
        let mut decided: Vec<Vec<Given>> = Vec::new();
        for index in first..last {
            let step = table.steps[index];
            if table.offers(step).iter().all(|(_, value)| value.is_some()) {
                self.finish(state, step, table.offers(step), table.parts(step), memory, found)?;
                continue;
            }
            decided.clear();
            self.decide(step, table, memory, |_, values| {
                decided.push(values.unwrap_or_default().to_vec());
                Ok(())
            })?;
            for values in &decided {
                self.finish(state, step, values, table.parts(step), memory, found)?;
            }
        }
        Ok(())
    }

    fn finish(
        &self,
        state: &[u8],
        step: Combined,
        values: &[Given],
        parts: &[Part],
        memory: &mut Memory,
        found: &mut super::memory::Found,
    ) -> Computed<()> {
        let start = found.bytes.len();
        write_number(u32::from(step.gate.0), &mut found.bytes);
        if step.gate != GateId::INTERNAL {
            for (sort, value) in values {
                write_number(u32::from(sort.0), &mut found.bytes);
                memory.values.encode(&self.data, *sort, value.unwrap_or_default(), &mut found.bytes);
            }
        }
        let middle = found.bytes.len();
        if step.gate == GateId::EXIT {
            write_number(Behaviour::DONE.0, &mut found.bytes);
        } else if !self.replace(state, parts, values, memory, &mut found.bytes)? {
            found.bytes.truncate(start);
            return Ok(());
        }
        // The same step is found twice if two processes can do the same: in most states nothing is, so look by hash first.
        let hash = BuildHasherDefault::<FxHasher>::default().hash_one(&found.bytes[start..]);
        let end = found.bytes.len();
        if !found.seen.insert(hash) {
            let same = |(from, _, to): &(u32, u32, u32)| {
                found.bytes[*from as usize..*to as usize] == found.bytes[start..end]
            };
            if found.ends.iter().any(same) {
                found.bytes.truncate(start);
                return Ok(());
            }
        }
        found.ends.push((start as u32, middle as u32, end as u32));
        Ok(())
    }

    /// Visits the leaves of a state: their points, and the bytes of their variables.
    pub(super) fn walk(&self, state: &[u8], leaves: &mut dyn FnMut(PointId, Range<usize>)) {
        let mut rest = state;
        while !rest.is_empty() {
            let point = PointId(read_number(&mut rest));
            let here = self.point(point);
            match &here.kind {
                PointKind::Parallel { .. } | PointKind::Hide(..) | PointKind::Disable(..) => {}
                PointKind::Enable { kept, .. } => {
                    for kept in kept {
                        skip(&self.data, here.variables[usize::from(*kept)], &mut rest);
                    }
                }
                _ => {
                    let start = state.len() - rest.len();
                    for sort in &here.variables {
                        skip(&self.data, *sort, &mut rest);
                    }
                    leaves(point, start..state.len() - rest.len());
                }
            }
        }
    }
}

impl Memory {
    fn act(&mut self, act: Act) -> u32 {
        self.acts.push(act);
        self.acts.len() as u32 - 1
    }
}

/// What is worth finding: at some gates, only what goes with one of the steps of the other side.
pub(super) struct Wanted<'w> {
    gates: &'w GateSet,
    steps: Range<usize>,
    outer: Option<&'w Wanted<'w>>,
}

impl Wanted<'_> {
    fn fits(&self, gate: GateId, offers: &[Given], table: &Table) -> bool {
        let goes_with = |step: &Combined| step.gate == gate && agree(offers, table.offers(*step));
        if self.gates.contains(gate) && !table.steps[self.steps.clone()].iter().any(goes_with) {
            return false;
        }
        self.outer.is_none_or(|outer| outer.fits(gate, offers, table))
    }

    fn is_about(&self, gates: &GateSet) -> bool {
        self.gates.meets(gates) || self.outer.is_some_and(|outer| outer.is_about(gates))
    }
}

/// Puts the steps of two sides together; those of the right side are the last ones.
fn meet(gates: &GateSet, left: Range<usize>, right: usize, table: &mut Table) -> usize {
    let last = table.steps.len();
    let together = |gate: GateId| gate == GateId::EXIT || gates.contains(gate);
    for index in left.chain(right..last) {
        let step = table.steps[index];
        if !together(step.gate) {
            table.steps.push(step);
            continue;
        }
        if index >= right {
            continue;
        }
        for other in right..last {
            let other = table.steps[other];
            if other.gate != step.gate || !agree(table.offers(step), table.offers(other)) {
                continue;
            }
            let first = table.offers.len() as u32;
            for place in 0..step.offers.1 - step.offers.0 {
                let one = table.offers[(step.offers.0 + place) as usize];
                let two = table.offers[(other.offers.0 + place) as usize];
                table.offers.push((one.0, one.1.or(two.1)));
            }
            let offers = (first, table.offers.len() as u32);
            let parts = table.join_parts(&[step.parts, other.parts]);
            table.steps.push(Combined { gate: step.gate, offers, parts });
        }
    }
    last
}

/// Returns whether two sides agree on values.
fn agree(left: &[Given], right: &[Given]) -> bool {
    let same = |((one, left), (two, right)): (&Given, &Given)| {
        one == two && (left.is_none() || right.is_none() || left == right)
    };
    left.len() == right.len() && left.iter().zip(right).all(same)
}
