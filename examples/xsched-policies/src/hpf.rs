//! HPF: highest priority first, stream by stream.

use raddle_policy::{
    Configured, Cus, Level, NoConfig, ProcessId, ProcessState, SettingError, StreamId, StreamState,
    Tick, Turn,
};

/// Turn policy that gives the device to the processes of the highest priority, and of each of them
/// to the most urgent streams alone.
///
/// A hint of a stream wins over that of its process, and that over the levels of launches.
#[derive(Clone, Copy, Debug, Default)]
pub struct HighestPriority;

/// Returns the urgency of a process, by its priority hint or else its level: the smaller, the more
/// urgent.
pub(crate) fn of(process: &ProcessState) -> u64 {
    process.hints.priority.unwrap_or(process.level).rank()
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
        let said = process.hints.priority;
        let of = |it: &StreamState| it.hints.priority.or(said).map_or(it.level.rank(), Level::rank);
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
