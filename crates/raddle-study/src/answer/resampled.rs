//! Could the order of two recipes be an accident of the requests that they met?
//!
//! Both recipes met the same requests, so their figures rise and fall together, and their intervals
//! may overlap although one is always better. Blocks of requests that follow each other are drawn
//! again and again, the same for both, and the figures are compared each time (a block bootstrap).
//! The draws follow from a fixed seed, so equal figures give an equal answer.

use raddle_trace::arrivals::SplitMix64;

use super::{JudgedBy, PolicyFigures};

/// Number of times that the bootstrap draws the simulated requests again at random.
const DRAWS: usize = 200;
/// Number of blocks of neighbouring requests of which one bootstrap draw consists.
const BLOCKS: usize = 20;
/// Number of bootstrap draws that are cut off at each end of the sorted results, so that the middle
/// 95 % remain.
const BEYOND: usize = DRAWS / 40;
/// Smallest number of requests for which a bootstrap is made; from fewer nothing can be concluded.
const FEWEST: usize = 40;
/// Largest number of requests of a process that a bootstrap uses; later ones are ignored, as they
/// would cost time and change little.
const MOST: usize = 20_000;

impl PolicyFigures {
    /// Returns the interval in which the product of slowdowns under recipe `one`, over that under
    /// recipe `other`, lies for 95 of 100 random draws of the requests (a bootstrap). Below 1,
    /// `one` is better. `None` where no process has at least 40 requests that both recipes served.
    pub(super) fn ratio_resampled(&self, one: usize, other: usize) -> Option<[f64; 2]> {
        let requests = self.processes.iter().enumerate();
        let requests =
            requests.filter(|(at, it)| it.judged == JudgedBy::Requests && self.weighs(*at));
        let mut ratios = vec![self.rank(one) / self.rank(other); DRAWS];
        let mut any = false;
        for (at, _) in requests {
            let of = |row: usize| {
                let row = &self.rows[row];
                Some((row.in_order_ns.get(at)?.as_slice(), row.processes[at].decisive_ns?))
            };
            let ((own, own_ns), (others, other_ns)) = (of(one)?, of(other)?);
            let both = own.len().min(others.len()).min(MOST);
            if both < FEWEST {
                continue;
            }
            any = true;
            let found = own_ns as f64 / other_ns.max(1) as f64;
            let mut random = SplitMix64::new(0, at as u32);
            for ratio in &mut ratios {
                let begins: [usize; BLOCKS] =
                    core::array::from_fn(|_| random.below(both as u64) as usize);
                let drawn = p99(&own[..both], &begins) as f64;
                *ratio *= drawn / p99(&others[..both], &begins).max(1) as f64 / found;
            }
        }
        ratios.sort_by(f64::total_cmp);
        any.then(|| [ratios[BEYOND], ratios[DRAWS - 1 - BEYOND]])
    }
}

/// Returns the 99th percentile of one bootstrap draw: the draw joins equally long blocks of
/// `values` that begin at the positions `begins`. A block that reaches the last value continues
/// with the first.
fn p99(values: &[u64], begins: &[usize]) -> u64 {
    let length = values.len().div_ceil(begins.len());
    let mut drawn = Vec::with_capacity(length * begins.len());
    for &begin in begins {
        let end = begin + length;
        drawn.extend_from_slice(&values[begin..end.min(values.len())]);
        drawn.extend_from_slice(&values[..end.saturating_sub(values.len())]);
    }
    let rank = (drawn.len() * 99).div_ceil(100).saturating_sub(1);
    *drawn.select_nth_unstable(rank).1
}
