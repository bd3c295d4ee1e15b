//! Which launches of a process wait to be submitted, and which is next?
//!
//! Each stream has a buffer queue. The launch that was captured first is submitted first, over all
//! streams: so a launch that waits for an earlier one of another stream never fills the window in
//! vain. A stream that is held from an order of capture (number of a launch) on submits nothing
//! from there.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use raddle_policy::StreamId;

use super::lane::{Hold, StreamQueue};
use super::oldest::OldestTree;
use super::waiting::WaitingLaunch;
use super::work::{CapturedWork, WorkKind};

/// Wait of a stream for the end of a launch, as (order of capture of the awaited launch, number of
/// the waiting stream, order of capture from which on launches of that stream wait). The order of
/// capture is a launch's number among the captured work of its process.
type Awaited = (u64, u32, u64);

#[derive(Clone, Debug)]
pub(super) struct Queues<T> {
    /// Queue of each stream; the index is the id of the stream.
    lanes: Vec<StreamQueue<T>>,
    /// Ids of closed streams without launches, which new streams reuse.
    closed: BTreeSet<u32>,
    awaited: BTreeSet<Awaited>,
    oldest: OldestTree,
    waiting: usize,
    /// Number of holds (reasons that keep launches of a stream from submission) in all streams
    /// together.
    holds: usize,
    next: u64,
}

impl<T> Queues<T> {
    /// Returns empty queues; the first captured launch gets the order of capture (number among the
    /// captured work of the process) `next`.
    pub(super) const fn new(next: u64) -> Self {
        Self {
            lanes: Vec::new(),
            closed: BTreeSet::new(),
            awaited: BTreeSet::new(),
            oldest: OldestTree::new(),
            waiting: 0,
            holds: 0,
            next,
        }
    }

    pub(super) const fn next_order(&self) -> u64 {
        self.next
    }

    pub(super) const fn len(&self) -> usize {
        self.waiting
    }

    /// Returns whether any waiting launch may be submitted now.
    #[inline]
    pub(super) fn is_ready(&self) -> bool {
        self.oldest.first().is_some()
    }

    /// Returns the queue of an open stream, or of a closed stream that has launches left; `None`
    /// otherwise.
    pub(super) fn lane(&self, stream: StreamId) -> Option<&StreamQueue<T>> {
        self.lanes.get(stream.index()).filter(|lane| !lane.is_gone)
    }

    fn lane_mut(&mut self, stream: StreamId) -> Option<&mut StreamQueue<T>> {
        self.lanes.get_mut(stream.index()).filter(|lane| !lane.is_gone)
    }

    /// Adds a stream of the process and returns the stream's id; `None` if all ids are in use.
    pub(super) fn open(&mut self) -> Option<StreamId> {
        if let Some(id) = self.closed.pop_first() {
            let lane = self.lanes.get_mut(id as usize)?;
            (lane.is_gone, lane.is_closed) = (false, false);
            return Some(StreamId(id));
        }
        let id = StreamId(u32::try_from(self.lanes.len()).ok()?);
        self.lanes.push(StreamQueue::default());
        if self.lanes.len() > self.oldest.leaves() {
            self.oldest = OldestTree::of(self.lanes.iter().map(StreamQueue::front));
        }
        Some(id)
    }

    /// Closes a stream, which then accepts no more launches. Returns whether the stream was open.
    pub(super) fn close(&mut self, stream: StreamId) -> bool {
        let open = |lane: &&mut StreamQueue<T>| !lane.is_closed;
        self.lane_mut(stream).filter(open).map(|lane| lane.is_closed = true).is_some()
    }

    /// Frees the id of a stream if the stream was closed and none of its launches waits. The caller
    /// makes sure that no launch of the stream is in the runtime.
    pub(super) fn forget(&mut self, stream: StreamId) {
        let Some(lane) = self.lane_mut(stream) else { return };
        if !lane.is_closed || !lane.is_empty() {
            return;
        }
        lane.is_gone = true;
        self.holds -= lane.clear_holds();
        self.awaited.retain(|&(_, other, _)| other != stream.0);
        self.closed.insert(stream.0);
    }

