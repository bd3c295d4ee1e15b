//! Which times follow from a recording beside the durations in it?

use std::sync::Arc;

use raddle_device::Device;
use raddle_sim::{LaunchLatency, PlanConfig, WaitRule};
use raddle_trace::Profile;

/// The rules by which the model is fitted to a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FitRules {
    /// Rule that says which of the recorded waits of one stream for another are kept.
    pub waits: WaitRule,
    /// True if launches take the time that the recording shows.
    pub latency: bool,
    /// The number of hardware queues of the process, where the recording agrees with it; `None`: that
    /// of the device.
    pub queues: Option<u16>,
}

impl FitRules {
    /// Returns these rules with the number of hardware queues that the recording, made on `own`, is
    /// taken to have had.
    pub(crate) fn of_recording(self, profile: &Profile, own: &Device) -> Self {
        Self { queues: self.options(own).queues_of_recording(profile), ..self }
    }

    /// Returns the options of a plan on the device of the recording, with nothing fitted.
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
    /// Latency from a launch to its possible start.
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
