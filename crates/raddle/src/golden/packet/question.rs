//! How is a question about packets read?

use raddle_packet::{
    AQL_BYTES, AQL_ENTRIES, AqlField, AqlFormat, AqlOptions, CondensedKernel, Diff, HalfWords,
    HeaderBits, LaunchImage, PacketTypes,
};
use serde_json::Value;

use super::{Aql, AqlTable, Packet, fault};
use crate::golden::fault::{Fault, Kind};
use crate::golden::read::{Fields, integer, list, wrong_type};

/// One question, read.
#[derive(Debug)]
pub(crate) struct Question {
    pub(crate) format: Aql,
    pub(crate) asked: Asked,
}

/// What is asked.
#[derive(Debug)]
pub(crate) enum Asked {
    /// An ordinary or a reference packet, which the question amounts to.
    Packet(Packet),
    /// Kernels for condensed packets.
    Condensed(Vec<CondensedKernel>),
    /// Packets to be decoded.
    Decode { packets: Vec<Packet>, table: Box<AqlTable> },
}

/// What can be asked, one at a time.
const ASKED: [&str; 4] = ["reference", "dispatch", "condensed", "decode"];

/// What a question asks for.
pub(crate) fn question(fields: &Fields<'_>) -> Result<Question, Fault> {
    fields.only(&["reference", "dispatch", "condensed", "decode", "table", "format"])?;
    let given: Vec<&str> = ASKED.into_iter().filter(|key| fields.get(key).is_ok()).collect();
    let [asked] = given[..] else {
        let (kind, what) = match given.is_empty() {
            true => (Kind::MissingField, "one of"),
            false => (Kind::Inconsistent, "only one of"),
        };
        let message = format!("{what} {} is to be there", ASKED.join(", "));
        return Err(Fault::new(kind, "", message));
    };
    if let (Ok((_, at)), false) = (fields.get("table"), asked == "decode") {
        let message = "`table` is a key only beside `decode`";
        return Err(Fault::new(Kind::UnknownField, &at, message));
    }
    let format = format(fields)?;
    let asked = match asked {
        "reference" => reference(&fields.object("reference")?, &format)?,
        "dispatch" => {
            let of = fields.object("dispatch")?;
            of.only(&["fields"])?;
            Asked::Packet(launch(&of.object("fields")?, &format)?.dispatch(&format))
        }
        "condensed" => Asked::Condensed(kernels(fields, &format)?),
        _ => Asked::Decode { packets: packets(fields)?, table: Box::new(table(fields, &format)?) },
    };
    Ok(Question { format, asked })
}

fn format(fields: &Fields<'_>) -> Result<Aql, Fault> {
    let usual = AqlOptions::default();
    let types = PacketTypes { barrier_and: None, barrier_or: None, ..usual.types };
    let mut options = AqlOptions { types, ..usual };
    let mut types_at = "/format/types".to_owned();
    if fields.get("format").is_ok() {
        let given = fields.object("format")?;
        given.only(&["types", "half-words", "header-bits", "private-bits", "entries"])?;
        if given.get("half-words").is_ok() {
            let words = [("low-first", HalfWords::LowFirst), ("high-first", HalfWords::HighFirst)];
            options.half_words = given.word("half-words", &words)?;
        }
        if given.get("header-bits").is_ok() {
            let words =
                [("low-first", HeaderBits::LowFirst), ("high-first", HeaderBits::HighFirst)];
            options.header_bits = given.word("header-bits", &words)?;
        }
        if let Ok((_, at)) = given.get("private-bits") {
            options.narrow_private = match given.integer("private-bits", 16..=32)? {
                16 => true,
                32 => false,
                _ => {
                    let message = "`private-bits` must be 16 or 32";
                    return Err(Fault::new(Kind::OutOfRange, &at, message));
                }
            };
        }
        if given.get("entries").is_ok() {
            options.entries = given.integer("entries", 1..=AQL_ENTRIES as u64)? as u16;
        }
        if let Ok((_, at)) = given.get("types") {
            options.types = types_of(&given.object("types")?, types)?;
            types_at = at;
        }
    }
    AqlFormat::new(&options).map_err(|error| fault(&error, &types_at))
}

fn types_of(given: &Fields<'_>, usual: PacketTypes) -> Result<PacketTypes, Fault> {
    given.only(&["dispatch", "reference", "condensed"])?;
    let number = |key, usual| match given.get(key) {
        Ok(_) => given.integer(key, 0..=u8::MAX.into()).map(|number| number as u8),
        Err(_) => Ok(usual),
    };
    Ok(PacketTypes {
        dispatch: number("dispatch", usual.dispatch)?,
        reference: number("reference", usual.reference)?,
        condensed: number("condensed", usual.condensed)?,
        ..usual
    })
}

