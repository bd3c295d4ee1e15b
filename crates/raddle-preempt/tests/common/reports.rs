//! How is each report of a runtime handed to a controller in one call?

use raddle_policy::{Idempotence, ProcessId};
use raddle_preempt::{Controller, Heard, LaunchHandle, NoReset, PreemptError, Report};

/// What the controller decided when a raised flag became visible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResetVerdict {
    NotAsked,
    Reset,
    NoReset(NoReset),
}

/// Reports by name, with the part of the controller's answer that the report can have.
#[allow(dead_code, reason = "each of two test programs needs most of them")]
pub(crate) trait Reports<T> {
    /// Hands a report to the controller.
    fn told(&mut self, report: Report) -> Result<Heard<T>, PreemptError>;

    fn submitted(&mut self, handle: LaunchHandle) -> Result<(), PreemptError> {
        self.told(Report::Submitted(handle)).map(drop)
    }

    fn not_submitted(&mut self, handle: LaunchHandle) -> Result<(), PreemptError> {
        self.told(Report::NotSubmitted(handle)).map(drop)
    }

    fn judged(&mut self, handle: LaunchHandle, verdict: Idempotence) -> Result<(), PreemptError> {
        self.told(Report::Judged(handle, verdict)).map(drop)
    }

    fn started(&mut self, handle: LaunchHandle) -> Result<(), PreemptError> {
        self.told(Report::Started(handle)).map(drop)
    }

    fn finished(&mut self, handle: LaunchHandle) -> Result<T, PreemptError> {
        self.told(Report::Finished(handle)).map(payload)
    }

    fn failed(&mut self, handle: LaunchHandle) -> Result<T, PreemptError> {
        self.told(Report::Failed(handle)).map(payload)
    }

    fn claimed(&mut self, handle: LaunchHandle) -> Result<(), PreemptError> {
        self.told(Report::Claimed(handle)).map(drop)
    }

    fn exited(&mut self, handle: LaunchHandle) -> Result<Heard<T>, PreemptError> {
        self.told(Report::Exited(handle))
    }

    fn killed(&mut self, handle: LaunchHandle) -> Result<(), PreemptError> {
        self.told(Report::Killed(handle)).map(drop)
    }

    fn raised(&mut self, process: ProcessId) -> Result<ResetVerdict, PreemptError> {
        self.told(Report::Raised(process)).map(|heard| match heard {
            Heard::Noted => ResetVerdict::NotAsked,
            Heard::Reset => ResetVerdict::Reset,
            Heard::NoReset(why) => ResetVerdict::NoReset(why),
            _ => panic!("the report of a raised flag has no verdict"),
        })
    }

    fn drained(&mut self, process: ProcessId) -> Result<(), PreemptError> {
        self.told(Report::Drained(process)).map(drop)
    }
}

impl<T> Reports<T> for Controller<T> {
    fn told(&mut self, report: Report) -> Result<Heard<T>, PreemptError> {
        self.report(report)
    }
}

fn payload<T>(heard: Heard<T>) -> T {
    match heard {
        Heard::Ended(payload) => payload,
        _ => panic!("the report of an end has no payload"),
    }
}
