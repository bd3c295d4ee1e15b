//! Does the machine code look at the word before anything else that has an effect?

use std::path::{Path, PathBuf};
use std::process::Command;

use raddle_kernel::Look;
use raddle_kernel::instrument::ptx;

/// Finds a program in `PATH`, or by the environment variable `variable`; `None`, with a message,
/// where there is none.
fn program(name: &str, variable: &str) -> Option<PathBuf> {
    let given = std::env::var_os(variable).map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut found = std::env::split_paths(&path).map(|folder| folder.join(name));
    let found = given.or_else(|| found.find(|file| file.is_file()));
    if found.is_none() {
        println!("skipped: no {name}");
    }
    found
}

pub(crate) fn assembler() -> Option<PathBuf> {
    program("ptxas", "RADDLE_PTXAS")
}

/// Assembles a PTX source; returns (messages of the assembler, machine code).
pub(crate) fn assemble(assembler: &Path, source: &str, target: &str) -> (String, Vec<u8>) {
    let scratch = tempfile::tempdir().expect("a folder");
    let (file, out) = (scratch.path().join("a.ptx"), scratch.path().join("a.cubin"));
    let source = source.replace(".target sm_52", &format!(".target sm_{target}"));
    let source = if target > "90" || target.len() > 2 {
        source.replace(".version 8.3", ".version 8.8")
    } else {
        source
    };
    // Code that was instrumented for an old device has atomic operations that every device has.
    std::fs::write(&file, source).expect("a file");
    let done = Command::new(assembler)
        .args(["-v", &format!("-arch=sm_{target}"), "-o"])
        .args([&out, &file])
        .output()
        .expect("ptxas");
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.status.success(), "sm_{target}: {said}");
    (said, std::fs::read(&out).expect("machine code"))
}

/// Name of a kernel and its machine instructions, each as (true if it has a predicate, its words).
type Listed = (String, Vec<(bool, String)>);

/// Lists the kernels in machine code; `None` where the disassembler does not know the device.
fn listing(disassembler: &Path, code: &[u8]) -> Option<Vec<Listed>> {
    let scratch = tempfile::tempdir().expect("a folder");
    let file = scratch.path().join("a.cubin");
    std::fs::write(&file, code).expect("a file");
    let done = Command::new(disassembler).arg("-c").arg(&file).output().expect("nvdisasm");
    let error = String::from_utf8_lossy(&done.stderr);
    if error.contains("is deprecated") {
        return None;
    }
    assert!(done.status.success(), "{error}");
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    let mut kernels: Vec<Listed> = Vec::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix(".text.").and_then(|rest| rest.strip_suffix(':')) {
            kernels.push((name.to_owned(), Vec::new()));
        } else if let Some((_, code)) = line.split_once("*/").filter(|_| line.contains("/*0"))
            && let Some((_, instructions)) = kernels.last_mut()
        {
            // Two instructions that begin together stand in braces.
            let code = code.trim_matches([' ', '{', '}']);
            let (predicated, code) = match code.strip_prefix('@') {
                Some(rest) => (true, rest.split_once(' ').map_or("", |(_, code)| code.trim())),
                None => (false, code),
            };
            let code = code.split(';').next().unwrap_or("").trim();
            // Some devices list in further columns what an instruction waits for.
            let code = code.split("  ").next().unwrap_or("");
            instructions.push((predicated, code.to_owned()));
        }
    }
    Some(kernels)
}

/// Returns whether an instruction has an effect that others can see, or waits for others.
fn has_effect(code: &str) -> bool {
    let op = code.split(['.', ' ']).next().unwrap_or("");
    ["ST", "RED", "ATOM", "BAR", "SU", "CALL", "UTMA", "UBLK", "TEX", "TLD", "LD", "SYNCS"]
        .iter()
        .any(|begin| op.starts_with(begin) && !op.starts_with("LDC"))
}

#[test]
fn the_look_at_the_word_comes_first_in_machine_code() {
    let Some(assembler) = assembler() else { return };
    let Some(disassembler) = program("nvdisasm", "RADDLE_NVDISASM") else { return };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ptx");
    let before = std::fs::read_to_string(folder.join("four.ptx")).expect("PTX");
    let after = ptx(&before, |_| Look::Never).expect("PTX").source;
    for target in ["50", "60", "70", "75", "80", "90", "100", "120"] {
        let listed = |source| listing(&disassembler, &assemble(&assembler, source, target).1);
        let Some((plain, found)) = listed(&before).zip(listed(&after)) else {
            println!("skipped: this nvdisasm does not know sm_{target}, version 12 does");
            continue;
        };
        // Before sm_70 a volatile read is one that passes the caches.
        let (word, cut, decision) = match target {
            "50" | "60" => ("LDG.E.CV ", "LDG.E.CV.64 ", "ATOM.E.CAS "),
            _ => ("LDG.E.STRONG.SYS ", "LDG.E.64.STRONG.SYS ", "ATOMG.E.CAS.STRONG"),
        };
        assert_eq!(found.iter().filter(|kernel| plain.iter().any(|p| p.0 == kernel.0)).count(), 4);
        for (name, code) in &found {
            let effects = code.iter().filter(|(_, code)| has_effect(code) || code == "EXIT");
            let effects: Vec<(bool, &str)> =
                effects.map(|(predicated, code)| (*predicated, code.as_str())).collect();
            let at = format!("{name} for sm_{target}: {effects:?}");
            let begins = |index: usize, begin: &str| {
                effects.get(index).is_some_and(|(_, code)| code.starts_with(begin))
            };
            // The word, the cut, the decision of all, the way out: and only then the kernel.
            assert!(begins(0, word), "{at}");
            assert!(begins(1, cut), "{at}");
            assert!(begins(2, decision), "{at}");
            assert_eq!(effects.get(3), Some(&(true, "EXIT")), "{at}");
        }
        // A kernel without the prologue does not look like that, or the test says nothing.
        assert!(plain.iter().all(|(_, code)| {
            code.iter()
                .find(|(_, code)| has_effect(code))
                .is_none_or(|(_, code)| !code.starts_with(word))
        }));
    }
}
