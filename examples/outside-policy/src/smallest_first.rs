//! Allocate policy: which launch goes first, if the one that is nearly done does?

use raddle_policy::{Configured, Cus, Free, Launch, NoConfig, Rank, ReadyLaunch, SettingError};

/// Allocate policy (shortest job first) that starts workgroups of the launch with the fewest
/// workgroups left, each on the compute unit with most room for it. Where a launch does not fit,
/// the next smallest one may start.
///
/// Of equal launches the one submitted first is chosen, and of equal compute units the lowest.
/// Levels of urgency play no part.
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
