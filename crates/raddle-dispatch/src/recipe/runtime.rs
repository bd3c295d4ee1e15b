//! Which keys of a recipe's table `[preempt]` are costs or the scope of a reset, not settings of
//! the policy?

use raddle_policy::Preempt;
use raddle_preempt::ResetScope;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::PolicySlot;
use raddle_read::{ReadError, kebab, read};

/// The keys in a recipe's table `[preempt]` that are costs or the scope of a reset, not settings of
/// the preempt policy.
const KEYS: [&str; 8] =
    ["scope", "flag-ns", "exit-ns", "check-ns", "reset-ns", "switch-ns", "switch-bytes", "load-ns"];

/// The costs of preemption that a recipe gives, in nanoseconds and bytes, and the scope of a reset.
/// A cost that is `None` is taken from the device table, but for `load_ns`, which is then 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default, deny_unknown_fields)]
#[doc(hidden)]
pub struct PreemptRuntime {
    /// The scope of a reset: the set of launches that it kills; `None` stands for the launches of
    /// one process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<ResetScope>,
    /// Nanoseconds from raising a preemption flag until kernels that start can see it; `None`: as
    /// in the device table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flag_ns: Option<u64>,
    /// Nanoseconds that each launch takes to start, see the raised preemption flag and leave; the
    /// launches of a stream leave one after the other. `None`: as in the device table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_ns: Option<u64>,
    /// Nanoseconds that testing the preemption flag takes in every workgroup; `None`: as in the
    /// device table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check_ns: Option<u64>,
    /// Nanoseconds from the beginning of a reset (killing of running launches) to its end; `None`:
    /// as in the device table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reset_ns: Option<u64>,
    /// Nanoseconds that a save or a restore of a process takes, in addition to the time for the
    /// bytes that it moves; `None`: as in the device table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub switch_ns: Option<u64>,
    /// Least number of bytes that a save or a restore of a process counts as moving, even where it
    /// moves fewer; `None`: as in the device table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub switch_bytes: Option<u64>,
    /// Nanoseconds that the device takes to switch from one process to another, even where no work
    /// is saved or restored; `None` counts as 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load_ns: Option<u64>,
}

impl PreemptRuntime {
    /// Returns these costs, where each field that is `None` is taken from `other`.
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

    /// Removes the costs and the scope of a reset from a recipe's table `[preempt]`, and returns
    /// them. The error says which of them cannot be read.
    pub(super) fn take(slot: &mut Option<Value>) -> Result<Self, ReadError> {
        let Some(Value::Object(table)) = slot else { return Ok(Self::default()) };
        let own = |key: &String| KEYS.contains(&&*kebab(key));
        let keys: Vec<String> = table.keys().filter(|key| own(key)).cloned().collect();
        let taken: Map<String, Value> =
            keys.into_iter().filter_map(|key| table.remove_entry(&key)).collect();
        read(&taken.into()).map_err(|error| error.within("preempt"))
    }
}

/// The table `[preempt]` of a recipe as it is written: the policy with its settings, and the costs
/// of preemption.
#[derive(Serialize)]
pub(super) struct WrittenPreempt<'r> {
    #[serde(flatten)]
    pub(super) slot: &'r PolicySlot<dyn Preempt + Send>,
    #[serde(flatten)]
    pub(super) runtime: PreemptRuntime,
}
