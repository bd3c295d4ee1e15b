//! What may be said behind `raddle packet`?

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use raddle_packet::{
    AQL_BYTES, AqlOptions, Format, HalfWords, HeaderBits, NEAR, Overhead, Rule, Scope, Types,
};

use crate::error::CliError;

#[derive(Debug, Args)]
pub(crate) struct PacketArgs {
    #[command(subcommand)]
    pub(crate) verb: PacketVerb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PacketVerb {
    /// Launches in (JSON Lines, fields as in `golden packet`), packets out (a line of hexadecimal each)
    Encode(EncodeArgs),
    /// Packets in (lines of hexadecimal, or bytes), each drawn with what it launches
    Decode(DecodeArgs),
    /// What condensed packets would save on profiles, for both bounds of what no profile says
    Stats(StatsArgs),
}

#[derive(Debug, Args)]
pub(crate) struct EncodeArgs {
    /// One launch a line, `{"kernel_object":"0x1000",..}`, or `{"barrier":true}`; `-` is stdin
    #[arg(value_name = "FILE", default_value = "-")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) keep: KeepArgs,
    #[command(flatten)]
    pub(crate) layout: LayoutArgs,
}

#[derive(Debug, Args)]
pub(crate) struct DecodeArgs {
    /// Packets as lines of hexadecimal digits, or as bytes; `-` is stdin
    #[arg(value_name = "FILE", default_value = "-")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) layout: LayoutArgs,
}

#[derive(Debug, Args)]
pub(crate) struct StatsArgs {
    /// Profiles of PyTorch, Nsight Systems or rocprof, or launch tables; plain or gzip (docs/profiles.md)
    #[arg(value_name = "PROFILE", required = true)]
    pub(crate) profiles: Vec<PathBuf>,
    /// Half-words up to which an entry of the same kernel is near enough
    #[arg(long, value_name = "N", default_value_t = NEAR, value_parser = clap::value_parser!(u16).range(1..=28))]
    pub(crate) near: u16,
    /// Entries of the table
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=8))]
    pub(crate) entries: u16,
    /// Which streams share a table; a profile is taken as one process on one agent
    #[arg(long, value_enum, value_name = "SCOPE", default_value_t = Shared::Queue)]
    pub(crate) scope: Shared,
    /// Whether every launch has a completion signal of its own, and so a cleanup
    #[arg(long)]
    pub(crate) signals: bool,
    /// How long a launch waits for others to share its packet, in microseconds [default: no limit]
    #[arg(long, value_name = "US")]
    pub(crate) hold_us: Option<u64>,
    #[command(flatten)]
    pub(crate) costs: CostArgs,
}

/// What launching costs, for each part of figures 5 and 7. The defaults are those of the worked
/// example in microseconds: a proportion, and no measurement.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct CostArgs {
    /// E, for each packet: the host writes it
    #[arg(long, value_name = "NS", default_value_t = 2000)]
    pub(crate) enqueue_ns: u64,
    /// P, for each packet: the device reads it
    #[arg(long, value_name = "NS", default_value_t = 3000)]
    pub(crate) processing_ns: u64,
    /// For each kernel of a condensed packet: it is taken apart
    #[arg(long, value_name = "NS", default_value_t = 0)]
    pub(crate) decode_ns: u64,
    /// S, for each kernel: it is handed to the compute units
    #[arg(long, value_name = "NS", default_value_t = 1000)]
    pub(crate) schedule_ns: u64,
    /// C, for each cleanup: signals and fences
    #[arg(long, value_name = "NS", default_value_t = 2000)]
    pub(crate) cleanup_ns: u64,
}

impl CostArgs {
    pub(crate) const fn overhead(&self) -> Overhead {
        Overhead {
            enqueue: self.enqueue_ns,
            processing: self.processing_ns,
            decode: self.decode_ns,
            schedule: self.schedule_ns,
            cleanup: self.cleanup_ns,
        }
    }
}

/// What is worth an entry.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct KeepArgs {
    /// Which launches are kept in the table
    #[arg(long, value_enum, value_name = "RULE", default_value_t = Keep::Frequency)]
    pub(crate) keep: Keep,
    /// Half-words up to which an entry of the same kernel is near enough
    #[arg(long, value_name = "N", default_value_t = NEAR, value_parser = clap::value_parser!(u16).range(1..=28))]
    pub(crate) near: u16,
}

/// Who shares a table (B15).
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Shared {
    /// Nobody: each queue, which is a stream here, has its own
    Queue,
    /// The queues of a process
    Process,
    /// All queues of an agent
    Agent,
}

impl Shared {
    /// The scope of that name.
    pub(crate) const fn scope(self) -> Scope {
        match self {
            Self::Queue => Scope::Queue,
            Self::Process => Scope::Process,
            Self::Agent => Scope::Agent,
        }
    }
}

/// The rules that keep entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Keep {
    /// The first kernels, for ever
    First,
    /// The last ones used
    MostRecent,
    /// Those launched most often
    Frequency,
    /// Whatever needs the fewest packets, knowing the whole stream (some hundred launches)
    Optimal,
}

impl Keep {
    /// The rule, but for the optimal one.
    pub(crate) const fn rule(self) -> Option<Rule> {
        match self {
            Self::First => Some(Rule::First),
            Self::MostRecent => Some(Rule::MostRecent),
            Self::Frequency => Some(Rule::Frequency),
            Self::Optimal => None,
        }
    }
}

/// The layout of packets.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct LayoutArgs {
    /// Which half-word of a value of 32 or 64 bits comes first
    #[arg(long, value_enum, value_name = "ORDER", default_value_t = First::Low)]
    half_words: First,
    /// Where the number of the entry lies in the header of a difference
    #[arg(long, value_enum, value_name = "ORDER", default_value_t = First::Low)]
    header_bits: First,
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

/// What comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum First {
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
    /// The layout.
    pub(crate) fn format(&self) -> Result<Format<AQL_BYTES>, CliError> {
        let usual = AqlOptions::default();
        let types = Types {
            dispatch: self.dispatch_type,
            reference: self.reference_type,
            condensed: self.condensed_type,
            ..usual.types
        };
        let half_words = match self.half_words {
            First::Low => HalfWords::LowFirst,
            First::High => HalfWords::HighFirst,
        };
        let header_bits = match self.header_bits {
            First::Low => HeaderBits::LowFirst,
            First::High => HeaderBits::HighFirst,
        };
        let narrow_private = self.private_bits == 16;
        let entries = self.entries;
        let options = AqlOptions { types, half_words, header_bits, narrow_private, entries };
        Format::aql(&options).map_err(|error| {
            CliError::Usage(format!("{error}; check --dispatch-type and its like"))
        })
    }
}
