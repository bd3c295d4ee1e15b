//! What waits to be submitted, and what is next?
//!
//! One buffer queue a stream. What was captured first is submitted first, over all streams: so a
//! launch that waits for an earlier one of another stream never fills the window in vain.
//!
//! A stream has two queues: new launches, and those that have come back. Their memory is kept until the
//! process leaves, so nothing is allocated in steady state.

use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;

use raddle_policy::StreamId;

use super::answers::CapturedWork;

/// A launch in a buffer queue: 16 bytes beside the payload.
#[derive(Clone, Debug)]
pub(super) struct WaitingLaunch<T> {
    pub(super) payload: T,
    /// When it was captured.
    pub(super) order: u64,
    pub(super) kills: u32,
    marks: LaunchMarks,
}

/// Two booleans in one word: as bytes, copying them takes half the time of a submission.
#[derive(Clone, Copy, Debug)]
struct LaunchMarks(u32);

impl LaunchMarks {
    const MAY_BE_KILLED: u32 = 1;
    const TESTS_FLAG: u32 = 2;
}

impl<T> WaitingLaunch<T> {
    /// Whether it may be killed and run again.
    pub(super) const fn may_be_killed(&self) -> bool {
        self.marks.0 & LaunchMarks::MAY_BE_KILLED != 0
    }

    /// Whether it leaves where the flag is raised for it.
    pub(super) const fn tests_flag(&self) -> bool {
        self.marks.0 & LaunchMarks::TESTS_FLAG != 0
    }
}

/// Most bytes that a waiting launch takes beside its payload, the spare room of a queue that has just
/// grown included.
const MOST_BYTES: usize = 64;
const _: () = assert!(size_of::<WaitingLaunch<()>>() <= MOST_BYTES);
const _: () = assert!(size_of::<WaitingLaunch<[u64; 4]>>() <= 32 + MOST_BYTES);

/// Puts a launch at the end of a queue.
#[inline]
fn append<T>(queue: &mut VecDeque<WaitingLaunch<T>>, work: WaitingLaunch<T>) {
    if queue.len() == queue.capacity() {
        grow(queue);
    }
    queue.push_back(work);
}

/// Makes room in a full queue: a quarter more, less for large payloads, and a sixteenth at least (for
/// payloads beyond 752 bytes that is more than [`MOST_BYTES`]). Doubling would exceed that earlier.
#[cold]
fn grow<T>(queue: &mut VecDeque<WaitingLaunch<T>>) {
    let len = queue.len();
    let bytes = (len + 1).saturating_mul(size_of::<T>() + MOST_BYTES);
    let most = (bytes / size_of::<WaitingLaunch<T>>()).saturating_sub(len);
    let more = most.clamp(len / 16, len / 4).max(1);
    queue.reserve_exact(more);
}

/// The waiting launches of one stream, ascending in order; those that came back stand before the new
/// ones, as they were submitted before.
#[derive(Clone, Debug)]
struct StreamQueue<T> {
    back: VecDeque<WaitingLaunch<T>>,
    fresh: VecDeque<WaitingLaunch<T>>,
}

impl<T> StreamQueue<T> {
    fn front(&self) -> Option<u64> {
        self.back.front().or_else(|| self.fresh.front()).map(|front| front.order)
    }

    /// The first, and when the one behind it was captured.
    fn pop(&mut self) -> Option<(WaitingLaunch<T>, Option<u64>)> {
        if let Some(work) = self.back.pop_front() {
            return Some((work, self.front()));
        }
        let work = self.fresh.pop_front()?;
        Some((work, self.fresh.front().map(|front| front.order)))
    }
}

#[derive(Clone, Debug)]
pub(super) struct Queues<T> {
    /// By stream.
    lanes: Vec<StreamQueue<T>>,
    firsts: OldestTree,
    waiting: usize,
    next: u64,
}

impl<T> Queues<T> {
    /// Empty queues, whose first launch has this order.
    pub(super) const fn new(next: u64) -> Self {
        Self { lanes: Vec::new(), firsts: OldestTree(Vec::new()), waiting: 0, next }
    }

    pub(super) const fn next_order(&self) -> u64 {
        self.next
    }

    pub(super) const fn len(&self) -> usize {
        self.waiting
    }

    /// Adds a stream; `None` if there are as many as ids.
    pub(super) fn open(&mut self) -> Option<StreamId> {
        let id = StreamId(u32::try_from(self.lanes.len()).ok()?);
        self.lanes.push(StreamQueue { back: VecDeque::new(), fresh: VecDeque::new() });
        if self.lanes.len() > self.firsts.leaves() {
            self.firsts = OldestTree::of(self.lanes.iter().map(StreamQueue::front));
        }
        Some(id)
    }

