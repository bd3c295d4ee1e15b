//! Which launches wait, and which of them speak for the others?

use raddle_policy::{Answer, Demand, LaunchId, ReadyLaunch, ReadyView, WaveSpan};
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

/// The first waiting launch of each demand: those like it wait for the same reason.
pub(super) fn unlike<'a>(ready: &ReadyView<'a>) -> impl Iterator<Item = &'a ReadyLaunch> + use<'a> {
    let mut seen = SmallVec::<[Demand; EXPLAINED]>::new();
    waiting(ready).filter(move |entry| {
        let demand = entry.launch.demand;
        let new = seen.len() < EXPLAINED && !seen.contains(&demand);
        if new {
            seen.push(demand);
        }
        new
    })
}

/// The answer for whole workgroups.
pub(crate) const fn start(launch: LaunchId) -> Answer {
    let waves = WaveSpan::All;
    Answer::Start { launch, waves }
}
