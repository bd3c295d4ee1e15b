//! Do steps allocate nothing once the queues have held as much as they will hold, and how much does a
//! waiting launch take?

use std::collections::VecDeque;

use raddle_policy::{Idempotence, Level, Preemption, ProcessId, StreamId};
use raddle_preempt::{
    Abilities, CapturedWork, Command, Controller, ControllerConfig, Declared, Heard, LaunchHandle,
    Report, ResetScope,
};
use raddle_testkit::{CountingAllocator, made};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[test]
fn the_count_counts() {
    assert_eq!(made(|| drop(std::hint::black_box(vec![1_u8]))), 1);
}

fn controller<T>(streams: u32) -> (Controller<T>, ProcessId) {
    let abilities = Abilities::ALL;
    let scope = ResetScope::Process;
    let declared = Declared { abilities, latched: true, withdraws: false, scope };
    let mut controller =
        Controller::new(declared, ControllerConfig::default()).expect("well-formed");
    let process = controller.join(Level(0)).expect("an id");
    for _ in 0..streams {
        controller.open(process).expect("it is there");
    }
    (controller, process)
}

/// A program whose launches are captured, run and end; at times its process is preempted, by each
/// method in turn.
struct Program {
    controller: Controller<u64>,
    process: ProcessId,
    flying: VecDeque<LaunchHandle>,
    next: u64,
    preemptions: [u64; 5],
}

impl Program {
    fn new(controller: Controller<u64>, process: ProcessId, next: u64) -> Self {
        let flying = VecDeque::with_capacity(64);
        Self { controller, process, flying, next, preemptions: [0; 5] }
    }

    fn submit(&mut self) {
        while let Some(Command::Submit { handle, .. }) =
            self.controller.next(self.process).expect("it is there")
        {
            self.controller.report(Report::Submitted(handle)).expect("it is");
            self.flying.push_back(handle);
        }
    }

    fn step(&mut self) {
        let (n, stream) = (self.next, StreamId((self.next % 5) as u32));
        self.next += 1;
        let work = CapturedWork::kernel(n, Idempotence::Idempotent);
        let taken = self.controller.captured(self.process, stream, work).expect("it is there");
        let order = taken.order().expect("there is no bound");
        if let Some(Command::Submit { handle, .. }) =
            self.controller.next(self.process).expect("it is there")
        {
            self.controller.report(Report::NotSubmitted(handle)).expect("it is being submitted");
        }
        self.submit();
        assert_eq!(self.controller.reached(self.process, order), Ok(false), "it has not run");
        if n % 4 != 0 {
            return;
        }
        // Four at a time, so that the queues fill and empty.
        self.finish(4);
        self.submit();
        if n % 20 == 0 {
            let at = (n / 20) as usize % Preemption::ALL.len();
            self.preempt(Preemption::ALL[at]);
            self.preemptions[at] += 1;
            self.submit();
        }
    }

    fn finish(&mut self, launches: usize) {
        for _ in 0..launches {
            let Some(handle) = self.flying.pop_front() else { break };
            self.controller.report(Report::Started(handle)).expect("it flies");
            self.controller.report(Report::Finished(handle)).expect("it flies");
        }
    }

    fn preempt(&mut self, way: Preemption) {
        let (controller, process) = (&mut self.controller, self.process);
        let _ = controller.preempt(process, way, None).expect("it is there");
        match way {
            Preemption::Wait => self.finish(8),
            Preemption::Flag | Preemption::Reset => self.take_off(),
            Preemption::Drain | Preemption::Switch => {
                let told = controller.next(process).expect("it is there");
                let held = matches!(told, Some(Command::Hold { .. } | Command::Save { .. }));
                assert!(held, "{told:?}");
                controller.report(Report::Drained(process)).expect("it was told");
            }
        }
        let controller = &mut self.controller;
        let Ok(Some(Command::Drained { .. })) = controller.next(process) else { panic!("more") };
        let _ = controller.resume(process).expect("it is there");
        let undone = controller.next(process).expect("it is there");
        match (way, undone) {
            // A wait took no measure, so there is nothing to undo.
            (Preemption::Wait, Some(Command::Submit { handle, .. })) => {
                controller.report(Report::Submitted(handle)).expect("it is");
                self.flying.push_back(handle);
            }
            (Preemption::Wait, None)
            | (Preemption::Flag | Preemption::Reset, Some(Command::Lower { .. }))
            | (Preemption::Drain, Some(Command::Release { .. }))
            | (Preemption::Switch, Some(Command::Restore { .. })) => {}
            other => panic!("{other:?}"),
        }
    }

