//! Clients that end, or fork, while launches wait.

use std::ptr;
use std::sync::Mutex;
use std::thread::JoinHandle;

use opencl_sys::{cl_event, cl_mem};

use super::cl::cl;
use super::kit::{Kit, SOURCE, Set, digest, launched, set, wait};
use crate::run::ANSWER;

/// Returns while a launch waits for an event that is never set, so that the process ends then.
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

/// Returns while launches run, so that the process ends in the middle of them.
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

/// Returns while hundreds of short launches and copies are in two queues, so that the process ends
/// then; gives no object back.
pub(super) fn exit_with_all_in_hand() -> String {
    let kit = Kit::new();
    let (other, buffer) = (kit.queue(0), kit.buffer(4096));
    let kernel = kit.kernel("advance");
    set(kernel, &[Set::Memory(buffer), Set::Number(200)]);
    for round in 0..300 {
        let queue = if round % 3 == 0 { other } else { kit.queue };
        launched(queue, kernel, 4096, 64, &[]);
        if round % 50 == 49 {
            let (from, to) = (kit.buffer(64), kit.buffer(64));
            let null = ptr::null_mut();
            cl!(clEnqueueCopyBuffer(queue, from, to, 0, 0, 256, 0, ptr::null(), null));
        }
    }
    cl!(clFlush(kit.queue));
    cl!(clFlush(other));
    "ends".to_owned()
}

/// Thread that waits for the launches when the process ends, with its kit and the address of their
/// buffer.
static LAST: Mutex<Option<(JoinHandle<()>, Kit, usize)>> = Mutex::new(None);

/// Joins the thread that waits for the launches, launches once more, and prints what the launches
/// left in the buffer.
extern "C" fn read_at_the_end() {
    let Ok(Some((waits, kit, buffer))) = LAST.lock().map(|mut last| last.take()) else { return };
    assert!(waits.join().is_ok());
    let buffer: cl_mem = ptr::with_exposed_provenance_mut(buffer);
    let kernel = kit.kernel("advance");
    set(kernel, &[Set::Memory(buffer), Set::Number(1)]);
    cl!(clReleaseEvent(launched(kit.queue, kernel, 4096, 64, &[])));
    let text = format!("{ANSWER}{}\n", digest(&kit.read(kit.queue, buffer, 4096)));
    // SAFETY: the text has this length. What the test harness prints with is gone.
    unsafe { libc::write(1, text.as_ptr().cast(), text.len()) };
}

/// Returns while a thread waits for launches, so that the process ends then; a handler, registered
/// before the program is built, joins the thread, launches once more and reads the buffer.
pub(super) fn read_when_all_ends() -> String {
    let kit = Kit::new();
    // SAFETY: the handler may be called at any time.
    assert_eq!(unsafe { libc::atexit(read_at_the_end) }, 0);
    let program = kit.program(SOURCE);
    let buffer = kit.buffer(4096);
    let kernel = Kit::kernel_of(program, "advance");
    set(kernel, &[Set::Memory(buffer), Set::Number(4000)]);
    let queue = kit.queue.expose_provenance();
    for _ in 0..40 {
        cl!(clReleaseEvent(launched(kit.queue, kernel, 4096, 64, &[])));
    }
    let waits = std::thread::Builder::new().spawn(move || {
        cl!(clFinish(ptr::with_exposed_provenance_mut(queue)));
    });
    let waits = waits.expect("a thread");
    if let Ok(mut last) = LAST.lock() {
        *last = Some((waits, kit, buffer.expose_provenance()));
    }
    "ends".to_owned()
}

/// Starts a child of the process, which ends at once and calls nothing of OpenCL, while launches
/// run in the parent, and returns the status and the result of these launches.
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
