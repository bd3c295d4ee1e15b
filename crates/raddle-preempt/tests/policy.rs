//! What do the policies of the preempt slot answer, and do they keep their laws?

use std::fmt::Write as _;

use proptest::prelude::*;
use raddle_policy::{
    CuId, Demand, Fact, Idempotence, Launch, LaunchId, Piece, Preempt, Preemption, ProcessId,
    ProcessState, Tick, Ticks, VictimLaunch, VictimView, WaveSpan,
};
use raddle_preempt::Abilities;
use raddle_preempt::policy::{ByRule, DeviceCosts};
use raddle_testkit::{altered, check_preempt, victims};

/// Costs of a small device: 6 ticks for a kill; a workgroup of [`launch`] holds 50 bytes, and 100
/// bytes are saved in 10 ticks.
const COSTS: DeviceCosts = DeviceCosts {
    reset_ns: 6,
    bytes_per_us: 10_000,
    vgpr_bytes: 10,
    sgpr_bytes: 1,
    lds_bytes: 10,
    flag_ns: None,
    exit_ns: None,
    switch_ns: None,
    switch_bytes: None,
};

fn abilities() -> impl Strategy<Value = Abilities> {
    any::<[bool; 4]>().prop_map(|[can_flag, can_drain, can_reset, can_switch]| {
        Abilities::NONE
            .with(Preemption::Flag, can_flag)
            .with(Preemption::Drain, can_drain)
            .with(Preemption::Reset, can_reset)
            .with(Preemption::Switch, can_switch)
    })
}

proptest! {
    #[test]
    fn policies_keep_the_laws_of_the_slot(
        victims in victims(), bound in 0u64..10_000, abilities in abilities(),
        most_kills in prop::option::of(0u32..3),
    ) {
        for way in Preemption::ALL {
            check_preempt(|| ByRule::fixed(way).sparing(most_kills), &victims);
        }
        let cheapest = || ByRule::cheapest(Ticks(bound), abilities, COSTS).sparing(most_kills);
        check_preempt(cheapest, &victims);
    }

    #[test]
    fn a_fixed_method_is_taken_wherever_it_may(victims in victims()) {
        for method in Preemption::ALL {
            let mut policy = ByRule::fixed(method);
            for victim in &victims {
                let view = VictimView::new(&victim.process, &victim.launches, &[]);
                let idempotent = |it: &VictimLaunch| it.launch().idempotent == Idempotence::Idempotent;
                let kills = method == Preemption::Reset && !victim.launches.iter().all(idempotent);
                let wanted = if kills { Preemption::Flag } else { method };
                prop_assert_eq!(policy.preempt(&view, victim.now), Some(wanted));
            }
        }
    }

    #[test]
    fn the_cheapest_answers_what_the_runtime_can_do(
        victims in victims(), bound in 0u64..10_000, abilities in abilities(),
    ) {
        let mut policy = ByRule::cheapest(Ticks(bound), abilities, COSTS);
        for victim in &victims {
            let view = VictimView::new(&victim.process, &victim.launches, &[]);
            let how = policy.preempt(&view, victim.now).unwrap();
            prop_assert!(abilities.can(how), "{how:?} with {abilities:?}");
            let idempotent = |it: &VictimLaunch| it.launch().idempotent == Idempotence::Idempotent;
            prop_assert!(how != Preemption::Reset || victim.launches.iter().all(idempotent));
        }
    }
}

/// Returns a launch of eight workgroups of two waves, each wave with two granules of vector
/// registers, each workgroup with one granule of LDS.
fn launch(id: u32, idempotent: Idempotence) -> Launch {
    let demand = Demand { waves: 2, vgpr: 2, sgpr: 0, lds: 1, barriers: 0 };
    Launch::new(LaunchId(id), ProcessId(0), 8, demand).with_idempotent(idempotent)
}

/// The policy under test, together with the launch that it has observed running.
struct World {
    policy: ByRule,
    running: Option<VictimLaunch>,
}

impl World {
    fn start(&mut self, launch: &Launch, now: u64) {
        let unstarted = self.running.map_or(launch.workgroups, |it| it.unstarted());
        let pieces = [Piece { first: 8 - unstarted, stride: 1, count: 4, cu: CuId(0) }];
        let (waves, pieces, places) = (WaveSpan::All, &pieces[..], &[][..]);
        self.policy.observe(&Fact::Started { launch, waves, pieces, places }, Tick(now));
        let running = VictimLaunch::new(*launch, Tick(0)).with_unstarted(unstarted - 4);
        self.running = Some(running.with_resident_waves(8));
    }

