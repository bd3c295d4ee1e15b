//! Do steps allocate nothing once the queues have held as much as they will hold, and how much does a
//! waiting launch take?

use std::collections::VecDeque;

use raddle_preempt::{
    Abilities, Command, Controller, Declared, Handle, Options, Scope, Verdict, Way, Work,
};
use raddle_test::{Counting, made};
use raddle_types::{Idempotence, Level, ProcessId, StreamId};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn the_count_counts() {
    assert_eq!(made(|| drop(std::hint::black_box(vec![1_u8]))), 1);
}

fn controller<T>(streams: u32) -> (Controller<T>, ProcessId) {
    let abilities = Abilities { can_flag: true, can_reset: true, ..Abilities::NONE };
    let declared = Declared { abilities, latched: true, scope: Scope::Process };
    let mut controller = Controller::new(declared, Options::default()).expect("well-formed");
    let process = controller.join(Level(0)).expect("an id");
    for _ in 0..streams {
        controller.open(process).expect("it is there");
    }
    (controller, process)
}

/// Launches come, run and end; now and then the process is preempted, every way in turn.
struct Program {
    controller: Controller<u64>,
    process: ProcessId,
    flying: VecDeque<Handle>,
    next: u64,
}

impl Program {
    fn submit(&mut self) {
        while let Some(Command::Submit { handle, .. }) =
            self.controller.next(self.process).expect("it is there")
        {
            self.controller.submitted(handle).expect("it is");
            self.flying.push_back(handle);
        }
    }

    fn step(&mut self) {
        let (n, stream) = (self.next, StreamId((self.next % 5) as u32));
        self.next += 1;
        let work = Work::kernel(n, Idempotence::Idempotent);
        self.controller.captured(self.process, stream, work).expect("it is there");
        self.submit();
        if n % 4 != 0 {
            return;
        }
        // Four at a time, so that the queues fill and empty.
        for _ in 0..4 {
            let Some(handle) = self.flying.pop_front() else { break };
            self.controller.started(handle).expect("it flies");
            self.controller.finished(handle).expect("it flies");
        }
        self.submit();
        if n % 20 == 0 {
            self.preempt(if n % 40 == 0 { Way::Reset } else { Way::Flag });
            self.submit();
        }
    }

    fn preempt(&mut self, way: Way) {
        let (controller, process) = (&mut self.controller, self.process);
        let _ = controller.preempt(process, way, None).expect("it is there");
        let Ok(Some(Command::Raise { .. })) = controller.next(process) else { panic!("no flag") };
        let verdict = controller.raised(process).expect("it was told");
        if verdict == Verdict::Reset {
            let Ok(Some(Command::Reset { .. })) = controller.next(process) else { panic!("none") };
            if let Some(first) = self.flying.pop_front() {
                controller.killed(first).expect("it flies");
            }
            controller.drained(process).expect("it was told");
        }
        while let Some(handle) = self.flying.pop_front() {
            let _ = controller.exited(handle).expect("it flies");
        }
        let Ok(Some(Command::Drained { .. })) = controller.next(process) else { panic!("more") };
        let _ = controller.resume(process).expect("it is there");
        let Ok(Some(Command::Lower { .. })) = controller.next(process) else { panic!("still up") };
    }
}

#[test]
fn nothing_is_allocated_in_steady_state() {
    let (controller, process) = controller(5);
    let mut program = Program { controller, process, flying: VecDeque::with_capacity(64), next: 0 };
    (0..2000).for_each(|_| program.step());
    let count = made(|| (0..20_000).for_each(|_| program.step()));
    assert_eq!(count, 0);
    let waiting = program.controller.buffered(process).expect("it is there");
    assert!(waiting + program.flying.len() < 64, "launches end: {waiting}");
}

#[test]
fn preempting_again_and_again_without_progress_allocates_nothing() {
    let (controller, process) = controller(5);
    let mut program = Program { controller, process, flying: VecDeque::with_capacity(64), next: 1 };
    for n in 0..100 {
        let work = Work::kernel(n, Idempotence::Idempotent);
        program.controller.captured(process, StreamId(n as u32 % 5), work).expect("it is there");
    }
    let mut round = || {
        program.submit();
        program.preempt(Way::Reset);
    };
    (0..10).for_each(|_| round());
    assert_eq!(made(|| (0..10_000).for_each(|_| round())), 0);
    assert_eq!(program.controller.buffered(process), Ok(100), "nothing is done, nothing is lost");
}

/// Bytes held for each of so many waiting launches, beside their payloads.
fn beside<const PAYLOAD: usize>(launches: usize) -> usize {
    let before = raddle_test::held();
    let (mut controller, process) = controller::<[u64; PAYLOAD]>(1);
    for _ in 0..launches {
        let work = Work::kernel([0; PAYLOAD], Idempotence::Unknown);
        controller.captured(process, StreamId(0), work).expect("it is there");
    }
    let held = usize::try_from(raddle_test::held() - before).expect("it grows");
    drop(controller);
    // A queue doubles: just behind a power of two it has room for as many again.
    held / launches - size_of::<[u64; PAYLOAD]>()
}

#[test]
fn a_waiting_launch_takes_at_most_64_bytes_beside_its_payload() {
    let full = [beside::<1>(1 << 16), beside::<4>(1 << 16)];
    assert_eq!(full, [16, 16], "a full queue");
    // Half empty, the room for what is not there yet included: 16 + 24.
    let half = beside::<1>((1 << 16) + 1);
    assert!(half <= 64, "{half}");
}
