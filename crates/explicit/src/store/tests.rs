//! The parts of the compressed store against sets of the standard library.

use std::collections::{HashMap, HashSet};

use narrows_graph::Random;
use narrows_model::{Difference, Overwrite};

use super::keys::Bits;
use super::{Components, KeySet, Memory, Outline, Stop, Tree, Twigs};

type State = (Vec<u8>, Vec<u32>);

/// How components are made before the test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Preparation {
    Plain,
    Learned,
    Folded,
}

/// Makes components that have room for all of these states; returns their keys too.
fn ready(states: &[State], kind: Preparation, memory: &Memory) -> (Components, Vec<u64>) {
    let mut components = Components::new(memory).unwrap();
    let mut keys = try_all(&mut components, states, memory);
    if kind == Preparation::Plain {
        return (components, keys);
    }
    let few = keys.iter().copied().take(300);
    components = components.learned(few, states.len() as u64, memory).unwrap();
    keys = try_all(&mut components, states, memory);
    if kind == Preparation::Folded {
        components = components.folded(keys.iter().copied(), memory).unwrap();
        keys = try_all(&mut components, states, memory);
    }
    (components, keys)
}

/// Encodes all states, from the start again where components are cramped.
fn try_all(components: &mut Components, states: &[State], memory: &Memory) -> Vec<u64> {
    let (nothing, mut to) = (Outline::default(), Outline::default());
    let mut keys = Vec::new();
    while let Some((state, parts)) = states.get(keys.len()) {
        match components.encode(state, parts, &nothing, &mut to, memory) {
            Ok(key) => keys.push(key),
            Err(Stop::Grow) if components.is_cramped() => {
                if components.widen(memory).unwrap().is_none() {
                    let known = keys.iter().copied();
                    *components = components.learned(known, states.len() as u64, memory).unwrap();
                }
                keys.clear();
            }
            Err(Stop::Grow) => components.grow(memory).unwrap(),
            Err(Stop::Full) => panic!("there is room"),
        }
    }
    keys
}

/// Makes a state of parts of some lengths; few values occur, so that states come again.
fn random_state(random: &mut Random, most: u64) -> State {
    let (mut state, mut parts) = (Vec::new(), Vec::new());
    for _ in 0..random.below(most + 1) {
        // How long a part is follows from its first byte, as in a real state.
        let kind = random.below(4) as u8;
        let length = [1, 5, 17, 70][usize::from(kind)];
        state.push(kind);
        state.resize(state.len() + length, 0);
        let place = state.len() - 1 - random.below(length as u64) as usize;
        state[place] = random.below(3) as u8;
        parts.push(state.len() as u32);
    }
    (state, parts)
}

fn random_states(seed: u64, count: usize, most: u64) -> Vec<State> {
    let mut random = Random::new(seed);
    (0..count).map(|_| random_state(&mut random, most)).collect()
}

#[test]
fn keys_stand_for_states() {
    for (seed, most) in [(1, 3), (2, 9), (3, 60), (4, 200)] {
        for kind in [Preparation::Plain, Preparation::Learned, Preparation::Folded] {
            let memory = Memory::new(u64::MAX);
            let states = random_states(seed, 3000, most);
            let (components, keys) = ready(&states, kind, &memory);
            let mut key_of: HashMap<&[u8], u64> = HashMap::new();
            let mut state_of: HashMap<u64, &[u8]> = HashMap::new();
            let mut outline = Outline::default();
            for ((state, _), key) in states.iter().zip(keys) {
                assert_eq!(*key_of.entry(state).or_insert(key), key);
                assert_eq!(state_of.entry(key).or_insert(state), state);
                components.decode(key, &mut outline);
                assert_eq!(outline.state(), state);
            }
            assert!(key_of.len() > 30, "{seed} {kind:?}");
        }
    }
}

