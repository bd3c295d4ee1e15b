//! What would condensed packets save on a profile?

use raddle_packet::{
    AQL_BYTES, Agent, AqlOptions, Encoder, Error, Format as Layout, Item, Keep, Limits, Overhead,
    Received, Rule, Scripted, optimal,
};
use raddle_trace::{ImportOptions, OpKind};
use serde::Serialize;

use super::args::StatsArgs;
use super::stats_text;
use super::stream::{Arguments, Sending, queues};
use crate::Console;
use crate::args::Format;
use crate::error::CliError;
use crate::golden::packet::{Aql, Packet};
use crate::profiles::{self, Loaded};
use crate::table::json;

/// So many launches the optimal rule is tried on: the most for which it can be found.
const SAMPLES: [u64; 5] = [512, 256, 128, 64, 32];

/// What was asked for.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Report {
    raddle: &'static str,
    pub(super) profiles: Vec<Saved>,
}

/// What a profile would save.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Saved {
    pub(super) name: String,
    pub(super) format: &'static str,
    pub(super) streams: usize,
    /// Different kernels.
    pub(super) kernels: u64,
    pub(super) launches: u64,
    /// Copies and fills, which no packet goes across.
    pub(super) copies: u64,
    /// Of the launches, nanoseconds.
    pub(super) kernel_ns: u64,
    pub(super) ordinary_bytes: u64,
    /// In nanoseconds.
    pub(super) ordinary_overhead_ns: u64,
    /// Launches behind an earlier one of their kernel in the stream.
    pub(super) repeated: u64,
    /// How many of these differ from that one in each field.
    pub(super) changes: Vec<Change>,
    pub(super) rows: Vec<Row>,
    /// The first launches of the longest stretch, by every rule and the optimal one.
    pub(super) sample: Vec<Sampled>,
}

/// How often a field changes.
#[derive(Debug, Serialize)]
pub(super) struct Change {
    pub(super) field: &'static str,
    pub(super) launches: u64,
}

/// One bound under one rule.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Row {
    /// Where the arguments of a launch lie.
    pub(super) arguments: &'static str,
    pub(super) keep: &'static str,
    pub(super) packets: u64,
    pub(super) bytes: u64,
    /// Launches sent in condensed packets: the table had something for them.
    pub(super) hits: u64,
    pub(super) reference: u64,
    pub(super) ordinary: u64,
    pub(super) condensed_packets: u64,
    /// In nanoseconds.
    pub(super) overhead_ns: u64,
}

/// Packets of a sample.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Sampled {
    pub(super) arguments: &'static str,
    pub(super) launches: u64,
    /// By the rules, in their order.
    pub(super) packets: Vec<(&'static str, u64)>,
    /// `None` where the search would be too long.
    pub(super) optimal: Option<u64>,
}

/// The verb `packet stats`.
pub(super) fn verb(
    args: &StatsArgs,
    format: Format,
    console: &mut Console,
) -> Result<(), CliError> {
    let profiles = profiles::open(&args.profiles, &ImportOptions::default(), console.progress)?;
    let options = AqlOptions { entries: args.entries, ..AqlOptions::default() };
    let saved = |loaded: &Loaded| {
        Layout::aql(&options)
            .and_then(|layout| saved(loaded, args, &layout))
            .map_err(|error| CliError::Refused(format!("{}: {error}", loaded.given)))
    };
    let profiles = profiles.iter().map(saved).collect::<Result<_, _>>()?;
    let report = Report { raddle: env!("CARGO_PKG_VERSION"), profiles };
    let text = match format {
        Format::Json => json(&report),
        Format::Text => stats_text::render(&report, args, console.stdout_colour),
    };
    console.stdout.write_all(text.as_bytes()).map_err(CliError::printing)
}

fn saved(loaded: &Loaded, args: &StatsArgs, layout: &Aql) -> Result<Saved, Error> {
    let profile = &loaded.profile;
    let (mut kernels, mut launches, mut kernel_ns) = (Vec::new(), 0, 0_u64);
    for op in profile.ops.iter().filter(|op| op.kind == OpKind::Kernel) {
        kernels.push(op.kernel);
        launches += 1;
        kernel_ns = kernel_ns.saturating_add(op.duration_ns);
    }
    kernels.sort_unstable();
    kernels.dedup();
    let costs = args.costs.overhead();
    let of = |arguments| {
        let (signals, hold_ns) = (args.signals, args.hold_us.map(us));
        let sending = Sending { arguments, signals, hold_ns, scope: args.scope.scope() };
        queues(profile, layout, &sending)
    };
    let (mut rows, mut sample) = (Vec::new(), Vec::new());
    let (mut changes, mut repeated) = (Vec::new(), 0);
    for arguments in [Arguments::Fixed, Arguments::New] {
        let queues = of(arguments);
        if arguments == Arguments::Fixed {
            (changes, repeated) = changed(layout, &queues);
        }
        for rule in Rule::ALL {
            rows.push(row(layout, (arguments, rule), args.near, &queues, &costs)?);
        }
        sample.push(sampled(layout, arguments, args.near, &queues)?);
    }
    Ok(Saved {
        name: loaded.name.clone(),
        format: profile.format.name(),
        streams: profile.streams.len(),
        kernels: kernels.len() as u64,
        launches,
        copies: profile.ops.len() as u64 - launches,
        kernel_ns,
        ordinary_bytes: launches.saturating_mul(AQL_BYTES as u64),
        ordinary_overhead_ns: costs.ordinary(&[0]).saturating_mul(launches),
        repeated,
        changes,
        rows,
        sample,
    })
}

