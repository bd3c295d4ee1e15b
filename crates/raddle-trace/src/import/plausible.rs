//! Which figures in a file can be true of no device, and what becomes of them?
//!
//! Profilers write fields that nobody has filled, and differences that ran below zero. Such a
//! figure counts as unknown, and the import report counts it. Launch tables are not checked: people
//! write them on purpose, also for devices that do not exist.

use raddle_device::{Device, Vendor, find, find_arch, find_product, from_properties};

use crate::assemble::Draft;
use crate::format::ProfileFormat;
use crate::profile::{Op, OpKind, SourceDevice};
use crate::provenance::{Field, Origin};
use crate::report::Quirk;

const HOUR_NS: u64 = 3_600_000_000_000;
const DAY_NS: u64 = 24 * HOUR_NS;
/// A year in nanoseconds. An op that lasts longer has an impossible time. So has an op that starts
/// at 0 or earlier, if the median start of all ops is more than a year after 0.
const YEAR_NS: u64 = 365 * DAY_NS;
/// Factor: the time of an op is doubtful if it is further from the main group of ops ([`Together`])
/// than this many times the length of the group.
const APART: u64 = 1_000;
/// Ops with doubtful times are removed only if at most one op in this many has such a time. If more
/// have, it is unknown which times are wrong.
const FEW: usize = 10;
/// Unsigned number that stands for the time 0 of the recording clock.
/// [`crate::profile::unsigned_time`] flips this bit of a signed time, which keeps the order of
/// times.
const SIGN: u64 = 1 << 63;

/// Largest values that the device of a profile allows for the resources of a workgroup, the
/// registers of a work-item and the extents of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PlausibleLimits {
    /// Largest number of vector registers that one work-item can have.
    registers: u32,
    /// Largest number of bytes of shared memory that one workgroup can have.
    lds_bytes: u32,
    /// Largest number of work-items that one workgroup can have.
    threads: u32,
    /// Largest number of workgroups that a grid can have along (x, y, z).
    grid: [u32; 3],
}

/// Largest number of scalar registers of a wave that profilers write; more count as unknown.
const SGPRS: u32 = 128;

/// Largest grid that CUDA takes, in workgroups along x, y and z (CUDA C++ Programming Guide,
/// "Technical Specifications per Compute Capability"). HIP limits the work-items along an axis
/// instead.
const CUDA_GRID: [u32; 3] = [0x7fff_ffff, 0xffff, 0xffff];
const ANY_GRID: [u32; 3] = [u32::MAX; 3];

const NVIDIA: PlausibleLimits =
    PlausibleLimits { registers: 255, lds_bytes: 228 * 1024, threads: 1024, grid: CUDA_GRID };
const AMD: PlausibleLimits =
    PlausibleLimits { registers: 512, lds_bytes: 160 * 1024, threads: 1024, grid: ANY_GRID };
const ANY: PlausibleLimits =
    PlausibleLimits { registers: 512, lds_bytes: 228 * 1024, threads: 1024, grid: ANY_GRID };

impl PlausibleLimits {
    /// Returns the limits of a profile's device `source`. For an unknown device and for `None`,
    /// returns the limits of all devices of the format's maker, or of any maker.
    fn of(source: Option<&SourceDevice>, format: ProfileFormat) -> Self {
        let maker = match format.maker() {
            Some(Vendor::Nvidia) => NVIDIA,
            Some(Vendor::Amd) => AMD,
            _ => ANY,
        };
        let Some(device) = source.and_then(known) else { return maker };
        // A workgroup cannot have what the device keeps for itself in each.
        let lds_bytes = device.shape.lds.saturating_mul(device.granules.lds_bytes);
        let lds_bytes = lds_bytes.saturating_sub(device.granules.lds_reserve_bytes);
        Self {
            registers: device.max_vgprs_per_thread,
            lds_bytes: if lds_bytes == 0 { maker.lds_bytes } else { lds_bytes },
            threads: device.max_threads_per_workgroup,
            grid: if device.vendor == Vendor::Nvidia { CUDA_GRID } else { maker.grid },
        }
    }
}

/// Finds the device that the properties in a profile describe; `None` where it is unknown.
fn known(source: &SourceDevice) -> Option<Device> {
    let by_units = || find_arch(&source.arch, source.sms?);
    find(&source.name)
        .or_else(|| find_product(&source.name))
        .or_else(|| from_properties(source).ok())
        .or_else(|| (!source.arch.is_empty()).then(by_units).flatten())
}