fn reference(of: &Fields<'_>, format: &Aql) -> Result<Asked, Fault> {
    of.only(&["ref-num", "fields"])?;
    let number = ref_num(of, format)?;
    let launch = launch(&of.object("fields")?, format)?;
    launch.reference(format, number).map(Asked::Packet).map_err(|error| fault(&error, ""))
}

fn ref_num(of: &Fields<'_>, format: &Aql) -> Result<u16, Fault> {
    // Numbers of entries are 1 to 8.
    of.integer("ref-num", 0..=u64::from(format.entries()) - 1).map(|number| number as u16)
}

/// The value of each field that is given.
fn values(of: &Fields<'_>, format: &Aql) -> Result<Vec<(usize, u64)>, Fault> {
    let names: Vec<String> =
        format.fields().iter().map(|field| field.name.replace('_', "-")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    of.only(&names)?;
    let mut values = Vec::new();
    for (number, (name, field)) in names.iter().zip(format.fields()).enumerate() {
        if of.get(name).is_ok() {
            values.push((number, of.integer(name, 0..=most(field))?));
        }
    }
    Ok(values)
}

/// The largest value of a field.
const fn most(field: &AqlField) -> u64 {
    u64::MAX >> (64 - field.bits() as u32)
}

/// A launch; fields that are left out are 0.
pub(crate) fn launch(of: &Fields<'_>, format: &Aql) -> Result<LaunchImage, Fault> {
    let mut launch = LaunchImage::default();
    for (number, value) in values(of, format)? {
        launch.set(format, number, value).map_err(|error| fault(&error, ""))?;
    }
    Ok(launch)
}

fn kernels(fields: &Fields<'_>, format: &Aql) -> Result<Vec<CondensedKernel>, Fault> {
    let (value, at) = fields.get("condensed")?;
    let kernel = |(value, at): (&Value, String)| {
        let of = Fields::of(value, &at)?;
        of.only(&["ref-num", "diff"])?;
        let ref_num = ref_num(&of, format)?;
        let mut diff = Diff::default();
        for (number, value) in values(&of.object("diff")?, format)? {
            diff.set(format, number, value).map_err(|error| fault(&error, &at))?;
        }
        Ok(CondensedKernel { ref_num, diff })
    };
    list(value, &at)?.into_iter().map(kernel).collect()
}

fn packets(fields: &Fields<'_>) -> Result<Vec<Packet>, Fault> {
    let (value, at) = fields.get("decode")?;
    let packet = |(value, at): (&Value, String)| {
        let Value::String(text) = value else {
            return Err(wrong_type(&at, "a string of hexadecimal digits", value));
        };
        bytes(text).map_err(|message| Fault::new(Kind::OutOfRange, &at, message))
    };
    list(value, &at)?.into_iter().map(packet).collect()
}

/// A packet from its digits, or what is wrong with them.
pub(crate) fn bytes(text: &str) -> Result<Packet, String> {
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

fn table(fields: &Fields<'_>, format: &Aql) -> Result<AqlTable, Fault> {
    let mut table = AqlTable::default();
    if fields.get("table").is_err() {
        return Ok(table);
    }
    let entries = fields.object("table")?;
    for (name, value) in entries.entries() {
        let at = entries.pointer(name);
        let number = entry(name, &at, format)?;
        if table.get(number).is_some() {
            let message = format!("entry {number} is given in two spellings");
            return Err(Fault::new(Kind::Inconsistent, &at, message));
        }
        let launch = launch(&Fields::of(value, &at)?, format)?;
        table.store(format, number, &launch).map_err(|error| fault(&error, &at))?;
    }
    Ok(table)
}

/// The number of an entry as the name of a key.
fn entry(name: &str, at: &str, format: &Aql) -> Result<u16, Fault> {
    let decimal = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
    let number = if decimal {
        let digits = name.trim_start_matches('0');
        serde_json::from_str(if digits.is_empty() { "0" } else { digits }).unwrap_or(Value::Null)
    } else {
        Value::String(name.to_owned())
    };
    let most = u64::from(format.entries()) - 1;
    integer(&number, at, "entry", 0..=most).map(|number| number as u16).map_err(|fault| {
        if decimal {
            let message = format!("`entry` must be from 0 to {most}");
            return Fault::new(Kind::OutOfRange, at, message);
        }
        fault
    })
}
