//! How does a chart become SVG?
//!
//! Series `n` has the classes `l<n>` (its line) and `f<n>` (its area), to which the style sheet
//! gives colours. Positions are rounded to tenths of a unit, which is about a pixel; logarithms are
//! those of `libm`, so that equal charts give equal bytes everywhere.

use std::fmt::Write as _;

use maud::{Markup, html};

use super::chart::{Chart, ChartAxis, ChartKind, ChartSeries, Scale, SeriesLook, ValueUnit};

const WIDTH: f64 = 440.0;
const HEIGHT: f64 = 220.0;
const LEFT: f64 = 50.0;
const TOP: f64 = 24.0;
const RIGHT: f64 = WIDTH - 16.0;
/// Height of a line of text, in units of the picture's coordinates.
const LINE: f64 = 11.0;
/// Distance, in units of the picture's coordinates, below which two points of a stepped line are
/// drawn as one.
const NEAR: f64 = 2.0;
/// Dash patterns of the lines of series of equal importance, used in turn. Each pattern is lengths
/// that are drawn and not drawn. With the colours, 35 lines look different.
const DASHES: [&str; 5] = ["none", "7 3", "2 2", "8 3 2 3", "12 4"];
/// Dash patterns of the lines of recipes (ways of sharing the device) that are neither recommended
/// nor the baseline, used in turn. Each pattern is lengths that are drawn and not drawn.
const OTHERS: [&str; 6] = ["7 3", "2 2", "8 3 2 3", "14 4", "1 5", "10 2 2 2 2 2"];
/// Number of colours that the style sheet has for the lines of charts.
const COLOURS: usize = 7;
/// Largest number of points of a line whose points are marked by circles; lines with more points
/// have no marks.
const MARKED: usize = 24;

impl SeriesLook {
    /// Returns the CSS class that gives the series its colour.
    fn class(self) -> String {
        match self {
            Self::Chosen => "chosen".to_owned(),
            Self::Baseline => "base".to_owned(),
            Self::Other(_) => "other".to_owned(),
            Self::Nth(at) => format!("l{}", at % COLOURS),
        }
    }

    /// Returns the dash pattern of the series' line, as an SVG attribute has it.
    const fn dashes(self) -> &'static str {
        match self {
            Self::Chosen | Self::Baseline => "none",
            Self::Other(at) => OTHERS[at % OTHERS.len()],
            Self::Nth(at) => DASHES[at % DASHES.len()],
        }
    }
}

/// Draws a chart as an SVG picture.
pub(super) fn svg(chart: &Chart) -> Markup {
    let bottom = HEIGHT - if chart.x.title.is_empty() { 24.0 } else { 38.0 };
    let (x, y) = (PlotAxis::new(chart.x, LEFT, RIGHT), PlotAxis::new(chart.y, bottom, TOP));
    let lines: Vec<&ChartSeries> =
        chart.series.iter().filter(|series| !series.points.is_empty()).collect();
    html! {
        svg class="chart" role="img" viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) {
            title { (chart.title) }
            desc { (chart.words) }
            (rows(&y))
            (columns(&x, bottom))
            text class="t m" x="0" y=(LINE) { (chart.y.title) }
            text class="t m" x=(RIGHT) y=(HEIGHT - 3.0) text-anchor="end" { (chart.x.title) }
            @if let Some(at) = chart.rule.map(|value| y.at(value)) {
                @if chart.kind == ChartKind::Points {
                    rect class="goal" x=(LEFT) width=(RIGHT - LEFT) y=(number(at)) height=(number(bottom - at)) {}
                }
                line class="rule" x1=(LEFT) x2=(RIGHT) y1=(number(at)) y2=(number(at)) {}
            }
            @if chart.kind == ChartKind::Points { (points(&lines, 0, &x, &y, bottom)) }
            @if let ChartKind::Front(on) = chart.kind {
                path class="l front" d=(joined(lines.iter().take(on).map(|series| series.points[0]), &x, &y)) {}
                (points(&lines, on, &x, &y, bottom))
            }
            @if matches!(chart.kind, ChartKind::Lines | ChartKind::Steps) {
                @for series in lines.iter().rev() { (line(series, chart.kind, &x, &y)) }
            }
        }
    }
}

