//! How does a device share itself where nobody sets anything up?

use raddle_device::{Device, Vendor};

/// Name that a user writes for the recipe of today: how the device shares itself where nobody sets
/// anything up. [`today`] returns that recipe.
pub const TODAY: &str = "today";

/// Name of the recipe in which processes take turns on the device (time slices), as they do on
/// NVIDIA's devices by default.
pub(crate) const TIME_SLICE: &str = "time-slice";

/// Largest number of processes whose queues an AMD device runs side by side; more processes take
/// turns.
const MOST_ON_AMD: usize = 8;

/// Returns the name of the recipe that stands for how a device shares itself between `processes`
/// processes where nobody sets anything up (docs/modes.md).
///
/// Processes on NVIDIA take turns. The streams of one process run side by side, and so do the
/// queues of processes on other devices; AMD's devices take turns from the ninth process on.
///
/// ```
/// use raddle_study::answer::today;
///
/// let device = |name| raddle_device::find(name).expect("it is in the table");
/// assert_eq!(today(&device("h100"), 2), "time-slice");
/// assert_eq!(today(&device("h100"), 1), "streams");
/// assert_eq!(today(&device("mi300x"), 2), "streams");
/// ```
#[must_use]
pub const fn today(device: &Device, processes: usize) -> &'static str {
    match device.vendor {
        Vendor::Nvidia if processes > 1 => TIME_SLICE,
        Vendor::Amd if processes > MOST_ON_AMD => TIME_SLICE,
        _ => "streams",
    }
}
