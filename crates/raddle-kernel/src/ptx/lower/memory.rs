//! Which bytes does a PTX instruction read or write, of memory and of parameters?

use rspirv::spirv::Op;
use smallvec::smallvec;

use super::names::{address, stem};
use super::{PtxFrame, PtxLowering};
use crate::ir::{Construct, Instruction, Operand, PointerOrigin, Reg, Spans};
use crate::ptx::text::{PtxInstruction as Code, type_size};

impl<'m, 't> PtxLowering<'m, 't> {
    /// Translates an address of PTX, `[register+offset]` or `[variable+offset]`, and returns the
    /// pointer.
    pub(super) fn place(&mut self, frame: &mut PtxFrame<'t>, text: &'t str) -> Operand {
        let (name, offset) = address(text);
        let base = self.operand(frame, name);
        if offset == 0 {
            return base;
        }
        let to = self.register();
        self.push(Instruction::Offset { to, base, bytes: offset, terms: smallvec![] });
        Operand::Reg(to)
    }

    pub(super) fn access(&mut self, frame: &mut PtxFrame<'t>, code: &'m Code<'t>) {
        if ["volatile", "relaxed", "acquire", "release", "mmio"]
            .iter()
            .any(|w| code.words.contains(w))
        {
            let place = code.operands.iter().find(|part| part.starts_with('[')).copied();
            let at = self.place(frame, place.unwrap_or("[0]"));
            self.push(Instruction::Volatile { at });
        }
        let each = code.words.iter().rev().find_map(|word| type_size(word)).unwrap_or(8);
        let lanes = match code.words.iter().find(|word| matches!(**word, "v2" | "v4" | "v8")) {
            Some(&"v2") => 2,
            Some(&"v8") => 8,
            Some(_) => 4,
            None => 1,
        };
        let load = code.words[0] != "st";
        let (place, value) = match code.operands.as_slice() {
            [to, from, ..] if load => (*from, *to),
            [to, from, ..] => (*to, *from),
            _ => {
                return self
                    .push(Instruction::Refuse(Construct::Instruction(code.words.join("."))));
            }
        };
        let at = self.place(frame, place);
        let names = names(value);
        // All places first: a load may set the register of its own address.
        let places: Vec<Reg> = (0..lanes)
            .map(|lane| {
                let to = self.register();
                let bytes = i64::from(lane) * i64::from(each);
                self.push(Instruction::Offset { to, base: at, bytes, terms: smallvec![] });
                to
            })
            .collect();
        for (lane, place) in places.into_iter().enumerate() {
            let at = Operand::Reg(place);
            let spans: Spans = smallvec![(0, each)];
            let name = names.get(lane).copied().unwrap_or("_");
            if load {
                let to = self.register();
                let pointer = each >= 8;
                self.push(Instruction::Load { to, pointer, at, size: each, spans });
                let from = self.resized(frame, name, (code, each), Operand::Reg(to));
                if name != "_" {
                    let to = self.named(frame, name);
                    self.push(Instruction::Copy { to, from });
                }
            } else {
                let value = self.operand(frame, name);
                let value = self.resized(frame, name, (code, each), value);
                self.push(Instruction::Store { at, value, size: each, spans });
            }
        }
    }

    pub(super) fn atomic(&mut self, frame: &mut PtxFrame<'t>, code: &'m Code<'t>) {
        let reduces = code.words[0] == "red" || code.operands.first() == Some(&"_");
        let place =
            code.operands.iter().find(|part| part.starts_with('[')).copied().unwrap_or("[0]");
        let at = self.place(frame, place);
        let float = code.words.iter().any(|word| word.starts_with('f') || word.starts_with("bf"));
        let commutes = ["add", "inc", "dec", "min", "max", "and", "or", "xor"];
        let commutes = code.words.iter().any(|word| commutes.contains(word)) && !float;
        // `inc` and `dec` wrap at a bound, which orders nothing but counts.
        self.push(Instruction::Atomic { at, repeatable: reduces && commutes });
        if code.words[0] == "atom" {
            self.fresh(frame, code);
        }
    }

    /// Translates `cp.async` of PTX, a copy from global to shared memory.
    pub(super) fn copy(&mut self, frame: &mut PtxFrame<'t>, code: &'m Code<'t>) {
        let places: Vec<&'t str> =
            code.operands.iter().copied().filter(|part| part.starts_with('[')).collect();
        if let [to, from, ..] = places[..] {
            for (place, write) in [(from, false), (to, true)] {
                let at = self.place(frame, place);
                self.push(Instruction::Touch { at, write });
            }
        }
    }

