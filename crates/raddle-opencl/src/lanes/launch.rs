//! How is a launch that can leave the device at a preemption submitted to the OpenCL runtime, and
//! what does its word of shared memory (running, left or killed) say at its end?

use std::ffi::c_void;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Once};
use std::time::{Duration, Instant};

use opencl_sys::{
    CL_COMMAND_NDRANGE_KERNEL, CL_COMMAND_TASK, CL_COMPLETE, cl_command_queue, cl_event, cl_int,
    cl_kernel, cl_uint,
};
use raddle_kernel::instrument::{KILLED, LEAVES, UNDECIDED};
use raddle_live::Reporter;
use raddle_policy::Idempotence;
use raddle_preempt::{CapturedWork, LaunchHandle, Report, SubmitCall};
use smallvec::{SmallVec, smallvec};

use crate::counts::{Count, count};
use crate::ending;
use crate::memory::KeptObjects;
use crate::native::{NativeHandle, called_back, guarded, native};
use crate::sizes::{Part, Sizes};

use super::gate::{of_context, wait_list};
use super::in_order::{self, Call};
use super::{LaneCommand, LaneLaunch, LaneTask, LaneWork, QueueLane, kernel, lane};

/// Guard by which the layer registers its exit function once more after the first launch. Functions
/// registered last run first, so it runs before destructors that the runtime registers at that
/// launch.
static FIRST: Once = Once::new();

impl LaneLaunch {
    pub(crate) fn verdict(&self) -> Idempotence {
        self.kernel.verdict(&self.arguments, &self.sizes, &self.part)
    }

    /// Submits this launch of a lane to the OpenCL runtime, and returns whether the runtime took
    /// it.
    pub(crate) fn submit(
        &self,
        handle: LaunchHandle,
        work: &Arc<LaneWork>,
        reporter: &Reporter<Arc<LaneWork>>,
    ) -> SubmitCall {
        if work.failed().is_some() {
            return work.fail();
        }
        let lane = &work.command.lane;
        if let Some(words) = &lane.words {
            words.word(handle.slot()).store(UNDECIDED, Ordering::Release);
        }
        let Sizes { dimensions, is_task, offset, global, local } = &self.sizes;
        let place = |sizes: &Option<[usize; 3]>| {
            sizes.as_ref().map_or(std::ptr::null(), |sizes| sizes.as_ptr())
        };
        let (offset, local) = (place(offset), place(local));
        let dimensions = *dimensions as cl_uint;
        let mut event = std::ptr::null_mut();
        let code = self.kernel.launch(&self.arguments, lane, (handle, &self.part), |second| {
            let queue = lane.queue.0;
            let (none, global, event) = (std::ptr::null(), global.as_ptr(), &raw mut event);
            if *is_task {
                return native!(clEnqueueTask(queue, second, 0, none, event));
            }
            native!(clEnqueueNDRangeKernel(
                queue, second, dimensions, offset, global, local, 0, none, event
            ))
        });
        if code != 0 {
            count(Count::Refused);
            work.command.end(code);
            return SubmitCall::Refused;
        }
        work.command.submitted(NativeHandle(event), &self.part);
        #[expect(clippy::disallowed_methods, reason = "launches are measured, to cut them")]
        let begun = Instant::now();
        let (work, reporter) = (Arc::clone(work), reporter.clone());
        let flight = LaunchFlight { work, handle, reporter, begun };
        let data = Box::into_raw(Box::new(flight)).cast();
        let code = native!(clSetEventCallback(event, CL_COMPLETE, Some(ended), data));
        if code != 0 {
            // SAFETY: the runtime has not taken it. Without a callback it is waited for here.
            let flight = unsafe { Box::from_raw(data.cast::<LaunchFlight>()) };
            let code = native!(clWaitForEvents(1, &raw const event));
            flight.ended(code.min(CL_COMPLETE));
        }
        let _ = native!(clFlush(lane.queue.0));
        FIRST.call_once(ending::register);
        SubmitCall::Returned
    }
}

/// Launch that the runtime has, with the data that are needed to report its end.
struct LaunchFlight {
    work: Arc<LaneWork>,
    handle: LaunchHandle,
    reporter: Reporter<Arc<LaneWork>>,
    /// Time at which the launch was submitted to the OpenCL runtime.
    begun: Instant,
}

impl LaunchFlight {
    /// Reports to the client how a launch has ended: finished, left, killed or failed. The word of
    /// the launch in shared memory says so, or `status`, if that is an error.
    fn ended(self, status: cl_int) {
        let Self { work, handle, reporter, begun } = self;
        let took = work.command.lane.ended_since(begun);
        let words = work.command.lane.words.as_ref();
        let word =
            words.map_or(UNDECIDED, |words| words.word(handle.slot()).load(Ordering::Acquire));
        let report = match word {
            _ if status < 0 => {
                work.command.end(status);
                Report::Failed(handle)
            }
            LEAVES => {
                count(Count::Left);
                Report::Exited(handle)
            }
            KILLED => {
                count(Count::Killed);
                Report::Killed(handle)
            }
            _ => {
                if work.task.ran_for(took) {
                    work.command.end(CL_COMPLETE);
                }
                Report::Finished(handle)
            }
        };
        // The client has another reference: nothing is dropped on this thread.
        drop(work);
        let _ = reporter.report(report);
    }
}

unsafe extern "C" fn ended(_: cl_event, status: cl_int, data: *mut c_void) {
    called_back(|| {
        // SAFETY: it was made from a box for this call.
        let flight = unsafe { Box::from_raw(data.cast::<LaunchFlight>()) };
        flight.ended(status);
    });
}

