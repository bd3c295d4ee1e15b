//! Is everything else refused, with what, where and what to do?

use raddle_packet::{
    AqlOptions, Barrier, Condensed, Diff, Error, Field, Format, HalfWords, HeaderBits,
    KernelDispatch, Launch, Reference, Spec, Types, View,
};

use crate::sample::{PRIVATE, SCOPES, TABLE_6, agent, aql, entry, formats, hex, launches};

fn refused(packet: &str) -> Error {
    launches(&mut agent(aql(), 0..8), &hex(packet)).unwrap_err()
}

#[test]
fn packets() {
    for (packet, found) in [("00", 0), ("04", 4), ("ff", 255)] {
        assert_eq!(refused(packet), Error::Type { found, types: aql().types() });
    }
    assert_eq!(refused("0600"), Error::NoKernels);
    // The high byte of a half-word of scopes.
    assert_eq!(refused("0601 0800 0501"), Error::HighByte { kernel: 0, field: "synch_scopes" });
    assert_eq!(
        refused(&("07".to_owned() + &"00".repeat(9) + "0800")),
        Error::RefNum { ref_num: 8, entries: 8 }
    );
    assert_eq!(
        refused(&("07".to_owned() + &"00".repeat(9) + "0001")),
        Error::RefNum { ref_num: 256, entries: 8 }
    );
    let mut agent = agent(aql(), 0..8);
    assert_eq!(
        agent.receive_bytes(&[2; 63]).map(|_| ()),
        Err(Error::Length { found: 63, wanted: 64 })
    );
    assert!(agent.receive_bytes(&[2; 64]).is_ok());
}

#[test]
fn fewer_entries() {
    let options = AqlOptions { entries: 5, ..AqlOptions::default() };
    let format = Format::aql(&options).unwrap();
    let mut agent = agent(format, 0..5);
    let error = launches(&mut agent, &hex(TABLE_6)).unwrap_err();
    assert_eq!(error, Error::RefNum { ref_num: 6, entries: 5 });
    let packet = entry(5).launch(&aql()).unwrap().reference(&aql(), 5).unwrap();
    assert_eq!(launches(&mut agent, &packet), Err(Error::RefNum { ref_num: 5, entries: 5 }));
    let launch = Launch::default();
    let mut packet = Condensed::new(&format);
    assert_eq!(packet.push(&format, 5, 0, &launch), Err(Error::RefNum { ref_num: 5, entries: 5 }));
    assert!(launch.reference(&format, 5).is_err() && launch.reference(&format, 4).is_ok());
    assert_eq!(
        packet.push(&format, 4, 1 << 13, &launch),
        Err(Error::UnknownBit { kernel: 0, vector: 1 << 13 })
    );
}

#[test]
fn a_private_size_beyond_16_bits() {
    let narrow = formats()[1];
    let wide = KernelDispatch { private_segment_size: 0x1_0000, ..entry(0) };
    let packet = wide.emit(&aql()).unwrap();
    let error = Error::Wide { field: "private_segment_size", value: 0x1_0000, bits: 16 };
    assert_eq!(launches(&mut agent(narrow, []), &packet), Err(error));
    assert_eq!(wide.emit(&narrow), Err(error));
    assert_eq!(KernelDispatch::parse(&packet, &narrow), Err(error));
    let fits = KernelDispatch { private_segment_size: 0xffff, ..entry(0) };
    assert_eq!(KernelDispatch::parse(&fits.emit(&narrow).unwrap(), &narrow), Ok(fits));
}

#[test]
fn values_wider_than_their_fields() {
    let format = aql();
    let mut diff = Diff::default();
    assert!(diff.set(&format, SCOPES, 0xff).is_ok());
    let before = diff;
    let error = Error::Wide { field: "synch_scopes", value: 0x100, bits: 8 };
    assert_eq!(diff.set(&format, SCOPES, 0x100), Err(error));
    assert!(diff.set(&format, PRIVATE, 1 << 32).is_err());
    assert_eq!(diff.set(&format, 13, 0), Err(Error::NoField { field: 13, fields: 13 }));
    assert_eq!(diff, before);
    let launch = entry(1).launch(&format).unwrap();
    let found = KernelDispatch::of(&before.apply(&format, &launch), &format);
    assert_eq!(found, Ok(KernelDispatch { synch_scopes: 0xff, ..entry(1) }));
    assert_eq!((launch.get(&format, 13), launch.get(&format, usize::MAX)), (0, 0));
}

#[test]
fn packets_of_another_type() {
    let format = aql();
    let ordinary = entry(2).emit(&format).unwrap();
    let error = Error::OtherType { found: 2, wanted: 7 };
    assert_eq!(Reference::parse(&ordinary, &format), Err(error));
    assert_eq!(KernelDispatch::parse(&ordinary, &format), Ok(entry(2)));
    assert!(Condensed::parse(&ordinary, &format).is_err());
    let error = Error::NotBarrier { found: 2, types: format.types() };
    assert_eq!(Barrier::parse(&ordinary, &format), Err(error));
    let types = Types { barrier_or: None, ..AqlOptions::default().types };
    let only_and = Format::aql(&AqlOptions { types, ..AqlOptions::default() }).unwrap();
    let any = Barrier { any: true, ..Barrier::default() };
    assert_eq!(any.emit(&only_and), Err(Error::NoBarrier { any: true, types }));
    let or = any.emit(&format).unwrap();
    assert_eq!((or[0], Barrier::parse(&or, &format)), (5, Ok(any)));
    assert_eq!(launches(&mut agent(only_and, []), &or), Err(Error::Type { found: 5, types }));
    assert_eq!(launches(&mut agent(format, []), &or), Ok(Vec::new()));
}

