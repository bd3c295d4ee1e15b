//! How does a command of a lane wait for events other than those of earlier commands of the lane?
//!
//! Examples are user events, events of queues without a lane, and those of other lanes. A launch
//! that waited for them in the runtime would fill the window and delay the end of a preemption; and
//! one that waited there for a command of the layer, whose event ends only when the command's work
//! is done, would never leave. So the launch waits in its lane.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};

use opencl_sys::{
    CL_COMPLETE, CL_EVENT_CONTEXT, CL_INVALID_CONTEXT, CL_INVALID_EVENT,
    CL_INVALID_EVENT_WAIT_LIST, cl_context, cl_event, cl_int, cl_uint,
};
use raddle_policy::StreamId;
use raddle_preempt::CaptureOrder;

use crate::native::{NativeHandle, asked, native};
use crate::watch::{status, watch};

use super::{AwaitedEvent, DeviceLanes, EventGate, LaneCommand};

impl AwaitedEvent {
    fn of(event: cl_event) -> Self {
        LaneCommand::of(event).map_or(Self::Native(NativeHandle(event)), Self::Command)
    }

    /// Returns the OpenCL context of the event that a command waits for; the error is the code of
    /// an invalid event.
    pub(crate) fn context(&self) -> Result<cl_context, cl_int> {
        match self {
            Self::Command(command) => Ok(command.lane.context.0),
            Self::Native(event) => asked(|size, value| {
                let null = std::ptr::null_mut();
                native!(clGetEventInfo(event.0, CL_EVENT_CONTEXT, size, value, null))
            })
            .ok_or(CL_INVALID_EVENT),
        }
    }
}

/// Returns the events of an OpenCL wait list (the events that a command waits for).
///
/// # Errors
/// The OpenCL error code for a wait list that is not valid.
pub(crate) fn wait_list(
    count: cl_uint,
    list: *const cl_event,
) -> Result<Vec<AwaitedEvent>, cl_int> {
    if (count == 0) != list.is_null() {
        return Err(CL_INVALID_EVENT_WAIT_LIST);
    }
    if count == 0 {
        return Ok(Vec::new());
    }
    // SAFETY: the program vouches for `count` events in the list.
    let events = unsafe { std::slice::from_raw_parts(list, count as usize) };
    let known = |&event: &cl_event| {
        if event.is_null() { Err(CL_INVALID_EVENT_WAIT_LIST) } else { Ok(AwaitedEvent::of(event)) }
    };
    events.iter().map(known).collect()
}

/// Checks that all awaited events belong to the OpenCL context `context`.
///
/// # Errors
/// The OpenCL error code for a wait list with an event of another context.
pub(crate) fn of_context(awaited: &[AwaitedEvent], context: cl_context) -> Result<(), cl_int> {
    for one in awaited {
        match one.context() {
            Ok(other) if other == context => {}
            Ok(_) => return Err(CL_INVALID_CONTEXT),
            Err(_) => return Err(CL_INVALID_EVENT_WAIT_LIST),
        }
    }
    Ok(())
}

/// Wait list that is passed to the runtime: each event of the layer in it is replaced by an event
/// of the runtime that completes with the same command.
pub(crate) struct Natives {
    events: Vec<cl_event>,
    made: Vec<NativeHandle>,
}

impl Natives {
    pub(crate) fn of(awaited: &[AwaitedEvent]) -> Self {
        let mut natives = Self { events: Vec::with_capacity(awaited.len()), made: Vec::new() };
        for one in awaited {
            match one {
                AwaitedEvent::Native(event) => natives.events.push(event.0),
                AwaitedEvent::Command(command) => {
                    if let Some(event) = command.complete_event() {
                        natives.events.push(event.0);
                        natives.made.push(event);
                    }
                }
            }
        }
        natives
    }

    pub(crate) fn count(&self) -> cl_uint {
        cl_uint::try_from(self.events.len()).unwrap_or(cl_uint::MAX)
    }

    pub(crate) fn list(&self) -> *const cl_event {
        if self.events.is_empty() { std::ptr::null() } else { self.events.as_ptr() }
    }
}

impl Drop for Natives {
    fn drop(&mut self) {
        for event in &self.made {
            let _ = native!(clReleaseEvent(event.0));
        }
    }
}

impl EventGate {
    /// Makes a gate that keeps a command waiting until all events in `awaited` have ended. The
    /// command has the number `order` in the order of capture of `stream`, whose work is held back
    /// from that number on already. `keep` stores the gate before the gate waits for any event.
    pub(crate) fn close(
        device: &Arc<DeviceLanes>,
        stream: StreamId,
        order: CaptureOrder,
        awaited: &[AwaitedEvent],
        keep: impl FnOnce(Arc<Self>),
    ) {
        let left = AtomicU32::new(1);
        let failed = AtomicI32::new(0);
        let gate = Arc::new(Self { device: Arc::clone(device), stream, order, left, failed });
        keep(Arc::clone(&gate));
        for one in awaited {
            gate.left.fetch_add(1, Ordering::Relaxed);
            match one {
                AwaitedEvent::Command(command) => {
                    if let Err(status) = command.opens(&gate) {
                        gate.passed(status);
                    }
                }
                AwaitedEvent::Native(event) => {
                    let there = Arc::clone(&gate);
                    if let Err(code) = watch(*event, move |status| there.passed(status)) {
                        gate.passed(code);
                    }
                }
            }
        }
        gate.passed(0);
    }

    /// Records that an awaited event has ended with the status `status`; after the last one the
    /// gate lets its command run.
    pub(crate) fn passed(&self, status: cl_int) {
        if status < 0 {
            self.failed.store(status, Ordering::Release);
        }
        if self.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            let _ = self.device.client.release(self.stream, self.order);
        }
    }

    /// Returns the status, below 0, with which an event that the gate waits for has failed; `None`
    /// where none has failed.
    pub(crate) fn failed(&self) -> Option<cl_int> {
        let status = self.failed.load(Ordering::Acquire);
        (status < 0).then_some(status)
    }
}

/// Returns whether an awaited event still needs a look: a command of the layer that has not ended,
/// or an event of the runtime that has not ended or has failed.
pub(crate) fn is_pending(one: &AwaitedEvent) -> bool {
    match one {
        AwaitedEvent::Command(command) => command.ended().is_none(),
        // A native event that has failed counts as pending, so that a gate looks at it.
        AwaitedEvent::Native(event) => status(*event) != Some(CL_COMPLETE),
    }
}
