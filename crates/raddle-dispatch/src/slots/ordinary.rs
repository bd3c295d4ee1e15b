//! Launch path: one AQL packet a launch.

use raddle_policy::{Launch, LaunchPath, Submission, Ticks};
use serde::{Deserialize, Serialize};

/// Bytes of an ordinary AQL dispatch packet (HSA; seed 002, Table 1).
const PACKET_BYTES: u64 = 64;

/// The cost of an ordinary launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default, deny_unknown_fields)]
pub struct OrdinaryConfig {
    /// Nanoseconds from submission until the device can start a launch, for each packet.
    pub packet_ns: u64,
    /// E, in nanoseconds for each packet: the host writes it.
    #[serde(skip_serializing_if = "is_zero")]
    pub enqueue_ns: u64,
    /// P, in nanoseconds for each packet: the device reads it.
    #[serde(skip_serializing_if = "is_zero")]
    pub processing_ns: u64,
    /// S, in nanoseconds for each kernel: it is handed to the compute units.
    #[serde(skip_serializing_if = "is_zero")]
    pub schedule_ns: u64,
    /// C, in nanoseconds: from the end of a launch until anybody knows of it.
    #[serde(skip_serializing_if = "is_zero")]
    pub cleanup_ns: u64,
    /// Set if a kernel is launched while the one before it runs, and starts as soon as it is
    /// launched itself (B14); needs a window. Else kernels that are submitted together start when
    /// all of them are launched.
    #[serde(skip_serializing_if = "is_false")]
    pub overlap: bool,
}

/// Returns whether a cost is 0, and so not written.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_zero(ns: &u64) -> bool {
    *ns == 0
}

/// Returns whether a setting is off, and so not written.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_false(on: &bool) -> bool {
    !*on
}

impl OrdinaryConfig {
    /// Returns the nanoseconds until the device can start a launch.
    const fn each(&self) -> u64 {
        let packet = self.packet_ns.saturating_add(self.enqueue_ns);
        packet.saturating_add(self.processing_ns).saturating_add(self.schedule_ns)
    }
}

/// A launch path with one packet a launch, each at the same cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ordinary {
    config: OrdinaryConfig,
}

impl Ordinary {
    /// Makes a launch path with this cost.
    #[must_use]
    pub const fn new(config: OrdinaryConfig) -> Self {
        Self { config }
    }
}

impl LaunchPath for Ordinary {
    fn submit(&mut self, _launch: &Launch) -> Submission {
        Submission {
            packets: 1,
            bytes: PACKET_BYTES,
            cost: Ticks(self.config.each()),
            cleanup: Ticks(self.config.cleanup_ns),
        }
    }

    fn overlaps(&self) -> bool {
        self.config.overlap
    }
}
