//! What do the controllers of seed 003 do next: which SM gets a block, and when do its warps start?

use std::collections::BTreeMap;

use raddle_policy::{CuId, LaunchId};
use raddle_sm::{BlockWarpConfig, Choose, Controllers, Handle, Kernel, Resources, Route};

use crate::handle::{enter, with};
use crate::launch::unknown;
use crate::memory::{Out, Plain, read};
use crate::nouns::RaddleResource;
use crate::status::{Failure, RaddleStatus, guarded};

/// The global controller and those of all SMs.
#[derive(Debug)]
pub struct RaddleBlockWarp {
    controllers: Controllers,
    /// The blocks with warps that have started and not all ended, by kernel and block.
    blocks: BTreeMap<(u32, u64), Handle>,
}

/// The resources of an SM.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaddleSmResources {
    /// Registers.
    pub registers: u64,
    /// Hardware warps.
    pub warps: u64,
    /// Shared memory.
    pub shared: u64,
}

/// The readings of the seed; without one, the defaults are taken.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaddleBlockWarpConfig {
    /// 1: a first SM must have more than one warp needs. Default 0.
    pub strict: u32,
    /// 1: of several SMs the one with most room, instead of the lowest. Default 0.
    pub most_free: u32,
    /// 1: the next kernel is tried when the most important one cannot be placed. Default 0.
    pub fall_through: u32,
    /// 1: a lower block may take a slot that the highest waiting one cannot use. Default 1.
    pub backfill: u32,
    /// 1: a block with a barrier starts as a whole or not at all. Default 1.
    pub whole_blocks_for_barriers: u32,
}

/// A kernel that arrives.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaddleKernel {
    /// The id; no other unfinished kernel has it.
    pub id: u32,
    /// 1 if the warps of a block meet at a barrier.
    pub barrier: u32,
    /// The rank: the smaller, the more urgent.
    pub rank: u64,
    /// Blocks, 1 or more.
    pub blocks: u64,
    /// Warps of a block, 1 or more.
    pub warps: u64,
    /// Registers of a warp.
    pub registers: u64,
    /// Shared memory of a block.
    pub shared: u64,
}

/// A refused kernel: one of its blocks needs more than an SM has.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaddleLack {
    /// One of `RaddleResource`.
    pub resource: u32,
    /// The amount that a block needs.
    pub wanted: u64,
    /// The amount that an SM has.
    pub available: u64,
}

/// The way on which a block comes to its SM.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaddleRoute {
    /// The SM takes whole blocks, and all that they need at once.
    Whole = 0,
    /// The SM can start one warp of the block.
    First = 1,
    /// All work on the SM is of lower priority.
    Second = 2,
}

/// Blocks that go to an SM.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaddleDistribution {
    /// One of `RaddleRoute`.
    pub route: u32,
    /// The kernel.
    pub kernel: u32,
    /// The SM.
    pub sm: u16,
    /// The lowest block.
    pub first: u64,
    /// The number of blocks.
    pub count: u64,
    /// The blocks that the SM could have taken whole.
    pub n1: u64,
}

/// Warps that start on an SM.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaddleStarted {
    /// The kernel.
    pub kernel: u32,
    /// 1 if all warps of the block have started with these.
    pub last: u32,
    /// The block of the kernel.
    pub block: u64,
    /// The first warp of the block.
    pub first: u64,
    /// The number of warps.
    pub count: u64,
}

/// The effects of the end of a warp.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaddleWarpEnd {
    /// The SM, which is to be served then.
    pub sm: u16,
    /// 1 if the warp was the last of its block.
    pub block_done: u32,
    /// 1 if the warp was the last of its kernel.
    pub kernel_done: u32,
}

// SAFETY: integers.
unsafe impl Plain for RaddleSmResources {}
// SAFETY: integers.
unsafe impl Plain for RaddleBlockWarpConfig {}
// SAFETY: integers.
unsafe impl Plain for RaddleKernel {}

/// Returns whether a flag is set.
fn flag(name: &str, number: u32) -> Result<bool, Failure> {
    match number {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(unknown(name, number, "0 and 1")),
    }
}

impl RaddleBlockWarpConfig {
    fn checked(&self) -> Result<BlockWarpConfig, Failure> {
        let most_free = flag("config.most_free", self.most_free)?;
        Ok(BlockWarpConfig {
            strict: flag("config.strict", self.strict)?,
            choose: if most_free { Choose::MostFree } else { Choose::Lowest },
            fall_through: flag("config.fall_through", self.fall_through)?,
            backfill: flag("config.backfill", self.backfill)?,
            whole_blocks_for_barriers: flag(
                "config.whole_blocks_for_barriers",
                self.whole_blocks_for_barriers,
            )?,
        })
    }
}

/// Makes the controllers of `sms` equal SMs, 1 or more. `config` may be null: the defaults.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_block_warp_new(
    sms: u16,
    each: *const RaddleSmResources,
    config: *const RaddleBlockWarpConfig,
    block_warp: *mut *mut RaddleBlockWarp,
) -> RaddleStatus {
    guarded(|| {
        // SAFETY: the caller keeps the promises of the crate.
        let (each, out) = unsafe { (read("each", each)?, Out::new("block_warp", block_warp)?) };
        let config = match config.is_null() {
            true => BlockWarpConfig::default(),
            // SAFETY: as above.
            false => unsafe { read("config", config)? }.checked()?,
        };
        let RaddleSmResources { registers, warps, shared } = each;
        let made = Controllers::new(sms, Resources { registers, warps, shared }, config);
        let controllers = made.map_err(Failure::invalid)?;
        enter(RaddleBlockWarp { controllers, blocks: BTreeMap::new() }, &out)
    })
}

