//! Which register or variable does a name stand for that a PTX function declares?

use super::names::stem;
use super::{PtxFrame, PtxLowering};
use crate::ir::{Construct, Instruction, LinedStep, PointerOrigin};
use crate::ptx::text::DeclaredName;

impl<'t> PtxLowering<'_, 't> {
    pub(super) fn declare(&mut self, frame: &mut PtxFrame<'t>, declared: &DeclaredName<'t>) {
        let variable = &declared.variable;
        let origin = match variable.space {
            // Registers get a number where they are first used.
            "reg" | "param" => None,
            "shared" => Some(PointerOrigin::Local as fn(u32) -> PointerOrigin),
            "local" => Some(PointerOrigin::Private as fn(u32) -> PointerOrigin),
            _ => Some(PointerOrigin::Program as fn(u32) -> PointerOrigin),
        };
        let inner = frame.scopes.len() > 1;
        if variable.space == "reg" {
            let width = frame.widths.entry(stem(variable.name)).or_default();
            *width = variable.size.max(*width);
        }
        let Some(scope) = frame.scopes.last_mut() else { return };
        if variable.space == "param" {
            // The name stands for the parameter of another call from now on.
            frame.parameters.retain(|part, _| part.0 != variable.name);
        } else if let Some(origin) = origin {
            // A variable that outlives the function is one for all copies of the function.
            let function = self.calls.last().copied().unwrap_or("");
            let key = format!("{function} {}", variable.name);
            let lives = matches!(variable.space, "global" | "const");
            if let (true, Some(&register)) = (lives, self.globals.get(&key)) {
                scope.insert(variable.name, register);
                return;
            }
            self.places += 1;
            let register = self.registers;
            self.registers += 1;
            self.globals.insert(key, register);
            scope.insert(variable.name, register);
            let origin = origin(self.places);
            self.addressed(variable.space, origin);
            let step =
                LinedStep { line: 0, instruction: Instruction::Place { to: register, origin } };
            self.blocks[0].steps.insert(0, step);
        } else if variable.space == "reg" && declared.count.is_none() {
            let register = self.registers;
            self.registers += 1;
            scope.insert(variable.name, register);
        } else if inner {
            // Numbered registers of a scope, which hide those of the function.
            self.push(Instruction::Refuse(Construct::Instruction(".reg".to_owned())));
        }
    }

    /// Records that the host can get the address of a variable (`cuModuleGetGlobal`) and pass it to
    /// a kernel as an argument. Constant memory is left out: a kernel that writes there is
    /// undefined anyway.
    pub(super) fn addressed(&mut self, space: &str, origin: PointerOrigin) {
        if space == "global" {
            self.addressable.insert(origin);
        }
    }
}
