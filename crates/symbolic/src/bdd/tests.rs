//! Operations agree with tables of all values, whatever the order of variables.

use narrows_graph::Random;
use narrows_model::{Budget, Limit, Progress, Unwatched};

use super::{Bdd, Manager};

/// Bits of a state in the tests: 64 values, and 4096 of steps.
const BITS: u32 = 4;
const ROWS: usize = 1 << (2 * BITS);

/// A function and its table; row r gives variable v the value of bit v of r.
#[derive(Clone)]
struct Both {
    bdd: Bdd,
    table: Vec<bool>,
}

fn manager() -> Manager {
    let manager = Manager::new(&Budget { memory: 1 << 28, ..Budget::unlimited(Unwatched) });
    for _ in 0..BITS {
        manager.add_bit();
    }
    manager
}

fn literal(manager: &Manager, variable: u32) -> Both {
    let table = (0..ROWS).map(|row| row >> variable & 1 == 1).collect();
    Both { bdd: manager.literal(variable).unwrap(), table }
}

/// Reads the table off a diagram: by counting the rows it shares with each one.
fn table(manager: &Manager, bdd: &Bdd) -> Vec<bool> {
    let row = |row: usize| {
        let mut cube = manager.truth(true);
        for variable in 0..2 * BITS {
            let literal = manager.literal(variable).unwrap();
            let literal = if row >> variable & 1 == 1 { literal } else { literal.not() };
            cube = cube.and(&literal).unwrap();
        }
        cube.meets(bdd).unwrap()
    };
    (0..ROWS).map(row).collect()
}

fn zip(left: &Both, right: &Both, make: impl Fn(bool, bool) -> bool) -> Vec<bool> {
    left.table.iter().zip(&right.table).map(|(a, b)| make(*a, *b)).collect()
}

fn exists(table: &[bool], variables: &[u32]) -> Vec<bool> {
    let mut result = table.to_vec();
    for variable in variables {
        let before = result.clone();
        for row in 0..ROWS {
            result[row] = before[row] || before[row ^ (1 << variable)];
        }
    }
    result
}

fn random_function(manager: &Manager, random: &mut Random, variables: &[u32]) -> Both {
    let pick = |random: &mut Random| variables[random.below(variables.len() as u64) as usize];
    let mut result = literal(manager, pick(random));
    for _ in 0..12 {
        let other = literal(manager, pick(random));
        result = match random.below(4) {
            0 => {
                Both { bdd: result.bdd.and(&other.bdd).unwrap(), table: zip(&result, &other, |a, b| a && b) }
            }
            1 => Both { bdd: result.bdd.or(&other.bdd).unwrap(), table: zip(&result, &other, |a, b| a || b) },
            2 => {
                Both { bdd: result.bdd.xor(&other.bdd).unwrap(), table: zip(&result, &other, |a, b| a != b) }
            }
            _ => {
                let third = literal(manager, pick(random));
                let table = (0..ROWS)
                    .map(|row| if third.table[row] { !result.table[row] } else { other.table[row] })
                    .collect();
                Both { bdd: third.bdd.choose(&result.bdd.not(), &other.bdd).unwrap(), table }
            }
        };
    }
    result
}

