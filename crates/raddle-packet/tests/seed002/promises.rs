//! What holds of any bytes that an agent gets?
//!
//! Nothing panics; the naive agent agrees on what is launched, stored and refused; whatever is
//! accepted comes out the same the other way, and is encoded so that it comes out again. Shared by
//! the fuzz target and the test that replays its corpus.

use raddle_packet::{
    Agent, AqlConfig, AqlFormat, AqlPacket, Condensed, Encoder, HALF_WORDS, LaunchImage,
    PacketView, PartOrder, Replacement, cleanups,
};

use crate::naive;

/// Decodes and encodes arbitrary bytes and checks the promises of both ways. The first byte chooses
/// the formats, the second the policy; then come packets, the last one filled up with zeros.
pub(crate) fn run(bytes: &[u8]) {
    let [options, replacement, packets @ ..] = bytes else { return };
    let flag = |bit: u8| options >> bit & 1 == 1;
    let usual = AqlConfig::default()
        .with_half_words(if flag(0) { PartOrder::HighFirst } else { PartOrder::LowFirst })
        .with_header_bits(if flag(1) { PartOrder::HighFirst } else { PartOrder::LowFirst })
        .with_narrow_private(flag(2));
    let format = AqlFormat::new(&usual).expect("a format of the seed");
    let orders = naive::Orders {
        high_half_first: flag(0),
        high_bits_first: flag(1),
        narrow_private: flag(2),
    };
    let mut theirs = naive::Agent { orders, ..naive::Agent::default() };
    let mut ours = Agent::new(format);
    let mut stream: Vec<LaunchImage> = Vec::new();
    for chunk in packets.chunks(64).take(24) {
        let mut packet = [0; 64];
        packet[..chunk.len()].copy_from_slice(chunk);
        let view = PacketView::new(&packet, &format);
        let (before, wanted) = (ours.table().clone(), theirs.receive(&packet));
        let mut list = [LaunchImage::default(); HALF_WORDS];
        let received = ours.receive(&packet, &mut list);
        let Ok(found) = received.and_then(|received| received.of_format(&format)) else {
            assert!(wanted.is_none() && *ours.table() == before);
            // Printing takes longest by far, so not every input asks for it.
            assert!(!flag(7) || !view.to_string().is_empty());
            continue;
        };
        let wanted = wanted.expect("the naive agent takes it too");
        assert!(view.fault().is_none());
        assert_eq!((found.len(), cleanups(found) == 0), (wanted.len(), found.is_empty()));
        for (launch, wanted) in found.iter().zip(wanted) {
            assert!((0..13).all(|field| launch.get(field) == wanted[field]));
        }
        if let Ok(parsed) = Condensed::parse(&packet, &format) {
            let mut again = Condensed::new(&format);
            for kernel in parsed.kernels(&format) {
                let (vector, values) = (kernel.diff.vector, kernel.diff.values);
                again.push(&format, kernel.ref_num, vector, &values).expect("it fitted");
            }
            assert_eq!(again.emit(), parsed.emit());
        }
        stream.extend(found);
    }
    // The way back has fewer entries, and one type for what is stored and what is not, if asked for.
    let mut types = AqlFormat::default().types();
    types.reference = if flag(3) { types.dispatch } else { types.reference };
    let back = usual.with_types(types).with_entries(8 - u16::from(options >> 4 & 7));
    let back = AqlFormat::new(&back).expect("a format of the seed");
    let replacement_of = Replacement::ALL[usize::from(replacement % 3)];
    there_and_back(back, replacement_of, u16::from(replacement / 3) % 32, &stream);
}

fn there_and_back(format: AqlFormat, replacement: Replacement, near: u16, stream: &[LaunchImage]) {
    let mut encoder = Encoder::new(format, replacement.policy(near));
    let mut agent = Agent::new(format);
    let mut list = [LaunchImage::default(); HALF_WORDS];
    let mut left = stream;
    let mut receive = |packet: &AqlPacket| {
        let found = agent.receive(packet, &mut list).expect("what we send is good").launches();
        let (now, rest) = left.split_at(found.len());
        assert_eq!(now, found);
        left = rest;
    };
    stream.iter().for_each(|launch| encoder.launch(launch, &mut receive));
    encoder.flush(&mut receive);
    assert!(left.is_empty());
}
