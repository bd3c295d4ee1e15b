//! How are names from outside shown in a viewer?

/// The most characters of a name: the rest of a C++ name helps nobody on a slice.
const LONGEST: usize = 200;

/// A name without control characters, not too long, never empty.
pub(super) fn label(name: &str) -> String {
    let plain = |c: char| if c.is_control() { '?' } else { c };
    let mut text: String = name.chars().map(plain).take(LONGEST).collect();
    if name.chars().nth(LONGEST).is_some() {
        text.pop();
        text.push('…');
    }
    if text.trim().is_empty() { "unnamed".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain_short_and_never_empty() {
        assert_eq!(label("gemm<float>"), "gemm<float>");
        assert_eq!(label("a\x1b[2J\nb\u{85}"), "a?[2J?b?");
        assert_eq!(label(" "), "unnamed");
        assert_eq!(label(&"ä".repeat(200)), "ä".repeat(200));
        assert_eq!(label(&"ä".repeat(201)), format!("{}…", "ä".repeat(199)));
    }
}
