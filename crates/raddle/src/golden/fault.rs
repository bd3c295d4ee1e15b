//! Why is a question refused, and where in its line?

use serde::Serialize;

/// What is wrong, in the words of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The line is not JSON.
    NotJson,
    /// A key that the topic does not have.
    UnknownField,
    /// A key without a default is not there.
    MissingField,
    /// A value of another type.
    WrongType,
    /// A value, or a word, that is not among those allowed.
    OutOfRange,
    /// Values that cannot stand together.
    Inconsistent,
    /// A result too large to be counted.
    Overflow,
}

const NAMES: [(Kind, &str); 7] = [
    (Kind::NotJson, "not_json"),
    (Kind::UnknownField, "unknown_field"),
    (Kind::MissingField, "missing_field"),
    (Kind::WrongType, "wrong_type"),
    (Kind::OutOfRange, "out_of_range"),
    (Kind::Inconsistent, "inconsistent"),
    (Kind::Overflow, "overflow"),
];

impl Kind {
    /// Its name in answers.
    pub(crate) fn name(self) -> &'static str {
        let found = NAMES.iter().find(|(kind, _)| *kind == self);
        found.map_or("inconsistent", |(_, name)| name)
    }
}

impl Serialize for Kind {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// Why a line cannot be answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Fault {
    /// What is wrong.
    pub(crate) kind: Kind,
    /// The same for a person.
    pub(crate) message: String,
    /// Where: a JSON Pointer into the line, "" for the whole. What is missing lies in the object
    /// that it points to.
    pub(crate) at: String,
}

impl Fault {
    pub(crate) fn new(kind: Kind, at: &str, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), at: at.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_own_name() {
        for (kind, name) in NAMES {
            assert_eq!(kind.name(), name);
            assert_eq!(NAMES.iter().filter(|(_, other)| *other == name).count(), 1);
        }
    }
}
