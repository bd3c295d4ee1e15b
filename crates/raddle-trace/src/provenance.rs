//! Where does each field of an op come from: was it measured, joined from another record, or
//! assumed?

/// Origin of the value of one field of an op (kernel launch, copy or fill).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The record of the op itself has the value.
    Measured,
    /// Another record of the file has the value; it shares a key, such as a correlation number,
    /// with the op's record.
    Joined,
    /// No record has the value; it follows from a rule.
    Assumed,
    /// No record has the value and no rule gives one: [`Field::Shape`] of an opaque kernel.
    Unknown,
}

/// Fields of an op (kernel launch, copy or fill) that may be measured, assumed or unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// Time at which the host issued the op, [`crate::Op::arrival_ns`].
    Arrival,
    /// Time that the device took for the op, [`crate::Op::duration_ns`].
    Duration,
    /// Grid of the op, [`crate::Op::grid`], and the number of work-items in its workgroup.
    Shape,
    /// Registers that a work-item takes, in [`crate::Op::footprint`].
    Registers,
    /// Shared memory that a workgroup takes, in [`crate::Op::footprint`].
    SharedMemory,
    /// Barrier of the workgroup (yes, no or assumed), in [`crate::Op::footprint`].
    Barrier,
    /// Instructions that a wave issues, [`crate::Op::activity`].
    Activity,
}

impl Field {
    /// All fields of an op that have an origin, in the order in which results show them.
    pub const ALL: [Self; 7] = [
        Self::Arrival,
        Self::Duration,
        Self::Shape,
        Self::Registers,
        Self::SharedMemory,
        Self::Barrier,
        Self::Activity,
    ];

    /// Returns the kebab-case name of the field in results, such as `shared-memory`.
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

/// Origin of each [`Field`] of an op; at first every field counts as measured.
///
/// Each field takes two bits, which keeps the type small, since every op has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Provenance(u16);

impl Provenance {
    pub(crate) const MEASURED: Self = Self(0);

    /// Returns the origin of the field `field` of the op.
    #[must_use]
    pub const fn of(self, field: Field) -> Origin {
        match self.0 >> (2 * field as u16) & 3 {
            0 => Origin::Measured,
            1 => Origin::Joined,
            2 => Origin::Assumed,
            _ => Origin::Unknown,
        }
    }

    /// Returns a copy of the provenance in which `field` has the origin `origin`.
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
