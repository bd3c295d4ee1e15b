//! Clients that give objects back early, make them again, and use what has no source.

use std::ffi::c_void;
use std::ptr;

use opencl_sys::*;

use super::cl::{cl, loader};
use super::kit::{Kit, SOURCE, Set, digest, launched, set, wait};

/// Gives everything but one buffer back as soon as the launches are enqueued, and returns the
/// result in that buffer.
pub(super) fn release_early() -> String {
    let kit = Kit::new();
    let (from, to) = (kit.buffer(4096), kit.buffer(4096));
    let program = kit.program(SOURCE);
    let queue = kit.queue(0);
    let gate = kit.user_event();
    let mut last: cl_event = ptr::null_mut();
    for round in 0..12_u32 {
        let between = kit.buffer(4096);
        let (first, second) =
            (Kit::kernel_of(program, "spread"), Kit::kernel_of(program, "spread"));
        set(first, &[Set::Memory(from), Set::Memory(between), Set::Number(round)]);
        set(second, &[Set::Memory(between), Set::Memory(to), Set::Number(3)]);
        let event = launched(queue, first, 4096, 64, &[gate]);
        cl!(clReleaseEvent(event));
        if !last.is_null() {
            cl!(clReleaseEvent(last));
        }
        last = launched(queue, second, 4096, 64, &[]);
        cl!(clReleaseKernel(first));
        cl!(clReleaseKernel(second));
        cl!(clReleaseMemObject(between));
    }
    cl!(clReleaseMemObject(from));
    cl!(clReleaseProgram(program));
    cl!(clReleaseCommandQueue(queue));
    cl!(clSetUserEventStatus(gate, CL_COMPLETE));
    cl!(clReleaseEvent(gate));
    let told = wait(&[last]);
    format!("{told} {}", digest(&kit.read(kit.queue, to, 4096)))
}

/// Makes and frees objects whose handles come again, and returns the results of their launches.
pub(super) fn handles_come_again() -> String {
    let kit = Kit::new();
    let buffer = kit.buffer(256);
    for round in 0..150_u32 {
        let queue = kit.queue(0);
        let kernel = kit.kernel(if round % 2 == 0 { "advance" } else { "put" });
        let second = if round % 2 == 0 { Set::Number(round) } else { Set::Number(round % 256) };
        set(kernel, &[Set::Memory(buffer), second]);
        if round % 2 == 1 {
            let value = round * 3;
            cl!(clSetKernelArg(kernel, 2, 4, (&raw const value).cast()));
        }
        let items = if round % 2 == 0 { 256 } else { 1 };
        let event = launched(queue, kernel, items, 1, &[]);
        cl!(clReleaseKernel(kernel));
        assert_eq!(wait(&[event]), 0);
        cl!(clReleaseEvent(event));
        cl!(clReleaseCommandQueue(queue));
    }
    for _ in 0..3 {
        let program = kit.program("__kernel void one(__global uint *x) { x[0] += 1; }");
        let kernel = Kit::kernel_of(program, "one");
        set(kernel, &[Set::Memory(buffer)]);
        cl!(clReleaseEvent(launched(kit.queue, kernel, 1, 1, &[])));
        cl!(clReleaseKernel(kernel));
        cl!(clReleaseProgram(program));
    }
    digest(&kit.read(kit.queue, buffer, 256))
}

/// Changes the arguments of a kernel between its launches, and returns the results: each launch has
/// the arguments of its call.
pub(super) fn arguments_at_the_launch() -> String {
    let kit = Kit::new();
    let buffers: Vec<cl_mem> = (0..4).map(|_| kit.buffer(64)).collect();
    let kernel = kit.kernel("put");
    let gate = kit.user_event();
    let mut last = launched_put(&kit, kernel, &buffers, 0, &[gate]);
    for round in 1..64 {
        cl!(clReleaseEvent(last));
        last = launched_put(&kit, kernel, &buffers, round, &[]);
    }
    cl!(clSetUserEventStatus(gate, CL_COMPLETE));
    wait(&[last]);
    let mut code = 0;
    let copy = if loader().clCloneKernel.is_some() {
        cl!(clCloneKernel(kernel, &raw mut code))
    } else {
        kernel
    };
    set(kernel, &[Set::Memory(buffers[0]), Set::Number(1), Set::Number(77)]);
    cl!(clReleaseEvent(launched(kit.queue, copy, 1, 1, &[])));
    let all: Vec<u32> =
        buffers.iter().flat_map(|buffer| kit.read(kit.queue, *buffer, 64)).collect();
    format!("{code} {}", digest(&all))
}

