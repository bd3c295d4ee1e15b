//! Does anything assume 64 bytes, 8 entries, or a header of 16 bits?
//!
//! A format of no machine: packets of 128 bytes, 32 entries, headers of 32 bits, fields in another
//! order and elsewhere, values and header highest first.

use proptest::collection::vec;
use proptest::prelude::*;
use raddle_packet::{
    Agent, Condensed, Encoder, Error, Field, Format, HalfWords, HeaderBits, Item, Launch, Limits,
    Received, Rule, Spec, Types, View, optimal,
};

const BYTES: usize = 128;
const ENTRIES: usize = 32;
type Large = Launch<BYTES>;

const fn field(name: &'static str, offset: u16, bytes: u8) -> Field {
    Field { name, offset, bytes, spare: 0 }
}

/// Not in ascending order of their places.
const FIELDS: [Field; 17] = [
    field("kernel", 120, 8),
    field("cluster_x", 8, 2),
    field("cluster_y", 10, 2),
    field("cluster_z", 12, 2),
    field("scopes", 15, 1),
    field("policy", 14, 1),
    field("grid_x", 16, 4),
    field("grid_y", 20, 4),
    field("grid_z", 24, 4),
    field("shared", 28, 4),
    field("block", 32, 4),
    field("flags", 36, 2),
    field("arguments", 40, 8),
    field("constants", 48, 8),
    field("scratch", 56, 8),
    field("release", 64, 8),
    field("acquire", 72, 8),
];

/// As the default layout has them, with 8 entries and the first 13 fields: what loops take the quick
/// way in.
fn plain() -> Format<BYTES> {
    let [low, ..] = formats();
    Format::new(&Spec {
        types: low.types(),
        half_words: HalfWords::LowFirst,
        header_bits: HeaderBits::LowFirst,
        header_half_words: 1,
        ref_bits: 3,
        entries: 8,
        fields: &FIELDS[..13],
        scopes: 4,
        kernel: 0,
        signal: 12,
        ref_num_at: 2,
        num_kernels_at: 7,
        diff_values_at: 24,
    })
    .unwrap()
}

fn format(half_words: HalfWords, header_bits: HeaderBits) -> Format<BYTES> {
    let types = Types {
        dispatch: 0xd1,
        reference: 0xd2,
        condensed: 0xd3,
        barrier_and: None,
        barrier_or: Some(0xd4),
    };
    Format::new(&Spec {
        types,
        half_words,
        header_bits,
        header_half_words: 2,
        ref_bits: 5,
        entries: 32,
        fields: &FIELDS,
        scopes: 4,
        kernel: 0,
        signal: 15,
        ref_num_at: 2,
        num_kernels_at: 7,
        diff_values_at: 24,
    })
    .unwrap()
}

fn formats() -> [Format<BYTES>; 3] {
    [
        format(HalfWords::LowFirst, HeaderBits::LowFirst),
        format(HalfWords::HighFirst, HeaderBits::HighFirst),
        format(HalfWords::LowFirst, HeaderBits::HighFirst),
    ]
}

/// A packet written down by hand.
#[test]
fn one_packet_byte_for_byte() {
    let [format, high, _] = formats();
    assert_eq!((format.capacity(), format.cost(format.whole())), (52, 42));
    let mut launch = Large::default();
    launch.set(&format, 0, 0x1122_3344_5566_7788).unwrap();
    launch.set(&format, 4, 0xab).unwrap();
    let vector = 0b1_0001;
    let mut packet = Condensed::new(&format);
    packet.push(&format, 3, vector, &launch).unwrap();
    let bytes = packet.emit(&format);
    assert_eq!((bytes[0], bytes[7]), (0xd3, 1));
    // Number 3 and the vector above it, 0x223; then the kernel, lowest first; then the scopes.
    let wanted = [0x23, 2, 0, 0, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 0xab, 0];
    assert_eq!(bytes[24..38], wanted);
    let mut packet = Condensed::new(&high);
    packet.push(&high, 3, vector, &launch).unwrap();
    // Number 3 in the highest bits, the vector right below it: 0x1800_4400.
    let wanted = [0x00, 0x18, 0x00, 0x44, 0x22, 0x11, 0x44, 0x33, 0x66, 0x55, 0x88, 0x77, 0xab, 0];
    let packet = packet.emit(&high);
    assert_eq!(packet[24..38], wanted, "{:02x?}", &packet[24..38]);
}

fn launch() -> impl Strategy<Value = Large> {
    (0..40_u64, 0..20_u64, vec((0..17_usize, any::<u64>()), 0..3)).prop_map(
        |(kernel, arguments, wild)| {
            let format = formats()[0];
            let mut launch = Large::default();
            launch.set(&format, 0, kernel).unwrap();
            launch.set(&format, 12, arguments).unwrap();
            for (field, value) in wild {
                let bits = format.fields()[field].bits();
                launch.set(&format, field, value >> (64 - bits)).unwrap();
            }
            launch
        },
    )
}

