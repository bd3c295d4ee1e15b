//! Clients that look at what calls answer: codes, events, profiles, reflection.

use std::ffi::c_void;
use std::ptr;
use std::sync::Mutex;
use std::time::Duration;

use opencl_sys::*;

use super::cl::{cl, text};
use super::kit::{Kit, SOURCE, Set, digest, launch, launched, set, status, wait};

/// Makes calls that are wrong, and returns the OpenCL code of each.
pub(super) fn bad_calls() -> String {
    let kit = Kit::new();
    let other = Kit::new();
    let buffer = kit.buffer(64);
    let (kernel, unset) = (kit.kernel("advance"), kit.kernel("advance"));
    set(kernel, &[Set::Memory(buffer), Set::Number(1)]);
    let (q, none) = (kit.queue, ptr::null());
    let (null, place): (cl_event, *mut cl_event) = (ptr::null_mut(), ptr::null_mut());
    let mut told = vec![launch(q, unset, 64, 16, &[], place)];
    told.push(launch(q, kernel, 64, 17, &[], place));
    told.push(launch(q, kernel, 1 << 20, 1 << 19, &[], place));
    told.push(launch(null, kernel, 64, 16, &[], place));
    told.push(launch(other.queue, kernel, 64, 16, &[], place));
    let (event, sizes) = (other.user_event(), [64_usize; 4]);
    let dimensions = |number: u32| {
        cl!(clEnqueueNDRangeKernel(
            q,
            kernel,
            number,
            none,
            sizes.as_ptr(),
            none,
            0,
            ptr::null(),
            place
        ))
    };
    told.push(dimensions(0));
    told.push(dimensions(4));
    let mut room = [0_u8; 512];
    let to = room.as_mut_ptr().cast();
    told.push(cl!(clEnqueueReadBuffer(q, buffer, CL_TRUE, 0, 512, to, 0, ptr::null(), place)));
    told.push(cl!(clEnqueueReadBuffer(q, null, CL_FALSE, 0, 4, to, 0, ptr::null(), place)));
    told.push(cl!(clEnqueueReadBuffer(q, buffer, CL_FALSE, 0, 4, null, 0, ptr::null(), place)));
    told.push(cl!(clEnqueueReadBuffer(q, buffer, CL_FALSE, 0, 4, to, 1, &raw const event, place)));
    let there = other.buffer(64);
    told.push(cl!(clEnqueueCopyBuffer(q, buffer, there, 0, 0, 4, 0, ptr::null(), place)));
    told.push(cl!(clEnqueueCopyBuffer(q, buffer, buffer, 0, 2, 4, 0, ptr::null(), place)));
    let mut code = 0;
    let at = cl!(clEnqueueMapBuffer(
        q,
        buffer,
        CL_TRUE,
        CL_MAP_READ,
        0,
        999,
        0,
        ptr::null(),
        place,
        &raw mut code
    ));
    told.push(code);
    told.push(i32::from(at.is_null()));
    told.push(cl!(clEnqueueUnmapMemObject(q, buffer, to, 0, ptr::null(), place)));
    told.push(cl!(clEnqueueMarker(q, place)));
    let mine = launched(q, kernel, 64, 16, &[]);
    // A runtime that does not look at contexts would wait for it.
    cl!(clSetUserEventStatus(event, CL_COMPLETE));
    told.push(wait(&[mine, event]));
    told.push(cl!(clSetEventCallback(mine, CL_QUEUED, None, null)));
    told.push(cl!(clGetEventInfo(mine, 0x9999, 4, to, ptr::null_mut())));
    told.push(cl!(clGetEventInfo(mine, CL_EVENT_COMMAND_TYPE, 1, to, ptr::null_mut())));
    told.push(cl!(clSetUserEventStatus(mine, CL_COMPLETE)));
    told.push(cl!(clSetKernelArg(kernel, 9, 4, to)));
    told.push(cl!(clSetKernelArg(kernel, 1, 3, to)));
    told.push(cl!(clFinish(q)));
    format!("{told:?} {}", digest(&kit.read(q, buffer, 64)))
}

/// Returns the OpenCL code for a query of the start of a launch that has not begun. Not every
/// runtime refuses it; the layer does.
pub(super) fn early_profile() -> String {
    let kit = Kit::with(CL_QUEUE_PROFILING_ENABLE);
    let buffer = kit.buffer(64);
    let kernel = kit.kernel("advance");
    set(kernel, &[Set::Memory(buffer), Set::Number(1)]);
    let gate = kit.user_event();
    let event = launched(kit.queue, kernel, 64, 16, &[gate]);
    let early = time(event, CL_PROFILING_COMMAND_START).0;
    cl!(clSetUserEventStatus(gate, CL_COMPLETE));
    wait(&[event]);
    early.to_string()
}

