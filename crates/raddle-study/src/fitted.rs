//! What does a recording say of times, beyond its durations?

use std::sync::Arc;

use raddle_device::Device;
use raddle_sim::{LaunchLatency, PlanConfig, WaitRule};

/// What a recording says of times beyond its durations.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fitted {
    /// By op, how long a workgroup lasts on its own device, in ns, where kernels ran side by side.
    pub workgroups: Option<Arc<[u64]>>,
    /// How long it takes until a launch can start.
    pub latency: LaunchLatency,
    /// How much longer the device would be busy without `workgroups`, a share.
    pub uncalibrated: Option<f64>,
}

impl Fitted {
    /// The options with what was fitted.
    pub fn options<'f>(
        &'f self,
        (own, target): (&'f Device, &'f Device),
        waits: WaitRule,
    ) -> PlanConfig<'f> {
        let (workgroups, latency) = (self.workgroups.as_deref(), self.latency);
        PlanConfig { workgroups, waits, latency, ..PlanConfig::new(own, target) }
    }
}
