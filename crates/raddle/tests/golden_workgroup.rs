//! Do the golden models of windows, splits, balance and placement rules give the answers of the
//! contract, refuse the rest at its place, and explain themselves?

mod common;

use common::Place;
use serde_json::Value;

/// Questions with their answers, by topic: those of the contract, and the ends of each range.
const ANSWERED: [(&str, &[(&str, &str)]); 4] =
    [("windows", &WINDOWS), ("split", &SPLIT), ("balance", &BALANCE), ("place", &PLACE)];

const WINDOWS: [(&str, &str); 9] = [
    (r#"{"windows":[8,4,3,1],"count":12}"#, r#"{"order":[3,1,2,4]}"#),
    (r#"{"windows":[8,4,3,1],"count":0}"#, r#"{"order":[1,2,3,4]}"#),
    (r#"{"windows":[8,4,3,1],"count":"0xf"}"#, r#"{"order":[4,1,2,3]}"#),
    (r#"{"windows":[8,4,3,1],"count":16}"#, r#"{"order":[1,2,3,4]}"#),
    (r#"{"windows":[8,4,3,1],"count":18446744073709551615}"#, r#"{"order":[4,1,2,3]}"#),
    (r#"{"windows":[5],"count":7}"#, r#"{"order":[1]}"#),
    (r#"{"windows":[1,1,1,1,1,1,1,1,1,1],"count":19}"#, r#"{"order":[10,1,2,3,4,5,6,7,8,9]}"#),
    (
        r#"{"windows":[18446744073709551615,18446744073709551615],"count":18446744073709551614}"#,
        r#"{"order":[1,2]}"#,
    ),
    (
        r#"{"windows":[18446744073709551615,18446744073709551615],"count":18446744073709551615}"#,
        r#"{"order":[2,1]}"#,
    ),
];

const SPLIT: [(&str, &str); 8] = [
    (
        r#"{"threshold":3,"rounds":["fail","fail","fit","fail","fail"]}"#,
        r#"{"g":[1,2,0,1,2],"action":["retry","retry","dispatch","retry","retry"]}"#,
    ),
    (
        r#"{"threshold":3,"rounds":["fail","fail","fail","fail","fail"]}"#,
        r#"{"g":[1,2,3,4,1],"action":["retry","retry","retry","split","retry"]}"#,
    ),
    (r#"{"threshold":0,"rounds":["fail","fail"]}"#, r#"{"g":[1,1],"action":["split","split"]}"#),
    (r#"{"threshold":18446744073709551615,"rounds":[]}"#, r#"{"g":[],"action":[]}"#),
    (
        r#"{"workgroup":{"level":1,"independent":true,"waves":["w0","w1","w2"],"shared":{"lds":2}},"lowest":4}"#,
        r#"{"pieces":[{"level":4,"waves":["w0"],"shared":{"lds":2}},{"level":4,"waves":["w1"],"shared":{"lds":2}},{"level":4,"waves":["w2"],"shared":{"lds":2}}]}"#,
    ),
    (
        r#"{"workgroup":{"level":1,"independent":false,"waves":["w0","w1"],"shared":{"lds":2}},"lowest":4}"#,
        r#"{"pieces":null}"#,
    ),
    (
        r#"{"workgroup":{"level":4,"independent":true,"waves":["w0"],"shared":{}},"lowest":4}"#,
        r#"{"pieces":null}"#,
    ),
    (
        r#"{"id":0,"workgroup":{"level":1,"independent":true,"waves":["b","a"],"shared":{"bars":"0x10","a_b":0}},"lowest":1}"#,
        r#"{"id":0,"pieces":[{"level":1,"waves":["b"],"shared":{"a_b":0,"bars":16}},{"level":1,"waves":["a"],"shared":{"a_b":0,"bars":16}}]}"#,
    ),
];

const BALANCE: [(&str, &str); 6] = [
    (
        r#"{"units":4,"limit":4,"pointer":"tail","start":0,"counts":[1,2,3]}"#,
        r#"{"targets":[[0,1,0,0],[0,0,1,1],[1,1,1,0]],"pointers":[1,3,2],"totals":[1,2,2,1]}"#,
    ),
    (
        r#"{"units":4,"limit":4,"pointer":"head","counts":[1,2,3]}"#,
        r#"{"targets":[[1,0,0,0],[0,1,1,0],[1,1,0,1]],"pointers":[1,3,2],"totals":[2,2,1,1]}"#,
    ),
    (
        r#"{"units":4,"limit":4,"pointer":"tail","start":3,"counts":[16,5]}"#,
        r#"{"targets":[[4,4,4,4],[2,1,1,1]],"pointers":[3,0],"totals":[6,5,5,5]}"#,
    ),
    (
        r#"{"units":3,"limit":1,"pointer":"head","counts":[]}"#,
        r#"{"targets":[],"pointers":[],"totals":[0,0,0]}"#,
    ),
    (
        r#"{"units":1,"limit":9,"pointer":"tail","counts":[9,1]}"#,
        r#"{"targets":[[9],[1]],"pointers":[0,0],"totals":[10]}"#,
    ),
    (
        r#"{"units":2,"limit":18446744073709551615,"pointer":"tail","counts":[18446744073709551615]}"#,
        r#"{"targets":[[9223372036854775807,9223372036854775808]],"pointers":[1],"totals":[9223372036854775807,9223372036854775808]}"#,
    ),
];

const PLACE: [(&str, &str); 12] = [
    (
        r#"{"rule":"most-free","weights":[2,6,1,3],"candidates":[[20,10,6,8],[12,12,8,9]]}"#,
        r#"{"scores":[130,131],"pick":1}"#,
    ),
    (
        r#"{"rule":"most_free","weights":[1],"candidates":[[7],[9],[9]]}"#,
        r#"{"scores":[7,9,9],"pick":1}"#,
    ),
    (r#"{"rule":"most-free","weights":[1],"candidates":[]}"#, r#"{"scores":[],"pick":null}"#),
    (
        r#"{"rule":"most-free","weights":[0,"0x1"],"candidates":[[18446744073709551615,18446744073709551615]]}"#,
        r#"{"scores":[18446744073709551615],"pick":0}"#,
    ),
    (
        r#"{"rule":"least-power","weights":[4,12,10,64,2,3],"counts":[[300,40,20,2,60,30],[100,20,10,28,40,20],[500,10,5,0,10,5]]}"#,
        r#"{"scores":[2218,2672,2205],"pick":2}"#,
    ),
    (
        r#"{"rule":"least-power","weights":[3],"counts":[[1],[0],[0]]}"#,
        r#"{"scores":[3,0,0],"pick":1}"#,
    ),
    (
        r#"{"rule":"mix","free":{"weights":[2,6,1,3],"candidates":[[20,10,6,8],[12,12,8,9],[26,6,2,12]]},"power":{"weights":[4,12,10,64,2,3],"counts":[[300,40,20,2,60,30],[100,20,10,28,40,20],[500,10,5,0,10,5]]},"share":[1,1]}"#,
        r#"{"free":[130,131,126],"power":[2218,2672,2205],"pick":0}"#,
    ),
    (
        r#"{"rule":"mix","free":{"weights":[1],"candidates":[]},"power":{"weights":[1],"counts":[]},"share":[0,2]}"#,
        r#"{"free":[],"power":[],"pick":null}"#,
    ),
    (
        r#"{"rule":"mix","free":{"weights":[1],"candidates":[[18446744073709551614],[18446744073709551615]]},"power":{"weights":[1],"counts":[[18446744073709551615],[18446744073709551615]]},"share":[18446744073709551615,18446744073709551615]}"#,
        r#"{"free":[18446744073709551614,18446744073709551615],"power":[18446744073709551615,18446744073709551615],"pick":1}"#,
    ),
    (
        r#"{"rule":"window","nx":4,"weights":[2,5],"issued":[[1,0],[2,1],[0,0],[1,3],[0,0],[0,0],[0,0],[0,0]]}"#,
        r#"{"scores":[2,11,11,28,26,17,17,0]}"#,
    ),
    (
        r#"{"rule":"window","nx":18446744073709551615,"weights":[0,1],"issued":[[18446744073709551615,1],[18446744073709551615,1]]}"#,
        r#"{"scores":[1,2]}"#,
    ),
    (r#"{"rule":"window","nx":1,"weights":[1],"issued":[]}"#, r#"{"scores":[]}"#),
];

#[test]
fn the_contracts_answers() {
    for (topic, answered) in ANSWERED {
        let (questions, answers): (Vec<&str>, Vec<&str>) = answered.iter().copied().unzip();
        let ran = Place::new().ask(&["golden", topic], questions.join("\n"));
        let answers = answers.join("\n") + "\n";
        assert_eq!((ran.code, ran.out, ran.err), (0, answers, String::new()), "{topic}");
    }
}

#[test]
fn every_answer_can_be_explained() {
    let place = Place::new();
    for (topic, answered) in ANSWERED {
        for (question, answer) in answered {
            let ran = place.raddle(&["explain", topic, question, "--format", "json"]);
            assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{question}");
            let value: Value = serde_json::from_str(&ran.out).unwrap();
            let mut answer: Value = serde_json::from_str(answer).unwrap();
            answer.as_object_mut().unwrap().remove("id");
            assert_eq!(value["answer"], answer, "{question}");
            assert!(value["steps"].as_array().is_some_and(|steps| !steps.is_empty()));
        }
    }
}

#[test]
fn the_worked_examples() {
    let place = Place::new();
    for (topic, _) in ANSWERED {
        let ran = place.raddle(&["explain", topic]);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""));
        insta::assert_snapshot!(format!("explain-{topic}"), ran.out);
    }
}

/// One question of each other form, one behind the other.
#[test]
fn the_other_forms() {
    let place = Place::new();
    let mut forms = Vec::new();
    for (topic, at) in [
        ("split", 4),
        ("split", 5),
        ("split", 6),
        ("balance", 1),
        ("place", 0),
        ("place", 4),
        ("place", 9),
        ("place", 2),
    ] {
        let (_, answered) = ANSWERED.iter().find(|(name, _)| *name == topic).unwrap();
        forms.push(place.raddle(&["explain", topic, answered[at].0]).out);
    }
    insta::assert_snapshot!("explain-workgroup-forms", forms.join("\n"));
}

#[test]
fn what_cannot_be_explained_says_why_in_one_sentence_after_the_other() {
    let place = Place::new();
    let cases = [
        (
            r#"{"windws":[1]}"#,
            "unknown_field at /windws: `windws` is not a key here; did you mean `windows`? `raddle explain windows` shows an example",
        ),
        (
            r#"{"windows":[1]}"#,
            "missing_field: `count` is missing. `raddle explain windows` shows an example",
        ),
        (
            "[",
            "it is not JSON (EOF while parsing a list at line 1 column 1). `raddle explain windows` shows an example",
        ),
    ];
    for (question, why) in cases {
        let ran = place.raddle(&["explain", "windows", question]);
        assert_eq!((ran.code, ran.out.as_str()), (1, ""));
        assert!(ran.err.contains(&format!("cannot be answered: {why}")), "{}", ran.err);
    }
}

#[test]
fn long_questions_are_explained_in_short() {
    let place = Place::new();
    let many = vec!["1"; 500].join(",");
    for (topic, question) in [
        ("windows", format!(r#"{{"windows":[{many}],"count":7}}"#)),
        ("split", format!(r#"{{"threshold":9,"rounds":[{}]}}"#, many.replace('1', "\"fail\""))),
        ("balance", format!(r#"{{"units":100,"limit":4,"pointer":"head","counts":[{many}]}}"#)),
        ("place", format!(r#"{{"rule":"most-free","weights":[{many}],"candidates":[[{many}]]}}"#)),
    ] {
        let ran = place.ask(&["explain", topic], question);
        assert_eq!(ran.code, 0, "{}", ran.err);
        let (told, _) = ran.out.split_once("\nAnswer: ").unwrap();
        let lines = told.lines().skip(1);
        assert!(lines.clone().count() <= 130, "{topic}");
        assert!(lines.clone().all(|line| line.chars().count() <= 200), "{topic}");
    }
}

/// Question, kind, place.
type Refused = (&'static str, &'static str, &'static str);

#[track_caller]
fn refused(topic: &str, good: &str, cases: &[Refused]) {
    let lines: Vec<&str> = cases.iter().flat_map(|(line, _, _)| [*line, good]).collect();
    let ran = Place::new().ask(&["golden", topic], lines.join("\n"));
    assert_eq!(ran.code, 1);
    let answers: Vec<Value> =
        ran.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(answers.len(), lines.len());
    for ((line, kind, at), answer) in cases.iter().zip(answers.chunks(2)) {
        let error = &answer[0]["error"];
        let found = (error["kind"].as_str(), error["at"].as_str());
        assert_eq!(found, (Some(*kind), Some(*at)), "{line}: {error}");
        assert!(error["message"].as_str().is_some_and(|text| !text.is_empty()));
        assert!(answer[1].get("error").is_none(), "the next line is taken: {line}");
    }
}

#[test]
fn refusals_of_windows() {
    refused(
        "windows",
        WINDOWS[0].0,
        &[
            (r#"{"windows":[],"count":1}"#, "out_of_range", "/windows"),
            (r#"{"windows":[3,0],"count":1}"#, "out_of_range", "/windows/1"),
            (r#"{"windows":[3,-1],"count":1}"#, "out_of_range", "/windows/1"),
            (r#"{"windows":[3,1.5],"count":1}"#, "wrong_type", "/windows/1"),
            (r#"{"windows":3,"count":1}"#, "wrong_type", "/windows"),
            (r#"{"windows":[3]}"#, "missing_field", ""),
            (r#"{"count":1}"#, "missing_field", ""),
            (r#"{"windows":[3],"count":18446744073709551616}"#, "out_of_range", "/count"),
            (r#"{"windows":[3],"count":"three"}"#, "wrong_type", "/count"),
            (r#"{"windows":[3],"count":1,"levels":1}"#, "unknown_field", "/levels"),
            ("3", "wrong_type", ""),
            ("{", "not_json", ""),
        ],
    );
}

#[test]
fn refusals_of_splits() {
    refused(
        "split",
        SPLIT[0].0,
        &[
            ("{}", "missing_field", ""),
            (r#"{"threshold":3}"#, "missing_field", ""),
            (r#"{"rounds":["fail"]}"#, "missing_field", ""),
            (r#"{"threshold":-1,"rounds":[]}"#, "out_of_range", "/threshold"),
            (r#"{"threshold":3,"rounds":["fail","miss"]}"#, "out_of_range", "/rounds/1"),
            (r#"{"threshold":3,"rounds":[1]}"#, "wrong_type", "/rounds/0"),
            (r#"{"threshold":3,"rounds":"fail"}"#, "wrong_type", "/rounds"),
            (r#"{"lowest":4}"#, "missing_field", ""),
            (r#"{"workgroup":{},"lowest":4}"#, "missing_field", "/workgroup"),
            (r#"{"workgroup":[],"lowest":4}"#, "wrong_type", "/workgroup"),
            (
                r#"{"workgroup":{"level":1,"independent":true,"waves":["a"],"shared":{}}}"#,
                "missing_field",
                "",
            ),
            (
                r#"{"workgroup":{"level":1,"independent":true,"waves":["a"],"shared":{}},"lowest":4,"threshold":3}"#,
                "unknown_field",
                "/threshold",
            ),
            (
                r#"{"workgroup":{"level":1,"independent":true,"waves":["a"],"shared":{}},"lowest":0}"#,
                "out_of_range",
                "/lowest",
            ),
            (
                r#"{"workgroup":{"level":0,"independent":true,"waves":["a"],"shared":{}},"lowest":4}"#,
                "out_of_range",
                "/workgroup/level",
            ),
            (
                r#"{"workgroup":{"level":5,"independent":true,"waves":["a"],"shared":{}},"lowest":4}"#,
                "out_of_range",
                "/workgroup/level",
            ),
            (
                r#"{"workgroup":{"level":1,"independent":1,"waves":["a"],"shared":{}},"lowest":4}"#,
                "wrong_type",
                "/workgroup/independent",
            ),
            (
                r#"{"workgroup":{"level":1,"independent":true,"waves":[],"shared":{}},"lowest":4}"#,
                "out_of_range",
                "/workgroup/waves",
            ),
            (
                r#"{"workgroup":{"level":1,"independent":true,"waves":["a",2],"shared":{}},"lowest":4}"#,
                "wrong_type",
                "/workgroup/waves/1",
            ),
            (
                r#"{"workgroup":{"level":1,"independent":true,"waves":["a"]},"lowest":4}"#,
                "missing_field",
                "/workgroup",
            ),
            (
                r#"{"workgroup":{"level":1,"independent":true,"waves":["a"],"shared":{"l/s":-2}},"lowest":4}"#,
                "out_of_range",
                "/workgroup/shared/l~1s",
            ),
            (
                r#"{"workgroup":{"level":1,"independent":true,"waves":["a"],"shared":[2]},"lowest":4}"#,
                "wrong_type",
                "/workgroup/shared",
            ),
            (
                r#"{"workgroup":{"level":1,"independent":true,"waves":["a"],"shared":{},"lds":1},"lowest":4}"#,
                "unknown_field",
                "/workgroup/lds",
            ),
        ],
    );
}

#[test]
fn refusals_of_balance() {
    refused(
        "balance",
        BALANCE[0].0,
        &[
            (
                r#"{"units":4,"limit":4,"pointer":"tail","counts":[1,0]}"#,
                "out_of_range",
                "/counts/1",
            ),
            (
                r#"{"units":4,"limit":4,"pointer":"tail","counts":[17]}"#,
                "out_of_range",
                "/counts/0",
            ),
            (
                r#"{"units":4,"limit":4,"pointer":"tail","start":4,"counts":[1]}"#,
                "out_of_range",
                "/start",
            ),
            (r#"{"units":0,"limit":4,"pointer":"tail","counts":[]}"#, "out_of_range", "/units"),
            (r#"{"units":4,"limit":0,"pointer":"tail","counts":[]}"#, "out_of_range", "/limit"),
            (
                r#"{"units":4294967295,"limit":1,"pointer":"tail","counts":[]}"#,
                "out_of_range",
                "/units",
            ),
            (r#"{"units":4,"limit":4,"pointer":"middle","counts":[]}"#, "out_of_range", "/pointer"),
            (r#"{"units":4,"limit":4,"counts":[]}"#, "missing_field", ""),
            (r#"{"units":4,"pointer":"tail","counts":[]}"#, "missing_field", ""),
            (r#"{"units":4,"limit":4,"pointer":"tail"}"#, "missing_field", ""),
            (r#"{"units":4,"limit":4,"pointer":"tail","counts":[[1]]}"#, "wrong_type", "/counts/0"),
            (r#"{"units":4,"limit":4,"pointer":"tail","counts":[],"q":1}"#, "unknown_field", "/q"),
            (
                r#"{"units":1,"limit":18446744073709551615,"pointer":"head","counts":[18446744073709551615,1]}"#,
                "overflow",
                "/counts/1",
            ),
        ],
    );
}

#[test]
fn refusals_of_placement_rules() {
    refused(
        "place",
        PLACE[0].0,
        &[
            (r#"{"weights":[1],"candidates":[]}"#, "missing_field", ""),
            (r#"{"rule":"most","weights":[1],"candidates":[]}"#, "out_of_range", "/rule"),
            (r#"{"rule":"most-free","weights":[1],"counts":[]}"#, "unknown_field", "/counts"),
            (
                r#"{"rule":"least-power","weights":[1],"candidates":[]}"#,
                "unknown_field",
                "/candidates",
            ),
            (r#"{"rule":"most-free","weights":[1]}"#, "missing_field", ""),
            (r#"{"rule":"most-free","weights":[0,0],"candidates":[]}"#, "out_of_range", "/weights"),
            (r#"{"rule":"most-free","weights":[],"candidates":[]}"#, "out_of_range", "/weights"),
            (
                r#"{"rule":"most-free","weights":[1,2],"candidates":[[1,2],[1]]}"#,
                "inconsistent",
                "/candidates/1",
            ),
            (
                r#"{"rule":"least-power","weights":[1],"counts":[[1,2]]}"#,
                "inconsistent",
                "/counts/0",
            ),
            (
                r#"{"rule":"most-free","weights":[1],"candidates":[1]}"#,
                "wrong_type",
                "/candidates/0",
            ),
            (
                r#"{"rule":"most-free","weights":[1],"candidates":[[-1]]}"#,
                "out_of_range",
                "/candidates/0/0",
            ),
            (
                r#"{"rule":"most-free","weights":[1,1],"candidates":[[0,0],[18446744073709551615,1]]}"#,
                "overflow",
                "/candidates/1",
            ),
            (
                r#"{"rule":"least-power","weights":[2],"counts":[["0x8000000000000000"]]}"#,
                "overflow",
                "/counts/0",
            ),
            (r#"{"rule":"window","nx":0,"weights":[1],"issued":[]}"#, "out_of_range", "/nx"),
            (r#"{"rule":"window","weights":[1],"issued":[]}"#, "missing_field", ""),
            (r#"{"rule":"window","nx":1,"weights":[0],"issued":[]}"#, "out_of_range", "/weights"),
            (
                r#"{"rule":"window","nx":1,"weights":[1],"issued":[[1],[]]}"#,
                "inconsistent",
                "/issued/1",
            ),
            (
                r#"{"rule":"window","nx":2,"weights":[1],"issued":[[18446744073709551615],[1]]}"#,
                "overflow",
                "/issued/1",
            ),
            (
                r#"{"rule":"mix","free":{"weights":[1],"candidates":[[1]]},"power":{"weights":[1],"counts":[[1]]},"share":[0,0]}"#,
                "out_of_range",
                "/share",
            ),
            (
                r#"{"rule":"mix","free":{"weights":[1],"candidates":[[1]]},"power":{"weights":[1],"counts":[[1]]},"share":[1]}"#,
                "out_of_range",
                "/share",
            ),
            (
                r#"{"rule":"mix","free":{"weights":[1],"candidates":[[1]]},"power":{"weights":[1],"counts":[]},"share":[1,1]}"#,
                "inconsistent",
                "/power/counts",
            ),
            (
                r#"{"rule":"mix","free":{"weights":[1],"candidates":[[1,2]]},"power":{"weights":[1],"counts":[[1]]},"share":[1,1]}"#,
                "inconsistent",
                "/free/candidates/0",
            ),
            (
                r#"{"rule":"mix","free":{"weights":[0],"candidates":[[1]]},"power":{"weights":[1],"counts":[[1]]},"share":[1,1]}"#,
                "out_of_range",
                "/free/weights",
            ),
            (
                r#"{"rule":"mix","free":{"weights":[2],"candidates":[["0xffffffffffffffff"]]},"power":{"weights":[1],"counts":[[1]]},"share":[1,1]}"#,
                "overflow",
                "/free/candidates/0",
            ),
            (
                r#"{"rule":"mix","free":{"weights":[1],"candidates":[[1]]},"power":{"weights":[1]},"share":[1,1]}"#,
                "missing_field",
                "/power",
            ),
            (
                r#"{"rule":"mix","free":{"weights":[1],"counts":[[1]]},"power":{"weights":[1],"counts":[[1]]},"share":[1,1]}"#,
                "unknown_field",
                "/free/counts",
            ),
        ],
    );
}
