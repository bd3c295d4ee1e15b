//! Is everything else refused, with what, where and what to do?

use raddle_packet::{
    AqlConfig, AqlFormat, BarrierPacket, Condensed, Diff, KernelDispatch, LaunchImage, PacketError,
    PacketTypes, Reference,
};

use crate::sample::{PRIVATE, SCOPES, TABLE_6, agent, aql, entry, format, hex, launch, launches};

fn refused(packet: &str) -> PacketError {
    launches(&mut agent(aql(), 0..8), &hex(packet)).unwrap_err()
}

#[test]
fn packets() {
    for (packet, found) in [("00", 0), ("04", 4), ("ff", 255)] {
        assert_eq!(refused(packet), PacketError::Type { found, types: aql().types() });
    }
    assert_eq!(refused("0600"), PacketError::NoKernels);
    // The high byte of a half-word of scopes.
    assert_eq!(
        refused("0601 0800 0501"),
        PacketError::HighByte { kernel: 0, field: "synch_scopes" }
    );
    assert_eq!(
        refused(&("07".to_owned() + &"00".repeat(9) + "0800")),
        PacketError::RefNum { ref_num: 8, entries: 8 }
    );
    assert_eq!(
        refused(&("07".to_owned() + &"00".repeat(9) + "0001")),
        PacketError::RefNum { ref_num: 256, entries: 8 }
    );
}

#[test]
fn fewer_entries() {
    let options = AqlConfig { entries: 5, ..AqlConfig::default() };
    let format = AqlFormat::new(&options).unwrap();
    let mut agent = agent(format, 0..5);
    let error = launches(&mut agent, &hex(TABLE_6)).unwrap_err();
    assert_eq!(error, PacketError::RefNum { ref_num: 6, entries: 5 });
    let packet = launch(5).reference(&aql(), 5).unwrap();
    assert_eq!(launches(&mut agent, &packet), Err(PacketError::RefNum { ref_num: 5, entries: 5 }));
    let launch = LaunchImage::default();
    let mut packet = Condensed::new(&format);
    assert_eq!(
        packet.push(&format, 5, 0, &launch),
        Err(PacketError::RefNum { ref_num: 5, entries: 5 })
    );
    assert!(launch.reference(&format, 5).is_err() && launch.reference(&format, 4).is_ok());
    assert_eq!(packet.push(&format, 4, 1 << 13, &launch), Err(PacketError::NoField { number: 13 }));
}

#[test]
fn a_private_size_beyond_16_bits() {
    let narrow = format(1);
    let wide = KernelDispatch { private_segment_size: 0x1_0000, ..entry(0) };
    let packet = wide.emit(&aql()).unwrap();
    let error = PacketError::Wide { field: "private_segment_size", value: 0x1_0000, bits: 16 };
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
    let error = PacketError::Wide { field: "synch_scopes", value: 0x100, bits: 8 };
    assert_eq!(diff.set(&format, SCOPES, 0x100), Err(error));
    assert!(diff.set(&format, PRIVATE, 1 << 32).is_err());
    assert_eq!(diff.set(&format, 13, 0), Err(PacketError::NoField { number: 13 }));
    assert_eq!(diff, before);
    assert_eq!((launch(1).get(13), launch(1).get(usize::MAX)), (0, 0));
}

#[test]
fn packets_of_another_type() {
    let format = aql();
    let ordinary = entry(2).emit(&format).unwrap();
    let error = PacketError::OtherType { found: 2, wanted: 7 };
    assert_eq!(Reference::parse(&ordinary, &format), Err(error));
    assert_eq!(KernelDispatch::parse(&ordinary, &format), Ok(entry(2)));
    assert!(Condensed::parse(&ordinary, &format).is_err());
    let error = PacketError::NotBarrier { found: 2, types: format.types() };
    assert_eq!(BarrierPacket::parse(&ordinary, &format), Err(error));
    let types = PacketTypes { barrier_or: None, ..AqlConfig::default().types };
    let only_and = AqlFormat::new(&AqlConfig { types, ..AqlConfig::default() }).unwrap();
    let any = BarrierPacket { any: true, ..BarrierPacket::default() };
    assert_eq!(any.emit(&only_and), Err(PacketError::NoBarrier { any: true, types }));
    let or = any.emit(&format).unwrap();
    assert_eq!((or[0], BarrierPacket::parse(&or, &format)), (5, Ok(any)));
    assert_eq!(launches(&mut agent(only_and, []), &or), Err(PacketError::Type { found: 5, types }));
    assert_eq!(launches(&mut agent(format, []), &or), Ok(Vec::new()));
}

/// Where dispatch and reference packets share a type, every one stores (B11).
#[test]
fn every_dispatch_packet_may_store() {
    let types = PacketTypes { reference: 2, ..AqlConfig::default().types };
    let format = AqlFormat::new(&AqlConfig { types, ..AqlConfig::default() }).unwrap();
    let mut agent = agent(format, [4]);
    assert_eq!(agent.table().entries().map(|(n, _)| n).collect::<Vec<_>>(), [4]);
    launches(&mut agent, &entry(1).emit(&format).unwrap()).unwrap();
    assert_eq!(agent.table().entries().map(|(n, _)| n).collect::<Vec<_>>(), [0, 4]);
}

#[test]
fn errors_say_what_to_do() {
    let types = aql().types();
    let no_barriers = PacketTypes { barrier_and: None, barrier_or: None, ..types };
    let errors = [
        PacketError::Type { found: 9, types },
        PacketError::Type { found: 3, types: no_barriers },
        PacketError::Type {
            found: 3,
            types: PacketTypes { reference: 2, barrier_and: None, ..types },
        },
        PacketError::OtherType { found: 9, wanted: 2 },
        PacketError::NotBarrier { found: 2, types: PacketTypes { barrier_or: None, ..types } },
        PacketError::NoBarrier { any: true, types: PacketTypes { barrier_or: None, ..types } },
        PacketError::NoKernels,
        PacketError::EmptyEntry { kernel: 2, ref_num: 4 },
        PacketError::RefNum { ref_num: 8, entries: 8 },
        PacketError::Wide { field: "setup", value: 65536, bits: 16 },
        PacketError::NoField { number: 13 },
        PacketError::SharedType(2),
        PacketError::Entries(9),
        PacketError::Setting { key: "ahead", found: 32, most: 31 },
    ];
    let text: Vec<String> = errors.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(text.join("\n"));
}
