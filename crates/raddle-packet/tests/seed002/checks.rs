//! Does each numbered check of the digest hold?

use raddle_packet::{
    AQL_BYTES, AqlConfig, AqlFormat, Condensed, Diff, Encoder, ErrorKind, HALF_WORDS,
    KernelDispatch, NEAR, Overhead, PartOrder, Reference, Replacement, cleanups,
};

use crate::naive;
use crate::sample::{
    KERNARG, SIGNAL, TABLE_6, agent, aql, encode, entry, format, hex, kripke, launch, launches,
    orders, text,
};

#[test]
fn check_1_sizes_and_offsets() {
    let format = aql();
    assert_eq!((AQL_BYTES, HALF_WORDS), (64, 31));
    let found: Vec<(&str, usize, usize)> =
        format.fields().iter().map(|field| (field.name(), field.offset(), field.bytes())).collect();
    assert_eq!(found, naive::FIELDS);
    assert_eq!(launch(4).reference(&format, 0x5).unwrap()[10..12], [5, 0]);
}

#[test]
fn check_2_header_words() {
    let format = aql();
    assert_eq!((format.pack(4, 0x1000), format.pack(6, 0x0800)), (0x8004, 0x4006));
    assert_eq!((format.unpack(0x8004), format.unpack(0x4006)), ((4, 0x1000), (6, 0x0800)));
}

/// Makes the condensed packet of Table 6 of seed 002, with its two kernels.
fn table_6(format: &AqlFormat) -> Condensed {
    let mut packet = Condensed::new(format);
    let mut push = |ref_num, field, value| {
        let mut diff = Diff::default();
        diff.set(format, field, value).unwrap();
        packet.push(format, ref_num, diff.vector, &diff.values).unwrap();
    };
    push(4, SIGNAL, 0x0bad_feed_beef_dead);
    push(6, KERNARG, 0xface_deed_5678_1234);
    packet
}

#[test]
fn check_3_the_packet_of_table_6() {
    let packet = table_6(&aql());
    assert_eq!(text(packet.emit()), format!("{TABLE_6}{}", "0".repeat(84)));
    assert_eq!(packet.used(), 10);
}

#[test]
fn check_4_its_two_readings() {
    for n in 0..8 {
        let (format, orders) = (format(n), orders(n));
        let bytes = match orders.high_bits_first {
            true => TABLE_6.replace("0480", "0090").replace("0640", "00c8"),
            false => TABLE_6.to_owned(),
        };
        let packet = Condensed::parse(&hex(&bytes), &format).unwrap();
        assert_eq!(packet.used(), 10);
        let kernels = packet.kernels(&format).map(|kernel| {
            let field = kernel.diff.vector.trailing_zeros() as usize;
            (kernel.ref_num, kernel.diff.vector, kernel.diff.values.get(field))
        });
        let low = [(4, 0x1000, 0x0bad_feed_beef_dead), (6, 0x800, 0xface_deed_5678_1234)];
        let high = [(4, 0x1000, 0xdead_beef_feed_0bad), (6, 0x800, 0x1234_5678_deed_face)];
        let wanted = if orders.high_half_first { high } else { low };
        assert!(kernels.eq(wanted), "{orders:?}");
        // The format's own Table 6 packet has the low values, whatever the order.
        assert_eq!(*table_6(&format).emit() == hex(&bytes), !orders.high_half_first);
    }
}

#[test]
fn check_5_the_header_highest_first() {
    let options = AqlConfig::default().with_header_bits(PartOrder::HighFirst);
    let format = AqlFormat::new(&options).unwrap();
    let wanted = "06020090addeefbeedfead0b00c834127856eddecefa";
    assert_eq!(*table_6(&format).emit(), hex(wanted));
}

#[test]
fn check_6_one_field_differs_from_each_entry() {
    let format = aql();
    let found = launches(&mut agent(format, [4, 6]), &hex(TABLE_6)).unwrap();
    let first = KernelDispatch { completion_signal: 0x0bad_feed_beef_dead, ..entry(4) };
    let second = KernelDispatch { kernarg_address: 0xface_deed_5678_1234, ..entry(6) };
    let found: Vec<KernelDispatch> = found.iter().map(KernelDispatch::of).collect();
    assert_eq!(found, [first, second]);
}

#[test]
fn check_7_the_table_stays_and_twice_is_the_same() {
    let mut agent = agent(aql(), [4, 6]);
    let before = agent.table().clone();
    let once = launches(&mut agent, &hex(TABLE_6)).unwrap();
    assert_eq!(*agent.table(), before);
    assert_eq!(launches(&mut agent, &hex(TABLE_6)).unwrap(), once);
}

