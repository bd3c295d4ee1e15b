//! What would this workload do under these recipes, and which one should be used?
//!
//! A [`Study`] is the question as plain data: profiles, their load, goals, a device, recipes.
//! [`Study::run`] reads the profiles, fits the model to them, replays them under each recipe and
//! returns a [`Studied`] with the judged [`result`] of `raddle replay` as data: verdict, rows,
//! intervals, goals. The crate reads no command line, opens no file, prints nothing and makes no
//! page: [`Files`] supplies the content of named files, [`Leavings`] takes decision logs and
//! timelines ([`Studied::draw`] draws the latter), and a [`Watcher`] is told the progress and may end
//! the study.
//!
//! ```
//! use raddle_study::{MemoryFiles, Registry, Study, Surroundings};
//!
//! let table = "name,grid_x,grid_y,grid_z,block_x,block_y,block_z,start_ns,duration_ns\n\
//!              k,80,1,1,256,1,1,0,1000\nk,80,1,1,256,1,1,1500,1000\n";
//! let files = MemoryFiles([("a.csv".to_owned(), table.into())].into());
//! let study: Study = serde_json::from_str(r#"{"profiles": ["a.csv"], "device": "v100"}"#)?;
//! let around = Surroundings {
//!     registry: &Registry::bundled(),
//!     files: &files,
//!     watcher: &(),
//!     jobs: None,
//! };
//! let studied = study.run(&around)?;
//! assert!(studied.result.stuck_launches().is_none());
//! println!("{}", studied.result.answer().sentence());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![warn(clippy::too_many_lines)]
#![forbid(unsafe_code)]

pub mod amount;
pub mod answer;
mod arrivals;
mod ask;
mod assumed;
pub mod check;
pub mod compare;
pub mod contention;
pub mod demand;
mod device_fit;
pub mod devices;
mod driver;
mod energy;
mod energy_fit;
mod error;
mod evidence;
mod fault;
pub mod fidelity;
mod files;
mod fitted;
mod host;
pub mod inspect;
mod kept_fit;
mod late;
pub mod launches;
mod lent;
mod load_limit;
mod memory;
mod next;
mod no_op;
mod open_load;
mod options;
mod outcome;
pub mod pair;
mod parallel;
pub mod profiles;
pub mod recipes;
mod replay;
pub mod result;
mod rules;
mod runs;
mod search;
pub mod self_replay;
mod shapes;
mod share;
mod study;
pub mod sweep;
pub mod timeline;
mod timelines;
mod tune;
mod unique;
pub mod units;
mod vendor_words;
mod verdicts;
mod watcher;
mod written;

pub use arrivals::{Load, requests};
pub use device_fit::{DeviceFit, DeviceReadings, MeasuredFigure, ReadingsError};
pub use energy::EnergyFile;
pub use energy_fit::{EnergyFit, FitError, KINDS, PowerReading};
pub use error::{StudyError, meant};
pub use files::{Files, Leavings, MemoryFiles};
pub use fitted::{FitRules, Fitted};
pub use host::{RecipeGiven, dispatcher};
pub use next::NextCommand;
pub use outcome::{Figure, ProcessOutcome, RecipeOutcome};
pub use profiles::Loaded;
pub use raddle_dispatch::Registry;
pub use raddle_sim::{Scaling, WaitRule};
pub use raddle_trace::arrivals::{Rate, TimeUnit};
pub use raddle_trace::{BarrierRule, CommRule};
pub use replay::{Kept, Prepared, Studied, Surroundings};
pub use rules::{IdempotenceClaim, Named, NeedClaim, Rule, SaidHint, SaidRule, Setting};
pub use shapes::ShapeRules;
pub use study::{ContentionRule, Latency, Study, Ways};
pub use sweep::{Bench, Case, Cases, Shard, Sweep};
pub use timelines::TimelineWish;
pub use tune::{Minimise, Tuned, TunedRow};
pub use unique::joined;
pub use vendor_words::VendorWords;
pub use verdicts::{VerdictFile, VerdictRule, VerdictWord};
pub use watcher::Watcher;
