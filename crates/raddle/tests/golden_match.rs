//! Does the golden model of matching give the answer of the contract, refuse the rest at its place,
//! and explain itself?

mod common;

use common::Place;
use serde_json::Value;

/// The example of the contract, with its answer.
const CONTRACT: (&str, &str) = (
    r#"{"cus":[{"shared":{"lds":"1111111111"},"simds":[{"vgpr":"11111111","waves":2},{"vgpr":"00001111","waves":2}]},{"shared":{"lds":"0011110000"},"simds":[{"vgpr":"01111110","waves":1},{"vgpr":"11111101","waves":3}]}],"channels":[{"level":1,"demand":{"shared":{"lds":2},"simds":[{"vgpr":12,"waves":2},{"vgpr":6,"waves":1}]}},{"level":2,"demand":{"shared":{"lds":4},"simds":[{"vgpr":6,"waves":1},{"vgpr":6,"waves":1}]}},{"level":2,"demand":{"shared":{"lds":8},"simds":[{"vgpr":8,"waves":2},{"vgpr":4,"waves":2}]}},{"level":3,"demand":{"shared":{"lds":0},"simds":[{"vgpr":1,"waves":1},{"vgpr":1,"waves":1}]}},null],"marks":{"2":[1]}}"#,
    r#"{"candidates":[{"channel":1,"cus":[1]},{"channel":2,"cus":[0]},{"channel":3,"cus":[0,1]}],"target":{"channel":2,"cu":0,"shared_starts":{"lds":0},"starts":[{"vgpr":0},{"vgpr":4}]},"marks":{"2":[1,2]},"refusals":[{"channel":0,"cu":0,"simd":0,"resource":"vgpr","wanted":12,"longest":8},{"channel":0,"cu":0,"simd":1,"resource":"vgpr","wanted":6,"longest":4},{"channel":0,"cu":1,"simd":0,"resource":"vgpr","wanted":12,"longest":6},{"channel":0,"cu":1,"simd":0,"resource":"waves","wanted":2,"free":1},{"channel":1,"cu":0,"simd":1,"resource":"vgpr","wanted":6,"longest":4},{"channel":2,"cu":1,"resource":"lds","wanted":8,"longest":4},{"channel":2,"cu":1,"simd":0,"resource":"vgpr","wanted":8,"longest":6},{"channel":2,"cu":1,"simd":0,"resource":"waves","wanted":2,"free":1}]}"#,
);

