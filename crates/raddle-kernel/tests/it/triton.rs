//! Are kernels in Triton's cache judged, and is the prologue accepted there?

use std::path::{Path, PathBuf};

use raddle_kernel::instrument::ptx;
use raddle_kernel::{Construct, Kernel, Verdict};

use crate::machine::{assemble, assembler};

/// Returns the PTX of each kernel in Triton's cache, as (name, text).
fn cache() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/triton");
    let within = |folder: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).into_iter().flatten();
        entries.map(|entry| entry.expect("an entry").path()).collect()
    };
    let files = within(&folder).into_iter().flat_map(|folder| within(&folder));
    let ptx = files.filter(|file| file.extension().is_some_and(|ending| ending == "ptx"));
    let mut cache: Vec<(String, String)> = ptx
        .map(|file| {
            let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
            (name, std::fs::read_to_string(&file).expect("PTX"))
        })
        .collect();
    cache.sort();
    cache
}

#[test]
fn kernels_of_triton_get_their_verdicts() {
    let cache = cache();
    assert_eq!(cache.len(), 4);
    for (name, text) in cache {
        let kernels = Kernel::from_ptx(&text).expect("PTX");
        let [kernel] = kernels.as_slice() else { panic!("{name}: one kernel") };
        assert_eq!(kernel.name(), name);
        let verdict = kernel.verdict();
        match name.as_str() {
            "add_kernel" => assert_eq!(verdict, Verdict::Conditional([(0, 2), (1, 2)].into())),
            "softmax_rows" => assert_eq!(verdict, Verdict::Conditional([(0, 1)].into())),
            "count" => {
                assert!(matches!(verdict, Verdict::Not(why) if why.construct == Construct::Atomic));
            }
            // Two places in a work-item, of which each is read and overwritten.
            _ => assert!(matches!(verdict, Verdict::Not(_) | Verdict::Unknown(_)), "{verdict:?}"),
        }
    }
}

#[test]
fn kernels_of_triton_take_the_prologue() {
    let Some(assembler) = assembler() else { return };
    for (name, text) in cache() {
        let kernels = Kernel::from_ptx(&text).expect("PTX");
        let done = ptx(&text, |_| kernels[0].look()).expect("PTX");
        assert_eq!(done.kernels, [name]);
        for target in ["80", "90", "120"] {
            let source = done.source.replace(".target sm_80", &format!(".target sm_{target}"));
            assemble(&assembler, &source, target);
        }
    }
}
