//! Do codec and naive agent agree on packets drawn at random, and is reading the inverse of
//! writing?

use proptest::collection::vec;
use proptest::prelude::*;
use raddle_packet::{AQL_BYTES, Barrier, Condensed, Error, Item, Launch, Received, Rule};

use crate::naive::{self, FIELDS, Kernel, Orders};
use crate::sample::{Aql, AqlAgent, AqlEncoder, Packet, formats, launches};

/// Format `n` of all of them, in words of the naive one.
pub(crate) fn orders(n: usize) -> Orders {
    Orders { high_half_first: n & 4 != 0, high_bits_first: n & 2 != 0, narrow_private: n & 1 != 0 }
}

/// A value for a field: mostly small, sometimes the largest.
fn value(orders: Orders, field: usize) -> impl Strategy<Value = u64> {
    let bits = match FIELDS[field].2 {
        4 if field == 8 && orders.narrow_private => 16,
        bytes => 8 * bytes,
    };
    let most = u64::MAX >> (64 - bits);
    prop_oneof![3 => 0..=3_u64, 1 => Just(most), 2 => 0..=most]
}

fn kernel(orders: Orders) -> impl Strategy<Value = Kernel> {
    let fields = prop_oneof![
        4 => vec(0..13_usize, 0..=2),
        1 => Just((0..13).collect::<Vec<usize>>()),
        1 => vec(0..13_usize, 0..=13),
    ];
    (0..8_u16, fields).prop_flat_map(move |(ref_num, mut fields)| {
        fields.sort_unstable();
        fields.dedup();
        let values: Vec<_> = fields.iter().map(|&field| value(orders, field)).collect();
        values.prop_map(move |values| (ref_num, fields.iter().copied().zip(values).collect()))
    })
}

/// A packet of kernels that fit, and the kernels.
fn packet() -> impl Strategy<Value = (usize, Vec<Kernel>)> {
    (0..8_usize).prop_flat_map(|n| {
        let kernels = vec(kernel(orders(n)), 1..=31).prop_map(move |mut kernels| {
            while naive::packet(orders(n), &kernels).is_none() {
                kernels.pop();
            }
            kernels
        });
        (Just(n), kernels)
    })
}

/// Bytes that are nearly a packet.
fn anything() -> impl Strategy<Value = Packet> {
    let bytes = vec(prop_oneof![4 => 0..=8_u8, 1 => any::<u8>()], 64..=64);
    (bytes, prop_oneof![4 => Just(6_u8), 1 => Just(2), 1 => Just(7), 1 => any::<u8>()], 0..9_u8)
        .prop_map(|(bytes, kind, count)| {
            let mut packet: Packet = bytes.try_into().unwrap();
            packet[0] = kind;
            if kind == 6 {
                packet[1] = count;
            } else if count < 8 {
                (packet[10], packet[11]) = (count, 0);
            }
            packet
        })
}

fn naive_fields(format: &Aql, launch: &Launch<AQL_BYTES>) -> naive::Fields {
    std::array::from_fn(|field| launch.get(format, field))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    /// Check 9, in all four orders and with both private sizes.
    #[test]
    fn check_9_parsing_what_was_written_gives_it_back((n, kernels) in packet()) {
        let (format, bytes) = (formats()[n], naive::packet(orders(n), &kernels).unwrap());
        let parsed = Condensed::parse(&bytes, &format).unwrap();
        prop_assert_eq!(parsed.emit(&format), bytes);
        let mut ours = Condensed::new(&format);
        let mut found = Vec::new();
        for kernel in parsed.kernels(&format) {
            let (vector, values) = (kernel.diff.vector, kernel.diff.values);
            ours.push(&format, kernel.ref_num, vector, &values).unwrap();
            let named = (0..13).filter(|field| vector >> field & 1 == 1);
            let diff = named.map(|field| (field, values.get(&format, field))).collect();
            found.push((kernel.ref_num, diff));
        }
        prop_assert_eq!((ours.emit(&format), ours.used(), found), (bytes, parsed.used(), kernels));
    }

    #[test]
    fn the_agent_does_what_the_naive_one_does(
        n in 0..8_usize, packets in vec(anything(), 1..12),
    ) {
        let format = formats()[n];
        let mut ours = AqlAgent::new(format).unwrap();
        let mut theirs = naive::Agent { orders: orders(n), ..naive::Agent::default() };
        for packet in &packets {
            let before = ours.table().clone();
            let found = launches(&mut ours, packet);
            let wanted = theirs.receive(packet);
            prop_assert_eq!(found.is_ok(), wanted.is_some(), "{:?}", found);
            if found.is_err() {
                prop_assert_eq!(&before, ours.table());
            }
            // The other way, into a list: with room to spare, with just enough, with too little.
            let mut twin = AqlAgent::with_table(format, before.clone());
            let mut list = vec![Launch::default(); 40];
            let count = twin.receive_into(packet, &mut list);
            prop_assert_eq!(&count, &found.as_ref().map(Vec::len).map_err(|error| *error));
            if let (Ok(count), Ok(found)) = (&count, &found) {
                prop_assert_eq!(&list[..*count], &found[..]);
                prop_assert_eq!(twin.receive_into(packet, &mut list[..*count]), Ok(*count));
                if let Some(places) = count.checked_sub(1) {
                    let short = Error::Short { places, wanted: *count };
                    prop_assert_eq!(twin.receive_into(packet, &mut list[..places]), Err(short));
                }
            }
            prop_assert_eq!(twin.table(), ours.table());
            let found: Vec<_> =
                found.unwrap_or_default().iter().map(|it| naive_fields(&format, it)).collect();
            prop_assert_eq!(found, wanted.unwrap_or_default());
            for entry in 0..8 {
                let found = ours.table().get(entry).map(|launch| naive_fields(&format, launch));
                prop_assert_eq!(found, theirs.table[usize::from(entry)]);
            }
        }
    }
}

