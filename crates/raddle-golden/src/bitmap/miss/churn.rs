//! How often does a search miss a free run while blocks are taken and given back for some time?
//!
//! Blocks in use then lie in clusters, so that a map of random bits says little of them. Requests
//! of random length come one by one, each search is tried on the map before it, the lowest fitting
//! run is taken if there is one, and runs are given back at random until the use is below a random
//! level. All numbers follow from the seed of the random generator.

use raddle_bitmap::{FreeMap, Search};

use crate::ModelError;

/// A simulation of random requests for blocks of a free map, and of random releases; it counts how
/// often simplified searches miss a free run that is long enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Churn {
    /// Number of blocks of the simulated free map.
    pub blocks: u32,
    /// (shortest, longest) request, in blocks; every length in this range is equally likely.
    pub want: (u32, u32),
    /// (least, most) percent of the map's blocks that are in use; requests are made and freed so
    /// that the use stays between them.
    pub used_percent: (u32, u32),
    /// Number of requests that the simulation makes.
    pub requests: u32,
    /// Seed of the random numbers of the simulation.
    pub seed: u64,
}

/// Counts of a simulation of block requests and releases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChurnCount {
    /// Number of requests for which no free run was long enough.
    pub refused: u64,
    /// Number of refused requests for which the sum of all free blocks would have been enough.
    pub fragmented: u64,
    /// Number of requests that each search missed, in the order in which the searches were given:
    /// the search found no room although a free run was long enough.
    pub missed: Vec<u64>,
}

impl Churn {
    /// Returns a simulation, for a map of `blocks` blocks, of ten thousand requests of 4 to 32
    /// blocks at 50 to 95 percent use.
    #[must_use]
    pub const fn typical(blocks: u32) -> Self {
        let most = if blocks < 32 { blocks } else { 32 };
        let least = if blocks < 4 { 1 } else { 4 };
        let want = (least, most);
        Self { blocks, want, used_percent: (50, 95), requests: 10_000, seed: 1 }
    }

    /// Runs the simulation, and tries every search at every request. Returns how many requests were
    /// refused, and how many each search missed.
    ///
    /// # Errors
    /// Where the map has no blocks; [`ModelError::Churn`] where the range of requests or of use is
    /// empty or too large; where a search was made for a map of another size.
    pub fn run(&self, searches: &[&dyn Search]) -> Result<ChurnCount, ModelError> {
        let mut map = FreeMap::new(self.blocks)?;
        let ((least, most), (low, high)) = (self.want, self.used_percent);
        if least == 0 || least > most || most > self.blocks || low > high || high > 100 {
            return Err(ModelError::Churn);
        }
        let mut count = ChurnCount { refused: 0, fragmented: 0, missed: vec![0; searches.len()] };
        let mut random = Random(self.seed);
        let mut held: Vec<(u32, u32)> = Vec::new();
        for _ in 0..self.requests {
            let want = random.between(least, most);
            let refusal = map.refusal(want);
            count.refused += u64::from(refusal.is_some());
            count.fragmented += u64::from(refusal.is_some_and(|it| it.is_fragmentation()));
            for (search, missed) in searches.iter().zip(&mut count.missed) {
                let reported = search.fits(map.view(), want)?;
                *missed += u64::from(!reported && refusal.is_none());
            }
            if let Some(plan) = map.first_fit(want) {
                held.push((map.commit(plan)?, want));
            }
            let level = u64::from(random.between(low, high));
            while used_percent(&map) > level && !held.is_empty() {
                let leaves = random.below(held.len() as u64) as usize;
                let (start, len) = held.swap_remove(leaves);
                map.release(start, len)?;
            }
        }
        Ok(count)
    }
}

fn used_percent(map: &FreeMap) -> u64 {
    let used = u64::from(map.blocks() - map.free_blocks());
    used * 100 / u64::from(map.blocks())
}

/// A random generator: a counter with an odd step, whose values are mixed until their bits look
/// random.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Draws a number from 0 to `n` - 1; `n` is not 0. The upper half of a product is taken, which
    /// needs no division.
    fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(n)) >> 64) as u64
    }

    fn between(&mut self, least: u32, most: u32) -> u32 {
        // The drawn number is below 2^32 again.
        least + self.below(u64::from(most - least) + 1) as u32
    }
}
