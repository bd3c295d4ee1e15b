//! What can be asked of everything that is measured, and what is the right answer?
//!
//! Each contender holds one map of `64 * W` blocks in its own way, and answers at least one of
//! three questions. The answers that all are checked against are found here, block by block.

/// Something that holds a map of blocks.
pub(crate) trait Contender: Sized {
    /// What its rows are called: lower-case words with hyphens.
    const NAME: &'static str;

    /// The map of these words, 1 = free.
    fn of(words: &[u64]) -> Self;
}

/// It finds the longest free run.
pub(crate) trait Longest: Contender {
    fn longest(&self) -> u32;
}

/// It finds a free run of at least so many blocks; a contender that cannot look without taking
/// takes the run and gives it back.
pub(crate) trait FirstFit: Contender {
    /// Which runs it finds.
    const EXACTNESS: Exactness = Exactness::First;

    fn first_fit(&mut self, want: u32) -> Option<u32>;
}

/// How good an answer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exactness {
    /// The lowest start.
    First,
    /// Some run, whenever there is one.
    Any,
    /// Some run, and sometimes none although there is one.
    Rounded,
}

/// It takes runs and gets them back.
pub(crate) trait Pool {
    /// What is kept of a run that was taken.
    type Held: Copy;

    /// All blocks free.
    fn empty() -> Self;

    fn take(&mut self, len: u32) -> Option<Self::Held>;

    fn give(&mut self, held: Self::Held, len: u32);

    /// The first block of a run.
    fn start(held: Self::Held) -> u32;
}

/// The free runs of these words, lowest first: start and end.
pub(crate) fn runs(words: &[u64]) -> Vec<(u32, u32)> {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for block in 0..64 * words.len() as u32 {
        if !is_free(words, block) {
            continue;
        }
        match runs.last_mut() {
            Some((_, end)) if *end == block => *end += 1,
            _ => runs.push((block, block + 1)),
        }
    }
    runs
}

pub(crate) fn is_free(words: &[u64], block: u32) -> bool {
    words[block as usize / 64] >> (block % 64) & 1 == 1
}

/// The longest run of these words.
pub(crate) fn longest_of(words: &[u64]) -> u32 {
    runs(words).into_iter().map(|(start, end)| end - start).max().unwrap_or(0)
}

/// The lowest start of a run of so many blocks.
pub(crate) fn first_of(words: &[u64], want: u32) -> Option<u32> {
    runs(words).into_iter().find(|(start, end)| end - start >= want).map(|(start, _)| start)
}
