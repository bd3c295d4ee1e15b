//! Does the prologue do what the word and the cuts say?

use opencl3::kernel::Kernel as Runs;
use raddle_kernel::instrument::{KILLED, LEAVES, Opaque, RUNS, UNDECIDED, opencl, spirv};
use raddle_kernel::{Kernel, Look};

use crate::corpus::{Case, cases, compiler, files};
use crate::device::{Memory, More, OpenCl, start};

/// Number of the tested launch; the next constants are pairs of cuts: first launch and number of
/// launches that leave, first launch and number of launches that are killed.
const NUMBER: u32 = 41;
const NO_CUT: [u32; 4] = [0, 0, 0, 0];
const LEAVE: [u32; 4] = [40, 2, 0, 0];
const KILL: [u32; 4] = [0, 0, 41, 1];

#[test]
fn instrumented_kernels_run_leave_and_are_killed() {
    let (Some(device), Some(compiler)) = (OpenCl::open(), compiler()) else { return };
    let cases = cases();
    let mut seen = [0_u32; 2];
    for file in files() {
        let source = std::fs::read_to_string(&file).expect("a file");
        let kernels = compiler.kernels(&file, &[]).expect("kernels");
        let look = |name: &str| {
            kernels.iter().find(|kernel| kernel.name() == name).map_or(Look::Never, |k| k.look())
        };
        let done = opencl(&source, look);
        assert_eq!(done.opaque, [], "{}", file.display());
        let (plain, instrumented) = (device.program(&source), device.program(&done.source));
        for case in cases.iter().filter(|case| case.file == file && case.truth != "skip") {
            assert!(done.kernels.contains(&case.name));
            let plain = Runs::create(&plain, &case.name).expect("the kernel");
            let kernel = Runs::create(&instrumented, &case.name).expect("the kernel");
            let start = start(case, 5);
            let buffers = device.buffers(&start);
            device.launch(&plain, case, &buffers, None, &[]);
            let whole = device.memory(&buffers, &start);
            let bench = Bench { device: &device, kernel, case, start: &start };
            let untouched = device.memory(&device.buffers(&start), &start);
            assert_eq!(bench.run(UNDECIDED, NO_CUT, 1), (whole.clone(), RUNS), "{}", case.name);
            assert_eq!(
                bench.run(UNDECIDED, LEAVE, 1),
                (untouched.clone(), LEAVES),
                "{}",
                case.name
            );
            // Taken back by the host before it began.
            assert_eq!(bench.run(LEAVES, NO_CUT, 1), (untouched, LEAVES), "{}", case.name);
            let (_, word) = bench.run(UNDECIDED, KILL, 1);
            let may = look(&case.name) != Look::Never;
            assert_eq!(word, if may { KILLED } else { RUNS }, "{}", case.name);
            seen[usize::from(may)] += 1;
        }
    }
    assert!(seen.iter().all(|count| *count > 10), "{seen:?}");
}

struct Bench<'b> {
    device: &'b OpenCl,
    kernel: Runs,
    case: &'b Case,
    start: &'b Memory,
}

impl Bench<'_> {
    /// Returns the memory and the word that holds the launch's state (such as `RUNS`), after a
    /// launch that begins with this word and these cuts (ranges of launch numbers that leave or are
    /// killed).
    fn run(&self, word: u32, cuts: [u32; 4], slot: u32) -> (Memory, u32) {
        let buffers = self.device.buffers(self.start);
        let bytes =
            |words: &[u32]| words.iter().flat_map(|word| word.to_ne_bytes()).collect::<Vec<u8>>();
        let words = self.device.buffer(&bytes(&[9, word, 9]));
        let cuts = self.device.buffer(&bytes(&cuts));
        let more =
            [More::Buffer(&words), More::Buffer(&cuts), More::Number(slot), More::Number(NUMBER)];
        self.device.launch(&self.kernel, self.case, &buffers, None, &more);
        let words = self.device.read(&words, 12);
        let words: Vec<u32> = words
            .chunks_exact(4)
            .map(|word| u32::from_ne_bytes(word.try_into().expect("four")))
            .collect();
        // Words of other launches are left alone.
        assert_eq!((words[0], words[2]), (9, 9));
        (self.device.memory(&buffers, self.start), words[1])
    }
}

