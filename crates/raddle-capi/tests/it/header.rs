//! Is the header what cbindgen makes of the source?

use std::fs;
use std::path::Path;

/// Names of the source files without `.rs`, in the order in which the header declares their
/// functions.
const SOURCES: [&str; 21] = [
    "status",
    "handle",
    "free_map",
    "ring",
    "search",
    "shared",
    "nouns",
    "allocator",
    "placement_check",
    "launch",
    "event",
    "action",
    "dispatcher",
    "block_warp",
    "slices",
    "packet",
    "controller/nouns",
    "controller/mod",
    "controller/host",
    "controller/wishes",
    "live",
];

const OPENING: &str = "\
/* The interface of raddle for C. Made of its source by cbindgen: a test compares the two, and\n   \
`cargo xtask bless -p raddle-capi` writes it anew.\n\n   \
A handle is made by a function with `new` in its name, and is freed by `raddle_free`. One thread at a time uses a\n   \
handle; a handle may go from one thread to another. Arguments are copied. Nothing that raddle allocates is left to\n   \
the caller, but handles. Numbers of kinds and rules are those of the enums here. A status below 0 is an error, and\n   \
`raddle_last_error` has its text. */";

#[test]
fn the_readme_names_every_function() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let [header, readme] =
        ["include/raddle.h", "README.md"].map(|it| fs::read_to_string(folder.join(it)).unwrap());
    let code = header.lines().filter(|line| !line.trim_start().starts_with("//"));
    let declared = code.filter_map(|line| Some(line.split_once("raddle_")?.1.split_once('(')?.0));
    let missing: Vec<&str> =
        declared.filter(|name| !readme.contains(&format!("`raddle_{name}`"))).collect();
    assert!(missing.is_empty(), "name in the table of README.md: {missing:?}");
}

#[test]
fn the_header_is_that_of_the_source() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(folder.join("cbindgen.toml")).unwrap();
    let version = concat!("\n#define RADDLE_VERSION \"", env!("CARGO_PKG_VERSION"), "\"");
    let mut builder = cbindgen::Builder::new().with_config(config).with_header(OPENING);
    builder = builder.with_after_include(version);
    let listed = [folder.join("src"), folder.join("src/controller")]
        .map(|it| fs::read_dir(it).unwrap().count());
    let others = ["lib.rs", "memory.rs", "controller"].len();
    assert_eq!(listed.iter().sum::<usize>(), SOURCES.len() + others, "name every source here");
    for source in SOURCES {
        builder = builder.with_src(folder.join("src").join(source).with_extension("rs"));
    }
    let mut made = Vec::new();
    builder.generate().unwrap().write(&mut made);
    let made = String::from_utf8(made).unwrap();
    let file = folder.join("include/raddle.h");
    if std::env::var("INSTA_UPDATE").is_ok_and(|it| it == "always") {
        fs::write(&file, &made).unwrap();
    }
    let kept = fs::read_to_string(&file).unwrap_or_default();
    let differs = made.lines().zip(kept.lines()).position(|(made, kept)| made != kept);
    let same = made == kept;
    assert!(same, "line {differs:?} differs: cargo xtask bless -p raddle-capi, and read the diff");
}
