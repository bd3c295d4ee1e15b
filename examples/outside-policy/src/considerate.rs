//! Preempt policy: how is work taken off the device, if work that is nearly done may finish?

use raddle_policy::{
    Configured, Cus, Needs, NoConfig, Preempt, Preemption, SettingError, Tick, VictimView,
};

/// Preempt policy that lets a process end its launches if all of their workgroups have started;
/// else it lets no further workgroup of the process start (a drain).
#[derive(Clone, Copy, Debug, Default)]
pub struct Considerate;

impl Preempt for Considerate {
    fn preempt(&mut self, victim: &VictimView<'_>, _now: Tick) -> Option<Preemption> {
        let nearly_done = victim.launches().iter().all(|launch| launch.unstarted() == 0);
        Some(if nearly_done { Preemption::Wait } else { Preemption::Drain })
    }
}

impl Configured for Considerate {
    const NAME: &'static str = "considerate";
    type Config = NoConfig;

    fn make(_config: &NoConfig, _device: &Cus) -> Result<Self, SettingError> {
        Ok(Self)
    }

    /// Returns that the policy needs nothing of launches: it never preempts by a flag, so no launch
    /// spends time on testing one.
    fn needs(_config: &NoConfig) -> Needs {
        Needs::NONE
    }
}
