//! In which of the seed's forms is a circuit built? No form changes an answer.

use crate::Polarity;

/// The direction in which sequences are shifted; the places vacated become occupied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shift {
    /// Towards d1: `S_i[p] = S_0[p + i]`, the right end is vacated.
    #[default]
    Left,
    /// Away from d1: `S_i[p] = S_0[p - i]`, the left end is vacated.
    Right,
}

/// The polarity and the direction of a circuit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Setup {
    /// The digit that means free. With 1: sequences are ANDed and reduced by OR; with 0: ORed, and
    /// reduced by an AND whose result is inverted.
    pub polarity: Polarity,
    /// The direction in which sequences are shifted.
    pub shift: Shift,
}

impl Setup {
    /// All four combinations of polarity and direction.
    pub const ALL: [Self; 4] = [
        Self { polarity: Polarity::FreeIsOne, shift: Shift::Left },
        Self { polarity: Polarity::FreeIsZero, shift: Shift::Left },
        Self { polarity: Polarity::FreeIsOne, shift: Shift::Right },
        Self { polarity: Polarity::FreeIsZero, shift: Shift::Right },
    ];
}
