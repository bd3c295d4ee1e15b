//! Which ways of measuring many maps are there?
//!
//! The names are for benches and tests that compare them; a measurement uses the fastest one that
//! this processor has. What a level asks of a processor stands in `simd`.

/// A way of measuring many maps; all give the same answers.
///
/// The `Safe` ones are the body of [`Portable`](Self::Portable), compiled for a level of
/// processors. The `Table` ones lay the maps side by side byte by byte and look up what each byte
/// holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Measurer {
    /// Safe Rust for any processor.
    Portable,
    /// Safe Rust for `x86-64-v3`: AVX2, BMI and LZCNT.
    SafeAvx2,
    /// Safe Rust for AVX-512 with VBMI2 and VPOPCNTDQ.
    SafeAvx512,
    /// Tables of half bytes, 16 maps side by side.
    TableSsse3,
    /// Tables of half bytes, 32 maps side by side.
    TableAvx2,
    /// Tables of bytes, 64 maps side by side; needs AVX-512 VBMI.
    TableAvx512,
}

impl Measurer {
    /// All of them.
    pub const ALL: &'static [Self] = &[
        Self::Portable,
        Self::SafeAvx2,
        Self::SafeAvx512,
        Self::TableSsse3,
        Self::TableAvx2,
        Self::TableAvx512,
    ];

    /// From the fastest down, as measured (`docs/benchmarks.md`).
    pub(super) const FASTEST_FIRST: [Self; 6] = [
        Self::TableAvx512,
        Self::TableAvx2,
        Self::SafeAvx512,
        Self::TableSsse3,
        Self::SafeAvx2,
        Self::Portable,
    ];

    /// Its name in tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::SafeAvx2 => "safe, AVX2",
            Self::SafeAvx512 => "safe, AVX-512",
            Self::TableSsse3 => "tables, SSSE3",
            Self::TableAvx2 => "tables, AVX2",
            Self::TableAvx512 => "tables, AVX-512",
        }
    }
}
