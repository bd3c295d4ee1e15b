//! Is bad input refused with what, where and what to do, and is nothing changed?

use raddle_golden::slices::Exclusive;
use raddle_policy::Ticks;
use raddle_timeslice::{Error, Levels, Loaded, Rule, Settings, StageOne, StageTwo, Weight};

fn settings() -> Settings {
    Settings::new(Ticks(40), 8, Rule::MinOne)
}

#[test]
fn settings_are_checked() {
    let made = |settings: Settings| Exclusive::new(&settings).err();
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
    let messages = [
        Error::LevelCount { levels: 0 },
        Error::LevelOutside { level: 16, levels: 16 },
        Error::Setting { key: "slice-us", given: 0, least: 1, most: 9 },
        Error::LongestUsBelow { longest_us: 1, t0_us: 2 },
        Error::ZeroCapacity,
        Error::ZeroSlice,
        Error::LongestBelow { longest: Ticks(1), t0: Ticks(2) },
        Error::Overflow { at: 2 },
    ]
    .map(|error| error.to_string());
    insta::assert_snapshot!(messages.join("\n"));
}
