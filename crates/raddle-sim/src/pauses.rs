//! Where does a host wait for the device?
//!
//! A host issues launches in the recorded order, with the recorded time between them. Where the
//! recording waited it waits for the same work, however long that takes here, and then for as long
//! as the recorded call took to return. All threads of a process are one host.

use raddle_policy::Ticks;

/// One wait of a host for the device, at times of the profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostPause {
    /// The time of the profile at which the wait begins.
    pub begins: Ticks,
    /// The time of the profile at which the wait has ended.
    pub returns: Ticks,
    /// The time from the end of the last task for which the host waits, or from the begin of the
    /// wait if that is later, to the end of the wait.
    pub tail: Ticks,
    /// The tasks for which the host waits, as indices in the plan: some of those that were issued
    /// before the wait begins.
    pub tasks: Vec<u32>,
}

/// All waits of the host of a process for the device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostPauses {
    /// The waits, in the order of their ends.
    pauses: Vec<HostPause>,
    /// The number of launches, in the order of arrival, that are issued before each wait.
    after: Vec<u32>,
}

impl HostPauses {
    /// Returns the waits of a host that issues `tasks`, each given as (arrival, task that it comes
    /// after), in the order of `by_arrival`. `waits` has the further waits of tasks: (task, earlier
    /// task), by task.
    ///
    /// A task that arrives before the end of a wait is issued before that wait, as another thread
    /// issued it. So is a task for which a task of the wait waits.
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

    /// Returns whether a task with this arrival is issued before the first wait.
    pub(crate) fn is_before_all(&self, arrival: Ticks) -> bool {
        self.pauses.first().is_none_or(|first| arrival < first.returns)
    }

    /// Returns the wait with the index `pause` if it comes before the launch with the index
    /// `cursor` in the order of arrival; else `None`.
    pub(crate) fn before(&self, cursor: u32, pause: u32) -> Option<&HostPause> {
        let after = self.after.get(pause as usize)?;
        self.pauses.get(pause as usize).filter(|_| *after <= cursor)
    }
}