    fn end(&mut self, launch: &Launch, now: u64) {
        let pieces = [Piece { first: 0, stride: 1, count: 4, cu: CuId(0) }];
        let fact = Fact::Ended { launch, waves: WaveSpan::All, pieces: &pieces };
        self.policy.observe(&fact, Tick(now));
        if let Some(running) = &mut self.running {
            *running = running.with_resident_waves(0);
        }
    }

    fn finish(&mut self, launch: &Launch, now: u64) {
        self.policy.observe(&Fact::LaunchEnded { launch: launch.id }, Tick(now));
        self.running = None;
    }

    /// Lets the launch run as far as the tick `now`: it begins at 100, in two rounds of four
    /// workgroups, ten ticks each.
    fn run(&mut self, launch: &Launch, now: u64) {
        self.start(launch, 100);
        if now >= 110 {
            self.end(launch, 110);
            self.start(launch, 110);
        }
    }

    fn answer(&mut self, waiting: &[Launch], now: u64) -> Preemption {
        let waits = |launch: &Launch| VictimLaunch::new(*launch, Tick(0)).with_unstarted(8);
        let mut launches: Vec<VictimLaunch> = self.running.into_iter().collect();
        launches.extend(waiting.iter().map(waits));
        let process = process();
        let view = VictimView::new(&process, &launches, &[]);
        self.policy.preempt(&view, Tick(now)).expect("the policy answers")
    }
}

fn process() -> ProcessState {
    let mut process = raddle_testkit::process(0);
    process.resident_waves = 8;
    process
}

/// Returns the policy `cheapest` with this bound; if `learned`, it has observed one launch that
/// took 20 ticks in two rounds.
fn world(bound: u64, abilities: Abilities, learned: bool) -> World {
    let mut world =
        World { policy: ByRule::cheapest(Ticks(bound), abilities, COSTS), running: None };
    if learned {
        let before = launch(90, Idempotence::Idempotent);
        world.start(&before, 0);
        world.end(&before, 10);
        world.start(&before, 10);
        world.end(&before, 20);
        world.finish(&before, 20);
    }
    world
}

/// Returns the policy's answers as one letter for each bound, in ascending order of bounds.
fn row(learned: bool, now: u64, waiting: &[Idempotence], abilities: Abilities) -> String {
    let letter = |bound: u64| {
        let mut world = world(bound, abilities, learned);
        world.run(&launch(0, Idempotence::Idempotent), now);
        let waiting: Vec<Launch> = (1..).zip(waiting).map(|(id, &it)| launch(id, it)).collect();
        world.answer(&waiting, now).name().chars().next().unwrap_or('?')
    };
    (0..=44).map(letter).collect()
}

#[test]
fn cheapest() {
    let (yes, unknown) = (Idempotence::Idempotent, Idempotence::Unknown);
    let held = Abilities::ALL.with(Preemption::Drain, false).with(Preemption::Switch, false);
    let mut table = String::from("bound 0 to 44: w wait, f flag, d drain, r reset, s switch\n");
    for (what, abilities) in [("all ways", Abilities::ALL), ("flag and reset", held)] {
        for (learned, of) in [(true, "its kind is known"), (false, "the first of its kind")] {
            writeln!(table, "\n{what}, {of}").expect("a string");
            for now in [100, 103, 110, 113, 119, 120, 125] {
                for (behind, waiting) in
                    [("alone", &[][..]), ("1 behind", &[yes][..]), ("1 unknown", &[unknown][..])]
                {
                    let row = row(learned, now, waiting, abilities);
                    writeln!(table, "{:2} {behind:9} {row}", now - 100).expect("a string");
                }
            }
        }
    }
    insta::assert_snapshot!("policy-cheapest", table);
}

/// Checks that a saved launch keeps the time that is left to it, and that a killed launch begins
/// anew.
#[test]
fn time_off_the_device_does_not_count() {
    let one = launch(0, Idempotence::Idempotent);
    let held = Abilities::NONE.with(Preemption::Flag, true).with(Preemption::Reset, true);
    // The launch has done 13 of its 20 ticks when it is saved, so 7 are left when it comes back.
    let back = |bound: u64, gone: Preemption, now: u64| {
        let mut world = world(bound, held, true);
        world.run(&one, 113);
        // While the launch is being saved or killed, nothing of it runs.
        world.policy.observe(&Fact::Leaving { launch: &one, how: gone }, Tick(113));
        let gone_at = if gone == Preemption::Drain { 113 } else { 180 };
        world.policy.observe(&Fact::TakenOff { launch: &one, how: gone }, Tick(gone_at));
        if gone == Preemption::Reset {
            world.running = None;
            world.start(&one, 500);
        } else {
            world.policy.observe(&Fact::Restored { launch: &one }, Tick(500));
        }
        world.answer(&[launch(1, Idempotence::Idempotent)], now)
    };
    assert_eq!(
        [6, 7].map(|bound| back(bound, Preemption::Switch, 500)),
        [Preemption::Reset, Preemption::Flag]
    );
    assert_eq!(
        [6, 7].map(|bound| back(bound, Preemption::Drain, 500)),
        [Preemption::Reset, Preemption::Flag]
    );
    assert_eq!(
        [16, 17].map(|bound| back(bound, Preemption::Reset, 503)),
        [Preemption::Reset, Preemption::Flag]
    );
}

