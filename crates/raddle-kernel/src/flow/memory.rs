//! Which value does a load of a kernel give, and what does a store change?

use std::collections::BTreeSet;

use smallvec::smallvec;

use super::{Access, Analysis, BlockFindings, BlockState, stays};
use crate::ir::{BlockId, Construct, PointerOrigin};
use crate::value::{Address, Meaning, Origins, Value, VariableCell};

impl Analysis<'_> {
    /// Returns the memory to which a pointer may lead; `PointerOrigin::Unknown` stands for memory
    /// that is not known.
    pub(super) fn origins(&self, pointer: Value) -> Origins {
        let origins = self.values.origins(pointer);
        if origins.is_empty() { smallvec![PointerOrigin::Unknown] } else { origins.clone() }
    }

    pub(super) fn access(
        &mut self,
        pointer: Value,
        span: Option<(u32, u32)>,
        write: bool,
        (line, value): (u32, Option<Value>),
        seen: &mut BlockFindings,
    ) {
        let origins = self.origins(pointer);
        if origins.contains(&PointerOrigin::Unknown) {
            seen.refusals.insert((Construct::PointerFromMemory, line));
            return;
        }
        let outlives: Origins = origins
            .into_iter()
            .filter(|origin| {
                matches!(origin, PointerOrigin::Argument(_) | PointerOrigin::Program(_))
            })
            .collect();
        if outlives.is_empty() {
            return;
        }
        let place = span.map(|(offset, length)| {
            let address = self.values.address(pointer);
            let bytes = address.bytes.wrapping_add(i64::from(offset));
            (Address { bytes, ..address }, length)
        });
        let (covered, last, expression, origins) = (false, false, None, outlives);
        let access = Access { write, origins, place, line, expression, value, covered, last };
        seen.accesses.push(access);
    }

    pub(super) fn load(
        &mut self,
        at: (BlockId, usize),
        pointer: Value,
        (size, holds): (u32, bool),
        state: &BlockState,
    ) -> Value {
        let origins = self.origins(pointer);
        let fresh = Meaning::Set(at.0, at.1);
        if let Some(variable) = only_private(&origins) {
            let cell = self.fixed(pointer).map(|offset| (variable, offset, size));
            if let Some(value) = cell.and_then(|cell| self.known(cell, holds, state)) {
                return value;
            }
            // The cell is not known, as in a structure that was handed over by value.
            let value = self.unknown(pointer, size, &origins, fresh);
            if holds {
                let held = self.held(PointerOrigin::Private(variable));
                self.changed |= self.values.leads(value, held);
            }
            return value;
        }
        let value = self.unknown(pointer, size, &origins, fresh);
        if holds {
            let held: BTreeSet<PointerOrigin> =
                origins.iter().flat_map(|origin| self.held(*origin)).collect();
            self.changed |= self.values.leads(value, held);
        }
        value
    }

    /// Returns the value of a load of `size` bytes from memory whose contents are not tracked. If
    /// the kernel never writes that memory, all loads from one address have the same value;
    /// otherwise each load has a new one, with the meaning `fresh`.
    fn unknown(&mut self, pointer: Value, size: u32, origins: &Origins, fresh: Meaning) -> Value {
        let one = match &self.written {
            Some(written) => stays(origins, written),
            None => {
                self.loaded.insert(origins.clone());
                false
            }
        };
        self.values.number(if one { Meaning::Held(pointer, size) } else { fresh })
    }

    /// Returns the value of the bytes `cell` of a work-item's variable, in the state `state`: a
    /// stored value, or a part of one. `None` where it is not known. `holds` is true if the bytes
    /// may be a pointer.
    fn known(&mut self, cell: VariableCell, holds: bool, state: &BlockState) -> Option<Value> {
        let (variable, offset, size) = cell;
        // A store removes the cells that it overlaps, so at most one cell holds these bytes.
        let until = (variable, offset, u32::MAX);
        let (&(_, from, length), &whole) =
            state.cells.range((variable, i64::MIN, 0)..=until).next_back()?;
        let skipped = offset.checked_sub(from)?;
        if (skipped, size) == (0, length) {
            return Some(whole);
        }
        if skipped.checked_add(i64::from(size))? > i64::from(length) {
            return None;
        }
        let part = match *self.values.meaning(whole) {
            Meaning::Held(pointer, _) => {
                let pointer = self.values.sum(Some(pointer), skipped, []);
                Meaning::Held(pointer, size)
            }
            _ => Meaning::Part(whole, skipped, size),
        };
        let part = self.values.number(part);
        if holds {
            let origins = self.values.origins(whole).clone();
            self.changed |= self.values.leads(part, origins);
        }
        Some(part)
    }

    /// Returns the memory to which pointers that are stored in the memory `origin` may lead.
    pub(super) fn held(&self, origin: PointerOrigin) -> BTreeSet<PointerOrigin> {
        match origin {
            PointerOrigin::Local(_) | PointerOrigin::Private(_) => {
                self.stored.get(&origin).cloned().unwrap_or_default()
            }
            PointerOrigin::Argument(_) | PointerOrigin::Program(_) | PointerOrigin::Unknown => {
                BTreeSet::from([PointerOrigin::Unknown])
            }
        }
    }

    pub(super) fn store(
        &mut self,
        pointer: Value,
        value: Option<Value>,
        size: u32,
        state: &mut BlockState,
    ) {
        let origins = self.origins(pointer);
        for origin in &origins {
            if matches!(origin, PointerOrigin::Private(_) | PointerOrigin::Local(_)) {
                // A written value that is not known may hold pointers.
                let unknown = || smallvec![PointerOrigin::Unknown];
                let pointers: Origins =
                    value.map_or_else(unknown, |value| self.values.origins(value).clone());
                if !pointers.is_empty() {
                    let held = self.stored.entry(*origin).or_default();
                    let before = held.len();
                    held.extend(pointers);
                    self.changed |= held.len() > before;
                }
            }
        }
        let fixed = self.fixed(pointer);
        for origin in &origins {
            let PointerOrigin::Private(variable) = *origin else { continue };
            self.variables.insert(*origin);
            match fixed {
                Some(offset) => {
                    let end = offset.saturating_add(i64::from(size));
                    state.cells.retain(|&(of, from, length), _| {
                        let apart = from.saturating_add(i64::from(length)) <= offset || end <= from;
                        of != variable || (apart && size > 0)
                    });
                }
                None => state.cells.retain(|&(of, ..), _| of != variable),
            }
        }
        if let (Some(variable), Some(offset), Some(value)) = (only_private(&origins), fixed, value)
        {
            state.cells.insert((variable, offset, size), value);
        }
    }

    /// Returns the offset in bytes of a pointer from the beginning of its variable or argument;
    /// `None` where the offset is not constant.
    pub(super) fn fixed(&mut self, pointer: Value) -> Option<i64> {
        let address = self.values.address(pointer);
        matches!(self.values.meaning(address.moving), Meaning::Origin(_)).then_some(address.bytes)
    }
}

fn only_private(origins: &[PointerOrigin]) -> Option<u32> {
    match origins.first() {
        Some(PointerOrigin::Private(variable)) if origins.len() == 1 => Some(*variable),
        _ => None,
    }
}
