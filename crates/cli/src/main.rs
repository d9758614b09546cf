//! The program `narrows`.

mod commands;

fn main() {}
