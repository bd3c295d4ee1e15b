//! Does a dispatch run in order with its stream or with its hardware queue? (See `rocprof.rs`.)

use std::collections::{BTreeMap, BTreeSet};

use super::CLOCK_NS;
use crate::assemble::Interner;
use crate::profile::{Op, StreamLabel};
use crate::report::{ImportReport, Quirk};

/// Process, hardware queue and stream of a dispatch, as the file describes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct QueuePlace {
    /// Index of the process in the file, from 0.
    pub(super) process: u32,
    pub(super) queue: u64,
    /// Number of the stream; `None` where the file has none.
    pub(super) stream: Option<u64>,
}

/// Lanes of a file, in which ops run in order: streams, or hardware queues where the file does not
/// tell streams apart.
#[derive(Debug)]
pub(super) struct RocprofLanes {
    told: bool,
    numbers: BTreeMap<(u32, u64), u32>,
    labels: Interner<StreamLabel>,
}

impl RocprofLanes {
    /// Decides whether streams or hardware queues are the lanes (in which ops run in order).
    /// `places` has the process, queue and stream of every dispatch that is kept.
    pub(super) fn decide(
        places: impl Iterator<Item = QueuePlace>,
        report: &mut ImportReport,
    ) -> Self {
        let mut distinct = BTreeSet::new();
        let (mut last, mut dispatches) = (None, 0u64);
        for place in places {
            dispatches += 1;
            // Runs of equal places are long.
            if last.replace(place) != Some(place) {
                distinct.insert(place);
            }
        }
        let told = are_told(&distinct);
        if told {
            report.add(Quirk::SharedQueue, sharing(&distinct));
        } else {
            report.add(Quirk::QueueAsStream, dispatches);
        }
        Self { told, numbers: BTreeMap::new(), labels: Interner::default() }
    }

    /// Returns the index of the lane (stream or hardware queue) of a dispatch, adding the lane if
    /// it is new.
    pub(super) fn of(&mut self, place: QueuePlace) -> u32 {
        let number = match place.stream {
            Some(stream) if self.told => stream,
            _ => place.queue,
        };
        let labels = &mut self.labels;
        *self.numbers.entry((place.process, number)).or_insert_with(|| {
            labels
                .number(&StreamLabel { label: number.to_string(), context: context(place.process) })
        })
    }

    /// Returns the index of the lane of a copy (ops run in order within a lane). It is the lane of
    /// `stream`. If that is `None`, or the file does not tell streams apart, all copies of this
    /// kind in the process share one lane.
    pub(super) fn of_copy(&mut self, process: u32, stream: Option<u64>, kind: &str) -> u32 {
        match stream {
            Some(_) if self.told => self.of(QueuePlace { process, queue: 0, stream }),
            _ => {
                let label = kind.to_owned();
                self.labels.number(&StreamLabel { label, context: context(process) })
            }
        }
    }

    /// Returns the labels of all lanes (streams or hardware queues), by the index of the lane.
    pub(super) fn into_labels(self) -> Vec<StreamLabel> {
        self.labels.into_items()
    }
}

/// Returns the number that distinguishes the streams of several processes, as the context of a
/// stream: `None` for the first process, else the index of the process.
fn context(process: u32) -> Option<u64> {
    (process > 0).then_some(u64::from(process))
}

/// Returns whether the file tells streams apart. It does not if a dispatch has no stream number,
/// nor if all stream numbers are 0 although several queues were used.
fn are_told(places: &BTreeSet<QueuePlace>) -> bool {
    let numbered = places.iter().all(|place| place.stream.is_some());
    let followed = places.iter().any(|place| place.stream.is_some_and(|stream| stream != 0));
    // In the order of the set, the queues of a process lie side by side.
    let neighbours = places.iter().zip(places.iter().skip(1));
    let mut queues = neighbours.map(|(a, b)| a.process == b.process && a.queue != b.queue);
    let several = queues.any(|differ| differ);
    numbered && (followed || !several)
}

