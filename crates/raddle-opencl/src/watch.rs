//! When does an event of the runtime end?
//!
//! The runtime calls back. Not every runtime does so when an event fails, so after a failure the
//! layer itself checks all events whose end it awaits.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use opencl_sys::{CL_COMPLETE, CL_EVENT_COMMAND_EXECUTION_STATUS, cl_event, cl_int};

use crate::later::EVENTS;
use crate::native::{NativeHandle, asked, called_back, lock, native};

type ThenCall = Box<dyn FnOnce(cl_int) + Send>;

/// Events of the runtime whose end the layer watches, by a number that the layer assigns. Each
/// entry is (event, function to call at its end), and keeps a reference to the event.
static WATCHED: Mutex<BTreeMap<usize, (NativeHandle, ThenCall)>> = Mutex::new(BTreeMap::new());

/// Has `then` called with the status of an event of the runtime once the event has ended.
///
/// # Errors
/// The code with which the runtime refuses.
pub(crate) fn watch(
    event: NativeHandle,
    then: impl FnOnce(cl_int) + Send + 'static,
) -> Result<(), cl_int> {
    static NEXT: AtomicUsize = AtomicUsize::new(1);
    let id = NEXT.fetch_add(1, Ordering::Relaxed);
    let code = native!(clRetainEvent(event.0));
    if code != 0 {
        return Err(code);
    }
    lock(&WATCHED).insert(id, (event, Box::new(then)));
    let data: *mut c_void = std::ptr::without_provenance_mut(id);
    let code = native!(clSetEventCallback(event.0, CL_COMPLETE, Some(ended), data));
    if code != 0 {
        drop(taken(id));
        let _ = native!(clReleaseEvent(event.0));
        return Err(code);
    }
    Ok(())
}

fn taken(id: usize) -> Option<(NativeHandle, ThenCall)> {
    lock(&WATCHED).remove(&id)
}

fn tell(id: usize, status: cl_int) {
    if let Some((event, then)) = taken(id) {
        then(status);
        let _ = native!(clReleaseEvent(event.0));
    }
}

unsafe extern "C" fn ended(_: cl_event, status: cl_int, data: *mut c_void) {
    called_back(|| tell(data.addr(), status));
}

/// Returns the execution status of an event of the runtime; `None` where the runtime refuses.
pub(crate) fn status(event: NativeHandle) -> Option<cl_int> {
    let (what, null) = (CL_EVENT_COMMAND_EXECUTION_STATUS, std::ptr::null_mut());
    asked(|size, value| native!(clGetEventInfo(event.0, what, size, value, null)))
}

/// Checks all watched events for a failure, and calls the functions of those that have failed, as
/// some runtimes do not call back then. The check runs on another thread, four times within about
/// 100 ms.
pub(crate) fn failed() {
    EVENTS.run(|| {
        for pause in [0, 1, 10, 100] {
            std::thread::sleep(Duration::from_millis(pause));
            let all: Vec<(usize, NativeHandle)> =
                lock(&WATCHED).iter().map(|(id, (event, _))| (*id, *event)).collect();
            for (id, event) in all {
                // The event is still watched if its callback has not come in between.
                let kept = lock(&WATCHED).contains_key(&id);
                if kept && let Some(status) = status(event).filter(|status| *status < 0) {
                    tell(id, status);
                }
            }
        }
    });
}
