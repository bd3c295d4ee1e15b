//! Where does a host wait for the device?
//!
//! A host issues launches in the recorded order, with the recorded time between them. Where the
//! recording waited it waits for the same work, however long that takes here, and then for as long
//! as the recorded call took to return. All threads of a process are one host.

use raddle_policy::Ticks;

/// One wait, in the time of the profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostPause {
    /// When the wait begins.
    pub begins: Ticks,
    /// When the wait has ended.
    pub returns: Ticks,
    /// The time from the end of the last task waited for, or from the begin of the wait if that is
    /// later, to the end of the wait.
    pub tail: Ticks,
    /// The tasks that the host waits for, as positions in the plan, of those issued until the wait
    /// begins.
    pub tasks: Vec<u32>,
}

/// All waits of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostPauses {
    /// The waits by their ends.
    pauses: Vec<HostPause>,
    /// How many launches, by arrival, are issued before each wait.
    after: Vec<u32>,
}

impl HostPauses {
    /// The waits of a host that issues tasks, by their arrival and what each comes after, in the
    /// order of `by_arrival`; `waits` has what tasks wait for besides, by task.
    ///
    /// What arrives before the end of a wait does not wait for it: another thread issued it. Nor
    /// does anything that the tasks waited for wait for themselves.
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

    /// Returns whether a task that arrives at this time is issued before the first wait.
    pub(crate) fn is_before_all(&self, arrival: Ticks) -> bool {
        self.pauses.first().is_none_or(|first| arrival < first.returns)
    }

    /// Returns a wait, if it comes before the launch at `cursor`.
    pub(crate) fn before(&self, cursor: u32, pause: u32) -> Option<&HostPause> {
        let after = self.after.get(pause as usize)?;
        self.pauses.get(pause as usize).filter(|_| *after <= cursor)
    }
}
