//! What came out of a replay?
//!
//! [`ReplayResult`] is the whole result as data, `summary.json`; a [`Replay`] has the runs and
//! profiles that it was made of.

mod assumptions;
mod device;
mod facts;
mod got;
mod load_limit;
mod lost;
mod offered;
mod overload;
mod overturning;
mod replay;
mod runs;

pub use assumptions::Rules;
pub use device::{DeviceFacts, DeviceFound, unit_of};
pub(crate) use facts::is_issue_unknown;
pub use facts::{ProfileFacts, ReplayedProfile, RequestFacts, met};
pub use got::{Guarantee, GuaranteeOf, PartKind, TenantGot};
pub use load_limit::{LoadLimit, LoadLimitLeftOut, RatedProcess};
pub(crate) use lost::{LostLaunches, LostWork, lost_in, lost_shares, never_ran};
pub use lost::{NeverEnded, RefusedLaunches, StuckLaunches, Unreported};
pub use offered::NotOffered;
pub use overturning::{Overturning, of_files, of_profiles};
pub use replay::{RecipeResult, ReplayResult};
pub use runs::{
    DrawnTimeline, LOG, PAGE, PERFETTO, RecipeRun, Replay, SET_UP, SLOWEST, SUMMARY, SetUp,
    SetUpFile,
};

/// Largest number of characters of a process's name in a sentence; a longer name loses its middle.
const NAME: usize = 20;
