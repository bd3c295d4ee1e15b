//! Is the optimal encoding as good as the best of all, tried one by one?

use proptest::collection::vec;
use proptest::prelude::*;
use raddle_packet::{AQL_BYTES, AqlOptions, Error, Format, Item, Limits, Rule, Scripted, optimal};

use crate::sample::{Aql, AqlEncoder, KERNARG, KERNEL, One, Packet, aql, kripke};

fn format(entries: u16) -> Aql {
    Format::aql(&AqlOptions { entries, ..AqlOptions::default() }).unwrap()
}

/// Half-words by which a launch differs from another, its header included.
fn cost(format: &Aql, a: &One, b: &One) -> u16 {
    let fields = format.fields().iter().enumerate();
    let differing = fields.filter(|(n, _)| a.get(format, *n) != b.get(format, *n));
    1 + differing.map(|(_, field)| field.half_words()).sum::<u16>()
}

/// The fewest packets from here on: every way of every launch is tried.
fn fewest(format: &Aql, items: &[Item<AQL_BYTES>], table: &mut Vec<Option<One>>, room: u16) -> u64 {
    let Some((item, rest)) = items.split_first() else { return 0 };
    let Item::Launch(launch) = item else { return fewest(format, rest, table, 0) };
    let mut best = 1 + fewest(format, rest, table, 0);
    for entry in 0..table.len() {
        if let Some(held) = table[entry] {
            let cost = cost(format, launch, &held);
            if cost <= room {
                best = best.min(fewest(format, rest, table, room - cost));
            }
            best = best.min(1 + fewest(format, rest, table, 31 - cost));
        }
        let before = table[entry].replace(*launch);
        best = best.min(1 + fewest(format, rest, table, 0));
        table[entry] = before;
    }
    best
}

/// How many packets a stream takes by ways decided beforehand.
fn follow(format: Aql, items: &[Item<AQL_BYTES>], ways: &[raddle_packet::Way]) -> u64 {
    let mut encoder = AqlEncoder::new(format, Scripted::new(ways)).unwrap();
    play(&mut encoder, items)
}

fn play<K: raddle_packet::Keep<AQL_BYTES>>(
    encoder: &mut AqlEncoder<K>,
    items: &[Item<AQL_BYTES>],
) -> u64 {
    for item in items {
        match item {
            Item::Launch(launch) => encoder.launch(launch, &mut |_| {}),
            Item::Barrier => encoder.flush(&mut |_: &Packet| {}),
        }
    }
    encoder.flush(&mut |_| {});
    encoder.tally().packets()
}

/// Launches of few kernels: some differ by much, some by little, some not at all.
fn items(most: usize) -> impl Strategy<Value = Vec<Item<AQL_BYTES>>> {
    let launch = (0..4_u64, 0..3_u64, 0..8_u64, prop_oneof![4 => Just(0_u64), 1 => Just(1)]);
    let launch = launch.prop_map(|(kernel, kernarg, bits, signal)| {
        let (format, mut launch) = (aql(), One::default());
        let mut set = |field, value| launch.set(&format, field, value).unwrap();
        set(KERNEL, kernel);
        set(KERNARG, kernarg);
        set(12, signal);
        // Shapes that cost half a packet and more to change.
        for field in 5..10 {
            set(field, kernel * (bits & 1));
        }
        set(2, bits >> 1);
        Item::Launch(launch)
    });
    vec(prop_oneof![9 => launch, 1 => Just(Item::Barrier)], 0..=most)
}

proptest! {
    #[test]
    fn as_few_as_the_best_of_all(entries in 1..=2_u16, items in items(7)) {
        let format = format(entries);
        let found = optimal(&format, &items, &Limits::default()).unwrap();
        let mut table = vec![None; entries.into()];
        prop_assert_eq!(found.packets, fewest(&format, &items, &mut table, 0));
        prop_assert_eq!(found.packets, follow(format, &items, &found.ways));
    }

    #[test]
    fn no_rule_is_better(entries in 1..=2_u16, near in 0..31_u16, items in items(30)) {
        let format = format(entries);
        let found = optimal(&format, &items, &Limits::default()).unwrap();
        prop_assert_eq!(found.packets, follow(format, &items, &found.ways));
        for rule in Rule::ALL {
            let mut encoder = AqlEncoder::new(format, rule.keeper::<8>(near)).unwrap();
            prop_assert!(found.packets <= play(&mut encoder, &items), "{}", rule.name());
        }
    }
}

/// Six kernels a hundred times over: six reference packets, then one for each iteration. The stream
/// begins anew with each, for 31 half-words hold six.
#[test]
fn the_loop_of_six() {
    let format = aql();
    let items: Vec<_> = (0..80).flat_map(|n| kripke(&format, n)).map(Item::Launch).collect();
    let found = optimal(&format, &items, &Limits::default()).unwrap();
    assert_eq!(found.packets, 6 + 79);
}

#[test]
fn too_much_is_refused() {
    let format = aql();
    let items: Vec<_> = (0..100).flat_map(|n| kripke(&format, n)).map(Item::Launch).collect();
    let error = optimal(&format, &items, &Limits::default()).unwrap_err();
    assert_eq!(error, Error::TooLarge { what: "launches", found: 600, most: 512 });
    let limits = Limits { launches: 600, tables: 30 };
    let error = optimal(&format, &items, &limits).unwrap_err();
    assert!(matches!(error, Error::TooLarge { what: "tables", most: 30, .. }), "{error}");
    assert!(error.to_string().contains("at most 30"), "{error}");
}
