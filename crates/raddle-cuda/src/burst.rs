//! When have the launches of a gate ended?
//!
//! A *burst* is what the controller's client knows as one launch: a few launches of the program
//! that went through the gate one behind the other. The library records an event behind each of
//! them in its stream; of the events of one stream only the last is awaited.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use raddle_policy::StreamId;
use raddle_preempt::{Abilities, Declared, LaunchHandle, ResetScope, Runtime, SubmitCall};
use smallvec::SmallVec;

use crate::driver::call;
use crate::names::slot;

/// Result of querying a CUDA event whose work has not ended (`CUDA_ERROR_NOT_READY`).
const NOT_READY: i32 = 600;
/// Flag for a CUDA event that records no times, the cheapest kind (`CU_EVENT_DISABLE_TIMING`).
const NO_TIMES: usize = 2;

/// Number of threads that wait until the program has the turn (may use the device), and the
/// condition on which they wait.
pub(crate) type Turn = (Mutex<u32>, Condvar);

/// Permit for a burst (a few launches that go to the driver one after the other), which the
/// controller that schedules this program grants once.
#[derive(Debug)]
pub(crate) struct Ticket {
    handle: OnceLock<LaunchHandle>,
    turn: Arc<Turn>,
}

impl Ticket {
    pub(crate) fn new(turn: &Arc<Turn>) -> Arc<Self> {
        Arc::new(Self { handle: OnceLock::new(), turn: Arc::clone(turn) })
    }

    /// Returns the handle under which the controller knows the burst (a few launches); `None` while
    /// the burst may not go to the driver yet.
    #[inline]
    pub(crate) fn handle(&self) -> Option<LaunchHandle> {
        self.handle.get().copied()
    }

    /// Blocks, for at most `at_most`, until the burst (a few launches) may go to the driver.
    pub(crate) fn wait(&self, at_most: Duration) {
        let mut waiting = self.turn.0.lock().unwrap_or_else(PoisonError::into_inner);
        if self.handle().is_none() {
            *waiting += 1;
            let woken = self.turn.1.wait_timeout(waiting, at_most);
            *woken.unwrap_or_else(PoisonError::into_inner).0 -= 1;
        }
    }
}

/// Runtime for the controller that schedules this program. It submits nothing itself: it only
/// permits threads of the program to pass their launches to the driver.
pub(crate) struct Admission;

impl Admission {
    /// Preemption abilities of this runtime: none, as launches leave the device only by running to
    /// their end.
    pub(crate) const DECLARED: Declared = Declared {
        abilities: Abilities::NONE,
        latched: false,
        withdraws: false,
        scope: ResetScope::Process,
    };
}

impl Runtime<Arc<Ticket>> for Admission {
    fn declared(&self) -> Declared {
        Self::DECLARED
    }

    fn submit(&mut self, handle: LaunchHandle, _: StreamId, ticket: Arc<Ticket>) -> SubmitCall {
        let waiting = ticket.turn.0.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = ticket.handle.set(handle);
        // To notify is a system call even where nobody waits.
        let is_awaited = *waiting > 0;
        drop(waiting);
        if is_awaited {
            ticket.turn.1.notify_all();
        }
        SubmitCall::Returned
    }
}

/// CUDA stream of a launch, as the program named it in the call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LaunchStream {
    /// Handle of the stream in the form that the driver's functions without `_ptsz` take: 0 is the
    /// default stream that all threads share.
    pub(crate) handle: usize,
}

impl LaunchStream {
    /// Handle of the default stream of the calling thread.
    const PER_THREAD: usize = 2;

    /// Returns the stream for a handle that the program passed to a driver function for which 0 is
    /// the default stream that all threads share.
    pub(crate) const fn legacy(handle: usize) -> Self {
        Self { handle }
    }

    /// Returns the stream for a handle that the program passed to a driver function for which 0 is
    /// the default stream of the calling thread.
    pub(crate) const fn per_thread(handle: usize) -> Self {
        Self { handle: if handle == 0 { Self::PER_THREAD } else { handle } }
    }

    /// Returns the key of the stream for launches of this thread: for the thread's default stream
    /// it has the thread's number.
    #[inline]
    pub(crate) fn key(self) -> StreamKey {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        thread_local! {
            static NUMBER: Cell<u64> = const { Cell::new(0) };
        }
        if self.handle != Self::PER_THREAD {
            return StreamKey { stream: self.handle, thread: 0 };
        }
        if NUMBER.get() == 0 {
            NUMBER.set(NEXT.fetch_add(1, Ordering::Relaxed));
        }
        StreamKey { stream: self.handle, thread: NUMBER.get() }
    }
}