#[test]
fn operations_agree_with_tables() {
    let all: Vec<u32> = (0..2 * BITS).collect();
    let current: Vec<u32> = (0..BITS).map(|bit| 2 * bit).collect();
    for seed in 0..60 {
        let random = &mut Random::new(seed);
        let manager = manager();
        let f = random_function(&manager, random, &all);
        let g = random_function(&manager, random, &all);
        let states = random_function(&manager, random, &current);
        if seed % 3 == 0 {
            manager.reorder();
        }
        assert_eq!(table(&manager, &f.bdd), f.table, "seed {seed}");
        assert_eq!(table(&manager, &f.bdd.same(&g.bdd).unwrap()), zip(&f, &g, |a, b| a == b), "seed {seed}");
        assert_eq!(
            table(&manager, &f.bdd.minus(&g.bdd).unwrap()),
            zip(&f, &g, |a, b| a && !b),
            "seed {seed}"
        );
        let some: Vec<u32> = all.iter().copied().filter(|_| random.below(2) == 0).collect();
        let cube = manager.cube(&some).unwrap();
        assert_eq!(table(&manager, &f.bdd.exists(&cube).unwrap()), exists(&f.table, &some), "seed {seed}");
        let product = exists(&zip(&f, &g, |a, b| a && b), &some);
        assert_eq!(table(&manager, &f.bdd.and_exists(&g.bdd, &cube).unwrap()), product, "seed {seed}");
        let cube = manager.cube(&current).unwrap();
        let image = states.bdd.image(&f.bdd, &cube).unwrap();
        let slowly = states.bdd.and_exists(&f.bdd, &cube).unwrap().to_current().unwrap();
        assert!(image == slowly, "seed {seed}");
        assert!(states.bdd.to_next(&cube).unwrap().to_current().unwrap() == states.bdd, "seed {seed}");
        if !g.bdd.is_false() {
            let restricted = f.bdd.restrict(&g.bdd).unwrap();
            assert!(restricted.and(&g.bdd).unwrap() == f.bdd.and(&g.bdd).unwrap(), "seed {seed}");
        }
        let count = f.table.iter().filter(|value| **value).count();
        assert_eq!(f.bdd.count(&all).to_string(), count.to_string(), "seed {seed}");
        manager.reorder();
        assert_eq!(table(&manager, &f.bdd), f.table, "seed {seed}");
        let picked = f.bdd.pick();
        assert_eq!(picked.is_some(), count > 0);
        if let Some(values) = picked {
            let row = (0..2 * BITS as usize).filter(|bit| values[*bit]).map(|bit| 1 << bit).sum::<usize>();
            assert!(f.table[row], "seed {seed}");
        }
    }
}

/// The order in which this function is small is far from the one in which its variables are made.
#[test]
fn reordering_finds_a_small_diagram() {
    let manager = Manager::new(&Budget { memory: 1 << 28, ..Budget::unlimited(Unwatched) });
    manager.set_reordering(false);
    let bits: Vec<u32> = (0..20).map(|_| manager.add_bit()).collect();
    let mut f = manager.truth(false);
    for pair in 0..10 {
        let left = manager.literal(2 * bits[pair]).unwrap();
        let right = manager.literal(2 * bits[pair + 10]).unwrap();
        f = f.or(&left.and(&right).unwrap()).unwrap();
    }
    let before = f.size();
    manager.reorder();
    assert!(before > 2000, "{before}");
    assert!(f.size() < 50, "{}", f.size());
}

#[test]
fn running_out_is_a_value() {
    let manager = Manager::new(&Budget { memory: 200_000, ..Budget::unlimited(Unwatched) });
    manager.set_reordering(false);
    let bits: Vec<u32> = (0..40).map(|_| manager.add_bit()).collect();
    let build = || {
        let mut f = manager.truth(false);
        for pair in 0..20 {
            let left = manager.literal(2 * bits[pair])?;
            f = f.or(&left.and(&manager.literal(2 * bits[pair + 20])?)?)?;
        }
        Ok(f)
    };
    assert_eq!(build().map(|f: Bdd| f.size()), Err(narrows_model::Limit::Memory));
    let stopped = Manager::new(&Budget::unlimited(|_: &Progress| Some(Limit::Time)));
    stopped.set_reordering(false);
    for _ in 0..40 {
        stopped.add_bit();
    }
    let build = || {
        let mut f = stopped.truth(false);
        for pair in 0..20 {
            f = f.or(&stopped.literal(2 * pair)?.and(&stopped.literal(2 * (pair + 20))?)?)?;
        }
        Ok(f)
    };
    assert_eq!(build().map(|f: Bdd| f.size()), Err(narrows_model::Limit::Time));
}
