//! Solves equations on a graph: which states satisfy each variable.
//!
//! Variables that depend on each other are solved together, those they depend on before them. A variable that
//! does not depend on itself takes one look at each edge. Others start from nowhere (least) or everywhere
//! (greatest), and a change goes against the edges to what depends on it; where all edges must agree, a
//! counter tells how many do not yet. So each variable looks at each edge twice at most (Arnold and Crubillé,
//! 1988; Cleaveland and Steffen, 1993). Changes spread level by level: the level of a change is its *rank*,
//! and what a change depends on has smaller ones.

use narrows_graph::DenseSet;
use narrows_graph::components;

use super::equations::{Equation, Equations, Fixpoint, Right, Variable};
use super::infinite_looping;
use super::reversed::Reversed;
use super::syntax::Sign;
use crate::graph::{Graph, TooLarge};

/// What came out for each variable.
#[derive(Clone, Debug, Default)]
pub(super) struct Solution {
    pub(super) values: Vec<DenseSet>,
    /// Which variables depend on each other: those with the same number. Others have numbers of their own.
    pub(super) groups: Vec<u32>,
    /// For variables that depend on themselves, when each state changed, from 1; 0 if it never did.
    pub(super) ranks: Vec<Vec<u32>>,
}

impl Solution {
    pub(super) fn holds(&self, variable: Variable, state: u32) -> bool {
        self.values[variable as usize].contains(state)
    }
}

/// A graph in both directions.
#[derive(Clone, Copy)]
pub(super) struct BothDirections<'g> {
    pub(super) graph: &'g Graph,
    pub(super) reversed: &'g Reversed,
}

/// Solves all equations that the root depends on.
pub(super) fn solve(equations: &Equations<'_>, both: BothDirections<'_>) -> Result<Solution, TooLarge> {
    let count = equations.list.len();
    let mut groups = Vec::new();
    let operand = |variable: u32, position: &mut u32| {
        let operands = equations.list[variable as usize].right.operands();
        let found = *operands.get(*position as usize)?;
        *position += 1;
        found
    };
    components::find(count, [equations.root], operand).each(|members| groups.push(members.to_vec()));
    let mut solution = Solution {
        values: vec![DenseSet::default(); count],
        groups: vec![u32::MAX; count],
        ranks: vec![Vec::new(); count],
    };
    for (number, members) in groups.iter().enumerate() {
        for member in members {
            solution.groups[*member as usize] = number as u32;
        }
        let fixpoints = members.iter().filter_map(|member| equations.list[*member as usize].fixpoint);
        let depends = members.len() > 1 || {
            let [left, right] = equations.list[members[0] as usize].right.operands();
            left == Some(members[0]) || right == Some(members[0])
        };
        if !depends {
            solution.values[members[0] as usize] =
                evaluate(&equations.list[members[0] as usize], equations, both.graph, &solution);
        } else if fixpoints.clone().any(|fixpoint| fixpoint == Fixpoint::Endless) {
            infinite_looping::solve(members, equations, both, &mut solution)?;
        } else {
            let is_least = fixpoints.clone().any(|fixpoint| fixpoint == Fixpoint::Plain(Sign::Least));
            Propagation::new(members, is_least, equations, both).run(&mut solution);
        }
    }
    Ok(solution)
}

/// Returns a set with a change.
fn changed(set: &DenseSet, change: impl FnOnce(&mut DenseSet)) -> DenseSet {
    let mut set = set.clone();
    change(&mut set);
    set
}

/// Evaluates a variable whose operands are solved.
fn evaluate(
    equation: &Equation<'_>,
    equations: &Equations<'_>,
    graph: &Graph,
    solution: &Solution,
) -> DenseSet {
    let value = |variable: Variable| &solution.values[variable as usize];
    let states = graph.states();
    match equation.right {
        Right::Open => DenseSet::new(states as usize),
        Right::Constant(constant) => DenseSet::filled(states as usize, constant),
        Right::Same(operand) => value(operand).clone(),
        Right::Not(operand) => changed(value(operand), DenseSet::complement),
        Right::And(left, right) => changed(value(left), |set| set.intersect_with(value(right))),
        Right::Or(left, right) => changed(value(left), |set| set.union_with(value(right))),
        Right::Some(set, operand) | Right::All(set, operand) => {
            let is_all = matches!(equation.right, Right::All(..));
            let (set, targets) = (&equations.sets[set as usize], value(operand));
            let mut result = DenseSet::new(states as usize);
            for state in 0..states {
                let found = graph
                    .edges_from(state)
                    .iter()
                    .any(|edge| set[edge.label as usize] && targets.contains(edge.target) != is_all);
                if found != is_all {
                    result.insert(state);
                }
            }
            result
        }
    }
}

/// How a variable gets the value that spreads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Needs {
    /// As soon as one operand has it.
    Any,
    /// When all operands have it.
    All,
}

