//! Policy `spatial`: every process has compute units of its own.
//!
//! The device is cut into contiguous blocks of compute units in the order of the processes, sized
//! by their shares with the largest-remainder rule (ties to the lowest process), anew whenever a
//! process joins or leaves; resident workgroups stay where they are. Within its block a process is
//! served by the policy `leftover` over its own launches; no process waits for another. A process
//! whose block is empty, where there are more processes than compute units, places nothing.
//!
//! With the setting `lend`, units of a process that has nothing to start serve others, the lowest
//! first, up to their limits. As soon as the owner has something to start, the units are its own
//! again: workgroups of others end there, and none follows them.

use alloc::vec::Vec;
use core::cmp::Reverse;
use core::ops::Range;

use raddle_policy::{
    Allocate, Answer, CuId, Cus, Fact, Launch, ProcessId, ReadyLaunch, ReadyView, Refusal,
    Resource, Round, Tick,
};

use super::leftover::place_within;
use super::rounds::Dealer;
use super::waiting::{Asked, start, waiting};
use crate::Error;
use crate::error::Reason;

/// The settings of the policy [`Spatial`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", default, deny_unknown_fields))]
pub struct SpatialConfig {
    /// The shares of the processes, by process id, each 1 or more: the compute units are divided in
    /// proportion to the shares. A process beyond the list has the share with which it joined.
    pub(crate) shares: Vec<u32>,
    /// The number of shares into which the whole device is divided, of which each process gets as
    /// many as it has. Where the processes together have fewer, some compute units go to no
    /// process. `None`, or a number below the sum of the processes' shares, stands for that sum.
    pub(crate) of: Option<u32>,
    /// True if compute units of a process that has no workgroup to start serve other processes.
    pub(crate) lend: bool,
    /// The largest number of shares of the device that each process may use, by process id. Compute
    /// units that other processes lend to it count too. A process beyond the list, or with 0, may
    /// use all units.
    pub(crate) limits: Vec<u32>,
}

impl SpatialConfig {
    /// Returns whether compute units of a process that has no workgroup to start serve other
    /// processes.
    #[must_use]
    pub const fn lend(&self) -> bool {
        self.lend
    }

    /// Sets the shares of the processes, by process id, each 1 or more: the compute units are
    /// divided in proportion to the shares. A process beyond the list has the share with which it
    /// joined.
    #[must_use]
    pub fn with_shares(mut self, shares: Vec<u32>) -> Self {
        self.shares = shares;
        self
    }

    /// Sets the number of shares into which the whole device is divided, of which each process gets
    /// as many as it has. Where the processes together have fewer, some compute units go to no
    /// process. `None`, or a number below the sum of the processes' shares, stands for that sum.
    #[must_use]
    pub const fn with_of(mut self, of: Option<u32>) -> Self {
        self.of = of;
        self
    }

    /// Sets whether compute units of a process that has no workgroup to start serve other
    /// processes.
    #[must_use]
    pub const fn with_lend(mut self, lend: bool) -> Self {
        self.lend = lend;
        self
    }

    /// Sets the largest number of shares of the device that each process may use, by process id.
    /// Compute units that other processes lend to it count too. A process beyond the list, or with
    /// 0, may use all units.
    #[must_use]
    pub fn with_limits(mut self, limits: Vec<u32>) -> Self {
        self.limits = limits;
        self
    }
}

/// A policy under which every process has a block of compute units of its own.
#[derive(Clone, Debug)]
pub struct Spatial {
    config: SpatialConfig,
    /// The blocks of compute units of the processes, in the order of their ids.
    blocks: Vec<ProcessBlock>,
    /// The number of compute units that was last divided into blocks (ranges, one for each
    /// process); `None` when the blocks have to be computed anew.
    cut_for: Option<u16>,
    /// The compute units of other processes that the process whose launch is being placed may use.
    /// The list is kept between answers so that no answer allocates memory.
    lent: Vec<CuId>,
    dealer: Dealer,
    asked: Asked,
}

#[derive(Clone, Debug)]
struct ProcessBlock {
    process: ProcessId,
    share: u32,
    units: Range<u16>,
    /// The launch of the process that last found no room in the process's block of compute units;
    /// `None` once a workgroup of the process is placed.
    refused: Option<RefusedHead>,
    /// True if the process has a workgroup to start. The field is kept up to date only where the
    /// setting `lend` is true.
    busy: bool,
}

