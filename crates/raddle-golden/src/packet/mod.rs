//! Which bytes launch what (seed 002)?
//!
//! `{"reference":{"ref_num":4,"fields":{..}}}`, `{"dispatch":{"fields":{..}}}` and
//! `{"condensed":[{"ref_num":4,"diff":{..}},..]}` are answered with packets,
//! `{"decode":["hex",..],"table":{..}}` with launches and the table after them.

mod explain;
mod question;

use raddle_dispatch::read::FaultKind;
use raddle_packet::{
    Agent, AqlFormat, AqlPacket, Condensed, CondensedKernel, HALF_WORDS, LaunchImage, PacketError,
    ReferenceTable,
};
use serde::Serialize;
use serde::ser::SerializeMap;

use self::question::{AskedPackets, PacketQuestion, question};
use crate::fault::Fault;
use crate::{Topic, json};

pub use question::{bytes, launch};

pub(crate) const TOPIC: Topic = Topic {
    name: "packet",
    // The packet of Table 6 on the sample entries.
    example: r#"{"decode":["06020480addeefbeedfead0b064034127856eddecefa000000000000000000000000000000000000000000000000000000000000000000000000000000000000"],"table":{"4":{"synch_scopes":21,"setup":1,"workgroup_size_x":256,"workgroup_size_y":1,"workgroup_size_z":1,"grid_size_x":66560,"grid_size_y":1,"grid_size_z":1,"group_segment_size":4096,"kernel_object":"0x7f0000400400","kernarg_address":"0x7f1000000100","completion_signal":"0x7f2000000100"},"6":{"synch_scopes":21,"setup":1,"workgroup_size_x":256,"workgroup_size_y":1,"workgroup_size_z":1,"grid_size_x":67072,"grid_size_y":1,"grid_size_z":1,"group_segment_size":6144,"kernel_object":"0x7f0000400600","kernarg_address":"0x7f1000000180","completion_signal":"0x7f2000000180"}}}"#,
    answer: |value| answer_of(&question(value)?),
    explain: explain::explain,
};

/// The fields that are shown as "0x" and 16 digits.
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

/// The fields of a launch, in the order of their bits.
#[derive(Debug)]
pub struct ShownLaunch<'q>(pub &'q AqlFormat, pub LaunchImage);

impl Serialize for ShownLaunch<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(format, launch) = self;
        let mut map = serializer.serialize_map(Some(format.fields().len()))?;
        for (number, field) in format.fields().iter().enumerate() {
            let value = launch.get(number);
            if ADDRESSES.contains(&field.name) {
                map.serialize_entry(field.name, &format!("0x{value:016x}"))?;
            } else {
                map.serialize_entry(field.name, &value)?;
            }
        }
        map.end()
    }
}

/// The entries of a table, by number.
struct ShownTable<'q>(&'q AqlFormat, ReferenceTable);

impl Serialize for ShownTable<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (number, launch) in self.1.entries() {
            map.serialize_entry(&number.to_string(), &ShownLaunch(self.0, *launch))?;
        }
        map.end()
    }
}

fn answer_of(question: &PacketQuestion) -> Result<String, Fault> {
    let format = &question.format;
    let packets = match &question.asked {
        AskedPackets::One(packet) => vec![*packet],
        AskedPackets::Condensed(kernels) => condensed(format, kernels)?,
        AskedPackets::Decode { packets, table } => {
            let (launches, table) = decode(format, packets, table)?;
            let launches =
                launches.into_iter().flatten().map(|it| ShownLaunch(format, it)).collect();
            return Ok(json(&DecodedPackets { launches, table: ShownTable(format, table) }));
        }
    };
    Ok(json(&EncodedPackets { packets: packets.iter().map(hex).collect() }))
}

/// Kernels in order, each packet as full as it gets.
fn condensed(format: &AqlFormat, kernels: &[CondensedKernel]) -> Result<Vec<AqlPacket>, Fault> {
    let mut packets = Vec::new();
    let mut open = Condensed::new(format);
    for kernel in kernels {
        let CondensedKernel { ref_num, diff } = kernel;
        let push = |open: &mut Condensed| open.push(format, *ref_num, diff.vector, &diff.values);
        match push(&mut open) {
            Ok(()) => {}
            Err(PacketError::Full { .. }) => {
                packets.push(*open.emit());
                open = Condensed::new(format);
                // All fields of one kernel have room.
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

/// The launches of each packet, and the table after the last one.
fn decode(
    format: &AqlFormat,
    packets: &[AqlPacket],
    table: &ReferenceTable,
) -> Result<(Vec<Vec<LaunchImage>>, ReferenceTable), Fault> {
    let mut agent = Agent::with_table(*format, table.clone());
    let mut all = Vec::new();
    let mut launches = [LaunchImage::default(); HALF_WORDS];
    for (number, packet) in packets.iter().enumerate() {
        let received = agent.receive(packet, &mut launches);
        let launches = received.map_err(|error| fault(&error, &format!("/decode/{number}")))?;
        all.push(launches.to_vec());
    }
    Ok((all, agent.table().clone()))
}

/// What the codec refuses.
#[must_use]
pub fn fault(error: &PacketError, at: &str) -> Fault {
    let kind = match error {
        PacketError::EmptyEntry { .. } | PacketError::SharedType(_) => FaultKind::Inconsistent,
        _ => FaultKind::OutOfRange,
    };
    Fault::new(kind, at, error.to_string())
}

/// Lower-case digits, two a byte.
#[must_use]
pub fn hex(packet: &AqlPacket) -> String {
    packet.iter().map(|byte| format!("{byte:02x}")).collect()
}
