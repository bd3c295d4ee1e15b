//! Turn policy AWF of XSched: which process runs, if that of the active window goes first?

use raddle_policy::{Configured, Cus, NoConfig, ProcessId, ProcessState, SettingError, Tick, Turn};

/// Turn policy that gives the device to the processes whose window is active (their custom hint is
/// 1); if there are none, to all processes.
#[derive(Clone, Copy, Debug, Default)]
pub struct ActiveWindowFirst;

impl Turn for ActiveWindowFirst {
    fn turn(
        &mut self,
        all: &[ProcessState],
        _: Tick,
        may_issue: &mut Vec<ProcessId>,
    ) -> Option<Tick> {
        let active = |it: &&ProcessState| it.hints.custom() == Some(1);
        may_issue.extend(all.iter().filter(active).map(|it| it.id));
        if may_issue.is_empty() {
            may_issue.extend(all.iter().map(|it| it.id));
        }
        None
    }
}

impl Configured for ActiveWindowFirst {
    const NAME: &'static str = "xsched-awf";
    type Config = NoConfig;

    fn make(_config: &NoConfig, _device: &Cus) -> Result<Self, SettingError> {
        Ok(Self)
    }
}
