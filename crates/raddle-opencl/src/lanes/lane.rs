//! How does a queue of the program become a lane?
//!
//! Launches of a lane are given to the runtime a few at a time, in the program's own queue. Every
//! other command is given to a second queue at the call, behind a user event, so that the runtime
//! checks it, keeps what it needs and tells the address of a map; the command begins when all
//! commands before it in the lane have ended.

use std::ffi::c_void;
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use opencl_sys::{
    CL_QUEUE_CONTEXT, CL_QUEUE_DEVICE, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
    CL_QUEUE_PROFILING_ENABLE, CL_QUEUE_PROPERTIES, CL_QUEUE_REFERENCE_COUNT, cl_command_queue,
    cl_command_queue_info, cl_command_queue_properties, cl_context, cl_device_id, cl_int,
    cl_queue_properties, cl_uint,
};
use raddle_preempt::{Capture, CaptureOrder, CapturedWork};

use crate::counts::{Count, count, name};
use crate::native::{NativeHandle, asked, guarded, lock, native};
use crate::registry::{HandleRegistry, counted};
use crate::words::Words;

use super::gate::is_pending;
use super::{AwaitedEvent, DeviceLanes, EventGate, LaneCommand, LaneWork, QueueLane};

static QUEUES: HandleRegistry<QueueLane> = HandleRegistry::new();

/// Returns the lane of a queue, through which the layer schedules the queue's commands; `None` for
/// a queue that the layer does not schedule.
pub(crate) fn of(queue: cl_command_queue) -> Option<Arc<QueueLane>> {
    QUEUES.get(NativeHandle(queue))
}

fn ask<T: Copy>(queue: cl_command_queue, what: cl_command_queue_info) -> Option<T> {
    asked(|size, value: *mut c_void| {
        native!(clGetCommandQueueInfo(queue, what, size, value, std::ptr::null_mut()))
    })
}

impl QueueLane {
    fn new(queue: cl_command_queue) -> Option<Self> {
        let properties: cl_command_queue_properties = ask(queue, CL_QUEUE_PROPERTIES)?;
        if properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE != 0 {
            count(Count::OutOfOrder);
            return None;
        }
        let context: cl_context = ask(queue, CL_QUEUE_CONTEXT)?;
        let id: cl_device_id = ask(queue, CL_QUEUE_DEVICE)?;
        let device = DeviceLanes::of(id)?;
        let mut code = 0;
        let profiling = properties & CL_QUEUE_PROFILING_ENABLE;
        let side = native!(clCreateCommandQueue(context, id, profiling, &raw mut code));
        if side.is_null() {
            return None;
        }
        if native!(clRetainCommandQueue(queue)) != 0 {
            let _ = native!(clReleaseCommandQueue(side));
            return None;
        }
        let Ok(stream) = device.client.open() else {
            let _ = native!(clReleaseCommandQueue(side));
            let _ = native!(clReleaseCommandQueue(queue));
            return None;
        };
        let words = Words::new(context, device.sight);
        let (queue, side, context) =
            (NativeHandle(queue), NativeHandle(side), NativeHandle(context));
        let (last, ended) = (Mutex::new(Weak::new()), Mutex::new(None));
        Some(Self { device, context, queue, side, stream, words, last, ended })
    }

    /// Adds a command at the end of the lane (a queue that the layer schedules in order), as the
    /// pieces of work `works`: one for each range of a launch that is cut, else one. The command
    /// does not run until all events in `awaited` have ended.
    pub(crate) fn capture(
        &self,
        command: &Arc<LaneCommand>,
        works: &[Arc<LaneWork>],
        captured: impl Fn(Arc<LaneWork>) -> CapturedWork<Arc<LaneWork>>,
        awaited: Vec<AwaitedEvent>,
    ) {
        let mut last = lock(&self.last);
        // Commands in front end before this one anyway. But the two queues know nothing of each
        // other, so where the lane goes from one to the other, the command in front is waited for.
        let before = last.upgrade().filter(|last| last.ended().is_none());
        for work in works {
            before.iter().for_each(|before| work.behind(Arc::clone(before)));
        }
        let before = before.filter(|last| last.is_in_order != command.is_in_order);
        let elsewhere = awaited.into_iter().filter(|one| match one {
            AwaitedEvent::Command(other) => {
                other.lane.queue != self.queue || other.ended().is_some()
            }
            AwaitedEvent::Native(_) => true,
        });
        let mut awaited: Vec<AwaitedEvent> = elsewhere.filter(needs_gate).collect();
        awaited.extend(before.map(AwaitedEvent::Command));
        *last = Arc::downgrade(command);
        let client = &self.device.client;
        let mut works_left = works.iter().map(|work| captured(Arc::clone(work)));
        let held = match works_left.next() {
            Some(first) if !awaited.is_empty() => Some(client.capture_held(self.stream, first)),
            first => {
                first.into_iter().for_each(|first| drop(client.capture(self.stream, first)));
                None
            }
        };
        // A hold of the first work holds the rest behind it.
        works_left.for_each(|work| drop(client.capture(self.stream, work)));
        drop(last);
        if let Some(Ok(Capture::Taken(order))) = held {
            self.close(order, &awaited, works);
        }
    }

