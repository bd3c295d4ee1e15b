//! Which warnings and errors did Nsight Systems write about its own recording?
//!
//! The table of diagnostics names files and processes too, so only warnings and errors are read,
//! and paths are removed from them.

use std::cmp::Reverse;

use crate::import::sqlite::database::Database;

const EVENTS: &str = "DIAGNOSTIC_EVENT";
/// Number of the severity "Warning" of a message; errors have larger numbers.
const WARNING: i64 = 2;
/// Largest number of messages of Nsight Systems that are stored; each may have `LONGEST`
/// characters.
const TEXTS: usize = 32;
const LONGEST: usize = 1000;
/// Words, in lower case, by which a message about the recording of the GPU is recognised; such
/// messages are listed first.
const GPU: [&str; 4] = ["cuda", "cupti", "gpu", "driver"];

/// Returns the warnings and errors that Nsight Systems wrote about its recording, each text once:
/// those about the GPU first, and errors before warnings.
pub(super) fn severe(database: &Database) -> Vec<String> {
    let mut texts: Vec<(i64, String)> = Vec::new();
    database.scan(EVENTS, &["severity", "text"], |row| {
        let severity = row.number(0).filter(|&severity| severity >= WARNING);
        if let Some((severity, text)) = severity.zip(row.text(1)) {
            let text = shortened(&text);
            if !text.is_empty() && !texts.iter().any(|(_, known)| *known == text) {
                texts.push((severity, text));
            }
        }
        texts.len() < TEXTS
    });
    texts.sort_by_key(|(severity, text)| Reverse((is_about_gpu(text), *severity)));
    texts.into_iter().map(|(_, text)| text).collect()
}

/// Returns whether a message of Nsight Systems is about the recording of the GPU.
fn is_about_gpu(text: &str) -> bool {
    let text = text.to_lowercase();
    GPU.iter().any(|word| text.contains(word))
}

/// Returns a message of Nsight Systems as one line, with paths replaced by `(path)` and without its
/// final full stop.
fn shortened(text: &str) -> String {
    let word = |word: &str| {
        let bare = word.trim_start_matches(['\'', '"', '(', '`']);
        let path = bare.starts_with('/') || bare.starts_with("~/") || bare.contains(":\\");
        if path && bare.len() > 1 { "(path)".to_owned() } else { word.to_owned() }
    };
    let words: Vec<String> = text.split_whitespace().map(word).collect();
    let text: String = words.join(" ").chars().take(LONGEST).collect();
    text.trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_lose_paths_and_lines() {
        let text = "Not all CUDA events\nmight have been collected, see '/srv/me/a b' or C:\\x.";
        let told = "Not all CUDA events might have been collected, see (path) b' or (path)";
        assert_eq!(shortened(text), told);
        assert_eq!(shortened("CPU/GPU / x."), "CPU/GPU / x");
        assert!(is_about_gpu("CUPTI_ERROR_INVALID_DEVICE") && !is_about_gpu("No NVTX events"));
    }
}
