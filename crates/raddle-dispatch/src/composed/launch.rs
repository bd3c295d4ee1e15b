//! Which state does the dispatcher keep of one launch?

use crate::book::OnDevice;
use raddle_preempt::LaunchHandle;

use raddle_policy::{Launch, Preemption, ReadyLaunch, Tick, Ticks};

/// The state of a launch from its issue by the host to its end.
#[derive(Debug)]
pub(super) enum Stage {
    /// The launch waits in the buffer of its process, as it is not submitted yet.
    Buffered,
    /// The launch is submitted, and reaches the device at this tick.
    Travelling(Tick),
    /// The launch is on the device: its workgroups may start.
    OnDevice,
    /// The launch was asked to leave the device by this preemption method, and has not left yet.
    Leaving(Preemption),
    /// The launch is off the device after a preemption; its running workgroups have ended (drain)
    /// or were saved (switch).
    Held,
    /// The launch is off the device and was asked to come back, which is not complete yet.
    Returning,
}

/// The dispatcher's state of one launch that has not ended.
#[derive(Debug)]
pub(super) struct LaunchState {
    pub(super) launch: Launch,
    pub(super) stage: Stage,
    /// The handle of the launch in the preemption controller; `None` while the launch is not
    /// submitted.
    pub(super) handle: Option<LaunchHandle>,
    /// True if the launch will leave without having begun, as it sees the raised preemption flag:
    /// none of its workgroups starts any more.
    pub(super) claimed: bool,
    /// True if the launch has begun to run, and the preemption controller has been told so.
    pub(super) begun: bool,
    /// True if the launch was issued and is not ready: none of its workgroups may start yet.
    pub(super) waits: bool,
    /// True if the launch is ready or submitted, so that it counts as work of its process for the
    /// turn policy.
    pub(super) counts: bool,
    /// The position of the launch in the order of issue, over all processes; a launch without an
    /// issue event counts as issued when it becomes ready.
    pub(super) order: u64,
    /// The position of the launch in the order of submission, over all processes.
    pub(super) submission: u64,
    pub(super) submitted: Tick,
    /// The tick at which the submitted launch reaches the device, so that it can start.
    pub(super) visible: Tick,
    /// The tick at which the launch was last asked to come back to the device.
    pub(super) returns: Tick,
    /// The tick at which the launch last came back to the device after a preemption; `None` where
    /// it never did.
    pub(super) back: Option<Tick>,
    /// True if the launch was last taken off the device in the very tick of its return, so that it
    /// made no progress.
    pub(super) in_vain: bool,
    /// True if the launch is on the device but will be taken off soon, as its process is preempted:
    /// until then only workgroups that are assigned to a compute unit may start.
    pub(super) leaves_soon: bool,
    pub(super) on_device: OnDevice,
}

impl LaunchState {
    pub(super) fn new(launch: Launch, waits: bool, order: u64, now: Tick) -> Self {
        Self {
            launch,
            stage: Stage::Buffered,
            handle: None,
            claimed: false,
            begun: false,
            waits,
            counts: false,
            order,
            submission: 0,
            submitted: now,
            visible: now,
            returns: now,
            back: None,
            in_vain: false,
            leaves_soon: false,
            on_device: OnDevice::default(),
        }
    }

    /// Records that the launch is to be taken off the device, and returns the ticks for which it
    /// stays before; `None` if it leaves now. A launch that came back in this very tick, and was
    /// also taken off in the tick of its last return, stays for as long as the return took, so that
    /// it makes progress.
    pub(super) fn stays(&mut self, now: Tick) -> Option<Ticks> {
        if !matches!(self.stage, Stage::OnDevice) {
            return None;
        }
        let in_vain = self.back == Some(now);
        let again = core::mem::replace(&mut self.in_vain, in_vain) && in_vain;
        let took = Some(now.since(self.returns)).filter(|took| again && took.0 > 0)?;
        (self.in_vain, self.back, self.leaves_soon) = (false, None, true);
        Some(took)
    }

    pub(super) fn has_started(&self) -> bool {
        self.on_device.has_started() || (self.begun && self.launch.is_copy())
    }

    /// Returns whether the launch is being drained: only its workgroups that are assigned to a
    /// compute unit may start.
    pub(super) const fn draining(&self) -> bool {
        self.leaves_soon || matches!(self.stage, Stage::Leaving(how) if how.drains())
    }

    pub(super) fn entry(&self) -> ReadyLaunch {
        // A draining launch starts or assigns no further workgroup. Parts of a workgroup that was
        // cut hold nothing before they start, so parts that have not started wait like workgroups.
        let (next, end) = match self.draining() {
            true => (self.launch.workgroups, self.launch.workgroups),
            false => self.on_device.head(&self.launch),
        };
        // A run of returned workgroups is shown as if it were the launch's last.
        let mut launch = self.launch;
        launch.workgroups = end;
        let cut = if self.draining() { 0 } else { self.on_device.cut() };
        let entry = ReadyLaunch::new(launch, self.submitted).with_next(next);
        entry.with_assigned(self.on_device.waiting()).with_cut(cut)
    }

    /// Returns the number of workgroups of the launch that have waves left to start.
    pub(super) fn left(&self) -> u64 {
        self.on_device.undistributed(&self.launch) + self.on_device.waiting()
    }

    /// Returns whether a workgroup or wave of the launch may still start now.
    pub(super) fn unstarted(&self) -> bool {
        let distributes = !self.draining() && self.on_device.undistributed(&self.launch) > 0;
        distributes || self.on_device.waiting() > 0
    }
}
