//! Do the checks pass that take too long for `.ci/run`?

use anyhow::{Context, Result};
use tempfile::TempDir;
use xshell::{Shell, cmd};

use crate::{checkout, fuzz, mutants, wheels, workspace};

/// Check that takes too long for `.ci/run`, with its name and a line that says what it checks.
struct SoakCheck {
    name: &'static str,
    what: &'static str,
    run: fn(&Shell) -> Result<()>,
}

const CHECKS: [SoakCheck; 18] = [
    SoakCheck {
        name: "properties",
        what: "the property tests of the no_std crates, 10,000 cases each",
        run: properties,
    },
    SoakCheck {
        name: "dispatch",
        what: "100,000 random recipes on random workloads: the eleven rules, the ledger, every launch ended, equal replays",
        run: dispatch,
    },
    SoakCheck { name: "mutations", what: "10,000 mutations of real profiles", run: mutations },
    SoakCheck { name: "fuzz", what: "100,000 executions of every fuzz target", run: all_targets },
    SoakCheck {
        name: "perfetto",
        what: "a timeline of a replay by the public definitions of its format",
        run: perfetto,
    },
    SoakCheck { name: "release", what: "the README's commands by the release build", run: release },
    SoakCheck { name: "benches", what: "every benchmark once", run: benches },
    SoakCheck {
        name: "kernel",
        what: "the cost of the prologue, the refusals of the corpus, mistakes built into raddle-kernel, 10,000,000 executions of each of its parsers",
        run: kernel,
    },
    SoakCheck {
        name: "preempt",
        what: "mistakes built into raddle-preempt, and 1,000,000 random plans of each of its two kinds",
        run: preempt,
    },
    SoakCheck {
        name: "live",
        what: "1,000,000 schedules of a live client, its threads in every order, 1,000,000 messages, 300 kills and stops of daemon and programs, costs, 1,000 connections",
        run: live,
    },
    SoakCheck {
        name: "opencl",
        what: "hazards in every storm by each runtime and loader, 1,000 storms over chains and 100 by each other driver, tests of CLBlast and pyopencl, 100,000 objects, costs, an urgent program beside a busy one",
        run: opencl,
    },
    SoakCheck {
        name: "cuda",
        what: "every client of the library for CUDA in 200 storms, the cost of a launch",
        run: cuda,
    },
    SoakCheck {
        name: "judged",
        what: "the rows of docs/judged.md: what replays give where others measured",
        run: judged,
    },
    SoakCheck {
        name: "queues",
        what: "percentiles of queues with known ones lie within their intervals, by 20 seeds",
        run: queues,
    },
    SoakCheck {
        name: "pages",
        what: "the longer commands of docs/policies print the tables of their pages",
        run: pages,
    },
    SoakCheck {
        name: "packets",
        what: "100,000,000 executions of the fuzz target that decodes packets",
        run: packets,
    },
    SoakCheck {
        name: "rtl",
        what: "circuits as Verilog on 1,000,000 maps each under Verilator, their gates by Yosys, 1,000,000 lines of placements",
        run: rtl,
    },
    SoakCheck {
        name: "python",
        what: "the wheel installed without a network, its tests, a sweep on a cluster of Ray that loses a node",
        run: wheels::check,
    },
];

/// Runs the check with the name `name`; without a name, prints the list of checks.
///
/// # Errors
/// When no check has this name, or the check fails.
pub(crate) fn run(shell: &Shell, name: Option<&str>) -> Result<()> {
    let Some(name) = name else {
        for SoakCheck { name, what, .. } in &CHECKS {
            println!("cargo xtask soak {name:12} {what}");
        }
        return Ok(());
    };
    let check = CHECKS.iter().find(|check| check.name == name);
    let check = check.with_context(|| {
        let names = CHECKS.each_ref().map(|check| check.name);
        format!("unknown check `{name}`; known: {}", names.join(", "))
    })?;
    (check.run)(shell)
}

