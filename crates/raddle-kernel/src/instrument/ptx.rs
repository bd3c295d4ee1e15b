//! How does PTX get the prologue?
//!
//! As text: three parameters are appended to each kernel, a pointer to the word (state) of the
//! launch, a pointer to the two cuts (ranges of launches that leave or are killed, each as first
//! number and count, 32 bits each), and the number of the launch. The prologue stands behind the
//! declarations, in a scope of its own.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::{Instrumented, Look, Opaque};
use crate::Error;
use crate::ptx::text;

/// Adds the prologue, a test of the preemption flag, to each kernel of a PTX module, and returns
/// the new text. `look` gets the name of a kernel, and returns the kind of test by which the kernel
/// may also be stopped part-way.
///
/// # Errors
/// Where the text is not PTX, with its line.
pub fn ptx(source: &str, mut look: impl FnMut(&str) -> Look) -> Result<Instrumented, Error> {
    let module = text::read(source)?;
    let mut edits: BTreeMap<usize, String> = BTreeMap::new();
    let (mut kernels, mut opaque) = (Vec::new(), Vec::new());
    let system = if target(source) >= 60 { ".sys" } else { "" };
    for function in module.functions.iter().filter(|function| function.entry) {
        let Some(first) = function.first_instruction else {
            opaque.push((function.name.to_owned(), Opaque::Head));
            continue;
        };
        let name = function.name;
        let list = format!(
            ".param .u64 {name}_raddle_word,\n\t.param .u64 {name}_raddle_cuts,\n\t.param .u32 {name}_raddle_number\n"
        );
        match function.parameters_end {
            Some(end) => {
                let comma = if function.parameters.is_empty() { "\n\t" } else { ",\n\t" };
                edits.insert(end, format!("{comma}{list}"));
            }
            None => _ = edits.insert(function.name_end, format!("(\n\t{list})")),
        }
        edits.insert(first, prologue(name, look(name), system));
        kernels.push(name.to_owned());
    }
    let mut out = String::with_capacity(source.len() + 1024 * kernels.len());
    let mut from = 0;
    for (at, text) in edits {
        out.push_str(&source[from..at]);
        out.push_str(&text);
        from = at;
    }
    out.push_str(&source[from..]);
    Ok(Instrumented { source: out, kernels, told: Vec::new(), opaque })
}

/// Returns the number NN in `.target sm_NN` of a PTX text; 0 where there is none.
fn target(source: &str) -> u32 {
    let digits = source.split(".target").nth(1).and_then(|rest| rest.split("sm_").nth(1));
    let digits = digits.unwrap_or("").chars().take_while(char::is_ascii_digit);
    digits.collect::<String>().parse().unwrap_or(0)
}

/// Returns the PTX text of a kernel's prologue, which tests the preemption flag. `system` is the
/// suffix that makes atomic operations visible to the host (`.sys`, or empty).
fn prologue(name: &str, look: Look, system: &str) -> String {
    let mut out = String::new();
    let mut line = |text: &str| _ = writeln!(out, "\t{text}");
    line("{");
    line(".reg .pred %raddle_p<3>;");
    line(".reg .b32 %raddle_r<5>;");
    line(".reg .b64 %raddle_d<2>;");
    line(&format!("ld.param.u64 %raddle_d0, [{name}_raddle_word];"));
    line("cvta.to.global.u64 %raddle_d0, %raddle_d0;");
    line(&format!("ld.param.u64 %raddle_d1, [{name}_raddle_cuts];"));
    line("cvta.to.global.u64 %raddle_d1, %raddle_d1;");
    line(&format!("ld.param.u32 %raddle_r1, [{name}_raddle_number];"));
    line("ld.volatile.global.u32 %raddle_r0, [%raddle_d0];");
    line("setp.ne.u32 %raddle_p0, %raddle_r0, 0;");
    line(&format!("@%raddle_p0 bra {name}_raddle_decided;"));
    line("ld.volatile.global.v2.u32 {%raddle_r2, %raddle_r3}, [%raddle_d1];");
    line("sub.u32 %raddle_r2, %raddle_r1, %raddle_r2;");
    line("setp.lt.u32 %raddle_p0, %raddle_r2, %raddle_r3;");
    line("selp.u32 %raddle_r2, 2, 1, %raddle_p0;");
    line(&format!("atom.global{system}.cas.b32 %raddle_r0, [%raddle_d0], 0, %raddle_r2;"));
    line("setp.eq.u32 %raddle_p0, %raddle_r0, 0;");
    line("selp.u32 %raddle_r0, %raddle_r2, %raddle_r0, %raddle_p0;");
    line(&format!("{name}_raddle_decided:"));
    line("setp.eq.u32 %raddle_p1, %raddle_r0, 2;");
    line("@%raddle_p1 ret;");
    if look != Look::Never {
        line("ld.volatile.global.v2.u32 {%raddle_r2, %raddle_r3}, [%raddle_d1+8];");
        line("sub.u32 %raddle_r2, %raddle_r1, %raddle_r2;");
        line("setp.lt.u32 %raddle_p2, %raddle_r2, %raddle_r3;");
        line(&format!("@%raddle_p2 atom.global{system}.cas.b32 %raddle_r4, [%raddle_d0], 1, 3;"));
        // A workgroup that comes after the launch was killed leaves too.
        line("setp.eq.or.u32 %raddle_p2, %raddle_r0, 3, %raddle_p2;");
        if look == Look::Workgroup {
            line("bar.red.or.pred %raddle_p2, 0, %raddle_p2;");
        }
        line("@%raddle_p2 ret;");
    }
    line("}");
    out
}
