//! Does a page look right in a browser? `cargo xtask browse FILE.html [--shots DIR]`
//!
//! Opens it in headless Chromium, in windows of 1280 and 400 pixels, light and dark, and fails
//! where the console says anything, a picture is empty or its text lies outside of it or on other
//! text, something is wider than the window and does not scroll by itself, text has too little
//! contrast, or anything is loaded. `--shots DIR` keeps a picture of each view there. Without
//! Chromium it says so and passes; the variable `CHROMIUM` names another program.

mod chromium;
mod wrapper;

use std::fs;
use std::path::{Path, PathBuf};

use chromium::Chromium;
use wrapper::{View, probing, showing};

const VIEWS: [View; 4] = [(1280, "light"), (1280, "dark"), (400, "light"), (400, "dark")];
/// A browser's own window is at least so wide.
const WINDOW: u32 = 500;
/// Nobody looks at longer pictures, and some programs cannot open them.
const TALLEST: u32 = 16_000;

pub(crate) fn run(rest: &[String]) -> Result<(), String> {
    let (files, shots) = arguments(rest)?;
    let Some(chromium) = Chromium::find() else {
        println!(
            "skipped: there is no Chromium. On Debian: apt-get install chromium; or name a program in CHROMIUM"
        );
        return Ok(());
    };
    let mut bad = Vec::new();
    for file in &files {
        let page = fs::read_to_string(file)
            .map_err(|why| format!("{} cannot be read: {why}", file.display()))?;
        let found = look(&chromium, &page)?;
        println!("{}:", file.display());
        for line in &found.lines {
            println!("  {line}");
        }
        if let Some(folder) = &shots {
            shoot(&chromium, &page, &found, file, folder)?;
        }
        let failures = found.failures().count();
        if failures > 0 {
            bad.push(format!("{}: {failures} findings", file.display()));
        }
    }
    if bad.is_empty() { Ok(()) } else { Err(bad.join("; ")) }
}

fn arguments(rest: &[String]) -> Result<(Vec<PathBuf>, Option<PathBuf>), String> {
    let (mut files, mut shots) = (Vec::new(), None);
    let mut words = rest.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--shots" => {
                shots = Some(words.next().map(PathBuf::from).ok_or("--shots needs a folder")?);
            }
            option if option.starts_with('-') => {
                return Err(format!("there is no option `{option}`, only --shots DIR"));
            }
            file => files.push(PathBuf::from(file)),
        }
    }
    if files.is_empty() { Err("name a page: FILE.html".to_owned()) } else { Ok((files, shots)) }
}

/// What was found: lines that begin with `ok`, `fail` or `height`.
#[derive(Debug)]
struct Found {
    lines: Vec<String>,
}

impl Found {
    fn failures(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().map(String::as_str).filter(|line| line.starts_with("fail "))
    }

    /// How tall the page is in a view.
    fn height(&self, (width, scheme): View) -> Option<u32> {
        let label = format!("height {width} {scheme}: ");
        self.lines.iter().find_map(|line| line.strip_prefix(&label)?.parse().ok())
    }
}

/// Looks at a page in every view.
fn look(chromium: &Chromium, page: &str) -> Result<Found, String> {
    let room = Room::new()?;
    let probe = room.write("probe.html", &probing(page, &VIEWS))?;
    let said = chromium.run(&room.0, &probe, &["--dump-dom".to_owned()])?;
    let mut lines = findings(&said.out)?;
    // A page that is in order says nothing there.
    let console = said.err.lines().filter(|line| line.contains("CONSOLE"));
    lines.extend(console.map(|line| format!("fail console: {line}")));
    Ok(Found { lines })
}

/// The lines that the probe left as its page.
fn findings(dom: &str) -> Result<Vec<String>, String> {
    let list = dom
        .split_once("<pre>begin\n")
        .and_then(|(_, rest)| rest.split_once("\nend</pre>"))
        .ok_or("the probe did not come to its end; is the browser too old?")?;
    let text = |line: &str| {
        line.replace("&lt;", "<").replace("&gt;", ">").replace("&nbsp;", " ").replace("&amp;", "&")
    };
    Ok(list.0.lines().map(text).collect())
}

/// Takes a picture of each view.
fn shoot(
    chromium: &Chromium,
    page: &str,
    found: &Found,
    file: &Path,
    folder: &Path,
) -> Result<(), String> {
    let room = Room::new()?;
    fs::create_dir_all(folder)
        .map_err(|why| format!("{} cannot be made: {why}", folder.display()))?;
    let folder = fs::canonicalize(folder).map_err(|why| format!("{}: {why}", folder.display()))?;
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    for view in VIEWS {
        let (width, scheme) = view;
        let height = found.height(view).unwrap_or(WINDOW).clamp(1, TALLEST);
        let wrapper = room.write("show.html", &showing(page, view, height))?;
        let to = folder.join(format!("{stem}-{width}-{scheme}.png"));
        let args = [
            format!("--window-size={},{height}", width.max(WINDOW)),
            format!("--screenshot={}", to.display()),
        ];
        chromium.run(&room.0, &wrapper, &args)?;
        println!("  {}", to.display());
    }
    Ok(())
}

