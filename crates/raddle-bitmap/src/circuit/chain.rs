//! Which sequences do the steps shift, combine and reduce of the full and the grouped search make?

use alloc::vec::Vec;

use super::Bits;
use super::setup::Setup;

/// Sequences that the circuit of the full search makes from the digits of a map (S_0). S_i is S_0
/// shifted by i digits. SA_i combines S_0 to S_i: it says free where i + 1 free blocks in a row
/// begin. SAR has one digit for each SA_i, which is 1 if SA_i says free anywhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chain {
    pub(super) shifted: Vec<Bits>,
    pub(super) combined: Vec<Bits>,
    pub(super) reduced: Bits,
}

impl Chain {
    pub(super) fn of(first: &Bits, setup: Setup) -> Self {
        let len = first.len();
        let shifted: Vec<Bits> = (0..len).map(|by| first.shifted(by, setup)).collect();
        let combined = combine(&shifted, setup);
        let reduced = Bits::of(combined.iter().map(|it| it.any_free(0, len, setup)));
        Self { shifted, combined, reduced }
    }
}

/// Returns for each sequence its combination with all sequences before it: a digit says free where
/// all these sequences say free.
pub(super) fn combine(sequences: &[Bits], setup: Setup) -> Vec<Bits> {
    let mut combined: Vec<Bits> = Vec::with_capacity(sequences.len());
    for sequence in sequences {
        let next = match combined.last() {
            Some(last) => last.combined(sequence, setup),
            None => sequence.clone(),
        };
        combined.push(next);
    }
    combined
}