    fn close(&self, order: CaptureOrder, awaited: &[AwaitedEvent], works: &[Arc<LaneWork>]) {
        EventGate::close(&self.device, self.stream, order, awaited, |gate| {
            works.iter().for_each(|work| work.gate(Arc::clone(&gate)));
        });
    }

    /// Returns the run time of a launch that has ended now. It counts from the submission, `begun`,
    /// or from the end of the launch before it, whichever is later.
    pub(crate) fn ended_since(&self, begun: Instant) -> Duration {
        #[expect(clippy::disallowed_methods, reason = "launches are measured, to cut them")]
        let now = Instant::now();
        let before = lock(&self.ended).replace(now);
        now.saturating_duration_since(before.map_or(begun, |before| before.max(begun)))
    }

    /// Counts a launch that cannot leave the device, or is never stopped part-way, in the counter
    /// `why`.
    pub(crate) fn note(&self, why: Count) {
        count(why);
        self.device.client.count(name(why), 1);
    }

    /// Blocks until all commands of the lane (a queue that the layer schedules in order) have
    /// ended.
    pub(crate) fn finish(&self) {
        let last = lock(&self.last).upgrade();
        if let Some(last) = last {
            let _ = last.wait();
        }
    }
}

/// Returns whether a gate must keep a command waiting for an event: the event has not ended, or has
/// failed.
fn needs_gate(one: &AwaitedEvent) -> bool {
    match one {
        AwaitedEvent::Command(command) => command.ended().is_none_or(|status| status < 0),
        AwaitedEvent::Native(_) => is_pending(one),
    }
}

impl Drop for QueueLane {
    fn drop(&mut self) {
        let _ = self.device.client.close(self.stream);
        let _ = native!(clReleaseCommandQueue(self.side.0));
        QUEUES.gone(self.queue);
        let _ = native!(clReleaseCommandQueue(self.queue.0));
    }
}

/// Makes and registers the lane of a queue that the runtime has made, so that the layer schedules
/// its commands; null is ignored.
fn made(queue: cl_command_queue) {
    if queue.is_null() {
        return;
    }
    if let Some(lane) = QueueLane::new(queue) {
        QUEUES.made(NativeHandle(queue), Arc::new(lane));
    }
}

pub(crate) unsafe extern "C" fn create(
    context: cl_context,
    device: cl_device_id,
    properties: cl_command_queue_properties,
    code: *mut cl_int,
) -> cl_command_queue {
    guarded(|| {
        let queue = native!(clCreateCommandQueue(context, device, properties, code));
        made(queue);
        queue
    })
}

pub(crate) unsafe extern "C" fn create_with(
    context: cl_context,
    device: cl_device_id,
    properties: *const cl_queue_properties,
    code: *mut cl_int,
) -> cl_command_queue {
    guarded(|| {
        let queue = native!(clCreateCommandQueueWithProperties(context, device, properties, code));
        made(queue);
        queue
    })
}

counted!(QUEUES: cl_command_queue, clRetainCommandQueue, clReleaseCommandQueue);

pub(crate) unsafe extern "C" fn info(
    queue: cl_command_queue,
    what: cl_command_queue_info,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> cl_int {
    guarded(|| {
        if what == CL_QUEUE_REFERENCE_COUNT && of(queue).is_some() {
            // One of the references is the lane's.
            let told: cl_uint = ask(queue, what).unwrap_or(1);
            let told = told.saturating_sub(1).to_ne_bytes();
            return crate::extensions::tell(&told, size, value, size_ret);
        }
        native!(clGetCommandQueueInfo(queue, what, size, value, size_ret))
    })
}

pub(crate) unsafe extern "C" fn finish(queue: cl_command_queue) -> cl_int {
    guarded(|| {
        if let Some(lane) = of(queue) {
            lane.finish();
        }
        native!(clFinish(queue))
    })
}
