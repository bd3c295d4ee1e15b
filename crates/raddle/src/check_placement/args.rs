//! Which options does `raddle check-placement` have?

use std::path::PathBuf;

use clap::Args;
use raddle_golden::allocation::{AllocationOptions, StartRule};
use raddle_study::units::quoted;

use crate::error::CliError;

#[derive(Debug, Args)]
pub(crate) struct CheckPlacementArgs {
    /// A table of requests, placements, waves, ends and frees (docs/rtl.md); `-` is the standard
    /// input
    #[arg(value_name = "FILE")]
    pub(super) table: PathBuf,
    /// The rule that predicts starts: first, best, worst, next or ring; RESOURCE=RULE for one
    /// resource, may be repeated
    #[arg(long, value_name = "[RESOURCE=]RULE", value_parser = fit)]
    fit: Vec<(Option<String>, StartRule)>,
    /// Predict starts of a ring: allocated at its tail, reclaimed in order (as `--fit ring`)
    #[arg(long)]
    ring: bool,
    /// The clocks between the choice of a start and its line in the table
    #[arg(long, value_name = "CLOCKS", default_value_t = 0)]
    lag: u64,
}

/// Reads a rule for the granule at which a range of a resource starts that a workgroup gets. The
/// text is `RESOURCE=RULE` for one resource, or `RULE` for all; then the returned name is `None`.
fn fit(text: &str) -> Result<(Option<String>, StartRule), String> {
    match text.split_once('=') {
        Some((resource, rule)) => Ok((Some(resource.to_owned()), rule.parse()?)),
        None => Ok((None, text.parse()?)),
    }
}

impl CheckPlacementArgs {
    /// Returns the rules by which the check predicts where a granted range of granules starts.
    pub(super) fn options(&self) -> Result<AllocationOptions, CliError> {
        let mut options = AllocationOptions { lag: self.lag, ..AllocationOptions::default() };
        let ring = self.ring.then_some((None, StartRule::Ring));
        for (resource, rule) in self.fit.iter().cloned().chain(ring) {
            let before = match &resource {
                Some(name) => options.starts_of.insert(name.clone(), rule),
                None => options.starts.replace(rule),
            };
            if before.is_some() {
                let of =
                    resource.map_or_else(String::new, |name| format!(" for {}", quoted(&name)));
                return Err(CliError::Usage(format!("two rules predict starts{of}: give one")));
            }
        }
        options.check().map_err(|text| CliError::Usage(text.to_owned()))?;
        Ok(options)
    }
}
