//! Which keys of `[preempt]` belong to the runtime under a recipe, and not to the policy?

use raddle_policy::Preempt;
use raddle_preempt::ResetScope;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::PolicySlot;
use raddle_read::{ReadError, kebab, read};

/// The keys of the table `[preempt]` that give costs or the scope of a reset, and are no settings
/// of the policy.
const KEYS: [&str; 8] =
    ["scope", "flag-ns", "exit-ns", "check-ns", "reset-ns", "switch-ns", "switch-bytes", "load-ns"];

/// The costs of a runtime for taking work off the device, in nanoseconds and bytes. A cost that is
/// `None` is taken from the device table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default, deny_unknown_fields)]
#[doc(hidden)]
pub struct PreemptRuntime {
    /// The scope of a reset, the set of launches that it kills; with `None`, those of one process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<ResetScope>,
    /// Nanoseconds from raising a preemption flag until kernels that start see it; `None`: those of
    /// the device table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flag_ns: Option<u64>,
    /// Nanoseconds that each launch takes to leave by the preemption flag (tested by each launch at
    /// its start), one launch of a stream after the other; `None`: those of the device table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_ns: Option<u64>,
    /// Nanoseconds of the test of the preemption flag, in every workgroup; `None`: those of the
    /// device table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check_ns: Option<u64>,
    /// Nanoseconds that a reset takes; `None`: those of the device table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reset_ns: Option<u64>,
    /// Nanoseconds of a save or a restore of a process, beside the time for the bytes that it
    /// moves; `None`: those of the device table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub switch_ns: Option<u64>,
    /// The fewest bytes that a save or a restore of a process moves; `None`: those of the device
    /// table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub switch_bytes: Option<u64>,
    /// Nanoseconds that the device takes for itself whenever a process follows another one on it,
    /// even where no work was saved or is restored; `None` counts as 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load_ns: Option<u64>,
}

impl PreemptRuntime {
    /// Returns these costs, with each field that is `None` taken from `other`.
    #[must_use]
    #[doc(hidden)]
    pub fn or(self, other: Self) -> Self {
        Self {
            scope: self.scope.or(other.scope),
            flag_ns: self.flag_ns.or(other.flag_ns),
            exit_ns: self.exit_ns.or(other.exit_ns),
            check_ns: self.check_ns.or(other.check_ns),
            reset_ns: self.reset_ns.or(other.reset_ns),
            switch_ns: self.switch_ns.or(other.switch_ns),
            switch_bytes: self.switch_bytes.or(other.switch_bytes),
            load_ns: self.load_ns.or(other.load_ns),
        }
    }

    /// Removes the costs and the scope of a reset from the table `slot`, a recipe's `[preempt]`,
    /// and returns them; the error is that one of them cannot be read.
    pub(super) fn take(slot: &mut Option<Value>) -> Result<Self, ReadError> {
        let Some(Value::Object(table)) = slot else { return Ok(Self::default()) };
        let own = |key: &String| KEYS.contains(&&*kebab(key));
        let keys: Vec<String> = table.keys().filter(|key| own(key)).cloned().collect();
        let taken: Map<String, Value> =
            keys.into_iter().filter_map(|key| table.remove_entry(&key)).collect();
        read(&taken.into()).map_err(|error| error.within("preempt"))
    }
}

/// The table `[preempt]` as a recipe spells it: the policy with its settings, and the costs of the
/// runtime.
#[derive(Serialize)]
pub(super) struct WrittenPreempt<'r> {
    #[serde(flatten)]
    pub(super) slot: &'r PolicySlot<dyn Preempt + Send>,
    #[serde(flatten)]
    pub(super) runtime: PreemptRuntime,
}
