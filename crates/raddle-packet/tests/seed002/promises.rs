//! What holds of any bytes that an agent gets?
//!
//! Nothing panics; the naive agent agrees on what is launched, stored and refused; whatever is
//! accepted comes out the same the other way, and is encoded so that it comes out again. Shared by
//! the fuzz target and the test that replays its corpus.

use raddle_packet::{
    Agent, AqlOptions, Condensed, Encoder, Error, Format, HalfWords, HeaderBits, Launch,
};
use raddle_packet::{Received, Rule, View};

use crate::naive;

/// The first byte chooses the format, for the way there and the way back, the second the rule; then
/// come packets, the last one filled up with zeros.
pub(crate) fn run(bytes: &[u8]) {
    let [options, rule, packets @ ..] = bytes else { return };
    let flag = |bit: u8| options >> bit & 1 == 1;
    let usual = AqlOptions {
        half_words: if flag(0) { HalfWords::HighFirst } else { HalfWords::LowFirst },
        header_bits: if flag(1) { HeaderBits::HighFirst } else { HeaderBits::LowFirst },
        narrow_private: flag(2),
        ..AqlOptions::default()
    };
    let format = Format::aql(&usual).expect("a format of the seed");
    let orders = naive::Orders {
        high_half_first: flag(0),
        high_bits_first: flag(1),
        narrow_private: flag(2),
    };
    let mut theirs = naive::Agent { orders, ..naive::Agent::default() };
    let mut ours = Agent::<64, 8>::new(format).expect("as many entries");
    let mut quick = ours.clone();
    let mut stream: Vec<Launch<64>> = Vec::new();
    for chunk in packets.chunks(64).take(24) {
        let mut packet = [0; 64];
        packet[..chunk.len()].copy_from_slice(chunk);
        let view = View::new(&packet, &format);
        let fault = view.fault();
        let mut list = [Launch::default(); 31];
        let count = quick.receive_into(&packet, &mut list);
        let wanted = theirs.receive(&packet);
        let found: Option<Vec<Launch<64>>> = match ours.receive(&packet) {
            Ok(Received::Launches(launches)) => {
                assert!((1..=31).contains(&launches.len()) && launches.cleanups() >= 1);
                Some(launches.collect())
            }
            Ok(Received::Barrier) => Some(Vec::new()),
            Err(error) => {
                assert_eq!(count, Err(error));
                // Printing takes longest by far, so not every input asks for it.
                assert!(!flag(7) || !view.to_string().is_empty());
                None
            }
        };
        assert_eq!(found.is_some(), wanted.is_some());
        assert_eq!(ours.table(), quick.table());
        let Some(found) = found else { continue };
        assert!(fault.is_none());
        assert_eq!(Ok(found.len()), count);
        assert_eq!(found, list[..found.len()]);
        if let Some(few) = found.len().checked_sub(1) {
            // Only what comes behind it may be of no meaning.
            let short = quick.receive_into(&packet, &mut list[..few]);
            assert_eq!(short, Err(Error::Short { places: few, wanted: found.len() }));
            assert_eq!(ours.table(), quick.table());
        }
        for (launch, wanted) in found.iter().zip(wanted.unwrap_or_default()) {
            assert!((0..13).all(|field| launch.get(&format, field) == wanted[field]));
        }
        if let Ok(parsed) = Condensed::parse(&packet, &format) {
            let mut again = Condensed::new(&format);
            for kernel in parsed.kernels(&format) {
                let (vector, values) = (kernel.diff.vector, kernel.diff.values);
                again.push(&format, kernel.ref_num, vector, &values).expect("it fitted");
            }
            assert_eq!(again.emit(&format), parsed.emit(&format));
        }
        stream.extend(found);
    }
    // The way back has fewer entries, and one type for what is stored and what is not, if asked for.
    let mut types = usual.types;
    types.reference = if flag(3) { types.dispatch } else { types.reference };
    let back = AqlOptions { types, entries: 8 - u16::from(options >> 4 & 7), ..usual };
    let back = Format::aql(&back).expect("a format of the seed");
    there_and_back(back, Rule::ALL[usize::from(rule % 3)], u16::from(rule / 3) % 32, &stream);
}

fn there_and_back(format: Format<64>, rule: Rule, near: u16, stream: &[Launch<64>]) {
    let mut encoder =
        Encoder::<64, 8, _>::new(format, rule.keeper::<8>(near)).expect("as many entries");
    let mut agent = Agent::<64, 8>::new(format).expect("as many entries");
    let mut list = [Launch::default(); 31];
    let mut left = stream;
    let mut receive = |packet: &[u8; 64]| {
        let count = agent.receive_into(packet, &mut list).expect("what we send is good");
        let (now, rest) = left.split_at(count);
        assert_eq!(now, &list[..count]);
        left = rest;
    };
    // Lists of 0 to 6, as they come.
    let (mut rest, mut wide) = (stream, 0);
    while !rest.is_empty() {
        let (now, later) = rest.split_at(rest.len().min(wide));
        encoder.launches(now, &mut receive);
        (rest, wide) = (later, (wide + 3) % 7);
    }
    encoder.flush(&mut receive);
    assert!(left.is_empty());
}
