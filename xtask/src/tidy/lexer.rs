//! Which part of a Rust file is code, which part only tests, and where does each function end?
//!
//! No parser: it knows comments, strings, characters and brackets, which is enough to count lines
//! and to find words. Offsets are in bytes, lines count from 1.

use std::ops::RangeInclusive;

/// The same text with every comment, string and character literal blanked. Line ends stay, so
/// that line numbers and offsets hold in both.
pub(crate) fn mask(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut masked = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let end = opaque_end(bytes, at).unwrap_or(at);
        for byte in &mut masked[at..end] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
        at = end.max(at + 1);
    }
    String::from_utf8(masked).expect("whole characters are blanked or kept")
}

/// Where the comment, string or character that starts here ends; `None` when none starts here.
fn opaque_end(bytes: &[u8], at: usize) -> Option<usize> {
    let next = bytes.get(at + 1).copied();
    match (bytes[at], next) {
        (b'/', Some(b'/')) => Some(find(bytes, at, |rest| rest[0] == b'\n')),
        (b'/', Some(b'*')) => Some(block_comment_end(bytes, at)),
        (b'"', _) => Some(quoted_end(bytes, at, b'"')),
        (b'r', Some(b'"' | b'#')) if starts_literal(bytes, at) => raw_string_end(bytes, at),
        (b'\'', Some(b'\\')) => Some(quoted_end(bytes, at, b'\'')),
        (b'\'', Some(first)) => {
            // `'x'` is a character, `'x` without the second quote a lifetime.
            let end = at + 1 + width(first);
            (bytes.get(end) == Some(&b'\'')).then_some(end + 1)
        }
        _ => None,
    }
}

/// The first offset from `at` whose rest satisfies `stop`, or the end of the text.
fn find(bytes: &[u8], at: usize, stop: impl Fn(&[u8]) -> bool) -> usize {
    (at..bytes.len()).find(|&at| stop(&bytes[at..])).unwrap_or(bytes.len())
}

/// Bytes of the UTF-8 character that begins with this byte.
fn width(first: u8) -> usize {
    match first {
        0xf0.. => 4,
        0xe0.. => 3,
        0xc0.. => 2,
        _ => 1,
    }
}

