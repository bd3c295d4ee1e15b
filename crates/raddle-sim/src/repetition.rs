//! When does the profile of a process begin anew?

use raddle_policy::Ticks;

use crate::plan::{ProcessPlan, Workload};
use crate::{SimError, Task};

/// When the profile of a process begins, and begins anew. Each time it begins is a *request* but
/// for [`Repetition::BackToBack`].
///
/// The launches of a stream stay in order over all of them: what a later request has in a stream
/// waits for the last launch that the earlier one has there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Repetition {
    /// Where [`Workload::repeat`] says so: each time when the recorded span of the one before is
    /// over, until the longest such profile has ended once and every request of `At` has ended.
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
    /// Whether every request of it is waited for, and not only the first.
    pub(crate) const fn is_counted(&self) -> bool {
        matches!(self, Self::At(_) | Self::After(_))
    }

    fn problem(&self, processes: usize) -> Option<&'static str> {
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

impl ProcessPlan {
    /// The times of its requests since it joins, where they are given.
    pub(crate) fn times(&self) -> &[Ticks] {
        match &self.repetition {
            Repetition::At(times) => times,
            _ => &[],
        }
    }

    /// The tasks that the end of a run waits for, beside those of the longest profile.
    fn requested(&self) -> u64 {
        (self.times().len() as u64).saturating_mul(self.tasks.len() as u64)
    }

    /// When its first launch is issued, since it begins; `None`: it has none.
    pub(crate) fn first(&self) -> Option<Ticks> {
        let task: &Task = &self.tasks[*self.by_arrival.first()? as usize];
        Some(task.arrival)
    }
}

impl Workload {
    /// The longest profile that is repeated back to back, the lowest of equals.
    pub(crate) fn longest(&self) -> Option<usize> {
        let spans = self.processes.iter().enumerate().rev();
        let back_to_back = spans.filter(|(_, plan)| plan.repetition == Repetition::BackToBack);
        back_to_back.max_by_key(|(_, plan)| plan.span).map(|(position, _)| position)
    }

    /// How many launches lead the run: those of the longest profile that is repeated back to back,
    /// once, and those of all requests whose times are given. Until they have ended, the rest
    /// repeats.
    #[must_use]
    pub fn leading(&self) -> u64 {
        let longest = self.longest().map_or(0, |at| self.processes[at].tasks.len() as u64);
        self.processes.iter().map(ProcessPlan::requested).fold(longest, u64::saturating_add)
    }

    /// Launches of all requests whose times are given; what a run keeps of each takes some 80
    /// bytes.
    #[must_use]
    pub fn requested(&self) -> u64 {
        self.processes.iter().map(ProcessPlan::requested).fold(0, u64::saturating_add)
    }

    /// When a closed loop that knows its end ends.
    pub(crate) fn until(&self) -> Ticks {
        let ends = self.processes.iter().map(|plan| match plan.repetition {
            Repetition::Closed { until: Some(until) } => until,
            _ => Ticks::ZERO,
        });
        ends.max().unwrap_or_default()
    }

    /// The times of requests make sense.
    pub(crate) fn check_repetition(&self) -> Result<(), SimError> {
        for plan in &self.processes {
            if let Some(problem) = plan.repetition.problem(self.processes.len()) {
                return Err(SimError::Requests { process: plan.name.clone(), problem });
            }
        }
        Ok(())
    }
}
