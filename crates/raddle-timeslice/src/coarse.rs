//! What does a pool keep beside its exact figures, so that a scan need not look at most processes?
//!
//! Six columns of 16 bits a process: level, creation, run time over share in two units, the share, one over it. A scan
//! of them is a few products and comparisons of 16 bits, many to an instruction ([`Filter`](crate::filter::Filter)). Whatever
//! is rounded is rounded so that a process looks as if it were owed more than it is: what is passed over
//! is surely below the bar, and what is left is looked at exactly.
//!
//! Creation counts from `base` in units of 2^`age_shift` ticks, run time in units of 2^`ran_shift`.
//! The units suit most processes, not all: the few that are far older are always looked at, and those
//! that ran far longer count as less than they ran. Units are found anew when time has outgrown 16 bits
//! or a quarter of the pool has changed.

use alloc::vec::Vec;

use crate::Task;

/// Processes that a scan looks at together.
pub(crate) const BLOCK: usize = 64;
/// The level of a place that has no process.
const NOBODY: u16 = u16::MAX;
/// So many changes do not change the units, however small the pool.
const FEW: usize = 32;

/// The columns of a pool.
#[derive(Clone, Debug, Default)]
pub(crate) struct Coarse {
    pub(crate) base: u64,
    pub(crate) age_shift: u32,
    pub(crate) ran_shift: u32,
    pub(crate) share_shift: u32,
    /// No share was less when the units were found; 1 or more.
    pub(crate) least_share: u64,
    blocks: Vec<Block>,
    len: usize,
    /// Changes since the units were found.
    changes: usize,
}

/// The columns of some processes that stand together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) level: [u16; BLOCK],
    pub(crate) created: [u16; BLOCK],
    /// Run time over share.
    pub(crate) ran: [u16; BLOCK],
    /// The same in units of 2^[`Coarse::fine_shift`], or the most that there is.
    pub(crate) ran_fine: [u16; BLOCK],
    /// The share in units of 2^`share_shift`, rounded up, or the most that there is.
    pub(crate) share: [u16; BLOCK],
    /// The least share over the share, with 16 bits behind the point.
    pub(crate) inverse: [u16; BLOCK],
    /// Whether a share was not the least since the units were found.
    pub(crate) shares: bool,
    /// A bit a process: whether it is too old for the columns, so always looked at.
    pub(crate) always: u64,
    /// A bit a process: whether the one before it is owed as much or more, now and always.
    pub(crate) after: u64,
}

impl Block {
    const NOBODY: Self = Self {
        level: [NOBODY; BLOCK],
        created: [0; BLOCK],
        ran: [0; BLOCK],
        ran_fine: [0; BLOCK],
        share: [0; BLOCK],
        inverse: [0; BLOCK],
        shares: false,
        always: 0,
        after: 0,
    };

    /// Moves all from a place on by one, so that what stood there is gone, and ends with the first
    /// of the next.
    fn close(&mut self, at: usize, next: &Self) {
        for (column, first) in [
            (&mut self.level, next.level[0]),
            (&mut self.created, next.created[0]),
            (&mut self.ran, next.ran[0]),
            (&mut self.ran_fine, next.ran_fine[0]),
            (&mut self.share, next.share[0]),
            (&mut self.inverse, next.inverse[0]),
        ] {
            column.copy_within(at + 1.., at);
            column[BLOCK - 1] = first;
        }
        let kept = (1_u64 << at) - 1;
        let close =
            |bits: u64, first: u64| bits & kept | (bits >> 1) & !kept | first << (BLOCK - 1);
        self.always = close(self.always, next.always);
        self.after = close(self.after, next.after);
        self.shares |= next.shares;
    }
}

/// The shift that leaves so many bits.
const fn shift(value: u64, bits: u32) -> u32 {
    length(value).saturating_sub(bits)
}

/// Bits up to the highest that is set.
pub(crate) const fn length(value: u64) -> u32 {
    u64::BITS - value.leading_zeros()
}

