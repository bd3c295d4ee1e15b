//! Which settings of the policy `matching` come from the device where a recipe leaves them out?

use raddle_policy::Configured;
use raddle_workgroup::{DecisionTime, Matching, MatchingConfig};

use super::slot::Knowledge;

/// Two functions for the policy `matching`. One returns its needs, the facts that a recipe must
/// know about it; the other sets the clock of the device in its settings, if its decisions take
/// time and no clock is set.
pub(super) const KNOWN: Knowledge<MatchingConfig> = Knowledge {
    needs: Matching::needs,
    fill: |config, given| {
        let time = config.decision().filter(|time| time.clock_mhz.is_none())?;
        let clock_mhz = Some(given.clock_mhz?);
        Some(config.clone().with_decision(Some(DecisionTime { clock_mhz, ..time })))
    },
};
