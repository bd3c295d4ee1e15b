//! What came out of a replay, and how is it shown?
//!
//! [`ReplayResult`] is the whole result as data, `summary.json`; [`document`] shows it to people,
//! with pictures made from the runs.

mod answer;
mod assumptions;
mod cards;
mod comparison;
mod device;
mod facts;
mod files;
mod fill;
mod got;
mod load_limit;
mod lost;
mod overturning;
mod preemptions;
mod refused;
mod requests;
mod result;
mod runs;
mod shares;

pub use assumptions::Rules;
pub use device::{DeviceFacts, DeviceFound, unit_of};
pub(crate) use facts::met;
pub use facts::{ProfileFacts, ReplayedProfile, RequestFacts};
pub use files::Closing;
pub use fill::document;
pub use got::{Guarantee, GuaranteeOf, TenantGot};
pub use load_limit::{LoadLimit, LoadLimitLeftOut, RatedProcess};
pub use overturning::{Overturning, of_profiles};
pub use result::{RecipeResult, ReplayResult};
pub use runs::{
    DrawnTimeline, LOG, PAGE, PERFETTO, RecipeRun, Replay, SET_UP, SLOWEST, SUMMARY, SetUpFile,
};

/// Characters of a name on a terminal.
const NAME: usize = 20;
