//! How are times, sizes, counts and fractions shown to a person?
//!
//! Times come in nanoseconds, sizes in bytes; both are shown with three significant digits.

use std::borrow::Cow;

/// Writes a time in nanoseconds in the unit that suits its size: `417 ns`, `1.20 us`, `35.1 ms`,
/// `2.00 s`.
pub fn duration(ns: u64) -> String {
    const UNITS: [(f64, &str); 3] = [(1e3, "us"), (1e6, "ms"), (1e9, "s")];
    if ns < 1000 {
        return format!("{ns} ns");
    }
    scaled(ns as f64, &UNITS)
}

/// Writes the time `ns` so that it can stand beside the time `other`, both in nanoseconds: in the
/// unit and with the decimals in which [`duration`] writes `other`, and without the name of the
/// unit. Beside `16.9 ms` it writes `1.2`.
pub fn in_unit_of(other: u64, ns: u64) -> String {
    if other < 1000 {
        return ns.to_string();
    }
    let other = duration(other);
    let (digits, unit) = other.rsplit_once(' ').unwrap_or((&other, "ns"));
    let step = match unit {
        "us" => 1e3,
        "ms" => 1e6,
        _ => 1e9,
    };
    let decimals = digits.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    format!("{:.decimals$}", ns as f64 / step)
}

/// Writes bytes with the unit that suits them, each 1,000 of the one before: `64 B`, `61.1 kB`,
/// `1.82 MB`.
pub fn size(bytes: u64) -> String {
    const UNITS: [(f64, &str); 3] = [(1e3, "kB"), (1e6, "MB"), (1e9, "GB")];
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    scaled(bytes as f64, &UNITS)
}

/// Writes a value with three significant digits in the unit that suits its size; `units` has (size
/// of the unit, name), the smallest first.
fn scaled(value: f64, units: &[(f64, &str); 3]) -> String {
    // A value that would round up to 1000 of a unit is shown as 1.00 of the next unit.
    let suits = |(unit, _): &&(f64, &str)| value / unit < 999.5;
    let (unit, name) = units.iter().find(suits).unwrap_or(&units[2]);
    let value = value / unit;
    let decimals = if value < 9.995 { 2 } else { usize::from(value < 99.95) };
    format!("{value:.decimals$} {name}")
}

/// Writes a count with thousands separators: `27,915,924`.
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3 + 1);
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Writes a count with the noun for one or for many things: `1 launch`, `2 launches`.
pub fn counted(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(n), if n == 1 { one } else { many })
}

/// Writes, in brackets, how many copies have a direction other than between host and device; empty
/// where there are none.
pub fn copies_elsewhere(copies: &raddle_trace::CopiesElsewhere) -> String {
    let parts = [
        (copies.inside, "in the device"),
        (copies.to_peers, "from or to another device"),
        (copies.in_host, "in the host"),
        (copies.unknown, "of unknown direction"),
    ];
    let told = parts.iter().filter(|(n, _)| *n > 0);
    let told: Vec<String> = told.map(|(n, what)| format!("{} {what}", count(*n))).collect();
    if told.is_empty() { String::new() } else { format!(" ({})", told.join(", ")) }
}

/// Returns the pronoun that fits a number of things: `it` for 1, else `them`.
pub const fn them(n: u64) -> &'static str {
    if n == 1 { "it" } else { "them" }
}

/// Joins sentences that lack full stops, such as those on how far a verdict may be believed, into
/// one text with full stops.
pub fn sentences(all: &[String]) -> String {
    if all.is_empty() { String::new() } else { format!("{}.", all.join(". ")) }
}

/// Writes a fraction as percent: 0.412 as `41.2%`.
pub fn percent(share: f64) -> String {
    format!("{:.1}%", share * 100.0)
}

