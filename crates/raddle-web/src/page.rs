//! How is the browser application made: one page that replays profiles in a browser?
//!
//! The page needs no other file and no network: all of its contents are in it, and its own policy
//! (`Content-Security-Policy`) forbids everything else. The engine (raddle as WebAssembly) and the
//! profiles in it are packed by gzip and written in base64. Equal parts give equal bytes.

use std::io::Write;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use flate2::Compression;
use flate2::write::GzEncoder;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use raddle_study::Study;
use serde::Serialize;

use crate::MARK;

const SCRIPT: &str = include_str!("page/app.js");
/// Hash in the page's Content-Security-Policy that allows the page's script; `cargo xtask web
/// --check` fails if it is not the hash of the script.
const SCRIPT_HASH: &str = "sha256-sb53x8ButkM0BrtnQo4ryUYVzi1J3fKzu7DLoiEc9D0=";
/// First bytes of every WebAssembly file.
const MAGIC: &[u8] = b"\0asm";

/// Engine of a web page: the instance of raddle that carries out the studies for which the page
/// asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageEngine<'e> {
    /// The engine (raddle as WebAssembly) is part of the page, as the content of its file, which
    /// [`engine`] has checked.
    InPage(&'e [u8]),
    /// The engine is a running raddle (`raddle serve`), to which the page sends studies and their
    /// files by `POST answer`.
    Served,
}

/// Reason why a file is not the engine (raddle compiled to WebAssembly) of this version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineError {
    /// The file is no WebAssembly.
    NoEngine,
    /// The file is WebAssembly, but of another program or of another version.
    OtherVersion,
}

/// Checks that a file is the engine (raddle compiled to WebAssembly) of this version.
///
/// # Errors
/// When the file is no WebAssembly, or that of another program or version.
pub fn engine(bytes: &[u8]) -> Result<PageEngine<'_>, EngineError> {
    if !bytes.starts_with(MAGIC) {
        return Err(EngineError::NoEngine);
    }
    let marked = bytes.windows(MARK.len()).any(|window| window == MARK.as_bytes());
    if marked { Ok(PageEngine::InPage(bytes)) } else { Err(EngineError::OtherVersion) }
}

/// Study, its files and its report, which a web page shows as soon as it is opened.
#[derive(Clone, Debug)]
pub struct Carried<'c> {
    /// Study whose report the page shows.
    pub study: &'c Study,
    /// Files that the study names, each as (name, content).
    pub files: &'c [(String, Vec<u8>)],
    /// Report of the study's result, as an HTML page.
    pub report: &'c str,
}

#[derive(Serialize)]
struct CarriedText<'c> {
    study: &'c Study,
    files: Vec<CarriedFile>,
    page: String,
}

#[derive(Serialize)]
struct CarriedFile {
    name: String,
    bytes: String,
}

/// Makes the application that replays profiles in a browser, as one HTML page. The page shows
/// `carried` when it is opened; with `None` it shows no study yet.
#[must_use]
pub fn page(engine: PageEngine<'_>, carried: Option<&Carried<'_>>) -> String {
    let (script, connect, stays) = match engine {
        PageEngine::InPage(_) => {
            ("'wasm-unsafe-eval' blob:", "'none'", "They stay in your browser: nothing is sent.")
        }
        PageEngine::Served => ("", "'self'", "They stay on this machine: raddle serve answers."),
    };
    let report = raddle_report::SCRIPT_HASH;
    let policy = format!(
        "default-src 'none'; style-src 'unsafe-inline'; script-src '{SCRIPT_HASH}' '{report}' {script}; worker-src blob:; img-src data:; connect-src {connect}; form-action 'none'; base-uri 'none'"
    );
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { "raddle" }
                // Without this link a browser asks the server for an icon.
                link rel="icon" href="data:,";
                style { (PreEscaped(include_str!("page/app.css"))) }
            }
            body {
                header {
                    p class="brand" { "raddle " (env!("CARGO_PKG_VERSION")) }
                    h1 { "May my inference share the training GPU?" }
                    p { "Replays GPU profiles under scheduling policies, and says which one to use." }
                }
                (form(stays))
                template id="row" { (row()) }
                p id="error" role="alert" {}
                div id="answer" hidden {
                    p {
                        a id="save-page" download="report.html" { "Save this report" } " "
                        a id="save-summary" download="summary.json" { "Save summary.json" }
                    }
                    iframe id="report" title="Report" sandbox="allow-scripts allow-downloads" {}
                }
                @if let PageEngine::InPage(bytes) = engine {
                    script id="engine" type="text/plain" { (PreEscaped(zipped(bytes))) }
                    script id="worker" type="text/plain" { (PreEscaped(include_str!("page/worker.js"))) }
                }
                @if let Some(carried) = carried {
                    script id="carried" type="application/json" { (PreEscaped(text(carried))) }
                }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string()
}

