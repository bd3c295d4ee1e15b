//! How may a program go on after an error?

/// Kind of an error of a policy crate. The error's text says which value is at fault and what to do;
/// texts may change, kinds stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A value is outside its range: another one is needed.
    OutOfRange,
    /// Values contradict each other, or what they are given for.
    Inconsistent,
    /// A result does not fit its integer type.
    Overflow,
    /// There is no room for what is given; elsewhere, or later, there may be.
    NoRoom,
    /// The call does not fit what was told before: it names something that is not there, or comes
    /// twice, too early or too late.
    State,
    /// The build or the device cannot do what is asked.
    Unsupported,
}
