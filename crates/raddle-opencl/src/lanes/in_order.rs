//! How does a command other than a launch (a read, copy, fill, map or marker) go through a lane?
//!
//! The command is given to the second queue of the lane at the call. So errors come from the call,
//! the runtime keeps what it needs, and a map has its address at once. The command begins when all
//! commands before it in the lane have ended.

use std::sync::Arc;

use opencl_sys::{
    CL_COMPLETE, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, CL_FALSE, CL_INVALID_CONTEXT,
    CL_OUT_OF_HOST_MEMORY, CL_TRUE, cl_bool, cl_command_queue, cl_command_type, cl_event, cl_int,
    cl_uint,
};
use raddle_preempt::CapturedWork;

use crate::counts::{Count, count};
use crate::native::{NativeHandle, native};
use crate::sizes::Part;
use crate::watch::watch;

use super::gate::{Natives, wait_list};
use super::{AwaitedEvent, InOrderCommand, LaneCommand, LaneTask, LaneWork, QueueLane, lane};

/// Arguments that are common to all calls that enqueue a command.
pub(crate) struct Call {
    /// Command type that the command's event reports until the runtime has the command.
    pub(crate) kind: cl_command_type,
    pub(crate) count: cl_uint,
    pub(crate) list: *const cl_event,
    pub(crate) event: *mut cl_event,
    /// True if the call returns only when the command has ended.
    pub(crate) blocks: bool,
}

/// Enqueues a command and returns the OpenCL code for the program. `native` enqueues it in the
/// runtime; its arguments are (queue, whether to block, length of the wait list, wait list, place
/// for the event).
pub(crate) fn enqueue(
    queue: cl_command_queue,
    call: &Call,
    native: impl FnOnce(cl_command_queue, cl_bool, cl_uint, *const cl_event, *mut cl_event) -> cl_int,
) -> cl_int {
    let awaited = match wait_list(call.count, call.list) {
        Ok(awaited) => awaited,
        // The runtime answers with its own code.
        Err(_) => {
            return native(queue, CL_FALSE, call.count, call.list, call.event);
        }
    };
    let Some(lane) = lane::of(queue) else {
        let natives = Natives::of(&awaited);
        let blocks = if call.blocks { CL_TRUE } else { CL_FALSE };
        return native(queue, blocks, natives.count(), natives.list(), call.event);
    };
    match given(&lane, call, awaited, native) {
        Ok(command) if call.blocks && command.wait() < CL_COMPLETE => {
            CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
        }
        Ok(_) => 0,
        Err(code) => code,
    }
}

/// Enqueues a command in the second queue of a lane (a queue of the program that the layer
/// schedules; the layer made the second one), and returns it, or the OpenCL error code. There it
/// waits for a user event, which the layer sets once all earlier commands of the lane have ended.
fn given(
    lane: &Arc<QueueLane>,
    call: &Call,
    awaited: Vec<AwaitedEvent>,
    native: impl FnOnce(cl_command_queue, cl_bool, cl_uint, *const cl_event, *mut cl_event) -> cl_int,
) -> Result<Arc<LaneCommand>, cl_int> {
    let other = |one: &AwaitedEvent| matches!(one, AwaitedEvent::Command(command) if command.lane.context != lane.context);
    if awaited.iter().any(other) {
        return Err(CL_INVALID_CONTEXT);
    }
    let mut code = 0;
    let opens = NativeHandle(native!(clCreateUserEvent(lane.context.0, &raw mut code)));
    if opens.is_null() {
        return Err(CL_OUT_OF_HOST_MEMORY);
    }
    let task = InOrderCommand::new(opens);
    // The runtime checks events of the program; those of the layer hold the lane.
    let mut list = vec![opens.0];
    list.extend(awaited.iter().filter_map(|one| match one {
        AwaitedEvent::Native(event) => Some(event.0),
        AwaitedEvent::Command(_) => None,
    }));
    let mut event = std::ptr::null_mut();
    let events = cl_uint::try_from(list.len()).unwrap_or(cl_uint::MAX);
    let code = native(lane.side.0, CL_FALSE, events, list.as_ptr(), &raw mut event);
    if code != 0 {
        return Err(code);
    }
    count(Count::InOrder);
    let command = LaneCommand::new(Arc::clone(lane), call.kind, true);
    command.submitted(NativeHandle(event), &Part::WHOLE);
    let work = LaneWork::new(Arc::clone(&command), LaneTask::InOrder(task));
    let there = Arc::clone(&work);
    if let Err(code) =
        watch(NativeHandle(event), move |status| InOrderCommand::ended(there, status))
    {
        let _ = native!(clSetUserEventStatus(opens.0, code));
        return Err(code);
    }
    let _ = native!(clFlush(lane.side.0));
    if !call.event.is_null() {
        // SAFETY: the program gives the place for an event.
        unsafe { call.event.write(command.hand_out()) };
    }
    lane.capture(&command, &[work], CapturedWork::opaque, awaited);
    Ok(command)
}
