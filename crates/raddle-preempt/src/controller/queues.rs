//! What waits to be submitted, and what is next?
//!
//! One buffer queue a stream. What was captured first is submitted first, over all streams: then a
//! launch that waits for one of another stream, captured before it, never fills the window in vain.

use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;

use raddle_types::StreamId;

use super::answers::Work;

/// A launch in a buffer queue: 16 bytes beside the payload.
#[derive(Clone, Debug)]
pub(super) struct Waiting<T> {
    pub(super) payload: T,
    /// When it was captured.
    pub(super) order: u64,
    pub(super) kills: u32,
    marks: Marks,
}

/// Two truths in a word: apart, they would be copied byte by byte with every launch, which takes half
/// the time of a submission.
#[derive(Clone, Copy, Debug)]
struct Marks(u32);

impl Marks {
    const MAY_BE_KILLED: u32 = 1;
    const TESTS_FLAG: u32 = 2;
}

impl<T> Waiting<T> {
    /// Whether its verdict allows to kill it.
    pub(super) const fn may_be_killed(&self) -> bool {
        self.marks.0 & Marks::MAY_BE_KILLED != 0
    }

    /// Whether it leaves where the flag is raised for it.
    pub(super) const fn tests_flag(&self) -> bool {
        self.marks.0 & Marks::TESTS_FLAG != 0
    }
}

/// What a waiting launch takes beside the caller's payload, in bytes, at most.
const MOST_BYTES: usize = 64;
const _: () = assert!(size_of::<Waiting<()>>() <= MOST_BYTES);
const _: () = assert!(size_of::<Waiting<[u64; 4]>>() <= 32 + MOST_BYTES);

/// What waits of one stream: ascending in order, and what has come back before the rest, as it was
/// submitted before the rest was.
#[derive(Clone, Debug)]
struct Lane<T> {
    back: VecDeque<Waiting<T>>,
    fresh: VecDeque<Waiting<T>>,
}

impl<T> Lane<T> {
    fn front(&self) -> Option<u64> {
        self.back.front().or_else(|| self.fresh.front()).map(|front| front.order)
    }

    fn pop(&mut self) -> Option<Waiting<T>> {
        self.back.pop_front().or_else(|| self.fresh.pop_front())
    }
}

#[derive(Clone, Debug)]
pub(super) struct Queues<T> {
    /// By stream.
    lanes: Vec<Lane<T>>,
    firsts: Firsts,
    waiting: usize,
    next: u64,
}

impl<T> Queues<T> {
    /// Empty ones, whose first launch has this order.
    pub(super) const fn new(next: u64) -> Self {
        Self { lanes: Vec::new(), firsts: Firsts(Vec::new()), waiting: 0, next }
    }

    pub(super) const fn next_order(&self) -> u64 {
        self.next
    }

    pub(super) const fn len(&self) -> usize {
        self.waiting
    }

    /// One more stream; `None` if there are as many as ids.
    pub(super) fn open(&mut self) -> Option<StreamId> {
        let id = StreamId(u32::try_from(self.lanes.len()).ok()?);
        self.lanes.push(Lane { back: VecDeque::new(), fresh: VecDeque::new() });
        if self.lanes.len() > self.firsts.leaves() {
            self.firsts = Firsts::of(self.lanes.iter().map(Lane::front));
        }
        Some(id)
    }

    /// Puts work behind everything of its stream; when it was captured, or `None` without stream.
    #[inline]
    pub(super) fn push(&mut self, stream: StreamId, work: Work<T>) -> Option<u64> {
        let lane = self.lanes.get_mut(stream.index())?;
        let order = self.next;
        self.next = order.saturating_add(1);
        if lane.front().is_none() {
            self.firsts.set(stream.index(), Some(order));
        }
        let killed = if work.idempotent.may_be_killed() { Marks::MAY_BE_KILLED } else { 0 };
        let marks = Marks(killed | if work.tests_flag { Marks::TESTS_FLAG } else { 0 });
        lane.fresh.push_back(Waiting { payload: work.payload, order, kills: 0, marks });
        self.waiting += 1;
        Some(order)
    }

    /// Takes out what was captured first.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<(StreamId, Waiting<T>)> {
        let stream = self.firsts.first()?;
        let lane = self.lanes.get_mut(stream)?;
        let work = lane.pop()?;
        self.firsts.set(stream, lane.front());
        self.waiting -= 1;
        // As many streams as ids.
        Some((StreamId(stream as u32), work))
    }

    /// Puts work back at its place at the head of its stream (A1): nothing that was captured later
    /// stands before it.
    pub(super) fn put_back(&mut self, stream: StreamId, work: Waiting<T>) {
        let Some(lane) = self.lanes.get_mut(stream.index()) else { return };
        // Most come back in order; as many are there as the window holds, at most.
        let later = lane.back.iter().rev().take_while(|other| other.order > work.order).count();
        lane.back.insert(lane.back.len() - later, work);
        self.firsts.set(stream.index(), lane.front());
        self.waiting += 1;
    }

    /// The oldest that waits.
    pub(super) fn oldest(&self) -> Option<u64> {
        self.firsts.least()
    }
}

/// The first order of each stream, and the least of each pair, each four, and so on: a tree whose
/// root is at 1 and whose leaves are its second half.
#[derive(Clone, Debug)]
struct Firsts(Vec<u64>);

/// The order of a stream in which nothing waits.
const NONE: u64 = u64::MAX;

impl Firsts {
    fn of(fronts: impl ExactSizeIterator<Item = Option<u64>>) -> Self {
        let leaves = fronts.len().next_power_of_two();
        let mut firsts = Self(vec![NONE; 2 * leaves]);
        fronts.enumerate().for_each(|(stream, front)| firsts.set(stream, front));
        firsts
    }

    /// The least of all.
    fn least(&self) -> Option<u64> {
        self.0.get(1).copied().filter(|&order| order != NONE)
    }

    const fn leaves(&self) -> usize {
        self.0.len() / 2
    }

    #[inline]
    fn set(&mut self, stream: usize, front: Option<u64>) {
        let leaves = self.leaves();
        let tree = &mut self.0;
        let mut at = leaves + stream;
        let mut least = front.unwrap_or(NONE);
        while let Some(place) = tree.get_mut(at) {
            if *place == least {
                return;
            }
            *place = least;
            least = least.min(tree[at ^ 1]);
            at /= 2;
            if at == 0 {
                return;
            }
        }
    }

    /// The stream in which the oldest waits.
    #[inline]
    fn first(&self) -> Option<usize> {
        let (tree, leaves) = (&self.0, self.leaves());
        let least = *tree.get(1)?;
        if least == NONE {
            return None;
        }
        let mut at = 1;
        while at < leaves {
            at = 2 * at + usize::from(tree[2 * at] != least);
        }
        Some(at - leaves)
    }
}
