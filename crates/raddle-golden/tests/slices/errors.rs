//! Is bad input refused with what, where and what to do, and is nothing changed?

use raddle_golden::slices::Exclusive;
use raddle_policy::Ticks;
use raddle_timeslice::{
    LevelRange, LoadedProcess, SliceConfig, SliceRule, StageOne, StageTwo, Weight,
};

fn settings() -> SliceConfig {
    SliceConfig::new(Ticks(40), 8, SliceRule::MinOne)
}

#[test]
fn settings_are_checked() {
    let made =
        |settings: SliceConfig| Exclusive::new(&settings).err().map(|error| error.to_string());
    assert_eq!(
        made(SliceConfig::new(Ticks(0), 8, SliceRule::MinOne)),
        Some("a smallest slice t0 of 0 ticks: give 1 or more".to_owned())
    );
    assert_eq!(
        made(settings().with_capacity(0)),
        Some("a cache for 0 tasks: give a capacity of 1 or more".to_owned())
    );
    let below =
        "a longest slice of 39 ticks is below the smallest of 40: give 40 or more".to_owned();
    assert_eq!(made(settings().with_longest(Some(Ticks(39)))), Some(below));
    assert_eq!(made(settings().with_longest(Some(Ticks(40)))), None);
    assert_eq!(
        LevelRange::new(0).map_err(|error| error.to_string()),
        Err("0 levels cannot be: give 1 to 256".to_owned())
    );
    assert_eq!(
        LevelRange::new(257).map_err(|error| error.to_string()),
        Err("257 levels cannot be: give 1 to 256".to_owned())
    );
    assert!(
        StageOne::new(Ticks(0), 1).is_err()
            && StageTwo::new(Ticks(0), SliceRule::Mean, None).is_err()
    );
}

#[test]
fn slices_beyond_128_bits_are_refused_asked_directly() {
    let wide = LoadedProcess::new(0, Weight::new(u64::MAX, u64::MAX, 1, 1), 1);
    let mut slices = vec![7];
    for rule in SliceRule::ALL {
        let stage = StageTwo::new(Ticks(1), rule, Some(Ticks(9))).unwrap();
        assert_eq!(stage.slices(&[wide], &mut slices).map_err(|error| error.to_string()), Err("the slice of loaded task 0 is beyond 128 bits: give smaller shares or a coarser tick".to_owned()));
        assert!(slices.is_empty());
    }
}