/// Compute units and channels that always fit, for the rest of a line.
fn fitting(levels: &[u64], rest: &str) -> String {
    let head = |level| format!(r#"{{"level":{level},"demand":{{"shared":{{}},"simds":[]}}}}"#);
    let heads: Vec<String> = levels.iter().map(head).collect();
    format!(r#"{{"cus":[{{"shared":{{}},"simds":[]}}],"channels":[{}]{rest}}}"#, heads.join(","))
}

/// One compute unit of one SIMD, and one head.
fn one(cu: &str, simd: &str, shared: &str, demand: &str) -> String {
    format!(
        r#"{{"cus":[{{"shared":{cu},"simds":[{simd}]}}],"channels":[{{"level":1,"demand":{{"shared":{shared},"simds":[{demand}]}}}}]}}"#
    )
}

fn ask(lines: &[String]) -> Vec<Value> {
    let ran = Place::new().ask(&["golden", "match"], lines.join("\n"));
    assert_eq!((ran.code, &*ran.err), (0, ""), "{}", ran.out);
    let answers: Vec<Value> =
        ran.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(answers.len(), lines.len());
    answers
}

#[test]
fn the_contracts_answer_byte_for_byte() {
    let (question, answer) = CONTRACT;
    let ran = Place::new().ask(&["golden", "match"], question);
    assert_eq!((ran.code, ran.out, ran.err), (0, format!("{answer}\n"), String::new()));
}

#[test]
fn nothing_fits_nothing_is_there() {
    let empty = r#"{"candidates":[],"target":null,"marks":{},"refusals":[]}"#;
    let nobody = r#"{"cus":[{"shared":{},"simds":[]}],"channels":[null,null],"marks":{"7":[1,0]}}"#;
    let lines = [
        r#"{"cus":[],"channels":[]}"#,
        nobody,
        &fitting(&[1], "").replace("{\"shared\":{},\"simds\":[]}],\"ch", "],\"ch"),
    ];
    let ran = Place::new().ask(&["golden", "match"], lines.join("\n"));
    let marked = empty.replace("\"marks\":{}", "\"marks\":{\"7\":[0,1]}");
    assert_eq!(ran.out, format!("{empty}\n{marked}\n{empty}\n"));
}

#[test]
fn nought_and_absent_want_nothing_and_get_no_start() {
    let lines = [
        one(
            r#"{"lds":"0","b":0}"#,
            r#"{"vgpr":"00","waves":0}"#,
            r#"{"lds":0}"#,
            r#"{"vgpr":0,"waves":0}"#,
        ),
        one(r#"{"lds":"0"}"#, r#"{"vgpr":"00"}"#, "{}", "{}"),
        one(r#"{"lds":"01"}"#, r#"{"waves":1}"#, r#"{"lds":1}"#, r#"{"waves":"0x1"}"#),
    ];
    let starts: Vec<String> = ask(&lines)
        .iter()
        .map(|answer| {
            format!("{} {}", answer["target"]["shared_starts"], answer["target"]["starts"])
        })
        .collect();
    assert_eq!(starts, ["{} [{}]", "{} [{}]", r#"{"lds":1} [{}]"#]);
}

#[test]
fn refusals_are_sorted_and_complete() {
    let line = r#"{"cus":[{"shared":{"b":0,"a":"0"},"simds":[{"z":"1","a":0},{"z":"0","a":"0x2"}]}],"channels":[{"level":1,"demand":{"shared":{"b":1,"a":1},"simds":[{"z":2,"a":1},{"z":1,"a":18446744073709551615}]}}]}"#;
    let answer = &ask(&[line.to_owned()])[0];
    let told: Vec<String> = answer["refusals"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| {
            format!(
                "{} {} {} {} {}",
                it["simd"], it["resource"], it["wanted"], it["longest"], it["free"]
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            "null \"a\" 1 0 null",
            "null \"b\" 1 null 0",
            "0 \"a\" 1 null 0",
            "0 \"z\" 2 1 null",
            "1 \"a\" 18446744073709551615 null 2",
            "1 \"z\" 1 0 null"
        ]
    );
    assert!(answer["refusals"][0].get("simd").is_none() && answer["target"].is_null());
}

#[test]
fn marks_and_order_choose_among_ties() {
    let cases = [
        // Levels of the heads, the rest; channel, marks after.
        (&[2, 2, 2][..], r#","marks":{}"#, 0, r#"{"2":[0]}"#),
        (&[2, 2, 2], r#","marks":{"2":[0]}"#, 1, r#"{"2":[0,1]}"#),
        (&[2, 2, 2], r#","marks":{"0x2":[2,0,1]}"#, 0, r#"{"2":[0]}"#),
        (&[2, 2, 3], r#","marks":{"2":[0,1,2]}"#, 0, r#"{"2":[0,2]}"#),
        (
            &[3, 2, 2],
            r#","marks":{"2":[1],"3":[0,2],"10":[1]}"#,
            2,
            r#"{"2":[1,2],"3":[0,2],"10":[1]}"#,
        ),
        (&[3, 2, 3], r#","marks":{"2":[],"3":[1,1]}"#, 1, r#"{"3":[1]}"#),
        (&[1, 2, 3], r#","order":[3,1,2]"#, 2, "{}"),
        (&[1, 2, 2], r#","order":[9,2,7,1],"marks":{"2":[1]}"#, 2, r#"{"2":[1,2]}"#),
        (&[18_446_744_073_709_551_615], "", 0, "{}"),
    ];
    let lines: Vec<String> = cases.iter().map(|(levels, rest, ..)| fitting(levels, rest)).collect();
    for (answer, (levels, rest, channel, marks)) in ask(&lines).iter().zip(cases) {
        assert_eq!(answer["target"]["channel"], channel, "{levels:?} {rest}");
        assert_eq!(
            answer["marks"].to_string(),
            serde_json::from_str::<Value>(marks).unwrap().to_string()
        );
    }
    // Levels are numbers, so 2 comes before 10.
    let ran = Place::new().ask(&["golden", "match"], &lines[4]);
    assert!(ran.out.contains(r#""marks":{"2":[1,2],"3":[0,2],"10":[1]}"#), "{}", ran.out);
}

/// Two compute units of four SIMDs with pointers, and a head of so many waves.
fn in_waves(kind: &str, at: [u32; 2], waves: u64) -> String {
    let simd = r#"{"vgpr":"1111","waves":2}"#;
    let cu = |at| {
        let simds = [simd; 4].join(",");
        format!(
            r#"{{"shared":{{}},"simds":[{simds}],"pointer":{{"kind":"{kind}","at":{at},"limit":2}}}}"#
        )
    };
    let demand = format!(r#"{{"shared":{{}},"waves":{waves},"per_wave":{{"vgpr":2,"waves":1}}}}"#);
    format!(
        r#"{{"cus":[{},{}],"channels":[{{"level":1,"demand":{demand}}}]}}"#,
        cu(at[0]),
        cu(at[1])
    )
}

#[test]
fn waves_are_balanced_by_the_pointer() {
    let cases = [
        ("tail", [0, 0], 1, "0 [{},{\"vgpr\":0},{},{}]", r#"{"at":1,"kind":"tail","limit":2}"#),
        (
            "tail",
            [3, 0],
            5,
            "0 [{\"vgpr\":0},{\"vgpr\":0},{\"vgpr\":0},{\"vgpr\":0}]",
            r#"{"at":0,"kind":"tail","limit":2}"#,
        ),
        (
            "head",
            [2, 0],
            3,
            "0 [{\"vgpr\":0},{},{\"vgpr\":0},{\"vgpr\":0}]",
            r#"{"at":1,"kind":"head","limit":2}"#,
        ),
        (
            "head",
            [2, 0],
            8,
            "0 [{\"vgpr\":0},{\"vgpr\":0},{\"vgpr\":0},{\"vgpr\":0}]",
            r#"{"at":2,"kind":"head","limit":2}"#,
        ),
    ];
    let lines: Vec<String> =
        cases.iter().map(|(kind, at, n, ..)| in_waves(kind, *at, *n)).collect();
    for (answer, (.., starts, pointer)) in ask(&lines).iter().zip(&cases) {
        let target = &answer["target"];
        assert_eq!(format!("{} {}", target["cu"], target["starts"]), *starts);
        assert_eq!(target["pointer"].to_string(), *pointer);
    }
    // A pointer decides where waves fit: SIMD 1 of CU 0 is full, CU 1 would put its wave elsewhere.
    let full = in_waves("tail", [0, 2], 1).replacen(
        r#"{"vgpr":"1111","waves":2},{"vgpr":"1111""#,
        r#"{"vgpr":"1111","waves":2},{"vgpr":"1011""#,
        1,
    );
    let answer = &ask(&[full])[0];
    assert_eq!(answer["candidates"].to_string(), r#"[{"channel":0,"cus":[0,1]}]"#, "2 are free");
    let full = in_waves("tail", [0, 2], 1).replacen(
        r#"{"vgpr":"1111","waves":2},{"vgpr":"1111""#,
        r#"{"vgpr":"1111","waves":2},{"vgpr":"1010""#,
        1,
    );
    let answer = &ask(&[full])[0];
    assert_eq!(answer["target"]["cu"], 1);
    assert_eq!(answer["refusals"][0]["simd"], 1);
    // Wave groups move no pointer and have none in the answer.
    let groups = in_waves("tail", [0, 0], 1)
        .replace(r#""waves":1,"per_wave":{"vgpr":2,"waves":1}"#, r#""simds":[{},{},{},{}]"#);
    assert!(ask(&[groups])[0]["target"].get("pointer").is_none());
}

#[test]
fn refused_lines_say_where() {
    let whole = CONTRACT.0;
    let with = |from: &str, to: &str| {
        assert!(whole.contains(from), "{from}");
        whole.replacen(from, to, 1)
    };
    let waves = |from: &str, to: &str| {
        let line = in_waves("tail", [0, 0], 3);
        assert!(line.contains(from), "{from}");
        line.replacen(from, to, 1)
    };
    let cases = [
        ("nonsense".to_owned(), "not_json", ""),
        ("[1]".to_owned(), "wrong_type", ""),
        (r#"{"channels":[]}"#.to_owned(), "missing_field", ""),
        (r#"{"cus":[]}"#.to_owned(), "missing_field", ""),
        (r#"{"cus":{},"channels":[]}"#.to_owned(), "wrong_type", "/cus"),
        (with("\"marks\"", "\"mark\""), "unknown_field", "/mark"),
        (with("{\"shared\":{\"lds\":\"1111111111\"},", "{"), "missing_field", "/cus/0"),
        (with("\"1111111111\"", "\"11x\""), "out_of_range", "/cus/0/shared/lds"),
        (with("\"1111111111\"", "\"\""), "out_of_range", "/cus/0/shared/lds"),
        (with("\"1111111111\"", "null"), "wrong_type", "/cus/0/shared/lds"),
        (with("\"1111111111\"", "-1"), "out_of_range", "/cus/0/shared/lds"),
        (with("\"waves\":2}", "\"waves\":1.5}"), "wrong_type", "/cus/0/simds/0/waves"),
        (with("\"level\":1,", "\"level\":0,"), "out_of_range", "/channels/0/level"),
        (with("\"level\":1,", ""), "missing_field", "/channels/0"),
        (with("\"lds\":2}", "\"sgpr\":0}"), "inconsistent", "/channels/0/demand/shared/sgpr"),
        (with("{\"vgpr\":12,", "{\"a/b\":12,"), "inconsistent", "/channels/0/demand/simds/0/a~1b"),
        (with("{\"vgpr\":12,\"waves\":2},", ""), "inconsistent", "/channels/0/demand/simds"),
        (with("\"lds\":2}", "\"lds\":-2}"), "out_of_range", "/channels/0/demand/shared/lds"),
        (with("\"marks\":{\"2\":[1]}", "\"marks\":{\"2\":[5]}"), "out_of_range", "/marks/2/0"),
        (with("\"marks\":{\"2\":[1]}", "\"marks\":{\"0\":[1]}"), "out_of_range", "/marks/0"),
        (with("\"marks\":{\"2\":[1]}", "\"marks\":{\"two\":[1]}"), "wrong_type", "/marks/two"),
        (
            with("\"marks\":{\"2\":[1]}", "\"marks\":{\"2\":[1],\"0x2\":[]}"),
            "inconsistent",
            "/marks/2",
        ),
        (with("\"marks\":{\"2\":[1]}", "\"marks\":[1]"), "wrong_type", "/marks"),
        (with("\"marks\":{\"2\":[1]}", "\"order\":[1,2]"), "inconsistent", "/channels/3/level"),
        (with("\"marks\":{\"2\":[1]}", "\"order\":[1,2,3,2]"), "inconsistent", "/order/3"),
        (with("\"marks\":{\"2\":[1]}", "\"order\":[1,2,0]"), "out_of_range", "/order/2"),
        (
            with("\"lds\":2},\"simds\"", "\"lds\":2},\"waves\":1,\"simds\""),
            "unknown_field",
            "/channels/0/demand/simds",
        ),
        (
            with("\"lds\":2},\"simds\"", "\"lds\":2},\"simd\""),
            "unknown_field",
            "/channels/0/demand/simd",
        ),
        (
            waves(",\"pointer\":{\"kind\":\"tail\",\"at\":0,\"limit\":2}", ""),
            "missing_field",
            "/cus/0",
        ),
        (waves("\"at\":0", "\"at\":4"), "out_of_range", "/cus/0/pointer/at"),
        (waves("\"limit\":2", "\"limit\":0"), "out_of_range", "/cus/0/pointer/limit"),
        (waves("\"tail\"", "\"middle\""), "out_of_range", "/cus/0/pointer/kind"),
        (waves("\"waves\":3", "\"waves\":0"), "out_of_range", "/channels/0/demand/waves"),
        (waves("\"waves\":3", "\"waves\":9"), "out_of_range", "/channels/0/demand/waves"),
        (
            waves("\"vgpr\":2,", "\"vgpr\":2,\"lds\":0,"),
            "inconsistent",
            "/channels/0/demand/per_wave/lds",
        ),
        (
            waves("\"vgpr\":2,", "\"vgpr\":18446744073709551615,")
                .replace("\"waves\":3", "\"waves\":8"),
            "overflow",
            "/channels/0/demand/per_wave",
        ),
        (waves("\"waves\":3,\"per_wave\"", "\"per_wave\""), "missing_field", "/channels/0/demand"),
    ];
    let lines: Vec<&str> = cases.iter().map(|(line, ..)| line.as_str()).chain([whole]).collect();
    let ran = Place::new().ask(&["golden", "match"], lines.join("\n"));
    assert_eq!(ran.code, 1);
    let answers: Vec<&str> = ran.out.lines().collect();
    assert_eq!(answers.len(), lines.len());
    for (answer, (line, kind, at)) in answers.iter().zip(&cases) {
        let answer: Value = serde_json::from_str(answer).unwrap();
        let error = &answer["error"];
        assert_eq!(
            (error["kind"].as_str(), error["at"].as_str()),
            (Some(*kind), Some(*at)),
            "{line}\n{error}"
        );
        assert!(error["message"].as_str().unwrap().len() > 10);
    }
    assert_eq!(answers.last(), Some(&CONTRACT.1), "the next line is taken all the same");
}

#[test]
fn a_line_with_too_much_is_refused_and_quick() {
    let heads = vec!["{\"level\":1,\"demand\":{\"shared\":{},\"simds\":[{\"a\":1}]}}"; 4000];
    let cus = vec!["{\"shared\":{},\"simds\":[{\"a\":0}]}"; 4000];
    let line = format!("{{\"cus\":[{}],\"channels\":[{}]}}", cus.join(","), heads.join(","));
    let ran = Place::new().ask(&["golden", "match"], &line);
    assert_eq!(ran.code, 1);
    assert!(ran.out.starts_with("{\"error\":{\"kind\":\"out_of_range\""), "{}", &ran.out[..80]);
}

#[test]
fn explained_with_the_steps_of_the_seed() {
    let ran = Place::new().raddle(&["explain", "match"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    insta::assert_snapshot!("explain-match", ran.out);
}

#[test]
fn explained_in_its_other_forms() {
    let place = Place::new();
    let lines = [
        in_waves("tail", [0, 2], 5),
        fitting(&[2, 2, 1], r#","order":[2,1],"marks":{"2":[0,1]}"#),
        fitting(&[1], "").replace("{\"shared\":{},\"simds\":[]}],\"ch", "],\"ch"),
    ];
    let forms: Vec<String> =
        lines.iter().map(|line| place.raddle(&["explain", "match", line]).out).collect();
    insta::assert_snapshot!("explain-match-forms", forms.join("\n----\n\n"));
    for line in &lines {
        let json = place.raddle(&["explain", "match", line, "--format", "json"]);
        let json: Value = serde_json::from_str(&json.out).unwrap();
        let asked = place.ask(&["golden", "match"], line);
        assert_eq!(json["answer"], serde_json::from_str::<Value>(&asked.out).unwrap());
    }
}
