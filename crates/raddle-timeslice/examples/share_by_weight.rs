//! Who gets how much of a GPU under each slice rule?
//!
//! `cargo run -p raddle-timeslice --example share_by_weight`
//!
//! Three processes of one level always have work. Their shares are 1, 2 and 5, the smallest slice is 2 ms, and the
//! table shows what each has run after 10 s.
#![allow(clippy::print_stdout, reason = "an example prints")]

use raddle_policy::{Level, Ticks};
use raddle_timeslice::{PoolEntry, Runnable, Shares, SliceConfig, SliceError, SliceRule, TwoStage};

const SHARES: [u64; 3] = [1, 2, 5];
const MS: u64 = 1_000_000;

/// Pool of the processes that have work; here all processes have work all the time.
struct Pool(Vec<PoolEntry>);

impl Runnable for Pool {
    type Id = usize;

    fn most_urgent(&self) -> Option<Level> {
        self.0.iter().map(|entry| entry.level).min_by_key(|level| level.rank())
    }

    fn level(&self, id: usize) -> Option<Level> {
        self.0.get(id).map(|entry| entry.level)
    }

    fn entries(&self) -> impl Iterator<Item = PoolEntry> {
        self.0.iter().copied()
    }

    fn at(&self, index: usize) -> Option<usize> {
        Some(index)
    }
}

fn main() -> Result<(), SliceError> {
    println!("{:<9} {:>10} {:>10} {:>10}   turns", "rule", "share 1", "share 2", "share 5");
    for rule in SliceRule::ALL {
        let entry = |share| PoolEntry { level: Level(1), share, alive: Ticks(0), ran: Ticks(0) };
        let mut pool = Pool(SHARES.map(entry).into());
        let settings = SliceConfig::new(Ticks(2 * MS), 8, rule).with_shares(Shares::Time);
        let (mut stages, mut now, mut turns) = (TwoStage::new(&settings)?, 0, 0);
        while now < 10_000 * MS {
            let Some(slice) = stages.next(&pool) else { break };
            now += slice.length().0;
            pool.0.iter_mut().for_each(|entry| entry.alive = Ticks(now));
            pool.0[slice.id()].ran += slice.length();
            turns += 1;
        }
        let part = |at: usize| format!("{} %", pool.0[at].ran.0 * 100 / now);
        println!("{:<9} {:>10} {:>10} {:>10}   {turns}", rule.name(), part(0), part(1), part(2));
    }
    Ok(())
}