#[test]
fn learns_what_changes_together() {
    // The first part changes by itself, the others change together.
    let mut states = Vec::new();
    for (one, other) in (0..40).flat_map(|one| (0..40).map(move |other| (one, other))) {
        let mut state = vec![0; 80];
        (state[0], state[20], state[60], state[79]) = (other, one, one, one);
        states.push((state, vec![20, 40, 60, 80]));
    }
    let used = [Preparation::Plain, Preparation::Learned].map(|kind| {
        let memory = Memory::new(u64::MAX);
        let (components, _) = ready(&states, kind, &memory);
        components.records()
    });
    assert!(used[1] * 4 < used[0], "{used:?}");
}

#[test]
fn a_successor_has_the_same_key_whatever_it_comes_from() {
    for (kind, most) in [(Preparation::Plain, 30), (Preparation::Learned, 6), (Preparation::Folded, 30)] {
        let memory = Memory::new(u64::MAX);
        let mut random = Random::new(7);
        let mut states = Vec::new();
        let mut changes = Vec::new();
        for _ in 0..800 {
            let (mut state, parts) = random_state(&mut random, most);
            states.push((state.clone(), parts.clone()));
            for _ in 0..4 {
                // Values change, the kinds of parts do not.
                let mut changed = Vec::new();
                let starts = std::iter::once(0).chain(parts.iter().copied());
                for start in starts.take(parts.len()) {
                    if random.below(5) == 0 {
                        state[start as usize + 1] = random.below(4) as u8;
                        changed.push(Overwrite { offset: start + 1, width: 1, old: 0 });
                    }
                }
                changes.push(changed);
                states.push((state.clone(), parts.clone()));
            }
        }
        let (components, keys) = ready(&states, kind, &memory);
        let (mut from, mut to) = (Outline::default(), Outline::default());
        for (index, ((state, parts), key)) in states.iter().zip(&keys).enumerate() {
            if index % 5 > 0 {
                let mut near = |difference| {
                    let mut wanted = Vec::new();
                    let key = components
                        .prepare_near(state, difference, &from, &mut to, 0, &mut wanted, &memory)
                        .unwrap();
                    key.map(|mut key| {
                        components.complete(&wanted, &memory, &mut |_, half| key |= half).unwrap();
                        key
                    })
                };
                let changed = &changes[index - index / 5 - 1];
                assert_eq!(near(Difference::Changes(changed)), Some(*key), "{kind:?}");
                assert_eq!(near(Difference::Alike), Some(*key), "{kind:?}");
                assert_eq!(near(Difference::Unknown), None);
            }
            assert_eq!(components.encode(state, parts, &from, &mut to, &memory), Ok(*key), "{kind:?}");
            components.decode(*key, &mut from);
        }
    }
}

#[test]
fn threads_agree_on_keys() {
    for kind in [Preparation::Plain, Preparation::Learned] {
        let memory = Memory::new(u64::MAX);
        // Shapes are known beforehand; leaves are not.
        let mut components = ready(&random_states(9, 20_000, 3), kind, &memory).0.emptied(&memory).unwrap();
        let mut all: Vec<(Vec<u8>, u64)> = Vec::new();
        for round in 0..40 {
            // A round ends early wherever a table must grow.
            let found: Vec<Vec<(Vec<u8>, u64)>> = std::thread::scope(|scope| {
                let threads: Vec<_> = (0..4)
                    .map(|thread| {
                        let (components, memory) = (&components, &memory);
                        scope.spawn(move || {
                            // Two and two threads see the same states in the same order.
                            let (nothing, mut to) = (Outline::default(), Outline::default());
                            let mut found = Vec::new();
                            for (state, parts) in random_states(1000 * round + thread % 2, 2000, 3) {
                                match components.encode(&state, &parts, &nothing, &mut to, memory) {
                                    Ok(key) => found.push((state, key)),
                                    Err(stop) => {
                                        assert!(stop == Stop::Grow && !components.is_cramped());
                                        break;
                                    }
                                }
                            }
                            found
                        })
                    })
                    .collect();
                threads.into_iter().map(|thread| thread.join().unwrap()).collect()
            });
            all.extend(found.into_iter().flatten());
            components.grow(&memory).unwrap();
        }
        let keys: HashMap<Vec<u8>, u64> = all.iter().cloned().collect();
        assert!(keys.len() > 1000 && all.iter().all(|(state, key)| keys[state] == *key));
        assert_eq!(keys.values().collect::<HashSet<_>>().len(), keys.len());
        let mut outline = Outline::default();
        for (state, key) in &all {
            components.decode(*key, &mut outline);
            assert_eq!(outline.state(), state);
        }
    }
}

