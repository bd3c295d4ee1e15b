//! Turn policy HPF of XSched: which streams run, if those of the highest priority go first?

use raddle_policy::{
    Configured, Cus, Level, NoConfig, ProcessId, ProcessState, SettingError, StreamId, StreamState,
    Tick, Turn,
};

/// Turn policy that gives the device to the processes of the highest priority, and among the
/// streams of each such process to the most urgent ones only.
///
/// A stream's priority is its own hint, else its process's hint, else the level of its launches.
#[derive(Clone, Copy, Debug, Default)]
pub struct HighestPriority;

/// Returns the urgency of a process as a number, less for a more urgent one: that of its priority
/// hint, or else of its level.
pub(crate) fn of(process: &ProcessState) -> u64 {
    process.hints.priority().unwrap_or(process.level).rank()
}

impl Turn for HighestPriority {
    fn turn(
        &mut self,
        all: &[ProcessState],
        _: Tick,
        may_issue: &mut Vec<ProcessId>,
    ) -> Option<Tick> {
        let best = all.iter().map(of).min();
        may_issue.extend(all.iter().filter(|it| Some(of(it)) == best).map(|it| it.id));
        None
    }

    fn by_stream(&self) -> bool {
        true
    }

    fn streams(
        &mut self,
        process: &ProcessState,
        streams: &[StreamState],
        _: Tick,
        may_issue: &mut Vec<StreamId>,
    ) -> Option<Tick> {
        let said = process.hints.priority();
        let of =
            |it: &StreamState| it.hints.priority().or(said).map_or(it.level.rank(), Level::rank);
        let best = streams.iter().map(of).min();
        may_issue.extend(streams.iter().filter(|it| Some(of(it)) == best).map(|it| it.id));
        None
    }
}

impl Configured for HighestPriority {
    const NAME: &'static str = "xsched-hpf";
    type Config = NoConfig;

    fn make(_config: &NoConfig, _device: &Cus) -> Result<Self, SettingError> {
        Ok(Self)
    }
}
