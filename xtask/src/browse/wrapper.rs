//! Which page shows another page in windows of given widths, and looks at it there?
//!
//! A browser's own window cannot be as narrow as a telephone, so the page stands in a frame: what
//! it sees as its window is the frame. Widths and heights are pixels.

/// A width and a colour scheme.
pub(super) type View = (u32, &'static str);

const PROBE: &str = include_str!("probe.js");

/// The page that looks at `page` in these views and ends as a list of findings.
pub(super) fn probing(page: &str, views: &[View]) -> String {
    let views: Vec<String> =
        views.iter().map(|(width, scheme)| format!("[{width}, {}]", quoted(scheme))).collect();
    format!(
        "<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<title>probe</title>\n<body>\n<script>\nconst PAGE = {};\nconst VIEWS = [{}];\n{PROBE}</script>\n",
        quoted(page),
        views.join(", ")
    )
}

/// The page that shows `page` as a picture is to be taken of it.
pub(super) fn showing(page: &str, (width, scheme): View, height: u32) -> String {
    format!(
        "<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<style>body {{ margin: 0 }} iframe {{ display: block; border: 0; width: {width}px; height: {height}px; color-scheme: {scheme} }}</style>\n<iframe></iframe>\n<script>document.querySelector(\"iframe\").srcdoc = {};</script>\n",
        quoted(page)
    )
}

/// Text as a literal of a script that stands in a page.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            // What could end the script, or the line.
            '<' | '>' | '&' | '\r' | '\u{2028}' | '\u{2029}' => {
                out.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            _ => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_cannot_end_the_script_that_holds_it() {
        assert_eq!(quoted("a\"\\\n</script>"), r#""a\"\\\n\u003c/script\u003e""#);
    }

    #[test]
    fn a_page_is_looked_at_in_every_view() {
        let page = probing("<p>", &[(400, "dark"), (1280, "light")]);
        assert!(page.contains("const VIEWS = [[400, \"dark\"], [1280, \"light\"]];"), "{page}");
        assert!(showing("<p>", (400, "dark"), 99).contains("height: 99px; color-scheme: dark"));
    }
}