fn queues(shell: &Shell) -> Result<()> {
    let test = cmd!(
        shell,
        "cargo test --release -p raddle --all-features --test it evidence:: -- --nocapture"
    );
    Ok(test.env("RADDLE_QUEUE_SEEDS", "20").run()?)
}

fn properties(shell: &Shell) -> Result<()> {
    let packages = workspace::without_std().flat_map(|name| ["-p", name]);
    Ok(cmd!(shell, "cargo test --release").args(packages).env("PROPTEST_CASES", "10000").run()?)
}

fn dispatch(shell: &Shell) -> Result<()> {
    mutants::run(shell, "raddle-sim")?;
    let test = cmd!(shell, "cargo test --release -p raddle-sim --test it any_recipe::");
    Ok(test.env("PROPTEST_CASES", "100000").run()?)
}

fn mutations(shell: &Shell) -> Result<()> {
    let test = cmd!(shell, "cargo test --release -p raddle-trace --all-features --test mutations");
    Ok(test.args(["--", "--nocapture"]).env("RADDLE_MUTATIONS", "10000").run()?)
}

fn all_targets(shell: &Shell) -> Result<()> {
    let args = fuzz::FuzzArgs { targets: Vec::new(), runs: 100_000, longest: 8192, keep: false };
    fuzz::run(shell, &args)
}

fn kernel(shell: &Shell) -> Result<()> {
    let cost = cmd!(shell, "cargo test -p raddle-kernel --test it -- cost verdict --nocapture");
    cost.env("RADDLE_MEASURE", "1").run()?;
    mutants::run(shell, "raddle-kernel")?;
    let targets = ["opencl", "ptx", "spirv"].map(str::to_owned).to_vec();
    fuzz::run(shell, &fuzz::FuzzArgs { targets, runs: 10_000_000, longest: 1400, keep: false })
}

fn preempt(shell: &Shell) -> Result<()> {
    mutants::run(shell, "raddle-preempt")?;
    mutants::run(shell, "raddle-dispatch")?;
    let test = cmd!(shell, "cargo test --release -p raddle-preempt --test it --test driver");
    // 100 plans a case.
    Ok(test.env("PROPTEST_CASES", "10000").run()?)
}

fn live(shell: &Shell) -> Result<()> {
    let schedules = cmd!(shell, "cargo test --release -p raddle-live --lib -- --nocapture");
    schedules.env("RADDLE_SCHEDULES", "1000000").run()?;
    let orders = cmd!(shell, "cargo test --release -p raddle-live --test loom");
    orders.env("LOOM_MAX_PREEMPTIONS", "2").run()?;
    let daemon = cmd!(shell, "cargo test --release -p raddle-live --test live");
    // One after the other: one of them measures.
    daemon
        .args(["--", "--nocapture", "--test-threads", "1"])
        .env("RADDLE_MESSAGES", "1000000")
        .env("RADDLE_KILLS", "100")
        .env("RADDLE_MEASURE", "1")
        .run()?;
    Ok(())
}

fn opencl(shell: &Shell) -> Result<()> {
    cmd!(shell, "cargo build --release -p raddle-opencl").run()?;
    let layer = checkout::target_folder().join("release/libraddle_opencl.so");
    let tests = cmd!(
        shell,
        "cargo test -p raddle-opencl -- --nocapture --skip pyopencl_end --skip figures"
    );
    let tests = tests.env("RADDLE_TEST_STORMS", "500");
    // `.ci/run` installs Intel's runtime there.
    let intel = checkout::target_folder().join("intel");
    if intel.join("vendors").is_dir() {
        tests.env("RADDLE_INTEL_OPENCL", intel).env("RADDLE_REQUIRE_INTEL", "1").run()?;
    } else {
        tests.run()?;
    }
    // One after the other, as they measure.
    let measured = cmd!(
        shell,
        "cargo test -p raddle-opencl --test it -- --nocapture --test-threads=1 figures pyopencl_end"
    );
    let measured = measured.env("RADDLE_MEASURE", "1").env("RADDLE_TEST_LAYER", layer);
    Ok(measured.env("RADDLE_TEST_STORMS", "500").env("RADDLE_TEST_OBJECTS", "100000").run()?)
}

