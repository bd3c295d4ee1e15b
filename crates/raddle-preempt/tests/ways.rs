//! Do the rules that choose a way off keep their laws, and what do they choose?
#![allow(clippy::unwrap_used, reason = "all of this is test code")]

use std::fmt::Write as _;

use proptest::prelude::*;
use raddle_policy::{Preemption, Ticks};
use raddle_preempt::{Abilities, Cheapest, Choose, Costs, Fixed, Victim};

/// The rules written again, slowly: every way as a row of numbers that cannot overflow.
mod naive {
    use super::*;

    const ENDLESS: u128 = u128::MAX / 8;

    pub(crate) fn allowed(v: &Victim, a: Abilities) -> Vec<Preemption> {
        let mut ways = vec![Preemption::Wait];
        if a.can_flag {
            ways.push(Preemption::Flag);
        }
        if a.can_drain {
            ways.push(Preemption::Drain);
        }
        if a.can_flag && a.can_reset && v.killable {
            ways.push(Preemption::Reset);
        }
        if a.can_switch {
            ways.push(Preemption::Switch);
        }
        ways
    }

    /// Latency and waste; both as the crate saturates them.
    pub(crate) fn price(v: &Victim, c: &Costs, way: Preemption) -> (u128, u128) {
        let known = |span: Option<Ticks>| span.map_or(ENDLESS, |span| u128::from(span.0));
        let n = |span: Ticks| u128::from(span.0);
        let exits = (n(c.exit) * u128::from(v.launches)).min(u128::from(u64::MAX));
        let transfer = match (v.bytes, c.bandwidth) {
            (0, _) => n(c.switch),
            (_, 0) => ENDLESS,
            (bytes, each) => {
                let mut ticks = u128::from(bytes) * 1000 / u128::from(each);
                if u128::from(bytes) * 1000 % u128::from(each) != 0 {
                    ticks += 1;
                }
                n(c.switch) + ticks.min(u128::from(u64::MAX))
            }
        };
        let (latency, waste) = match way {
            Preemption::Wait => (n(c.wait) + known(v.running) + known(v.waiting), 0),
            Preemption::Flag => (n(c.flag) + known(v.running) + exits, exits),
            Preemption::Drain => (n(c.drain) + known(v.workgroup), 0),
            Preemption::Reset => (n(c.flag) + n(c.reset) + exits, n(v.done) + n(c.reset) + exits),
            Preemption::Switch => (transfer, transfer.min(u128::from(u64::MAX)) * 2),
        };
        let top = u128::from(u64::MAX);
        let endless = match way {
            Preemption::Drain => ENDLESS,
            Preemption::Flag => ENDLESS + 1,
            Preemption::Wait => ENDLESS + 2,
            _ => ENDLESS + 3,
        };
        (if latency >= ENDLESS { endless } else { latency.min(top) }, waste.min(top))
    }

    pub(crate) fn cheapest(
        v: &Victim,
        a: Abilities,
        c: &Costs,
        bound: Option<Ticks>,
    ) -> Preemption {
        let ways = allowed(v, a);
        let in_time = |way: &Preemption| {
            let limit = bound.map_or(u128::MAX, |bound| u128::from(bound.0));
            price(v, c, *way).0 <= limit
        };
        let timely: Vec<Preemption> = ways.iter().copied().filter(in_time).collect();
        let mut best: Option<Preemption> = None;
        let late = timely.is_empty();
        for way in if late { ways } else { timely } {
            let key = |way: Preemption| {
                let (latency, waste) = price(v, c, way);
                if late { (latency, waste) } else { (waste, latency) }
            };
            // Ways come gentlest first: only what is strictly better replaces one.
            if best.is_none_or(|best| key(way) < key(best)) {
                best = Some(way);
            }
        }
        best.unwrap()
    }
}

/// Amounts with many ties and some absurd ones.
fn amount() -> impl Strategy<Value = u64> {
    prop_oneof![6 => 0..5_u64, 3 => 0..200_u64, 1 => any::<u64>(), 1 => Just(u64::MAX)]
}

fn ticks() -> impl Strategy<Value = Ticks> {
    amount().prop_map(Ticks)
}

fn costs() -> impl Strategy<Value = Costs> {
    (prop::array::uniform6(ticks()), prop_oneof![Just(0), Just(1000), amount()]).prop_map(
        |([wait, flag, exit, drain, reset, switch], bandwidth)| Costs {
            wait,
            flag,
            exit,
            drain,
            reset,
            switch,
            bandwidth,
        },
    )
}

