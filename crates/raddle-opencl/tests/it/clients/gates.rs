//! Clients whose commands wait for events of the program.

use std::ptr;
use std::time::Duration;

use opencl_sys::*;

use super::cl::cl;
use super::kit::{Kit, Set, digest, launched, set, status, wait};

/// Waits for 60 ms, long enough that commands which may run have begun.
fn pause() {
    std::thread::sleep(Duration::from_millis(60));
}

/// Runs a chain of launches that goes to and fro between two queues, and returns what it leaves.
pub(super) fn across_queues() -> String {
    let kit = Kit::new();
    let other = kit.queue(0);
    let buffer = kit.buffer(4096);
    let kernel = kit.kernel("advance");
    set(kernel, &[Set::Memory(buffer), Set::Number(2000)]);
    let mut last = launched(kit.queue, kernel, 4096, 64, &[]);
    for round in 0..60 {
        let queue = if round % 2 == 0 { other } else { kit.queue };
        let next = launched(queue, kernel, 4096, 64, &[last]);
        cl!(clReleaseEvent(last));
        last = next;
    }
    let told = wait(&[last]);
    format!("{told} {}", digest(&kit.read(kit.queue, buffer, 4096)))
}

/// Enqueues launches behind a user event, and returns whether any of them begins before the event
/// is set.
pub(super) fn gate() -> String {
    let kit = Kit::new();
    let buffer = kit.buffer(256);
    let kernel = kit.kernel("advance");
    set(kernel, &[Set::Memory(buffer), Set::Number(3)]);
    let gate = kit.user_event();
    let first = launched(kit.queue, kernel, 256, 64, &[gate]);
    let second = launched(kit.queue, kernel, 256, 64, &[]);
    cl!(clFlush(kit.queue));
    pause();
    let before = (status(first) > CL_RUNNING, status(second) > CL_RUNNING);
    assert_eq!(cl!(clSetUserEventStatus(gate, CL_COMPLETE)), 0);
    let told = wait(&[second, first]);
    let after = (status(first), status(second));
    format!("{before:?} {told} {after:?} {}", digest(&kit.read(kit.queue, buffer, 256)))
}

/// Finishes one queue while a launch of another queue waits, and returns the statuses of the
/// launches of both.
pub(super) fn finish_of_one_queue() -> String {
    let kit = Kit::new();
    let other = kit.queue(0);
    let (buffer, held) = (kit.buffer(256), kit.buffer(256));
    let (kernel, waiting) = (kit.kernel("advance"), kit.kernel("advance"));
    set(kernel, &[Set::Memory(buffer), Set::Number(3)]);
    set(waiting, &[Set::Memory(held), Set::Number(3)]);
    let gate = kit.user_event();
    let first = launched(kit.queue, waiting, 256, 64, &[gate]);
    let second = launched(other, kernel, 256, 64, &[]);
    let told = cl!(clFinish(other));
    let between = (status(first) > CL_RUNNING, status(second));
    cl!(clSetUserEventStatus(gate, CL_COMPLETE));
    format!("{told} {between:?} {} {}", cl!(clFinish(kit.queue)), status(first))
}

/// Enqueues more launches that wait for an event than the layer submits at a time, and returns
/// whether launches of another queue run nevertheless.
pub(super) fn window_full_of_gated() -> String {
    let kit = Kit::new();
    let other = kit.queue(0);
    let (buffer, held) = (kit.buffer(256), kit.buffer(256));
    let (kernel, waiting) = (kit.kernel("advance"), kit.kernel("advance"));
    set(kernel, &[Set::Memory(buffer), Set::Number(3)]);
    set(waiting, &[Set::Memory(held), Set::Number(3)]);
    let gate = kit.user_event();
    let gated: Vec<_> = (0..40).map(|_| launched(kit.queue, waiting, 256, 64, &[gate])).collect();
    let free = launched(other, kernel, 256, 64, &[]);
    let told = wait(&[free]);
    let between = status(gated[0]) > CL_RUNNING;
    cl!(clSetUserEventStatus(gate, CL_COMPLETE));
    let told = (told, wait(&gated));
    format!("{told:?} {between} {}", digest(&kit.read(kit.queue, held, 256)))
}

