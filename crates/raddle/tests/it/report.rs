//! Is the page of a replay complete, harmless, small, and the same everywhere?

use std::collections::BTreeSet;
use std::fs;

use crate::common::{Place, infer, table, train};

fn page(place: &Place, folder: &str) -> String {
    fs::read_to_string(place.path().join(folder).join("report.html")).expect("it is there")
}

fn two() -> Place {
    let place = Place::new();
    place.file("train.csv", train());
    place.file("infer.csv", infer());
    place
}

/// Returns the text of a page that a reader sees, one line for each element with text: no style
/// sheet, no pictures, no tags.
fn words(page: &str) -> String {
    let mut left = page.split_once("</style>").expect("a style sheet").1;
    let mut out = String::new();
    while let Some((text, rest)) = left.split_once('<') {
        out += &format!("{}\n", text.trim());
        let (tag, rest) = rest.split_once('>').expect("a tag ends");
        left = rest;
        if tag.starts_with("svg") {
            left = rest.split_once("</svg>").expect("a picture ends").1;
        }
    }
    out.lines().filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_page_of_two_processes_reads_like_this() {
    let place = two();
    let args = [
        "replay",
        "train.csv",
        "infer.csv",
        "--priority",
        "train*=5",
        "--start",
        "infer.csv=0.1ms",
    ];
    let ran = place.raddle(
        &[
            &args[..],
            &[
                "--recipe",
                "leftover",
                "--recipe",
                "leftover-drain",
                "--log",
                "answers",
                "--timeline",
                "all",
            ],
        ]
        .concat(),
    );
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert!(ran.out.contains("Report: raddle-out/train+infer/report.html"), "{}", ran.out);
    let page = page(&place, "raddle-out/train+infer");
    insta::assert_snapshot!(words(&page));
    assert_eq!(
        page.matches("<svg class=\"chart\" role=\"img\"").count(),
        1,
        "what the choice costs"
    );
    for link in [
        "./summary.json",
        "./leftover/decisions.jsonl.zst",
        "./leftover-drain/decisions.jsonl.zst",
        "./leftover/timeline.perfetto-trace",
        "./leftover-drain/timeline.perfetto-trace",
    ] {
        assert!(page.contains(&format!("href=\"{link}\"")), "{link}");
        assert!(place.path().join("raddle-out/train+infer").join(link).is_file(), "{link}");
    }
}

#[test]
fn without_a_timeline_there_is_no_word_of_one() {
    let place = two();
    let args = ["replay", "train.csv", "infer.csv", "--timeline", "none", "--out", "out"];
    assert_eq!(place.raddle(&args).code, 0);
    assert!(!page(&place, "out").contains("perfetto"));
}

#[test]
fn the_page_needs_nothing_from_elsewhere() {
    let place = two();
    assert_eq!(place.raddle(&["replay", "train.csv", "infer.csv", "--out", "out"]).code, 0);
    let page = page(&place, "out");
    let policy = "content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-";
    assert!(page.contains(policy));
    assert_eq!(page.matches("<script>").count(), 1, "the one whose hash the policy names");
    let (before, script) = page.split_once("<script>").expect("a script");
    assert!(script.starts_with("\"use strict\";"));
    for word in ["http:", "https:", "src=", "<link", "<script", "@import", "url(", "xmlns"] {
        assert!(!before.contains(word) && !script.contains(word), "{word}");
    }
    for word in ["http:", "https:", "//", "fetch("] {
        assert!(!page.contains(word), "{word}");
    }
    assert!(page.contains("prefers-color-scheme: dark") && page.contains("@media print"));
}

#[test]
fn names_from_outside_are_names_and_nothing_else() {
    let place = Place::new();
    let long = "x".repeat(1000);
    let kernels = [
        "<script>alert(1)</script>",
        "a\"b'c&amp;</td></table>",
        "\u{202e}gnitset\u{2066}\u{200f}",
        &long,
        "<img/src=x/onerror=alert(1)>",
    ];
    let row = |(n, kernel): (usize, &&str)| {
        let (arrival, start) = (100 * n, 4000 * n);
        format!("\"{}\" 1 80 128 32 98305 {arrival} {start} 1000", kernel.replace('"', "\"\""))
    };
    let mut rows: Vec<String> = kernels.iter().enumerate().map(row).collect();
    rows.push("fine 1 80 128 32 0 900 90000 1000".to_owned());
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    place.file("<b>&'q'.csv", table(&rows));
    place.file("\u{202e}<i>.csv", table(&rows));
    place.file(
        "<u onclick=x>.toml",
        "raddle = 1\ndescription = \"</style><script>alert(2)</script>\u{202e}\"\n",
    );
    let ran = place.raddle(&[
        "replay",
        "<b>&'q'.csv",
        "\u{202e}<i>.csv",
        "--recipe",
        "<u onclick=x>.toml",
        "--partial",
        "--log",
        "answers",
        "--out",
        "out",
    ]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let page = page(&place, "out");
    let lower = page.to_lowercase();
    assert_eq!(lower.matches("<script").count(), 1, "ours");
    for tag in ["<script src", "<img", "<b>&", "<i>", "<u "] {
        assert!(!lower.contains(tag), "{tag}");
    }
    assert_eq!(page.matches("</style>").count(), 1);
    for turning in ['\u{202e}', '\u{2066}', '\u{200f}'] {
        assert!(!page.contains(turning), "{turning:?}");
        assert!(!ran.out.contains(turning), "{turning:?}");
    }
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert!(page.contains("a&quot;b'c&amp;amp;&lt;/td&gt;"));
    assert!(page.contains("href=\"./%3Cu%20onclick%3Dx%3E/decisions.jsonl.zst\""));
    assert!(!page.contains(&"x".repeat(200)), "long names are cut");
    // Every tag that is opened is one of ours.
    let ours = [
        "a",
        "b",
        "bdi",
        "body",
        "circle",
        "code",
        "desc",
        "details",
        "div",
        "figcaption",
        "figure",
        "h1",
        "h2",
        "h3",
        "head",
        "header",
        "html",
        "li",
        "line",
        "main",
        "meta",
        "p",
        "path",
        "rect",
        "script",
        "section",
        "span",
        "strong",
        "style",
        "summary",
        "svg",
        "table",
        "tbody",
        "td",
        "text",
        "th",
        "thead",
        "title",
        "tr",
        "ul",
        "!DOCTYPE",
    ];
    let page = page.split_once("<script>").expect("the last element").0;
    for piece in page.split('<').skip(1) {
        let name: String =
            piece.trim_start_matches('/').chars().take_while(|c| !" >".contains(*c)).collect();
        assert!(ours.contains(&name.as_str()), "<{name}");
    }
}

#[test]
fn a_replay_in_which_nothing_is_refused_or_met_says_so_in_words() {
    let place = Place::new();
    place.file("train.csv", train());
    let ran = place.raddle(&[
        "replay",
        "train.csv",
        "--recipe",
        "greedy",
        "--out",
        "out",
        "--format",
        "json",
    ]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let words = words(&page(&place, "out"));
    for said in [
        "None: every launch of every profile can run on this device under every recipe.",
        "Nothing unusual was met in the files.",
        "There is one process: nobody takes turns with it.",
    ] {
        assert!(words.contains(said), "{said}\n{words}");
    }
}

#[test]
fn the_page_of_ten_recipes_is_small() {
    let place = Place::new();
    for file in ["train.csv", "infer.csv"] {
        let bundled = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/pair/");
        place.file(file, fs::read(format!("{bundled}{file}")).expect(file));
    }
    let mut args: Vec<&str> =
        "replay train.csv infer.csv --device b200 --priority train=5 --priority infer=0 --timeline none --out out"
            .split(' ')
            .collect();
    let bundled = ["round-robin", "greedy", "leftover", "spatial", "leftover-drain"];
    // Turn, preemption, cost of a packet, allocation with its parameters. Without addresses, which
    // take too long here.
    let own = [
        ("late", "everyone", "never", 20_000, "'leftover'"),
        ("packed", "highest-level", "drain", 0, "'greedy'"),
        ("turned", "highest-level", "drain", 0, "'round-robin'"),
        ("urgent", "highest-level", "never", 0, "'round-robin'"),
        ("shares", "highest-level", "drain", 0, "'spatial'\nshares = [3, 1]"),
    ];
    let files = own.map(|(name, turn, preempt, packet, allocate)| {
        let text = format!(
            "raddle = 1\nlaunch-path = {{ policy = 'ordinary', packet-ns = {packet} }}\n\
             turn.policy = '{turn}'\npreempt.policy = '{preempt}'\n[allocate]\npolicy = {allocate}\n"
        );
        let file = format!("{name}.toml");
        place.file(&file, text);
        file
    });
    for recipe in bundled.into_iter().chain(files.iter().map(String::as_str)) {
        args.extend(["--recipe", recipe]);
    }
    let ran = place.raddle(&args);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let page = page(&place, "out");
    assert!(page.len() < 2_000_000, "{}", page.len());
    assert_eq!(page.matches("<svg class=\"chart\"").count(), 1);
    // No two of them came to the same.
    let text = fs::read_to_string(place.path().join("out/summary.json")).unwrap();
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    let results = value["recipes"].as_array().unwrap().iter();
    let results: BTreeSet<String> = results.map(|result| result["summary"].to_string()).collect();
    assert_eq!(results.len(), 10);
}

#[test]
fn timelines_and_requests_are_there_where_there_are_some() {
    let place = two();
    place.file(
        "load.json",
        r#"{"time": 0.002, "tasks": [{"id": "burst", "load": {"type": "trace", "trace": [0, 0.1, 0.5]}, "client": {}}]}"#,
    );
    let args = ["replay", "train.csv", "infer.csv", "--recipe", "greedy", "--out", "out"];
    let page = |more: &[&str]| {
        let ran = place.raddle(&[&args[..], more].concat());
        assert_eq!((ran.code, ran.err.as_str()), (0, ""));
        page(&place, "out")
    };
    let link = "href=\"./greedy/timeline.perfetto-trace\"";
    let plain = page(&["--timeline", "none"]);
    assert!(!plain.contains("perfetto") && !plain.contains("Requests of"));
    let both = page(&["--arrivals", "infer=load.json:burst"]);
    assert!(both.contains(link) && both.contains("href=\"./greedy/slowest.perfetto-trace\""));
    assert_eq!(both.matches("<svg class=\"chart\" role=\"img\"").count(), 1, "their distribution");
    let words = words(&both);
    let slowest = words.split_once("\nThe slowest requests\n").expect("a table of them").1;
    let rows =
        slowest.lines().filter_map(|line| line.strip_prefix('#')?.strip_suffix(": download"));
    assert_eq!(rows.filter(|n| n.parse::<u32>().is_ok()).count(), 3, "{words}");
    for said in ["dependency: copies or own work", "running", "download, open in ui.perfetto.dev"] {
        assert!(words.contains(said), "{said}: {words}");
    }
    assert!(words.contains("A page that was mailed alone left them behind"), "{words}");
    // The load has its rate, and what decides comes before the chart.
    assert!(words.contains("\nload\ninfer 4000/s (trace, 3 requests)\n"), "{words}");
    let order =
        ["class=\"verdict", ">load<", ">memory<", "class=\"sorts deciding\"", "id=\"requests\""];
    let places = order.map(|part| both.find(part).unwrap_or_else(|| panic!("{part}: {words}")));
    assert!(places.is_sorted(), "{places:?}");
    // A name leads to what its policy does.
    assert!(
        both.contains("<a href=\"#policy-0\" title=\"") && both.contains("<li id=\"policy-0\">")
    );
}
