//! Logs that `raddle log FILE` printed, in the folder that `RADDLE_LOGS` names.

use std::fs;

use crate::kit::check;

#[test]
fn recorded_logs_agree() {
    let Some(folder) = std::env::var_os("RADDLE_LOGS") else { return };
    for file in fs::read_dir(folder).expect("a folder") {
        let path = file.expect("a file").path();
        let begun = std::time::Instant::now();
        let report = check(&fs::read_to_string(&path).expect("text"));
        println!("{} {:?}", path.display(), begun.elapsed());
        for slot in &report.slots {
            println!(
                "  {} `{}` {}: {} of {} differ; {:?}",
                slot.slot, slot.policy, slot.by, slot.different, slot.checked, slot.unchecked
            );
            slot.findings.iter().take(3).for_each(|it| println!("    {it}"));
        }
    }
}
