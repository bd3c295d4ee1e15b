//! Which ways of comparing demands with places are there, and how do answers lie in words?

/// Places of one word of answers.
pub(crate) const PLACES: usize = u64::BITS as usize;

/// A way of comparing; all give the same answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Comparer {
    /// Safe Rust for any processor.
    Portable,
    /// 32 places at once.
    Avx2,
    /// 64 places at once, into a mask register; needs AVX-512 BW.
    Avx512,
}

impl Comparer {
    /// All of them, from the slowest up.
    pub const ALL: &'static [Self] = &[Self::Portable, Self::Avx2, Self::Avx512];

    /// Its name in tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Avx2 => "AVX2",
            Self::Avx512 => "AVX-512",
        }
    }
}

/// How many words of answers [`fits`](super::fits()) writes a demand: one bit a place.
#[must_use]
pub const fn words_of_answers(places: usize) -> usize {
    places.div_ceil(PLACES)
}

/// Writes the words of one demand after the other: whole words by `of_whole`, given the bytes of 64
/// places; what is left behind them as [`rest`] has it.
#[inline(always)]
pub(crate) fn one_by_one<const R: usize>(
    found: &[&[u8]; R],
    wants: &[[u8; R]],
    answers: &mut [u64],
    of_whole: impl Fn(&[&[u8; PLACES]; R], &[u8; R]) -> u64,
) {
    let rows = whole_rows(found);
    for (want, answers) in wants.iter().zip(answers.chunks_mut(words_of_answers(found[0].len()))) {
        for (at, answer) in answers.iter_mut().enumerate().take(rows[0].len()) {
            *answer = of_whole(&rows.map(|row| &row[at]), want);
        }
        if let Some(answer) = answers.get_mut(rows[0].len()) {
            *answer = rest(found, want);
        }
    }
}

/// The bytes of each resource by 64 places, without those left over.
#[inline(always)]
pub(crate) fn whole_rows<'a, const R: usize>(found: &[&'a [u8]; R]) -> [&'a [[u8; PLACES]]; R] {
    found.map(|list| list.as_chunks().0)
}

/// The last places, fewer than 64, which fill no word.
pub(crate) fn rest<const R: usize>(found: &[&[u8]; R], want: &[u8; R]) -> u64 {
    let places = found[0].len();
    let first = places - places % PLACES;
    let fits = |place: usize| found.iter().zip(want).all(|(list, want)| list[place] >= *want);
    (first..places).enumerate().fold(0, |word, (bit, place)| word | u64::from(fits(place)) << bit)
}
