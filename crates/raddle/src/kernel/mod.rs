//! May kernels be stopped and run again, and how does their source look with a test of the
//! preemption flag? The verb `kernel`.

#[cfg(not(feature = "kernel"))]
#[path = "absent.rs"]
mod analysis;
#[cfg(feature = "kernel")]
mod analysis;
mod args;
mod sources;
mod verdicts;

use std::path::Path;

use raddle_report::{Block, Column, Document, Table, json};
use serde::Serialize;

use crate::Console;
use crate::args::Format;
use crate::error::CliError;
use crate::place;
use crate::seal::Seal;
use crate::units::quoted;

pub(crate) use args::KernelArgs;
use args::{InstrumentArgs, VerdictArgs, What};
pub(crate) use sources::Sources;

pub(crate) fn verb(
    args: &KernelArgs,
    format: Format,
    console: &mut Console,
) -> Result<(), CliError> {
    match &args.what {
        What::Verdict(args) => verdict(args, format, console),
        What::Instrument(args) => put(args, format, console),
    }
}

/// Verdict on whether one kernel may be stopped and run again.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct KernelVerdict {
    file: String,
    name: String,
    /// Line of the source file at which the kernel begins, from 1; 0 if unknown.
    line: u32,
    verdict: &'static str,
    /// Pairs of arguments of a kernel whose verdict is `conditional`: it may be run again only
    /// where the memory of the two shares no byte.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    apart: Vec<[String; 2]>,
    /// Arguments of a kernel whose verdict is `conditional`: it may be run again only where each of
    /// them is zero.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    zero: Vec<String>,
    /// Arguments of a kernel whose verdict is `conditional`: it may be run again only where numbers
    /// of the launch (such as its grid) keep its reads and writes of each argument's memory apart.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    places: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// Line of the source file to which the reason of the verdict refers; `None` if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<u32>,
}

impl KernelVerdict {
    /// Returns the path of the kernel's source file, followed by the line if that is known.
    fn place(&self) -> String {
        match self.line {
            0 => self.file.clone(),
            line => format!("{}:{line}", self.file),
        }
    }

    /// Returns the conditions on numbers of the launch (such as zero arguments) under which the
    /// kernel may be run again, as text; `None` where there are none.
    fn needs_numbers(&self) -> Option<String> {
        let needs = |what: &str, of: &[String]| {
            (!of.is_empty()).then(|| format!("{what}: {}", of.join(" and ")))
        };
        let zero = needs("if zero", &self.zero);
        zero.or_else(|| needs("if numbers keep reads and writes apart", &self.places))
    }

    /// Returns the reason why the kernel may or may not be run again, as text for a person.
    fn why(&self) -> String {
        let pairs = self.apart.iter().map(|[a, b]| format!("{a} and {b}"));
        let pairs = pairs.collect::<Vec<_>>().join("; ");
        let pairs = if pairs.is_empty() { None } else { Some(format!("if apart: {pairs}")) };
        let numbers = self.needs_numbers();
        let conditions = numbers.into_iter().chain(pairs).collect::<Vec<_>>().join("; ");
        match (&self.reason, self.at) {
            (Some(reason), Some(line)) => format!("line {line}: {reason}"),
            (Some(reason), None) => reason.clone(),
            (None, _) if conditions.is_empty() => "whatever its arguments".to_owned(),
            (None, _) => conditions,
        }
    }
}

/// Ranks a verdict by how strongly it forbids to run a kernel again: 0 for idempotent, 1 for
/// conditional, 2 for unknown, 3 for not idempotent.
fn strictness(kernel: &KernelVerdict) -> u8 {
    match kernel.verdict {
        "idempotent" => 0,
        "conditional" => 1,
        "unknown" => 2,
        _ => 3,
    }
}

