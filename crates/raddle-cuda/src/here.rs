//! Which gate does a launch of this thread go through?
//!
//! A device has one gate. The thread's current context names the device; each thread remembers the
//! gate of its last context.

use std::cell::Cell;
use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::burst::LaunchStream;
use crate::driver::{call, current_context, is_capturing, text_of_device};
use crate::ending;
use crate::gate::{Gate, Passage};
use crate::names::slot;

/// Gates (which let launches through to the driver) of all known devices, as (device, gate); `None`
/// for a device that cannot be scheduled.
static GATES: Mutex<Vec<(c_int, Option<&'static Gate>)>> = Mutex::new(Vec::new());
/// Number of times that the program has destroyed contexts. A thread that remembers a lower number
/// looks up the gate of its context again.
static DESTROYED: AtomicU64 = AtomicU64::new(0);

/// Memory of a thread between its launches. A launch looks the memory up once, as in a shared library
/// each access to a thread's own memory is a call.
struct Here {
    /// (context, number of destructions of contexts, gate of the context), remembered from the last
    /// launch of the thread. The gate is `None` where the context's device cannot be scheduled.
    last: Cell<(usize, u64, Option<&'static Gate>)>,
    /// True while the thread is inside a scheduled launch: launches that the driver itself makes
    /// during that pass unscheduled.
    is_inside: Cell<bool>,
}

thread_local! {
    static HERE: Here = const { Here { last: Cell::new((0, 0, None)), is_inside: Cell::new(false) } };
}

/// Calls `call`, which launches work in a stream of the program, when the program has the turn, and
/// returns its result. `is_graph` is true for the launch of a graph of kernels.
#[inline]
pub(crate) fn scheduled(
    stream: LaunchStream,
    is_graph: bool,
    call: impl FnOnce() -> c_int,
) -> c_int {
    if ending::is_over() {
        return call();
    }
    HERE.with(|here| {
        if here.is_inside.replace(true) {
            return call();
        }
        let context = current_context();
        let passage = contained(|| here.passage(context, stream, is_graph)).flatten();
        let result = call();
        if let Some((gate, passage)) = passage {
            let _ = contained(|| gate.leave(passage, context, stream, result == 0));
        }
        here.is_inside.set(false);
        result
    })
}

impl Here {
    /// Waits until a launch may go to the driver. Returns (gate of the device, right to pass, which
    /// is handed back to the gate after the launch); `None` for a launch that is not scheduled.
    fn passage(
        &self,
        context: usize,
        stream: LaunchStream,
        is_graph: bool,
    ) -> Option<(&'static Gate, Passage)> {
        let gate = self.gate(context)?;
        if is_capturing(stream.handle) {
            gate.captured();
            return None;
        }
        Some((gate, gate.enter(context, is_graph)?))
    }

    #[inline]
    fn gate(&self, context: usize) -> Option<&'static Gate> {
        let destroyed = DESTROYED.load(Ordering::Relaxed);
        let last = self.last.get();
        if (last.0, last.1) == (context, destroyed) && context != 0 {
            return last.2;
        }
        let gate = gate_of_device(context);
        self.last.set((context, destroyed, gate));
        gate
    }
}

/// Reports launches that have ended, for the device of this thread's last launch. To be called
/// after a call of the program that waits for the device.
pub(crate) fn waited() {
    let (context, _, Some(gate)) = HERE.with(|here| here.last.get()) else { return };
    if !ending::is_over() && context == current_context() {
        let _ = contained(|| gate.settle(context));
    }
}

/// Contexts that the program is about to destroy.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Destroyed {
    /// The program destroys one context, with this handle.
    Context(usize),
    /// The program destroys all known contexts of one device.
    OfDevice(c_int),
    /// The program destroys all known contexts.
    All,
}

/// Waits for the launches in contexts that the program is about to destroy, and removes them from
/// the records of the gates.
pub(crate) fn forget(destroyed: Destroyed) {
    if ending::is_over() {
        return;
    }
    let _ = contained(|| match destroyed {
        Destroyed::Context(context) => gates(None).for_each(|gate| gate.forget(Some(context))),
        Destroyed::OfDevice(device) => gates(Some(device)).for_each(|gate| gate.forget(None)),
        Destroyed::All => gates(None).for_each(|gate| gate.forget(None)),
    });
    DESTROYED.fetch_add(1, Ordering::SeqCst);
}

/// Removes a stream that the program destroys from the records of all gates, as another stream may
/// get its handle.
pub(crate) fn stream_gone(stream: usize) {
    if !ending::is_over() {
        let _ = contained(|| gates(None).for_each(|gate| gate.stream_gone(stream)));
    }
}

/// Returns the number of launches of this process that the library has scheduled.
pub(crate) fn launches() -> u64 {
    contained(|| gates(None).map(Gate::launches).sum()).unwrap_or(0)
}

/// Ends the library's scheduling of launches on all devices, at the end of the program.
fn end() {
    let _ = contained(|| gates(None).for_each(Gate::end));
}

/// Runs a body of this library so that a panic in it does not reach the program; `None` after a
/// panic.
fn contained<A>(body: impl FnOnce() -> A) -> Option<A> {
    catch_unwind(AssertUnwindSafe(body)).ok()
}

/// Returns the gate of a device, through which its launches go to the driver; the gates of all
/// devices where `device` is `None`.
fn gates(device: Option<c_int>) -> impl Iterator<Item = &'static Gate> {
    let all = GATES.lock().unwrap_or_else(PoisonError::into_inner);
    let wanted = all.iter().filter(|(of, _)| device.is_none_or(|device| device == *of));
    wanted.filter_map(|(_, gate)| *gate).collect::<Vec<_>>().into_iter()
}

fn gate_of_device(context: usize) -> Option<&'static Gate> {
    let mut device: c_int = 0;
    // SAFETY: the place is one for a number.
    let result = unsafe { call(&slot::cuCtxGetDevice, [(&raw mut device).expose_provenance()]) };
    if context == 0 || result != 0 {
        return None;
    }
    let mut all = GATES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, known)) = all.iter().find(|(of, _)| *of == device) {
        return *known;
    }
    if all.is_empty() {
        ending::begin(end);
    }
    let made = Gate::start(&shared_name(device));
    all.push((device, made));
    made
}

/// Returns the name by which programs find out that they use the same device: its product name and
/// PCI address, as the OpenCL layer has it too.
fn shared_name(device: c_int) -> String {
    let name = text_of_device(&slot::cuDeviceGetName, device).unwrap_or_default();
    let name: String = name.chars().take(80).collect();
    let bus = text_of_device(&slot::cuDeviceGetPCIBusId, device);
    bus.map_or(name.clone(), |bus| format!("{name} at {}", bus.to_lowercase()))
}
