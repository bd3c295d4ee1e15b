//! Which policies for the allocate slot are there, and what do several of them share?

mod greedy;
mod leftover;
mod matching;
mod round_robin;
mod shared;
mod spatial;

pub use greedy::{Greedy, GreedyConfig};
pub use leftover::{Leftover, LeftoverConfig};
pub use matching::{
    Amounts, Balance, Choice, FreeWeights, LevelOrder, Matching, MatchingConfig, PlaceRule,
    PowerWeights, Search, SplitRule,
};
pub use round_robin::{Cursor, RoundRobin, RoundRobinConfig};
pub use spatial::{Spatial, SpatialConfig};

use raddle_policy::{Answer, LaunchId, ReadyLaunch, ReadyView, WaveSpan};

/// Which SIMD of a compute unit a wave goes to, where a policy keeps addresses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Rotation {
    /// The one with room for most further such waves, ties to the lowest; nothing is remembered.
    #[default]
    None,
    /// The next after the SIMD of the last wave on this compute unit, as the placement contract
    /// has it. Refusals move it too, so law 4 of `Allocate` does not hold. Implies addresses.
    Peer,
}

/// The launches that still have workgroups to place, in arrival order.
fn waiting<'a>(ready: &ReadyView<'a>) -> impl Iterator<Item = &'a ReadyLaunch> + use<'a> {
    let launches = ready.launches.iter();
    launches.filter(|entry| entry.undistributed() > 0)
}

/// Different demands that one wait explains at most.
const EXPLAINED: usize = 16;

/// The first waiting launch of each demand: those like it wait for the same reason.
fn unlike<'a>(ready: &ReadyView<'a>) -> impl Iterator<Item = &'a ReadyLaunch> + use<'a> {
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

const fn start(launch: LaunchId) -> Answer {
    let waves = WaveSpan::All;
    Answer::Start { launch, waves }
}
