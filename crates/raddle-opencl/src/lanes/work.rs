//! What does a client keep of a command until it has ended?

use std::sync::{Arc, Mutex, OnceLock};

use opencl_sys::{CL_COMPLETE, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, cl_int};
use raddle_live::Reporter;
use raddle_preempt::{LaunchHandle, Report, SubmitCall};

use crate::native::{NativeHandle, lock, native};

use super::{EventGate, InOrderCommand, LaneCommand, LaneTask, LaneWork, WorkProgress};

impl LaneWork {
    pub(crate) fn new(command: Arc<LaneCommand>, task: LaneTask) -> Arc<Self> {
        Arc::new(Self { command, task, gate: OnceLock::new(), before: OnceLock::new() })
    }

    /// Sets the gate that keeps a command of a lane from running until its awaited events have
    /// ended.
    pub(crate) fn gate(&self, gate: Arc<EventGate>) {
        let _ = self.gate.set(gate);
    }

    /// Sets the command before this one in its queue, which must succeed for this one to succeed.
    pub(crate) fn behind(&self, before: Arc<LaneCommand>) {
        let _ = self.before.set(before);
    }

    /// Returns the error status, below 0, that keeps a command of a lane from running: of the
    /// command before it, of an earlier range of its launch, or of an awaited event. `None` where
    /// none of these has failed.
    pub(crate) fn failed(&self) -> Option<cl_int> {
        let before = self.before.get().and_then(|before| before.ended());
        let before = before.filter(|status| *status < 0).or_else(|| self.command.ended());
        let before = before.filter(|status| *status < 0);
        before.or_else(|| self.gate.get()?.failed())
    }

    /// Ends a command of a lane without having run it, with the status for a failed event in the
    /// wait list. Returns `Refused`, the result of the submission for the controller.
    pub(crate) fn fail(&self) -> SubmitCall {
        self.command.end(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        SubmitCall::Refused
    }
}

impl InOrderCommand {
    pub(crate) const fn new(opens: NativeHandle) -> Self {
        Self { opens, progress: Mutex::new(WorkProgress::Waits) }
    }

    /// Lets a command that the runtime has already begin there. If an awaited event has failed,
    /// ends the command without running it. Returns the result of the submission for the
    /// controller.
    pub(crate) fn open(
        &self,
        handle: LaunchHandle,
        work: &LaneWork,
        reporter: &Reporter<Arc<LaneWork>>,
    ) -> SubmitCall {
        let mut progress = lock(&self.progress);
        if matches!(*progress, WorkProgress::Ended) {
            return SubmitCall::Refused;
        }
        if let Some(status) = work.failed() {
            *progress = WorkProgress::Ended;
            drop(progress);
            let _ = native!(clSetUserEventStatus(self.opens.0, status));
            crate::watch::failed();
            return work.fail();
        }
        *progress = WorkProgress::Open(handle, reporter.clone());
        drop(progress);
        let _ = native!(clSetUserEventStatus(self.opens.0, CL_COMPLETE));
        SubmitCall::Returned
    }

    /// Records that a command of a lane has ended in the OpenCL runtime with the status `status`.
    pub(crate) fn ended(work: Arc<LaneWork>, status: cl_int) {
        let LaneTask::InOrder(in_order) = &work.task else { return };
        let before = std::mem::replace(&mut *lock(&in_order.progress), WorkProgress::Ended);
        work.command.end(status.min(CL_COMPLETE));
        // The client has another reference: nothing is dropped on this thread.
        drop(work);
        if let WorkProgress::Open(handle, reporter) = before {
            let _ = reporter.report(Report::Finished(handle));
        }
    }
}

impl Drop for InOrderCommand {
    fn drop(&mut self) {
        let _ = native!(clReleaseEvent(self.opens.0));
    }
}
