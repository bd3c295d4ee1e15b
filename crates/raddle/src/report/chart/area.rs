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
