//! Can the dispatcher skip many workgroups of a launch, where each that ends is replaced by
//! another?
//!
//! A simulator marks a launch, sees it start as many workgroups as have ended, and asks to skip
//! workgroups that would start and end in the same way. The dispatcher does so only where nothing
//! could differ: the compute units are as they were at the mark, no policy needs to see refills,
//! and no log or observer would miss lines.

use raddle_policy::{Cus, LaunchId, PerCu, Split};

use super::Composed;

/// The state of the device when a simulator marked a launch, to be compared when it asks to skip
/// ahead.
#[derive(Debug)]
pub(super) struct Mark {
    launch: LaunchId,
    cus: Cus,
    /// The number of waves of the launch on each SIMD of each compute unit.
    counted: PerCu<Split>,
}

impl Composed {
    /// Stores the state of the device for [`Composed::move_on`]. Returns false where `move_on` can
    /// never skip ahead, as a log, an observer or a policy needs every event.
    pub(super) fn remember(&mut self, launch: LaunchId) -> bool {
        if !self.journal.log.is_off() || self.policies.mind_refills() {
            return false;
        }
        let counted = self.launches.get(launch).and_then(|known| known.on_device.counted());
        self.mark = counted.map(|counted| {
            let cus = self.units.cus().clone();
            Mark { launch, cus, counted: counted.clone() }
        });
        true
    }

    /// Skips ahead by `workgroups` workgroups of the marked launch, as if they had started and
    /// ended like those since the mark. Returns whether it did; if not, nothing has changed.
    pub(super) fn move_on(&mut self, id: LaunchId, workgroups: u64) -> bool {
        let Some(mark) = self.mark.take().filter(|mark| mark.launch == id) else { return false };
        let Some(known) = self.launches.get_mut(id) else { return false };
        if mark.cus != *self.units.cus() || known.on_device.counted() != Some(&mark.counted) {
            return false;
        }
        if self.ready.get(known.submission, id).is_none() || known.draining() {
            return false;
        }
        if !known.on_device.move_on(workgroups, &known.launch) {
            return false;
        }
        self.ready.show(known.submission, known.entry());
        true
    }
}
