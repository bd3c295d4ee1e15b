//! How does a queue become a lane, which the layer schedules, and which commands go through it?
//!
//! | part | question |
//! |---|---|
//! | `device` | what is known of a device, and who schedules it? |
//! | `lane` | how does a queue of the program become a lane? |
//! | `command` | what does a program see of a command that waits? |
//! | `gate` | what holds a command until something ends elsewhere? |
//! | `kernel`, `launch` | how does a launch that can leave reach the runtime? |
//! | `pace` | how long does a launch take, and into how many ranges is it cut? |
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
mod pace;
mod runtime;
mod work;

use std::ffi::c_void;
use std::sync::atomic::{AtomicI32, AtomicU32};
use std::sync::{Arc, Condvar, Mutex, OnceLock, Weak};
use std::time::Instant;

use opencl_sys::cl_icd::cl_icd_dispatch;
use opencl_sys::{cl_command_type, cl_event, cl_int};
use raddle_live::{Client, Link, Reporter};
use raddle_policy::StreamId;
use raddle_preempt::{CaptureOrder, LaunchHandle};

use crate::arguments::KernelArgument;
use crate::memory::KeptObjects;
use crate::native::NativeHandle;
use crate::sizes::{Part, Sizes};
use crate::words::{Sight, Words};
use kernel::ProgramKernel;

/// Device that the program uses, with the client that schedules its launches.
pub(crate) struct DeviceLanes {
    pub(crate) handle: NativeHandle,
    pub(crate) client: Client<Arc<LaneWork>>,
    /// Link of this device's client to the daemon (`raddle live`), which says whose turn it is;
    /// `None` without a daemon.
    #[expect(dead_code, reason = "it is kept")]
    link: Option<Link>,
    pub(crate) sight: Sight,
    /// Most work-items that a workgroup may have in each dimension.
    pub(crate) most_items: [usize; 3],
    /// Most work-items that a workgroup may have in all dimensions together.
    pub(crate) most_of_all: usize,
    /// Most bytes of local memory that a workgroup may have.
    pub(crate) local_bytes: u64,
    /// Number of compute units of the device, which bounds how short a cut part of a launch may be;
    /// each unit runs at least one workgroup at a time.
    pub(crate) units: u64,
}

/// Lane: a queue of the program whose commands run in order, as the layer schedules it.
pub(crate) struct QueueLane {
    pub(crate) device: Arc<DeviceLanes>,
    pub(crate) context: NativeHandle,
    /// Queue that the program has made, to which the lane belongs.
    pub(crate) queue: NativeHandle,
    /// Second queue of the lane, made by the layer. It has all commands except the launches that
    /// the layer schedules.
    pub(crate) side: NativeHandle,
    pub(crate) stream: StreamId,
    /// Memory that host and device share. It has a word with the state of each launch, and says
    /// which launches have to leave or are killed. `None` where launches cannot leave.
    pub(crate) words: Option<Words>,
    last: Mutex<Weak<LaneCommand>>,
    /// Time at which the last launch of the lane ended; `None` before the first end.
    ended: Mutex<Option<Instant>>,
}

/// Callback of the program for an event that reaches a status.
pub(crate) type Notify = unsafe extern "C" fn(cl_event, cl_int, *mut c_void);

/// Command of a lane (a queue that the layer schedules in order): a launch, a copy, a marker or
/// another one.
#[repr(C)]
pub(crate) struct LaneCommand {
    table: *const cl_icd_dispatch,
    /// Number of references that the program has to the event of this command. All of them together
    /// count as one reference to the command in the layer.
    references: AtomicU32,
    pub(crate) lane: Arc<QueueLane>,
    kind: cl_command_type,
    /// True for a command that the OpenCL runtime gets unchanged, in the second queue of the lane;
    /// false for a launch that the layer schedules.
    pub(crate) is_in_order: bool,
    state: Mutex<State>,
    changed: Condvar,
}

// SAFETY: the table is never written, handles may be used from any thread, the rest is locked.
unsafe impl Send for LaneCommand {}
// SAFETY: as above.
unsafe impl Sync for LaneCommand {}

struct State {
    /// Status of the command, as OpenCL counts it: 0 is complete, below 0 is an error, above 0 is
    /// not ended.
    status: cl_int,
    /// Runtime's event for the latest submission of the command; `None` where the command is not in
    /// the runtime.
    native: Option<NativeHandle>,
    /// Runtime's event for the first range of a launch that is cut; `None` for other commands.
    begun: Option<NativeHandle>,
    callbacks: Vec<Callback>,
    gates: Vec<Arc<EventGate>>,
    /// User event of the runtime that completes with the command, for queues that the layer does
    /// not schedule and that wait for the command. It is made at the first need; `None` before.
    complete: Option<NativeHandle>,
}

struct Callback {
    at: cl_int,
    notify: Notify,
    data: NativeHandle,
}

/// Event that a command waits for: that of a command of the layer, or one of the runtime.
#[derive(Clone)]
pub(crate) enum AwaitedEvent {
    /// The awaited event is that of a command of a lane (a queue that the layer schedules).
    Command(Arc<LaneCommand>),
    /// The awaited event is one that the runtime made.
    Native(NativeHandle),
}

/// Gate that holds one command until the events that it waits for have ended.
pub(crate) struct EventGate {
    device: Arc<DeviceLanes>,
    stream: StreamId,
    order: CaptureOrder,
    /// Number of events that the gate still waits for, plus one while events are being registered.
    left: AtomicU32,
    /// Status below 0 with which an awaited event failed; 0 where none has.
    failed: AtomicI32,
}

/// Work that the client schedules for a command, with all objects that the command needs; it is
/// dropped after the command's end.
pub(crate) struct LaneWork {
    pub(crate) command: Arc<LaneCommand>,
    pub(crate) task: LaneTask,
    gate: OnceLock<Arc<EventGate>>,
    /// Command before this one in its lane (a queue that runs in order): if that command fails,
    /// this one fails too.
    before: OnceLock<Arc<LaneCommand>>,
}

/// Work of a command: a launch that the layer submits itself, or a command that the runtime has
/// already.
pub(crate) enum LaneTask {
    /// A launch that the layer keeps, and submits to the runtime when the program may run.
    Launch(LaneLaunch),
    /// A command that the runtime has in the lane's second queue, where it waits for a user event.
    InOrder(InOrderCommand),
}

/// Command in the second queue of a lane (a queue of the program that the layer schedules). The
/// runtime has the command, but it waits for a user event until it may run.
pub(crate) struct InOrderCommand {
    /// User event that the command waits for in the runtime, and that the layer completes to let
    /// the command begin.
    opens: NativeHandle,
    progress: Mutex<WorkProgress>,
}

enum WorkProgress {
    /// The command may not run yet: the client has not submitted it.
    Waits,
    /// The command may run. The end of the submission with this handle is to be reported.
    Open(LaunchHandle, Reporter<Arc<LaneWork>>),
    /// The command has ended; where an awaited event failed, it has not run.
    Ended,
}

/// Launch that the layer schedules: a kernel with its arguments and sizes.
pub(crate) struct LaneLaunch {
    kernel: Arc<ProgramKernel>,
    arguments: Arc<Vec<Option<KernelArgument>>>,
    kept: Arc<KeptObjects>,
    sizes: Sizes,
    /// Range of a larger launch for which this launch stands; [`Part::WHOLE`] where the launch is
    /// not cut.
    part: Part,
}
