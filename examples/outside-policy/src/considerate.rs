//! Preempt: how does work leave, if what is nearly done may finish?

use raddle_policy::{
    Configured, Cus, Needs, NoConfig, Preempt, Preemption, SettingError, Tick, VictimView,
};

/// Preempt policy that waits for the end of work of which every workgroup has started; of all other
/// work it lets no further workgroup start (a drain).
#[derive(Clone, Copy, Debug, Default)]
pub struct Considerate;

impl Preempt for Considerate {
    fn preempt(&mut self, victim: &VictimView<'_>, _now: Tick) -> Option<Preemption> {
        let nearly_done = victim.launches.iter().all(|launch| launch.unstarted == 0);
        Some(if nearly_done { Preemption::Wait } else { Preemption::Drain })
    }
}

impl Configured for Considerate {
    const NAME: &'static str = "considerate";
    type Config = NoConfig;

    fn make(_config: &NoConfig, _device: &Cus) -> Result<Self, SettingError> {
        Ok(Self)
    }

    /// Returns that the policy needs nothing: no work leaves by a flag, so launches do not pay for
    /// the test of one.
    fn needs(_config: &NoConfig) -> Needs {
        Needs::NONE
    }
}
