//! What does a compute unit of each AMD instruction set hold?
//!
//! Source: AMD's guides to the instruction sets and LLVM's AMDGPU target (`AMDGPUBaseInfo` and
//! `GCNSubtarget`) for granules, wave slots and barriers; the agents of rocprofv3 and the system
//! info of ROCm Compute Profiler agree where a sample is at hand. Units: as in the names.

use raddle_policy::CuShape;

use crate::Granules;

/// Lanes of a wave on every instruction set here.
pub(crate) const WAVE: u32 = 64;
/// The most threads of a workgroup, on every instruction set here.
pub(crate) const MAX_THREADS: u32 = 1024;
/// SIMDs of a compute unit on every instruction set here.
pub(crate) const SIMDS: u8 = 4;
/// Barriers of a compute unit; only workgroups of two or more waves take one.
const BARRIERS: u16 = 16;

/// An AMD instruction set, and the resources that a compute unit with it holds.
pub(crate) struct Arch {
    pub(crate) name: &'static str,
    pub(crate) waves_per_simd: u16,
    /// Granules of vector registers of a SIMD.
    pub(crate) vgpr_per_simd: u16,
    /// Registers of one lane that one granule of vector registers holds.
    pub(crate) vgprs_per_lane: u32,
    pub(crate) max_vgprs_per_thread: u32,
    pub(crate) lds_bytes: u32,
    pub(crate) lds_granule: u32,
    /// Peak memory bandwidth of a common product, which stands in for that of the real device.
    pub(crate) memory_bytes_per_us: u64,
    /// The common product whose bandwidth stands in, such as `MI210`.
    pub(crate) like: &'static str,
}

pub(crate) const GFX906: Arch = Arch {
    waves_per_simd: 10,
    vgprs_per_lane: 4,
    max_vgprs_per_thread: 256,
    ..unified("gfx906", 1_024_000, "MI50")
};
/// gfx908: a granule has 4 arch and 4 accumulation registers, so a wave has as many of either kind.
pub(crate) const GFX908: Arch =
    Arch { waves_per_simd: 10, ..unified("gfx908", 1_228_800, "MI100") };
pub(crate) const GFX90A: Arch = unified("gfx90a", 1_638_400, "MI210");
pub(crate) const GFX942: Arch = unified("gfx942", 5_324_800, "MI300X");
pub(crate) const GFX950: Arch =
    Arch { lds_bytes: 160 * 1024, lds_granule: 1280, ..unified("gfx950", 8_000_000, "MI350X") };

/// The instruction sets that we know, oldest first.
const ARCHS: [&Arch; 5] = [&GFX906, &GFX908, &GFX90A, &GFX942, &GFX950];

/// Returns the instruction set of that name, if it is in the table; a suffix after a colon
/// (`gfx90a:sramecc+`) does not matter.
pub(crate) fn arch(name: &str) -> Option<&'static Arch> {
    let name = name.split(':').next().unwrap_or(name).trim();
    ARCHS.into_iter().find(|arch| arch.name.eq_ignore_ascii_case(name))
}

/// Builds a row with the figures of CDNA2 and CDNA3, where the two kinds of registers share 512 a
/// lane; rows that differ replace fields.
const fn unified(name: &'static str, memory_bytes_per_us: u64, like: &'static str) -> Arch {
    Arch {
        name,
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

impl Arch {
    /// Returns the shape of a compute unit. Workgroup slots are as many as wave slots, so waves
    /// limit first.
    pub(crate) const fn shape(&self) -> CuShape {
        CuShape {
            simds: SIMDS,
            waves_per_simd: self.waves_per_simd,
            vgpr_per_simd: self.vgpr_per_simd,
            sgpr: u16::MAX,
            lds: self.lds_bytes / self.lds_granule,
            workgroups: self.waves_per_simd * SIMDS as u16,
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
