//! Do the pages of the policies show what their commands print today, on real profiles?
//!
//! `cargo xtask bless -p raddle` writes the tables; a person reads the diff. Tables that a page leaves
//! out stand in `tables`, beside this file. Of commands that take longer some recipes run here, whose
//! rows must stand in the table; `cargo xtask soak pages` compares the whole of them, or one by one
//! with its mark in `RADDLE_PAGES`.

use std::path::Path;

use crate::common::{Place, sample};

/// Tables of one command's output on a page of the documentation.
struct PageTables {
    /// Path of the page, or of the file beside the tests for a table that a page leaves out.
    page: &'static str,
    mark: &'static str,
    /// Lines of the command; a word in quotes counts as one.
    command: &'static [&'static str],
    /// Words with which the heading of each table begins.
    heads: &'static [&'static str],
}

/// Sample profiles that commands on pages call by their names alone.
const SAMPLES: [&str; 5] = [
    "kineto_amd/tracelens_mi210_gpu_only.json.gz",
    "kineto_amd/tracelens_mi300x_resnet_act_checkpoint.json.gz",
    "kineto_nvidia/tracelens_b200_eager.json.gz",
    "kineto_nvidia/hta_trace_diff_test_v100.json.gz",
    "kineto_nvidia/kineto_tb2020_bare_array_v100.json.gz",
];

const LAUNCHES: &str = "recipe process level";
const REFUSALS: &str = "recipe lacking";

const QUICK: [PageTables; 7] = [
    PageTables {
        page: "docs/policies/order.md",
        mark: "windows",
        command: &[
            "raddle replay fixtures/pair/infer.csv fixtures/pair/train.csv --barriers no --priority train=5",
            "--recipe matching --recipe fixtures/recipes/windows.toml -v --no-files",
        ],
        heads: &[LAUNCHES],
    },
    PageTables {
        page: "crates/raddle/tests/it/tables/condensed-packets.md",
        mark: "settings",
        command: &[
            "raddle replay fixtures/pair/infer.csv fixtures/pair/train.csv --priority train=5",
            "--recipe aql-packets --recipe condensed --recipe fixtures/recipes/packets-first.toml",
            "--recipe fixtures/recipes/packets-most-recent.toml --recipe fixtures/recipes/packets-near-4.toml",
            "--recipe fixtures/recipes/packets-2-entries.toml --recipe fixtures/recipes/packets-process.toml",
            "--recipe fixtures/recipes/packets-agent.toml --recipe fixtures/recipes/packets-fixed.toml",
            "--recipe fixtures/recipes/packets-signals.toml --recipe fixtures/recipes/packets-ahead-4.toml",
            "--recipe fixtures/recipes/packets-decode.toml --recipe fixtures/recipes/packets-overlap.toml",
            "-v --no-files",
        ],
        heads: &["launching path"],
    },
    PageTables {
        page: "docs/policies/balance.md",
        mark: "surplus",
        command: &[
            "raddle replay fixtures/pair/infer.csv fixtures/pair/train.csv --barriers no --priority train=5",
            "--recipe matching --recipe fixtures/recipes/balance-fixed.toml -v --no-files",
        ],
        heads: &[LAUNCHES, REFUSALS],
    },
    PageTables {
        page: "docs/policies/baselines.md",
        mark: "replays",
        command: &[
            "raddle replay fixtures/pair/infer.csv fixtures/pair/train.csv --barriers no --priority train=5",
            "--recipe round-robin --recipe greedy --recipe fixtures/recipes/greedy-addresses.toml",
            "--recipe leftover --recipe fixtures/recipes/leftover-level.toml --recipe spatial",
            "--recipe fixtures/recipes/spatial-two-to-one.toml --recipe fixtures/recipes/spatial-lent.toml",
            "-v --no-files",
        ],
        heads: &[LAUNCHES],
    },
    PageTables {
        page: "crates/raddle/tests/it/tables/preempt.md",
        mark: "ways",
        command: &[
            "raddle replay fixtures/pair/infer.csv fixtures/pair/train.csv --priority train=5 --idempotent '*=yes'",
            "--recipe leftover --recipe fixtures/recipes/leave-wait.toml",
            "--recipe fixtures/recipes/leave-flag.toml --recipe fixtures/recipes/leave-drain.toml",
            "--recipe fixtures/recipes/leave-reset.toml --recipe fixtures/recipes/leave-switch.toml",
            "--recipe fixtures/recipes/leave-cheapest.toml -v --no-files",
        ],
        heads: &[LAUNCHES],
    },
    PageTables {
        page: "crates/raddle/tests/it/tables/weighted-slices.md",
        mark: "late newcomer",
        command: &[
            "raddle replay tracelens_mi210_gpu_only.json.gz*4 --start tracelens_mi210_gpu_only-4=8ms --once",
            "--recipe leftover --recipe fixtures/recipes/slices-claim.toml",
            "--recipe fixtures/recipes/slices-equal.toml --recipe fixtures/recipes/slices-mean.toml",
            "--recipe fixtures/recipes/slices-inverse.toml --recipe fixtures/recipes/slices-min-one.toml",
            "--recipe fixtures/recipes/turns-round-robin.toml --recipe fixtures/recipes/turns-unmap-all.toml",
            "--recipe fixtures/recipes/turns-vruntime.toml -v --no-files",
        ],
        heads: &["taking turns"],
    },
    PageTables {
        page: "crates/raddle/tests/it/tables/weighted-slices.md",
        mark: "settings",
        command: &[
            "raddle replay tracelens_mi210_gpu_only.json.gz*4 --start tracelens_mi210_gpu_only-4=8ms --once",
            "--priority 'tracelens*=5' --priority '*-4=0' --share tracelens_mi210_gpu_only-3=3",
            "--recipe fixtures/recipes/slices-min-one.toml --recipe fixtures/recipes/slices-longest.toml",
            "--recipe fixtures/recipes/slices-two-fit.toml --recipe fixtures/recipes/slices-completion.toml",
            "--recipe fixtures/recipes/slices-one-level.toml --recipe fixtures/recipes/slices-by-time.toml",
            "--recipe fixtures/recipes/slices-random.toml --recipe fixtures/recipes/slices-wall.toml",
            "--recipe fixtures/recipes/slices-at-once.toml --recipe fixtures/recipes/slices-batch-end.toml",
            "-v --no-files",
        ],
        heads: &["policy tracelen"],
    },
];

