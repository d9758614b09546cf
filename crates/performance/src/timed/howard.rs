//! Howard's policy iteration for the maximum or minimum cycle ratio of counts to ticks, in exact arithmetic.
//!
//! A policy chooses one arc per node. Its arcs lead to cycles; relative to the best cycle ratio, every node
//! gets a value: its gain on the path to that cycle. A node improves its choice if another arc has a greater
//! value. When none improves, no cycle is better. Ratios and values are integers after multiplication with
//! the ticks of the cycle, so that nothing is rounded, and the iteration terminates.

use std::collections::VecDeque;

use narrows_graph::components;

/// An arc between two nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Arc {
    pub(super) target: u32,
    pub(super) count: i64,
    pub(super) ticks: i64,
    /// What it stands for.
    pub(super) name: (u32, u32),
}

/// A cycle with an extreme ratio.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Round {
    pub(super) count: i64,
    pub(super) ticks: i64,
    /// The names of its arcs, in order.
    pub(super) arcs: Vec<(u32, u32)>,
}

/// Finds the cycle with the greatest ratio, or the least. Every cycle must take time or, if the least is
/// sought, count something. `None` if there is no cycle at all.
pub(super) fn extreme(places: &[Vec<Arc>], greatest: bool) -> Option<Round> {
    let count = places.len() as u32;
    let found = components::find_among(places.len(), 0..count, |place, number| {
        places[place as usize].get(number as usize).map(|arc| Some(arc.target))
    });
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); found.count as usize];
    for (place, component) in found.of.iter().enumerate() {
        members[*component as usize].push(place as u32);
    }
    let mut local = vec![0; places.len()];
    let mut best: Option<Round> = None;
    for members in members {
        for (number, place) in members.iter().enumerate() {
            local[*place as usize] = number as u32;
        }
        let component = found.of[members[0] as usize];
        // Each place with those of its arcs that stay inside.
        let inside = |place: &u32| {
            let arcs =
                places[*place as usize].iter().filter(|arc| found.of[arc.target as usize] == component);
            arcs.map(|arc| Arc { target: local[arc.target as usize], ..*arc }).collect::<Vec<_>>()
        };
        let inside: Vec<Vec<Arc>> = members.iter().map(inside).collect();
        if inside.iter().any(Vec::is_empty) {
            continue;
        }
        let round = iterate(&inside, if greatest { 1 } else { -1 });
        if best.as_ref().is_none_or(|best| round.compare(best) * if greatest { 1 } else { -1 } > 0) {
            best = Some(round);
        }
    }
    best
}

impl Round {
    /// Returns a number above 0 if its ratio is greater than that of another, below 0 if it is less.
    fn compare(&self, other: &Round) -> i128 {
        i128::from(self.count) * i128::from(other.ticks) - i128::from(other.count) * i128::from(self.ticks)
    }
}

/// Finds the cycle with the greatest ratio times a sign, where every place leads to every other.
fn iterate(places: &[Vec<Arc>], sign: i128) -> Round {
    let mut choices: Vec<usize> = vec![0; places.len()];
    loop {
        let (round, place) = best_round(places, &choices, sign);
        let (count, ticks) = (i128::from(round.count), i128::from(round.ticks));
        let gain = |arc: &Arc| sign * (i128::from(arc.count) * ticks - i128::from(arc.ticks) * count);
        let mut values = values(places, &choices, place, &gain);
        // Places that do not come to the best cycle by their choices take a way there.
        let mut changed = attract(places, &mut choices, &mut values, &gain);
        for (from, arcs) in places.iter().enumerate() {
            let Some(mut value) = values[from] else { continue };
            for (number, arc) in arcs.iter().enumerate() {
                if let Some(next) = values[arc.target as usize]
                    && gain(arc) + next > value
                {
                    (value, choices[from], changed) = (gain(arc) + next, number, true);
                }
            }
        }
        if !changed {
            return round;
        }
    }
}

/// Finds the best of the cycles that choices lead to, and a place on it.
fn best_round(places: &[Vec<Arc>], choices: &[usize], sign: i128) -> (Round, u32) {
    let mut seen = vec![0_u32; places.len()];
    let mut best: Option<(Round, u32)> = None;
    for start in 0..places.len() {
        let mark = start as u32 + 1;
        let mut place = start;
        while seen[place] == 0 {
            seen[place] = mark;
            place = places[place][choices[place]].target as usize;
        }
        if seen[place] != mark {
            continue;
        }
        let mut round = Round { count: 0, ticks: 0, arcs: Vec::new() };
        let first = place;
        loop {
            let arc = &places[place][choices[place]];
            round.count += arc.count;
            round.ticks += arc.ticks;
            round.arcs.push(arc.name);
            place = arc.target as usize;
            if place == first {
                break;
            }
        }
        if best.as_ref().is_none_or(|(best, _)| round.compare(best) * sign > 0) {
            best = Some((round, first as u32));
        }
    }
    best.unwrap_or((Round { count: 0, ticks: 1, arcs: Vec::new() }, 0))
}

