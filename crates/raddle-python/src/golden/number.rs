//! Does a number from Python fit the type of the argument that it is given for?

use std::fmt::Display;

use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;

use super::refused;

/// Whole number that a caller in Python gives: `Fits` where it is in the range of `T`, else
/// `Outside` with the number as text. The error can then name the argument, which Python's
/// `OverflowError` does not do.
pub(crate) enum Number<T> {
    Fits(T),
    Outside(String),
}

/// Type of whole numbers with a constant for its largest value, which error messages state.
pub(crate) trait Most: Display {
    const MOST: Self;
}

macro_rules! most {
    ($($of:ty),*) => { $(impl Most for $of { const MOST: Self = Self::MAX; })* };
}
most!(u8, u16, u32, u64, usize);

impl<'a, 'py, T> FromPyObject<'a, 'py> for Number<T>
where
    T: for<'b> FromPyObject<'b, 'py, Error = PyErr>,
{
    type Error = PyErr;

    fn extract(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        match given.extract::<T>() {
            Ok(number) => Ok(Self::Fits(number)),
            Err(error) if error.is_instance_of::<PyOverflowError>(given.py()) => {
                Ok(Self::Outside(given.repr()?.to_string()))
            }
            Err(error) => Err(error),
        }
    }
}

/// Argument from Python that contains numbers which may be out of range: one number, a number or
/// `None`, or a pair of numbers.
pub(super) trait Named {
    type Out;

    /// Returns the argument with its numbers in their Rust types; where a number is out of range,
    /// an error that names the argument `name`.
    fn named(self, name: &str) -> PyResult<Self::Out>;
}

impl<T: Most> Named for Number<T> {
    type Out = T;

    fn named(self, name: &str) -> PyResult<T> {
        match self {
            Self::Fits(number) => Ok(number),
            Self::Outside(given) => {
                let most = T::MOST;
                let text = format!("`{name}` is {given}: give a whole number from 0 to {most}");
                Err(refused(text))
            }
        }
    }
}

impl<N: Named> Named for Option<N> {
    type Out = Option<N::Out>;

    fn named(self, name: &str) -> PyResult<Self::Out> {
        self.map(|number| number.named(name)).transpose()
    }
}

impl<A: Named, B: Named> Named for (A, B) {
    type Out = (A::Out, B::Out);

    fn named(self, name: &str) -> PyResult<Self::Out> {
        Ok((self.0.named(name)?, self.1.named(name)?))
    }
}

/// Replaces each of the given variables, which are [`Number`]s, by its value. Where a number is out
/// of range, the function around the macro returns an error that names the variable.
macro_rules! numbers {
    ($($name:ident),+) => { $(let $name = $crate::golden::number::Named::named($name, stringify!($name))?;)+ };
}
pub(super) use numbers;
