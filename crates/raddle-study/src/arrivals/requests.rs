//! Which requests does a profile have?

use raddle_policy::Level;
use raddle_report::replay::RequestFacts;
use raddle_sim::Repetition;

/// The requests of one profile.
#[derive(Clone, Debug)]
pub(crate) struct ProfileRequests {
    /// The times, or the rule, by which the requests begin.
    pub(crate) repetition: Repetition,
    /// The level of the requests, if the file gives one.
    pub(crate) level: Option<Level>,
    /// The facts that results report about the requests.
    pub(crate) facts: RequestFacts,
}
