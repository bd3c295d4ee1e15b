//! How does one series look, so that it is told from the others without colour too?

/// Colours of the style sheet, `--s0` and so on.
const COLOURS: usize = 8;
/// Lines: of so many units drawn, and so many not, by turns.
const DASHES: [&str; 5] = ["", "7 3", "2 2", "8 3 2 3", "12 4"];

/// The look of the series of this number, from 0: colour, dashes and marker. Forty looks differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Style(pub(crate) usize);

impl Style {
    /// The class of its line.
    pub(crate) fn line(self) -> String {
        format!("l l{}", self.colour())
    }

    /// The class of its area, marker or bar.
    pub(crate) fn area(self) -> String {
        format!("f{}", self.colour())
    }

    /// The class of text on its area.
    pub(crate) fn on(self) -> String {
        format!("t o{}", self.colour())
    }

    /// The attribute that makes its dashes, if it has some.
    pub(crate) fn dashes(self) -> String {
        match DASHES[self.0 % DASHES.len()] {
            "" => String::new(),
            dashes => format!("stroke-dasharray=\"{dashes}\""),
        }
    }

    const fn colour(self) -> usize {
        self.0 % COLOURS
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn forty_series_look_different() {
        let looks = (0..40).map(|n| (Style(n).line(), Style(n).dashes()));
        assert_eq!(looks.collect::<BTreeSet<_>>().len(), 40);
    }
}
