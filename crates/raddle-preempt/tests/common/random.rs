//! What is drawn for a random plan or schedule?

use raddle_policy::Preemption;
use raddle_preempt::Abilities;

/// Generator of pseudo-random numbers (splitmix64): equal seeds give equal numbers.
#[derive(Clone, Debug)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Draws a number from 0 to `most`, both included.
    pub(crate) fn to(&mut self, most: u64) -> u64 {
        self.draw() % (most + 1)
    }

    pub(crate) fn percent(&mut self, share: u64) -> bool {
        self.to(99) < share
    }

    pub(crate) fn one<V: Copy>(&mut self, of: &[V]) -> V {
        of[self.to(of.len() as u64 - 1) as usize]
    }

    /// Draws the abilities of a runtime; it can drain, and switch, with a chance of `others`
    /// percent each.
    pub(crate) fn abilities(&mut self, others: u64) -> Abilities {
        let can_flag = self.percent(90);
        Abilities::NONE
            .with(Preemption::Flag, can_flag)
            .with(Preemption::Drain, self.percent(others))
            .with(Preemption::Reset, can_flag && self.percent(80))
            .with(Preemption::Switch, self.percent(others))
    }
}
