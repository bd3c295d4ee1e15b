//! Do the recorders that docs/rtl.md names write tables that the checker reads?

use std::fs;
use std::path::Path;

use raddle_golden::allocation::{AllocationOptions, AllocationRule, StartRule, check};

use super::kit::{folder, has, run};

/// Returns the source code of a recorder of placement events that docs/rtl.md names.
fn recorder(file: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("recorders").join(file)).unwrap()
}

/// Checks the table that both recorders write of one run: the start of the last placement is not
/// the lowest.
fn recorded(table: &[u8]) {
    let first =
        AllocationOptions { starts: Some(StartRule::First), ..AllocationOptions::default() };
    let plain = check(table, &AllocationOptions::default()).unwrap();
    assert_eq!((plain.events, plain.placed, plain.total()), (9, 2, 0), "{plain:?}");
    let report = check(table, &first).unwrap();
    assert_eq!((report.predicted, report.agreeing), (4, 3));
    assert_eq!(report.findings[0].rule, AllocationRule::Start);
}

#[test]
fn the_recorder_in_systemverilog_writes_a_table() {
    if !has("iverilog") {
        return;
    }
    let folder = folder("recorder_sv");
    let run_of = "module top;
  raddle_recorder #(.UNITS(1)) to();
  initial begin
    #1 to.request(1, 7, 2, 8, 4);
    to.place(2, 0, 7, 2, 0, 8, 0, 4);
    to.wave(2, 0, 7, 0, 0, 0, 0);
    to.wave(2, 0, 7, 1, 1, 4, 0);
    to.request(3, 8, 1, 5, 3);
    to.place(4, 0, 8, 1, 20, 5, 4, 3);
    to.ends(5, 0, 7, 0, 0);
    to.ends(6, 0, 7, 1, 1);
    to.free(6, 0, 7);
    $finish;
  end
endmodule
";
    fs::write(folder.join("recorder.sv"), recorder("raddle_recorder.sv") + run_of).unwrap();
    let args = ["-g2012", "-o", "recorder", "-s", "top", "recorder.sv"].map(str::to_owned);
    let (fine, said) = run(&folder, "iverilog", &args);
    assert!(fine, "{said}");
    let (fine, said) = run(&folder, "vvp", &["recorder".to_owned()]);
    assert!(fine, "{said}");
    recorded(&fs::read(folder.join("placements.csv")).unwrap());
}

#[test]
fn the_recorder_in_python_writes_a_table() {
    if !has("python3") {
        return;
    }
    let folder = folder("recorder_py");
    let run_of = "
to = Recorder('placements.csv', 1, 40, {'vgpr': (256, 'per-wave'), 'lds': (64, 'shared')})
to.request(1, 7, 2, vgpr=8, lds=4)
to.place(2, 0, 7, 2, vgpr=(0, 8), lds=(0, 4))
to.wave(2, 0, 7, 0, tag=0, vgpr=0, lds=0)
to.wave(2, 0, 7, 1, tag=1, vgpr=4, lds=0)
to.request(3, 8, 1, vgpr=5, lds=3)
to.place(4, 0, 8, 1, vgpr=(20, 5), lds=(4, 3))
to.end(5, 0, 7, 0, tag=0)
to.end(6, 0, 7, 1, tag=1)
to.free(6, 0, 7)
to.file.close()
";
    fs::write(folder.join("recorder.py"), recorder("raddle_recorder.py") + run_of).unwrap();
    let (fine, said) = run(&folder, "python3", &["recorder.py".to_owned()]);
    assert!(fine, "{said}");
    recorded(&fs::read(folder.join("placements.csv")).unwrap());
}
