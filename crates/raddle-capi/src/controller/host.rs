//! Which processes and streams does a host announce to a controller of preemptions, and which work of theirs?

use raddle_policy::{Level, ProcessId, StreamId};
use raddle_preempt::{Capture, CaptureOrder, CapturedWork, ProcessPhase, WorkKind};

use super::nouns::{RaddlePhase, RaddleProcess, RaddleWork};
use super::{RaddleController, done};
use crate::handle::with;
use crate::launch::{idempotence, unknown};
use crate::memory::{Out, read};
use crate::status::{Failure, RaddleStatus};

impl RaddleWork {
    fn checked(&self) -> Result<CapturedWork<u64>, Failure> {
        let (payload, tests_flag) = (self.payload, self.tests_flag != 0);
        let (stream, order) = (StreamId(self.after_stream), CaptureOrder(self.after_order));
        let kind = match self.kind {
            0 => WorkKind::Kernel,
            1 => WorkKind::Copy,
            2 => WorkKind::Record,
            3 => WorkKind::Wait { stream, order },
            4 => WorkKind::Graph,
            5 => WorkKind::Collective,
            other => return Err(unknown("work.kind", other, "RaddleWorkKind")),
        };
        let idempotent = idempotence("work.idempotent", self.idempotent)?;
        Ok(CapturedWork::new(payload, kind).judged(idempotent, tests_flag))
    }
}

/// Adds a process of the urgency `level` (0 is the most urgent), and writes its id: the lowest one
/// that no process has.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_controller_join(
    controller: *mut RaddleController,
    level: u8,
    process: *mut u16,
) -> RaddleStatus {
    with(controller, |it| {
        // SAFETY: the caller keeps the promises of the crate.
        let process = unsafe { Out::new("process", process)? };
        process.put(it.controller.join(Level(level)).map_err(Failure::invalid)?.0);
        Ok(RaddleStatus::Ok)
    })
}

/// Removes a process that has no launch in the runtime and is not preempted; any other is an error.
/// Its waiting launches are dropped.
#[unsafe(no_mangle)]
pub extern "C" fn raddle_controller_leave(
    controller: *mut RaddleController,
    process: u16,
) -> RaddleStatus {
    with(controller, |it| done(it.controller.leave(ProcessId(process))))
}

/// Removes a process that has died, and writes the payloads of its unfinished work, in the order of
/// capture, and their number to `count`. Where `payloads` has too little room, the answer is
/// `Room`, `count` is the number of payloads, and nothing else has changed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_controller_lost(
    controller: *mut RaddleController,
    process: u16,
    payloads: *mut u64,
    capacity: usize,
    count: *mut usize,
) -> RaddleStatus {
    with(controller, |it| {
        // SAFETY: the caller keeps the promises of the crate.
        let out =
            unsafe { (Out::list("payloads", payloads, capacity)?, Out::new("count", count)?) };
        let (process, controller) = (ProcessId(process), &mut it.controller);
        let buffered = controller.buffered(process).map_err(Failure::invalid)?;
        let number = buffered + controller.in_flight(process).map_err(Failure::invalid)?;
        out.1.put(number);
        out.0.check_room(number)?;
        let first = controller.flying(process).map_err(Failure::invalid)?.next();
        if let Some((handle, _)) = first {
            it.gone.insert(process.0, handle);
        }
        out.0.fill(&controller.lost(process).map_err(Failure::invalid)?, &out.1)
    })
}

/// Sets the part of the device (a number, 0 by default) that a process uses. The part matters where
/// a reset kills all launches of one part (`RaddleResetScope.Partition`).
#[unsafe(no_mangle)]
pub extern "C" fn raddle_controller_place(
    controller: *mut RaddleController,
    process: u16,
    part: u16,
) -> RaddleStatus {
    with(controller, |it| done(it.controller.place(ProcessId(process), part)))
}

/// Opens a stream of a process, and writes the stream's id: the lowest one that is not in use.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_controller_open(
    controller: *mut RaddleController,
    process: u16,
    stream: *mut u32,
) -> RaddleStatus {
    with(controller, |it| {
        // SAFETY: the caller keeps the promises of the crate.
        let stream = unsafe { Out::new("stream", stream)? };
        stream.put(it.controller.open(ProcessId(process)).map_err(Failure::invalid)?.0);
        Ok(RaddleStatus::Ok)
    })
}