fn cuda(shell: &Shell) -> Result<()> {
    cmd!(shell, "cargo build --release -p raddle-cuda").run()?;
    let library = checkout::target_folder().join("release/libraddle_cuda.so");
    let storms = cmd!(shell, "cargo test -p raddle-cuda --test it -- --nocapture --skip figures");
    storms.env("RADDLE_TEST_STORMS", "200").env("RADDLE_TEST_LAYER", &library).run()?;
    let cost = cmd!(shell, "cargo test -p raddle-cuda --test it -- --nocapture figures");
    Ok(cost.env("RADDLE_MEASURE", "1").env("RADDLE_TEST_LAYER", library).run()?)
}

fn judged(shell: &Shell) -> Result<()> {
    cmd!(shell, "cargo test -p raddle-preempt --test xsched -- --nocapture").run()?;
    let rows =
        cmd!(shell, "cargo test -p raddle --test it -- judged:: pairs:: contention:: --nocapture");
    Ok(rows.env("RADDLE_JUDGED", "1").run()?)
}

fn pages(shell: &Shell) -> Result<()> {
    let rows = cmd!(shell, "cargo test -p raddle --test it -- pages:: --nocapture");
    rows.env("RADDLE_PAGES", "all").run()?;
    let rows = cmd!(shell, "cargo test -p xsched-policies --test it -- readme --nocapture");
    Ok(rows.env("RADDLE_PAGES", "all").run()?)
}

fn packets(shell: &Shell) -> Result<()> {
    let targets = vec!["packet".to_owned()];
    // Room for four packets.
    fuzz::run(shell, &fuzz::FuzzArgs { targets, runs: 100_000_000, longest: 258, keep: false })
}

fn rtl(shell: &Shell) -> Result<()> {
    let circuits = cmd!(shell, "cargo test --release -p raddle-golden --test rtl -- --nocapture");
    circuits.env("RADDLE_REQUIRE_RTL", "1").env("RADDLE_RTL_LINES", "1000000").run()?;
    let table =
        cmd!(shell, "cargo test --release -p raddle-golden --test allocation -- --nocapture");
    Ok(table.env("RADDLE_MEASURE", "1").run()?)
}

fn perfetto(shell: &Shell) -> Result<()> {
    let folder = release_run(shell)?;
    let manifest = "xtask/checks/perfetto/Cargo.toml";
    let timelines = folder.path().join("raddle-out/bundled");
    Ok(cmd!(shell, "cargo test --manifest-path {manifest}")
        .env("RADDLE_TIMELINES", timelines)
        .run()?)
}

fn release(shell: &Shell) -> Result<()> {
    let folder = release_run(shell)?;
    let raddle = checkout::target_folder().join("release/raddle");
    for recipe in ["leftover", "spatial", "leftover-drain", "weighted-slices"] {
        let log = folder.path().join(format!("raddle-out/bundled/{recipe}/decisions.jsonl.zst"));
        cmd!(shell, "{raddle} log {log} --check").run()?;
        cmd!(shell, "{raddle} log {log} --replay").run()?;
    }
    Ok(())
}

/// Builds `raddle` with optimisation and runs it without a verb in an empty folder. Returns the
/// folder, which holds the files that it wrote.
fn release_run(shell: &Shell) -> Result<TempDir> {
    cmd!(shell, "cargo build --release -p raddle").run()?;
    let folder = tempfile::tempdir()?;
    let raddle = checkout::target_folder().join("release/raddle");
    let _inside = shell.push_dir(folder.path());
    cmd!(shell, "{raddle} --log answers").run()?;
    Ok(folder)
}

fn benches(shell: &Shell) -> Result<()> {
    Ok(cmd!(shell, "cargo bench --workspace --all-features --benches -- --test").run()?)
}