#[test]
fn check_8_a_reference_packet_launches_and_is_stored() {
    let format = aql();
    let wanted = "07150100000101000100040000040100010000000100000000000000001000000\
                  0044000007f000000010000107f0000000000000000000000010000207f0000";
    let reference = Reference { ref_num: 4, kernel: entry(4) };
    let packet = reference.emit(&format).unwrap();
    assert_eq!(text(&packet), wanted);
    assert_eq!(Reference::parse(&packet, &format), Ok(reference));
    let mut agent = agent(format, []);
    assert_eq!(agent.table().get(4), None);
    assert_eq!(launches(&mut agent, &packet).unwrap(), [launch(4)]);
    assert_eq!(agent.table().get(4), Some(&launch(4)));
    assert_eq!(agent.table().entries().count(), 1);
}

/// Checks how many kernels fit in a packet (check 10). Check 9, which draws 3,000 packets, is in
/// `random`.
#[test]
fn check_10_how_many_fit() {
    let format = aql();
    let launch = launch(1);
    for (vector, most, left) in [
        (0, 31, 0),
        (1 << 1, 15, 1),
        (1 << 5, 10, 1),
        (0b111 << 5, 4, 3),
        (1 << KERNARG, 6, 1),
        (0b11 << KERNARG, 3, 4),
        (0b111 << 10, 2, 5),
        (0x1fff, 1, 3),
    ] {
        let mut packet = Condensed::new(&format);
        for _ in 0..most {
            packet.push(&format, 0, vector, &launch).unwrap();
        }
        assert_eq!(31 - packet.used(), left, "{vector:#x}");
        let wanted = packet.used() + format.cost(vector);
        let full = packet;
        let error = packet.push(&format, 0, vector, &launch).unwrap_err();
        let text = format!("diff needs {wanted} half-words, only 31: begin another packet");
        assert_eq!((error.kind(), error.to_string()), (ErrorKind::NoRoom, text));
        assert_eq!(packet, full, "a refused kernel changes nothing");
    }
    let mut packet = Condensed::new(&format);
    for _ in 0..31 {
        packet.push(&format, 0, 0, &launch).unwrap();
    }
    let error = packet.push(&format, 0, 0, &launch).unwrap_err();
    assert!(error.to_string().starts_with("diff needs 32 half-words, only 31"), "{error}");
    let mut seven = Condensed::new(&format);
    for _ in 0..6 {
        seven.push(&format, 0, 1 << KERNARG, &launch).unwrap();
    }
    let error = seven.push(&format, 0, 1 << KERNARG, &launch).unwrap_err();
    assert!(error.to_string().starts_with("diff needs 35 half-words, only 31"), "{error}");
    // With a private size of 16 bits all thirteen fields leave one more.
    assert_eq!((format.cost(0x1fff), self::format(1).cost(0x1fff)), (28, 27));
}

#[test]
fn check_11_six_kernels_use_30_and_one_signal_more_makes_two_packets() {
    let format = aql();
    let mut encoder = Encoder::new(format, Replacement::First.policy(NEAR));
    let first = encode(&mut encoder, &kripke(0));
    assert!(first.iter().all(|packet| packet[0] == 7) && first.len() == 6);
    let second = encode(&mut encoder, &kripke(1));
    assert_eq!((second.len(), second[0][1], encoder.tally().half_words()), (1, 6, 30));
    let mut third = kripke(2);
    third[5].set(&format, SIGNAL, 77).unwrap();
    let packets = encode(&mut encoder, &third);
    assert_eq!((packets.len(), packets[0][1], packets[1][1]), (2, 5, 1));
    assert_eq!(encoder.tally().half_words(), 30 + 34);
}

#[test]
fn check_12_what_is_past_the_end_or_empty_launches_nothing() {
    let format = aql();
    let mut packet = hex("0628");
    let mut all = agent(format, 0..8);
    let error = launches(&mut all, &packet).unwrap_err();
    assert!(error.to_string().starts_with("kernel 31: no room for a diff header"), "{error}");

    packet = hex("0604");
    for kernel in 0..4 {
        packet[2 + 18 * kernel..][..2].copy_from_slice(&[0x00, 0xc0]);
    }
    let error = launches(&mut all, &packet).unwrap_err();
    let wanted = "kernel 3: field kernarg_address runs past diff_values[30]";
    assert!(error.to_string().starts_with(wanted), "{error}");

    let mut one = agent(format, [6]);
    let error = launches(&mut one, &hex(TABLE_6)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "kernel 0: empty reference entry 4: send a reference packet for it first"
    );
    let mut other = agent(format, [4]);
    let error = launches(&mut other, &hex(TABLE_6)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "kernel 1: empty reference entry 6: send a reference packet for it first"
    );
}

