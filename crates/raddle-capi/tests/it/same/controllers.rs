//! Does a controller command what that of `raddle-preempt` does, after right reports and wrong ones?

use proptest::prelude::*;
use raddle_capi::*;
use raddle_policy::{Idempotence, Level, Preemption, ProcessId, StreamId};
use raddle_preempt::*;

use crate::call::{Owned, cases, last_error, told};

#[derive(Clone, Debug)]
enum Step {
    Captured { process: u16, stream: u32, kind: u32, idempotent: u32, tests_flag: u32, after: u64 },
    Preempt { process: u16, how: u32, by: i32 },
    Escalate { process: u16, how: u32 },
    Pause { process: u16 },
    Resume { process: u16 },
    Next,
    Report { report: u32, which: usize, wrong: bool },
    Raised { process: u16 },
    Drained { process: u16 },
    Hold { process: u16, stream: u32, from: u64 },
    Release { process: u16, stream: u32, from: u64 },
    Place { process: u16, part: u16 },
    Close { process: u16, stream: u32 },
    Lost { process: u16 },
    Leave { process: u16 },
    Join { level: u8 },
    Open { process: u16 },
}

fn step() -> impl Strategy<Value = Step> {
    let work = (0..3_u16, 0..3_u32, 0..6_u32, 0..3_u32, 0..2_u32, 0..6_u64);
    let stream = (0..3_u16, 0..3_u32, 0..6_u64);
    prop_oneof![
        6 => work.prop_map(|(process, stream, kind, idempotent, tests_flag, after)| {
            Step::Captured { process, stream, kind, idempotent, tests_flag, after }
        }),
        2 => (0..3_u16, 0..5_u32, -1..3_i32).prop_map(|(process, how, by)| Step::Preempt { process, how, by }),
        1 => (0..3_u16, 0..5_u32).prop_map(|(process, how)| Step::Escalate { process, how }),
        1 => (0..3_u16).prop_map(|process| Step::Pause { process }),
        2 => (0..3_u16).prop_map(|process| Step::Resume { process }),
        9 => Just(Step::Next),
        9 => (0..8_u32, any::<usize>(), prop::bool::weighted(0.1))
            .prop_map(|(report, which, wrong)| Step::Report { report, which, wrong }),
        3 => (0..3_u16).prop_map(|process| Step::Raised { process }),
        3 => (0..3_u16).prop_map(|process| Step::Drained { process }),
        1 => stream.clone().prop_map(|(process, stream, from)| Step::Hold { process, stream, from }),
        1 => stream.prop_map(|(process, stream, from)| Step::Release { process, stream, from }),
        1 => (0..3_u16, 0..2_u16).prop_map(|(process, part)| Step::Place { process, part }),
        1 => (0..3_u16, 0..3_u32).prop_map(|(process, stream)| Step::Close { process, stream }),
        1 => (0..3_u16).prop_map(|process| Step::Lost { process }),
        1 => (0..3_u16).prop_map(|process| Step::Leave { process }),
        1 => (0..3_u8).prop_map(|level| Step::Join { level }),
        1 => (0..3_u16).prop_map(|process| Step::Open { process }),
    ]
}

/// Rust controller with which that of C is compared, and the submissions that it commanded.
struct Model {
    controller: Controller<u64>,
    handles: Vec<LaunchHandle>,
    payloads: u64,
}

fn words<T: std::fmt::Debug>(result: Result<T, PreemptError>) -> String {
    result.map_or_else(|error| error.to_string(), |it| format!("{it:?}"))
}

fn no_reset(why: NoReset) -> u32 {
    match why {
        NoReset::Empty => 9,
        NoReset::NotIdempotent(_) => 10,
        NoReset::NotFlagged(_) => 11,
        NoReset::KilledOften(_) => 12,
        NoReset::OtherProcess(_) => 13,
        other => panic!("{other:?} is new"),
    }
}

fn answer(answer: WishAnswer) -> u32 {
    match answer {
        WishAnswer::Begun => 0,
        WishAnswer::ResumeCancelled => 1,
        WishAnswer::Already => 2,
        WishAnswer::Missing(_) => 3,
        WishAnswer::NotOutranked => 4,
        WishAnswer::NotStronger => 5,
        WishAnswer::NotPreempted => 6,
        WishAnswer::Waits => 7,
        WishAnswer::NoReset(why) => no_reset(why),
    }
}

