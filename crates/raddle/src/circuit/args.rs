//! How does a command line name the circuit that it asks for?

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use raddle_bitmap::circuit::{Setup, Shift};
use raddle_bitmap::{Grouped, Kind, Layout, Polarity, Sampled, Shared};
use raddle_golden::rtl::{RtlCircuit, RtlSearch, RtlSpec, choice, headers};

use crate::error::CliError;

/// Circuit of the patents that the verb `circuit` writes as Verilog.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Word {
    /// The longest free run (seed 000, E4)
    Full,
    /// The longest row of free groups (E5)
    Grouped,
    /// The largest of some amounts that is free in a row (E6)
    Sampled,
    /// One finder for several resources in turn (E7)
    Shared,
    /// The choice among the heads of channels, by level and marks (E1)
    Choice,
    /// The headers in a condensed packet (seed 002)
    Headers,
}

/// Direction in which a circuit shifts the bits of a free map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Direction {
    Left,
    Right,
}

/// Order of the bits in a circuit that searches several resources in turn: where the free maps lie
/// that it searches at the same time, from the lowest bit on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Slots {
    Packed,
    Halves,
}

#[derive(Debug, Args)]
pub(crate) struct CircuitArgs {
    /// The circuit
    #[arg(value_enum)]
    kind: Word,
    /// Blocks of a map; positions of a shared finder
    #[arg(long, value_name = "N")]
    blocks: Option<u32>,
    /// grouped: the number of groups, which divides the blocks [default: groups of 4]
    #[arg(long, value_name = "Z")]
    groups: Option<u32>,
    /// sampled: the amounts that are tested, ascending [default: 1, 2, 3, 4, 6, 8, 12, ..]
    #[arg(long, value_name = "AMOUNTS", value_delimiter = ',')]
    samples: Vec<u32>,
    /// shared: blocks of the resources, those of one period joined by `+`, periods by `/`, such as
    /// 128/64+48
    #[arg(long, value_name = "BLOCKS")]
    clients: Option<String>,
    /// shared: where the resources of a period lie
    #[arg(long, value_enum, value_name = "LAYOUT", default_value_t = Slots::Packed)]
    layout: Slots,
    /// The digit that means free
    #[arg(long, value_name = "DIGIT", default_value_t = 1, value_parser = clap::value_parser!(u8).range(0..=1))]
    free: u8,
    /// The direction in which sequences are shifted
    #[arg(long, value_enum, value_name = "DIRECTION", default_value_t = Direction::Left)]
    shift: Direction,
    /// Make each sequence from the one before, as the patent draws it [default]
    #[arg(long, conflicts_with = "doublings")]
    chain: bool,
    /// Make each window of two halves: as many gates, fewer levels
    #[arg(long)]
    doublings: bool,
    /// Add the length, and whether and where a wish fits
    #[arg(long)]
    read_out: bool,
    /// choice: the number of channels
    #[arg(long, value_name = "N", default_value_t = 8)]
    channels: u32,
    /// choice: the number of levels
    #[arg(long, value_name = "N", default_value_t = 4)]
    levels: u32,
    /// Lines for the bench: inputs that are drawn, and the outputs of the golden model
    #[arg(long, value_name = "COUNT", default_value_t = 1000)]
    pub(super) vectors: u64,
    /// The seed of these lines
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,
    /// The folder for the module, its bench and the lines; an earlier one is replaced
    #[arg(long, value_name = "DIR")]
    pub(super) out: PathBuf,
}

impl CircuitArgs {
    /// Makes the description of the circuit that the options ask for, from which its Verilog is
    /// written.
    pub(super) fn circuit(&self) -> Result<RtlCircuit, CliError> {
        self.check_options()?;
        let refused = |error: &dyn std::fmt::Display| CliError::Usage(error.to_string());
        match self.kind {
            Word::Choice => choice(self.channels, self.levels).map_err(|error| refused(&error)),
            Word::Headers => Ok(headers()),
            _ => {
                let polarity =
                    if self.free == 1 { Polarity::FreeIsOne } else { Polarity::FreeIsZero };
                let shift = match self.shift {
                    Direction::Left => Shift::Left,
                    Direction::Right => Shift::Right,
                };
                let spec = RtlSpec {
                    search: self.search()?,
                    setup: Setup { polarity, shift },
                    doublings: self.doublings,
                    read_out: self.read_out,
                };
                RtlCircuit::new(&spec).map_err(|error| refused(&error))
            }
        }
    }

