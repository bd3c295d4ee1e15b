//! How is a search of seed 000 written as synthesisable Verilog, with a test bench that checks it?
//!
//! [`RtlCircuit`] is a combinational module of a search (E4 to E7), with the gates that it has, and a
//! bench that reads lines of inputs and expected outputs ([`RtlCircuit::vectors`]) from a file. The
//! outputs are those of `raddle-bitmap`. Bit i of a map is block i.
//!
//! ```
//! use raddle_golden::rtl::{RtlCircuit, RtlSearch, RtlSpec};
//!
//! let circuit = RtlCircuit::new(&RtlSpec::new(RtlSearch::Full(16)))?;
//! assert!(circuit.module.contains("module raddle_full_16 ("));
//! assert_eq!((circuit.gates.and_gates, circuit.gates.or_gates), (120, 120));
//! assert_eq!(circuit.gates.depth, 15);
//! # Ok::<(), raddle_golden::ModelError>(())
//! ```

mod bench;
mod choice;
mod draw;
mod finder;
mod header;
mod read_out;
mod vectors;
mod wires;

use std::io::{self, Write};

use raddle_bitmap::circuit::{MOST_BLOCKS, Setup, Shift};
use raddle_bitmap::{Grouped, Polarity, Sampled, Shared};

use crate::ModelError;
use bench::Port;
use finder::{Finder, borders, slots};
use read_out::digits;
use wires::Wires;

pub use choice::choice;
pub use header::headers;
pub use wires::RtlGates;

/// A search for free runs that can be written as a circuit.
#[derive(Clone, Debug)]
pub enum RtlSearch {
    /// The full search of free maps with this many blocks, which finds the longest free run.
    Full(u32),
    /// The grouped search, in which a map of blocks is cut into groups of equal size, and only
    /// groups whose blocks are all free are found (E5 in `docs/policies/matching.md`).
    Grouped(Grouped),
    /// The sampled search (E6 in `docs/policies/matching.md`), which tests certain lengths only.
    Sampled(Sampled),
    /// A search circuit that several resources share in turn, by the full search.
    Shared(Shared),
}

impl RtlSearch {
    /// Returns the number of blocks that the circuit reads at once, which is the width of its
    /// input.
    pub(crate) const fn blocks(&self) -> u32 {
        match self {
            Self::Full(blocks) => *blocks,
            Self::Grouped(search) => search.blocks(),
            Self::Sampled(search) => search.blocks(),
            Self::Shared(search) => search.width(),
        }
    }

    const fn word(&self) -> &'static str {
        match self {
            Self::Full(_) => "full",
            Self::Grouped(_) => "grouped",
            Self::Sampled(_) => "sampled",
            Self::Shared(_) => "shared",
        }
    }
}

/// Description of the search circuit that is to be written: its search, its form, and its outputs.
#[derive(Clone, Debug)]
pub struct RtlSpec {
    /// Search for free runs that the circuit performs.
    pub search: RtlSearch,
    /// Form of the circuit: the digit that stands for a free block, and the direction in which
    /// sequences of digits are shifted.
    pub setup: Setup,
    /// True if each window (run of blocks that is tested) is made of two halves; false if it is
    /// made of the next shorter window and one block, as in the patent. The sampled search
    /// makes each window of two shorter, overlapping ones in both cases.
    pub doublings: bool,
    /// True if the circuit also gives the length of the longest free run, whether a request fits,
    /// and the lowest start for the request.
    pub read_out: bool,
}

impl RtlSpec {
    /// Returns a search in the form of the patent: 1 is a free block, sequences shift to the left,
    /// and each window (tested run of blocks) is made of the next shorter one and one block. The
    /// length and the start of runs are not output.
    #[must_use]
    pub const fn new(search: RtlSearch) -> Self {
        let setup = Setup { polarity: Polarity::FreeIsOne, shift: Shift::Left };
        Self { search, setup, doublings: false, read_out: false }
    }

    fn name(&self) -> String {
        let Self { search, setup, doublings, read_out } = self;
        let mut name = format!("raddle_{}_{}", search.word(), search.blocks());
        match search {
            RtlSearch::Grouped(search) => name += &format!("_by_{}", search.size()),
            RtlSearch::Sampled(search) => name += &format!("_at_{}", search.amounts().len()),
            _ => {}
        }
        let marks = [
            (setup.polarity == Polarity::FreeIsZero, "_free0"),
            (setup.shift == Shift::Right, "_right"),
            (*doublings, "_doublings"),
            (*read_out, "_read_out"),
        ];
        name.extend(marks.iter().filter(|(given, _)| *given).map(|(_, mark)| *mark));
        name
    }
}

/// A circuit in Verilog, with its test bench.
#[derive(Clone, Debug)]
pub struct RtlCircuit {
    /// Name of the Verilog module; its test bench is the module `NAME_bench`, which reads the file
    /// `NAME.hex`.
    pub name: String,
    /// Verilog text of the module that is the circuit.
    pub module: String,
    /// Verilog text of the test bench of the circuit.
    pub bench: String,
    /// Numbers of gates of the module; 0 for a circuit whose Verilog describes behaviour and no
    /// gates.
    pub gates: RtlGates,
    source: Source,
}

/// Kind of the circuit, which decides how the lines for its test bench are made.
#[derive(Clone, Debug)]
enum Source {
    Search(RtlSpec),
    Choice(choice::ChoiceSpec),
    Headers,
}

