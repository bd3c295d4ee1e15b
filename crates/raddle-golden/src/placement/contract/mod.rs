//! Does the algorithm round-robin, or greedy, put every workgroup where the placement contract puts
//! it?
//!
//! The contract is a replay scenario: all workgroups of one kernel wait from the start, the device
//! places and completes at most eight a tick, and each lasts 500 to 1499 cycles, drawn from a fixed
//! generator. Its golden files come from the simulator MGPUSim.
//!
//! Units: time in cycles; registers and LDS in the granules of [`SHAPE`], in rows in bytes.
//!
//! ```
//! use raddle_golden::placement::contract::{Algorithm, ContractKernel, PlacementReplay};
//! let kernel = ContractKernel { threads: 256, vgpr: 32, sgpr: 16, lds: 4096 };
//! let replay = PlacementReplay { algorithm: Algorithm::RoundRobin, cus: 64, groups: 4000, kernel };
//! let mut rows = 0;
//! let outcome = replay.run(&mut |_row| rows += 1)?;
//! assert_eq!(format!("{:016x}", outcome.fnv1a), "88996d7740c5689f");
//! assert_eq!((outcome.cycles, outcome.ticks, rows), (8708, 6042, 4000));
//! # Ok::<(), raddle_golden::ModelError>(())
//! ```

mod baseline;
mod draws;
mod kernel;
mod replay;
mod row;

pub use baseline::{Algorithm, Baseline};
pub use draws::{Fnv1a, XorShift};
pub use kernel::{ContractKernel, SHAPE};
pub use replay::{PlacementOutcome, PlacementReplay};
pub use row::PlacedWorkgroup;