/// Makes calls that do not block behind a launch that waits, and returns whether they return before
/// the launch may run.
pub(super) fn nonblocking_behind_gated() -> String {
    let kit = Kit::new();
    let (buffer, copy) = (kit.buffer(64), kit.buffer(64));
    let kernel = kit.kernel("advance");
    set(kernel, &[Set::Memory(buffer), Set::Number(1)]);
    let gate = kit.user_event();
    let first = launched(kit.queue, kernel, 64, 16, &[gate]);
    let mut events = [ptr::null_mut(); 7];
    let (none, mut to, seven) = (ptr::null(), [0_u32; 64], 7_u32);
    let bytes = 256;
    let mut code = [0; 7];
    let q = kit.queue;
    let event = |at: usize, events: &mut [cl_event; 7]| &raw mut events[at];
    code[0] = cl!(clEnqueueReadBuffer(
        q,
        buffer,
        CL_FALSE,
        0,
        bytes,
        to.as_mut_ptr().cast(),
        0,
        none,
        event(0, &mut events)
    ));
    code[1] =
        cl!(clEnqueueCopyBuffer(q, buffer, copy, 0, 0, bytes, 0, none, event(1, &mut events)));
    code[2] = cl!(clEnqueueFillBuffer(
        q,
        copy,
        (&raw const seven).cast(),
        4,
        0,
        16,
        0,
        none,
        event(2, &mut events)
    ));
    code[3] = cl!(clEnqueueMarkerWithWaitList(q, 0, none, event(3, &mut events)));
    code[4] = cl!(clEnqueueBarrierWithWaitList(q, 0, none, event(4, &mut events)));
    let mapped = cl!(clEnqueueMapBuffer(
        q,
        copy,
        CL_FALSE,
        CL_MAP_READ,
        0,
        bytes,
        0,
        none,
        event(5, &mut events),
        &raw mut code[5]
    ));
    code[6] = cl!(clEnqueueMigrateMemObjects(
        q,
        1,
        &raw const copy,
        CL_MIGRATE_MEM_OBJECT_HOST,
        0,
        none,
        event(6, &mut events)
    ));
    pause();
    let before: Vec<bool> = events.iter().map(|event| status(*event) > CL_RUNNING).collect();
    let early = (to, mapped.is_null());
    cl!(clSetUserEventStatus(gate, CL_COMPLETE));
    let told = (wait(&[first]), wait(&events));
    // SAFETY: the map has so many numbers, and its event has ended.
    let seen = unsafe { std::slice::from_raw_parts(mapped.cast::<u32>(), 64) }.to_vec();
    let unmapped = cl!(clEnqueueUnmapMemObject(q, copy, mapped, 0, none, ptr::null_mut()));
    format!(
        "{code:?} {before:?} {} {told:?} {} {} {unmapped} {}",
        early.0.iter().all(|&one| one == 0) && !early.1,
        digest(&to),
        digest(&seen),
        cl!(clFinish(q))
    )
}

/// Enqueues a marker behind a launch that waits, by both calls for markers, and returns the
/// statuses.
pub(super) fn marker_behind_gated() -> String {
    let kit = Kit::new();
    let buffer = kit.buffer(64);
    let kernel = kit.kernel("advance");
    set(kernel, &[Set::Memory(buffer), Set::Number(1)]);
    let gate = kit.user_event();
    let first = launched(kit.queue, kernel, 64, 16, &[gate]);
    let (mut old, mut new) = (ptr::null_mut(), ptr::null_mut());
    let codes = (
        cl!(clEnqueueMarker(kit.queue, &raw mut old)),
        cl!(clEnqueueBarrier(kit.queue)),
        cl!(clEnqueueMarkerWithWaitList(kit.queue, 1, &raw const first, &raw mut new)),
    );
    let before = (status(old) > CL_RUNNING, status(new) > CL_RUNNING);
    cl!(clSetUserEventStatus(gate, CL_COMPLETE));
    format!("{codes:?} {before:?} {} {}", wait(&[old, new]), status(first))
}