impl Model {
    fn step(&mut self, step: &Step) -> String {
        let (id, lane) = (ProcessId, StreamId);
        let how = |number: u32| Preemption::ALL[number as usize];
        let it = &mut self.controller;
        match *step {
            Step::Captured { process, stream, kind, idempotent, tests_flag, after } => {
                let kind = [
                    WorkKind::Kernel,
                    WorkKind::Copy,
                    WorkKind::Record,
                    WorkKind::Wait { stream: lane(0), order: CaptureOrder(after) },
                    WorkKind::Graph,
                    WorkKind::Collective,
                ][kind as usize];
                self.payloads += 1;
                let verdicts = [Idempotence::Unknown, Idempotence::Idempotent, Idempotence::Not];
                let idempotent = verdicts[idempotent as usize];
                let work = CapturedWork::new(self.payloads, kind);
                let work = work.judged(idempotent, tests_flag == 1);
                words(
                    it.captured(id(process), lane(stream), work)
                        .map(|it| it.order().map(|order| order.0)),
                )
            }
            Step::Preempt { process, how: way, by } => {
                let by = u16::try_from(by).ok().map(id);
                words(it.preempt(id(process), how(way), by).map(answer))
            }
            Step::Escalate { process, how: way } => {
                words(it.escalate(id(process), how(way)).map(answer))
            }
            Step::Pause { process } => words(it.pause(id(process))),
            Step::Resume { process } => words(it.resume(id(process)).map(answer)),
            Step::Next => self.next(),
            Step::Report { report, which, wrong } => self.report(report, which, wrong),
            Step::Raised { process } => {
                words(it.report(Report::Raised(id(process))).map(|it| match it {
                    Heard::Reset => 0,
                    Heard::Noted => 8,
                    Heard::NoReset(why) => no_reset(why),
                    other => panic!("{other:?} answers a raised flag"),
                }))
            }
            Step::Drained { process } => words(it.report(Report::Drained(id(process))).map(drop)),
            Step::Hold { process, stream, from } => {
                words(it.hold(id(process), lane(stream), CaptureOrder(from)))
            }
            Step::Release { process, stream, from } => {
                words(it.release(id(process), lane(stream), CaptureOrder(from)))
            }
            Step::Place { process, part } => words(it.place(id(process), part)),
            Step::Close { process, stream } => words(it.close(id(process), lane(stream))),
            Step::Lost { process } => words(it.lost(id(process))),
            Step::Leave { process } => words(it.leave(id(process))),
            Step::Join { level } => words(it.join(Level(level)).map(|it| it.0)),
            Step::Open { process } => words(it.open(id(process)).map(|it| it.0)),
        }
    }

    fn next(&mut self) -> String {
        let Some(command) = self.controller.next_any() else { return "nothing".to_owned() };
        let plain = |kind, process: ProcessId| format!("{kind} p{}", process.0);
        match command {
            Command::Submit { handle, stream } => {
                self.handles.push(handle);
                let payload = self.controller.payload(handle).unwrap();
                format!(
                    "1 p{} {} {} {} {payload}",
                    handle.process().0,
                    handle.sequence(),
                    handle.slot(),
                    stream.0
                )
            }
            Command::Raise { process } => {
                let cut = self.controller.cut(process, StreamId(0)).unwrap();
                format!("2 p{} {:?}", process.0, cut.map(|cut| (cut.from, cut.to)))
            }
            Command::Lower { process } => plain(3, process),
            Command::Reset { process } => plain(4, process),
            Command::Hold { process } => plain(5, process),
            Command::Release { process } => plain(6, process),
            Command::Save { process } => plain(7, process),
            Command::Restore { process } => plain(8, process),
            Command::Drained { process, resumed } => {
                format!("9 p{} {}", process.0, u32::from(resumed))
            }
        }
    }

    /// Returns the process and the number of the submission that a report is about, drawn by
    /// `which`; if `wrong`, one that does not exist. `None` before the first submission.
    fn meant(&self, which: usize, wrong: bool) -> Option<(u16, u64)> {
        if self.handles.is_empty() {
            return None;
        }
        let handle = self.handles[which % self.handles.len()];
        Some((handle.process().0, handle.sequence() + if wrong { 1_000 } else { 0 }))
    }

