//! When does the profile of a process begin, and when does it begin anew?

use raddle_policy::Ticks;

/// The rule by which the profile of a process begins, and begins anew. Each run of the profile is a
/// *request*, except under [`Repetition::BackToBack`].
///
/// The launches of a stream stay in order over all runs: the first launch of a later run in a
/// stream waits for the last launch of the run before in that stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Repetition {
    /// Begins anew, where [`Workload::repeat`](crate::Workload::repeat) is true, each time when the
    /// recorded span of the run before is over. This lasts until the longest such profile has ended
    /// once, every request of `At` has ended, and the last `until` of a `Closed` process has come.
    #[default]
    BackToBack,
    /// Open loop: begins at each of these times since the process joins, one or more and ascending,
    /// whatever became of the requests before.
    At(Vec<Ticks>),
    /// Closed loop: begins when the request before has ended, for as long as profiles under
    /// `BackToBack` repeat, or until a time of the run.
    Closed {
        /// The time of the run from which on no request begins; with `None` the end of repeating as
        /// under `BackToBack`.
        until: Option<Ticks>,
    },
    /// Begins when a request of each of these processes has ended: request k after the k-th end of
    /// all of them.
    After(Vec<u16>),
}

impl Repetition {
    /// Returns whether the makespan lasts until every request has ended, and not only until the
    /// first has.
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
