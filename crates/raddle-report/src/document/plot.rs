//! How does a chart become SVG?
//!
//! Series `n` has the classes `l<n>` (its line) and `f<n>` (its area), to which the style sheet
//! gives colours. Positions are rounded to tenths of a unit, which is about a pixel; logarithms are
//! those of `libm`, so that equal charts give equal bytes everywhere.

use std::fmt::Write as _;

use maud::{Markup, html};

use super::chart::{Axis, Chart, ChartKind, ChartSeries, Scale, ValueUnit};
use crate::units::count;

const WIDTH: f64 = 440.0;
const HEIGHT: f64 = 220.0;
const LEFT: f64 = 46.0;
const TOP: f64 = 24.0;
const RIGHT: f64 = WIDTH - 16.0;
/// The height of a line of text.
const LINE: f64 = 11.0;
/// The room that a logarithmic axis leaves between 0 and its first power of ten.
const ZERO: f64 = 30.0;
/// Points of a distribution that are nearer to each other than this are one.
const NEAR: f64 = 2.0;
/// Lines: units drawn and not drawn, by turns. With the colours, forty looks differ.
const DASHES: [&str; 5] = ["none", "7 3", "2 2", "8 3 2 3", "12 4"];
/// Shapes of markers around a point. Their number has no divisor in common with that of the
/// colours.
const SHAPES: [&str; 7] = [
    "m-4-4h8v8h-8z",
    "m0-6l6 6l-6 6l-6-6z",
    "m0-4.5l4.5 9h-9z",
    "m0 4.5l4.5-9h-9z",
    "m-4.5 0l9-4.5v9z",
    "m4.5 0l-9-4.5v9z",
    "m-2-5h4v10h-4z",
];
/// Colours of the style sheet.
const COLOURS: usize = 8;

/// The number of the colour of a series.
pub(super) const fn colour(look: usize) -> usize {
    look % COLOURS
}

/// The picture.
pub(super) fn svg(chart: &Chart) -> Markup {
    let bottom = HEIGHT - if chart.x.title.is_empty() { 24.0 } else { 38.0 };
    let (x, y) = (PlotAxis::new(chart.x, LEFT, RIGHT), PlotAxis::new(chart.y, bottom, TOP));
    let lines: Vec<&ChartSeries> =
        chart.series.iter().filter(|series| !series.points.is_empty()).collect();
    let paths = paths(chart, &lines, &x, &y);
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
            @if chart.kind == ChartKind::Points { (points(&lines, &x, &y, bottom)) }
            @for (series, d) in lines.iter().zip(&paths).rev() {
                @if chart.kind == ChartKind::Stack {
                    path class=(format!("f{}", colour(series.look))) d=(d) { title { (series.words) } }
                } @else if chart.kind != ChartKind::Points {
                    path class=(format!("l l{}", colour(series.look)))
                        stroke-dasharray=(DASHES[series.look % DASHES.len()]) d=(d) {
                        title { (series.words) }
                    }
                }
            }
            @for (series, at) in lines.iter().filter_map(|series| Some((series, series.mark?))) {
                (marker(series.look, (x.at(at.0), y.at(at.1)), &series.words))
            }
        }
    }
}

/// A series of a legend.
pub(super) fn key(kind: ChartKind, look: usize) -> Markup {
    let width = if kind == ChartKind::Stack { 18 } else { 36 };
    html! {
        svg class="key" aria-hidden="true" width=(width) height="12" viewBox=(format!("0 0 {width} 12")) {
            @if kind == ChartKind::Stack {
                path class=(format!("f{}", colour(look))) d="M0 0h18v12h-18z" {}
            } @else {
                path class=(format!("l l{}", colour(look)))
                    stroke-dasharray=(DASHES[look % DASHES.len()]) d="M0 6h36" {}
                @if kind == ChartKind::Distribution { (marker(look, (18.0, 6.0), "")) }
            }
        }
    }
}

fn marker(look: usize, (x, y): (f64, f64), words: &str) -> Markup {
    let d = format!("M{} {}{}", number(x), number(y), SHAPES[look % SHAPES.len()]);
    html! { path class=(format!("mark f{}", colour(look))) d=(d) { title { (words) } } }
}

