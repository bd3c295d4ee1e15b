//! How are a Verilog module and its test bench written around the statements of a circuit?
//!
//! The bench reads lines of hexadecimal numbers: the inputs, then the expected outputs, and, where
//! a circuit searches several maps in turn, a mask with one bit for each slot (part for one map): 1
//! where the slot's outputs are checked. At the first difference the bench stops and prints the
//! line; without one it prints how many lines were equal.

use super::wires::range;

/// A port (input or output) of a Verilog module, with its width in wires.
#[derive(Clone, Debug)]
pub(super) struct Port {
    pub(super) name: String,
    pub(super) width: u32,
    pub(super) output: bool,
    /// Number of the slot (part of a shared search circuit, for one map) to which an output
    /// belongs; the output is checked only in uses of the circuit that have this slot. `None` for
    /// an output that is always checked.
    slot: Option<usize>,
}

impl Port {
    pub(super) fn input(name: &str, width: u32) -> Self {
        Self { name: name.to_owned(), width, output: false, slot: None }
    }

    pub(super) fn output(name: &str, width: u32) -> Self {
        Self { output: true, ..Self::input(name, width) }
    }

    pub(super) fn of(self, slot: Option<usize>) -> Self {
        Self { slot, ..self }
    }
}

/// Writes the text of the Verilog module `name` with these ports around the statements of `body`;
/// the lines of `head` become comments above it.
pub(super) fn module(name: &str, head: &[String], ports: &[Port], body: &str) -> String {
    let mut text: String = head.iter().map(|line| format!("// {line}\n")).collect();
    let declared: Vec<String> = ports
        .iter()
        .map(|port| {
            let way = if port.output { "output" } else { "input" };
            format!("  {way} wire {}{}", range(0, port.width), port.name)
        })
        .collect();
    text += &format!("module {name} (\n{}\n);\n{body}endmodule\n", declared.join(",\n"));
    text
}

/// Writes the Verilog test bench of the module `name` with these ports.
pub(super) fn bench(name: &str, ports: &[Port]) -> String {
    let slots = ports.iter().filter_map(|port| port.slot).max().map_or(0, |last| last + 1);
    let mut text = format!(
        "// Checks {name} against the lines of {name}.hex, or of +vectors=FILE.\nmodule {name}_bench;\n"
    );
    let (mut read, mut given): (Vec<String>, String) = (Vec::new(), String::new());
    for Port { name, width, output, .. } in ports {
        let range = range(0, *width);
        if *output {
            text += &format!("  wire {range}{name};\n  reg {range}expected_{name};\n");
            read.push(format!("expected_{name}"));
        } else {
            text += &format!("  reg {range}{name}, given_{name};\n");
            read.push(format!("given_{name}"));
            // Verilator does not see that a variable changes where $fscanf writes it.
            given += &format!("      {name} = given_{name};\n");
        }
    }
    if slots > 0 {
        text += &format!("  reg {}active;\n", range(0, slots as u32));
        read.push("active".to_owned());
    }
    let wired: Vec<String> = ports.iter().map(|port| format!(".{0}({0})", port.name)).collect();
    let (columns, form) = (read.len(), vec!["%h"; read.len()].join(" "));
    let scan = format!("read = $fscanf(file, \"{form}\\n\", {});", read.join(", "));
    // The name goes to $fopen as it is: in a wide variable, Verilator 5.006 writes past one of over 32 characters.
    text += &format!(
        "  reg [8191:0] path;
  integer file, line, read;
  {name} dut ({});
  initial begin
    if ($value$plusargs(\"vectors=%s\", path)) file = $fopen(path, \"r\");
    else file = $fopen(\"{name}.hex\", \"r\");
    if (file == 0) $fatal(1, \"{name}: the file of vectors cannot be read\");
    line = 0;
    {scan}
    while (read == {columns}) begin
{given}      #1 line = line + 1;
",
        wired.join(", ")
    );
    for port @ Port { name: output, .. } in ports.iter().filter(|port| port.output) {
        let counts = match port.slot {
            Some(_) if slots == 1 => "active && ".to_owned(),
            Some(slot) => format!("active[{slot}] && "),
            None => String::new(),
        };
        text += &format!(
            "      if ({counts}{output} !== expected_{output}) $fatal(1, \"{name}: line %0d: {output} is %h, expected %h\", line, {output}, expected_{output});\n"
        );
    }
    text += &format!(
        "      {scan}
    end
    if (!$feof(file)) $fatal(1, \"{name}: line %0d is not {columns} numbers\", line + 1);
    if (line == 0) $fatal(1, \"{name}: there is no line\");
    $display(\"{name}: %0d lines equal\", line);
  end
endmodule
"
    );
    text
}
