//! How many compute units does a device have, what does each hold, and in what granules are
//! resources handed out?
//!
//! Units: capacities in [`CuShape`] are granules; [`Granules`] has the size of each.

use alloc::string::String;
use alloc::vec::Vec;

use raddle_policy::CuShape;

use crate::DeviceError;
use crate::error::Reason;

/// Maker of a device, which decides whether workgroups take barriers, and the names in messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Vendor {
    /// NVIDIA. A workgroup gets its barriers together with its workgroup slot, so barriers are not
    /// counted.
    Nvidia,
    /// AMD: a workgroup of two or more waves takes one barrier, whether it waits or not.
    Amd,
    /// The example device of seed 000 (a patent), which follows AMD's rule for barriers.
    Seed,
}

/// Sizes of one granule (the smallest amount that the hardware hands out) of each resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct Granules {
    /// Number of 32-bit vector registers of *one lane* in a granule. A granule spans all lanes of
    /// the wave, so it is `vgprs_per_lane * wave_size * 4` bytes. NVIDIA hands out 256 registers to
    /// a warp of 32 lanes, which is 8 a lane.
    pub vgprs_per_lane: u32,
    /// Number of 32-bit scalar registers of one wave in a granule.
    pub sgprs: u32,
    /// Number of bytes of shared memory (LDS) in a granule.
    pub lds_bytes: u32,
    /// Number of bytes of shared memory that every workgroup takes on top of its own demand: 1024
    /// on NVIDIA from compute capability 8.0 on, else 0. These bytes are added before rounding.
    pub lds_reserve_bytes: u32,
}

/// Data of a GPU that matter for placing workgroups on it and for taking them off again.
///
/// The fields are plain data and may be changed; [`Device::check`] reports whether they make sense.
/// No method panics on any value of them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct Device {
    /// Id of the device in tables and options, in kebab-case, such as `v100`.
    pub id: String,
    /// Name of the product that the maker of the device uses, such as `Tesla V100-SXM2-16GB`.
    pub product: String,
    /// Maker of the device.
    pub vendor: Vendor,
    /// Number of compute units that are enabled on the device.
    pub cus: u16,
    /// Number of work-items (lanes) of a wave on the device: 32 on NVIDIA and on AMD's RDNA, 64 on
    /// AMD's GCN and CDNA.
    pub wave_size: u32,
    /// Most threads that one workgroup can have.
    pub max_threads_per_workgroup: u32,
    /// Most 32-bit vector registers that one thread can have.
    pub max_vgprs_per_thread: u32,
    /// Most 32-bit vector registers that all waves of one workgroup can have together, in whole
    /// granules; `None` where a workgroup can have all that a compute unit has. Devices of compute
    /// capability 5.3 and 6.2 give 32,768 of 65,536 (CUDA C++ Programming Guide 12, "Technical
    /// Specifications per Compute Capability"); no device of the table gives less than all.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub max_vgprs_per_workgroup: Option<u32>,
    /// Bytes of memory on the device; `None` where only its data sheet gives them
    /// ([`Device::memory_bytes`]).
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    #[doc(hidden)]
    pub capacity_bytes: Option<u64>,
    /// Peak bandwidth of the device's memory, in bytes per microsecond, at which contexts are saved
    /// and restored.
    pub memory_bytes_per_us: u64,
    /// Most bytes that one compute unit moves in a microsecond; `None` if not measured, see
    /// [`Device::memory_rates`].
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    #[doc(hidden)]
    pub unit_bytes_per_us: Option<u64>,
    /// Bandwidth that all compute units together really reach, in bytes per microsecond; `None` if
    /// not measured.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    #[doc(hidden)]
    pub reached_bytes_per_us: Option<u64>,
    /// Bandwidth that a launch of a memory-bound kernel wants, in thousandths of the peak; `None`
    /// where it was not measured, so that the default in docs/demand.md is taken.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    #[doc(hidden)]
    pub memory_permille: Option<u64>,
    /// Bandwidth that a launch of a compute-bound kernel wants, in thousandths of the peak; `None`
    /// where it was not measured, so that the default in docs/demand.md is taken.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    #[doc(hidden)]
    pub compute_permille: Option<u64>,
    /// Highest clock of the compute units, in MHz; `None` where no known source gives it.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub clock_mhz: Option<u32>,
    /// Time in nanoseconds from raising the preemption flag until kernels that start see it; `None`
    /// if not measured. The flag is a word in memory that launches test at their start.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub flag_ns: Option<u64>,
    /// Time in nanoseconds from the start of a launch that finds the preemption flag raised until
    /// it has left the device without doing its work; `None` if not measured.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub exit_ns: Option<u64>,
    /// Time in nanoseconds that one workgroup takes to test the preemption flag at its start, if
    /// not only the launch but each workgroup tests it; `None` if not measured.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub check_ns: Option<u64>,
    /// Time in which all running work of the device is killed, in nanoseconds (see
    /// [`MEASURED_RESET_NS`](crate::MEASURED_RESET_NS)).
    #[cfg_attr(feature = "serde", serde(alias = "kill-ns"))]
    pub reset_ns: u64,
    /// Time of a save or a restore of a process, in nanoseconds, in addition to the time of moving
    /// its bytes; `None` if not measured.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub switch_ns: Option<u64>,
    /// (least, expected, greatest) length of a turn, for which the driver lets one of several
    /// processes run, in nanoseconds, the switch to the process included; `None` if not measured,
    /// see [`Device::time_slices`].
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    #[doc(hidden)]
    pub turn_ns: Option<[u64; 3]>,
    /// (least, expected, greatest) time of a switch from one process to another between two turns,
    /// in nanoseconds; `None` if not measured.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    #[doc(hidden)]
    pub turn_switch_ns: Option<[u64; 3]>,
    /// Measured pairs of (percentage that NVIDIA's MPS gives a process, compute units that the
    /// process then has). For other percentages, that percentage of all compute units is taken,
    /// rounded down ([`Device::units_of_percent`]).
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    #[doc(hidden)]
    pub percent_units: Vec<(u32, u16)>,
    /// Sources of the values that describe the device, and which of the values are assumed.
    pub source: String,
    /// Resources of one empty compute unit, in granules.
    pub shape: CuShape,
    /// Sizes of one granule (the smallest amount that is handed out) of each resource.
    pub granules: Granules,
}

