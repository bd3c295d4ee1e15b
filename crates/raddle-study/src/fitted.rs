//! Which times does a fit take from a recording, other than the durations in it?

use std::sync::Arc;

use raddle_device::Device;
use raddle_sim::{LaunchLatency, PlanConfig, WaitRule};
use raddle_trace::Profile;

/// Rules by which the model is fitted to a recording, so that a replay of the recording alone
/// agrees with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FitRules {
    /// Rule for which recorded waits of one stream for another are kept in the replay.
    pub waits: WaitRule,
    /// True if each launch takes the launch latency that the recording shows; false if it takes
    /// none.
    pub latency: bool,
    /// Number of hardware queues that the recorded process had, according to the user; the number
    /// is used where the recording does not contradict it. `None` stands for the number of the
    /// device.
    pub queues: Option<u16>,
}

impl FitRules {
    /// Returns these rules with the number of hardware queues that is assumed for the recorded
    /// process on the device `own`: the user's number where the recording does not contradict it,
    /// else that of the device.
    pub(crate) fn of_recording(self, profile: &Profile, own: &Device) -> Self {
        Self { queues: self.options(own).queues_of_recording(profile), ..self }
    }

    /// Returns the options by which a recording is replayed on its own device, `own`, without
    /// fitted times.
    pub(crate) fn options<'d>(&self, own: &'d Device) -> PlanConfig<'d> {
        PlanConfig { waits: self.waits, queues: self.queues, ..PlanConfig::new(own, own) }
    }
}

/// Times that were fitted to a recording, in addition to the durations that it states.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fitted {
    /// Time in ns that one workgroup of each op (launch, copy or fill) lasts on the device of the
    /// recording, in the order of the ops; `None` where no kernels ran side by side.
    pub workgroups: Option<Arc<[u64]>>,
    /// Launch latency on the device of the recording: the least times that a launch needs before it
    /// can start.
    pub latency: LaunchLatency,
    /// Error of the busy time in a replay without the fitted durations of workgroups, as a fraction
    /// of the recorded busy time; `None` where no kernels ran side by side.
    pub uncalibrated: Option<f64>,
}

impl Fitted {
    /// Returns the options, with the fitted times, by which a recording that was made on the device
    /// `own` is replayed on the device `target`.
    pub fn options<'f>(
        &'f self,
        (own, target): (&'f Device, &'f Device),
        waits: WaitRule,
    ) -> PlanConfig<'f> {
        let (workgroups, latency) = (self.workgroups.as_deref(), self.latency);
        PlanConfig { workgroups, waits, latency, ..PlanConfig::new(own, target) }
    }
}