/// Marks values that no device can have as unknown, and counts them in the import report. Ops with
/// impossible times are left out, since the time at which they ran is lost.
pub(super) fn forget_impossible(draft: &mut Draft, format: ProfileFormat) {
    let limits = PlausibleLimits::of(draft.device.as_ref(), format);
    let from_zero = matches!(format, ProfileFormat::NsysSqlite | ProfileFormat::NsysCsv);
    leave_out_timeless(draft, from_zero);
    let first = draft.ops.iter().map(|op| op.start_ns).min().unwrap_or(0);
    let together = Together::of(&draft.ops);
    for op in &mut draft.ops {
        let apart = op.start_ns < together.begin;
        // Where most ops start before 0 and none is apart, the clock just counts from elsewhere.
        if together.is_below_zero(op.start_ns) && (together.mostly_from_zero || apart) {
            draft.report.note(Quirk::BeforeZero);
            draft.report.add(Quirk::ApartBeforeZero, u64::from(apart));
        }
        let known = op.provenance.of(Field::Arrival) != Origin::Assumed;
        let far = together.is_far(first.saturating_sub(op.arrival_ns), floor(op.arrival_ns));
        // Where ops are kept that start before 0, launches before 0 are as good as those.
        let below = first >= SIGN && together.is_below_zero(op.arrival_ns);
        if known && (far || below) {
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
        let grid = [op.grid.x, op.grid.y, op.grid.z];
        if grid.iter().zip(limits.grid).any(|(&extent, most)| extent > most) {
            op.forget_shape();
            draft.report.note(Quirk::ImpossibleGrid);
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

/// Main group of ops: those around the median start, each of which starts within an hour of its
/// neighbour. An op far from the group has a doubtful time. Starts are in nanoseconds.
#[derive(Clone, Copy, Debug)]
struct Together {
    first: u64,
    /// Start of the group's last op, in nanoseconds.
    last: u64,
    middle: u64,
    /// True if any op starts at 0 or later on the clock of the recording.
    from_zero: bool,
    /// True if most ops start at 0 or later on the clock of the recording.
    mostly_from_zero: bool,
    /// Time in nanoseconds. An op that starts before this time, and below 0, has a doubtful time. A
    /// gap without ops ends there, longer than the part of this group from time 0 on. 0 without
    /// such a gap.
    begin: u64,
}

impl Together {
    fn of(ops: &[Op]) -> Self {
        let starts = || ops.iter().map(|op| op.start_ns);
        let (first, last) = (starts().min().unwrap_or(SIGN), starts().max().unwrap_or(SIGN));
        let from_zero = starts().filter(|&start| start >= SIGN).count();
        let near = Self {
            first,
            last,
            middle: first,
            from_zero: from_zero > 0,
            mostly_from_zero: from_zero > ops.len() / 2,
            begin: 0,
        };
        if last - first <= HOUR_NS {
            return near.with_begin(ops);
        }
        let mut starts: Vec<u64> = starts().collect();
        starts.sort_unstable();
        let middle = starts[starts.len() / 2];
        let beside = |a: &u64, b: &u64| b - a <= HOUR_NS;
        let group = starts.chunk_by(beside).find(|group| group.last() >= Some(&middle));
        let (first, last) = group.and_then(|group| group.first().zip(group.last())).unzip();
        let (first, last) = (*first.unwrap_or(&middle), *last.unwrap_or(&middle));
        Self { first, last, middle, ..near }.with_begin(ops)
    }

    /// Sets `begin` to the end of the last long gap between ops that start below 0, or between
    /// those and this group. Leaves `begin` as it is where no op starts below 0.
    fn with_begin(mut self, ops: &[Op]) -> Self {
        if !ops.iter().any(|op| self.is_below_zero(op.start_ns)) {
            return self;
        }
        let end = |op: &Op| op.start_ns.saturating_add(op.duration_ns);
        let rest = || {
            let group = self.first.max(SIGN)..=self.last;
            ops.iter().filter(move |op| group.contains(&op.start_ns))
        };
        let first = rest().map(|op| op.start_ns).min().unwrap_or(SIGN);
        let lasting = rest().filter(|op| op.duration_ns <= HOUR_NS).map(end).max();
        let span = lasting.unwrap_or(self.last).saturating_sub(first);
        let before = ops.iter().filter(|op| op.start_ns < first);
        let mut before: Vec<(u64, u64)> = before.map(|op| (op.start_ns, end(op))).collect();
        before.sort_unstable();
        let mut reached = 0_u64;
        for (start, end) in before.into_iter().chain([(first, first)]) {
            if start.saturating_sub(reached) > span {
                self.begin = start;
            }
            reached = reached.max(end);
        }
        self
    }

    /// Returns whether `distance` is too long to lie within one recording. A distance is too long
    /// above a year, or above both `floor` and 1,000 times the length of this group. All times are
    /// in nanoseconds.
    fn is_far(&self, distance: u64, floor: u64) -> bool {
        let apart = (self.last - self.first).saturating_mul(APART);
        distance > floor.max(apart).min(YEAR_NS)
    }

    /// Returns whether a time lies before 0 on the clock of the recording, although other ops start
    /// at 0 or later. Where that clock starts with the recording, such a time is impossible.
    const fn is_below_zero(&self, time: u64) -> bool {
        time < SIGN && self.from_zero
    }

    /// Returns whether the time of an op is doubtful: the op starts before 0, ahead of a long gap,
    /// or is far before or after this group, or lasts very long.
    fn is_apart(&self, op: &Op) -> bool {
        let before = self.first.saturating_sub(op.start_ns);
        let after = op.start_ns.saturating_sub(self.last);
        self.is_below_zero(op.start_ns) && op.start_ns < self.begin
            || self.is_far(before, floor(op.start_ns))
            || self.is_far(after.max(op.duration_ns), DAY_NS)
    }

    /// Returns whether the time of an op is certainly wrong: the op lasts longer than a year, or it
    /// starts at 0 or earlier although the median start of all ops is more than a year after 0.
    fn is_timeless(&self, op: &Op) -> bool {
        let unset = op.start_ns <= self.middle.saturating_sub(YEAR_NS).min(SIGN);
        (unset && self.middle > SIGN.saturating_add(YEAR_NS))
            || op.duration_ns > YEAR_NS
            || op.start_ns.checked_add(op.duration_ns).is_none()
    }
}

/// Returns the least distance from other ops, in nanoseconds, at which a time is doubtful: a day,
/// but an hour for a time of 0 or below, which may stand for "never written".
const fn floor(time: u64) -> u64 {
    if time <= SIGN { HOUR_NS } else { DAY_NS }
}

/// Removes ops with impossible times. Also removes ops with doubtful times, if they are few.
/// `from_zero` is true where the clock of the recording starts with it: then times before 0 are
/// impossible too.
fn leave_out_timeless(draft: &mut Draft, from_zero: bool) {
    let together = Together::of(&draft.ops);
    // Where most ops start before 0, the clock counts from another moment whatever the format says.
    let from_zero = from_zero && together.mostly_from_zero;
    let timeless =
        |op: &Op| together.is_timeless(op) || (from_zero && together.is_below_zero(op.start_ns));
    let apart = |op: &Op| together.is_apart(op) && !timeless(op);
    let count = draft.ops.iter().filter(|op| apart(op)).count();
    let few = count <= draft.ops.len() / FEW;
    let report = &mut draft.report;
    let out = |op: &Op| timeless(op) || few && apart(op);
    let mut ops = draft.ops.iter();
    draft.works.retain(|| ops.next().is_some_and(|op| !out(op)));
    draft.ops.retain(|op| {
        let out = out(op);
        report.add(Quirk::ImpossibleTime, u64::from(out));
        if out && op.kind == OpKind::Kernel {
            report.leave_out_timeless();
        }
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
        let t4 = PlausibleLimits::of(Some(&called("Tesla T4")), ProfileFormat::Kineto);
        assert_eq!(t4, PlausibleLimits { lds_bytes: 64 * 1024, ..NVIDIA });
        let of_block =
            |name| PlausibleLimits::of(Some(&called(name)), ProfileFormat::Kineto).lds_bytes;
        assert_eq!(
            ["NVIDIA A100-SXM4-80GB", "NVIDIA H100 80GB HBM3"].map(of_block),
            [166_912, 232_448]
        );
        let mi300x =
            PlausibleLimits::of(Some(&called("AMD Instinct MI300X")), ProfileFormat::XPlane);
        assert_eq!(mi300x, PlausibleLimits { lds_bytes: 64 * 1024, ..AMD });
        let v100 = PlausibleLimits::of(Some(&called("Tesla V100")), ProfileFormat::Kineto);
        assert_eq!((v100.grid, mi300x.grid), (CUDA_GRID, ANY_GRID));
        assert_eq!(
            PlausibleLimits::of(Some(&called("Nobody's")), ProfileFormat::NsysSqlite),
            NVIDIA
        );
        assert_eq!(PlausibleLimits::of(None, ProfileFormat::RocprofCsv), AMD);
        assert_eq!(PlausibleLimits::of(None, ProfileFormat::Kineto), ANY);
    }
}
