//! Makes all keys anew, when components are cramped or it was learned how to make them better.
//!
//! The old set is drained into the new one, partition by partition, and each is given back as soon as it is
//! empty: both sets together are little larger than one. A limit that ends the search leaves behind what
//! belongs to which components, so that all of it can still be saved.

use std::io;

use narrows_model::{Limit, StateSpace};

use super::Search;
use super::block::{Block, STATES, Worker};
use super::team::{Activity, Team};
use crate::store::{Components, KeySet, Memory, Mixer, Outline, Repacking, Stop};

/// What is to be made anew, and for which components.
pub(super) struct Renewal {
    /// The components that keys in the set of the search belong to; `None` if these are the search's own.
    after: Option<Components>,
    /// Where the keys come from that wait to be visited.
    origin: Origin,
    /// How many of these have been made anew.
    waiting: usize,
    /// Sets that are drained, the last first.
    left: Vec<(Origin, KeySet)>,
}

/// What keys are made of.
enum Origin {
    /// The components of the search.
    Own,
    /// Others, which have become too narrow.
    Narrow(Box<Components>),
    /// The new components, when their numbers had other bits.
    Packed(Repacking),
}

impl Renewal {
    fn new(origin: Origin, after: Option<Components>, old: KeySet) -> Renewal {
        let left = match &origin {
            Origin::Packed(repacking) => Origin::Packed(repacking.clone()),
            _ => Origin::Own,
        };
        Renewal { after, origin, waiting: 0, left: vec![(left, old)] }
    }
}

impl Origin {
    fn decode(&self, key: u64, own: &Components, after: &Components, state: &mut Outline) {
        match self {
            Origin::Own => own.decode(key, state),
            Origin::Narrow(components) => components.decode(key, state),
            Origin::Packed(repacking) => after.decode(after.repack(key, repacking), state),
        }
    }

    fn renew<S: StateSpace + ?Sized>(
        &self,
        key: u64,
        worker: &mut Worker<'_>,
        space: &S,
        own: &Components,
        after: &Components,
        memory: &Memory,
    ) -> Result<u64, Stop> {
        match self {
            Origin::Own => worker.renew(key, space, own, after, memory),
            Origin::Narrow(components) => worker.renew(key, space, components, after, memory),
            Origin::Packed(repacking) => Ok(after.repack(key, repacking)),
        }
    }
}

/// So many keys are made anew between two looks at limits.
const LOOK_UP: usize = 1 << 14;

