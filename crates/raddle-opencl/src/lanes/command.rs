//! What does a program see of a command that waits in a lane?
//!
//! An event of the layer. It begins, as every object of OpenCL does, with the address of a table of entry
//! points: the layer's own, by which it is told from the events of the runtime.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use opencl_sys::cl_icd::cl_icd_dispatch;
use opencl_sys::{
    CL_COMPLETE, CL_EVENT_COMMAND_TYPE, CL_QUEUED, CL_RUNNING, CL_SUBMITTED, cl_command_type,
    cl_event, cl_int,
};

use crate::later::{CALLBACKS, EVENTS};
use crate::native::{NativeHandle, asked, lock, native, own};
use crate::sizes::Part;

use super::{Callback, EventGate, LaneCommand, Notify, QueueLane, State};

impl LaneCommand {
    pub(crate) fn new(lane: Arc<QueueLane>, kind: cl_command_type, is_in_order: bool) -> Arc<Self> {
        Arc::new(Self {
            table: own(),
            references: AtomicU32::new(0),
            lane,
            kind,
            is_in_order,
            state: Mutex::new(State {
                status: CL_QUEUED,
                native: None,
                begun: None,
                callbacks: Vec::new(),
                gates: Vec::new(),
                complete: None,
            }),
            changed: Condvar::new(),
        })
    }

    /// Returns the layer's event for this command, to be given to the program, which then has one
    /// reference to it.
    pub(crate) fn hand_out(self: &Arc<Self>) -> cl_event {
        self.references.store(1, Ordering::Relaxed);
        Arc::into_raw(Arc::clone(self)).cast_mut().cast()
    }

    /// Returns the command that an event of the layer stands for; `None` for an event of the
    /// runtime.
    pub(crate) fn of(event: cl_event) -> Option<Arc<Self>> {
        Self::is_ours(event).then(|| {
            let command: *const Self = event.cast_const().cast();
            // SAFETY: it begins with our table, so the layer has handed it out, and the program has a
            // reference.
            unsafe {
                Arc::increment_strong_count(command);
                Arc::from_raw(command)
            }
        })
    }

    fn is_ours(event: cl_event) -> bool {
        // SAFETY: an event begins with the address of its table; the loader reads it, too.
        !event.is_null() && unsafe { *event.cast::<*const cl_icd_dispatch>() } == own()
    }