impl RtlCircuit {
    /// Writes the circuit of a search for free runs.
    ///
    /// # Errors
    /// For a search of 0 blocks, or of more than [`MOST_BLOCKS`].
    pub fn new(spec: &RtlSpec) -> Result<Self, ModelError> {
        let blocks = spec.search.blocks();
        if blocks == 0 {
            return Err(ModelError::NoBlocks);
        }
        if blocks > MOST_BLOCKS {
            return Err(ModelError::TooManyBlocks { blocks, most: MOST_BLOCKS });
        }
        let name = spec.name();
        let mut finder = Finder::new(spec.setup, spec.doublings);
        let (mut ports, told) = written(spec, &mut finder);
        // Inputs stand before outputs, in the module as in the lines of the bench.
        ports.sort_by_key(|port| port.output);
        let Finder { body, .. } = finder;
        let mut head = told;
        head.insert(0, format!("Seed 000: {}. Written by raddle.", title(spec)));
        head.push(format!(
            "Two-input gates: {} AND, {} OR, {} deep; {} inverters.",
            body.gates.and_gates, body.gates.or_gates, body.gates.depth, body.gates.inverters
        ));
        let text = match spec.search {
            RtlSearch::Full(_) | RtlSearch::Grouped(_) => body.text,
            RtlSearch::Sampled(_) | RtlSearch::Shared(_) => lenient(&body.text),
        };
        let module = bench::module(&name, &head, &ports, &text);
        let bench = bench::bench(&name, &ports);
        Ok(Self { name, module, bench, gates: body.gates, source: Source::Search(spec.clone()) })
    }

    /// Writes `lines` lines of inputs and expected outputs for the circuit's test bench; equal
    /// random seeds `seed` give equal lines.
    ///
    /// # Errors
    /// When the lines cannot be written.
    pub fn vectors(&self, lines: u64, seed: u64, to: &mut dyn Write) -> io::Result<()> {
        match &self.source {
            Source::Search(spec) => vectors::of_search(spec, lines, seed, to),
            Source::Choice(spec) => choice::vectors(spec, lines, seed, to),
            Source::Headers => header::vectors(lines, seed, to),
        }
    }
}

/// Writes the Verilog statements of a search, and returns (ports of the circuit, lines of a comment
/// that describes them).
fn written(spec: &RtlSpec, finder: &mut Finder) -> (Vec<Port>, Vec<String>) {
    let blocks = spec.search.blocks();
    let map = Wires::new("bits", 0, blocks, 0);
    let free = u8::from(!finder.inverts());
    let mut ports = vec![Port::input("bits", blocks)];
    let mut told = vec![format!("bits[i]: block i, {free} = free.")];
    let found = match &spec.search {
        RtlSearch::Full(_) => vec![finder.full(&map)],
        RtlSearch::Grouped(search) => {
            told.push(format!("start counts groups of {} blocks.", search.size()));
            vec![finder.grouped(&map, search)]
        }
        RtlSearch::Sampled(search) => {
            told.push(format!("Amounts by sar[i]: {:?}.", search.amounts()));
            vec![finder.sampled(&map, search)]
        }
        RtlSearch::Shared(search) => {
            let control = finder.control();
            for (number, border) in borders(search).iter().enumerate() {
                told.push(format!("{control}[{number}]: the border before place {}.", border.at));
            }
            for (number, (start, end)) in slots(search).iter().enumerate() {
                told.push(format!("dqr_{number}: the slot of places {start} to {}.", end - 1));
            }
            if let many @ 1.. = borders(search).len() {
                ports.push(Port::input(control, many as u32));
            }
            finder.shared(&map, search)
        }
    };
    for (number, (columns, tested)) in found.iter().enumerate() {
        let slot = matches!(spec.search, RtlSearch::Shared(_)).then_some(number);
        let suffix = slot.map_or_else(String::new, |number| format!("_{number}"));
        ports.push(Port::output(&tested.name, tested.width).of(slot));
        if !spec.read_out {
            continue;
        }
        let most = match &spec.search {
            RtlSearch::Shared(_) => columns.len() as u32,
            _ => blocks,
        };
        finder.read_out(columns, tested, most, &suffix);
        ports.push(Port::input(&format!("want{suffix}"), digits(most)));
        let [longest, start] = read_out::widths(columns);
        for (word, wide) in [("longest", longest), ("fits", 1), ("start", start)] {
            ports.push(Port::output(&format!("{word}{suffix}"), wide).of(slot));
        }
    }
    (ports, told)
}

/// Returns the statements `body` between two remarks that silence the warnings of the tool
/// Verilator about windows (tested runs of blocks) that no output reads.
fn lenient(body: &str) -> String {
    let off = "  // Some windows are read by no output.\n  /* verilator lint_off UNUSEDSIGNAL */\n";
    format!("{off}{body}  /* verilator lint_on UNUSEDSIGNAL */\n")
}

fn title(spec: &RtlSpec) -> String {
    let RtlSpec { search, setup, doublings, .. } = spec;
    let step = match search {
        RtlSearch::Full(_) => "E4, the full search",
        RtlSearch::Grouped(_) => "E5, the grouped search",
        RtlSearch::Sampled(_) => "E6, the sampled search",
        RtlSearch::Shared(_) => "E7, a finder shared in time",
    };
    let made = match (search, doublings) {
        (RtlSearch::Sampled(_), _) => "by jumps",
        (_, true) => "by doublings",
        (_, false) => "as a chain",
    };
    let to = if setup.shift == Shift::Left { "left" } else { "right" };
    format!("{step}, of {} blocks, {made}, shifted to the {to}", search.blocks())
}