/// Returns what each place gains on its way to a place on the best cycle; `None` for those that do not come
/// there.
fn values(
    places: &[Vec<Arc>],
    choices: &[usize],
    place: u32,
    gain: &dyn Fn(&Arc) -> i128,
) -> Vec<Option<i128>> {
    let mut values = vec![None; places.len()];
    values[place as usize] = Some(0);
    let mut is_known = vec![false; places.len()];
    is_known[place as usize] = true;
    for start in 0..places.len() {
        let mut path = Vec::new();
        let mut at = start;
        while !is_known[at] {
            is_known[at] = true;
            path.push(at);
            at = places[at][choices[at]].target as usize;
        }
        for from in path.into_iter().rev() {
            let arc = &places[from][choices[from]];
            values[from] = values[arc.target as usize].map(|next: i128| gain(arc) + next);
        }
    }
    values
}

/// Lets places without a value choose an arc to one that has a value; returns whether any did.
fn attract(
    places: &[Vec<Arc>],
    choices: &mut [usize],
    values: &mut [Option<i128>],
    gain: &dyn Fn(&Arc) -> i128,
) -> bool {
    let mut sources: Vec<Vec<(u32, u32)>> = vec![Vec::new(); places.len()];
    for (from, arcs) in places.iter().enumerate().filter(|(from, _)| values[*from].is_none()) {
        for (number, arc) in arcs.iter().enumerate() {
            sources[arc.target as usize].push((from as u32, number as u32));
        }
    }
    let mut queue: VecDeque<u32> =
        (0..places.len() as u32).filter(|place| values[*place as usize].is_some()).collect();
    let mut changed = false;
    while let Some(place) = queue.pop_front() {
        for (from, number) in std::mem::take(&mut sources[place as usize]) {
            if values[from as usize].is_none() {
                let arc = &places[from as usize][number as usize];
                values[from as usize] = values[place as usize].map(|next| gain(arc) + next);
                choices[from as usize] = number as usize;
                changed = true;
                queue.push_back(from);
            }
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use narrows_graph::Random;

    use super::{Arc, extreme};

    /// Finds the extreme ratio by trying all simple cycles.
    fn brute_force(places: &[Vec<Arc>], greatest: bool) -> Option<(i64, i64)> {
        fn go(
            places: &[Vec<Arc>],
            start: usize,
            at: usize,
            sums: (i64, i64),
            on: &mut Vec<bool>,
            visit: &mut dyn FnMut(i64, i64),
        ) {
            for arc in &places[at] {
                let sums = (sums.0 + arc.count, sums.1 + arc.ticks);
                let next = arc.target as usize;
                if next == start {
                    visit(sums.0, sums.1);
                } else if next > start && !on[next] {
                    on[next] = true;
                    go(places, start, next, sums, on, visit);
                    on[next] = false;
                }
            }
        }
        let mut best: Option<(i64, i64)> = None;
        for start in 0..places.len() {
            go(places, start, start, (0, 0), &mut vec![false; places.len()], &mut |count, ticks| {
                let better = best.is_none_or(|best| {
                    let compared = count * best.1 - best.0 * ticks;
                    if greatest { compared > 0 } else { compared < 0 }
                });
                if better {
                    best = Some((count, ticks));
                }
            });
        }
        best
    }

    #[test]
    fn agrees_with_all_cycles() {
        let mut random = Random::new(1);
        let mut random = move |below: u64| random.below(below);
        let mut cycles = 0;
        for _ in 0..3_000 {
            let count = 1 + random(6);
            let mut places: Vec<Vec<Arc>> = vec![Vec::new(); count as usize];
            for place in 0..count {
                for _ in 0..random(4) {
                    let target = random(count) as u32;
                    let (count, ticks) = (random(4) as i64, 1 + random(5) as i64);
                    places[place as usize].push(Arc { target, count, ticks, name: (place as u32, target) });
                }
            }
            for greatest in [false, true] {
                let found = extreme(&places, greatest);
                let expected = brute_force(&places, greatest);
                assert_eq!(found.is_some(), expected.is_some());
                if let (Some(found), Some(expected)) = (found, expected) {
                    assert_eq!(found.count * expected.1, expected.0 * found.ticks, "{places:?}");
                    cycles += 1;
                }
            }
        }
        assert!(cycles > 1_000);
    }

    #[test]
    fn long_cycles_are_quick() {
        let count = 200_000;
        let place = |place: u32| {
            let target = (place + 1) % count;
            let arc = |ticks| Arc { target, count: i64::from(place == 0), ticks, name: (place, 0) };
            vec![arc(3), arc(2), arc(5)]
        };
        let places: Vec<Vec<Arc>> = (0..count).map(place).collect();
        assert_eq!(extreme(&places, true).unwrap().ticks, 2 * i64::from(count));
        assert_eq!(extreme(&places, false).unwrap().ticks, 5 * i64::from(count));
    }
}