    /// Lets the launches that leave by the preemption flag leave; if the controller decided on a
    /// reset, the first of them is killed.
    fn take_off(&mut self) {
        let (controller, process) = (&mut self.controller, self.process);
        let Ok(Some(Command::Raise { .. })) = controller.next(process) else { panic!("no flag") };
        let verdict = controller.report(Report::Raised(process)).expect("it was told");
        if verdict == Heard::Reset {
            let Ok(Some(Command::Reset { .. })) = controller.next(process) else { panic!("none") };
            if let Some(first) = self.flying.pop_front() {
                controller.report(Report::Killed(first)).expect("it flies");
            }
            controller.report(Report::Drained(process)).expect("it was told");
        }
        while let Some(handle) = self.flying.pop_front() {
            controller.report(Report::Exited(handle)).expect("it flies");
        }
    }
}

#[test]
fn nothing_is_allocated_in_steady_state() {
    let (controller, process) = controller(5);
    let mut program = Program::new(controller, process, 0);
    (0..2000).for_each(|_| program.step());
    let count = made(|| (0..20_000).for_each(|_| program.step()));
    assert_eq!(count, 0);
    assert!(
        program.preemptions.iter().all(|&each| each > 200),
        "every way: {:?}",
        program.preemptions
    );
    let waiting = program.controller.buffered(process).expect("it is there");
    assert!(waiting + program.flying.len() < 64, "launches end: {waiting}");
}

#[test]
fn preempting_again_and_again_without_progress_allocates_nothing() {
    let (controller, process) = controller(5);
    let mut program = Program::new(controller, process, 1);
    for n in 0..100 {
        let work = CapturedWork::kernel(n, Idempotence::Idempotent);
        let stream = StreamId(n as u32 % 5);
        let _ = program.controller.captured(process, stream, work).expect("it is there");
    }
    let mut round = || {
        program.submit();
        program.preempt(Preemption::Reset);
    };
    (0..10).for_each(|_| round());
    assert_eq!(made(|| (0..10_000).for_each(|_| round())), 0);
    assert_eq!(program.controller.buffered(process), Ok(100), "nothing is done, nothing is lost");
}

/// The most bytes that a waiting launch may take beside its payload.
const MOST: usize = 64;

fn held_since(before: i64) -> usize {
    usize::try_from(raddle_testkit::held() - before).expect("it grows")
}

/// Captures `launches` launches in turn in `streams` streams, and checks after each that all
/// waiting launches take at most [`MOST`] bytes each beside the payload, also where a queue has
/// just grown. Returns the least and the most bytes per launch that were seen while over 1,000
/// waited.
fn beside<const PAYLOAD: usize>(streams: u32, launches: usize) -> [usize; 2] {
    let (mut controller, process) = controller::<[u8; PAYLOAD]>(streams);
    let before = raddle_testkit::held();
    let (mut least, mut most, mut grown) = (usize::MAX, 0, 0);
    for n in 1..=launches {
        let work = CapturedWork::kernel([0; PAYLOAD], Idempotence::Unknown);
        let stream = StreamId(n as u32 % streams);
        grown += made(|| {
            let _ = controller.captured(process, stream, work).expect("it is there");
        });
        let held = held_since(before);
        assert!(held <= n * (PAYLOAD + MOST), "{n} launches of {PAYLOAD} bytes: {held}");
        if n > 1000 {
            let each = (held - n * PAYLOAD).div_ceil(n);
            (least, most) = (least.min(each), most.max(each));
        }
    }
    let each = grown / u64::from(streams);
    assert!((20..200).contains(&each), "a queue grows in small steps, and seldom: {each}");
    [least, most]
}

