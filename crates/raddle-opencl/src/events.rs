//! How does the layer answer calls of the program about events of commands that it schedules?

use std::ffi::c_void;

use opencl_sys::{
    CL_COMPLETE, CL_EVENT_COMMAND_EXECUTION_STATUS, CL_EVENT_COMMAND_QUEUE, CL_EVENT_COMMAND_TYPE,
    CL_EVENT_CONTEXT, CL_EVENT_REFERENCE_COUNT, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
    CL_INVALID_CONTEXT, CL_INVALID_EVENT, CL_INVALID_VALUE, CL_PROFILING_COMMAND_COMPLETE,
    CL_PROFILING_COMMAND_END, CL_PROFILING_INFO_NOT_AVAILABLE, CL_SUBMITTED, cl_event,
    cl_event_info, cl_int, cl_profiling_info, cl_uint,
};

use crate::extensions::tell;
use crate::lanes::gate::wait_list;
use crate::lanes::{AwaitedEvent, LaneCommand, Notify};
use crate::native::{NativeHandle, guarded, native};

pub(crate) unsafe extern "C" fn wait(count: cl_uint, list: *const cl_event) -> cl_int {
    guarded(|| {
        let awaited = match wait_list(count, list) {
            Ok(awaited) if awaited.iter().any(|one| matches!(one, AwaitedEvent::Command(_))) => {
                awaited
            }
            _ => return native!(clWaitForEvents(count, list)),
        };
        let mut contexts = awaited.iter().map(AwaitedEvent::context);
        let first = contexts.next().unwrap_or(Err(CL_INVALID_EVENT));
        match first {
            Err(code) => return code,
            Ok(context) => {
                for other in contexts {
                    match other {
                        Err(code) => return code,
                        Ok(other) if other != context => return CL_INVALID_CONTEXT,
                        Ok(_) => {}
                    }
                }
            }
        }
        let mut told = 0;
        let mut natives = Vec::new();
        for one in &awaited {
            match one {
                AwaitedEvent::Native(event) => natives.push(event.0),
                AwaitedEvent::Command(command) if command.wait() < CL_COMPLETE => {
                    told = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
                }
                AwaitedEvent::Command(_) => {}
            }
        }
        if !natives.is_empty() {
            let count = cl_uint::try_from(natives.len()).unwrap_or(cl_uint::MAX);
            told = told.min(native!(clWaitForEvents(count, natives.as_ptr())));
        }
        told
    })
}

pub(crate) unsafe extern "C" fn info(
    event: cl_event,
    what: cl_event_info,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> cl_int {
    guarded(|| {
        let Some(command) = LaneCommand::of(event) else {
            return native!(clGetEventInfo(event, what, size, value, size_ret));
        };
        let address = |handle: NativeHandle| handle.0.addr().to_ne_bytes().to_vec();
        let told = match what {
            CL_EVENT_COMMAND_QUEUE => address(command.lane.queue),
            CL_EVENT_CONTEXT => address(command.lane.context),
            CL_EVENT_COMMAND_TYPE => command.kind().to_ne_bytes().to_vec(),
            CL_EVENT_REFERENCE_COUNT => command.references().to_ne_bytes().to_vec(),
            CL_EVENT_COMMAND_EXECUTION_STATUS => command.status().to_ne_bytes().to_vec(),
            _ => return CL_INVALID_VALUE,
        };
        tell(&told, size, value, size_ret)
    })
}

pub(crate) unsafe extern "C" fn profile(
    event: cl_event,
    what: cl_profiling_info,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> cl_int {
    guarded(|| match LaneCommand::of(event) {
        None => native!(clGetEventProfilingInfo(event, what, size, value, size_ret)),
        Some(command) => match (command.ended(), command.native()) {
            // The times are those of the submission that ran, or of the first and the last range.
            (Some(CL_COMPLETE), Some(last)) => {
                let ends = [CL_PROFILING_COMMAND_END, CL_PROFILING_COMMAND_COMPLETE];
                let first = command.begun().filter(|_| !ends.contains(&what));
                let event = first.unwrap_or(last);
                native!(clGetEventProfilingInfo(event.0, what, size, value, size_ret))
            }
            _ => CL_PROFILING_INFO_NOT_AVAILABLE,
        },
    })
}

pub(crate) unsafe extern "C" fn retain(event: cl_event) -> cl_int {
    guarded(|| match LaneCommand::of(event) {
        None => native!(clRetainEvent(event)),
        Some(command) => {
            command.retain();
            0
        }
    })
}

pub(crate) unsafe extern "C" fn release(event: cl_event) -> cl_int {
    guarded(|| match LaneCommand::of(event) {
        None => native!(clReleaseEvent(event)),
        Some(command) => {
            command.release();
            0
        }
    })
}

pub(crate) unsafe extern "C" fn call_at(
    event: cl_event,
    at: cl_int,
    notify: Option<Notify>,
    data: *mut c_void,
) -> cl_int {
    guarded(|| {
        let Some(command) = LaneCommand::of(event) else {
            return native!(clSetEventCallback(event, at, notify, data));
        };
        match notify {
            Some(notify) if (CL_COMPLETE..=CL_SUBMITTED).contains(&at) => {
                command.call_at(at, notify, NativeHandle(data));
                0
            }
            _ => CL_INVALID_VALUE,
        }
    })
}

pub(crate) unsafe extern "C" fn set_status(event: cl_event, status: cl_int) -> cl_int {
    guarded(|| match LaneCommand::of(event) {
        // A command of the layer is no user event.
        Some(_) => CL_INVALID_EVENT,
        None => {
            let code = native!(clSetUserEventStatus(event, status));
            if code == 0 && status < 0 {
                crate::watch::failed();
            }
            code
        }
    })
}
