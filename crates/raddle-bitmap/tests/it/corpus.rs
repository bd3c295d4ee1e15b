//! Does every script that fuzzing found worth keeping still go well?

use std::path::Path;

#[test]
fn the_corpus_of_scripts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../xtask/fuzz/corpus/bitmap");
    let entries = std::fs::read_dir(&folder).expect("the target has a corpus");
    let mut seen = 0;
    for entry in entries {
        crate::script::run(&std::fs::read(entry.expect("readable").path()).expect("readable"));
        seen += 1;
    }
    assert!(seen >= 10, "{seen} scripts");
}
