//! How is the question of a decision written, from the state of a device?
//!
//! Units: granules, ticks.

use raddle_policy::Barrier;
use serde_json::{Value, json};

use super::{Head, Map, State, Unit, number};

impl State {
    fn units_of(&self, tick: u64) -> Vec<Value> {
        let fixed = self.settings["balance"] == "fixed";
        let place = &self.settings["place"];
        let draws = place.get("least-power").is_some() || place.get("mix").is_some();
        let unit = |unit: &Unit| {
            let simd = |(slots, map): &(u64, Map)| json!({"waves": slots, "vgpr": map.asked()});
            let mut shared = json!({
                "lds": unit.lds.asked(), "barriers": unit.barriers, "workgroups": unit.workgroups
            });
            if !unit.sgpr.free.is_empty() {
                shared["sgpr"] = unit.sgpr.asked();
            }
            let simds: Vec<Value> = unit.simds.iter().map(simd).collect();
            let mut it = json!({"shared": shared, "simds": simds});
            if !fixed {
                it["pointer"] = json!({"kind": "tail", "at": unit.pointer, "limit": u64::MAX});
            }
            let recent = unit.activity.iter().filter(|it| it.2.is_none_or(|to| to + 2000 > tick));
            let activity = recent.map(|&(launch, from, to, waves)| {
                let rates = self.launches[&launch].activity.0;
                let mut it = json!({"from": from, "waves": waves, "rates": rates});
                if let Some(to) = to {
                    it["to"] = to.into();
                }
                it
            });
            if draws {
                it["activity"] = activity.collect();
            }
            it
        };
        self.units.iter().map(unit).collect()
    }

    /// Writes the question to the golden model for a decision at this tick.
    pub(super) fn question(&self, heads: &[Option<Head>], tick: u64) -> Value {
        let mut question = json!({"cus": self.units_of(tick), "marks": self.marks});
        for key in ["search", "fit", "order", "balance", "place", "pick", "decision", "split"] {
            if let Some(value) = self.of_setting(key) {
                question[key] = value.clone();
            }
        }
        if question["place"] == "round-robin" {
            question["place"] = json!({"rule": "round-robin", "from": self.cursor});
        }
        if let Some(seed) = question["pick"]["seeded"]["seed"].as_u64() {
            // The counter of the numbers goes on by this step with each.
            let step = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(self.draws);
            question["pick"] = json!({"seeded": {"seed": seed.wrapping_add(step)}});
        }
        // A round of the finders lies before the tick of its decision.
        question["now"] = tick.saturating_sub(self.round.div_ceil(1000)).into();
        if let Some(split) = self.of_setting("split") {
            question["failures"] = self.failures.min(number(&split["threshold"])).into();
        }
        let channels = heads.iter().enumerate();
        question["channels"] =
            channels.map(|(channel, head)| head.map(|head| self.wants(channel, head))).collect();
        question
    }

    /// Returns the level of a head (first workgroup of a channel) as a question counts it, from 1,
    /// with the levels beyond the windows or those of recipes folded into the last.
    pub(super) fn level(&self, head: Head) -> u64 {
        let windows = self.settings["order"]["windows"]["windows-ns"].as_array();
        let last = windows.map_or(256, |windows| windows.len() as u64);
        if head.cut.is_some() { last } else { last.min(1 + u64::from(head.launch.level.0)) }
    }

    fn wants(&self, channel: usize, head: Head) -> Value {
        let demand = head.launch.demand;
        let waves = if head.cut.is_some() { 1 } else { u64::from(demand.waves) };
        let shared = json!({
            "lds": demand.lds, "workgroups": 1,
            "barriers": if head.cut.is_some() { 0 } else { demand.barriers }
        });
        let each = json!({"vgpr": demand.vgpr, "waves": 1});
        let mut wants = json!({"shared": shared, "waves": waves, "per-wave": each});
        if self.shape.sgpr != u16::MAX {
            wants["shared-per-wave"] = json!({"sgpr": demand.sgpr});
        }
        json!({
            "level": self.level(head),
            "demand": wants,
            "independent": head.cut.is_none() && head.launch.barrier == Barrier::No,
            "since": self.since[&channel].2,
        })
    }
}
