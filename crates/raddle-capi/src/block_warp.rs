//! What do the controllers of seed 003 do next: which SM gets a block, and when do its warps start?

use std::collections::BTreeMap;

use raddle_policy::{CuId, LaunchId};
use raddle_sm::{BlockWarpConfig, Choose, Controllers, Handle, Kernel, Resources, Route};

use crate::handle::{enter, with};
use crate::launch::unknown;
use crate::memory::{Out, Plain, read};
use crate::nouns::RaddleResource;
use crate::status::{Failure, RaddleStatus, guarded};

/// Controllers that give blocks to streaming multiprocessors (SMs) and start their warps there
/// (seed 003): a global one, and one for each SM.
#[derive(Debug)]
pub struct RaddleBlockWarp {
    controllers: Controllers,
    /// Handles of the blocks with warps that have started and not all ended, by (kernel, block).
    blocks: BTreeMap<(u32, u64), Handle>,
}

/// Resources of one SM: all of them, or those that are free.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaddleSmResources {
    /// Registers, in a unit that the caller chooses and that is the same for SMs and kernels.
    pub registers: u64,
    /// Number of hardware warps, each a slot for one warp.
    pub warps: u64,
    /// Shared memory, in a unit that the caller chooses and that is the same for SMs and kernels.
    pub shared: u64,
}

/// Choices between two readings of the rules by which blocks and warps are given to SMs (seed 003).
/// Where a function takes a null pointer instead, the defaults apply.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaddleBlockWarpConfig {
    /// 1 if an SM may get a single warp only where it has more of each resource than the warp
    /// needs, 0 if it needs to have just as much. Default 0.
    pub strict: u32,
    /// 1 if, of several SMs that qualify, the one with the most room is taken, 0 if the lowest one.
    /// Default 0.
    pub most_free: u32,
    /// 1 if the next kernel is tried when the most important one cannot be placed, 0 if not.
    /// Default 0.
    pub fall_through: u32,
    /// 1 if a less important block may take a warp slot that the most important waiting block
    /// cannot use, 0 if not. Default 1.
    pub backfill: u32,
    /// 1 if a block with a barrier starts as a whole or not at all, 0 if it may start warp by warp.
    /// Default 1.
    pub whole_blocks_for_barriers: u32,
}

/// Kernel that arrives at the controllers, with the resources that its blocks need.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaddleKernel {
    /// Id of the kernel; no other unfinished kernel has it.
    pub id: u32,
    /// 1 if the warps of a block wait for each other at a barrier, else 0.
    pub barrier: u32,
    /// Rank of the kernel: the smaller, the more urgent.
    pub rank: u64,
    /// Number of blocks of the kernel, 1 or more.
    pub blocks: u64,
    /// Number of warps of one block, 1 or more.
    pub warps: u64,
    /// Registers that one warp takes, in a unit that the caller chooses and that is the same for
    /// SMs and kernels.
    pub registers: u64,
    /// Shared memory that one block takes, in a unit that the caller chooses and that is the same
    /// for SMs and kernels.
    pub shared: u64,
}

/// Reason why a kernel is refused: one of its blocks needs more of a resource than an SM has.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaddleLack {
    /// Resource of which an empty SM has too little, one of `RaddleResource`.
    pub resource: u32,
    /// Amount of the resource that a block needs.
    pub wanted: u64,
    /// Amount of the resource that an empty SM has.
    pub available: u64,
}

/// Reason why an SM gets a block: room for the whole block, room for some of its warps, or less
/// urgent work on the SM.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaddleRoute {
    /// The SM takes whole blocks: it has all resources of every block that it gets.
    Whole = 0,
    /// The SM can start one warp of the block at least, but does not have the resources of the
    /// whole block.
    First = 1,
    /// All work on the SM is of lower priority than the block, which waits on the SM for warp
    /// slots.
    Second = 2,
}

