//! Chains and automata whose answers are known: by hand, by exact arithmetic, or by trying everything.

mod automata;
mod chains;
mod lumps;
mod moments;
mod multigrid;
mod oracle;
mod passages;
mod reach;
mod rounding;
mod stiff;
mod times;

use super::chain::{Builder, Chain};

/// Makes a chain that begins in state 0.
fn chain(rows: &[&[(u32, f64)]]) -> Chain {
    let mut builder = Builder::new(rows.len(), 0);
    for row in rows {
        builder.row(row.iter().copied());
    }
    builder.build([(0, 1.0)]).unwrap()
}

/// A queue with room for so many, one arrival at a time.
fn queue(room: u32, arrive: f64, serve: f64) -> Chain {
    let mut builder = Builder::new(room as usize + 1, 0);
    for length in 0..=room {
        let up = (length < room).then(|| (length + 1, arrive));
        let down = (length > 0).then(|| (length - 1, serve));
        builder.row(up.into_iter().chain(down));
    }
    builder.build([(0, 1.0)]).unwrap()
}

/// Two queues in a row, each with room for so many.
fn tandem(room: u32, arrive: f64, first: f64, second: f64) -> Chain {
    let place = |one: u32, other: u32| one * (room + 1) + other;
    let mut builder = Builder::new(0, 0);
    for one in 0..=room {
        for other in 0..=room {
            let arrival = (one < room).then(|| (place(one + 1, other), arrive));
            let move_on = (one > 0 && other < room).then(|| (place(one - 1, other + 1), first));
            let leave = (other > 0).then(|| (place(one, other - 1), second));
            builder.row(arrival.into_iter().chain(move_on).chain(leave));
        }
    }
    builder.build([(0, 1.0)]).unwrap()
}
