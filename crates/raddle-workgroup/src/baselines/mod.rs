//! Which policies is matching compared with, and what do several of them share?

mod addressed;
mod greedy;
mod leftover;
mod round_robin;
mod rounds;
mod spatial;
mod waiting;

pub use addressed::Rotation;
pub use greedy::{Greedy, GreedyConfig};
pub use leftover::{Leftover, LeftoverConfig};
pub use round_robin::{Cursor, RoundRobin, RoundRobinConfig};
pub use spatial::{Spatial, SpatialConfig};
pub(crate) use waiting::{EXPLAINED, start};