/// A launch of few kernels with few settings, so that entries are met again.
pub(crate) fn launch(narrow: bool) -> impl Strategy<Value = Launch<AQL_BYTES>> {
    let most = if narrow { 65535 } else { u64::from(u32::MAX) };
    let (kernel, small) = (0..12_u64, 0..3_u64);
    (kernel, small, 0..40_u64, 0..3_u64, any::<u64>(), 0..40_u8).prop_map(
        move |(kernel, grid, kernarg, signal, wild, which)| {
            let format = formats()[usize::from(narrow)];
            let mut launch = Launch::default();
            let mut set = |field, value| launch.set(&format, field, value).unwrap();
            set(1, 1 + kernel % 3);
            set(2, 64 * kernel);
            set(5, 1024 * kernel + grid);
            set(10, 0x1000 * kernel);
            set(11, 0x100 * kernarg);
            set(12, signal);
            match which {
                0 => set(0, wild & 0xff),
                1 => set(8, wild & most),
                2 => set(9, wild & 0xffff_ffff),
                3 => set(12, wild),
                _ => {}
            }
            launch
        },
    )
}

/// A stream of launches and barriers.
pub(crate) fn stream() -> impl Strategy<Value = Vec<Item<AQL_BYTES>>> {
    let item = prop_oneof![
        15 => launch(true).prop_map(Item::Launch),
        1 => Just(Item::Barrier),
    ];
    vec(item, 0..60)
}

proptest! {
    #[test]
    fn decoding_what_was_encoded_gives_it_back(
        n in 0..8_usize, rule in prop::sample::select(Rule::ALL.to_vec()), near in 0..31_u16,
        stream in stream(),
    ) {
        let format = formats()[n];
        let mut encoder = AqlEncoder::new(format, rule.keeper::<8>(near)).unwrap();
        let mut packets = Vec::new();
        let mut send = |packet: &Packet| packets.push(*packet);
        for (number, item) in stream.iter().enumerate() {
            match item {
                Item::Launch(launch) => encoder.launch(launch, &mut send),
                Item::Barrier => {
                    let barrier = Barrier { completion_signal: number as u64, ..Barrier::default() };
                    encoder.barrier(&barrier.emit(&format).unwrap(), &mut send);
                }
            }
        }
        encoder.flush(&mut send);
        let (mut agent, mut found) = (AqlAgent::new(format).unwrap(), Vec::new());
        let mut quick = AqlAgent::new(format).unwrap();
        for packet in &packets {
            match agent.receive(packet).unwrap() {
                Received::Barrier => {
                    let number = Barrier::parse(packet, &format).unwrap().completion_signal;
                    prop_assert_eq!(number as usize, found.len());
                    found.push(Item::Barrier);
                }
                Received::Launches(launches) => {
                    found.extend(launches.map(Item::Launch));
                    let mut list = [Launch::default(); 31];
                    let count = quick.receive_into(packet, &mut list).unwrap();
                    let there = &list[..count];
                    let from = found.len() - count;
                    prop_assert!(there.iter().copied().map(Item::Launch).eq(found[from..].iter().copied()));
                }
            }
        }
        prop_assert_eq!(&found, &stream);
        prop_assert_eq!(agent.table(), encoder.table());
        let tally = encoder.tally();
        prop_assert_eq!(tally.packets() + tally.barriers, packets.len() as u64);
        prop_assert_eq!(tally.launches() + tally.barriers, stream.len() as u64);
        prop_assert!(tally.packets() <= tally.launches());
    }
}