/// Enters a kernel. `Refused`, and what lacks, where a block of it never fits; `lack` may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_block_warp_arrive(
    block_warp: *mut RaddleBlockWarp,
    kernel: *const RaddleKernel,
    lack: *mut RaddleLack,
) -> RaddleStatus {
    with(block_warp, |it| {
        // SAFETY: the caller keeps the promises of the crate.
        let (kernel, lack) = unsafe { (read("kernel", kernel)?, Out::optional("lack", lack)?) };
        let RaddleKernel { id, barrier, rank, blocks, warps, registers, shared } = kernel;
        let (id, barrier) = (LaunchId(id), flag("kernel.barrier", barrier)?);
        let kernel = Kernel { id, rank, blocks, warps, registers, shared, barrier };
        let refused = it.controllers.arrive(&kernel).map_err(Failure::invalid)?;
        let Some(refusal) = refused else { return Ok(RaddleStatus::Ok) };
        if let Some(lack) = lack {
            let (wanted, available) = (refusal.wanted, refusal.available);
            let resource = RaddleResource::of(refusal.resource);
            lack.put(RaddleLack { resource, wanted, available });
        }
        Ok(RaddleStatus::Refused)
    })
}

/// Makes one decision of the global controller; `Empty` when nothing can be distributed. The SM is to be served at
/// once, before the next decision.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_block_warp_decide(
    block_warp: *mut RaddleBlockWarp,
    distribution: *mut RaddleDistribution,
) -> RaddleStatus {
    with(block_warp, |it| {
        // SAFETY: the caller keeps the promises of the crate.
        let out = unsafe { Out::new("distribution", distribution)? };
        let Some(made) = it.controllers.decide() else { return Ok(RaddleStatus::Empty) };
        let route = match made.route {
            Route::Whole => RaddleRoute::Whole,
            Route::First => RaddleRoute::First,
            Route::Second => RaddleRoute::Second,
        };
        out.put(RaddleDistribution {
            route: route as u32,
            kernel: made.kernel.0,
            sm: made.sm.0,
            first: made.first,
            count: made.count,
            n1: made.n1,
        });
        Ok(RaddleStatus::Ok)
    })
}

/// Makes one step of the controller of an SM: starts warps of a block. `Empty` when none can start now.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_block_warp_serve(
    block_warp: *mut RaddleBlockWarp,
    sm: u16,
    started: *mut RaddleStarted,
) -> RaddleStatus {
    with(block_warp, |it| {
        // SAFETY: the caller keeps the promises of the crate.
        let out = unsafe { Out::new("started", started)? };
        let served = it.controllers.serve(CuId(sm)).map_err(Failure::invalid)?;
        let Some(served) = served else { return Ok(RaddleStatus::Empty) };
        it.blocks.insert((served.kernel.0, served.block), served.handle);
        out.put(RaddleStarted {
            kernel: served.kernel.0,
            last: served.last.into(),
            block: served.block,
            first: served.first,
            count: served.count,
        });
        Ok(RaddleStatus::Ok)
    })
}

/// Reports that one warp of a block has ended.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_block_warp_ended(
    block_warp: *mut RaddleBlockWarp,
    kernel: u32,
    block: u64,
    end: *mut RaddleWarpEnd,
) -> RaddleStatus {
    with(block_warp, |it| {
        // SAFETY: the caller keeps the promises of the crate.
        let out = unsafe { Out::new("end", end)? };
        let handle = it.blocks.get(&(kernel, block)).ok_or_else(|| {
            let text =
                format!("no warp of block {block} of kernel {kernel} runs: report each end once");
            Failure::new(RaddleStatus::Invalid, text)
        })?;
        let ended = it.controllers.ended(*handle).map_err(Failure::invalid)?;
        if ended.block_done {
            it.blocks.remove(&(kernel, block));
        }
        let (block_done, kernel_done) = (ended.block_done.into(), ended.kernel_done.into());
        out.put(RaddleWarpEnd { sm: ended.sm.0, block_done, kernel_done });
        Ok(RaddleStatus::Ok)
    })
}

/// Tells what is left on an SM.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_block_warp_remaining(
    block_warp: *const RaddleBlockWarp,
    sm: u16,
    remaining: *mut RaddleSmResources,
) -> RaddleStatus {
    with(block_warp, |it| {
        // SAFETY: the caller keeps the promises of the crate.
        let out = unsafe { Out::new("remaining", remaining)? };
        let rows = it.controllers.sms();
        let row = rows.get(usize::from(sm)).ok_or_else(|| {
            Failure::argument(format!("`sm` is {sm} of {} SMs: count from 0", rows.len()))
        })?;
        let Resources { registers, warps, shared } = row.remaining;
        out.put(RaddleSmResources { registers, warps, shared });
        Ok(RaddleStatus::Ok)
    })
}