/// Blocks of one kernel that a decision gives to an SM.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaddleDistribution {
    /// Route by which the blocks come to the SM, one of `RaddleRoute`.
    pub route: u32,
    /// Id of the kernel whose blocks the SM gets.
    pub kernel: u32,
    /// SM that gets the blocks, from 0.
    pub sm: u16,
    /// Number, in the kernel, of the first block that the SM gets, from 0.
    pub first: u64,
    /// Number of blocks that the decision gives to the SM.
    pub count: u64,
    /// Number of blocks that the SM could have taken whole (N1 of seed 003); 0 if the route is not
    /// `Whole`.
    pub n1: u64,
}

/// Warps of one block that start on an SM.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaddleStarted {
    /// Id of the kernel whose warps start.
    pub kernel: u32,
    /// 1 if all warps of the block have started now, else 0.
    pub last: u32,
    /// Number of the block in its kernel.
    pub block: u64,
    /// Number, in the block, of the first warp that starts, from 0.
    pub first: u64,
    /// Number of warps of the block that start.
    pub count: u64,
}

/// Answer to the report that a warp has ended: whether its block and its kernel ended with it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaddleWarpEnd {
    /// SM on which the warp ran; call `raddle_block_warp_serve` for it next.
    pub sm: u16,
    /// 1 if the warp was the last one of its block, else 0.
    pub block_done: u32,
    /// 1 if the warp was the last one of its kernel, else 0.
    pub kernel_done: u32,
}

// SAFETY: integers.
unsafe impl Plain for RaddleSmResources {}
// SAFETY: integers.
unsafe impl Plain for RaddleBlockWarpConfig {}
// SAFETY: integers.
unsafe impl Plain for RaddleKernel {}

/// Returns the boolean that a setting's number stands for: false for 0, true for 1. Any other
/// number is an error that names the setting `name`.
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

/// Makes the controllers that give blocks to `sms` equal SMs, 1 or more, and start their warps.
/// `each` has the resources of one SM; `config` may be null for the defaults. Writes the handle to
/// `block_warp`.
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

/// Adds a kernel that arrives. Answers `Refused`, and writes the resource that an SM has too little
/// of to `lack`, where a block of the kernel never fits an SM; `lack` may be null.
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

/// Makes one decision of the global controller and writes which blocks go to which SM. Answers
/// `Empty` when no block can be distributed. Call `raddle_block_warp_serve` for the SM before the
/// next decision.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_block_warp_decide(
    block_warp: *mut RaddleBlockWarp,
    distribution: *mut RaddleDistribution,
) -> RaddleStatus {
    with(block_warp, |it| {
        // SAFETY: the caller keeps the promises of the crate.
        let out = unsafe { Out::new("distribution", distribution)? };
        let Some(made) = it.controllers.decide() else { return Ok(RaddleStatus::Empty) };
        let route = match made.route() {
            Route::Whole => RaddleRoute::Whole,
            Route::First => RaddleRoute::First,
            Route::Second => RaddleRoute::Second,
        };
        out.put(RaddleDistribution {
            route: route as u32,
            kernel: made.kernel().0,
            sm: made.sm().0,
            first: made.first(),
            count: made.count(),
            n1: made.n1(),
        });
        Ok(RaddleStatus::Ok)
    })
}

/// Makes one step of the controller of an SM, which starts warps of one block, and writes to
/// `started` which warps these are. Answers `Empty` when no warp can start now.
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
        it.blocks.insert((served.kernel().0, served.block()), served.handle());
        out.put(RaddleStarted {
            kernel: served.kernel().0,
            last: served.last().into(),
            block: served.block(),
            first: served.first(),
            count: served.count(),
        });
        Ok(RaddleStatus::Ok)
    })
}

/// Reports that one warp of a block has ended. Writes to `end` whether it was the last of its block
/// or kernel.
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
        if ended.block_done() {
            it.blocks.remove(&(kernel, block));
        }
        let (block_done, kernel_done) = (ended.block_done().into(), ended.kernel_done().into());
        out.put(RaddleWarpEnd { sm: ended.sm().0, block_done, kernel_done });
        Ok(RaddleStatus::Ok)
    })
}

/// Writes the resources that are free on an SM to `remaining`.
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
        let Resources { registers, warps, shared } = row.remaining();
        out.put(RaddleSmResources { registers, warps, shared });
        Ok(RaddleStatus::Ok)
    })
}