/// A circle for each series, and its title beside it where there is room.
fn points(series: &[&ChartSeries], x: &PlotAxis, y: &PlotAxis, bottom: f64) -> Markup {
    /// The width of a letter.
    const LETTER: f64 = 6.6;
    let at = |series: &ChartSeries| (x.at(series.points[0].0), y.at(series.points[0].1));
    let mut taken: Vec<[f64; 4]> = series
        .iter()
        .map(|series| at(series))
        .map(|(x, y)| [x - 7.0, y - 7.0, x + 7.0, y + 7.0])
        .collect();
    let mut place = |(x, y): (f64, f64), text: &str| {
        let width = text.chars().count() as f64 * LETTER;
        let shifts = [4.0, 15.0, -8.0, 26.0, -20.0, 38.0, -32.0];
        let places = shifts.into_iter().flat_map(|down| [(10.0, down), (-10.0 - width, down)]);
        let fits = |(right, down): (f64, f64)| {
            let (left, base) = (x + right, y + down);
            let room = [left, base - 11.0, left + width, base + 3.0];
            let inside = left >= 0.0 && left + width <= WIDTH && base <= bottom && base > TOP;
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
        @for (position, series) in series.iter().enumerate() {
            @let (cx, cy) = at(series);
            @let first = position == 0;
            circle class=(if first { "point first" } else { "point" }) r=(if first { "7" } else { "5" })
                cx=(number(cx)) cy=(number(cy)) { title { (series.words) } }
            @let text = crate::units::plain(&series.name, 24);
            @if let Some((left, base)) = place((cx, cy), &text) {
                text class=(if first { "t b" } else { "t" }) x=(number(left)) y=(number(base)) { (text) }
            }
        }
    }
}

/// Lines across, each with its value at the left where there is room.
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
                text class="t" x=(LEFT - 5.0) y=(number(at + 4.0)) text-anchor="end" { (label) }
            }
        }
    }
}

/// Short lines below, each with its value where there is room; the last one goes before others.
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

/// The way of the pen for each series. Of areas on top of each other each reaches down to the axis,
/// and those below are drawn over it.
fn paths(chart: &Chart, lines: &[&ChartSeries], x: &PlotAxis, y: &PlotAxis) -> Vec<String> {
    let mut sums: Vec<(f64, f64)> = Vec::new();
    let path = |series: &&ChartSeries| match chart.kind {
        ChartKind::Stack => {
            sums.resize(series.points.len(), (0.0, 0.0));
            for (sum, point) in sums.iter_mut().zip(&series.points) {
                *sum = (point.0, sum.1 + point.1);
            }
            steps(&sums, x, y, false)
        }
        kind => steps(&series.points, x, y, kind == ChartKind::Distribution),
    };
    lines.iter().map(path).collect()
}

fn steps(points: &[(f64, f64)], x: &PlotAxis, y: &PlotAxis, thin: bool) -> String {
    let mut kept: Vec<(f64, f64)> = Vec::new();
    for &(along, up) in points {
        let place = (x.at(along), y.at(up));
        match kept.as_mut_slice() {
            // The very first and the very last stay.
            [_, .., last] if thin && place.0 - last.0 < NEAR => *last = place,
            _ => kept.push(place),
        }
    }
    let mut pen = Pen::at(kept[0].0, y.from);
    for (along, up) in kept {
        pen.to(along, up);
    }
    pen.path
}

/// Draws along first, then up; what is not seen to move is left out.
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

