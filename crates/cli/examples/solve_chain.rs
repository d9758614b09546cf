//! Solves one chain and says how long it took: `solve_chain FILE [ACCURACY]`.
//!
//! The file has, in little-endian order, the number of states n and of transitions m (64 bits each), n + 1
//! places where rows begin (64 bits), m targets (32 bits), m rates and n rewards (doubles).
//! `bench/against-storm-chains` writes such files.

#![allow(clippy::print_stdout)]

use std::fs::File;
use std::io::{BufReader, Read};

use narrows_performance::markov::chain::Builder;
use narrows_performance::markov::{Accuracy, long_run};

fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or_else(|| anyhow::anyhow!("no file is given"))?;
    let relative = arguments.next().map_or(Ok(1e-6), |text| text.parse())?;
    let mut file = BufReader::with_capacity(1 << 20, File::open(&path)?);
    let (states, transitions) = (number(&mut file)? as usize, number(&mut file)? as usize);
    let starts: Vec<u64> = (0..=states).map(|_| number(&mut file)).collect::<Result<_, _>>()?;
    let mut bytes = vec![0; transitions * 4];
    file.read_exact(&mut bytes)?;
    let targets: Vec<u32> = bytes
        .chunks_exact(4)
        .map(|bytes| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
        .collect();
    drop(bytes);
    let mut builder = Builder::new(states, transitions);
    for state in 0..states {
        let mut row = Vec::new();
        for place in starts[state]..starts[state + 1] {
            row.push((targets[place as usize], f64::from_bits(number(&mut file)?)));
        }
        builder.row(row);
    }
    let reward = (0..states).map(|_| number(&mut file).map(f64::from_bits)).collect::<Result<Vec<_>, _>>()?;
    drop((starts, targets));
    let chain = builder.build([(0, 1.0)])?;
    let before = processor_seconds();
    let accuracy = Accuracy { relative, ..Accuracy::default() };
    let found = long_run(&chain, &[reward], accuracy)[0];
    let seconds = processor_seconds() - before;
    println!(
        "{{\"low\": {:e}, \"high\": {:e}, \"met\": {}, \"seconds\": {seconds:.3}, \"peak_mb\": {}}}",
        found.low,
        found.high,
        accuracy.is_met(found),
        peak()
    );
    Ok(())
}

fn number(file: &mut impl Read) -> std::io::Result<u64> {
    let mut bytes = [0; 8];
    file.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

/// How long this process has been computing, in seconds.
fn processor_seconds() -> f64 {
    let status = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = status.rsplit(')').next().unwrap_or_default();
    let ticks = after_name.split_whitespace().skip(11).take(2).filter_map(|text| text.parse::<f64>().ok());
    ticks.sum::<f64>() / 100.0
}

/// The most memory that was in use so far, in millions of bytes.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|rest| rest.trim().trim_end_matches(" kB").parse::<u64>().ok()).map_or(0, |kb| kb / 1000)
}
