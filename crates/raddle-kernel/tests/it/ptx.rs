//! Are PTX kernels judged as their sources in OpenCL C would be, and is the prologue accepted?

use std::path::Path;

use raddle_kernel::instrument::ptx;
use raddle_kernel::{Construct, Kernel, Look, Verdict};

use crate::machine::{assemble, assembler};

fn text(name: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ptx").join(name);
    std::fs::read_to_string(file).expect("a file of PTX")
}

#[test]
fn kernels_of_a_compiler_get_their_verdicts() {
    let verdicts: Vec<(String, Verdict)> = Kernel::from_ptx(&text("four.ptx"))
        .expect("PTX")
        .iter()
        .map(|kernel| (kernel.name().to_owned(), kernel.verdict()))
        .collect();
    let of = |name: &str| &verdicts.iter().find(|(known, _)| known == name).expect("a kernel").1;
    assert_eq!(*of("gemm"), Verdict::Conditional([(0, 2), (1, 2)].into()));
    assert_eq!(*of("twice_of"), Verdict::Conditional([(0, 1)].into()));
    assert!(
        matches!(of("saxpy"), Verdict::Not(why) if matches!(why.construct, Construct::InPlace(_)))
    );
    assert!(matches!(of("histogram"), Verdict::Not(why) if why.construct == Construct::Atomic));
}

/// Constants of PTX need not have the sign of their type, so that they decide no branch: -1 is
/// the largest number of 32 bits.
#[test]
fn constants_decide_no_branch() {
    let text = ".version 8.0\n.target sm_70\n.address_size 64\n.visible .entry f(.param .u64 c)\n{\n\
                .reg .b64 %c;\n.reg .b32 %v, %low, %high;\n.reg .pred %p;\n\
                ld.param.u64 %c, [c];\nmov.u32 %low, -1;\nmov.u32 %high, 4294967295;\n\
                setp.ne.s32 %p, %low, %high;\n@%p bra L;\nld.global.u32 %v, [%c];\n\
                add.u32 %v, %v, 1;\nst.global.u32 [%c], %v;\nL:\nret;\n}\n";
    let kernels = Kernel::from_ptx(text).expect("PTX");
    assert!(matches!(kernels[0].verdict(), Verdict::Not(_)), "{:?}", kernels[0].verdict());
}

#[test]
fn pointers_and_registers_are_not_taken_for_others() {
    let kernels = Kernel::from_ptx(&text("traps.ptx")).expect("PTX");
    let of = |name: &str| kernels.iter().find(|k| k.name() == name).expect("a kernel").verdict();
    // A register that holds the value of the round before is not what is assigned to it later.
    assert!(matches!(of("before"), Verdict::Not(_)), "{:?}", of("before"));
    // A 64-bit number may look like a pointer; the pair of the pointers is named all the same.
    assert!(matches!(of("bytes"), Verdict::Conditional(all) if all.apart.contains(&(0, 1))));
    assert_eq!(of("turn"), Verdict::Conditional([(0, 3), (1, 3), (2, 3)].into()));
    // A pointer in a structure, or that of an argument.
    assert!(
        matches!(of("chosen"), Verdict::Unknown(why) if why.construct == Construct::PointerFromMemory)
    );
}

#[test]
fn a_guard_that_is_cleared_last_keeps_the_second_run_out() {
    let kernels = Kernel::from_ptx(&text("guards.ptx")).expect("PTX");
    assert_eq!(kernels.len(), 14);
    for kernel in kernels {
        let every = |count: u32| (0..count).flat_map(move |b| (0..b).map(move |a| (a, b)));
        let (name, verdict) = (kernel.name(), kernel.verdict());
        match name {
            "guard_last" => assert_eq!(verdict, Verdict::Conditional(every(2).collect())),
            "guard_number" => assert_eq!(verdict, Verdict::Conditional(every(3).collect())),
            "guard_of_search" => assert_eq!(verdict, Verdict::Conditional(every(4).collect())),
            // As in OpenCL C: `tests/corpus/in_place.cl` says why.
            _ => assert!(matches!(verdict, Verdict::Unknown(_)), "{name}: {verdict:?}"),
        }
    }
}

/// Returns the verdict on a kernel `f` in PTX with one pointer, a 32-bit index and this code; the
/// address of `c` is in `%c`.
fn handwritten(code: &str) -> Verdict {
    let source = format!(
        ".version 8.0\n.target sm_70\n.address_size 64\n.visible .entry f(.param .u64 c, .param .u32 n, .param .u16 b)\n{{\n\
         .reg .b64 %c, %a, %b, %x, %y;\n.reg .b32 %r, %s, %v;\n.reg .pred %p;\n\
         ld.param.u64 %c, [c];\ncvta.to.global.u64 %c, %c;\n{code}\nret;\n}}\n"
    );
    Kernel::from_ptx(&source).expect("PTX").first().expect("a kernel").verdict()
}