/// A launch that found no room in its process's block of compute units, and the refusal that says
/// why.
#[derive(Clone, Copy, Debug)]
struct RefusedHead {
    /// The number of the last question to the policy in which the launch found no room.
    question: u64,
    why: Refusal,
}

impl Spatial {
    /// Returns a policy with these settings, before any process has joined.
    ///
    /// # Errors
    /// When the share of a process is 0.
    pub fn new(config: SpatialConfig) -> Result<Self, Error> {
        let mut shares = (0..).map(ProcessId).zip(&config.shares);
        if let Some((process, _)) = shares.find(|&(_, &share)| share == 0) {
            return Err(Error(Reason::ZeroShare { process }));
        }
        Ok(Self {
            config,
            blocks: Vec::new(),
            cut_for: None,
            lent: Vec::new(),
            dealer: Dealer::default(),
            asked: Asked::default(),
        })
    }

    /// Returns the index in `blocks` of the block of a process; a process that never joined joins
    /// now, with share 1.
    fn position(&mut self, process: ProcessId) -> usize {
        // Where no process has left, its id is its position.
        let likely = process.index();
        if self.blocks.get(likely).is_some_and(|block| block.process == process) {
            return likely;
        }
        match self.blocks.binary_search_by_key(&process, |block| block.process) {
            Ok(position) => position,
            Err(position) => {
                self.join(position, process, 1);
                position
            }
        }
    }

    fn join(&mut self, position: usize, process: ProcessId, share: u32) {
        let configured = self.config.shares.get(process.index()).copied();
        let block = ProcessBlock {
            process,
            share: configured.unwrap_or(share).max(1),
            units: 0..0,
            refused: None,
            busy: false,
        };
        self.blocks.insert(position, block);
        self.cut_for = None;
    }

    /// Divides the compute units into new blocks if a process has joined or left; where the setting
    /// `lend` is true, also records which processes have a workgroup to start.
    fn cut(&mut self, ready: &ReadyView<'_>) {
        for entry in waiting(ready) {
            self.position(entry.launch().process);
        }
        // Compute units are numbered by u16.
        let units = ready.cus().len() as u16;
        if self.cut_for != Some(units) {
            cut(&mut self.blocks, self.config.of, units);
            self.cut_for = Some(units);
        }
        if !self.config.lend {
            return;
        }
        for block in &mut self.blocks {
            block.busy = false;
        }
        for entry in waiting(ready) {
            let position = self.position(entry.launch().process);
            self.blocks[position].busy = true;
        }
    }

    /// Fills `lent` with compute units that a process may use beside its own: those of processes
    /// without work, and those that no process owns. `position` is the index of the process's
    /// block, and `units` the number of all compute units.
    fn borrow(&mut self, position: usize, units: u16) {
        self.lent.clear();
        if !self.config.lend {
            return;
        }
        let own = &self.blocks[position];
        let given: u64 = self.blocks.iter().map(|block| u64::from(block.share)).sum();
        let all = given.max(self.config.of.map_or(0, u64::from)).max(1);
        let limit = self.config.limits.get(own.process.index()).copied().filter(|&limit| limit > 0);
        let most =
            limit.map_or(u64::from(units), |limit| u64::from(limit) * u64::from(units) / all);
        let more = usize::try_from(most).unwrap_or(usize::MAX).saturating_sub(own.units.len());
        let idle = self.blocks.iter().filter(|block| !block.busy);
        // Units behind the last block belong to nobody, and are lent too.
        let last = self.blocks.iter().map(|block| block.units.end).max().unwrap_or(0);
        let idle = idle.flat_map(|block| block.units.clone()).chain(last..units);
        self.lent.extend(idle.map(CuId).take(more));
    }

