//! Which options does `raddle packet` have?

use std::path::PathBuf;

use clap::{ArgAction, Args, Subcommand, ValueEnum};
use raddle_packet::{
    AqlConfig, AqlFormat, KernelArguments, NEAR, Overhead, PacketTypes, PartOrder, Replacement,
    TableScope,
};
use raddle_study::amount::{AmountError, SpanUnit, whole};
use serde::Serialize;

use crate::error::CliError;

#[derive(Debug, Args)]
#[command(next_line_help = true)]
pub(crate) struct PacketArgs {
    #[command(subcommand)]
    pub(crate) verb: PacketVerb,
}

const ENCODE: &str = "Lines:
  {\"kernel_object\":\"0x1000\",\"kernarg_address\":4096,\"grid_size_x\":256}
    a launch; what is left out is 0
  {\"barrier\":true}
  {\"barrier\":\"or\",\"signals\":[\"0x10\",32],\"completion_signal\":\"0x40\"}
    a barrier, by itself or for one (`or`) or all (`and`) of up to 5 signals
The document of `packet decode --format json` is taken as well.

Of a profile, the packets of each stream, one stream after the other; a copy or
a fill ends a packet. With --format json also which are whose.";

const DECODE: &str = "A line is 128 digits, with or without 0x and blanks. The document of
`packet encode --format json` is taken as well. Entries that no packet here
fills are empty: `golden packet` takes a table with the packets.";

const STATS: &str = "Costs are assumed, not measured: by default the proportion of the worked
example (figures 5 and 7) as microseconds, which is no device's. The overhead
of a device needs its own; docs/policies/condensed-packets.md has a set with
its source.

fixed and new are bounds for arguments alone. Both take it that no launch has
a signal (--signals: each has) or a release scope, and that launches wait for
others without end (--hold-us); with either, less is saved.

own, other: launches sent in condensed packets, of all launches, by an entry
of their own kernel, or of another one whose kernel object is then among what
differs. A launch that goes as a reference or an ordinary packet is neither.";

#[derive(Debug, Subcommand)]
pub(crate) enum PacketVerb {
    /// Encode launches (JSON Lines, or a profile) as packets in hexadecimal
    #[command(next_line_help = true, disable_help_flag = true, after_help = ENCODE)]
    Encode(EncodeArgs),
    /// Decode packets (hexadecimal or bytes), and print what they launch
    #[command(next_line_help = true, disable_help_flag = true, after_help = DECODE)]
    Decode(DecodeArgs),
    /// Count what condensed packets would save on profiles, at assumed costs
    #[command(next_line_help = true, disable_help_flag = true, after_help = STATS)]
    Stats(StatsArgs),
}

/// `-h` and `--help` print the same: a summary would put all values of an option in one line, wider
/// than the 80 columns of a terminal.
#[derive(Debug, Args)]
struct Help {
    /// Print help
    #[arg(short, long, action = ArgAction::HelpLong)]
    help: Option<bool>,
}

#[derive(Debug, Args)]
pub(crate) struct EncodeArgs {
    #[command(flatten)]
    help: Help,
    /// Launches and barriers, one a line (`-` is stdin), or a profile
    #[arg(value_name = "FILE", default_value = "-")]
    pub(crate) file: PathBuf,
    /// Where the arguments of a launch are, which profiles do not say
    #[arg(long, value_enum, value_name = "WHERE", default_value_t = ArgumentsArg::New)]
    pub(crate) arguments: ArgumentsArg,
    #[command(flatten)]
    pub(crate) keep: KeepArgs,
    #[command(flatten)]
    pub(crate) layout: LayoutArgs,
}

#[derive(Debug, Args)]
pub(crate) struct DecodeArgs {
    #[command(flatten)]
    help: Help,
    /// Packets, one a line, or as bytes; `-` is stdin
    #[arg(value_name = "FILE", default_value = "-")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) layout: LayoutArgs,
}

#[derive(Debug, Args)]
pub(crate) struct StatsArgs {
    #[command(flatten)]
    help: Help,
    /// Profiles or launch tables, plain or gzip (docs/profiles.md)
    #[arg(value_name = "PROFILE", required = true)]
    pub(crate) profiles: Vec<PathBuf>,
    /// Half-words up to which an entry of the same kernel is near enough
    #[arg(long, value_name = "N", default_value_t = NEAR, value_parser = clap::value_parser!(u16).range(1..=28))]
    pub(crate) near: u16,
    /// Entries of a table
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=8))]
    pub(crate) entries: u16,
    /// The streams that share a table; a profile counts as one process
    #[arg(long, value_enum, value_name = "SCOPE", default_value_t = SharingArg::Queue)]
    pub(crate) scope: SharingArg,
    /// Every launch has a completion signal of its own, and so a cleanup
    #[arg(long)]
    pub(crate) signals: bool,
    /// How long a packet's first launch may wait, in us [default: no limit]
    #[arg(long, value_name = "US|TIME", value_parser = microseconds)]
    pub(crate) hold_us: Option<u64>,
    #[command(flatten)]
    pub(crate) costs: CostArgs,
}

