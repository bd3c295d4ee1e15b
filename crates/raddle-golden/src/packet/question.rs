//! How is a question about packets, given as JSON, read and checked?

use std::collections::BTreeMap;

use raddle_packet::{
    AQL_BYTES, AQL_ENTRIES, AqlConfig, AqlFormat, AqlPacket, CondensedKernel, Diff, LaunchImage,
    PacketTypes, PartOrder, ReferenceTable,
};
use raddle_read::{FaultKind, kebab, nearest, pointer, shown};
use serde::Deserialize;
use serde_json::Value;

use super::fault;
use crate::fault::{Fault, check, given, has, read_at, within};
use crate::matching::number;

/// Values of fields of a launch as a question gives them, by the name of the field.
type FieldValues = BTreeMap<String, Value>;

#[derive(Deserialize)]
struct AskedPacket {
    #[serde(default, deserialize_with = "given")]
    reference: Option<AskedReference>,
    #[serde(default, deserialize_with = "given")]
    dispatch: Option<AskedDispatch>,
    #[serde(default, deserialize_with = "given")]
    condensed: Option<Vec<AskedKernel>>,
    #[serde(default, deserialize_with = "given")]
    decode: Option<Vec<String>>,
    #[serde(default)]
    table: BTreeMap<String, FieldValues>,
    #[serde(default)]
    format: AskedFormat,
}

#[derive(Deserialize)]
struct AskedReference {
    ref_num: u64,
    fields: FieldValues,
}

#[derive(Deserialize)]
struct AskedDispatch {
    fields: FieldValues,
}