    /// Places workgroups of `entry` that found no room in the compute units of their own process on
    /// units that other processes lend: with `bulk` as many as fit, else one. Returns whether at
    /// least one fits.
    fn place_lent(
        &mut self,
        position: usize,
        cus: &Cus,
        entry: &ReadyLaunch,
        bulk: bool,
        round: &mut Round,
    ) -> bool {
        // Compute units are numbered by u16.
        self.borrow(position, cus.len() as u16);
        // `u16::MAX` is the number of no compute unit, so the addition cannot overflow.
        let lent = self.lent.iter().map(|cu| cu.0..cu.0 + 1);
        place_within(&mut self.dealer, cus, lent, entry, bulk, round)
    }

    fn place(&mut self, ready: &ReadyView<'_>, bulk: bool, round: &mut Round) -> Answer {
        self.cut(ready);
        self.asked.begin(ready.cus());
        let question = self.asked.question();
        for entry in waiting(ready) {
            let launch = &entry.launch();
            let position = self.position(launch.process);
            let block = &mut self.blocks[position];
            if block.refused.is_some_and(|before| before.question == question) {
                continue;
            }
            // Lent units serve other processes as well, so with `lend` no refusal is remembered.
            let known = |before: &RefusedHead| before.why.launch == launch.id && !self.config.lend;
            let before = block.refused.filter(known);
            let units = block.units.clone();
            let may_fit = self.asked.since(before.map_or(0, |before| before.question), ready.cus());
            let mut open = may_fit.of(units.clone()).peekable();
            let why = match before {
                // In this block nothing was freed, and no other process places there.
                Some(before) if open.peek().is_none() => before.why,
                _ if place_within(&mut self.dealer, ready.cus(), open, entry, bulk, round)
                    || self.place_lent(position, ready.cus(), entry, bulk, round) =>
                {
                    self.blocks[position].refused = None;
                    round.refusals.clear();
                    return start(launch.id);
                }
                _ if units.is_empty() => no_units(launch),
                _ => ready.cus().refusal(CuId(units.start), launch),
            };
            self.blocks[position].refused = Some(RefusedHead { question, why });
            round.refuse(why);
        }
        self.asked.wait();
        Answer::WAIT
    }
}

fn no_units(launch: &Launch) -> Refusal {
    Refusal { launch: launch.id, cu: None, resource: Resource::Cus, wanted: 1, available: 0 }
}

/// Divides `units` compute units into contiguous blocks, one for each process, in proportion to the
/// shares, by the largest-remainder rule. All units together are `of` shares: where the processes
/// have fewer, some units go to no process. `None` stands for the sum of their shares.
fn cut(blocks: &mut [ProcessBlock], of: Option<u32>, units: u16) {
    let given: u64 = blocks.iter().map(|block| u64::from(block.share)).sum();
    let all = given.max(of.map_or(0, u64::from));
    if all == 0 {
        return;
    }
    let due = |block: &ProcessBlock| u64::from(block.share) * u64::from(units);
    // `given` is no more than `all`, so the quotient is at most `units`, which is a u16.
    let mut left = (given * u64::from(units) / all) as u16;
    for block in &mut *blocks {
        // The whole part is at most `units`, which is a u16.
        let whole = (due(block) / all) as u16;
        block.units = 0..whole;
        left -= whole;
    }
    let mut by_remainder: Vec<usize> = (0..blocks.len()).collect();
    by_remainder.sort_by_key(|&position| Reverse(due(&blocks[position]) % all));
    // The whole parts leave less than one unit a process.
    for &position in by_remainder.iter().take(usize::from(left)) {
        blocks[position].units.end += 1;
    }
    let mut start = 0;
    for block in blocks {
        block.refused = None;
        block.units = start..start + block.units.end;
        start = block.units.end;
    }
}