/// Divides `part` by `whole` and returns the fraction, rounded to four decimals; 0 where `whole` is
/// 0.
pub fn share(part: u128, whole: u128) -> f64 {
    if whole == 0 {
        return 0.0;
    }
    (part as f64 / whole as f64 * 10_000.0).round() / 10_000.0
}

/// Returns whether a character changes the direction of the text around it (as in right-to-left
/// scripts), or breaks the line.
pub fn turns(c: char) -> bool {
    matches!(
        c,
        '\u{61c}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    )
}

/// Writes text from an input file on one line with at most `limit` characters; control characters,
/// and characters that change the direction of text, become `?`. A longer text loses its middle, as
/// names of one kind begin alike and differ at the end.
pub fn plain(text: &str, limit: usize) -> String {
    let harmless = |c: char| if c.is_control() || turns(c) { '?' } else { c };
    let mut left = limit;
    let room = |_: char| {
        left = left.saturating_sub(1);
        // The last place is for the sign `…`, which shows that text is missing.
        left > 0
    };
    let (begin, end) = match text.chars().nth(limit) {
        None => (text, ""),
        Some(_) => without_middle(text, room),
    };
    let sign = if begin.len() == text.len() { "" } else { "…" };
    begin.chars().chain(sign.chars()).chain(end.chars()).map(harmless).collect()
}

/// Cuts out the middle of a text and returns (beginning, end). Takes characters in turn, two from
/// the beginning and one from the end, until `room` returns false for the next one.
pub fn without_middle(text: &str, mut room: impl FnMut(char) -> bool) -> (&str, &str) {
    let mut middle = text.chars();
    for taken in 1.. {
        let before = middle.clone();
        let next = if taken % 3 == 0 { middle.next_back() } else { middle.next() };
        if next.is_none_or(|c| !room(c)) {
            middle = before;
            break;
        }
    }
    let middle = middle.as_str();
    let begin = middle.as_ptr().addr() - text.as_ptr().addr();
    (&text[..begin], &text[begin + middle.len()..])
}

/// Shortens names from input files to at most `limit` characters and keeps them different where
/// possible: of names that would become equal, the beginning that they share is dropped.
pub fn apart(names: &[&str], limit: usize) -> Vec<String> {
    let short: Vec<String> = names.iter().map(|name| plain(name, limit)).collect();
    let alike = |at: usize| -> Vec<usize> {
        (0..names.len()).filter(|&other| short[other] == short[at]).collect()
    };
    let name = |at: usize| {
        let first = names[at];
        let alike = alike(at);
        let common = alike.iter().filter(|&&other| names[other] != first).map(|&other| {
            let pairs = first.char_indices().zip(names[other].chars());
            let same = pairs.take_while(|((_, a), b)| a == b);
            same.last().map_or(0, |((end, c), _)| end + c.len_utf8())
        });
        let Some(common) = common.min() else { return short[at].clone() };
        // The shortened name begins with the word in which the names differ.
        let word = first[..common].rfind(['_', '-', '.', ' ', '/']).map_or(common, |at| at + 1);
        let rest: String = first[word..].chars().take(limit.saturating_sub(1)).collect();
        plain(&format!("…{rest}"), limit)
    };
    (0..names.len()).map(name).collect()
}

/// Shells for which a command is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shell {
    /// POSIX shells, such as bash and zsh.
    Posix,
    /// `cmd` and PowerShell.
    Windows,
}

impl Shell {
    /// Shells of the system on which raddle runs.
    pub const HERE: Self = if cfg!(windows) { Self::Windows } else { Self::Posix };

    /// Writes a word of a command on one line, quoted so that these shells read the same word.
    #[must_use]
    pub fn quoted(self, word: &str) -> String {
        match self {
            Self::Posix => quoted_posix(word),
            Self::Windows => quoted_windows(word),
        }
    }

    /// Writes the words of a command on one line, each as [`Self::quoted`] does.
    #[must_use]
    pub fn line(self, words: &[String]) -> String {
        words.iter().map(|word| self.quoted(word)).collect::<Vec<_>>().join(" ")
    }
}

