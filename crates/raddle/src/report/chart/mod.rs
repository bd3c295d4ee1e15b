//! How are figures drawn, so that equal figures give equal bytes everywhere?
//!
//! Pictures are SVG, to stand in a page whose style sheet gives the colours: series `n` has the
//! classes `l<n>` (its line), `f<n>` (its area) and `o<n>` (text on its area). Positions are whole
//! hundredths of a unit of the picture, computed from whole numbers; nothing here is a float. Units
//! are about a pixel where a picture is as wide as it says; it scales with the page.
//!
//! A picture is made of a [`Svg`], two [`Scale`]s in a [`Frame`], and what is drawn between them:
//! [`line`], [`area`], or [`bar`] without a frame. [`legend`] says which series is which.

mod area;
mod axis;
mod bar;
mod legend;
mod line;
mod sample;
mod scale;
mod style;
mod svg;

pub(crate) use area::stacked;
pub(crate) use axis::{Frame, Mark};
pub(crate) use bar::{Bar, Part, bars};
pub(crate) use legend::{Key, legend};
pub(crate) use line::{marker, steps};
pub(crate) use sample::{cumulative, thinned};
pub(crate) use scale::{Scale, round_up};
pub(crate) use style::Style;
pub(crate) use svg::Svg;
