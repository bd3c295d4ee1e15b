//! Do codec and naive agent agree on packets drawn at random, and is reading the inverse of
//! writing?

use proptest::collection::vec;
use proptest::prelude::*;
use raddle_packet::{
    Agent, AqlPacket, BarrierPacket, Condensed, Encoder, LaunchImage, Replacement,
};

use crate::naive::{self, FIELDS, Kernel, Orders};
use crate::sample::{format, launches, orders};

/// Draws a value for a field: mostly a small one, sometimes the largest.
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

/// Draws the kernels of a condensed packet that fit; returns (number of the format, kernels).
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

/// Draws bytes that are nearly a well-formed packet.
fn anything() -> impl Strategy<Value = AqlPacket> {
    let bytes = vec(prop_oneof![4 => 0..=8_u8, 1 => any::<u8>()], 64..=64);
    (bytes, prop_oneof![4 => Just(6_u8), 1 => Just(2), 1 => Just(7), 1 => any::<u8>()], 0..9_u8)
        .prop_map(|(bytes, kind, count)| {
            let mut packet: AqlPacket = bytes.try_into().unwrap();
            packet[0] = kind;
            if kind == 6 {
                packet[1] = count;
            } else if count < 8 {
                (packet[10], packet[11]) = (count, 0);
            }
            packet
        })
}

fn naive_fields(launch: &LaunchImage) -> naive::Fields {
    std::array::from_fn(|field| launch.get(field))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    /// Checks that parsing a packet that was written gives its kernels back (check 9), in all four
    /// orders and with both sizes of the private memory.
    #[test]
    fn check_9_parsing_what_was_written_gives_it_back((n, kernels) in packet()) {
        let (format, bytes) = (format(n), naive::packet(orders(n), &kernels).unwrap());
        let parsed = Condensed::parse(&bytes, &format).unwrap();
        prop_assert_eq!(*parsed.emit(), bytes);
        let mut ours = Condensed::new(&format);
        let mut found = Vec::new();
        for kernel in parsed.kernels(&format) {
            let (vector, values) = (kernel.diff.vector, kernel.diff.values);
            ours.push(&format, kernel.ref_num, vector, &values).unwrap();
            let named = (0..13).filter(|field| vector >> field & 1 == 1);
            let diff = named.map(|field| (field, values.get(field))).collect();
            found.push((kernel.ref_num, diff));
        }
        prop_assert_eq!((*ours.emit(), ours.used(), found), (bytes, parsed.used(), kernels));
    }

    #[test]
    fn the_agent_does_what_the_naive_one_does(
        n in 0..8_usize, packets in vec(anything(), 1..12),
    ) {
        let format = format(n);
        let mut ours = Agent::new(format);
        let mut theirs = naive::Agent { orders: orders(n), ..naive::Agent::default() };
        for packet in &packets {
            let before = ours.table().clone();
            let found = launches(&mut ours, packet);
            let wanted = theirs.receive(packet);
            prop_assert_eq!(found.is_ok(), wanted.is_some(), "{:?}", found);
            if found.is_err() {
                prop_assert_eq!(&before, ours.table());
            }
            let found: Vec<_> = found.unwrap_or_default().iter().map(naive_fields).collect();
            prop_assert_eq!(found, wanted.unwrap_or_default());
            for entry in 0..8 {
                let found = ours.table().get(entry).map(naive_fields);
                prop_assert_eq!(found, theirs.table[usize::from(entry)]);
            }
        }
    }
}

/// Draws a launch of few kernels with few settings, so that stored launches are met again.
fn launch() -> impl Strategy<Value = LaunchImage> {
    let (kernel, small) = (0..12_u64, 0..3_u64);
    (kernel, small, 0..40_u64, 0..3_u64, any::<u64>(), 0..40_u8).prop_map(
        |(kernel, grid, kernarg, signal, wild, which)| {
            // The narrow format, so that every other one takes the launch too.
            let format = format(1);
            let mut launch = LaunchImage::default();
            let mut set = |field, value| launch.set(&format, field, value).unwrap();
            set(1, 1 + kernel % 3);
            set(2, 64 * kernel);
            set(5, 1024 * kernel + grid);
            set(10, 0x1000 * kernel);
            set(11, 0x100 * kernarg);
            set(12, signal);
            match which {
                0 => set(0, wild & 0xff),
                1 => set(8, wild & 0xffff),
                2 => set(9, wild & 0xffff_ffff),
                3 => set(12, wild),
                _ => {}
            }
            launch
        },
    )
}

proptest! {
    /// Checks that launches and barriers (`None`) come back in order, and that packets are filled:
    /// two condensed packets that follow each other would not have fitted into one, up to a kernel.
    #[test]
    fn decoding_what_was_encoded_gives_it_back(
        n in 0..8_usize, replacement in prop::sample::select(Replacement::ALL.to_vec()),
        near in 0..31_u16,
        stream in vec(prop_oneof![15 => launch().prop_map(Some), 1 => Just(None)], 0..60),
    ) {
        let format = format(n);
        let mut encoder = Encoder::new(format, replacement.policy(near));
        let mut packets: Vec<AqlPacket> = Vec::new();
        let mut send = |packet: &AqlPacket| packets.push(*packet);
        for (number, launch) in stream.iter().enumerate() {
            match launch {
                Some(launch) => encoder.launch(launch, &mut send),
                None => {
                    let barrier = BarrierPacket { completion_signal: number as u64, ..BarrierPacket::default() };
                    encoder.barrier(&barrier.emit(&format).unwrap(), &mut send);
                }
            }
        }
        encoder.flush(&mut send);
        let (mut agent, mut found) = (Agent::new(format), Vec::new());
        for packet in &packets {
            found.extend(launches(&mut agent, packet).unwrap().into_iter().map(Some));
            if let Ok(barrier) = BarrierPacket::parse(packet, &format) {
                prop_assert_eq!(barrier.completion_signal as usize, found.len());
                found.push(None);
            }
        }
        prop_assert_eq!(&found, &stream);
        prop_assert_eq!(agent.table(), encoder.table());
        let tally = encoder.tally();
        prop_assert_eq!(tally.packets() + tally.barriers(), packets.len() as u64);
        prop_assert_eq!(tally.launches() + tally.barriers(), stream.len() as u64);
        prop_assert!(tally.packets() <= tally.launches());
        for pair in packets.windows(2).filter(|pair| pair[0][0] == 6 && pair[1][0] == 6) {
            let [first, second] = [pair[0], pair[1]].map(|p| Condensed::parse(&p, &format).unwrap());
            let next = second.kernels(&format).next().unwrap();
            prop_assert!(first.used() + format.cost(next.diff.vector) > 31);
        }
    }
}
