//! Which times does a fit take from a recording, other than the durations in it?

use std::sync::Arc;

use raddle_device::Device;
use raddle_sim::{LaunchLatency, PlanConfig, WaitRule};
use raddle_trace::Profile;

/// Rules by which the model is fitted to a recording, so that a replay of the recording alone
/// agrees with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FitRules {
    /// Rule for which of the recorded waits of one stream for another the replay keeps.
    pub waits: WaitRule,
    /// True if each launch takes the launch latency that the recording shows; false if it takes
    /// none.
    pub latency: bool,
    /// Number of hardware queues of the recorded process, as the user states it, used where the
    /// recording agrees with it; `None` takes that of the device.
    pub queues: Option<u16>,
}

impl FitRules {
    /// Returns these rules with the number of hardware queues that the recording, made on `own`, is
    /// taken to have had: the user's number where the recording agrees with it, else that of the
    /// device.
    pub(crate) fn of_recording(self, profile: &Profile, own: &Device) -> Self {
        Self { queues: self.options(own).queues_of_recording(profile), ..self }
    }

    /// Returns the options of a plan for a replay on `own`, the device of the recording, without
    /// any fitted times.
    pub(crate) fn options<'d>(&self, own: &'d Device) -> PlanConfig<'d> {
        PlanConfig { waits: self.waits, queues: self.queues, ..PlanConfig::new(own, own) }
    }
}

/// Times that were fitted to a recording, beyond its durations.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fitted {
    /// Time in ns that one workgroup of each op lasts on the device of the recording, in the order
    /// of the ops; `None` where no kernels ran side by side.
    pub workgroups: Option<Arc<[u64]>>,
    /// Least times that a launch needs before it can start, on the device of the recording.
    pub latency: LaunchLatency,
    /// Error of the busy time without `workgroups`, as a fraction of the recorded busy time; `None`
    /// where no kernels ran side by side.
    pub uncalibrated: Option<f64>,
}

impl Fitted {
    /// Returns the options of a plan with the fitted times, for a recording on `own` that is
    /// replayed on `target`.
    pub fn options<'f>(
        &'f self,
        (own, target): (&'f Device, &'f Device),
        waits: WaitRule,
    ) -> PlanConfig<'f> {
        let (workgroups, latency) = (self.workgroups.as_deref(), self.latency);
        PlanConfig { workgroups, waits, latency, ..PlanConfig::new(own, target) }
    }
}
