//! Clients that end, or fork, while launches wait.

use std::ptr;

use opencl_sys::cl_event;

use super::cl::cl;
use super::kit::{Kit, Set, digest, launched, set, wait};

/// The process ends though a launch waits for an event that is never set.
pub(super) fn exit_while_launches_wait() -> String {
    let kit = Kit::new();
    let other = kit.queue(0);
    let buffer = kit.buffer(256);
    let kernel = kit.kernel("advance");
    set(kernel, &[Set::Memory(buffer), Set::Number(3)]);
    let done = launched(kit.queue, kernel, 256, 64, &[]);
    let told = wait(&[done]);
    let gate = kit.user_event();
    let seen = digest(&kit.read(kit.queue, buffer, 256));
    for _ in 0..20 {
        cl!(clReleaseEvent(launched(other, kernel, 256, 64, &[gate])));
    }
    cl!(clFlush(other));
    format!("{told} {seen}")
}

/// The process ends in the middle of launches that run.
pub(super) fn exit_while_launches_run() -> String {
    let kit = Kit::new();
    let buffer = kit.buffer(4096);
    let kernel = kit.kernel("advance");
    set(kernel, &[Set::Memory(buffer), Set::Number(20_000)]);
    for _ in 0..40 {
        cl!(clReleaseEvent(launched(kit.queue, kernel, 4096, 64, &[])));
    }
    cl!(clFlush(kit.queue));
    "ends".to_owned()
}

/// A child of the process, which calls nothing, ends at once; the parent goes on.
pub(super) fn fork_while_launches_run() -> String {
    let kit = Kit::new();
    let buffer = kit.buffer(4096);
    let kernel = kit.kernel("advance");
    set(kernel, &[Set::Memory(buffer), Set::Number(5000)]);
    let mut last: cl_event = ptr::null_mut();
    for round in 0..30 {
        if !last.is_null() {
            cl!(clReleaseEvent(last));
        }
        last = launched(kit.queue, kernel, 4096, 64, &[]);
        if round == 10 {
            // The shell is forked and begins; nothing of OpenCL is called between.
            let told = std::process::Command::new("true").status();
            assert!(told.is_ok_and(|status| status.success()));
        }
    }
    format!("{} {}", wait(&[last]), digest(&kit.read(kit.queue, buffer, 4096)))
}