/// Returns a launch of a kernel with its present arguments, in a form that the layer (our library
/// between the program and OpenCL) can submit later. The error is the counter for the reason why
/// the layer cannot schedule the launch.
fn prepared(
    lane: &QueueLane,
    kernel: cl_kernel,
    sizes: Option<Sizes>,
) -> Result<LaneLaunch, Count> {
    let kernel = kernel::of(kernel).ok_or(Count::NoSource)?;
    kernel.beside()?;
    let sizes = sizes.ok_or(Count::Doubtful)?;
    let arguments = kernel.arguments();
    if !kernel.fits(lane, &sizes, &arguments) {
        return Err(Count::Doubtful);
    }
    let kept = Arc::new(KeptObjects::of(&arguments));
    Ok(LaneLaunch { kept, kernel, arguments, sizes, part: Part::WHOLE })
}

impl LaneTask {
    /// Records the run time `took` of this launch. Returns whether its command is complete: a cut
    /// launch is complete after its last range.
    fn ran_for(&self, took: Duration) -> bool {
        let Self::Launch(launch) = self else { return true };
        launch.kernel.ran(&launch.sizes, took);
        launch.part.is_last
    }
}

impl LaneLaunch {
    /// Cuts the launch into ranges of workgroups, and returns a launch for each, if preemptions
    /// have a time bound and the kernel allows a cut. Else returns the launch as it is.
    fn cut(self, lane: &QueueLane) -> SmallVec<[Self; 1]> {
        let bound = lane.device.client.bound();
        let ranges = bound.and_then(|bound| {
            let wanted = self.kernel.range(&self.sizes, lane, bound)?;
            Some(self.sizes.cut(wanted)).filter(|ranges| ranges.len() > 1)
        });
        let Some(ranges) = ranges else { return smallvec![self] };
        count(Count::Cut);
        let of = |(sizes, part)| Self {
            kernel: Arc::clone(&self.kernel),
            arguments: Arc::clone(&self.arguments),
            kept: Arc::clone(&self.kept),
            sizes,
            part,
        };
        ranges.into_iter().map(of).collect()
    }
}

fn refused(lane: &QueueLane, kernel: cl_kernel) -> Option<cl_int> {
    kernel::of(kernel)?.refused(lane)
}

fn enqueue(lane: &Arc<QueueLane>, launch: LaneLaunch, call: &Call) -> cl_int {
    let awaited = match wait_list(call.count, call.list) {
        Ok(awaited) => awaited,
        Err(code) => return code,
    };
    if let Err(code) = of_context(&awaited, lane.context.0) {
        return code;
    }
    count(Count::Launches);
    let leaves = lane.words.is_some();
    let why = if leaves { launch.kernel.unjudged() } else { Some(Count::NoFlag) };
    why.into_iter().for_each(|why| lane.note(why));
    let command = LaneCommand::new(Arc::clone(lane), call.kind, false);
    let new = |launch| LaneWork::new(Arc::clone(&command), LaneTask::Launch(launch));
    let works: SmallVec<[_; 1]> = launch.cut(lane).into_iter().map(new).collect();
    if !call.event.is_null() {
        // SAFETY: the program gives the place for an event.
        unsafe { call.event.write(command.hand_out()) };
    }
    // A launch that cannot leave runs to its end once the runtime has it, so it is not submitted
    // before its turn.
    let captured = |work| match leaves {
        true => CapturedWork::kernel(work, Idempotence::Unknown),
        false => CapturedWork::opaque(work),
    };
    lane.capture(&command, &works, captured, awaited);
    0
}

pub(crate) unsafe extern "C" fn nd_range(
    queue: cl_command_queue,
    kernel: cl_kernel,
    dimensions: cl_uint,
    offset: *const usize,
    global: *const usize,
    local: *const usize,
    events: cl_uint,
    list: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    guarded(|| {
        let call =
            Call { kind: CL_COMMAND_NDRANGE_KERNEL, count: events, list, event, blocks: false };
        if let Some(lane) = lane::of(queue) {
            // SAFETY: the program gives a number for each dimension, or null.
            let sizes = unsafe { Sizes::new(dimensions, offset, global, local) };
            match prepared(&lane, kernel, sizes) {
                Ok(launch) => return enqueue(&lane, launch, &call),
                Err(why) => lane.note(why),
            }
            if let Some(code) = refused(&lane, kernel) {
                return code;
            }
        }
        in_order::enqueue(queue, &call, |queue, _, count, list, event| {
            native!(clEnqueueNDRangeKernel(
                queue, kernel, dimensions, offset, global, local, count, list, event
            ))
        })
    })
}

pub(crate) unsafe extern "C" fn task(
    queue: cl_command_queue,
    kernel: cl_kernel,
    events: cl_uint,
    list: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    guarded(|| {
        let call = Call { kind: CL_COMMAND_TASK, count: events, list, event, blocks: false };
        if let Some(lane) = lane::of(queue) {
            let one = Sizes {
                dimensions: 1,
                is_task: true,
                offset: None,
                global: [1; 3],
                local: Some([1; 3]),
            };
            match prepared(&lane, kernel, Some(one)) {
                Ok(launch) => return enqueue(&lane, launch, &call),
                Err(why) => lane.note(why),
            }
            if let Some(code) = refused(&lane, kernel) {
                return code;
            }
        }
        in_order::enqueue(queue, &call, |queue, _, count, list, event| {
            native!(clEnqueueTask(queue, kernel, count, list, event))
        })
    })
}
