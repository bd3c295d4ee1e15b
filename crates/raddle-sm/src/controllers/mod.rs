//! What do the global logic controller and the SM logic controllers do next?
//!
//! [`Controllers`] keeps the three status register tables of seed 003 and moves by four calls:
//! [`arrive`](Controllers::arrive), [`decide`](Controllers::decide) (steps G1 to G6),
//! [`serve`](Controllers::serve) (L1 to L3) and [`ended`](Controllers::ended) (L4, L5). A whole
//! block's resources are reserved when it is distributed, else a warp's when it starts (reading
//! C13); a block takes its shared memory with its first warp and frees it with its last (reading
//! C2).

mod global;
mod local;

use alloc::vec::Vec;

use raddle_policy::{CuId, LaunchId, Refusal, Resource};

use crate::blocks::Blocks;
use crate::error::Reason;
use crate::index::{DemandSlot, Index, SmKey, cut, lowness, reversed};
use crate::search::{Room, SmWish};
use crate::{BlockRow, BlockWarpConfig, Error, Kernel, KernelRow, Resources, SmRow};

/// Global controller and controllers of all SMs, with their tables of kernels, SMs and blocks.
#[derive(Clone, Debug)]
pub struct Controllers {
    options: BlockWarpConfig,
    total: Resources,
    kernels: Vec<Option<HeldKernel>>,
    spare_kernels: Vec<u32>,
    /// (id, slot in `kernels`) of each unfinished kernel, sorted by id.
    by_id: Vec<(LaunchId, u32)>,
    /// Kernels with blocks that were not yet distributed, the most important one last; that one
    /// gets an SM next.
    targets: Vec<TargetKernel>,
    sms: Vec<Sm>,
    blocks: Vec<SmBlock>,
    spare_blocks: Vec<u32>,
    index: Index,
    arrivals: u64,
    distributions: u64,
}

/// Kernel that has not finished, with the numbers of its undistributed and of its unfinished
/// blocks.
#[derive(Clone, Copy, Debug)]
struct HeldKernel {
    kernel: Kernel,
    need: BlockNeed,
    arrival: u64,
    undistributed: u64,
    unfinished: u64,
}

/// Resources that a block of a kernel needs, as a whole and to start its first warp.
#[derive(Clone, Copy, Debug)]
struct BlockNeed {
    /// Resources of a whole block: those of all its warps, and its shared memory.
    block: Resources,
    /// Resources of a block's first warp: one warp, its registers, and the shared memory of the
    /// block.
    warp: Resources,
    wish: SmWish,
}

#[derive(Clone, Copy, Debug)]
struct TargetKernel {
    priority: u64,
    slot: u32,
    /// Slot of the kernel's demand in the index of SMs, which holds the SMs that can take its
    /// blocks.
    place: DemandSlot,
}

#[derive(Clone, Debug)]
struct Sm {
    remaining: Resources,
    blocks: Blocks,
}

/// Block on an SM; the field `sm` is meaningless once the block is done.
#[derive(Clone, Copy, Debug)]
struct SmBlock {
    serial: u64,
    kernel: u32,
    sm: u16,
    /// True if the resources of all warps of the block were reserved when it was distributed.
    reserved: bool,
    number: u64,
    waiting: u64,
    running: u64,
    finished: u64,
}

impl SmBlock {
    const fn done(&self) -> bool {
        self.waiting == 0 && self.running == 0
    }
}

/// Room that each SM has for blocks and warps of one kernel, for the search of the SM that gets a
/// block.
struct SmRoom<'a> {
    sms: &'a [Sm],
    need: &'a BlockNeed,
}

fn fits(have: u64, need: u64) -> u64 {
    have.checked_div(need).unwrap_or(u64::MAX)
}

impl Room for SmRoom<'_> {
    fn blocks(&self, sm: usize) -> u64 {
        let (have, need) = (&self.sms[sm].remaining, &self.need.block);
        let by_warps = fits(have.warps, need.warps);
        by_warps.min(fits(have.registers, need.registers)).min(fits(have.shared, need.shared))
    }

    fn warps(&self, sm: usize, strict: bool) -> u64 {
        let (have, need) = (&self.sms[sm].remaining, &self.need.warp);
        let more = have.warps > 1 && have.registers > need.registers && have.shared > need.shared;
        if (strict && !more) || have.shared < need.shared {
            return 0;
        }
        have.warps.min(fits(have.registers, need.registers))
    }

    fn top(&self, sm: usize) -> Option<u64> {
        self.sms[sm].blocks.top()
    }
}

fn key(have: &Resources, top: Option<u64>) -> SmKey {
    [cut(have.warps), cut(have.registers), cut(have.shared), lowness(top)]
}

/// Returns the key that an SM with exactly the free resources `need` has in the index; the key of
/// an SM with more free resources is larger, whatever its top priority.
fn need_key(need: &Resources) -> SmKey {
    [cut(need.warps), cut(need.registers), cut(need.shared), 0]
}

impl Controllers {
    /// Returns the controllers of a device with `sms` equal SMs, each with the resources `each`,
    /// before any kernel has arrived.
    ///
    /// # Errors
    /// [`OutOfRange`](crate::ErrorKind::OutOfRange) without SMs. The patent's claims speak of two
    /// SMs or more; one is allowed here.
    pub fn new(sms: u16, each: Resources, options: BlockWarpConfig) -> Result<Self, Error> {
        if sms == 0 {
            return Err(Error(Reason::NoSms));
        }
        Ok(Self {
            options,
            total: each,
            kernels: Vec::new(),
            spare_kernels: Vec::new(),
            by_id: Vec::new(),
            targets: Vec::new(),
            sms: (0..sms).map(|_| Sm { remaining: each, blocks: Blocks::default() }).collect(),
            blocks: Vec::new(),
            spare_blocks: Vec::new(),
            index: Index::new(usize::from(sms)),
            arrivals: 0,
            distributions: 0,
        })
    }

