//! Are launches submitted in the order of issue, up to the window, and do they come back at the
//! head of the buffer?

use raddle_dispatch::slots::HighestLevel;
use raddle_dispatch::{Composed, Dispatcher, Event, Recipe};
use raddle_policy::{
    CuId, Launch, LaunchId, Level, Piece, Preemption, ProcessId, StreamId, Tick, Ticks,
};
use raddle_preempt::policy::ByRule;

use crate::composed::{
    EIGHT, SHAPE, ended, joined, launch, left, raised, ready, refusal, restored, step, taken_off,
};
use crate::recipes::json;

fn issued(launch: Launch) -> Event<'static> {
    Event::LaunchIssued { launch }
}

fn composed(window: u32, how: Preemption) -> Composed {
    Composed::builder(SHAPE, 1)
        .turn("highest-level", HighestLevel)
        .preempt("it", ByRule::fixed(how))
        .window(window)
        .build()
        .expect("it builds")
}

/// Lets process 1 issue five launches of one stream, of which the first is ready. Returns a text
/// for each action.
fn five(d: &mut Composed) -> Vec<String> {
    let mut events = vec![joined(0), joined(1), ready(launch(0, 1, 8))];
    events.extend((1..5).map(|id| issued(launch(id, 1, 8))));
    step(d, 0, &events)
}

#[test]
fn what_waits_is_submitted_up_to_the_window_and_starts_when_it_is_ready() {
    let mut d = composed(3, Preemption::Drain);
    assert_eq!(five(&mut d), ["submit k0", "submit k1", "submit k2", "start 8 of k0"]);
    let next = step(&mut d, 10, &[ended(0, &EIGHT), ready(launch(1, 1, 8))]);
    assert_eq!(next, ["submit k3", "start 8 of k1"], "one has ended, one more is submitted");
    let next = step(&mut d, 20, &[ended(1, &EIGHT), ready(launch(2, 1, 8))]);
    assert_eq!(next, ["submit k4", "start 8 of k2"]);
}

#[test]
fn without_a_window_nothing_is_known_before_it_is_ready() {
    let mut d = Composed::builder(SHAPE, 1).build().expect("it builds");
    assert!(!d.looks_ahead() && composed(8, Preemption::Drain).looks_ahead());
    assert_eq!(five(&mut d), ["submit k0", "start 8 of k0"]);
    assert_eq!(step(&mut d, 10, &[ended(0, &EIGHT), left(1)]), [""; 0], "nothing else is there");
}

#[test]
fn a_flag_returns_what_has_not_started_to_the_head_in_order() {
    let mut d = composed(3, Preemption::Flag);
    five(&mut d);
    let high = launch(9, 0, 8);
    assert_eq!(step(&mut d, 5, &[ready(high)]), ["raise p1", "submit k9"]);
    assert_eq!(step(&mut d, 5, &[raised(1)]), ["flag k1", "flag k2"]);
    assert_eq!(
        step(&mut d, 5, &[taken_off(2, Preemption::Flag), taken_off(1, Preemption::Flag)]),
        [""; 0]
    );
    // The running launch has tested the flag before, so it runs to its end; nothing of the revoked
    // process follows it.
    let next = step(&mut d, 10, &[ended(0, &EIGHT), ready(launch(1, 1, 8))]);
    assert_eq!(next, ["start 8 of k9"]);
    let next = step(&mut d, 20, &[ended(9, &EIGHT)]);
    assert_eq!(next, ["lower p1", "submit k1", "submit k2", "submit k3", "start 8 of k1"]);
}

#[test]
fn what_was_submitted_becomes_ready_on_the_device_whatever_turn_says() {
    let mut d = composed(3, Preemption::Wait);
    five(&mut d);
    assert_eq!(step(&mut d, 5, &[ready(launch(9, 0, 8))]), ["submit k9"]);
    for (at, id) in [(10, 0), (20, 1)] {
        let next = step(&mut d, at, &[ended(id, &EIGHT), ready(launch(id + 1, 1, 8))]);
        assert_eq!(next, [format!("start 8 of k{}", id + 1)], "before the urgent one");
    }
    let next = step(&mut d, 30, &[ended(2, &EIGHT), ready(launch(3, 1, 8))]);
    assert_eq!(next, ["start 8 of k9"], "the fourth was in the buffer and stays there");
}

