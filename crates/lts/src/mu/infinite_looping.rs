//! Infinite looping, `<R> @`: endless paths made of parts that fit `R`.
//!
//! They have no `and`, so a pair of a variable and a state holds if an endless path of pairs leaves it that
//! comes to the variable of the whole again and again. That is so where a component of the pairs has that
//! variable and a cycle, and where such a one is reached: time is linear. The rank of a pair is how far the
//! next pair with that variable is.

use narrows_graph::DenseSet;
use narrows_graph::components;

use super::equations::{Equations, Fixpoint, Right, Variable};
use super::solve::{BothDirections, Solution};
use crate::graph::TooLarge;

/// Solves the equations of one `<R> @`.
pub(super) fn solve(
    members: &[Variable],
    equations: &Equations<'_>,
    both: BothDirections<'_>,
    solution: &mut Solution,
) -> Result<(), TooLarge> {
    let states = both.graph.states();
    let pairs = members.len() as u64 * u64::from(states);
    if pairs >= u64::from(u32::MAX) {
        return Err(TooLarge);
    }
    let is_whole = |member: &Variable| equations.list[*member as usize].fixpoint == Some(Fixpoint::Endless);
    let whole = members.iter().position(is_whole).unwrap_or(0) as u32;
    let product = Product { members, equations, both, states };
    // Pairs that hold.
    let mut holds = DenseSet::new(pairs as usize);
    let starts = (0..states).map(|state| whole * states + state);
    let found = components::find(pairs as usize, starts, |pair, position| product.next(pair, position));
    found.each(|component| {
        let has_cycle = component.len() > 1 || product.successors(component[0]).any(|to| to == component[0]);
        let is_good = has_cycle && component.iter().any(|pair| pair / states == whole)
            || component.iter().any(|pair| product.successors(*pair).any(|to| holds.contains(to)));
        if is_good {
            for pair in component {
                holds.insert(*pair);
            }
        }
    });
    let ranks = product.ranks(whole, &holds);
    for (place, (member, ranks)) in members.iter().zip(ranks).enumerate() {
        let mut value = DenseSet::new(states as usize);
        for state in 0..states {
            if holds.contains(place as u32 * states + state) {
                value.insert(state);
            }
        }
        solution.values[*member as usize] = value;
        solution.ranks[*member as usize] = ranks;
    }
    Ok(())
}

/// Pairs of a member and a state, numbered member by member.
struct Product<'s, 'f, 'g> {
    members: &'s [Variable],
    equations: &'s Equations<'f>,
    both: BothDirections<'g>,
    states: u32,
}

impl Product<'_, '_, '_> {
    fn place(&self, variable: Variable) -> u32 {
        // There are as many members as `R` has operators: a search is quick.
        self.members.iter().position(|member| *member == variable).unwrap_or(0) as u32
    }

    fn right(&self, pair: u32) -> Right {
        self.equations.list[self.members[(pair / self.states) as usize] as usize].right
    }

    fn next(&self, pair: u32, position: &mut u32) -> Option<u32> {
        let state = pair % self.states;
        match self.right(pair) {
            Right::Some(set, operand) | Right::All(set, operand) => {
                let set = &self.equations.sets[set as usize];
                let edges = self.both.graph.edges_from(state);
                while let Some(edge) = edges.get(*position as usize) {
                    *position += 1;
                    if set[edge.label as usize] {
                        return Some(self.place(operand) * self.states + edge.target);
                    }
                }
                None
            }
            right => {
                let operand = (*right.operands().get(*position as usize)?)?;
                *position += 1;
                Some(self.place(operand) * self.states + state)
            }
        }
    }

    fn successors(&self, pair: u32) -> impl Iterator<Item = u32> {
        let mut position = 0;
        std::iter::from_fn(move || self.next(pair, &mut position))
    }

    /// Returns for each member and state how far the next pair with the variable of the whole is, plus 1.
    fn ranks(&self, whole: u32, holds: &DenseSet) -> Vec<Vec<u32>> {
        let mut ranks = vec![vec![0_u32; self.states as usize]; self.members.len()];
        let mut level: Vec<(u32, u32)> = Vec::new();
        for state in (0..self.states).filter(|state| holds.contains(whole * self.states + state)) {
            ranks[whole as usize][state as usize] = 1;
            level.push((whole, state));
        }
        let mut rank = 1;
        while !level.is_empty() {
            rank += 1;
            for (place, state) in std::mem::take(&mut level) {
                let mut reach = |user: usize, state: u32| {
                    let known = &mut ranks[user][state as usize];
                    if *known == 0 && holds.contains(user as u32 * self.states + state) {
                        *known = rank;
                        level.push((user as u32, state));
                    }
                };
                let member = self.members[place as usize];
                for (user, variable) in self.members.iter().enumerate() {
                    match self.equations.list[*variable as usize].right {
                        Right::Some(set, operand) if operand == member => {
                            let set = &self.equations.sets[set as usize];
                            let edges = self.both.reversed.edges_to(state).iter();
                            edges
                                .filter(|edge| set[edge.label as usize])
                                .for_each(|edge| reach(user, edge.target));
                        }
                        right
                            if right.operands().contains(&Some(member))
                                && !matches!(right, Right::Some(..)) =>
                        {
                            reach(user, state);
                        }
                        _ => {}
                    }
                }
            }
        }
        ranks
    }
}
