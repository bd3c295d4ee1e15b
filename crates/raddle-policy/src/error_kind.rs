//! How may a program go on after an error?

/// The kind of an error of a policy crate or of a dispatcher, for programs that decide by it how to
/// go on. Texts of errors may change in later versions, kinds stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A value that was passed is outside its range: the caller must pass another one.
    OutOfRange,
    /// Values that were passed contradict each other, or do not suit the object that they describe.
    Inconsistent,
    /// A result does not fit its integer type.
    Overflow,
    /// The memory, table or device has no room for the value now. It may have room later, or for
    /// another value.
    NoRoom,
    /// The call does not fit the calls before it: it names an object that does not exist, or is
    /// repeated, too early or too late.
    State,
    /// This build of the program, or the device, cannot do this operation.
    Unsupported,
    /// A policy has broken a law of its trait, as the crate `raddle-testkit` can show.
    Policy,
    /// A file could not be read or written, or the device has failed.
    Io,
    /// An internal rule of raddle is broken, whatever the input was: this is a fault of raddle.
    Fault,
}
