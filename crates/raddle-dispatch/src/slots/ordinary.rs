//! The launch path `ordinary`: each launch takes one AQL packet.

use raddle_policy::{Launch, LaunchPath, Submission, Ticks};
use serde::{Deserialize, Serialize};

/// The bytes of an ordinary AQL dispatch packet (HSA; patent 002, Table 1).
const PACKET_BYTES: u64 = 64;

/// The settings of the launch path `ordinary`: the costs of a launch, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default, deny_unknown_fields)]
pub struct OrdinaryConfig {
    /// Nanoseconds, in addition to the other costs of a launch, that each packet takes from its
    /// submission until the device can start the launch.
    pub(crate) packet_ns: u64,
    /// Nanoseconds that the host takes to write one packet (E in patent 002).
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) enqueue_ns: u64,
    /// Nanoseconds that the device takes to read one packet (P in patent 002).
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) processing_ns: u64,
    /// Nanoseconds that handing one kernel to the compute units takes (S in patent 002).
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) schedule_ns: u64,
    /// Nanoseconds of cleanup: from the end of a launch until its end is known outside the device
    /// (C in patent 002).
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) cleanup_ns: u64,
    /// True if a kernel can be submitted while the kernel before it runs: it can start once its own
    /// costs have passed. This needs a submission window. If false, kernels that are submitted
    /// together can start only when the costs of all of them have passed.
    #[serde(skip_serializing_if = "is_false")]
    pub(crate) overlap: bool,
}

impl OrdinaryConfig {
    /// Returns these settings with another number of nanoseconds that each packet takes until the
    /// device can start the launch. A recipe can give parts of this time by other keys.
    #[must_use]
    pub const fn with_packet_ns(self, packet_ns: u64) -> Self {
        Self { packet_ns, ..self }
    }

    /// Returns these settings with another time in ns of cleanup: from the end of a launch until
    /// its end is known outside the device (C in patent 002).
    #[must_use]
    pub const fn with_cleanup_ns(self, cleanup_ns: u64) -> Self {
        Self { cleanup_ns, ..self }
    }

    /// Returns these settings with another choice of overlap. If true, a kernel can be submitted
    /// while the kernel before it runs, and can start once its own costs have passed.
    #[must_use]
    pub const fn with_overlap(self, overlap: bool) -> Self {
        Self { overlap, ..self }
    }
}

/// Returns whether a cost is 0 ns, so that a recipe leaves it out when it is written.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_zero(ns: &u64) -> bool {
    *ns == 0
}

/// Returns whether a setting is false, so that a recipe leaves it out when it is written.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_false(on: &bool) -> bool {
    !*on
}

impl OrdinaryConfig {
    /// Returns the nanoseconds from the submission of one launch until the device can start it: the
    /// sum of all costs but cleanup.
    const fn each(&self) -> u64 {
        let packet = self.packet_ns.saturating_add(self.enqueue_ns);
        packet.saturating_add(self.processing_ns).saturating_add(self.schedule_ns)
    }
}

/// A launch path policy that sends one packet for each launch, at the same cost for all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ordinary {
    config: OrdinaryConfig,
}

impl Ordinary {
    /// Returns the launch path policy with the costs of a launch in `config`.
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

    fn minds_refills(&self) -> bool {
        false
    }
}