/// Tenths of a unit, without needless digits.
fn number(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// An axis in a picture.
struct PlotAxis {
    axis: Axis,
    from: f64,
    to: f64,
}

impl PlotAxis {
    const fn new(axis: Axis, from: f64, to: f64) -> Self {
        Self { axis, from, to }
    }

    /// Where a value stands; what is too large stands at the end.
    fn at(&self, value: f64) -> f64 {
        let within = |from: f64, share: f64| from + (self.to - from) * share.clamp(0.0, 1.0);
        match self.axis.scale {
            Scale::Linear(most) if most <= 0.0 => self.from,
            Scale::Linear(most) => within(self.from, value / most),
            Scale::Log(..) if value <= 0.0 => self.from,
            Scale::Log(least, most) => {
                let (low, high) = decades(least, most);
                let begin = self.from + ZERO.copysign(self.to - self.from);
                within(begin, (libm::log10(value) - low) / (high - low))
            }
            Scale::Ratio(least, most) => {
                let [low, high, value] = [least, most, value].map(|v| libm::log10(v.max(1e-9)));
                within(self.from, (value - low) / (high - low).max(1e-9))
            }
            Scale::Nines(_) if value >= 1.0 => self.to,
            Scale::Nines(all) => {
                within(self.from, -libm::log10(1.0 - value) / (libm::log10(all.max(2.0)) + 0.5))
            }
        }
    }

    /// Values to write beside it and where they stand; of a linear axis about `most`.
    fn ticks(&self, most: u32) -> Vec<(f64, String)> {
        let values: Vec<f64> = match self.axis.scale {
            Scale::Linear(end) => {
                let step = round_up(end / f64::from(most), self.axis.unit);
                (0..=most).map(|n| f64::from(n) * step).filter(|value| *value <= end).collect()
            }
            Scale::Log(least, end) => {
                let (low, high) = decades(least, end);
                let powers = (low as i32..=high as i32).map(|power| 10f64.powi(power));
                std::iter::once(0.0).chain(powers).collect()
            }
            Scale::Ratio(least, end) => {
                let first = libm::floor(libm::log10(least.max(1e-9))) as i32;
                let last = libm::ceil(libm::log10(end.max(1e-9))) as i32;
                let steps = if last - first > 3 { &[1.0][..] } else { &[1.0, 2.0, 5.0] };
                let round = (first..=last)
                    .flat_map(|power| steps.iter().map(move |step| step * 10f64.powi(power)));
                round.filter(|value| (least..=end).contains(value)).collect()
            }
            Scale::Nines(all) => {
                let powers = (1..16).map(|power| 10f64.powi(power)).take_while(|rest| *rest <= all);
                let nines = powers.map(|rest| 1.0 - 1.0 / rest);
                [0.0, 0.5].into_iter().chain(nines).chain([1.0]).collect()
            }
        };
        let end = match self.axis.scale {
            Scale::Linear(end) => Some(end),
            _ => None,
        };
        let label = |value| (self.at(value), label(value, self.axis.unit, end));
        values.into_iter().map(label).collect()
    }
}

/// The powers of ten around values.
fn decades(least: f64, most: f64) -> (f64, f64) {
    let low = libm::floor(libm::log10(least.max(1.0)));
    (low, libm::ceil(libm::log10(most.max(1.0))).max(low + 1.0))
}

/// The smallest of 1, 2, 5, 10, ... and, of shares and means, of 0.5, 0.2, ... that is not below a
/// value.
pub(crate) fn round_up(value: f64, unit: ValueUnit) -> f64 {
    let least = if unit == ValueUnit::Ns { 1.0 } else { 0.01 };
    let value = value.max(least);
    let power = 10f64.powi(libm::floor(libm::log10(value) + 1e-9) as i32);
    let round = [1.0, 2.0, 5.0].map(|n| n * power);
    round.into_iter().find(|round| *round >= value * (1.0 - 1e-9)).unwrap_or(10.0 * power)
}

/// A value beside an axis; times in the unit that suits the end of the axis, or each its own.
fn label(value: f64, unit: ValueUnit, end: Option<f64>) -> String {
    const UNITS: [(f64, &str); 4] = [(1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns")];
    match unit {
        ValueUnit::Share => format!("{}%", decimals(value * 100.0, 13)),
        ValueUnit::Count if value.fract() == 0.0 => count(value as u64),
        ValueUnit::Count => decimals(value, 2),
        ValueUnit::Ns if value == 0.0 => "0".to_owned(),
        ValueUnit::Ns => {
            let fits = |(unit, _): &&(f64, &str)| end.unwrap_or(value) >= *unit;
            let (unit, name) = UNITS.iter().find(fits).unwrap_or(&UNITS[3]);
            format!("{} {name}", decimals(value / unit, 3))
        }
    }
}

/// At most so many decimals, none of them needless.
fn decimals(value: f64, most: usize) -> String {
    let text = format!("{value:.most$}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(scale: Scale, unit: ValueUnit) -> PlotAxis {
        PlotAxis::new(Axis { title: "", scale, unit }, 0.0, 400.0)
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
        assert_eq!(labels(Scale::Linear(7.0), ValueUnit::Count), ["0", "2", "4", "6"]);
        assert_eq!(labels(Scale::Linear(0.7), ValueUnit::Count), ["0", "0.2", "0.4", "0.6"]);
        assert_eq!(labels(Scale::Linear(1.0), ValueUnit::Share), ["0%", "50%", "100%"]);
        assert_eq!(
            labels(Scale::Log(320.0, 2e5), ValueUnit::Ns),
            ["0", "100 ns", "1 µs", "10 µs", "100 µs", "1 ms"]
        );
        let nines = labels(Scale::Nines(1000.0), ValueUnit::Share);
        assert_eq!(nines, ["0%", "50%", "90%", "99%", "99.9%", "100%"]);
    }

    #[test]
    fn any_value_stands_within() {
        for scale in [
            Scale::Linear(0.0),
            Scale::Linear(u64::MAX as f64),
            Scale::Log(0.0, 0.0),
            Scale::Log(1.0, u64::MAX as f64),
            Scale::Nines(0.0),
            Scale::Nines(1e18),
        ] {
            for value in [0.0, 0.5, 1.0, 7.0, u64::MAX as f64] {
                let at = axis(scale, ValueUnit::Ns).at(value);
                assert!((0.0..=400.0).contains(&at), "{scale:?} {value}: {at}");
            }
            assert!(axis(scale, ValueUnit::Ns).ticks(6).len() < 25, "{scale:?}");
        }
    }

    #[test]
    fn powers_of_ten_and_nines_are_equally_far_apart() {
        let at = |scale, values: [f64; 4]| {
            values.map(|value| number(axis(scale, ValueUnit::Ns).at(value)))
        };
        assert_eq!(at(Scale::Log(1.0, 100.0), [0.0, 1.0, 10.0, 100.0]), ["0", "30", "215", "400"]);
        assert_eq!(at(Scale::Nines(1000.0), [0.0, 0.9, 0.99, 1.0]), ["0", "114.3", "228.6", "400"]);
    }

    #[test]
    fn texts_stay_in_the_picture_and_off_each_other() {
        let drawn = |most| {
            let axis = Axis { title: "", scale: Scale::Linear(most), unit: ValueUnit::Ns };
            let svg = columns(&PlotAxis::new(axis, LEFT, LEFT + 60.0), 100.0).into_string();
            svg.matches("<text").count()
        };
        assert_eq!((drawn(1.0), drawn(8e6)), (2, 3));
    }

    #[test]
    fn areas_stand_on_each_other_and_many_points_become_few() {
        let points = vec![(0.0, 0.5), (10.0, 0.0), (20.0, 0.2), (40.0, 0.0)];
        let series = |look| ChartSeries {
            look,
            name: String::new(),
            words: "w".to_owned(),
            points: points.clone(),
            mark: None,
        };
        let mut chart = Chart {
            title: "<a>".to_owned(),
            note: String::new(),
            words: "\"b\"".to_owned(),
            kind: ChartKind::Stack,
            x: Axis { title: "", scale: Scale::Linear(40.0), unit: ValueUnit::Ns },
            y: Axis { title: "up", scale: Scale::Linear(1.0), unit: ValueUnit::Share },
            rule: None,
            series: vec![series(0), series(1)],
        };
        insta::assert_snapshot!(svg(&chart).into_string().replace("><", ">\n<"));
        chart.kind = ChartKind::Distribution;
        let values = (0..10_000).map(|n| (f64::from(n) / 250.0, f64::from(n) / 1e4));
        chart.series[0].points = values.collect();
        chart.series[0].mark = Some((30.0, 0.9));
        let svg = svg(&chart).into_string();
        assert!(svg.len() < 4000, "{}", svg.len());
    }
}
