//! Do the laws hold for any sequence, against a count block by block?

use std::collections::{BTreeMap, VecDeque};

use proptest::collection::vec;
use proptest::prelude::*;
use raddle_bitmap::{Full, View};
use raddle_golden::matching::model::{
    Cu, MatchDecision, MatchHead, MatchModel, MatchTarget, Stock, TakenPiece, Wants, by, lowest,
};
use raddle_workgroup::order::{Fixed, Lowest, Order, Windows};

use crate::{amounts, commit, cu, head, left, matching, release, waves};

type Unit = Cu<&'static str>;
type Entry = MatchHead<&'static str>;

fn digits(most: usize) -> impl Strategy<Value = String> {
    vec(prop_oneof![3 => Just('1'), 1 => Just('0')], 1..=most)
        .prop_map(|it| it.into_iter().collect())
}

fn unit(simds: usize) -> impl Strategy<Value = Unit> {
    (digits(6), vec((digits(9), 0u64..4), simds)).prop_map(|(lds, simds)| {
        let simds: Vec<(&str, u64)> = simds.iter().map(|(map, slots)| (&**map, *slots)).collect();
        cu(&lds, &simds)
    })
}

fn entry(simds: usize) -> impl Strategy<Value = Entry> {
    let groups = vec((0u64..4, 0u64..3), simds);
    prop_oneof![
        (0usize..3, 0u64..3, groups).prop_map(|(level, lds, groups)| head(level, lds, &groups)),
        (0usize..3, 0u64..3, 1u64..5, 0u64..3)
            .prop_map(|(level, lds, n, vgpr)| waves(level, lds, n, vgpr)),
    ]
    .prop_map(|head| head.expect("there is one"))
}

/// Draws compute units, and for each channel the workgroups that come through it.
fn scenario() -> impl Strategy<Value = (Vec<Unit>, Vec<VecDeque<Entry>>)> {
    (1usize..4).prop_flat_map(|simds| {
        let channels = vec(vec(entry(simds), 0..5).prop_map(VecDeque::from), 1..5);
        (vec(unit(simds), 1..4), channels)
    })
}

/// Finds a place for this amount in a resource, block by block, slowly and plainly.
fn room(stock: &Stock, wanted: u64) -> Option<usize> {
    let text = left(stock);
    match stock {
        Stock::Count(free) => (*free >= wanted).then_some(0),
        Stock::Run { .. } => (0..=text.len()).find(|&start| {
            let run = text.get(start..start + wanted as usize);
            run.is_some_and(|run| run.bytes().all(|digit| digit == b'1'))
        }),
    }
}

/// Lists the amounts that a head (first workgroup of a channel) wants of a compute unit: `None` for
/// the whole unit, then SIMD by SIMD.
fn wants(entry: &Entry, cu: &Unit) -> Vec<(Option<usize>, &'static str, u64)> {
    let q = cu.simds.len() as u64;
    let (shared, groups) = match &entry.wants {
        Wants::Groups { shared, groups } => (shared.clone(), groups.clone()),
        Wants::Waves { shared, waves, each } => {
            // Dealt out one by one, behind the SIMD that had the last.
            let mut groups = vec![0; q as usize];
            let at = u64::from(cu.pointer.as_ref().expect("all have one").at());
            (0..*waves).for_each(|wave| groups[((at + 1 + wave) % q) as usize] += 1);
            let group = |n: &u64| each.iter().map(|(name, amount)| (*name, amount * n)).collect();
            (shared.clone(), groups.iter().map(group).collect())
        }
    };
    let mut all: Vec<_> = shared.iter().map(|(name, amount)| (None, *name, *amount)).collect();
    for (simd, group) in groups.iter().enumerate() {
        all.extend(group.iter().map(|(name, amount)| (Some(simd), *name, *amount)));
    }
    all
}

fn stock<'u>(cu: &'u Unit, simd: Option<usize>, name: &str) -> &'u Stock {
    simd.map_or(&cu.shared, |simd| &cu.simds[simd]).get(name).expect("they are alike")
}