#[test]
fn a_set_of_keys_agrees_with_a_hash_set() {
    // With few bits at first, keys are written anew many times.
    for (seed, first, more, left, right) in [
        (1, 7, 1, 1 << 7, 1 << 7),
        (2, 7, 1, 3000, 3000),
        (3, 7, 1, u64::from(u32::MAX), 5),
        (4, 8, 3, 100, 1 << 31),
        (5, 24, 4, 1 << 20, 1 << 20),
        (6, 24, 4, u64::from(u32::MAX), u64::from(u32::MAX)),
    ] {
        let memory = Memory::new(u64::MAX);
        let mut keys = KeySet::with(Bits { first, more }, &memory).unwrap();
        let mut set = HashSet::new();
        let mut random = Random::new(seed);
        for round in 1..100_000_u64 {
            // Numbers grow as names do.
            let below = |limit: u64| (round / 8 + 2).min(limit);
            let (left, right) = (below(left), below(right));
            let key = random.below(left) << 32 | random.below(right);
            assert_eq!(keys.insert(key, &memory).unwrap(), set.insert(key));
        }
        assert_eq!(keys.len(), set.len() as u64);
        assert!(set.iter().all(|key| keys.contains(*key)));
        assert!((0..1000).all(|key| keys.contains(key) == set.contains(&key)));
        assert_eq!(keys.insert(u64::MAX - 1, &memory), Ok(set.insert(u64::MAX - 1)));
        assert!(set.iter().all(|key| keys.contains(*key)), "after growth to the most bits");
    }
}

#[test]
fn a_set_of_keys_stops_at_the_limit_and_keeps_what_it_has() {
    let memory = Memory::new(1 << 20);
    let mut keys = KeySet::new(&memory).unwrap();
    let mut count = 0;
    while keys.insert(count, &memory).is_ok() {
        count += 1;
    }
    assert!(memory.used() <= 1 << 20);
    assert!(count > 120_000, "{count}");
    assert_eq!(keys.len(), count);
    assert!((0..count).all(|key| keys.contains(key)));
}

#[test]
fn a_tree_gives_back_what_was_new() {
    let memory = Memory::new(u64::MAX);
    let (mut tree, mut twigs) = (Tree::default(), Twigs::default());
    let mut random = Random::new(1);
    let mut ways = vec![None];
    for state in 0..20_000_u64 {
        let most = if random.below(50) == 0 { 300 } else { 9 };
        let edges: Vec<bool> = (0..random.below(most)).map(|_| random.below(3 + most / 9) == 0).collect();
        for (choice, new) in edges.iter().enumerate() {
            if *new {
                ways.push(Some((state, choice as u32)));
            }
        }
        for edges in edges.chunks(64) {
            let new = edges.iter().rev().fold(0, |bits, new| bits << 1 | u64::from(*new));
            twigs.add(new, edges.len() as u32, &memory).unwrap();
        }
        twigs.finish(&memory).unwrap();
        if random.below(100) == 0 {
            tree.append(&twigs, &memory).unwrap();
            twigs.clear();
        }
    }
    tree.append(&twigs, &memory).unwrap();
    for (state, way) in ways.iter().enumerate() {
        assert_eq!(tree.way_to(state as u64), *way, "{state}");
    }
    assert_eq!(tree.way_to(ways.len() as u64), None);
    assert!(memory.used() < ways.len() as u64 * 4);
}
