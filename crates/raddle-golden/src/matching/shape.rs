//! Does every compute unit have the resources and SIMDs that the demands name, whether free or not?

use std::collections::BTreeMap;

use raddle_read::{FaultKind, pointer, shown};
use raddle_workgroup::ErrorKind;
use raddle_workgroup::balance::Pointer;

use super::model::{Cu, MatchHead, Wants, split};
use crate::fault::Fault;
use crate::{MOST_FIGURES, ModelError};

/// Checks that every head (first workgroup of a channel) names only resources that the compute
/// units have, and that the comparison is not too large. A fault says where in the question the
/// wrong value is.
pub(super) fn check(cus: &[Cu<String>], heads: &[Option<MatchHead<String>>]) -> Result<(), Fault> {
    let named = |head: &MatchHead<String>| match &head.wants {
        Wants::Groups { shared, groups } => {
            (shared.len() + groups.iter().map(BTreeMap::len).sum::<usize>() + 1) * cus.len()
        }
        Wants::Waves { shared, each, .. } => {
            let simds: usize = cus.iter().map(|cu| cu.simds.len()).sum();
            simds.saturating_mul(each.len() + 1) + (shared.len() + 1) * cus.len()
        }
    };
    let figures = heads.iter().flatten().map(named).fold(0, usize::saturating_add) as u64;
    if figures > MOST_FIGURES {
        let message =
            format!("{figures} amounts are to be compared: ask for up to {MOST_FIGURES} at a time");
        return Err(Fault::new(FaultKind::OutOfRange, "", message));
    }
    for (channel, head) in heads.iter().enumerate() {
        let Some(head) = head else { continue };
        let at = format!("/channels/{channel}/demand");
        for (index, cu) in cus.iter().enumerate() {
            names(&head.wants, (index, cu), &at)?;
            split((channel, &head.wants), (index, cu))
                .map_err(|error| fault(&error, &at, (index, cu)))?;
        }
    }
    Ok(())
}

/// Checks that the compute unit `cu` with the index `index` has every resource that a demand names;
/// returns a fault for one that it lacks, where `at` is the place of the demand in the question.
fn names(wants: &Wants<String>, (index, cu): (usize, &Cu<String>), at: &str) -> Result<(), Fault> {
    let unknown = |name: &str, of: &str, key: &str| {
        let at = format!("{at}/{key}{}", pointer(name));
        let message = format!("{of} of CU {index} has no resource `{}`", shown(name));
        Fault::new(FaultKind::Inconsistent, &at, message)
    };
    let (Wants::Groups { shared, .. } | Wants::Waves { shared, .. }) = wants;
    if let Some(name) = shared.keys().find(|name| !cu.shared.contains_key(*name)) {
        return Err(unknown(name, "`shared`", "shared"));
    }
    for (simd, stocks) in cu.simds.iter().enumerate() {
        let (amounts, key) = match wants {
            Wants::Groups { groups, .. } => (groups.get(simd), format!("simds/{simd}")),
            Wants::Waves { each, .. } => (Some(each), "per-wave".to_owned()),
        };
        let missing = |name: &&String| !stocks.contains_key(*name);
        if let Some(name) = amounts.and_then(|amounts| amounts.keys().find(missing)) {
            return Err(unknown(name, &format!("SIMD {simd}"), &key));
        }
    }
    Ok(())
}

fn fault(error: &ModelError, at: &str, (cu, unit): (usize, &Cu<String>)) -> Fault {
    match error {
        ModelError::GroupCount { groups, simds, .. } => {
            let message = format!("{groups} entries, CU {cu} has {simds} SIMDs: give one each");
            Fault::new(FaultKind::Inconsistent, &format!("{at}/simds"), message)
        }
        ModelError::NoPointer { .. } => {
            let message = "`pointer` is missing: a demand in waves needs one in every CU";
            Fault::new(FaultKind::MissingField, &format!("/cus/{cu}"), message)
        }
        ModelError::Part(error) if error.kind() == ErrorKind::OutOfRange => {
            let most = unit.pointer.as_ref().map_or(0, Pointer::most);
            let message = format!("`waves` must be from 1 to {most}: CU {cu} takes no more");
            Fault::new(FaultKind::OutOfRange, &format!("{at}/waves"), message)
        }
        ModelError::Wanted { .. } => {
            let message = "so many waves want more than 64 bits count";
            Fault::new(FaultKind::Overflow, &format!("{at}/per-wave"), message)
        }
        other => Fault::new(FaultKind::Inconsistent, at, other.to_string()),
    }
}