const SEARCHES: &str = "search gates";

const SLOW: [PageTables; 12] = [
    PageTables {
        page: "docs/policies/matching.md",
        mark: "decisions",
        command: &[
            "raddle replay tracelens_mi210_gpu_only.json.gz*2 --recipe leftover --recipe matching",
            "--recipe fixtures/recipes/one-clock.toml --recipe fixtures/recipes/three-clocks.toml",
            "--recipe fixtures/recipes/shared-200.toml --recipe fixtures/recipes/reused.toml -v --no-files",
        ],
        heads: &[LAUNCHES],
    },
    PageTables {
        page: "docs/policies/place.md",
        mark: "busy device",
        command: &[
            "raddle replay tracelens_mi210_gpu_only.json.gz*2 --recipe matching",
            "--recipe fixtures/recipes/place-round-robin.toml --recipe fixtures/recipes/most-waves.toml",
            "--recipe fixtures/recipes/most-free.toml --recipe fixtures/recipes/least-power.toml",
            "--recipe fixtures/recipes/least-power-ahead.toml --recipe fixtures/recipes/mix.toml --energy --no-files",
        ],
        heads: &["recipe work idle"],
    },
    PageTables {
        page: "crates/raddle/tests/it/tables/matching.md",
        mark: "searches",
        command: &[
            "raddle replay fixtures/pair/infer.csv fixtures/pair/train.csv --barriers no --priority train=5",
            "--contention none --recipe matching --recipe fixtures/recipes/groups-of-4.toml",
            "--recipe fixtures/recipes/groups-by-resource.toml --recipe fixtures/recipes/groups-16.toml",
            "--recipe fixtures/recipes/sampled.toml --recipe fixtures/recipes/amounts.toml",
            "--recipe fixtures/recipes/no-primes.toml --recipe fixtures/recipes/excluding.toml",
            "--recipe fixtures/recipes/best-fit.toml --recipe fixtures/recipes/worst-fit.toml",
            "--recipe fixtures/recipes/next-fit.toml --recipe fixtures/recipes/seeded-pick.toml",
            "--recipe fixtures/recipes/one-channel.toml",
            "-v --no-files",
        ],
        heads: &[LAUNCHES],
    },
    PageTables {
        page: "crates/raddle/tests/it/tables/place.md",
        mark: "heat",
        command: &[
            "raddle replay fixtures/pair/infer.csv fixtures/pair/train.csv --barriers no --priority train=5",
            "--contention none --recipe matching --recipe fixtures/recipes/place-round-robin.toml",
            "--recipe fixtures/recipes/most-waves.toml --recipe fixtures/recipes/most-free.toml",
            "--recipe fixtures/recipes/longest-run.toml --recipe fixtures/recipes/least-power.toml",
            "--recipe fixtures/recipes/least-power-ahead.toml --recipe fixtures/recipes/mix.toml",
            "--energy --no-files",
        ],
        heads: &["recipe work idle"],
    },
    PageTables {
        page: "crates/raddle/tests/it/tables/preempt.md",
        mark: "training",
        command: &[
            "raddle replay hta_trace_diff_test_v100.json.gz fixtures/pair/infer.csv --device b200 --comm fixed",
            "--priority 'hta*=5' --idempotent '*=yes' --arrivals infer=fixtures/pair/continuous.json",
            "--recipe leftover --recipe fixtures/recipes/leave-wait.toml",
            "--recipe fixtures/recipes/leave-flag.toml --recipe fixtures/recipes/leave-drain.toml",
            "--recipe fixtures/recipes/leave-reset.toml --recipe fixtures/recipes/leave-switch.toml",
            "--recipe fixtures/recipes/leave-cheapest.toml -v --no-files",
        ],
        heads: &[LAUNCHES],
    },
    PageTables {
        page: "crates/raddle/tests/it/tables/search.md",
        mark: "b200",
        command: &[
            "raddle search-study tracelens_mi300x_resnet_act_checkpoint.json.gz tracelens_b200_eager.json.gz",
            "--device b200 --priority 'tracelens_mi300x*=5' --launch-latency none --contention none --comm keep",
            "--out searches.jsonl",
        ],
        heads: &[SEARCHES],
    },
    PageTables {
        page: "docs/policies/search.md",
        mark: "v100",
        command: &[
            "raddle search-study hta_trace_diff_test_v100.json.gz kineto_tb2020_bare_array_v100.json.gz",
            "--device v100 --priority 'hta_trace_diff*=5' --launch-latency none --out searches.jsonl",
            "--vary 'allocate.search=full,{grouped={size=4}},{grouped={size=16}},{grouped={groups=16}},{grouped={groups=8}},{sampled={}}'",
        ],
        heads: &[SEARCHES],
    },
    PageTables {
        page: "crates/raddle/tests/it/tables/search.md",
        mark: "full device",
        command: &[
            "raddle search-study fixtures/pair/train.csv*4 --device seed-000 --barriers no",
            "--requests train=10/s --until 200ms --seed 2 --seeds 3 --out searches.jsonl",
            "--vary 'allocate.search=full,{grouped={size=4}},{grouped={groups=8}},{sampled={}}'",
        ],
        heads: &[SEARCHES],
    },
    PageTables {
        page: "docs/policies/split.md",
        mark: "cuts",
        command: &[
            "raddle replay fixtures/pair/infer.csv fixtures/pair/train.csv --barriers no --priority train=5 --launch-latency none --contention none --comm keep",
            "--recipe matching --recipe fixtures/recipes/split-late.toml",
            "--recipe fixtures/recipes/split.toml --recipe fixtures/recipes/split-8.toml -v --no-files",
        ],
        heads: &[LAUNCHES],
    },
    PageTables {
        page: "crates/raddle/tests/it/tables/block-warp.md",
        mark: "settings",
        command: &[
            "raddle replay fixtures/pair/infer.csv fixtures/pair/train.csv --priority train=5",
            "--recipe leftover --recipe block-warp --recipe fixtures/recipes/strict.toml",
            "--recipe fixtures/recipes/choose-most-free.toml --recipe fixtures/recipes/fall-through.toml",
            "--recipe fixtures/recipes/parts-with-barriers.toml",
            "--recipe fixtures/recipes/no-backfill.toml -v --no-files",
        ],
        heads: &[LAUNCHES],
    },
    PageTables {
        page: "crates/raddle/tests/it/tables/block-warp.md",
        mark: "b200",
        command: &[
            "raddle replay tracelens_mi300x_resnet_act_checkpoint.json.gz tracelens_b200_eager.json.gz",
            "--device b200 --priority tracelens_mi300x_resnet_act_checkpoint=5 --launch-latency none --contention none --comm keep",
            "--recipe leftover --recipe spatial --recipe leftover-drain --recipe matching",
            "--recipe block-warp -v --no-files",
        ],
        heads: &[LAUNCHES],
    },
    PageTables {
        page: "docs/policies/block-warp.md",
        mark: "v100",
        command: &[
            "raddle replay hta_trace_diff_test_v100.json.gz kineto_tb2020_bare_array_v100.json.gz",
            "--device v100 --priority hta_trace_diff_test_v100=5",
            "--recipe leftover --recipe spatial --recipe leftover-drain --recipe matching",
            "--recipe block-warp -v --no-files",
        ],
        heads: &[LAUNCHES],
    },
];

