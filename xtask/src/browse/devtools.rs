//! How is a page in Chromium clicked and filled in as by a person, and what errors does it report?
//!
//! Chromium is driven by the protocol of its developer tools, through a pipe that it reads as file
//! descriptor 3 and writes as 4. A shell opens these descriptors.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use std::{fs, thread};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::chromium::FLAGS;

/// Longest time to wait for an answer of Chromium to one call.
const PATIENCE: Duration = Duration::from_secs(180);

/// Page in a Chromium without a window, driven by the protocol of its developer tools.
#[derive(Debug)]
pub(crate) struct Devtools {
    child: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    session: Option<String>,
    sent: u64,
    /// Addresses (URLs) that the page requested. `complaints` are messages on the page's console.
    pub(crate) asked: Vec<String>,
    pub(crate) complaints: Vec<String>,
    _profile: TempDir,
}

impl Devtools {
    /// Starts Chromium with an empty page.
    ///
    /// # Errors
    /// When Chromium cannot be started.
    pub(crate) fn start(program: &Path) -> Result<Self> {
        let profile = tempfile::tempdir()?;
        let mut child = Command::new("sh")
            .args(["-c", r#"exec "$0" "$@" 3<&0 4>&1 0</dev/null 1>&2"#])
            .arg(program)
            .args(FLAGS)
            .arg("--remote-debugging-pipe")
            // Of all hosts this machine alone can be reached.
            .arg("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1")
            .arg(format!("--user-data-dir={}", profile.path().join("profile").display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(fs::File::create(profile.path().join("err"))?)
            .spawn()
            .with_context(|| format!("{} cannot be started", program.display()))?;
        let to = child.stdin.take().context("it has an input")?;
        let mut out = BufReader::new(child.stdout.take().context("it has an output")?);
        let (tell, from) = channel();
        thread::Builder::new().spawn(move || {
            let mut message = Vec::new();
            while out.read_until(0, &mut message).is_ok_and(|bytes| bytes > 0) {
                let text = message.strip_suffix(&[0]).unwrap_or(&message);
                if serde_json::from_slice(text).is_ok_and(|value| tell.send(value).is_err()) {
                    break;
                }
                message.clear();
            }
        })?;
        let mut tools = Self {
            child,
            to,
            from,
            session: None,
            sent: 0,
            asked: Vec::new(),
            complaints: Vec::new(),
            _profile: profile,
        };
        let target = tools.call("Target.createTarget", json!({ "url": "about:blank" }))?;
        let target = json!({ "targetId": target["targetId"], "flatten": true });
        let attached = tools.call("Target.attachToTarget", target)?;
        tools.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log", "Network", "DOM"] {
            tools.call(&format!("{domain}.enable"), json!({}))?;
        }
        Ok(tools)
    }

    /// Calls a method of Chromium's developer-tools protocol, and returns its result.
    ///
    /// # Errors
    /// When the method fails, or Chromium does not answer.
    pub(crate) fn call(&mut self, method: &str, params: Value) -> Result<Value> {
        self.sent += 1;
        let mut message = json!({ "id": self.sent, "method": method, "params": params });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.to.write_all(format!("{message}\0").as_bytes())?;
        self.to.flush()?;
        loop {
            let answer = self.from.recv_timeout(PATIENCE);
            let mut answer = answer.with_context(|| format!("{method} got no answer"))?;
            if answer["id"] == self.sent {
                let error = &answer["error"]["message"];
                ensure!(error.is_null(), "{method}: {error}");
                return Ok(answer["result"].take());
            }
            self.note(&answer);
        }
    }

    /// Records an event of Chromium: an address that the page requests, or a console message.
    fn note(&mut self, event: &Value) {
        let params = &event["params"];
        match event["method"].as_str() {
            Some("Network.requestWillBeSent") => {
                self.asked.extend(params["request"]["url"].as_str().map(str::to_owned));
            }
            Some("Log.entryAdded") => self
                .complaints
                .push(format!("{} {}", params["entry"]["text"], params["entry"]["url"])),
            Some("Runtime.exceptionThrown") => {
                let details = &params["exceptionDetails"];
                let text = &details["exception"]["description"];
                self.complaints.push(format!("{} {text}", details["text"]));
            }
            Some("Runtime.consoleAPICalled") => self.complaints.push(params["args"].to_string()),
            _ => {}
        }
    }

    /// Opens an address (URL) in the page, and waits until the page has been loaded.
    ///
    /// # Errors
    /// When the page cannot be loaded.
    pub(crate) fn open(&mut self, address: &str) -> Result<()> {
        let opened = self.call("Page.navigate", json!({ "url": address }))?;
        let error = &opened["errorText"];
        ensure!(error.is_null(), "{address}: {error}");
        // The scripts of the page have begun once it is whole.
        self.value(
            "new Promise((done) => document.readyState === 'complete' ? done() : addEventListener('load', () => done()))",
        )?;
        Ok(())
    }

    /// Returns the value of a JavaScript expression that is evaluated in the page. If the value is
    /// a promise, waits for its result.
    ///
    /// # Errors
    /// When the expression throws.
    pub(crate) fn value(&mut self, expression: &str) -> Result<Value> {
        let params =
            json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let mut found = self.call("Runtime.evaluate", params)?;
        let thrown = &found["exceptionDetails"];
        if !thrown.is_null() {
            bail!("`{expression}` throws: {} {}", thrown["text"], thrown["exception"]);
        }
        Ok(found["result"]["value"].take())
    }

    /// Chooses files in the page's file input (form field for files) that the CSS selector names.
    ///
    /// # Errors
    /// When the page has no such field.
    pub(crate) fn give(&mut self, selector: &str, files: &[std::path::PathBuf]) -> Result<()> {
        let root = self.call("DOM.getDocument", json!({}))?;
        let input = json!({ "nodeId": root["root"]["nodeId"], "selector": selector });
        let input = self.call("DOM.querySelector", input)?;
        let files: Vec<_> = files.iter().map(|file| file.display().to_string()).collect();
        let given = json!({ "nodeId": input["nodeId"], "files": files });
        self.call("DOM.setFileInputFiles", given)?;
        Ok(())
    }
}

impl Drop for Devtools {
    fn drop(&mut self) {
        // If Chromium has ended already, there is nothing to end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
