//! How is one line of the log spelled?

use std::fmt::Write as _;

use raddle_policy::{
    CuId, Event, How, Launch, LaunchId, Piece, Place, ProcessId, Refusal, Submission, TakeOff,
    Tick, WaveSpan,
};
use raddle_workgroup::contract::Fnv1a;

use super::runs::runs;

/// One line of JSON under construction.
#[derive(Debug)]
pub struct Line<'a>(pub(super) &'a mut String);

// Writing to a String cannot fail, so the results of `write!` are dropped.
impl Line<'_> {
    fn put(&mut self, args: std::fmt::Arguments<'_>) {
        let _ = self.0.write_fmt(args);
    }

    /// Begins a line.
    pub(super) fn begin(&mut self, now: Tick, step: u64) {
        self.0.clear();
        self.put(format_args!("{{\"t\":{now},\"step\":{step}"));
    }

    /// Ends a line.
    pub(super) fn end(&mut self) {
        self.0.push_str("}\n");
    }

    pub(super) fn event(&mut self, event: &Event<'_>) {
        match *event {
            Event::ProcessJoined { process, share } => self.put(format_args!(
                ",\"event\":\"process-joined\",\"process\":{},\"share\":{share}",
                process.0
            )),
            Event::ProcessLeft { process } => {
                self.put(format_args!(",\"event\":\"process-left\",\"process\":{}", process.0))
            }
            Event::LaunchIssued { launch } => self.launch("launch-issued", &launch),
            Event::LaunchReady { launch } => self.launch("launch-ready", &launch),
            Event::WavesEnded { launch, waves, pieces } => {
                self.put(format_args!(",\"event\":\"waves-ended\",\"launch\":{}", launch.0));
                self.waves(waves);
                self.pieces(pieces);
            }
            Event::TakenOff { launch, how, done } => self.put(format_args!(
                ",\"event\":\"taken-off\",\"launch\":{},\"how\":\"{}\",\"done\":{done}",
                launch.0,
                how.name()
            )),
            Event::Restored { launch } => {
                self.put(format_args!(",\"event\":\"restored\",\"launch\":{}", launch.0));
            }
            Event::Woke => self.0.push_str(",\"event\":\"woke\""),
            _ => self.0.push_str(",\"event\":\"unknown\""),
        }
    }

    fn launch(&mut self, event: &str, launch: &Launch) {
        // Plain integers and fixed words: serialising a Launch cannot fail.
        let json = serde_json::to_string(launch).unwrap_or_default();
        self.put(format_args!(",\"event\":\"{event}\",\"launch\":{json}"));
    }

    fn waves(&mut self, waves: WaveSpan) {
        match waves {
            WaveSpan::All => {}
            WaveSpan::Range { first, count } => {
                self.put(format_args!(",\"waves\":[{first},{count}]"));
            }
            WaveSpan::Cut { first, count } => {
                self.put(format_args!(",\"cut\":[{first},{count}]"));
            }
        }
    }

    fn pieces(&mut self, pieces: &[Piece]) {
        self.0.push_str(",\"pieces\":[");
        for (position, run) in runs(pieces).enumerate() {
            let comma = if position == 0 { "" } else { "," };
            let Piece { first, stride, count, cu } = run.piece;
            let (cu, cus) = (cu.0, run.cus);
            self.put(format_args!("{comma}[{first},{stride},{count},{cu},{cus}"));
            // A round over the device has step 1, which goes without saying.
            if run.step != 1 {
                self.put(format_args!(",{}", run.step));
            }
            self.0.push(']');
        }
        self.0.push(']');
    }

    pub(super) fn start(
        &mut self,
        launch: LaunchId,
        waves: WaveSpan,
        pieces: &[Piece],
        (places, spelled): (&[Place], bool),
    ) {
        self.put(format_args!(",\"answer\":\"start\",\"launch\":{}", launch.0));
        self.waves(waves);
        self.pieces(pieces);
        if places.is_empty() {
            return;
        }
        if !spelled {
            let Fnv1a(digest) = digest(places);
            return self.put(format_args!(",\"addresses\":\"{digest:016x}\""));
        }
        self.0.push_str(",\"places\":[");
        for (position, place) in places.iter().enumerate() {
            let comma = if position == 0 { "" } else { "," };
            let Place { simd, vgpr, sgpr, lds } = *place;
            self.put(format_args!("{comma}[{simd},{vgpr},{sgpr},{lds}]"));
        }
        self.0.push(']');
    }

    /// Who may issue, until when.
    pub fn turn(&mut self, may_issue: &[ProcessId], until: Option<Tick>) {
        self.0.push_str(",\"answer\":\"turn\",\"may-issue\":[");
        for (position, process) in may_issue.iter().enumerate() {
            let comma = if position == 0 { "" } else { "," };
            self.put(format_args!("{comma}{}", process.0));
        }
        self.0.push(']');
        if let Some(until) = until {
            self.put(format_args!(",\"until\":{until}"));
        }
    }

    /// How the work of a process leaves.
    pub fn preempt(&mut self, process: ProcessId, how: How) {
        self.put(format_args!(
            ",\"answer\":\"preempt\",\"process\":{},\"how\":\"{}\"",
            process.0,
            how.name()
        ));
    }

    /// A launch is handed to the device.
    pub fn submit(&mut self, launch: LaunchId, via: &Submission) {
        let Submission { packets, bytes, cost, cleanup } = via;
        self.put(format_args!(
            ",\"answer\":\"submit\",\"launch\":{},\"packets\":{packets},\"bytes\":{bytes},\"cost\":{cost}",
            launch.0
        ));
        if cleanup.0 > 0 {
            self.put(format_args!(",\"cleanup\":{cleanup}"));
        }
    }

    /// A workgroup is bound to a compute unit.
    pub fn assign(&mut self, launch: LaunchId, workgroup: u64, cu: CuId) {
        self.put(format_args!(
            ",\"answer\":\"assign\",\"launch\":{},\"workgroup\":{workgroup},\"cu\":{}",
            launch.0, cu.0
        ));
    }

    /// A launch is taken off.
    pub fn take_off(&mut self, launch: LaunchId, how: TakeOff) {
        self.put(format_args!(
            ",\"answer\":\"take-off\",\"launch\":{},\"how\":\"{}\"",
            launch.0,
            how.name()
        ));
    }

    /// A launch may go on.
    pub fn restore(&mut self, launch: LaunchId) {
        self.put(format_args!(",\"answer\":\"restore\",\"launch\":{}", launch.0));
    }

    /// A launch will never run.
    pub fn refuse(&mut self, refusal: &Refusal) {
        self.0.push_str(",\"answer\":\"refuse\"");
        self.refusal(refusal, ",");
    }

    /// Nothing can start now.
    pub fn wait(&mut self, refusals: &[Refusal], retry_at: Option<Tick>) {
        self.0.push_str(",\"answer\":\"wait\",\"refusals\":[");
        for (position, refusal) in refusals.iter().enumerate() {
            self.0.push_str(if position == 0 { "{" } else { ",{" });
            self.refusal(refusal, "");
            self.0.push('}');
        }
        self.0.push(']');
        if let Some(at) = retry_at {
            self.put(format_args!(",\"retry-at\":{at}"));
        }
    }

    /// A wake is asked for.
    pub fn wake(&mut self, at: Tick) {
        self.put(format_args!(",\"answer\":\"wake-at\",\"at\":{at}"));
    }

    fn refusal(&mut self, refusal: &Refusal, before: &str) {
        let Refusal { launch, cu, resource, wanted, available } = refusal;
        self.put(format_args!("{before}\"launch\":{}", launch.0));
        if let Some(cu) = cu {
            self.put(format_args!(",\"cu\":{}", cu.0));
        }
        self.put(format_args!(
            ",\"resource\":\"{resource}\",\"wanted\":{wanted},\"available\":{available}"
        ));
    }
}

/// The FNV-1a hash of addresses, so that a log tells two answers apart without spelling them.
fn digest(places: &[Place]) -> Fnv1a {
    let mut hash = Fnv1a::default();
    for Place { simd, vgpr, sgpr, lds } in places {
        hash.update(&[*simd]);
        hash.update(&vgpr.to_le_bytes());
        hash.update(&sgpr.to_le_bytes());
        hash.update(&lds.to_le_bytes());
    }
    hash
}
