//! What waits to be submitted, and what is next?
//!
//! One buffer queue a stream. What was captured first is submitted first, over all streams: then a
//! launch that waits for one of another stream, captured before it, never fills the window in vain.

use alloc::collections::{BinaryHeap, VecDeque};
use alloc::vec::Vec;
use core::cmp::Reverse;

use raddle_types::{Idempotence, StreamId};

use super::answers::Work;

/// A launch in a buffer queue: 16 bytes beside the payload.
#[derive(Clone, Debug)]
pub(super) struct Waiting<T> {
    pub(super) payload: T,
    /// When it was captured.
    pub(super) order: u64,
    pub(super) kills: u32,
    pub(super) idempotent: Idempotence,
    pub(super) tests_flag: bool,
}

/// What a waiting launch takes beside the caller's payload, in bytes, at most.
const MOST_BYTES: usize = 64;
const _: () = assert!(size_of::<Waiting<()>>() <= MOST_BYTES);
const _: () = assert!(size_of::<Waiting<[u64; 4]>>() <= 32 + MOST_BYTES);

#[derive(Clone, Debug)]
pub(super) struct Queues<T> {
    /// By stream, each ascending in order.
    buffers: Vec<VecDeque<Waiting<T>>>,
    /// The first order of each queue that is not empty; entries that have become untrue are dropped
    /// when they come up.
    heads: BinaryHeap<Reverse<(u64, u32)>>,
    waiting: usize,
    next: u64,
}

impl<T> Queues<T> {
    pub(super) const fn new() -> Self {
        Self { buffers: Vec::new(), heads: BinaryHeap::new(), waiting: 0, next: 0 }
    }

    pub(super) const fn len(&self) -> usize {
        self.waiting
    }

    /// One more stream; `None` if there are as many as ids.
    pub(super) fn open(&mut self) -> Option<StreamId> {
        let id = StreamId(u32::try_from(self.buffers.len()).ok()?);
        self.buffers.push(VecDeque::new());
        Some(id)
    }

    /// Puts work behind everything of its stream; when it was captured, or `None` without stream.
    pub(super) fn push(&mut self, stream: StreamId, work: Work<T>) -> Option<u64> {
        let buffer = self.buffers.get_mut(stream.index())?;
        let order = self.next;
        self.next = order.saturating_add(1);
        if buffer.is_empty() {
            self.heads.push(Reverse((order, stream.0)));
        }
        let Work { payload, idempotent, tests_flag } = work;
        buffer.push_back(Waiting { payload, order, kills: 0, idempotent, tests_flag });
        self.waiting += 1;
        Some(order)
    }

    /// Takes out what was captured first.
    pub(super) fn pop(&mut self) -> Option<(StreamId, Waiting<T>)> {
        while let Some(Reverse((order, stream))) = self.heads.pop() {
            let Some(buffer) = self.buffers.get_mut(stream as usize) else { continue };
            if buffer.front().is_none_or(|front| front.order != order) {
                continue;
            }
            let Some(work) = buffer.pop_front() else { continue };
            if let Some(front) = buffer.front() {
                self.heads.push(Reverse((front.order, stream)));
            }
            self.waiting -= 1;
            return Some((StreamId(stream), work));
        }
        None
    }

    /// Puts work back at its place among the first of its stream (A1): nothing that was captured
    /// later stands before it.
    pub(super) fn put_back(&mut self, stream: StreamId, work: Waiting<T>) {
        let Some(buffer) = self.buffers.get_mut(stream.index()) else { return };
        // As many at most as the window holds were captured before it and came back before it.
        let at = buffer.iter().take_while(|other| other.order < work.order).count();
        if at == 0 {
            self.heads.push(Reverse((work.order, stream.0)));
        }
        buffer.insert(at, work);
        self.waiting += 1;
    }

    /// The oldest that waits.
    pub(super) fn oldest(&self) -> Option<u64> {
        self.buffers.iter().filter_map(|buffer| buffer.front()).map(|front| front.order).min()
    }
}
