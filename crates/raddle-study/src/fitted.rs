//! What does a recording say of times, beyond its durations?

use std::sync::Arc;

use raddle_device::Device;
use raddle_sim::{LaunchLatency, PlanConfig, WaitRule};

/// The times of a recording beyond its durations.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fitted {
    /// By op, the time that a workgroup lasts on its own device, in ns, where kernels ran side by
    /// side.
    pub workgroups: Option<Arc<[u64]>>,
    /// The latency from a launch to its possible start.
    pub latency: LaunchLatency,
    /// The share by which the device would be busy longer without `workgroups`.
    pub uncalibrated: Option<f64>,
}

impl Fitted {
    /// Returns the options of a plan with the fitted times.
    pub fn options<'f>(
        &'f self,
        (own, target): (&'f Device, &'f Device),
        waits: WaitRule,
    ) -> PlanConfig<'f> {
        let (workgroups, latency) = (self.workgroups.as_deref(), self.latency);
        PlanConfig { workgroups, waits, latency, ..PlanConfig::new(own, target) }
    }
}