/// Checks against a count block by block which heads (first workgroups of channels) fit which
/// compute units, and which resources lack.
fn check(
    model: &MatchModel<&'static str>,
    heads: &[Option<Entry>],
    decision: &MatchDecision<&'static str>,
) {
    let mut refusals = Vec::new();
    let mut candidates = BTreeMap::<usize, Vec<usize>>::new();
    for (channel, entry) in heads.iter().enumerate() {
        let Some(entry) = entry else { continue };
        for (index, cu) in model.cus.iter().enumerate() {
            let wants = wants(entry, cu);
            let lacking =
                wants.iter().filter(|(simd, name, n)| room(stock(cu, *simd, name), *n).is_none());
            let before = refusals.len();
            refusals.extend(lacking.map(|(simd, name, n)| (channel, index, *simd, *name, *n)));
            if refusals.len() == before {
                candidates.entry(channel).or_default().push(index);
            }
        }
    }
    let found = decision.candidates.iter().map(|it| (it.channel, it.cus.clone()));
    assert_eq!(found.collect::<BTreeMap<_, _>>(), candidates);
    let told =
        decision.refusals.iter().map(|it| (it.channel, it.cu, it.simd, it.resource, it.wanted));
    assert_eq!(told.collect::<Vec<_>>(), refusals, "in this order");
    for it in &decision.refusals {
        let text = left(stock(&model.cus[it.cu], it.simd, it.resource));
        let longest = text.split('0').map(str::len).max().unwrap_or_default() as u64;
        let most = if it.resource == "waves" { text.parse().unwrap() } else { longest };
        assert_eq!(it.left.amount(), most);
    }
    assert_eq!(decision.target.is_some(), !candidates.is_empty(), "nothing waits that fits");
}

/// Checks that the dispatched workgroup has the most urgent level of all candidates, is of the
/// channel that the marks choose among channels tied at that level, and gets the lowest free blocks
/// of the lowest compute unit.
fn check_target(
    model: &MatchModel<&'static str>,
    heads: &[Option<Entry>],
    decision: &MatchDecision<&'static str>,
    rank: impl Fn(usize) -> usize,
) {
    let Some(target) = &decision.target else { return };
    let level = |channel: usize| heads[channel].as_ref().expect("a candidate").level;
    let best = decision.candidates.iter().map(|it| rank(level(it.channel))).min();
    assert_eq!(best, Some(rank(level(target.channel))));
    let of = decision.candidates.iter().find(|it| it.channel == target.channel).unwrap();
    assert_eq!(target.cu, of.cus[0]);
    let tied: Vec<usize> = decision
        .candidates
        .iter()
        .map(|it| it.channel)
        .filter(|&channel| level(channel) == level(target.channel))
        .collect();
    let marked = |&channel: &usize| model.marks.marked(level(target.channel), channel);
    let open = tied.iter().copied().find(|channel| !marked(channel));
    assert_eq!(target.channel, open.unwrap_or(tied[0]));
    let cu = &model.cus[target.cu];
    for (simd, name, n) in wants(heads[target.channel].as_ref().unwrap(), cu) {
        let pieces = simd.map_or(&target.shared, |simd| &target.simds[simd]);
        let start = room(stock(cu, simd, name), n).expect("it fits");
        let piece = match (n, name) {
            (0, _) => None,
            (n, "waves") => Some(TakenPiece::Count(n)),
            (n, _) => Some(TakenPiece::Run { start: start as u32, len: n as u32 }),
        };
        assert_eq!(pieces.get(name).copied(), piece);
    }
}

