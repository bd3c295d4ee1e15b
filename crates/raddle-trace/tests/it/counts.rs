//! Do importers count what an independent script counts? (`tests/counts/count.py` wrote the table.)
#![cfg(all(feature = "sqlite", feature = "xplane"))]

use crate::common::sample;
use raddle_trace::{Field, Op, OpKind, Origin};

const COUNTS: &str = include_str!("../counts/counts.tsv");

/// Returns whether the file gives the shape of the op or of its call; a shape that was taken from
/// other launches of its name does not count.
fn has_shape(op: &&Op) -> bool {
    matches!(op.provenance.of(Field::Shape), Origin::Measured | Origin::Joined)
}

#[test]
fn every_figure_to_the_digit() {
    for row in COUNTS.lines().skip(1) {
        let mut cells = row.split('\t');
        let file = cells.next().expect("a file");
        let wanted: Vec<u64> = cells.map(|cell| cell.parse().expect(row)).collect();
        let Some(profile) = sample(file) else {
            continue;
        };
        let p = profile.expect(file);
        let kernels = p.ops.iter().filter(|op| op.kind == OpKind::Kernel);
        let found = [
            p.report.kernels,
            p.report.copies,
            p.report.sets,
            p.streams.len() as u64,
            p.ops.iter().filter(has_shape).map(|op| op.workgroups).sum(),
            kernels.map(|op| op.duration_ns).sum(),
        ];
        assert_eq!(found.as_slice(), wanted, "{file}");
    }
}
