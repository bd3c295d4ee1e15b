//! Does raddle's application in a browser give the same answers as the command line?
//!
//! Opens the application in Chromium, gives it sample profiles as a person would, and compares its
//! report and summary.json byte for byte with those of `raddle replay`. The application is opened
//! as a file, by `raddle serve`, and as a report that can replay. Fails where the console has a
//! message, or the page uses a network.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::{env, fs};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::address;
use crate::browse::devtools::Devtools;
use crate::checkout;

/// Sample profiles in several formats, each as (file, device; empty where the file names it).
const SAMPLES: [(&str, &str); 6] = [
    ("kineto_nvidia/hta_alexnet_cuda_sync.json.gz", ""),
    ("kineto_nvidia/tracelens_b200_eager.json.gz", ""),
    ("kineto_amd/hta_mi250_minitoy_rocm6.2.json.gz", ""),
    ("derived/h100_cuda_gpu_trace.csv.gz", ""),
    ("rocprof/rocprofv1_2022_mixbench_mi200_timestamps.csv", "mi250x"),
    ("jax/tracelens_mi300_conv.xplane.pb", ""),
];
/// Sample profile (a database) that only the command line can read.
const DATABASE: &str = "nsys/nsysai_rtx3080_2kernels.sqlite.gz";
/// File names of the bundled pair of profiles, whose replay lasts long enough to be cancelled.
const LONG: [&str; 2] = ["decode.csv", "train.csv"];
/// File names of two profiles that this check makes, whose replay is short; `LOAD` are the options
/// of raddle for it, such as load and goal.
const PAIR: [&str; 2] = ["serve.csv", "train.csv"];
const LOAD: [&str; 10] = [
    "--priority",
    "serve=3",
    "--device",
    "b200",
    "--until",
    "50ms",
    "--goal",
    "serve p99 20ms",
    "--requests",
    "serve=100/s",
];

/// Script that waits until the page works no more, and returns (state of the page, its message).
const RESTS: &str = "new Promise((done) => { const look = () => document.body.dataset.state === 'busy' \
    ? setTimeout(look, 10) : done([document.body.dataset.state, $('error').textContent || $('state').textContent]); look(); })";
/// Script that enters the options `LOAD` into the fields of the page as a person would.
const ASK_PAIR: &str = "$('device').value = 'b200'; $('until').value = '50'; \
    for (const [name, value] of [['rate', '100'], ['figure', 'p99'], ['limit', '20ms'], ['priority', '3']]) { \
        const field = document.querySelector(`[name=${name}]`); \
        field.value = value; field.dispatchEvent(new Event('input', { bubbles: true })); }";

struct WebCheck {
    page: Devtools,
    raddle: PathBuf,
    folder: TempDir,
    /// Address of the page that `raddle serve` shows.
    served: String,
}

pub(super) fn run(chromium: &Path, raddle: &Path, engine: &Path) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let page = Devtools::start(chromium)?;
    let mut check = WebCheck { page, raddle: raddle.to_path_buf(), folder, served: String::new() };
    let file = check.folder.path().join("raddle.html");
    let save: [&OsStr; 5] =
        ["serve".as_ref(), "--save".as_ref(), file.as_ref(), "--wasm".as_ref(), engine.as_ref()];
    check.raddle(save)?;
    for (name, text) in PAIR.iter().zip(tables()) {
        fs::write(check.folder.path().join(name), text)?;
    }
    check.samples(&address(&file))?;
    check.pair(&address(&file))?;
    check.cancelled()?;
    check.served()?;
    check.live(engine)?;
    check.silent()
}

