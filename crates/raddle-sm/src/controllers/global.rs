//! Which blocks go to which SM (steps G1 to G6 of seed 003)?

use raddle_policy::CuId;

use super::{Controllers, SmBlock, SmRoom, TargetKernel};
use crate::blocks::Waiting;
use crate::index::reversed;
use crate::search::{Room, find};
use crate::{Decision, Route};

impl Controllers {
    /// Makes one decision of the global controller: gives blocks of one kernel to one SM. `None`
    /// when no block can be distributed now. The caller then lets the controller of that SM start
    /// warps, before the next decision.
    pub fn decide(&mut self) -> Option<Decision> {
        self.refresh();
        let tried = if self.options.fall_through { self.targets.len() } else { 1 };
        let targets = (0..self.targets.len()).rev().take(tried);
        for at in targets {
            let TargetKernel { slot, place, .. } = self.targets[at];
            let need = self.kernels.get(slot as usize)?.as_ref()?.need;
            let place = self.index.demand(&need.wish.block, &need.wish.warp, place);
            self.targets[at].place = place;
            let view = SmRoom { sms: &self.sms, need: &need };
            let index = (&self.index, place);
            let Some((route, sm)) = find(index, &view, &need.wish, &self.options) else {
                continue;
            };
            let n1 = if route == Route::Whole { view.blocks(sm) } else { 0 };
            return self.distribute(at, route, sm, n1);
        }
        None
    }

    /// Gives blocks of a kernel to the SM `sm`, and raises the SM's top priority, the highest of
    /// its blocks (reading C4 of the patent, seed 003). `at` is the index of the kernel in
    /// `targets`. The SM gets `n1` whole blocks, or fewer if fewer are left (step G3); where `n1`
    /// is 0 it gets one block (reading C3). `None`, without any change, where there is no such
    /// kernel.
    fn distribute(&mut self, at: usize, route: Route, sm: usize, n1: u64) -> Option<Decision> {
        let slot = self.targets[at].slot;
        let held = self.kernels.get_mut(slot as usize)?.as_mut()?;
        let count = n1.max(1).min(held.undistributed);
        let first = held.kernel.blocks - held.undistributed;
        held.undistributed -= count;
        let (kernel, need, empty) = (held.kernel, held.need, held.undistributed == 0);
        if empty {
            self.targets.remove(at);
        }
        let unit = &mut self.sms[sm];
        unit.blocks.add(reversed(kernel.rank), count);
        let reserved = route == Route::Whole;
        if reserved {
            unit.remaining.warps -= count * need.block.warps;
            unit.remaining.registers -= count * need.block.registers;
            unit.remaining.shared -= count * need.block.shared;
        }
        for number in first..first + count {
            let serial = self.distributions;
            self.distributions += 1;
            let block = SmBlock {
                serial,
                kernel: slot,
                // SMs are numbered by u16.
                sm: sm as u16,
                reserved,
                number,
                waiting: kernel.warps,
                running: 0,
                finished: 0,
            };
            let place = self.add_block(block);
            let waiting = Waiting { priority: reversed(kernel.rank), serial, slot: place };
            self.sms[sm].blocks.enqueue(waiting);
        }
        self.index.touch(sm);
        Some(Decision { route, kernel: kernel.id, sm: CuId(sm as u16), first, count, n1 })
    }

    fn add_block(&mut self, block: SmBlock) -> u32 {
        if let Some(slot) = self.spare_blocks.pop() {
            self.blocks[slot as usize] = block;
            return slot;
        }
        self.blocks.push(block);
        // All blocks can be spare at once; with room for them, the end of a block allocates
        // nothing.
        self.spare_blocks.reserve(self.blocks.len());
        // The number of blocks fits u32: at most one is queued a level and SM, beside those that
        // run.
        self.blocks.len() as u32 - 1
    }
}
