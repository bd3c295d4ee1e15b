//! Which launches of a profile would be packets of which queue?
//!
//! No profile holds kernel objects, argument addresses or signals. A kernel's object is told from
//! others by its name. Its arguments either stay where they are (`fixed`), or are elsewhere for
//! every launch (`new`): bounds for arguments, and for nothing else. The work-items of a workgroup
//! are taken to lie along x.

use std::collections::BTreeMap;

use raddle_packet::{AqlFormat, KernelDispatch, LaunchImage, TableScope};
use raddle_trace::{Op, OpKind, Profile};

/// Where the arguments of a launch lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArgumentPlaces {
    /// Where those of the kernel always lie.
    Fixed,
    /// Elsewhere for every launch.
    New,
}

impl ArgumentPlaces {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::New => "new",
        }
    }
}

/// A launch, or what keeps launches before it and behind it out of one packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Item {
    Launch(LaunchImage),
    Barrier,
}

/// What makes packets of launches.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sending {
    pub(super) arguments: ArgumentPlaces,
    /// Whether every launch has a signal of its own.
    pub(super) signals: bool,
    /// Which streams share a table.
    pub(super) scope: TableScope,
}

/// What goes by one table, in order, and when each was issued, in nanoseconds.
#[derive(Clone, Debug, Default)]
pub(super) struct TableQueue {
    items: Vec<Item>,
    /// One for each item.
    issued: Vec<u64>,
}

impl TableQueue {
    fn push(&mut self, item: Item, issued: u64) {
        self.items.push(item);
        self.issued.push(issued);
    }

    /// What is sent.
    pub(super) fn items(&self) -> &[Item] {
        &self.items
    }

    /// The same, each with its time.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&Item, u64)> {
        self.items.iter().zip(self.issued.iter().copied())
    }
}

/// The queue of a table, and the stream of its open packet.
#[derive(Clone, Debug, Default)]
struct OpenTable {
    queue: TableQueue,
    open: Option<u32>,
}

/// What goes by each table, that of a stream or of the whole profile, which is taken as one
/// process: a copy or a fill keeps launches apart, and so does a launch from another stream, as a
/// packet lies in one queue.
pub(super) fn queues(profile: &Profile, layout: &AqlFormat, sending: &Sending) -> Vec<TableQueue> {
    let mut tables: BTreeMap<(u32, u32), OpenTable> = BTreeMap::new();
    for (number, op) in (0..).zip(&profile.ops) {
        let shared = tables.entry(sending.scope.table(0, op.stream)).or_default();
        let here = shared.open == Some(op.stream);
        if op.kind != OpKind::Kernel {
            // Another stream's packet stays open behind it.
            if here || shared.open.is_none() {
                shared.queue.push(Item::Barrier, op.arrival_ns);
                shared.open = None;
            }
            continue;
        }
        if !here {
            if shared.open.is_some() {
                shared.queue.push(Item::Barrier, op.arrival_ns);
            }
            shared.open = Some(op.stream);
        }
        // Every value is as wide as its field.
        if let Ok(launch) = fields(op, number, sending).launch(layout) {
            shared.queue.push(Item::Launch(launch), op.arrival_ns);
        }
    }
    tables.into_values().map(|shared| shared.queue).collect()
}

fn fields(op: &Op, number: u64, sending: &Sending) -> KernelDispatch {
    let kernel = u64::from(op.kernel);
    let threads = op.footprint.threads;
    let dimensions = match (op.grid.y > 1, op.grid.z > 1) {
        (_, true) => 3,
        (true, false) => 2,
        (false, false) => 1,
    };
    KernelDispatch {
        // Wait for what came before; whether caches are written back is in no profile.
        synch_scopes: 1,
        setup: dimensions,
        workgroup_size_x: u16::try_from(threads).unwrap_or(u16::MAX),
        workgroup_size_y: 1,
        workgroup_size_z: 1,
        grid_size_x: op.grid.x.saturating_mul(threads),
        grid_size_y: op.grid.y,
        grid_size_z: op.grid.z,
        private_segment_size: 0,
        group_segment_size: op.footprint.lds_bytes,
        kernel_object: 0x1_0000_0000 + 0x100 * kernel,
        kernarg_address: match sending.arguments {
            ArgumentPlaces::Fixed => 0x2_0000_0000 + 0x1000 * kernel,
            ArgumentPlaces::New => 0x2_0000_0000 + 0x1000 * number,
        },
        completion_signal: if sending.signals { 0x3_0000_0000 + 0x40 * number } else { 0 },
    }
}

#[cfg(test)]
mod tests {
    use raddle_packet::AqlOptions;
    use raddle_trace::{ImportOptions, read};

    use super::*;

    /// Launches of one kernel on these streams, issued at these times.
    fn profile(launches: &[(&str, u64)]) -> Profile {
        let mut text =
            "name,stream,grid_x,grid_y,grid_z,block_x,block_y,block_z,start_ns,duration_ns\n"
                .to_owned();
        for (stream, start) in launches {
            text += &format!("k,{stream},1,1,1,32,1,1,{start},10\n");
        }
        let mut profile = read("t.csv", text.as_bytes(), &ImportOptions::default()).unwrap();
        for op in &mut profile.ops {
            op.arrival_ns = op.start_ns;
        }
        profile
    }

    /// Where the items of each table keep launches apart.
    fn breaks(launches: &[(&str, u64)], scope: TableScope) -> Vec<Vec<bool>> {
        let layout = AqlFormat::new(&AqlOptions::default()).unwrap();
        let sending = Sending { arguments: ArgumentPlaces::New, signals: false, scope };
        let breaks =
            |queue: &TableQueue| queue.iter().map(|(item, _)| *item == Item::Barrier).collect();
        queues(&profile(launches), &layout, &sending).iter().map(breaks).collect()
    }

    #[test]
    fn streams_share_a_table_but_no_packet() {
        let launches = [("a", 0), ("b", 100), ("b", 200), ("a", 300)];
        assert_eq!(breaks(&launches, TableScope::Queue), [[false; 2], [false; 2]]);
        let shared = [[false, true, false, false, true, false]];
        assert_eq!(breaks(&launches, TableScope::Process), shared);
        assert_eq!(breaks(&launches, TableScope::Agent), shared);
    }
}
