//! What does the thread between a program and its runtime do next (seed 001)?

mod host;
mod nouns;
mod wishes;

use std::collections::BTreeMap;

use raddle_policy::{Preemption, ProcessId, StreamId};
use raddle_preempt::{
    Abilities, Command, Controller, ControllerConfig, Declared, Heard, LaunchHandle, NoReset,
    PreemptError, Report, ResetScope,
};

pub use host::*;
pub use nouns::*;
pub use wishes::*;

use crate::handle::{enter, with};
use crate::launch::unknown;
use crate::memory::{Out, read};
use crate::status::{Failure, Outcome, RaddleStatus, guarded};

/// Controller that preempts processes in software, a state machine without I/O: the host reports
/// what happens, and asks what to do next. A submission is named by its process and its number,
/// which is never used again.
#[derive(Debug)]
pub struct RaddleController {
    controller: Controller<u64>,
    /// For each process, one more than the number of its last submission. A report about a smaller
    /// number may come late, after the submission has left; a report about any other number is
    /// wrong.
    submitted: BTreeMap<u16, u64>,
    /// For each process, the handle of some submission that has left the runtime. It stands for any
    /// of them where the report that a launch was submitted comes after the report of its end.
    gone: BTreeMap<u16, LaunchHandle>,
}

impl RaddleControllerConfig {
    fn checked(&self) -> Result<(Declared, ControllerConfig), Failure> {
        let scope = match self.scope {
            0 => ResetScope::Device,
            1 => ResetScope::Partition,
            2 => ResetScope::Process,
            3 => ResetScope::Queue,
            4 => ResetScope::Launch,
            other => return Err(unknown("config.scope", other, "RaddleResetScope")),
        };
        let abilities = Abilities::NONE
            .with(Preemption::Flag, self.can_flag != 0)
            .with(Preemption::Drain, self.can_drain != 0)
            .with(Preemption::Reset, self.can_reset != 0)
            .with(Preemption::Switch, self.can_switch != 0);
        let (latched, withdraws) = (self.latched != 0, self.withdraws != 0);
        let bound = |number: u32| (number > 0).then_some(number);
        let (most_waiting, most_kills) = (bound(self.most_waiting), bound(self.most_kills));
        Ok((
            Declared { abilities, latched, withdraws, scope },
            ControllerConfig::default()
                .with_window(self.window)
                .with_most_waiting(most_waiting)
                .with_most_kills(most_kills),
        ))
    }
}

impl RaddleController {
    /// Returns the submission of a process with the number `sequence`; `None` where it is not in
    /// the runtime. An unknown process is an error.
    fn find(&self, process: u16, sequence: u64) -> Result<Option<LaunchHandle>, Failure> {
        let flying = self.controller.flying(ProcessId(process)).map_err(Failure::invalid)?;
        let mut handles = flying.map(|(handle, _)| handle);
        Ok(handles.find(|handle| handle.sequence() == sequence))
    }

    fn flies(&self, process: u16, sequence: u64) -> Result<LaunchHandle, Failure> {
        self.find(process, sequence)?.ok_or_else(|| {
            let text = format!(
                "submission {sequence} of p{process} is not in the runtime: report the end of each once"
            );
            Failure::new(RaddleStatus::Invalid, text)
        })
    }

    /// Writes a command of the controller to `out`, in the form for C. Answers `Empty`, and writes
    /// nothing, where `command` is `None`.
    fn command(&mut self, command: Option<Command>, out: &Out<RaddleCommand>) -> Outcome {
        use RaddleCommandKind as Kind;
        let of = |kind: Kind, process: ProcessId| RaddleCommand {
            kind: kind as u32,
            process: process.0,
            ..RaddleCommand::default()
        };
        out.put(match command {
            None => return Ok(RaddleStatus::Empty),
            Some(Command::Submit { handle, stream }) => {
                self.submitted.insert(handle.process().0, handle.sequence().saturating_add(1));
                RaddleCommand {
                    stream: stream.0,
                    slot: handle.slot(),
                    sequence: handle.sequence(),
                    payload: self.controller.payload(handle).copied().unwrap_or_default(),
                    ..of(Kind::Submit, handle.process())
                }
            }
            Some(Command::Raise { process }) => of(Kind::Raise, process),
            Some(Command::Lower { process }) => of(Kind::Lower, process),
            Some(Command::Reset { process }) => of(Kind::Reset, process),
            Some(Command::Hold { process }) => of(Kind::Hold, process),
            Some(Command::Release { process }) => of(Kind::Release, process),
            Some(Command::Save { process }) => of(Kind::Save, process),
            Some(Command::Restore { process }) => of(Kind::Restore, process),
            Some(Command::Drained { process, resumed }) => {
                RaddleCommand { resumed: resumed.into(), ..of(Kind::Drained, process) }
            }
        });
        Ok(RaddleStatus::Ok)
    }
}

/// Returns `Ok` where a call of the controller has succeeded, else its error.
fn done(result: Result<(), PreemptError>) -> Outcome {
    result.map_err(Failure::invalid)?;
    Ok(RaddleStatus::Ok)
}

const fn no_reset(why: NoReset) -> RaddleAnswer {
    match why {
        NoReset::Empty => RaddleAnswer::NoResetEmpty,
        NoReset::NotIdempotent(_) => RaddleAnswer::NoResetNotIdempotent,
        NoReset::NotFlagged(_) => RaddleAnswer::NoResetNotFlagged,
        NoReset::KilledOften(_) => RaddleAnswer::NoResetKilledOften,
        NoReset::OtherProcess(_) => RaddleAnswer::NoResetOtherProcess,
        _ => RaddleAnswer::NoReset,
    }
}

