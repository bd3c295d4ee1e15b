//! Which launches wait, and which of them speak for the others?

use raddle_policy::{Answer, LaunchId, ReadyLaunch, ReadyView, WaveSpan};

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
    let mut seen = [None; EXPLAINED];
    let mut count = 0;
    waiting(ready).filter(move |entry| {
        let demand = Some(entry.launch.demand);
        let new = count < EXPLAINED && !seen[..count].contains(&demand);
        if new {
            seen[count] = demand;
            count += 1;
        }
        new
    })
}

/// The answer for whole workgroups.
pub(crate) const fn start(launch: LaunchId) -> Answer {
    let waves = WaveSpan::All;
    Answer::Start { launch, waves }
}
