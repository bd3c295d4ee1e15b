//! What does a launch cost on its way to the device, in how many packets?
//!
//! By `docs/policies/condensed-packets.md`: under `ordinary` every launch has a packet of its own, of 64
//! bytes, and costs E, P and S; its end is known after C. Copies have no packets.

use serde_json::Value;

use super::line::Submitted;
use super::report::{Place, Slot};
use raddle_policy::Launch;

/// The model of `ordinary`.
#[derive(Debug)]
pub(super) struct Ordinary {
    cost: u64,
    cleanup: u64,
}

impl Ordinary {
    pub(super) fn new(settings: &Value) -> Self {
        let number = |key: &str| settings[key].as_u64().unwrap_or(0);
        let costs = ["packet-ns", "enqueue-ns", "processing-ns", "schedule-ns"].map(number);
        let cost = costs.into_iter().fold(0, u64::saturating_add);
        Self { cost, cleanup: number("cleanup-ns") }
    }

    /// Returns the packets, bytes, cost and cleanup that one submission must have.
    const fn of(&self, launch: &Launch) -> (u32, u64, u64, u64) {
        match launch.is_copy() {
            true => (0, 0, 0, 0),
            false => (1, 64, self.cost, self.cleanup),
        }
    }

    pub(super) fn submitted(&self, launch: &Launch, found: &Submitted, slot: &mut Slot, at: Place) {
        let Submitted { packets, bytes, cost, cleanup, .. } = *found;
        let (wanted, found) = (self.of(launch), (packets, bytes, cost, cleanup));
        slot.checked += 1;
        if wanted != found {
            let told = |(packets, bytes, cost, cleanup): (u32, u64, u64, u64)| {
                format!("{}: {packets} packets, {bytes} bytes, {cost} and {cleanup} ns", launch.id)
            };
            let rule = "condensed-packets.md: one packet a launch";
            slot.differs(at, rule, || (told(wanted), told(found)));
        }
    }
}
