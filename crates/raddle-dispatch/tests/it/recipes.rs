//! Is a recipe read, or refused with a hint?

use raddle_dispatch::{AllocateRecipe, PreemptRecipe, Recipe, RecipeError, TurnRecipe};

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
    assert!(matches!(recipe.turn, TurnRecipe::HighestLevel(_)));
    assert!(matches!(recipe.allocate, AllocateRecipe::RoundRobin(_)));
    assert!(matches!(recipe.preempt, PreemptRecipe::Never(_)));
}

#[test]
fn a_recipe_comes_back_from_its_own_toml() {
    let text = "raddle = 1\n[preempt]\npolicy = \"drain\"\n[launch_path]\npolicy = \"ordinary\"\npacket_ns = 1500";
    let recipe = Recipe::parse("mine", text).unwrap();
    assert_eq!(Recipe::parse("again", &recipe.to_toml()).unwrap(), recipe);
}

#[test]
fn prose_keeps_its_underscores() {
    let recipe = Recipe::parse("mine", "raddle = 1\ndescription = \"a_b\"").unwrap();
    assert_eq!(recipe.description.as_deref(), Some("a_b"));
}

#[test]
fn what_does_not_exist_is_named_with_the_nearest() {
    assert!(
        error("raddle = 1\n[alocate]\npolicy = \"greedy\"").ends_with("did you mean `allocate`?")
    );
    assert!(
        error("raddle = 1\n[turn]\npolicy = \"everyon\"").ends_with("did you mean `everyone`?")
    );
    let inner = error("raddle = 1\n[launch-path]\npolicy = \"ordinary\"\npaket-ns = 1");
    assert!(
        inner.contains("unknown field `paket-ns`") && inner.ends_with("did you mean `packet-ns`?")
    );
    let empty = error("raddle = 1\n[turn]\npolicy = \"everyone\"\nquantum = 1");
    assert!(empty.contains("unknown field `quantum`"), "{empty}");
}

#[test]
fn syntax_version_and_values_are_told_apart() {
    assert!(error("raddle = ").contains("not valid TOML"));
    assert!(error("{\"raddle\":").contains("not valid JSON"));
    assert!(error("[turn]\npolicy = \"everyone\"").contains("version"));
    assert!(error("raddle = 2").contains("version 2"));
    let value = Recipe::parse(
        "mine",
        "raddle = 1\n[launch-path]\npolicy = \"ordinary\"\npacket-ns = \"x\"",
    );
    assert!(matches!(value, Err(RecipeError::Value { .. })), "{value:?}");
}

#[test]
fn turns_by_slices_have_their_settings() {
    let turn =
        |settings: &str| format!("raddle = 1\n[turn]\npolicy = \"weighted_slices\"\n{settings}");
    let text = turn("rule = \"min_one\"\nt0-us = 10\norder = { random = { seed = 7 } }");
    let recipe = Recipe::parse("mine", &text).unwrap();
    assert_eq!(recipe.policies()[1], "weighted-slices");
    assert_eq!(Recipe::parse("again", &recipe.to_toml()).unwrap(), recipe);
    // The claim's formula opposes its purpose, so that nobody gets a rule unasked.
    assert!(error(&turn("")).contains("missing field `rule`"), "{}", error(&turn("")));
    assert!(error(&turn("rule = \"mena\"")).ends_with("did you mean `mean`?"));
    assert!(error(&turn("rule = \"mean\"\nt0us = 5")).ends_with("did you mean `t0-us`?"));
    let shape = raddle_policy::CuShape {
        simds: 1,
        waves_per_simd: 1,
        vgpr_per_simd: 1,
        sgpr: 1,
        lds: 1,
        workgroups: 1,
        barriers: 1,
    };
    let zero = Recipe::parse("mine", &turn("rule = \"mean\"\nt0-us = 0")).unwrap();
    let refused = zero.builder(shape, 1).expect_err("no slice").to_string();
    assert!(refused.contains("`t0-us = 0`") && refused.contains("give 1"), "{refused}");
    for policy in ["round-robin", "unmap-all", "vruntime"] {
        let text = format!("raddle = 1\n[turn]\npolicy = \"{policy}\"\nslice-us = 5");
        let recipe = Recipe::parse("mine", &text).unwrap();
        assert_eq!(recipe.policies()[1], policy);
        assert_eq!(recipe.builder(shape, 1).unwrap().build().policies()[1], policy);
        let zero = Recipe::parse("mine", &text.replace("= 5", "= 0")).unwrap();
        let refused = zero.builder(shape, 1).expect_err("no slice").to_string();
        assert!(refused.contains("`slice-us = 0` cannot be: give 1"), "{refused}");
    }
}
