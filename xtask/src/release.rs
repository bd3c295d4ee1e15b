//! Is the repository ready for a release, and which steps does a person have to take?

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use xshell::{Shell, cmd};

/// Steps of a release that a person takes, each as a line of text.
const BY_HAND: [&str; 6] = [
    "before the first release: name the `repository` in the root Cargo.toml",
    "commit CHANGELOG.md with the date of the release in the place of `Unreleased.`",
    "before the first release: publish each crate once by hand (`cargo publish --workspace`), and register \
     .github/workflows/release.yml in the environment `release` as a trusted publisher of each crate and of the \
     package on PyPI",
    "run `cargo xtask soak`, and each check that it lists, on a machine with the recorded profiles",
    "tag that commit and push the tag, which starts .github/workflows/release.yml: it runs .ci/run, builds the wheels \
     and publishes both",
    "make a release of the tag on the forge, with the notes above",
];

#[derive(Debug, clap::Args)]
pub(crate) struct ReleaseArgs {
    /// Check versions and notes, and pack every crate; nothing is uploaded
    #[arg(long)]
    dry_run: bool,
    /// Tag of the release, which must be `v` and the version
    #[arg(long)]
    tag: Option<String>,
}

/// Parts of the output of `cargo metadata` that are read: the packages.
#[derive(Debug, Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Debug, Deserialize)]
struct Package {
    name: String,
    version: String,
    /// Names of the registries to which the package may be published; `None` means any registry.
    publish: Option<Vec<String>>,
}

impl Package {
    fn is_published(&self) -> bool {
        self.publish.is_none()
    }
}

/// Checks what can be checked before a release, and prints its notes and the steps for a person.
///
/// # Errors
/// Without `--dry-run`, as this command publishes nothing; else when a check fails.
pub(crate) fn run(shell: &Shell, args: &ReleaseArgs) -> Result<()> {
    if !args.dry_run {
        bail!("nothing is published by a chore, as it cannot be taken back. By hand:\n{}", steps());
    }
    let listed = cmd!(shell, "cargo metadata --no-deps --format-version 1").quiet().read()?;
    let packages = serde_json::from_str::<Metadata>(&listed)?.packages;
    let python = shell.read_file("crates/raddle-python/pyproject.toml")?;
    let version = version(&packages, &python)?;
    let changelog = shell.read_file("CHANGELOG.md")?;
    let notes = notes(&changelog, version)?;
    if let Some(tag) = &args.tag {
        ensure!(*tag == format!("v{version}"), "the tag is {tag}, the version {version}");
        ensure!(!is_unreleased(notes), "CHANGELOG.md says that {version} is unreleased");
    }
    println!("version {version}: all crates, the Python package, CHANGELOG.md");
    println!("{} crates are packed", pack(shell, &packages)?);
    println!("wheels: `cargo xtask wheels` builds them into target/wheels\n\nNotes\n\n{notes}\n");
    println!("By hand:\n{}", steps());
    Ok(())
}

fn steps() -> String {
    let steps = BY_HAND.iter().zip(1..);
    steps.map(|(step, number)| format!("{number}. {step}\n")).collect()
}

/// Returns the version of all published crates and the Python package; an error if they differ.
fn version<'p>(packages: &'p [Package], python: &str) -> Result<&'p str> {
    let of_python = packages.iter().filter(|package| package.name == "raddle-python");
    let mut named = packages.iter().filter(|package| package.is_published()).chain(of_python);
    let first = named.next().context("no crate of the workspace is published")?;
    for package in named {
        ensure!(
            package.version == first.version,
            "{} is {}, and {} is {}",
            first.name,
            first.version,
            package.name,
            package.version
        );
    }
    // The version of the wheel is that of its crate.
    let python: toml::Table = python.parse()?;
    let project = python.get("project").and_then(toml::Value::as_table);
    let dynamic = project.and_then(|it| it.get("dynamic")).and_then(toml::Value::as_array);
    ensure!(
        dynamic.is_some_and(|keys| keys.iter().any(|key| key.as_str() == Some("version"))),
        "pyproject.toml has a version of its own: name it in `dynamic`, as the crate has it"
    );
    Ok(&first.version)
}

/// Returns the part of a changelog below the heading of one version.
fn notes<'c>(changelog: &'c str, version: &str) -> Result<&'c str> {
    let heading = format!("\n## {version}\n");
    let (_, below) = changelog
        .split_once(&heading)
        .with_context(|| format!("CHANGELOG.md has no heading `## {version}`"))?;
    let notes = below.split("\n## ").next().unwrap_or(below).trim();
    ensure!(!notes.is_empty(), "CHANGELOG.md has nothing below `## {version}`");
    Ok(notes)
}

fn is_unreleased(notes: &str) -> bool {
    notes.starts_with("Unreleased")
}

/// Packs (`cargo package`) every published crate in the order of its dependencies, without a
/// network, and returns the number of crates. A warning about a manifest is an error, too.
fn pack(shell: &Shell, packages: &[Package]) -> Result<usize> {
    let kept = packages.iter().filter(|package| !package.is_published());
    let exclude = kept.flat_map(|package| ["--exclude", &*package.name]);
    let output = cmd!(shell, "cargo package --workspace --no-verify --allow-dirty --offline")
        .args(exclude)
        .quiet()
        .ignore_status()
        .output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    let faults: Vec<&str> = said.lines().filter(|line| line.starts_with("warning")).collect();
    ensure!(output.status.success(), "cargo package failed:\n{said}");
    ensure!(faults.is_empty(), "cargo package warns:\n{}", faults.join("\n"));
    Ok(said.lines().filter(|line| line.trim_start().starts_with("Packaged")).count())
}

#[cfg(test)]
mod tests {
    use super::{Package, is_unreleased, notes, version};

    fn package(name: &str, version: &str, publish: Option<Vec<String>>) -> Package {
        Package { name: name.to_owned(), version: version.to_owned(), publish }
    }

    #[test]
    fn notes_are_those_of_the_version_alone() {
        let log = "# Changelog\n\n## 0.2.0\n\nUnreleased. b\n\n### New\n\n## 0.1.0\n\na\n";
        assert_eq!(notes(log, "0.2.0").ok(), Some("Unreleased. b\n\n### New"));
        assert_eq!(notes(log, "0.1.0").ok(), Some("a"));
        assert!(is_unreleased(notes(log, "0.2.0").unwrap_or_default()));
        assert!(notes(log, "0.1").is_err());
        assert!(notes("\n## 0.1.0\n\n## 0.0.9\n\na\n", "0.1.0").is_err());
    }

    #[test]
    fn all_versions_are_equal() {
        let dynamic = "[project]\ndynamic = [\"version\"]\n";
        let own = Some(Vec::new());
        let crates = |python| {
            [
                package("raddle", "0.2.0", None),
                package("xtask", "0.0.0", own.clone()),
                package("raddle-python", python, own.clone()),
            ]
        };
        assert_eq!(version(&crates("0.2.0"), dynamic).ok(), Some("0.2.0"));
        assert!(version(&crates("0.1.0"), dynamic).is_err());
        assert!(version(&crates("0.2.0"), "[project]\nversion = \"0.2.0\"\n").is_err());
        assert!(version(&[], dynamic).is_err());
    }
}