/// Checks that the free blocks of each compute unit and those that each workgroup holds add up to
/// the blocks at the beginning.
fn check_owners(
    model: &MatchModel<&'static str>,
    begin: &[Unit],
    held: &[MatchTarget<&'static str>],
) {
    for (index, (cu, begin)) in model.cus.iter().zip(begin).enumerate() {
        let simds = std::iter::once(None).chain((0..cu.simds.len()).map(Some));
        for simd in simds {
            let names = simd.map_or(&cu.shared, |simd| &cu.simds[simd]).keys();
            for name in names {
                let pieces = held
                    .iter()
                    .filter(|it| it.cu == index)
                    .filter_map(|it| simd.map_or(&it.shared, |simd| &it.simds[simd]).get(name));
                let mut text = left(stock(cu, simd, name)).into_bytes();
                let mut count: u64 =
                    if *name == "waves" { left(stock(cu, simd, name)).parse().unwrap() } else { 0 };
                for piece in pieces {
                    match *piece {
                        TakenPiece::Count(n) => count += n,
                        TakenPiece::Run { start, len } => {
                            for block in &mut text[start as usize..(start + len) as usize] {
                                assert_eq!(*block, b'0', "owned twice, or free and owned");
                                *block = b'1';
                            }
                        }
                    }
                }
                let whole = left(stock(begin, simd, name));
                if *name == "waves" {
                    assert_eq!(count.to_string(), whole);
                } else {
                    assert_eq!(String::from_utf8(text).unwrap(), whole);
                }
            }
        }
    }
}

proptest! {
    #[test]
    fn every_law_at_every_step(
        (cus, queues) in scenario(),
        ends in vec(any::<u8>(), 24),
        windows in any::<bool>(),
    ) {
        let mut model = matching(cus.clone(), 3, queues.len());
        let mut queues = queues;
        let total: usize = queues.iter().map(VecDeque::len).sum();
        let mut held: Vec<MatchTarget<&'static str>> = Vec::new();
        let (fixed, turning) = (Fixed::new(3).unwrap(), Windows::new(&[3, 2, 1]).unwrap());
        let mut dispatched = 0;
        for (now, end) in (0..).zip(ends) {
            let heads: Vec<_> = queues.iter().map(|queue| queue.front().cloned()).collect();
            let before = model.clone();
            let rank = |level| if windows { turning.rank(level, now) } else { fixed.rank(level, now) }.unwrap();
            let decision = if windows {
                model.decide(&heads, by(Full), (&turning, now), &mut Lowest, lowest)
            } else {
                model.decide(&heads, by(Full), (&fixed, now), &mut Lowest, lowest)
            }.unwrap();
            prop_assert_eq!(&model.cus, &before.cus, "deciding changes nothing");
            check(&model, &heads, &decision);
            check_target(&model, &heads, &decision, rank);
            let marks = decision.marks.clone();
            let taken = commit(&mut model, decision);
            prop_assert_eq!(&model.marks, &marks);
            let chosen = taken.as_ref().map(|it| it.cu);
            for (index, (now, then)) in model.cus.iter().zip(&before.cus).enumerate() {
                prop_assert!(Some(index) == chosen || now == then, "compute unit {} changed", index);
            }
            if let Some(taken) = taken {
                queues[taken.channel].pop_front();
                held.push(taken);
                dispatched += 1;
            }
            check_owners(&model, &cus, &held);
            if end % 3 == 0 && !held.is_empty() {
                let ended = held.swap_remove(usize::from(end) % held.len());
                release(&mut model, &ended);
                check_owners(&model, &cus, &held);
            }
        }
        let waiting: usize = queues.iter().map(VecDeque::len).sum();
        prop_assert_eq!(waiting + dispatched, total);
    }

    /// Checks that a search which reports less than the exact one never dispatches what the exact
    /// one would not.
    #[test]
    fn a_lower_bound_only_refuses_more((cus, queues) in scenario(), cut in 0u32..4) {
        let model = matching(cus, 3, queues.len());
        let heads: Vec<_> = queues.iter().map(|queue| queue.front().cloned()).collect();
        let order = Fixed::new(3).unwrap();
        let less = |_: &&str, map: View<'_>| Ok(map.longest().saturating_sub(cut));
        let lower = model.decide(&heads, less, (&order, 0), &mut Lowest, lowest).unwrap();
        let exact = model.decide(&heads, by(Full), (&order, 0), &mut Lowest, lowest).unwrap();
        for candidate in &lower.candidates {
            let of = exact.candidates.iter().find(|it| it.channel == candidate.channel).unwrap();
            prop_assert!(candidate.cus.iter().all(|cu| of.cus.contains(cu)));
        }
        prop_assert!(lower.refusals.len() >= exact.refusals.len());
    }
}

#[test]
fn absent_and_zero_want_the_same() {
    let unit = cu("11", &[("1", 0)]);
    let model = matching(vec![unit], 1, 1);
    let order = Fixed::new(1).unwrap();
    let zero = head(0, 0, &[(0, 0)]);
    let none = MatchHead {
        level: 0,
        wants: Wants::Groups { shared: amounts(&[]), groups: vec![amounts(&[])] },
    };
    for head in [zero, Some(none)] {
        let decision = model.decide(&[head], by(Full), (&order, 0), &mut Lowest, lowest).unwrap();
        let target = decision.target.expect("nothing always fits");
        assert!(target.shared.is_empty() && target.simds[0].is_empty());
    }
}
