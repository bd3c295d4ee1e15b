//! What does a program in C say of itself to the daemon of `raddle live`?

use crate::status::{Failure, RaddleStatus, guarded};

/// Properties of a running program that the policies of the daemon see; the value of a hint has the
/// number.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaddleLiveHint {
    /// The urgency of the program to policies that read this hint, as a level: 0 is the most urgent.
    Priority = 0,
    /// The time in nanoseconds after which work should have ended, counted from when the program got
    /// work.
    Deadline = 1,
    /// The time in nanoseconds for which work may wait before it becomes urgent, counted from when the
    /// program got work.
    Laxity = 2,
    /// The part of the device that the program is to have, in percent of the whole.
    Utilisation = 3,
    /// A number that a policy and its programs agree on.
    Custom = 4,
    /// The urgency (level) that the daemon uses for the program: 0 is the most urgent; never more
    /// urgent than the level that the program was granted.
    Level = 5,
    /// The share of the program, an integer multiple of its weight, 1 or more.
    Share = 6,
}

/// Gives a hint about this process to the policies of the live daemon. The daemon listens at the
/// socket that `RADDLE_LIVE_SOCKET` names, as `raddle live run` sets it, else at the default one.
/// `hint` is one of `RaddleLiveHint`. Answers `Refused` if nothing of this process has joined the
/// daemon yet, as before its first queue, and `Invalid` if no daemon is there, or on another system
/// than Linux.
#[unsafe(no_mangle)]
pub extern "C" fn raddle_live_hint(hint: u32, value: u64) -> RaddleStatus {
    guarded(|| said(hint, value))
}

#[cfg(target_os = "linux")]
fn said(hint: u32, value: u64) -> Result<RaddleStatus, Failure> {
    let said = raddle_live::LiveHint::by_number(hint, value);
    let said = said.ok_or_else(|| {
        Failure::argument(format!("`hint` {hint} of value {value}: give one of RaddleLiveHint"))
    })?;
    match raddle_live::hint(said).map_err(Failure::invalid)? {
        0 => Ok(RaddleStatus::Refused),
        _ => Ok(RaddleStatus::Ok),
    }
}

#[cfg(not(target_os = "linux"))]
fn said(_: u32, _: u64) -> Result<RaddleStatus, Failure> {
    Err(Failure::invalid("live programs are scheduled on Linux alone"))
}
