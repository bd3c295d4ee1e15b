//! What does a request or a release cost while pools fill and drain?
//!
//! Groups `churn-BLOCKS-POOLS`: nanoseconds a step of one trace of requests and releases. Row
//! `empty` is the trace with an allocator that does nothing; the goals are about what is left when
//! it is taken off.

use std::cell::OnceCell;

use crate::contender::Pool;
use crate::contents::{Op, Step, Trace};
use crate::lab::Lab;
use crate::ours::Ours;
use crate::peers::bitmap_allocator::{Large, Small};
use crate::peers::bitvec::Bitvec;
use crate::peers::fixedbitset::Fixedbitset;
use crate::peers::offset_allocator::OffsetAllocator;
use crate::peers::range_alloc::RangeAlloc;
use crate::peers::rangemap::Rangemap;
use crate::peers::roaring::Roaring;
use crate::yardsticks::gem5::Gem5;
use crate::yardsticks::go::Go;
use crate::yardsticks::linux::Linux;

/// The row that is taken off.
pub(crate) const EMPTY: &str = "empty";

pub(crate) fn run(lab: &mut Lab) {
    let group = size::<2>(lab, 1);
    group.row::<Small<2>>(lab, "bitmap-allocator");
    let group = size::<2>(lab, 4_096);
    group.row::<Small<2>>(lab, "bitmap-allocator");
    let group = size::<32>(lab, 1);
    group.row::<Large<32>>(lab, "bitmap-allocator");
}

fn size<const W: usize>(lab: &mut Lab, pools: u16) -> Group<W> {
    let requests = if pools == 1 { 65_536 } else { 131_072 };
    let group = Group { pools, requests, trace: OnceCell::new() };
    group.row::<Nothing>(lab, EMPTY);
    group.row::<Ours<W>>(lab, "ours");
    group.row::<Linux<W>>(lab, "linux");
    group.row::<Go<W>>(lab, "go");
    group.row::<Gem5<W>>(lab, "gem5");
    group.row::<Bitvec<W>>(lab, "bitvec");
    group.row::<Fixedbitset<W>>(lab, "fixedbitset");
    group.row::<Roaring<W>>(lab, "roaring");
    group.row::<Rangemap<W>>(lab, "rangemap");
    group.row::<RangeAlloc<W>>(lab, "range-alloc");
    group.row::<OffsetAllocator<W>>(lab, "offset-allocator");
    group
}

/// Pools of one size and their trace, made when a row needs it.
struct Group<const W: usize> {
    pools: u16,
    requests: usize,
    trace: OnceCell<Trace>,
}

impl<const W: usize> Group<W> {
    fn row<P: Pool>(&self, lab: &mut Lab, name: &str) {
        // How many steps the releases add is only known from the trace, which is quick to make.
        let trace = self.trace.get_or_init(|| Trace::new::<W>(self.pools, self.requests));
        let start = || {
            let pools: Vec<P> = (0..self.pools).map(|_| P::empty()).collect();
            (pools, vec![None; trace.slots as usize])
        };
        let group = format!("churn-{}-{}", 64 * W, self.pools);
        lab.row(&group, name, trace.ops.len(), start, |(pools, slots)| {
            replay(&trace.ops, pools, slots);
        });
    }
}

/// Does every step; afterwards all pools are free again.
#[inline(never)]
pub(crate) fn replay<P: Pool>(ops: &[Op], pools: &mut [P], slots: &mut [Option<P::Held>]) {
    for op in ops {
        let pool = &mut pools[usize::from(op.pool)];
        let len = u32::from(op.len);
        let slot = &mut slots[op.slot as usize];
        match op.step {
            Step::Take => *slot = pool.take(len),
            Step::Give => {
                if let Some(held) = slot.take() {
                    pool.give(held, len);
                }
            }
            Step::Try => {
                if let Some(held) = pool.take(len) {
                    pool.give(held, len);
                }
            }
        }
    }
}

/// Takes everything and keeps nothing.
struct Nothing;

impl Pool for Nothing {
    type Held = u32;

    fn empty() -> Self {
        Self
    }

    #[inline]
    fn take(&mut self, len: u32) -> Option<u32> {
        Some(len)
    }

    #[inline]
    fn give(&mut self, _: u32, _: u32) {}

    fn start(held: u32) -> u32 {
        held
    }
}
