//! Is each construct of `docs/kernels.md` that forbids a second run refused, with its line?

use raddle_kernel::{Compiler, Kernel, Verdict};

/// Returns a verdict as (word, construct that decided, line in the source).
fn said(kernel: &Kernel) -> (&'static str, String, u32) {
    match kernel.verdict() {
        Verdict::Idempotent => ("idempotent", String::new(), 0),
        Verdict::Conditional(_) => ("conditional", String::new(), 0),
        Verdict::Not(reason) => ("not", reason.construct.to_string(), reason.line),
        Verdict::Unknown(reason) => ("unknown", reason.construct.to_string(), reason.line),
        _ => ("", String::new(), 0),
    }
}

/// Returns the expected verdicts, from the lines of a source that end with `// REFUSED answer: what
/// decided`. Each kernel with such a line is refused once.
fn expected(source: &str) -> Vec<(&str, String, u32)> {
    let lines = source.lines().zip(1..);
    lines
        .filter_map(|(line, number)| {
            let (answer, why) = line.split_once("// REFUSED ")?.1.split_once(": ")?;
            Some((answer, why.to_owned(), number))
        })
        .collect()
}

/// Compiles an OpenCL C source, and returns its kernels; `None` where there is no compiler.
fn compiled(source: &str, options: &[&str]) -> Option<Vec<Kernel>> {
    let compiler = Compiler::find()?;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("refused.cl");
    std::fs::write(&file, source).expect("a file");
    let options: Vec<std::ffi::OsString> = options.iter().map(Into::into).collect();
    Some(compiler.kernels(&file, &options).expect("OpenCL C"))
}

fn check(source: &str, kernels: &[Kernel]) {
    // A kernel that the compiler itself makes begins with an underscore.
    let written = kernels.iter().filter(|kernel| !kernel.name().starts_with('_'));
    let mut found: Vec<_> = written.map(said).collect();
    found.sort_by_key(|said| said.2);
    let expected = expected(source);
    assert!(!expected.is_empty());
    assert_eq!(found, expected);
}

#[test]
fn constructs_of_opencl_c_are_refused_with_their_line() {
    let source = include_str!("../refused/first.cl");
    if let Some(kernels) = compiled(source, &[]) {
        check(source, &kernels);
    }
}

#[test]
fn constructs_of_opencl_c_2_are_refused_with_their_line() {
    let source = include_str!("../refused/second.cl");
    if let Some(kernels) = compiled(source, &["-cl-std=CL2.0"]) {
        check(source, &kernels);
    }
}

#[test]
fn constructs_of_ptx_are_refused_with_their_line() {
    let source = include_str!("../refused/refused.ptx");
    check(source, &Kernel::from_ptx(source).expect("PTX"));
}

/// Checks a source in which the device's compiler may take another branch, where the kernel
/// overwrites what it reads.
#[test]
fn what_another_compiler_may_build_is_not_judged() {
    let source = "__kernel void f(__global int *a) {\n  size_t i = get_global_id(0);\n#ifndef GPU\n  \
                  a[i] = i;\n#else\n  a[i] += 1;\n#endif\n}\n";
    let told = |options: &[&str]| compiled(source, options).map(|kernels| said(&kernels[0]));
    if let (Some(unknown), Some(without), Some(with)) =
        (told(&[]), told(&["-UGPU"]), told(&["-D", "GPU"]))
    {
        let why = "`GPU`, of which the device's compiler may know something else, decides";
        assert_eq!(unknown, ("unknown", why.to_owned(), 3));
        assert_eq!(without.0, "idempotent");
        assert_eq!(with.0, "not");
    }
}

#[test]
fn a_kernel_that_is_too_large_is_refused() {
    let mut source =
        ".version 8.0\n.target sm_70\n.address_size 64\n.visible .entry f()\n{\n.reg .b32 %r;\n"
            .to_owned();
    source += &"add.u32 %r, %r, 1;\n".repeat(200_001);
    source += "ret;\n}\n";
    let kernels = Kernel::from_ptx(&source).expect("PTX");
    let (answer, why, _) = said(kernels.first().expect("a kernel"));
    assert_eq!((answer, why.as_str()), ("unknown", "it is too large to be judged"));
}

/// Checks a module with an import of an instruction set that names none, found by the fuzz target.
#[test]
fn a_module_cut_inside_an_instruction_is_an_error() {
    // Magic number, version 1.0, generator, bound, schema; then OpExtInstImport with operands missing.
    for import in [0x0001_000b, 0x0002_000b] {
        let words = [0x0723_0203_u32, 0x0001_0000, 0, 1, 0, import];
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let error = Kernel::from_spirv(&bytes).expect_err("no operands").to_string();
        assert!(error.contains("SPIR-V"), "{error}");
    }
}

/// Checks a module with a constant whose operation is no operation, found by the fuzz target.
#[test]
fn a_constant_of_what_is_no_operation_is_an_error() {
    // A 32-bit integer type (1), then OpSpecConstantOp of it by OpConstant, OpSpecConstant, itself, OpSwitch.
    for operation in [43, 50, 52, 251] {
        let constant = [0x0005_0034, 1, 2, operation, 1];
        let mut words = vec![0x0723_0203_u32, 0x0001_0000, 0, 3, 0, 0x0004_0015, 1, 32, 0];
        words.extend(constant);
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let error = Kernel::from_spirv(&bytes).expect_err("no operation").to_string();
        assert!(error.contains("no operation"), "{error}");
    }
}
