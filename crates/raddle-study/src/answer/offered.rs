//! Who offers the way of sharing a device that a recipe simulates?

/// Drivers that offer the way of sharing a device which a recipe simulates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Offered {
    /// The driver of the device offers it.
    Here,
    /// Only drivers of devices of other vendors offer it.
    Elsewhere,
    /// No driver offers it.
    #[default]
    Nowhere,
}