fn verdict(args: &VerdictArgs, format: Format, console: &mut Console) -> Result<(), CliError> {
    let ours = |path: &Path| place::begins(path, verdicts::HEAD);
    args.save.as_deref().map_or(Ok(()), |save| place::check(save, &ours))?;
    let mut all = Vec::new();
    for file in &args.files {
        all.extend(analysis::judge(file, &args.build)?);
    }
    if let Some(save) = &args.save {
        place::write_sealed(save, &verdicts::text(&all)?, Seal::Toml, &ours)?;
    }
    let text = match format {
        Format::Json => json(&all),
        Format::Text => table(&all, args.save.as_deref()).text(console.stdout_colour),
    };
    console.print(&text)
}

fn table(all: &[KernelVerdict], saved: Option<&Path>) -> Document {
    let count = |verdict: &str| all.iter().filter(|kernel| kernel.verdict == verdict).count();
    let summary = format!(
        "{} kernels: {} idempotent, {} if arguments lie apart, {} not, {} unknown (counts as not)",
        all.len(),
        count("idempotent"),
        count("conditional"),
        count("not"),
        count("unknown")
    );
    let mut document = Document::default();
    document.add(Block::Note(summary));
    let columns = [
        Column::name("kernel", 40),
        Column::text("where"),
        Column::text("verdict"),
        Column::text("why"),
    ];
    let mut table = Table::new("Verdicts", columns);
    let mut above = String::new();
    for kernel in all {
        let why = kernel.why();
        // A message of the compiler on a file is the reason of each kernel in the file.
        let shown = if why.contains('\n') && why == above { "as above" } else { why.as_str() };
        let verdict = kernel.verdict.to_owned();
        table.row([kernel.name.clone(), kernel.place(), verdict, shown.to_owned()]);
        above = why;
    }
    document.table(table);
    let next = match saved {
        Some(file) => {
            let file = quoted(&file.display().to_string());
            format!("Use them: raddle replay PROFILE --idempotent-from {file}")
        }
        None => {
            "What each answer means: docs/kernels.md. Keep them: --save verdicts.toml".to_owned()
        }
    };
    document.add(Block::Note(next));
    document
}

/// Result of `kernel instrument`: the source with the test of the preemption flag (by which a
/// running launch learns that it shall stop), the names of the kernels that got the test, and the
/// other kernels, each with the reason.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct PrologueReport {
    kernels: Vec<String>,
    opaque: Vec<OpaqueKernel>,
    source: String,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct OpaqueKernel {
    name: String,
    reason: String,
}

/// Checks that raddle wrote a source: it contains the test of the preemption flag (by which a
/// running launch learns that it shall stop). The error says that it does not.
fn instrumented(path: &Path) -> Result<(), String> {
    let otherwise = "it is no source that raddle has instrumented";
    place::holds(path, |text| text.contains("raddle_word"), otherwise)
}

fn put(args: &InstrumentArgs, format: Format, console: &mut Console) -> Result<(), CliError> {
    args.save.as_deref().map_or(Ok(()), |save| place::check(save, &instrumented))?;
    let shown = args.file.display().to_string();
    let source = std::fs::read_to_string(&args.file)
        .map_err(|cause| CliError::Unreadable { file: shown.clone(), cause })?;
    write(args, analysis::instrument(&args.file, &source, &args.build)?, format, console)
}

fn write(
    args: &InstrumentArgs,
    done: PrologueReport,
    format: Format,
    console: &mut Console,
) -> Result<(), CliError> {
    for OpaqueKernel { name, reason } in &done.opaque {
        // The new source may go to the standard output, so this goes to the error stream.
        console.note(&format!("{name} stays as it is: {reason}"));
    }
    if let Some(save) = &args.save {
        place::write_sealed(save, &done.source, Seal::Code, &instrumented)?;
    }
    let text = match (format, &args.save) {
        (Format::Json, _) => json(&done),
        (Format::Text, None) => done.source,
        (Format::Text, Some(_)) => format!("instrumented: {}\n", done.kernels.join(", ")),
    };
    console.stdout.write_all(text.as_bytes()).map_err(CliError::printing)
}
