//! Which launches of a profile would be packets of which queue?
//!
//! No profile holds kernel objects, argument addresses or signals. A kernel's object is told from
//! others by its name. Its arguments either stay where they are (`fixed`), or are elsewhere for
//! every launch (`new`); truth lies between. The work-items of a workgroup are taken to lie along x.

use std::collections::BTreeMap;

use raddle_packet::{AQL_BYTES, Item, KernelDispatch, Scope};
use raddle_trace::{Op, OpKind, Profile};

use crate::golden::packet::Aql;

/// Where the arguments of a launch lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arguments {
    /// Where those of the kernel always lie.
    Fixed,
    /// Elsewhere for every launch.
    New,
}

impl Arguments {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::New => "new",
        }
    }
}

/// What makes packets of launches.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sending {
    pub(super) arguments: Arguments,
    /// Whether every launch has a signal of its own.
    pub(super) signals: bool,
    /// How long a launch waits for others, in nanoseconds, if there is an end to it.
    pub(super) hold_ns: Option<u64>,
    /// Which streams share a table.
    pub(super) scope: Scope,
}

/// The launches that share a table, in order: those of a stream, or of the whole profile, which is
/// taken as one process.
#[derive(Clone, Debug, Default)]
struct Shared {
    items: Vec<Item<AQL_BYTES>>,
    /// The stream of the open packet, and when its first launch came.
    open: Option<(u32, u64)>,
}

/// What goes by each table: a copy or a fill keeps launches apart, and so does a launch that comes
/// too late for a packet, or from another stream, as a packet lies in one queue.
pub(super) fn queues(
    profile: &Profile,
    layout: &Aql,
    sending: &Sending,
) -> Vec<Vec<Item<AQL_BYTES>>> {
    let mut tables: BTreeMap<(u32, u32), Shared> = BTreeMap::new();
    for (number, op) in (0..).zip(&profile.ops) {
        let shared = tables.entry(sending.scope.table(0, op.stream)).or_default();
        let here = shared.open.filter(|(stream, _)| *stream == op.stream);
        if op.kind != OpKind::Kernel {
            // Another stream's packet stays open behind it.
            if here.is_some() || shared.open.is_none() {
                shared.items.push(Item::Barrier);
                shared.open = None;
            }
            continue;
        }
        let late = |since: u64| {
            let waits = op.arrival_ns.saturating_sub(since);
            sending.hold_ns.is_some_and(|hold| waits > hold)
        };
        match here {
            Some((_, since)) if !late(since) => {}
            _ => {
                if shared.open.is_some() {
                    shared.items.push(Item::Barrier);
                }
                shared.open = Some((op.stream, op.arrival_ns));
            }
        }
        // Every value is as wide as its field.
        if let Ok(launch) = fields(op, number, sending).launch(layout) {
            shared.items.push(Item::Launch(launch));
        }
    }
    tables.into_values().map(|shared| shared.items).collect()
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
            Arguments::Fixed => 0x2_0000_0000 + 0x1000 * kernel,
            Arguments::New => 0x2_0000_0000 + 0x1000 * number,
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
    fn breaks(launches: &[(&str, u64)], hold_ns: Option<u64>, scope: Scope) -> Vec<Vec<bool>> {
        let layout = Aql::aql(&AqlOptions::default()).unwrap();
        let sending = Sending { arguments: Arguments::New, signals: false, hold_ns, scope };
        let breaks = |items: &Vec<Item<AQL_BYTES>>| {
            items.iter().map(|item| *item == Item::Barrier).collect()
        };
        queues(&profile(launches), &layout, &sending).iter().map(breaks).collect()
    }

    #[test]
    fn a_launch_waits_for_others_no_longer_than_it_may() {
        let launches = [("a", 0), ("a", 400), ("a", 1000), ("a", 1100)];
        let breaks = |hold| breaks(&launches, hold, Scope::Queue);
        assert_eq!(breaks(None), [[false; 4]]);
        assert_eq!(breaks(Some(1100)), [[false; 4]]);
        assert_eq!(breaks(Some(999)), [[false, false, true, false, false]]);
        assert_eq!(breaks(Some(400)), [[false, false, true, false, false]]);
        assert_eq!(breaks(Some(399)), [[false, true, false, true, false, false]]);
    }

    #[test]
    fn streams_share_a_table_but_no_packet() {
        let launches = [("a", 0), ("b", 100), ("b", 200), ("a", 300)];
        assert_eq!(breaks(&launches, None, Scope::Queue), [[false; 2], [false; 2]]);
        let shared = [[false, true, false, false, true, false]];
        assert_eq!(breaks(&launches, None, Scope::Process), shared);
        assert_eq!(breaks(&launches, None, Scope::Agent), shared);
    }
}