/// Tables of longer commands, of which only some rows stand on the page.
const PARTS: [PageTables; 7] = [
    PageTables {
        page: "docs/policies/matching.md",
        mark: "decisions",
        command: &[
            "raddle replay tracelens_mi210_gpu_only.json.gz*2 --recipe fixtures/recipes/three-clocks.toml",
            "-v --no-files",
        ],
        heads: &[LAUNCHES],
    },
    PageTables {
        page: "docs/policies/place.md",
        mark: "busy device",
        command: &[
            "raddle replay tracelens_mi210_gpu_only.json.gz*2 --recipe fixtures/recipes/mix.toml --energy --no-files",
        ],
        heads: &["recipe work idle"],
    },
    PageTables {
        page: "crates/raddle/tests/it/tables/matching.md",
        mark: "searches",
        command: &[
            "raddle replay fixtures/pair/infer.csv fixtures/pair/train.csv --barriers no --priority train=5",
            "--contention none --recipe fixtures/recipes/groups-of-4.toml",
            "--recipe fixtures/recipes/seeded-pick.toml",
            "-v --no-files",
        ],
        heads: &[LAUNCHES],
    },
    PageTables {
        page: "crates/raddle/tests/it/tables/place.md",
        mark: "heat",
        command: &[
            "raddle replay fixtures/pair/infer.csv fixtures/pair/train.csv --barriers no --priority train=5",
            "--contention none --recipe fixtures/recipes/most-free.toml",
            "--recipe fixtures/recipes/least-power-ahead.toml --energy --no-files",
        ],
        heads: &["recipe work idle"],
    },
    PageTables {
        page: "docs/policies/split.md",
        mark: "cuts",
        command: &[
            "raddle replay fixtures/pair/infer.csv fixtures/pair/train.csv --barriers no --priority train=5",
            "--launch-latency none --contention none --comm keep",
            "--recipe matching --recipe fixtures/recipes/split.toml -v --no-files",
        ],
        heads: &[LAUNCHES],
    },
    PageTables {
        page: "crates/raddle/tests/it/tables/block-warp.md",
        mark: "b200",
        command: &[
            "raddle replay tracelens_mi300x_resnet_act_checkpoint.json.gz tracelens_b200_eager.json.gz",
            "--device b200 --priority tracelens_mi300x_resnet_act_checkpoint=5",
            "--launch-latency none --contention none --comm keep",
            "--recipe leftover --recipe block-warp -v --no-files",
        ],
        heads: &[LAUNCHES],
    },
    PageTables {
        page: "crates/raddle/tests/it/tables/search.md",
        mark: "b200",
        command: &[
            "raddle search-study tracelens_mi300x_resnet_act_checkpoint.json.gz tracelens_b200_eager.json.gz",
            "--device b200 --priority 'tracelens_mi300x*=5' --launch-latency none --out searches.jsonl",
            "--contention none --comm keep --vary 'allocate.search=full,{grouped={groups=16}}'",
        ],
        heads: &[SEARCHES],
    },
];

