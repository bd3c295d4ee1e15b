//! Which kernels are there, and what is known of them?
//!
//! A kernel of the corpus stands behind a comment: what is expected of the verdict (with the pairs of
//! arguments that must lie apart, as `0-1`, those that must be zero, as `2=0`, and those within which
//! reads and writes must lie apart, as `0@`), the truth with arguments apart (`idempotent`, `not`, or
//! `skip` where it is not executed), the reason, its arguments and, where they are not 64 and 8, its
//! work-items and those of a workgroup. With `0@`, `launch` says whether the condition holds for these
//! arguments and work-items.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use raddle_kernel::Compiler;
use raddle_kernel::launch::LaunchSizes;

/// Returns the compiler that kernels are judged by; `None`, with a word about it, where it is missing
/// and not required.
pub(crate) fn compiler() -> Option<Compiler> {
    let found = Compiler::find();
    if found.is_none() {
        assert!(std::env::var_os("RADDLE_REQUIRE_CLANG").is_none(), "clang-15 and llvm-spirv-15");
        println!("skipped: no clang with llvm-spirv");
    }
    found
}

/// A kernel of the test corpus, with the expected verdict and the truth.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Case {
    pub(crate) file: PathBuf,
    pub(crate) name: String,
    pub(crate) expect: String,
    pub(crate) pairs: BTreeSet<(u32, u32)>,
    pub(crate) zero: BTreeSet<u32>,
    pub(crate) places: BTreeSet<u32>,
    /// True if the condition on places holds for the arguments of the case.
    pub(crate) holds: bool,
    pub(crate) truth: String,
    pub(crate) arguments: Vec<Given>,
    pub(crate) global: usize,
    pub(crate) local: usize,
}

/// An argument that a test hands over to a kernel of the corpus.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Given {
    Floats(usize),
    Doubles(usize),
    /// Buffer of random whole numbers, as (how many, bound below which they are).
    Ints(usize, i32),
    /// Buffer with the indices below this number in random order.
    Permutation(usize),
    /// Buffer with the ascending indices at which this many rows of a sparse matrix begin.
    Rows(usize),
    Int(i32),
    Float(f32),
    /// Local memory of this many bytes.
    Local(usize),
}

pub(crate) fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder of the corpus")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "cl"))
        .collect();
    files.sort();
    files
}

pub(crate) fn cases() -> Vec<Case> {
    files().iter().flat_map(|file| cases_of(file)).collect()
}

impl Case {
    /// Returns the bytes of the argument with this index, if it is a number.
    pub(crate) fn bytes(&self, index: u32) -> Option<Vec<u8>> {
        match self.arguments.get(index as usize)? {
            Given::Int(number) => Some(number.to_ne_bytes().to_vec()),
            Given::Float(number) => Some(number.to_ne_bytes().to_vec()),
            _ => None,
        }
    }

    pub(crate) fn sizes(&self) -> LaunchSizes {
        LaunchSizes {
            offset: [0; 3],
            global: [self.global as u64, 1, 1],
            local: Some([self.local as u64, 1, 1]),
        }
    }

    /// Returns the case with zero for the numbers that must be zero: then it is idempotent.
    pub(crate) fn where_zero(&self) -> Self {
        let mut case = Self { truth: "idempotent".to_owned(), ..self.clone() };
        for (index, given) in (0..).zip(&mut case.arguments) {
            if self.zero.contains(&index) {
                *given = match given {
                    Given::Float(_) => Given::Float(0.0),
                    _ => Given::Int(0),
                };
            }
        }
        case
    }
}

fn cases_of(file: &Path) -> Vec<Case> {
    let text = std::fs::read_to_string(file).expect("a file of the corpus");
    let mut cases = Vec::new();
    let mut known: Vec<(&str, &str)> = Vec::new();
    for line in text.lines() {
        if let Some((key, value)) = line.strip_prefix("// ").and_then(|rest| rest.split_once(": "))
        {
            known.push((key, value));
        } else if let Some(rest) = line.strip_prefix("__kernel void ") {
            let get = |key| known.iter().find(|(known, _)| *known == key).map(|(_, value)| *value);
            let expect = get("expect").expect("what is expected");
            let (expect, pairs) = expect.split_once(' ').unwrap_or((expect, ""));
            let size = get("size").unwrap_or("64 8");
            let (global, local) = size.split_once(' ').expect("two sizes");
            cases.push(Case {
                file: file.to_owned(),
                name: rest.split('(').next().expect("a name").to_owned(),
                expect: expect.to_owned(),
                pairs: pairs.split_whitespace().filter_map(pair).collect(),
                zero: pairs.split_whitespace().filter_map(zero).collect(),
                places: pairs.split_whitespace().filter_map(within).collect(),
                holds: get("launch").is_none_or(|launch| launch == "holds"),
                truth: get("truth").expect("the truth").to_owned(),
                arguments: get("args").expect("arguments").split(' ').map(given).collect(),
                global: global.parse().expect("a size"),
                local: local.parse().expect("a size"),
            });
            assert!(get("why").is_some(), "{rest}: a reason by hand");
            known.clear();
        }
    }
    cases
}

fn pair(text: &str) -> Option<(u32, u32)> {
    let (a, b) = text.split_once('-')?;
    Some((a.parse().expect("an index"), b.parse().expect("an index")))
}

fn zero(text: &str) -> Option<u32> {
    text.strip_suffix("=0").map(|index| index.parse().expect("an index"))
}

fn within(text: &str) -> Option<u32> {
    text.strip_suffix('@').map(|index| index.parse().expect("an index"))
}

fn given(text: &str) -> Given {
    let count = || {
        let inner = text.split('[').nth(1).expect("a length");
        inner.trim_end_matches(']').parse().expect("a length")
    };
    let value = || text.split('=').nth(1).expect("a value");
    match text.split(['[', '=', '<']).next().expect("a type") {
        "f32" if text.contains('=') => Given::Float(value().parse().expect("a number")),
        "f32" => Given::Floats(count()),
        "f64" => Given::Doubles(count()),
        "i32" if text.contains('=') => Given::Int(value().parse().expect("a number")),
        "i32" => {
            let below = text.split(['<', '>']).nth(1).map(|bound| bound.parse().expect("a bound"));
            Given::Ints(count(), below.unwrap_or(1000))
        }
        "perm" => Given::Permutation(count()),
        "rows" => Given::Rows(count()),
        "local" => Given::Local(count()),
        other => panic!("{other}: no type of the corpus"),
    }
}
