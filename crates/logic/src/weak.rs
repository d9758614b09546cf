//! Smallest deterministic automata for formulas that have a weak one.
//!
//! A set of states is what a run can have reached; with sets as states an automaton is deterministic. If the
//! formula is an *obligation* (built from safety and guarantee), each component of it either accepts all runs
//! that stay in it or none, one loop tells which, and merging states as in automata on finite words gives the
//! smallest deterministic automaton (Dax, Eisinger and Klaedtke, *Mechanizing the powerset construction for
//! restricted classes of ω-automata*, ATVA 2007; Löding, *Efficient minimization of deterministic weak
//! ω-automata*, 2001).
//!
//! Invariant: a result is returned only if it has no word in common with the opposite formula, and its
//! complement none with the formula. Cost: the sets are at most [`MAX_SETS`], each with two to the number of
//! atoms letters, at most 64.

use narrows_graph::BitSet;
use narrows_graph::components::{Components, find_indexed};
use rustc_hash::FxHashMap;

use crate::cube::Cube;
use crate::generalised::{Edge, Generalised};

/// With more sets than this, no deterministic automaton is looked for: it would hardly be the smallest.
const MAX_SETS: usize = 200;

/// A letter is a number of six bits, a set of letters a word of 64.
const MAX_ATOMS: usize = 6;

/// A generalised automaton whose guards are sets of letters.
struct Lettered {
    /// For each state its edges: letters, marks, target.
    states: Vec<Vec<(u64, BitSet, usize)>>,
    all: BitSet,
}

/// A complete deterministic automaton.
struct Deterministic {
    /// For each state the successor on each letter. The first state is the initial one.
    next: Vec<Vec<usize>>,
    accepting: Vec<bool>,
}

/// Returns a deterministic automaton with one mark, which all edges of accepting states have and no others.
///
/// `opposite` must accept exactly what `automaton` does not.
pub(crate) fn weak_deterministic(automaton: &Generalised, opposite: &Generalised) -> Option<Generalised> {
    let edges = automaton.states.iter().chain(&opposite.states).flatten();
    let used = edges
        .fold(BitSet::default(), |used, edge| used.union(&edge.guard.positive).union(&edge.guard.negative));
    let atoms: Vec<usize> = used.iter().collect();
    if atoms.len() > MAX_ATOMS {
        return None;
    }
    let letters = 1 << atoms.len();
    let (ours, theirs) = (Lettered::new(automaton, &atoms), Lettered::new(opposite, &atoms));
    let (sets, next) = ours.sets(automaton.initial, letters)?;
    let mut result = ours.coloured(&sets, next);
    result.minimise();
    let complement: Vec<bool> = result.accepting.iter().map(|accepting| !accepting).collect();
    let is_right = !theirs.meets(opposite.initial, &result.next, &result.accepting)
        && !ours.meets(automaton.initial, &result.next, &complement);
    is_right.then(|| result.finished(&atoms))
}

impl Lettered {
    fn new(automaton: &Generalised, atoms: &[usize]) -> Lettered {
        let letters = |guard: &Cube| {
            let place = |atom: usize| atoms.iter().position(|known| *known == atom).unwrap_or(0);
            let fits = |letter: &u32| guard.holds(|atom| letter >> place(atom) & 1 == 1);
            (0..1_u32 << atoms.len()).filter(fits).fold(0_u64, |set, letter| set | 1 << letter)
        };
        let edge = |edge: &Edge| (letters(&edge.guard), edge.marks.clone(), edge.target);
        let states = automaton.states.iter().map(|edges| edges.iter().map(edge).collect()).collect();
        Lettered { states, all: automaton.all_marks() }
    }

