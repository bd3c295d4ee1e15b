//! How many workgroups a second does the contract's replay place?
//!
//! Wall time of the whole replay on one thread: searching, keeping two books, writing rows, hashing.
//! The median of five runs stands beside the fastest; the yardstick is what the simulator MGPUSim
//! took for its own replay of 20,000 workgroups, measured on a 2-core Zen 5 virtual machine: only
//! the order of magnitude of the ratio carries over to other machines.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark reads the clock and prints"
)]

use std::hint::black_box;
use std::time::Instant;

use raddle_golden::placement::contract::{Algorithm, Kernel, Replay};
use raddle_workgroup::Error;

const RUNS: usize = 5;
/// Workgroups a second of the peer: compute units, round-robin, greedy.
const PEER: [(u16, f64, f64); 2] = [(64, 9_390.0, 8_460.0), (304, 6_340.0, 4_440.0)];

fn main() -> Result<(), Error> {
    let kernel = Kernel { threads: 256, vgpr: 32, sgpr: 16, lds: 4096 };
    println!("algorithm      CUs    groups/s  fastest ns/group  median ns/group  times the peer");
    for (cus, round_robin, greedy) in PEER {
        for (name, algorithm, peer) in [
            ("round-robin", Algorithm::RoundRobin, round_robin),
            ("greedy", Algorithm::Greedy, greedy),
        ] {
            let groups = 20_000;
            let replay = Replay { algorithm, cus, groups, kernel };
            let mut nanoseconds = Vec::new();
            for _ in 0..RUNS {
                let start = Instant::now();
                let mut bytes = 0;
                black_box(replay.run(&mut |row| bytes += row.len())?);
                black_box(bytes);
                nanoseconds.push(start.elapsed().as_nanos() as f64 / groups as f64);
            }
            nanoseconds.sort_by(f64::total_cmp);
            let (fastest, median) = (nanoseconds[0], nanoseconds[RUNS / 2]);
            let rate = 1e9 / median;
            let ratio = rate / peer;
            println!(
                "{name:<12} {cus:>5} {rate:>11.0} {fastest:>17.0} {median:>16.0} {ratio:>14.0}x"
            );
        }
    }
    Ok(())
}