const fn us(us: u64) -> u64 {
    us.saturating_mul(1000)
}

/// All tables under one rule (B15).
fn row(
    layout: &Aql,
    (arguments, rule): (Arguments, Rule),
    near: u16,
    queues: &[Vec<Item<AQL_BYTES>>],
    costs: &Overhead,
) -> Result<Row, Error> {
    let mut row = Row {
        arguments: arguments.name(),
        keep: rule.name(),
        packets: 0,
        bytes: 0,
        hits: 0,
        reference: 0,
        ordinary: 0,
        condensed_packets: 0,
        overhead_ns: 0,
    };
    for queue in queues {
        let mut agent = Agent::<AQL_BYTES, 8>::new(*layout)?;
        let mut send = |packet: &Packet| {
            let Ok(Received::Launches(launches)) = agent.receive(packet) else { return };
            let (count, cleanups) = (launches.len(), launches.cleanups());
            let none = [0; u8::MAX as usize];
            let runs = none.get(..count).unwrap_or(&none);
            let cost = if packet[0] == layout.types().condensed {
                costs.condensed(runs, u64::from(cleanups) - 1)
            } else {
                costs.ordinary(runs)
            };
            row.overhead_ns = row.overhead_ns.saturating_add(cost);
        };
        let tally = play(layout, rule.keeper::<8>(near), queue, &mut send)?;
        row.packets += tally.packets();
        row.hits += tally.condensed;
        row.reference += tally.reference;
        row.ordinary += tally.ordinary;
        row.condensed_packets += tally.condensed_packets;
    }
    row.bytes = row.packets.saturating_mul(AQL_BYTES as u64);
    Ok(row)
}

fn play(
    layout: &Aql,
    keep: impl Keep<AQL_BYTES>,
    queue: &[Item<AQL_BYTES>],
    send: &mut impl FnMut(&Packet),
) -> Result<raddle_packet::Tally, Error> {
    let mut encoder = Encoder::<AQL_BYTES, 8, _>::new(*layout, keep)?;
    for item in queue {
        match item {
            Item::Launch(launch) => encoder.launch(launch, send),
            Item::Barrier => encoder.flush(send),
        }
    }
    encoder.flush(send);
    Ok(encoder.tally())
}

/// The first launches of the queue that has most, by every rule and the optimal one.
fn sampled(
    layout: &Aql,
    arguments: Arguments,
    near: u16,
    queues: &[Vec<Item<AQL_BYTES>>],
) -> Result<Sampled, Error> {
    let mut sampled = sample(layout, (arguments, near), queues, SAMPLES[0])?;
    for most in &SAMPLES[1..] {
        if sampled.optimal.is_some() {
            break;
        }
        sampled = sample(layout, (arguments, near), queues, *most)?;
    }
    Ok(sampled)
}

fn sample(
    layout: &Aql,
    (arguments, near): (Arguments, u16),
    queues: &[Vec<Item<AQL_BYTES>>],
    most: u64,
) -> Result<Sampled, Error> {
    let longest = queues.iter().max_by_key(|queue| queue.len());
    let mut items: Vec<Item<AQL_BYTES>> = Vec::new();
    let mut launches = 0;
    for item in longest.into_iter().flatten() {
        launches += u64::from(matches!(item, Item::Launch(_)));
        if launches > most {
            launches = most;
            break;
        }
        items.push(*item);
    }
    let mut packets = Vec::new();
    for rule in Rule::ALL {
        let tally = play(layout, rule.keeper::<8>(near), &items, &mut |_| {})?;
        packets.push((rule.name(), tally.packets()));
    }
    let optimal = match optimal(layout, &items, &Limits::default()) {
        Ok(found) => Some(play(layout, Scripted::new(&found.ways), &items, &mut |_| {})?.packets()),
        Err(Error::TooLarge { .. }) => None,
        Err(error) => return Err(error),
    };
    Ok(Sampled { arguments: arguments.name(), launches, packets, optimal })
}

/// In which fields launches differ from the one before of the same kernel in their queue.
fn changed(layout: &Aql, queues: &[Vec<Item<AQL_BYTES>>]) -> (Vec<Change>, u64) {
    let mut counts = vec![0; layout.fields().len()];
    let (mut repeated, kernel) = (0, layout.field("kernel_object").unwrap_or(0));
    for queue in queues {
        let mut last = std::collections::BTreeMap::new();
        for item in queue {
            let Item::Launch(launch) = item else { continue };
            let Some(before) = last.insert(launch.get(layout, kernel), *launch) else { continue };
            repeated += 1;
            let vector = launch.differs(&before, layout);
            for (number, count) in counts.iter_mut().enumerate() {
                *count += u64::from(vector >> number & 1);
            }
        }
    }
    let fields = layout.fields().iter().zip(counts);
    let told =
        |(field, launches): (&raddle_packet::Field, u64)| Change { field: field.name, launches };
    (fields.map(told).filter(|change| change.launches > 0).collect(), repeated)
}
