//! How are the results of a comparison named?

/// Returns the label of the result with the index `position` in a comparison: A, B, ..., Z, then
/// R27, R28 and so on.
pub(super) fn label(position: usize) -> String {
    match u8::try_from(position) {
        Ok(n @ 0..26) => char::from(b'A' + n).to_string(),
        _ => format!("R{}", position + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_go_on_after_z() {
        assert_eq!([0, 25, 26].map(label), ["A", "Z", "R27"]);
    }
}