/// Draws the line of a series. Under `ChartKind::Lines` each point of a short line is marked by a
/// circle, so that a single point is seen too.
fn line(series: &ChartSeries, kind: ChartKind, x: &PlotAxis, y: &PlotAxis) -> Markup {
    let class = series.look.class();
    let path = match kind {
        ChartKind::Steps => steps(&series.points, x, y),
        _ => joined(series.points.iter().copied(), x, y),
    };
    let marked = kind == ChartKind::Lines && series.points.len() <= MARKED;
    html! {
        path class=(format!("l {class}")) stroke-dasharray=(series.look.dashes()) d=(path) {
            title { (series.words) }
        }
        @for &(along, up) in series.points.iter().filter(|_| marked) {
            circle class=(format!("mark {class}")) r="3" cx=(number(x.at(along))) cy=(number(y.at(up))) {}
        }
    }
}

/// Draws the short sample of a line by which a legend shows a series.
pub(super) fn key(look: SeriesLook) -> Markup {
    html! {
        svg class="key" aria-hidden="true" width="36" height="12" viewBox="0 0 36 12" {
            path class=(format!("l {}", look.class())) stroke-dasharray=(look.dashes()) d="M0 6h36" {}
        }
    }
}

/// Draws the first point of each series as a circle, with the name of the series beside it where
/// there is room; the first `firsts` circles are larger.
fn points(
    series: &[&ChartSeries],
    firsts: usize,
    x: &PlotAxis,
    y: &PlotAxis,
    bottom: f64,
) -> Markup {
    /// Width of a letter, in units of the picture's coordinates.
    const LETTER: f64 = 6.6;
    let at = |series: &ChartSeries| (x.at(series.points[0].0), y.at(series.points[0].1));
    let mut taken: Vec<[f64; 4]> = series
        .iter()
        .map(|series| at(series))
        .map(|(x, y)| [x - 7.0, y - 7.0, x + 7.0, y + 7.0])
        .chain(series.iter().flat_map(|series| whiskers(series, x, y)).map(|[x1, y1, x2, y2]| {
            [x1.min(x2) - 1.0, y1.min(y2) - 1.0, x1.max(x2) + 1.0, y1.max(y2) + 1.0]
        }))
        .collect();
    let mut place = |(x, y): (f64, f64), text: &str| {
        let width = text.chars().count() as f64 * LETTER;
        let shifts = [4.0, 15.0, -8.0, 26.0, -20.0, 38.0, -32.0];
        let places = shifts.into_iter().flat_map(|down| [(10.0, down), (-10.0 - width, down)]);
        let fits = |(right, down): (f64, f64)| {
            let (left, base) = (x + right, y + down);
            let room = [left, base - 11.0, left + width, base + 3.0];
            let inside = left >= LEFT && left + width <= WIDTH && base <= bottom && base > TOP;
            let free = |o: &[f64; 4]| {
                room[0] >= o[2] || room[2] <= o[0] || room[1] >= o[3] || room[3] <= o[1]
            };
            (inside && taken.iter().all(free)).then_some((left, base, room))
        };
        let (left, base, room) = places.into_iter().find_map(fits)?;
        taken.push(room);
        Some((left, base))
    };
    html! {
        @for series in series {
            @for [x1, y1, x2, y2] in whiskers(series, x, y) {
                line class=(if series.look == SeriesLook::Chosen { "whisker chosen" } else { "whisker" })
                    x1=(number(x1)) y1=(number(y1)) x2=(number(x2)) y2=(number(y2)) {}
            }
        }
        @for (position, series) in series.iter().enumerate() {
            @let (cx, cy) = at(series);
            @let chosen = series.look == SeriesLook::Chosen;
            @let first = chosen || position < firsts;
            circle class=(if chosen { "point chosen" } else if first { "point first" } else { "point" })
                r=(if first { "7" } else { "5" }) cx=(number(cx)) cy=(number(cy)) { title { (series.words) } }
            @let text = raddle_study::units::plain(&series.name, 24);
            @if let Some((left, base)) = place((cx, cy), &text) {
                text class=(if first { "t b" } else { "t" }) x=(number(left)) y=(number(base)) { (text) }
            }
        }
    }
}