/// Packets of 64 bytes that are not those of AQL, and launches that no AQL packet brought.
#[test]
fn packets_of_another_format() {
    let fields = aql().fields().to_vec();
    let other = |fields: &[Field]| {
        Format::<64>::new(&Spec {
            types: aql().types(),
            half_words: HalfWords::LowFirst,
            header_bits: HeaderBits::LowFirst,
            header_half_words: 2,
            ref_bits: 3,
            entries: 8,
            fields,
            scopes: 0,
            kernel: 10,
            signal: 12,
            ref_num_at: 10,
            num_kernels_at: 1,
            diff_values_at: 2,
        })
        .unwrap()
    };
    // Who describes AQL packets himself has them, whatever their differences look like.
    let own = other(&fields);
    assert!(own.is_aql() && formats().iter().all(Format::is_aql));
    assert_eq!(entry(2).emit(&own), entry(2).emit(&aql()));
    let swapped = |a: usize, b: usize| {
        let mut fields = fields.clone();
        fields.swap(a, b);
        other(&fields)
    };
    let mut more = fields.clone();
    more.push(Field { name: "reserved2", offset: 48, bytes: 2, spare: 0 });
    let mut moved = fields.clone();
    moved[11].offset = 48;
    let error = |field, found, wanted| Error::NotAql { field, found, wanted };
    let cases = [
        (swapped(5, 6), error(5, "grid_size_y", "grid_size_x")),
        (other(&more), error(13, "reserved2", "")),
        (other(&moved), error(11, "kernarg_address", "kernarg_address")),
    ];
    let barrier = Barrier { dep_signal: [7; 5], ..Barrier::default() };
    let reference = Reference { ref_num: 4, kernel: entry(2) };
    let packets = [entry(2).emit(&own), reference.emit(&own), barrier.emit(&own)];
    let [ordinary, stores, waits] = packets.map(Result::unwrap);
    let launch = entry(2).launch(&own).unwrap();
    for (format, error) in cases {
        assert!(!format.is_aql());
        assert_eq!(KernelDispatch::parse(&ordinary, &format), Err(error));
        assert_eq!(KernelDispatch::of(&launch, &format), Err(error));
        assert_eq!(entry(2).launch(&format), Err(error));
        assert_eq!(entry(2).emit(&format), Err(error));
        assert_eq!(Reference::parse(&stores, &format), Err(error));
        assert_eq!(reference.emit(&format), Err(error));
        assert_eq!(Barrier::parse(&waits, &format), Err(error));
        assert_eq!(barrier.emit(&format), Err(error));
        let print = View::new(&waits, &format).to_string();
        assert!(!print.contains("dep_signal") && print.contains("07 00"), "{print}");
    }
    assert!(View::new(&waits, &own).to_string().contains("dep_signal"));
    // A launch that was made by another format, where that shows.
    let mut launch = Launch::default();
    launch.set(&other(&more), 13, 1 << 8).unwrap();
    assert_eq!(KernelDispatch::of(&launch, &own), Err(Error::OtherFormat { at: 49 }));
    let wide = KernelDispatch { private_segment_size: 0x1_0000, ..entry(0) };
    let error = Error::Wide { field: "private_segment_size", value: 0x1_0000, bits: 16 };
    assert_eq!(KernelDispatch::of(&wide.launch(&own).unwrap(), &formats()[1]), Err(error));
}

/// Where dispatch and reference packets share a type, every one stores (B11).
#[test]
fn every_dispatch_packet_may_store() {
    let types = Types { reference: 2, ..AqlOptions::default().types };
    let format = Format::aql(&AqlOptions { types, ..AqlOptions::default() }).unwrap();
    let mut agent = agent(format, [4]);
    assert_eq!(agent.table().entries().map(|(n, _)| n).collect::<Vec<_>>(), [4]);
    launches(&mut agent, &entry(1).emit(&format).unwrap()).unwrap();
    assert_eq!(agent.table().entries().map(|(n, _)| n).collect::<Vec<_>>(), [0, 4]);
}

#[test]
fn errors_say_what_to_do() {
    let types = aql().types();
    let errors = [
        Error::Length { found: 1, wanted: 64 },
        Error::Type { found: 9, types },
        Error::Type { found: 3, types: Types { barrier_and: None, barrier_or: None, ..types } },
        Error::Type { found: 3, types: Types { reference: 2, barrier_and: None, ..types } },
        Error::OtherType { found: 9, wanted: 2 },
        Error::NotBarrier { found: 2, types: Types { barrier_or: None, ..types } },
        Error::NoBarrier { any: true, types: Types { barrier_or: None, ..types } },
        Error::NotAql { field: 3, found: "", wanted: "workgroup_size_y" },
        Error::NotAql { field: 13, found: "priority", wanted: "" },
        Error::NotAql { field: 3, found: "setup", wanted: "setup" },
        Error::NotAql { field: 3, found: "priority", wanted: "workgroup_size_y" },
        Error::OtherFormat { at: 48 },
        Error::NoKernels,
        Error::EmptyEntry { kernel: 2, ref_num: 4 },
        Error::RefNum { ref_num: 8, entries: 8 },
        Error::Wide { field: "setup", value: 65536, bits: 16 },
        Error::NoField { field: 13, fields: 13 },
        Error::Format(raddle_packet::FormatFault::Size(20)),
        Error::Format(raddle_packet::FormatFault::Header),
        Error::Format(raddle_packet::FormatFault::Spare("setup")),
        Error::Setting { key: "ahead", found: 32, most: 31 },
    ];
    let text: Vec<String> = errors.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(text.join("\n"));
}
