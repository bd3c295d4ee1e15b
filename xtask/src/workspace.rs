//! Which crates are there, and what may each of them know?
//!
//! The one table behind the dependency arrows (`tidy`), the bare-metal build (`nostd`) and the
//! long property runs (`soak`). A new crate begins with a row here.

use std::path::{Path, PathBuf};

/// One crate of the workspace.
pub(crate) struct Crate {
    /// Its package and folder name.
    pub(crate) name: &'static str,
    /// Whether it must build without `std`: no clock, thread, file, print or float either.
    pub(crate) no_std: bool,
    /// The crates of ours that it may name under `[dependencies]`.
    pub(crate) knows: Knows,
    /// Dependencies from outside; `None` = any. In a no_std crate each must be optional.
    pub(crate) outside: Option<&'static [&'static str]>,
}

/// Which crates of ours a crate may depend on.
pub(crate) enum Knows {
    /// These.
    Only(&'static [&'static str]),
    /// Every one.
    Anything,
}

/// What a policy crate may take from outside, each behind a feature.
const OPTIONAL: Option<&[&str]> = Some(&["serde", "proptest", "thiserror", "smallvec", "bitvec"]);

/// What only tests and benches may name, of every crate, under `[dev-dependencies]`.
pub(crate) const FOR_TESTS: &str = "raddle-testkit";

/// Every crate, in the order in which one would read them.
pub(crate) const CRATES: &[Crate] = &[
    policy("raddle-policy", &[]),
    policy("raddle-device", &["raddle-policy"]),
    Crate { ..policy("raddle-bitmap", &[]) },
    policy("raddle-workgroup", &["raddle-policy", "raddle-device", "raddle-bitmap"]),
    policy("raddle-sm", &["raddle-policy"]),
    policy("raddle-timeslice", &["raddle-policy"]),
    policy("raddle-preempt", &["raddle-policy"]),
    policy("raddle-packet", &["raddle-policy"]),
    // Dispatch knows every policy crate: the next one is added here too.
    hosted(
        "raddle-dispatch",
        &[
            "raddle-policy",
            "raddle-workgroup",
            "raddle-sm",
            "raddle-timeslice",
            "raddle-preempt",
            "raddle-packet",
        ],
    ),
    hosted("raddle-trace", &["raddle-policy"]),
    hosted("raddle-sim", &["raddle-policy", "raddle-device", "raddle-dispatch", "raddle-trace"]),
    hosted(
        "raddle-golden",
        &[
            "raddle-policy",
            "raddle-bitmap",
            "raddle-workgroup",
            "raddle-sm",
            "raddle-timeslice",
            "raddle-preempt",
            "raddle-packet",
            "raddle-dispatch",
        ],
    ),
    hosted(
        "raddle-report",
        &["raddle-policy", "raddle-device", "raddle-dispatch", "raddle-trace", "raddle-sim"],
    ),
    Crate { name: "raddle", no_std: false, knows: Knows::Anything, outside: None },
    hosted(FOR_TESTS, &["raddle-policy"]),
    Crate { name: "xtask", no_std: false, knows: Knows::Only(&[]), outside: Some(&[]) },
];

const fn policy(name: &'static str, knows: &'static [&'static str]) -> Crate {
    Crate { name, no_std: true, knows: Knows::Only(knows), outside: OPTIONAL }
}

const fn hosted(name: &'static str, knows: &'static [&'static str]) -> Crate {
    Crate { name, no_std: false, knows: Knows::Only(knows), outside: None }
}

/// The row of a crate.
pub(crate) fn row(name: &str) -> Option<&'static Crate> {
    CRATES.iter().find(|row| row.name == name)
}

/// The crates that must build without `std`.
pub(crate) fn no_std() -> impl Iterator<Item = &'static str> {
    CRATES.iter().filter(|row| row.no_std).map(|row| row.name)
}

/// The folder that holds the workspace's `Cargo.toml`.
pub(crate) fn root() -> PathBuf {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().unwrap_or(xtask).to_path_buf()
}