#[test]
fn a_bound_is_met_exactly() {
    let yes = Idempotence::Idempotent;
    let held = Abilities::NONE.with(Preemption::Flag, true).with(Preemption::Reset, true);
    // At tick 113 of 120 the flag is over in 7 ticks and wastes nothing; a reset is over in 6.
    let answer = |bound: u64| {
        let mut world = world(bound, held, true);
        world.run(&launch(0, yes), 113);
        world.answer(&[launch(1, yes)], 113)
    };
    assert_eq!(
        [5, 6, 7, 8].map(answer),
        [Preemption::Reset, Preemption::Reset, Preemption::Flag, Preemption::Flag]
    );
}

#[test]
fn of_two_that_run_side_by_side_the_longer_one_is_waited_for() {
    let held = Abilities::NONE.with(Preemption::Flag, true).with(Preemption::Reset, true);
    let long = launch(0, Idempotence::Idempotent);
    let short = altered(launch(1, Idempotence::Idempotent), |it| it.workgroups = 4);
    // A launch of the first kind took 20 ticks, one of the second kind 5.
    let mut world = world(10, held, true);
    let pieces = [Piece { first: 0, stride: 1, count: 4, cu: CuId(0) }];
    let (waves, pieces, places) = (WaveSpan::All, &pieces[..], &[][..]);
    let start = |world: &mut World, launch: &Launch, now| {
        world.policy.observe(&Fact::Started { launch, waves, pieces, places }, Tick(now));
    };
    start(&mut world, &short, 30);
    world.end(&short, 35);
    world.finish(&short, 35);
    start(&mut world, &long, 100);
    start(&mut world, &short, 100);
    let victim = |launch: &Launch| {
        VictimLaunch::new(*launch, Tick(0)).with_unstarted(0).with_resident_waves(8)
    };
    let mut answer = |launches: &[Launch]| {
        let launches: Vec<VictimLaunch> = launches.iter().map(victim).collect();
        let process = process();
        let view = VictimView::new(&process, &launches, &[]);
        world.policy.preempt(&view, Tick(101)).expect("the policy answers")
    };
    assert_eq!(answer(&[short]), Preemption::Wait, "4 ticks are left");
    for both in [[long, short], [short, long]] {
        assert_eq!(answer(&both), Preemption::Reset, "19 ticks are more than 10");
    }
}

#[test]
fn of_who_has_nothing_submitted_nothing_may_be_killed() {
    let answer = ask(&mut ByRule::fixed(Preemption::Reset), &[]);
    assert_eq!(answer, Preemption::Flag);
}

/// Returns the policy's answers while one launch starts and is killed again and again; then its
/// answer about the next launch, after this one has ended.
fn cheapest_spared(abilities: Abilities, most_kills: Option<u32>) -> String {
    let one = launch(0, Idempotence::Idempotent);
    let policy = ByRule::cheapest(Ticks(6), abilities, COSTS).sparing(most_kills);
    let mut world = World { policy, running: None };
    let mut row = String::new();
    for round in 0..6 {
        let now = 100 * round;
        world.start(&one, now);
        let how = world.answer(&[], now + 3);
        row.push(how.name().chars().next().unwrap_or('-'));
        if how == Preemption::Reset {
            world
                .policy
                .observe(&Fact::Leaving { launch: &one, how: Preemption::Reset }, Tick(now + 3));
            world
                .policy
                .observe(&Fact::TakenOff { launch: &one, how: Preemption::Reset }, Tick(now + 9));
        }
        world.running = None;
    }
    world.finish(&one, 800);
    world.start(&one, 900);
    let next = world.answer(&[], 903).name();
    let unknown = world.answer(&[launch(1, Idempotence::Unknown)], 903).name();
    format!("{row}, the next one {next}, beside an unknown one {unknown}")
}