/// A folder of its own for one question, taken away at the end.
struct Room(PathBuf);

impl Room {
    fn new() -> Result<Self, String> {
        let base = std::env::temp_dir();
        // Others of this process, and of others, may ask at the same time.
        for number in 0..10_000_u32 {
            let path = base.join(format!("raddle-browse-{}-{number}", std::process::id()));
            match fs::create_dir(&path) {
                Ok(()) => return Ok(Self(path)),
                Err(why) if why.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(why) => return Err(format!("{} cannot be made: {why}", path.display())),
            }
        }
        Err(format!("{} is full of folders of ours; remove them", base.display()))
    }

    fn write(&self, name: &str, text: &str) -> Result<PathBuf, String> {
        let path = self.0.join(name);
        fs::write(&path, text)
            .map_err(|why| format!("{} cannot be written: {why}", path.display()))?;
        Ok(path)
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        // What cannot be taken away lies in the system's folder for such things.
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">
        <meta name="color-scheme" content="light dark"><title>t</title>
        <style>:root { color-scheme: light dark } body { background: Canvas; color: CanvasText }
        svg { width: 100%; display: block } text { font: 11px sans-serif; fill: CanvasText }
        .wide { overflow-x: auto } .wide p { width: 3000px }</style></head><body>
        <svg role="img" viewBox="0 0 200 50"><title>a</title><path d="M5 5h50v20z"/>
        <text x="20" y="40">inside</text></svg><div class="wide"><p>wide</p></div>BAD</body></html>"#;

    fn looked_at(more: &str) -> Option<Vec<String>> {
        let chromium = Chromium::find().or_else(|| {
            println!("skipped: there is no Chromium");
            None
        })?;
        let found = look(&chromium, &GOOD.replace("BAD", more)).expect("it can be looked at");
        let ok = found.lines.iter().filter(|line| line.starts_with("ok ")).count();
        assert_eq!(ok, VIEWS.len(), "every view was looked at: {:?}", found.lines);
        for view in VIEWS {
            assert!(found.height(view).is_some_and(|height| height > 50), "{:?}", found.lines);
        }
        Some(found.failures().map(str::to_owned).collect())
    }

    #[test]
    fn a_page_that_is_in_order_passes() {
        let Some(failures) = looked_at("<p>fine</p>") else { return };
        assert!(failures.is_empty(), "{failures:?}");
    }

    #[test]
    fn every_fault_is_found() {
        let faults = r##"<div class="broad" style="width: 900px">x</div>
            <p style="width: 80px; overflow: hidden; white-space: nowrap">cut off at its right side</p>
            <svg role="img" viewBox="0 0 200 50"><title>b</title><path d="M5 5h50v20z"/>
            <text x="190" y="40">outside</text><text x="20" y="20">one</text><text x="24" y="20">two</text></svg>
            <svg role="img" viewBox="0 0 200 50"><title>c</title></svg>
            <p style="color: #777; background: #888">grey</p>
            <img src="http://127.0.0.1:9/x.png" alt=""><script>console.error("oh"); undefined.x</script>"##;
        let Some(failures) = looked_at(faults) else { return };
        let all = failures.join("\n");
        for words in [
            "fail 400 light: the page is 9",
            "fail 400 dark: <div class=\"broad\"> \"x\" reaches from 8 to 908",
            "is cut off",
            "\"outside\" lies outside of it",
            "\"one\" and <text> \"two\" lie on each other",
            "picture 3 (c) is empty",
            "the contrast of <p> \"grey\" is",
            "it loads http://127.0.0.1:9/x.png",
            "<img> \"\" takes something from elsewhere",
            "fail console: ",
            "\"oh\"",
            "TypeError",
        ] {
            assert!(all.contains(words), "`{words}` is missing in:\n{all}");
        }
        assert!(!all.contains("fail 1280 light: the page"), "it fits there:\n{all}");
    }

    #[test]
    fn arguments_are_files_and_one_folder() {
        let given =
            |words: &[&str]| arguments(&words.iter().map(ToString::to_string).collect::<Vec<_>>());
        let (files, shots) = given(&["a.html", "--shots", "d", "b.html"]).expect("right");
        assert_eq!(files, [PathBuf::from("a.html"), PathBuf::from("b.html")]);
        assert_eq!(shots, Some(PathBuf::from("d")));
        for wrong in [&[][..], &["--shots"], &["a.html", "--shots"], &["a.html", "--fast"]] {
            assert!(given(wrong).is_err(), "{wrong:?}");
        }
    }
}
