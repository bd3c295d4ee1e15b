//! Which lanes of a vector does an access really need?
//!
//! `v[i].y = x` is compiled to a load of the whole vector, an insertion and a store of the whole.
//! The other lanes are written back as they were read, so only the inserted lanes count as written,
//! and the load counts as a read of only those lanes that other code uses. `v[i].xy = v[i].zw` is
//! compiled to a shuffle of both vectors in place of an insertion.

use std::collections::{BTreeMap, BTreeSet};

use rspirv::dr::{Function, Instruction, Operand};
use rspirv::spirv::{Op, Word};

use super::operations::is_pure;
use super::types::{Types, id_at, word};

/// Index by which a shuffle marks an element (lane) of its result that has no value.
const NO_VALUE: u32 = u32::MAX;

/// Elements (lanes) that loads and stores of whole vectors really need. A load needs only the lanes
/// that are used. A store does not need lanes that it writes back unchanged.
#[derive(Debug, Default)]
pub(crate) struct NeededLanes {
    /// Elements (lanes, from 0) of the loaded vector that the code uses, by the id of the load.
    pub(crate) loads: BTreeMap<Word, BTreeSet<u32>>,
    /// Elements (lanes, numbers from 0) of the stored vector that the store changes, by (block,
    /// index of the store instruction).
    pub(crate) stores: BTreeMap<(usize, usize), BTreeSet<u32>>,
    /// Elements (lanes) of the stored vector that have a value, by (block, index of the store
    /// instruction). Only stores of vectors with undefined lanes are listed, such as a vector of
    /// three that is stored as four.
    pub(crate) valued: BTreeMap<(usize, usize), BTreeSet<u32>>,
    /// Id of the pointer that each load reads, by the id of the load.
    from: BTreeMap<Word, Word>,
}

impl NeededLanes {
    pub(crate) fn of(function: &Function, types: &Types<'_>) -> Self {
        let vector = |id: &Word| types.type_of(*id).is_some_and(|ty| types.lanes(ty).is_some());
        let mut uses: BTreeMap<Word, Vec<(&Instruction, usize, usize)>> = BTreeMap::new();
        for (b, block) in function.blocks.iter().enumerate() {
            for (i, instruction) in block.instructions.iter().enumerate() {
                let ids = instruction.operands.iter().filter_map(Operand::id_ref_any);
                for id in ids.filter(vector) {
                    uses.entry(id).or_default().push((instruction, b, i));
                }
            }
        }
        let mut lanes = Self::default();
        let all = function.blocks.iter().flat_map(|block| &block.instructions);
        let loads = all.filter(|instruction| instruction.class.opcode == Op::Load);
        lanes.from = loads.filter_map(|load| Some((load.result_id?, id_at(load, 0)?))).collect();
        let mut shuffled: BTreeMap<Word, BTreeSet<u32>> = BTreeMap::new();
        for (b, block) in function.blocks.iter().enumerate() {
            for (i, load) in block.instructions.iter().enumerate() {
                if load.class.opcode == Op::Load
                    && let Some(id) = load.result_id.filter(vector)
                {
                    lanes.load((id, load), types, &uses, (b, i), &block.instructions);
                }
                if let (Op::VectorShuffle, Some(id)) = (load.class.opcode, load.result_id) {
                    let parts = (0_u32..).zip(2..load.operands.len());
                    let valued = parts.filter(|(_, at)| word(load, *at) != Some(NO_VALUE));
                    shuffled.insert(id, valued.map(|(lane, _)| lane).collect());
                }
                let stored = if load.class.opcode == Op::Store { id_at(load, 1) } else { None };
                if let Some(valued) = stored.and_then(|id| shuffled.get(&id)) {
                    lanes.valued.insert((b, i), valued.clone());
                }
            }
        }
        lanes
    }

