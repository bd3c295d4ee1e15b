//! Which lines of a source in OpenCL C does the preprocessor see?
//!
//! Logical lines: comments are gone, and a line that ends with a backslash is joined with the next.

/// Logical line of an OpenCL C source: without comments, and joined with the next line where it
/// ends with a backslash. Empty lines are left out.
#[derive(Debug)]
pub(crate) struct SourceLine {
    /// Number of the source line with which the logical line begins, from 1.
    pub(crate) number: u32,
    /// Number of the source line with which the logical line ends, from 1.
    pub(crate) last: u32,
    pub(crate) kind: LineKind,
    /// Words of the source line: names, numbers and signs; a quoted text is one word. The name of a
    /// directive, such as `ifdef`, is left out.
    pub(crate) words: Vec<String>,
    /// Names of the parameters of a macro that the source line defines.
    pub(crate) parameters: Vec<String>,
    /// Path of the file that an `#include` line names; empty for other lines.
    pub(crate) path: String,
}

/// Kind of a source line for the preprocessor: code, or one of the directives.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum LineKind {
    Code,
    Define,
    Undefine,
    /// An `#if`, `#ifdef` or `#ifndef`.
    If,
    /// An `#elif`, `#elifdef` or `#elifndef`.
    ElseIf,
    Else,
    EndIf,
    Include,
    /// A pragma, an `#error`, or another directive that does not decide which code is compiled.
    Other,
}

impl SourceLine {
    /// Returns the names (identifiers) in the source line; in a macro definition, those in the
    /// macro's body without its parameters.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let skipped = usize::from(self.kind == LineKind::Define);
        let names =
            self.words.iter().skip(skipped).map(String::as_str).filter(|word| is_name(word));
        names.filter(|name| !self.parameters.iter().any(|parameter| parameter == name))
    }
}

/// Returns whether a word is a name (identifier): it begins with a letter or an underscore.
pub(crate) fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

/// Returns the logical lines of an OpenCL C source, as the preprocessor sees them.
pub(crate) fn lines(source: &str) -> Vec<SourceLine> {
    let mut all = Vec::new();
    let (mut text, mut number, mut begun) = (String::new(), 1, 1);
    let mut rest = source;
    while let Some(letter) = rest.chars().next() {
        let splice = ["\\\n", "\\\r\n"].into_iter().find(|end| rest.starts_with(end));
        let (length, kept) = if let Some(splice) = splice {
            (splice.len(), "")
        } else if let Some(comment) = rest.strip_prefix("/*") {
            (comment.find("*/").map_or(rest.len(), |end| end + 4), " ")
        } else if rest.starts_with("//") {
            (comment(rest), "")
        } else if letter == '"' || letter == '\'' {
            let length = quoted(rest);
            (length, &rest[..length])
        } else {
            (letter.len_utf8(), &rest[..letter.len_utf8()])
        };
        number += u32::try_from(rest[..length].matches('\n').count()).unwrap_or(0);
        rest = &rest[length..];
        if kept == "\n" {
            all.extend(line(&std::mem::take(&mut text), (begun, number - 1)));
            begun = number;
        } else {
            text.push_str(kept);
        }
    }
    all.extend(line(&text, (begun, number)));
    all
}

/// Returns the number of bytes of the `//` comment with which `rest` begins, up to the end of its
/// line in the source; a line that ends with a backslash goes on in the next one.
fn comment(rest: &str) -> usize {
    let mut from = 0;
    while let Some(end) = rest[from..].find('\n') {
        if !rest[from..from + end].trim_end_matches('\r').ends_with('\\') {
            return from + end;
        }
        from += end + 1;
    }
    rest.len()
}

/// Returns the number of bytes of the quoted text with which `rest` begins; a quotation ends at the
/// end of its line at the latest.
fn quoted(rest: &str) -> usize {
    let quote = rest.chars().next();
    let mut escaped = false;
    for (at, letter) in rest.char_indices().skip(1) {
        match letter {
            '\n' => return at,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if Some(letter) == quote => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

fn line(text: &str, (number, last): (u32, u32)) -> Option<SourceLine> {
    let text = text.trim();
    let code = |words| SourceLine {
        number,
        last,
        kind: LineKind::Code,
        words,
        parameters: Vec::new(),
        path: String::new(),
    };
    let Some(directive) = text.strip_prefix('#').or_else(|| text.strip_prefix("%:")) else {
        return (!text.is_empty()).then(|| code(words(text)));
    };
    let directive = directive.trim_start();
    let end = directive.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(directive.len());
    let (name, rest) = directive.split_at(end);
    let mut line = code(words(rest));
    line.kind = match name {
        "define" => LineKind::Define,
        "undef" => LineKind::Undefine,
        "if" => LineKind::If,
        "elif" => LineKind::ElseIf,
        "else" => LineKind::Else,
        "endif" => LineKind::EndIf,
        "include" | "include_next" | "import" => LineKind::Include,
        _ => LineKind::Other,
    };
    // The other forms, as conditions.
    for (form, kind) in [("ifdef", LineKind::If), ("elifdef", LineKind::ElseIf)] {
        let negated = form.replace("def", "ndef");
        if name == form || name == negated {
            line.kind = kind;
            line.words.insert(0, "defined".to_owned());
            if name == negated {
                line.words.insert(0, "!".to_owned());
            }
        }
    }
    if line.kind == LineKind::Include {
        line.path = rest.trim().trim_matches(['"', '<', '>']).to_owned();
    }
    // A macro has parameters if the bracket follows its name at once.
    let behind =
        rest.trim_start().trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    if line.kind == LineKind::Define && behind.starts_with('(') {
        let close = line.words.iter().position(|word| word == ")").unwrap_or(line.words.len() - 1);
        let list = line.words.drain(1..=close).filter(|word| is_name(word)).collect();
        line.parameters = list;
    }
    Some(line)
}

fn words(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let length = if letter.is_ascii_digit() {
            rest.find(|c: char| !word(c) && c != '.').unwrap_or(rest.len())
        } else if word(letter) {
            rest.find(|c: char| !word(c)).unwrap_or(rest.len())
        } else if letter == '"' || letter == '\'' {
            quoted(rest)
        } else {
            letter.len_utf8()
        };
        if !letter.is_whitespace() {
            all.push(rest[..length].to_owned());
        }
        rest = &rest[length..];
    }
    all
}
