//! What does a compute unit of each AMD instruction set hold?
//!
//! Source: AMD's guides to the instruction sets and LLVM's AMDGPU target (`AMDGPUBaseInfo` and
//! `GCNSubtarget`) for granules, wave slots and barriers; the agents of rocprofv3 and the system
//! info of ROCm Compute Profiler agree where a sample is at hand. Units: as in the names.
//!
//! A compute unit of RDNA is here one of the two that a work-group processor has: 2 SIMDs, waves of
//! 32, 64 KiB of LDS. By default kernels are compiled for the pair, whose 4 SIMDs and 128 KiB one
//! workgroup can use together. A small workgroup fits twice as often in a pair as in a compute unit.
//! A workgroup that needs more than one compute unit has is refused here, and runs on the device.

use raddle_policy::CuShape;

use crate::Granules;

/// Number of work-items (lanes) of a wave of GCN and CDNA.
const WAVE_64: u32 = 64;
/// Number of work-items (lanes) of a wave of RDNA, which also runs waves of 64 where a kernel asks
/// for them.
const WAVE_32: u32 = 32;
/// Most threads of one workgroup, on every instruction set of this table.
pub(crate) const MAX_THREADS: u32 = 1024;
/// Number of barriers of a compute unit; only workgroups of two or more waves take one.
const BARRIERS: u16 = 16;

/// Number of granules of 16 scalar registers on a compute unit of GCN or CDNA, for its four SIMDs
/// together. LLVM (`getOccupancyWithNumSGPRs`) counts 800 registers a SIMD: waves with more than 96
/// registers then fill only 7 of 8 wave slots. That scalar registers can be the limit shows in ROCm
/// Compute Profiler, which counts workgroups that wait for them.
const SGPRS: u16 = 4 * 800 / 16;

/// AMD instruction set, such as gfx942, with the resources of a compute unit that has it.
pub(crate) struct Arch {
    pub(crate) name: &'static str,
    /// Number of work-items (lanes) of a wave: 32 or 64.
    pub(crate) wave: u32,
    pub(crate) simds: u8,
    pub(crate) waves_per_simd: u16,
    /// Number of granules of vector registers of one SIMD.
    pub(crate) vgpr_per_simd: u16,
    /// Number of 32-bit registers of one work-item (lane) that a granule of vector registers holds.
    pub(crate) vgprs_per_lane: u32,
    pub(crate) max_vgprs_per_thread: u32,
    pub(crate) lds_bytes: u32,
    pub(crate) lds_granule: u32,
    /// Peak memory bandwidth of the product `like`, in bytes per microsecond, for devices whose own
    /// bandwidth is unknown.
    pub(crate) memory_bytes_per_us: u64,
    /// Name of the common product whose bandwidth is taken where that of the device is unknown,
    /// such as `MI210`.
    pub(crate) like: &'static str,
}

/// Resources and bandwidth of gfx906. A SIMD has 10 wave slots, but only 8 are counted: the device
/// keeps at most 32 waves in flight for each of its compute units (ROCm/ROCm issue 1456), and HIP
/// counts 8 a SIMD too (ROCm/hip pull request 1240). The limit is one of the whole device; here
/// each compute unit gets its share of it.
pub(crate) const GFX906: Arch =
    Arch { vgprs_per_lane: 4, max_vgprs_per_thread: 256, ..unified("gfx906", 1_024_000, "MI50") };
/// Resources and bandwidth of gfx908. As on gfx906, 8 of the 10 wave slots of a SIMD are counted
/// (see [`GFX906`]). A granule of vector registers has 4 ordinary (arch) and 4 accumulation
/// registers of each work-item, so a wave has equally many of both kinds.
pub(crate) const GFX908: Arch = unified("gfx908", 1_228_800, "MI100");
pub(crate) const GFX90A: Arch = unified("gfx90a", 1_638_400, "MI210");
pub(crate) const GFX942: Arch = unified("gfx942", 5_324_800, "MI300X");
pub(crate) const GFX950: Arch =
    Arch { lds_bytes: 160 * 1024, lds_granule: 1280, ..unified("gfx950", 8_000_000, "MI350X") };

