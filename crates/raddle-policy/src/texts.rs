//! Which text does each reason of an error have?

/// Writes `Display` of an enum of reasons as a table, one text for each. For the crates of the
/// workspace, which so need no procedural macro to say what is wrong.
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
