//! What has a runtime to offer a driver?

use raddle_policy::{Idempotence, ProcessId, StreamId};

use crate::controller::{Declared, FlagCut, LaunchHandle};

/// What became of a submit call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubmitCall {
    /// It has returned, and the launch is in the runtime.
    Returned,
    /// It is made by another thread: its return is reported.
    UnderWay,
    /// The runtime takes no launch now.
    NotNow,
    /// The runtime refuses this launch for good.
    Refused,
}

/// A runtime as a [`Driver`](super::Driver) needs it: a live one, or a simulator.
///
/// Every call comes from within a call of the driver, returns soon and answers by a report later. What
/// takes its time, a submit call before all, is made elsewhere: [`SubmitCall::UnderWay`]; or the runtime
/// lies [apart](super::Driver::apart), where each call may take its time.
///
/// # Laws
///
/// 1. What was commanded is carried out in its order, and reported once.
/// 2. Launches of one stream run in the order of their submission, one at a time.
/// 3. A launch that starts after `raised` was reported, and before its flag is lowered, leaves if its
///    stream's cut holds it. What does not test the flag leaves if what stood in front of it in its
///    stream left or was killed, where the runtime has declared that it can be taken out.
/// 4. A reset kills only what it is told to hit, and every killed launch is reported before
///    `drained` or after it.
pub trait Runtime<T> {
    /// What it can do; asked once.
    fn declared(&self) -> Declared;

    /// The verdict of a launch that is about to be submitted, if only its arguments tell.
    fn verdict(&mut self, payload: &T) -> Option<Idempotence> {
        let _ = payload;
        None
    }

    /// Takes a launch.
    fn submit(&mut self, handle: LaunchHandle, stream: StreamId, payload: T) -> SubmitCall;

    /// Raises the flags of these streams, and reports `raised` when that is visible.
    fn raise(&mut self, process: ProcessId, cuts: &[(StreamId, FlagCut)]) {
        let _ = (process, cuts);
    }

    /// Lowers the flags of a process.
    fn lower(&mut self, process: ProcessId) {
        let _ = process;
    }

    /// Kills what runs of the launches that are `hit`, of whichever process; reports each launch that was
    /// `killed`, and only then `drained`, when the reset is over.
    fn reset(&mut self, process: ProcessId, hit: &[LaunchHandle]) {
        let _ = (process, hit);
    }

    /// Places no further workgroup; reports `drained` when nothing of the process is on the device.
    fn hold(&mut self, process: ProcessId) {
        let _ = process;
    }

    /// Places workgroups again.
    fn release(&mut self, process: ProcessId) {
        let _ = process;
    }

    /// Saves what is on the device; reports `drained` when it is off.
    fn save(&mut self, process: ProcessId) {
        let _ = process;
    }

    /// Puts back what was saved.
    fn restore(&mut self, process: ProcessId) {
        let _ = process;
    }

    /// A preemption is complete; whether a resume that waited takes effect now.
    fn drained(&mut self, process: ProcessId, resumed: bool) {
        let _ = (process, resumed);
    }
}
