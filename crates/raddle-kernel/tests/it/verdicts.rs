//! Does each kernel of the corpus get the verdict that is expected?

use raddle_kernel::{Compiler, Kernel, Verdict};

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

/// A kernel of many loops behind each other and within each other, in PTX.
fn loops(count: usize) -> String {
    let mut text = ".version 8.0\n.target sm_70\n.address_size 64\n.visible .entry f(.param .u64 c, .param .u32 n)\n{\n\
                    .reg .b64 %c;\n.reg .b32 %n, %s, %i, %j;\n.reg .pred %p;\n\
                    ld.param.u64 %c, [c];\nld.param.u32 %n, [n];\nmov.u32 %s, 0;\n"
        .to_owned();
    for at in 0..count {
        text += &format!(
            "mov.u32 %i, 0;\nA{at}: mov.u32 %j, 0;\nB{at}: add.u32 %s, %s, %j;\nadd.u32 %j, %j, 1;\n\
             setp.lt.u32 %p, %j, %n;\n@%p bra B{at};\nadd.u32 %i, %i, 1;\n\
             setp.lt.u32 %p, %i, %n;\n@%p bra A{at};\n"
        );
    }
    text + "st.global.u32 [%c], %s;\nret;\n}\n"
}

#[test]
fn many_loops_are_not_too_many() {
    for count in [1, 10, 200] {
        let kernels = Kernel::from_ptx(&loops(count)).expect("PTX");
        assert_eq!(kernels.first().expect("a kernel").verdict(), Verdict::Idempotent, "{count}");
    }
}
