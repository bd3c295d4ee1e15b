//! Is everything else refused, with what, where and what to do?

use raddle_packet::{
    AqlConfig, AqlFormat, BarrierPacket, Condensed, Diff, KernelDispatch, LaunchImage, PacketTypes,
    Reference,
};

use crate::sample::{PRIVATE, SCOPES, TABLE_6, agent, aql, entry, format, hex, launch, launches};

fn refused(packet: &str) -> String {
    launches(&mut agent(aql(), 0..8), &hex(packet)).unwrap_err().to_string()
}

#[test]
fn packets() {
    for (packet, found) in [("00", 0), ("04", 4), ("ff", 255)] {
        assert_eq!(
            refused(packet),
            format!(
                "packet type {found} is none of this format, which has {types}: check what the packet is, or the type numbers of the format",
                types = aql().types()
            )
        );
    }
    assert_eq!(refused("0600"), "num_kernels is 0: a condensed packet launches at least 1 kernel");
    // The high byte of a half-word of scopes.
    assert_eq!(refused("0601 0800 0501"), "kernel 0: the high byte of synch_scopes must be 0");
    assert_eq!(
        refused(&("07".to_owned() + &"00".repeat(9) + "0800")),
        "ref_num 8 is not in a table of 8: use 0 to 7"
    );
    assert_eq!(
        refused(&("07".to_owned() + &"00".repeat(9) + "0001")),
        "ref_num 256 is not in a table of 8: use 0 to 7"
    );
}

#[test]
fn fewer_entries() {
    let options = AqlConfig::default().with_entries(5);
    let format = AqlFormat::new(&options).unwrap();
    let mut agent = agent(format, 0..5);
    let error = launches(&mut agent, &hex(TABLE_6)).unwrap_err();
    assert_eq!(error.to_string(), "ref_num 6 is not in a table of 5: use 0 to 4");
    let packet = launch(5).reference(&aql(), 5).unwrap();
    assert_eq!(
        launches(&mut agent, &packet).map_err(|error| error.to_string()),
        Err("ref_num 5 is not in a table of 5: use 0 to 4".to_owned())
    );
    let launch = LaunchImage::default();
    let mut packet = Condensed::new(&format);
    assert_eq!(
        packet.push(&format, 5, 0, &launch).map_err(|error| error.to_string()),
        Err("ref_num 5 is not in a table of 5: use 0 to 4".to_owned())
    );
    assert!(launch.reference(&format, 5).is_err() && launch.reference(&format, 4).is_ok());
    assert_eq!(
        packet.push(&format, 4, 1 << 13, &launch).map_err(|error| error.to_string()),
        Err("there is no field 13 among 13: count from 0".to_owned())
    );
}

#[test]
fn a_private_size_beyond_16_bits() {
    let narrow = format(1);
    let wide = KernelDispatch { private_segment_size: 0x1_0000, ..entry(0) };
    let packet = wide.emit(&aql()).unwrap();
    let error =
        "private_segment_size has 16 bits, 0x10000 needs more: give a smaller one".to_owned();
    assert_eq!(
        launches(&mut agent(narrow, []), &packet).map_err(|error| error.to_string()),
        Err(error.clone())
    );
    assert_eq!(wide.emit(&narrow).map_err(|error| error.to_string()), Err(error.clone()));
    assert_eq!(
        KernelDispatch::parse(&packet, &narrow).map_err(|error| error.to_string()),
        Err(error.clone())
    );
    let fits = KernelDispatch { private_segment_size: 0xffff, ..entry(0) };
    assert_eq!(KernelDispatch::parse(&fits.emit(&narrow).unwrap(), &narrow), Ok(fits));
}

#[test]
fn values_wider_than_their_fields() {
    let format = aql();
    let mut diff = Diff::default();
    assert!(diff.set(&format, SCOPES, 0xff).is_ok());
    let before = diff;
    let error = "synch_scopes has 8 bits, 0x100 needs more: give a smaller one".to_owned();
    assert_eq!(
        diff.set(&format, SCOPES, 0x100).map_err(|error| error.to_string()),
        Err(error.clone())
    );
    assert!(diff.set(&format, PRIVATE, 1 << 32).is_err());
    assert_eq!(
        diff.set(&format, 13, 0).map_err(|error| error.to_string()),
        Err("there is no field 13 among 13: count from 0".to_owned())
    );
    assert_eq!(diff, before);
    assert_eq!((launch(1).get(13), launch(1).get(usize::MAX)), (0, 0));
}

#[test]
fn packets_of_another_type() {
    let format = aql();
    let ordinary = entry(2).emit(&format).unwrap();
    let error = "packet type 2 where 7 is wanted: check what the packet is".to_owned();
    assert_eq!(
        Reference::parse(&ordinary, &format).map_err(|error| error.to_string()),
        Err(error.clone())
    );
    assert_eq!(KernelDispatch::parse(&ordinary, &format), Ok(entry(2)));
    assert!(Condensed::parse(&ordinary, &format).is_err());
    let error = format!(
        "packet type 2 where a barrier is wanted, and this format has {}: check what the packet is",
        format.types()
    );
    assert_eq!(
        BarrierPacket::parse(&ordinary, &format).map_err(|error| error.to_string()),
        Err(error.clone())
    );
    let types = PacketTypes { barrier_or: None, ..AqlFormat::default().types() };
    let only_and = AqlFormat::new(&AqlConfig::default().with_types(types)).unwrap();
    let any = BarrierPacket { any: true, ..BarrierPacket::default() };
    assert_eq!(
        any.emit(&only_and).map_err(|error| error.to_string()),
        Err(format!("no type for a barrier-or in this format, which has {types}: give it one"))
    );
    let or = any.emit(&format).unwrap();
    assert_eq!((or[0], BarrierPacket::parse(&or, &format)), (5, Ok(any)));
    assert_eq!(
        launches(&mut agent(only_and, []), &or).map_err(|error| error.to_string()),
        Err(format!(
            "packet type 5 is none of this format, which has {types}: check what the packet is, or the type numbers of the format"
        ))
    );
    assert_eq!(launches(&mut agent(format, []), &or), Ok(Vec::new()));
}

/// Checks that every dispatch packet stores its launch where dispatch and reference packets share a
/// type (B11).
#[test]
fn every_dispatch_packet_may_store() {
    let types = PacketTypes { reference: 2, ..AqlFormat::default().types() };
    let format = AqlFormat::new(&AqlConfig::default().with_types(types)).unwrap();
    let mut agent = agent(format, [4]);
    assert_eq!(agent.table().entries().map(|(n, _)| n).collect::<Vec<_>>(), [4]);
    launches(&mut agent, &entry(1).emit(&format).unwrap()).unwrap();
    assert_eq!(agent.table().entries().map(|(n, _)| n).collect::<Vec<_>>(), [0, 4]);
}
