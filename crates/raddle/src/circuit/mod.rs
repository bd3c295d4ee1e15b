//! How is a circuit of the patents written as Verilog? The verb `circuit`.

mod args;

use std::fs::File;
use std::io::{BufWriter, Write};

use serde::Serialize;

use crate::Console;
use crate::args::Format;
use crate::error::CliError;
use crate::output::Output;
use crate::schema::versioned;
pub(crate) use args::CircuitArgs;

/// Result of the verb `circuit`: names of the files that were written (module, test bench, and the
/// lines that the bench reads), and the numbers of gates of the module; `None` where no gates are
/// counted.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct WrittenCircuit {
    module: String,
    files: [String; 3],
    #[serde(flatten)]
    gates: Option<WrittenGates>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct WrittenGates {
    and_gates: u64,
    or_gates: u64,
    inverters: u64,
    depth: u32,
}

pub(crate) fn verb(
    args: &CircuitArgs,
    format: Format,
    console: &mut Console,
) -> Result<(), CliError> {
    let circuit = args.circuit()?;
    let shown = args.out.display().to_string();
    let output = Output::begin(&args.out)?;
    let name = &circuit.name;
    let files = [format!("{name}.v"), format!("{name}_bench.v"), format!("{name}.hex")];
    let put = || -> std::io::Result<()> {
        let folder = output.path();
        std::fs::write(folder.join(&files[0]), &circuit.module)?;
        std::fs::write(folder.join(&files[1]), &circuit.bench)?;
        let mut lines = BufWriter::new(File::create(folder.join(&files[2]))?);
        circuit.vectors(args.vectors, args.seed, &mut lines)?;
        lines.flush()
    };
    put().map_err(CliError::writing(&shown))?;
    output.close()?;
    let gates = circuit.gates;
    let counted = (gates.gates() > 0).then_some(WrittenGates {
        and_gates: gates.and_gates,
        or_gates: gates.or_gates,
        inverters: gates.inverters,
        depth: gates.depth,
    });
    let text = match format {
        Format::Json => {
            versioned("circuit", &WrittenCircuit { module: name.clone(), files, gates: counted })
        }
        Format::Text => {
            let mut text = format!("{} are in {shown}\n", files.join(", "));
            if let Some(WrittenGates { and_gates, or_gates, inverters, depth }) = counted {
                text += &format!(
                    "{and_gates} AND, {or_gates} OR with two inputs, {depth} deep; {inverters} inverters\n"
                );
            }
            text + &format!(
                "verilator --binary -Wno-fatal -fno-const-bit-op-tree {name}.v {name}_bench.v && ./obj_dir/V{name}\n"
            )
        }
    };
    console.print(&text)
}
