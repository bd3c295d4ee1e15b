//! What does Nsight Systems itself say of its recording?
//!
//! The table of diagnostics names files and processes too, so only warnings and errors are taken,
//! and paths are left out of them.

use crate::import::sqlite::database::Database;

const EVENTS: &str = "DIAGNOSTIC_EVENT";
/// The numbers of the severities "Warning" and "Error".
const SEVERE: [i64; 2] = [2, 3];
/// The most texts that are kept, and the most characters of one.
const TEXTS: usize = 4;
const LONGEST: usize = 240;
/// Words of texts about the recording of the GPU, in lower case.
const GPU: [&str; 4] = ["cuda", "cupti", "gpu", "driver"];

/// Returns the warnings and errors, each text once.
pub(super) fn severe(database: &Database) -> Vec<String> {
    found(database, |_| true)
}

/// Returns those warnings and errors that are about the recording of the GPU.
pub(super) fn about_gpu(database: &Database) -> Vec<String> {
    found(database, is_about_gpu)
}

/// Returns whether a text is about the recording of the GPU.
fn is_about_gpu(text: &str) -> bool {
    let text = text.to_lowercase();
    GPU.iter().any(|word| text.contains(word))
}

fn found(database: &Database, wanted: impl Fn(&str) -> bool) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    database.scan(EVENTS, &["severity", "text"], |row| {
        let severe = row.number(0).is_some_and(|severity| SEVERE.contains(&severity));
        if let Some(text) = row.text(1).filter(|_| severe) {
            let text = shortened(&text);
            if !text.is_empty() && wanted(&text) && !texts.contains(&text) {
                texts.push(text);
            }
        }
        texts.len() < TEXTS
    });
    texts
}

/// Returns a text in one line, without paths and without its last full stop.
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
