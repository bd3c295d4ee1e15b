//! Does each kernel of the corpus get the verdict that is expected?

use raddle_kernel::{Compiler, Verdict};

use crate::corpus::{cases, files};

#[test]
fn each_kernel_of_the_corpus_gets_its_verdict() {
    let Some(compiler) = Compiler::find() else {
        assert!(std::env::var_os("RADDLE_REQUIRE_CLANG").is_none(), "clang-15 and llvm-spirv-15");
        println!("skipped: no clang with llvm-spirv");
        return;
    };
    let cases = cases();
    assert!(cases.len() >= 60, "{}", cases.len());
    let mut wrong = Vec::new();
    for file in files() {
        let kernels = compiler.kernels(&file, &[]).expect("a file that compiles");
        for case in cases.iter().filter(|case| case.file == file) {
            let kernel = kernels.iter().find(|kernel| kernel.name() == case.name);
            let verdict = kernel.expect("the kernel").verdict();
            let (found, pairs) = match &verdict {
                Verdict::Idempotent => ("idempotent", Default::default()),
                Verdict::Conditional(pairs) => ("conditional", pairs.clone()),
                Verdict::Not(_) => ("not", Default::default()),
                _ => ("unknown", Default::default()),
            };
            if (found, &pairs) != (&*case.expect, &case.pairs) {
                wrong.push(format!(
                    "{}: {verdict:?}, expected {} {:?}",
                    case.name, case.expect, case.pairs
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
