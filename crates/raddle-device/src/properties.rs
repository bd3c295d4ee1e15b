//! What device does a profile describe, when the table does not know its name?
//!
//! PyTorch profiles describe NVIDIA devices well but for granules and workgroup slots, which follow
//! from the compute capability. Of AMD devices they say too little, but rocprofv3 says all except
//! registers and granules, which follow from the instruction set.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use raddle_policy::CuShape;

use crate::arch::{self, Arch};
use crate::capability::{self, Capability, MAX_REGISTERS, MAX_THREADS, WARP, capability};
use crate::error::Reason;
use crate::memory;
use crate::{Device, DeviceError, MEASURED_RESET_NS, Vendor};

/// Description of the device that a profile was recorded on. A value that the profile does not give
/// is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceDevice {
    /// Driver's name of the device; in a launch table (a hand-written profile) the text of its
    /// `device` comment, which may be an id of the device table. Empty where the profile does not
    /// say it.
    pub name: String,
    /// Number of compute units (SMs) of the device; `None` where the profile does not say it.
    pub sms: Option<u32>,
    /// Major number of the compute capability (NVIDIA); `None` where the profile does not say it.
    pub compute_major: Option<u32>,
    /// Minor number of the compute capability (NVIDIA); `None` where the profile does not say it.
    pub compute_minor: Option<u32>,
    /// Number of 32-bit registers of one compute unit; `None` where the profile does not say it.
    pub registers_per_sm: Option<u32>,
    /// Most work-items that are on one compute unit at once; `None` where the profile does not say
    /// it.
    pub threads_per_sm: Option<u32>,
    /// Shared memory of one compute unit, in bytes; `None` where the profile does not say it.
    pub shared_bytes_per_sm: Option<u32>,
    /// Number of work-items of one wave; `None` where the profile does not say it.
    pub wave_size: Option<u32>,
    /// Most workgroups that are on one compute unit at once; `None` where the profile does not say
    /// it.
    pub workgroups_per_sm: Option<u32>,
    /// Number of SIMDs of one compute unit; `None` where the profile does not say it.
    pub simds_per_sm: Option<u32>,
    /// Most waves that are on one SIMD at once; `None` where the profile does not say it.
    pub waves_per_simd: Option<u32>,
    /// Name of the instruction set (AMD), such as `gfx942`; empty where the profile does not say
    /// it.
    pub arch: String,
    /// Memory on the recorded device, in bytes; `None` where the profile does not say it.
    pub memory_bytes: Option<u64>,
}

/// Builds a device from the values in a profile, for a GPU that is not in raddle's table of
/// devices.
///
/// Of an NVIDIA GPU the number of SMs and the compute capability must be known. Of an AMD GPU the
/// number of compute units and the instruction set must be known (gfx906, gfx908, gfx90a, gfx942,
/// gfx950, gfx1100, gfx1101, gfx1151 or gfx1201), and for the last four also the number of SIMDs of
/// a compute unit. Other values that the profile lacks are those of the capability or of the
/// instruction set. The bandwidth is that of a common product of the same kind, which
/// [`Device::source`] names.
///
/// # Errors
/// [`DeviceError`] when a value that must be known is missing, the capability or the instruction
/// set is unknown, the device is neither NVIDIA's nor of a known instruction set, or a value is
/// impossible.
pub fn from_properties(source: &SourceDevice) -> Result<Device, DeviceError> {
    let name = || source.name.clone();
    let missing = |what| DeviceError(Reason::Missing { name: name(), what });
    if !source.arch.is_empty() {
        return from_arch(source);
    }
    if is_foreign(source) {
        return Err(DeviceError(Reason::NotNvidia { name: name() }));
    }
    let sms = source.sms.ok_or_else(|| missing("number of SMs"))?;
    let (Some(major), Some(minor)) = (source.compute_major, source.compute_minor) else {
        return Err(missing("compute capability"));
    };
    let known = capability(major, minor)
        .ok_or_else(|| DeviceError(Reason::Capability { name: name(), major, minor }))?;
    let shape = shape(known, source)?;
    sound(
        source,
        Device {
            id: slug(&source.name),
            product: product(&source.name),
            vendor: Vendor::Nvidia,
            cus: u16::try_from(sms).map_err(|_| impossible(source, "number of SMs"))?,
            wave_size: WARP,
            max_threads_per_workgroup: MAX_THREADS,
            max_vgprs_per_thread: MAX_REGISTERS,
            max_vgprs_per_workgroup: None,
            capacity_bytes: source.memory_bytes,
            memory_bytes_per_us: known.memory_bytes_per_us,
            unit_bytes_per_us: None,
            reached_bytes_per_us: None,
            memory_permille: None,
            compute_permille: None,
            clock_mhz: None,
            flag_ns: None,
            exit_ns: None,
            check_ns: None,
            reset_ns: MEASURED_RESET_NS,
            switch_ns: None,
            turn_ns: None,
            turn_switch_ns: None,
            percent_units: Vec::new(),
            source: format!(
                "the profile's own figures; slots and granules: compute capability {major}.{minor}; \
             bandwidth assumed, that of {}; reset-ns assumed",
                known.like
            ),
            shape,
            granules: capability::granules(major),
        },
    )
}

