//! Why does a kernel start at another time than recorded?

/// Cause for which a kernel starts at another time in the replay than in the recording. An op
/// (launch, copy or fill) hands its error on to the ops that wait for it, with the first cause of
/// the error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WaitCause {
    /// The kernel could have started and nothing else ran: launch latency, or a wait for something
    /// that the profile does not show.
    Launch,
    /// The kernel could have started, and kernels of other streams ran: a wait for them, or for
    /// room.
    OtherKernels,
    /// The kernel could have started, and copies or fills of other streams ran.
    OtherCopies,
    /// The kernel could have started, but another op (launch, copy or fill) of its own stream ran
    /// for which it does not wait.
    OwnStream,
    /// The kernel started late, but its launch was not recorded, so it is unknown since when it
    /// waited.
    AssumedArrival,
    /// Workgroups waited longer for room on the device in the simulation than in the recording.
    Room,
    /// An op for which the kernel waits was refused in the simulation, so the kernel did not run.
    NotRun,
    /// Durations of workgroups are rounded to whole nanoseconds; the error grows with the number of
    /// rounds, one after the other, in which the workgroups of a kernel run.
    Rounding,
    /// The kernel started before the op that it waits for had ended, by at most one step of the
    /// recording clock.
    ClockStep,
}

impl WaitCause {
    /// All causes, in the order in which results show them.
    pub(super) const ALL: [Self; 9] = [
        Self::Launch,
        Self::OtherKernels,
        Self::OtherCopies,
        Self::OwnStream,
        Self::AssumedArrival,
        Self::Room,
        Self::NotRun,
        Self::Rounding,
        Self::ClockStep,
    ];

    /// Returns the name of the cause in kebab-case.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Launch => "launch",
            Self::OtherKernels => "other-kernels",
            Self::OtherCopies => "other-copies",
            Self::OwnStream => "own-stream",
            Self::AssumedArrival => "assumed-arrival",
            Self::Room => "room",
            Self::NotRun => "not-run",
            Self::Rounding => "rounding",
            Self::ClockStep => "clock-step",
        }
    }

    /// Returns the meaning of the cause in words, for a person.
    pub(super) const fn explanation(self) -> &'static str {
        match self {
            Self::Launch => "nothing else ran: launch latency, or a wait that is not shown",
            Self::OtherKernels => "kernels of other streams ran: a wait that is not shown",
            Self::OtherCopies => "copies of other streams ran: a wait that is not shown",
            Self::OwnStream => "an op of its own stream ran that it does not wait for",
            Self::AssumedArrival => "no recorded launch: since when it waited is unknown",
            Self::Room => "workgroups waited for room longer than in the recording",
            Self::NotRun => "what it waits for was refused",
            Self::Rounding => "workgroup times are whole nanoseconds, times rounds",
            Self::ClockStep => "it started before the end of what it waits for",
        }
    }
}
