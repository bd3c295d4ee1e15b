//! From when on must the layer's threads no longer call the runtime?
//!
//! A program may end while launches wait. Then the runtime's destructors run, and a thread of the
//! layer that calls the runtime would use objects that are gone. So such a thread takes a *pass*
//! for each call, and once the program ends it gets no pass: it waits until the process is gone. A
//! thread of the program may still call the layer, in a destructor for example. Then the runtime
//! must be alive, as without the layer: while that thread is in the layer, passes are given, so
//! that the work ends for which it waits.
//!
//! Nobody knows when a runtime registers its last destructor: some do at the first build, or the
//! first launch. The handler that stops the layer's threads must run before them, and handlers run
//! in the opposite order of registration, so it is registered again after each such step.

use std::cell::Cell;
use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

unsafe extern "C" {
    fn atexit(function: extern "C" fn()) -> c_int;
}

/// Id of the process that registered the exit function of the layer. In a forked child the function
/// must do nothing: the child has no threads of the layer, but copies of log text that is not
/// written yet.
static OWNER: AtomicU32 = AtomicU32::new(0);
/// Function that writes out and ends the logs, called at the end of the program.
static LOGS: OnceLock<fn()> = OnceLock::new();
/// True once the program that uses the layer has begun to end.
static ENDED: AtomicBool = AtomicBool::new(false);
/// Number of threads of the layer that have the right (a pass) to call the runtime now.
static PASSES: AtomicU32 = AtomicU32::new(0);
/// Number of threads of the program that are in a call of the layer.
static VISITORS: AtomicU32 = AtomicU32::new(0);
/// Lock and condition for threads of the layer that want to call the runtime while the program
/// ends. They wait until a thread of the program enters the layer.
static GATE: (Mutex<()>, Condvar) = (Mutex::new(()), Condvar::new());

thread_local! {
    /// Number of rights (taken one inside the other) to call the layer or the OpenCL runtime that
    /// this thread holds; a nested call adds one.
    static INSIDE: Cell<u32> = const { Cell::new(0) };
    /// True on the layer's threads that call callbacks of the program or complete events. Their
    /// calls of the layer while the program ends do not let other threads call the runtime, as the
    /// runtime's destructors do not wait for these threads.
    static CALLS_BACK: Cell<bool> = const { Cell::new(false) };
}

/// Right of a thread to call the layer or the OpenCL runtime while a program may be ending; the
/// thread has it as long as this value exists. The counter is decremented when the value is
/// dropped; `None` for a nested right, which is not counted.
pub(crate) struct Right(Option<&'static AtomicU32>);

impl Right {
    /// Returns a right for this thread, and adds one to `counted`, unless the thread holds another
    /// right already.
    fn of(counted: &'static AtomicU32) -> Self {
        let outermost = INSIDE.replace(INSIDE.get() + 1) == 0;
        if outermost {
            counted.fetch_add(1, Ordering::SeqCst);
        }
        Self(outermost.then_some(counted))
    }
}

impl Drop for Right {
    fn drop(&mut self) {
        INSIDE.set(INSIDE.get() - 1);
        let Some(counted) = self.0 else { return };
        let last = counted.fetch_sub(1, Ordering::SeqCst) == 1;
        if last && std::ptr::eq(counted, &raw const VISITORS) && ENDED.load(Ordering::SeqCst) {
            drain();
        }
    }
}

/// Returns the right of a thread of the program to call the layer. While the right exists, the
/// layer's own threads may call the runtime too, even if the program ends. `None` on a thread of
/// the layer that calls the program back.
pub(crate) fn visit() -> Option<Right> {
    if CALLS_BACK.get() {
        return None;
    }
    let visit = Right::of(&VISITORS);
    if ENDED.load(Ordering::SeqCst) {
        let _waiting = gate();
        GATE.1.notify_all();
    }
    Some(visit)
}

/// Returns the right of a thread of the runtime to call the layer. It is not counted, so the end of
/// the program does not wait for this thread.
pub(crate) fn called_by_runtime() -> Right {
    INSIDE.set(INSIDE.get() + 1);
    Right(None)
}

/// Returns the right of one of the layer's threads to call the runtime. While the program ends,
/// this call blocks until a thread of the program is in the layer.
pub(crate) fn pass() -> Right {
    let may = || !ENDED.load(Ordering::SeqCst) || VISITORS.load(Ordering::SeqCst) > 0;
    loop {
        let pass = Right::of(&PASSES);
        if pass.0.is_none() || may() {
            return pass;
        }
        drop(pass);
        let mut waiting = gate();
        while !may() {
            waiting = GATE.1.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

fn gate() -> MutexGuard<'static, ()> {
    GATE.0.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Marks this thread as one that calls callbacks of the program ([`CALLS_BACK`]).
pub(crate) fn calls_back() {
    CALLS_BACK.set(true);
}

/// Waits until no thread of the layer has a right to call the runtime, for at most a second: such a
/// thread may be blocked by the device.
fn drain() {
    for _ in 0..10_000 {
        if PASSES.load(Ordering::SeqCst) == 0 {
            return;
        }
        std::thread::sleep(Duration::from_micros(100));
    }
}

/// Writes out and ends the logs; from then on the layer's threads get no right to call the runtime.
/// The program's launches are not waited for.
pub(crate) extern "C" fn end() {
    if OWNER.load(Ordering::Relaxed) != std::process::id() {
        return;
    }
    if !ENDED.swap(true, Ordering::SeqCst) {
        LOGS.get().iter().for_each(|end_logs| end_logs());
        drain();
    }
}

/// Stores the function that ends the logs, and registers it to be called at the end of the process.
pub(crate) fn begin(end_logs: fn()) {
    let _ = LOGS.set(end_logs);
    register();
}

/// Registers the function that ends the logs at the end of the process; it runs before all handlers
/// that are registered by now.
pub(crate) fn register() {
    OWNER.store(std::process::id(), Ordering::Relaxed);
    // SAFETY: the layer is never unmapped, and the function may be called at any time. Where there is no
    // room for it, logs break off.
    let _ = unsafe { atexit(end) };
}
