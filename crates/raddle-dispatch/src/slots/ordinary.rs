//! Launch path: one AQL packet a launch.

use raddle_policy::{Launch, LaunchPath, Submission, Ticks};
use serde::{Deserialize, Serialize};

/// Bytes of an ordinary AQL dispatch packet (HSA; seed 002, Table 1).
const PACKET_BYTES: u64 = 64;

/// What an ordinary launch costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default, deny_unknown_fields)]
pub struct OrdinaryConfig {
    /// Nanoseconds from submission until the device can start a launch, for each packet.
    pub packet_ns: u64,
}

/// One packet a launch, each at the same cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ordinary {
    config: OrdinaryConfig,
}

impl Ordinary {
    /// With this cost.
    #[must_use]
    pub const fn new(config: OrdinaryConfig) -> Self {
        Self { config }
    }
}

impl LaunchPath for Ordinary {
    fn submit(&mut self, ready: &[Launch]) -> Submission {
        let packets = u32::try_from(ready.len()).unwrap_or(u32::MAX);
        Submission {
            packets,
            bytes: u64::from(packets) * PACKET_BYTES,
            cost: Ticks(u64::from(packets).saturating_mul(self.config.packet_ns)),
        }
    }
}
