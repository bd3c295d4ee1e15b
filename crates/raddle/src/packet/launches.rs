//! Which launches and barriers does a file ask to be sent as packets?
//!
//! The file has one JSON object a line, or is the whole document that `packet decode --format json`
//! prints.

use std::collections::BTreeMap;

use raddle_golden::Fault;
use raddle_golden::packet::{fault, launch};
use raddle_packet::{AqlFormat, AqlPacket, BarrierPacket, LaunchImage};
use raddle_read::{FaultKind, ReadError, kebab, nearest, read};
use serde::Deserialize;
use serde_json::Value;

use crate::error::CliError;

/// Item of the input of `packet encode`: a launch or a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sent {
    /// A launch, which any kind of packet may carry.
    Launch(LaunchImage),
    /// A barrier, already in the form of its packet.
    Barrier(AqlPacket),
}

const SHAPE: &str = "Give one launch a line, such as {\"kernel_object\":\"0x1000\",\"grid_size_x\":256}, or {\"barrier\":true}";

/// Reads the launches and barriers of a file, in order.
pub(super) fn launches(
    bytes: &[u8],
    layout: &AqlFormat,
    name: &str,
) -> Result<Vec<Sent>, CliError> {
    let decoded = serde_json::from_slice::<Value>(bytes).ok();
    if let Some(packets) = decoded.as_ref().and_then(|document| document.get("packets")) {
        let refused = decoded.as_ref().and_then(|document| document.get("refused"));
        return document(packets, refused, layout)
            .map_err(|fault| CliError::Refused(format!("{name}: {}", said(&fault))));
    }
    let mut sent = Vec::new();
    let lines = (1..).zip(bytes.split(|&byte| byte == b'\n'));
    for (number, line) in lines.filter(|(_, line)| !line.trim_ascii().is_empty()) {
        let refused = |why: String| {
            let stop = if why.ends_with('?') { "" } else { "." };
            CliError::Refused(format!("{name}, line {number}: {why}{stop} {SHAPE}"))
        };
        let value: Value = serde_json::from_slice(line)
            .map_err(|error| refused(format!("it is not JSON ({error})")))?;
        if !value.is_object() {
            return Err(refused("it is no object".to_owned()));
        }
        sent.push(one(&value, "", layout).map_err(|fault| refused(said(&fault)))?);
    }
    Ok(sent)
}

fn refused(kind: FaultKind, at: &str, message: String) -> Fault {
    Fault { kind, at: at.to_owned(), message }
}

/// Returns a function that turns the error of reading a part of a document into one of the whole
/// document: it puts `at`, the path of the part, before the error's own path.
fn within(at: &str) -> impl Fn(ReadError) -> Fault {
    move |error| {
        let fault = Fault::from(error);
        Fault { at: format!("{at}{}", fault.at), ..fault }
    }
}

/// Reads launches and barriers from the packets of a document that `packet decode` printed. `left`
/// is the packet at which decoding had stopped, if any; this is an error, as the launches after it
/// would be missing.
fn document(packets: &Value, left: Option<&Value>, layout: &AqlFormat) -> Result<Vec<Sent>, Fault> {
    if left.is_some_and(|left| !left.is_null()) {
        let message =
            "`packet decode` refused a packet here, so launches would be missing: mend it";
        return Err(refused(FaultKind::Inconsistent, "/refused", message.to_owned()));
    }
    let packets: Vec<Value> = read(packets).map_err(within("/packets"))?;
    let mut sent = Vec::new();
    for (n, packet) in packets.iter().enumerate() {
        let at = format!("/packets/{n}");
        if packet.is_string() {
            let message =
                "these are packets already: `raddle packet decode` prints what they launch";
            return Err(refused(FaultKind::WrongType, &at, message.to_owned()));
        }
        if let Some(waits) = packet.get("barrier") {
            sent.push(barrier(waits, &format!("{at}/barrier"), layout)?);
            continue;
        }
        let launches = packet.get("launches").unwrap_or(&Value::Null);
        let launches: Vec<Value> = read(launches).map_err(within(&format!("{at}/launches")))?;
        for (n, value) in launches.iter().enumerate() {
            sent.push(one(value, &format!("{at}/launches/{n}"), layout)?);
        }
    }
    Ok(sent)
}