fn launched_put(
    kit: &Kit,
    kernel: cl_kernel,
    buffers: &[cl_mem],
    round: u32,
    behind: &[cl_event],
) -> cl_event {
    let buffer = buffers[round as usize % buffers.len()];
    set(kernel, &[Set::Memory(buffer), Set::Number(round), Set::Number(round * 7 + 1)]);
    launched(kit.queue, kernel, 1, 1, behind)
}

/// Runs launches with null in the place of a buffer, in both forms that OpenCL has for it, among
/// launches with a buffer.
pub(super) fn null_buffers() -> String {
    let kit = Kit::new();
    let program = kit.program(
        "__kernel void add(__global const uint *from, __global uint *to, uint is_there) {
            size_t i = get_global_id(0);
            to[i] = to[i] * 3u + (is_there ? from[i] : 1u);
        }",
    );
    let kernel = Kit::kernel_of(program, "add");
    let (from, to) = (kit.buffer(64), kit.buffer(64));
    let mut last: cl_event = ptr::null_mut();
    for round in 0..60_u32 {
        let given = if round % 3 == 0 { from } else { ptr::null_mut() };
        set(kernel, &[Set::Memory(given), Set::Memory(to), Set::Number((round % 3 == 0).into())]);
        if round % 3 == 2 {
            cl!(clSetKernelArg(kernel, 0, size_of::<cl_mem>(), ptr::null()));
        }
        let behind = if last.is_null() { vec![] } else { vec![last] };
        let event = launched(kit.queue, kernel, 64, 16, &behind);
        if !last.is_null() {
            cl!(clReleaseEvent(last));
        }
        last = event;
    }
    format!("{} {}", wait(&[last]), digest(&kit.read(kit.queue, to, 64)))
}

/// Runs launches of programs from a binary, with a macro, with kernels that call each other, and
/// linked ones, and returns their results.
pub(super) fn without_source() -> String {
    let kit = Kit::new();
    let mut size = 0_usize;
    let null: *mut c_void = ptr::null_mut();
    cl!(clGetProgramInfo(
        kit.program,
        CL_PROGRAM_BINARY_SIZES,
        8,
        (&raw mut size).cast(),
        null.cast()
    ));
    let mut binary = vec![0_u8; size];
    let mut place: *mut u8 = binary.as_mut_ptr();
    cl!(clGetProgramInfo(
        kit.program,
        CL_PROGRAM_BINARIES,
        8,
        (&raw mut place).cast(),
        null.cast()
    ));
    let (mut told, mut code) = (0, 0);
    let mut from: *const u8 = binary.as_ptr();
    let program = cl!(clCreateProgramWithBinary(
        kit.context,
        1,
        &raw const kit.device,
        &raw const size,
        &raw mut from,
        &raw mut told,
        &raw mut code
    ));
    let built = cl!(clBuildProgram(program, 1, &raw const kit.device, ptr::null(), None, null));
    let buffer = kit.buffer(256);
    let run = |program, name: &str| {
        let kernel = Kit::kernel_of(program, name);
        set(kernel, &[Set::Memory(buffer), Set::Number(5)]);
        cl!(clReleaseEvent(launched(kit.queue, kernel, 256, 64, &[])));
    };
    run(program, "advance");
    let body = "{ size_t i = get_global_id(0); x[i] = x[i] * 3 + n; }";
    let makro = format!("#define HEAD __kernel void\nHEAD made(__global uint *x, uint n) {body}");
    run(kit.program(&makro), "made");
    let calls = format!(
        "__kernel void inner(__global uint *x, uint n) {body}\n__kernel void outer(__global uint *x, uint n) {{ inner(x, n + 1); }}"
    );
    let calling = kit.program(&calls);
    run(calling, "outer");
    run(calling, "inner");
    let part = kit.unbuilt(&format!("__kernel void linked(__global uint *x, uint n) {body}"));
    let compiled = cl!(clCompileProgram(
        part,
        1,
        &raw const kit.device,
        ptr::null(),
        0,
        ptr::null(),
        ptr::null_mut(),
        None,
        null
    ));
    let whole = cl!(clLinkProgram(
        kit.context,
        1,
        &raw const kit.device,
        ptr::null(),
        1,
        &raw const part,
        None,
        null,
        &raw mut code
    ));
    run(whole, "linked");
    format!("{told} {built} {compiled} {code} {}", digest(&kit.read(kit.queue, buffer, 256)))
}