impl<S: StateSpace + ?Sized> Search<'_, S> {
    /// Makes room in components where it has become scarce. `others` are keys in use beside those in the set
    /// and those of the next level.
    pub(super) fn make_room(&mut self, others: Vec<&mut u64>) -> Result<(), Limit> {
        self.workers.iter_mut().for_each(Worker::forget);
        self.remembered.forget();
        self.damaged = true;
        let Some(repacking) = self.components.widen(self.memory)? else {
            self.damaged = false;
            let components = self.components.learned(self.keys.iter(), self.totals.found, self.memory)?;
            return self.renew(components, others);
        };
        if !repacking.changes_keys() {
            self.damaged = false;
            return Ok(());
        }
        let keys = KeySet::for_bits(self.components.bits(), self.memory)?;
        self.damaged = false;
        let old = std::mem::replace(&mut self.keys, keys);
        self.finish(Renewal::new(Origin::Packed(repacking), None, old), others)
    }

    /// Makes all keys anew, of other components.
    pub(super) fn renew(&mut self, components: Components, others: Vec<&mut u64>) -> Result<(), Limit> {
        self.workers.iter_mut().for_each(Worker::forget);
        self.remembered.forget();
        let keys = KeySet::for_bits(components.bits(), self.memory)?;
        let old = std::mem::replace(&mut self.keys, keys);
        self.finish(Renewal::new(Origin::Own, Some(components), old), others)
    }

    fn finish(&mut self, mut renewal: Renewal, others: Vec<&mut u64>) -> Result<(), Limit> {
        self.totals.rebuilds += 1;
        let result = self.drain(&mut renewal).and_then(|()| self.renew_waiting(&mut renewal, others));
        if result.is_err() {
            self.renewal = Some(renewal);
        } else if let Some(after) = renewal.after {
            std::mem::replace(&mut self.components, after).release(self.memory);
        }
        result
    }

    /// Moves all keys into the set of the search.
    fn drain(&mut self, renewal: &mut Renewal) -> Result<(), Limit> {
        let mut since = LOOK_UP;
        while let Some((origin, left)) = renewal.left.last_mut() {
            if since >= LOOK_UP
                && let Some(limit) = self.scope.budget.watch.check(&self.progress())
            {
                return Err(limit);
            }
            since %= LOOK_UP;
            left.free_drained(self.memory);
            let place = left.place();
            let pieces = left.take_pieces(self.next.most() / STATES, STATES);
            let count = pieces.len();
            since += count * STATES;
            if count == 0 {
                if let Some((Origin::Narrow(components), _)) = renewal.left.pop() {
                    components.release(self.memory);
                }
                continue;
            }
            let (mixer, memory) = (self.keys.mixer(), self.memory);
            let (own, space) = (&self.components, self.space);
            let after = renewal.after.as_ref().unwrap_or(own);
            let renew = |worker: &mut Worker<'_>, key| origin.renew(key, worker, space, own, after, memory);
            let provided = Block::provide(count, &mut self.blocks, memory);
            provided.inspect_err(|_| left.go_back(place))?;
            let jobs = self.blocks[..count].iter_mut().zip(pieces).map(|(block, piece)| Job {
                block,
                keys: left.keys_in(piece),
                result: Ok(()),
            });
            match change(self.team, &mut self.workers, jobs.collect(), mixer, memory, &renew) {
                Ok(()) => {
                    self.damaged = true;
                    self.merge(usize::MAX, count, self.workers.len(), Activity::Renew)?;
                    self.damaged = false;
                }
                Err(stop) => {
                    left.go_back(place);
                    self.make_room_in(renewal, stop)?;
                }
            }
        }
        Ok(())
    }

    /// Makes room in new components: there were more leaves than was to be expected.
    fn make_room_in(&mut self, renewal: &mut Renewal, stop: Stop) -> Result<(), Limit> {
        let Some(after) = renewal.after.as_mut().filter(|_| stop == Stop::Grow) else {
            return Err(Limit::Memory);
        };
        if !after.is_cramped() {
            return Ok(after.grow(self.memory)?);
        }
        self.damaged = true;
        let origin = match after.widen(self.memory)? {
            Some(repacking) if !repacking.changes_keys() => {
                self.damaged = false;
                return Ok(());
            }
            Some(repacking) => Origin::Packed(repacking),
            None => {
                let folded = after.folded(self.keys.iter(), self.memory)?;
                Origin::Narrow(Box::new(std::mem::replace(after, folded)))
            }
        };
        let keys = KeySet::for_bits(after.bits(), self.memory)?;
        self.damaged = false;
        renewal.left.push((origin, std::mem::replace(&mut self.keys, keys)));
        Ok(())
    }

    /// Makes the keys of states that wait anew.
    fn renew_waiting(&mut self, renewal: &mut Renewal, others: Vec<&mut u64>) -> Result<(), Limit> {
        let progress = self.progress();
        let after = renewal.after.as_ref().unwrap_or(&self.components);
        let mut waiting = others;
        waiting.extend(self.next.batches_mut().flat_map(|batch| &mut batch.keys));
        for some in waiting.chunks_mut(LOOK_UP * self.workers.len()) {
            if let Some(limit) = self.scope.budget.watch.check(&progress) {
                return Err(limit);
            }
            let mut jobs: Vec<_> = some.chunks_mut(STATES).map(|keys| (keys, Ok(()))).collect();
            self.team.share(Activity::Renew, &mut self.workers, &mut jobs, |worker, (keys, result)| {
                *result = keys.iter_mut().try_for_each(|key| {
                    let origin = &renewal.origin;
                    **key = origin.renew(**key, worker, self.space, &self.components, after, self.memory)?;
                    Ok(())
                });
            });
            // All of them are in the set, so that there is room.
            if jobs.iter().any(|(_, result): &(_, Result<(), Stop>)| result.is_err()) {
                self.damaged = true;
                return Err(Limit::Memory);
            }
            renewal.waiting += some.len();
        }
        Ok(())
    }

    /// Calls a function with each set of keys, and with what finds the state of one.
    pub(super) fn for_each_set(
        &self,
        mut each: impl FnMut(&KeySet, &dyn Fn(u64, &mut Outline)) -> io::Result<()>,
    ) -> io::Result<()> {
        let own = &self.components;
        let after = self.renewal.as_ref().and_then(|renewal| renewal.after.as_ref()).unwrap_or(own);
        each(&self.keys, &|key, state| after.decode(key, state))?;
        let left = self.renewal.iter().flat_map(|renewal| &renewal.left);
        left.into_iter()
            .try_for_each(|(origin, keys)| each(keys, &|key, state| origin.decode(key, own, after, state)))
    }

    /// Finds the state of a key that waits, the one with this number.
    pub(super) fn decode_waiting(&self, number: usize, key: u64, state: &mut Outline) {
        let own = &self.components;
        match &self.renewal {
            None => own.decode(key, state),
            Some(renewal) => {
                let after = renewal.after.as_ref().unwrap_or(own);
                if number < renewal.waiting {
                    after.decode(key, state);
                } else {
                    renewal.origin.decode(key, own, after, state);
                }
            }
        }
    }
}

/// Keys to be changed, and the block that they are put into.
struct Job<'b, I> {
    block: &'b mut Block,
    keys: I,
    result: Result<(), Stop>,
}

/// Changes keys, and puts those of each partition together.
fn change<'a, I: Iterator<Item = u64> + Send>(
    team: &Team,
    workers: &mut [Worker<'a>],
    mut jobs: Vec<Job<'_, I>>,
    mixer: Mixer,
    memory: &Memory,
    change: &(impl Fn(&mut Worker<'a>, u64) -> Result<u64, Stop> + Sync),
) -> Result<(), Stop> {
    team.share(Activity::Renew, workers, &mut jobs, |worker, Job { block, keys, result }| {
        let changed = keys.map(|key| change(worker, key));
        *result = block.hold(changed, memory).and_then(|()| Ok(block.sort(mixer, memory)?));
    });
    // If there is no room at all, it does not help to grow.
    let results = || jobs.iter().map(|job| job.result);
    results().find(|result| matches!(result, Err(Stop::Full))).unwrap_or_else(|| results().collect())
}
