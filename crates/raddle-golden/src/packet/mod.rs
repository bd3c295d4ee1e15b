//! Which bytes of packets make a device run which launches (seed 002)?
//!
//! `{"reference":{"ref_num":4,"fields":{..}}}`, `{"dispatch":{"fields":{..}}}` and
//! `{"condensed":[{"ref_num":4,"diff":{..}},..]}` are answered with packets,
//! `{"decode":["hex",..],"table":{..}}` with the launches of packets and the reference table after
//! them.

mod explain;
mod question;

use raddle_packet::{
    Agent, AqlFormat, AqlPacket, Condensed, CondensedKernel, ErrorKind, HALF_WORDS, LaunchImage,
    PacketError, ReferenceTable,
};
use raddle_read::FaultKind;
use serde::Serialize;
use serde_json::Value;

use self::question::{AskedPackets, PacketQuestion, question};
use crate::explanation::Story;
use crate::fault::Fault;
use crate::{Topic, json};

pub use question::{bytes, launch};

pub(crate) const TOPIC: Topic = Topic {
    name: "packet",
    // The packet of Table 6 on the sample entries.
    example: r#"{"decode":["06020480addeefbeedfead0b064034127856eddecefa000000000000000000000000000000000000000000000000000000000000000000000000000000000000"],"table":{"4":{"synch_scopes":21,"setup":1,"workgroup_size_x":256,"workgroup_size_y":1,"workgroup_size_z":1,"grid_size_x":66560,"grid_size_y":1,"grid_size_z":1,"group_segment_size":4096,"kernel_object":"0x7f0000400400","kernarg_address":"0x7f1000000100","completion_signal":"0x7f2000000100"},"6":{"synch_scopes":21,"setup":1,"workgroup_size_x":256,"workgroup_size_y":1,"workgroup_size_z":1,"grid_size_x":67072,"grid_size_y":1,"grid_size_z":1,"group_segment_size":6144,"kernel_object":"0x7f0000400600","kernarg_address":"0x7f1000000180","completion_signal":"0x7f2000000180"}}}"#,
    solve,
};

/// Names of the fields of a packet whose values are shown as "0x" and 16 digits.
const ADDRESSES: [&str; 3] = ["kernel_object", "kernarg_address", "completion_signal"];

#[derive(Serialize)]
struct EncodedPackets {
    packets: Vec<String>,
}

#[derive(Serialize)]
struct DecodedPackets<'q> {
    launches: Vec<ShownLaunch<'q>>,
    table: ShownTable<'q>,
}

/// A launch that is written as a JSON object: its fields by name, in the order of their bits.
#[derive(Debug)]
pub struct ShownLaunch<'q>(pub &'q AqlFormat, pub LaunchImage);

impl Serialize for ShownLaunch<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(format, launch) = self;
        serializer.collect_map(format.fields().iter().enumerate().map(|(number, field)| {
            let value = launch.get(number);
            let is_address = ADDRESSES.contains(&field.name());
            let hex = || Value::from(format!("0x{value:016x}"));
            (field.name(), if is_address { hex() } else { value.into() })
        }))
    }
}

/// A reference table that is written as a JSON object, each entry under its number. An entry is a
/// launch from which other launches are encoded by their differences.
struct ShownTable<'q>(&'q AqlFormat, ReferenceTable);

impl Serialize for ShownTable<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let entries = self.1.entries();
        let shown = |(number, launch): (u16, &LaunchImage)| (number, ShownLaunch(self.0, *launch));
        serializer.collect_map(entries.map(shown))
    }
}

fn solve(value: &Value, story: &mut Story) -> Result<String, Fault> {
    let PacketQuestion { format, asked } = question(value)?;
    let packets = match asked {
        AskedPackets::One(packet) => {
            explain::drawn(&format, "302: the packet", &packet, story);
            vec![packet]
        }
        AskedPackets::Condensed(kernels) => {
            let packets = condensed(&format, &kernels)?;
            explain::differences(&format, &kernels, story);
            for (number, packet) in packets.iter().enumerate() {
                explain::drawn(&format, &format!("602: packet {number}"), packet, story);
            }
            packets
        }
        AskedPackets::Decode { packets, table } => {
            let (launches, table) = decode(&format, &packets, *table, story)?;
            let launches = launches.into_iter().map(|it| ShownLaunch(&format, it)).collect();
            return Ok(json(&DecodedPackets { launches, table: ShownTable(&format, table) }));
        }
    };
    Ok(json(&EncodedPackets { packets: packets.iter().map(hex).collect() }))
}

/// Packs kernels, in order, into condensed packets, which hold several launches each, encoded as
/// differences. A kernel begins a new packet only where the last one has no room. Returns a fault
/// where a kernel cannot be encoded.
fn condensed(format: &AqlFormat, kernels: &[CondensedKernel]) -> Result<Vec<AqlPacket>, Fault> {
    let mut packets = Vec::new();
    let mut open = Condensed::new(format);
    for kernel in kernels {
        let CondensedKernel { ref_num, diff } = kernel;
        let push = |open: &mut Condensed| open.push(format, *ref_num, diff.vector, &diff.values);
        match push(&mut open) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::NoRoom => {
                packets.push(*open.emit());
                open = Condensed::new(format);
                // An empty packet has room for all fields of one kernel.
                push(&mut open).map_err(|error| fault(&error, ""))?;
            }
            Err(error) => return Err(fault(&error, "")),
        }
    }
    if !open.is_empty() {
        packets.push(*open.emit());
    }
    Ok(packets)
}

/// Decodes all packets in order, and returns (the launches, the table of reference entries after
/// the last packet); returns a fault where a packet cannot be decoded.
fn decode(
    format: &AqlFormat,
    packets: &[AqlPacket],
    table: ReferenceTable,
    story: &mut Story,
) -> Result<(Vec<LaunchImage>, ReferenceTable), Fault> {
    let mut agent = Agent::with_table(*format, table);
    let mut all = Vec::new();
    let mut launches = [LaunchImage::default(); HALF_WORDS];
    for (number, packet) in packets.iter().enumerate() {
        let before = agent.table().clone();
        let received = agent.receive(packet, &mut launches);
        let received = received.and_then(|received| received.of_format(format));
        let launches = received.map_err(|error| fault(&error, &format!("/decode/{number}")))?;
        explain::drawn(format, &format!("602: packet {number}"), packet, story);
        let tables = [&before, agent.table()];
        explain::launched(format, (number, packet), launches, tables, story);
        all.extend_from_slice(launches);
    }
    Ok((all, agent.table().clone()))
}

/// Converts an error of the packet codec to a fault; `at` is the place of the packet in the
/// question.
#[must_use]
pub fn fault(error: &PacketError, at: &str) -> Fault {
    let kind = match error.kind() {
        ErrorKind::Inconsistent => FaultKind::Inconsistent,
        _ => FaultKind::OutOfRange,
    };
    Fault::new(kind, at, error.to_string())
}

/// Formats the bytes of a packet as lower-case hexadecimal digits, two for each byte.
#[must_use]
pub fn hex(packet: &AqlPacket) -> String {
    packet.iter().map(|byte| format!("{byte:02x}")).collect()
}
