//! Which launches were killed so often that they are not killed again?
//!
//! A rule of minimum progress: without it, a launch that is longer than the time between two
//! preemptions never ends. It counts kills, not time. Controller and policies share it; it is off
//! unless a largest number of kills is set.

use alloc::collections::BTreeMap;

use raddle_policy::{Fact, LaunchId};

/// Returns whether a launch that was killed `kills` times must not be killed again, because it has
/// reached the limit `most`; always false where `most` is `None`, which is no limit.
pub(crate) const fn is_spared(most: Option<u32>, kills: u32) -> bool {
    match most {
        Some(most) => kills >= most,
        None => false,
    }
}

/// Number of kills of each launch that has not ended. Nothing is counted where there is no limit on
/// kills.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kills {
    most: Option<u32>,
    of: BTreeMap<LaunchId, u32>,
}

impl Kills {
    /// Returns a counter of kills, with the limit of `most` kills per launch; `None` is no limit.
    pub(crate) const fn up_to(most: Option<u32>) -> Self {
        Self { most, of: BTreeMap::new() }
    }

    /// Returns whether a launch must not be killed again, since it was killed as often as the limit
    /// allows.
    pub(crate) fn spare(&self, launch: LaunchId) -> bool {
        is_spared(self.most, self.of.get(&launch).copied().unwrap_or(0))
    }

    pub(crate) fn observe(&mut self, fact: &Fact<'_>) {
        match *fact {
            Fact::TakenOff { launch, how } if how.begins_again() && self.most.is_some() => {
                let kills = self.of.entry(launch.id).or_insert(0);
                *kills = kills.saturating_add(1);
            }
            Fact::LaunchEnded { launch } => {
                self.of.remove(&launch);
            }
            _ => {}
        }
    }
}