    /// Appends captured work to its stream. Returns the order of capture of the work (its number
    /// among the captured work of the process); `None` if the stream is not open. If the work waits
    /// for other work that has not finished (`reached` is false), it is held back, with all that
    /// follows in the stream.
    #[inline]
    pub(super) fn push(
        &mut self,
        stream: StreamId,
        work: CapturedWork<T>,
        reached: bool,
    ) -> Option<u64> {
        let order = self.next;
        let lane = self.lanes.get_mut(stream.index()).filter(|lane| !lane.is_closed)?;
        self.next = order.saturating_add(1);
        if let WorkKind::Wait { order: awaited, .. } = work.kind
            && !reached
        {
            self.holds += usize::from(lane.hold(Hold { from: order, is_wait: true }));
            self.awaited.insert((awaited.0, stream.0, order));
        }
        if lane.append(WaitingLaunch::new(work, order)) {
            self.oldest.older(stream, order);
        }
        self.waiting += 1;
        Some(order)
    }

    /// Removes a waiting launch and returns (its stream, the launch): of those that may be
    /// submitted, the one that was captured (issued by the host) first. `None` where none may be
    /// submitted.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<(StreamId, WaitingLaunch<T>)> {
        let stream = StreamId(self.oldest.first()?.stream);
        let lane = self.lanes.get_mut(stream.index())?;
        let (work, front) = lane.pop()?;
        self.oldest.set(stream, front);
        self.waiting -= 1;
        Some((stream, work))
    }

    /// Puts work that has left the runtime back among the waiting work of its stream (seed 001,
    /// A1), before all work that was captured later.
    pub(super) fn put_back(&mut self, stream: StreamId, work: WaitingLaunch<T>) {
        let Some(lane) = self.lanes.get_mut(stream.index()) else { return };
        lane.put_back(work);
        let front = lane.front();
        self.oldest.set(stream, front);
        self.waiting += 1;
    }

    /// Holds back the launches of a stream that were captured from the order `from` on. Returns
    /// whether the stream exists.
    pub(super) fn hold(&mut self, stream: StreamId, from: u64) -> bool {
        let Some(lane) = self.lane_mut(stream) else { return false };
        let added = lane.hold(Hold { from, is_wait: false });
        let front = lane.front();
        self.holds += usize::from(added);
        self.oldest.set(stream, front);
        true
    }

    /// Removes the host's hold that keeps the launches of a stream from being submitted, from the
    /// launch with the number `from` (counted over the captured work of the process) and after it.
    /// Returns whether the stream had a hold that began at this number.
    pub(super) fn release(&mut self, stream: StreamId, from: u64) -> bool {
        self.unhold(stream, Hold { from, is_wait: false })
    }

    fn unhold(&mut self, stream: StreamId, hold: Hold) -> bool {
        let Some(lane) = self.lane_mut(stream) else { return false };
        let there = lane.unhold(hold);
        let front = lane.front();
        self.holds -= usize::from(there);
        self.oldest.set(stream, front);
        there
    }

    /// Ends the waits of streams for the launch with the order of capture `order` (number among the
    /// captured work of the process), which has finished or never will; the launches that waited
    /// for it may be submitted.
    #[inline]
    pub(super) fn finished(&mut self, order: u64) {
        if !self.awaited.is_empty() {
            self.let_go(order);
        }
    }

    fn let_go(&mut self, order: u64) {
        while let Some(&(awaited, stream, from)) = self.awaited.range((order, 0, 0)..).next()
            && awaited == order
        {
            self.awaited.remove(&(awaited, stream, from));
            self.unhold(StreamId(stream), Hold { from, is_wait: true });
        }
    }

    /// Returns whether the launch with the order of capture `order` (number among the captured work
    /// of the process) waits in the stream `stream`.
    pub(super) fn holds_order(&self, stream: StreamId, order: u64) -> bool {
        self.lane(stream).is_some_and(|lane| lane.has(order))
    }

    /// Returns the order of capture (number among the captured work of the process) of the waiting
    /// launch that was captured first, even if the host holds it back; `None` where no launch
    /// waits.
    pub(super) fn first(&self) -> Option<u64> {
        if self.holds == 0 {
            return self.oldest.first().map(|first| first.order);
        }
        self.lanes.iter().filter_map(StreamQueue::first).min()
    }

    /// Returns (order of capture, payload) of every waiting launch, stream by stream, in each
    /// stream in the order of capture. The order of capture is the launch's number among the
    /// captured work of the process, the payload the host's own data.
    pub(super) fn into_payloads(self) -> impl Iterator<Item = (u64, T)> {
        self.lanes.into_iter().flat_map(StreamQueue::into_payloads)
    }
}
