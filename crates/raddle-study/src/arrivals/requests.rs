//! When do the requests of one profile begin, and how urgent are they?

use raddle_policy::Level;
use raddle_sim::Repetition;
use raddle_trace::arrivals::ArrivalTask;

use crate::result::RequestFacts;

/// Requests of one profile: when they begin, how urgent they are, and facts about them for results.
#[derive(Clone, Debug)]
pub(crate) struct ProfileRequests {
    /// Times at which the requests begin, or the rule by which they begin, such as each after the
    /// end of the one before.
    pub(crate) repetition: Repetition,
    /// Rate of requests for which the user set neither a number nor an end; `None` for other
    /// requests. Each replay draws as many of them as its figures need.
    pub(crate) open: Option<OpenRequests>,
    /// Urgency level of the requests; `None` where the arrival file gives no level.
    pub(crate) level: Option<Level>,
    /// Facts that results report about the requests, such as their number and seed.
    pub(crate) facts: RequestFacts,
}

/// Requests of a profile that arrive at a rate without an end, so that each replay decides their
/// number.
#[derive(Clone, Debug)]
pub(crate) struct OpenRequests {
    /// Task (entry of an arrival file) that holds the rate of the requests.
    pub(crate) task: ArrivalTask,
    /// Seed of the random numbers that draw the arrival times.
    pub(crate) seed: u64,
}
