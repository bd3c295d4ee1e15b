//! Why does a kernel start at another time than recorded?

/// Cause of a kernel's start at another time in the replay than in the recording. An op (launch,
/// copy or fill) hands its error on to the ops that wait for it, together with the cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WaitCause {
    /// Although the kernel could have started and nothing else ran, it started later in the
    /// recording: because of launch latency, or a wait that the profile does not show.
    Launch,
    /// Although the kernel could have started, it waited in the recording while kernels of other
    /// streams ran: for their end, or for room on the device.
    OtherKernels,
    /// Although the kernel could have started, it waited in the recording while copies or fills of
    /// other streams ran.
    OtherCopies,
    /// Although the kernel could have started, it waited in the recording while an op (launch, copy
    /// or fill) of its own stream ran that it need not wait for.
    OwnStream,
    /// The kernel started late in the recording, but its launch was not recorded, so that the begin
    /// of its wait is unknown.
    AssumedArrival,
    /// Workgroups waited longer for free compute units in the simulation than in the recording.
    Room,
    /// An op (launch, copy or fill) that the kernel waits for was refused in the simulation, and so
    /// took no time there.
    NotRun,
    /// Durations of workgroups are rounded to whole nanoseconds. The error grows with the number of
    /// rounds, as a kernel with more workgroups than fit on the device runs them in rounds.
    Rounding,
    /// In the recording, the kernel started before an op that it waits for had ended, which the
    /// simulation does not allow: by a step of the recording clock, or as it was launched early
    /// (programmatic launch).
    ClockStep,
}

impl WaitCause {
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
