//! Which launches wait, and which of them speak for the others?

use raddle_policy::{Answer, LaunchId, ReadyLaunch, ReadyView, WaveSpan};
use smallvec::SmallVec;

/// The launches that still have workgroups to place, in arrival order.
pub(super) fn waiting<'a>(
    ready: &ReadyView<'a>,
) -> impl Iterator<Item = &'a ReadyLaunch> + use<'a> {
    let launches = ready.launches.iter();
    launches.filter(|entry| entry.undistributed() > 0)
}

/// Different demands that one wait explains at most.
pub(crate) const EXPLAINED: usize = 16;

/// During one question, the first launch of each demand that finds no room: those like it need not try
/// in vain, and wait for the same reason.
#[derive(Default)]
pub(super) struct Refused<'a>(SmallVec<[&'a ReadyLaunch; EXPLAINED]>);

impl<'a> Refused<'a> {
    /// Whether a launch with the same demand has found no room.
    pub(super) fn has_like(&self, entry: &ReadyLaunch) -> bool {
        self.0.iter().any(|it| it.launch.demand == entry.launch.demand)
    }

    pub(super) fn push(&mut self, entry: &'a ReadyLaunch) {
        self.0.push(entry);
    }

    /// Those that the wait explains.
    pub(super) fn explained(self) -> impl Iterator<Item = &'a ReadyLaunch> {
        self.0.into_iter().take(EXPLAINED)
    }
}

/// The answer for whole workgroups.
pub(crate) const fn start(launch: LaunchId) -> Answer {
    let waves = WaveSpan::All;
    Answer::Start { launch, waves }
}
