//! Which parts of a log line need not be written, since they follow from the lines before it?
//!
//! A log with such lines is short. Its writer and its reader keep equal memories:
//!
//! - a line without `"t"` has the tick and step (number of the decision) of the line before it;
//!   `"d"` has the ticks since that line, and begins the next step;
//! - `"runs"` of a start are its `"pieces"`, their workgroups counted from the one behind the
//!   highest of the launch that has started, or from 0 where all that started have ended;
//! - waves that end without `"pieces"` are those of the launch that have run longest: all that
//!   started in one tick, with the same waves;
//! - a `wait` without `"refusals"` has the refusals of the last `wait`.

use std::collections::VecDeque;
use std::io::Write as _;

use raddle_policy::{LaunchId, Piece, Tick, WaveSpan};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::ByLaunch;
use crate::answer::WrittenPieces;
use crate::answer::runs::PieceRun;
use crate::line::read_span;

/// The parts of earlier lines of a log that later lines of a short log leave out.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// The tick and the number of the decision of the last line; `None` before the first line.
    last: Option<(u64, u64)>,
    launches: ByLaunch<ToldBefore>,
    /// The text, without its time, of the last answer that asks to wait. A later equal answer
    /// leaves its text out.
    wait: Vec<u8>,
}

/// The running workgroups of one launch, as earlier lines of the log tell. Workgroups that started
/// together form one batch.
#[derive(Debug, Default)]
struct ToldBefore {
    next: u64,
    started: VecDeque<Batch>,
}

/// The workgroups of a launch that started together: in one tick, with the same waves.
#[derive(Debug)]
struct Batch {
    at: u64,
    waves: WaveSpan,
    pieces: Vec<Piece>,
}

#[derive(Deserialize)]
struct ReadStart {
    launch: LaunchId,
    waves: Option<(u16, u16)>,
    cut: Option<(u16, u16)>,
    #[serde(alias = "runs")]
    pieces: Vec<PieceRun>,
}

#[derive(Deserialize)]
struct ReadEnd {
    launch: LaunchId,
    waves: Option<(u16, u16)>,
    cut: Option<(u16, u16)>,
    pieces: Option<Vec<PieceRun>>,
}

impl Memory {
    /// Writes the beginning of a line of a short log into `text`. A line at the tick and step
    /// (number of the decision) of the last line has neither; a line of the next step has the ticks
    /// since the last line; any other line has its tick and step.
    pub(super) fn begin(&mut self, t: Tick, step: u64, text: &mut Vec<u8>) {
        let begun = match self.last.replace((t.0, step)) {
            Some((at, before)) if (at, before) == (t.0, step) => write!(text, "{{"),
            Some((at, before)) if t.0 >= at && before.checked_add(1) == Some(step) => {
                write!(text, "{{\"d\":{},", t.0 - at)
            }
            _ => write!(text, "{{\"t\":{},\"step\":{step},", t.0),
        };
        begun.expect("memory takes whatever is written");
    }

    /// Records a start of workgroups. Returns the number from which a short log counts the
    /// workgroups of this start: one more than the highest of the launch that has started before;
    /// `None` where this start has a lower workgroup.
    pub(super) fn started(
        &mut self,
        id: LaunchId,
        waves: WaveSpan,
        pieces: &[Piece],
    ) -> Option<u64> {
        let at = self.last.map_or(0, |(at, _)| at);
        let told = self.launches.or_insert_with(id, ToldBefore::default);
        let from = told.next;
        let ends = pieces.iter().map(|piece| {
            let last = u64::from(piece.count.saturating_sub(1)) * u64::from(piece.stride);
            piece.first.saturating_add(last).saturating_add(1)
        });
        told.next = told.next.max(ends.max().unwrap_or(0));
        match told.started.back_mut() {
            Some(batch) if (batch.at, batch.waves) == (at, waves) => {
                batch.pieces.extend_from_slice(pieces);
            }
            _ => told.started.push_back(Batch { at, waves, pieces: pieces.to_vec() }),
        }
        pieces.iter().all(|piece| piece.first >= from).then_some(from)
    }

    /// Records an end of waves. Returns whether exactly the oldest batch of the launch ends
    /// (workgroups that started together); the line of a short log then leaves the workgroups out.
    pub(super) fn ended(&mut self, id: LaunchId, waves: WaveSpan, pieces: &[Piece]) -> bool {
        let first = self.launches.get(id).and_then(|told| told.started.front());
        let follows = first.is_some_and(|batch| batch.waves == waves && batch.pieces == pieces);
        self.drop_first(id, follows);
        follows
    }

