//! Which processes of a block may reach the bar?
//!
//! The bar is the weight of the last process in a full cache. In the 16 bits of the columns, a process
//! may be above it if its run time over its share, at least t0 over its share, is at most its age, at
//! least t0, over the weight of the bar. Without a bar, the level says something. One that is younger than t0 weighs its share at most, so it is
//! no better than a bar of its share, and 16 bits need not decide how near the two are.

use raddle_policy::Level;

use crate::coarse::{BLOCK, Block, Coarse, length, narrow};
use crate::stage_one::Bar;

/// What may reach a bar, in the units of the columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Filter {
    level: u16,
    /// One more than the time.
    now: u16,
    /// Age counts as at least this.
    least_age: u16,
    /// One over the weight of the bar: units of run time over units of age, 16 bits behind the point.
    inverse: u16,
    /// Whether run time is in fine units.
    fine: bool,
    /// Run time counts only where this has bits: nowhere, or everywhere.
    counts: u16,
    /// By how much units of run time are shifted, so that `inverse` fits.
    shift: u16,
    /// Shifted run time over the least share counts as at least this.
    least_ran: u16,
    /// The same without its lower bits, and how many those are.
    least_wide: (u16, u16),
    young: Young,
    /// The first block in which a tie with the bar loses.
    ties_from: usize,
}

/// Who weighs no more than the bar, being younger than t0.
#[derive(Clone, Copy, Debug)]
struct Young {
    /// Created no earlier than this.
    since: u16,
    /// The share is no more than this.
    share: u16,
}

impl Young {
    /// Creation counts less than this.
    const NONE: Self = Self { since: u16::MAX, share: 0 };

    #[inline(never)]
    fn places(&self, block: &Block) -> u64 {
        let &Self { since, share } = self;
        // Neither is beyond: written so that 16 bits do it.
        bits(|at| {
            since.saturating_sub(block.created[at]) | block.share[at].saturating_sub(share) == 0
        })
    }
}

impl Filter {
    /// Of a level alone: nobody has run, and may have run for nothing.
    pub(crate) fn of_level(level: Level) -> Self {
        Self {
            level: level.0.into(),
            now: 0,
            least_age: 0,
            inverse: 0,
            fine: false,
            counts: 0,
            shift: 0,
            least_ran: 0,
            least_wide: (0, 0),
            young: Young::NONE,
            ties_from: usize::MAX,
        }
    }

    /// Which places of a block hold processes that may reach the bar: bit 0 for the first.
    #[inline]
    pub(crate) fn places(&self, number: usize, block: &Block) -> u64 {
        let reach = if block.shares { self.reach_by_share(block) } else { self.reach(block) };
        // To look at few is cheaper than this.
        if reach.count_ones() < 4 || number < self.ties_from {
            return reach | block.always;
        }
        reach & !self.young.places(block) | block.always
    }

    /// Of a block of which all have the least share. Each of these is a function of its own: next to
    /// more code, the compiler widens what stands still to 32 bits once, and loses products of 16.
    #[inline(never)]
    fn reach(&self, block: &Block) -> u64 {
        let ran = self.ran_of(block);
        bits(|at| self.reaches(block, at, ran[at], self.least_ran))
    }

    #[inline(never)]
    fn reach_by_share(&self, block: &Block) -> u64 {
        let (ran, (least, below)) = (self.ran_of(block), self.least_wide);
        let most = u16::MAX >> below;
        bits(|at| {
            let least = high(least, block.inverse[at]).min(most) << below;
            self.reaches(block, at, ran[at], least)
        })
    }

    #[inline]
    const fn ran_of<'b>(&self, block: &'b Block) -> &'b [u16; BLOCK] {
        if self.fine { &block.ran_fine } else { &block.ran }
    }

    /// Whether the process at a place may reach it, if it ran for so much, and at least so much.
    #[inline]
    fn reaches(&self, block: &Block, at: usize, ran: u16, least_ran: u16) -> bool {
        let age = self.now.wrapping_sub(block.created[at]).max(self.least_age);
        let ran = ((ran & self.counts) >> self.shift).max(least_ran);
        (block.level[at] == self.level) & (ran <= high(age, self.inverse))
    }
}

