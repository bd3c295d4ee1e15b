//! How is a point on an axis of time written?

/// Units of time and their nanoseconds, the largest first.
const UNITS: [(u64, &str); 4] = [(1_000_000_000, "s"), (1_000_000, "ms"), (1000, "µs"), (1, "ns")];

/// A time of an axis that goes to `most`, in the unit that suits the axis, exact to a thousandth.
pub(crate) fn label(ns: u128, most: u64) -> String {
    if ns == 0 {
        return "0".to_owned();
    }
    let fits = |(unit, _): &&(u64, &str)| most >= *unit;
    let (unit, name) = UNITS.iter().find(fits).unwrap_or(&(1, "ns"));
    let thousandths = ns * 1000 / u128::from(*unit);
    let (whole, rest) = (thousandths / 1000, thousandths % 1000);
    let decimals = format!(".{rest:03}");
    let decimals = decimals.trim_end_matches('0').trim_end_matches('.');
    format!("{whole}{decimals} {name}")
}

/// A power of ten nanoseconds in the unit that suits it.
pub(crate) fn decade(ns: u128) -> String {
    label(ns, u64::try_from(ns).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_axis_has_one_unit() {
        let labels = [0, 500_000, 1_000_000, 1_500_000].map(|ns| label(ns, 1_700_000));
        assert_eq!(labels, ["0", "0.5 ms", "1 ms", "1.5 ms"]);
        assert_eq!(label(20, 84), "20 ns");
        assert_eq!(label(20_000_000_000, 90_000_000_000), "20 s");
    }

    #[test]
    fn decades_have_their_own() {
        let labels = [0, 1, 100, 1000, 100_000, 10_000_000_000].map(decade);
        assert_eq!(labels, ["0", "1 ns", "100 ns", "1 µs", "100 µs", "10 s"]);
    }
}
