//! How is a file of TOML or JSON read, so that no error message quotes it?
//!
//! A user who names the wrong file learns what was expected, and in which line, but no message
//! shows what is in the file.

use raddle_read::without_content;
use serde::de::DeserializeOwned;

/// Reads a value from a text of TOML, or of JSON where the text begins with `{`.
///
/// # Errors
/// Returns the number of the line, from 1, and what was expected there.
pub(crate) fn toml_or_json<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    if text.trim_start().starts_with('{') {
        return json(text.as_bytes());
    }
    toml::from_str(text).map_err(|error: toml::de::Error| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or("");
        let line = 1 + before.matches('\n').count();
        format!("line {line}: {}", without_content(error.message()))
    })
}

/// Reads a value from a text of JSON.
///
/// # Errors
/// Returns the number of the line, from 1, and what was expected there.
pub(crate) fn json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    serde_json::from_slice(bytes).map_err(|error| {
        let told = without_content(&error.to_string());
        let message = told.rsplit_once(" at line ").map_or(&*told, |(message, _)| message);
        let what = if error.is_data() { "" } else { "it is not JSON, " };
        format!("line {}: {what}{message}", error.line())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only the errors matter")]
    struct Table {
        cus: u8,
        word: Option<bool>,
    }

    #[test]
    fn errors_say_the_line_and_what_was_expected_and_quote_nothing() {
        for text in [
            "\nsecret = 1",
            "\ncus = \"secret\"",
            "\ncus = secret",
            "\nroot:secret:0:0",
            "\n[secret]\n",
            "{\n\"secret\": 1}",
            "{\n\"cus\": \"secret\"}",
            "{\n\"cus\": secret}",
            "{\n\"cus\": \"secret, expected secret\"}",
        ] {
            let told = toml_or_json::<Table>(text).unwrap_err();
            assert!(told.starts_with("line 2: ") && !told.contains("secret"), "{text}: {told}");
        }
        let told = toml_or_json::<Table>("cus = 1\nkind = 2").unwrap_err();
        assert_eq!(told, "line 2: an unknown key, expected `cus` or `word`");
    }
}
