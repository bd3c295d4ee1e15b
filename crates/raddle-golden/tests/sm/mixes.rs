//! Do random mixes of kernels go as the naive twin says, and does none wait for ever?

use proptest::prelude::*;
use raddle_sm::{BlockWarpConfig, Choose};

use crate::naive::Kernel;
use crate::{naive, ours};

pub(crate) fn options() -> impl Strategy<Value = BlockWarpConfig> {
    let choose = prop_oneof![Just(Choose::Lowest), Just(Choose::MostFree)];
    (any::<bool>(), choose, any::<[bool; 3]>()).prop_map(|(strict, choose, rest)| BlockWarpConfig {
        strict,
        choose,
        fall_through: rest[0],
        backfill: rest[1],
        whole_blocks_for_barriers: rest[2],
    })
}

fn kernel(total: [u64; 3], barriers: bool) -> impl Strategy<Value = Kernel> {
    let [registers, warps, shared] = total;
    let whose = (0u64..30, 0u64..4, 1u64..6);
    // Now and then more than there is.
    let takes = (1..=warps + 1, 0..=registers / 2 + 1, 0..=shared + 1);
    (whose, takes, any::<bool>(), prop::collection::vec(1u64..12, 1..5)).prop_map(
        move |((arrive, priority, blocks), (warps, registers, shared), barrier, times)| {
            let ticks = (0..(blocks * warps) as usize).map(|at| times[at % times.len()]);
            let (barrier, ticks) = (barrier && barriers, ticks.collect());
            Kernel { arrive, priority, blocks, warps, registers, shared, barrier, ticks }
        },
    )
}

fn total() -> impl Strategy<Value = [u64; 3]> {
    (0u64..24, 1u64..9, 0u64..9).prop_map(|(registers, warps, shared)| [registers, warps, shared])
}

fn mix(barriers: bool) -> impl Strategy<Value = (u16, [u64; 3], Vec<Kernel>)> {
    (1u16..6, total()).prop_flat_map(move |(sms, total)| {
        let kernels = prop::collection::vec(kernel(total, barriers), 1..9);
        (Just(sms), Just(total), kernels)
    })
}

proptest! {
    #[test]
    fn every_option_does_what_the_naive_twin_does(
        (sms, total, kernels) in mix(true),
        options in options(),
    ) {
        let naive = naive::play(sms, total, options, &kernels);
        let ours = ours::play(sms, total, options, &kernels).expect("well-formed");
        prop_assert_eq!(ours, naive);
    }

}

/// Returns the setting for ten times as many cases as the other tests have: 100,000 in `cargo xtask
/// soak`.
fn many() -> ProptestConfig {
    let usual = ProptestConfig::default();
    ProptestConfig { cases: usual.cases.saturating_mul(10), ..usual }
}

proptest! {
    #![proptest_config(many())]

    /// Checks that every kernel ends, whatever the other options are, also with barriers: check 12
    /// in the digest of patent 003 (our summary with checks).
    #[test]
    fn with_backfill_and_whole_blocks_nothing_waits_for_ever(
        (sms, total, kernels) in mix(true),
        options in options(),
    ) {
        let options = BlockWarpConfig { backfill: true, whole_blocks_for_barriers: true, ..options };
        let story = ours::play(sms, total, options, &kernels).expect("well-formed");
        prop_assert_eq!(&story.stuck, &[] as &[usize], "{:?}", story.log);
        for (kernel, end) in story.ends.iter().enumerate() {
            let refused = story.refused.iter().any(|it| it.starts_with(&format!("k{kernel} ")));
            prop_assert_eq!(end.is_none(), refused);
        }
    }

}

proptest! {
    /// Checks that a warp runs exactly as long as it takes (with a barrier, from its block's last
    /// start on), so that nothing running is ever stopped: check 9 in the digest of patent
    /// 003 (our summary with checks).
    #[test]
    fn nothing_running_is_stopped((sms, total, kernels) in mix(true), options in options()) {
        let story = ours::play(sms, total, options, &kernels).expect("well-formed");
        let mut began = std::collections::BTreeMap::new();
        for line in &story.log {
            let words: Vec<&str> = line.split(' ').collect();
            let (at, warp): (u64, &str) = (words[0].parse().unwrap(), words[2]);
            if words[1] != "start" && words[1] != "end" {
                continue;
            }
            let mut parts = warp.split('.');
            let k: usize = parts.next().unwrap()[1..].parse().unwrap();
            let block: u64 = parts.next().unwrap().parse().unwrap();
            let number: u64 = parts.next().unwrap()[1..].parse().unwrap();
            let kernel = &kernels[k];
            let whose = (k, block, if kernel.barrier { 0 } else { number });
            if words[1] == "start" {
                began.insert(whose, at);
            } else {
                let ticks = kernel.ticks[(block * kernel.warps + number) as usize];
                prop_assert_eq!(at - began[&whose], ticks, "{}", line);
            }
        }
    }
}