/// Keys by which questions of `golden packet` give the fields of a launch. Where a line of `packet
/// encode` has one of them, the error text adds a hint.
const OTHER_KEYS: [&str; 3] = ["fields", "dispatch", "reference"];

/// Reads a launch or a barrier from a JSON object; `at` is the object's path in the file, for
/// errors.
fn one(value: &Value, at: &str, layout: &AqlFormat) -> Result<Sent, Fault> {
    if value.get("barrier").is_some() {
        return barrier(value, at, layout);
    }
    let mut fields: BTreeMap<String, Value> = read(value).map_err(within(at))?;
    fields.remove("id");
    // A line of another kind is not quoted.
    let is_meant = |key: &String| {
        let near = nearest(&kebab(key), layout.fields().iter().map(|field| field.name()));
        let begun = layout.fields().iter().any(|it| it.name().starts_with(&key.replace('-', "_")));
        OTHER_KEYS.contains(&&**key) || near.is_some() || begun
    };
    if !fields.is_empty() && !fields.keys().any(is_meant) {
        let names = layout.fields().iter().map(|field| field.name()).collect::<Vec<_>>().join(", ");
        let message = format!("none of its keys is a field of a launch; the keys are {names}");
        return Err(refused(FaultKind::UnknownField, at, message));
    }
    if let Some(key) = fields.keys().find(|key| OTHER_KEYS.contains(&&***key)) {
        let message =
            format!("unknown key `{key}`; the fields of a launch stand in the line itself");
        return Err(refused(FaultKind::UnknownField, &format!("{at}/{key}"), message));
    }
    launch(&fields, layout, at).map(Sent::Launch)
}

/// Barrier as an input line of `packet encode` gives it:
/// `{"barrier":"and","signals":[..],"completion_signal":..,"synch_scopes":..}`; `true` stands for
/// `"and"`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AskedBarrier {
    #[serde(default, rename = "id")]
    _id: serde::de::IgnoredAny,
    barrier: Value,
    #[serde(default)]
    signals: Vec<u64>,
    #[serde(default)]
    completion_signal: u64,
    #[serde(default)]
    synch_scopes: u8,
}

fn barrier(value: &Value, at: &str, layout: &AqlFormat) -> Result<Sent, Fault> {
    let asked: AskedBarrier = read(value).map_err(within(at))?;
    let any = match &asked.barrier {
        Value::Bool(true) => false,
        Value::String(word) if word == "and" => false,
        Value::String(word) if word == "or" => true,
        _ => {
            let message = "`barrier` must be true, \"and\" or \"or\": leave it out of a launch";
            let at = format!("{at}/barrier");
            return Err(refused(FaultKind::OutOfRange, &at, message.to_owned()));
        }
    };
    let mut barrier = BarrierPacket {
        any,
        completion_signal: asked.completion_signal,
        synch_scopes: asked.synch_scopes,
        ..BarrierPacket::default()
    };
    let most = barrier.dep_signal.len();
    if asked.signals.len() > most {
        let message =
            format!("a barrier waits for {most} signals at most, not {}", asked.signals.len());
        return Err(refused(FaultKind::OutOfRange, &format!("{at}/signals"), message));
    }
    for (place, value) in barrier.dep_signal.iter_mut().zip(asked.signals) {
        *place = value;
    }
    let packet = barrier.emit(layout);
    packet.map(Sent::Barrier).map_err(|error| fault(&error, &format!("{at}/barrier")))
}

/// Writes an input error as text, with its place in the file in front.
fn said(fault: &Fault) -> String {
    match &*fault.at {
        "" => fault.message.clone(),
        at => format!("{at}: {}", fault.message),
    }
}
