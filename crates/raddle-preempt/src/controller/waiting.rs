//! Which data does a controller keep of a launch that waits to be submitted?

use raddle_policy::Idempotence;

use super::work::{CapturedWork, WorkKind};

/// Launch that waits in a buffer queue of its process. It takes 16 bytes besides its payload (the
/// host's own data).
#[derive(Clone, Debug)]
pub(super) struct WaitingLaunch<T> {
    pub(super) payload: T,
    /// Order of capture of the launch: its number among all work captured for its process.
    pub(super) order: u64,
    pub(super) kills: u32,
    marks: LaunchMarks,
}

/// Three properties of a launch, as bits of one word: it may be killed, it tests the preemption
/// flag, it waits for peers. Three separate bytes would be much slower to copy at each submission.
#[derive(Clone, Copy, Debug)]
struct LaunchMarks(u32);

impl LaunchMarks {
    const MAY_BE_KILLED: u32 = 1;
    const TESTS_FLAG: u32 = 2;
    const HAS_PEERS: u32 = 4;

    const fn of(idempotent: Idempotence, tests_flag: bool, has_peers: bool) -> Self {
        let killed = if idempotent.may_be_killed() { Self::MAY_BE_KILLED } else { 0 };
        let tests = if tests_flag { Self::TESTS_FLAG } else { 0 };
        Self(killed | tests | if has_peers { Self::HAS_PEERS } else { 0 })
    }
}

impl<T> WaitingLaunch<T> {
    pub(super) fn new(work: CapturedWork<T>, order: u64) -> Self {
        let has_peers = matches!(work.kind, WorkKind::Collective);
        let marks = LaunchMarks::of(work.idempotent, work.tests_flag, has_peers);
        Self { payload: work.payload, order, kills: 0, marks }
    }

    /// Returns whether the launch may be killed and run again; never true for a collective.
    pub(super) const fn may_be_killed(&self) -> bool {
        self.marks.0 & (LaunchMarks::MAY_BE_KILLED | LaunchMarks::HAS_PEERS)
            == LaunchMarks::MAY_BE_KILLED
    }

    /// Returns whether the launch leaves at its start where the preemption flag is raised for it;
    /// never true for a collective (a kernel that waits for peers).
    pub(super) const fn tests_flag(&self) -> bool {
        self.marks.0 & (LaunchMarks::TESTS_FLAG | LaunchMarks::HAS_PEERS) == LaunchMarks::TESTS_FLAG
    }

    /// Returns whether the launch is a collective: it must not be separated from its peers on other
    /// devices or in other processes.
    pub(super) const fn has_peers(&self) -> bool {
        self.marks.0 & LaunchMarks::HAS_PEERS != 0
    }

    /// Replaces the verdict on whether the launch may be run again, now that its arguments are
    /// known.
    pub(super) const fn judge(&mut self, idempotent: Idempotence) {
        self.marks = LaunchMarks::of(idempotent, self.tests_flag(), self.has_peers());
    }
}

/// Largest number of bytes per waiting launch besides its payload (the host's own data), including
/// the unused capacity of a queue that has just grown.
pub(super) const MOST_BYTES: usize = 64;
const _: () = assert!(size_of::<WaitingLaunch<()>>() <= MOST_BYTES);
const _: () = assert!(size_of::<WaitingLaunch<[u64; 4]>>() <= 32 + MOST_BYTES);
