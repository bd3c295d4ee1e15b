//! What device does a profile describe, when the table does not know its name?
//!
//! PyTorch profiles describe NVIDIA devices well but for granules and workgroup slots, which follow
//! from the compute capability. Of AMD devices they say too little.

use alloc::format;
use alloc::string::{String, ToString};

use raddle_types::CuShape;

use crate::capability::{self, Capability, MAX_REGISTERS, MAX_THREADS, WARP, capability};
use crate::{Device, DeviceError, MEASURED_KILL_NS, Vendor};

/// What a profile says of its device (`deviceProperties` of a PyTorch profile); `None` where it
/// does not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Properties {
    /// The driver's name of it. May be empty.
    pub name: String,
    /// Compute units (`numSms`).
    pub sms: Option<u32>,
    /// Major compute capability (`computeMajor`).
    pub compute_major: Option<u32>,
    /// Minor compute capability (`computeMinor`).
    pub compute_minor: Option<u32>,
    /// 32-bit registers of one SM (`regsPerMultiprocessor`).
    pub registers_per_sm: Option<u32>,
    /// Resident threads of one SM (`maxThreadsPerMultiprocessor`).
    pub threads_per_sm: Option<u32>,
    /// Shared memory of one SM, in bytes (`sharedMemPerMultiprocessor`).
    pub shared_bytes_per_sm: Option<u32>,
    /// Threads of a warp (`warpSize`).
    pub wave_size: Option<u32>,
}

/// A device for an NVIDIA GPU that is not in the table.
///
/// The number of SMs and the compute capability must be known; the rest, where the profile does not
/// say it, is what the capability has. Its bandwidth is that of a common product of the same
/// capability, which [`Device::source`] names.
///
/// # Errors
/// When the SMs or the capability are not said, the capability is unknown, the device is not
/// NVIDIA's, or a figure is impossible.
pub fn from_properties(properties: &Properties) -> Result<Device, DeviceError> {
    let name = || properties.name.clone();
    let missing = |what| DeviceError::Missing { name: name(), what };
    if is_foreign(properties) {
        return Err(DeviceError::NotNvidia { name: name() });
    }
    let sms = properties.sms.ok_or_else(|| missing("number of SMs"))?;
    let (Some(major), Some(minor)) = (properties.compute_major, properties.compute_minor) else {
        return Err(missing("compute capability"));
    };
    let known = capability(major, minor).ok_or_else(|| DeviceError::Capability {
        name: name(),
        major,
        minor,
    })?;
    let device = Device {
        id: slug(&properties.name),
        product: name(),
        vendor: Vendor::Nvidia,
        cus: u16::try_from(sms).map_err(|_| impossible(properties, "number of SMs"))?,
        wave_size: WARP,
        max_threads_per_workgroup: MAX_THREADS,
        max_vgprs_per_thread: MAX_REGISTERS,
        memory_bytes_per_us: known.memory_bytes_per_us,
        kill_ns: MEASURED_KILL_NS,
        source: format!(
            "the profile's own figures; slots and granules: compute capability {major}.{minor}; \
             bandwidth assumed, that of {}; kill-ns assumed",
            known.like
        ),
        shape: shape(known, properties)?,
        granules: capability::granules(major),
    };
    let useless = device.shape.waves() == 0 || device.shape.vgpr_per_simd == 0;
    if device.cus == 0 || useless {
        return Err(impossible(properties, "number of SMs, or of threads or registers of an SM,"));
    }
    Ok(device)
}

fn shape(known: &Capability, properties: &Properties) -> Result<CuShape, DeviceError> {
    let threads = properties.threads_per_sm.unwrap_or(known.threads);
    let registers = properties.registers_per_sm.unwrap_or(known.registers);
    let shared = properties.shared_bytes_per_sm.unwrap_or(known.shared_bytes);
    capability::shape(known.major, known.blocks, threads, registers, shared)
        .ok_or_else(|| impossible(properties, "threads or registers of an SM"))
}

/// AMD profiles carry "compute capabilities" too (9.0, 9.4), which are not NVIDIA's.
fn is_foreign(properties: &Properties) -> bool {
    let name = properties.name.to_lowercase();
    properties.wave_size.is_some_and(|lanes| lanes != WARP)
        || ["amd", "radeon", "instinct", "gfx", "intel"].iter().any(|maker| name.contains(maker))
}

fn impossible(properties: &Properties, what: &'static str) -> DeviceError {
    DeviceError::Impossible { name: properties.name.clone(), what }
}

/// The name in kebab-case, without the maker: "NVIDIA GeForce RTX 3080" is `geforce-rtx-3080`.
fn slug(name: &str) -> String {
    let name = name.to_lowercase();
    let words = name.split(|c: char| !c.is_ascii_alphanumeric());
    let mut slug = String::new();
    for word in words.filter(|word| !word.is_empty() && *word != "nvidia") {
        if !slug.is_empty() {
            slug.push('-');
        }
        slug.push_str(word);
    }
    if slug.is_empty() { "unnamed".to_string() } else { slug }
}