unsafe extern "C" fn native(arguments: *mut c_void) {
    // SAFETY: the runtime hands over what was given: an address and a number.
    unsafe {
        let to = arguments.cast::<*mut u32>().read();
        *to += 11;
    }
}

/// Enqueues every kind of command that goes through a lane (a queue that the layer schedules in
/// order), without a wait in between, and returns the codes and the results.
pub(super) fn copies_in_order() -> String {
    let kit = Kit::new();
    let (a, b) = (kit.buffer(256), kit.buffer(256));
    let kernel = kit.kernel("advance");
    let (q, none, null) = (kit.queue, ptr::null(), ptr::null_mut());
    let mut codes = Vec::new();
    let mut read = vec![0_u32; 256];
    let sent: Vec<u32> = (0..256).map(|number| number * 7).collect();
    for round in 0..8_u32 {
        set(kernel, &[Set::Memory(a), Set::Number(round)]);
        cl!(clReleaseEvent(launched(q, kernel, 256, 64, &[])));
        codes.push(cl!(clEnqueueCopyBuffer(q, a, b, 0, 0, 1024, 0, none, null)));
        set(kernel, &[Set::Memory(b), Set::Number(round + 1)]);
        cl!(clReleaseEvent(launched(q, kernel, 256, 64, &[])));
        let pattern = round;
        codes.push(cl!(clEnqueueFillBuffer(
            q,
            b,
            (&raw const pattern).cast(),
            4,
            64,
            64,
            0,
            none,
            null
        )));
        let (at, there, region) = ([0_usize, 0, 0], [128_usize, 1, 0], [64_usize, 4, 1]);
        codes.push(cl!(clEnqueueCopyBufferRect(
            q,
            b,
            a,
            at.as_ptr(),
            there.as_ptr(),
            region.as_ptr(),
            64,
            0,
            64,
            0,
            0,
            none,
            null
        )));
        set(kernel, &[Set::Memory(a), Set::Number(1)]);
        cl!(clReleaseEvent(launched(q, kernel, 256, 64, &[])));
        let to: *mut c_void = read.as_mut_ptr().cast();
        codes.push(cl!(clEnqueueReadBuffer(q, a, CL_FALSE, 0, 1024, to, 0, none, null)));
        // Of memory that nothing changes meanwhile: a runtime may take it at the call.
        let from: *const c_void = sent.as_ptr().cast();
        codes.push(cl!(clEnqueueWriteBuffer(q, b, CL_FALSE, 256, 256, from, 0, none, null)));
        let mut code = 0;
        let at = cl!(clEnqueueMapBuffer(
            q,
            b,
            CL_TRUE,
            CL_MAP_READ | CL_MAP_WRITE,
            0,
            1024,
            0,
            none,
            null,
            &raw mut code
        ));
        codes.push(code);
        // SAFETY: the map has so many numbers.
        unsafe { *at.cast::<u32>().add(3) += 9 };
        codes.push(cl!(clEnqueueUnmapMemObject(q, b, at, 0, none, null)));
    }
    let mut given = read.as_mut_ptr();
    let to: *mut c_void = (&raw mut given).cast();
    codes.push(cl!(clEnqueueNativeKernel(
        q,
        Some(native),
        to,
        8,
        0,
        ptr::null(),
        null.cast(),
        0,
        none,
        null
    )));
    codes.push(cl!(clFinish(q)));
    codes.dedup();
    let all = [kit.read(q, a, 256), kit.read(q, b, 256), read].concat();
    format!("{codes:?} {}", digest(&all))
}

