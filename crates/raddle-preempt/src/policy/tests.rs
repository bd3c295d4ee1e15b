//! Does the rule `cheapest` find the method that a slow search in wide integers finds, and do the
//! preempt policies keep their laws?

use alloc::vec::Vec;

use proptest::prelude::*;
use raddle_policy::{Preemption, Ticks};

use super::DeviceCosts;
use super::price::VictimEstimate;

const ENDLESS: u128 = u128::MAX / 8;

/// Returns (latency, waste) of a method in ticks, computed in wide integers and saturated where the
/// crate saturates.
fn price(v: &VictimEstimate, device: &DeviceCosts, method: Preemption) -> (u128, u128) {
    let known = |span: Option<Ticks>| span.map_or(ENDLESS, |span| u128::from(span.0));
    let top = u128::from(u64::MAX);
    let cost = |ns: Option<u64>| u128::from(ns.unwrap_or(0));
    let exits = (u128::from(v.exits) * cost(device.exit_ns)).min(top);
    let reset = u128::from(device.reset_ns) + exits;
    let moved = v
        .bytes
        .map(|bytes| if bytes == 0 { 0 } else { bytes.max(device.switch_bytes.unwrap_or(0)) });
    let transfer = match (moved, device.bytes_per_us) {
        (Some(0), _) => 0,
        (None, _) | (_, 0) => ENDLESS,
        (Some(bytes), each) => {
            let (exact, each) = (u128::from(bytes) * 1000, u128::from(each));
            let moving = (exact / each + u128::from(exact % each != 0)).min(top);
            (moving + cost(device.switch_ns)).min(top)
        }
    };
    let (latency, waste, rank) = match method {
        Preemption::Wait => (known(v.running) + known(v.waiting), 0, 2),
        Preemption::Flag => (known(v.running).max(cost(device.flag_ns)) + exits, exits, 1),
        Preemption::Drain => (known(v.workgroup), 0, 0),
        Preemption::Reset => (cost(device.flag_ns) + reset, u128::from(v.done.0) + reset, 3),
        Preemption::Switch => (transfer, transfer * 2, 3),
    };
    (if latency >= ENDLESS { ENDLESS + rank } else { latency.min(top) }, waste.min(top))
}

fn naive(
    v: &VictimEstimate,
    device: &DeviceCosts,
    bound: Ticks,
    allowed: &[Preemption],
) -> Preemption {
    let in_time = |method: &&Preemption| price(v, device, **method).0 <= u128::from(bound.0);
    let late = !allowed.iter().any(|method| in_time(&method));
    let mut best: Option<((u128, u128), Preemption)> = None;
    for method in allowed.iter().filter(|method| late || in_time(method)) {
        let (latency, waste) = price(v, device, *method);
        let key = if late { (latency, waste) } else { (waste, latency) };
        // The gentlest methods come first: only a strictly better one replaces one before.
        if best.is_none_or(|(best, _)| key < best) {
            best = Some((key, *method));
        }
    }
    best.map_or(Preemption::Wait, |(_, method)| method)
}

/// Returns a proptest strategy for numbers that are often equal and sometimes absurdly large.
fn amount() -> impl Strategy<Value = u64> {
    prop_oneof![6 => 0..5_u64, 3 => 0..200_u64, 1 => any::<u64>(), 1 => Just(u64::MAX)]
}

fn device() -> impl Strategy<Value = DeviceCosts> {
    let bandwidth = prop_oneof![Just(0), Just(1000), amount()];
    let others = prop::array::uniform4(prop::option::of(amount()));
    (amount(), bandwidth, others).prop_map(|(reset_ns, bytes_per_us, others)| {
        let [flag_ns, exit_ns, switch_ns, switch_bytes] = others;
        let known =
            DeviceCosts { flag_ns, exit_ns, switch_ns, switch_bytes, ..DeviceCosts::default() };
        DeviceCosts { reset_ns, bytes_per_us, ..known }
    })
}

fn victim() -> impl Strategy<Value = VictimEstimate> {
    let spans = prop::array::uniform3(prop::option::weighted(0.9, amount().prop_map(Ticks)));
    let bytes = prop::option::weighted(0.9, amount());
    (spans, amount(), bytes, amount()).prop_map(
        |([running, waiting, workgroup], done, bytes, exits)| VictimEstimate {
            running,
            waiting,
            workgroup,
            exits,
            done: Ticks(done),
            bytes,
        },
    )
}

proptest! {
    #[test]
    fn the_cheapest_is_the_naive_one(
        v in victim(), device in device(), bound in amount().prop_map(Ticks),
        without in prop::sample::subsequence(Preemption::ALL[1..].to_vec(), 0..5),
    ) {
        let allowed: Vec<Preemption> =
            Preemption::ALL.into_iter().filter(|method| !without.contains(method)).collect();
        let found = v.cheapest(bound, &device, |method| allowed.contains(&method));
        prop_assert_eq!(found, naive(&v, &device, bound, &allowed));
        // No other method is over within the bound and wastes less; where none is, none is quicker.
        let chosen = v.price(found, &device);
        for method in allowed {
            let other = v.price(method, &device);
            if other.within(bound) {
                prop_assert!(chosen.within(bound) && chosen.waste <= other.waste, "{:?}", method);
            } else if !chosen.within(bound) {
                let latency = |it: Option<Ticks>| it.map_or(u128::MAX, |it| u128::from(it.0));
                prop_assert!(latency(chosen.latency) <= latency(other.latency), "{:?}", method);
            }
        }
    }
}

#[test]
fn saving_takes_bytes_over_bandwidth_rounded_up() {
    let victim = |bytes| VictimEstimate {
        running: None,
        waiting: None,
        workgroup: None,
        exits: 0,
        done: Ticks::ZERO,
        bytes: Some(bytes),
    };
    for (bytes, bytes_per_us, ticks) in [
        (0, 0, Some(0)),
        (1, 1000, Some(1)),
        (1001, 1000, Some(1001)),
        (2, 3, Some(667)),
        (1, 0, None),
    ] {
        let device = DeviceCosts { bytes_per_us, ..DeviceCosts::default() };
        let price = victim(bytes).price(Preemption::Switch, &device);
        assert_eq!(price.latency, ticks.map(Ticks), "{bytes} at {bytes_per_us}");
        assert_eq!(price.waste, Ticks(ticks.map_or(u64::MAX, |ticks| 2 * ticks)));
    }
}

#[test]
fn the_gentlest_method_comes_first() {
    assert!(Preemption::ALL.is_sorted());
}
