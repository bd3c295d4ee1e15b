//! How is the chart of latencies drawn?
//!
//! Both axes are logarithmic (base 2), so that 8 T and 1 T are straight lines three steps apart.

use std::fmt::Write as _;

use super::{LENGTHS, Measured, US};

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 420.0;
/// The drawing area in pixels: [left, right, top, bottom].
const AREA: [f64; 4] = [70.0, 600.0, 40.0, 360.0];
/// The lowest latency on the axis, in microseconds; the next constant is the highest.
const LOW_US: u64 = 16;
const HIGH_US: u64 = 16_384;
/// Colours of the lines, which differ on a light and a dark page and for people who see no red.
const COLOURS: [&str; 6] = ["#d55e00", "#e69f00", "#009e73", "#0072b2", "#cc79a7", "#7f7f7f"];

fn x(length_us: u64) -> f64 {
    let [left, right, ..] = AREA;
    let (first, last) = (log2(LENGTHS[0]), log2(LENGTHS[LENGTHS.len() - 1]));
    left + (right - left) * (log2(length_us) - first) / (last - first)
}

fn y(latency_ns: u64) -> f64 {
    let [.., top, bottom] = AREA;
    let (low, high) = (log2(LOW_US * US), log2(HIGH_US * US));
    bottom - (bottom - top) * (log2(latency_ns.max(1)) - low) / (high - low)
}

fn log2(of: u64) -> f64 {
    libm::log2(of as f64)
}

fn text(out: &mut String, x: f64, y: f64, anchor: &str, what: &str) {
    let line =
        writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{what}</text>");
    line.expect("a string");
}

fn line(out: &mut String, from: (f64, f64), to: (f64, f64), class: &str) {
    let ((x1, y1), (x2, y2)) = (from, to);
    writeln!(
        out,
        "<line class=\"{class}\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>"
    )
    .expect("a string");
}

fn frame(out: &mut String) {
    let [left, right, top, bottom] = AREA;
    let mut latency = LOW_US;
    while latency <= HIGH_US {
        let at = y(latency * US);
        line(out, (left, at), (right, at), "grid");
        let label = match latency {
            us if us >= 1024 => format!("{} ms", us / 1024),
            us => format!("{us} us"),
        };
        // The axis has two steps a line: 16, 64, 256 us, 1.024, 4.096, 16.384 ms.
        text(
            out,
            left - 8.0,
            at + 4.0,
            "end",
            &label.replace("1 ms", "1.0 ms").replace("4 ms", "4.1 ms").replace("16 ms", "16.4 ms"),
        );
        latency *= 4;
    }
    for length in LENGTHS {
        line(out, (x(length), bottom), (x(length), bottom + 5.0), "axis");
        text(out, x(length), bottom + 20.0, "middle", &length.to_string());
    }
    line(out, (left, bottom), (right, bottom), "axis");
    line(out, (left, top), (left, bottom), "axis");
    text(
        out,
        (left + right) / 2.0,
        bottom + 42.0,
        "middle",
        "length T of a launch of the victim, us",
    );
    text(
        out,
        left,
        top - 16.0,
        "start",
        "99th percentile of the urgent launch's latency, window 8",
    );
}

/// Returns the chart as SVG: one line for each method, with its name at the right end.
pub(super) fn plot(rows: &[(&str, Vec<Measured>)]) -> String {
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" font-family=\"sans-serif\" font-size=\"12\">\n<title>Latency of urgent work by way off</title>\n<style>text {{ fill: #666 }} .grid {{ stroke: #8884; }} .axis {{ stroke: #888; }} polyline {{ fill: none; stroke-width: 2; }}</style>\n"
    );
    frame(&mut out);
    let mut names: Vec<(f64, &str, &str)> = Vec::new();
    for ((way, row), colour) in rows.iter().zip(COLOURS) {
        let points: Vec<(f64, f64)> = LENGTHS
            .iter()
            .zip(row)
            .map(|(&length, measured)| (x(length), y(measured.percentile(99))))
            .collect();
        let path: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let dash = if *way == "cheapest" { " stroke-dasharray=\"6 4\"" } else { "" };
        writeln!(out, "<polyline stroke=\"{colour}\"{dash} points=\"{}\"/>", path.join(" "))
            .expect("a string");
        for (x, y) in &points {
            writeln!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>")
                .expect("a string");
        }
        names.extend(points.last().map(|&(_, y)| (y, *way, colour)));
    }
    // Names that would lie on each other move down.
    names.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut free = f64::MIN;
    for (at, way, colour) in names {
        let at = (at + 4.0).max(free);
        free = at + 14.0;
        let x = AREA[1] + 12.0;
        writeln!(out, "<text x=\"{x:.1}\" y=\"{at:.1}\" style=\"fill: {colour}\">{way}</text>")
            .expect("a string");
    }
    out + "</svg>\n"
}
