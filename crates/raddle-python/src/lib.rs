//! Which functions of raddle can Python call?
//!
//! The module is `raddle._raddle`; the interface for people is in `python/raddle`.
#![warn(clippy::too_many_lines)]

mod bench;
mod dispatcher;
mod golden;
mod laws;
mod live;
mod policy;
mod replay;
mod table;

use pyo3::prelude::*;

#[pymodule]
mod _raddle {
    #[pymodule_export]
    use crate::bench::Bench;
    #[pymodule_export]
    use crate::dispatcher::Composed;
    #[pymodule_export]
    use crate::golden::{
        AllocatorObject, BlockWarp, Distribution, FindingView, FreeMapObject, PacketAgent,
        PlaceView, PlacementCheck, PlacementReport, RingObject, Slices, Started, WarpEnd, answer,
        check_table,
    };
    #[pymodule_export]
    use crate::laws::{LawBroken, check, snapshot};
    #[pymodule_export]
    use crate::live::hint;
    #[pymodule_export]
    use crate::policy::{
        CuView, FreeView, HintsView, LaunchView, ProcessView, ReadyLaunchView, ReadyView,
        VictimLaunchView,
    };
    #[pymodule_export]
    use crate::replay::{RaddleError, Replayed, main, recipe_text, replay};
    #[pymodule_export]
    use crate::table::arrow_stream;
}