/// Shortest turn that a device file may give, in nanoseconds: a recipe (file that chooses the
/// policies of a run) counts turns in microseconds.
const SHORTEST_TURN_NS: u64 = 1_000;

impl Device {
    /// Checks that the values that describe the device can be those of a real one.
    ///
    /// # Errors
    /// [`DeviceError`] when the resources of a compute unit are impossible, or a value that must
    /// not be 0 is 0.
    pub fn check(&self) -> Result<(), DeviceError> {
        let name = || self.id.clone();
        self.shape.check().map_err(|error| DeviceError(Reason::Shape { name: name(), error }))?;
        let positive = [
            ("cus", u64::from(self.cus)),
            ("wave-size", u64::from(self.wave_size)),
            ("max-threads-per-workgroup", u64::from(self.max_threads_per_workgroup)),
            ("max-vgprs-per-thread", u64::from(self.max_vgprs_per_thread)),
            ("max-vgprs-per-workgroup", self.max_vgprs_per_workgroup.map_or(1, u64::from)),
            ("memory-bytes-per-us", self.memory_bytes_per_us),
            ("unit-bytes-per-us", self.unit_bytes_per_us.unwrap_or(1)),
            ("reached-bytes-per-us", self.reached_bytes_per_us.unwrap_or(1)),
            ("clock-mhz", self.clock_mhz.map_or(1, u64::from)),
            ("granules.vgprs-per-lane", u64::from(self.granules.vgprs_per_lane)),
            ("granules.sgprs", u64::from(self.granules.sgprs)),
            ("granules.lds-bytes", u64::from(self.granules.lds_bytes)),
        ];
        let turns = [("turn-ns", self.turn_ns), ("turn-switch-ns", self.turn_switch_ns)];
        let mut turns = turns.into_iter().filter_map(|(what, ns)| Some((what, ns?)));
        // A turn of 0 would never end, and one shorter than its switch gives no process time.
        let unsorted = turns.find(|(_, ns)| ns[0] == 0 || !ns.is_sorted());
        let unsorted = unsorted.or_else(|| {
            let (turns, switches) = (self.turn_ns?, self.turn_switch_ns.unwrap_or([0; 3]));
            let short = turns.iter().zip(switches).any(|(&turn, switch)| turn <= switch);
            (short || turns[0] < SHORTEST_TURN_NS).then_some(("turn-ns", turns))
        });
        let all = 1..=self.cus;
        let odd = self.percent_units.iter().find(|(_, units)| !all.contains(units));
        let odd = odd.map(|_| "percent-units");
        let rates = [
            ("memory-permille", self.memory_permille.is_some_and(|of| !(1..=1000).contains(&of))),
            ("compute-permille", self.compute_permille.is_some_and(|of| of > 1000)),
        ];
        let beyond = rates.iter().find(|(_, beyond)| *beyond).map(|&(what, _)| what);
        let wrong = positive.iter().find(|(_, value)| *value == 0).map(|&(what, _)| what);
        match wrong.or(unsorted.map(|(what, _)| what)).or(odd).or(beyond) {
            Some(what) => Err(DeviceError(Reason::Impossible { name: name(), what })),
            None => Ok(()),
        }
    }

