//! What does a host do with the streams of a process?

use raddle_policy::{ProcessId, StreamId};

use super::Controller;
use super::process::ControlledProcess;
use super::work::{Capture, CaptureOrder, CapturedWork, WorkKind};
use crate::error::PreemptError;
use crate::error::Reason;

impl<T> ControlledProcess<T> {
    /// Returns whether the launch of the stream `stream` with the order of capture `order` (number
    /// among the captured work of the process) is in the runtime.
    fn flies(&self, stream: StreamId, order: u64) -> bool {
        self.flight.iter().any(|(_, it)| it.stream == stream && it.work.order == order)
    }

    /// Removes a stream that was closed, if no launch of it waits or is in the runtime.
    pub(super) fn forget_if_closed(&mut self, stream: StreamId) {
        let closed = self.queues.lane(stream).is_some_and(|lane| lane.is_closed);
        if closed && !self.flight.has_stream(stream) {
            self.queues.forget(stream);
        }
    }
}

impl<T> Controller<T> {
    /// Opens a stream of a process, and returns its id: the lowest id, from 0, that is not in use.
    ///
    /// # Errors
    /// An unknown process; more streams than ids.
    pub fn open(&mut self, process: ProcessId) -> Result<StreamId, PreemptError> {
        self.process_mut(process)?
            .queues
            .open()
            .ok_or(PreemptError(Reason::TooManyStreams { process }))
    }

    /// Closes a stream of a process: no further work is captured in it. The work in the stream
    /// still runs; after that the id of the stream is reused.
    ///
    /// # Errors
    /// An unknown process or stream.
    pub fn close(&mut self, process: ProcessId, stream: StreamId) -> Result<(), PreemptError> {
        let it = self.process_mut(process)?;
        if !it.queues.close(stream) {
            return Err(PreemptError(Reason::NoStream { process, stream }));
        }
        it.forget_if_closed(stream);
        Ok(())
    }

    /// Adds captured work (seed 001, S2.2) at the end of its stream, even while the process is
    /// preempted (seed 001, A14). Returns the order of capture of the work (its number among the
    /// captured work of the process), or the work itself where the queues are full.
    ///
    /// # Errors
    /// An unknown process or stream.
    #[inline]
    pub fn captured(
        &mut self,
        process: ProcessId,
        stream: StreamId,
        work: CapturedWork<T>,
    ) -> Result<Capture<T>, PreemptError> {
        let most = self.options.most_waiting;
        let it = self.process_mut(process)?;
        if most.is_some_and(|most| it.queues.len() >= most as usize) {
            return Ok(Capture::Full(work));
        }
        let reached = match work.kind {
            WorkKind::Wait { stream, order } => {
                !it.queues.holds_order(stream, order.0) && !it.flies(stream, order.0)
            }
            _ => true,
        };
        let order = it.queues.push(stream, work, reached);
        let order = order.ok_or(PreemptError(Reason::NoStream { process, stream }))?;
        self.list(process);
        Ok(Capture::Taken(CaptureOrder(order)))
    }

    /// Holds back the work of a stream that was captured from the order of capture `from` on
    /// (number among the captured work of the process), until the host [releases](Self::release)
    /// it; used where a launch waits for an event that only the host knows. Order 0 holds back all
    /// work of the stream. Launches that are in the runtime already go on.
    ///
    /// # Errors
    /// An unknown process or stream.
    pub fn hold(
        &mut self,
        process: ProcessId,
        stream: StreamId,
        from: CaptureOrder,
    ) -> Result<(), PreemptError> {
        let held = self.process_mut(process)?.queues.hold(stream, from.0);
        if held { Ok(()) } else { Err(PreemptError(Reason::NoStream { process, stream })) }
    }

    /// Ends a hold of a stream: the launches that the host held back from the order of capture
    /// `from` (number among the captured work of the process) on may be submitted. Other holds of
    /// the stream remain.
    ///
    /// # Errors
    /// An unknown process; a stream that has no hold from that order on.
    pub fn release(
        &mut self,
        process: ProcessId,
        stream: StreamId,
        from: CaptureOrder,
    ) -> Result<(), PreemptError> {
        if !self.process_mut(process)?.queues.release(stream, from.0) {
            return Err(PreemptError(Reason::NotHeld { process, stream }));
        }
        self.list(process);
        Ok(())
    }

    /// Returns whether all work of the process that was captured up to the number `order` has
    /// finished. A synchronising call of the host waits for that (seed 001, A15). Preempted
    /// launches have not finished.
    ///
    /// # Errors
    /// An unknown process.
    pub fn reached(&self, process: ProcessId, order: CaptureOrder) -> Result<bool, PreemptError> {
        let it = self.process(process)?;
        let flying = it.flight.iter().map(|(_, flying)| flying.work.order).min();
        let oldest = it.queues.first().into_iter().chain(flying).min();
        Ok(oldest.is_none_or(|oldest| oldest > order.0))
    }

    /// Returns whether all work of one stream that was captured up to the number `order` has
    /// finished. A stream that was closed and has no work left has finished all work.
    ///
    /// # Errors
    /// An unknown process.
    pub fn stream_reached(
        &self,
        process: ProcessId,
        stream: StreamId,
        order: CaptureOrder,
    ) -> Result<bool, PreemptError> {
        let it = self.process(process)?;
        let flying = it.flight.iter().filter(|(_, flying)| flying.stream == stream);
        let waiting = it.queues.lane(stream).and_then(|lane| lane.first());
        let oldest = flying.map(|(_, flying)| flying.work.order).chain(waiting).min();
        Ok(oldest.is_none_or(|oldest| oldest > order.0))
    }

    /// Returns a number that changes whenever work of the process has finished, or there is room
    /// again after [`Full`](Capture::Full). A thread that waits until [`reached`](Self::reached) is
    /// true reads this number first, then calls `reached`, and blocks until the number has changed
    /// or the process has left.
    ///
    /// # Errors
    /// An unknown process.
    pub fn generation(&self, process: ProcessId) -> Result<u64, PreemptError> {
        self.process(process).map(|it| it.generation)
    }
}