    /// Translates `discard` of PTX, after which a read of the memory gives any value; it counts as
    /// a write.
    pub(super) fn discard(&mut self, frame: &mut PtxFrame<'t>, code: &'m Code<'t>) {
        let at = self.place(frame, code.operands.first().copied().unwrap_or("[0]"));
        self.push(Instruction::Touch { at, write: true });
    }

    pub(super) fn load_parameter(&mut self, frame: &mut PtxFrame<'t>, code: &'m Code<'t>) {
        let Some(from) = code.operands.get(1) else { return };
        let (name, offset) = address(from);
        let each = code.words.iter().rev().find_map(|word| type_size(word)).unwrap_or(8);
        for (lane, target) in names(code.operands[0]).into_iter().enumerate() {
            let to = self.named(frame, target);
            let lane = i64::try_from(lane).unwrap_or(i64::MAX);
            let offset = offset.saturating_add(lane.saturating_mul(i64::from(each)));
            if let Some(&from) = frame.parameters.get(&(name.to_owned(), offset, each)) {
                let from = self.resized(frame, target, (code, each), from);
                self.push(Instruction::Copy { to, from });
                continue;
            }
            // A part of a structure or of a number, or what an unknown function returned. It may be
            // a pointer.
            let of = if each >= 8 {
                let unknown = self.register();
                self.push(Instruction::Place { to: unknown, origin: PointerOrigin::Unknown });
                vec![Operand::Reg(unknown)]
            } else {
                Vec::new()
            };
            if frame.entry && self.is_of_the_kernel(name) {
                let ty = code.words.last().copied().unwrap_or("");
                let operation = self.operation(&["parameter", name, &offset.to_string(), ty]);
                self.push(Instruction::Pure { to, operation, of });
            } else {
                let fresh = self.register();
                self.push(Instruction::Fresh { to: fresh });
                let operation = self.operation(&["parameter"]);
                let of = of.into_iter().chain([Operand::Reg(fresh)]).collect();
                self.push(Instruction::Pure { to, operation, of });
            }
        }
    }

    /// Returns whether a parameter with the name `name` is the kernel's, not one of a call that the
    /// kernel makes.
    pub(super) fn is_of_the_kernel(&self, name: &str) -> bool {
        let kernel = self.calls.first();
        let kernel = self.module.functions.iter().find(|f| Some(&f.name) == kernel);
        kernel.is_some_and(|kernel| kernel.parameters.iter().any(|p| p.name == name))
    }

    pub(super) fn store_parameter(&mut self, frame: &mut PtxFrame<'t>, code: &'m Code<'t>) {
        let [to, value, ..] = code.operands[..] else { return };
        let (name, offset) = address(to);
        let each = code.words.iter().rev().find_map(|word| type_size(word)).unwrap_or(8);
        for (lane, value) in names(value).into_iter().enumerate() {
            let lane = i64::try_from(lane).unwrap_or(i64::MAX);
            let offset = offset.saturating_add(lane.saturating_mul(i64::from(each)));
            let from = self.operand(frame, value);
            let from = self.resized(frame, value, (code, each), from);
            // A result is set on several paths, so all of them set one register.
            let key = (name.to_owned(), offset, each);
            let to = match frame.parameters.get(&key) {
                Some(Operand::Reg(register)) => *register,
                _ => self.register(),
            };
            self.push(Instruction::Copy { to, from });
            frame.parameters.insert(key, Operand::Reg(to));
        }
    }

    /// Converts a loaded value to the width of its register `name`, or a stored value from that
    /// width to the width in memory. `code` is the load or store, of `bytes` bytes. A constant is
    /// returned unchanged, as is a value whose register is not wider than `bytes`.
    fn resized(
        &mut self,
        frame: &PtxFrame<'t>,
        name: &str,
        (code, bytes): (&Code<'t>, u32),
        value: Operand,
    ) -> Operand {
        let width = frame.widths.get(stem(name));
        if width.is_some_and(|width| *width <= bytes) || matches!(value, Operand::Int(_)) {
            return value;
        }
        let signed =
            code.words.iter().any(|word| word.starts_with('s') && type_size(word).is_some());
        let op = if signed { Op::SConvert } else { Op::UConvert };
        let stores = code.words[0] == "st";
        let width = width.copied().filter(|_| !stores).unwrap_or(bytes);
        // Negative kinds are those of no conversion of values (`converted`).
        let kind = Operand::Int(-1 - i64::from(stores) - 2 * i64::from(bytes));
        self.pure_value(op, vec![value, kind, Operand::Int(i64::from(width))])
    }
}

/// Returns the names in an operand of PTX: one name, or several in braces.
fn names(text: &str) -> Vec<&str> {
    text.split(['{', '}', ',']).map(str::trim).filter(|name| !name.is_empty()).collect()
}
