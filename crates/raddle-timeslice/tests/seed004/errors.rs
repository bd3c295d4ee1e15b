//! Is bad input refused with what, where and what to do, and is nothing changed?

use raddle_policy::{Tick, Ticks};
use raddle_timeslice::{
    Error, Exclusive, Levels, Loaded, Pool, Rule, Settings, StageOne, StageTwo, Task, TaskId,
    Weight,
};

use crate::task;

fn settings() -> Settings {
    Settings::new(Ticks(40), 8, Rule::MinOne)
}

#[test]
fn settings_are_checked() {
    let made = |settings: Settings| Exclusive::new(&settings, Levels::default()).err();
    assert_eq!(made(Settings { t0: Ticks(0), ..settings() }), Some(Error::ZeroSlice));
    assert_eq!(made(Settings { capacity: 0, ..settings() }), Some(Error::ZeroCapacity));
    let below = Error::LongestBelow { longest: Ticks(39), t0: Ticks(40) };
    assert_eq!(made(Settings { longest: Some(Ticks(39)), ..settings() }), Some(below));
    assert_eq!(made(Settings { longest: Some(Ticks(40)), ..settings() }), None);
    assert_eq!(Levels::new(0), Err(Error::LevelCount { levels: 0 }));
    assert_eq!(Levels::new(257), Err(Error::LevelCount { levels: 257 }));
    assert!(
        StageOne::new(Ticks(0), 1).is_err() && StageTwo::new(Ticks(0), Rule::Mean, None).is_err()
    );
}

/// The pool after a refusal is the pool before it.
fn refused(pool: &mut Pool, by: impl FnOnce(&mut Pool) -> Result<(), Error>) -> Error {
    let before = format!("{pool:?}");
    let error = by(pool).unwrap_err();
    assert_eq!(format!("{pool:?}"), before, "{error}");
    error
}

#[test]
fn tasks_are_checked_and_nothing_changes() {
    let mut pool = Pool::new(Levels::new(4).unwrap());
    pool.add(task(1, 3, 10, 20), Tick(100)).unwrap();
    let new = task(2, 0, 10, 20);
    let mut add = |task: Task, now| refused(&mut pool, |pool| pool.add(task, Tick(now)));
    assert_eq!(add(task(2, 4, 10, 20), 100), Error::LevelOutside { level: 4, levels: 4 });
    assert_eq!(add(task(1, 0, 10, 20), 100), Error::DuplicateTask { task: TaskId(1) });
    assert_eq!(add(Task { share: 0, ..new }, 100), Error::ZeroShare { task: TaskId(2) });
    assert_eq!(add(new, 99), Error::TimeBackwards { now: Tick(99), latest: Tick(100) });
    let later = Error::CreatedLater { task: TaskId(2), created: Tick(101), now: Tick(100) };
    assert_eq!(add(task(2, 0, 101, 0), 100), later);
    let beyond = Error::RanBeyond { task: TaskId(2), ran: Ticks(91), alive: Ticks(90) };
    assert_eq!(add(task(2, 0, 10, 91), 100), beyond);
    assert!(pool.add(task(2, 0, 10, 90), Tick(100)).is_ok());
}

#[test]
fn what_happens_is_checked_and_nothing_changes() {
    let mut pool = Pool::new(Levels::default());
    pool.add(task(1, 3, 10, 20), Tick(100)).unwrap();
    let unknown = Error::UnknownTask { task: TaskId(7) };
    let backwards = Error::TimeBackwards { now: Tick(99), latest: Tick(100) };
    let complete = |pool: &mut Pool, id, now| pool.complete(TaskId(id), Tick(now)).map(|_| ());
    assert_eq!(refused(&mut pool, |pool| complete(pool, 7, 100)), unknown);
    assert_eq!(refused(&mut pool, |pool| complete(pool, 1, 99)), backwards);
    let charge = |pool: &mut Pool, id, ran, now| pool.charge(TaskId(id), Ticks(ran), Tick(now));
    assert_eq!(refused(&mut pool, |pool| charge(pool, 7, 1, 100)), unknown);
    assert_eq!(refused(&mut pool, |pool| charge(pool, 1, 1, 99)), backwards);
    let beyond = Error::RanBeyond { task: TaskId(1), ran: Ticks(92), alive: Ticks(91) };
    assert_eq!(refused(&mut pool, |pool| charge(pool, 1, 72, 101)), beyond);
    assert_eq!(refused(&mut pool, |pool| pool.advance(Tick(99))), backwards);
    charge(&mut pool, 1, 71, 101).unwrap();
    assert_eq!(pool.complete(TaskId(1), Tick(101)).unwrap().ran, Ticks(91));
    assert_eq!(
        refused(&mut pool, |pool| complete(pool, 1, 101)),
        Error::UnknownTask { task: TaskId(1) }
    );
    let mut gpu = Exclusive::new(&settings(), Levels::default()).unwrap();
    gpu.advance(Tick(5), &mut |_| {}).unwrap();
    let error = Error::TimeBackwards { now: Tick(4), latest: Tick(5) };
    assert_eq!(gpu.advance(Tick(4), &mut |_| {}), Err(error));
}

#[test]
fn slices_beyond_128_bits_are_refused_asked_directly() {
    let wide = Loaded { index: 0, weight: Weight::new(u64::MAX, u64::MAX, 1, 1), share: 1 };
    let mut slices = vec![7];
    for rule in Rule::ALL {
        let stage = StageTwo::new(Ticks(1), rule, Some(Ticks(9))).unwrap();
        assert_eq!(stage.slices(&[wide], &mut slices), Err(Error::Overflow { at: 0 }));
        assert!(slices.is_empty());
    }
}

#[test]
fn messages_say_what_to_do() {
    let task = TaskId(3);
    let messages = [
        Error::LevelCount { levels: 0 },
        Error::LevelOutside { level: 16, levels: 16 },
        Error::Setting { key: "slice-us", given: 0, least: 1, most: 9 },
        Error::LongestUsBelow { longest_us: 1, t0_us: 2 },
        Error::ZeroCapacity,
        Error::ZeroSlice,
        Error::LongestBelow { longest: Ticks(1), t0: Ticks(2) },
        Error::ZeroShare { task },
        Error::DuplicateTask { task },
        Error::UnknownTask { task },
        Error::CreatedLater { task, created: Tick(9), now: Tick(8) },
        Error::RanBeyond { task, ran: Ticks(9), alive: Ticks(8) },
        Error::TimeBackwards { now: Tick(8), latest: Tick(9) },
        Error::Overflow { at: 2 },
    ]
    .map(|error| error.to_string());
    insta::assert_snapshot!(messages.join("\n"));
}
