//! Which weights do the resources and instructions of a device have, by measured power (seed 000,
//! i10 and j10)?
//!
//! Units: mW.

use alloc::vec::Vec;

use super::Weights;
use crate::Error;
use crate::error::Reason;

/// A meter that measures the power of each kind of resource or instruction, from which
/// [`calibrate`] makes weights. You implement it for your device or simulator.
///
/// To measure a kind, let one compute unit run while the others rest (labels i100 and j100 in
/// patent 000). Send it kernels that need only this resource, or issue only this instruction (i101,
/// j101), as many for each kind. Return the power that they draw *above* that of an idle device:
/// with idle power included, the kinds seem more alike than they are.
///
/// ```
/// use raddle_workgroup::place::{Meter, calibrate};
///
/// struct Bench;
///
/// impl Meter for Bench {
///     fn measure(&mut self, kind: usize) -> Option<u64> {
///         [30, 90, 15, 45].get(kind).copied()
///     }
/// }
///
/// assert_eq!(calibrate(&mut Bench, 4)?.as_slice(), [2, 6, 1, 3]);
/// # Ok::<(), raddle_workgroup::Error>(())
/// ```
pub trait Meter {
    /// Measures the power of a kind of resource or instruction, in mW; kinds count from 0. `None`
    /// where it cannot be measured.
    fn measure(&mut self, kind: usize) -> Option<u64>;
}

/// A closure is a meter: it gets the number of a kind of resource or instruction, and returns the
/// power of the kind in mW (`None` if it was not measured).
impl<F: FnMut(usize) -> Option<u64>> Meter for F {
    fn measure(&mut self, kind: usize) -> Option<u64> {
        self(kind)
    }
}

/// Measures `kinds` kinds of resources or instructions, and returns weights in the proportion of
/// their power (patent 000, labels i102 and j102), reduced to lowest terms. Each kind is
/// measured once, in order.
///
/// Laws:
/// 1. Weights are to each other as the measured values are, exactly.
/// 2. No number above 1 divides all of them.
///
/// # Errors
/// [`State`](crate::ErrorKind::State) for the first kind that the meter has no value for,
/// [`OutOfRange`](crate::ErrorKind::OutOfRange) where every value is 0.
pub fn calibrate(meter: &mut impl Meter, kinds: usize) -> Result<Weights, Error> {
    let measure = |kind| meter.measure(kind).ok_or(Error(Reason::NotMeasured { kind }));
    let measured: Vec<u64> = (0..kinds).map(measure).collect::<Result<_, _>>()?;
    let common = measured.iter().fold(0, |so_far, &power| greatest_common_divisor(so_far, power));
    let weights: Vec<u64> = measured.iter().map(|power| power / common.max(1)).collect();
    Weights::new(&weights)
}

const fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}