/// Counts the streams that share a hardware queue with another stream.
fn sharing(places: &BTreeSet<QueuePlace>) -> u64 {
    let mut of_queue: BTreeMap<(u32, u64), BTreeSet<u64>> = BTreeMap::new();
    for place in places {
        let streams = of_queue.entry((place.process, place.queue)).or_default();
        streams.extend(place.stream);
    }
    let shared: BTreeSet<(u32, u64)> = of_queue
        .iter()
        .filter(|(_, streams)| streams.len() > 1)
        .flat_map(|(&(process, _), streams)| streams.iter().map(move |&stream| (process, stream)))
        .collect();
    shared.len() as u64
}

/// Counts the ops that overlap the op before them in their stream or queue by no more than
/// [`CLOCK_NS`], the possible error of the clock.
pub(super) fn jitter(ops: &[Op]) -> u64 {
    let mut order: Vec<(u32, u64, u64)> =
        ops.iter().map(|op| (op.stream, op.start_ns, op.end_ns())).collect();
    order.sort_unstable();
    let (mut lane, mut last_end) = (None, 0);
    let mut met = 0;
    for (stream, start, end) in order {
        if lane.replace(stream) != Some(stream) {
            last_end = 0;
        }
        met += u64::from(start < last_end && last_end - start <= CLOCK_NS);
        last_end = last_end.max(end);
    }
    met
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(queue: u64, stream: Option<u64>) -> QueuePlace {
        QueuePlace { process: 0, queue, stream }
    }

    fn decide(places: &[QueuePlace]) -> (Vec<u32>, Vec<String>, ImportReport) {
        let mut report = ImportReport::default();
        let mut lanes = RocprofLanes::decide(places.iter().copied(), &mut report);
        let numbers = places.iter().map(|&place| lanes.of(place)).collect();
        let labels = lanes.into_labels().into_iter().map(|label| label.label).collect();
        (numbers, labels, report)
    }

    #[test]
    fn streams_are_lanes_whatever_queue_they_are_on() {
        let places = [place(1, Some(5)), place(2, Some(5)), place(1, Some(6)), place(3, Some(0))];
        let (numbers, labels, report) = decide(&places);
        assert_eq!((numbers, labels), (vec![0, 0, 1, 2], ["5", "6", "0"].map(String::from).into()));
        assert_eq!(report.count(Quirk::SharedQueue), 2);
        assert_eq!(report.count(Quirk::QueueAsStream), 0);
    }

    #[test]
    fn queues_are_lanes_where_streams_are_not_followed() {
        let zeros = [place(1, Some(0)), place(2, Some(0)), place(1, Some(0))];
        let (numbers, labels, report) = decide(&zeros);
        assert_eq!((numbers, labels), (vec![0, 1, 0], ["1", "2"].map(String::from).into()));
        assert_eq!(report.count(Quirk::QueueAsStream), 3);
        let none = [place(4, None), place(7, None)];
        assert_eq!(decide(&none).1, ["4", "7"]);
        // One queue and stream 0: the default stream.
        let (_, labels, report) = decide(&[place(9, Some(0))]);
        assert_eq!((labels, report.count(Quirk::QueueAsStream)), (vec!["0".to_owned()], 0));
    }

    #[test]
    fn processes_and_copies_have_lanes_of_their_own() {
        let mut report = ImportReport::default();
        let second = QueuePlace { process: 1, ..place(1, Some(5)) };
        let mut lanes = RocprofLanes::decide([place(1, Some(5)), second].into_iter(), &mut report);
        assert_eq!((lanes.of(place(1, Some(5))), lanes.of(second)), (0, 1));
        assert_eq!(lanes.of_copy(1, Some(5), "H2D"), 1);
        assert_eq!(lanes.of_copy(0, None, "H2D"), 2);
        let contexts: Vec<_> = lanes.into_labels().iter().map(|label| label.context).collect();
        assert_eq!(contexts, [None, Some(1), None]);
        let mut lanes = RocprofLanes::decide([place(1, None)].into_iter(), &mut report);
        assert_eq!((lanes.of(place(1, None)), lanes.of_copy(0, Some(3), "D2H")), (0, 1));
    }
}