/// Makes the form in which a user asks for a replay; `stays` is the sentence that says where the
/// user's files stay.
fn form(stays: &str) -> Markup {
    html! {
        form id="ask" {
            label id="drop" {
                strong { "Drop one or two profiles here. " (stays) }
                span class="small" {
                    "Of PyTorch, JAX, Nsight Systems or rocprof, or launch tables; plain or gzip. "
                }
                input id="file" type="file" multiple aria-label="Profiles";
            }
            div id="profiles" {}
            p id="rest" class="small" {}
            p class="line" {
                label { "Device " select id="device" {
                    option value="" { "that of the first profile" }
                    @for device in raddle_device::table() { option value=(device.id) { (device.product) } }
                } }
                label { "Requests until " input id="until" type="number" min="0" step="any" placeholder="the end"; " ms" }
                label { "Compare " select id="ways" {
                    option value="asked" { "today's way with three others" }
                    option value="all" { "every bundled recipe" }
                    option value="modes" { "the device's ways of sharing" }
                } }
                button id="go" type="submit" disabled { "Replay" }
                button id="stop" type="button" hidden { "Cancel" }
                button id="clear" type="button" hidden { "Other profiles" }
                progress id="bar" aria-label="How far it is" hidden {}
                output id="state" {}
            }
        }
    }
}

/// Makes the fields of the form for one process: its requests per second, its goal and its
/// priority.
fn row() -> Markup {
    html! {
        fieldset {
            legend {}
            p class="facts" {}
            p class="line" {
                label { "Requests a second " input name="rate" type="number" min="0" step="any" placeholder="none"; }
                input name="slide" type="range" min="0" step="1" aria-label="Requests a second";
            }
            p class="line" {
                label { "Goal " select name="figure" {
                    option value="" { "none" }
                    option value="p99" { "p99 of requests" }
                    option value="p50" { "median of requests" }
                    option value="max" { "slowest request" }
                    option value="step" { "step" }
                    option value="end" { "end" }
                } }
                label { "at most " input name="limit" placeholder="20ms, +5%"; }
            }
            p class="line" {
                label { "Priority " input name="priority" type="number" min="0" max="255" placeholder="by load"; }
                span class="small" { "0 is the most urgent" }
            }
        }
    }
}

/// Writes study, files and report as JSON without any `<`, so that the text cannot end the script
/// element of the page that holds it.
fn text(carried: &Carried<'_>) -> String {
    let files = carried.files.iter();
    let files = files
        .map(|(name, bytes)| CarriedFile { name: name.clone(), bytes: zipped(bytes) })
        .collect();
    let carried =
        CarriedText { study: carried.study, files, page: zipped(carried.report.as_bytes()) };
    let text = serde_json::to_string(&carried).expect("its keys are text and nothing in it fails");
    text.replace('<', "\\u003c")
}

/// Packs bytes with gzip and writes them as base64 text.
fn zipped(bytes: &[u8]) -> String {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    let zipped = gzip.write_all(bytes).and_then(|()| gzip.finish());
    BASE64_STANDARD.encode(zipped.expect("memory takes what is written"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_engine_of_this_version_is_taken() {
        let wasm = |mark: &str| [MAGIC, mark.as_bytes(), b"..."].concat();
        assert!(engine(&wasm(MARK)).is_ok());
        assert_eq!(engine(&wasm("raddle-engine 0.0.0;")), Err(EngineError::OtherVersion));
        assert_eq!(engine(MARK.as_bytes()), Err(EngineError::NoEngine));
    }

    #[test]
    fn what_is_carried_cannot_end_its_script() {
        let study = Study { profiles: vec!["</script><b>".to_owned()], ..Study::default() };
        let files = [("</script>".to_owned(), b"x".to_vec())];
        let carried = Carried { study: &study, files: &files, report: "</script>" };
        let page = page(PageEngine::Served, Some(&carried));
        let (_, rest) =
            page.split_once(r#"<script id="carried" type="application/json">"#).unwrap();
        let (json, _) = rest.split_once("</script>").unwrap();
        let carried: serde_json::Value = serde_json::from_str(json).unwrap();
        assert_eq!(carried["study"]["profiles"][0], "</script><b>");
        assert_eq!(carried["files"][0]["name"], "</script>");
    }
}
