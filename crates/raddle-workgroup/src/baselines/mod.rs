//! With which simple policies is `matching` compared, and which parts do several of them share?

mod addressed;
mod greedy;
mod leftover;
mod round_robin;
mod rounds;
mod spatial;
mod waiting;

pub use addressed::{BaselineConfig, PlacedAddresses};
pub use greedy::Greedy;
pub use leftover::{Leftover, LeftoverConfig};
pub use round_robin::RoundRobin;
pub use spatial::{Spatial, SpatialConfig};
pub(crate) use waiting::{EXPLAINED, start};
