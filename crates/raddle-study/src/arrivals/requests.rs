//! Which requests does a profile have?

use raddle_policy::Level;
use raddle_sim::Repetition;
use raddle_trace::arrivals::ArrivalTask;

use crate::result::RequestFacts;

/// The requests of one profile.
#[derive(Clone, Debug)]
pub(crate) struct ProfileRequests {
    /// The times, or the rule, by which the requests begin.
    pub(crate) repetition: Repetition,
    /// The rate, if the requests have no end; each run then draws as many as it needs.
    pub(crate) open: Option<OpenRequests>,
    /// The level of the requests, if the file gives one.
    pub(crate) level: Option<Level>,
    /// The facts that results report about the requests.
    pub(crate) facts: RequestFacts,
}

/// Requests of a profile at a rate, without an end.
#[derive(Clone, Debug)]
pub(crate) struct OpenRequests {
    /// The rate.
    pub(crate) task: ArrivalTask,
    /// The seed of the times.
    pub(crate) seed: u64,
}
