//! Is everything else refused, with what, where and what to do?

use raddle_packet::{
    AqlOptions, Barrier, Condensed, Diff, Error, Format, KernelDispatch, Launch, Reference, Types,
};

use crate::sample::{PRIVATE, SCOPES, TABLE_6, agent, aql, entry, formats, hex, launches};

fn refused(packet: &str) -> Error {
    launches(&mut agent(aql(), 0..8), &hex(packet)).unwrap_err()
}

#[test]
fn packets() {
    assert_eq!(refused("00"), Error::Type { found: 0 });
    assert_eq!(refused("04"), Error::Type { found: 4 });
    assert_eq!(refused("ff"), Error::Type { found: 255 });
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
    assert_eq!(found, KernelDispatch { synch_scopes: 0xff, ..entry(1) });
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
    assert_eq!(Barrier::parse(&ordinary, &format), Err(Error::Type { found: 2 }));
    let types = Types { barrier_or: None, ..AqlOptions::default().types };
    let only_and = Format::aql(&AqlOptions { types, ..AqlOptions::default() }).unwrap();
    let any = Barrier { any: true, ..Barrier::default() };
    assert_eq!(any.emit(&only_and), Err(Error::Type { found: 5 }));
    let or = any.emit(&format).unwrap();
    assert_eq!((or[0], Barrier::parse(&or, &format)), (5, Ok(any)));
    assert_eq!(launches(&mut agent(only_and, []), &or), Err(Error::Type { found: 5 }));
    assert_eq!(launches(&mut agent(format, []), &or), Ok(Vec::new()));
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
    let errors = [
        Error::Length { found: 1, wanted: 64 },
        Error::Type { found: 9 },
        Error::OtherType { found: 9, wanted: 2 },
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