/// Returns a word of a command as the tool is given it in the test; `None` where it is a sample
/// that is absent and need not be there.
fn word(word: &str) -> Option<String> {
    let (file, rest) = word.split_at(word.find('*').unwrap_or(word.len()));
    if let Some(known) = SAMPLES.iter().find(|known| known.ends_with(&format!("/{file}"))) {
        return Some(format!("{}{rest}", sample(known)?.to_str().expect("a name in UTF-8")));
    }
    let (key, file) = file.split_at(file.find("fixtures/").unwrap_or(0));
    if !file.starts_with("fixtures/") {
        return Some(word.trim_matches('\'').to_owned());
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    Some(format!("{key}{}{rest}", root.join(file).display()))
}

/// Returns the table in an output whose heading begins with these words, up to the empty line
/// behind it.
fn table(output: &str, head: &str) -> String {
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let lines = output.lines().skip_while(|line| !words(line).starts_with(head));
    let rows: Vec<&str> = lines.take_while(|line| !line.is_empty()).map(str::trim_end).collect();
    assert!(rows.len() > 2, "a table `{head}`: {output}");
    rows.join("\n") + "\n"
}

/// Returns the tables that a command prints; `None` if a sample is absent and need not be there.
fn tables(of: &PageTables) -> Option<Vec<String>> {
    let words = of.command.iter().flat_map(|line| line.split(' ')).skip(1);
    let args = words.map(word).collect::<Option<Vec<String>>>()?;
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let ran = Place::new().raddle(&args);
    // A replay whose launches never end is shown too.
    assert!(ran.code == 0 || ran.code == 3, "{args:?}: {}", ran.err);
    Some(of.heads.iter().map(|head| table(&ran.out, head)).collect())
}

fn check(of: &PageTables) {
    let Some(tables) = tables(of) else { return };
    let wanted =
        format!("```console\n$ {}\n{}```\n", of.command.join(" \\\n    "), tables.join("\n"));
    raddle_testkit::page_holds(of.page, of.mark, &wanted);
}

#[test]
fn pages_show_what_their_commands_print() {
    QUICK.iter().for_each(check);
}

/// Returns the rows of a table without the blanks between columns, whose width depends on all rows,
/// and without what compares a row with the others.
fn rows(table: &str) -> Vec<String> {
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let rows = table.lines().skip_while(|line| !line.starts_with("---")).skip(1);
    rows.map(|line| words(line).trim_end_matches(" yes").to_owned()).collect()
}

#[test]
fn parts_of_longer_commands_print_rows_of_the_page() {
    for of in &PARTS {
        let Some(tables) = tables(of) else { continue };
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(of.page);
        let page = std::fs::read_to_string(page).unwrap();
        let (begin, end) =
            (format!("<!-- {} -->", of.mark), format!("<!-- end of {} -->", of.mark));
        let shown = page.split_once(&begin).unwrap().1.split_once(&end).unwrap().0;
        let shown = rows(shown);
        for row in tables.iter().flat_map(|table| rows(table)) {
            assert!(shown.contains(&row), "{}: `{row}` is not among {shown:#?}", of.page);
        }
    }
}

#[test]
fn pages_show_what_their_longer_commands_print() {
    let Ok(wanted) = std::env::var("RADDLE_PAGES") else { return };
    let of_mark = |of: &&PageTables| wanted == "all" || wanted == of.mark;
    SLOW.iter().filter(of_mark).for_each(check);
}
