//! Does a verdict hold for the arguments of one launch?
//!
//! ```
//! use raddle_kernel::launch::{LaunchSizes, Range, may_run_again};
//! use raddle_kernel::Verdict;
//!
//! let verdict = Verdict::Conditional([(0, 2), (1, 2)].into());
//! let apart = [Range::new(0, 64), Range::new(64, 64), Range::new(128, 64)];
//! let bytes = |_argument| None;
//! let sizes = LaunchSizes { offset: [0; 3], global: [16, 1, 1], local: None };
//! assert!(may_run_again(&verdict, &apart, bytes, &sizes));
//! let shared = [Range::new(0, 64), Range::new(64, 64), Range::new(96, 64)];
//! assert!(!may_run_again(&verdict, &shared, bytes, &sizes));
//! ```

use crate::Verdict;
pub use crate::places::LaunchSizes;

/// Range of addresses that an argument of a launch may access. All ranges of a launch are in one
/// address space, also those of sub-buffers, shared virtual memory and images.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Range {
    begin: u64,
    end: u64,
}

impl Range {
    /// Empty range of addresses, for an argument such as a null pointer or a number.
    pub const EMPTY: Self = Self { begin: 0, end: 0 };

    /// Range of all addresses, for memory whose extent is not known.
    pub const ALL: Self = Self { begin: 0, end: u64::MAX };

    /// Returns the range of `bytes` bytes from the address `begin` on, cut off at the last address.
    #[must_use]
    pub const fn new(begin: u64, bytes: u64) -> Self {
        Self { begin, end: begin.saturating_add(bytes) }
    }

    /// Returns whether two ranges of addresses share a byte.
    #[must_use]
    pub const fn meets(self, other: Self) -> bool {
        self.begin < other.end && other.begin < self.end
    }
}

/// Returns whether a kernel with this verdict may be stopped and run again with arguments in the
/// memory `ranges`, one range for each argument. An argument without a range counts as sharing
/// memory with every other argument. `bytes` gets the index of an argument and returns the bytes
/// that it has by value; `None` where it is no number, or they are not known. `sizes` are those of
/// the whole launch, also for a part of one that is cut into ranges.
#[must_use]
pub fn may_run_again<'b>(
    verdict: &Verdict,
    ranges: &[Range],
    bytes: impl Fn(u32) -> Option<&'b [u8]>,
    sizes: &LaunchSizes,
) -> bool {
    let of = |index: u32| ranges.get(index as usize).copied().unwrap_or(Range::ALL);
    match verdict {
        Verdict::Idempotent => true,
        Verdict::Conditional(conditions) => {
            let is_zero = |index| bytes(index).is_some_and(|all| all.iter().all(|byte| *byte == 0));
            conditions.zero.iter().all(|&index| is_zero(index))
                && conditions.apart.iter().all(|&(a, b)| !of(a).meets(of(b)))
                && conditions.places.lie_apart(&bytes, sizes)
        }
        Verdict::Not(_) | Verdict::Unknown(_) => false,
    }
}
