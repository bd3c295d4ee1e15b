//! Which bytes launch what (seed 002)?
//!
//! `{"reference":{"ref_num":4,"fields":{..}}}`, `{"dispatch":{"fields":{..}}}` and
//! `{"condensed":[{"ref_num":4,"diff":{..}},..]}` are answered with packets,
//! `{"decode":["hex",..],"table":{..}}` with launches and the table after them.

mod question;

use raddle_packet::{
    Agent, AqlFormat, AqlPacket, Condensed, CondensedKernel, HALF_WORDS, LaunchImage, PacketError,
    ReferenceTable,
};
use serde::Serialize;
use serde::ser::SerializeMap;

use super::fault::{Fault, Kind};
use super::json;
use super::read::Fields;
pub(crate) use question::{Asked, Question, bytes, launch, question};

/// A packet of the contract.
pub(crate) type Packet = AqlPacket;
/// A format of the contract.
pub(crate) type Aql = AqlFormat;
/// A table of the contract.
pub(crate) type AqlTable = ReferenceTable;

/// The fields that are told as "0x" and 16 digits.
const ADDRESSES: [&str; 3] = ["kernel_object", "kernarg_address", "completion_signal"];

#[derive(Serialize)]
struct Encoded {
    packets: Vec<String>,
}

#[derive(Serialize)]
struct Decoded<'q> {
    launches: Vec<Told<'q>>,
    table: Entries<'q>,
}

/// The fields of a launch, in the order of their bits.
#[derive(Debug)]
pub(crate) struct Told<'q>(pub(crate) &'q Aql, pub(crate) LaunchImage);

impl Serialize for Told<'_> {
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
struct Entries<'q>(&'q Aql, AqlTable);

impl Serialize for Entries<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (number, launch) in self.1.entries() {
            map.serialize_entry(&number.to_string(), &Told(self.0, *launch))?;
        }
        map.end()
    }
}

/// Answers one question.
pub(crate) fn answer(fields: &Fields<'_>) -> Result<String, Fault> {
    answer_of(&question(fields)?)
}

/// The answer as JSON.
pub(crate) fn answer_of(question: &Question) -> Result<String, Fault> {
    let format = &question.format;
    let packets = match &question.asked {
        Asked::Packet(packet) => vec![*packet],
        Asked::Condensed(kernels) => condensed(format, kernels)?,
        Asked::Decode { packets, table } => {
            let (launches, table) = decode(format, packets, table)?;
            let launches = launches.into_iter().flatten().map(|it| Told(format, it)).collect();
            return Ok(json(&Decoded { launches, table: Entries(format, table) }));
        }
    };
    Ok(json(&Encoded { packets: packets.iter().map(hex).collect() }))
}

/// Kernels in order, each packet as full as it gets.
pub(crate) fn condensed(format: &Aql, kernels: &[CondensedKernel]) -> Result<Vec<Packet>, Fault> {
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
pub(crate) fn decode(
    format: &Aql,
    packets: &[Packet],
    table: &AqlTable,
) -> Result<(Vec<Vec<LaunchImage>>, AqlTable), Fault> {
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

/// What the codec refuses, in the words of the contract.
pub(crate) fn fault(error: &PacketError, at: &str) -> Fault {
    let kind = match error {
        PacketError::EmptyEntry { .. } | PacketError::SharedType(_) => Kind::Inconsistent,
        _ => Kind::OutOfRange,
    };
    Fault::new(kind, at, error.to_string())
}

/// A message with its keys spelled as packets are told; the contract takes both spellings.
pub(crate) fn spelled(message: &str, format: &Aql) -> String {
    let names = format.fields().iter().map(|field| field.name).chain(["ref_num"]);
    names.fold(message.to_owned(), |message, name| {
        message.replace(&format!("`{}`", name.replace('_', "-")), &format!("`{name}`"))
    })
}

/// Lower-case digits, two a byte.
pub(crate) fn hex(packet: &Packet) -> String {
    packet.iter().map(|byte| format!("{byte:02x}")).collect()
}
