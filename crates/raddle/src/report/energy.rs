//! How much energy did the work take under each recipe, by assumed weights?

use raddle_sim::EnergySummary;

use super::Source;
use super::html::{self, figure, name};

const HEADER: [&str; 6] =
    ["recipe", "#energy", "#mean power", "#peak power", "#most of one CU", "#peak of one CU"];

/// One row a recipe; nothing where nobody knows what any wave does.
pub(crate) fn table(source: &Source<'_>) -> String {
    let row = |energy: &EnergySummary| {
        [
            joules(energy.energy_uj),
            watts(energy.mean_mw),
            watts(energy.peak_mw),
            joules(energy.cu_most_uj),
            watts(energy.cu_peak_mw),
        ]
    };
    let mut rows = Vec::new();
    for result in &source.report.recipes {
        if let Some(energy) = &result.summary.energy {
            let mut cells = vec![name(&result.name)];
            cells.extend(row(energy).iter().map(|text| figure(text)));
            rows.push(cells);
        }
    }
    if rows.is_empty() {
        return String::new();
    }
    format!(
        "<h3>Energy (assumed)</h3>\n<p class=\"small\">What resident waves draw by assumed weights of their instructions, idle power left out: fit for comparing recipes with each other, not for a power budget.</p>\n{}",
        html::table("Energy (assumed)", &HEADER, &rows)
    )
}

/// Three decimals of mJ, or of J.
fn joules(uj: u64) -> String {
    let (thousands, unit) = if uj >= 1_000_000 { (uj / 1000, "J") } else { (uj, "mJ") };
    format!("{}.{:03} {unit}", thousands / 1000, thousands % 1000)
}

/// Three decimals of W.
fn watts(mw: u64) -> String {
    format!("{}.{:03} W", mw / 1000, mw % 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_three_decimals_and_a_unit() {
        assert_eq!(
            [0, 999, 1000, 999_999].map(joules),
            ["0.000 mJ", "0.999 mJ", "1.000 mJ", "999.999 mJ"]
        );
        assert_eq!([1_000_000, 1_234_567].map(joules), ["1.000 J", "1.234 J"]);
        assert_eq!([7, 12_345].map(watts), ["0.007 W", "12.345 W"]);
    }
}
