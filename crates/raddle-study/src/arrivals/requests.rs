//! Which requests does one profile have?

use raddle_policy::Level;
use raddle_sim::Repetition;
use raddle_trace::arrivals::ArrivalTask;

use crate::result::RequestFacts;

/// Requests of one profile: when they begin, how urgent they are, and facts about them.
#[derive(Clone, Debug)]
pub(crate) struct ProfileRequests {
    /// Times at which the requests begin, or the rule by which they begin, such as one after the
    /// other.
    pub(crate) repetition: Repetition,
    /// Rate of requests where the user gave neither their number nor an end, so that each replay
    /// draws as many as it needs; `None` for other requests.
    pub(crate) open: Option<OpenRequests>,
    /// Urgency level of the requests; `None` where the file gives none.
    pub(crate) level: Option<Level>,
    /// Facts that results report about the requests, such as their number and seed.
    pub(crate) facts: RequestFacts,
}

/// Requests of a profile that arrive at a rate, without a last one.
#[derive(Clone, Debug)]
pub(crate) struct OpenRequests {
    /// Task (entry of an arrival file) with the rate of the requests.
    pub(crate) task: ArrivalTask,
    /// Seed of the random arrival times.
    pub(crate) seed: u64,
}
