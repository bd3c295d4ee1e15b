//! Where does each field of an op come from: measured, joined from elsewhere, or assumed?

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The record of the op itself says it.
    Measured,
    /// Another record says it, found through a shared key.
    Joined,
    /// Nothing says it; a rule gave it.
    Assumed,
    /// Nothing says it, and nothing stands for it: [`Field::Shape`] of an opaque kernel.
    Unknown,
}

/// The fields of an op that are not always measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// [`crate::Op::arrival_ns`]
    Arrival,
    /// [`crate::Op::duration_ns`]
    Duration,
    /// [`crate::Op::grid`] and the work-items of the footprint.
    Shape,
    /// Registers of the footprint.
    Registers,
    /// Shared memory of the footprint.
    SharedMemory,
    /// Barrier of the footprint.
    Barrier,
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
            Self::Shape => "shape",
            Self::Registers => "registers",
            Self::SharedMemory => "shared-memory",
            Self::Barrier => "barrier",
            Self::Activity => "activity",
        }
    }
}

/// The origin of each [`Field`]; everything is measured at first.
///
/// Two bits a field: there is one of it for every op.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Provenance(u16);

impl Provenance {
    /// Everything measured.
    pub(crate) const MEASURED: Self = Self(0);

    /// Where `field` comes from.
    #[must_use]
    pub const fn of(self, field: Field) -> Origin {
        match self.0 >> (2 * field as u16) & 3 {
            0 => Origin::Measured,
            1 => Origin::Joined,
            2 => Origin::Assumed,
            _ => Origin::Unknown,
        }
    }

    /// A copy with another origin for `field`.
    #[must_use]
    pub const fn with(self, field: Field, origin: Origin) -> Self {
        let shift = 2 * field as u16;
        Self(self.0 & !(3 << shift) | (origin as u16) << shift)
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
        p = p.with(Field::Activity, Origin::Unknown);
        for field in Field::ALL {
            let wanted = match field {
                Field::Arrival => Origin::Joined,
                Field::Barrier => Origin::Assumed,
                Field::Activity => Origin::Unknown,
                _ => Origin::Measured,
            };
            assert_eq!(p.of(field), wanted, "{}", field.name());
        }
    }
}