#[test]
fn a_launch_that_was_killed_often_enough_is_not_killed_again() {
    let held = Abilities::NONE.with(Preemption::Flag, true).with(Preemption::Reset, true);
    let mut table = String::from("r reset, f flag, d drain, s switch, w wait\n");
    for most in [None, Some(0), Some(1), Some(2), Some(5)] {
        let shown = most.map_or_else(|| "no most".to_owned(), |most| format!("at most {most}"));
        for (rule, answers) in [
            ("cheapest, flag and reset", cheapest_spared(held, most)),
            ("cheapest, every way", cheapest_spared(Abilities::ALL, most)),
            ("reset", fixed_spared(most)),
        ] {
            writeln!(table, "{rule:<24} {shown:<9} {answers}").expect("a string");
        }
    }
    insta::assert_snapshot!("policy-most-kills", table);
}

/// Returns the answers of the policy `reset` about a launch that is killed again and again.
fn fixed_spared(most_kills: Option<u32>) -> String {
    let one = launch(0, Idempotence::Idempotent);
    let other = launch(7, Idempotence::Idempotent);
    let mut policy = ByRule::fixed(Preemption::Reset).sparing(most_kills);
    let mut row = String::new();
    for now in 0..6 {
        let how = ask(&mut policy, &[one]);
        row.push(how.name().chars().next().unwrap_or('-'));
        if how == Preemption::Reset {
            policy.observe(&Fact::TakenOff { launch: &one, how: Preemption::Reset }, Tick(now));
        }
        // A launch that is saved or leaves by the flag is not killed.
        policy.observe(&Fact::TakenOff { launch: &one, how: Preemption::Switch }, Tick(now));
        policy.observe(&Fact::TakenOff { launch: &one, how: Preemption::Flag }, Tick(now));
    }
    let beside = ask(&mut policy, &[other, one]).name();
    let alone = ask(&mut policy, &[other]).name();
    policy.observe(&Fact::LaunchEnded { launch: one.id }, Tick(9));
    let next = ask(&mut policy, &[one]).name();
    format!("{row}, beside another {beside}, that one alone {alone}, ended {next}")
}

fn ask<P: Preempt>(policy: &mut P, launches: &[Launch]) -> Preemption {
    let victim = |&launch: &Launch| {
        VictimLaunch::new(launch, Tick(0)).with_unstarted(0).with_resident_waves(16)
    };
    let launches: Vec<VictimLaunch> = launches.iter().map(victim).collect();
    policy
        .preempt(&VictimView::new(&process(), &launches, &[]), Tick(0))
        .expect("the policy answers")
}

/// Checks that copies count with the time that they state, pay for no exit by the flag, and forbid
/// no reset: the controller knows whether a copy runs, and forbids it then.
#[test]
fn copies_are_weighed_by_their_time_and_forbid_nothing() {
    let victim = |launch: Launch| VictimLaunch::new(launch, Tick(0));
    let copy = |id| {
        let copy = Launch::new(LaunchId(id), ProcessId(0), 0, Demand::default());
        let mut copy = copy.with_idempotent(Idempotence::Not);
        copy.estimate = Some(Ticks(500));
        victim(copy)
    };
    let process = process();
    let ask = |policy: &mut ByRule, launches: &[VictimLaunch]| {
        let view = VictimView::new(&process, launches, &[]);
        policy.preempt(&view, Tick(1)).unwrap()
    };
    let kernel = |idempotent| victim(launch(1, idempotent));
    let mut reset = ByRule::fixed(Preemption::Reset);
    assert_eq!(ask(&mut reset, &[kernel(Idempotence::Idempotent), copy(2)]), Preemption::Reset);
    assert_eq!(ask(&mut reset, &[kernel(Idempotence::Not), copy(2)]), Preemption::Flag);
    let can_flag = Abilities::NONE.with(Preemption::Flag, true);
    let cheapest = |costs| ByRule::cheapest(Ticks(2000), can_flag, costs);
    // Launches see the flag 1,000 ticks after it was raised.
    let late = DeviceCosts { flag_ns: Some(1000), ..COSTS };
    for (copies, wanted) in [(1, Preemption::Wait), (3, Preemption::Flag)] {
        let copies: Vec<VictimLaunch> = (0..copies).map(copy).collect();
        assert_eq!(ask(&mut cheapest(late), &copies), wanted, "{}", copies.len());
    }
    let exits = DeviceCosts { exit_ns: Some(50), ..COSTS };
    let both = [copy(2), copy(3)];
    assert_eq!(ask(&mut cheapest(exits), &both), Preemption::Flag, "at no cost");
}
