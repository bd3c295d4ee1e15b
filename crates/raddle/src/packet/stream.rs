//! Which launches of a profile would be packets of which queue?
//!
//! No profile holds kernel objects, argument addresses or signals. A kernel's object is told from
//! others by its name. Its arguments either stay where they are (`fixed`), or are elsewhere for
//! every launch (`new`); truth lies between. The work-items of a workgroup are taken to lie along x.

use raddle_packet::{AQL_BYTES, Item, KernelDispatch};
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

/// The launches of each stream, in order; a copy or a fill keeps launches apart, and so does a
/// launch that comes `hold` nanoseconds after the first of its packet.
pub(super) fn queues(
    profile: &Profile,
    layout: &Aql,
    arguments: Arguments,
    signals: bool,
    hold: Option<u64>,
) -> Vec<Vec<Item<AQL_BYTES>>> {
    let mut queues = vec![Vec::new(); profile.streams.len()];
    let mut since: Vec<Option<u64>> = vec![None; profile.streams.len()];
    for (number, op) in (0..).zip(&profile.ops) {
        let stream = op.stream as usize;
        let (Some(queue), Some(since)) = (queues.get_mut(stream), since.get_mut(stream)) else {
            continue;
        };
        if op.kind != OpKind::Kernel {
            queue.push(Item::Barrier);
            *since = None;
            continue;
        }
        let first = *since.get_or_insert(op.arrival_ns);
        if hold.is_some_and(|hold| op.arrival_ns.saturating_sub(first) > hold) {
            queue.push(Item::Barrier);
            *since = Some(op.arrival_ns);
        }
        // Every value is as wide as its field.
        if let Ok(launch) = fields(op, number, arguments, signals).launch(layout) {
            queue.push(Item::Launch(launch));
        }
    }
    queues
}

fn fields(op: &Op, number: u64, arguments: Arguments, signals: bool) -> KernelDispatch {
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
        kernarg_address: match arguments {
            Arguments::Fixed => 0x2_0000_0000 + 0x1000 * kernel,
            Arguments::New => 0x2_0000_0000 + 0x1000 * number,
        },
        completion_signal: if signals { 0x3_0000_0000 + 0x40 * number } else { 0 },
    }
}

#[cfg(test)]
mod tests {
    use raddle_packet::AqlOptions;
    use raddle_trace::{ImportOptions, read};

    use super::*;

    /// Where launches issued at 0, 400, 1,000 and 1,100 ns are kept apart.
    fn breaks(hold: Option<u64>) -> Vec<bool> {
        let mut text = "name,grid_x,grid_y,grid_z,block_x,block_y,block_z,start_ns,duration_ns\n\
                        k,1,1,1,32,1,1,0,10\n"
            .to_owned();
        for start in [400, 1000, 1100] {
            text += &format!("k,1,1,1,32,1,1,{start},10\n");
        }
        let mut profile = read("t.csv", text.as_bytes(), &ImportOptions::default()).unwrap();
        for op in &mut profile.ops {
            op.arrival_ns = op.start_ns;
        }
        let layout = Aql::aql(&AqlOptions::default()).unwrap();
        let queues = queues(&profile, &layout, Arguments::New, false, hold);
        assert_eq!(queues.len(), 1);
        queues[0].iter().map(|item| *item == Item::Barrier).collect()
    }

    #[test]
    fn a_launch_waits_for_others_no_longer_than_it_may() {
        assert_eq!(breaks(None), [false; 4]);
        assert_eq!(breaks(Some(1100)), [false; 4]);
        assert_eq!(breaks(Some(999)), [false, false, true, false, false]);
        assert_eq!(breaks(Some(400)), [false, false, true, false, false]);
        assert_eq!(breaks(Some(399)), [false, true, false, true, false, false]);
    }
}
