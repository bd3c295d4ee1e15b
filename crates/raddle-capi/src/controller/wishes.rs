//! How is a process asked to leave the device, and to continue?

use raddle_policy::ProcessId;
use raddle_preempt::WishAnswer;

use super::nouns::RaddleAnswer;
use super::{RaddleController, done, no_reset};
use crate::handle::with;
use crate::launch::preemption;
use crate::memory::Out;
use crate::status::{Failure, RaddleStatus};

/// Begins to take the work of a process off the device by the method `how`, one of
/// `RaddlePreemption`. `by` is the process for which the work leaves, which must be more urgent, or
/// -1 for no such comparison. Writes one of `RaddleAnswer` to `answer`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_controller_preempt(
    controller: *mut RaddleController,
    process: u16,
    how: u32,
    by: i32,
    answer: *mut u32,
) -> RaddleStatus {
    with(controller, |it| {
        // SAFETY: the caller keeps the promises of the crate.
        let answer = unsafe { Out::new("answer", answer)? };
        let how = preemption("how", how)?;
        let by = match u16::try_from(by) {
            Ok(by) => Some(ProcessId(by)),
            Err(_) if by == -1 => None,
            Err(_) => {
                return Err(Failure::argument(format!("`by` is {by}: give a process, or -1")));
            }
        };
        let begun = it.controller.preempt(ProcessId(process), how, by);
        answer.put(told(begun.map_err(Failure::invalid)?) as u32);
        Ok(RaddleStatus::Ok)
    })
}

/// Replaces the method of a preemption under way by a stronger one, `how`. Writes one of
/// `RaddleAnswer` to `answer`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_controller_escalate(
    controller: *mut RaddleController,
    process: u16,
    how: u32,
    answer: *mut u32,
) -> RaddleStatus {
    with(controller, |it| {
        // SAFETY: the caller keeps the promises of the crate.
        let answer = unsafe { Out::new("answer", answer)? };
        let how = preemption("how", how)?;
        let escalated = it.controller.escalate(ProcessId(process), how);
        answer.put(told(escalated.map_err(Failure::invalid)?) as u32);
        Ok(RaddleStatus::Ok)
    })
}

/// Pauses a process: none of its launches is submitted until it is resumed.
#[unsafe(no_mangle)]
pub extern "C" fn raddle_controller_pause(
    controller: *mut RaddleController,
    process: u16,
) -> RaddleStatus {
    with(controller, |it| done(it.controller.pause(ProcessId(process))))
}

/// Ends the preemption or the pause of a process. Writes one of `RaddleAnswer` to `answer`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_controller_resume(
    controller: *mut RaddleController,
    process: u16,
    answer: *mut u32,
) -> RaddleStatus {
    with(controller, |it| {
        // SAFETY: the caller keeps the promises of the crate.
        let answer = unsafe { Out::new("answer", answer)? };
        let resumed = it.controller.resume(ProcessId(process));
        answer.put(told(resumed.map_err(Failure::invalid)?) as u32);
        Ok(RaddleStatus::Ok)
    })
}

const fn told(answer: WishAnswer) -> RaddleAnswer {
    match answer {
        WishAnswer::Begun => RaddleAnswer::Begun,
        WishAnswer::ResumeCancelled => RaddleAnswer::ResumeCancelled,
        WishAnswer::Already => RaddleAnswer::Already,
        WishAnswer::Missing(_) => RaddleAnswer::Missing,
        WishAnswer::NotOutranked => RaddleAnswer::NotOutranked,
        WishAnswer::NotStronger => RaddleAnswer::NotStronger,
        WishAnswer::NotPreempted => RaddleAnswer::NotPreempted,
        WishAnswer::Waits => RaddleAnswer::Waits,
        WishAnswer::NoReset(why) => no_reset(why),
    }
}