/// Fails the event for which commands wait, and returns their statuses: they fail too, and are not
/// run.
pub(super) fn failing_gate() -> String {
    let kit = Kit::new();
    let other = kit.queue(0);
    let buffer = kit.buffer(64);
    let (kernel, free) = (kit.kernel("advance"), kit.kernel("advance"));
    let untouched = kit.buffer(64);
    set(kernel, &[Set::Memory(buffer), Set::Number(1)]);
    set(free, &[Set::Memory(untouched), Set::Number(1)]);
    let gate = kit.user_event();
    let first = launched(kit.queue, kernel, 64, 16, &[gate]);
    let second = launched(other, kernel, 64, 16, &[first]);
    let mut read = ptr::null_mut();
    let mut to = [7_u32; 64];
    let code = cl!(clEnqueueReadBuffer(
        other,
        buffer,
        CL_FALSE,
        0,
        256,
        to.as_mut_ptr().cast(),
        1,
        &raw const second,
        &raw mut read
    ));
    cl!(clSetUserEventStatus(gate, -7));
    let told = (wait(&[first]), wait(&[second]), wait(&[read]));
    let failed = (status(first) < 0, status(second) < 0, status(read) < 0);
    // Another queue, which has nothing that failed.
    let third = kit.queue(0);
    let seen = digest(&kit.read(third, buffer, 64));
    format!("{code} {told:?} {failed:?} {seen} {}", to.iter().all(|&one| one == 7))
}

/// Launches behind events that have ended before the call, and returns how the launches end.
pub(super) fn gates_that_are_over() -> String {
    let kit = Kit::new();
    let buffer = kit.buffer(64);
    let kernel = kit.kernel("advance");
    set(kernel, &[Set::Memory(buffer), Set::Number(1)]);
    let gate = kit.user_event();
    cl!(clSetUserEventStatus(gate, CL_COMPLETE));
    let first = launched(kit.queue, kernel, 64, 16, &[gate, gate]);
    let told = wait(&[first]);
    let second = launched(kit.queue, kernel, 64, 16, &[first, gate]);
    format!("{told} {} {}", wait(&[first, second]), digest(&kit.read(kit.queue, buffer, 64)))
}

/// Runs a chain of launches that goes to and fro between a queue in order and one out of order;
/// then launches a kernel behind a waiting one in the latter, which it may overtake.
pub(super) fn out_of_order() -> String {
    let kit = Kit::new();
    let free = kit.queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    let buffer = kit.buffer(256);
    let kernel = kit.kernel("advance");
    set(kernel, &[Set::Memory(buffer), Set::Number(50)]);
    let mut last = launched(kit.queue, kernel, 256, 64, &[]);
    for _ in 0..20 {
        let there = launched(free, kernel, 256, 64, &[last]);
        let back = launched(kit.queue, kernel, 256, 64, &[there]);
        cl!(clReleaseEvent(last));
        cl!(clReleaseEvent(there));
        last = back;
    }
    // A later one may overtake one that waits; not every runtime lets it.
    let gate = kit.user_event();
    let behind = launched(free, kernel, 256, 64, &[gate, last]);
    let (own, alone) = (kit.buffer(256), kit.kernel("advance"));
    set(alone, &[Set::Memory(own), Set::Number(3)]);
    let overtakes = launched(free, alone, 256, 64, &[]);
    for _ in 0..500 {
        if status(overtakes) <= CL_COMPLETE {
            break;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let overtook = status(overtakes);
    let held = status(behind) > CL_RUNNING;
    cl!(clSetUserEventStatus(gate, CL_COMPLETE));
    let told = (wait(&[overtakes]), wait(&[behind]), cl!(clFinish(free)), cl!(clFinish(kit.queue)));
    format!("{told:?} {overtook} {held} {}", digest(&kit.read(kit.queue, buffer, 256)))
}
