//! Does `raddle::ask` give figures with bounds, and say why where there is none?

use std::time::Duration;

use raddle::{Goal, Load, Outcome, Rate, Study, StudyError};

use crate::common::{Place, infer, train};

/// Runs a study by the library: `requests` requests a second beside training, under two recipes,
/// with the goal that 99 of 100 take at most `limit`.
fn asked(requests: u32, limit: Duration) -> Result<Outcome, StudyError> {
    let place = Place::new();
    place.file("train.csv", train());
    place.file("infer.csv", infer());
    let path = |name: &str| place.path().join(name).display().to_string();
    let load = Load::requests("infer", Rate::per_second(requests)).until(Duration::from_millis(20));
    let study = Study::of([path("train.csv"), path("infer.csv")])
        .device("v100")
        .load(load)
        .goal(Goal::p99("infer", limit))
        .recipe("time-slice")
        .recipe("leftover-drain");
    raddle::ask(&study)
}

#[test]
fn figures_have_names_and_bounds_and_say_why_there_is_none() {
    let outcome = asked(1_000, Duration::from_secs(1)).expect("it can be answered");
    assert!(outcome.recipes().all(|recipe| recipe.is_complete() && recipe.meets_goals()));
    let best = outcome.recipes().next().expect("two recipes");
    assert_eq!(outcome.verdict().recipe.as_deref(), Some(best.name()));

    let infer = outcome.recipe("leftover-drain").and_then(|it| it.process("infer")).expect("a row");
    let p99 = infer.p99().expect("it has requests");
    assert!(p99.ns > infer.p50().expect("it has requests").ns);
    let said = |error: StudyError| error.to_string();
    assert_eq!(said(infer.step().unwrap_err()), "infer has no step: it is judged by its p99");
    let unknown = outcome.recipe("leftover-drian").unwrap_err();
    assert_eq!(
        said(unknown),
        "there is no recipe leftover-drian in it, only time-slice, leftover-drain. Did you mean `leftover-drain`?"
    );
    let unknown = outcome.recipe("time-slice").and_then(|it| it.process("serve")).unwrap_err();
    assert_eq!(said(unknown), "there is no process serve in it, only train, infer.");
}

#[test]
fn goals_that_are_missed_and_rates_of_nothing_are_told() {
    let outcome = asked(1_000, Duration::from_nanos(1)).expect("it can be answered");
    assert!(outcome.recipes().all(|recipe| !recipe.meets_goals()));
    assert!(outcome.verdict().text.contains("No policy"), "{}", outcome.verdict().text);
    let refused = asked(0, Duration::from_secs(1)).unwrap_err().to_string();
    assert!(refused.contains("infer=0/s"), "{refused}");
}
