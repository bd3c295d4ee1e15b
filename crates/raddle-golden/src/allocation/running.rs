//! Do the waves of a workgroup start and end as they must, and does the workgroup then leave its
//! unit?

use super::AllocationRule;
use super::event::{AllocationEvent, AllocationEventKind, TableFault};
use super::model::{Model, Placed};

impl Model {
    /// Checks an event of a workgroup that must have been placed before; a broken rule is added to
    /// the findings. The error is a fault of the table that ends the check.
    pub(super) fn of_placed(&mut self, event: &AllocationEvent) -> Result<(), TableFault> {
        let workgroup = event.workgroup;
        let Some(&index) = self.live.get(&workgroup) else {
            if event.kind == AllocationEventKind::Wave && self.asked(workgroup) {
                let what =
                    format!("workgroup {workgroup} has a wave that starts before it is placed");
                self.found(event, AllocationRule::Order, what);
                return Ok(());
            }
            if !self.freed.contains(&workgroup) {
                let text = format!(
                    "workgroup {workgroup} was never placed: record its `place` before its waves, ends and free"
                );
                return Err(TableFault::new(event.line, text));
            }
            let (rule, what) = match event.kind {
                AllocationEventKind::Free => (AllocationRule::FreedOnce, "is freed a second time"),
                AllocationEventKind::End => {
                    (AllocationRule::FreedOnce, "has a wave that ends after it was freed")
                }
                _ => (AllocationRule::Order, "has a wave that starts after it was freed"),
            };
            self.found(event, rule, format!("workgroup {workgroup} {what}"));
            return Ok(());
        };
        if let Some(unit) = event.unit
            && unit != index as u64
            && index < self.device.units as usize
        {
            let what = format!(
                "workgroup {workgroup} is named on unit {unit}, and was placed on unit {index}"
            );
            self.found(event, AllocationRule::Order, what);
        }
        let all = &self.units[index].placed;
        // Both lists are changed together, so the workgroup is in its unit.
        let Some(at) = all.iter().position(|it| it.workgroup == workgroup) else { return Ok(()) };
        match event.kind {
            AllocationEventKind::Wave => self.wave(event, (index, at)),
            AllocationEventKind::End => self.end(event, (index, at)),
            _ => self.free(event, (index, at)),
        }
        Ok(())
    }

    fn wave(&mut self, event: &AllocationEvent, (index, at): (usize, usize)) {
        self.starts = true;
        let placed = &self.units[index].placed[at];
        let next = placed.started.last().map_or(0, |last| last + 1);
        let (wave, workgroup) = (event.wave.unwrap_or(next), event.workgroup);
        let waves = placed.waves;
        let wrong = self.wrong_base(event, placed, wave);
        let fresh = self.units[index].placed[at].started.insert(wave);
        if !fresh {
            let what = format!("wave {wave} of workgroup {workgroup} starts a second time");
            self.found(event, AllocationRule::Order, what);
        } else if let Some(waves) = waves.filter(|&waves| wave >= waves) {
            let what = format!("wave {wave} of workgroup {workgroup} starts, which has {waves}");
            self.found(event, AllocationRule::Order, what);
        }
        for what in wrong {
            self.found(event, AllocationRule::WaveBase, what);
        }
        if let Some(tag) = event.tag {
            let before = self.units[index].tags.insert(tag, (workgroup, wave));
            if let Some((other, its)) = before.filter(|&other| other != (workgroup, wave)) {
                let what = format!(
                    "tag {tag} of unit {index} is that of wave {its} of workgroup {other}, which runs"
                );
                self.found(event, AllocationRule::Tag, what);
            }
        }
    }

