//! HHPF: highest priority first over the whole system, whatever device a stream is of.

use raddle_policy::{Configured, Cus, NoConfig, ProcessId, ProcessState, SettingError, Tick, Turn};

use crate::hpf;

/// Turn policy that gives the device to the processes of the highest priority, with all their
/// streams. With one device it differs from HPF only in the streams.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemPriority;

impl Turn for SystemPriority {
    fn turn(
        &mut self,
        all: &[ProcessState],
        _: Tick,
        may_issue: &mut Vec<ProcessId>,
    ) -> Option<Tick> {
        let best = all.iter().map(hpf::of).min();
        may_issue.extend(all.iter().filter(|it| Some(hpf::of(it)) == best).map(|it| it.id));
        None
    }
}

impl Configured for SystemPriority {
    const NAME: &'static str = "xsched-hhpf";
    type Config = NoConfig;

    fn make(_config: &NoConfig, _device: &Cus) -> Result<Self, SettingError> {
        Ok(Self)
    }
}
