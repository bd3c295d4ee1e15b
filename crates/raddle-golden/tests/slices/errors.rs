//! Is bad input refused with what, where and what to do, and is nothing changed?

use raddle_golden::slices::Exclusive;
use raddle_policy::Ticks;
use raddle_timeslice::{
    LevelRange, LoadedProcess, SliceConfig, SliceError, SliceRule, StageOne, StageTwo, Weight,
};

fn settings() -> SliceConfig {
    SliceConfig::new(Ticks(40), 8, SliceRule::MinOne)
}

#[test]
fn settings_are_checked() {
    let made = |settings: SliceConfig| Exclusive::new(&settings).err();
    assert_eq!(made(SliceConfig { t0: Ticks(0), ..settings() }), Some(SliceError::ZeroSlice));
    assert_eq!(made(SliceConfig { capacity: 0, ..settings() }), Some(SliceError::ZeroCapacity));
    let below = SliceError::LongestBelow { longest: Ticks(39), t0: Ticks(40) };
    assert_eq!(made(SliceConfig { longest: Some(Ticks(39)), ..settings() }), Some(below));
    assert_eq!(made(SliceConfig { longest: Some(Ticks(40)), ..settings() }), None);
    assert_eq!(LevelRange::new(0), Err(SliceError::LevelCount { levels: 0 }));
    assert_eq!(LevelRange::new(257), Err(SliceError::LevelCount { levels: 257 }));
    assert!(
        StageOne::new(Ticks(0), 1).is_err()
            && StageTwo::new(Ticks(0), SliceRule::Mean, None).is_err()
    );
}

#[test]
fn slices_beyond_128_bits_are_refused_asked_directly() {
    let wide = LoadedProcess { index: 0, weight: Weight::new(u64::MAX, u64::MAX, 1, 1), share: 1 };
    let mut slices = vec![7];
    for rule in SliceRule::ALL {
        let stage = StageTwo::new(Ticks(1), rule, Some(Ticks(9))).unwrap();
        assert_eq!(stage.slices(&[wide], &mut slices), Err(SliceError::Overflow { at: 0 }));
        assert!(slices.is_empty());
    }
}

#[test]
fn messages_say_what_to_do() {
    let messages = [
        SliceError::LevelCount { levels: 0 },
        SliceError::LevelOutside { level: 16, levels: 16 },
        SliceError::Setting { key: "slice-us", given: 0, least: 1, most: 9 },
        SliceError::LongestUsBelow { longest_us: 1, t0_us: 2 },
        SliceError::ZeroCapacity,
        SliceError::ZeroSlice,
        SliceError::LongestBelow { longest: Ticks(1), t0: Ticks(2) },
        SliceError::Overflow { at: 2 },
    ]
    .map(|error| error.to_string());
    insta::assert_snapshot!(messages.join("\n"));
}