#[test]
fn values_that_only_look_equal_cover_nothing() {
    let access = "mul.wide.u32 %x, %r, 4; mul.wide.u32 %y, %s, 4; add.s64 %a, %c, %x; add.s64 %b, %c, %y;\n\
                  st.global.u32 [%a], 0; ld.global.u32 %v, [%b]; add.s32 %v, %v, 1; st.global.u32 [%b], %v;";
    // An equal index covers, so each refusal below is due to its index.
    let same = format!("ld.param.u32 %r, [n]; ld.param.u32 %s, [n];\n{access}");
    assert_eq!(handwritten(&same), Verdict::Idempotent);
    for index in [
        // Parts of one parameter.
        "ld.param.u8 %r, [n]; ld.param.u32 %s, [n];",
        // A sign fills the upper bits, or zeros do; a store leaves them out.
        ".global .b8 g[8]; ld.global.u8 %r, [g]; ld.global.s8 %s, [g];",
        ".local .b8 l[8]; ld.param.u32 %r, [n]; st.local.u8 [l], %r; ld.local.u8 %s, [l];",
        ".local .b8 l[8]; ld.param.u32 %v, [n]; st.local.u16 [l], %v; ld.local.u16 %r, [l]; ld.local.s16 %s, [l];",
        "ld.param.u8 %r, [n]; ld.param.s8 %s, [n];",
        "ld.param.s16 %r, [b]; ld.param.u16 %s, [b];",
        // A carry is no operand.
        "ld.param.u32 %v, [n]; add.cc.u32 %r, %v, %v; addc.u32 %r, %v, 0; add.cc.u32 %s, %v, 1; addc.u32 %s, %v, 0;",
        // A register changes between two packings of the same text.
        "ld.param.u32 %v, [n]; mov.b64 %x, {%v, %v}; cvt.u32.u64 %r, %x; add.u32 %v, %v, 1; mov.b64 %x, {%v, %v}; cvt.u32.u64 %s, %x;",
    ] {
        let verdict = handwritten(&format!("{index}\n{access}"));
        assert!(matches!(verdict, Verdict::Not(_) | Verdict::Unknown(_)), "{index}: {verdict:?}");
    }
}

/// Checks that reads of constant memory, which the host cannot write while the kernel runs, and
/// votes of named lanes do not forbid a second run.
#[test]
fn constants_and_votes_of_named_lanes_are_harmless() {
    let table = ".const .b8 t[8]; ld.const.u32 %v, [t]; st.global.u32 [%c], %v;";
    assert_eq!(handwritten(table), Verdict::Idempotent);
    let vote = "setp.ne.u64 %p, %c, 0; vote.sync.ballot.b32 %v, %p, -1; st.global.u32 [%c], %v;";
    assert_eq!(handwritten(vote), Verdict::Idempotent);
    // Nobody reads there.
    assert_eq!(handwritten("discard.global.L2 [%c], 128;"), Verdict::Idempotent);
}

#[test]
fn loops_that_go_on_by_opposite_conditions_visit_other_places() {
    let round = |name: &str, access: &str, on: &str| {
        format!(
            "mov.u32 %r, 0;\n{name}: mul.wide.u32 %x, %r, 4; add.s64 %a, %c, %x; {access}\n\
             add.u32 %r, %r, 1; setp.lt.u32 %p, %r, %s;\n@{on}%p bra {name};\n"
        )
    };
    let both = |first: &str, second: &str| {
        let write = round("W", "st.global.u32 [%a], 0;", first);
        let read = round("R", "ld.global.u32 %v, [%a];", second);
        handwritten(&format!("ld.param.u32 %s, [n];\n{write}{read}"))
    };
    assert_eq!(both("", ""), Verdict::Idempotent);
    assert_eq!(both("!", "!"), Verdict::Idempotent);
    assert!(matches!(both("!", ""), Verdict::Unknown(_)), "{:?}", both("!", ""));
    assert!(matches!(both("! ", ""), Verdict::Unknown(_)), "{:?}", both("! ", ""));
}

#[test]
fn every_output_is_accepted_and_needs_no_more_registers() {
    let Some(assembler) = assembler() else { return };
    let before = text("four.ptx");
    let after = ptx(&before, |_| Look::Workgroup).expect("PTX");
    assert_eq!(after.kernels.len(), 4);
    assert_eq!(after.opaque, []);
    let never = ptx(&before, |_| Look::Never).expect("PTX");
    for target in ["50", "60", "70", "75", "80", "86", "89", "90", "100", "120"] {
        let registers = |source: &str| registers(&assembler, source, target);
        let plain = registers(&before);
        assert_eq!(plain.len(), 4);
        for source in [&after.source, &never.source] {
            // Registers are given out by eights from Volta on; before it the prologue itself needs 10,
            // which changes no occupancy: up to 32 are free.
            let old = target < "70" && target.len() == 2;
            let room = |count: u32| if old { count.max(10) } else { count.next_multiple_of(8) };
            let more: Vec<_> = registers(source)
                .into_iter()
                .zip(&plain)
                .filter(|(a, b)| a.1 > room(b.1))
                .collect();
            assert!(more.is_empty(), "sm_{target}: {more:?}");
        }
    }
}

/// Returns the kernels of a source with their numbers of registers, as the assembler counts them.
fn registers(assembler: &Path, source: &str, target: &str) -> Vec<(String, u32)> {
    let (said, _) = assemble(assembler, source, target);
    let mut name = String::new();
    let mut found = Vec::new();
    for line in said.lines() {
        if let Some(rest) = line.split("entry function '").nth(1) {
            name = rest.split('\'').next().unwrap_or("").to_owned();
        } else if let Some(rest) = line.split("Used ").nth(1) {
            let count = rest.split(' ').next().and_then(|count| count.parse().ok());
            found.push((name.clone(), count.expect("a number")));
        }
    }
    found.sort();
    found
}

#[test]
fn what_is_no_ptx_is_refused_with_its_line() {
    for (text, line) in [
        ("", 1),
        ("int main() {}", 1),
        (".version 8.0\n.entry f(", 2),
        (".version 8.0\n.target sm_50\n.entry f() {\n  ret\n}", 4),
        (".version 8.0\n.entry f()\n{ ret;\n", 4),
    ] {
        let error = Kernel::from_ptx(text).expect_err(text).to_string();
        assert!(error.starts_with(&format!("line {line} ")), "{text:?}: {error}");
    }
}