    /// Puts work behind everything of its stream: its order, or `None` without that stream.
    #[inline]
    pub(super) fn push(&mut self, stream: StreamId, work: CapturedWork<T>) -> Option<u64> {
        let lane = self.lanes.get_mut(stream.index())?;
        let order = self.next;
        self.next = order.saturating_add(1);
        if lane.front().is_none() {
            self.firsts.older(stream, order);
        }
        let killed = if work.idempotent.may_be_killed() { LaunchMarks::MAY_BE_KILLED } else { 0 };
        let marks = LaunchMarks(killed | if work.tests_flag { LaunchMarks::TESTS_FLAG } else { 0 });
        append(&mut lane.fresh, WaitingLaunch { payload: work.payload, order, kills: 0, marks });
        self.waiting += 1;
        Some(order)
    }

    /// Removes the launch that was captured first.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<(StreamId, WaitingLaunch<T>)> {
        let stream = StreamId(self.firsts.first()?.stream);
        let lane = self.lanes.get_mut(stream.index())?;
        let (work, front) = lane.pop()?;
        self.firsts.gone(stream, front);
        self.waiting -= 1;
        Some((stream, work))
    }

    /// Puts work back at its place at the head of its stream (A1): nothing that was captured later
    /// stands before it.
    pub(super) fn put_back(&mut self, stream: StreamId, work: WaitingLaunch<T>) {
        let Some(lane) = self.lanes.get_mut(stream.index()) else { return };
        self.waiting += 1;
        let order = work.order;
        let later = |other: &WaitingLaunch<T>| other.order > order;
        if !lane.back.back().is_some_and(later) {
            // Most come back in order.
            let first = lane.back.is_empty();
            append(&mut lane.back, work);
            if first {
                self.firsts.older(stream, order);
            }
            return;
        }
        // As many are there as the window holds, at most.
        let before = lane.back.partition_point(|other| !later(other));
        if lane.back.len() == lane.back.capacity() {
            grow(&mut lane.back);
        }
        lane.back.insert(before, work);
        if before == 0 {
            self.firsts.older(stream, order);
        }
    }

    /// The order of the launch that was captured first.
    pub(super) fn oldest(&self) -> Option<u64> {
        self.firsts.first().map(|first| first.order)
    }
}

/// The first launch of each stream in a tournament tree: the root at 1, the leaves in the second half,
/// nodes 2n and 2n + 1 side by side.
#[derive(Clone, Debug)]
struct OldestTree(Vec<[OldestLaunch; 2]>);

/// The order of the oldest waiting launch of some streams, and its stream.
#[derive(Clone, Copy, Debug)]
struct OldestLaunch {
    order: u64,
    stream: u32,
}

impl OldestLaunch {
    /// Nothing waits.
    const NONE: Self = Self { order: u64::MAX, stream: 0 };
}

impl OldestTree {
    fn of(fronts: impl ExactSizeIterator<Item = Option<u64>>) -> Self {
        let leaves = fronts.len().next_power_of_two();
        let mut firsts = Self(vec![[OldestLaunch::NONE; 2]; leaves]);
        // As many streams as ids.
        for (stream, front) in (0..).zip(fronts) {
            front.into_iter().for_each(|order| firsts.older(StreamId(stream), order));
        }
        firsts
    }

    const fn leaves(&self) -> usize {
        self.0.len()
    }

    /// A stream has a first launch older than before, or its first one.
    #[inline]
    fn older(&mut self, stream: StreamId, order: u64) {
        let mut at = self.leaves() + stream.index();
        while at > 0
            && let Some(pair) = self.0.get_mut(at / 2)
            && order < pair[at % 2].order
        {
            pair[at % 2] = OldestLaunch { order, stream: stream.0 };
            at /= 2;
        }
    }

    /// The first launch of a stream has gone; `front` is the order of the next one.
    #[inline]
    fn gone(&mut self, stream: StreamId, front: Option<u64>) {
        let mut at = self.leaves() + stream.index();
        let mut first = OldestLaunch { order: front.unwrap_or(u64::MAX), stream: stream.0 };
        while let Some(pair) = self.0.get_mut(at / 2) {
            pair[at % 2] = first;
            if at <= 1 {
                return;
            }
            let other = pair[1 - at % 2];
            if other.order < first.order {
                first = other;
            }
            at /= 2;
        }
    }

    /// The oldest of all.
    #[inline]
    fn first(&self) -> Option<OldestLaunch> {
        let [_, root] = self.0.first()?;
        (root.order != u64::MAX).then_some(*root)
    }
}
