//! Which level of urgency is best if the order of levels never changes? Level 0.

use super::Order;
use crate::Error;
use crate::error::Reason;

/// The order that ranks every level by its own number, at every tick.
///
/// A steady stream of work of a better level starves the worse levels; [`Windows`](super::Windows)
/// prevents that.
///
/// ```
/// use raddle_workgroup::order::{Fixed, Order};
///
/// let order = Fixed::new(4)?;
/// assert_eq!(order.rank(2, 1_000)?, 2);
/// assert!(order.rank(4, 1_000).is_err());
/// # Ok::<(), raddle_workgroup::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fixed {
    levels: usize,
}

impl Fixed {
    /// Returns the fixed order of `levels` levels.
    ///
    /// # Errors
    /// [`OutOfRange`](crate::ErrorKind::OutOfRange) for 0 levels.
    pub const fn new(levels: usize) -> Result<Self, Error> {
        match levels {
            0 => Err(Error(Reason::NoLevels)),
            levels => Ok(Self { levels }),
        }
    }
}

impl Order for Fixed {
    fn levels(&self) -> usize {
        self.levels
    }

    fn rank(&self, level: usize, _now: u64) -> Result<usize, Error> {
        let levels = self.levels;
        if level < levels { Ok(level) } else { Err(Error(Reason::LevelOutside { level, levels })) }
    }
}
