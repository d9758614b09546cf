//! What a table lacks, found out: one state is looked at and evaluated, and all that look alike are known.

use narrows_gpu::{Key, Outcome, Table, Width};
use narrows_model::{Evaluator, Expr, Limit, Outline, Progress, Refusal, StepPart, Violation};
use rustc_hash::FxHashMap;

use super::encoding::{Encoding, Outgrown};
use super::observer::{Observer, Owner, Position, Seen, Target, Way};
use super::rows::{Interrupt, Refinement, Rows};
use crate::reduction::ReadSets;
use crate::search::Counts;
use crate::{Budget, Engine};

/// Adds to a table what it lacks.
pub(super) struct Learner<'a, 's> {
    evaluator: Evaluator<'s>,
    read_sets: ReadSets<'s>,
    budget: &'a Budget,
    /// What is to hold in every state: each has a root as a process has, after theirs.
    invariants: &'a [Expr],
    encoding: Encoding,
    rows: Refinement,
    /// What each root is about.
    owners: FxHashMap<u32, Owner>,
    /// In which parts the steps of a process are found, by where it is.
    splits: FxHashMap<Position, Vec<StepPart>>,
    /// The forks, with their branches, by where a process is and which components there are.
    forks: FxHashMap<(Position, Key), (u32, Vec<u32>)>,
    outline: Outline,
    evaluated: u64,
}

/// Where a process has at most so many bits of its own, its table begins with all of them, otherwise with its
/// location.
const FEW_BITS: u32 = 10;

impl<'a, 's> Learner<'a, 's> {
    /// Prepares it.
    pub(super) fn new(
        engine: &Engine<'s>,
        invariants: &'a [Expr],
        budget: &'a Budget,
    ) -> Result<Learner<'a, 's>, Refusal> {
        let unknown = || Refusal::new("no tables can be made of this model");
        Ok(Learner {
            evaluator: engine.evaluator(),
            read_sets: ReadSets::new(engine).ok_or_else(unknown)?,
            budget,
            invariants,
            encoding: Encoding::default(),
            rows: Refinement::default(),
            owners: FxHashMap::default(),
            splits: FxHashMap::default(),
            forks: FxHashMap::default(),
            outline: Outline::default(),
            evaluated: 0,
        })
    }

    /// Returns the root that is asked where no process has a step.
    fn idle(&self) -> u32 {
        (self.encoding.processes() + self.invariants.len()) as u32
    }

    /// Adds what was seen in a state for which a node lacks the value.
    fn add(&mut self, node: u32, key: Key, seen: Seen) -> Result<(), Interrupt> {
        match seen {
            Seen::UnknownLayout(_) => Err(Interrupt::Anew),
            Seen::Absent => {
                self.rows.note(node, key, &Outcome::Steps(Vec::new()));
                Ok(())
            }
            Seen::Other(way) => self.add_way(node, key, &way),
            Seen::Present { position, parts, ways } => {
                let root = self.rows.table.root(node);
                let is_whole = root > self.idle() || parts.iter().all(|part| part.edge.is_none());
                // Where another state was divided otherwise, this one is asked for again.
                if !is_whole && *self.splits.entry(position).or_insert_with(|| parts.clone()) != parts {
                    return Ok(());
                }
                match ways.as_slice() {
                    [way] => self.add_way(node, key, way),
                    ways => self.add_fork((node, root), key, (position, &parts), ways),
                }
            }
        }
    }

    /// Adds the ways on of a process as branches of a fork.
    fn add_fork(
        &mut self,
        (node, process): (u32, u32),
        key: Key,
        (position, parts): (Position, &[StepPart]),
        ways: &[Way],
    ) -> Result<(), Interrupt> {
        let layout = self.encoding.layout();
        let head = self.head(key, position.0);
        let node = self.rows.refined(node, key, head)?;
        let place = (position, key & layout);
        if !self.forks.contains_key(&place) {
            let mut branches = Vec::new();
            for (part, way) in parts.iter().zip(ways) {
                let mask = layout | way.rounds[0];
                let branch = self.rows.add_branch(mask)?;
                self.owners.insert(branch, Owner { process: position.0, part: Some(*part) });
                branches.push(branch);
            }
            let fork = self.rows.table.add_fork(process, &branches).ok_or(Limit::Memory)?;
            self.forks.insert(place, (fork, branches));
        }
        let Some((fork, branches)) = self.forks.get(&place) else { return Ok(()) };
        self.rows.note(node, key, &Outcome::Fork(*fork));
        for (branch, way) in branches.clone().into_iter().zip(ways) {
            self.add_way(branch, key, way)?;
        }
        Ok(())
    }

