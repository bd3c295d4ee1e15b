//! Turn policy HHPF of XSched: which processes run, if the highest priority on any device wins?

use raddle_policy::{Configured, Cus, NoConfig, ProcessId, ProcessState, SettingError, Tick, Turn};

use crate::hpf;

/// Turn policy that gives the device to all streams of the processes of highest priority. On one
/// device it differs from `HighestPriority` only in that streams are alike.
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