/// Run time over share, rounded down.
const fn owed(task: &Task) -> u64 {
    if task.share > 1 { task.ran.0 / task.share } else { task.ran.0 }
}

/// The 16 bits that there are, saturated.
pub(crate) fn narrow(value: u64) -> u16 {
    u16::try_from(value).unwrap_or(u16::MAX)
}

/// The same with a bit as it should be.
const fn with(bits: u64, at: usize, bit: bool) -> u64 {
    bits & !(1 << at) | (bit as u64) << at
}

/// Whether `one`, which stands first, is owed as much as `two` or more, whatever t0 and the time.
fn leads(one: &Task, two: &Task) -> bool {
    one.level == two.level
        && one.created <= two.created
        && one.ran <= two.ran
        && one.share >= two.share
}

/// How long figures are, in bits.
struct Lengths([usize; u64::BITS as usize + 1]);

impl Lengths {
    fn of(figures: impl Iterator<Item = u64>) -> Self {
        let mut counts = [0; u64::BITS as usize + 1];
        figures.for_each(|figure| counts[length(figure) as usize] += 1);
        Self(counts)
    }

    /// The length that all but so many figures do not exceed.
    fn of_all_but(&self, mut longer: usize) -> u32 {
        for (length, &count) in self.0.iter().enumerate().rev() {
            if count > longer {
                return length as u32;
            }
            longer -= count;
        }
        0
    }
}

impl Coarse {
    pub(crate) const fn new() -> Self {
        Self {
            base: 0,
            age_shift: 0,
            ran_shift: 0,
            share_shift: 0,
            least_share: 1,
            blocks: Vec::new(),
            len: 0,
            changes: 0,
        }
    }

    /// The last of these tasks has come in.
    pub(crate) fn push(&mut self, tasks: &[Task], now: u64) {
        if self.len.is_multiple_of(BLOCK) {
            self.blocks.push(Block::NOBODY);
        }
        self.len = tasks.len();
        self.change(tasks, self.len - 1, now);
    }

    /// A task of them has run.
    pub(crate) fn charge(&mut self, tasks: &[Task], position: usize, now: u64) {
        self.change(tasks, position, now);
    }

    fn change(&mut self, tasks: &[Task], position: usize, now: u64) {
        self.changes += 1;
        if self.outgrown(now) || self.changes > self.len / 4 + FEW {
            self.scale(tasks, now);
        } else {
            self.set(tasks, position);
            self.follow(tasks, position + 1);
        }
    }

    /// Time has gone by.
    pub(crate) fn advance(&mut self, tasks: &[Task], now: u64) {
        if self.outgrown(now) {
            self.scale(tasks, now);
        }
    }

    /// The task at that position has left these.
    pub(crate) fn remove(&mut self, tasks: &[Task], position: usize) {
        let mut at = position % BLOCK;
        let mut rest = self.blocks.get_mut(position / BLOCK..).unwrap_or_default();
        while let Some((block, later)) = rest.split_first_mut() {
            block.close(at, later.first().unwrap_or(&Block::NOBODY));
            (at, rest) = (0, later);
        }
        self.len = tasks.len();
        self.changes += 1;
        self.blocks.truncate(self.len.div_ceil(BLOCK));
        self.follow(tasks, position);
    }

    /// An eighth of the range of times is for `t0`.
    const fn outgrown(&self, now: u64) -> bool {
        now.saturating_sub(self.base) >> self.age_shift >= 7 << 13
    }

    /// Finds units anew.
    fn scale(&mut self, tasks: &[Task], now: u64) {
        self.changes = 0;
        let ages = Lengths::of(tasks.iter().map(|task| now.saturating_sub(task.created.0)));
        // Above the age of most; and room for some that are older.
        let most = 1_u64.checked_shl(ages.of_all_but(tasks.len() / 64)).unwrap_or(u64::MAX);
        self.base = now.saturating_sub(most.saturating_add(most / 8));
        self.age_shift = shift(now - self.base, 15);
        // Up to twice as much as most ran is told apart; beyond that, all count alike.
        let times = Lengths::of(tasks.iter().map(owed));
        self.ran_shift = times.of_all_but(tasks.len() / 4).saturating_sub(15);
        let shares = || tasks.iter().map(|task| task.share.max(1));
        self.least_share = shares().min().unwrap_or(1);
        self.share_shift = shift(shares().max().unwrap_or(1), 16);
        self.blocks.iter_mut().for_each(|block| block.shares = false);
        for position in 0..tasks.len() {
            self.set(tasks, position);
        }
    }

