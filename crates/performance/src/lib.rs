//! Time on graphs: best and worst case, and Markov chains.

pub mod graphs;
pub mod markov;