    fn report(&mut self, report: u32, which: usize, wrong: bool) -> String {
        let Some((process, sequence)) = self.meant(which, wrong) else { return String::new() };
        let it = &mut self.controller;
        let handle = self.handles[which % self.handles.len()];
        if wrong {
            let text = "is not in the runtime: report the end of each once";
            let there = it
                .phase(handle.process())
                .map(|_| format!("submission {sequence} of p{process} {text}"));
            return there.unwrap_or_else(|error| error.to_string());
        }
        let reports = [
            Report::Submitted,
            Report::NotSubmitted,
            Report::Started,
            Report::Finished,
            Report::Failed,
            Report::Claimed,
            Report::Exited,
            Report::Killed,
        ];
        match it.report(reports[report as usize](handle)) {
            Ok(Heard::Unasked) => "unasked".to_owned(),
            Ok(Heard::Ended(payload)) => words(Ok(Some(payload))),
            other => words(other.map(|_| ())),
        }
    }
}

/// Returns the answer of a call from C as text, to compare with that of the Rust controller; `text`
/// is its value as text.
fn said(status: RaddleStatus, text: String) -> String {
    match status {
        RaddleStatus::Ok => text,
        RaddleStatus::Empty => "nothing".to_owned(),
        RaddleStatus::Refused => "None".to_owned(),
        _ => last_error(),
    }
}

/// Carries out one step by calls from C, and returns the answer in words. `about` is the submission
/// that a report is about.
fn given(
    it: *mut RaddleController,
    step: &Step,
    payload: u64,
    about: Option<(u16, u64)>,
) -> String {
    let plain = |status| said(status, "()".to_owned());
    let number = |(status, number): (RaddleStatus, u32)| said(status, number.to_string());
    // SAFETY: values and places of ours.
    unsafe {
        match *step {
            Step::Captured { process, stream, kind, idempotent, tests_flag, after } => {
                let (after_stream, after_order) = (0, after);
                let work =
                    RaddleWork { payload, kind, idempotent, tests_flag, after_stream, after_order };
                let (status, order) = told::<u64>(|order| {
                    raddle_controller_captured(it, process, stream, &raw const work, order)
                });
                said(status, format!("{:?}", Some(order)))
            }
            Step::Preempt { process, how, by } => {
                number(told(|answer| raddle_controller_preempt(it, process, how, by, answer)))
            }
            Step::Escalate { process, how } => {
                number(told(|answer| raddle_controller_escalate(it, process, how, answer)))
            }
            Step::Pause { process } => plain(raddle_controller_pause(it, process)),
            Step::Resume { process } => {
                number(told(|answer| raddle_controller_resume(it, process, answer)))
            }
            Step::Next => next(it),
            Step::Report { report, .. } => {
                let Some((process, sequence)) = about else { return String::new() };
                let (status, payload) = told::<u64>(|payload| {
                    raddle_controller_report(it, report, process, sequence, payload)
                });
                match (status, report) {
                    (RaddleStatus::Refused, 6) => "unasked".to_owned(),
                    (status, 3 | 4) => said(status, format!("{:?}", Some(payload))),
                    (status, _) => plain(status),
                }
            }
            Step::Raised { process } => {
                number(told(|answer| raddle_controller_raised(it, process, answer)))
            }
            Step::Drained { process } => plain(raddle_controller_drained(it, process)),
            Step::Hold { process, stream, from } => {
                plain(raddle_controller_hold(it, process, stream, from))
            }
            Step::Release { process, stream, from } => {
                plain(raddle_controller_release(it, process, stream, from))
            }
            Step::Place { process, part } => plain(raddle_controller_place(it, process, part)),
            Step::Close { process, stream } => plain(raddle_controller_close(it, process, stream)),
            Step::Lost { process } => {
                let mut all = [0; 200];
                let to = all.as_mut_ptr();
                let (status, count) =
                    told::<usize>(|count| raddle_controller_lost(it, process, to, 200, count));
                said(status, format!("{:?}", &all[..count]))
            }
            Step::Leave { process } => plain(raddle_controller_leave(it, process)),
            Step::Join { level } => {
                let (status, process) =
                    told::<u16>(|process| raddle_controller_join(it, level, process));
                said(status, process.to_string())
            }
            Step::Open { process } => {
                number(told(|stream| raddle_controller_open(it, process, stream)))
            }
        }
    }
}