fn victim() -> impl Strategy<Value = Victim> {
    let spans = prop::array::uniform3(prop::option::weighted(0.9, ticks()));
    (spans, amount(), ticks(), amount(), any::<bool>()).prop_map(
        |([running, waiting, workgroup], launches, done, bytes, killable)| Victim {
            running,
            waiting,
            workgroup,
            launches,
            done,
            bytes,
            killable,
        },
    )
}

fn abilities() -> impl Strategy<Value = Abilities> {
    any::<[bool; 4]>().prop_map(|[can_flag, can_drain, can_reset, can_switch]| Abilities {
        can_flag,
        can_drain,
        can_reset,
        can_switch,
    })
}

proptest! {
    #[test]
    fn laws_1_to_3(v in victim(), a in abilities(), c in costs(), bound in prop::option::of(ticks())) {
        let mut rules: Vec<Box<dyn Choose>> = vec![Box::new(Cheapest { bound })];
        rules.extend(Preemption::ALL.map(|way| Box::new(Fixed(way)) as Box<dyn Choose>));
        for mut rule in rules {
            let way = rule.choose(&v, a, &c);
            prop_assert_eq!(rule.choose(&v, a, &c), way, "law 1");
            prop_assert!(a.can(way), "law 2");
            prop_assert!(way != Preemption::Reset || v.killable, "law 3");
        }
    }

    #[test]
    fn laws_5_and_6_of_cheapest(
        v in victim(), a in abilities(), c in costs(), bound in prop::option::of(ticks()),
    ) {
        let chosen = v.price(Cheapest { bound }.choose(&v, a, &c), &c);
        for way in naive::allowed(&v, a) {
            let other = v.price(way, &c);
            if other.within(bound) {
                prop_assert!(chosen.within(bound), "law 5: {way:?}");
                prop_assert!(chosen.waste <= other.waste, "law 6: {way:?}");
            } else if !chosen.within(bound) {
                let latency = |it: Option<Ticks>| it.map_or(u128::MAX, |it| u128::from(it.0));
                prop_assert!(latency(chosen.latency) <= latency(other.latency), "law 6: {way:?}");
            }
        }
    }

    #[test]
    fn cheapest_is_the_naive_one(
        v in victim(), a in abilities(), c in costs(), bound in prop::option::of(ticks()),
    ) {
        prop_assert_eq!(Cheapest { bound }.choose(&v, a, &c), naive::cheapest(&v, a, &c, bound));
    }

    #[test]
    fn fixed_does_not_look_at_costs(v in victim(), a in abilities(), c in costs()) {
        let allowed = naive::allowed(&v, a);
        for way in Preemption::ALL {
            let wanted = if allowed.contains(&way) {
                way
            } else if way == Preemption::Reset && a.can_flag {
                Preemption::Flag
            } else {
                Preemption::Wait
            };
            prop_assert_eq!(Fixed(way).choose(&v, a, &c), wanted, "law 4");
        }
        prop_assert_eq!(Fixed::default(), Fixed(Preemption::Reset), "the seed's rule");
    }
}

#[test]
fn what_nobody_knows_is_never_in_time() {
    let v = Victim { waiting: Some(Ticks(0)), ..Victim::default() };
    let price = v.price(Preemption::Wait, &Costs::default());
    assert_eq!(price.latency, None);
    assert!(!price.within(Some(Ticks(u64::MAX))) && price.within(None));
    // Without any bound waiting wastes nothing, however long it takes; with one, the flag is over
    // no later than all that was submitted, and a drain no later than the flag.
    let flag = Abilities { can_flag: true, ..Abilities::NONE };
    let bound = Cheapest::within(Ticks(9));
    let v = Victim { launches: 3, ..v };
    let costs = Costs { exit: Ticks(1), ..Costs::default() };
    assert_eq!(Cheapest::default().choose(&v, flag, &costs), Preemption::Wait);
    assert_eq!(bound.clone().choose(&v, flag, &costs), Preemption::Flag);
    let drain = Abilities { can_drain: true, ..flag };
    assert_eq!(bound.clone().choose(&v, drain, &costs), Preemption::Drain);
}

