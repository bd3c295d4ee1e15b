//! Is a recipe read, or refused with a message that says what is valid?

use raddle_dispatch::Recipe;
use raddle_policy::CuShape;

/// Returns the recipe as JSON, which can be read again.
pub(crate) fn json(recipe: &Recipe) -> String {
    serde_json::to_string(recipe).expect("JSON")
}

fn error(text: &str) -> String {
    Recipe::parse("mine", text).expect_err("it is wrong").to_string()
}

#[test]
fn a_missing_slot_means_its_default() {
    let recipe = Recipe::parse("mine", "raddle = 1").unwrap();
    assert_eq!(recipe, Recipe::default());
    assert_eq!(recipe.policies(), ["ordinary", "everyone", "leftover", "never"]);
}

#[test]
fn toml_json_kebab_and_snake_say_the_same() {
    let toml =
        "raddle = 1\n[turn]\npolicy = \"highest-level\"\n[allocate]\npolicy = \"round-robin\"\n";
    let json =
        r#"{"raddle":1,"turn":{"policy":"highest_level"},"allocate":{"policy":"round_robin"}}"#;
    let recipe = Recipe::parse("mine", toml).unwrap();
    assert_eq!(recipe, Recipe::parse("mine", json).unwrap());
    assert_eq!(recipe.policies(), ["ordinary", "highest-level", "round-robin", "never"]);
}

#[test]
fn a_recipe_comes_back_from_its_own_json() {
    let text = "raddle = 1\n[preempt]\npolicy = \"drain\"\n[launch_path]\npolicy = \"ordinary\"\npacket_ns = 1500";
    let recipe = Recipe::parse("mine", text).unwrap();
    assert_eq!(Recipe::parse("again", &json(&recipe)).unwrap(), recipe);
}

#[test]
fn the_key_of_the_policy_is_known_beside_its_settings() {
    let told = |slot: &str| error(&format!("raddle = 1\n{slot}"));
    assert_eq!(
        told("[allocate]\npolicy = \"leftover\"\npolcy = \"greedy\""),
        "recipe mine, line 4, `allocate.polcy`: unknown key `polcy`; did you mean `policy`? Example: `policy = \"greedy\"`"
    );
    let nothing = told("[turn]\npolicy = \"everyone\"\npolicie = 3");
    assert!(
        nothing.ends_with("did you mean `policy`? Example: `policy = \"everyone\"`"),
        "{nothing}"
    );
}

#[test]
fn prose_keeps_its_underscores() {
    let recipe = Recipe::parse("mine", "raddle = 1\ndescription = \"a_b\"").unwrap();
    assert_eq!(recipe.description.as_deref(), Some("a_b"));
}

/// The settings without which the policy `cheapest` cannot be made, in TOML.
const COSTS: &str = "bound-us = 50\ncosts = { reset-ns = 1, bytes-per-us = 1, vgpr-bytes = 1, sgpr-bytes = 1, lds-bytes = 1 }";

/// The compute unit of a small device.
const SHAPE: CuShape = CuShape {
    simds: 2,
    waves_per_simd: 8,
    vgpr_per_simd: 64,
    sgpr: 32,
    lds: 64,
    workgroups: 8,
    barriers: 8,
};

/// Returns a recipe in TOML that chooses one slot's policy, with its settings.
fn slot(slot: &str, policy: &str, settings: &str) -> String {
    format!("raddle = 1\n\n[{slot}]\npolicy = \"{policy}\"\n{settings}\n")
}