    /// Removes and returns the oldest batch of a launch (workgroups that started together); `None`
    /// where there is none. If `first` is false, other workgroups than the oldest batch have ended,
    /// and all batches of the launch are removed.
    fn drop_first(&mut self, id: LaunchId, first: bool) -> Option<Batch> {
        let told = self.launches.get_mut(id)?;
        let batch = told.started.pop_front();
        if !first || told.started.is_empty() {
            self.launches.remove(id);
        }
        batch
    }

    /// Records the text of an answer to wait. Returns whether it equals that of the last such
    /// answer.
    pub(super) fn waits(&mut self, said: &[u8]) -> bool {
        let same = self.wait == said;
        if !same {
            self.wait.clear();
            self.wait.extend_from_slice(said);
        }
        same
    }

    /// Returns a line of a short log with the parts filled in that it leaves out; `None` where such
    /// a part does not follow from earlier lines.
    pub(super) fn spell_out(&mut self, line: &str) -> Option<String> {
        let said = if let Some(rest) = line.strip_prefix("{\"t\":") {
            let (t, rest) = number(rest)?;
            let (step, rest) = number(rest.strip_prefix(",\"step\":")?)?;
            self.last = Some((t, step));
            rest.strip_prefix(',')?
        } else if let Some(rest) = line.strip_prefix("{\"d\":") {
            let (since, rest) = number(rest)?;
            let (t, step) = self.last?;
            self.last = Some((t.checked_add(since)?, step.checked_add(1)?));
            rest.strip_prefix(',')?
        } else {
            line.strip_prefix('{')?
        };
        let (t, step) = self.last?;
        let begun = format!("{{\"t\":{t},\"step\":{step},");
        let said = if said.starts_with("\"answer\":\"start\"") {
            self.spell_start(said)?
        } else if said.starts_with("\"event\":\"waves-ended\"") {
            self.spell_end(said)?
        } else if said == "\"answer\":\"wait\"}" {
            String::from_utf8(self.wait.clone()).ok().filter(|said| !said.is_empty())?
        } else {
            if said.starts_with("\"answer\":\"wait\"") {
                self.waits(said.as_bytes());
            }
            said.to_owned()
        };
        Some(begun + &said)
    }

    fn spell_start(&mut self, said: &str) -> Option<String> {
        let short = said.find("\"runs\":");
        let Some(ReadStart { launch, waves, cut, pieces: written }) = read(said) else {
            // A start that names no workgroups, or that the reader of the line will refuse, stays.
            return short.is_none().then(|| said.to_owned());
        };
        let from = self.launches.get(launch).map_or(0, |told| told.next);
        let from = if short.is_some() { from } else { 0 };
        let pieces: Option<Vec<Piece>> = written
            .iter()
            .flat_map(|run| run.expand())
            .map(|piece| Some(Piece { first: piece.first.checked_add(from)?, ..piece }))
            .collect();
        let pieces = pieces?;
        self.started(launch, read_span(waves, cut)?, &pieces);
        let Some(at) = short else { return Some(said.to_owned()) };
        let (before, rest) = said.split_at(at);
        let end = if written.is_empty() { rest.find(']')? + 1 } else { rest.find("]]")? + 2 };
        Some(format!("{before}\"pieces\":{}{}", WrittenPieces::text(&pieces), &rest[end..]))
    }

    fn spell_end(&mut self, said: &str) -> Option<String> {
        let ReadEnd { launch, waves, cut, pieces } = read(said)?;
        if let Some(written) = pieces {
            let pieces: Vec<Piece> = written.iter().flat_map(|run| run.expand()).collect();
            self.ended(launch, read_span(waves, cut)?, &pieces);
            return Some(said.to_owned());
        }
        let Batch { waves, pieces, .. } = self.drop_first(launch, true)?;
        let span = match waves {
            WaveSpan::All => String::new(),
            WaveSpan::Range { first, count } => format!(",\"waves\":[{first},{count}]"),
            WaveSpan::Cut { first, count } => format!(",\"cut\":[{first},{count}]"),
        };
        let pieces = WrittenPieces::text(&pieces);
        Some(format!("{}{span},\"pieces\":{pieces}}}", said.strip_suffix('}')?))
    }
}

/// Parses a line of a log, given without its opening brace and its time, as JSON of the type `T`;
/// `None` where it is not.
fn read<T: DeserializeOwned>(said: &str) -> Option<T> {
    serde_json::from_str(&format!("{{{said}")).ok()
}

