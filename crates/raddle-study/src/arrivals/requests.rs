//! Which requests does one profile have?

use raddle_policy::Level;
use raddle_sim::Repetition;
use raddle_trace::arrivals::ArrivalTask;

use crate::result::RequestFacts;

/// Requests of one profile: when they begin, how urgent they are, and facts about them.
#[derive(Clone, Debug)]
pub(crate) struct ProfileRequests {
    /// Times at which the requests begin, or the rule by which they do.
    pub(crate) repetition: Repetition,
    /// Rate of requests that have no end, so that each run draws as many as it needs; `None` for
    /// requests of which the number or the end is given.
    pub(crate) open: Option<OpenRequests>,
    /// Urgency level of the requests; `None` where the file gives none.
    pub(crate) level: Option<Level>,
    /// Facts that results report about the requests, such as their number and seed.
    pub(crate) facts: RequestFacts,
}

/// Requests of a profile at a rate, without an end.
#[derive(Clone, Debug)]
pub(crate) struct OpenRequests {
    /// Task (entry of a load) with the rate of the requests.
    pub(crate) task: ArrivalTask,
    /// Seed of the random arrival times.
    pub(crate) seed: u64,
}
