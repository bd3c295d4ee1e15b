//! What does a packet look like in print?

use raddle_packet::{BarrierPacket, PacketView, Reference};

use crate::sample::{TABLE_6, aql, entry, hex};

#[test]
fn packets_in_print() {
    let format = aql();
    let mut late = hex(TABLE_6);
    (late[1], late[40]) = (1, 0xee);
    let mut reserved = entry(3).emit(&format).unwrap();
    (reserved[10], reserved[48]) = (4, 5);
    let barrier = BarrierPacket {
        any: true,
        synch_scopes: 3,
        dep_signal: [1, 0, 7, 0, 0],
        completion_signal: 9,
    };
    let packets = [
        ("Table 6", hex(TABLE_6)),
        ("behind the last kernel", late),
        ("past the end", hex(&("0602 fcff".to_owned() + &"00".repeat(54) + "0080"))),
        ("no kernels", hex("0600 1234")),
        ("a reference packet", Reference { ref_num: 3, kernel: entry(3) }.emit(&format).unwrap()),
        ("with something reserved", reserved),
        ("a barrier", barrier.emit(&format).unwrap()),
        ("nothing", hex("0102 03")),
    ];
    let told =
        packets.map(|(name, packet)| format!("{name}: {}", PacketView::new(&packet, &format)));
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn what_a_view_reads() {
    let format = aql();
    let packet = Reference { ref_num: 3, kernel: entry(3) }.emit(&format).unwrap();
    let view = PacketView::new(&packet, &format);
    assert_eq!((view.name(), view.fault()), ("reference packet", None));
}
