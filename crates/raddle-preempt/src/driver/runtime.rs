//! What does a driver need from a runtime?

use raddle_policy::{Idempotence, ProcessId, StreamId};

use crate::controller::{Declared, FlagCut, LaunchHandle};

/// Result of a submit call of a runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubmitCall {
    /// The runtime has taken the launch: the submit call has returned.
    Returned,
    /// Another thread makes the submit call, and its return will be reported.
    UnderWay,
    /// The runtime accepts no launch now; the driver submits this launch again later.
    NotNow,
    /// The runtime refuses this launch permanently.
    Refused,
}

/// Interface through which a [`Driver`](super::Driver) uses a GPU runtime: a live one, or a
/// simulator.
///
/// Every method is called from within a call of the driver, must return soon, and is answered by a
/// later report. Work that takes long, above all a submit call, is done elsewhere
/// ([`SubmitCall::UnderWay`]); or the driver is made [apart](super::Driver::apart) from the
/// runtime, and then each call may block.
///
/// # Laws
///
/// 1. Commands are carried out in order, and each is reported once.
/// 2. Launches of one stream run in the order of their submission, one at a time.
/// 3. A launch that starts while its preemption flag is raised (from the report `raised` on, until
///    the flag is lowered) leaves if its submission number is in the range for its stream. Work
///    that does not test the flag leaves if the work before it in its stream left or was killed;
///    this holds only for a runtime that declares [`Declared::withdraws`].
/// 4. A reset kills only the launches that it is told to hit. Every killed launch is reported;
///    reports may come before or after `drained`.
pub trait Runtime<T> {
    /// Returns the properties of the runtime. The driver calls this once, before any other call.
    fn declared(&self) -> Declared;

    /// Returns whether a launch that is about to be submitted may be run again, if that depends on
    /// its arguments; with `None` the verdict given at the capture applies.
    fn verdict(&mut self, payload: &T) -> Option<Idempotence> {
        let _ = payload;
        None
    }

    /// Adds a launch to the stream `stream` of its process, and returns the result of the submit
    /// call.
    fn submit(&mut self, handle: LaunchHandle, stream: StreamId, payload: T) -> SubmitCall;

    /// Raises the preemption flag (tested by each launch at its start) of each stream in `cuts`,
    /// for the range of submission numbers beside it, and reports `raised` once every launch that
    /// starts sees the flags.
    fn raise(&mut self, process: ProcessId, cuts: &[(StreamId, FlagCut)]) {
        let _ = (process, cuts);
    }

    /// Lowers all raised preemption flags (tested by each launch at its start) of a process.
    fn lower(&mut self, process: ProcessId) {
        let _ = process;
    }

    /// Kills those of the launches `hit`, which may be of any process, that are running. Reports
    /// each killed launch as `killed`, and `drained` when the reset is over.
    fn reset(&mut self, process: ProcessId, hit: &[LaunchHandle]) {
        let _ = (process, hit);
    }

    /// Places no further workgroup of a process on the device; reports `drained` when none of its
    /// workgroups is there any more.
    fn hold(&mut self, process: ProcessId) {
        let _ = process;
    }

    /// Lets the workgroups of a process start that [`hold`](Self::hold) kept from starting.
    fn release(&mut self, process: ProcessId) {
        let _ = process;
    }

    /// Saves the work of a process that is on the device; reports `drained` when none of the work
    /// is on the device any more.
    fn save(&mut self, process: ProcessId) {
        let _ = process;
    }

    /// Restores the saved work of a process on the device.
    fn restore(&mut self, process: ProcessId) {
        let _ = process;
    }

    /// Notes that the preemption of a process is complete. `resumed` is true if a resume that
    /// waited for this takes effect now.
    fn drained(&mut self, process: ProcessId, resumed: bool) {
        let _ = (process, resumed);
    }
}