fn block_comment_end(bytes: &[u8], start: usize) -> usize {
    let (mut at, mut depth) = (start, 0_usize);
    while at < bytes.len() {
        if bytes[at..].starts_with(b"/*") {
            (at, depth) = (at + 2, depth + 1);
        } else if bytes[at..].starts_with(b"*/") {
            (at, depth) = (at + 2, depth - 1);
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    bytes.len()
}

fn quoted_end(bytes: &[u8], start: usize, quote: u8) -> usize {
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// Whether this `r` begins a literal (`r"`, `br"`, `cr"`) and is not the end of a name.
fn starts_literal(bytes: &[u8], at: usize) -> bool {
    let before = |back: usize| at.checked_sub(back).map(|at| bytes[at]);
    match before(1) {
        Some(b'b' | b'c') => !before(2).is_some_and(is_name),
        other => !other.is_some_and(is_name),
    }
}

/// `None` for a raw name such as `r#type`.
fn raw_string_end(bytes: &[u8], start: usize) -> Option<usize> {
    let open = find(bytes, start + 1, |rest| rest[0] != b'#');
    if bytes.get(open) != Some(&b'"') {
        return None;
    }
    let mut close = vec![b'"'];
    close.resize(open - start, b'#');
    let end = find(bytes, open + 1, |rest| rest.starts_with(&close));
    Some(bytes.len().min(end + close.len()))
}

/// Whether a byte can be part of a name.
pub(crate) fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Where `word` occurs with no name character beside it.
pub(crate) fn find_word<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = usize> + 't {
    let bytes = text.as_bytes();
    let free = move |at: Option<usize>, edge: Option<&u8>| {
        let beside = at.and_then(|at| bytes.get(at)).is_some_and(|&byte| is_name(byte));
        !(beside && edge.is_some_and(|&byte| is_name(byte)))
    };
    text.match_indices(word).map(|(at, _)| at).filter(move |&at| {
        let edges = word.as_bytes();
        free(at.checked_sub(1), edges.first()) && free(Some(at + word.len()), edges.last())
    })
}

/// The line of an offset.
pub(crate) fn line_of(text: &str, at: usize) -> usize {
    1 + text.as_bytes()[..at].iter().filter(|&&byte| byte == b'\n').count()
}

/// A function with a body.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Function {
    pub(crate) name: String,
    /// The line of its `fn`.
    pub(crate) line: usize,
    /// From there to its closing brace.
    pub(crate) lines: usize,
}

/// The functions of a masked text, nested ones too.
pub(crate) fn functions(code: &str) -> Vec<Function> {
    let function = |at: usize| {
        let rest = code[at + 2..].trim_start();
        let name_len = find(rest.as_bytes(), 0, |rest| !is_name(rest[0]));
        if name_len == 0 {
            return None; // a function pointer type
        }
        let end = item_end(code, at).filter(|&end| code.as_bytes()[end] == b'}')?;
        let line = line_of(code, at);
        let lines = line_of(code, end) - line + 1;
        Some(Function { name: rest[..name_len].to_owned(), line, lines })
    };
    find_word(code, "fn").filter_map(function).collect()
}

/// The offset of the `}` or `;` that ends the item that starts here.
fn item_end(code: &str, start: usize) -> Option<usize> {
    let (mut braces, mut others) = (0_usize, 0_usize);
    for (at, byte) in (start..).zip(code[start..].bytes()) {
        match byte {
            b'(' | b'[' => others += 1,
            b')' | b']' => others = others.saturating_sub(1),
            b'{' => braces += 1,
            b'}' => {
                braces = braces.saturating_sub(1);
                if braces == 0 && others == 0 {
                    return Some(at);
                }
            }
            b';' if braces == 0 && others == 0 => return Some(at),
            _ => {}
        }
    }
    None
}

/// The lines of the items that only tests or a test kit compile.
pub(crate) fn test_items(text: &str, code: &str) -> Vec<RangeInclusive<usize>> {
    let mut found = Vec::new();
    for (start, _) in code.match_indices("[cfg(") {
        let end = find(code.as_bytes(), start, |rest| rest[0] == b']');
        let (shown, original) = (&code[start..end], &text[start..end]);
        let test = find_word(shown, "test").next().is_some() && !shown.contains("not(test");
        if !test && !original.contains("\"test-kit\"") {
            continue;
        }
        let before = code[..start].trim_end();
        if before.ends_with('!') {
            return vec![1..=line_of(text, text.len())];
        }
        let first = line_of(code, start);
        let last = item_end(code, end + 1).filter(|_| is_item(&code[(end + 1).min(code.len())..]));
        found.push(first..=last.map_or(first + 1, |at| line_of(code, at)));
    }
    found
}

/// Whether an item starts here, after any further attributes, and not a field or a match arm.
fn is_item(code: &str) -> bool {
    const WORDS: &str = " pub mod fn use impl struct enum const static type trait unsafe extern \
                         async macro_rules union ";
    let mut rest = code.trim_start();
    while rest.starts_with("#[") {
        let end = find(rest.as_bytes(), 0, |rest| rest[0] == b']');
        rest = rest.get(end + 1..).unwrap_or_default().trim_start();
    }
    let end = find(rest.as_bytes(), 0, |rest| !is_name(rest[0]));
    end > 0 && WORDS.contains(&format!(" {} ", &rest[..end]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_strings_and_characters_are_blanked() {
        let cases = [
            ("a // b\nc", "a     \nc"),
            ("a /* b /* c */ d */ e", "a                   e"),
            (r#"f("a\"b}", g)"#, "f(       , g)"),
            (r##"f(r#"a"b}"#, g)"##, "f(         , g)"),
            (r##"f(br#"}"#)"##, "f(b      )"),
            (r"f('{', '\'', '\u{7d}', b'}')", "f(   ,     ,         , b   )"),
            ("f('é')", "f(    )"),
            ("fn f<'a, 'b>(x: &'a str) {}", "fn f<'a, 'b>(x: &'a str) {}"),
            ("r#type + for\"x\"", "r#type + for   "),
            ("a \"never closed", "a              "),
        ];
        for (text, masked) in cases {
            assert_eq!(mask(text), masked, "{text}");
        }
    }

    #[test]
    fn a_line_end_survives_in_a_string() {
        assert_eq!(mask("a(\"x\ny\");\nb"), "a(  \n  );\nb");
    }

    #[test]
    fn words_end_where_names_end() {
        let at = |text, word| find_word(text, word).collect::<Vec<_>>();
        assert_eq!(at("fn fnord(a_fn: fn())", "fn"), [0, 15]);
        assert_eq!(at("x.unwrap() y.unwrap_or()", ".unwrap()"), [1]);
        assert_eq!(at("eprintln!() println!()", "println!"), [12]);
    }

    #[test]
    fn functions_are_counted_from_fn_to_brace() {
        let text = "\
fn short() {}
impl A {
    fn long(&self, f: fn(u8) -> [u8; 3]) -> [u8; 3]
    where
        Self: Sized,
    {
        let text = \"}\"; // }
        if a { b } else { '}' }
    }
    fn declared(&self);
}
";
        let function = |name: &str, line, lines| Function { name: name.to_owned(), line, lines };
        assert_eq!(functions(&mask(text)), [function("short", 1, 1), function("long", 3, 7)]);
    }

    #[test]
    fn test_items_are_found_with_their_ends() {
        let lines = |text: &str| test_items(text, &mask(text));
        assert_eq!(lines("fn a() {}\n#[cfg(test)]\nmod tests {\n  x\n}\nfn b() {}"), vec![2..=5]);
        assert_eq!(lines("#[cfg(test)]\n#[allow(x)]\nmod tests;\nfn b() {\n}"), vec![1..=3]);
        assert_eq!(lines("#[cfg(any(test, feature = \"a\"))]\nfn b() {\n}"), vec![1..=3]);
        assert_eq!(lines("#[cfg(feature = \"test-kit\")]\nfn b() {\n}"), vec![1..=3]);
        assert_eq!(lines("#![cfg(test)]\nfn b() {\n}"), vec![1..=3]);
        assert_eq!(lines("struct A {\n#[cfg(test)]\nx: u8,\ny: u8,\n}"), vec![2..=3]);
        assert!(lines("#[cfg(not(test))]\nfn b() {}").is_empty());
        assert!(lines("// #[cfg(test)]\nfn b() {}").is_empty());
    }
}
