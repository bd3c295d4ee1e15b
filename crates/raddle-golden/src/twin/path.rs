//! How many packets does a launch take on its way to the device, and what does it cost?
//!
//! The rules are those of `docs/policies/condensed-packets.md`: under `ordinary` every launch has a
//! packet of its own, of 64 bytes, and costs the times E, P and S of seed 002 (writing, reading,
//! scheduling); its end is known after the cleanup C. Copies have no packets.

use serde_json::Value;

use super::condensed::{Condensed, Sent};
use super::line::Submitted;
use super::report::{Place, Slot};
use raddle_policy::Launch;

/// Twin (naive model of the rules) of a launch path, the policy that sends launches to the device.
#[derive(Debug)]
pub(super) enum Path {
    /// The launch path `ordinary`: (cost, cleanup) of each launch, in ticks.
    Ordinary(u64, u64),
    Condensed(Condensed),
}

impl Path {
    pub(super) fn ordinary(settings: &Value) -> Self {
        let number = |key: &str| settings[key].as_u64().unwrap_or(0);
        let costs = ["packet-ns", "enqueue-ns", "processing-ns", "schedule-ns"].map(number);
        let cost = costs.into_iter().fold(0, u64::saturating_add);
        Self::Ordinary(cost, number("cleanup-ns"))
    }

    pub(super) fn condensed(settings: &Value) -> Self {
        Self::Condensed(Condensed::new(settings))
    }

    /// Returns (packets, bytes, cost in nanoseconds, cleanup in nanoseconds) that the submission of
    /// a launch must have.
    fn of(&mut self, launch: &Launch) -> Sent {
        match self {
            Self::Ordinary(..) if launch.is_copy() => (0, 0, 0, 0),
            Self::Ordinary(cost, cleanup) => (1, 64, *cost, *cleanup),
            Self::Condensed(twin) => twin.of(launch),
        }
    }

    pub(super) fn submitted(
        &mut self,
        launch: &Launch,
        found: &Submitted,
        slot: &mut Slot,
        at: Place,
    ) {
        let Submitted { packets, bytes, cost, cleanup, .. } = *found;
        let (wanted, found) = (self.of(launch), (packets, bytes, cost, cleanup));
        slot.checked += 1;
        if wanted != found {
            let told = |(packets, bytes, cost, cleanup): Sent| {
                format!("{}: {packets} packets, {bytes} bytes, {cost} and {cleanup} ns", launch.id)
            };
            slot.differs(at, self.rule(), || (told(wanted), told(found)));
        }
    }

    const fn rule(&self) -> &'static str {
        match self {
            Self::Ordinary(..) => "condensed-packets.md: one packet a launch",
            Self::Condensed(_) => "seed 002: 302 to 310, 602 to 612; condensed-packets.md",
        }
    }
}
