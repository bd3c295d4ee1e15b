//! Does a page look right in a browser?
//!
//! Opens the page in headless Chromium, in windows of 1440, 1280 and 390 pixels, light and dark,
//! and as it is printed. Fails where the console has a message, a table does not sort or filter, a
//! picture is empty or its text lies outside of it or on other text, something is wider than the
//! window without a scroll bar of its own, text has too little contrast, or the page loads
//! anything. The page stands in a frame, as a browser's window cannot be as narrow as a telephone.
//! Without Chromium the check says so and passes; the variable `CHROMIUM` names its program.

pub(crate) mod chromium;
pub(crate) mod devtools;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

/// View in which a page is checked: (width in pixels, `light`, `dark` or `print`).
type PageView = (u32, &'static str);

const VIEWS: [PageView; 6] = [
    (1440, "light"),
    (1280, "light"),
    (1280, "dark"),
    (390, "light"),
    (390, "dark"),
    // Paper of 210 mm without its margins.
    (718, "print"),
];
/// Least width, in pixels, that a window of the browser can have.
const WINDOW: u32 = 500;
/// Largest height, in pixels, of a picture of a page; some programs cannot open taller ones.
const TALLEST: u32 = 16_000;
const PROBE: &str = include_str!("probe.js");

#[derive(Debug, clap::Args)]
pub(crate) struct BrowseArgs {
    /// HTML pages to check
    #[arg(required = true, value_name = "FILE.html")]
    files: Vec<PathBuf>,
    /// Fail where a report does not show the answer, the load, the memory, the goal or an interval
    /// before anybody scrolls
    #[arg(long)]
    first_screen: bool,
    /// Keep a picture of each view (width and colour scheme) in this folder
    #[arg(long, value_name = "FOLDER")]
    shots: Option<PathBuf>,
}

pub(crate) fn run(args: &BrowseArgs) -> Result<()> {
    let Some(program) = chromium::find() else {
        println!(
            "skipped: there is no Chromium. On Debian: apt-get install chromium; or name a program in CHROMIUM"
        );
        return Ok(());
    };
    let mut failures = 0;
    for file in &args.files {
        let page = fs::read_to_string(file).with_context(|| file.display().to_string())?;
        let found = look(&program, &page, args.first_screen)?;
        println!("{}:\n  {}", file.display(), found.lines.join("\n  "));
        if let Some(folder) = &args.shots {
            shoot(&program, &page, &found, file, folder)?;
        }
        failures += found.failures().count();
    }
    ensure!(failures == 0, "{failures} findings");
    Ok(())
}

/// Lines that the check of a page prints; each begins with `ok`, `fail` or `height`.
#[derive(Debug)]
struct PageLines {
    lines: Vec<String>,
}

impl PageLines {
    fn failures(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().map(String::as_str).filter(|line| line.starts_with("fail "))
    }

    /// Returns the height of the page in one view, in pixels; `None` if no line has it.
    fn height(&self, (width, scheme): PageView) -> Option<u32> {
        let label = format!("height {width} {scheme}: ");
        self.lines.iter().find_map(|line| line.strip_prefix(&label)?.parse().ok())
    }
}

/// Opens a page (HTML text) in every view, and returns the results of all checks. `first_screen`
/// also checks what a report shows before anybody scrolls.
fn look(program: &Path, page: &str, first_screen: bool) -> Result<PageLines> {
    let views = serde_json::to_string(&VIEWS)?;
    let probe = format!(
        "<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<title>probe</title>\n<body>\n<script>\nconst PAGE = {};\nconst VIEWS = {views};\nconst FIRST_SCREEN = {first_screen};\n{PROBE}</script>\n",
        quoted(page)
    );
    let (dom, console) = chromium::run(program, &probe, &["--dump-dom"])?;
    let list = dom.split_once("<pre>begin\n").and_then(|(_, rest)| rest.split_once("\nend</pre>"));
    let (list, _) = list.context("the probe did not come to its end; is the browser too old?")?;
    let text = |line: &str| {
        line.replace("&lt;", "<").replace("&gt;", ">").replace("&nbsp;", " ").replace("&amp;", "&")
    };
    let mut lines: Vec<String> = list.lines().map(text).collect();
    // A page that is in order writes nothing to the console.
    let console = console.lines().filter(|line| line.contains("CONSOLE"));
    lines.extend(console.map(|line| format!("fail console: {line}")));
    Ok(PageLines { lines })
}

/// Writes a picture (PNG) of each view of a page to a folder.
fn shoot(program: &Path, page: &str, found: &PageLines, file: &Path, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    let folder = fs::canonicalize(folder)?;
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    for view in VIEWS {
        let (width, scheme) = view;
        let (scheme_shown, page) = match scheme {
            "print" => ("light", page.replace("@media print", "@media all")),
            _ => (scheme, page.to_owned()),
        };
        let height = found.height(view).unwrap_or(WINDOW).clamp(1, TALLEST);
        let frame = format!(
            "<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<style>body {{ margin: 0 }} iframe {{ display: block; border: 0; width: {width}px; height: {height}px; color-scheme: {scheme_shown} }}</style>\n<iframe></iframe>\n<script>document.querySelector(\"iframe\").srcdoc = {};</script>\n",
            quoted(&page)
        );
        let to = folder.join(format!("{stem}-{width}-{scheme}.png"));
        let size = format!("--window-size={},{height}", width.max(WINDOW));
        chromium::run(program, &frame, &[&size, &format!("--screenshot={}", to.display())])?;
        println!("  {}", to.display());
    }
    Ok(())
}

/// Returns a text as a JavaScript string without `<`, which could end the script around it.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('<', "\\u003c")
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
        let chromium = chromium::find().or_else(|| {
            println!("skipped: there is no Chromium");
            None
        })?;
        let found = look(&chromium, &GOOD.replace("BAD", more), more.contains("deciding"));
        let found = found.expect("it can be looked at");
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
            <table><thead><tr><th>b</th></tr></thead><tbody><tr><td>1<span class="meter" style="display:inline-block;width:9px;height:9px"></span></td></tr>
            <tr><td>1000000<span class="meter" style="display:inline-block;width:9px;height:9px"></span></td></tr></tbody></table>
            <img src="http://127.0.0.1:9/x.png" alt=""><script>console.error("oh"); undefined.x</script>"##;
        let Some(failures) = looked_at(faults) else { return };
        let all = failures.join("\n");
        for words in [
            "fail 390 light: the page is 9",
            "fail 390 dark: <div class=\"broad\"> \"x\" reaches from 8 to 908",
            "is cut off",
            "\"outside\" lies outside of it",
            "\"one\" and <text> \"two\" lie on each other",
            "picture 3 (c) is empty",
            "the contrast of <p> \"grey\" is",
            "the bars of <th> \"b\" begin at",
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
    fn what_decides_is_on_the_first_screen() {
        let page = r#"<h1>t</h1><div class="verdict"><p>Use a</p></div>
            <ul class="chips"><li><span>load</span> a 40/s</li><li><span>goal</span> g</li><li><span>memory</span> m</li></ul>
            <table class="deciding"><thead><tr><th>policy</th><th>goal</th><th>p99</th></tr></thead><tbody><tr><th>a</th><td>met</td>
            <td>2 <span class="note">(1 to 3)</span><span class="within" style="display:block;height:2px"></span></td></tr></tbody></table>"#;
        let Some(failures) = looked_at(page) else { return };
        assert!(failures.is_empty(), "{failures:?}");
        let spoilt = |from: &str, to: &str| looked_at(&page.replace(from, to)).unwrap_or_default();
        for (from, to, said) in [
            (
                "Use a",
                "<span style=\"display:block;height:900px\"></span>Use a",
                "the answer ends at",
            ),
            (" 40/s", "", "the load is not on the page"),
            ("1 to 3", "2", "an interval is not on the page"),
            ("memory", "m", "the memory is not on the page"),
            (
                "<th>goal",
                "<th style=\"padding-left:390px\">goal",
                "fail 390 light: the goal ends at",
            ),
            ("</table>", "</table><h3>x</h3>", "is of level 3 below level 1"),
        ] {
            let all = spoilt(from, to).join("\n");
            assert!(all.contains(said), "`{said}` is missing in:\n{all}");
        }
    }

    #[test]
    fn a_page_cannot_end_the_script_that_holds_it() {
        assert_eq!(quoted("a\"\n</script>"), r#""a\"\n\u003c/script>""#);
    }
}
