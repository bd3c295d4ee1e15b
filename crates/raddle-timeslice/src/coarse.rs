//! Which processes of a pool need no look, because they are surely owed too little?
//!
//! Three columns of 16 bits a process, beside the exact figures: level, creation, run time over share. A
//! scan of them is a product and a comparison of 16 bits, many to an instruction. Whatever is rounded is
//! rounded so that a process looks as if it were owed more than it is: what is passed over is surely
//! below the bar, and what is left is looked at exactly.
//!
//! Creation counts from `base` in units of 2^`age_shift` ticks, run time in units of 2^`ran_shift`.
//! Both units grow when time or run times outgrow 16 bits, at least by half of them at once.

use alloc::vec::Vec;

use raddle_types::Level;

use crate::Task;

/// Processes that a scan looks at together.
pub(crate) const BLOCK: usize = 32;
/// The level of a place that has no process.
const NOBODY: u16 = u16::MAX;

/// The columns of a pool.
#[derive(Clone, Debug, Default)]
pub(crate) struct Coarse {
    base: u64,
    age_shift: u32,
    ran_shift: u32,
    blocks: Vec<Block>,
    len: usize,
    /// No process has a larger share.
    largest_share: u64,
}

/// The columns of some processes that stand together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    level: [u16; BLOCK],
    created: [u16; BLOCK],
    ran: [u16; BLOCK],
}

/// What may reach a bar, in the units of the columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Filter {
    level: u16,
    now: u16,
    /// One over the weight of the bar: units of run time over units of age, 16 bits behind the point.
    inverse: u16,
    /// By how much units of run time are shifted, so that this fits.
    shift: u16,
    /// Shifted run times count as at least this.
    least: u16,
}

impl Filter {
    /// Which places of a block hold processes that may reach the bar: bit 0 for the first.
    #[inline]
    pub(crate) fn places(&self, block: &Block) -> u32 {
        // Without a branch a process, many of these are done by one instruction.
        let mut may = [0_u8; BLOCK];
        for (at, may) in may.iter_mut().enumerate() {
            let age = self.now.wrapping_sub(block.created[at]);
            let most = ((u32::from(age) * u32::from(self.inverse)) >> 16) as u16;
            let ran = (block.ran[at] >> self.shift).max(self.least);
            *may = u8::from((block.level[at] == self.level) & (ran <= most));
        }
        let (eights, _) = may.as_chunks::<8>();
        eights.iter().rev().fold(0, |places, &eight| {
            // The product moves the eight lowest bits of bytes together, to the top.
            let bits = u64::from_le_bytes(eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
            places << 8 | bits as u32
        })
    }
}

/// The shift that leaves so many bits.
const fn shift(value: u64, bits: u32) -> u32 {
    (u64::BITS - value.leading_zeros()).saturating_sub(bits)
}

/// Run time over share, rounded down.
const fn owed(task: &Task) -> u64 {
    if task.share > 1 { task.ran.0 / task.share } else { task.ran.0 }
}

/// The 16 bits that there are, saturated.
fn narrow(value: u64) -> u16 {
    u16::try_from(value).unwrap_or(u16::MAX)
}

impl Coarse {
    pub(crate) const fn new() -> Self {
        Self { base: 0, age_shift: 0, ran_shift: 0, blocks: Vec::new(), len: 0, largest_share: 1 }
    }

    /// The last of these tasks has come in.
    pub(crate) fn push(&mut self, tasks: &[Task], now: u64) {
        let Some((task, before)) = tasks.split_last() else { return };
        self.largest_share = if before.is_empty() { 1 } else { self.largest_share };
        self.largest_share = self.largest_share.max(task.share);
        if self.len.is_multiple_of(BLOCK) {
            let nobody = Block { level: [NOBODY; BLOCK], created: [0; BLOCK], ran: [0; BLOCK] };
            self.blocks.push(nobody);
        }
        self.len += 1;
        if before.is_empty() || task.created.0 < self.base || self.outgrown(now, owed(task)) {
            self.scale(tasks, now);
        } else {
            self.set(before.len(), task);
        }
    }

