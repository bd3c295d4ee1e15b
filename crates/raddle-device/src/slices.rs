//! How long are the turns of several processes on a device, and what does a switch between them
//! cost?
//!
//! Vendors publish neither. Times are in nanoseconds; where a device was not measured they lie
//! between bounds that were measured on other devices or read in sources.

use crate::{Device, Vendor};

/// Time slices by which the driver lets several processes take turns. Each time is in nanoseconds,
/// as (least, expected, greatest); the three are equal where the time is known for the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct TimeSlices {
    pub(crate) turn_ns: [u64; 3],
    pub(crate) switch_ns: [u64; 3],
    pub(crate) source: &'static str,
}

impl TimeSlices {
    /// Returns the (least, expected, greatest) length of the turn of one process, in nanoseconds,
    /// the switch to the process included.
    #[must_use]
    pub const fn turn_ns(&self) -> [u64; 3] {
        self.turn_ns
    }

    /// Returns the (least, expected, greatest) time of a switch from one process to another, in
    /// nanoseconds.
    #[must_use]
    pub const fn switch_ns(&self) -> [u64; 3] {
        self.switch_ns
    }

    /// Returns the sources of the lengths of the time slices, in words for a reader.
    #[must_use]
    pub const fn source(&self) -> &'static str {
        self.source
    }
}

/// Time slices assumed for NVIDIA devices without a measurement of their own.
const ASSUMED: TimeSlices = TimeSlices {
    turn_ns: [1_024_000, 2_270_000, 3_000_000],
    switch_ns: [40_000, 303_000, 356_000],
    source: "assumed: turn from 1,024 us, the default of the open kernel module from Volta on \
             (kernel_fifo_gv100.c), to 3 ms, the longest that a measured pair on an H200 allows; \
             switch from 40 us (GPreempt, ATC 2025, section 5.3, A100) to 356 us (RTX 5090)",
};

/// Time slices of AMD's devices, where processes are isolated from each other or more than eight
/// processes use the device.
const OF_AMD: TimeSlices = TimeSlices {
    turn_ns: [10_000_000; 3],
    source: "turn: the driver's process quantum (docs/modes.md), also of nine or more processes; \
             switch assumed as on NVIDIA",
    ..ASSUMED
};

/// Words that name the source of time slices where the device's own description gives them.
const OWN: &str = "turn-ns and turn-switch-ns of the device, where it gives them";

/// Time slices of a Quadro GV100, which has the chip of a V100.
const GV100: TimeSlices = TimeSlices {
    turn_ns: [2_100_000, 2_400_000, 2_500_000],
    switch_ns: [187_000, 228_000, 269_000],
    source: "XpuOS/xsched-artifacts e5ed108, fig7, GV100: 1,000 requests of 6.49 ms beside a loop took \
             11.71 to 14.55 ms, and two loops lose 9.5 % of the device to switches, taken to scatter as \
             on an RTX 5090",
};

/// (id, time slices) of the devices on which time slices were measured.
const MEASURED: &[(&str, TimeSlices)] = &[
    (
        "rtx-5090",
        TimeSlices {
            turn_ns: [2_270_000; 3],
            switch_ns: [250_000, 303_000, 356_000],
            source: "eunomia-bpf/gpu_ext: starts and ends of six processes lie on a raster of \
                     2.27 ms; switches took 250 to 356 us",
        },
    ),
    ("v100", GV100),
    ("v100-32gb", GV100),
];

impl Device {
    /// Returns the bounds of the driver's time slices between processes on the device; `None` for a
    /// vendor whose time slices are unknown.
    ///
    /// ```
    /// let slices = |id| raddle_device::find(id).expect("it is in the table").time_slices();
    /// let measured = slices("rtx-5090").expect("of NVIDIA");
    /// assert_eq!(measured.turn_ns(), [2_270_000; 3]);
    /// assert_eq!(slices("v100").expect("of NVIDIA").turn_ns(), [2_100_000, 2_400_000, 2_500_000]);
    /// assert_eq!(slices("h100").expect("of NVIDIA").turn_ns(), [1_024_000, 2_270_000, 3_000_000]);
    /// assert_eq!(slices("mi300x").expect("of AMD").turn_ns(), [10_000_000; 3]);
    /// ```
    #[must_use]
    #[doc(hidden)]
    pub fn time_slices(&self) -> Option<TimeSlices> {
        let measured = MEASURED.iter().find(|(id, _)| *id == self.id).map(|(_, own)| *own);
        let known = measured.or(match self.vendor {
            Vendor::Nvidia => Some(ASSUMED),
            Vendor::Amd => Some(OF_AMD),
            Vendor::Seed => None,
        });
        let own = self.turn_ns.is_some() || self.turn_switch_ns.is_some();
        known.map(|known| TimeSlices {
            turn_ns: self.turn_ns.unwrap_or(known.turn_ns),
            switch_ns: self.turn_switch_ns.unwrap_or(known.switch_ns),
            source: if own { OWN } else { known.source },
        })
    }
}