    /// Returns one sentence for each resource in which the first block of a wave is wrong: the
    /// blocks of a workgroup are divided equally among its waves. Empty where all first blocks are
    /// right.
    fn wrong_base(&self, event: &AllocationEvent, placed: &Placed, wave: u64) -> Vec<String> {
        let mut wrong = Vec::new();
        for (at, (&(base, size), resource)) in
            event.parts.iter().zip(&self.device.resources).enumerate()
        {
            let (start, whole) = placed.parts[at];
            let Some(base) = base.filter(|_| whole > 0) else { continue };
            let share = match placed.waves {
                _ if !resource.per_wave => 0,
                Some(waves) if waves > 0 && whole.is_multiple_of(waves) => whole / waves,
                // How a part is shared out unequally is not known.
                _ => continue,
            };
            let wanted = start.saturating_add(share.saturating_mul(wave));
            if base != wanted {
                wrong.push(format!(
                    "wave {wave} of workgroup {} has its {} from {base}, and it must be from {wanted}",
                    event.workgroup, resource.name
                ));
            } else if let Some(size) = size
                && resource.per_wave
                && share > 0
                && size != share
            {
                wrong.push(format!(
                    "wave {wave} of workgroup {} has {size} blocks of {}, and it must have {share}",
                    event.workgroup, resource.name
                ));
            }
        }
        wrong
    }

    fn end(&mut self, event: &AllocationEvent, (index, at): (usize, usize)) {
        self.ends = true;
        let workgroup = event.workgroup;
        let of_tag = event.tag.and_then(|tag| self.units[index].tags.get(&tag).copied());
        let placed = &self.units[index].placed[at];
        let by_tag = of_tag.filter(|wave| wave.0 == workgroup).map(|wave| wave.1);
        let Some(wave) = event.wave.or(by_tag) else { return self.all_end(event, (index, at)) };
        let never = self.starts && !placed.started.contains(&wave);
        let beyond = placed.waves.is_some_and(|waves| wave >= waves);
        let fresh = self.units[index].placed[at].ended.insert(wave);
        if !fresh {
            let what = format!("wave {wave} of workgroup {workgroup} ends a second time");
            self.found(event, AllocationRule::FreedOnce, what);
        } else if never || beyond {
            let what = format!("wave {wave} of workgroup {workgroup} ends, and never started");
            self.found(event, AllocationRule::Order, what);
        } else if let Some(tag) = event.tag
            && of_tag != Some((workgroup, wave))
            && !self.units[index].placed[at].started.is_empty()
        {
            let what = format!(
                "wave {wave} of workgroup {workgroup} ends with tag {tag}, which is not its own"
            );
            self.found(event, AllocationRule::Tag, what);
        }
        self.units[index].tags.retain(|_, it| *it != (workgroup, wave));
    }

    /// Records that every wave of a workgroup has ended, for an end event that names no wave; a
    /// broken rule is added to the findings. `index` is the index of the compute unit, `at` that of
    /// the workgroup among those placed on it.
    fn all_end(&mut self, event: &AllocationEvent, (index, at): (usize, usize)) {
        let workgroup = event.workgroup;
        if let Some(tag) = event.tag {
            let what =
                format!("workgroup {workgroup} ends with tag {tag}, which is none of its waves");
            self.found(event, AllocationRule::Tag, what);
            return;
        }
        let placed = &mut self.units[index].placed[at];
        if placed.over {
            let what = format!("workgroup {workgroup} ends a second time");
            self.found(event, AllocationRule::FreedOnce, what);
            return;
        }
        placed.over = true;
        self.units[index].tags.retain(|_, it| it.0 != workgroup);
    }

    fn free(&mut self, event: &AllocationEvent, (index, at): (usize, usize)) {
        let placed = self.units[index].placed.swap_remove(at);
        let running = placed.running();
        if self.ends && running > 0 {
            let what = format!(
                "workgroup {} is freed while {running} of its waves have not ended",
                event.workgroup
            );
            self.found(event, AllocationRule::Order, what);
        }
        self.live.remove(&event.workgroup);
        self.freed.insert(event.workgroup);
        self.give_back(event.clock, index, &placed);
    }
}