/// Returns the lines that show the intervals of a series' first point, each as [x, y, x, y] of the
/// line's two ends.
fn whiskers(series: &ChartSeries, x: &PlotAxis, y: &PlotAxis) -> Vec<[f64; 4]> {
    let (along, up) = (x.at(series.points[0].0), y.at(series.points[0].1));
    let [across, upright] = series.within;
    let across = across.map(|[from, to]| [x.at(from), up, x.at(to), up]);
    let upright = upright.map(|[from, to]| [along, y.at(from), along, y.at(to)]);
    across.into_iter().chain(upright).collect()
}

/// Draws the horizontal grid lines of a chart, each with its value at the left where there is room.
fn rows(y: &PlotAxis) -> Markup {
    let mut before = f64::INFINITY;
    let mut room = |at: f64| {
        let room = before - at >= LINE;
        before = if room { at } else { before };
        room
    };
    html! {
        @for (at, label) in y.ticks(6) {
            line class=(if at == y.from { "axis" } else { "grid" })
                x1=(LEFT) x2=(RIGHT) y1=(number(at)) y2=(number(at)) {}
            @if room(at) {
                text class="t" x=(LEFT - 8.0) y=(number(at + 4.0)) text-anchor="end" { (label) }
            }
        }
    }
}

/// Draws the short tick lines below a chart's horizontal axis, each with its value where there is
/// room; room is kept for the value of the last tick.
fn columns(x: &PlotAxis, bottom: f64) -> Markup {
    let ticks = x.ticks(8);
    let span = |(at, label): &(f64, String)| {
        let half = (7 * label.chars().count() + 4) as f64 / 2.0;
        let at = at.clamp(half, WIDTH - half);
        (at - half, at, at + half)
    };
    let last = ticks.last().map_or(0.0, |tick| span(tick).0);
    let mut before = f64::NEG_INFINITY;
    let mut room = |position: usize, (from, _, to): (f64, f64, f64)| {
        let room = from >= before && (to <= last || position + 1 == ticks.len());
        before = if room { to } else { before };
        room
    };
    html! {
        @for (position, tick) in ticks.iter().enumerate() {
            line class="axis" x1=(number(tick.0)) x2=(number(tick.0)) y1=(bottom) y2=(bottom + 3.0) {}
            @if room(position, span(tick)) {
                text class="t" x=(number(span(tick).1)) y=(bottom + 14.0) text-anchor="middle" { (tick.1) }
            }
        }
    }
}

/// Returns the path data of an SVG picture that joins points by straight lines.
fn joined(points: impl Iterator<Item = (f64, f64)>, x: &PlotAxis, y: &PlotAxis) -> String {
    let places = points.map(|(along, up)| format!("{} {}", number(x.at(along)), number(y.at(up))));
    places
        .enumerate()
        .fold(String::new(), |path, (n, place)| path + if n == 0 { "M" } else { "L" } + &place)
}

/// Returns the path data of an SVG picture that joins points by steps; points that lie too close to
/// be told apart are drawn as one.
fn steps(points: &[(f64, f64)], x: &PlotAxis, y: &PlotAxis) -> String {
    let mut kept: Vec<(f64, f64)> = Vec::new();
    for &(along, up) in points {
        let place = (x.at(along), y.at(up));
        match kept.as_mut_slice() {
            // The very first and the very last point stay.
            [_, .., last] if place.0 - last.0 < NEAR => *last = place,
            _ => kept.push(place),
        }
    }
    let mut pen = Pen::at(kept[0].0, y.from);
    for (along, up) in kept {
        pen.to(along, up);
    }
    pen.path
}

/// Writer of the path data of a stepped line: each step goes first horizontally, then vertically.
/// Moves too short to be seen are left out.
struct Pen {
    path: String,
    at: (String, String),
}

impl Pen {
    fn at(x: f64, y: f64) -> Self {
        let at = (number(x), number(y));
        Self { path: format!("M{} {}", at.0, at.1), at }
    }

    fn to(&mut self, x: f64, y: f64) {
        let to = (number(x), number(y));
        if to.0 != self.at.0 {
            // Writing to a string cannot fail.
            let _ = write!(self.path, "H{}", to.0);
        }
        if to.1 != self.at.1 {
            let _ = write!(self.path, "V{}", to.1);
        }
        self.at = to;
    }
}

