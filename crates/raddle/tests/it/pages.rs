//! Do the pages of the policies show what their commands print today, on real profiles?
//!
//! `cargo xtask bless -p raddle` writes the tables; a person reads the diff. What takes longer is
//! compared by `cargo xtask soak pages`, or one by one with its mark in `RADDLE_PAGES`.

use std::path::Path;

use crate::common::{Place, sample};

/// Tables of one command on a page, between the marks of this name.
struct PageTables {
    page: &'static str,
    mark: &'static str,
    /// Lines of the command; a word in quotes is one.
    command: &'static [&'static str],
    /// The words with which the heading of each table begins.
    heads: &'static [&'static str],
}

/// Profiles that commands call by their names alone.
const SAMPLES: [&str; 5] = [
    "kineto_amd/tracelens_mi210_gpu_only.json.gz",
    "kineto_amd/tracelens_mi300x_resnet_act_checkpoint.json.gz",
    "kineto_nvidia/tracelens_b200_eager.json.gz",
    "kineto_nvidia/hta_trace_diff_test_v100.json.gz",
    "kineto_nvidia/kineto_tb2020_bare_array_v100.json.gz",
];

const LAUNCHES: &str = "recipe process level";
const REFUSALS: &str = "recipe lacking";

const QUICK: [PageTables; 8] = [
    PageTables {
        page: "matching",
        mark: "searches",
        command: &[
            "raddle replay fixtures/pair/infer.csv fixtures/pair/train.csv --barriers no --priority train=5",
            "--recipe matching --recipe fixtures/recipes/groups-of-4.toml",
            "--recipe fixtures/recipes/groups-by-resource.toml --recipe fixtures/recipes/groups-16.toml",
            "--recipe fixtures/recipes/sampled.toml --recipe fixtures/recipes/no-primes.toml",
            "--recipe fixtures/recipes/best-fit.toml --recipe fixtures/recipes/worst-fit.toml",
            "--recipe fixtures/recipes/seeded-pick.toml --recipe fixtures/recipes/one-channel.toml",
            "-v --no-files",
        ],
        heads: &[LAUNCHES, REFUSALS],
    },
    PageTables {
        page: "matching",
        mark: "decisions",
        command: &[
            "raddle replay tracelens_mi210_gpu_only.json.gz*2 --recipe leftover --recipe matching",
            "--recipe fixtures/recipes/one-clock.toml --recipe fixtures/recipes/three-clocks.toml",
            "--recipe fixtures/recipes/shared-128.toml -v --no-files",
        ],
        heads: &[LAUNCHES],
    },
    PageTables {
        page: "order",
        mark: "windows",
        command: &[
            "raddle replay fixtures/pair/infer.csv fixtures/pair/train.csv --barriers no --priority train=5",
            "--recipe matching --recipe fixtures/recipes/windows.toml -v --no-files",
        ],
        heads: &[LAUNCHES],
    },
    PageTables {
        page: "balance",
        mark: "surplus",
        command: &[
            "raddle replay fixtures/pair/infer.csv fixtures/pair/train.csv --barriers no --priority train=5",
            "--recipe matching --recipe fixtures/recipes/balance-fixed.toml -v --no-files",
        ],
        heads: &[LAUNCHES, REFUSALS],
    },
    PageTables {
        page: "place",
        mark: "heat",
        command: &[
            "raddle replay fixtures/pair/infer.csv fixtures/pair/train.csv --barriers no --priority train=5",
            "--recipe matching --recipe fixtures/recipes/place-round-robin.toml",
            "--recipe fixtures/recipes/most-waves.toml --recipe fixtures/recipes/most-free.toml",
            "--recipe fixtures/recipes/longest-run.toml --recipe fixtures/recipes/least-power.toml",
            "--recipe fixtures/recipes/least-power-ahead.toml --recipe fixtures/recipes/mix.toml",
            "--energy --no-files",
        ],
        heads: &[LAUNCHES, "recipe work idle"],
    },
    PageTables {
        page: "baselines",
        mark: "replays",
        command: &[
            "raddle replay fixtures/pair/infer.csv fixtures/pair/train.csv --barriers no --priority train=5",
            "--recipe round-robin --recipe greedy --recipe leftover --recipe spatial -v --no-files",
        ],
        heads: &[LAUNCHES],
    },
    PageTables {
        page: "preempt",
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
        page: "weighted-slices",
        mark: "turns",
        command: &[
            "raddle replay tracelens_mi210_gpu_only.json.gz*2 --start tracelens_mi210_gpu_only-2=1 --once",
            "--recipe leftover --recipe weighted-slices --recipe fixtures/recipes/slices-claim.toml",
            "--recipe fixtures/recipes/slices-min-one.toml --recipe fixtures/recipes/turns-round-robin.toml",
            "--recipe fixtures/recipes/turns-vruntime.toml -v --no-files",
        ],
        heads: &[LAUNCHES, "taking turns"],
    },
];

const SEARCHES: &str = "search gates";