    /// Counts one more reference to the event of this command, which the program has taken.
    pub(crate) fn retain(&self) {
        self.references.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts one reference less to the event of this command, which the program gives back; with
    /// the last one the event is freed.
    pub(crate) fn release(&self) {
        if self.references.fetch_sub(1, Ordering::AcqRel) == 1 {
            // SAFETY: it was made by `hand_out`, and this was the last reference; the caller has another.
            drop(unsafe { Arc::from_raw(std::ptr::from_ref(self)) });
        }
    }

    pub(crate) fn references(&self) -> u32 {
        self.references.load(Ordering::Relaxed)
    }

    /// Records that the runtime has the command now, or the range `part` of a launch, and that
    /// `event` is the runtime's event for it.
    pub(crate) fn submitted(&self, event: NativeHandle, part: &Part) {
        let mut state = lock(&self.state);
        let before = state.native.replace(event);
        // The times of a launch begin with its first range.
        let is_begin = part.is_first() && !part.is_last && native!(clRetainEvent(event.0)) == 0;
        let begun = if is_begin { state.begun.replace(event) } else { None };
        drop(state);
        for before in [before, begun].into_iter().flatten() {
            let _ = native!(clReleaseEvent(before.0));
        }
    }

    /// Returns the runtime's event that gives the times until the command began to run: for a cut
    /// launch that of the first range. `None` where the runtime does not have the command.
    pub(crate) fn begun(&self) -> Option<NativeHandle> {
        let state = lock(&self.state);
        state.begun.or(state.native)
    }

    /// Returns the event that the runtime has for the present submission of the command; `None`
    /// where the command is not in the runtime.
    pub(crate) fn native(&self) -> Option<NativeHandle> {
        lock(&self.state).native
    }

    /// Returns the type of the command as the runtime reports it. Before the runtime has the
    /// command, it is the type of the program's call.
    pub(crate) fn kind(&self) -> cl_command_type {
        let (what, null) = (CL_EVENT_COMMAND_TYPE, std::ptr::null_mut());
        let ask = |event: NativeHandle| {
            asked(|size, value| native!(clGetEventInfo(event.0, what, size, value, null)))
        };
        self.native().and_then(ask).unwrap_or(self.kind)
    }

    /// Ends this command of a lane with the OpenCL status `status`: 0 is success, below 0 is an
    /// error.
    pub(crate) fn end(self: &Arc<Self>, status: cl_int) {
        let mut state = lock(&self.state);
        if state.status <= CL_COMPLETE {
            return;
        }
        state.status = status;
        let callbacks = std::mem::take(&mut state.callbacks);
        let gates = std::mem::take(&mut state.gates);
        let complete = state.complete.take();
        drop(state);
        self.changed.notify_all();
        for gate in gates {
            gate.passed(status);
        }
        if let Some(event) = complete {
            EVENTS.run(move || complete_native(event, status));
        }
        if !callbacks.is_empty() {
            self.call(callbacks, status);
        }
    }

    /// Calls callbacks of the program on the thread that the layer has for them. Each gets `status`
    /// if that is an error, else the status for which it was registered.
    fn call(self: &Arc<Self>, mut callbacks: Vec<Callback>, status: cl_int) {
        // Callbacks follow the way of a launch: submitted, running, complete.
        callbacks.sort_by_key(|callback| std::cmp::Reverse(callback.at));
        let command = Arc::clone(self);
        CALLBACKS.run(move || {
            let event: cl_event = Arc::as_ptr(&command).cast_mut().cast();
            for Callback { at, notify, data } in callbacks {
                let told = if status < 0 { status } else { at };
                // SAFETY: the program gave both, to be called with this event.
                unsafe { notify(event, told, data.0) };
            }
        });
    }

    /// Calls the program's function `notify` once the command has reached the status `at`:
    /// immediately where it has ended already.
    pub(crate) fn call_at(self: &Arc<Self>, at: cl_int, notify: Notify, data: NativeHandle) {
        let callback = Callback { at, notify, data };
        let mut state = lock(&self.state);
        if state.status > CL_COMPLETE {
            state.callbacks.push(callback);
            return;
        }
        let status = state.status;
        drop(state);
        self.call(vec![callback], status);
    }

    /// Makes a gate (which keeps another command waiting) wait for this command too. The error is
    /// the status of this command, if it has ended already.
    pub(crate) fn opens(&self, gate: &Arc<EventGate>) -> Result<(), cl_int> {
        let mut state = lock(&self.state);
        if state.status <= CL_COMPLETE {
            return Err(state.status);
        }
        state.gates.push(Arc::clone(gate));
        Ok(())
    }

    /// Returns the OpenCL status of this command of a lane if the command has ended; else `None`.
    pub(crate) fn ended(&self) -> Option<cl_int> {
        let status = lock(&self.state).status;
        (status <= CL_COMPLETE).then_some(status)
    }

    /// Blocks until this command of a lane has ended, and returns its OpenCL status.
    pub(crate) fn wait(&self) -> cl_int {
        let mut state = lock(&self.state);
        while state.status > CL_COMPLETE {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.status
    }

    /// Returns the status of the command as the program sees it. This status never goes back, even
    /// if the command's launch leaves the device and is queued again.
    pub(crate) fn status(&self) -> cl_int {
        let mut state = lock(&self.state);
        if state.status <= CL_COMPLETE {
            return state.status;
        }
        if let Some(event) = state.native {
            let told = crate::watch::status(event).unwrap_or(CL_SUBMITTED);
            let open = if self.is_in_order { CL_QUEUED } else { CL_SUBMITTED };
            state.status = state.status.min(told.clamp(CL_RUNNING, open));
        }
        state.status
    }

    /// Returns a user event of the runtime that completes when the command does, with a reference
    /// for the caller; `None` where the runtime refuses to make one.
    pub(crate) fn complete_event(&self) -> Option<NativeHandle> {
        let mut state = lock(&self.state);
        if let Some(event) = state.complete {
            return (native!(clRetainEvent(event.0)) == 0).then_some(event);
        }
        let mut code = 0;
        let event = NativeHandle(native!(clCreateUserEvent(self.lane.context.0, &raw mut code)));
        if event.is_null() {
            return None;
        }
        if state.status <= CL_COMPLETE {
            let _ = native!(clSetUserEventStatus(event.0, state.status));
        } else if native!(clRetainEvent(event.0)) == 0 {
            state.complete = Some(event);
        }
        Some(event)
    }
}

fn complete_native(event: NativeHandle, status: cl_int) {
    let _ = native!(clSetUserEventStatus(event.0, status));
    let _ = native!(clReleaseEvent(event.0));
}

impl Drop for LaneCommand {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        for event in [state.native, state.begun].into_iter().flatten() {
            let _ = native!(clReleaseEvent(event.0));
        }
        // A command that never ended, as its client has stopped, lets nobody wait for ever.
        if let Some(event) = state.complete.take() {
            complete_native(event, -1);
        }
    }
}
