//! How are times and percentages written in a verdict?

/// Writes a fraction as a percentage: 0.05 as "5 %", with one decimal below 1 %.
pub(super) fn percent(share: f64) -> String {
    let hundred = share * 100.0;
    if hundred.abs() >= 0.995 { format!("{hundred:.0} %") } else { format!("{hundred:.1} %") }
}

/// Writes two times, given in nanoseconds, as "42.5 -> 16.9 ms", in the unit of the longer one;
/// each time has its own unit where the shorter one would show no digits.
pub(crate) fn from_to(from: u64, to: u64) -> String {
    let (unit, step) = unit_of(from.max(to));
    if from.min(to) < step / 10 {
        return format!("{} -> {}", time(from), time(to));
    }
    format!("{} -> {} {unit}", digits(from, step), digits(to, step))
}

pub(super) fn time(ns: u64) -> String {
    let (unit, step) = unit_of(ns);
    format!("{} {unit}", digits(ns, step))
}

fn unit_of(ns: u64) -> (&'static str, u64) {
    let units = [("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000)];
    // Half of a unit and more is written in that unit: 0.9 ms, not 900 us.
    units.into_iter().find(|&(_, step)| ns >= step / 2).unwrap_or(("ns", 1))
}

/// Writes `ns` nanoseconds as a number of units of `step` nanoseconds, without the name of the
/// unit: with at most three significant digits, but all digits before the decimal point.
fn digits(ns: u64, step: u64) -> String {
    let value = ns as f64 / step as f64;
    let text = match value {
        _ if step == 1 || value >= 99.95 => return format!("{value:.0}"),
        _ if value >= 9.995 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    };
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
