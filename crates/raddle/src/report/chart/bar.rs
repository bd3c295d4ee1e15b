//! How are bars drawn, each of one part or of several?

use super::scale::Scale;
use super::style::Style;
use super::svg::{Anchor, Svg, UNIT, fitted, text_width};

/// From one bar to the next, its texts included.
const PITCH: i64 = 44 * UNIT;
const THICK: i64 = 20 * UNIT;
const FOOT: i64 = 14 * UNIT;

/// One bar, with texts above its ends.
#[derive(Clone, Debug)]
pub(crate) struct Bar {
    pub(crate) name: String,
    pub(crate) note: String,
    pub(crate) parts: Vec<Part>,
}

/// A part of a bar: `amount` of `whole`.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) style: Style,
    pub(crate) amount: u128,
    pub(crate) whole: u128,
    /// What is written on it, where there is room.
    pub(crate) label: String,
    /// What shows where one points at it.
    pub(crate) hint: String,
}

/// Bars, one below the other; how high a picture of `count` bars must be, in units.
pub(crate) const fn height(count: u16) -> u16 {
    count.saturating_mul((PITCH / UNIT) as u16)
}

/// Draws bars over the width of a picture that is [`height`] high.
pub(crate) fn bars(width: u16, title: &str, description: &str, bars: &[Bar]) -> String {
    let count = u16::try_from(bars.len()).unwrap_or(u16::MAX);
    let mut svg = Svg::new(width, height(count), title, description);
    for (top, bar) in (0..).map(|n| PITCH * n).zip(bars) {
        draw(&mut svg, top, bar);
    }
    svg.finish()
}

fn draw(svg: &mut Svg, top: i64, bar: &Bar) {
    let width = svg.width();
    let note = text_width(&bar.note);
    let name = fitted(&bar.name, width - note - 10 * UNIT);
    svg.text("t s", (0, top + FOOT), Anchor::Start, &name);
    svg.text("t", (width, top + FOOT), Anchor::End, &bar.note);
    let top = top + FOOT + 5 * UNIT;
    svg.rect("empty", (0, top), (width, THICK), "");
    let mut from = 0;
    for part in &bar.parts {
        let length = Scale::linear(1, 0, width).share(part.amount, part.whole);
        let length = length.min(width - from);
        svg.rect(&part.style.area(), (from, top), (length, THICK), &part.hint);
        if text_width(&part.label) + 8 * UNIT <= length {
            let at = (from + 6 * UNIT, top + FOOT);
            svg.text(&part.style.on(), at, Anchor::Start, &part.label);
        }
        from += length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_fill_their_width_and_texts_stand_where_there_is_room() {
        let part = |n, amount, label: &str| Part {
            style: Style(n),
            amount,
            whole: 10,
            label: label.to_owned(),
            hint: format!("part {n}"),
        };
        let bar = Bar {
            name: "a recipe with a name that is too long for it".to_owned(),
            note: "0.5".to_owned(),
            parts: vec![part(0, 7, "70%"), part(1, 2, "20%"), part(2, 1, "10%")],
        };
        insta::assert_snapshot!(bars(200, "t", "d", &[bar]));
    }
}