    /// Adds a kernel that arrives, and returns `None`. A kernel whose blocks can never fit an SM is
    /// not added (reading C12 of the patent, seed 003): the refusal names the first resource of
    /// which an SM has too little (warps, registers, shared memory).
    ///
    /// # Errors
    /// When the kernel has no blocks or warps, an id in use, or more registers per block than a u64
    /// can count; nothing has changed then.
    pub fn arrive(&mut self, kernel: &Kernel) -> Result<Option<Refusal>, Error> {
        let id = kernel.id;
        if kernel.blocks == 0 {
            return Err(Error(Reason::NoBlocks { kernel: id }));
        }
        if kernel.warps == 0 {
            return Err(Error(Reason::NoWarps { kernel: id }));
        }
        let Err(place) = self.by_id.binary_search_by_key(&id, |&(id, _)| id) else {
            return Err(Error(Reason::Known { kernel: id }));
        };
        if let Some(refusal) = self.never(kernel)? {
            return Ok(Some(refusal));
        }
        let registers = kernel.warps.saturating_mul(kernel.registers);
        let block = Resources { registers, warps: kernel.warps, shared: kernel.shared };
        let warp = Resources { registers: kernel.registers, warps: 1, shared: kernel.shared };
        let (priority, barrier) = (reversed(kernel.rank), kernel.barrier);
        let wish = SmWish { priority, barrier, block: need_key(&block), warp: need_key(&warp) };
        let held = HeldKernel {
            kernel: *kernel,
            need: BlockNeed { block, warp, wish },
            arrival: self.arrivals,
            undistributed: kernel.blocks,
            unfinished: kernel.blocks,
        };
        self.arrivals += 1;
        let slot = self.spare_kernels.pop().unwrap_or_else(|| {
            self.kernels.push(None);
            // Every unfinished kernel has an id of its own, and those are u32.
            self.kernels.len() as u32 - 1
        });
        self.kernels[slot as usize] = Some(held);
        self.by_id.insert(place, (id, slot));
        let target = TargetKernel { priority, slot, place: DemandSlot::default() };
        // Later arrivals of one priority stand before earlier ones: the last is the next target.
        let later = self.targets.partition_point(|it| it.priority < priority);
        self.targets.insert(later, target);
        Ok(None)
    }

    /// Returns why no SM can ever run a block of a kernel; `None` if one can. An error where a
    /// block has more registers than a u64 can count.
    fn never(&self, kernel: &Kernel) -> Result<Option<Refusal>, Error> {
        let lacks = |resource, wanted, available| {
            let refusal = Refusal { launch: kernel.id, cu: None, resource, wanted, available };
            (wanted > available).then_some(refusal)
        };
        let total = &self.total;
        if let Some(refusal) = lacks(Resource::Waves, kernel.warps, total.warps) {
            return Ok(Some(refusal));
        }
        let registers = kernel.warps.checked_mul(kernel.registers);
        let registers = registers.ok_or(Error(Reason::Registers { kernel: kernel.id }))?;
        Ok(lacks(Resource::Vgpr, registers, total.registers)
            .or_else(|| lacks(Resource::Lds, kernel.shared, total.shared)))
    }

    fn held(&self, slot: u32) -> Option<&HeldKernel> {
        self.kernels.get(slot as usize)?.as_ref()
    }

    /// Brings the index of SMs up to date with their free resources and top priorities.
    fn refresh(&mut self) {
        let sms = &self.sms;
        self.index.refresh(|sm| key(&sms[sm].remaining, sms[sm].blocks.top()));
    }

    /// Returns the table of kernels that the patent (seed 003) calls kernel status register table:
    /// one row for each unfinished kernel, in the order of arrival.
    #[must_use]
    #[doc(hidden)]
    pub fn kernels(&self) -> Vec<KernelRow> {
        let mut held: Vec<&HeldKernel> = self.kernels.iter().flatten().collect();
        held.sort_by_key(|held| held.arrival);
        let row = |held: &HeldKernel| KernelRow {
            kernel: held.kernel.id,
            rank: held.kernel.rank,
            undistributed: held.undistributed,
        };
        held.into_iter().map(row).collect()
    }

    /// Returns the table of SMs that the patent (seed 003) calls SM status register table: one row
    /// for each SM.
    #[must_use]
    #[doc(hidden)]
    pub fn sms(&self) -> Vec<SmRow> {
        // SMs are numbered by u16.
        (0..).map(CuId).zip(&self.sms).map(|(sm, it)| it.row(sm)).collect()
    }

    /// Returns the table of one SM that the patent (seed 003) calls block status register table:
    /// one row for each unfinished block, in the order of distribution.
    #[must_use]
    #[doc(hidden)]
    pub fn blocks(&self, sm: CuId) -> Vec<BlockRow> {
        let here = |block: &&SmBlock| block.sm == sm.0 && !block.done();
        let mut blocks: Vec<&SmBlock> = self.blocks.iter().filter(here).collect();
        blocks.sort_by_key(|block| block.serial);
        let row = |block: &SmBlock| {
            let kernel = self.held(block.kernel)?.kernel;
            Some(BlockRow {
                kernel: kernel.id,
                block: block.number,
                rank: kernel.rank,
                waiting: block.waiting,
                running: block.running,
                finished: block.finished,
            })
        };
        blocks.into_iter().filter_map(row).collect()
    }
}

impl Sm {
    fn row(&self, sm: CuId) -> SmRow {
        SmRow { sm, remaining: self.remaining, top: self.blocks.top().map(reversed) }
    }
}
