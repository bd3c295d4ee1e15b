//! May given workgroups start or end, and which resources do they take or free then?

use alloc::vec::Vec;

use raddle_policy::{
    CuId, CuShape, Cus, Demand, Launch, MAX_SIMDS, PerCu, Piece, Split, TakenUnits, WaveSpan,
};

use super::error::Reason;
use super::names::NamedRow;
use super::on_device::{Asked, OnDevice};
use super::{BookError, total};

/// The free resources of all compute units, with scratch memory for the starts and ends that change
/// them.
#[derive(Clone, Debug)]
pub(crate) struct FreeUnits {
    pub(super) cus: Cus,
    /// Tables of the waves of a launch by compute unit, left by launches that are off the device.
    /// They are kept empty, and later launches use them again instead of new memory.
    spare: Vec<PerCu<Split>>,
    /// The compute units and SIMDs on which waves start or end in the present call.
    pub(super) taken: Vec<TakenUnits>,
    /// The workgroups with known addresses that start or end in the present call, as rows of
    /// consecutive numbers.
    pub(super) rows: Vec<NamedRow>,
    /// Scratch memory for the check that a start names each workgroup once.
    seen: Vec<u64>,
}

impl FreeUnits {
    /// Returns the free resources of an empty device of `count` compute units.
    pub(crate) fn new(shape: CuShape, count: u16) -> Self {
        Self {
            cus: Cus::new(shape, count),
            spare: Vec::new(),
            taken: Vec::new(),
            rows: Vec::new(),
            seen: Vec::new(),
        }
    }

    /// Returns the free resources of every compute unit, in the form that policies see.
    pub(crate) const fn cus(&self) -> &Cus {
        &self.cus
    }

    /// Begins to record, for the allocate policy, on which compute units resources are freed; see
    /// [`Cus::watch`].
    pub(crate) fn watch(&mut self) {
        self.cus.watch();
    }

    /// Records every compute unit as one on which resources were freed, for the allocate policy.
    pub(crate) fn forget_freed(&mut self) {
        self.cus.forget_freed();
    }

    /// Starts workgroups of a launch, or some waves of one workgroup.
    ///
    /// # Errors
    /// When the start breaks law 1, 2 or 8 of the trait `Allocate` ([`BookError::law`]); nothing
    /// has changed then.
    pub(crate) fn start(&mut self, on: &mut OnDevice, asked: Asked<'_>) -> Result<(), BookError> {
        if on.saved {
            return Err(BookError(Reason::Saved { launch: asked.launch.id }));
        }
        match asked.waves {
            WaveSpan::All => self.start_whole(on, asked),
            WaveSpan::Range { first, count } => self.start_waves(on, asked, (first, count)),
            WaveSpan::Cut { first, count } => self.start_cut(on, asked, (first, count)),
        }
    }

    fn start_whole(&mut self, on: &mut OnDevice, asked: Asked<'_>) -> Result<(), BookError> {
        let slots = u64::from(self.cus.shape().workgroups);
        let most = slots.saturating_mul(self.cus.len() as u64);
        let start = on.may_start(asked, most, &mut self.seen)?;
        if asked.places.is_empty() {
            self.start_counted(on, asked)?;
        } else {
            self.start_addressed(on, asked)?;
        }
        on.started(asked.pieces, start);
        Ok(())
    }

    /// Ends workgroups of a launch, or the waves `waves` of each of them. Returns the number of
    /// workgroups whose last wave has ended.
    ///
    /// # Errors
    /// When the workgroups or waves are not resident; nothing has changed then.
    pub(crate) fn end(
        &mut self,
        on: &mut OnDevice,
        launch: &Launch,
        waves: WaveSpan,
        pieces: &[Piece],
    ) -> Result<u64, BookError> {
        let Self { cus, taken, rows, .. } = self;
        if on.resident_waves() == 0 {
            let cu = pieces.first().map_or(CuId(0), |piece| piece.cu);
            return Err(BookError(Reason::NotResident { launch: launch.id, cu }));
        }
        let ended = match waves {
            WaveSpan::All if on.addressed.is_empty() => on
                .end_counted(launch, pieces, cus, taken)
                .map_err(|cu| BookError(Reason::NotResident { launch: launch.id, cu }))?,
            WaveSpan::All => {
                on.end_addressed(launch, pieces, cus, (taken, rows))?;
                total(pieces)
            }
            WaveSpan::Range { first, count } => {
                on.end_waves(launch, (first, count), pieces, cus)?
            }
            WaveSpan::Cut { first, count } => on.end_cut(launch, (first, count), pieces, cus)?,
        };
        on.ended += ended;
        if on.waves == 0 && !on.counted.is_empty() {
            self.spare.push(core::mem::take(&mut on.counted));
        }
        Ok(ended)
    }

    /// Gives a launch an empty table of its waves on each compute unit, if it has no such table.
    pub(super) fn open_table(&mut self, on: &mut OnDevice) {
        if on.counted.is_empty() {
            let all = self.cus.len();
            on.counted = self.spare.pop().unwrap_or_else(|| PerCu::new(all, [0; MAX_SIMDS]));
        }
    }

    /// Takes all workgroups and waves of a launch off the device at once, so that [`Self::restore`]
    /// can put them back. Returns whether the launch had any on the device.
    pub(crate) fn save(&mut self, on: &mut OnDevice, launch: &Launch) -> bool {
        if on.saved {
            return false;
        }
        on.saved = self.give_all(on, launch.demand);
        on.saved
    }

    /// Kills all workgroups and waves of a launch at once: the launch begins again with its first
    /// workgroup. Returns whether the launch had any on the device.
    pub(crate) fn kill(&mut self, on: &mut OnDevice, launch: &Launch) -> bool {
        let was_here = !on.saved && self.give_all(on, launch.demand);
        let mut table = core::mem::take(on).counted;
        if !table.is_empty() {
            table.change(0..table.len(), |_, split| *split = [0; MAX_SIMDS]);
            self.spare.push(table);
        }
        was_here
    }

    fn give_all(&mut self, on: &OnDevice, demand: Demand) -> bool {
        let mut any = false;
        for (cu, split, groups, demand) in on.each_unit(demand) {
            self.cus.give_split(cu, &demand, &split, groups);
            any = true;
        }
        any
    }

    /// Puts a saved launch back on its old compute units and SIMDs. Returns whether it did; false,
    /// with nothing changed, where these are not free or the launch was not saved.
    pub(crate) fn restore(&mut self, on: &mut OnDevice, launch: &Launch) -> bool {
        if !on.saved {
            return false;
        }
        on.saved = !self.take_all(on, launch.demand);
        !on.saved
    }

    /// Takes all resources that a saved launch had on the device, or nothing if some of them are
    /// not free. Returns whether they were taken.
    fn take_all(&mut self, on: &OnDevice, demand: Demand) -> bool {
        let shares = on.each_unit(demand);
        for (taken, (cu, split, groups, demand)) in shares.clone().enumerate() {
            if !self.cus.take_split(cu, &demand, &split, groups) {
                for (cu, split, groups, demand) in shares.take(taken) {
                    self.cus.give_split(cu, &demand, &split, groups);
                }
                return false;
            }
        }
        true
    }
}
