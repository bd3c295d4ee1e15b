//! Which requests does a profile have?

use raddle_policy::Level;
use raddle_report::replay::RequestFacts;
use raddle_sim::Repetition;

/// The requests of one profile.
#[derive(Clone, Debug)]
pub(crate) struct ProfileRequests {
    /// When they begin.
    pub(crate) repetition: Repetition,
    /// How urgent the file says that they are.
    pub(crate) level: Option<Level>,
    /// What a reader should know of them.
    pub(crate) facts: RequestFacts,
}