    /// The sets of states that runs can reach, and the successors of each.
    fn sets(&self, initial: usize, letters: usize) -> Option<(Vec<BitSet>, Vec<Vec<usize>>)> {
        let mut sets = vec![BitSet::of(initial)];
        let mut numbers = FxHashMap::default();
        numbers.insert(sets[0].clone(), 0);
        let mut next: Vec<Vec<usize>> = Vec::new();
        while let Some(set) = sets.get(next.len()) {
            let members: Vec<usize> = set.iter().collect();
            let mut row = Vec::with_capacity(letters);
            for letter in 0..letters {
                let edges = members.iter().flat_map(|state| &self.states[*state]);
                let target: BitSet =
                    edges.filter(|(set, ..)| set >> letter & 1 == 1).map(|(.., target)| *target).collect();
                let fresh = sets.len();
                let number = *numbers.entry(target.clone()).or_insert(fresh);
                if number == fresh {
                    sets.push(target);
                }
                row.push(number);
            }
            if sets.len() > MAX_SETS {
                return None;
            }
            next.push(row);
        }
        Some((sets, next))
    }

    /// Makes those states accepting whose component has an accepted loop, and others as suits the merging
    /// best.
    fn coloured(&self, sets: &[BitSet], next: Vec<Vec<usize>>) -> Deterministic {
        let found = find_indexed(next.len(), [0], |state, letter| next[state].get(letter).copied());
        // An even colour means accepting; components come after those that they lead to.
        let mut colours = vec![0_usize; found.count as usize];
        found.each(|members| {
            // The first state stands for all.
            let first = members.iter().min().map_or(0, |state| *state as usize);
            let component = found.of[first];
            let targets = members.iter().flat_map(|state| &next[*state as usize]);
            let targets = targets.map(|target| found.of[*target]).filter(|target| *target != component);
            let highest = targets.map(|target| colours[target as usize]).max();
            let accepted =
                loop_through(&next, &found, first).map(|word| self.accepts_loop(&sets[first], &word));
            colours[component as usize] = match (accepted, highest) {
                (None, highest) => highest.unwrap_or(1),
                (Some(accepted), None) => usize::from(!accepted),
                (Some(accepted), Some(highest)) => highest + usize::from((highest % 2 == 0) != accepted),
            };
        });
        let accepting =
            found.of.iter().map(|component| colours[*component as usize].is_multiple_of(2)).collect();
        Deterministic { next, accepting }
    }

    /// Whether the word that repeats these letters is accepted from one of the states.
    fn accepts_loop(&self, from: &BitSet, word: &[usize]) -> bool {
        let length = word.len();
        let node = |state: usize, position: usize| state * length + position % length;
        let mut graph: Vec<Vec<(usize, &BitSet)>> = vec![Vec::new(); self.states.len() * length];
        for (state, edges) in self.states.iter().enumerate() {
            for (position, letter) in word.iter().enumerate() {
                let open = edges.iter().filter(|(set, ..)| set >> letter & 1 == 1);
                graph[node(state, position)]
                    .extend(open.map(|(_, marks, target)| (node(*target, position + 1), marks)));
            }
        }
        has_accepted_cycle(&graph, from.iter().map(|state| node(state, 0)), &self.all, |_| true)
    }

    /// Whether a word is accepted by this automaton and by a weak deterministic one.
    fn meets(&self, initial: usize, next: &[Vec<usize>], accepting: &[bool]) -> bool {
        let width = next.len();
        let mut graph: Vec<Vec<(usize, &BitSet)>> = vec![Vec::new(); self.states.len() * width];
        for (state, edges) in self.states.iter().enumerate() {
            for (other, row) in next.iter().enumerate() {
                for (letters, marks, target) in edges {
                    let mut targets: Vec<usize> = (0..row.len())
                        .filter(|letter| letters >> letter & 1 == 1)
                        .map(|letter| row[letter])
                        .collect();
                    targets.sort_unstable();
                    targets.dedup();
                    graph[state * width + other]
                        .extend(targets.into_iter().map(|other| (target * width + other, marks)));
                }
            }
        }
        has_accepted_cycle(&graph, [initial * width], &self.all, |node| accepting[node % width])
    }
}

