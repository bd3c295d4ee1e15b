//! Which crates does the workspace have, and on which others may each depend?
//!
//! A new crate needs a row here.

/// Row of the table of crates: a crate of the workspace, and the crates on which it may depend.
pub(crate) struct Crate {
    /// Name of the package and of its folder.
    pub(crate) name: &'static str,
    /// True if the crate must build without `std`.
    pub(crate) no_std: bool,
    /// Crates of the workspace, without `raddle-`, on which the crate may depend outside of tests.
    pub(crate) knows: &'static [&'static str],
}

/// Crates of other people on which a crate without `std` may depend.
pub(crate) const OUTSIDE: [&str; 3] = ["bitvec", "serde", "smallvec"];

/// Table of all crates of the workspace; each crate depends only on crates above it.
pub(crate) const CRATES: [Crate; 25] = [
    no_std("raddle-policy", &[]),
    no_std("raddle-bitmap", &[]),
    no_std("raddle-device", &["policy"]),
    no_std("raddle-workgroup", &["policy", "device", "bitmap"]),
    no_std("raddle-sm", &["policy"]),
    no_std("raddle-timeslice", &["policy"]),
    no_std("raddle-preempt", &["policy"]),
    no_std("raddle-packet", &["policy"]),
    hosted("raddle-read", &[]),
    hosted(
        "raddle-dispatch",
        &["policy", "workgroup", "sm", "timeslice", "preempt", "packet", "read"],
    ),
    hosted("raddle-live", &["policy", "preempt", "read", "dispatch"]),
    hosted("raddle-trace", &["policy", "device", "read"]),
    hosted("raddle-sim", &["policy", "device", "dispatch", "trace"]),
    hosted(
        "raddle-golden",
        &[
            "policy",
            "bitmap",
            "device",
            "workgroup",
            "sm",
            "timeslice",
            "preempt",
            "packet",
            "read",
            "dispatch",
        ],
    ),
    hosted("raddle-study", &["policy", "device", "workgroup", "read", "dispatch", "trace", "sim"]),
    hosted("raddle-report", &["policy", "sim", "study"]),
    hosted("raddle-web", &["device", "report", "study", "trace"]),
    hosted(
        "raddle-capi",
        &[
            "policy",
            "bitmap",
            "workgroup",
            "sm",
            "timeslice",
            "preempt",
            "packet",
            "dispatch",
            "live",
            "golden",
        ],
    ),
    hosted("raddle-kernel", &[]),
    hosted("raddle-opencl", &["policy", "preempt", "kernel", "live"]),
    hosted("raddle-cuda", &["policy", "preempt", "live"]),
    hosted(
        "raddle",
        &[
            "policy",
            "bitmap",
            "device",
            "workgroup",
            "sm",
            "timeslice",
            "preempt",
            "packet",
            "read",
            "dispatch",
            "trace",
            "sim",
            "golden",
            "kernel",
            "live",
            "report",
            "study",
            "web",
        ],
    ),
    hosted("raddle-testkit", &["policy", "device"]),
    hosted(
        "raddle-python",
        &[
            "policy",
            "device",
            "bitmap",
            "workgroup",
            "sm",
            "timeslice",
            "packet",
            "dispatch",
            "live",
            "golden",
            "report",
            "study",
            "testkit",
        ],
    ),
    hosted("xtask", &[]),
];

const fn no_std(name: &'static str, knows: &'static [&'static str]) -> Crate {
    Crate { name, no_std: true, knows }
}

const fn hosted(name: &'static str, knows: &'static [&'static str]) -> Crate {
    Crate { name, no_std: false, knows }
}

/// Returns the names of the crates that must build without `std`.
pub(crate) fn without_std() -> impl Iterator<Item = &'static str> {
    CRATES.iter().filter(|row| row.no_std).map(|row| row.name)
}

/// Returns the folder of a crate, relative to the root of the checkout.
pub(crate) fn folder(name: &str) -> String {
    if name == "xtask" { name.to_owned() } else { format!("crates/{name}") }
}