/// Splits a text into (number at its beginning, remaining text); `None` where it does not begin
/// with a number.
fn number(text: &str) -> Option<(u64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit())?;
    let (digits, rest) = text.split_at(end);
    Some((digits.parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use raddle_policy::{CuId, Event, Refusal, Resource};
    use raddle_testkit::Sink;

    use super::*;
    use crate::answer::LoggedAnswer;
    use crate::log::{Detail, LogHeader, LogWriter, spelled_out};

    fn writers(detail: Detail) -> [(Sink, LogWriter); 2] {
        let header = LogHeader::new(crate::Recipe::default(), "any", raddle_testkit::SMALL_CU, 9);
        let header = header.with_detail(detail);
        let sinks = [Sink::default(), Sink::default()];
        let [short, full] = sinks.clone().map(|sink| Box::new(sink) as Box<_>);
        let [one, two] = sinks;
        [(one, header.short_writer(short)), (two, header.writer(full))]
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_is_left_out_comes_back(
            full in any::<bool>(),
            steps in prop::collection::vec((0u64..3, 0u32..3, 0u64..6, 0u64..9), 1..120),
        ) {
            let mut writers = writers(if full { Detail::Full } else { Detail::Answers });
            // The workgroups that have started and not ended, in order; not all end in this order.
            let mut running: Vec<(LaunchId, WaveSpan, Vec<Piece>)> = Vec::new();
            let (mut t, mut step, mut next) = (Tick(0), 0, [0u64; 3]);
            for (span, id, what, code) in steps {
                t = t + raddle_policy::Ticks(span);
                step += span;
                let id = LaunchId(id);
                let waves = match code % 4 {
                    0 => WaveSpan::Range { first: 0, count: 1 },
                    1 => WaveSpan::Cut { first: code as u16, count: 2 },
                    _ => WaveSpan::All,
                };
                let first = &mut next[id.index()];
                let piece = |first, cu| Piece { first, stride: 2, count: 1 + code as u32, cu };
                let pieces = [piece(*first, CuId(1)), piece(*first + 1, CuId(2))];
                let launch = raddle_testkit::launch(id.0).build();
                let at = running.iter().position(|it| it.0 == id);
                // In most steps the first batch of the launch ends, in some steps another one.
                let ended = at.map(|at| running[if code == 0 { running.len() - 1 } else { at }].clone());
                for (_, log) in &mut writers {
                    match (what, &ended) {
                        (0 | 1, _) => log.start(t, step, &launch, waves, &pieces, &[]),
                        (2 | 3, Some((id, waves, pieces))) => {
                            let (launch, waves) = (*id, *waves);
                            log.event(t, step, &Event::WavesEnded { launch, waves, pieces });
                        }
                        (4, _) => log.event(t, step, &Event::LaunchReady { launch }),
                        _ => {
                            let (wanted, available) = (1 + code % 2, 0);
                            let resource = Resource::Waves;
                            let refusals =
                                &[Refusal { launch: id, cu: None, resource, wanted, available }];
                            log.answer(t, step, LoggedAnswer::Wait { refusals, retry_at: None });
                        }
                    }
                }
                match (what, ended) {
                    (0 | 1, _) => {
                        *first = if code == 8 { 0 } else { *first + code };
                        match running.last_mut() {
                            // Workgroups that start in one tick end together.
                            Some(last) if span == 0 && (last.0, last.1) == (id, waves) => {
                                last.2.extend(pieces);
                            }
                            _ => running.push((id, waves, pieces.to_vec())),
                        }
                    }
                    (2 | 3, Some(ended)) => running.retain(|it| *it != ended),
                    _ => {}
                }
            }
            let [short, spelled] = writers.map(|(sink, mut log)| {
                log.finish().expect("a sink takes everything");
                sink.text()
            });
            let again: Result<Vec<String>, _> = spelled_out(short.as_bytes()).collect();
            prop_assert_eq!(again.expect("it follows"), spelled.lines().collect::<Vec<_>>());
            prop_assert!(short.len() <= spelled.len());
            // Lines that are spelled in full stay as they are.
            let same: Result<Vec<String>, _> = spelled_out(spelled.as_bytes()).collect();
            prop_assert_eq!(same.expect("it follows"), spelled.lines().collect::<Vec<_>>());
        }
    }

    #[test]
    fn what_does_not_follow_is_no_line() {
        let mut memory = Memory::default();
        for line in [
            "{\"event\":\"woke\"}",
            "{\"d\":1,\"event\":\"woke\"}",
            "{\"t\":1,\"step\":2,\"answer\":\"wait\"}",
            "{\"t\":1,\"step\":2,\"event\":\"waves-ended\",\"launch\":3}",
            "{\"t\":1,\"step\":18446744073709551616,\"event\":\"woke\"}",
            "{\"t\":x,\"event\":\"woke\"}",
            "",
        ] {
            assert_eq!(memory.spell_out(line), None, "{line}");
        }
        let start = "{\"t\":1,\"step\":2,\"answer\":\"start\",\"launch\":3,\"runs\":";
        assert!(memory.spell_out(&format!("{start}[[0,1,1,0,2]]}}")).is_some());
        assert_eq!(memory.spell_out(&format!("{start}[[18446744073709551615,1,1,0,2]]}}")), None);
    }
}
