//! Which public items does each crate have on which others build, and which are new or gone?
//!
//! The items are read from rustdoc's JSON with all features. Counted are types, traits, functions
//! and constants that other crates can name, public fields and methods, variants, and items of
//! traits. Re-exports of other crates, associated constants and types are listed but not counted.

mod signature;
mod walk;

use std::collections::BTreeSet;
use std::fs;

use anyhow::{Context, Result, bail};
use clap::Args;
use xshell::{Shell, cmd};

use self::walk::Item;
use crate::checkout;

/// Crates that a program with a scheduler of its own (an embedder) depends on. The folder
/// `xtask/api` has a list of the public items of each.
const EMBEDDERS: [&str; 9] = [
    "raddle-policy",
    "raddle-device",
    "raddle-bitmap",
    "raddle-workgroup",
    "raddle-sm",
    "raddle-timeslice",
    "raddle-preempt",
    "raddle-packet",
    "raddle-dispatch",
];
const NOT_COUNTED: [&str; 3] = ["use", "assoc_const", "assoc_type"];

#[derive(Args, Debug)]
pub(crate) struct ItemArgs {
    /// Crates to count; without any, the nine of embedders
    crates: Vec<String>,
    /// List the public items
    #[arg(long)]
    list: bool,
    /// Fail where the items differ from xtask/api
    #[arg(long, conflicts_with = "bless")]
    check: bool,
    /// Write the items to xtask/api
    #[arg(long)]
    bless: bool,
}

/// Prints the number of public items of each crate, and lists them or compares them with the lists
/// in `xtask/api`, as the arguments say.
///
/// # Errors
/// When rustdoc fails, a list cannot be read or written, or the items differ from a list.
pub(crate) fn run(shell: &Shell, args: &ItemArgs) -> Result<()> {
    let all = EMBEDDERS.map(str::to_owned);
    let crates = if args.crates.is_empty() { &all } else { args.crates.as_slice() };
    let (mut sum, mut open, mut changed) = (0, 0, String::new());
    for (name, items) in crates.iter().zip(read(shell, crates)?) {
        let counted = || items.iter().filter(|item| !NOT_COUNTED.contains(&item.kind.as_str()));
        let data =
            counted().filter(|item| ["struct_field", "variant"].contains(&item.kind.as_str()));
        let (count, data) = (counted().count(), data.count());
        println!("{name:20} {count:5}, {data:4} of them fields and variants");
        (sum, open) = (sum + count, open + data);
        let text: String = items.iter().map(|item| format!("{}\n", item.line)).collect();
        if args.list {
            print!("{text}");
        }
        let file = checkout::root().join("xtask/api").join(name).with_extension("txt");
        if args.bless {
            fs::write(&file, &text).with_context(|| file.display().to_string())?;
        }
        if args.check {
            let before = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
            changed.push_str(&difference(&before, &text));
        }
    }
    println!("{:20} {sum:5}, {open:4} of them fields and variants", "all");
    if !changed.is_empty() {
        bail!(
            "public items went (-) or came (+):\n{changed}If that is meant, write it to CHANGELOG.md where a user must change something, and run `cargo xtask items --bless`"
        );
    }
    Ok(())
}

/// Returns the public items of each crate, from rustdoc's JSON.
fn read(shell: &Shell, crates: &[String]) -> Result<Vec<Vec<Item>>> {
    // A folder of its own: the variable below would make cargo build everything else again.
    let folder = checkout::target_folder().join("items");
    let packages = crates.iter().flat_map(|name| ["-p", name]);
    cmd!(shell, "cargo doc -q --no-deps --lib --all-features --target-dir {folder}")
        .args(packages)
        .env("RUSTDOCFLAGS", "-Z unstable-options --output-format json")
        .env("RUSTC_BOOTSTRAP", "1")
        .quiet()
        .run()?;
    let document = |name: &String| {
        let file = folder.join("doc").join(name.replace('-', "_")).with_extension("json");
        let text = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
        Ok(walk::public(&serde_json::from_str(&text)?))
    };
    crates.iter().map(document).collect()
}

/// Returns the lines of `before` alone, with `-` in front, and those of `after` alone, with `+`.
fn difference(before: &str, after: &str) -> String {
    let lines = |text: &'_ str| text.lines().map(str::to_owned).collect::<BTreeSet<String>>();
    let (before, after) = (lines(before), lines(after));
    let went = before.difference(&after).map(|line| format!("- {line}\n"));
    let came = after.difference(&before).map(|line| format!("+ {line}\n"));
    went.chain(came).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_difference_names_both_signatures() {
        let (before, after) = ("fn a::f()\nfn a::g()\n", "fn a::f(x: u8)\nfn a::g()\n");
        assert_eq!(super::difference(before, after), "- fn a::f()\n+ fn a::f(x: u8)\n");
        assert_eq!(super::difference(before, before), "");
    }
}
