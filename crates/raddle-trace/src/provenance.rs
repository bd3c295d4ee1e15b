//! Where does each field of an op come from: measured, joined from elsewhere, or assumed?

use core::fmt;

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The record of the op itself says it.
    Measured,
    /// Another record says it, found through a shared key.
    Joined,
    /// Nothing says it; a rule gave it.
    Assumed,
}

/// The fields of an op that are not always measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// [`crate::Op::arrival_ns`]
    Arrival,
    /// [`crate::Op::duration_ns`]
    Duration,
    /// Registers of the footprint.
    Registers,
    /// Shared memory of the footprint.
    SharedMemory,
    /// Barrier of the footprint.
    Barrier,
    /// [`crate::Op::grid`] and the work-items of the footprint.
    Shape,
    /// [`crate::Op::activity`]
    Activity,
}

impl Field {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 7] = [
        Self::Arrival,
        Self::Duration,
        Self::Shape,
        Self::Registers,
        Self::SharedMemory,
        Self::Barrier,
        Self::Activity,
    ];

    /// The kebab-case name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Arrival => "arrival",
            Self::Duration => "duration",
            Self::Registers => "registers",
            Self::SharedMemory => "shared-memory",
            Self::Barrier => "barrier",
            Self::Shape => "shape",
            Self::Activity => "activity",
        }
    }

    const fn shift(self) -> u16 {
        2 * match self {
            Self::Arrival => 0,
            Self::Duration => 1,
            Self::Registers => 2,
            Self::SharedMemory => 3,
            Self::Barrier => 4,
            Self::Shape => 5,
            Self::Activity => 6,
        }
    }
}

/// The origin of each [`Field`], two bits a field; everything is measured at first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Provenance(u16);

impl Provenance {
    /// Everything measured.
    pub const MEASURED: Self = Self(0);

    /// Where `field` comes from.
    #[must_use]
    pub const fn of(self, field: Field) -> Origin {
        match self.0 >> field.shift() & 0b11 {
            0 => Origin::Measured,
            1 => Origin::Joined,
            _ => Origin::Assumed,
        }
    }

    /// A copy with another origin for `field`.
    #[must_use]
    pub const fn with(self, field: Field, origin: Origin) -> Self {
        let bits = match origin {
            Origin::Measured => 0,
            Origin::Joined => 1,
            Origin::Assumed => 2,
        };
        Self(self.0 & !(0b11 << field.shift()) | bits << field.shift())
    }
}

impl fmt::Display for Provenance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, field) in Field::ALL.into_iter().enumerate() {
            let origin = match self.of(field) {
                Origin::Measured => "measured",
                Origin::Joined => "joined",
                Origin::Assumed => "assumed",
            };
            let comma = if i == 0 { "" } else { ", " };
            write!(f, "{comma}{} {origin}", field.name())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_do_not_disturb_each_other() {
        let mut p = Provenance::MEASURED;
        p = p.with(Field::Arrival, Origin::Joined).with(Field::Barrier, Origin::Assumed);
        p = p.with(Field::Registers, Origin::Assumed).with(Field::Registers, Origin::Measured);
        assert_eq!(
            p.to_string(),
            "arrival joined, duration measured, shape measured, registers measured, \
             shared-memory measured, barrier assumed, activity measured"
        );
    }
}
