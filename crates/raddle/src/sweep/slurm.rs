//! How does Slurm run a sweep? As an array job in which each task runs a shard (part of the cases);
//! the files of all tasks, one behind the other, are the file of the sweep.
//!
//! Every word is quoted on one line, also in comments: a name with a line end would otherwise end
//! the line.

use std::path::Path;

use crate::units::{quoted_posix, shell_posix};

/// Returns the batch script for Slurm that runs a command in `tasks` tasks. The words of `command`
/// have no `--out`: the script adds it from `out`.
pub(super) fn script(command: &[String], out: &Path, tasks: u32) -> String {
    let command = shell_posix(command);
    let name = |part: &str| quoted_posix(&format!("{}{part}", out.display()));
    let (whole, part) = (name(""), name(".part-"));
    format!(
        "#!/bin/bash
# sbatch THIS_FILE; a task that stops goes on where it was when it is queued again.
#SBATCH --job-name=raddle-sweep
#SBATCH --array=1-{tasks}
#SBATCH --ntasks=1
#SBATCH --requeue
{command} --jobs \"${{SLURM_CPUS_PER_TASK:-1}}\" --quiet \\
  --shard \"$SLURM_ARRAY_TASK_ID/{tasks}\" --out {part}\"$SLURM_ARRAY_TASK_ID\"

# When all tasks have ended:
#   cat -- {part}* > {whole}
#   {command} --out {whole}
# The last command makes the page; of the cases it runs those that failed once more.
"
    )
}
