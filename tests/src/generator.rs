//! Writes random Promela models, one per seed, with small state spaces.
//!
//! Swarm testing (Groce et al., ISSTA 2012): each seed switches a random subset of the language's features
//! on, so that rare combinations come up and a difference points at few constructs. What makes SPIN hang or
//! crash is left out: loops inside `atomic` and `d_step` are bounded by a counter that nothing else writes,
//! indices stay in range by `%`, and nothing is divided by a variable. Values stay small, by constants and
//! `%`, so that most models have between ten and some ten thousand states.

mod bodies;
mod channels;
mod claims;
mod expressions;
mod features;
mod globals;
mod long;
mod names;
mod processes;
mod statements;

use narrows_graph::Random;

pub use features::{Feature, Features};

use crate::tree::{Model, Node};

/// Writes the model that belongs to a seed, for searches without limits: no atomic sequence in it works long.
pub fn generate(seed: u64) -> Model {
    write(seed, Features::without_long_sequences)
}

/// Writes the model that belongs to a seed, with long atomic sequences that work, wait and choose. Some have
/// no end, so that only limits end a search.
pub fn generate_with_long_sequences(seed: u64) -> Model {
    write(seed, |features| features)
}

fn write(seed: u64, chosen: impl Fn(Features) -> Features) -> Model {
    let mut random = Random::new(seed);
    let features = chosen(Features::draw(&mut random));
    let mut nodes = Vec::new();
    let mut world = globals::World::draw(&mut random, features, &mut nodes);
    processes::write(&mut random, &mut world, &mut nodes);
    Model(nodes)
}

/// A model with questions about its runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Questions {
    /// The model, with accept and progress labels.
    pub model: Model,
    /// Formulas and never claims, each with its name.
    pub claims: Vec<(String, Node)>,
}

/// Writes a model and random claims about its runs. Nothing in it is meant to go wrong by itself.
pub fn generate_questions(seed: u64) -> Questions {
    let mut random = Random::new(seed);
    let mut features = Features::draw(&mut random).without_faults().without_long_sequences();
    // Of models with rendezvous, SPIN's fairness says nothing.
    if seed % 2 == 1 {
        features = features.without(Feature::Rendezvous);
    }
    let mut nodes = Vec::new();
    let mut world = globals::World::draw(&mut random, features, &mut nodes);
    world.watched = true;
    processes::write(&mut random, &mut world, &mut nodes);
    if seed % 4 == 1 {
        // With somebody who is never done, no run ends: what SPIN's fairness makes of ends is another matter.
        nodes.push(Node::leaf("bit idle"));
        let forever = Node::Choice {
            head: "do".into(),
            options: vec![Node::option(vec![Node::leaf("idle = 0")])],
            foot: "od",
        };
        nodes.push(Node::braces("active proctype Idle()", vec![forever]));
    }
    let claims = claims::write(&mut random, &world);
    Questions { model: Model(nodes), claims }
}

/// The features that a seed's model may use.
pub fn features(seed: u64) -> Features {
    Features::draw(&mut Random::new(seed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_model() {
        for seed in 0..50 {
            assert_eq!(generate(seed), generate(seed));
            assert!(generate(seed).to_string().contains("proctype"));
        }
        assert_ne!(generate(1), generate(2));
    }
}