/// Asks for a time of an event's profile. Returns (OpenCL code, time in ns).
fn time(event: cl_event, what: cl_profiling_info) -> (cl_int, u64) {
    let mut time = 0_u64;
    let to: *mut c_void = (&raw mut time).cast();
    (cl!(clGetEventProfilingInfo(event, what, 8, to, ptr::null_mut())), time)
}

/// Launches with wait lists that are wrong, and returns the OpenCL codes. Not every runtime checks
/// these lists; the layer does.
pub(super) fn bad_wait_lists() -> String {
    let kit = Kit::new();
    let other = Kit::new();
    let buffer = kit.buffer(64);
    let kernel = kit.kernel("advance");
    set(kernel, &[Set::Memory(buffer), Set::Number(1)]);
    let (foreign, place) = (other.user_event(), ptr::null_mut());
    let raw = |count: u32, list: *const cl_event| {
        let (q, items) = (kit.queue, 64_usize);
        let none = ptr::null();
        cl!(clEnqueueNDRangeKernel(q, kernel, 1, none, &raw const items, none, count, list, place))
    };
    let told = [
        launch(kit.queue, kernel, 64, 16, &[ptr::null_mut()], place),
        launch(kit.queue, kernel, 64, 16, &[foreign], place),
        raw(1, ptr::null()),
        raw(0, &raw const foreign),
        cl!(clFinish(kit.queue)),
    ];
    format!("{told:?} {}", digest(&kit.read(kit.queue, buffer, 64)))
}

/// Returns the profile of a launch, and the answers of queries about its event.
pub(super) fn profile() -> String {
    let kit = Kit::with(CL_QUEUE_PROFILING_ENABLE);
    let buffer = kit.buffer(4096);
    let kernel = kit.kernel("advance");
    set(kernel, &[Set::Memory(buffer), Set::Number(500)]);
    let gate = kit.user_event();
    let event = launched(kit.queue, kernel, 4096, 64, &[gate]);
    cl!(clSetUserEventStatus(gate, CL_COMPLETE));
    wait(&[event]);
    let all = [
        CL_PROFILING_COMMAND_QUEUED,
        CL_PROFILING_COMMAND_SUBMIT,
        CL_PROFILING_COMMAND_START,
        CL_PROFILING_COMMAND_END,
    ];
    let times: Vec<_> = all.iter().map(|what| time(event, *what)).collect();
    let ordered = times.windows(2).all(|pair| pair[0].1 <= pair[1].1) && times[0].1 > 0;
    let codes: Vec<_> = times.iter().map(|time| time.0).collect();
    let mut task = ptr::null_mut();
    let put = kit.kernel("put");
    set(put, &[Set::Memory(buffer), Set::Number(0), Set::Number(5)]);
    let code = cl!(clEnqueueTask(kit.queue, put, 0, ptr::null(), &raw mut task));
    wait(&[task]);
    let mut read = ptr::null_mut();
    let mut to = [0_u32; 1];
    let place = to.as_mut_ptr().cast();
    cl!(clEnqueueReadBuffer(
        kit.queue,
        buffer,
        CL_FALSE,
        0,
        4,
        place,
        0,
        ptr::null(),
        &raw mut read
    ));
    wait(&[read]);
    let unprofiled = Kit::new();
    let other = unprofiled.buffer(64);
    let step = unprofiled.kernel("advance");
    set(step, &[Set::Memory(other), Set::Number(1)]);
    let without = launched(unprofiled.queue, step, 64, 16, &[]);
    wait(&[without]);
    format!(
        "{codes:?} {ordered} {code} {to:?} {} {} {} {}",
        said(&kit, event),
        said(&kit, task),
        said(&kit, read),
        time(without, CL_PROFILING_COMMAND_END).0
    )
}

/// Returns the answers of queries about an event, as text.
fn said(kit: &Kit, event: cl_event) -> String {
    let ask = |what| {
        let mut value = 0_u64;
        let to: *mut c_void = (&raw mut value).cast();
        let mut size = 0;
        assert_eq!(cl!(clGetEventInfo(event, what, 8, to, &raw mut size)), 0);
        (value, size)
    };
    let queue = ask(CL_EVENT_COMMAND_QUEUE).0 == kit.queue.addr() as u64;
    let context = ask(CL_EVENT_CONTEXT).0 == kit.context.addr() as u64;
    let before = ask(CL_EVENT_REFERENCE_COUNT).0;
    cl!(clRetainEvent(event));
    let counted = ask(CL_EVENT_REFERENCE_COUNT).0 - before;
    cl!(clReleaseEvent(event));
    let kind = ask(CL_EVENT_COMMAND_TYPE);
    format!("{queue} {context} {kind:x?} {counted} {}", status(event))
}

