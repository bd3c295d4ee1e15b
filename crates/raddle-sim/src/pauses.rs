//! Where does a host wait for the device?
//!
//! A host issues launches in the recorded order, with the recorded time between them. Where the
//! host waited in the recording, it waits for the same work in the replay, however long that work
//! takes, and then for as long as the recorded call still took to return. All threads of a process
//! are one host.

use raddle_policy::Ticks;

/// One wait of a host for the device (such as a stream synchronisation), in time since the
/// profile's begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostPause {
    /// The time at which the host's wait begins, in ticks since the profile's begin.
    pub begins: Ticks,
    /// The time at which the host's wait ends, in ticks since the profile's begin.
    pub returns: Ticks,
    /// The ticks until the end of the wait, from the end of the last work for which the host waits
    /// (or from the begin of the wait, if that is later).
    pub tail: Ticks,
    /// The indices in the plan of the launches, copies and fills for which the host waits; all were
    /// issued before the wait begins.
    pub tasks: Vec<u32>,
}

/// The waits of a process's host for the device, such as stream synchronisations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostPauses {
    /// The waits of the host, in the order of their ends.
    pauses: Vec<HostPause>,
    /// The number of launches that the host issues before each of its waits; launches count in the
    /// order of arrival.
    after: Vec<u32>,
}

impl HostPauses {
    /// Returns the waits of a host for the device, given in `pauses`. `tasks` are the launches,
    /// copies and fills that the host issues, as (arrival, index of the one of the same stream that
    /// must end first), and `by_arrival` is their order of issue. `waits` has further waits of
    /// tasks: (task, earlier task), sorted by task.
    ///
    /// Two kinds of tasks count as issued before a host wait: those that arrive before the wait
    /// ends, as another thread of the host then issued them, and those that must end before the
    /// wait can end.
    pub(crate) fn new(
        mut pauses: Vec<HostPause>,
        tasks: &[(Ticks, Option<u32>)],
        waits: impl Iterator<Item = (u32, u32)>,
        by_arrival: &[u32],
    ) -> Self {
        pauses.retain(|pause| pause.tasks.iter().all(|&task| (task as usize) < tasks.len()));
        pauses.sort_by_key(|pause| pause.returns);
        let mut needs = vec![0u32; tasks.len()];
        for (cursor, &task) in (1u32..).zip(by_arrival) {
            needs[task as usize] = cursor;
        }
        let mut waits = waits.peekable();
        for position in 0..tasks.len() {
            // A task may only wait for an earlier one.
            let before = tasks[position].1.filter(|&before| (before as usize) < position);
            let before = before.map_or(0, |before| needs[before as usize]);
            needs[position] = needs[position].max(before);
            while let Some((_, source)) = waits.next_if(|&(task, _)| task as usize <= position) {
                let source = needs.get(source as usize).copied();
                needs[position] = needs[position].max(source.unwrap_or(0));
            }
        }
        let mut least = 0;
        let after = pauses.iter().map(|pause| {
            let arrival = |&task: &u32| tasks[task as usize].0;
            let due = by_arrival.partition_point(|task| arrival(task) < pause.returns) as u32;
            let needed = pause.tasks.iter().map(|&task| needs[task as usize]).max().unwrap_or(0);
            least = due.max(needed).max(least);
            least
        });
        let after = after.collect();
        Self { pauses, after }
    }

    /// Returns whether work that arrives at the time `arrival` is issued before the host's first
    /// wait.
    pub(crate) fn is_before_all(&self, arrival: Ticks) -> bool {
        self.pauses.first().is_none_or(|first| arrival < first.returns)
    }

    /// Returns the host's wait with the index `pause`, if the host waits before it issues the
    /// launch with the index `cursor` in the order of arrival; else `None`.
    pub(crate) fn before(&self, cursor: u32, pause: u32) -> Option<&HostPause> {
        let after = self.after.get(pause as usize)?;
        self.pauses.get(pause as usize).filter(|_| *after <= cursor)
    }
}
