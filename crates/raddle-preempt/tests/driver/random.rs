//! Are order, duplicates, losses, window, kills and hangs right over random plans, through the driver?

use proptest::prelude::*;

use crate::plan::Plan;
use crate::play::{Reached, play};
use crate::truth::Faults;

/// Number of random plans that each test case plays; `cargo xtask soak preempt` plays 1,000,000.
const EACH: u64 = if cfg!(debug_assertions) { 10 } else { 100 };

proptest! {
    #[test]
    fn nothing_is_lost_doubled_overtaken_wrongly_killed_or_hung(seed in any::<u64>()) {
        for seed in (0..EACH).map(|n| seed.wrapping_add(n)) {
            let (faults, _) = play(&Plan::random(seed));
            prop_assert_eq!(faults, Faults::default(), "seed {}", seed);
        }
    }
}

/// Checks that random plans reach every situation often: otherwise it would hardly be tested.
#[test]
fn the_plans_reach_everything() {
    let mut all = Reached::default();
    for seed in 0..2500 {
        let (faults, reached) = play(&Plan::random(seed));
        assert_eq!(faults, Faults::default(), "seed {seed}");
        all.add(&reached);
    }
    let few: Vec<_> = all.list().into_iter().filter(|(_, count)| *count < 10).collect();
    assert!(few.is_empty(), "{few:?} of {:?}", all.list());
}