/// Runs a launch that reads an image by a sampler; both are given back before the launch has run.
pub(super) fn images() -> String {
    let kit = Kit::new();
    let program = kit.program(
        "__kernel void look(read_only image2d_t from, sampler_t by, __global uint *to) {
           int2 at = (int2)(get_global_id(0), get_global_id(1));
           to[at.y * 16 + at.x] = read_imageui(from, by, at + (int2)(1, 0)).x;
         }",
    );
    let numbers: Vec<u32> = (0..256).map(|n| n * n).collect();
    let format =
        cl_image_format { image_channel_order: CL_R, image_channel_data_type: CL_UNSIGNED_INT32 };
    // SAFETY: zero is a value of every field.
    let mut shape: cl_image_desc = unsafe { std::mem::zeroed() };
    (shape.image_type, shape.image_width, shape.image_height) = (CL_MEM_OBJECT_IMAGE2D, 16, 16);
    let mut code = 0;
    let image = cl!(clCreateImage(
        kit.context,
        CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
        &raw const format,
        &raw const shape,
        numbers.as_ptr().cast_mut().cast(),
        &raw mut code
    ));
    let sampler = cl!(clCreateSampler(
        kit.context,
        CL_FALSE,
        CL_ADDRESS_CLAMP_TO_EDGE,
        CL_FILTER_NEAREST,
        &raw mut code
    ));
    let to = kit.buffer(256);
    let kernel = Kit::kernel_of(program, "look");
    set(kernel, &[Set::Memory(image), Set::Memory(sampler), Set::Memory(to)]);
    let gate = kit.user_event();
    let (global, local) = ([16_usize, 16], [4_usize, 4]);
    let told = cl!(clEnqueueNDRangeKernel(
        kit.queue,
        kernel,
        2,
        ptr::null(),
        global.as_ptr(),
        local.as_ptr(),
        1,
        &raw const gate,
        ptr::null_mut()
    ));
    cl!(clReleaseMemObject(image));
    cl!(clReleaseSampler(sampler));
    cl!(clReleaseKernel(kernel));
    cl!(clSetUserEventStatus(gate, CL_COMPLETE));
    format!("{code} {told} {}", digest(&kit.read(kit.queue, to, 256)))
}

/// Uses shared virtual memory as an argument, in copies and in maps, and gives it back by an
/// enqueued call.
pub(super) fn shared_memory() -> String {
    let kit = Kit::new();
    if loader().clSVMAlloc.is_none() {
        return "none".to_owned();
    }
    let flags = CL_MEM_READ_WRITE;
    let (a, b) = (
        cl!(clSVMAlloc(kit.context, flags, 1024, 0)),
        cl!(clSVMAlloc(kit.context, flags, 1024, 0)),
    );
    if a.is_null() || b.is_null() {
        return "none".to_owned();
    }
    let (q, none, null) = (kit.queue, ptr::null(), ptr::null_mut());
    let pattern = 5_u32;
    let mut codes =
        vec![cl!(clEnqueueSVMMemFill(q, a, (&raw const pattern).cast(), 4, 1024, 0, none, null))];
    let kernel = kit.kernel("advance");
    codes.push(cl!(clSetKernelArgSVMPointer(kernel, 0, a)));
    let rounds = 7_u32;
    codes.push(cl!(clSetKernelArg(kernel, 1, 4, (&raw const rounds).cast())));
    for _ in 0..5 {
        cl!(clReleaseEvent(launched(q, kernel, 256, 64, &[])));
    }
    codes.push(cl!(clEnqueueSVMMemcpy(q, CL_FALSE, b, a, 1024, 0, none, null)));
    codes.push(cl!(clEnqueueSVMMap(q, CL_TRUE, CL_MAP_READ, b, 1024, 0, none, null)));
    // SAFETY: the map has so many numbers.
    let seen = unsafe { std::slice::from_raw_parts(b.cast::<u32>(), 256) }.to_vec();
    codes.push(cl!(clEnqueueSVMUnmap(q, b, 0, none, null)));
    let mut all = [a];
    codes.push(cl!(clEnqueueSVMFree(q, 1, all.as_mut_ptr(), None, ptr::null_mut(), 0, none, null)));
    codes.push(cl!(clFinish(q)));
    cl!(clSVMFree(kit.context, b));
    format!("{codes:?} {}", digest(&seen))
}
