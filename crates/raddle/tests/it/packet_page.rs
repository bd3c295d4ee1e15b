//! Do the page of condensed packets and the table beside it show what the command prints today, on
//! real samples?
//!
//! `cargo xtask bless -p raddle` writes the block and the table; a person reads the diff.

use std::path::PathBuf;

use crate::common::{Place, sample};

/// Sample profiles of the table on the page: (name on the page, path).
const SAMPLES: [(&str, &str); 4] = [
    ("MI300X", "kineto_amd/tracelens_mi300x_resnet_act_checkpoint.json.gz"),
    ("MI350X", "rocprof/tracelens_mi350x_rocprofv3_908_results.json.gz"),
    ("V100", "kineto_nvidia/hta_trace_diff_test_v100.json.gz"),
    ("H100", "nsys/nsysai_h100_2gpu_1s.sqlite.gz"),
];

/// Options of the command for each column of the table.
const OPTIONS: [&str; 5] = [
    "",
    "--hold-us 20",
    "--signals",
    "--signals --hold-us 100",
    "--enqueue-ns 0 --processing-ns 2989 --schedule-ns 876 --cleanup-ns 0",
];

fn stats(files: &[PathBuf], options: &str) -> String {
    let files = files.iter().map(|file| file.to_str().expect("a name in UTF-8"));
    let args: Vec<&str> =
        ["packet", "stats"].into_iter().chain(options.split_whitespace()).chain(files).collect();
    let ran = Place::new().raddle(&args);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{args:?}");
    ran.out
}

/// Returns the paths of the samples; `None` if they are absent and need not be there.
fn samples() -> Option<Vec<PathBuf>> {
    SAMPLES.iter().map(|(_, file)| sample(file)).collect()
}

#[test]
fn the_whole_output_is_that_of_the_table() {
    let (_, first) = SAMPLES[0];
    let Some(file) = sample(first) else { return };
    let name = first.rsplit_once('/').map_or(first, |(_, name)| name);
    let command = format!("$ raddle packet stats \\\n    {name}");
    let wanted = format!("```console\n{command}\n{}```\n", stats(&[file], ""));
    let shown = "crates/raddle/tests/it/tables/condensed-packets.md";
    raddle_testkit::page_holds(shown, "stats", &wanted);
}

/// Returns a column of the table: for each sample the savings with fixed and with new arguments,
/// under these options.
fn column(files: &[PathBuf], options: &str) -> Vec<String> {
    let text = stats(files, options);
    let rows = text.lines().filter(|line| line.starts_with("frequency "));
    let saved: Vec<String> =
        rows.filter_map(|line| line.rsplit_once(' ')).map(|(_, saved)| saved.to_owned()).collect();
    assert_eq!(saved.len(), 2 * files.len(), "fixed and new for each: {text}");
    saved
}

#[test]
fn the_page_shows_what_other_assumptions_leave() {
    let Some(files) = samples() else { return };
    let columns = std::thread::scope(|scope| {
        let files = &files;
        let runs = OPTIONS.map(|options| scope.spawn(move || column(files, options)));
        runs.map(|run| run.join().expect("the command has run"))
    });
    let mut table = String::from("| saved: fixed / new | none |");
    for options in &OPTIONS[1..OPTIONS.len() - 1] {
        table += &format!(" `{options}` |");
    }
    table += " costs of a W7900 |\n|---|---|---|---|---|---|\n";
    for (number, (name, _)) in SAMPLES.iter().enumerate() {
        let both =
            |saved: &Vec<String>| format!(" {} / {} |", saved[2 * number], saved[2 * number + 1]);
        table += &format!("| {name} |{}\n", columns.iter().map(both).collect::<String>());
    }
    raddle_testkit::page_holds("docs/policies/condensed-packets.md", "options", &table);
}