#[derive(Deserialize)]
struct AskedKernel {
    ref_num: u64,
    diff: FieldValues,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct AskedFormat {
    types: AskedTypes,
    half_words: PartOrder,
    header_bits: PartOrder,
    #[serde(deserialize_with = "given")]
    private_bits: Option<u64>,
    #[serde(deserialize_with = "entries")]
    entries: Option<u16>,
}

#[derive(Deserialize)]
#[serde(default)]
struct AskedTypes {
    dispatch: u8,
    reference: u8,
    condensed: u8,
}

impl Default for AskedTypes {
    fn default() -> Self {
        let PacketTypes { dispatch, reference, condensed, .. } = AqlFormat::default().types();
        Self { dispatch, reference, condensed }
    }
}

fn entries<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<u16>, D::Error> {
    within::<D, u16, 1, { AQL_ENTRIES as u64 }>(from).map(Some)
}

#[derive(Debug)]
pub(super) struct PacketQuestion {
    pub(super) format: AqlFormat,
    pub(super) asked: AskedPackets,
}

/// Packets that a question gives or asks for.
#[derive(Debug)]
pub(super) enum AskedPackets {
    /// An ordinary packet, or a reference packet (one that stores a launch in the table), that the
    /// question describes by its fields.
    One(AqlPacket),
    /// Kernels that are to be packed into condensed packets, several launches in each.
    Condensed(Vec<CondensedKernel>),
    /// Packets to be decoded, and the table of reference entries (launches from which others are
    /// encoded) before the first of them.
    Decode { packets: Vec<AqlPacket>, table: Box<ReferenceTable> },
}

pub(super) fn question(value: &Value) -> Result<PacketQuestion, Fault> {
    let asked: AskedPacket = read_at(value, "")?;
    let given = ["reference", "dispatch", "condensed", "decode"].map(|key| has(value, key));
    let kind = match given.into_iter().filter(|given| *given).count() {
        0 => Some(FaultKind::MissingField),
        1 => None,
        _ => Some(FaultKind::Inconsistent),
    };
    if let Some(kind) = kind {
        let message = "give one of `reference`, `dispatch`, `condensed` and `decode`";
        return Err(Fault::new(kind, "", message));
    }
    if asked.decode.is_none() && has(value, "table") {
        let message = "`table` is a key only beside `decode`";
        return Err(Fault::new(FaultKind::UnknownField, "/table", message));
    }
    let format = format(&asked.format)?;
    let AskedPacket { reference, dispatch, condensed, decode, table, .. } = asked;
    let asked = if let Some(it) = reference {
        let number = entry(it.ref_num, &format, "/reference/ref-num")?;
        let launch = launch(&it.fields, &format, "/reference/fields")?;
        let packet = launch.reference(&format, number);
        AskedPackets::One(packet.map_err(|error| fault(&error, ""))?)
    } else if let Some(it) = dispatch {
        AskedPackets::One(launch(&it.fields, &format, "/dispatch/fields")?.dispatch(&format))
    } else if let Some(kernels) = condensed {
        let kernels = kernels.iter().enumerate();
        let kernels = kernels.map(|(n, it)| kernel(it, &format, &format!("/condensed/{n}")));
        AskedPackets::Condensed(kernels.collect::<Result<_, _>>()?)
    } else {
        let packets = decode.unwrap_or_default();
        let packets = packets.iter().enumerate().map(|(n, text)| {
            let at = format!("/decode/{n}");
            bytes(text).map_err(crate::fault::fault(FaultKind::OutOfRange, &at))
        });
        let packets = packets.collect::<Result<_, _>>()?;
        AskedPackets::Decode { packets, table: Box::new(read_table(&table, &format)?) }
    };
    Ok(PacketQuestion { format, asked })
}

fn format(asked: &AskedFormat) -> Result<AqlFormat, Fault> {
    let AskedTypes { dispatch, reference, condensed } = asked.types;
    let options = AqlConfig::default()
        .with_types(PacketTypes {
            dispatch,
            reference,
            condensed,
            barrier_and: None,
            barrier_or: None,
        })
        .with_half_words(asked.half_words)
        .with_header_bits(asked.header_bits)
        .with_narrow_private(match asked.private_bits {
            Some(16) => true,
            None | Some(32) => false,
            Some(_) => {
                let message = "`private-bits` must be 16 or 32";
                return Err(Fault::new(FaultKind::OutOfRange, "/format/private-bits", message));
            }
        })
        .with_entries(asked.entries.unwrap_or(AQL_ENTRIES as u16));
    AqlFormat::new(&options).map_err(|error| fault(&error, "/format/types"))
}

/// Checks the number of an entry of the reference table and returns it; where the packet format has
/// no such entry, returns a fault with the place `at` of the number in the question.
fn entry(number: u64, format: &AqlFormat, at: &str) -> Result<u16, Fault> {
    check(number, &(0..=u64::from(format.entries()) - 1), at)?;
    // Formats have up to 8 entries, so the number fits.
    Ok(number as u16)
}

/// Reads the given fields of a launch as (number of the field, value), in the order of the fields;
/// returns a fault, under the place `at`, for an unknown field or a value that does not fit.
fn values(given: &FieldValues, format: &AqlFormat, at: &str) -> Result<Vec<(usize, u64)>, Fault> {
    let mut values = Vec::new();
    let mut numbers = BTreeMap::new();
    for (key, value) in given {
        let at = format!("{at}{}", pointer(key));
        let Some(number) = format.field(&key.replace('-', "_")) else {
            let names = format.fields().iter().map(|field| field.name());
            let near = nearest(&kebab(key), names.clone()).or_else(|| {
                let mut names = names.clone();
                names.find(|name| key.len() > 2 && name.starts_with(&key.replace('-', "_")))
            });
            let hint = near.map_or_else(
                || format!("; the keys are {}", names.collect::<Vec<_>>().join(", ")),
                |near| format!("; did you mean `{near}`?"),
            );
            let message = format!("unknown key `{}`{hint}", shown(key));
            return Err(Fault::new(FaultKind::UnknownField, &at, message));
        };
        if let Some(other) = numbers.insert(number, key) {
            let message = format!("duplicate key `{key}` (also spelled `{other}`)");
            return Err(Fault::new(FaultKind::Inconsistent, &at, message));
        }
        values.push((number, at, value));
    }
    values.sort_unstable_by_key(|(number, ..)| *number);
    let value = |(number, at, value): (usize, String, &Value)| {
        let value: u64 = read_at(value, &at)?;
        let most = u64::MAX >> (64 - u32::from(format.fields()[number].bits()));
        check(value, &(0..=most), &at)?;
        Ok((number, value))
    };
    values.into_iter().map(value).collect()
}

/// Makes a launch from its fields, whose place in the question is `at`; fields left out are 0.
///
/// # Errors
/// When a key is not a field, or a value does not fit its field.
pub fn launch(given: &FieldValues, format: &AqlFormat, at: &str) -> Result<LaunchImage, Fault> {
    let mut launch = LaunchImage::default();
    for (number, value) in values(given, format, at)? {
        launch.set(format, number, value).map_err(|error| fault(&error, ""))?;
    }
    Ok(launch)
}

fn kernel(asked: &AskedKernel, format: &AqlFormat, at: &str) -> Result<CondensedKernel, Fault> {
    let ref_num = entry(asked.ref_num, format, &format!("{at}/ref-num"))?;
    let mut diff = Diff::default();
    for (number, value) in values(&asked.diff, format, &format!("{at}/diff"))? {
        diff.set(format, number, value).map_err(|error| fault(&error, at))?;
    }
    Ok(CondensedKernel { ref_num, diff })
}

/// Reads a packet of 64 bytes from its hexadecimal digits; the error says what is wrong with them.
///
/// # Errors
/// When the text has other characters than hexadecimal digits, or another number of digits.
pub fn bytes(text: &str) -> Result<AqlPacket, String> {
    let wanted = 2 * AQL_BYTES;
    if let Some(strange) = text.chars().find(|c| !c.is_ascii_hexdigit()) {
        return Err(format!("`{}` is no hexadecimal digit", strange.escape_default()));
    }
    if text.len() != wanted {
        return Err(format!("a packet has {wanted} digits, these are {}", text.len()));
    }
    let digit = |digit: u8| char::from(digit).to_digit(16).unwrap_or(0) as u8;
    let mut packet = [0; AQL_BYTES];
    for (byte, [high, low]) in packet.iter_mut().zip(text.as_bytes().as_chunks::<2>().0) {
        *byte = digit(*high) << 4 | digit(*low);
    }
    Ok(packet)
}

fn read_table(
    given: &BTreeMap<String, FieldValues>,
    format: &AqlFormat,
) -> Result<ReferenceTable, Fault> {
    let mut table = ReferenceTable::default();
    for (name, fields) in given {
        let at = format!("/table{}", pointer(name));
        let number = entry(number(name, &at)?, format, &at)?;
        if table.get(number).is_some() {
            let message = format!("entry {number} is given in two spellings");
            return Err(Fault::new(FaultKind::Inconsistent, &at, message));
        }
        let launch = launch(fields, format, &at)?;
        table.store(format, number, &launch).map_err(|error| fault(&error, &at))?;
    }
    Ok(table)
}