    /// Returns how many compute units a process has under a percentage of NVIDIA's MPS: the
    /// measured number, or, where none was measured, that percentage of all compute units, rounded
    /// down.
    #[must_use]
    #[doc(hidden)]
    pub fn units_of_percent(&self, percent: u32) -> u16 {
        let measured = self.percent_units.iter().find(|(of, _)| *of == percent);
        let part = u64::from(self.cus) * u64::from(percent) / 100;
        measured.map_or(u16::try_from(part).unwrap_or(u16::MAX), |&(_, units)| units)
    }

    /// Returns whether both descriptions are of one kind of GPU: equal id, compute units, waves,
    /// resources, granules, peak bandwidth and clock. Measured values may differ; they do not
    /// change how many workgroups fit.
    #[must_use]
    #[doc(hidden)]
    pub fn is_same_kind(&self, other: &Self) -> bool {
        let of = |device: &Self| {
            (
                device.cus,
                device.wave_size,
                device.shape,
                device.granules,
                device.memory_bytes_per_us,
                device.clock_mhz,
            )
        };
        self.id == other.id && of(self) == of(other)
    }

    /// Returns the number of wave slots of all compute units, against which utilisation is
    /// measured.
    #[must_use]
    pub(crate) fn wave_slots(&self) -> u64 {
        u64::from(self.cus) * u64::from(self.shape.waves())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_that_no_device_can_have_are_told_by_their_key() {
        let h200 = || crate::find("h200").expect("in the table");
        let told = |device: Device| device.check().map_err(|error| alloc::format!("{error}"));
        let turn = |ns| told(Device { turn_ns: Some(ns), ..h200() });
        let units = |units| told(Device { percent_units: alloc::vec![(30, units)], ..h200() });
        assert_eq!((turn([1_000, 1_000, 2_000]), units(132)), (Ok(()), Ok(())));
        let turns = (Some([2_000; 3]), Some([1_000, 1_500, 2_000]));
        let short = told(Device { turn_ns: turns.0, turn_switch_ns: turns.1, ..h200() });
        let rate = told(Device { memory_permille: Some(1001), ..h200() });
        for (wrong, key) in [
            (rate, "memory-permille"),
            (turn([0, 1_000, 2_000]), "turn-ns"),
            (turn([999, 1_000, 2_000]), "turn-ns"),
            (turn([3_000, 2_000, 4_000]), "turn-ns"),
            (short, "turn-ns"),
            (units(0), "percent-units"),
            (units(133), "percent-units"),
        ] {
            assert!(wrong.expect_err("it is impossible").contains(key), "{key}");
        }
    }

    #[test]
    fn measured_figures_make_no_other_kind_of_device() {
        let h200 = || crate::find("h200").expect("in the table");
        let fitted = Device { unit_bytes_per_us: Some(1), turn_ns: Some([1, 2, 3]), ..h200() };
        assert!(fitted.is_same_kind(&h200()) && fitted != h200());
        assert!(!Device { cus: 66, ..h200() }.is_same_kind(&h200()));
        assert_eq!(fitted.units_of_percent(30), 39);
    }
}
