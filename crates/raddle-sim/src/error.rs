//! Why can a simulated run not begin, or not continue?

use raddle_dispatch::DispatchError;
use raddle_policy::{CuId, ErrorKind, Free, LaunchId, Tick};

/// The reason why a run did not begin, or stopped. Launches that cannot run are data in the outcome
/// instead.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what each field is")]
pub enum SimError {
    /// The dispatcher refused an event, or one of its policies broke a law.
    #[error("at {at} ns: {error}")]
    Dispatch { at: Tick, error: DispatchError },
    /// The dispatcher asked to start more workgroups on a compute unit than the unit has room for.
    #[error(
        "at {at} ns: the dispatcher starts more of {launch} on {cu} than fits there; the action is refused and the run stops. Check the allocation policy with `raddle_testkit`"
    )]
    Overcommit { at: Tick, launch: LaunchId, cu: CuId },
    /// The dispatcher asked for an action that is not possible in the present state of the launch.
    #[error("at {at} ns: the dispatcher asks to {what} {launch}, which is {state}; the run stops")]
    Action { at: Tick, launch: LaunchId, what: &'static str, state: &'static str },
    /// The dispatcher's account of free resources (`theirs`) differs from the simulator's (`ours`).
    #[error(
        "at {at} ns: the two books differ on {cu}: the simulator has {ours:?} free, the dispatcher {theirs:?}. This is a fault in one of them; please report it with the log"
    )]
    BooksDiffer { at: Tick, cu: CuId, ours: Box<Free>, theirs: Box<Free> },
    /// Every launch has ended, but some resources of the device are still taken.
    #[error(
        "at {at} ns: every launch has ended and not everything was given back; this is a fault of the simulator, please report it with the profile"
    )]
    NotGivenBack { at: Tick },
    /// The dispatcher keeps asking for actions without time passing (livelock).
    #[error(
        "at {at} ns: a million decisions without time passing; a turn or preempt policy takes work off and brings it back for ever"
    )]
    Livelock { at: Tick },
    /// Too many turns (time slices) in a row in which no launch or copy began or ended; `turns` is
    /// their number.
    #[error(
        "at {at} ns: {turns} turns in a row in which nothing began or ended: a kernel lasts too long for such slices, its packets do not reach the device within one, or a reset kills it at the end of each and it starts over. Is its time right? `raddle inspect` names what lasts more than an hour (time-outlier); longer slices (turn.slice-us, turn.t0-us) pass sooner"
    )]
    NothingEnds { at: Tick, turns: u32 },
    /// One launch was taken off the device `times` times and has not ended, while others make
    /// progress; `launch` is its index in the plan of the process.
    #[error(
        "at {at} ns: launch {launch} of {process} was taken off {times} times and has not ended: it lasts too long for such slices, or a reset kills it each time and it starts over. Is its time right? `raddle inspect` names what lasts more than an hour (time-outlier); longer slices (turn.slice-us, turn.t0-us) pass sooner, fewer kills (preempt.most-kills) let it end"
    )]
    NeverEnds { at: Tick, process: String, launch: u32, times: u32 },
    /// The caller's function that is told of a run's progress has asked to end the run.
    #[error("at {at} ns: the run was cancelled")]
    Cancelled { at: Tick },
    /// The workload has more processes than there are process ids.
    #[error("{0} processes: at most 65,535 run together; give fewer profiles")]
    TooManyProcesses(usize),
    /// The plan of a process has a rule for its requests that is not possible; `problem` says why.
    #[error("{process} cannot be repeated as asked: {problem}; give it other requests")]
    Requests { process: String, problem: &'static str },
    /// Recorded times were to be scaled by the clock of a device whose clock is unknown.
    #[error(
        "the clock of {device} is not in the table: give a device file with its `clock-mhz` (`raddle devices --show {device} --save my.toml`, then `--device my.toml`), or scale by something else"
    )]
    NoClock { device: String },
    /// The workload has more launches than there are launch ids.
    #[error("more than 4,294,967,295 launches: repeat less often (`--once`)")]
    TooManyLaunches,
    /// No launch of the workload can run on the device.
    #[error(
        "none of the {launches} launches can run on {device}; first refusal: {first}. Replay it on a larger device (`--device`; `raddle devices` lists them), or check the shapes in the profile"
    )]
    NothingRuns { launches: usize, device: String, first: String },
}

impl SimError {
    /// Returns whether the dispatcher or the simulator itself is at fault; no input and no policy
    /// can cause such an error.
    #[must_use]
    pub const fn is_fault(&self) -> bool {
        match self {
            Self::Dispatch { error, .. } => matches!(error.kind(), ErrorKind::Fault),
            Self::BooksDiffer { .. } | Self::NotGivenBack { .. } => true,
            _ => false,
        }
    }
}
