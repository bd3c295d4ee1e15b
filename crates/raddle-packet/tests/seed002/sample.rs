//! Which launches do the tests speak of?

use std::format;
use std::prelude::rust_2024::*;

use raddle_packet::{
    AQL_BYTES, Agent, AnyReplacement, AqlConfig, AqlFormat, AqlPacket, Encoder, HALF_WORDS,
    KernelDispatch, LaunchImage, PacketError, PartOrder,
};

use crate::naive::Orders;

/// Number of the field of the memory scopes; the constants below it are those of the private size,
/// the kernel object, the arguments and the signal.
pub(crate) const SCOPES: usize = 0;
pub(crate) const PRIVATE: usize = 8;
pub(crate) const KERNEL: usize = 10;
pub(crate) const KERNARG: usize = 11;
pub(crate) const SIGNAL: usize = 12;

pub(crate) fn aql() -> AqlFormat {
    AqlFormat::default()
}

/// Returns the default settings of a format with these orders.
pub(crate) fn options(orders: Orders) -> AqlConfig {
    let Orders { high_half_first, high_bits_first, narrow_private } = orders;
    AqlConfig::default()
        .with_half_words(if high_half_first { PartOrder::HighFirst } else { PartOrder::LowFirst })
        .with_header_bits(if high_bits_first { PartOrder::HighFirst } else { PartOrder::LowFirst })
        .with_narrow_private(narrow_private)
}

/// Returns the orders with the number `n`, of eight: two orders of half-words, two of header bits,
/// two sizes of the private memory.
pub(crate) fn orders(n: usize) -> Orders {
    Orders { high_half_first: n & 4 != 0, high_bits_first: n & 2 != 0, narrow_private: n & 1 != 0 }
}

/// Returns the packet format with the orders of number `n`, of eight.
pub(crate) fn format(n: usize) -> AqlFormat {
    AqlFormat::new(&options(orders(n))).unwrap()
}

/// Returns the launch in entry `n` of the sample table that the tests use.
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

/// Returns the launch of entry `n` of the sample table in the form of the codec.
pub(crate) fn launch(n: u64) -> LaunchImage {
    entry(n).launch(&aql()).unwrap()
}

/// Makes an agent whose table holds the sample entries with these numbers.
pub(crate) fn agent(format: AqlFormat, entries: impl IntoIterator<Item = u16>) -> Agent {
    let mut agent = Agent::new(format);
    for n in entries {
        launches(&mut agent, &launch(n.into()).reference(&format, n).unwrap()).unwrap();
    }
    agent
}

/// Returns the launches that an agent decodes from a packet.
pub(crate) fn launches(
    agent: &mut Agent,
    packet: &AqlPacket,
) -> Result<Vec<LaunchImage>, PacketError> {
    let mut list = [LaunchImage::default(); HALF_WORDS];
    let received = agent.receive(packet, &mut list)?;
    received.of_format(agent.format()).map(<[_]>::to_vec)
}

pub(crate) fn hex(text: &str) -> AqlPacket {
    let digits: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let mut packet = [0; AQL_BYTES];
    for (byte, pair) in packet.iter_mut().zip(digits.chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    }
    packet
}

pub(crate) fn text(packet: &AqlPacket) -> String {
    packet.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Example packet of Table 6 of seed 002 in hexadecimal, with the lowest half-words and bits first.
pub(crate) const TABLE_6: &str = "06020480addeefbeedfead0b064034127856eddecefa";

/// Returns the launches of the six kernels of a loop (Kripke), with arguments of their own in each
/// iteration.
pub(crate) fn kripke(iteration: u64) -> Vec<LaunchImage> {
    let address = |n| 0x7f30_0000_0000 + 256 * n + 4096 * iteration;
    let kernel = |n| KernelDispatch { kernarg_address: address(n), ..entry(n) };
    (0..6).map(|n| kernel(n).launch(&aql()).unwrap()).collect()
}

/// Encodes a list of launches, and returns every packet.
pub(crate) fn encode(
    encoder: &mut Encoder<AnyReplacement>,
    stream: &[LaunchImage],
) -> Vec<AqlPacket> {
    let mut packets = Vec::new();
    let mut send = |packet: &AqlPacket| packets.push(*packet);
    stream.iter().for_each(|launch| encoder.launch(launch, &mut send));
    encoder.flush(&mut send);
    packets
}
