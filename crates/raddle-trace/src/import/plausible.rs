//! Which figures in a file can be those of no device, and what becomes of them?
//!
//! Profilers write fields that nobody has filled, and differences that ran below zero. Such a
//! figure is taken as unknown and counted. Launch tables are not looked at: people write them on
//! purpose, also for devices that do not exist.

use raddle_device::{Device, find, find_arch, find_product, from_properties};

use crate::assemble::Draft;
use crate::profile::{Op, OpKind, ProfileFormat, SourceDevice};
use crate::provenance::{Field, Origin};
use crate::report::Quirk;

/// A year in nanoseconds: no op lasts as long, and no recording begins so long before its ops.
const YEAR_NS: u64 = 31_536_000_000_000_000;
/// The bit by which [`crate::profile::unsigned_time`] moves times of the source's clock.
const SIGN: u64 = 1 << 63;

/// The most that a workgroup, or a work-item of it, can have on the device of a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Limits {
    /// Vector registers of a work-item.
    registers: u32,
    /// Shared memory of a workgroup, in bytes.
    lds_bytes: u32,
    /// Work-items of a workgroup.
    threads: u32,
}

/// The most scalar registers that tools write for a wave.
const SGPRS: u32 = 128;

/// The limits of all GPUs of NVIDIA, of AMD, and of both.
const NVIDIA: Limits = Limits { registers: 255, lds_bytes: 228 * 1024, threads: 1024 };
const AMD: Limits = Limits { registers: 512, lds_bytes: 160 * 1024, threads: 1024 };
const ANY: Limits = Limits { registers: 512, lds_bytes: 228 * 1024, threads: 1024 };

impl Limits {
    /// Returns the limits of the device of a profile where it is known, else those of all devices
    /// of its maker.
    fn of(source: Option<&SourceDevice>, format: ProfileFormat) -> Self {
        let maker = match format {
            ProfileFormat::NsysSqlite | ProfileFormat::NsysCsv | ProfileFormat::NvprofCsv => NVIDIA,
            ProfileFormat::RocprofJson
            | ProfileFormat::RocprofCsv
            | ProfileFormat::Rocpd
            | ProfileFormat::Rpd => AMD,
            _ => ANY,
        };
        let Some(device) = source.and_then(known) else { return maker };
        let lds_bytes = device.shape.lds.saturating_mul(device.granules.lds_bytes);
        Self {
            registers: device.max_vgprs_per_thread,
            lds_bytes: if lds_bytes == 0 { maker.lds_bytes } else { lds_bytes },
            threads: device.max_threads_per_workgroup,
        }
    }
}

/// Finds the device that a profile describes.
fn known(source: &SourceDevice) -> Option<Device> {
    let by_units = || find_arch(&source.arch, source.sms?);
    find(&source.name)
        .or_else(|| find_product(&source.name))
        .or_else(|| from_properties(source).ok())
        .or_else(|| (!source.arch.is_empty()).then(by_units).flatten())
}

/// Takes figures that can be those of no device as unknown. Ops whose times cannot be are left out,
/// as nobody knows when they ran.
pub(super) fn forget_impossible(draft: &mut Draft, format: ProfileFormat) {
    // The first device stands in for one that is not listed, so its limits may be too low.
    let listed = draft.report.count(Quirk::DeviceNotListed) == 0;
    let limits = Limits::of(draft.device.as_ref().filter(|_| listed), format);
    leave_out_timeless(draft);
    let first = draft.ops.iter().map(|op| op.start_ns).min().unwrap_or(0);
    for op in &mut draft.ops {
        let known = op.provenance.of(Field::Arrival) != Origin::Assumed;
        if known && first.saturating_sub(op.arrival_ns) > YEAR_NS {
            op.arrival_ns = 0;
            op.assume(Field::Arrival);
            draft.report.note(Quirk::ImpossibleLaunchTime);
        }
        if op.kind != OpKind::Kernel || op.is_opaque() {
            continue;
        }
        let Op { footprint, .. } = op;
        if footprint.threads > limits.threads {
            op.forget_shape();
            draft.report.note(Quirk::ImpossibleThreads);
            continue;
        }
        if footprint.vgprs_per_thread > limits.registers {
            op.set_registers(None);
            draft.report.note(Quirk::ImpossibleRegisters);
        }
        if op.footprint.sgprs_per_wave > SGPRS {
            op.footprint.sgprs_per_wave = 0;
            draft.report.note(Quirk::ImpossibleRegisters);
        }
        if op.footprint.lds_bytes > limits.lds_bytes {
            op.footprint.lds_bytes = 0;
            op.assume(Field::SharedMemory);
            draft.report.note(Quirk::ImpossibleSharedMemory);
        }
    }
}

/// Leaves out ops that last longer than a year, or whose start nobody wrote: it is 0 or less by a
/// clock that the other ops read more than a year later.
fn leave_out_timeless(draft: &mut Draft) {
    let mut starts: Vec<u64> = draft.ops.iter().map(|op| op.start_ns).collect();
    let middle = starts.len() / 2;
    let usual = if starts.is_empty() { SIGN } else { *starts.select_nth_unstable(middle).1 };
    let unset = usual.saturating_sub(YEAR_NS).min(SIGN);
    let report = &mut draft.report;
    draft.ops.retain(|op| {
        let timeless = op.start_ns <= unset && usual > SIGN.saturating_add(YEAR_NS);
        let out = timeless
            || op.duration_ns > YEAR_NS
            || op.start_ns.checked_add(op.duration_ns).is_none();
        report.add(Quirk::ImpossibleTime, u64::from(out));
        report.left_out =
            report.left_out.saturating_add(u64::from(out && op.kind == OpKind::Kernel));
        !out
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn called(name: &str) -> SourceDevice {
        SourceDevice { name: name.to_owned(), ..SourceDevice::default() }
    }

    #[test]
    fn limits_are_those_of_the_device_or_else_of_its_maker() {
        let t4 = Limits::of(Some(&called("Tesla T4")), ProfileFormat::Kineto);
        assert_eq!(t4, Limits { lds_bytes: 64 * 1024, ..NVIDIA });
        let mi300x = Limits::of(Some(&called("AMD Instinct MI300X")), ProfileFormat::XPlane);
        assert_eq!(mi300x, Limits { lds_bytes: 64 * 1024, ..AMD });
        assert_eq!(Limits::of(Some(&called("Nobody's")), ProfileFormat::NsysSqlite), NVIDIA);
        assert_eq!(Limits::of(None, ProfileFormat::RocprofCsv), AMD);
        assert_eq!(Limits::of(None, ProfileFormat::Kineto), ANY);
    }
}