/// Returns recipes that cannot be read, each with a fault of its own.
fn faulty() -> Vec<String> {
    let turn = |settings: &str| slot("turn", "weighted-slices", settings);
    let matching = |settings: &str| slot("allocate", "matching", settings);
    let power = "weights = [1, 1, 1, 1, 1, 1]";
    vec![
        "raddle = 1\n[alocate]\npolicy = \"greedy\"".to_owned(),
        "raddle = 1\nqueue = 3".to_owned(),
        "raddle = 1\nwindow = -1".to_owned(),
        "raddle = 1\nwindow = \"8\"".to_owned(),
        "raddle = 1\ndescription = 5".to_owned(),
        "raddle = 1\nturn = \"everyone\"".to_owned(),
        "raddle = 1\n[turn]\n".to_owned(),
        "raddle = 1\n[turn]\npolicy = 1".to_owned(),
        slot("turn", "everyon", ""),
        slot("turn", "shortest-job-first", ""),
        slot("turn", "everyone", "quantum = 1"),
        slot("turn", "round-robin", "slice-us = 2.5"),
        slot("launch_path", "ordinary", "paket_ns = 1"),
        slot("launch_path", "ordinary", "packet_ns = \"x\""),
        slot("launch-path", "condensed", "entries = 70000"),
        slot("launch-path", "condensed", "signals = \"yes\""),
        slot("allocate", "spatial", "shares = 3"),
        slot("allocate", "spatial", "shares = [3, 1, \"x\"]"),
        slot("allocate", "block-warp", "choose = \"low\""),
        slot("preempt", "cheapest", ""),
        slot("preempt", "cheapest", "bound-us = 50\ncosts = { reset-ns = 1 }"),
        turn(""),
        turn("rule = \"mena\""),
        turn("rule = 1"),
        turn("rule = { mean = 1 }"),
        turn("rule = \"mean\"\nt0us = 5"),
        turn("rule = \"mean\"\nt0-us = \"5 ms\""),
        turn("rule = \"mean\"\ncapacity = true"),
        turn("rule = \"mean\"\norder = { random = { sed = 7 } }"),
        turn("rule = \"mean\"\norder = \"random\""),
        turn("rule = \"mean\"\norder = {}"),
        turn("rule = \"mean\"\nt0-us = 5\nt0_us = 6"),
        matching("place = \"mix\""),
        matching("place = { lowest-index = { from = 3 } }"),
        matching("place = { mixed = {} }"),
        matching("place = { most-free = { weight = 1 } }"),
        matching("place = { least-power = { weights = [1, 2, 3] } }"),
        matching(&format!("place = {{ mix = {{ free = {{}}, power = {{ {power} }} }} }}")),
        matching("order = { windows = { windows-us = 800 } }"),
        matching("order = { windows = { windows-us = [800, -1] } }"),
        matching("search = { grouped = { groups = true } }"),
        matching("split = true"),
    ]
}

/// Returns a recipe that is given in TOML as JSON, one key a line.
fn as_json(toml: &str) -> String {
    let value: serde_json::Value = toml::from_str(toml).expect("TOML");
    serde_json::to_string_pretty(&value).expect("JSON")
}

#[test]
fn faults_are_told_with_their_line_their_key_what_may_stand_there_and_an_example() {
    let mut told = String::new();
    for text in faulty() {
        told += &format!("{}\n", error(&text));
    }
    insta::assert_snapshot!("faults", told);
    // Messages use words for people, not those of the parser.
    for word in ["struct", "variant", "field", "u32", "u64"] {
        assert!(!told.contains(word), "{word}");
    }
}

#[test]
fn faults_of_json_are_told_alike_with_examples_in_json() {
    for text in faulty() {
        // Two spellings of one key in a table are found in any order of the keys.
        if text.contains("t0_us") {
            continue;
        }
        let (toml, json) = (error(&text), error(&as_json(&text)));
        let key = |told: &str| told.split('`').nth(1).map(str::to_owned);
        assert_eq!(key(&toml), key(&json), "{toml}\n{json}");
        let example =
            |told: &str| told.split_once(" Example: `").map(|(_, example)| example.to_owned());
        assert_eq!(example(&toml).is_some(), example(&json).is_some(), "{toml}\n{json}");
        if let Some(example) = example(&json) {
            let object = format!("{{{}}}", example.trim_end_matches('`'));
            serde_json::from_str::<serde_json::Value>(&object).expect(&object);
        }
    }
    let text =
        "{\"raddle\": 1,\n \"turn\": {\n  \"policy\": \"weighted-slices\",\n  \"rule\": \"mena\"}}";
    let told = error(text);
    for part in ["line 4, `turn.rule`", "did you mean `mean`?", "Example: `\"rule\": \"mean\"`"] {
        assert!(told.contains(part), "{told}");
    }
}