/// Writes the words of a command on one line, quoted so that the shells of this system read the same
/// words.
#[must_use]
pub fn shell(words: &[String]) -> String {
    Shell::HERE.line(words)
}

/// Writes a word of a command on one line, quoted so that the shells of this system read the same
/// word.
#[must_use]
pub fn quoted(word: &str) -> String {
    Shell::HERE.quoted(word)
}

/// Writes a word of a command on one line, in double quotes where `cmd` or PowerShell would read it
/// as something else. In such quotes PowerShell would run `$(..)`, so `$` and its backtick get a
/// backtick, which `cmd` reads as a part of the word. Characters that control a terminal or break a
/// line cannot be written and become `?`, and so do `%` and curly quotes.
pub fn quoted_windows(word: &str) -> String {
    let safe = |c: char| c.is_alphanumeric() || "-_./+:=\\".contains(c);
    // PowerShell splits an option at the first of these signs.
    let splits = word.starts_with('-') && word.contains(['.', ':']);
    if !word.is_empty() && !splits && word.chars().all(safe) {
        return word.to_owned();
    }
    let inside = word.chars().map(|c| match c {
        '"' => "\"\"".to_owned(),
        '$' | '`' => format!("`{c}"),
        // `cmd` replaces variables between percent signs also in quotes, and PowerShell takes curly
        // quotes for straight ones.
        '%' | '\u{201c}'..='\u{201f}' => "?".to_owned(),
        c if c.is_control() || turns(c) => "?".to_owned(),
        c => c.to_string(),
    });
    let mut inside: String = inside.collect();
    // A backslash before the last quote would make it a part of the word.
    let behind = inside.len() - inside.trim_end_matches('\\').len();
    inside.extend(std::iter::repeat_n('\\', behind));
    format!("\"{inside}\"")
}

/// Writes the words of a command on one line, as [`quoted_posix`] quotes each, whatever the system:
/// for scripts, and for documents that are the same everywhere.
#[must_use]
pub fn shell_posix(words: &[String]) -> String {
    Shell::Posix.line(words)
}

/// Writes a word of a command on one line, quoted so that a POSIX shell reads the same word.
/// Characters that control a terminal or break a line become escapes between `$'` and `'`, which
/// bash, zsh and ksh understand.
pub fn quoted_posix(word: &str) -> String {
    let safe = |c: char| c.is_alphanumeric() || "-_./+:,@%=".contains(c);
    let controls = |c: char| c.is_control() || turns(c);
    // zsh takes `=NAME` for the path of a command.
    if !word.is_empty() && !word.starts_with('=') && word.chars().all(safe) {
        return word.to_owned();
    }
    if !word.contains(controls) {
        return format!("'{}'", word.replace('\'', "'\\''"));
    }
    let escaped = |c: char| match c {
        '\'' | '\\' => format!("\\{c}"),
        '\n' => "\\n".to_owned(),
        _ if controls(c) => format!("\\u{:04x}", u32::from(c)),
        _ => c.to_string(),
    };
    format!("$'{}'", word.chars().map(escaped).collect::<String>())
}

/// Writes text from an input file for a terminal: line breaks and tabs stay; other control
/// characters, and characters that change the direction of text, become `?`.
pub fn harmless(text: &str) -> Cow<'_, str> {
    let harmful = |c: char| (c.is_control() && !matches!(c, '\n' | '\t')) || turns(c);
    match text.contains(harmful) {
        true => text.replace(harmful, "?").into(),
        false => text.into(),
    }
}

/// Replaces the characters that [`harmless`] would replace by JSON escapes with the same meaning.
pub fn escaped_json(text: String) -> String {
    let harmful = |c: char| (c.is_control() && c != '\n') || turns(c);
    if !text.contains(harmful) {
        return text;
    }
    let escape = |c: char| match harmful(c) {
        true => format!("\\u{:04x}", u32::from(c)),
        false => c.to_string(),
    };
    text.chars().map(escape).collect()
}

