//! What are the words and signs of a source in OpenCL C?

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Token<'s> {
    pub(super) text: &'s str,
    /// Byte offset in the source at which the token begins.
    pub(super) at: usize,
}

impl Token<'_> {
    pub(super) fn end(self) -> usize {
        self.at + self.text.len()
    }
}

/// Returns the tokens (words and signs) of an OpenCL C source; comments, literals and preprocessor
/// lines are left out.
pub(super) fn tokens(source: &str) -> Vec<Token<'_>> {
    let bytes = source.as_bytes();
    let (mut tokens, mut at, mut line_start) = (Vec::new(), 0, true);
    while at < bytes.len() {
        let rest = &source[at..];
        let byte = bytes[at];
        let (length, kept) = if byte == b'\n' {
            line_start = true;
            at += 1;
            continue;
        } else if byte.is_ascii_whitespace() {
            at += 1;
            continue;
        } else if rest.starts_with("//") {
            (logical_line(rest), false)
        } else if let Some(comment) = rest.strip_prefix("/*") {
            (comment.find("*/").map_or(rest.len(), |end| end + 4), false)
        } else if byte == b'#' && line_start {
            (logical_line(rest), false)
        } else if byte == b'"' || byte == b'\'' {
            (literal(rest.as_bytes()), false)
        } else if byte.is_ascii_alphabetic() || byte == b'_' {
            (
                rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len()),
                true,
            )
        } else {
            (rest.chars().next().map_or(1, char::len_utf8), true)
        };
        if kept {
            tokens.push(Token { text: &rest[..length], at });
        }
        line_start &= rest.starts_with("/*");
        at += length;
    }
    tokens
}

/// Returns the number of bytes from the start of `rest` to the end of its first line; a line end
/// behind a backslash does not count.
pub(super) fn logical_line(rest: &str) -> usize {
    let mut from = 0;
    while let Some(end) = rest[from..].find('\n') {
        let line = rest[from..from + end].trim_end_matches('\r');
        if !line.ends_with('\\') {
            return from + end;
        }
        from += end + 1;
    }
    rest.len()
}

fn literal(rest: &[u8]) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 1,
            byte if byte == rest[0] => return at + 1,
            b'\n' => return at,
            _ => {}
        }
        at += 1;
    }
    rest.len()
}

pub(super) fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

/// Returns the index of the token behind the closing bracket that matches the opening one at the
/// index `open`; `opens` and `closes` are the two signs of the bracket. `None` where it is not
/// closed.
pub(super) fn behind(
    tokens: &[Token<'_>],
    open: usize,
    (opens, closes): (&str, &str),
) -> Option<usize> {
    let mut depth = 0_u32;
    for (index, token) in tokens.iter().enumerate().skip(open) {
        match token.text {
            sign if sign == opens => depth += 1,
            sign if sign == closes => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(index + 1);
                }
            }
            _ if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

/// Returns the index of the token behind the parenthesis that closes the one at the index `open`;
/// `None` where it is not closed.
pub(super) fn behind_brackets(tokens: &[Token<'_>], open: usize) -> Option<usize> {
    behind(tokens, open, ("(", ")"))
}