#[test]
fn a_drain_holds_what_becomes_ready_meanwhile() {
    let mut d = composed(2, Preemption::Drain);
    five(&mut d);
    let next = step(&mut d, 5, &[ready(launch(9, 0, 8))]);
    assert_eq!(next, ["drain k0", "drain k1", "submit k9"]);
    let offs = [taken_off(1, Preemption::Drain), ended(0, &EIGHT), ready(launch(1, 1, 8))];
    assert_eq!(step(&mut d, 10, &offs), ["start 8 of k9"], "k1 is ready, and held");
    assert_eq!(step(&mut d, 20, &[ended(9, &EIGHT)]), ["restore k1", "submit k2"]);
    let back = restored(1);
    assert_eq!(step(&mut d, 20, &[back]), ["start 8 of k1"]);
}

/// Checks that a process stays runnable while its submitted launches wait; launches in the buffer
/// do not make it runnable.
#[test]
fn the_pool_of_turn_holds_submitted_launches_that_wait() {
    let mut d = composed(2, Preemption::Drain);
    let low = [joined(0), joined(1), ready(launch(0, 1, 8)), issued(launch(9, 0, 8))];
    let done = step(&mut d, 0, &low);
    assert_eq!(done, ["submit k0", "start 8 of k0"], "k9 waits in the buffer: no turn for it");
    let first = step(&mut d, 1, &[ready(launch(8, 0, 8)), issued(launch(7, 0, 8))]);
    assert_eq!(first, ["drain k0", "submit k9", "submit k8"], "in the order of issue");
    let mut next = step(&mut d, 10, &[ended(0, &EIGHT)]);
    next.extend(step(&mut d, 20, &[ended(8, &EIGHT)]));
    assert_eq!(next, ["start 8 of k8", "submit k7"], "k9 waits on the device and keeps the turn");
    assert_eq!(step(&mut d, 30, &[ready(launch(1, 1, 8))]), [""; 0]);
    assert_eq!(step(&mut d, 40, &[ready(launch(9, 0, 8))]), ["start 8 of k9"]);
}

#[test]
fn contradictions_are_refused_and_change_nothing() {
    let mut d = composed(2, Preemption::Drain);
    five(&mut d);
    let now = Tick(1);
    let again = d.event(&issued(launch(3, 1, 8)), now);
    assert!(refusal(again).contains("launch k3 became ready twice"));
    let other =
        d.event(&ready(launch(3, 1, 7)), now).expect_err("it was issued with 8").to_string();
    assert!(other.contains("another one than it was issued"), "{other}");
    let nobody = d.event(&issued(launch(6, 7, 8)), now);
    assert!(refusal(nobody).contains("event for unknown process"));
    d.event(&ready(launch(3, 1, 8)), now).expect("once it may");
    let twice = d.event(&ready(launch(3, 1, 8)), now);
    assert!(refusal(twice).contains("launch k3 became ready twice"));
    let mut d = composed(2, Preemption::Drain);
    step(&mut d, 0, &[joined(0), issued(launch(1, 0, 8))]);
    let left = d.event(&left(0), now);
    assert!(refusal(left).contains("left before its launches ended"), "it waits in the buffer");
}

fn copy(id: u32, process: u16) -> Event<'static> {
    let (process, stream, level) = (ProcessId(process), StreamId(0), Level(process as u8));
    Event::CopyIssued { copy: LaunchId(id), process, stream, level, lasts: Ticks(5) }
}

#[test]
fn a_copy_that_becomes_ready_when_its_process_leaves_does_not_start() {
    let copy_ready = || Event::CopyReady { copy: LaunchId(1) };
    let play = |urgent: bool| {
        let mut d = composed(2, Preemption::Drain);
        let begin = [joined(0), joined(1), ready(launch(0, 1, 8)), copy(1, 1)];
        assert_eq!(step(&mut d, 0, &begin), ["submit k0", "submit k1", "start 8 of k0"]);
        let mut events = vec![ended(0, &EIGHT), copy_ready()];
        events.extend(urgent.then(|| ready(launch(9, 0, 8))));
        step(&mut d, 10, &events).join(" ")
    };
    assert_eq!(play(false), "start copy k1");
    assert_eq!(play(true), "drain k1 submit k9 start 8 of k9");
}

