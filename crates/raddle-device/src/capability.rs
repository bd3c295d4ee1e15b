//! What does an SM of each NVIDIA generation hold?
//!
//! Source: CUDA C++ Programming Guide 13, "Technical Specifications per Compute Capability" (7.0
//! and 7.2: the same table of version 12), and `cuda_occupancy.h` of the CUDA runtime 13.5 for
//! the granules, the four sub-partitions and the workgroup slots. Units: as in the names.

use raddle_policy::CuShape;

use crate::Granules;

pub(crate) const WARP: u32 = 32;
/// Most threads of one block (workgroup), on every generation of this table.
pub(crate) const MAX_THREADS: u32 = 1024;
/// Most registers of one thread, by the CUDA programming guide: register number 255 reads as zero.
/// (NVIDIA's `cuda_occupancy.h` would allow 256, but no kernel has so many.)
pub(crate) const MAX_REGISTERS: u32 = 255;
/// Number of 32-bit registers in one granule, the unit in which an SM gives registers to a warp.
const REGISTER_GRANULE: u32 = 256;
/// Number of sub-partitions (SIMDs) of an SM: register files, schedulers and wave slots come in
/// four parts on every generation of this table.
const SUB_PARTITIONS: u8 = 4;

/// NVIDIA compute capability, such as 9.0, with the resources of an SM that has it.
pub(crate) struct Capability {
    pub(crate) major: u32,
    pub(crate) minor: u32,
    pub(crate) blocks: u16,
    pub(crate) threads: u32,
    pub(crate) registers: u32,
    pub(crate) shared_bytes: u32,
    /// Peak memory bandwidth of the product `like`, in bytes per microsecond, for devices whose own
    /// bandwidth is unknown.
    pub(crate) memory_bytes_per_us: u64,
    /// Name of the common product whose bandwidth is taken where that of the device is unknown,
    /// such as `V100`.
    pub(crate) like: &'static str,
}

/// Compute capabilities whose SMs raddle knows, oldest first. Capability 12.1 has the resources of
/// 12.0, as in `arch_traits` of NVIDIA's CCCL.
pub(crate) const CAPABILITIES: &[Capability] = &[
    row(7, 0, 32, 2048, 96, 900_000, "V100"),
    row(7, 2, 32, 2048, 96, 136_500, "Jetson AGX Xavier"),
    row(7, 5, 16, 1024, 64, 320_000, "T4"),
    row(8, 0, 32, 2048, 164, 1_555_000, "A100 40GB"),
    row(8, 6, 16, 1536, 100, 600_000, "A10"),
    row(8, 7, 16, 1536, 164, 204_800, "Jetson AGX Orin"),
    row(8, 9, 24, 1536, 100, 864_000, "L40"),
    row(9, 0, 32, 2048, 228, 3_350_000, "H100 SXM"),
    row(10, 0, 32, 2048, 228, 8_000_000, "B200"),
    row(10, 3, 32, 2048, 228, 8_000_000, "B300"),
    row(12, 0, 24, 1536, 100, 1_792_000, "RTX 5090"),
    row(12, 1, 24, 1536, 100, 273_000, "GB10"),
];

const fn row(
    major: u32,
    minor: u32,
    blocks: u16,
    threads: u32,
    shared_kib: u32,
    memory_bytes_per_us: u64,
    like: &'static str,
) -> Capability {
    let shared_bytes = shared_kib * 1024;
    let registers = 65_536;
    Capability { major, minor, blocks, threads, registers, shared_bytes, memory_bytes_per_us, like }
}

/// Returns the compute capability `major`.`minor`; `None` where raddle's table of compute
/// capabilities lacks it.
pub(crate) fn capability(major: u32, minor: u32) -> Option<&'static Capability> {
    CAPABILITIES.iter().find(|c| c.major == major && c.minor == minor)
}

/// Returns the sizes of the allocation granules of an SM with the major compute capability `major`.
pub(crate) const fn granules(major: u32) -> Granules {
    Granules {
        vgprs_per_lane: REGISTER_GRANULE / WARP,
        // Uniform registers are not shared out: a launch asks for 0 of them.
        sgprs: 1,
        lds_bytes: if major >= 8 { 128 } else { 256 },
        lds_reserve_bytes: if major >= 8 { 1024 } else { 0 },
    }
}

/// Returns the resources of one SM in granules, given the most blocks and the most threads that it
/// holds, its registers and its bytes of shared memory. An amount that is no whole number of
/// granules, or of sub-partitions, is rounded down. `None` where a register file or the warp slots
/// are too large for the type.
pub(crate) const fn shape(
    major: u32,
    blocks: u16,
    threads: u32,
    registers: u32,
    shared_bytes: u32,
) -> Option<CuShape> {
    let parts = SUB_PARTITIONS as u32;
    let waves = threads / WARP / parts;
    let vgpr = registers / parts / REGISTER_GRANULE;
    if waves > u16::MAX as u32 || vgpr > u16::MAX as u32 {
        return None;
    }
    Some(CuShape {
        simds: SUB_PARTITIONS,
        waves_per_simd: waves as u16,
        vgpr_per_simd: vgpr as u16,
        sgpr: u16::MAX,
        lds: shared_bytes / granules(major).lds_bytes,
        workgroups: blocks,
        // The 16 named barriers of a block come with its slot; in this unit: one set a slot.
        barriers: blocks,
    })
}