/// Writes text from an input file for a line or a table cell of Markdown. Text that Markdown could
/// read as markup (a tag, a link, a mention of a user, emphasis) is written as inline code.
pub fn markdown(text: &str) -> String {
    let text = plain(text, usize::MAX);
    let word = |c: char| c.is_alphanumeric() || " -.,;:()%/+=\"'±".contains(c);
    if text.chars().all(word) && !["//", "www.", "--"].iter().any(|link| text.contains(link)) {
        return text;
    }
    // The fence of backticks is longer than any run of backticks in the text. A cell ends at a bar,
    // unless a backslash stands before it.
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let text = text.replace("\\|", "\\¦").replace('|', "\\|");
    let blank = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{blank}{text}{blank}{fence}")
}

/// Breaks text into lines of at most `width` characters where possible; lines after the first begin
/// with `indent`.
pub fn wrap(text: &str, width: usize, indent: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 20);
    let mut column = 0;
    for word in text.split(' ') {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > width {
            out.push('\n');
            out.push_str(indent);
            column = indent.chars().count();
        } else if column > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += length;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names_tell_apart() {
        let names = ["of_the_same_make_mi100_times", "of_the_same_make_mi200_times", "short"];
        assert_eq!(apart(&names, 12), ["…mi100_times", "…mi200_times", "short"]);
        assert_eq!(apart(&["train", "train"], 12), ["train", "train"]);
        assert_eq!(apart(&["serve", "serve-2"], 12), ["serve", "serve-2"]);
    }

    #[test]
    fn what_a_time_may_be_off_is_in_its_unit() {
        let beside = [(16_900_000, 1_234_000), (9_990_000, 1_234_000), (120_000, 5), (80, 7)];
        let told = beside.map(|(other, ns)| in_unit_of(other, ns));
        assert_eq!(told, ["1.2", "1.23", "0", "7"]);
        assert_eq!(in_unit_of(2_000_000_000, 25_000_000), "0.03");
    }

    #[test]
    fn times_have_three_significant_digits() {
        for (ns, text) in [
            (0, "0 ns"),
            (999, "999 ns"),
            (1_000, "1.00 us"),
            (9_994, "9.99 us"),
            (9_996, "10.0 us"),
            (99_960, "100 us"),
            (999_499, "999 us"),
            (999_500, "1.00 ms"),
            (35_149_999, "35.1 ms"),
            (2_000_000_000, "2.00 s"),
            (12_345_000_000_000, "12345 s"),
        ] {
            assert_eq!(duration(ns), text, "{ns}");
        }
    }

    #[test]
    fn sizes_have_three_significant_digits() {
        for (bytes, text) in [
            (0, "0 B"),
            (999, "999 B"),
            (1_000, "1.00 kB"),
            (61_120, "61.1 kB"),
            (999_500, "1.00 MB"),
            (1_817_024, "1.82 MB"),
            (7_000_000_000_000, "7000 GB"),
        ] {
            assert_eq!(size(bytes), text, "{bytes}");
        }
    }

    #[test]
    fn counts_and_shares() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1_000), "1,000");
        assert_eq!(count(u64::MAX), "18,446,744,073,709,551,615");
        assert_eq!(counted(1, "launch", "launches"), "1 launch");
        assert_eq!(counted(1200, "launch", "launches"), "1,200 launches");
        assert_eq!(percent(share(1, 3)), "33.3%");
        assert_eq!(percent(share(1, 0)), "0.0%");
    }

    #[test]
    fn text_from_outside_cannot_move_the_cursor() {
        assert_eq!(plain("a\x1b[2Jb\n", 20), "a?[2Jb?");
        assert_eq!(plain("a\u{202e}gnp.exe\u{2069}", 20), "a?gnp.exe?");
        assert_eq!(plain("abcdef", 4), "ab…f");
        assert_eq!(plain("abcd", 4), "abcd");
    }

    #[test]
    fn text_of_several_lines_keeps_them_and_nothing_else() {
        assert_eq!(harmless("a\nb\tc"), "a\nb\tc");
        assert_eq!(harmless("a\u{1b}]0;t\u{7}\r\u{9b}2J\u{202e}"), "a?]0;t???2J?");
        let json = "{\"a\":\"\u{7f}\u{202e}\"}\n".to_owned();
        assert_eq!(escaped_json(json), "{\"a\":\"\\u007f\\u202e\"}\n");
    }

    #[test]
    fn markdown_from_outside_is_words_or_code() {
        assert_eq!(markdown("decode p99 +5.0%"), "decode p99 +5.0%");
        for (text, told) in [
            ("<img src=x>", "`<img src=x>`"),
            ("@everyone", "`@everyone`"),
            ("a|b", "`a\\|b`"),
            ("a\\|b", "`a\\¦b`"),
            ("`a``b", "``` `a``b ```"),
            ("[a](b)\n# c", "`[a](b)?# c`"),
            ("https://x", "`https://x`"),
        ] {
            assert_eq!(markdown(text), told);
        }
    }

    #[test]
    fn long_names_keep_what_tells_them_apart() {
        let long = "resnet50_training_of_the_second_of_march";
        let [second, third] = [2, 3].map(|n| plain(&format!("{long}-{n}"), 24));
        assert_eq!(second, "resnet50_trainin…march-2");
        assert_eq!(third, "resnet50_trainin…march-3");
        assert_eq!(plain("größere Größen", 8), "größe…en");
        assert_eq!([0, 1, 2].map(|limit| plain("abc", limit)), ["…", "…", "a…"]);
    }

    #[test]
    fn commands_can_be_copied() {
        let quoted = quoted_posix;
        assert_eq!(quoted("a/b-1.csv"), "a/b-1.csv");
        assert_eq!(quoted("--goal=a-b_1"), "--goal=a-b_1");
        assert_eq!(quoted("=ls"), "'=ls'");
        assert_eq!(quoted("it's $x"), "'it'\\''s $x'");
        assert_eq!(quoted("a\n'b\\\u{1b}"), r"$'a\n\'b\\\u001b'");
        assert!(!quoted("a\u{202e}b\r").contains(|c: char| c.is_control() || turns(c)));
    }

    /// Checks words for `cmd` and PowerShell, neither of which knows single quotes as both do double
    /// ones.
    #[test]
    fn commands_can_be_copied_on_windows() {
        for (word, written) in [
            (r"C:\runs\a.csv", r"C:\runs\a.csv"),
            ("--seeds=5", "--seeds=5"),
            ("--goal=serve p99 20ms", "\"--goal=serve p99 20ms\""),
            ("--device=mine.toml", "\"--device=mine.toml\""),
            ("--priority=train*=5", "\"--priority=train*=5\""),
            ("a,b", "\"a,b\""),
            ("it's", "\"it's\""),
            ("a&calc", "\"a&calc\""),
            ("$(calc)`x", "\"`$(calc)``x\""),
            ("a\"b", "\"a\"\"b\""),
            (r"my runs\", "\"my runs\\\\\""),
            ("", "\"\""),
            ("a\nb\u{1b}", "\"a?b?\""),
            ("a\u{201d};calc;\u{201d}", "\"a?;calc;?\""),
            ("x%CMDCMDLINE:~0,1%&calc", "\"x?CMDCMDLINE:~0,1?&calc\""),
        ] {
            assert_eq!(quoted_windows(word), written);
        }
    }

    #[test]
    fn lines_break_between_words() {
        assert_eq!(wrap("aa bb cc", 5, "  "), "aa bb\n  cc");
        assert_eq!(wrap("aaaaaaaa b", 3, ""), "aaaaaaaa\nb");
    }
}