#[test]
fn saving_takes_bytes_over_bandwidth_rounded_up() {
    let costs = Costs { switch: Ticks(7), bandwidth: 1000, ..Costs::default() };
    for (bytes, ticks) in [(0, 7), (1, 8), (1000, 1007), (1001, 1008)] {
        let v = Victim { bytes, ..Victim::default() };
        let price = v.price(Preemption::Switch, &costs);
        assert_eq!((price.latency, price.waste), (Some(Ticks(ticks)), Ticks(2 * ticks)), "{bytes}");
    }
    let costs = Costs { bandwidth: 3, ..costs };
    let v = Victim { bytes: 2, ..Victim::default() };
    assert_eq!(v.price(Preemption::Switch, &costs).latency, Some(Ticks(7 + 667)));
    let none = Costs { bandwidth: 0, ..costs };
    assert_eq!(v.price(Preemption::Switch, &none).latency, None);
}

#[test]
fn the_gentlest_way_comes_first() {
    assert!(Preemption::ALL.is_sorted(), "the gentlest first");
}

#[cfg(feature = "serde")]
use raddle_preempt::{Declared, Options, Scope};

#[cfg(feature = "serde")]
#[test]
fn parameters_are_kebab_case_and_have_defaults() {
    let text = r#"{"can-flag":true,"can-drain":false,"can-reset":false,"can-switch":false}"#;
    let flag = Abilities { can_flag: true, ..Abilities::NONE };
    assert_eq!(serde_json::to_string(&flag).unwrap(), text);
    assert_eq!(serde_json::from_str::<Abilities>("{}").unwrap(), Abilities::NONE);
    assert_eq!(
        serde_json::from_str::<Cheapest>(r#"{"bound":20}"#).unwrap(),
        Cheapest::within(Ticks(20))
    );
    assert!(serde_json::from_str::<Costs>(r#"{"rest":1}"#).is_err());
    let options = r#"{"window":8,"most-kills":null}"#;
    assert_eq!(serde_json::to_string(&Options::default()).unwrap(), options);
    assert_eq!(serde_json::from_str::<Options>(r#"{"window":3}"#).unwrap().window, 3);
    let declared: Declared = serde_json::from_str(r#"{"latched":true,"scope":"process"}"#).unwrap();
    assert_eq!(declared, Declared { latched: true, scope: Scope::Process, ..Declared::default() });
}

/// Every bound from 0 to 40 for some victims: the first letter of the way that is chosen. The
/// letters change where a latency is exactly the bound.
#[test]
fn cheapest_at_a_glance() {
    let costs = Costs {
        wait: Ticks(1),
        flag: Ticks(1),
        exit: Ticks(1),
        drain: Ticks(1),
        reset: Ticks(2),
        switch: Ticks(1),
        bandwidth: 1000,
    };
    let known = |running, waiting, workgroup| Victim {
        running: Some(Ticks(running)),
        waiting: Some(Ticks(waiting)),
        workgroup: Some(Ticks(workgroup)),
        ..Victim::default()
    };
    let victims = [
        ("one launch, half done", Victim { done: Ticks(10), bytes: 4, ..known(10, 0, 6) }),
        ("a full window", Victim { launches: 3, done: Ticks(9), bytes: 4, ..known(10, 25, 6) }),
        ("just begun", Victim { launches: 3, bytes: 9, ..known(20, 15, 18) }),
        ("large context", Victim { launches: 1, done: Ticks(9), bytes: 30, ..known(20, 15, 15) }),
        ("nobody knows", Victim { launches: 2, done: Ticks(9), bytes: 4, ..Victim::default() }),
    ];
    let all = Abilities::ALL;
    let runtimes = [
        ("all", all),
        ("no drain", Abilities { can_drain: false, ..all }),
        ("flag, reset", Abilities { can_drain: false, can_switch: false, ..all }),
        ("no flag", Abilities { can_flag: false, ..all }),
        ("switch alone", Abilities { can_switch: true, ..Abilities::NONE }),
        ("nothing", Abilities::NONE),
    ];
    let mut table = String::from("bound 0 to 40: w wait, f flag, d drain, r reset, s switch\n");
    for (what, victim) in victims {
        for killable in [true, false] {
            let victim = Victim { killable, ..victim };
            let kill = if killable { "may be killed" } else { "may not be killed" };
            writeln!(table, "\n{what}, {kill}").unwrap();
            for (name, abilities) in runtimes {
                let letter = |bound| {
                    let way = Cheapest::within(Ticks(bound)).choose(&victim, abilities, &costs);
                    way.name().chars().next().unwrap()
                };
                let letters: String = (0..=40).map(letter).collect();
                let fixed = Fixed::default().choose(&victim, abilities, &costs).name();
                let free = Cheapest::default().choose(&victim, abilities, &costs).name();
                writeln!(table, "{name:<12} {letters}  unbound {free}, fixed {fixed}").unwrap();
            }
        }
    }
    insta::assert_snapshot!("cheapest", table);
}