    /// Checks that all given options belong to the chosen kind of circuit; the error names one that
    /// does not.
    fn check_options(&self) -> Result<(), CliError> {
        let kind = self.kind;
        let searches = !matches!(kind, Word::Choice | Word::Headers);
        let misplaced = [
            ("--blocks", self.blocks.is_some(), searches, "a search"),
            ("--groups", self.groups.is_some(), kind == Word::Grouped, "grouped"),
            ("--samples", !self.samples.is_empty(), kind == Word::Sampled, "sampled"),
            ("--clients", self.clients.is_some(), kind == Word::Shared, "shared"),
            ("--layout", self.layout != Slots::Packed, kind == Word::Shared, "shared"),
            ("--read-out", self.read_out, searches, "a search"),
            ("--free", self.free == 0, searches, "a search"),
            ("--shift", self.shift != Direction::Left, searches, "a search"),
            ("--channels", self.channels != 8, kind == Word::Choice, "choice"),
            ("--levels", self.levels != 4, kind == Word::Choice, "choice"),
        ];
        if let Some((option, .., of)) = misplaced.iter().find(|(_, given, fits, _)| *given && !fits)
        {
            return Err(CliError::Usage(format!("`{option}` is for {of}: leave it out here")));
        }
        let chained = searches && kind != Word::Sampled;
        if (self.chain || self.doublings) && !chained {
            let text = "`--chain` and `--doublings` are for full, grouped and shared: samples are made by jumps";
            return Err(CliError::Usage(text.to_owned()));
        }
        Ok(())
    }

    fn search(&self) -> Result<RtlSearch, CliError> {
        let blocks = self
            .blocks
            .ok_or_else(|| CliError::Usage("a search has blocks: give `--blocks N`".to_owned()))?;
        let refused = |error: raddle_bitmap::Error| CliError::Usage(error.to_string());
        if blocks == 0 {
            return Err(CliError::Usage(raddle_golden::ModelError::NoBlocks.to_string()));
        }
        Ok(match self.kind {
            Word::Grouped => RtlSearch::Grouped(
                self.groups
                    .map_or_else(|| Grouped::of_size(blocks, 4), |it| Grouped::new(blocks, it))
                    .map_err(refused)?,
            ),
            Word::Sampled if self.samples.is_empty() => {
                RtlSearch::Sampled(Sampled::steps(blocks).map_err(refused)?)
            }
            Word::Sampled => RtlSearch::Sampled(self.samples(blocks)?),
            Word::Shared => RtlSearch::Shared(self.shared(blocks)?),
            _ => RtlSearch::Full(blocks),
        })
    }

    fn samples(&self, blocks: u32) -> Result<Sampled, CliError> {
        let (amounts, mut least) = (&self.samples, 1);
        for amount in amounts {
            if !(least..=blocks).contains(amount) {
                return Err(CliError::Usage(format!(
                    "amount {amount} of {} in `--samples`: give amounts from 1 to {blocks}, each above the one before",
                    amounts.len()
                )));
            }
            least = amount.saturating_add(1);
        }
        let k: Vec<u32> = amounts.iter().map(|amount| amount - 1).collect();
        Sampled::new(blocks, &k).map_err(|error| CliError::Usage(error.to_string()))
    }

    fn shared(&self, blocks: u32) -> Result<Shared, CliError> {
        let text = self.clients.as_ref().ok_or_else(|| {
            let text =
                "a shared finder has clients: give their blocks, such as `--clients 128/64+48`";
            CliError::Usage(text.to_owned())
        })?;
        let mut ids = 0..;
        let mut kind = |word: &str| {
            let blocks = word.trim().parse().map_err(|_| {
                CliError::Usage(format!(
                    "`{}` in `--clients` is no number of blocks: write such as 128/64+48",
                    crate::units::plain(word, 40)
                ))
            })?;
            Ok(Kind { id: ids.next().unwrap_or_default(), blocks })
        };
        let periods: Vec<Vec<Kind>> = text
            .split('/')
            .map(|period| period.split('+').map(&mut kind).collect())
            .collect::<Result<_, CliError>>()?;
        let layout = match self.layout {
            Slots::Packed => Layout::Packed,
            Slots::Halves => Layout::Halves,
        };
        Shared::new(blocks, blocks, &periods, &layout)
            .map_err(|error| CliError::Usage(error.to_string()))
    }
}