static CALLED: Mutex<Vec<(usize, cl_int)>> = Mutex::new(Vec::new());

unsafe extern "C" fn called(event: cl_event, status: cl_int, data: *mut c_void) {
    let right = event == *EVENT.lock().expect("no panic") as cl_event;
    CALLED.lock().expect("no panic").push((data.addr() + usize::from(!right) * 1000, status));
}

static EVENT: Mutex<usize> = Mutex::new(0);

/// Registers callbacks before and after the end of a launch, and returns which of them were called.
pub(super) fn callbacks() -> String {
    let kit = Kit::new();
    let buffer = kit.buffer(64);
    let kernel = kit.kernel("advance");
    set(kernel, &[Set::Memory(buffer), Set::Number(1)]);
    let gate = kit.user_event();
    let event = launched(kit.queue, kernel, 64, 16, &[gate]);
    *EVENT.lock().expect("no panic") = event.addr();
    let data = |number: usize| ptr::without_provenance_mut(number);
    let mut codes = vec![cl!(clSetEventCallback(event, CL_COMPLETE, Some(called), data(1)))];
    let early = CALLED.lock().expect("no panic").len();
    cl!(clSetUserEventStatus(gate, CL_COMPLETE));
    wait(&[event]);
    settle(1);
    codes.push(cl!(clSetEventCallback(event, CL_COMPLETE, Some(called), data(2))));
    settle(2);
    let all = CALLED.lock().expect("no panic").clone();
    format!("{codes:?} {early} {all:?}")
}

/// Waits until `count` callbacks were called, for 2 s at most, as a callback may come a little
/// later than the end of a launch.
fn settle(count: usize) {
    for _ in 0..1000 {
        if CALLED.lock().expect("no panic").len() >= count {
            return;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Returns the answers of queries about programs and kernels, as text.
pub(super) fn reflection() -> String {
    let kit = Kit::new();
    let kernel = kit.kernel("turn");
    let number = |size: usize, ask: &dyn Fn(usize, *mut c_void) -> cl_int| {
        let mut value = 0_u64;
        let code = ask(size, (&raw mut value).cast());
        (code, value)
    };
    let null: *mut usize = ptr::null_mut();
    let of_kernel =
        |what| number(4, &|size, to| cl!(clGetKernelInfo(kernel, what, size, to, null)));
    let name =
        text(|size, to, ret| cl!(clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, size, to, ret)));
    let argument =
        text(|size, to, ret| cl!(clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_NAME, size, to, ret)));
    let source =
        text(|size, to, ret| cl!(clGetProgramInfo(kit.program, CL_PROGRAM_SOURCE, size, to, ret)));
    let names = text(|size, to, ret| {
        cl!(clGetProgramInfo(kit.program, CL_PROGRAM_KERNEL_NAMES, size, to, ret))
    });
    let log = text(|size, to, ret| {
        cl!(clGetProgramBuildInfo(kit.program, kit.device, CL_PROGRAM_BUILD_LOG, size, to, ret))
    });
    let options = text(|size, to, ret| {
        cl!(clGetProgramBuildInfo(kit.program, kit.device, CL_PROGRAM_BUILD_OPTIONS, size, to, ret))
    });
    let group = |what| {
        number(8, &|size, to| {
            cl!(clGetKernelWorkGroupInfo(kernel, kit.device, what, size, to, null))
        })
    };
    let mut count = 0;
    let mut all: [cl_kernel; 16] = [ptr::null_mut(); 16];
    let told = cl!(clCreateKernelsInProgram(kit.program, 16, all.as_mut_ptr(), &raw mut count));
    let bad = kit.unbuilt("__kernel void f(__global int *x) { x[0] = nothing; }");
    let code =
        cl!(clBuildProgram(bad, 1, &raw const kit.device, ptr::null(), None, ptr::null_mut()));
    format!(
        "{name} {argument} {} {names} {log} {options} {:?} {:?} {:?} {told} {count} {code}",
        source == SOURCE,
        of_kernel(CL_KERNEL_NUM_ARGS),
        group(CL_KERNEL_WORK_GROUP_SIZE),
        group(CL_KERNEL_PRIVATE_MEM_SIZE),
    )
}