/// Builds a device from the values in a profile, for an AMD GPU that is not in raddle's table of
/// devices. The error says which value is missing, unknown or impossible.
fn from_arch(source: &SourceDevice) -> Result<Device, DeviceError> {
    let SourceDevice { name, arch, .. } = source;
    let missing = |what| DeviceError(Reason::Missing { name: name.clone(), what });
    let cus = source.sms.ok_or_else(|| missing("number of compute units"))?;
    let known = arch::arch(arch)
        .ok_or_else(|| DeviceError(Reason::Arch { name: name.clone(), arch: arch.clone() }))?;
    if source.wave_size.is_some_and(|lanes| lanes != known.wave) {
        return Err(impossible(source, "wave size"));
    }
    // Without the SIMDs of a unit, 48 units can be 48 compute units or 48 pairs.
    if known.has_pairs() && source.simds_per_sm != Some(u32::from(known.simds)) {
        return Err(missing("number of SIMDs of a compute unit"));
    }
    let shape = amd_shape(known, source)
        .ok_or_else(|| impossible(source, "number of SIMDs, waves or workgroups"))?;
    sound(
        source,
        Device {
            id: slug(name),
            product: product(name),
            vendor: Vendor::Amd,
            cus: u16::try_from(cus).map_err(|_| impossible(source, "number of compute units"))?,
            wave_size: known.wave,
            max_threads_per_workgroup: arch::MAX_THREADS,
            max_vgprs_per_thread: known.max_vgprs_per_thread,
            max_vgprs_per_workgroup: None,
            capacity_bytes: source.memory_bytes,
            memory_bytes_per_us: known.memory_bytes_per_us,
            unit_bytes_per_us: memory::amd_unit(known.name, known.memory_bytes_per_us),
            reached_bytes_per_us: None,
            memory_permille: None,
            compute_permille: None,
            clock_mhz: None,
            flag_ns: None,
            exit_ns: None,
            check_ns: None,
            reset_ns: MEASURED_RESET_NS,
            switch_ns: None,
            turn_ns: None,
            turn_switch_ns: None,
            percent_units: Vec::new(),
            source: format!(
                "the profile's own figures; registers and granules: {}; bandwidth assumed, that of {}; \
             reset-ns assumed",
                known.name, known.like
            ),
            shape,
            granules: known.granules(),
        },
    )
}

/// Returns the resources of a compute unit. A value that the profile does not give is taken from
/// the instruction set. `None` where a value is too large for its type.
fn amd_shape(known: &Arch, source: &SourceDevice) -> Option<CuShape> {
    let usual = known.shape();
    let simds = match source.simds_per_sm {
        Some(simds) => u8::try_from(simds).ok()?,
        None => usual.simds,
    };
    let waves_per_simd = match source.waves_per_simd {
        // The driver gives the 10 slots of gfx906 and gfx908, of which 8 count.
        Some(waves) => u16::try_from(waves).ok()?.min(usual.waves_per_simd),
        None => usual.waves_per_simd,
    };
    let workgroups = match source.workgroups_per_sm {
        Some(workgroups) => u16::try_from(workgroups).ok()?,
        None => waves_per_simd.checked_mul(u16::from(simds))?,
    };
    let lds = source.shared_bytes_per_sm.map_or(usual.lds, |bytes| bytes / known.lds_granule);
    Some(CuShape { simds, waves_per_simd, workgroups, lds, ..usual })
}

/// Returns `device`, built from the values in `source`, if workgroups can run on it and
/// [`Device::check`] accepts it; else an error.
fn sound(source: &SourceDevice, device: Device) -> Result<Device, DeviceError> {
    let useless = device.shape.waves() == 0 || device.shape.vgpr_per_simd == 0;
    if device.cus == 0 || useless || device.check().is_err() {
        return Err(impossible(source, "number of SMs, or of threads or registers of an SM,"));
    }
    Ok(device)
}

fn shape(known: &Capability, source: &SourceDevice) -> Result<CuShape, DeviceError> {
    let threads = source.threads_per_sm.unwrap_or(known.threads);
    let registers = source.registers_per_sm.unwrap_or(known.registers);
    let shared = source.shared_bytes_per_sm.unwrap_or(known.shared_bytes);
    let blocks = source.workgroups_per_sm.map_or(Ok(known.blocks), u16::try_from);
    let blocks = blocks.map_err(|_| impossible(source, "number of workgroups of an SM"))?;
    capability::shape(known.major, blocks, threads, registers, shared)
        .ok_or_else(|| impossible(source, "threads or registers of an SM"))
}

/// Returns whether the profile's GPU is by another maker than NVIDIA. AMD profiles also give
/// "compute capabilities" (9.0, 9.4), which are not NVIDIA's.
fn is_foreign(source: &SourceDevice) -> bool {
    let name = source.name.to_lowercase();
    source.wave_size.is_some_and(|lanes| lanes != WARP)
        || ["amd", "radeon", "instinct", "gfx", "intel"].iter().any(|maker| name.contains(maker))
}

/// Returns the error for a value in a profile that no device can have; `what` names the value.
fn impossible(source: &SourceDevice, what: &'static str) -> DeviceError {
    DeviceError(Reason::Impossible { name: source.name.clone(), what })
}

/// Returns the product name to use for a device: `name`, or "an unnamed device" where that is
/// empty.
fn product(name: &str) -> String {
    if name.trim().is_empty() { "an unnamed device".to_string() } else { name.to_string() }
}

/// Turns a product name into an id in kebab-case, without the maker: "NVIDIA GeForce RTX 3080" is
/// `geforce-rtx-3080`.
fn slug(name: &str) -> String {
    let name = name.to_lowercase();
    let words = name.split(|c: char| !c.is_ascii_alphanumeric());
    let mut slug = String::new();
    for word in words.filter(|word| !word.is_empty() && !matches!(*word, "nvidia" | "amd")) {
        if !slug.is_empty() {
            slug.push('-');
        }
        slug.push_str(word);
    }
    if slug.is_empty() { "unnamed".to_string() } else { slug }
}
