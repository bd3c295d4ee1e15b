//! What does the model take, and what lacks, at a glance? The table changes when a comparison is off by
//! one.

use std::fmt::Write;

use raddle_bitmap::Full;
use raddle_golden::matching::model::{by, lowest};
use raddle_workgroup::order::{Fixed, Lowest};

use crate::matching;

fn list(values: impl IntoIterator<Item = impl ToString>) -> String {
    let values: Vec<String> = values.into_iter().map(|value| value.to_string()).collect();
    if values.is_empty() { "-".to_owned() } else { values.join(" ") }
}

#[test]
fn model() {
    let mut table = String::from("lds free  vgpr free  slots  lds vgpr waves  taken or lacking\n");
    for (lds, vgpr, slots) in [("11", "1101", 1), ("01", "0110", 2), ("10", "0000", 0)] {
        for (wants_lds, wants_vgpr, waves) in
            [(0, 0, 0), (1, 1, 1), (1, 2, 1), (2, 1, 1), (1, 3, 2), (0, 0, 2), (3, 4, 3)]
        {
            let model = matching(vec![crate::cu(lds, &[(vgpr, slots)])], 1, 1);
            let heads = [crate::head(0, wants_lds, &[(wants_vgpr, waves)])];
            let order = Fixed::new(1).unwrap();
            let decision = model.decide(&heads, by(Full), (&order, 0), &mut Lowest, lowest);
            let decision = decision.unwrap();
            let taken = decision.target.map(|target| {
                let pieces = target.shared.iter().chain(&target.simds[0]);
                list(pieces.map(|(name, piece)| format!("{name} {piece:?}")))
            });
            let lacks = decision.refusals.iter();
            let lacks = lacks.map(|it| format!("{} {} of {:?}", it.resource, it.wanted, it.left));
            let result = taken.unwrap_or_else(|| format!("lacks {}", list(lacks)));
            let free = format!("{lds:<8}  {vgpr:<9}  {slots:>5}");
            writeln!(table, "{free}  {wants_lds:>3} {wants_vgpr:>4} {waves:>5}  {result}").unwrap();
        }
    }
    insta::assert_snapshot!("model", table);
}
