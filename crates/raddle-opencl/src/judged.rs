//! Which kernels of an OpenCL program may be stopped, by the text of its source?

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::sync::OnceLock;

use raddle_kernel::instrument::{Look, variable};
use raddle_kernel::{ArgumentKind, Branches, Compiler, Kernel, Ranges, Verdict, undecided_macros};

use crate::counts::Count;

/// Returns whether a program may have variables that keep their values from one launch to the next,
/// as OpenCL C allows from version 2.0 on. A program built without an option for the version counts
/// as older.
pub(crate) fn has_variables(source: &str, options: &str) -> bool {
    let mut versions = options.split("-cl-std=").skip(1);
    let is_newer = versions.clone().any(|version| !version.starts_with("CL1."));
    let is_cpp = versions.any(|version| !version.starts_with("CL"));
    is_newer && (is_cpp || variable(source).is_some())
}

/// Results of the analysis of a kernel by the layer's own compiler.
pub(crate) struct Findings {
    /// Kind of test of the preemption flag by which a running launch of the kernel can be stopped
    /// part-way.
    pub(crate) look: Look,
    /// Verdict whether the kernel may be stopped part-way and run again.
    pub(crate) verdict: Verdict,
    /// Answer whether launches of the kernel may be cut into ranges of workgroups.
    pub(crate) ranges: Ranges,
    /// Kinds of the kernel's arguments; empty where they are not known.
    pub(crate) arguments: Vec<ArgumentKind>,
}

/// Judges whether each kernel of a source may be stopped and run again, and returns the findings by
/// kernel name. `answered` builds a test source with the device's compiler and returns the names of
/// its kernels, `None` where it does not build. The error is the counter for the reason why no
/// kernel could be judged.
pub(crate) fn judged(
    source: &str,
    options: &str,
    answered: impl Fn(&str) -> Option<BTreeSet<String>>,
) -> Result<BTreeMap<String, Findings>, Count> {
    static COMPILER: OnceLock<Option<Compiler>> = OnceLock::new();
    let compiler =
        COMPILER.get_or_init(Compiler::find).as_ref().ok_or(Count::UnjudgedNoCompiler)?;
    // Options in quotes are taken apart in ways that differ.
    if options.contains(['"', '\'', '\\']) {
        return Err(Count::UnjudgedNotCompiled);
    }
    let given = options;
    let mut options = for_verdicts(options);
    let asked = undecided_macros(source, &options);
    let mut taken = None;
    if !asked.is_empty() {
        let branches = Branches::of(source, given);
        taken = branches.and_then(|branches| branches.taken(&answered(&branches.question())?));
        // A file that is included need not build without the code around it.
        if taken.is_none() {
            options.extend(lacking(&asked, &answered).map(|name| format!("-U{name}").into()));
        }
    }
    let source = taken.as_deref().unwrap_or(source);
    let kernels = || {
        let folder = tempfile::tempdir().ok()?;
        let file = folder.path().join("kernels.cl");
        std::fs::write(&file, source).ok()?;
        compiler.kernels(&file, &options).ok()
    };
    let kernels = kernels().ok_or(Count::UnjudgedNotCompiled)?;
    Ok(kernels.iter().map(found).collect())
}

fn found(kernel: &Kernel) -> (String, Findings) {
    let (look, verdict, ranges) = (kernel.look(), kernel.verdict(), kernel.ranges());
    let arguments = kernel.arguments().iter().map(|argument| argument.kind).collect();
    (kernel.name().to_owned(), Findings { look, verdict, ranges, arguments })
}

/// Judges whether each kernel of a SPIR-V module may be stopped and run again, and returns the
/// findings by kernel name. The error is the counter for launches whose code could not be read.
pub(crate) fn judged_module(module: &[u8]) -> Result<BTreeMap<String, Findings>, Count> {
    let kernels = Kernel::from_spirv(module).map_err(|_| Count::UnjudgedNotCompiled)?;
    Ok(kernels.iter().map(found).collect())
}

/// Returns those of the macros `names` that the device's compiler does not define; none where that
/// cannot be found out. `answered` builds a test source with that compiler and returns the names of
/// the kernels in it.
fn lacking(
    names: &[String],
    answered: impl Fn(&str) -> Option<BTreeSet<String>>,
) -> impl Iterator<Item = &String> {
    // A kernel for each macro that is not defined, and one more, as a program needs one.
    let kernel = |name: &str| format!("__kernel void raddle_{name}(void) {{ }}\n");
    let question =
        |(at, name)| format!("#ifndef {name}\n{}#endif\n", kernel(&format!("lacks_{at}")));
    let questions = names.iter().enumerate().map(question);
    let found = answered(&questions.chain([kernel("asks")]).collect::<String>());
    let found = found.unwrap_or_default();
    let named = names.iter().enumerate();
    named.filter(move |(at, _)| found.contains(&format!("raddle_lacks_{at}"))).map(|(_, name)| name)
}

/// Returns those build options that change the meaning of the source: `-D`, `-U`, `-I` and
/// `-cl-std=`.
fn for_verdicts(options: &str) -> Vec<OsString> {
    let mut kept = Vec::new();
    let mut words = options.split_whitespace();
    while let Some(word) = words.next() {
        match word {
            "-D" | "-U" | "-I" => {
                kept.push(OsString::from(word));
                kept.extend(words.next().map(OsString::from));
            }
            _ if ["-D", "-U", "-I", "-cl-std="].iter().any(|begin| word.starts_with(begin)) => {
                kept.push(OsString::from(word));
            }
            _ => {}
        }
    }
    kept
}
