//! Do the dispatcher's and the simulator's accounts agree, and is no work lost, whatever runs?

use proptest::prelude::*;
use raddle_dispatch::Composed;
use raddle_dispatch::slots::Everyone;
use raddle_policy::{
    Allocate, Answer, CuId, Demand, ErrorKind, Idempotence, Level, Piece, Preemption, ReadyView,
    Round, Tick, WaveSpan,
};
use raddle_sim::{Outcome, SimError, Task, Work};

use crate::kit::{SHAPE, WAVE_UW, WAYS, copy, kernel, preempting, try_run, workload};

fn task() -> impl Strategy<Value = Task> {
    let demand = (1u16..9, 0u16..4, 0u32..9).prop_map(|(waves, vgpr, lds)| Demand {
        waves,
        vgpr,
        lds,
        ..Demand::default()
    });
    let launch = (0u64..300, 0u64..40, 1u64..90, demand, 0u8..3, any::<bool>());
    let kernels = launch.prop_map(|(arrival, groups, ticks, wanted, level, may_be_killed)| {
        let mut task = kernel(arrival, groups, 1, ticks);
        if let Work::Kernel { demand, context_bytes, .. } = &mut task.work {
            *demand = wanted;
            *context_bytes = 0;
        }
        task.level = Level(level);
        if may_be_killed {
            task.idempotent = Idempotence::Idempotent;
        }
        task
    });
    prop_oneof![8 => kernels, 1 => (0u64..300, 1u64..90).prop_map(|(at, ticks)| copy(at, ticks))]
}

/// Draws processes of up to two streams, each in order.
pub(crate) fn processes() -> impl Strategy<Value = Vec<Vec<Task>>> {
    let process = prop::collection::vec((task(), 0u32..2), 1..10).prop_map(|tasks| {
        let mut last = [None; 2];
        let chain = |(position, (task, stream)): (usize, (Task, u32))| {
            let after = last[stream as usize].replace(position as u32);
            Task { stream: raddle_policy::StreamId(stream), after, ..task }
        };
        tasks.into_iter().enumerate().map(chain).collect()
    });
    prop::collection::vec(process, 1..4)
}

pub(crate) fn check(outcome: &Outcome, processes: &[Vec<Task>], how: Option<Preemption>) {
    assert!(outcome.stuck.is_empty(), "stuck: {:?}", outcome.stuck);
    let all: usize = processes.iter().map(Vec::len).sum();
    assert_eq!(outcome.records.len(), all);
    let mut work = 0u128;
    for record in &outcome.records {
        assert!(record.refused != record.ended.is_some(), "refused or ended, never both");
        let task = &processes[usize::from(record.process)][record.task as usize];
        if let (Work::Kernel { workgroups, workgroup, demand, .. }, false) =
            (task.work, record.refused)
        {
            work += u128::from(workgroups) * u128::from(workgroup.0) * u128::from(demand.waves);
        }
        assert!(record.ready >= Some(record.arrival));
    }
    // Killed work is done again; all other work is done once, to the tick, as saving and restoring
    // cost nothing here.
    let done = outcome.wave_ns.iter().sum::<u128>();
    assert_eq!(
        outcome.energy.total_fj(),
        done * u128::from(WAVE_UW),
        "waves draw while they are there"
    );
    if how != Some(Preemption::Reset) {
        assert_eq!(done, work, "wave time is conserved");
    } else {
        assert!(done >= work);
    }
}

proptest! {
    #[test]
    fn every_way_off_loses_nothing(processes in processes(), way in 0usize..6, cus in 1u16..4) {
        let how = WAYS[way];
        let dispatcher = preempting(cus, how)
            .build().expect("it builds");
        let outcome = try_run(&workload(processes.clone()), cus, dispatcher);
        check(&outcome.expect("the two books agree"), &processes, how);
    }

    #[test]
    fn without_turns_nothing_is_taken_off(processes in processes(), cus in 1u16..4) {
        let dispatcher = Composed::builder(SHAPE, cus).turn("everyone", Everyone).build().expect("it builds");
        let outcome = try_run(&workload(processes.clone()), cus, dispatcher).expect("lawful");
        prop_assert_eq!(outcome.counters.taken_off, 0);
        check(&outcome, &processes, None);
    }
}

/// A policy that starts the next workgroup on unit 0, also where it does not fit.
struct Overcommits;

impl Allocate for Overcommits {
    fn allocate(&mut self, ready: &ReadyView<'_>, _now: Tick, round: &mut Round) -> Answer {
        round.start_one(&ready.launches()[0], CuId(0))
    }
}

/// A policy that leaves out a workgroup and starts the one behind it.
struct Skips;

impl Allocate for Skips {
    fn allocate(&mut self, ready: &ReadyView<'_>, _now: Tick, round: &mut Round) -> Answer {
        let entry = &ready.launches()[0];
        round.pieces.push(Piece::one(entry.next() + 1, CuId(0)));
        Answer::Start { launch: entry.launch().id, waves: WaveSpan::All }
    }
}

fn law_broken(policy: impl Allocate + Send + 'static) -> String {
    let dispatcher =
        Composed::builder(SHAPE, 1).allocate("broken", policy).build().expect("it builds");
    match try_run(&workload(vec![vec![kernel(0, 20, 1, 10)]]), 1, dispatcher) {
        Err(SimError::Dispatch { error, .. }) if error.kind() == ErrorKind::Policy => {
            error.to_string()
        }
        other => format!("{other:?}"),
    }
}

#[test]
fn a_policy_that_breaks_a_law_is_named() {
    for (told, law) in [(law_broken(Overcommits), 2), (law_broken(Skips), 1)] {
        let expected = format!("policy `broken` in slot allocate broke its law: law {law}:");
        assert!(told.starts_with(&expected), "{told}");
    }
}
