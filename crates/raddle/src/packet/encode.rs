//! How do the launches of a file, or of a profile, become packets? The verb `packet encode`.

use std::path::Path;
use std::sync::Arc;

use raddle_golden::packet::hex;
use raddle_packet::{
    AQL_BYTES, AqlFormat, AqlPacket, CondensedConfig, CondensedPath, Encoder, PacketTally,
};
use raddle_study::result::of_files;
use raddle_study::{StudyError, profiles};
use raddle_trace::{ImportConfig, OpKind, Profile, TraceError};
use serde::Serialize;

use super::args::EncodeArgs;
use super::launches::{Sent, launches};
use super::recorded::recorded;
use crate::Console;
use crate::args::Format;
use crate::disk::{Disk, named};
use crate::error::CliError;
use crate::schema::versioned;

/// Sentence about the values that no profile holds (addresses and signals), and that the packets
/// have made up.
const MADE_UP: &str = "no addresses of kernels, arguments or signals: those in these packets only tell one from another, kernels by name, arguments as --arguments says, and no launch has a signal";

/// Result of `packet encode`: packets as hexadecimal digits, with counts of how the launches were
/// encoded.
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
    /// Number of bytes that the launches would take if each had an ordinary packet.
    ordinary_bytes: u64,
    /// Sentence about facts that a profile does not give and that were assumed; `None` where the
    /// launches do not come from a profile.
    #[serde(skip_serializing_if = "Option::is_none")]
    assumed: Option<String>,
    /// Streams of a profile, each with its part of the list of packets; empty where the launches do
    /// not come from a profile.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    queues: Vec<StreamPackets>,
    /// Made-up address of each kernel object of a profile, with the kernel that it stands for;
    /// empty where the launches do not come from a profile.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    kernels: Vec<KernelObject>,
}

/// Part of the list of packets that belongs to one stream.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct StreamPackets {
    stream: String,
    /// Index of the stream's first packet in the list of packets.
    first: usize,
    packets: usize,
    launches: usize,
}

/// A made-up address of a kernel object, and the kernel for which it stands.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct KernelObject {
    kernel_object: String,
    name: String,
}

/// Encoded packets and their counts, with the streams and kernels if the launches come from a
/// profile.
#[derive(Debug, Default)]
struct EncodedLaunches {
    packets: Vec<AqlPacket>,
    tally: PacketTally,
    queues: Vec<StreamPackets>,
    kernels: Vec<KernelObject>,
}

pub(super) fn verb(
    args: &EncodeArgs,
    format: Format,
    console: &mut Console,
) -> Result<(), CliError> {
    let layout = args.layout.format()?;
    let name = super::name(&args.file);
    let profile = profile(&args.file)?;
    for line in of_files(profile.iter().map(|profile| (&*name, profile))) {
        console.note(&format!("warning: {line}"));
    }
    let encoded = match &profile {
        Some(profile) => of_profile(args, &layout, profile)
            .map_err(|error| CliError::Refused(format!("{name}: {error}")))?,
        None => {
            let sent = launches(&super::read(&args.file, console)?, &layout, &name)?;
            if sent.is_empty() {
                super::nothing(&name, "no launches", "there is nothing to encode", console);
            }
            of_launches(args, &layout, &sent)
        }
    };
    let EncodedLaunches { packets, tally, queues, kernels } = encoded;
    let packets: Vec<String> = packets.iter().map(hex).collect();
    let text = match format {
        Format::Text => {
            if profile.is_some() {
                // If the note cannot be written, there is nobody to tell.
                console.note(&format!("note: {name} holds {MADE_UP}"));
            }
            packets.iter().map(|packet| format!("{packet}\n")).collect()
        }
        Format::Json => versioned(
            "packet-encode",
            &EncodeReport {
                launches: tally.launches(),
                ordinary: tally.ordinary(),
                reference: tally.reference(),
                condensed: tally.condensed(),
                condensed_packets: tally.condensed_packets(),
                barriers: tally.barriers(),
                bytes: (AQL_BYTES * packets.len()) as u64,
                ordinary_bytes: AQL_BYTES as u64 * (tally.launches() + tally.barriers()),
                assumed: profile.is_some().then(|| format!("the profile holds {MADE_UP}")),
                packets,
                queues,
                kernels,
            },
        ),
    };
    console.print(&text)
}

/// Reads a file as a profile; `None` if the file is no profile with launches.
fn profile(file: &Path) -> Result<Option<Profile>, CliError> {
    if file == Path::new("-") {
        return Ok(None);
    }
    let files = [file.to_owned()];
    let disk = Disk::new(&files, false);
    match profiles::open(&named(&files), &ImportConfig::default(), &disk) {
        Ok(mut loaded) => {
            let profile = loaded.pop().map(|loaded| loaded.profile);
            // Launches in JSON look like a trace without any launch.
            let holds = |profile: &Profile| profile.ops.iter().any(|op| op.kind == OpKind::Kernel);
            Ok(profile.filter(|profile| holds(profile)).map(Arc::unwrap_or_clone))
        }
        Err(StudyError::Trace(TraceError::NotAProfile { .. } | TraceError::Empty { .. })) => {
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

fn of_launches(args: &EncodeArgs, layout: &AqlFormat, sent: &[Sent]) -> EncodedLaunches {
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
    EncodedLaunches { packets, tally: encoder.tally(), ..EncodedLaunches::default() }
}

/// Encodes a profile stream by stream, each stream with its own table of stored launches. A decoder
/// that reads all streams one after the other with one table gets equal launches, because each
/// stream fills an entry of the table before it refers to the entry.
fn of_profile(
    args: &EncodeArgs,
    layout: &AqlFormat,
    profile: &Profile,
) -> Result<EncodedLaunches, raddle_packet::PacketError> {
    let config = CondensedConfig::default()
        .with_keep(args.keep.keep.replacement())
        .with_near(args.keep.near)
        .with_entries(layout.entries())
        .with_arguments(args.arguments.places());
    let mut path = CondensedPath::in_format(config, *layout)?;
    let sent = recorded(profile);
    let mut encoded = EncodedLaunches::default();
    let mut objects = vec![None; profile.kernels.len()];
    let object_of = layout.field("kernel_object").unwrap_or(0);
    for (stream, number) in profile.streams.iter().zip(0..) {
        let (first, mut launches) = (encoded.packets.len(), 0);
        let mut send = |packet: &AqlPacket| encoded.packets.push(*packet);
        for each in sent.iter().filter(|each| each.launch.stream.0 == number) {
            let object = objects.get_mut(each.launch.call.kernel.saturating_sub(1) as usize);
            if let Some(object) = object {
                *object = Some(path.image(&each.launch).get(object_of));
            }
            path.take(&each.launch, &mut send);
            launches += 1;
        }
        path.finish(&mut send);
        let (stream, packets) = (stream.label.clone(), encoded.packets.len() - first);
        if launches > 0 {
            encoded.queues.push(StreamPackets { stream, first, packets, launches });
        }
    }
    encoded.tally = path.tally();
    let named = objects.into_iter().zip(&profile.kernels);
    let named = named.filter_map(|(object, name)| Some((object?, name)));
    encoded.kernels.extend(named.map(|(object, name)| KernelObject {
        kernel_object: format!("0x{object:016x}"),
        name: name.clone(),
    }));
    Ok(encoded)
}
