//! When does the profile of a process begin, and when does it begin anew?

use raddle_policy::Ticks;

/// The rule by which the profile of a process is run, once or again and again. Each run of the
/// profile is a *request*, except under [`Repetition::BackToBack`].
///
/// The launches of a stream stay in order over all runs: the first launch of a later run in a
/// stream waits for the last launch of the run before in that stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Repetition {
    /// The profile begins anew whenever the recorded span of its last run is over, if
    /// [`Workload::repeat`](crate::Workload::repeat) is true. The repetition stops when the longest
    /// `BackToBack` profile has ended once, every request of an `At` process has ended, and the
    /// latest `until` of a `Closed` process has passed.
    #[default]
    BackToBack,
    /// Open loop: a request begins at each of these times since the process joined (one or more,
    /// ascending), even if earlier requests have not ended.
    At(Vec<Ticks>),
    /// Closed loop: a request begins when the request before it has ended, for as long as
    /// `BackToBack` profiles repeat, or until a given time of the run.
    Closed {
        /// The time of the run from which on no request begins; with `None`, requests end when
        /// `BackToBack` profiles stop repeating.
        until: Option<Ticks>,
    },
    /// A request begins when each of these processes (by index in the workload) has ended a
    /// request: the k-th begins when all of them have ended their k-th.
    After(Vec<u16>),
}

impl Repetition {
    /// Returns whether the makespan lasts until every request has ended, not only until the first
    /// one has.
    pub(crate) const fn is_counted(&self) -> bool {
        matches!(self, Self::At(_) | Self::After(_))
    }

    pub(crate) fn problem(&self, processes: usize) -> Option<&'static str> {
        match self {
            Self::At(times) if times.is_empty() => Some("it has no request at all"),
            Self::At(times) if !times.is_sorted() => Some("the times of its requests fall"),
            Self::After(others) if others.is_empty() => Some("it waits for no process"),
            Self::After(others) if others.iter().any(|&p| usize::from(p) >= processes) => {
                Some("it waits for a process that there is not")
            }
            _ => None,
        }
    }
}
