//! What is known of a system before it runs: channels that global variables name for ever.

use narrows_model::{Area, ChannelKind, Evaluator, Expr, Place, Scalar, Setup, StateSpace, System};

use crate::native::level::{Layout, Level};

/// A channel that a global variable names for ever. It comes before every process, so its place never
/// changes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fixed {
    pub(super) number: u32,
    pub(super) kind: usize,
    /// Where its component starts.
    pub(super) at: u32,
}

/// What is known of a system.
pub(super) struct Facts {
    /// By the offset of the global variable.
    fixed: Vec<(u32, Fixed)>,
    /// Kinds of channel that differ in name alone, as one: each with a kind that stands for it.
    pub(super) shapes: Vec<usize>,
    /// The shape of each kind.
    pub(super) shape_of: Vec<u8>,
}

impl Facts {
    /// Finds out; `None` if there are too many kinds of channel.
    pub(super) fn of(evaluator: &Evaluator<'_>, layout: &Layout) -> Option<Facts> {
        let system = evaluator.system();
        let mut facts = Facts { fixed: Vec::new(), shapes: Vec::new(), shape_of: Vec::new() };
        for (kind, this) in system.channel_kinds.iter().enumerate() {
            let same = |other: &usize| {
                let ChannelKind { capacity, fields, .. } = &system.channel_kinds[*other];
                *capacity == this.capacity && *fields == this.fields
            };
            let shape = facts.shapes.iter().position(same).unwrap_or_else(|| {
                facts.shapes.push(kind);
                facts.shapes.len() - 1
            });
            facts.shape_of.push(u8::try_from(shape).ok()?);
        }
        facts.find_fixed(evaluator, layout);
        Some(facts)
    }

    fn find_fixed(&mut self, evaluator: &Evaluator<'_>, layout: &Layout) {
        let Ok((state, _)) = evaluator.initial() else { return };
        let system = evaluator.system();
        let mut level = Level::default();
        level.load(layout, &state);
        let mut written = Vec::new();
        for_each_store(system, &mut |place| {
            if place.area == Area::Global {
                let reach: u32 = place.indices.iter().map(|index| index.stride * index.length).sum();
                written.push(place.offset..place.offset + reach + place.scalar.bytes());
            }
        });
        let first_process = level.processes.first().copied().unwrap_or(0);
        for variable in system.globals.iter().filter(|leaf| leaf.scalar == Scalar::Channel) {
            let number = level.bytes[layout.globals + variable.offset as usize];
            let channel = usize::from(number).checked_sub(1).and_then(|index| level.channels.get(index));
            let Some(at) = channel.copied().filter(|at| *at < first_process) else { continue };
            if !written.iter().any(|range| range.contains(&variable.offset)) {
                let kind = usize::from(level.word(at as usize) & 0x7fff);
                self.fixed.push((variable.offset, Fixed { number: u32::from(number), kind, at }));
            }
        }
    }

    /// Returns the channel that an expression names in every state.
    pub(super) fn fixed(&self, channel: &Expr) -> Option<Fixed> {
        let Expr::Load(place) = channel else { return None };
        if place.area != Area::Global || place.scalar != Scalar::Channel {
            return None;
        }
        let mut offset = place.offset;
        for index in &place.indices {
            let value = u32::try_from(index.value.constant()?).ok().filter(|value| *value < index.length)?;
            offset += value * index.stride;
        }
        self.fixed.iter().find(|(variable, _)| *variable == offset).map(|(_, fixed)| *fixed)
    }
}

/// Visits every place that something is stored in once the system runs.
fn for_each_store<'s>(system: &'s System, visit: &mut dyn FnMut(&'s Place)) {
    for proctype in &system.proctypes {
        for step in &proctype.setup {
            let (Setup::Value(place, _) | Setup::Channel(place, _)) = step;
            visit(place);
        }
        proctype.transitions.iter().for_each(|transition| transition.statement.each_store(visit));
    }
}
