//! How do launches become packets?

use raddle_golden::packet::hex;
use raddle_packet::{AQL_BYTES, AqlFormat, AqlPacket, Encoder, PacketTally};
use serde::Serialize;

use super::args::EncodeArgs;
use super::launches::{Sent, launches};
use crate::Console;
use crate::args::Format;
use crate::error::CliError;
use raddle_report::json;

/// What became of the launches.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct EncodeReport {
    packets: Vec<String>,
    launches: u64,
    ordinary: u64,
    reference: u64,
    condensed: u64,
    condensed_packets: u64,
    barriers: u64,
    bytes: u64,
    /// What ordinary packets alone would take.
    ordinary_bytes: u64,
}

/// The verb `packet encode`.
pub(super) fn verb(
    args: &EncodeArgs,
    format: Format,
    console: &mut Console,
) -> Result<(), CliError> {
    let layout = args.layout.format()?;
    let bytes = super::read(&args.file, console)?;
    let name = super::name(&args.file);
    let sent = launches(&bytes, &layout, &name)?;
    if sent.is_empty() {
        super::nothing(&name, "no launches", "there is nothing to encode", console);
    }
    let (packets, tally) = encode(args, &layout, &sent);
    let packets: Vec<String> = packets.iter().map(hex).collect();
    let text = match format {
        Format::Text => packets.iter().map(|packet| format!("{packet}\n")).collect(),
        Format::Json => json(&EncodeReport {
            launches: tally.launches(),
            ordinary: tally.ordinary,
            reference: tally.reference,
            condensed: tally.condensed,
            condensed_packets: tally.condensed_packets,
            barriers: tally.barriers,
            bytes: (AQL_BYTES * packets.len()) as u64,
            ordinary_bytes: AQL_BYTES as u64 * (tally.launches() + tally.barriers),
            packets,
        }),
    };
    console.stdout.write_all(text.as_bytes()).map_err(CliError::printing)
}

fn encode(args: &EncodeArgs, layout: &AqlFormat, sent: &[Sent]) -> (Vec<AqlPacket>, PacketTally) {
    let policy = args.keep.keep.replacement().policy(args.keep.near);
    let mut encoder = Encoder::new(*layout, policy);
    let mut packets = Vec::new();
    let mut send = |packet: &AqlPacket| packets.push(*packet);
    for each in sent {
        match each {
            Sent::Launch(launch) => encoder.launch(launch, &mut send),
            Sent::Barrier(packet) => encoder.barrier(packet, &mut send),
        }
    }
    encoder.flush(&mut send);
    (packets, encoder.tally())
}
