//! Is an observer told what the log has, and does work leave only by what the device can?

use std::sync::{Arc, Mutex};

use raddle_dispatch::log::{LogHeader, ended as ended_log, replay};
use raddle_dispatch::{Abilities, Builder, Composed, Recipe};
use raddle_policy::Preemption;
use raddle_preempt::policy::ByRule;
use raddle_testkit::Sink;

use crate::composed::{
    EIGHT, SHAPE, ended, joined, launch, raised, ready, refusal, step, taken_off,
};

/// Plays a launch that is taken off by `how`, and returns the actions of the decision that asks it.
fn revoked(builder: Builder, how: Preemption) -> Vec<String> {
    let mut d = builder.build().expect("it builds");
    step(&mut d, 0, &[joined(0), joined(1)]);
    step(&mut d, 1, &[ready(launch(7, 1, 20))]);
    let asked = step(&mut d, 2, &[ready(launch(8, 0, 3))]);
    match how {
        Preemption::Wait => {}
        Preemption::Flag | Preemption::Reset => {
            step(&mut d, 3, &[raised(1)]);
        }
        Preemption::Drain => {
            step(&mut d, 9, &[ended(7, &EIGHT), taken_off(7, how)]);
            step(&mut d, 12, &[ended(8, &EIGHT[..0])]);
        }
        Preemption::Switch => {
            step(&mut d, 9, &[taken_off(7, how)]);
        }
    }
    asked
}

/// The lines of an observer between a header and an end are the log itself: a replay gives every
/// answer again.
#[test]
fn an_observer_is_told_the_log() {
    for (allocate, how) in [("leftover", "drain"), ("greedy", "switch"), ("greedy", "reset")] {
        let text = format!(
            "raddle = 1\n[turn]\npolicy = 'highest-level'\n[allocate]\npolicy = '{allocate}'\n\
             addresses = true\n[preempt]\npolicy = '{how}'\n"
        );
        let text =
            text.replace(if allocate == "leftover" { "addresses = true\n" } else { "?" }, "");
        let recipe = Recipe::parse("told", &text).expect("a recipe");
        let sink = Sink::default();
        let header = LogHeader::new(recipe.clone(), "a device", SHAPE, 1);
        let writer = header.writer(Box::new(sink.clone()));
        let lines = Arc::new(Mutex::new(String::new()));
        let also = lines.clone();
        let builder =
            recipe.builder(SHAPE, 1).expect("it suits").log(writer).observe(move |told| {
                let line = serde_json::to_string(told).expect("it is JSON");
                also.lock().expect("one thread").push_str(&(line + "\n"));
            });
        let way = Preemption::ALL.into_iter().find(|way| way.name() == how).expect("a way");
        revoked(builder, way);
        let written = sink.text();
        let (first, rest) = written.split_once('\n').expect("a header");
        let told = lines.lock().expect("one thread").clone();
        assert_eq!(told, rest, "{how}");
        let whole = ended_log(&format!("{first}\n{told}"));
        let replayed = replay(whole.as_bytes()).expect("it is a log");
        assert_eq!(replayed.difference(), None);
        assert!(replayed.answers() > 3);
    }
}

/// A log of a device that lacks a method says so, and gives the same answers again; without that
/// key the replay asks for the method that the recipe names.
#[test]
fn a_log_says_what_the_device_can() {
    let text = "raddle = 1\n[turn]\npolicy = 'highest-level'\n[preempt]\npolicy = 'switch'\n";
    let recipe = Recipe::parse("able", text).expect("a recipe");
    let logged = |abilities, how| {
        let sink = Sink::default();
        let header = LogHeader::new(recipe.clone(), "a device", SHAPE, 1);
        let builder = recipe.builder(SHAPE, 1).expect("it suits");
        // The log may be given before the abilities are.
        let builder = builder.log(header.writer(Box::new(sink.clone()))).abilities(abilities);
        revoked(builder, how);
        ended_log(&sink.text())
    };
    let replayed = |log: &str| replay(log.as_bytes()).map(|it| it.difference().cloned());
    let drains = Abilities::NONE.with(Preemption::Drain, true);
    let log = logged(drains, Preemption::Drain);
    let key = ",\"abilities\":{\"can-flag\":false,\"can-drain\":true,\"can-reset\":false,\
               \"can-switch\":false}";
    assert!(log.lines().next().expect("a header").ends_with(&format!("{key}}}")), "{log}");
    assert_eq!(replayed(&log).expect("it is a log"), None);
    let (_, logged_line, again) =
        replayed(&log.replace(key, "")).expect("a log").expect("it differs");
    assert!(logged_line.contains("\"how\":\"drain\""), "{logged_line}");
    assert!(again.contains("\"how\":\"switch\""), "{again}");
    // Abilities that no device can have together are refused.
    let wrong = log.replace("\"can-reset\":false", "\"can-reset\":true");
    assert!(refusal(replayed(&wrong)).contains("without a flag"));
    let log = logged(Abilities::ALL, Preemption::Switch);
    assert!(!log.contains("abilities"), "{log}");
    assert_eq!(replayed(&log).expect("it is a log"), None);
}

/// A log that is put together from what an observer is told says what the device can, too.
#[test]
fn a_log_of_an_observer_says_what_the_device_can() {
    let text = "raddle = 1\n[turn]\npolicy = 'highest-level'\n[preempt]\npolicy = 'switch'\n";
    let recipe = Recipe::parse("able", text).expect("a recipe");
    let abilities = Abilities::NONE.with(Preemption::Drain, true);
    let header = LogHeader::new(recipe.clone(), "a device", SHAPE, 1).with_abilities(abilities);
    let lines = Arc::new(Mutex::new(serde_json::to_string(&header).expect("it is JSON") + "\n"));
    let also = lines.clone();
    let builder = recipe.builder(SHAPE, 1).expect("it suits").abilities(abilities);
    let builder = builder.observe(move |told| {
        let line = serde_json::to_string(told).expect("it is JSON");
        also.lock().expect("one thread").push_str(&(line + "\n"));
    });
    revoked(builder, Preemption::Drain);
    let log = ended_log(&lines.lock().expect("one thread"));
    assert_eq!(replay(log.as_bytes()).expect("it is a log").difference(), None);
}

/// Where the device lacks the way that a policy asks for, work leaves by the next gentler one.
#[test]
fn work_leaves_by_what_the_device_can() {
    let with = |abilities, how| {
        Composed::builder(SHAPE, 1)
            .turn("highest-level", raddle_dispatch::slots::HighestLevel)
            .preempt("it", ByRule::fixed(how))
            .abilities(abilities)
    };
    let drains = Abilities::NONE.with(Preemption::Drain, true);
    let flags = Abilities::NONE.with(Preemption::Flag, true);
    let asked = |abilities, how| revoked(with(abilities, how), Preemption::Wait);
    assert_eq!(asked(Abilities::ALL, Preemption::Switch), ["switch k7", "submit k8"]);
    assert_eq!(asked(drains, Preemption::Switch), ["drain k7", "submit k8"]);
    assert_eq!(asked(flags, Preemption::Switch), ["submit k8"], "only waiting is left");
    assert_eq!(asked(flags, Preemption::Reset), ["raise p1", "submit k8"]);
    let resets = Abilities::NONE.with(Preemption::Reset, true);
    assert!(refusal(with(resets, Preemption::Reset).build()).contains("without a flag"));
}