/// Makes a controller of preemptions, without processes. Writes its handle to `controller`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_controller_new(
    config: *const RaddleControllerConfig,
    controller: *mut *mut RaddleController,
) -> RaddleStatus {
    guarded(|| {
        // SAFETY: the caller keeps the promises of the crate.
        let (config, out) =
            unsafe { (read("config", config)?, Out::new("controller", controller)?) };
        let (declared, config) = config.checked()?;
        let controller = Controller::new(declared, config).map_err(Failure::invalid)?;
        enter(
            RaddleController { controller, submitted: BTreeMap::new(), gone: BTreeMap::new() },
            &out,
        )
    })
}

/// Writes the next command for any process; answers `Empty` where no command is due before the next
/// report. Carry out commands in their order.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_controller_next(
    controller: *mut RaddleController,
    command: *mut RaddleCommand,
) -> RaddleStatus {
    with(controller, |it| {
        // SAFETY: the caller keeps the promises of the crate.
        let out = unsafe { Out::new("command", command)? };
        let command = it.controller.next_any();
        it.command(command, &out)
    })
}

/// Reports that a submission was submitted, ended and so on, as one of `RaddleReport` says. The
/// payload of the work is written to `payload` where the submission has ended for good; `payload`
/// may be null. Answers `Refused` for an exit that no preemption flag asked for: launches behind it
/// may have run before it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_controller_report(
    controller: *mut RaddleController,
    report: u32,
    process: u16,
    sequence: u64,
    payload: *mut u64,
) -> RaddleStatus {
    with(controller, |it| {
        // SAFETY: the caller keeps the promises of the crate.
        let payload = unsafe { Out::optional("payload", payload)? };
        let known = RaddleReport::of(report)?;
        let late = it.submitted.get(&process).is_some_and(|&next| sequence < next);
        let handle = match (it.find(process, sequence)?, it.gone.get(&process)) {
            // A launch may end before the call that submitted it returns.
            (None, Some(&gone)) if late && known == RaddleReport::Submitted => gone,
            _ => it.flies(process, sequence)?,
        };
        let controller = &mut it.controller;
        let heard = controller.report(match known {
            RaddleReport::Submitted => Report::Submitted(handle),
            RaddleReport::Started => Report::Started(handle),
            RaddleReport::Claimed => Report::Claimed(handle),
            RaddleReport::NotSubmitted => Report::NotSubmitted(handle),
            RaddleReport::Killed => Report::Killed(handle),
            RaddleReport::Exited => Report::Exited(handle),
            RaddleReport::Finished => Report::Finished(handle),
            RaddleReport::Failed => Report::Failed(handle),
        });
        let heard = heard.map_err(Failure::invalid)?;
        let stays = [RaddleReport::Submitted, RaddleReport::Started, RaddleReport::Claimed]
            .contains(&known);
        if !stays {
            it.gone.insert(process, handle);
        }
        match (payload, heard) {
            (Some(payload), Heard::Ended(ended)) => payload.put(ended),
            (_, Heard::Unasked) => return Ok(RaddleStatus::Refused),
            _ => {}
        }
        Ok(RaddleStatus::Ok)
    })
}

/// Reports that every launch of the process that starts from now on sees its raised preemption
/// flag. Writes one of `RaddleAnswer` to `answer`, which says whether a reset follows.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_controller_raised(
    controller: *mut RaddleController,
    process: u16,
    answer: *mut u32,
) -> RaddleStatus {
    with(controller, |it| {
        // SAFETY: the caller keeps the promises of the crate.
        let answer = unsafe { Out::new("answer", answer)? };
        let heard = it.controller.report(Report::Raised(ProcessId(process)));
        answer.put(match heard.map_err(Failure::invalid)? {
            Heard::Reset => RaddleAnswer::Begun,
            Heard::NoReset(why) => no_reset(why),
            _ => RaddleAnswer::NotAsked,
        } as u32);
        Ok(RaddleStatus::Ok)
    })
}

/// Reports that a preemption of a process is complete: its reset is over, or none of its held or
/// saved work runs on the device any more.
#[unsafe(no_mangle)]
pub extern "C" fn raddle_controller_drained(
    controller: *mut RaddleController,
    process: u16,
) -> RaddleStatus {
    let drained = Report::Drained(ProcessId(process));
    with(controller, |it| done(it.controller.report(drained).map(drop)))
}

/// Writes which submissions leave by the raised preemption flag of a stream when they start: those
/// whose numbers are at least `from` and below `to`. Answers `Empty` where no flag is raised. Call
/// it when the command to raise the flag comes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_controller_cut(
    controller: *const RaddleController,
    process: u16,
    stream: u32,
    from: *mut u64,
    to: *mut u64,
) -> RaddleStatus {
    with(controller, |it| {
        // SAFETY: the caller keeps the promises of the crate.
        let (from, to) = unsafe { (Out::new("from", from)?, Out::new("to", to)?) };
        let cut = it.controller.cut(ProcessId(process), StreamId(stream));
        let Some(cut) = cut.map_err(Failure::invalid)? else { return Ok(RaddleStatus::Empty) };
        from.put(cut.from);
        to.put(cut.to);
        Ok(RaddleStatus::Ok)
    })
}

/// Writes 1 to `hit` if the reset that was commanded kills the submission, should it be running;
/// else 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raddle_controller_is_hit(
    controller: *const RaddleController,
    process: u16,
    sequence: u64,
    hit: *mut u32,
) -> RaddleStatus {
    with(controller, |it| {
        // SAFETY: the caller keeps the promises of the crate.
        let hit = unsafe { Out::new("hit", hit)? };
        hit.put(it.controller.is_hit(it.flies(process, sequence)?).into());
        Ok(RaddleStatus::Ok)
    })
}