/// Default costs of launching, in nanoseconds: writing a packet (E), reading it (P), decoding a
/// kernel of a condensed packet, giving a kernel to the compute units (S), and a cleanup (C). They
/// are those of the worked example in patent 002, with 1,000 ns for each of its time units.
const WORKED: [u64; 5] = [2000, 3000, 0, 1000, 2000];

/// The costs of launching, by the parts of figures 5 and 7. The defaults are those of the worked
/// example in microseconds: a proportion, not a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Args, Serialize)]
#[serde(rename_all = "kebab-case")]
#[command(next_help_heading = "Costs, assumed and not measured")]
pub(crate) struct CostArgs {
    /// E, for each packet: the time in which the host writes it
    #[arg(long, value_name = "NS|TIME", default_value_t = WORKED[0], value_parser = nanoseconds)]
    pub(crate) enqueue_ns: u64,
    /// P, for each packet: the time in which the device reads it
    #[arg(long, value_name = "NS|TIME", default_value_t = WORKED[1], value_parser = nanoseconds)]
    pub(crate) processing_ns: u64,
    /// For each kernel of a condensed packet: the time in which it is decoded
    #[arg(long, value_name = "NS|TIME", default_value_t = WORKED[2], value_parser = nanoseconds)]
    pub(crate) decode_ns: u64,
    /// S, for each kernel: the time in which it is given to the compute units
    #[arg(long, value_name = "NS|TIME", default_value_t = WORKED[3], value_parser = nanoseconds)]
    pub(crate) schedule_ns: u64,
    /// C, for each cleanup: signals and fences
    #[arg(long, value_name = "NS|TIME", default_value_t = WORKED[4], value_parser = nanoseconds)]
    pub(crate) cleanup_ns: u64,
}

/// Reads a time in whole nanoseconds; the text may have another unit of time.
fn nanoseconds(text: &str) -> Result<u64, AmountError> {
    whole(text, SpanUnit::Ns)
}

/// Reads a time in whole microseconds; the text may have another unit of time.
fn microseconds(text: &str) -> Result<u64, AmountError> {
    whole(text, SpanUnit::Us)
}

impl Default for CostArgs {
    fn default() -> Self {
        let [enqueue_ns, processing_ns, decode_ns, schedule_ns, cleanup_ns] = WORKED;
        Self { enqueue_ns, processing_ns, decode_ns, schedule_ns, cleanup_ns }
    }
}

impl CostArgs {
    pub(crate) fn overhead(&self) -> Overhead {
        Overhead::default()
            .with_enqueue(self.enqueue_ns)
            .with_processing(self.processing_ns)
            .with_decode(self.decode_ns)
            .with_schedule(self.schedule_ns)
            .with_cleanup(self.cleanup_ns)
    }
}

/// The rule for which launches get an entry.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct KeepArgs {
    /// The launches that are kept in the table
    #[arg(long, value_enum, value_name = "RULE", default_value_t = KeepArg::Frequency)]
    pub(crate) keep: KeepArg,
    /// Half-words up to which an entry of the same kernel is near enough
    #[arg(long, value_name = "N", default_value_t = NEAR, value_parser = clap::value_parser!(u16).range(1..=28))]
    pub(crate) near: u16,
}