impl WebCheck {
    /// Runs `raddle` with the arguments `args`, and returns what it prints.
    fn raddle(&self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Result<String> {
        let done = Command::new(&self.raddle)
            .args(args)
            .current_dir(self.folder.path())
            .stderr(Stdio::piped())
            .output()?;
        // 5: no recipe meets the goals, which is an answer too.
        ensure!(
            [Some(0), Some(5)].contains(&done.status.code()),
            "raddle failed: {}",
            String::from_utf8_lossy(&done.stderr)
        );
        Ok(String::from_utf8(done.stdout)?)
    }

    /// Runs `raddle replay`, and returns (text of summary.json, text of the HTML report).
    fn native(&self, args: &[&OsStr]) -> Result<[String; 2]> {
        self.answer("replay", args)
    }

    fn answer(&self, verb: &str, args: &[&OsStr]) -> Result<[String; 2]> {
        let mut all: Vec<&OsStr> = vec![verb.as_ref()];
        all.extend(args);
        all.extend(["--timeline", "none", "--out", "native"].map(OsStr::new));
        self.raddle(all)?;
        let file = |name: &str| fs::read_to_string(self.folder.path().join("native").join(name));
        Ok([file("summary.json")?, file("report.html")?])
    }

    /// Returns the paths of the two profiles in `PAIR`.
    fn files(&self) -> [PathBuf; 2] {
        PAIR.map(|name| self.folder.path().join(name))
    }

    /// Gives profiles to the page, and waits until it works no more. Returns (state, message) of
    /// it.
    fn give(&mut self, files: &[PathBuf]) -> Result<[String; 2]> {
        self.page.give("#file", files)?;
        self.page.value("new Promise((done) => setTimeout(done, 0))")?;
        self.rests()
    }

    fn rests(&mut self) -> Result<[String; 2]> {
        let found: Value = self.page.value(RESTS)?;
        let text = |at: usize| found[at].as_str().unwrap_or_default().to_owned();
        Ok([text(0), text(1)])
    }

    /// Replays in the page, and compares its summary and report with those of the command line,
    /// `native`; `what` names the comparison in messages.
    fn same(&mut self, what: &str, native: &[String]) -> Result<()> {
        let took = self.page.value("(window.began = performance.now(), $('go').click(), 0)");
        took?;
        self.answered(what, native)
    }

    fn answered(&mut self, what: &str, native: &[String]) -> Result<()> {
        let [state, said] = self.rests()?;
        ensure!(state == "done", "{what}: the page is {state}: {said}");
        let took = self.page.value("performance.now() - window.began")?;
        for (name, native) in ["summary", "page"].iter().zip(native) {
            let shown = self.page.value(&format!("shown.{name}"))?;
            let shown = shown.as_str().with_context(|| format!("{what}: there is no {name}"))?;
            if shown != native {
                let line = shown.lines().zip(native.lines()).find(|(one, other)| one != other);
                let (shown, native) = line.unwrap_or(("its end", "its end"));
                ensure!(false, "{what}: the {name} differs.\nbrowser: {shown}\nnative:  {native}");
            }
        }
        let ms = took.as_f64().unwrap_or_default();
        println!("ok {what}: equal to the command line, {ms:.0} ms");
        Ok(())
    }

    /// Checks that the page gives the command line's answers for samples, and refuses a database.
    fn samples(&mut self, page: &str) -> Result<()> {
        let default = || checkout::root().join("../shared/traces");
        let samples = env::var_os("RADDLE_SAMPLES").map_or_else(default, PathBuf::from);
        if !samples.is_dir() {
            ensure!(
                env::var_os("RADDLE_REQUIRE_SAMPLES").is_none(),
                "there are no samples in {}",
                samples.display()
            );
            println!("skipped: there are no samples in {}", samples.display());
            return Ok(());
        }
        let samples = fs::canonicalize(samples)?;
        for (name, device) in SAMPLES {
            let file = samples.join(name);
            let more = ["--device", device].map(OsStr::new);
            let more = if device.is_empty() { &[][..] } else { &more };
            let native = self.native(&[&[file.as_ref()], more].concat())?;
            self.page.open(page)?;
            let [state, said] = self.give(&[file])?;
            ensure!(state == "ready", "{name}: {said}");
            self.page.value(&format!("$('device').value = '{device}'"))?;
            self.same(name, &native)?;
        }
        let [state, said] = self.give(&[samples.join(DATABASE)])?;
        ensure!(state == "failed" && said.contains("-f csv"), "{DATABASE}: {state}, {said}");
        let gone = self.page.value("$('answer').hidden && !document.body.className")?;
        ensure!(gone == true, "{DATABASE}: the answer before it is still there");
        println!("ok {DATABASE}: refused with the export that works");
        Ok(())
    }

    /// Checks that the page gives the command line's answer for two profiles, a load and a goal.
    fn pair(&mut self, page: &str) -> Result<()> {
        self.page.open(page)?;
        self.give_pair()?;
        let native = self.native_pair(&LOAD)?;
        self.same("two profiles, a load and a goal", &native)
    }

    fn give_pair(&mut self) -> Result<()> {
        let [state, said] = self.give(&self.files())?;
        ensure!(state == "ready", "the pair: {said}");
        self.page.value(&format!("{{ {ASK_PAIR} }}"))?;
        Ok(())
    }

    fn native_pair(&self, load: &[&str]) -> Result<[String; 2]> {
        self.answer_pair("replay", load)
    }

    fn answer_pair(&self, verb: &str, load: &[&str]) -> Result<[String; 2]> {
        let pair = self.files();
        let mut args: Vec<&OsStr> = pair.iter().map(AsRef::as_ref).collect();
        args.extend(load.iter().map(OsStr::new));
        self.answer(verb, &args)
    }

    /// Checks that a cancelled replay shows no result, and does not change that of the next replay.
    fn cancelled(&mut self) -> Result<()> {
        let native = self.page.value("shown.summary")?;
        self.page.value("($('clear').click(), 0)")?;
        let [state, said] = self.give(&LONG.map(|name| demo().join(name)))?;
        ensure!(state == "ready", "the bundled pair: {said}");
        self.page.value("{ $('device').value = 'b200'; }")?;
        let seen = self.page.value(
            "new Promise((done) => { $('go').click(); const look = () => $('state').textContent.startsWith('recipe') \
             ? done($('state').textContent) : setTimeout(look, 1); look(); })",
        )?;
        self.page.value("(shown.summary = '', $('stop').click(), 0)")?;
        let [state, said] = self.rests()?;
        ensure!(state == "ready" && said == "cancelled", "cancelled it is {state}: {said}");
        ensure!(self.page.value("shown.summary")? == "", "cancelled it shows an answer");
        self.page.value("($('clear').click(), 0)")?;
        self.give_pair()?;
        self.page.value("($('go').click(), 0)")?;
        let [state, said] = self.rests()?;
        ensure!(state == "done", "after that it is {state}: {said}");
        ensure!(self.page.value("shown.summary")? == native, "after that the answer is another");
        println!("ok cancelled at \"{}\", and asked again", seen.as_str().unwrap_or_default());
        Ok(())
    }

    /// Checks the page of `raddle serve`, for which the program itself carries out the replays.
    fn served(&mut self) -> Result<()> {
        let mut server = PageEnded(
            Command::new(&self.raddle)
                .args(["serve", "--no-open", "--format", "json"])
                .stdout(Stdio::piped())
                .spawn()?,
        );
        let out = server.0.stdout.take().context("it has an output")?;
        let mut line = String::new();
        BufReader::new(out).read_line(&mut line)?;
        let said: Value = serde_json::from_str(&line)?;
        let at = said["address"].as_str().context("it says where it is")?;
        self.page.open(at)?;
        self.give_pair()?;
        let native = self.native_pair(&LOAD)?;
        self.same("raddle serve", &native)?;
        // The page of the command line says where the files lie that set the way up.
        let [native, _] = self.answer_pair("share", &LOAD)?;
        self.page.value("{ $('ways').value = 'modes'; }")?;
        self.same("raddle serve, the ways of sharing", &[native])?;
        self.page.value("{ $('ways').value = 'asked'; }")?;
        self.phone()?;
        let native = self.native_pair(&LOAD)?;
        self.same("raddle serve, today's way again", &native)?;
        self.cancelled()?;
        self.served = at.to_owned();
        Ok(())
    }

    /// Checks that in a window as wide as a telephone's (390 pixels) the answer stands above the
    /// form, and nothing is wider than the window.
    fn phone(&mut self) -> Result<()> {
        let size = json!({ "width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": false });
        self.page.call("Emulation.setDeviceMetricsOverride", size)?;
        let found = self.page.value(
            "[$('answer').getBoundingClientRect().top < $('ask').getBoundingClientRect().top, \
             ...[...document.querySelectorAll('body *')].filter((one) => one.getBoundingClientRect().right > 390) \
             .map((one) => `${one.localName}#${one.id} is too wide`)]",
        )?;
        ensure!(found == json!([true]), "on a telephone: the answer is first, {found}");
        self.page.call("Emulation.clearDeviceMetricsOverride", json!({}))?;
        println!("ok on a telephone the answer comes first");
        Ok(())
    }

    /// Checks an HTML report that can replay: with its own load it gives the same answer as before,
    /// and with another load that of the command line.
    fn live(&mut self, engine: &Path) -> Result<()> {
        let pair = self.files();
        let mut args: Vec<&OsStr> = vec!["replay".as_ref()];
        args.extend(pair.iter().map(|file| -> &OsStr { file.as_ref() }));
        args.extend(LOAD.map(OsStr::new));
        args.extend(
            ["--timeline", "none", "--out", "live", "--live-report", "--wasm"].map(OsStr::new),
        );
        args.push(engine.as_ref());
        self.raddle(args)?;
        let folder = self.folder.path().join("live");
        let report = fs::read_to_string(folder.join("report.html"))?;
        let here = self.folder.path().display().to_string();
        ensure!(!report.contains(&here), "the report tells where the profiles were");
        self.page.open(&address(&folder.join("report.html")))?;
        let [state, said] = self.rests()?;
        ensure!(state == "ready", "the report that replays: {said}");
        let native = self.native_pair(&LOAD)?;
        ensure!(self.page.value("shown.page")? == native[1].as_str(), "it shows another report");
        self.same("a report that replays", &native)?;
        let native = self.native_pair(&[&LOAD[..9], &["serve=60/s"]].concat())?;
        self.page.value(
            "{ window.began = performance.now(); const slide = document.querySelector('[name=slide]'); slide.value = 60; \
             slide.dispatchEvent(new Event('input', { bubbles: true })); \
             new Promise((done) => setTimeout(done, 500)); }",
        )?;
        self.answered("its slider", &native)
    }

    /// Checks that the browser's console has no message, and that the page has used no network.
    fn silent(&mut self) -> Result<()> {
        let local = ["file://", "blob:", "data:", "about:", &*self.served];
        let mut asked = self.page.asked.iter();
        ensure!(self.page.asked.len() > SAMPLES.len(), "what the page asks for is not seen");
        let other = asked.find(|asked| !local.iter().any(|scheme| asked.starts_with(scheme)));
        ensure!(other.is_none(), "the page asks for {}", other.map_or("", String::as_str));
        let complaints = self.page.complaints.join("\n");
        ensure!(complaints.is_empty(), "the console says:\n{complaints}");
        println!("ok the console is empty, and nothing was asked of a network");
        Ok(())
    }
}

/// Returns the folder of the bundled pair of profiles.
fn demo() -> PathBuf {
    checkout::root().join("crates/raddle/data/demo")
}

/// Returns the text of the two profiles in `PAIR`, which are launch tables.
fn tables() -> [String; 2] {
    let kinds = [("attend", 80, 20, 20_000, 30_000), ("gemm", 640, 50, 400_000, 400_000)];
    kinds.map(|(name, grid, launches, duration, apart)| {
        let head = "name,grid_x,grid_y,grid_z,block_x,block_y,block_z,start_ns,duration_ns";
        let row = |at: u32| format!("{name},{grid},1,1,128,1,1,{},{duration}", at * apart);
        let rows: Vec<String> = (0..launches).map(row).collect();
        format!("{head}\n{}\n", rows.join("\n"))
    })
}

/// Running program that is killed when this value is dropped.
struct PageEnded(Child);

impl Drop for PageEnded {
    fn drop(&mut self) {
        // If the program has ended already, there is nothing to end.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
