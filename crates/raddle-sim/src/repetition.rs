//! When does the profile of a process begin anew?

use raddle_policy::Ticks;

/// When the profile of a process begins, and begins anew. Each time it begins is a *request* but
/// for [`Repetition::BackToBack`].
///
/// The launches of a stream stay in order over all of them: what a later request has in a stream
/// waits for the last launch that the earlier one has there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Repetition {
    /// Where [`Workload::repeat`](crate::Workload::repeat) says so: each time when the recorded
    /// span of the one before is over, until the longest such profile has ended once and every
    /// request of `At` has ended.
    #[default]
    BackToBack,
    /// Open loop: at these times since the process joins, which do not fall; all of them, whatever
    /// became of the requests before. One or more.
    At(Vec<Ticks>),
    /// Closed loop: when the request before has ended, for as long as the others give company (see
    /// `BackToBack`), or until this time of the run.
    Closed {
        /// No request begins then or later; `None` follows the others.
        until: Option<Ticks>,
    },
    /// When a request of each of these processes has ended: request k after the k-th end of all.
    After(Vec<u16>),
}

impl Repetition {
    /// Returns whether the makespan lasts until every request has ended, and not only the first.
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
