//! Which text does each reason of an error have?

/// Writes `Display` of an enum of errors from a table with one text for each variant. With it the
/// crates of the workspace need no procedural macro for error messages.
#[doc(hidden)]
#[macro_export]
macro_rules! texts {
    ($reasons:ident: $(
        $(#[$condition:meta])*
        $reason:ident $({ $($field:tt)* })? $(($only:ident))? => $text:literal $(, $value:expr)*;
    )*) => {
        impl core::fmt::Display for $reasons {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                match self {$(
                    $(#[$condition])*
                    Self::$reason $({ $($field)* })? $(($only))? => write!(f, $text $(, $value)*),
                )*}
            }
        }
    };
}
