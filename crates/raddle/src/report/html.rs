//! How does text from outside get into a page so that it stays text?

use crate::units::plain;

/// Characters of a name that are shown.
const NAME: usize = 160;

/// Text in which nothing is markup any more, in an element or in a quoted attribute.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// A name from outside, on one line, not too long, and without power over the text around it.
pub(crate) fn shown(text: &str) -> String {
    plain(text, NAME)
}

/// The same as an element of its own.
pub(crate) fn name(text: &str) -> String {
    format!("<bdi>{}</bdi>", escape(&shown(text)))
}

/// A figure whose unit stays beside it, with the sign for micro.
pub(crate) fn figure(text: &str) -> String {
    escape(&micro(text).replace(' ', "\u{a0}"))
}

/// The sign for micro where the tool writes `us`.
pub(crate) fn micro(text: &str) -> String {
    match text.strip_suffix(" us") {
        Some(number) => format!("{number} µs"),
        None => text.to_owned(),
    }
}

/// A sentence of the tool: with a capital letter and a full stop; `words` of a command as such.
pub(crate) fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|c| c.to_uppercase().collect::<String>());
    let rest = letters.as_str().trim_end_matches('.');
    let text = escape(&plain(&format!("{}{rest}.", first.unwrap_or_default()), 2000));
    let parts: Vec<&str> = text.split('`').collect();
    // Pairs of marks only.
    if parts.len().is_multiple_of(2) {
        return text;
    }
    let part = |(n, part): (usize, &&str)| match n % 2 {
        0 => (*part).to_owned(),
        _ => format!("<code>{part}</code>"),
    };
    parts.iter().enumerate().map(part).collect()
}

/// A heading and what belongs below it.
pub(crate) fn section(id: &str, title: &str, body: &str) -> String {
    format!("<section id=\"{id}\">\n<h2>{}</h2>\n{body}</section>\n", escape(title))
}

/// A table that scrolls by itself where it is too wide. Header cells that begin with `#` stand
/// above figures. The cells of a row are markup.
pub(crate) fn table(label: &str, header: &[&str], rows: &[Vec<String>]) -> String {
    let right: Vec<bool> = header.iter().map(|cell| cell.starts_with('#')).collect();
    let side = |column: usize| if right.get(column) == Some(&true) { " class=\"n\"" } else { "" };
    let mut out = wide(label);
    out += "<thead><tr>";
    for (column, cell) in header.iter().enumerate() {
        let text = escape(cell.trim_start_matches('#'));
        out += &format!("<th scope=\"col\"{}>{text}</th>", side(column));
    }
    out += "</tr></thead>\n<tbody>\n";
    for row in rows {
        out += "<tr>";
        for (column, cell) in row.iter().enumerate() {
            match column {
                0 => out += &format!("<th scope=\"row\">{cell}</th>"),
                _ => out += &format!("<td{}>{cell}</td>", side(column)),
            }
        }
        out += "</tr>\n";
    }
    out + "</tbody>\n</table></div>\n"
}

/// Where a wide table begins; it ends with `</table></div>`.
pub(crate) fn wide(label: &str) -> String {
    format!(
        "<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"{}\"><table>\n",
        escape(label)
    )
}

/// A link to a file beside the page.
pub(crate) fn link(path: &str) -> String {
    let mut to = "./".to_owned();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'/' => {
                to.push(char::from(byte));
            }
            _ => to += &format!("%{byte:02X}"),
        }
    }
    format!("<a href=\"{to}\">{}</a>", name(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_names() {
        assert_eq!(name("<b onclick='x'>"), "<bdi>&lt;b onclick=&#39;x&#39;&gt;</bdi>");
        assert_eq!(name("a\u{202e}b\u{2066}c\nd"), "<bdi>a?b?c?d</bdi>");
        assert_eq!(shown(&"x".repeat(1000)).chars().count(), 160);
    }

    #[test]
    fn links_lead_to_files_only() {
        assert_eq!(
            link("a b#?\"<é/javascript:x"),
            "<a href=\"./a%20b%23%3F%22%3C%C3%A9/javascript%3Ax\"><bdi>a b#?&quot;&lt;é/javascript:x</bdi></a>"
        );
    }

    #[test]
    fn figures_and_sentences() {
        assert_eq!(figure("12.5 us"), "12.5\u{a0}µs");
        assert_eq!(figure("<1 ns"), "&lt;1\u{a0}ns");
        assert_eq!(sentence("open loop: kept"), "Open loop: kept.");
        assert_eq!(sentence(""), ".");
        assert_eq!(
            sentence("say `--a <b>` or `c`"),
            "Say <code>--a &lt;b&gt;</code> or <code>c</code>."
        );
        assert_eq!(sentence("one ` only"), "One ` only.");
    }

    #[test]
    fn a_table_says_which_cells_are_headings() {
        let html = table("t\"", &["a", "#b"], &[vec!["x".to_owned(), "1".to_owned()]]);
        insta::assert_snapshot!(html, @r#"
        <div class="wide" role="region" tabindex="0" aria-label="t&quot;"><table>
        <thead><tr><th scope="col">a</th><th scope="col" class="n">b</th></tr></thead>
        <tbody>
        <tr><th scope="row">x</th><td class="n">1</td></tr>
        </tbody>
        </table></div>
        "#);
    }
}