/// Closes a stream: no further work is captured in it; work that was captured before still runs.
#[unsafe(no_mangle)]
pub extern "C" fn raddle_controller_close(
    controller: *mut RaddleController,
    process: u16,
    stream: u32,
) -> RaddleStatus {
    with(controller, |it| done(it.controller.close(ProcessId(process), StreamId(stream))))
}

/// Keeps work of a stream from being submitted, if its order of capture is `from` or more, until
/// `raddle_controller_release` is called with the same `from`. Launches in the runtime run on.
#[unsafe(no_mangle)]
pub extern "C" fn raddle_controller_hold(
    controller: *mut RaddleController,
    process: u16,
    stream: u32,
    from: u64,
) -> RaddleStatus {
    let stream = StreamId(stream);
    with(controller, |it| done(it.controller.hold(ProcessId(process), stream, CaptureOrder(from))))
}

/// Ends the hold that `raddle_controller_hold` made of a stream with the same `from`: the work that
/// was held back may be submitted.
#[unsafe(no_mangle)]
pub extern "C" fn raddle_controller_release(
    controller: *mut RaddleController,
    process: u16,
    stream: u32,
    from: u64,
) -> RaddleStatus {
    let (process, stream) = (ProcessId(process), StreamId(stream));
    with(controller, |it| done(it.controller.release(process, stream, CaptureOrder(from))))
}

/// Adds captured work at the end of its stream, and writes its number in the order of capture to
/// `order`. Answers `Refused` where the queues are full: capture the work again when
/// `RaddleProcess.generation` of the process has changed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_controller_captured(
    controller: *mut RaddleController,
    process: u16,
    stream: u32,
    work: *const RaddleWork,
    order: *mut u64,
) -> RaddleStatus {
    with(controller, |it| {
        // SAFETY: the caller keeps the promises of the crate.
        let (work, order) = unsafe { (read("work", work)?, Out::new("order", order)?) };
        let (process, work) = (ProcessId(process), work.checked()?);
        let captured = it.controller.captured(process, StreamId(stream), work);
        match captured.map_err(Failure::invalid)? {
            Capture::Taken(CaptureOrder(at)) => order.put(at),
            Capture::Full(_) => return Ok(RaddleStatus::Refused),
        }
        Ok(RaddleStatus::Ok)
    })
}

/// Writes 1 to `reached` if all work of a process that was captured up to `order` has finished;
/// else 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_controller_reached(
    controller: *const RaddleController,
    process: u16,
    order: u64,
    reached: *mut u32,
) -> RaddleStatus {
    with(controller, |it| {
        // SAFETY: the caller keeps the promises of the crate.
        let out = unsafe { Out::new("reached", reached)? };
        let reached = it.controller.reached(ProcessId(process), CaptureOrder(order));
        out.put(reached.map_err(Failure::invalid)?.into());
        Ok(RaddleStatus::Ok)
    })
}

/// Writes the state of a process to `state`: its phase, its preemption flag (tested by each launch
/// at its start) and its launches.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_controller_process(
    controller: *const RaddleController,
    process: u16,
    state: *mut RaddleProcess,
) -> RaddleStatus {
    with(controller, |it| {
        // SAFETY: the caller keeps the promises of the crate.
        let out = unsafe { Out::new("state", state)? };
        let (id, controller) = (ProcessId(process), &it.controller);
        let phase = match controller.phase(id).map_err(Failure::invalid)? {
            ProcessPhase::Running => RaddlePhase::Running,
            ProcessPhase::Draining => RaddlePhase::Draining,
            ProcessPhase::Preempted => RaddlePhase::Preempted,
        };
        out.put(RaddleProcess {
            phase: phase as u32,
            raised: controller.is_raised(id).map_err(Failure::invalid)?.into(),
            buffered: controller.buffered(id).map_err(Failure::invalid)?,
            in_flight: controller.in_flight(id).map_err(Failure::invalid)?,
            generation: controller.generation(id).map_err(Failure::invalid)?,
        });
        Ok(RaddleStatus::Ok)
    })
}
