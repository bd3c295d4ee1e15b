//! The device that seed 000 gives as its example.
//!
//! From the seed: 16 execution modules (compute units) with 4 units (SIMDs) each, 128 blocks of a
//! resource a unit (paragraphs 151 to 154), three resources of 128, 64 and 48 blocks (211 to 214).
//! Everything else is assumed: that the three are vector registers, scalar registers and shared
//! memory in this order, how large a block is, and the numbers of wave and workgroup slots.

use raddle_policy::CuShape;

use super::DeviceRow;
use crate::{Granules, MEASURED_RESET_NS, Vendor};

const SIMDS: u16 = 4;
const WAVES_PER_SIMD: u16 = 16;

pub(super) const ROWS: &[DeviceRow] = &[DeviceRow {
    id: "seed-000",
    product: "the example device of seed 000",
    named: &[],
    not: &[],
    arch: "",
    vendor: Vendor::Seed,
    cus: 16,
    wave_size: 64,
    shape: CuShape {
        simds: 4,
        waves_per_simd: WAVES_PER_SIMD,
        vgpr_per_simd: 128,
        // The seed keeps scalar registers in the units; a shape has them in the module.
        sgpr: 64 * SIMDS,
        lds: 48,
        workgroups: WAVES_PER_SIMD * SIMDS,
        barriers: WAVES_PER_SIMD * SIMDS,
    },
    granules: Granules { vgprs_per_lane: 4, sgprs: 16, lds_bytes: 1024, lds_reserve_bytes: 0 },
    max_threads_per_workgroup: 1024,
    max_vgprs_per_thread: 512,
    memory_bytes_per_us: 1_000_000,
    unit_bytes_per_us: None,
    clock_mhz: None,
    exit_ns: None,
    reset_ns: MEASURED_RESET_NS,
    switch_ns: None,
    source: "seed 000: modules, units and 128 blocks of paragraphs 151 to 154, 128/64/48 blocks of \
             paragraphs 211 to 214; assumed: which resources these are, block sizes, 16 wave slots \
             a unit, slots and barriers that never limit first, bandwidth, reset-ns",
}];