/// Writes a coordinate of a picture with at most one decimal.
fn number(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// Axis of a chart, with the positions of its two ends in the picture, in units of the picture's
/// coordinates.
struct PlotAxis {
    axis: ChartAxis,
    from: f64,
    to: f64,
}

impl PlotAxis {
    const fn new(axis: ChartAxis, from: f64, to: f64) -> Self {
        Self { axis, from, to }
    }

    /// Returns where a value is drawn on the axis, in units of the picture; a value beyond an end
    /// is drawn at that end.
    fn at(&self, value: f64) -> f64 {
        let within = |from: f64, share: f64| from + (self.to - from) * share.clamp(0.0, 1.0);
        match self.axis.scale {
            Scale::Linear(most) if most <= 0.0 => self.from,
            Scale::Linear(most) => within(self.from, value / most),
            Scale::Ratio(least, most) => {
                let [low, high, value] = [least, most, value].map(|v| libm::log10(v.max(1e-9)));
                within(self.from, (value - low) / (high - low).max(1e-9))
            }
        }
    }

    /// Returns the ticks of the axis, each as (position on the axis in units of the picture, text
    /// of the value there); a linear axis has about `most` of them.
    fn ticks(&self, most: u32) -> Vec<(f64, String)> {
        let values: Vec<f64> = match self.axis.scale {
            Scale::Linear(end) => {
                let step = round_up(end / f64::from(most), self.axis.unit);
                (0..=most).map(|n| f64::from(n) * step).filter(|value| *value <= end).collect()
            }
            Scale::Ratio(least, end) => {
                let first = libm::floor(libm::log10(least.max(1e-9))) as i32;
                let last = libm::ceil(libm::log10(end.max(1e-9))) as i32;
                let steps = if last - first > 3 { &[1.0][..] } else { &[1.0, 2.0, 5.0] };
                let round = (first..=last)
                    .flat_map(|power| steps.iter().map(move |step| step * 10f64.powi(power)));
                let round: Vec<f64> = round.filter(|value| (least..=end).contains(value)).collect();
                if round.len() > 1 {
                    round
                } else {
                    // A range too short for these has equal steps.
                    let step = round_up((end - least) / f64::from(most), self.axis.unit);
                    let from = libm::ceil(least / step);
                    let steps = (0..=most).map(|n| (from + f64::from(n)) * step);
                    steps.filter(|value| *value <= end).collect()
                }
            }
        };
        let end = match self.axis.scale {
            Scale::Linear(end) => Some(end),
            Scale::Ratio(..) => None,
        };
        let label = |value| (self.at(value), label(value, self.axis.unit, end));
        values.into_iter().map(label).collect()
    }
}

/// Rounds a value up to the nearest of 1, 2, 5, 10, 20, .. times a power of ten; the result is at
/// least 1 ns for a time, and 0.01 for a fraction or plain number.
fn round_up(value: f64, unit: ValueUnit) -> f64 {
    let least = if unit == ValueUnit::Ns { 1.0 } else { 0.01 };
    let value = value.max(least);
    let power = 10f64.powi(libm::floor(libm::log10(value) + 1e-9) as i32);
    let round = [1.0, 2.0, 5.0].map(|n| n * power);
    round.into_iter().find(|round| *round >= value * (1.0 - 1e-9)).unwrap_or(10.0 * power)
}

/// Writes the value of a tick beside an axis. A time is written in the unit from ns to s that suits
/// `end`, the end of the axis in ns; with `None`, in the unit that suits the time itself.
fn label(value: f64, unit: ValueUnit, end: Option<f64>) -> String {
    const UNITS: [(f64, &str); 4] = [(1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns")];
    match unit {
        ValueUnit::Share => format!("{}%", decimals(value * 100.0, 13)),
        ValueUnit::Number => decimals(value, 9),
        ValueUnit::Ns if value == 0.0 => "0".to_owned(),
        ValueUnit::Ns => {
            let fits = |(unit, _): &&(f64, &str)| end.unwrap_or(value) >= *unit;
            let (unit, name) = UNITS.iter().find(fits).unwrap_or(&UNITS[3]);
            format!("{} {name}", decimals(value / unit, 3))
        }
    }
}

/// Writes a number with at most `most` decimals, without trailing zeros.
fn decimals(value: f64, most: usize) -> String {
    let text = format!("{value:.most$}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(scale: Scale, unit: ValueUnit) -> PlotAxis {
        PlotAxis::new(ChartAxis { title: "", scale, unit }, 0.0, 400.0)
    }

    fn labels(scale: Scale, unit: ValueUnit) -> Vec<String> {
        axis(scale, unit).ticks(4).into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn values_beside_an_axis_are_round() {
        assert_eq!(labels(Scale::Linear(84_500_000.0), ValueUnit::Ns), ["0", "50 ms"]);
        assert_eq!(
            labels(Scale::Linear(1_700_000.0), ValueUnit::Ns),
            ["0", "0.5 ms", "1 ms", "1.5 ms"]
        );
        assert_eq!(labels(Scale::Linear(1.0), ValueUnit::Share), ["0%", "50%", "100%"]);
        assert_eq!(labels(Scale::Ratio(320.0, 2e3), ValueUnit::Ns), ["500 ns", "1 µs", "2 µs"]);
        assert_eq!(labels(Scale::Ratio(61e6, 79e6), ValueUnit::Ns), ["65 ms", "70 ms", "75 ms"]);
    }

    #[test]
    fn any_value_stands_within() {
        for scale in [
            Scale::Linear(0.0),
            Scale::Linear(u64::MAX as f64),
            Scale::Ratio(0.0, 0.0),
            Scale::Ratio(1.0, u64::MAX as f64),
        ] {
            for value in [0.0, 0.5, 1.0, 7.0, u64::MAX as f64] {
                let at = axis(scale, ValueUnit::Ns).at(value);
                assert!((0.0..=400.0).contains(&at), "{scale:?} {value}: {at}");
            }
            assert!(axis(scale, ValueUnit::Ns).ticks(6).len() < 25, "{scale:?}");
        }
    }

    #[test]
    fn equal_ratios_are_equally_far_apart() {
        let axis = axis(Scale::Ratio(1.0, 100.0), ValueUnit::Ns);
        assert_eq!(
            [0.0, 1.0, 10.0, 100.0].map(|value| number(axis.at(value))),
            ["0", "0", "200", "400"]
        );
    }

    #[test]
    fn texts_stay_in_the_picture_and_off_each_other() {
        let drawn = |most| {
            let axis = ChartAxis { title: "", scale: Scale::Linear(most), unit: ValueUnit::Ns };
            let svg = columns(&PlotAxis::new(axis, LEFT, LEFT + 60.0), 100.0).into_string();
            svg.matches("<text").count()
        };
        assert_eq!((drawn(1.0), drawn(8e6)), (2, 3));
    }

    #[test]
    fn lines_are_steps_and_many_points_become_few() {
        let series = |at, points| {
            ChartSeries::new(SeriesLook::Nth(at), String::new(), "w".to_owned(), points)
        };
        let points = vec![(0.0, 0.5), (10.0, 0.0), (20.0, 0.2), (40.0, 0.0)];
        let mut chart = Chart {
            title: "<a>".to_owned(),
            note: String::new(),
            words: "\"b\"".to_owned(),
            kind: ChartKind::Steps,
            x: ChartAxis { title: "", scale: Scale::Linear(40.0), unit: ValueUnit::Ns },
            y: ChartAxis { title: "up", scale: Scale::Linear(1.0), unit: ValueUnit::Share },
            rule: None,
            series: vec![series(0, points.clone()), series(1, points)],
        };
        insta::assert_snapshot!(svg(&chart).into_string().replace("><", ">\n<"));
        // A single value is seen, with its interval.
        let single = |kind| {
            let mut one = series(0, vec![(10.0, 0.5)]);
            one.within = [None, Some([0.25, 0.75])];
            svg(&Chart { kind, series: vec![one], ..chart.clone() }).into_string()
        };
        assert!(single(ChartKind::Lines).contains("<circle class=\"mark l0\""));
        assert!(single(ChartKind::Points).contains("<line class=\"whisker\""));
        let values = (0..10_000).map(|n| (f64::from(n) / 250.0, f64::from(n) / 1e4));
        chart.series[0].points = values.collect();
        let svg = svg(&chart).into_string();
        assert!(svg.len() < 5000, "{}", svg.len());
    }
}
