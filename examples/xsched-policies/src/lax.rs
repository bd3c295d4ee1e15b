//! Turn policy LAX of XSched: which processes run, if one that can still wait lets others pass?

use raddle_policy::{
    Configured, Cus, Level, NoConfig, ProcessId, ProcessState, SettingError, Tick, Turn,
};

/// Turn policy that gives the device to the most urgent processes. A process with a laxity hint (a
/// span) is of the least urgency until it has been ready for that span, and of the highest
/// afterwards; one without this hint is as urgent as its priority hint or level says.
#[derive(Clone, Copy, Debug, Default)]
pub struct Laxity;

impl Turn for Laxity {
    fn turn(
        &mut self,
        all: &[ProcessState],
        now: Tick,
        may_issue: &mut Vec<ProcessId>,
    ) -> Option<Tick> {
        let until = |it: &ProcessState| it.hints.laxity().map(|spare| it.ready_since + spare);
        let urgency = |it: &ProcessState| match until(it) {
            Some(until) if now < until => Level::BEST_EFFORT,
            Some(_) => Level::MOST_URGENT,
            None => it.hints.priority().unwrap_or(it.level),
        };
        let best = all.iter().map(|it| urgency(it).rank()).min()?;
        may_issue.extend(all.iter().filter(|it| urgency(it).rank() == best).map(|it| it.id));
        all.iter().filter_map(until).filter(|&until| until > now).min()
    }
}

impl Configured for Laxity {
    const NAME: &'static str = "xsched-lax";
    type Config = NoConfig;

    fn make(_config: &NoConfig, _device: &Cus) -> Result<Self, SettingError> {
        Ok(Self)
    }
}
