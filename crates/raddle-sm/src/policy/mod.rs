//! `block-warp`: the rules of seed 003 in the allocate slot of a dispatcher.
//!
//! The dispatcher itself counts the free resources of compute units, with SIMDs, slots and
//! barriers. This policy keeps the block tables: where blocks lie, which of them wait for warps,
//! and the top priority of each unit. Level 0 is the most important one.

mod decide;
mod room;
mod tables;

use alloc::vec::Vec;

use raddle_policy::{
    Allocate, Answer, CuId, Fact, Launch, LaunchId, Piece, ReadyLaunch, ReadyView, Round, Tick,
    WaveSpan,
};

use crate::BlockWarpConfig;
use room::{share_fits, waves};
use tables::BlockTables;

/// Allocate policy that tries three kinds of compute units for a workgroup, in this order: one that
/// takes it whole, one that can start single waves of it, and one that runs only less important
/// work, where the workgroup waits.
///
/// ```
/// use raddle_policy::{Allocate, Cus, ReadyLaunch, ReadyView, Round, Tick};
/// use raddle_sm::{BlockWarp, BlockWarpConfig};
/// # use raddle_policy::{Barrier, CuShape, Demand, Launch, LaunchId, ProcessId};
/// # let shape = CuShape { simds: 4, waves_per_simd: 4, vgpr_per_simd: 64, sgpr: u16::MAX, lds: 16,
/// #     workgroups: 16, barriers: 16 };
/// # let demand = Demand { waves: 6, vgpr: 8, sgpr: 0, lds: 2, barriers: 0 };
/// # let launch = Launch::new(LaunchId(0), ProcessId(0), 9, demand).with_barrier(Barrier::No);
/// let cus = Cus::new(shape, 3);
/// let launches = [ReadyLaunch::new(launch, Tick::ZERO)];
/// let view = ReadyView::new(&launches, &cus);
/// let mut policy = BlockWarp::new(BlockWarpConfig::default());
/// let mut round = Round::default();
/// policy.allocate_round(&view, Tick::ZERO, &mut round);
/// let pieces: Vec<String> = round.pieces.iter().map(ToString::to_string).collect();
/// assert_eq!(pieces, ["w0+1x2@cu0", "w2+1x2@cu1", "w4+1x2@cu2"], "whole ones, unit after unit");
/// ```
#[derive(Clone, Debug)]
pub struct BlockWarp {
    options: BlockWarpConfig,
    tables: BlockTables,
    /// Workgroups that a decision gave to a compute unit and that have not started yet; `None`
    /// where there are none.
    grant: Option<Grant>,
    /// Compute units with room for whole workgroups of a launch, each as (number of workgroups that
    /// fit, compute unit); a buffer for a decision that starts many at once.
    rooms: Vec<(u32, CuId)>,
}

/// Whole workgroups that a decision gave to a compute unit and that have not started yet: the
/// number of the next one, and how many are left.
#[derive(Clone, Copy, Debug)]
struct Grant {
    launch: LaunchId,
    cu: CuId,
    next: u64,
    left: u64,
}

impl BlockWarp {
    /// Returns the policy with these settings, for an empty device.
    #[must_use]
    pub fn new(options: BlockWarpConfig) -> Self {
        Self { options, tables: BlockTables::default(), grant: None, rooms: Vec::new() }
    }

    /// Returns the settings of the policy, which choose between readings of the patent (seed 003).
    #[must_use]
    #[doc(hidden)]
    pub const fn options(&self) -> &BlockWarpConfig {
        &self.options
    }

    fn place(&mut self, ready: &ReadyView<'_>, bulk: bool, round: &mut Round) -> Answer {
        if ready.launches().is_empty() {
            return Answer::WAIT;
        }
        self.tables.fit(ready.cus());
        while let Some(cu) = self.tables.due() {
            if let Some(answer) = self.serve(ready, cu, round) {
                return answer;
            }
            self.tables.served(cu);
        }
        self.tables.refresh(ready.cus());
        if let Some(answer) = self.go_on(ready, bulk, round) {
            return answer;
        }
        self.decide(ready, bulk, round)
    }

    /// Returns the answer that starts waves, on the compute unit `cu`, of the first workgroup that
    /// waits there and of which any wave can start (steps L1 to L3 of the patent, seed 003). `None`
    /// where no wave can start.
    fn serve(&self, ready: &ReadyView<'_>, cu: CuId, round: &mut Round) -> Option<Answer> {
        let (slot, count) = self.tables.next(cu, self.options.backfill, |block| {
            // A launch that is held or on its way back is not in the view, and starts nothing.
            let shown = |entry: &ReadyLaunch| entry.launch().id == block.launch;
            let Some(entry) = ready.launches().iter().find(|entry| shown(entry)) else { return 0 };
            let left = u32::from(entry.launch().demand.waves.saturating_sub(block.started));
            if self.whole_only(entry.launch()) {
                return if ready.cus().room(cu, &entry.launch().demand) > 0 { left } else { 0 };
            }
            let share = block.started > 0 || share_fits(ready.cus(), cu, entry.launch());
            if share { waves(ready.cus(), cu, entry.launch()).min(left) } else { 0 }
        })?;
        let block = self.tables.block(slot)?;
        let whole = ready.launches().iter().find(|entry| entry.launch().id == block.launch)?;
        round.pieces.push(Piece::one(block.workgroup, cu));
        let span = if self.whole_only(whole.launch()) {
            WaveSpan::All
        } else {
            // The count is at most the waves of one workgroup, which are a u16.
            WaveSpan::Range { first: block.started, count: count as u16 }
        };
        Some(Answer::Start { launch: block.launch, waves: span })
    }

    /// Returns whether each workgroup of a launch starts with all its waves or not at all, as the
    /// waves may meet at a barrier (reading C11 of the patent, seed 003).
    fn whole_only(&self, launch: &Launch) -> bool {
        self.options.whole_blocks_for_barriers && launch.barrier.possible()
    }
}

impl Allocate for BlockWarp {
    fn allocate(&mut self, ready: &ReadyView<'_>, _now: Tick, round: &mut Round) -> Answer {
        self.place(ready, false, round)
    }

    fn allocate_round(&mut self, ready: &ReadyView<'_>, _now: Tick, round: &mut Round) -> Answer {
        self.place(ready, true, round)
    }

    fn may_stop(&self) -> Option<&'static str> {
        match (self.options.backfill, self.options.whole_blocks_for_barriers) {
            (true, true) => None,
            (false, _) => Some("backfill = false"),
            (_, false) => Some("whole-blocks-for-barriers = false"),
        }
    }

    fn observe(&mut self, fact: &Fact<'_>, _now: Tick) {
        let tables = &mut self.tables;
        match *fact {
            Fact::Started { launch, waves, pieces, .. } => tables.started(launch, waves, pieces),
            Fact::Assigned { launch, workgroup, cu } => tables.assigned(launch, workgroup, cu),
            Fact::Ended { launch, waves, pieces } => tables.ended(launch, waves, pieces),
            Fact::LaunchEnded { launch } => tables.forget(launch),
            Fact::TakenOff { launch, how } if how.saves() => tables.lift(launch.id),
            Fact::TakenOff { launch, how } if how.frees_places() => tables.forget(launch.id),
            // From now on the places of the returning launch are held.
            Fact::Returning { launch } => tables.lower(launch.id),
            // The restored launch is in the view again, and its blocks may go on.
            Fact::Restored { .. } => tables.touch_all(),
            _ => {}
        }
    }
}