impl Allocate for Spatial {
    fn may_stop(&self) -> Option<&'static str> {
        let none = self.blocks.iter().any(|block| block.units.is_empty());
        none.then_some("a share of less than one compute unit")
    }

    fn allocate(&mut self, ready: &ReadyView<'_>, _now: Tick, round: &mut Round) -> Answer {
        self.place(ready, false, round)
    }

    fn allocate_round(&mut self, ready: &ReadyView<'_>, _now: Tick, round: &mut Round) -> Answer {
        self.place(ready, true, round)
    }

    fn reads_the_view(&self) -> bool {
        true
    }

    fn most_units(&self, process: ProcessId, all: u16) -> Option<u16> {
        // Lent units are never a process's own, but it may have them.
        if self.config.lend {
            return None;
        }
        let mut blocks = self.blocks.clone();
        cut(&mut blocks, self.config.of, all);
        let own = blocks.iter().find(|block| block.process == process)?;
        // The number of a block's units is at most `all`.
        Some(own.units.len() as u16)
    }

    fn observe(&mut self, fact: &Fact<'_>, _now: Tick) {
        let (&Fact::ProcessJoined { process, .. } | &Fact::ProcessLeft { process }) = fact else {
            return;
        };
        let known = self.blocks.binary_search_by_key(&process, |block| block.process);
        if let Ok(position) = known {
            self.blocks.remove(position);
            self.cut_for = None;
        }
        if let Fact::ProcessJoined { share, .. } = fact {
            let (Ok(position) | Err(position)) = known;
            self.join(position, process, *share);
        }
    }

    fn minds_refills(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lengths(shares: &[u32], units: u16) -> Vec<u16> {
        let mut policy = Spatial::new(SpatialConfig::default()).unwrap();
        for (process, &share) in (0..).map(ProcessId).zip(shares) {
            policy.observe(&Fact::ProcessJoined { process, share }, Tick::ZERO);
        }
        cut(&mut policy.blocks, None, units);
        let mut end = 0;
        for block in &policy.blocks {
            assert_eq!(block.units.start, end, "blocks are contiguous");
            end = block.units.end;
        }
        assert_eq!(end, if shares.is_empty() { 0 } else { units });
        policy.blocks.iter().map(|block| block.units.len() as u16).collect()
    }

    #[test]
    fn largest_remainders_get_the_rest_ties_to_the_lowest_process() {
        assert_eq!(lengths(&[1, 1, 1], 8), [3, 3, 2]);
        assert_eq!(lengths(&[1, 2, 4], 10), [1, 3, 6]);
        assert_eq!(lengths(&[1, 1, 1, 1], 2), [1, 1, 0, 0]);
        assert_eq!(lengths(&[1, 3], 1), [0, 1]);
        assert_eq!(lengths(&[u32::MAX, u32::MAX, 1], u16::MAX), [32768, 32767, 0]);
        assert_eq!(lengths(&[5], 0), [0]);
        assert!(lengths(&[], 5).is_empty());
    }

    #[test]
    fn what_nobody_has_stays_idle() {
        let lengths = |shares: &[u32], of, units| {
            let mut policy = Spatial::new(SpatialConfig {
                shares: shares.to_vec(),
                of,
                ..SpatialConfig::default()
            })
            .unwrap();
            for process in (0..).map(ProcessId).take(shares.len()) {
                policy.observe(&Fact::ProcessJoined { process, share: 1 }, Tick::ZERO);
            }
            cut(&mut policy.blocks, of, units);
            policy.blocks.iter().map(|block| block.units.len()).collect::<Vec<_>>()
        };
        assert_eq!(lengths(&[42, 56], Some(108), 108), [42, 56]);
        assert_eq!(lengths(&[60, 30], Some(100), 132), [79, 39]);
        assert_eq!(lengths(&[1, 1], Some(1), 9), [5, 4], "no less than the sum");
    }

    #[test]
    fn a_share_of_0_is_refused_and_a_configured_one_holds() {
        let config = SpatialConfig { shares: alloc::vec![2, 0], ..SpatialConfig::default() };
        let process = ProcessId(1);
        assert_eq!(Spatial::new(config).unwrap_err(), Error(Reason::ZeroShare { process }));
        let config = SpatialConfig { shares: alloc::vec![2], ..SpatialConfig::default() };
        let mut policy = Spatial::new(config).unwrap();
        for (process, share) in [(1, 7), (0, 9), (1, 3)] {
            let process = ProcessId(process);
            policy.observe(&Fact::ProcessJoined { process, share }, Tick::ZERO);
        }
        let shares: Vec<u32> = policy.blocks.iter().map(|block| block.share).collect();
        assert_eq!(shares, [2, 3]);
        policy.observe(&Fact::ProcessLeft { process: ProcessId(0) }, Tick::ZERO);
        assert_eq!(policy.blocks.len(), 1);
    }
}