    fn load(
        &mut self,
        (id, load): (Word, &Instruction),
        types: &Types<'_>,
        uses: &BTreeMap<Word, Vec<(&Instruction, usize, usize)>>,
        (b, i): (usize, usize),
        block: &[Instruction],
    ) {
        let mut looked_at = BTreeSet::new();
        let mut written_back = Vec::new();
        let stored_back = |changed: &Instruction, at: (usize, usize)| {
            let stored = uses.get(&changed.result_id?).map_or(&[][..], Vec::as_slice);
            let &[(store, store_block, store_at)] = stored else { return None };
            let back = store.class.opcode == Op::Store
                && id_at(store, 0) == id_at(load, 0)
                && id_at(store, 1) == changed.result_id
                && (at.0, store_block, store_at > at.1, at.1 > i) == (b, b, true, true)
                && calm(&block[i + 1..store_at]);
            back.then_some(store_at)
        };
        for &(user, at_block, at) in uses.get(&id).into_iter().flatten() {
            match (user.class.opcode, user.operands.len()) {
                (Op::CompositeExtract, 2) => {
                    let Some(lane) = word(user, 1) else { return };
                    looked_at.insert(lane);
                }
                (Op::VectorShuffle, _) if id_at(user, 0) != id_at(user, 1) => {
                    let Some(parts) = parts_of(user, id, types) else { return };
                    // A second load from there would write back what it has read, too.
                    let of_there = [0, 1].map(|at| id_at(user, at)).into_iter().flatten();
                    let of_there =
                        of_there.filter(|of| self.from.get(of).copied() == id_at(load, 0));
                    let back = stored_back(user, (at_block, at)).filter(|_| of_there.count() == 1);
                    for (lane, part) in (0_u32..).zip(parts) {
                        match (part, back) {
                            // Written back as it was read.
                            (Some(part), Some(_)) if part == lane => {}
                            (part, back) => {
                                looked_at.extend(part);
                                written_back.extend(back.map(|store| (store, lane)));
                            }
                        }
                    }
                }
                // The vector may be inserted into, but not be what is inserted.
                (Op::CompositeInsert, 3) if id_at(user, 0) != Some(id) => {
                    let (Some(lane), Some(store)) =
                        (word(user, 2), stored_back(user, (at_block, at)))
                    else {
                        return;
                    };
                    written_back.push((store, lane));
                }
                // Another use needs the whole vector.
                _ => return,
            }
        }
        for (store, lane) in written_back {
            self.stores.entry((b, store)).or_default().insert(lane);
        }
        self.loads.insert(id, looked_at);
    }
}

/// Returns, for each lane of a shuffle's result, which lane of the vector `id` it takes. `id` is
/// one of the shuffle's two operands; `None` stands for a lane that comes from the other one.
/// Returns `None` as a whole where a vector's size is not known.
fn parts_of(shuffle: &Instruction, id: Word, types: &Types<'_>) -> Option<Vec<Option<u32>>> {
    let first = types.lanes(types.type_of(id_at(shuffle, 0)?)?)?;
    let is_first = id_at(shuffle, 0) == Some(id);
    let parts = (2..shuffle.operands.len()).map(|at| {
        let part = word(shuffle, at)?;
        let part = if is_first {
            Some(part).filter(|part| *part < first)
        } else {
            part.checked_sub(first)
        };
        Some(part.filter(|_| word(shuffle, at) != Some(NO_VALUE)))
    });
    parts.collect()
}

/// Returns whether none of these instructions writes memory. If so, a vector that was loaded before
/// them has the same value in memory after them.
fn calm(between: &[Instruction]) -> bool {
    between.iter().all(|instruction| {
        let op = instruction.class.opcode;
        let chain = matches!(
            op,
            Op::AccessChain
                | Op::InBoundsAccessChain
                | Op::PtrAccessChain
                | Op::InBoundsPtrAccessChain
        );
        chain || is_pure(op) || matches!(op, Op::Line | Op::NoLine | Op::Load)
    })
}

#[cfg(test)]
mod tests {
    use rspirv::dr::{Builder, Module};
    use rspirv::spirv::{FunctionControl, StorageClass};

    use super::*;

    /// Builds a function that loads a vector, shuffles it, and stores the result at the same
    /// address. The second operand of the shuffle is a second load of the vector if `twice` is
    /// true, else another vector; `lanes` are the lanes of the shuffle.
    fn shuffled(twice: bool, lanes: [u32; 4]) -> Module {
        let mut b = Builder::new();
        let (void, float) = (b.type_void(), b.type_float(32, None));
        let vector = b.type_vector(float, 4);
        let pointer = b.type_pointer(None, StorageClass::CrossWorkgroup, vector);
        let ty = b.type_function(void, [pointer, vector]);
        b.begin_function(void, None, FunctionControl::NONE, ty).expect("a function");
        let at = b.function_parameter(pointer).expect("a parameter");
        let other = b.function_parameter(vector).expect("a parameter");
        b.begin_block(None).expect("a block");
        let mut load = || b.load(vector, None, at, None, []).expect("a load");
        let first = load();
        let second = if twice { load() } else { other };
        let both = b.vector_shuffle(vector, None, first, second, lanes).expect("a shuffle");
        b.store(at, both, None, []).expect("a store");
        b.ret().expect("an end");
        b.end_function().expect("an end");
        b.module()
    }

    fn needed(module: &Module) -> NeededLanes {
        NeededLanes::of(&module.functions[0], &Types::of(module))
    }

    #[test]
    fn lanes_that_are_stored_back_count_for_nothing() {
        let found = needed(&shuffled(false, [4, 1, 3, 3]));
        assert_eq!(found.stores.into_values().collect::<Vec<_>>(), [[0, 2].into()]);
        assert_eq!(found.loads.into_values().collect::<Vec<_>>(), [[3].into()]);
    }

    /// Checks that lanes of a second load from one address count as read, even if written back.
    #[test]
    fn lanes_of_two_loads_are_looked_at() {
        let found = needed(&shuffled(true, [4, 1, 2, 3]));
        assert_eq!(found.stores, BTreeMap::new());
        let lanes: Vec<BTreeSet<u32>> = found.loads.into_values().collect();
        assert_eq!(lanes, [[1, 2, 3].into(), [0].into()]);
    }
}
