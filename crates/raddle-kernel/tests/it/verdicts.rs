//! Does each kernel of the corpus get the verdict that is expected?

use raddle_kernel::launch::{LaunchSizes, Range, may_run_again};
use raddle_kernel::{Conditions, Construct, Kernel, Look, Reason, Verdict};

use crate::corpus::{Case, cases, compiler, files};

#[test]
fn each_kernel_of_the_corpus_gets_its_verdict() {
    let Some(compiler) = compiler() else { return };
    let cases = cases();
    assert!(cases.len() >= 60, "{}", cases.len());
    let (mut wrong, mut refused) = (Vec::new(), Vec::new());
    for file in files() {
        let kernels = compiler.kernels(&file, &[]).expect("a file that compiles");
        for case in cases.iter().filter(|case| case.file == file) {
            let kernel = kernels.iter().find(|kernel| kernel.name() == case.name);
            let verdict = kernel.expect("the kernel").verdict();
            let (found, conditions) = match &verdict {
                Verdict::Idempotent => ("idempotent", Conditions::default()),
                Verdict::Conditional(conditions) => ("conditional", conditions.clone()),
                Verdict::Not(_) => ("not", Conditions::default()),
                _ => ("unknown", Conditions::default()),
            };
            let conditions = (
                conditions.apart,
                conditions.zero,
                conditions.places.arguments().into_iter().collect(),
            );
            let expected = (case.pairs.clone(), case.zero.clone(), case.places.clone());
            if case.holds && !case.places.is_empty() && case.truth != "idempotent" {
                wrong.push(format!("{}: its condition holds", case.name));
            }
            wrong.extend((at_launch(&verdict, case) != case.holds).then(|| {
                format!("{}: its condition on places does not hold as the case says", case.name)
            }));
            if case.truth == "idempotent" && matches!(found, "not" | "unknown") {
                refused.push(&*case.name);
            }
            if (found, &conditions) != (&*case.expect, &expected) {
                wrong.push(format!(
                    "{}: {verdict:?}, expected {} {expected:?}",
                    case.name, case.expect
                ));
            }
        }
    }
    let all = cases.iter().filter(|case| case.truth == "idempotent").count();
    let (count, names) = (refused.len(), refused.join(", "));
    println!("refused of {all} idempotent kernels: {count} ({} %): {names}", 100 * count / all);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns whether the condition of a verdict on places holds at the launch of the case, whose other
/// conditions do not count; true where there is none.
fn at_launch(verdict: &Verdict, case: &Case) -> bool {
    let Verdict::Conditional(conditions) = verdict else { return true };
    let places = conditions.places.clone();
    let alone = Verdict::Conditional(Conditions { places, ..Conditions::default() });
    let bytes: Vec<Option<Vec<u8>>> = (0..64).map(|index| case.bytes(index)).collect();
    let of = |index: u32| bytes.get(index as usize)?.as_deref();
    may_run_again(&alone, &[], of, &case.sizes())
}

/// Returns a PTX kernel of many loops, behind each other and within each other.
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

#[test]
fn a_call_of_code_that_is_not_there_is_unknown_with_its_line() {
    let ptx = ".version 8.0\n.target sm_80\n.address_size 64\n.extern .func f(.param .b64 p)\n;\n\
               .visible .entry k(.param .u64 a)\n{\n.reg .b64 %rd<2>;\n\
               ld.param.u64 %rd1, [a];\n{\n.param .b64 p;\nst.param.b64 [p], %rd1;\n\
               call.uni f, (p);\n}\nret;\n}\n";
    let expected =
        |line| Verdict::Unknown(Reason { construct: Construct::Call("f".to_owned()), line });
    assert_eq!(Kernel::from_ptx(ptx).expect("PTX")[0].verdict(), expected(13));
    let Some(compiler) = compiler() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("call.cl");
    let source = "int f(int n);\n__kernel void k(__global int *c) {\n  c[0] = f(3);\n}\n";
    std::fs::write(&file, source).expect("a file");
    let kernels = compiler.kernels(&file, &[]).expect("a file that compiles");
    assert_eq!(kernels[0].verdict(), expected(3));
}

/// Functions that only newer devices have, and that translators leave as calls or make an instruction.
#[test]
fn dot_products_and_bits_are_values_of_their_arguments() {
    let Some(compiler) = compiler() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("pure.cl");
    let source = "
__kernel void quantised(__global const uint *a, __global const uchar4 *b, __global int *c) {
  size_t i = get_global_id(0);
  int sum = dot_acc_sat_4x8packed_ss_int(a[i], a[i + 1], 3);
  c[i] = sum + (int)dot(b[i], b[i + 1]) + (int)bit_reverse(a[i]) + bitfield_extract_signed(a[i], 1, 2);
}
";
    std::fs::write(&file, source).expect("a file");
    let kernels = compiler.kernels(&file, &["-cl-std=CL3.0".into()]).expect("a file that compiles");
    assert_eq!(kernels[0].verdict(), Verdict::Conditional([(0, 2), (1, 2)].into()));
}

#[test]
fn only_kernels_that_meet_look_once_a_workgroup() {
    let Some(compiler) = compiler() else { return };
    let mut looks = std::collections::BTreeMap::new();
    for file in files() {
        for kernel in compiler.kernels(&file, &[]).expect("a file that compiles") {
            looks.insert(kernel.name().to_owned(), kernel.look());
        }
    }
    for (name, look) in [
        ("copy", Look::WorkItem),
        ("reduce", Look::Workgroup),
        ("async_in", Look::Workgroup),
        ("axpy", Look::Never),
        ("local_slots", Look::Never),
    ] {
        assert_eq!(looks[name], look, "{name}");
    }
}

const SIZES: LaunchSizes = LaunchSizes { offset: [0; 3], global: [64, 1, 1], local: None };

#[test]
fn an_argument_of_unknown_extent_counts_as_shared() {
    let verdict = Verdict::Conditional([(0, 1)].into());
    let may = |ranges: &[Range]| may_run_again(&verdict, ranges, |_| None, &SIZES);
    assert!(!may(&[Range::new(0, 64)]));
    assert!(!may(&[]));
    assert!(may(&[Range::new(0, 64), Range::EMPTY]));
    assert!(may(&[Range::new(0, 64), Range::new(64, 1)]));
    assert!(may_run_again(&Verdict::Idempotent, &[], |_| None, &SIZES));
}

#[test]
fn a_number_that_must_be_zero_is_looked_at() {
    let conditions =
        Conditions { apart: [(0, 1)].into(), zero: [2].into(), ..Conditions::default() };
    let verdict = Verdict::Conditional(conditions);
    let apart = [Range::new(0, 64), Range::new(64, 64)];
    let may = |ranges: &[Range], third: &[u8]| {
        may_run_again(&verdict, ranges, |index| (index == 2).then_some(third), &SIZES)
    };
    assert!(may(&apart, &[0; 4]));
    assert!(!may(&apart, &[0, 0, 0, 1]));
    assert!(!may(&[Range::new(0, 64); 2], &[0; 4]));
    assert!(!may_run_again(&verdict, &apart, |_| None, &SIZES));
}
