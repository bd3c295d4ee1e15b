//! Do the committed inputs of the fuzz target keep its promises?

use std::fs;
use std::path::Path;

use crate::promises;

#[test]
fn every_committed_input() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../xtask/fuzz/corpus/packet");
    // A package outside the repository has no corpus.
    let Ok(entries) = fs::read_dir(folder) else { return };
    let inputs: Vec<_> = entries.flatten().map(|entry| fs::read(entry.path()).unwrap()).collect();
    assert!(inputs.len() >= 8, "{} inputs", inputs.len());
    inputs.iter().for_each(|input| promises::run(input));
}