const SLOW: [PageTables; 9] = [
    PageTables {
        page: "search",
        mark: "b200",
        command: &[
            "raddle search-study tracelens_mi300x_resnet_act_checkpoint.json.gz tracelens_b200_eager.json.gz",
            "--device b200 --priority 'tracelens_mi300x*=5' --launch-latency none",
            "--out searches.jsonl",
        ],
        heads: &[SEARCHES],
    },
    PageTables {
        page: "search",
        mark: "v100",
        command: &[
            "raddle search-study hta_trace_diff_test_v100.json.gz kineto_tb2020_bare_array_v100.json.gz",
            "--device v100 --priority 'hta_trace_diff*=5' --launch-latency none --out searches.jsonl",
            "--vary 'allocate.search=full,{grouped={size=4}},{grouped={size=16}},{grouped={groups=16}},{grouped={groups=8}},{sampled={}}'",
        ],
        heads: &[SEARCHES],
    },
    PageTables {
        page: "search",
        mark: "requests",
        command: &[
            "raddle search-study fixtures/pair/infer.csv fixtures/pair/train.csv --device b200 --barriers no",
            "--priority train=5 --requests infer=8/s --until 300 --seeds 5 --out searches.jsonl",
            "--vary 'allocate.search=full,{grouped={size=4}},{grouped={size=16}},{grouped={groups=16}},{grouped={groups=8}},{sampled={}},{shared={width=1824}}'",
        ],
        heads: &[SEARCHES],
    },
    PageTables {
        page: "search",
        mark: "decisions",
        command: &[
            "raddle search-study fixtures/pair/infer.csv fixtures/pair/train.csv --device b200 --barriers no",
            "--priority train=5 --launch-latency none --out searches.jsonl",
            "--vary 'allocate.search=full,{grouped={size=4}},{shared={width=1824}}'",
            "--vary 'allocate.decision={timing=\"one-clock\",clock-mhz=1500},{timing=\"three-clocks\",clock-mhz=1500}'",
        ],
        heads: &["search decision gates"],
    },
    PageTables {
        page: "search",
        mark: "full device",
        command: &[
            "raddle search-study fixtures/pair/train.csv*4 --device seed-000 --barriers no",
            "--requests train=10/s --until 200 --seed 2 --seeds 3 --out searches.jsonl",
            "--vary 'allocate.search=full,{grouped={size=4}},{grouped={groups=8}},{sampled={}}'",
        ],
        heads: &[SEARCHES],
    },
    PageTables {
        page: "split",
        mark: "cuts",
        command: &[
            "raddle replay fixtures/pair/infer.csv fixtures/pair/train.csv --barriers no --priority train=5",
            "--recipe matching --recipe fixtures/recipes/split-late.toml",
            "--recipe fixtures/recipes/split.toml --recipe fixtures/recipes/split-8.toml -v --no-files",
        ],
        heads: &[LAUNCHES],
    },
    PageTables {
        page: "block-warp",
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
        page: "block-warp",
        mark: "b200",
        command: &[
            "raddle replay tracelens_mi300x_resnet_act_checkpoint.json.gz tracelens_b200_eager.json.gz",
            "--device b200 --priority tracelens_mi300x_resnet_act_checkpoint=5",
            "--recipe leftover --recipe spatial --recipe leftover-drain --recipe matching",
            "--recipe block-warp -v --no-files",
        ],
        heads: &[LAUNCHES],
    },
    PageTables {
        page: "block-warp",
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

/// A word of a command as the tool is given it here; `None` where a sample is absent and need not be
/// there.
fn word(word: &str) -> Option<String> {
    let (file, rest) = word.split_at(word.find('*').unwrap_or(word.len()));
    if let Some(known) = SAMPLES.iter().find(|known| known.ends_with(&format!("/{file}"))) {
        return Some(format!("{}{rest}", sample(known)?.to_str().expect("a name in UTF-8")));
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let fixture = file.starts_with("fixtures/");
    let fixture = fixture.then(|| format!("{}{rest}", root.join(file).display()));
    Some(fixture.unwrap_or_else(|| word.trim_matches('\'').to_owned()))
}

/// The table whose heading begins with these words, up to the empty line behind it.
fn table(output: &str, head: &str) -> String {
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let lines = output.lines().skip_while(|line| !words(line).starts_with(head));
    let rows: Vec<&str> = lines.take_while(|line| !line.is_empty()).map(str::trim_end).collect();
    assert!(rows.len() > 2, "a table `{head}`: {output}");
    rows.join("\n") + "\n"
}

fn check(of: &PageTables) {
    let words = of.command.iter().flat_map(|line| line.split(' ')).skip(1);
    let Some(args) = words.map(word).collect::<Option<Vec<String>>>() else { return };
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let ran = Place::new().raddle(&args);
    // What never ends is shown too.
    assert!(ran.code == 0 || ran.code == 3, "{args:?}: {}", ran.err);
    let tables: Vec<String> = of.heads.iter().map(|head| table(&ran.out, head)).collect();
    let wanted =
        format!("```console\n$ {}\n{}```\n", of.command.join(" \\\n    "), tables.join("\n"));
    let page = format!("docs/policies/{}.md", of.page);
    raddle_testkit::page_holds(&page, of.mark, &wanted);
}

#[test]
fn pages_show_what_their_commands_print() {
    QUICK.iter().for_each(check);
}

#[test]
fn pages_show_what_their_longer_commands_print() {
    let Ok(wanted) = std::env::var("RADDLE_PAGES") else { return };
    let of_mark = |of: &&PageTables| wanted == "all" || wanted == of.mark;
    SLOW.iter().filter(of_mark).for_each(check);
}
