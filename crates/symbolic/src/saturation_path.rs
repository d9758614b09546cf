//! A run to some states where a shortest one is too hard to find.
//!
//! Sets of states that can be reached in the same number of steps are often far larger, as diagrams, than the
//! set of all. So the run is found as [`crate::saturation`] finds that set: events are sorted by their first
//! level, and a run uses as few of the high ones as it can. Between two uses of the highest event that is
//! needed, the same is done with those below it.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use narrows_model::Limit;
use rustc_hash::FxHashMap;

use crate::bdd::Bdd;
use crate::relation::Event;
use crate::saturation::{Direction, closure};
use crate::space::Space;
use crate::walk::Path;

type Result<T> = std::result::Result<T, Limit>;

impl Space {
    /// Returns a run from one of some states to one of others; `None` if there is none.
    pub(crate) fn detour(&self, from: &Bdd, to: &Bdd) -> Result<Option<Path>> {
        let mut groups: BTreeMap<Reverse<u32>, Vec<&Event>> = BTreeMap::new();
        for event in self.relation.all() {
            groups.entry(Reverse(self.manager().first_level(event.variables()))).or_default().push(event);
        }
        let groups: Vec<Vec<&Event>> = groups.into_values().collect();
        Ok(self.through(from, to, &groups)?.map(|path| without_repetition(&path)))
    }

    fn closed(&self, groups: &[Vec<&Event>], set: &Bdd, within: &Bdd, direction: Direction) -> Result<Bdd> {
        closure(self.manager(), &groups.concat(), set, within, direction)
    }

    /// Returns a run that takes steps of some events; the last ones as seldom as can be.
    fn through(&self, from: &Bdd, to: &Bdd, groups: &[Vec<&Event>]) -> Result<Option<Path>> {
        let anywhere = self.manager().truth(true);
        let start = from.and(to)?;
        if let Some(state) = self.pick(&start) {
            return Ok(Some(vec![state]));
        }
        // How many events are enough?
        let mut all = from.clone();
        let mut few = 0;
        loop {
            let Some(_) = groups.get(few) else { return Ok(None) };
            let more = self.closed(&groups[..=few], &all, &anywhere, Direction::Forwards)?;
            if more.meets(to)? {
                break;
            }
            all = more;
            few += 1;
        }
        let (highest, lower) = (&groups[few], &groups[..few]);
        // By how often the highest one is used.
        let mut layers = vec![all];
        while !layers[layers.len() - 1].meets(to)? {
            let last = &layers[layers.len() - 1];
            let mut next = last.clone();
            for event in highest {
                next = next.or(&event.successors(last)?)?;
            }
            layers.push(self.closed(lower, &next, &anywhere, Direction::Forwards)?);
        }
        // Back again: where one must be before and after each use.
        let mut goals = vec![to.and(&layers[layers.len() - 1])?];
        let mut landings = Vec::new();
        for pair in layers.windows(2).rev() {
            let landing = self.closed(lower, &goals[goals.len() - 1], &pair[1], Direction::Backwards)?;
            let mut before = self.manager().truth(false);
            for event in highest {
                before = before.or(&event.predecessors(&landing, false)?.and(&pair[0])?)?;
            }
            goals.push(before);
            landings.push(landing);
        }
        let Some(first) = goals.pop() else { return Ok(None) };
        let Some(mut path) = self.through(from, &first, lower)? else { return Ok(None) };
        while let (Some(goal), Some(landing)) = (goals.pop(), landings.pop()) {
            if !self.step(&mut path, &anywhere, &landing)? {
                return Ok(None);
            }
            let Some(last) = path.pop() else { return Ok(None) };
            let here = self.encoding.exactly(&last, false)?;
            let Some(more) = self.through(&here, &goal, lower)? else { return Ok(None) };
            path.extend(more);
        }
        Ok(Some(path))
    }
}

/// Leaves out what lies between two visits of the same state.
fn without_repetition(path: &Path) -> Path {
    let mut last_visit = FxHashMap::default();
    for (place, state) in path.iter().enumerate() {
        last_visit.insert(state.clone(), place);
    }
    let mut short = Vec::new();
    let mut place = 0;
    while let Some(state) = path.get(place) {
        place = last_visit.get(state).copied().unwrap_or(place);
        short.push(path[place].clone());
        place += 1;
    }
    short
}

#[cfg(test)]
mod tests {
    use narrows_languages::smv::{Options, compile};
    use narrows_model::synchronous::{Reference, Run};
    use narrows_model::{Budget, Unwatched};
    use narrows_source::{Diagnostics, Sources};

    use crate::bdd::Manager;
    use crate::order_file::Order;
    use crate::space::Space;

    const RING: &str = "MODULE cell(left, right)
VAR at : 0..3;
ASSIGN init(at) := 0; next(at) := case at = 0 & left.at != 1 : 1; at = 1 & right.at != 1 : 2; at = 2 : {2, 3}; at = 3 : 0; TRUE : at; esac;
MODULE main
VAR a : process cell(d, b); b : process cell(a, c); c : process cell(b, d); d : process cell(c, a);
";

    #[test]
    fn detours_are_runs_to_every_state() {
        let goals = [
            "a.at = 2 & c.at = 2",
            "a.at = 3 & b.at = 3 & c.at = 3 & d.at = 3",
            "a.at + b.at > 4 & d.at = 1",
        ];
        let expressions = goals.iter().map(|goal| ((*goal).to_owned(), "goal".to_owned())).collect();
        let mut sources = Sources::default();
        let file = sources.add("ring.smv", RING);
        let options = Options { expressions, ..Options::default() };
        let compiled = compile(&mut sources, file, &options, &mut Diagnostics::default()).expect("a model");
        let system = &compiled.system;
        let manager = Manager::new(&Budget { memory: 1 << 28, ..Budget::unlimited(Unwatched) });
        let mut space = Space::new(system, manager, &Order::first(system)).expect("no limit");
        let reached = space.reach().expect("no limit");
        space.settle(&reached.all).expect("no limit");
        let reference = Reference::new(system);
        for goal in &compiled.expressions {
            let to = space.states(system, *goal).expect("no limit");
            let path = space.detour(&space.initial, &to).expect("no limit").expect("a run");
            assert!(reference.is_true(*goal, &path[path.len() - 1]));
            assert!(path.len() > 2);
            let run = Run { states: path, cycle: None };
            assert!(run.replay(&reference, None).is_some(), "{run:?}");
        }
        // One state after the other.
        let mut rest = reached.all.clone();
        while let Some(state) = space.pick(&rest) {
            let here = space.encoding.exactly(&state, false).expect("no limit");
            rest = rest.minus(&here).expect("no limit");
            let path = space.detour(&space.initial, &here).expect("no limit").expect("a run");
            assert!(Run { states: path, cycle: None }.replay(&reference, None).is_some());
        }
    }
}