/// Checks that the example of a message is valid in the place of the faulty setting.
#[test]
fn every_example_can_be_read() {
    let mut tried = 0;
    for text in faulty() {
        let error = Recipe::parse("mine", &text).expect_err("it is wrong");
        let key = error.key().expect(&text);
        let Some(example) = error.example() else { continue };
        let example: toml::Table = toml::from_str(example.trim_matches('`')).expect("it is TOML");
        let mut value: toml::Table = toml::from_str(&text.replace('_', "-")).expect(&text);
        let mut keys: Vec<&str> = key.split('.').collect();
        let wrong = keys.pop().unwrap().split('[').next().unwrap();
        let within = keys.iter().fold(&mut value, |table, key| {
            table.get_mut(*key).and_then(|inner| inner.as_table_mut()).expect(key)
        });
        within.remove(wrong);
        within.extend(example);
        let mended = toml::to_string(&value).unwrap();
        match Recipe::parse("mended", &mended) {
            Ok(_) => tried += 1,
            // Only another missing key may be reported next, not the key that was corrected.
            Err(next) => {
                let missing = next.key().is_some_and(|next| next != key);
                let told = next.to_string();
                assert!(missing && told.contains(": it is missing"), "{mended}{told}");
            }
        }
    }
    assert!(tried > 25, "{tried}");
}

#[test]
fn what_a_recipe_says_cannot_paint_on_a_terminal() {
    for text in [
        "raddle = 1\n\"a\\u001b[31m\" = 1",
        "raddle = 1\n[turn]\npolicy = \"a\\u001b[31m\"",
        "raddle = 1\nwindow = \"a\\u001b[31m\"",
    ] {
        let told = error(text);
        assert!(told.contains("[31m") && !told.contains('\u{1b}'), "{told}");
    }
}

#[test]
fn syntax_and_version_are_told_apart() {
    assert_eq!(
        error("raddle = 1\nturn = "),
        "recipe mine, line 2: this is not valid TOML: string values must be quoted, expected literal string"
    );
    assert!(
        error("{\"raddle\":\n").starts_with("recipe mine, line 2: this is not valid JSON: EOF")
    );
    let version = error("[turn]\npolicy = \"everyone\"");
    assert!(version.contains("has no version") && version.ends_with("put `raddle = 1` at its top"));
    assert!(error("raddle = 2").contains("version 2"));
    assert!(error("{\"raddle\": 2}").ends_with("put `\"raddle\": 1` at its top"));
}