/// The fields of the format only.
fn within(format: &Format<BYTES>, launch: &Large) -> Large {
    let mut same = Large::default();
    for number in 0..format.fields().len() {
        same.set(format, number, launch.get(format, number)).unwrap();
    }
    same
}

/// Every byte that is not 0 is in print, also beside the fields.
#[test]
fn every_byte_of_a_larger_packet_is_printed() {
    for format in formats() {
        for at in 1..BYTES {
            let mut packet = Condensed::new(&format).emit(&format);
            packet[at] = 0xa7;
            let text = View::new(&packet, &format).to_string();
            // As a number of kernels, or in its half-word.
            let shown = if at == 7 { text.contains("167") } else { text.contains("a7") };
            assert!(shown, "byte {at}: {text}");
        }
    }
}

proptest! {
    #[test]
    fn decoding_what_was_encoded_gives_it_back(
        n in 0..4_usize, rule in prop::sample::select(Rule::ALL.to_vec()), near in 0..52_u16,
        stream in vec(launch(), 0..80),
    ) {
        let format = if n < 3 { formats()[n] } else { plain() };
        let stream: Vec<Large> = stream.iter().map(|launch| within(&format, launch)).collect();
        let mut encoder =
            Encoder::<BYTES, ENTRIES, _>::new(format, rule.keeper::<ENTRIES>(near)).unwrap();
        let mut packets = Vec::new();
        let mut send = |packet: &[u8; BYTES]| packets.push(*packet);
        for launches in stream.chunks(5) {
            encoder.launches(launches, &mut send);
        }
        encoder.flush(&mut send);
        let mut into = Agent::<BYTES, ENTRIES>::new(format).unwrap();
        let mut list = vec![Large::default(); 255];
        let mut agent = Agent::<BYTES, ENTRIES>::new(format).unwrap();
        let mut found = Vec::new();
        for packet in &packets {
            let count = into.receive_into(packet, &mut list).unwrap();
            if let Received::Launches(launches) = agent.receive(packet).unwrap() {
                let before = found.len();
                found.extend(launches);
                prop_assert_eq!(&found[before..], &list[..count]);
            }
        }
        prop_assert_eq!(&found, &stream);
        prop_assert_eq!(agent.table(), encoder.table());
        for packet in &packets {
            prop_assert!(View::new(packet, &format).fault().is_none());
        }
        let items: Vec<_> = stream.iter().copied().map(Item::Launch).collect();
        if let Ok(best) = optimal(&format, &items, &Limits::default()) {
            prop_assert!(best.packets <= packets.len() as u64);
        }
    }

    #[test]
    fn flipped_bits_are_refused_or_launched_in_full(
        n in 0..3_usize, kernels in vec((launch(), 0..32_u16, any::<u32>()), 1..20),
        bit in 0..8 * BYTES,
    ) {
        let format = formats()[n];
        let mut packet = Condensed::new(&format);
        for (launch, ref_num, vector) in &kernels {
            let _ = packet.push(&format, *ref_num, vector & vector >> 8 & format.whole(), launch);
        }
        let mut agent = Agent::<BYTES, ENTRIES>::new(format).unwrap();
        for ref_num in 0..32 {
            let packet = kernels[0].0.reference(&format, ref_num).unwrap();
            agent.receive(&packet).unwrap();
        }
        let before = agent.table().clone();
        let mut bytes = packet.emit(&format);
        bytes[bit / 8] ^= 1 << (bit % 8);
        match agent.receive(&bytes) {
            Ok(Received::Launches(launches)) if bytes[0] == 0xd3 => {
                prop_assert_eq!(launches.len(), usize::from(bytes[7]));
                prop_assert_eq!(launches.count(), usize::from(bytes[7]));
            }
            Ok(_) => prop_assert!(bit < 8),
            Err(_) => prop_assert_eq!(agent.table(), &before),
        }
    }
}

#[test]
fn strange_bits_of_a_header_are_refused() {
    for format in formats() {
        let mut agent = Agent::<BYTES, ENTRIES>::new(format).unwrap();
        agent.receive(&Large::default().reference(&format, 0).unwrap()).unwrap();
        let mut refused = 0;
        for bit in 0..32 {
            let mut bytes = Condensed::new(&format).emit(&format);
            bytes[7] = 1;
            bytes[24 + bit / 8] = 1 << (bit % 8);
            match agent.receive(&bytes) {
                Ok(_) => {}
                Err(Error::UnknownBit { kernel: 0, .. }) => refused += 1,
                Err(other) => assert!(matches!(other, Error::EmptyEntry { .. }), "{other}"),
            }
        }
        // 32 bits, of which 5 name the entry and 17 a field.
        assert_eq!(refused, 10);
    }
}
