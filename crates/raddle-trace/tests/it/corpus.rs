//! Does everything that fuzzing found worth keeping still keep its promises?

use std::path::Path;

use crate::common::promises::{Target, import};

#[test]
fn the_corpus_of_each_target() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../xtask/fuzz/corpus");
    for target in Target::ALL {
        let folder = corpus.join(target.name());
        let entries = std::fs::read_dir(&folder).expect("every target has a corpus");
        let mut seen = 0;
        for entry in entries {
            import(target, &std::fs::read(entry.expect("readable").path()).expect("readable"));
            seen += 1;
        }
        assert!(seen >= 10, "{}: {seen} inputs", target.name());
    }
}