pub(crate) const GFX1100: Arch = rdna("gfx1100", 960_000, "RX 7900 XTX");
pub(crate) const GFX1101: Arch = rdna("gfx1101", 624_100, "RX 7800 XT");
pub(crate) const GFX1151: Arch = rdna("gfx1151", 256_000, "Radeon 8060S");
pub(crate) const GFX1201: Arch = rdna("gfx1201", 640_000, "RX 9070 XT");

/// AMD instruction sets whose compute units raddle knows, oldest first.
const ARCHS: [&Arch; 9] =
    [&GFX906, &GFX908, &GFX90A, &GFX942, &GFX950, &GFX1100, &GFX1101, &GFX1151, &GFX1201];

/// Returns the instruction set with the name `name`; `None` where raddle's table of instruction
/// sets lacks it. A suffix after a colon (`gfx90a:sramecc+`) does not matter.
pub(crate) fn arch(name: &str) -> Option<&'static Arch> {
    let name = name.split(':').next().unwrap_or(name).trim();
    ARCHS.into_iter().find(|arch| arch.name.eq_ignore_ascii_case(name))
}

/// Returns an instruction set with the resources of CDNA2 and CDNA3, where the two kinds of vector
/// registers share 512 registers for each work-item. Instruction sets with other resources replace
/// fields. `memory_bytes_per_us` is the peak bandwidth of the product `like`.
const fn unified(name: &'static str, memory_bytes_per_us: u64, like: &'static str) -> Arch {
    Arch {
        name,
        wave: WAVE_64,
        simds: 4,
        waves_per_simd: 8,
        vgpr_per_simd: 64,
        vgprs_per_lane: 8,
        max_vgprs_per_thread: 512,
        lds_bytes: 64 * 1024,
        lds_granule: 512,
        memory_bytes_per_us,
        like,
    }
}

/// Returns an instruction set with the resources of those RDNA 3, 3.5 and 4 devices whose SIMDs
/// have 1536 vector registers for each lane, in granules of 24. One wave can address 256 of them.
/// (Devices with 1024 registers, such as gfx1102 and gfx1150, have granules of 16.)
/// `memory_bytes_per_us` is the peak bandwidth of the product `like`.
///
/// The hardware aligns LDS to 1 KiB, by Mesa's `lds_alloc_granularity` (`ac_gpu_info.c`). The 512
/// bytes of LLVM are the unit in which a kernel encodes its demand.
const fn rdna(name: &'static str, memory_bytes_per_us: u64, like: &'static str) -> Arch {
    Arch {
        name,
        wave: WAVE_32,
        simds: 2,
        waves_per_simd: 16,
        vgpr_per_simd: 64,
        vgprs_per_lane: 24,
        max_vgprs_per_thread: 256,
        lds_bytes: 64 * 1024,
        lds_granule: 1024,
        memory_bytes_per_us,
        like,
    }
}

impl Arch {
    /// Returns whether tools count the compute units of this instruction set in two ways: rocprofv3
    /// counts single ones, HIP and so PyTorch count pairs of them.
    pub(crate) const fn has_pairs(&self) -> bool {
        self.wave == WAVE_32
    }

    /// Returns the resources of one compute unit with this instruction set, in granules. Workgroup
    /// slots are as many as wave slots, so waves limit first.
    pub(crate) const fn shape(&self) -> CuShape {
        CuShape {
            simds: self.simds,
            waves_per_simd: self.waves_per_simd,
            vgpr_per_simd: self.vgpr_per_simd,
            // On RDNA every wave has its fixed share.
            sgpr: if self.wave == WAVE_64 { SGPRS } else { u16::MAX },
            lds: self.lds_bytes / self.lds_granule,
            workgroups: self.waves_per_simd * self.simds as u16,
            barriers: BARRIERS,
        }
    }

    pub(crate) const fn granules(&self) -> Granules {
        Granules {
            vgprs_per_lane: self.vgprs_per_lane,
            sgprs: 16,
            lds_bytes: self.lds_granule,
            lds_reserve_bytes: 0,
        }
    }
}