    /// Writes what stands at a position.
    fn set(&mut self, tasks: &[Task], position: usize) {
        let (at, fine) = (position % BLOCK, self.fine_shift());
        let (Some(task), Some(block)) =
            (tasks.get(position), self.blocks.get_mut(position / BLOCK))
        else {
            return;
        };
        let created = task.created.0.checked_sub(self.base);
        block.level[at] = task.level.0.into();
        block.created[at] = narrow(created.unwrap_or(0) >> self.age_shift);
        let ran = owed(task);
        block.ran[at] = narrow(ran >> self.ran_shift);
        block.ran_fine[at] = narrow(ran >> fine);
        let share = task.share.max(1);
        let unit = 1 << self.share_shift;
        block.share[at] = narrow(share.div_ceil(unit));
        // Where that does not fit, 0 and with it any run time is safe.
        let inverse = self.least_share.checked_mul(u16::MAX.into()).unwrap_or(0) / share;
        block.inverse[at] = narrow(inverse);
        block.shares |= share != self.least_share;
        block.always = with(block.always, at, created.is_none());
        self.follow(tasks, position);
    }

    /// Writes whether what stands at a position is owed less than what stands before it.
    fn follow(&mut self, tasks: &[Task], position: usize) {
        let before = position.checked_sub(1).and_then(|before| tasks.get(before));
        let after = before.zip(tasks.get(position)).is_some_and(|(one, two)| leads(one, two));
        if let Some(block) = self.blocks.get_mut(position / BLOCK) {
            block.after = with(block.after, position % BLOCK, after);
        }
    }

    /// Fine units of run time are 256 times finer: where those that are loaded ran for much less
    /// than most, units that suit most say little of them.
    pub(crate) const fn fine_shift(&self) -> u32 {
        self.ran_shift.saturating_sub(8)
    }

    /// All blocks, in pool order.
    pub(crate) fn blocks(&self) -> &[Block] {
        &self.blocks
    }
}

#[cfg(test)]
mod tests {
    use raddle_policy::{Level, Tick, Ticks};

    use super::*;
    use crate::TaskId;

    #[test]
    fn a_block_closes_over_each_place() {
        let tasks: Vec<Task> = (0..140_u32)
            .map(|n| Task {
                id: TaskId(n),
                level: Level((n % 5 / 4) as u8),
                share: if n == 64 || n == 128 { 3 } else { 1 },
                created: Tick(u64::from(n / 3)),
                ran: Ticks(u64::from(n * 11 % 4)),
            })
            .collect();
        let columns = |tasks: &[Task]| {
            let mut columns = Coarse::new();
            (1..=tasks.len()).for_each(|count| columns.push(&tasks[..count], 100));
            // The units of all, whatever came last.
            columns.scale(tasks, 100);
            columns
        };
        for position in 0..tasks.len() {
            let (mut left, mut closed) = (tasks.clone(), columns(&tasks));
            left.remove(position);
            closed.remove(&left, position);
            let mut anew = columns(&left);
            (anew.base, anew.age_shift, anew.ran_shift) =
                (closed.base, closed.age_shift, closed.ran_shift);
            (anew.share_shift, anew.least_share) = (closed.share_shift, closed.least_share);
            (0..left.len()).for_each(|at| anew.set(&left, at));
            // Closed blocks may say of shares what was so before.
            closed.blocks.iter_mut().zip(&anew.blocks).for_each(|(closed, anew)| {
                assert!(closed.shares || !anew.shares);
                closed.shares = anew.shares;
            });
            assert_eq!(closed.blocks, anew.blocks, "{position}");
        }
    }
}
