//! Which process has the least virtual run time?
//!
//! The rules are those of `docs/policies/weighted-slices.md`: virtual run time is run time x
//! 2^shift, with shifts 1, 2, 4 and 7 for levels 0, 1, 2, and 3 or more; one process runs at a
//! time, for `slice-us`. A process that becomes runnable again is as far behind the first process
//! as it was when it stopped; one that was itself the first, or alone, is behind it by a
//! microsecond for each level by which it is less urgent.

use std::collections::BTreeMap;

use raddle_policy::ProcessId;
use serde_json::Value;

use super::processes::Runnable;
use super::slices::end_of;
use super::turning::{Turn, TurnTwin};
use super::turns::slice;

/// Account of a process's virtual run time (run time that counts more for less urgent levels), in
/// ticks.
#[derive(Clone, Copy, Debug, Default)]
struct Account {
    /// Virtual run time of a runnable process, in ticks. When the process stops being runnable,
    /// only the amount is kept by which its time exceeds the least one of all runnable processes.
    time: i128,
    ran: u64,
    here: bool,
}

impl Account {
    fn pay(&mut self, it: &Runnable) {
        let ran = i128::from(it.ran.saturating_sub(self.ran));
        self.ran = it.ran;
        self.time = self.time.saturating_add(ran << [1, 2, 4, 7][class(it.level)]);
    }
}

/// Naive model of the policy `vruntime`. The policy's answers in a log are compared with those of
/// the model.
#[derive(Debug)]
pub(super) struct Vruntime {
    slice: u64,
    accounts: BTreeMap<ProcessId, Account>,
    current: Option<(ProcessId, Option<u64>)>,
}

/// Returns the class of Linux's scheduler, 0 to 3, to which a level of urgency belongs.
fn class(level: u8) -> usize {
    usize::from(level).min(3)
}

impl Vruntime {
    pub(super) fn new(settings: &Value) -> Self {
        Self { slice: slice(settings), accounts: BTreeMap::new(), current: None }
    }

    /// Returns the runnable process with the least virtual run time (run time that counts more for
    /// less urgent levels), as (virtual run time, process, level), ties to the lowest id; `None`
    /// where no process is runnable.
    fn first(&self, pool: &[Runnable]) -> Option<(i128, ProcessId, u8)> {
        let here = pool.iter().filter_map(|it| {
            let account = self.accounts.get(&it.id).filter(|account| account.here)?;
            Some((account.time, it.id, it.level))
        });
        here.min_by_key(|&(time, id, _)| (time, id))
    }
}

impl TurnTwin for Vruntime {
    fn ask(&mut self, pool: &[Runnable], now: u64, _: &Turn) -> Turn {
        for it in pool {
            let account = self.accounts.entry(it.id).or_default();
            if account.here {
                account.pay(it);
            }
        }
        let least = self.first(pool).map(|first| first.0);
        for (id, account) in self.accounts.iter_mut().filter(|(_, account)| account.here) {
            if !pool.iter().any(|it| it.id == *id) {
                let behind = least.map_or(0, |least| account.time.saturating_sub(least));
                (account.time, account.here) = (behind.max(0), false);
            }
        }
        for it in pool {
            let first = self.first(pool);
            let account = self.accounts.entry(it.id).or_default();
            if !std::mem::replace(&mut account.here, true)
                && let Some((least, _, level)) = first
            {
                let levels = class(it.level) as i128 - class(level) as i128;
                let behind = if account.time == 0 { levels * 1000 } else { account.time };
                account.time = least.saturating_add(behind);
            }
            account.pay(it);
        }
        let runs = |id: ProcessId| pool.iter().any(|it| it.id == id);
        let ends = |until: Option<u64>| until.is_some_and(|until| until <= now);
        if !self.current.is_some_and(|(id, until)| runs(id) && !ends(until)) {
            self.current = self.first(pool).map(|first| (first.1, end_of(now, self.slice)));
        }
        let may_issue = self.current.iter().map(|it| it.0).collect();
        Turn { may_issue, until: self.current.and_then(|it| it.1), load: None }
    }

    fn follow(&mut self, found: &Turn) {
        self.current = found.may_issue.first().map(|&id| (id, found.until));
    }

    fn left(&mut self, process: ProcessId) {
        self.accounts.remove(&process);
    }

    fn rule(&self) -> &'static str {
        "weighted-slices.md: the process with the least run time x 2^shift"
    }
}