/// Letters that lead from a state back to it; `None` if nothing does.
fn loop_through(next: &[Vec<usize>], found: &Components, start: usize) -> Option<Vec<usize>> {
    let mut reached: Vec<Option<(usize, usize)>> = vec![None; next.len()];
    let mut queue = std::collections::VecDeque::from([start]);
    while let Some(state) = queue.pop_front() {
        for (letter, target) in next[state].iter().enumerate() {
            if found.of[*target] == found.of[start] && reached[*target].is_none() {
                reached[*target] = Some((state, letter));
                queue.push_back(*target);
            }
        }
    }
    let mut word = Vec::new();
    let mut state = start;
    loop {
        let (before, letter) = reached[state]?;
        word.push(letter);
        state = before;
        if state == start {
            word.reverse();
            return Some(word);
        }
    }
}

/// Whether a cycle through a fitting node, with all marks, can be reached.
fn has_accepted_cycle(
    graph: &[Vec<(usize, &BitSet)>],
    roots: impl IntoIterator<Item = usize>,
    all: &BitSet,
    fits: impl Fn(usize) -> bool,
) -> bool {
    let found = find_indexed(graph.len(), roots, |node, index| graph[node].get(index).map(|edge| edge.0));
    let mut seen: Vec<Option<BitSet>> = vec![None; found.count as usize];
    for (node, edges) in graph.iter().enumerate() {
        let Some(component) = found.get(node).filter(|_| fits(node)) else { continue };
        for (_, marks) in edges.iter().filter(|(target, _)| found.are_together(node, *target)) {
            seen[component].get_or_insert_default().union_with(marks);
        }
    }
    seen.iter().flatten().any(|marks| all.is_subset(marks))
}

impl Deterministic {
    /// Merges states as Moore does: those that no word tells apart.
    fn minimise(&mut self) {
        let mut classes: Vec<usize> =
            self.accepting.iter().map(|accepting| usize::from(*accepting)).collect();
        let mut count = 0;
        loop {
            let mut numbers: FxHashMap<(usize, Vec<usize>), usize> = FxHashMap::default();
            let refined: Vec<usize> = (0..self.next.len())
                .map(|state| {
                    let row = self.next[state].iter().map(|target| classes[*target]).collect();
                    let fresh = numbers.len();
                    *numbers.entry((classes[state], row)).or_insert(fresh)
                })
                .collect();
            let refined_count = numbers.len();
            classes = refined;
            if refined_count == count {
                break;
            }
            count = refined_count;
        }
        let first = |class| classes.iter().position(|known| *known == class).unwrap_or(0);
        let firsts: Vec<usize> = (0..count).map(first).collect();
        self.next = firsts
            .iter()
            .map(|state| self.next[*state].iter().map(|target| classes[*target]).collect())
            .collect();
        self.accepting = firsts.iter().map(|state| self.accepting[*state]).collect();
    }

    fn finished(&self, atoms: &[usize]) -> Generalised {
        let guard = |letter: usize| Cube {
            positive: (0..atoms.len()).filter(|bit| letter >> bit & 1 == 1).map(|bit| atoms[bit]).collect(),
            negative: (0..atoms.len()).filter(|bit| letter >> bit & 1 == 0).map(|bit| atoms[bit]).collect(),
        };
        let state = |(row, accepting): (&Vec<usize>, &bool)| {
            let marks: BitSet = accepting.then_some(0).into_iter().collect();
            let edges = row.iter().enumerate();
            edges
                .map(|(letter, target)| Edge { target: *target, marks: marks.clone(), guard: guard(letter) })
                .collect()
        };
        let states = self.next.iter().zip(&self.accepting).map(state).collect();
        let mut automaton = Generalised { states, initial: 0, marks: 1 };
        automaton.tidy();
        automaton
    }
}
