//! Does every command, file and program that sets up a way of sharing keep to the published
//! interface of its driver or tool?
//!
//! The interfaces are in `fixtures/modes`, with their sources.

use std::path::PathBuf;
use std::process::Command;

use raddle_device::Device;
use raddle_dispatch::Registry;
use raddle_testkit::{absent, schema_breaches};
use serde_json::Value;

use super::*;
use crate::share::undo::undo;
use crate::share::{Tenants, candidates, mig};

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/modes");
const NAMES: [&str; 4] = ["decode", "train", "odd */ \"name\" COUNT", "eval"];

fn fixture(name: &str) -> Value {
    let text = std::fs::read_to_string(PathBuf::from(FIXTURES).join(name)).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn device(name: &str) -> Device {
    raddle_device::find(name).unwrap()
}

/// Returns (name, commands, files) for the set-up of every way of sharing a device, on NVIDIA
/// devices with and without MIG and on AMD devices, for two or more tenants.
fn every() -> Vec<(String, Vec<String>, Vec<SetUpFile>)> {
    let mut all = Vec::new();
    for name in ["h100", "a100", "h200", "b200", "v100", "mi300x", "rtx-5090"] {
        // Instances of the B200 are offered to four tenants and more.
        for count in if name == "b200" { [2, 4] } else { [2, 3] } {
            let tenant = |at: usize| Tenant { name: NAMES[at], urgent: at == 0 };
            let tenants: Vec<Tenant<'_>> = (0..count).map(tenant).collect();
            let found =
                candidates(&device(name), &Tenants::strangers(count, true), &Registry::bundled())
                    .unwrap();
            all.extend(found.iter().map(|of| {
                let (mut lines, files) = set_up(of, &tenants);
                lines.extend(undo(of, &files));
                (format!("{name} {}", of.recipe.name), lines, files)
            }));
        }
    }
    all
}

#[test]
fn commands_of_every_mode() {
    let tenants =
        [Tenant { name: "decode", urgent: true }, Tenant { name: "train", urgent: false }];
    let said = |(device, recipe): (&str, &str)| {
        let found =
            candidates(&self::device(device), &Tenants::strangers(2, true), &Registry::bundled())
                .unwrap();
        let chosen = found.iter().find(|of| of.recipe.name == recipe).unwrap();
        let (lines, files) = set_up(chosen, &tenants);
        let undo = undo(chosen, &files).into_iter().map(|line| format!("undo: {line}"));
        let files = files.iter().map(|file| format!("{}    {}", file.name, file.what));
        let all: Vec<String> =
            std::iter::once(format!("# {recipe}")).chain(lines).chain(files).chain(undo).collect();
        all.join("\n")
    };
    let modes = [
        ("h100", "time-slice"),
        ("h100", "mps"),
        ("h100", "mps-priority"),
        ("h100", "partition-70-30"),
        ("h100", "partition-50-50"),
        ("mi300x", "partition-70-30"),
        ("h100", "mig-3g.40gb+4g.40gb"),
        ("mi300x", "streams"),
        ("mi300x", "time-slice"),
        ("mi300x", "compute-partition-dpx"),
        ("h100", "leftover-drain"),
        ("h100", "request-limit-20-80-to-60-100"),
        ("h100", "matching"),
    ];
    insta::assert_snapshot!(modes.map(said).join("\n\n"));
}

#[test]
fn manifests_keep_the_published_schemas() {
    let mut checked = std::collections::BTreeMap::new();
    for (mode, _, files) in every() {
        for file in files.iter().filter(|file| file.name.ends_with(".json")) {
            let schema = fixture(&file.name.replace(".json", ".schema.json"));
            let value: Value = serde_json::from_str(&file.text).unwrap();
            let breaches = schema_breaches(&schema, &value);
            assert!(breaches.is_empty(), "{mode}, {}: {breaches:#?}", file.name);
            *checked.entry(file.name).or_insert(0) += 1;
        }
    }
    let kinds: Vec<&str> = checked.into_keys().collect();
    assert_eq!(
        kinds,
        [
            "device-plugin.json",
            "kai-pods.json",
            "mig-pods.json",
            "mps-pods.json",
            "resource-claim.json"
        ]
    );
}

/// Returns whether a value in a command is allowed. `kind` is the part of the list of known
/// commands (`commands.json`) that describes this value.
fn is_of(value: &str, kind: &Value) -> bool {
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let profiles = || {
        ["h100", "a100", "a100-80gb", "h100-pcie", "h200", "gh200", "b200", "gb200"]
            .map(device)
            .map(|of| mig::names(&of))
            .concat()
    };
    match kind.as_str() {
        None => kind.as_array().unwrap().iter().any(|own| own == value),
        Some("number") => number(value),
        Some("percent") => value.parse().is_ok_and(|percent: u32| (1..=100).contains(&percent)),
        Some("profiles") => value.split(',').all(|name| profiles().contains(&name)),
        Some("file") => value == "recipe.toml",
        Some("manifest") => value.ends_with("-pods.json") || value == "resource-claim.json",
        Some("units") => {
            let (gpu, units) = value.split_once(':').unwrap();
            let (first, last) = units.split_once('-').unwrap();
            let range = first.parse::<u16>().ok().zip(last.parse().ok());
            number(gpu) && range.is_some_and(|(first, last)| first <= last)
        }
        Some("instance") => {
            let profile = value.strip_prefix("MIG-UUID_OF_");
            let kind = |name: &str| name.split('_').next().unwrap().to_owned();
            profile.is_some_and(|name| profiles().contains(&&*kind(name)))
        }
        Some(kind) => panic!("{kind} is no kind of value"),
    }
}

#[test]
fn commands_have_options_and_variables_that_are_published() {
    let published = fixture("commands.json");
    let mut seen = std::collections::BTreeSet::new();
    for (mode, lines, _) in every() {
        for line in &lines {
            // Four spaces stand before the remark of a line.
            let command = line.split("    ").next().unwrap();
            if command.starts_with("# ") {
                continue;
            }
            if let Some((given, _)) = command.split_once(" COMMAND") {
                let (name, value) = given.split_once('=').unwrap();
                let known = &published["variables"][name];
                assert!(known.is_object() && is_of(value, &known["value"]), "{mode}: {line}");
                seen.insert(name.to_owned());
                continue;
            }
            let words: Vec<&str> = command.split_whitespace().collect();
            let program = words.iter().take_while(|word| !word.starts_with('-'));
            let program: Vec<&str> = program.copied().collect();
            let known = &published["programs"][program.join(" ")];
            assert!(known.is_object(), "{mode}: {line}");
            seen.insert(program.join(" "));
            let mut options = words[program.len()..].iter();
            while let Some(&option) = options.next() {
                let is_flag = known["flags"].as_array().unwrap().iter().any(|own| own == option);
                let value = &known["values"][option];
                let mut fits = || options.next().is_some_and(|given| is_of(given, value));
                assert!(is_flag || (!value.is_null() && fits()), "{mode}: {line}: {option}");
            }
        }
    }
    let both = ["programs", "variables"].map(|kind| published[kind].as_object().unwrap().keys());
    let all: Vec<&String> = both.into_iter().flatten().collect();
    let unused: Vec<_> = all.iter().filter(|name| !seen.contains(**name)).collect();
    assert!(unused.is_empty(), "never written: {unused:?}");
}

#[test]
fn recipes_are_ones_of_raddle() {
    let mut read = 0;
    for (mode, _, files) in every() {
        for file in files.iter().filter(|file| file.name == "recipe.toml") {
            let recipe = Registry::bundled().recipe(file.name, &file.text);
            assert!(recipe.is_ok(), "{mode}: {recipe:?}");
            read += 1;
        }
    }
    assert!(read > 50, "{read}");
}

/// Checks that the generated C programs compile against declarations of the vendor's functions;
/// without a compiler the test prints that it checked nothing.
#[test]
fn programs_compile() {
    let folder = std::env::temp_dir().join(format!("raddle-set-up-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut seen = std::collections::BTreeSet::new();
    for (mode, _, files) in every() {
        for file in files.iter().filter(|file| file.name.ends_with(".c")) {
            // One of each kind and number of tenants is enough.
            let lines = file.text.lines().count();
            if !seen.insert((file.name, lines)) {
                continue;
            }
            let path = folder.join(file.name);
            std::fs::write(&path, &file.text).unwrap();
            let include = format!("-I{FIXTURES}");
            let flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only"];
            let ran = Command::new("cc").args(flags).arg(&include).arg(&path).output();
            let Ok(ran) = ran else { return absent("a C compiler, `cc`") };
            let told = String::from_utf8_lossy(&ran.stderr);
            assert!(ran.status.success(), "{mode}: {told}\n{}", file.text);
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
    let names: std::collections::BTreeSet<&str> = seen.iter().map(|(name, _)| *name).collect();
    assert_eq!(names.into_iter().collect::<Vec<_>>(), ["execution-contexts.c", "unit-masks.c"]);
}

/// Checks, on a machine with a stand-in for `nvidia-smi`, that the generated MIG script runs the
/// published commands and names the instance of each tenant; without a shell the test prints that
/// it checked nothing.
#[test]
fn the_script_for_mig_names_the_instance_of_each_tenant() {
    const LISTED: &str = "GPU 0: NVIDIA H100 (UUID: GPU-0)\n  MIG 4g.40gb     Device  0: (UUID: MIG-4)\n  MIG 1g.10gb     Device  1: (UUID: MIG-1a)\n  MIG 1g.10gb     Device  2: (UUID: MIG-1b)\nGPU 1: NVIDIA H100 (UUID: GPU-1)\n  MIG 2g.20gb     Device  0: (UUID: MIG-other)\n";
    let folder = std::env::temp_dir().join(format!("raddle-mig-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("listed"), LISTED).unwrap();
    let fake = "#!/bin/sh\ncd \"${0%/*}\"\nif [ \"$1\" != -L ]; then echo \"$@\" >> told; echo done; fi\nif [ \"$1\" = -L ] && [ -e told ]; then cat listed; fi\n";
    std::fs::write(folder.join("nvidia-smi"), fake).unwrap();
    let tenants = ["it's $(touch PWN)", "big", "b"].map(|name| Tenant { name, urgent: true });
    let run = |profiles: &[&str]| {
        let file = files::mig_script(profiles, "4g.40gb,1g.10gb,1g.10gb", &tenants);
        std::fs::write(folder.join("mig.sh"), &file.text).unwrap();
        let script = "chmod +x nvidia-smi; PATH=$PWD:$PATH; export PATH; sh mig.sh";
        Command::new("sh").args(["-c", script]).current_dir(&folder).output()
    };
    let Ok(ran) = run(&["1g.10gb", "4g.40gb", "1g.10gb"]) else { return absent("a shell, `sh`") };
    let told = String::from_utf8_lossy(&ran.stdout);
    let wanted = ["it's $(touch PWN)", "big", "b"].into_iter().zip(["MIG-1a", "MIG-4", "MIG-1b"]);
    let wanted: String =
        wanted.map(|(name, uuid)| format!("{name}: CUDA_VISIBLE_DEVICES={uuid}\n")).collect();
    assert_eq!(told, wanted, "{}", String::from_utf8_lossy(&ran.stderr));
    let commands = std::fs::read_to_string(folder.join("told")).unwrap();
    assert_eq!(commands, "-i 0 -mig 1\nmig -i 0 -cgi 4g.40gb,1g.10gb,1g.10gb -C\n");
    // Instances of an earlier run would be counted too.
    let again = run(&["1g.10gb", "4g.40gb", "1g.10gb"]).unwrap();
    assert!(!again.status.success() && again.stdout.is_empty());
    assert!(String::from_utf8_lossy(&again.stderr).contains("has MIG instances already"));
    assert_eq!(std::fs::read_to_string(folder.join("told")).unwrap(), commands);
    // An instance of another device is none of this one.
    std::fs::remove_file(folder.join("told")).unwrap();
    let missing = run(&["1g.10gb", "4g.40gb", "2g.20gb"]).unwrap();
    assert!(!missing.status.success() && !folder.join("PWN").exists());
    assert!(String::from_utf8_lossy(&missing.stderr).contains("no instance 1 of 2g.20gb"));
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Checks that every way of sharing that changes the device says how to change it back, and that the
/// script for MIG says the same.
#[test]
fn every_set_up_is_undone() {
    let same = |line: &str| line.starts_with("# ");
    for name in ["h100", "mi300x"] {
        let found =
            candidates(&device(name), &Tenants::strangers(2, true), &Registry::bundled()).unwrap();
        let tenants = ["a", "b"].map(|name| Tenant { name, urgent: true });
        for of in found {
            let (lines, files) = set_up(&of, &tenants);
            let undo = undo(&of, &files);
            assert_eq!(undo.is_empty(), lines.iter().all(|line| same(line)), "{}", of.recipe.name);
            if let Some(script) = files.iter().find(|file| file.name == "mig.sh") {
                let told = script.text.lines().filter_map(|line| line.strip_prefix("#   "));
                assert_eq!(told.collect::<Vec<_>>(), undo[undo.len() - 3..]);
            }
        }
    }
}

/// Checks that the generated lines for PyTorch are valid Python; without an interpreter the test
/// prints that it checked nothing.
#[test]
fn green_contexts_are_python() {
    let (_, _, files) = every()
        .into_iter()
        .find(|(_, _, files)| files.iter().any(|file| file.name == "green-contexts.py"))
        .expect("partitions of NVIDIA have them");
    let file = files.iter().find(|file| file.name == "green-contexts.py").expect("just found");
    let check = "import ast, sys; ast.parse(sys.argv[1])";
    let Ok(ran) = Command::new("python3").args(["-c", check, &file.text]).output() else {
        return absent("Python, `python3`");
    };
    let told = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success() && !file.text.contains('@'), "{told}{}", file.text);
    assert!(file.text.contains("# streams[0]: "), "{}", file.text);
}

/// Checks masks of compute units against rows written by hand, for three tenants with 4, 28 and 9
/// units.
#[test]
fn masks_have_a_bit_for_each_unit() {
    let file = files::unit_masks(
        &[(0, 3), (4, 31), (32, 40)],
        &[
            Tenant { name: "a", urgent: true },
            Tenant { name: "b", urgent: true },
            Tenant { name: "c", urgent: true },
        ],
    );
    for row in
        ["{ 0x0000000f, 0x00000000 }", "{ 0xfffffff0, 0x00000000 }", "{ 0x00000000, 0x000001ff }"]
    {
        assert!(file.text.contains(row), "{row}: {}", file.text);
    }
}