#[test]
fn check_13_padding_is_a_kernel_if_it_is_counted() {
    let mut packet = hex(TABLE_6);
    packet[1] = 3;
    let format = aql();
    let found = launches(&mut agent(format, 0..8), &packet).unwrap();
    assert_eq!(found.len(), 3);
    assert_eq!(found[2], launch(0));
}

#[test]
fn check_14_overhead() {
    let runs = [10, 6, 4, 10, 25, 5];
    let costs = Overhead::default()
        .with_enqueue(2)
        .with_processing(3)
        .with_decode(0)
        .with_schedule(1)
        .with_cleanup(2);
    let ordinary = costs.ordinary(&runs);
    assert_eq!(ordinary, 108);
    assert_eq!((costs.condensed(&runs, 0), costs.condensed(&runs, 5)), (73, 83));
    // Overhead: all but the kernels and their scheduling.
    let inner = 60 + 6;
    assert_eq!((ordinary - inner, 73 - inner, 83 - inner), (42, 7, 17));
    let ten = |later: u64| ordinary + 9 * later;
    assert_eq!(10 * ordinary, 1080);
    assert_eq!((ten(costs.condensed(&runs, 0)), ten(costs.condensed(&runs, 5))), (765, 855));
    let decoding = costs.with_decode(1);
    assert_eq!(ten(decoding.condensed(&runs, 0)), 819);
    // The last cleanup is never counted twice, and nothing costs nothing.
    assert_eq!(costs.condensed(&runs, 6), 83);
    assert_eq!((costs.condensed(&[], 9), costs.ordinary(&[])), (0, 0));
    assert_eq!(costs.ordinary(&[u64::MAX, 1]), u64::MAX);
}

#[test]
fn check_15_iterations_launch_the_same() {
    let format = aql();
    let mut encoder = Encoder::new(format, Replacement::First.policy(NEAR));
    let mut agent = agent(format, []);
    for iteration in 0..5 {
        let stream = kripke(iteration);
        let packets = encode(&mut encoder, &stream);
        assert_eq!(packets.len(), if iteration == 0 { 6 } else { 1 });
        let found: Vec<_> =
            packets.iter().flat_map(|packet| launches(&mut agent, packet).unwrap()).collect();
        assert_eq!(found, stream, "iteration {iteration}");
    }
}

#[test]
fn check_16_a_number_used_again_is_for_later_packets_only() {
    let format = aql();
    let mut agent = agent(format, [4, 6]);
    let before = launches(&mut agent, &hex(TABLE_6)).unwrap();
    launches(&mut agent, &launch(5).reference(&format, 4).unwrap()).unwrap();
    let after = launches(&mut agent, &hex(TABLE_6)).unwrap();
    let wanted = KernelDispatch { completion_signal: 0x0bad_feed_beef_dead, ..entry(5) };
    assert_eq!(KernelDispatch::of(&after[0]), wanted);
    assert_eq!((after[1], before[0] == after[0]), (before[1], false));
}

/// Checks that a packet has a cleanup for each launch that asks for one and for the last, and none
/// twice (B13).
#[test]
fn cleanups_are_counted() {
    let count = |settings: &[(u8, u64)]| {
        let kernel = |&(synch_scopes, completion_signal)| {
            let kernel = KernelDispatch { synch_scopes, completion_signal, ..entry(0) };
            kernel.launch(&aql()).unwrap()
        };
        cleanups(&settings.iter().map(kernel).collect::<Vec<_>>())
    };
    for (settings, wanted) in [
        (&[][..], 0),
        (&[(5, 0), (5, 7), (5, 0)], 2),
        (&[(5, 0), (5, 0), (5, 0)], 1),
        (&[(5, 1), (5, 0), (5, 0)], 2),
        (&[(0b01000, 0), (0b10000, 0), (0b00111, 0)], 3),
        (&[(5, 0), (5, 0), (5, 9)], 1),
        (&[(21, 0)], 1),
    ] {
        assert_eq!(count(settings), wanted, "{settings:?}");
    }
}

#[test]
fn policies_have_names() {
    assert_eq!(Replacement::ALL.map(Replacement::name), ["first", "most-recent", "frequency"]);
}
