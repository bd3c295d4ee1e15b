//! Which launches wait in one stream of a process?
//!
//! A stream has two queues: new launches, and launches that have come back. Their memory is kept
//! until the process leaves, so nothing is allocated in steady state.

use alloc::collections::{BTreeSet, VecDeque};

use super::waiting::{MOST_BYTES, WaitingLaunch};

#[inline]
fn append<T>(queue: &mut VecDeque<WaitingLaunch<T>>, work: WaitingLaunch<T>) {
    if queue.len() == queue.capacity() {
        grow(queue);
    }
    queue.push_back(work);
}

/// Enlarges a full queue, usually by a quarter of its length; by less where a quarter would take
/// more than [`MOST_BYTES`] per launch besides payloads (the host's data), but at least by a
/// sixteenth. A sixteenth breaks that limit for payloads of more than 752 bytes.
#[cold]
fn grow<T>(queue: &mut VecDeque<WaitingLaunch<T>>) {
    let len = queue.len();
    let bytes = (len + 1).saturating_mul(size_of::<T>() + MOST_BYTES);
    let most = (bytes / size_of::<WaitingLaunch<T>>()).saturating_sub(len);
    let more = most.clamp(len / 16, len / 4).max(1);
    queue.reserve_exact(more);
}

/// Hold on a stream: launches with the order of capture `from` or a larger one are not submitted.
/// The order of capture is a launch's number among the captured work of its process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Hold {
    pub(super) from: u64,
    /// True where the stream is held until an awaited launch has finished; false where it is held
    /// until the host releases it.
    pub(super) is_wait: bool,
}

/// Waiting launches of one stream, in the order in which they were captured. Launches that came
/// back (exited or killed) come before new ones, since they were captured earlier.
#[derive(Clone, Debug)]
pub(super) struct StreamQueue<T> {
    back: VecDeque<WaitingLaunch<T>>,
    fresh: VecDeque<WaitingLaunch<T>>,
    /// Lowest order of capture (number among the captured work of the process) from which on
    /// launches are held back from submission; `u64::MAX` where none is.
    held_from: u64,
    holds: BTreeSet<Hold>,
    /// True where the stream was closed: no further launch is captured in it.
    pub(super) is_closed: bool,
    /// True where the stream was closed and no launch of it is left, so that its id is free.
    pub(super) is_gone: bool,
}

impl<T> Default for StreamQueue<T> {
    fn default() -> Self {
        Self {
            back: VecDeque::new(),
            fresh: VecDeque::new(),
            held_from: u64::MAX,
            holds: BTreeSet::new(),
            is_closed: false,
            is_gone: false,
        }
    }
}

impl<T> StreamQueue<T> {
    /// Returns the order of capture (number among all captured work of the process) of the first
    /// waiting launch; `None` where no launch waits.
    pub(super) fn first(&self) -> Option<u64> {
        self.back.front().or_else(|| self.fresh.front()).map(|front| front.order)
    }

    /// Returns the order of capture (number among all captured work of the process) of the first
    /// waiting launch; `None` where no launch waits, or the first one is held back from submission.
    pub(super) fn front(&self) -> Option<u64> {
        self.first().filter(|&order| order < self.held_from)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.back.is_empty() && self.fresh.is_empty()
    }

    /// Puts a launch at the end of the queue. Returns whether it is the first launch of the queue
    /// and may be submitted.
    #[inline]
    pub(super) fn append(&mut self, work: WaitingLaunch<T>) -> bool {
        let first = self.is_empty() && work.order < self.held_from;
        append(&mut self.fresh, work);
        first
    }

    /// Removes the first waiting launch; `None` where no launch waits. Returns (the launch, order
    /// of capture (number among the captured work of the process) of the next launch in the queue).
    /// The second part is `None` where no next launch waits or may be submitted.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<(WaitingLaunch<T>, Option<u64>)> {
        let work = match self.back.pop_front() {
            Some(work) => work,
            None => self.fresh.pop_front()?,
        };
        Some((work, self.front()))
    }

    /// Inserts a launch that came back (exited or killed) among the waiting launches, before those
    /// that were captured later.
    pub(super) fn put_back(&mut self, work: WaitingLaunch<T>) {
        let order = work.order;
        let later = |other: &WaitingLaunch<T>| other.order > order;
        if !self.back.back().is_some_and(later) {
            // Most launches come back in order.
            return append(&mut self.back, work);
        }
        // The queue has at most as many launches as the window holds, so the search and the
        // insertion are cheap.
        let before = self.back.partition_point(|other| !later(other));
        if self.back.len() == self.back.capacity() {
            grow(&mut self.back);
        }
        self.back.insert(before, work);
    }

    /// Returns whether the launch with the order of capture `order` (number among the captured work
    /// of the process) waits in the stream.
    pub(super) fn has(&self, order: u64) -> bool {
        let has = |queue: &VecDeque<WaitingLaunch<T>>| {
            queue.binary_search_by_key(&order, |work| work.order).is_ok()
        };
        has(&self.back) || has(&self.fresh)
    }

    /// Adds a hold to the stream: from the order of capture (number among the captured work of the
    /// process) in `hold` on, no launch is submitted. Returns whether this hold is new.
    pub(super) fn hold(&mut self, hold: Hold) -> bool {
        self.held_from = self.held_from.min(hold.from);
        self.holds.insert(hold)
    }

    /// Removes one hold from the stream, so that it no longer keeps launches back. Returns whether
    /// the stream had this hold.
    pub(super) fn unhold(&mut self, hold: Hold) -> bool {
        let there = self.holds.remove(&hold);
        self.held_from = self.holds.first().map_or(u64::MAX, |first| first.from);
        there
    }

    /// Removes all holds from the stream, so that all its launches may be submitted. Returns the
    /// number of holds removed.
    pub(super) fn clear_holds(&mut self) -> usize {
        self.held_from = u64::MAX;
        core::mem::take(&mut self.holds).len()
    }

    /// Returns (order of capture, payload) of every waiting launch, the first launch first. The
    /// order of capture is a launch's number among all captured work of its process, the payload
    /// the host's data.
    pub(super) fn into_payloads(self) -> impl Iterator<Item = (u64, T)> {
        self.back.into_iter().chain(self.fresh).map(|work| (work.order, work.payload))
    }
}
