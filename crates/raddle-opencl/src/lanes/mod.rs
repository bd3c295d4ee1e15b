//! How does a queue become a lane, and what travels it?
//!
//! | part | question |
//! |---|---|
//! | `device` | what is known of a device, and who schedules it? |
//! | `lane` | how does a queue of the program become a lane? |
//! | `command` | what does a program see of a command that waits? |
//! | `gate` | what holds a command until something ends elsewhere? |
//! | `kernel`, `launch` | how does a launch that can leave reach the runtime? |
//! | `in_order` | how does everything else travel a lane? |
//! | `work`, `runtime` | what does the controller's client hold and call? |
//!
//! The types of all parts stand here, as each part knows the others.

mod command;
mod device;
pub(crate) mod gate;
pub(crate) mod in_order;
pub(crate) mod kernel;
pub(crate) mod lane;
pub(crate) mod launch;
mod runtime;
mod work;

use std::ffi::c_void;
use std::sync::atomic::{AtomicI32, AtomicU32};
use std::sync::{Arc, Condvar, Mutex, OnceLock, Weak};

use opencl_sys::cl_icd::cl_icd_dispatch;
use opencl_sys::{cl_command_type, cl_event, cl_int};
use raddle_live::{Client, Link, Reporter};
use raddle_policy::StreamId;
use raddle_preempt::{CaptureOrder, LaunchHandle};

use crate::arguments::KernelArgument;
use crate::memory::KeptObjects;
use crate::native::Handle;
use crate::sizes::Sizes;
use crate::words::{Sight, Words};
use kernel::Kernel;

/// A device of the program.
pub(crate) struct DeviceLanes {
    pub(crate) handle: Handle,
    pub(crate) client: Client<Arc<Work>>,
    /// The link to the daemon, if there is one.
    #[expect(dead_code, reason = "it is kept")]
    link: Option<Link>,
    pub(crate) sight: Sight,
    /// The work-items that a workgroup may have in each dimension.
    pub(crate) most_items: [usize; 3],
    /// The work-items that a workgroup may have in all.
    pub(crate) most_of_all: usize,
    /// The bytes of local memory that a workgroup may have.
    pub(crate) local_bytes: u64,
}

/// A queue whose commands run in order.
pub(crate) struct Lane {
    pub(crate) device: Arc<DeviceLanes>,
    pub(crate) context: Handle,
    /// The queue of the program.
    pub(crate) queue: Handle,
    /// The second queue.
    pub(crate) side: Handle,
    pub(crate) stream: StreamId,
    /// The words of the launches and the cuts; `None`: launches cannot leave.
    pub(crate) words: Option<Words>,
    /// The command that was captured last.
    last: Mutex<Weak<Command>>,
}

/// A function of the program that is called at a status of an event.
pub(crate) type Notify = unsafe extern "C" fn(cl_event, cl_int, *mut c_void);

/// A command of a lane: a launch, a copy, a marker.
#[repr(C)]
pub(crate) struct Command {
    table: *const cl_icd_dispatch,
    /// The program's references; all together are one of the layer's.
    references: AtomicU32,
    pub(crate) lane: Arc<Lane>,
    kind: cl_command_type,
    /// True for a command that travels the lane as it is: no launch that can leave.
    pub(crate) is_in_order: bool,
    state: Mutex<State>,
    changed: Condvar,
}

// SAFETY: the table is never written, handles may be used from any thread, the rest is locked.
unsafe impl Send for Command {}
// SAFETY: as above.
unsafe impl Sync for Command {}

struct State {
    /// The status, as of an event: one that is not above 0 is an end.
    status: cl_int,
    /// The event of the present submission.
    native: Option<Handle>,
    callbacks: Vec<Callback>,
    gates: Vec<Arc<EventGate>>,
    /// A native event that completes with the command, for queues without a lane.
    complete: Option<Handle>,
}

struct Callback {
    at: cl_int,
    notify: Notify,
    data: Handle,
}

/// An event that a command waits for.
#[derive(Clone)]
pub(crate) enum AwaitedEvent {
    /// A command of a lane.
    Command(Arc<Command>),
    /// An event of the runtime.
    Native(Handle),
}

/// A gate that holds one command.
pub(crate) struct EventGate {
    device: Arc<DeviceLanes>,
    stream: StreamId,
    order: CaptureOrder,
    /// The number of events that are still awaited, plus one while the gate is being closed.
    left: AtomicU32,
    /// The status with which an awaited event failed; 0: none has.
    failed: AtomicI32,
}

/// The payload of a command: dropped by the client at the command's end, with all that it keeps.
pub(crate) struct Work {
    pub(crate) command: Arc<Command>,
    pub(crate) task: Task,
    gate: OnceLock<Arc<EventGate>>,
    /// The command in front in the lane: where that fails, so does this one.
    before: OnceLock<Arc<Command>>,
}

/// The task of a command.
pub(crate) enum Task {
    /// A launch that can leave.
    Launch(Launch),
    /// A command that waits in the second queue.
    InOrder(InOrder),
}

/// A command that the second queue of a lane has, behind a user event.
pub(crate) struct InOrder {
    /// The user event that lets the command begin.
    opens: Handle,
    progress: Mutex<WorkProgress>,
}

enum WorkProgress {
    /// The turn of the command has not come.
    Waits,
    /// The command may run, as this submission.
    Open(LaunchHandle, Reporter<Arc<Work>>),
    /// The command has ended: before its turn where an awaited event failed.
    Ended,
}

/// A launch of a kernel with the prologue.
pub(crate) struct Launch {
    kernel: Arc<Kernel>,
    arguments: Arc<Vec<Option<KernelArgument>>>,
    #[expect(dead_code, reason = "it is kept")]
    kept: KeptObjects,
    sizes: Sizes,
}
