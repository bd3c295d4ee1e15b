//! Turn policy FIFO of XSched: which process runs, if the first that came runs until it is done?

use raddle_policy::{Configured, Cus, NoConfig, ProcessId, ProcessState, SettingError, Tick, Turn};

/// Turn policy that gives the device to the process that has had work ready for the longest time,
/// until that process has no work left.
#[derive(Clone, Copy, Debug, Default)]
pub struct FirstComeFirstServed;

impl Turn for FirstComeFirstServed {
    fn turn(
        &mut self,
        all: &[ProcessState],
        _: Tick,
        may_issue: &mut Vec<ProcessId>,
    ) -> Option<Tick> {
        may_issue.extend(all.iter().min_by_key(|it| (it.ready_since, it.id)).map(|it| it.id));
        None
    }
}

impl Configured for FirstComeFirstServed {
    const NAME: &'static str = "xsched-fifo";
    type Config = NoConfig;

    fn make(_config: &NoConfig, _device: &Cus) -> Result<Self, SettingError> {
        Ok(Self)
    }
}