/// Queues that share a table of stored launches, as the option `--scope` takes it (seed 002, B15).
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum SharingArg {
    /// Each queue (here a stream) has a table of its own
    Queue,
    /// The queues of a process share one table
    Process,
    /// All queues of an agent share one table
    Agent,
}

impl SharingArg {
    /// Returns the scope that the option stands for: which queues share one table of stored
    /// launches.
    pub(crate) const fn scope(self) -> TableScope {
        match self {
            Self::Queue => TableScope::Queue,
            Self::Process => TableScope::Process,
            Self::Agent => TableScope::Agent,
        }
    }
}

/// Place of the arguments of launches in memory, as the option `--arguments` takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ArgumentsArg {
    /// At a new address for every launch
    New,
    /// At the same address for all launches of a kernel
    Fixed,
}

impl ArgumentsArg {
    pub(crate) const fn places(self) -> KernelArguments {
        match self {
            Self::New => KernelArguments::New,
            Self::Fixed => KernelArguments::Fixed,
        }
    }
}

/// Rule for which launches are stored in the table, as the option `--keep` takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum KeepArg {
    /// The first kernels, never replaced
    First,
    /// The most recently used
    MostRecent,
    /// The most frequently launched
    Frequency,
}

impl KeepArg {
    /// Returns the policy that the option stands for: which launches the table stores, and which
    /// entries it replaces.
    pub(crate) const fn replacement(self) -> Replacement {
        match self {
            Self::First => Replacement::First,
            Self::MostRecent => Replacement::MostRecent,
            Self::Frequency => Replacement::Frequency,
        }
    }
}

/// The layout of packets.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct LayoutArgs {
    /// The half-word that comes first in a value of 32 or 64 bits
    #[arg(long, value_enum, value_name = "ORDER", default_value_t = FirstArg::Low)]
    half_words: FirstArg,
    /// Where the number of the entry is in the header of a difference
    #[arg(long, value_enum, value_name = "ORDER", default_value_t = FirstArg::Low)]
    header_bits: FirstArg,
    /// Bits of private_segment_size: 16 or 32
    #[arg(long, value_name = "BITS", default_value_t = 32, value_parser = private_bits)]
    private_bits: u8,
    /// Entries of the table
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=8))]
    entries: u16,
    /// The type of an ordinary packet
    #[arg(long, value_name = "N", default_value_t = 2)]
    dispatch_type: u8,
    /// The type of a reference packet
    #[arg(long, value_name = "N", default_value_t = 7)]
    reference_type: u8,
    /// The type of a condensed packet
    #[arg(long, value_name = "N", default_value_t = 6)]
    condensed_type: u8,
}

/// Part of a value that comes first in a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FirstArg {
    /// The least significant
    #[value(name = "low-first")]
    Low,
    /// The most significant
    #[value(name = "high-first")]
    High,
}

fn private_bits(text: &str) -> Result<u8, String> {
    match text {
        "16" => Ok(16),
        "32" => Ok(32),
        _ => Err("it is 16 or 32".to_owned()),
    }
}

impl LayoutArgs {
    /// Returns the layout of packets that the options describe.
    pub(crate) fn format(&self) -> Result<AqlFormat, CliError> {
        let types = PacketTypes {
            dispatch: self.dispatch_type,
            reference: self.reference_type,
            condensed: self.condensed_type,
            ..AqlFormat::default().types()
        };
        let order = |first| match first {
            FirstArg::Low => PartOrder::LowFirst,
            FirstArg::High => PartOrder::HighFirst,
        };
        let (half_words, header_bits) = (order(self.half_words), order(self.header_bits));
        let narrow_private = self.private_bits == 16;
        let entries = self.entries;
        let options = AqlConfig::default()
            .with_types(types)
            .with_half_words(half_words)
            .with_header_bits(header_bits)
            .with_narrow_private(narrow_private)
            .with_entries(entries);
        AqlFormat::new(&options).map_err(|error| {
            CliError::Usage(format!("{error}; check --dispatch-type and its like"))
        })
    }
}
