//! Which digit means free in a search circuit, and which way does it shift? No answer depends on
//! it.

use crate::Polarity;

/// Direction in which a circuit shifts sequences. The digits that become vacant are set to the
/// value that means an occupied block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shift {
    /// Shift towards the first digit d1: `S_i[p] = S_0[p + i]`, and digits at the right end are
    /// vacated.
    #[default]
    Left,
    /// Shift away from the first digit d1: `S_i[p] = S_0[p - i]`, and digits at the left end are
    /// vacated.
    Right,
}

/// Form of a search circuit: which digit means free, and in which direction it shifts. The answers
/// are the same in all forms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Setup {
    /// Digit that means free. If it is 1, sequences are combined by AND and reduced by OR; if it is
    /// 0, they are combined by OR and reduced by an AND whose result is inverted.
    pub polarity: Polarity,
    /// Direction in which the circuit shifts sequences.
    pub shift: Shift,
}

impl Setup {
    /// All four combinations of the digit that means free and the direction of shifts.
    pub const ALL: [Self; 4] = [
        Self { polarity: Polarity::FreeIsOne, shift: Shift::Left },
        Self { polarity: Polarity::FreeIsZero, shift: Shift::Left },
        Self { polarity: Polarity::FreeIsOne, shift: Shift::Right },
        Self { polarity: Polarity::FreeIsZero, shift: Shift::Right },
    ];
}
