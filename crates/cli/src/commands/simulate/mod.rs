//! `narrows simulate`: choose, run at random, step back, replay.

mod app;
mod chart;
#[cfg(test)]
mod examples;
mod follow;
mod prng;
mod random;
mod saved;
mod session;
#[cfg(test)]
mod session_tests;
mod text;
mod trail;