    /// A task of them has run.
    pub(crate) fn charge(&mut self, tasks: &[Task], position: usize, now: u64) {
        let Some(task) = tasks.get(position) else { return };
        if self.outgrown(now, owed(task)) {
            self.scale(tasks, now);
        } else {
            self.set(position, task);
        }
    }

    /// Time has gone by.
    pub(crate) fn advance(&mut self, tasks: &[Task], now: u64) {
        if self.outgrown(now, 0) {
            self.scale(tasks, now);
        }
    }

    /// The task at that position has left these.
    pub(crate) fn remove(&mut self, tasks: &[Task], position: usize) {
        for (at, task) in tasks.iter().enumerate().skip(position) {
            self.set(at, task);
        }
        self.len = tasks.len();
        self.blocks.truncate(self.len.div_ceil(BLOCK));
        if let Some(block) = self.blocks.get_mut(self.len / BLOCK) {
            block.level[self.len % BLOCK] = NOBODY;
        }
    }

    /// An eighth of the range of times is for `t0`.
    const fn outgrown(&self, now: u64, ran: u64) -> bool {
        now.saturating_sub(self.base) >> self.age_shift >= 7 << 13
            || ran >> self.ran_shift >= 1 << 16
    }

    /// Finds units anew.
    fn scale(&mut self, tasks: &[Task], now: u64) {
        let oldest = tasks.iter().map(|task| task.created.0).min().unwrap_or(now);
        // Room for older ones, so that each does not change the units again.
        self.base = oldest.saturating_sub(now.saturating_sub(oldest) / 8);
        self.age_shift = shift(now.saturating_sub(self.base), 15);
        self.ran_shift = shift(tasks.iter().map(owed).max().unwrap_or(0), 15);
        for (position, task) in tasks.iter().enumerate() {
            self.set(position, task);
        }
    }

    fn set(&mut self, position: usize, task: &Task) {
        let created = narrow(task.created.0.saturating_sub(self.base) >> self.age_shift);
        let ran = narrow(owed(task) >> self.ran_shift);
        if let Some(block) = self.blocks.get_mut(position / BLOCK) {
            let at = position % BLOCK;
            (block.level[at], block.created[at], block.ran[at]) =
                (task.level.0.into(), created, ran);
        }
    }

    /// All blocks, in pool order.
    pub(crate) fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// What is below a bar, given as one over its weight, from above, with 64 bits behind the point;
    /// `None` where 16 bits cannot tell.
    pub(crate) fn filter(&self, level: Level, inverse: u64, t0: u64, now: u64) -> Option<Filter> {
        // Alive time counts as at least t0: all are older by so much.
        let now = now.saturating_sub(self.base).checked_add(t0)? >> self.age_shift;
        let now = now.checked_add(1)?;
        // From 64 bits behind the point to 16, and from ticks to units.
        let left = i64::from(self.age_shift) - i64::from(self.ran_shift) - 48;
        let bits = i64::from(u64::BITS - inverse.leading_zeros());
        // A run time of 16 bits says nothing behind a shift by as many.
        let shift = u32::try_from((bits + left - 16).max(0)).ok().filter(|&shift| shift < 16)?;
        let right = u32::try_from(i64::from(shift) - left).ok()?;
        let inverse = inverse.checked_shr(right).unwrap_or(0).checked_add(1)?;
        Some(Filter {
            level: level.0.into(),
            now: u16::try_from(now).ok()?,
            inverse: u16::try_from(inverse).ok()?,
            shift: u16::try_from(shift).ok()?,
            least: narrow(
                (t0 / self.largest_share.max(1)).checked_shr(self.ran_shift + shift).unwrap_or(0),
            ),
        })
    }
}