/// Variables with fixpoints of one sign that depend on each other.
struct Propagation<'s, 'f, 'g> {
    members: &'s [Variable],
    equations: &'s Equations<'f>,
    both: BothDirections<'g>,
    /// What spreads: true for least fixpoints, false for greatest ones.
    goal: bool,
    /// The place of each variable among the members.
    places: Vec<Option<usize>>,
    values: Vec<DenseSet>,
    ranks: Vec<Vec<u32>>,
    /// How many edges of each state do not lead to the goal yet, where all must.
    missing: Vec<Vec<u32>>,
    level: u32,
    next: Vec<(u32, u32)>,
}

impl<'s, 'f, 'g> Propagation<'s, 'f, 'g> {
    fn new(
        members: &'s [Variable],
        goal: bool,
        equations: &'s Equations<'f>,
        both: BothDirections<'g>,
    ) -> Self {
        let states = both.graph.states();
        let mut places = vec![None; equations.list.len()];
        for (place, member) in members.iter().enumerate() {
            places[*member as usize] = Some(place);
        }
        Propagation {
            members,
            equations,
            both,
            goal,
            places,
            values: vec![DenseSet::filled(states as usize, !goal); members.len()],
            ranks: vec![vec![0; states as usize]; members.len()],
            missing: vec![Vec::new(); members.len()],
            level: 1,
            next: Vec::new(),
        }
    }

    fn right(&self, place: usize) -> Right {
        self.equations.list[self.members[place] as usize].right
    }

    fn needs(&self, place: usize) -> Needs {
        let is_any = match self.right(place) {
            Right::Or(..) | Right::Some(..) => self.goal,
            Right::And(..) | Right::All(..) => !self.goal,
            _ => true,
        };
        if is_any { Needs::Any } else { Needs::All }
    }

    fn run(mut self, solution: &mut Solution) {
        for place in 0..self.members.len() {
            self.begin(place, solution);
        }
        // For each member, those that it is an operand of.
        let mut users = vec![Vec::new(); self.members.len()];
        for user in 0..self.members.len() {
            for operand in self.right(user).operands().into_iter().flatten() {
                if let Some(place) = self.places[operand as usize] {
                    users[place].push(user);
                }
            }
        }
        while !self.next.is_empty() {
            self.level += 1;
            for (place, state) in std::mem::take(&mut self.next) {
                for user in &users[place as usize] {
                    self.changed(*user, state, solution);
                }
            }
        }
        for (place, member) in self.members.iter().enumerate() {
            solution.values[*member as usize] = std::mem::take(&mut self.values[place]);
            solution.ranks[*member as usize] = std::mem::take(&mut self.ranks[place]);
        }
    }

    /// Finds the states that have the goal without any member.
    fn begin(&mut self, place: usize, solution: &Solution) {
        let graph = self.both.graph;
        let right = self.right(place);
        match right {
            Right::And(..) | Right::Or(..) if self.needs(place) == Needs::Any => {
                for operand in right.operands().into_iter().flatten() {
                    if self.places[operand as usize].is_none() {
                        for state in 0..graph.states() {
                            if solution.holds(operand, state) == self.goal {
                                self.reach(place, state);
                            }
                        }
                    }
                }
            }
            Right::Some(set, _) | Right::All(set, _) if self.needs(place) == Needs::All => {
                let set = &self.equations.sets[set as usize];
                let fitting = |state: u32| {
                    graph.edges_from(state).iter().filter(|edge| set[edge.label as usize]).count() as u32
                };
                self.missing[place] = (0..graph.states()).map(fitting).collect();
                for state in 0..graph.states() {
                    if self.missing[place][state as usize] == 0 {
                        self.reach(place, state);
                    }
                }
            }
            _ => {}
        }
    }

    /// Gives a state the goal.
    fn reach(&mut self, place: usize, state: u32) {
        if self.values[place].contains(state) != self.goal {
            self.values[place].set(state, self.goal);
            self.ranks[place][state as usize] = self.level;
            self.next.push((place as u32, state));
        }
    }

    /// Tells a user that one of its operands now has the goal in a state.
    fn changed(&mut self, user: usize, state: u32, solution: &Solution) {
        let needs = self.needs(user);
        match self.right(user) {
            Right::Some(set, _) | Right::All(set, _) => {
                let set = &self.equations.sets[set as usize];
                for edge in self.both.reversed.edges_to(state) {
                    if !set[edge.label as usize] {
                        continue;
                    }
                    if needs == Needs::All {
                        let missing = &mut self.missing[user][edge.target as usize];
                        *missing -= 1;
                        if *missing > 0 {
                            continue;
                        }
                    }
                    self.reach(user, edge.target);
                }
            }
            right => {
                let has = |operand: Variable| match self.places[operand as usize] {
                    Some(place) => self.values[place].contains(state) == self.goal,
                    None => solution.holds(operand, state) == self.goal,
                };
                if needs == Needs::Any || right.operands().into_iter().flatten().all(has) {
                    self.reach(user, state);
                }
            }
        }
    }
}
