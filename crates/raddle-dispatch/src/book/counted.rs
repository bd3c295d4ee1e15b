//! How are starts and ends of whole workgroups recorded whose waves have no addresses?

use alloc::vec::Vec;

use raddle_policy::{CuId, Cus, Launch, Piece, TakenUnits, take_highest};

use super::error::Reason;
use super::free_units::FreeUnits;
use super::on_device::{Asked, OnDevice};
use super::{BookError, add};

impl FreeUnits {
    pub(super) fn start_counted(
        &mut self,
        on: &mut OnDevice,
        asked: Asked<'_>,
    ) -> Result<(), BookError> {
        let Asked { launch, pieces, .. } = asked;
        let mut taken = core::mem::take(&mut self.taken);
        let entered = self.cus.take_pieces(&launch.demand, pieces, &mut taken);
        if entered.is_ok() {
            self.open_table(on);
            for (units, count, split) in &taken {
                on.counted.change(units.clone(), |_, lies| add(lies, split));
                let groups = units.len() as u64 * u64::from(*count);
                on.waves += groups * u64::from(launch.demand.waves);
            }
        }
        self.taken = taken;
        entered.map_err(|cu| BookError(Reason::Overcommit { launch: launch.id, cu }))
    }
}

impl OnDevice {
    /// Frees the resources of whole workgroups of a launch that started without addresses, and
    /// returns the number of these workgroups. `left` is scratch memory.
    ///
    /// # Errors
    /// The first compute unit on which `pieces` names more of these workgroups than there are;
    /// nothing is freed then.
    pub(super) fn end_counted(
        &mut self,
        launch: &Launch,
        pieces: &[Piece],
        cus: &mut Cus,
        left: &mut Vec<TakenUnits>,
    ) -> Result<u64, CuId> {
        let (demand, all) = (launch.demand, self.counted.len());
        let waves = u32::from(demand.waves);
        let mut ended = 0;
        left.clear();
        for (units, count) in Piece::by_units(pieces) {
            let mut short = (units.end > all).then_some(units.start.max(all));
            ended += units.len() as u64 * u64::from(count);
            // On units with equal waves the same waves leave, so they are changed together.
            self.counted.change(units, |units, lies| {
                let leaving = take_highest(lies, count.saturating_mul(waves)).filter(|_| count > 0);
                match leaving {
                    Some(split) => left.push((units, count, split)),
                    None => short = Some(short.map_or(units.start, |cu| cu.min(units.start))),
                }
            });
            if let Some(cu) = short {
                for (units, _, split) in left.drain(..) {
                    self.counted.change(units, |_, lies| add(lies, &split));
                }
                // The unit is that of a piece, which is a u16.
                return Err(CuId(cu as u16));
            }
        }
        for (units, count, split) in left.drain(..) {
            cus.give_each(units, &demand, &split, count);
        }
        self.waves -= ended * u64::from(waves);
        Ok(ended)
    }
}