/// Checks that recipes that a policy cannot use, although each value by itself is valid, are
/// refused by key and in the key's unit.
#[test]
fn what_a_policy_refuses_is_told_by_its_key_in_the_unit_of_the_key() {
    let turn =
        |settings: &str| slot("turn", "weighted-slices", &format!("rule = \"mean\"\n{settings}"));
    let matching = |settings: &str| slot("allocate", "matching", settings);
    let texts = [
        "raddle = 1\nwindow = 0".to_owned(),
        slot("launch-path", "ordinary", "overlap = true"),
        slot("launch-path", "condensed", "overlap = true"),
        slot("launch-path", "condensed", "entries = 9"),
        turn("t0-us = 0"),
        turn("t0-us = 200\nlongest-us = 100"),
        turn("capacity = 0"),
        turn("levels = 300"),
        slot("turn", "round-robin", "slice_us = 0"),
        slot("turn", "unmap-all", "capacity = 0"),
        slot("turn", "vruntime", "slice-us = 0"),
        slot("allocate", "spatial", "shares = [2, 0]"),
        matching("channels = 0"),
        matching("search = { grouped = { groups = 7 } }"),
        matching("search = { grouped = {} }"),
        matching("search = { grouped = { size = 5 } }"),
        matching("search = { grouped = { groups = 4, size = { lds = 4 } } }"),
        matching("search = { sampled = { amounts = { lds = [4, 2] } } }"),
        matching("split = { retry-ns = 0 }"),
        matching("split = { retry-ns = 1, retry-us = 1 }"),
        matching("order = { windows = { windows-ns = [8], windows-us = [1] } }"),
        matching("place.least-power = { weights = [1, 0, 0, 0, 0, 0], history-log2 = 64 }"),
        matching("search = { shared = { width = 8 } }"),
        matching("search = { sampled = { amounts = [0, 4] } }"),
        matching("search = { sampled = { amounts = [1, 4, 4] } }"),
        matching("search = { sampled = { amounts = [100000] } }"),
        matching("order = { windows = { windows-us = [] } }"),
        matching("order = { windows = { windows-us = [8, 0] } }"),
        matching("place = { most-free = {} }"),
        matching("place = { least-power = { weights = [0, 0, 0, 0, 0, 0] } }"),
        matching("place = { least-power = { weights = [1, 0, 0, 0, 0, 0], history-ticks = 0 } }"),
        matching(
            "place.mix = { free = { lds = 1 }, power = { weights = [1, 0, 0, 0, 0, 0] }, shares = [0, 0] }",
        ),
        matching(
            "place.mix = { free = { lds = 1 }, power = { weights = [1000000000000000000, 0, 0, 0, 0, 0] }, shares = [1, 1] }",
        ),
        matching(
            "place.mix = { free = { lds = 1000000000000000000 }, power = { weights = [1, 0, 0, 0, 0, 0] }, shares = [1, 1] }",
        ),
        matching(
            "place.mix = { free = {}, power = { weights = [1, 0, 0, 0, 0, 0] }, shares = [1, 1] }",
        ),
        slot("preempt", "cheapest", "bound-us = 50"),
        slot("preempt", "cheapest", &format!("{COSTS}\nabilities = {{ can-reset = true }}")),
    ];
    let mut told = String::new();
    for text in texts {
        let recipe = Recipe::parse("mine.toml", &text).unwrap();
        let refused = recipe.builder(SHAPE, 2).expect_err(&text).of_file("mine.toml", &text);
        told += &format!("{refused}\n");
    }
    insta::assert_snapshot!("refused", told);
    assert!(!told.contains("0000 ticks"), "keys in microseconds are told in microseconds");
}

#[test]
fn turns_by_slices_have_their_settings() {
    let turn =
        |settings: &str| format!("raddle = 1\n[turn]\npolicy = \"weighted_slices\"\n{settings}");
    let text = turn("rule = \"min_one\"\nt0-us = 10\norder = { random = { seed = 7 } }");
    let recipe = Recipe::parse("mine", &text).unwrap();
    assert_eq!(recipe.policies()[1], "weighted-slices");
    assert_eq!(Recipe::parse("again", &json(&recipe)).unwrap(), recipe);
    // The formula of the claim opposes its purpose, so a rule has to be chosen.
    assert!(error(&turn("")).contains("`turn.rule`: it is missing"), "{}", error(&turn("")));
    let zero = Recipe::parse("mine", &turn("rule = \"mean\"\nt0-us = 0")).unwrap();
    let refused = zero.builder(SHAPE, 1).expect_err("no slice").to_string();
    assert!(refused.contains("`turn.t0-us`: it cannot be 0: give 1"), "{refused}");
    for policy in ["round-robin", "unmap-all", "vruntime"] {
        let text = format!("raddle = 1\n[turn]\npolicy = \"{policy}\"\nslice-us = 5");
        let recipe = Recipe::parse("mine", &text).unwrap();
        assert_eq!(recipe.policies()[1], policy);
        assert_eq!(
            recipe.builder(SHAPE, 1).unwrap().build().expect("it builds").policies()[1],
            policy
        );
        let zero = Recipe::parse("mine", &text.replace("= 5", "= 0")).unwrap();
        let refused = zero.builder(SHAPE, 1).expect_err("no slice").to_string();
        assert!(refused.contains("`turn.slice-us`: it cannot be 0: give 1"), "{refused}");
    }
}