#[test]
fn a_waiting_launch_takes_at_most_64_bytes_beside_its_payload() {
    let all = |streams| {
        [
            beside::<0>(streams, 40_000),
            beside::<8>(streams, 40_000),
            beside::<32>(streams, 40_000),
            beside::<64>(streams, 40_000),
            beside::<200>(streams, 40_000),
            beside::<752>(streams, 40_000),
        ]
    };
    // 16 bytes where a queue is full; up to a quarter of the launch more where the queue has just
    // grown.
    let expected = [[16, 20], [16, 22], [16, 28], [16, 36], [16, 64], [16, 64]];
    assert_eq!(all(1), expected);
    assert_eq!(all(3).map(|[_, most]| most), expected.map(|[_, most]| most));
}

/// Checks that launches that come back from a full window take no more than [`MOST`] bytes each
/// beside their payload, in addition to the room of all launches that waited before.
fn returned<const PAYLOAD: usize>(launches: usize) {
    let (mut controller, process) = controller::<[u8; PAYLOAD]>(1);
    let before = raddle_testkit::held();
    for _ in 0..launches {
        let work = CapturedWork::kernel([0; PAYLOAD], Idempotence::Idempotent);
        let _ = controller.captured(process, StreamId(0), work).expect("it is there");
    }
    let waiting = held_since(before);
    let mut flying = Vec::with_capacity(8);
    let before = raddle_testkit::held();
    while let Some(Command::Submit { handle, .. }) = controller.next(process).expect("it is there")
    {
        controller.report(Report::Submitted(handle)).expect("it is");
        flying.push(handle);
    }
    let window = held_since(before);
    assert!(window <= 8 * (PAYLOAD + MOST), "{window}");
    let before = raddle_testkit::held();
    for &handle in &flying {
        controller.report(Report::Exited(handle)).expect("it flies");
    }
    assert_eq!(controller.buffered(process), Ok(launches));
    let back = held_since(before);
    assert!(back <= 8 * (PAYLOAD + MOST), "{back}");
    assert!(waiting + back <= (launches + 8) * (PAYLOAD + MOST), "{waiting} {back}");
}

#[test]
fn the_64_bytes_are_of_the_most_that_ever_waited_plus_the_places_of_the_window() {
    for launches in [8, 9, 100, 1001] {
        returned::<0>(launches);
        returned::<8>(launches);
        returned::<32>(launches);
        returned::<64>(launches);
        returned::<200>(launches);
    }
}

#[test]
fn room_is_kept_until_the_process_leaves() {
    let (mut controller, process) = controller::<[u8; 32]>(1);
    let finish = |controller: &mut Controller<_>, process| {
        while let Some(Command::Submit { handle, .. }) =
            controller.next(process).expect("it is there")
        {
            controller.report(Report::Finished(handle)).expect("it flies");
        }
    };
    let burst = |controller: &mut Controller<_>, launches| {
        for _ in 0..launches {
            let work = CapturedWork::kernel([0; 32], Idempotence::Idempotent);
            let _ = controller.captured(process, StreamId(0), work).expect("it is there");
        }
    };
    let before = raddle_testkit::held();
    burst(&mut controller, 1000);
    let most = held_since(before);
    assert!((1000 * (32 + 16)..=1000 * (32 + MOST)).contains(&most), "{most}");
    finish(&mut controller, process);
    assert_eq!(controller.buffered(process), Ok(0));
    assert!(held_since(before) >= most, "none of a thousand waits, and their room is kept");
    assert_eq!(made(|| burst(&mut controller, 1000)), 0, "for the next burst");
    finish(&mut controller, process);
    controller.leave(process).expect("nothing of it is under way");
    assert!(
        held_since(before.min(raddle_testkit::held())) < 100,
        "nothing is kept of who has left"
    );
}