fn next(it: *mut RaddleController) -> String {
    // SAFETY: places of ours.
    unsafe {
        let (status, command) = told(|command| raddle_controller_next(it, command));
        let RaddleCommand { kind, slot, stream, resumed, sequence, payload, process } = command;
        let text = match kind {
            1 => format!("1 p{process} {sequence} {slot} {stream} {payload}"),
            2 => {
                let mut to = 0_u64;
                let (status, from) =
                    told::<u64>(|from| raddle_controller_cut(it, process, 0, from, &raw mut to));
                format!("2 p{process} {:?}", (status == RaddleStatus::Ok).then_some((from, to)))
            }
            9 => format!("9 p{process} {resumed}"),
            _ => format!("{kind} p{process}"),
        };
        said(status, text)
    }
}

proptest! {
    #![proptest_config(cases(600))]
    #[test]
    fn controllers(
        bits in 0..64_u8, scope in 0..5_u32, window in 1..5_u32, most_waiting in 0..9_u32, most_kills in 0..3_u32,
        steps in prop::collection::vec(step(), 1..150),
    ) {
        let bit = |at: u8| bits >> at & 1;
        // A runtime that can reset has a flag.
        let can_flag = bit(0) | bit(2);
        let config = RaddleControllerConfig {
            can_flag, can_drain: bit(1), can_reset: bit(2), can_switch: bit(3), latched: bit(4), withdraws: bit(5),
            scope, window, most_waiting, most_kills,
        };
        let abilities = Abilities::NONE
            .with(Preemption::Flag, can_flag == 1)
            .with(Preemption::Drain, bit(1) == 1)
            .with(Preemption::Reset, bit(2) == 1)
            .with(Preemption::Switch, bit(3) == 1);
        let scopes = [
            ResetScope::Device, ResetScope::Partition, ResetScope::Process, ResetScope::Queue, ResetScope::Launch,
        ];
        let declared = Declared {
            abilities, latched: bit(4) == 1, withdraws: bit(5) == 1, scope: scopes[scope as usize],
        };
        let bound = |number| if number == 0 { None } else { Some(number) };
        let settings = ControllerConfig::default().with_window(window).with_most_waiting(bound(most_waiting)).with_most_kills(bound(most_kills));
        let controller = Controller::new(declared, settings).unwrap();
        let mut model = Model { controller, handles: Vec::new(), payloads: 0 };
        // SAFETY: values and places of ours.
        let ours = Owned::new(|it| unsafe { raddle_controller_new(&raw const config, it) });
        let begin = [
            Step::Join { level: 1 }, Step::Join { level: 0 }, Step::Open { process: 0 }, Step::Open { process: 0 },
            Step::Open { process: 1 },
        ];
        for step in begin.iter().chain(&steps) {
            let about = match *step {
                Step::Report { which, wrong, .. } => model.meant(which, wrong),
                _ => None,
            };
            let expected = model.step(step);
            prop_assert_eq!(given(ours.0, step, model.payloads, about), expected, "{:?}", step);
        }
        for process in 0..2 {
            // SAFETY: places of ours.
            let (status, state) = told(|state| unsafe { raddle_controller_process(ours.0, process, state) });
            let (id, it) = (ProcessId(process), &model.controller);
            let Ok(phase) = it.phase(id) else {
                prop_assert_eq!(status, RaddleStatus::Invalid);
                continue;
            };
            prop_assert_eq!(state, RaddleProcess {
                phase: phase as u32,
                raised: it.is_raised(id).unwrap().into(),
                buffered: it.buffered(id).unwrap(),
                in_flight: it.in_flight(id).unwrap(),
                generation: it.generation(id).unwrap(),
            });
            // SAFETY: as above.
            let (_, reached) = told::<u32>(|it| unsafe { raddle_controller_reached(ours.0, process, 3, it) });
            prop_assert_eq!(reached == 1, it.reached(id, CaptureOrder(3)).unwrap());
            for (handle, _) in it.flying(id).unwrap() {
                // SAFETY: as above.
                let (_, hit) = told::<u32>(|hit| unsafe {
                    raddle_controller_is_hit(ours.0, process, handle.sequence(), hit)
                });
                prop_assert_eq!(hit == 1, it.is_hit(handle));
            }
        }
    }
}
