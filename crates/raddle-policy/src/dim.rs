//! How large is a grid or a workgroup?

use core::fmt;

/// The extents of a grid or of a workgroup (block) in x, y and z; with a zero extent it is empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Dim3 {
    /// Extent in x: workgroups of a grid, or work-items of a workgroup.
    pub x: u32,
    /// Extent in y: workgroups of a grid, or work-items of a workgroup.
    pub y: u32,
    /// Extent in z: workgroups of a grid, or work-items of a workgroup.
    pub z: u32,
}

impl Dim3 {
    /// Returns the extents with these values in x, y and z.
    #[must_use]
    pub const fn new(x: u32, y: u32, z: u32) -> Self {
        Self { x, y, z }
    }

    /// Returns x * y * z; `None` where that exceeds `u64`.
    ///
    /// ```
    /// use raddle_policy::Dim3;
    /// assert_eq!(Dim3::new(4, 2, 1).volume(), Some(8));
    /// assert_eq!(Dim3::new(u32::MAX, u32::MAX, u32::MAX).volume(), None);
    /// ```
    #[must_use]
    pub const fn volume(self) -> Option<u64> {
        let plane = self.x as u64 * self.y as u64;
        plane.checked_mul(self.z as u64)
    }
}

impl fmt::Display for Dim3 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}x{}", self.x, self.y, self.z)
    }
}
