//! How are amounts stacked over time?

use super::scale::Scale;
use super::style::Style;
use super::svg::{Path, Svg};

/// One amount above the other, the first at the bottom. `edges` are the places between buckets,
/// one more than there are buckets; `heights` gives for each series the amount in each bucket, as
/// a part of `whole[bucket]`.
pub(crate) fn stacked(
    svg: &mut Svg,
    up: &Scale,
    edges: &[i64],
    heights: &[(Style, &[u128], String)],
    whole: &[u128],
) {
    let mut below = vec![0u128; whole.len()];
    for (style, amounts, hint) in heights {
        let above: Vec<u128> = below
            .iter()
            .zip(*amounts)
            .map(|(below, amount)| below.saturating_add(*amount))
            .collect();
        let place = |level: &[u128], bucket: usize| up.share(level[bucket], whole[bucket]);
        let Some((&first, &last)) = edges.first().zip(edges.last()) else {
            return;
        };
        let mut path = Path::at(first, up.ends().0);
        for (bucket, edge) in edges[1..].iter().enumerate() {
            path.y(place(&above, bucket));
            path.x(*edge);
        }
        path.x(last);
        // Back along the top of what lies below.
        for (bucket, edge) in edges[..edges.len() - 1].iter().enumerate().rev() {
            path.y(place(&below, bucket));
            path.x(*edge);
        }
        path.close();
        svg.path(&style.area(), "", &path, hint);
        below = above;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stacked_begins_where_the_other_ends() {
        let mut svg = Svg::new(40, 20, "t", "d");
        let up = Scale::linear(1, 2000, 0);
        let rows: [&[u128]; 2] = [&[5, 0, 2], &[5, 0, 2]];
        let heights = rows.map(|row| (Style(0), row, String::new()));
        stacked(&mut svg, &up, &[0, 1000, 2000, 4000], &heights, &[10, 10, 10]);
        let text = svg.finish();
        let paths: Vec<&str> = text.lines().filter(|line| line.starts_with("<path")).collect();
        // Half of the height, nothing, a fifth; then as much above that.
        assert_eq!(
            paths,
            [
                "<path class=\"f0\" d=\"M0 20v-10h10v10h10v-4h20v4h-20h-10h-10z\"></path>",
                "<path class=\"f0\" d=\"M0 20v-20h10v20h10v-8h20v4h-20v4h-10v-10h-10z\"></path>"
            ]
        );
    }
}