/// Key of a stream with launches: the stream's handle, and for the default stream of a thread the
/// number of the thread, from 1; else 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StreamKey {
    pub(crate) stream: usize,
    pub(crate) thread: u64,
}

/// CUDA event recorded behind the last launch of a burst (a few launches) in one stream: when the
/// event is over, these launches have ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    pub(crate) context: usize,
    /// Key of the stream in which the event is recorded; `None` where the program has destroyed the
    /// stream.
    pub(crate) key: Option<StreamKey>,
    pub(crate) event: usize,
    /// Number of launches in this stream for which the event stands, as they count in the window
    /// (the most launches in the driver at a time). A graph counts as several.
    pub(crate) room: u32,
}

#[derive(Debug)]
pub(crate) struct Burst {
    pub(crate) ticket: Arc<Ticket>,
    /// Stream id under which the controller that schedules the program knows this burst (a few
    /// launches); no other burst has it at the same time.
    pub(crate) lane: StreamId,
    pub(crate) number: u64,
    /// Number of launches that may still go to the driver as a part of this burst.
    pub(crate) left: u32,
    /// True if at least one launch has gone to the driver as a part of this burst.
    pub(crate) is_used: bool,
    /// Number of threads that are inside the driver's call for a launch of this burst now.
    pub(crate) inside: u32,
    pub(crate) marks: SmallVec<[Mark; 2]>,
}

/// Unused CUDA events of this library, each as (context, event), for later bursts of launches.
#[derive(Debug, Default)]
pub(crate) struct SpareEvents(Vec<(usize, usize)>);

impl SpareEvents {
    /// Records an event of the current context behind a launch in the stream `key`, and adds it to
    /// the burst's marks (one event for each stream), by which the end of the launch is seen. The
    /// launch counts as `room` launches in the window (the most in the driver at a time). Returns
    /// false where the driver refuses.
    pub(crate) fn record(
        &mut self,
        burst: &mut Burst,
        context: usize,
        key: StreamKey,
        room: u32,
    ) -> bool {
        // SAFETY: the event is one of the library in this context; the program has just launched in the stream.
        let record = |event| unsafe { call(&slot::cuEventRecord, [event, key.stream]) } == 0;
        let of_stream = |mark: &&mut Mark| mark.context == context && mark.key == Some(key);
        if let Some(known) = burst.marks.iter_mut().find(of_stream) {
            let is_recorded = record(known.event);
            known.room += if is_recorded { room } else { 0 };
            return is_recorded;
        }
        let Some(event) = self.take(context) else { return false };
        if record(event) {
            burst.marks.push(Mark { context, key: Some(key), event, room });
            return true;
        }
        self.0.push((context, event));
        false
    }

    fn take(&mut self, context: usize) -> Option<usize> {
        if let Some(at) = self.0.iter().rposition(|(of, _)| *of == context) {
            return Some(self.0.swap_remove(at).1);
        }
        let _relaxed = crate::driver::Relaxed::begin();
        let mut event = 0_usize;
        // SAFETY: the place is one for a handle.
        let result =
            unsafe { call(&slot::cuEventCreate, [(&raw mut event).expose_provenance(), NO_TIMES]) };
        (result == 0).then_some(event)
    }

    /// Returns whether the event of a mark is over, so that its launches have ended; true also
    /// after an error of the device. An event that is over is kept for a later burst of launches.
    /// `current` is the current context of this thread.
    pub(crate) fn is_over(&mut self, mark: &Mark, current: usize) -> bool {
        let elsewhere = mark.context != current;
        // SAFETY: the context exists, as the library forgets one that is destroyed; so does its event.
        let result = unsafe {
            if elsewhere {
                let _ = call(&slot::cuCtxPushCurrent_v2, [mark.context]);
            }
            let result = call(&slot::cuEventQuery, [mark.event]);
            if elsewhere {
                let mut popped = 0_usize;
                let place = (&raw mut popped).expose_provenance();
                let _ = call(&slot::cuCtxPopCurrent_v2, [place]);
            }
            result
        };
        if result == 0 {
            self.0.push((mark.context, mark.event));
        }
        // After an error of the device nothing of this context runs any more.
        result != NOT_READY
    }

    /// Removes the unused events of a context that the program destroys; `None` stands for all
    /// contexts.
    pub(crate) fn forget(&mut self, context: Option<usize>) {
        self.0.retain(|(of, _)| context.is_some_and(|context| context != *of));
    }
}
