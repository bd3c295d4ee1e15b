//! In which of the seed's forms is a circuit built? No form changes an answer.

use crate::Polarity;

/// Direction in which a circuit shifts sequences; digits that are vacated become those of occupied
/// blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shift {
    /// Towards the first digit d1: `S_i[p] = S_0[p + i]`, and the right end is vacated.
    #[default]
    Left,
    /// Away from the first digit d1: `S_i[p] = S_0[p - i]`, and the left end is vacated.
    Right,
}

/// Form of a search circuit: which digit means free, and the direction of its shifts. No form
/// changes an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Setup {
    /// Digit that means free. With 1, sequences are ANDed and reduced by OR; with 0, they are ORed
    /// and reduced by an AND whose result is inverted.
    pub polarity: Polarity,
    /// Direction in which the circuit shifts sequences.
    pub shift: Shift,
}

impl Setup {
    /// List of all four combinations of polarity and direction.
    pub const ALL: [Self; 4] = [
        Self { polarity: Polarity::FreeIsOne, shift: Shift::Left },
        Self { polarity: Polarity::FreeIsZero, shift: Shift::Left },
        Self { polarity: Polarity::FreeIsOne, shift: Shift::Right },
        Self { polarity: Polarity::FreeIsZero, shift: Shift::Right },
    ];
}
