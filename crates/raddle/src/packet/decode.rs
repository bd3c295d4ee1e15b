//! Which launches do the packets of a file cause? The verb `packet decode`.
//!
//! Packets are shown one after the other, up to the first that is malformed; that one is shown too.

use raddle_golden::packet::{ShownLaunch, hex};
use raddle_packet::{
    Agent, AqlFormat, AqlPacket, BarrierPacket, Condensed, CondensedKernel, Diff, ErrorKind,
    HALF_WORDS, LaunchImage, PacketError, PacketView, Reference, cleanups,
};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::args::DecodeArgs;
use super::packets::packets;
use crate::Console;
use crate::args::Format;
use crate::error::CliError;
use crate::schema::versioned;
use crate::units::counted;

/// One packet after decoding. Names of fields are those of AQL packets.
#[derive(Serialize)]
struct DecodedPacket<'l> {
    packet: String,
    kind: &'static str,
    /// Number of the table entry that a reference packet fills; `None` for other packets.
    #[serde(skip_serializing_if = "Option::is_none")]
    ref_num: Option<u16>,
    /// Kernels of a condensed packet: for each the number of a table entry (a stored launch), and
    /// the fields that differ from it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    condensed: Vec<EntryUse<'l>>,
    /// Barrier, in the form that `packet encode` reads; `None` where the packet is no barrier.
    #[serde(skip_serializing_if = "Option::is_none")]
    barrier: Option<BarrierReport>,
    launches: Vec<ShownLaunch<'l>>,
    /// Number of cleanups that the packet's launches cause: 1, and one more for each further launch
    /// that asks for one. A cleanup is the work between the end of a launch and the moment at which
    /// the end is known.
    cleanups: u32,
}

/// One kernel of a condensed packet, in the form of `golden packet`: a table entry (a stored
/// launch), and the fields that differ from it.
#[derive(Serialize)]
struct EntryUse<'l> {
    ref_num: u16,
    diff: Changed<'l>,
}

/// Fields in which a launch differs from its entry in the table of stored launches, with the layout
/// of packets, which has the names of the fields.
struct Changed<'l>(&'l AqlFormat, Diff);

impl Serialize for Changed<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(layout, diff) = self;
        let mut map = serializer.serialize_map(Some(diff.vector.count_ones() as usize))?;
        for (number, field) in layout.fields().iter().enumerate() {
            if diff.vector >> number & 1 == 1 {
                let value = diff.values.get(number);
                match field.bits() {
                    64 => map.serialize_entry(field.name(), &address(value))?,
                    _ => map.serialize_entry(field.name(), &value)?,
                }
            }
        }
        map.end()
    }
}

/// A barrier packet: the signals that it waits for, and the signal that it completes.
#[derive(Serialize)]
struct BarrierReport {
    barrier: &'static str,
    synch_scopes: u8,
    signals: Vec<String>,
    completion_signal: String,
}

/// Packet at which decoding stopped, as it is malformed, with the reason.
#[derive(Serialize)]
struct RefusedPacket {
    number: usize,
    packet: String,
    kind: &'static str,
    error: String,
}

#[derive(Serialize)]
struct DecodeReport<'l> {
    packets: Vec<DecodedPacket<'l>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<RefusedPacket>,
}

pub(super) fn verb(
    args: &DecodeArgs,
    format: Format,
    console: &mut Console,
) -> Result<(), CliError> {
    let layout = args.layout.format()?;
    let content = super::read(&args.file, console)?;
    let name = super::name(&args.file);
    let packets = packets(&content, &name)?;
    if packets.is_empty() {
        super::nothing(&name, "no packets", "there is nothing to decode", console);
    }
    let mut agent = Agent::new(layout);
    let (mut text, mut report) =
        (String::new(), DecodeReport { packets: Vec::new(), refused: None });
    for (number, packet) in packets.iter().enumerate() {
        let view = PacketView::new(packet, &layout);
        text += &format!("packet {number}: {view}");
        match decoded(&mut agent, &layout, packet) {
            Ok(decoded) => {
                text += &told(&decoded);
                report.packets.push(decoded);
            }
            Err(error) => {
                let (kind, error) = (view.name(), why(&error));
                report.refused = Some(RefusedPacket { number, packet: hex(packet), kind, error });
                break;
            }
        }
    }
    if format == Format::Json {
        text = versioned("packet-decode", &report);
    }
    console.print(&text)?;
    match report.refused {
        None => Ok(()),
        Some(RefusedPacket { number, error, .. }) => {
            Err(CliError::Refused(format!("{name}, packet {number}: {error}")))
        }
    }
}

fn why(error: &PacketError) -> String {
    match error.kind() {
        ErrorKind::Inconsistent => format!(
            "{error}; `raddle golden packet` takes entries with the packets, as {{\"decode\":[\"..\"],\"table\":{{\"0\":{{..}}}}}}"
        ),
        _ => error.to_string(),
    }
}

fn decoded<'l>(
    agent: &mut Agent,
    layout: &'l AqlFormat,
    packet: &AqlPacket,
) -> Result<DecodedPacket<'l>, PacketError> {
    let kind = PacketView::new(packet, layout).name();
    let mut list = [LaunchImage::default(); HALF_WORDS];
    let launches = agent.receive(packet, &mut list)?.of_format(layout)?;
    let parsed = Condensed::parse(packet, layout);
    let kernels = parsed.iter().flat_map(|condensed| condensed.kernels(layout));
    let named =
        |CondensedKernel { ref_num, diff }| EntryUse { ref_num, diff: Changed(layout, diff) };
    Ok(DecodedPacket {
        packet: hex(packet),
        kind,
        ref_num: Reference::parse(packet, layout).ok().map(|reference| reference.ref_num),
        condensed: kernels.map(named).collect(),
        barrier: BarrierPacket::parse(packet, layout).ok().map(waits),
        launches: launches.iter().map(|launch| ShownLaunch(layout, *launch)).collect(),
        cleanups: cleanups(launches),
    })
}

fn waits(barrier: BarrierPacket) -> BarrierReport {
    BarrierReport {
        barrier: if barrier.any { "or" } else { "and" },
        synch_scopes: barrier.synch_scopes,
        signals: barrier.dep_signal.into_iter().map(address).collect(),
        completion_signal: address(barrier.completion_signal),
    }
}

/// Writes an address as `golden packet` does, with 16 hexadecimal digits.
fn address(value: u64) -> String {
    format!("0x{value:016x}")
}

fn told(decoded: &DecodedPacket<'_>) -> String {
    let launches = counted(decoded.launches.len() as u64, "launch", "launches");
    let cleanups = counted(decoded.cleanups.into(), "cleanup", "cleanups");
    let mut text = format!("{launches}, {cleanups}\n");
    for launch in &decoded.launches {
        // A launch is an object of integers and strings, so that writing it as JSON cannot fail.
        text += &format!("   {}\n", serde_json::to_string(launch).unwrap_or_default());
    }
    text + "\n"
}
