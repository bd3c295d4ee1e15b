//! Which warp starts next on an SM (steps L1 to L3 of seed 003), and what happens when one ends
//! (L4, L5)?

use raddle_policy::CuId;

use super::{Controllers, HeldKernel, Sm, SmBlock, SmRoom};
use crate::error::Reason;
use crate::index::reversed;
use crate::search::Room;
use crate::{Ended, Error, Handle, Started};

impl Controllers {
    /// Makes one step of an SM's controller: takes the first waiting block of which any warp can
    /// start, and starts as many of its warps as can. Returns these warps; `None` when no warp can
    /// start now.
    ///
    /// # Errors
    /// [`OutOfRange`](crate::ErrorKind::OutOfRange) where there is no such SM.
    pub fn serve(&mut self, sm: CuId) -> Result<Option<Started>, Error> {
        let unit = self.sms.get(sm.index()).ok_or(Error(Reason::SmOutside { sm }))?;
        if !unit.blocks.has_waiting() {
            return Ok(None);
        }
        let can = |slot: u32| self.startable(unit, sm, &self.blocks[slot as usize]);
        let Some((slot, count)) = unit.blocks.next(self.options.backfill, can) else {
            return Ok(None);
        };
        Ok(self.start(slot, count))
    }

    /// Returns the number of warps of a block that can start on its SM now.
    fn startable(&self, unit: &Sm, sm: CuId, block: &SmBlock) -> u64 {
        if block.reserved {
            return block.waiting;
        }
        // A block without reserved resources needs a warp slot at least.
        if unit.remaining.warps == 0 {
            return 0;
        }
        let Some(held) = self.held(block.kernel) else { return 0 };
        let view = SmRoom { sms: &self.sms, need: &held.need };
        if held.kernel.barrier && self.options.whole_blocks_for_barriers {
            return if view.blocks(sm.index()) > 0 { block.waiting } else { 0 };
        }
        let fresh = block.running == 0 && block.finished == 0;
        if fresh {
            return view.warps(sm.index(), false).min(block.waiting);
        }
        let registers = held.need.warp.registers;
        let by_registers = unit.remaining.registers.checked_div(registers).unwrap_or(u64::MAX);
        unit.remaining.warps.min(by_registers).min(block.waiting)
    }

    fn start(&mut self, slot: u32, count: u64) -> Option<Started> {
        let block = self.blocks.get_mut(slot as usize)?;
        let held = self.kernels.get(block.kernel as usize)?.as_ref()?;
        let unit = &mut self.sms[usize::from(block.sm)];
        let first = held.kernel.warps - block.waiting;
        if !block.reserved {
            let fresh = block.running == 0 && block.finished == 0;
            unit.remaining.warps -= count;
            unit.remaining.registers -= count * held.need.warp.registers;
            unit.remaining.shared -= if fresh { held.need.warp.shared } else { 0 };
            self.index.touch(usize::from(block.sm));
        }
        block.waiting -= count;
        block.running += count;
        let last = block.waiting == 0;
        if last {
            unit.blocks.dequeue(slot);
        }
        Some(Started {
            kernel: held.kernel.id,
            block: block.number,
            sm: CuId(block.sm),
            first,
            count,
            last,
            handle: Handle { slot, serial: block.serial },
        })
    }

    /// Reports that a warp of the block of `handle` has ended: the SM gets back the resources of
    /// the warp (step L4 of the patent, seed 003), and its top priority may fall once the block is
    /// done (step L5). The caller then lets the controller of the SM start warps.
    ///
    /// # Errors
    /// [`State`](crate::ErrorKind::State) where no warp of that block runs; nothing has changed.
    pub fn ended(&mut self, handle: Handle) -> Result<Ended, Error> {
        let not_running = Error(Reason::NotRunning { block: handle.serial });
        let alive = |block: &&mut SmBlock| block.serial == handle.serial && block.running > 0;
        let block = self.blocks.get_mut(handle.slot as usize).filter(alive).ok_or(not_running)?;
        let kernel = self.kernels.get_mut(block.kernel as usize).and_then(Option::as_mut);
        let held: &mut HeldKernel = kernel.ok_or(not_running)?;
        let sm = block.sm;
        let unit = &mut self.sms[usize::from(sm)];
        block.running -= 1;
        block.finished += 1;
        unit.remaining.warps += 1;
        unit.remaining.registers += held.need.warp.registers;
        self.index.touch(usize::from(sm));
        let block_done = block.done();
        let mut kernel_done = false;
        if block_done {
            unit.remaining.shared += held.need.warp.shared;
            unit.blocks.remove(reversed(held.kernel.rank), 1);
            held.unfinished -= 1;
            kernel_done = held.unfinished == 0;
            let slot = block.kernel;
            self.spare_blocks.push(handle.slot);
            if kernel_done {
                self.forget(slot);
            }
        }
        Ok(Ended { sm: CuId(sm), block_done, kernel_done })
    }

    fn forget(&mut self, slot: u32) {
        if let Some(held) = self.kernels.get_mut(slot as usize).and_then(Option::take) {
            let id = held.kernel.id;
            if let Ok(at) = self.by_id.binary_search_by_key(&id, |&(id, _)| id) {
                self.by_id.remove(at);
            }
            self.spare_kernels.push(slot);
        }
    }
}
