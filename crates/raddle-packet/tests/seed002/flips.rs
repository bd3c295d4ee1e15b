//! What becomes of a good packet with one bit flipped?

use raddle_packet::{AqlPacket, Condensed, PacketView};

use crate::naive;
use crate::sample::{agent, aql, kripke, launch, launches};

/// Returns a pseudo-random number made of `n`.
pub(crate) fn mixed(n: u64) -> u64 {
    let mut x = n.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x ^= x >> 29;
    x = x.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x ^ (x >> 32)
}

/// Returns a thousand well-formed packets: condensed ones of every length, reference and ordinary
/// ones.
fn packets() -> Vec<AqlPacket> {
    let format = aql();
    let launch = |n: u64| launch(mixed(n) % 8);
    let packet = |n: u64| match n % 10 {
        8 => launch(n).dispatch(&format),
        9 => launch(n).reference(&format, (mixed(n) % 8) as u16).unwrap(),
        _ => {
            let mut packet = Condensed::new(&format);
            for kernel in 0..1 + n % 31 {
                let chance = mixed(31 * n + kernel);
                let vector = match chance % 4 {
                    0 => 0,
                    1 => 1 << (chance >> 8 & 7),
                    2 => 1 << 11,
                    _ => (chance >> 8 & 0x1fff) as u16,
                };
                // A kernel that does not fit any more is left out.
                let _ = packet.push(&format, (chance % 8) as u16, vector, &launch(chance));
            }
            *packet.emit()
        }
    };
    (0..1000).map(packet).collect()
}

/// Flips each bit of a thousand packets, which gives 512,000. Checks that each is refused, with
/// nothing launched or stored, exactly where the naive agent refuses it, and is launched in full,
/// as by the naive one, everywhere else.
#[test]
fn every_bit_of_a_thousand_packets() {
    let format = aql();
    let clean = agent(format, 0..8);
    let mut table: [Option<naive::Fields>; 8] = [None; 8];
    for n in 0..8 {
        let packet = launch(n).reference(&format, n as u16).unwrap();
        table[n as usize] = Some(naive::fields(&packet));
    }
    let (mut refused, mut taken) = (0, 0);
    for packet in packets() {
        assert!(launches(&mut clean.clone(), &packet).is_ok());
        for bit in 0..512 {
            let mut flipped = packet;
            flipped[bit / 8] ^= 1 << (bit % 8);
            let mut naive = naive::Agent { table, ..naive::Agent::default() };
            let mut ours = clean.clone();
            match (launches(&mut ours, &flipped), naive.receive(&flipped)) {
                (Err(_), None) => {
                    refused += 1;
                    assert_eq!(ours.table(), clean.table());
                }
                (Ok(found), Some(wanted)) => {
                    taken += 1;
                    assert_eq!(found.len(), wanted.len());
                    for (launch, wanted) in found.iter().zip(wanted) {
                        let same = (0..13).all(|n| launch.get(n) == wanted[n]);
                        assert!(same, "bit {bit} of {packet:02x?}");
                    }
                }
                (ours, naive) => panic!("bit {bit} of {packet:02x?}: {ours:?}, {naive:?}"),
            }
        }
    }
    assert_eq!(refused + taken, 512_000);
    assert!(refused > 10_000 && taken > 100_000, "{refused} refused, {taken} taken");
}

/// Checks that a change of any bit of a packet changes its printed form.
#[test]
fn every_bit_is_printed() {
    let format = aql();
    let mut all = packets();
    all.truncate(60);
    all.push(
        raddle_packet::BarrierPacket { dep_signal: [1, 2, 3, 4, 5], ..Default::default() }
            .emit(&format)
            .unwrap(),
    );
    all.push([0xff; 64]);
    all.push([0; 64]);
    all.push(kripke(0)[0].dispatch(&format));
    for packet in all {
        let printed = PacketView::new(&packet, &format).to_string();
        for bit in 0..512 {
            let mut flipped = packet;
            flipped[bit / 8] ^= 1 << (bit % 8);
            let other = PacketView::new(&flipped, &format).to_string();
            assert_ne!(printed, other, "bit {bit} of {packet:02x?}");
        }
    }
}
