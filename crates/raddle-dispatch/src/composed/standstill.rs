//! Which policy has stopped, where launches are left and no event will come any more?

use raddle_policy::ProcessId;
use raddle_preempt::Standing;

use super::Composed;
use super::process::Process;
use crate::Standstill;

impl Composed {
    pub(super) fn who_stands_still(&self) -> Standstill {
        let resets = !self.preemptions.resets.is_empty() || !self.preemptions.closed.is_empty();
        if !self.ready.launches().is_empty() && !resets {
            let setting = self.policies.allocate.policy.may_stop();
            return Standstill::Policy { slot: "allocate", law: 10, setting };
        }
        let is_passed_over = |(&id, process): (&ProcessId, &Process)| {
            let standing = self.turns.arbiter.standing(id);
            process.state(id, self.now).is_some()
                && matches!(standing, Some(Standing::Paused | Standing::Away))
        };
        if self.processes.iter().any(is_passed_over) {
            return Standstill::Policy { slot: "turn", law: 6, setting: None };
        }
        Standstill::Dispatcher
    }
}
