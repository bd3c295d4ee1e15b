//! How does Python ask what the controllers of seed 003, which distribute workgroups, do next?

use std::collections::BTreeMap;

use pyo3::prelude::*;
use raddle_policy::{CuId, LaunchId};
use raddle_sm::{BlockWarpConfig, Controllers, Handle, Kernel, Resources, Route};

use super::number::numbers;
use super::{Number, refused, word};

/// Model of the controllers that distribute blocks (workgroups) to SMs that are all alike (seed
/// 003).
#[pyclass(module = "raddle._raddle")]
pub(crate) struct BlockWarp {
    controllers: Controllers,
    /// Handles of the blocks (workgroups) with running warps: some have started, and not all have
    /// ended. The key is (kernel, number of the block).
    blocks: BTreeMap<(u32, u64), Handle>,
}

/// Decision to distribute the `count` blocks of a kernel from number `first` on to one SM. `route`
/// is `whole` where the SM has room for whole blocks, `first` where it can start one warp at least,
/// and `second` where the block waits there for warp slots.
#[pyclass(frozen, get_all, module = "raddle._raddle")]
pub(crate) struct Distribution {
    route: &'static str,
    kernel: u32,
    sm: u16,
    first: u64,
    count: u64,
}

/// Warps of one block (workgroup) that start on an SM in one step: `count` of them, from the number
/// `first` on.
#[pyclass(frozen, get_all, module = "raddle._raddle")]
pub(crate) struct Started {
    kernel: u32,
    block: u64,
    first: u64,
    count: u64,
    last: bool,
}

/// Effects of the end of a warp on an SM: true where its block (workgroup), or its kernel, has
/// ended with it.
#[pyclass(frozen, get_all, module = "raddle._raddle")]
pub(crate) struct WarpEnd {
    sm: u16,
    block_done: bool,
    kernel_done: bool,
}

#[pymethods]
impl BlockWarp {
    #[new]
    #[pyo3(signature = (sms, *, registers, warps, shared, strict = false, choose = "lowest", fall_through = false, backfill = true, whole_blocks_for_barriers = true))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn new(
        sms: Number<u16>,
        registers: Number<u64>,
        warps: Number<u64>,
        shared: Number<u64>,
        strict: bool,
        choose: &str,
        fall_through: bool,
        backfill: bool,
        whole_blocks_for_barriers: bool,
    ) -> PyResult<Self> {
        numbers!(sms, registers, warps, shared);
        let choose = word("choose", choose)?;
        let config =
            BlockWarpConfig { strict, choose, fall_through, backfill, whole_blocks_for_barriers };
        let controllers = Controllers::new(sms, Resources { registers, warps, shared }, config);
        let controllers = controllers.map_err(refused)?;
        Ok(Self { controllers, blocks: BTreeMap::new() })
    }
    #[pyo3(signature = (kernel, *, rank, blocks, warps, registers = Number::Fits(0), shared = Number::Fits(0), barrier = false), text_signature = r#"($self, kernel, *, rank, blocks, warps, registers=0, shared=0, barrier=false)"#)]
    #[expect(clippy::too_many_arguments, reason = "most are keywords in Python")]
    fn arrive(
        &mut self,
        kernel: Number<u32>,
        rank: Number<u64>,
        blocks: Number<u64>,
        warps: Number<u64>,
        registers: Number<u64>,
        shared: Number<u64>,
        barrier: bool,
    ) -> PyResult<Option<(&'static str, u64, u64)>> {
        numbers!(kernel, rank, blocks, warps, registers, shared);
        let id = LaunchId(kernel);
        let kernel = Kernel { id, rank, blocks, warps, registers, shared, barrier };
        let refusal = self.controllers.arrive(&kernel).map_err(refused)?;
        Ok(refusal.map(|it| (it.resource.name(), it.wanted, it.available)))
    }
    fn decide(&mut self) -> Option<Distribution> {
        self.controllers.decide().map(|made| Distribution {
            route: match made.route() {
                Route::Whole => "whole",
                Route::First => "first",
                Route::Second => "second",
            },
            kernel: made.kernel().0,
            sm: made.sm().0,
            first: made.first(),
            count: made.count(),
        })
    }
    fn serve(&mut self, sm: Number<u16>) -> PyResult<Option<Started>> {
        numbers!(sm);
        let served = self.controllers.serve(CuId(sm)).map_err(refused)?;
        Ok(served.map(|it| {
            self.blocks.insert((it.kernel().0, it.block()), it.handle());
            let (kernel, block, first, count) = (it.kernel().0, it.block(), it.first(), it.count());
            Started { kernel, block, first, count, last: it.last() }
        }))
    }
    fn ended(&mut self, kernel: Number<u32>, block: Number<u64>) -> PyResult<WarpEnd> {
        numbers!(kernel, block);
        let handle = self.blocks.get(&(kernel, block)).copied().ok_or_else(|| {
            refused(format!(
                "no warp of block {block} of kernel {kernel} runs: report each end once"
            ))
        })?;
        let ended = self.controllers.ended(handle).map_err(refused)?;
        if ended.block_done() {
            self.blocks.remove(&(kernel, block));
        }
        let (block_done, kernel_done) = (ended.block_done(), ended.kernel_done());
        Ok(WarpEnd { sm: ended.sm().0, block_done, kernel_done })
    }
    fn remaining(&self, sm: Number<u16>) -> PyResult<(u64, u64, u64)> {
        numbers!(sm);
        let rows = self.controllers.sms();
        let row = rows.get(usize::from(sm));
        let row =
            row.ok_or_else(|| refused(format!("`sm` is {sm} of {}: count from 0", rows.len())))?;
        let Resources { registers, warps, shared } = row.remaining();
        Ok((registers, warps, shared))
    }
}