    /// Returns the bits that tell which components there are, and where a process is.
    fn head(&mut self, key: Key, process: u32) -> Key {
        let mut state = Vec::new();
        self.encoding.decode(key, &mut state);
        self.evaluator.outline(&state, &mut self.outline);
        let head = self
            .outline
            .processes
            .get(process as usize)
            .map_or(0, |process| self.encoding.bits_for(&(process.start as u32..process.locals as u32)));
        self.encoding.layout() | head
    }

    /// Adds what happens in a state, and how a device finds that out.
    fn add_way(&mut self, mut node: u32, key: Key, way: &Way) -> Result<(), Interrupt> {
        for mask in way.rounds {
            node = self.rows.refined(node, key, mask)?;
        }
        if self.rows.table.knows(node, key) {
            return Ok(());
        }
        let mut flips = Vec::new();
        for target in way.steps.iter().flatten() {
            flips.push(match target {
                Target::Flip(flip) => *flip,
                Target::New(state) => self.key(state)? ^ key,
            });
        }
        let outcome = if way.steps.is_some() { Outcome::Steps(flips) } else { Outcome::Host };
        self.rows.note(node, key, &outcome);
        Ok(())
    }
}

impl Rows for Learner<'_, '_> {
    fn note(&mut self, state: &[u8]) {
        self.encoding.note(&self.evaluator, state, &mut self.outline);
    }

    fn fit(&mut self) -> Result<Width, u32> {
        self.encoding.fit().ok_or_else(|| self.encoding.needed())
    }

    fn begin(&mut self, initial: &[u8]) {
        let processes = self.encoding.processes() as u32;
        let layout = self.encoding.layout();
        self.evaluator.outline(initial, &mut self.outline);
        let root = |process: u32| {
            // Where all states have the same components, it is known where a process is.
            let outline = self.outline.processes.get(process as usize).filter(|_| layout == 0);
            outline.map_or(layout, |outline| {
                let local_bytes = self.evaluator.system().proctype(outline.proctype).local_bytes;
                let end = outline.locals as u32 + local_bytes;
                let own = self.encoding.bits_for(&(outline.start as u32..end));
                let head = self.encoding.bits_for(&(outline.start as u32..outline.locals as u32));
                if self.encoding.count_in_use(own) <= FEW_BITS { own } else { head }
            })
        };
        let watched = self.invariants.iter().map(|_| layout);
        let roots: Vec<Key> = (0..processes).map(root).chain(watched).collect();
        self.rows = Refinement::new(&roots, layout);
        self.owners = (0..=self.idle()).map(|process| (process, Owner { process, part: None })).collect();
        self.splits.clear();
        self.forks.clear();
    }

    fn table(&self) -> &Table {
        &self.rows.table
    }

    fn encoding(&self) -> Option<&Encoding> {
        Some(&self.encoding)
    }

    fn decode(&self, key: Key, state: &mut Vec<u8>) {
        self.encoding.decode(key, state);
    }

    fn key(&mut self, state: &[u8]) -> Result<Key, Interrupt> {
        if let Ok(key) = self.encoding.key(state) {
            return Ok(key);
        }
        self.note(state);
        if self.encoding.is_stale() {
            return Err(Interrupt::Anew);
        }
        self.encoding.key(state).map_err(|Outgrown| Interrupt::Anew)
    }

    fn answer(
        &mut self,
        missing: Vec<(u32, Key)>,
        counts: &mut Counts,
        progress: Progress,
    ) -> Result<(), Interrupt> {
        let missing = self.rows.in_order(missing);
        let owner = |node: u32| {
            self.owners
                .get(&self.rows.table.root(node))
                .copied()
                .unwrap_or(Owner { process: node, part: None })
        };
        let asked: Vec<(Owner, Key)> = missing.iter().map(|(node, key)| (owner(*node), *key)).collect();
        let observer = Observer {
            evaluator: self.evaluator,
            read_sets: &self.read_sets,
            encoding: &self.encoding,
            splits: &self.splits,
            invariants: self.invariants,
            budget: self.budget,
            progress,
        };
        let seen = observer.look(&asked, counts)?;
        self.evaluated += seen.len() as u64;
        // All that is new is taken note of, before it is clear whether keys do for it.
        let mut is_anew = false;
        for seen in &seen {
            if let Seen::UnknownLayout(state) = seen {
                self.note(state);
                is_anew = true;
            }
            for state in seen.new_states() {
                is_anew |= self.key(state).is_err();
            }
        }
        if is_anew {
            return Err(Interrupt::Anew);
        }
        for ((node, key), seen) in missing.into_iter().zip(seen) {
            self.add(node, key, seen)?;
        }
        Ok(())
    }

    fn evaluated(&self) -> u64 {
        self.evaluated
    }

    fn holds(&self, invariant: usize, state: &[u8]) -> Result<bool, Violation> {
        self.evaluator.holds(&self.invariants[invariant], state)
    }
}
