//! Which launches do the tests speak of?

use raddle_packet::{
    AQL_BYTES, AQL_ENTRIES, Agent, AqlOptions, Encoder, Error, Format, HalfWords, HeaderBits, Keep,
    KernelDispatch, Launch, Received,
};

pub(crate) type Aql = Format<AQL_BYTES>;
pub(crate) type Packet = [u8; AQL_BYTES];
pub(crate) type One = Launch<AQL_BYTES>;
pub(crate) type AqlAgent = Agent<AQL_BYTES, AQL_ENTRIES>;
pub(crate) type AqlEncoder<K> = Encoder<AQL_BYTES, AQL_ENTRIES, K>;

/// Fields by the number of their bit.
pub(crate) const SCOPES: usize = 0;
pub(crate) const PRIVATE: usize = 8;
pub(crate) const KERNEL: usize = 10;
pub(crate) const KERNARG: usize = 11;
pub(crate) const SIGNAL: usize = 12;

pub(crate) fn aql() -> Aql {
    Format::aql(&AqlOptions::default()).unwrap()
}

/// Every order, both private sizes.
pub(crate) fn formats() -> Vec<Aql> {
    let mut formats = Vec::new();
    for half_words in [HalfWords::LowFirst, HalfWords::HighFirst] {
        for header_bits in [HeaderBits::LowFirst, HeaderBits::HighFirst] {
            for narrow_private in [false, true] {
                let options =
                    AqlOptions { half_words, header_bits, narrow_private, ..AqlOptions::default() };
                formats.push(Format::aql(&options).unwrap());
            }
        }
    }
    formats
}

/// Entry `n` of the digest's sample table.
pub(crate) fn entry(n: u64) -> KernelDispatch {
    KernelDispatch {
        synch_scopes: 21,
        setup: 1,
        workgroup_size_x: 256,
        workgroup_size_y: 1,
        workgroup_size_z: 1,
        grid_size_x: 65536 + 256 * n as u32,
        grid_size_y: 1,
        grid_size_z: 1,
        private_segment_size: 0,
        group_segment_size: 1024 * n as u32,
        kernel_object: 0x7f00_0040_0000 + 256 * n,
        kernarg_address: 0x7f10_0000_0000 + 64 * n,
        completion_signal: 0x7f20_0000_0000 + 64 * n,
    }
}

/// An agent that holds the sample entries of these numbers.
pub(crate) fn agent(format: Aql, entries: impl IntoIterator<Item = u16>) -> AqlAgent {
    let mut agent = AqlAgent::new(format).unwrap();
    for n in entries {
        let launch = entry(n.into()).launch(&format).unwrap();
        launches(&mut agent, &launch.reference(&format, n).unwrap()).unwrap();
    }
    agent
}

/// The launches of a packet.
pub(crate) fn launches(agent: &mut AqlAgent, packet: &Packet) -> Result<Vec<One>, Error> {
    match agent.receive(packet)? {
        Received::Launches(launches) => Ok(launches.collect()),
        Received::Barrier => Ok(Vec::new()),
    }
}

pub(crate) fn hex(text: &str) -> Packet {
    let digits: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let mut packet = [0; AQL_BYTES];
    for (byte, pair) in packet.iter_mut().zip(digits.chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    }
    packet
}

pub(crate) fn text(packet: &Packet) -> String {
    packet.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The example of Table 6, lowest first in every respect.
pub(crate) const TABLE_6: &str = "06020480addeefbeedfead0b064034127856eddecefa";

/// The six kernels of the loop, with arguments of this iteration.
pub(crate) fn kripke(format: &Aql, iteration: u64) -> Vec<One> {
    let address = |n| 0x7f30_0000_0000 + 256 * n + 4096 * iteration;
    let kernel = |n| KernelDispatch { kernarg_address: address(n), ..entry(n) };
    (0..6).map(|n| kernel(n).launch(format).unwrap()).collect()
}

/// Every packet of a stream.
pub(crate) fn encode<K: Keep<AQL_BYTES>>(
    encoder: &mut AqlEncoder<K>,
    stream: &[One],
) -> Vec<Packet> {
    let mut packets = Vec::new();
    let mut send = |packet: &Packet| packets.push(*packet);
    for launch in stream {
        encoder.launch(launch, &mut send);
    }
    encoder.flush(&mut send);
    packets
}