/// Checks that modules with the prologue are modules, that each kernel has its four arguments, and that
/// the translator accepts them.
#[test]
fn modules_get_the_prologue() {
    let Some(compiler) = compiler() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let mut looks = [0_u32; 3];
    for file in files() {
        let before = compiler.spirv(&file, &[]).expect("OpenCL C");
        let kernels = Kernel::from_spirv(&before).expect("SPIR-V");
        let look = |name: &str| {
            kernels.iter().find(|kernel| kernel.name() == name).map_or(Look::Never, Kernel::look)
        };
        let done = spirv(&before, look).expect("SPIR-V").expect("no variables");
        assert_eq!((done.kernels.len(), &*done.opaque), (kernels.len(), &[][..]));
        let after = Kernel::from_spirv(&done.bytes).expect("SPIR-V");
        for (before, after) in kernels.iter().zip(&after) {
            assert_eq!(before.name(), after.name());
            if !before.arguments().is_empty() {
                assert_eq!(
                    before.arguments().len() + 4,
                    after.arguments().len(),
                    "{}",
                    after.name()
                );
            }
            looks[before.look() as usize] += 1;
        }
        let (module, out) = (folder.path().join("after.spv"), folder.path().join("after.bc"));
        std::fs::write(&module, &done.bytes).expect("a file");
        let mut translator = std::process::Command::new("llvm-spirv-15");
        if let Ok(done) = translator.arg("-r").arg(&module).arg("-o").arg(&out).output() {
            let said = String::from_utf8_lossy(&done.stderr);
            assert!(done.status.success(), "{}: {said}", file.display());
        }
    }
    assert!(looks.iter().all(|count| *count > 5), "{looks:?}");
}

#[test]
fn a_module_with_a_variable_of_its_own_gets_no_prologue() {
    let Some(compiler) = compiler() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("own.cl");
    let source = "__global int n;\n__kernel void f(__global int *x) { x[0] = n++; }\n";
    std::fs::write(&file, source).expect("a file");
    let module = compiler.spirv(&file, &["-cl-std=CL2.0".into()]).expect("OpenCL C");
    assert_eq!(spirv(&module, |_| Look::Never).expect("SPIR-V"), None);
    // Cut off, or with an id beyond all bounds.
    let mut wrong = module.clone();
    wrong.truncate(module.len() / 8 * 4 + 4);
    let _ = spirv(&wrong, |_| Look::WorkItem);
    wrong = module;
    wrong[12..16].fill(255);
    assert!(spirv(&wrong, |_| Look::WorkItem).is_err());
    assert!(spirv(&[], |_| Look::WorkItem).is_err());
}

/// Checks that no module in which some words are others makes the instrumentation panic.
#[test]
fn modules_with_wrong_words_do_no_harm() {
    let Some(compiler) = compiler() else { return };
    let file = files().into_iter().next().expect("a file");
    let module = compiler.spirv(&file, &[]).expect("OpenCL C");
    let mut draw = crate::device::Draw(5);
    let words = u64::try_from(module.len() / 4).expect("few");
    for _ in 0..2000 {
        let mut wrong = module.clone();
        for _ in 0..=draw.next(3) {
            let at = usize::try_from(draw.next(words)).expect("an index") * 4;
            let small = draw.next(3) > 0;
            let to = u32::try_from(draw.next(if small { 300 } else { 1 << 31 })).expect("a word");
            wrong[at..at + 4].copy_from_slice(&to.to_le_bytes());
        }
        let _ = spirv(&wrong, |_| Look::Workgroup);
    }
}

#[test]
fn what_cannot_be_instrumented_stays_as_it_is() {
    let source = "\
#define KERNEL __kernel void
#define NAMED(n) __kernel void n##_f(__global int *x)
KERNEL hidden(__global int *x) { x[0] = 1; }
NAMED(macro) { x[0] = 2; }
__kernel void inner(__global int *x) { x[0] = 3; }
__kernel void outer(__global int *x) { inner(x); }
/* __kernel void comment(int a) {} */ // __kernel void too(int a) {}
__constant char text[] = \"__kernel void text(int a) {}\";
kernel __attribute__((reqd_work_group_size(1, 1, 1))) void listed(void) { }
__kernel void none() { }
";
    let done = opencl(source, |_| Look::Never);
    assert_eq!(done.kernels, ["outer", "listed", "none"]);
    let opaque: Vec<(&str, Opaque)> =
        done.opaque.iter().map(|(name, why)| (name.as_str(), *why)).collect();
    let expected = [("a kernel", Opaque::Macro), ("n", Opaque::Macro), ("inner", Opaque::Called)];
    assert_eq!(opaque, expected);
    // Lines keep their numbers behind the helpers.
    let (_, rest) = done.source.split_once("#line 1\n").expect("the helpers");
    assert_eq!(rest.lines().count(), source.lines().count());
    assert!(rest.contains("__kernel void inner(__global int *x) { x[0] = 3; }"));
    assert!(rest.contains("listed(/*void*/__global"), "{rest}");
    if let Some(device) = OpenCl::open() {
        device.program(&done.source);
    }
}