/// A bit for each place: without a branch a place, many are done by one instruction.
#[inline]
fn bits(is: impl Fn(usize) -> bool) -> u64 {
    let mut found = [0_u8; BLOCK];
    for (at, found) in found.iter_mut().enumerate() {
        *found = u8::from(is(at));
    }
    let (eights, _) = found.as_chunks::<8>();
    if eights.iter().all(|&eight| u64::from_le_bytes(eight) == 0) {
        return 0;
    }
    eights.iter().rev().fold(0, |bits, &eight| {
        // The product moves the eight lowest bits of bytes together, to the top.
        let eight = u64::from_le_bytes(eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        bits << 8 | eight
    })
}

/// A product without its lower 16 bits.
#[inline]
fn high(one: u16, two: u16) -> u16 {
    ((u32::from(one) * u32::from(two)) >> 16) as u16
}

/// The bar where 16 bits say what it is, as one over its weight.
struct Inverse {
    inverse: u16,
    shift: u32,
}

impl Inverse {
    /// From one over the weight with 64 bits behind the point, in ticks over ticks; rounded up.
    fn of(inverse: u64, age_shift: u32, ran_shift: u32) -> Option<Self> {
        // By so much it is shifted to the left for 16 bits behind the point, in units over units.
        let left = i64::from(age_shift) - i64::from(ran_shift) - 48;
        let bits = i64::from(u64::BITS - inverse.leading_zeros());
        let shift = (bits + left - 16).max(left).max(0);
        let right = u32::try_from(shift - left).ok()?;
        let inverse = inverse.checked_shr(right).unwrap_or(0).checked_add(1)?;
        let shift = u32::try_from(shift).ok()?;
        Some(match u16::try_from(inverse) {
            Ok(inverse) => Self { inverse, shift },
            // Above the most by one: half of it is exact.
            Err(_) => Self { inverse: 1 << 15, shift: shift + 1 },
        })
    }
}

impl Coarse {
    /// What may reach a bar; `bar` is of a full cache.
    pub(crate) fn filter(&self, bar: &Bar, level: Level, t0: u64, now: u64) -> Filter {
        let since = now.saturating_sub(self.base);
        Filter {
            young: self.young(bar, t0, since),
            // Whoever stands in an earlier block, or in the same, may come before the bar.
            ties_from: bar.index() / BLOCK + 1,
            ..self.by_age(bar, level, t0, since).unwrap_or(Filter::of_level(level))
        }
    }

    /// What age and run time say, if the bar is known and all fit.
    fn by_age(&self, bar: &Bar, level: Level, t0: u64, since: u64) -> Option<Filter> {
        let bar = bar.inverse()?;
        // Where nobody who may reach the bar ran for more than fine units can say, those.
        let fine = Inverse::of(bar, self.age_shift, self.fine_shift()).filter(|of| of.shift == 0);
        let (fine, ran_shift, Inverse { inverse, shift }) = match fine {
            Some(of) => (true, self.fine_shift(), of),
            None => (false, self.ran_shift, Inverse::of(bar, self.age_shift, self.ran_shift)?),
        };
        let least_ran = (t0 / self.least_share).checked_shr(ran_shift + shift).unwrap_or(0);
        let below = length(least_ran).saturating_sub(16).min(15);
        let up = |ticks: u64| u16::try_from((ticks >> self.age_shift).checked_add(1)?).ok();
        Some(Filter {
            now: up(since)?,
            least_age: up(t0)?,
            inverse,
            fine,
            // Behind a shift by 16, nothing is left of run time.
            counts: if shift < 16 { u16::MAX } else { 0 },
            shift: u16::try_from(shift).ok().filter(|&shift| shift < 16).unwrap_or(0),
            least_ran: narrow(least_ran),
            least_wide: (narrow(least_ran >> below), below as u16),
            ..Filter::of_level(level)
        })
    }

    fn young(&self, bar: &Bar, t0: u64, since: u64) -> Young {
        let Some(share) = bar.share() else { return Young::NONE };
        let unit = 1_u64.checked_shl(self.age_shift).unwrap_or(u64::MAX);
        Young {
            since: narrow(since.saturating_sub(t0).div_ceil(unit)),
            // The most that there is stands for any share.
            share: narrow(share >> self.share_shift).min(u16::MAX - 1),
        }
    }
}
