//! Allocate: which launch goes first, if the one that is nearly done should be out of the way?

use raddle_policy::{Configured, Cus, Free, Launch, NoConfig, Rank, ReadyLaunch, SettingError};

/// Allocate policy (shortest job first): the launch with the fewest workgroups left goes first, and
/// each workgroup to the compute unit with most room for it. A launch that does not fit lets the
/// next smallest pass.
///
/// Ties go to the launch submitted first and to the lowest compute unit. Levels play no part.
///
/// ```
/// use outside_policy::SmallestFirst;
/// use raddle_policy::Ranked;
/// use raddle_testkit::{Scenario, render};
///
/// let table = render(&mut Ranked::new(SmallestFirst), &Scenario::example())?;
/// // k0 has six workgroups, k1 three: k1 goes first.
/// assert!(table.lines().nth(1).is_some_and(|line| line.starts_with("   0  k1      start")));
/// # Ok::<(), raddle_testkit::Breach>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct SmallestFirst;

impl Rank for SmallestFirst {
    fn launch(&self, launch: &ReadyLaunch) -> u64 {
        launch.undistributed()
    }

    fn unit(&self, _launch: &Launch, room: u32, _free: &Free) -> u64 {
        // The least rank comes first, and the most room gives it.
        (u32::MAX - room).into()
    }
}

impl Configured for SmallestFirst {
    const NAME: &'static str = "smallest-first";
    type Config = NoConfig;

    fn make(_config: &NoConfig, _device: &Cus) -> Result<Self, SettingError> {
        Ok(Self)
    }
}