#[test]
fn a_turn_that_is_lost_again_takes_back_the_resume_that_waits() {
    let half = [Piece { first: 0, stride: 1, count: 4, cu: CuId(0) }];
    let mut d = composed(1, Preemption::Wait);
    let begin = [joined(0), joined(1), ready(launch(0, 1, 4)), issued(launch(1, 1, 4))];
    assert_eq!(step(&mut d, 0, &begin), ["submit k0", "start 4 of k0"]);
    assert_eq!(step(&mut d, 1, &[ready(launch(9, 0, 4))]), ["submit k9", "start 4 of k9"]);
    assert_eq!(step(&mut d, 2, &[ended(9, &half)]), [""; 0], "k0 has not ended");
    assert_eq!(step(&mut d, 3, &[ready(launch(8, 0, 4))]), ["submit k8", "start 4 of k8"]);
    let without_turn = step(&mut d, 4, &[ended(0, &half), ready(launch(1, 1, 4))]);
    assert_eq!(without_turn, [""; 0]);
    assert_eq!(step(&mut d, 5, &[ended(8, &half)]), ["submit k1", "start 4 of k1"]);
}

#[test]
fn what_is_said_of_copies_must_fit_together() {
    let copy_ready = |id| Event::CopyReady { copy: LaunchId(id) };
    let copied = |id| Event::CopyEnded { copy: LaunchId(id) };
    let mut d = composed(2, Preemption::Flag);
    step(&mut d, 0, &[joined(0), joined(1), copy(1, 0), ready(launch(2, 1, 8))]);
    let now = Tick(1);
    let twice = d.event(&copy(1, 0), now);
    assert!(refusal(twice).contains("launch k1 became ready twice"));
    for (what, id) in [(copy_ready(2), 2), (copied(2), 2), (copy_ready(3), 3)] {
        let found = refusal(d.event(&what, now));
        assert!(found.contains(&format!("event for unknown launch k{id}:")), "{found}");
    }
    let early = d.event(&copied(1), now);
    assert!(refusal(early).contains("launch k1 was said to be ended although nobody asked"));
    d.event(&copy_ready(1), now).expect("once it may");
    let again = d.event(&copy_ready(1), now);
    assert!(refusal(again).contains("launch k1 became ready twice"));
    let left = d.event(&left(0), now);
    assert!(refusal(left).contains("left before its launches ended"), "it waits in the buffer");
    // Without a window events of copies are ignored, even contradictory ones.
    let mut d = Composed::builder(SHAPE, 1).build().expect("it builds");
    let nothing = step(&mut d, 0, &[joined(0), copy(1, 0), copy_ready(1), copied(7)]);
    assert_eq!(nothing, [""; 0]);
}

#[test]
fn what_can_never_run_is_refused_when_it_is_ready_and_not_before() {
    let mut d = composed(2, Preemption::Drain);
    let mut large = launch(1, 0, 8);
    large.demand.lds = 17;
    assert_eq!(step(&mut d, 0, &[joined(0), ready(launch(0, 0, 8)), issued(large)]).len(), 2);
    let refused = step(&mut d, 10, &[ended(0, &EIGHT), ready(large)]);
    assert_eq!(refused, ["refuse k1 lacks lds: wants 17, an empty compute unit has 16"]);
}

#[test]
fn a_recipe_gives_the_window() {
    let text = "raddle = 1\nwindow = 8\n[turn]\npolicy = \"highest-level\"";
    let recipe = Recipe::parse("mine", text).expect("a recipe");
    assert_eq!(recipe.window(), Some(8));
    assert_eq!(Recipe::parse("again", &json(&recipe)).expect("its own text"), recipe);
    assert!(recipe.builder(SHAPE, 1).expect("it builds").build().expect("it builds").looks_ahead());
    let none = Recipe::parse("mine", "raddle = 1\nwindow = 0").expect("a recipe");
    let error = none.builder(SHAPE, 1).expect_err("nothing would run").to_string();
    assert!(
        error.contains("`window`: 0 would never") && error.contains("give 1 or more"),
        "{error}"
    );
    let near = Recipe::parse("mine", "raddle = 1\nwindo = 8").expect_err("no such key").to_string();
    assert!(near.contains("did you mean `window`?"), "{near}");
    assert!(Recipe::parse("mine", "raddle = 1\nwindow = -1").is_err());
}
