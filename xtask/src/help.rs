//! Which verbs are there?

/// One line a verb.
pub(crate) const VERBS: &str = concat!(
    "  ci             everything that must hold before a change is merged (the list: .ci/run)\n",
    "  tidy           the house rules that no compiler checks (docs/STYLE.md)\n",
    "  bless [ARGS]   cargo test, accepting what the snapshots now show; read the diff afterwards\n",
    "  bench [-p CRATE] [FILTER]  the benchmarks of every crate or of one; FILTER goes to each\n",
    "  browse FILE.. does a page look right in Chromium? --shots DIR keeps pictures of it\n",
    "  colocate       the tables of docs/policies/preempt.md, from a training profile beside requests (needs the samples, minutes)\n",
    "  soak [CASES]   the property tests of the policy crates, long: CASES each (default 10000)\n",
    "  fuzz [TARGET...] [--runs N] [--longest BYTES] [--keep]   the fuzz targets, N executions each (default 100000)\n",
    "  miri           the unsafe code under Miri, as far as Miri knows it\n",
    "  nostd          the no_std crates for a bare-metal target\n",
    "  help           this list",
);

pub(crate) fn run() -> Result<(), String> {
    println!("cargo xtask VERB\n\n{VERBS}");
    Ok(())
}
