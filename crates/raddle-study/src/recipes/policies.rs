//! Which policy does a name mean, where somebody takes it for a recipe?

use raddle_dispatch::{Recipe, Registry};

use super::{texts, with};
use crate::rules::Setting;

/// Slots of a recipe, as its text names them: each has one policy.
const SLOTS: [&str; 4] = ["launch-path", "turn", "allocate", "preempt"];

/// Says that a name is that of a bundled policy and not of a recipe, and how a recipe takes it; `None`
/// where no bundled policy has it.
#[must_use]
pub fn policy_told(name: &str) -> Option<String> {
    let name = name.replace('_', "-");
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '-';
    if name.is_empty() || !name.chars().all(is_word) {
        return None;
    }
    let registry = Registry::bundled();
    let named = |slot: usize| {
        texts().find(|(of, text)| {
            Recipe::parse(of, text).is_ok_and(|recipe| recipe.policies()[slot] == name)
        })
    };
    let takes = |slot: &str| {
        let text = super::text_of(crate::answer::ORDINARY)?;
        let other = Setting::try_from(format!("{slot}.policy={name}")).ok()?;
        registry.recipe(&name, &with(text.to_owned(), &[other])).ok()
    };
    let slots = SLOTS.iter().enumerate();
    let (at, slot) =
        slots.into_iter().find(|(at, slot)| named(*at).is_some() || takes(slot).is_some())?;
    let kind = slot.replace('-', " ");
    let recipe = named(at).map_or(crate::answer::ORDINARY, |(recipe, _)| recipe);
    let set = takes(slot).map_or_else(String::new, |_| {
        format!(" `--recipe {} --set {slot}.policy={name}` uses it.", crate::answer::ORDINARY)
    });
    Some(format!(
        " `{name}` is a policy for the slot {kind}: `raddle recipes --show {recipe} --save mine.toml` writes a recipe that names it as `{slot}.policy`.{set}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_that_is_no_recipe_says_how_a_recipe_names_it() {
        for (name, slot, recipe) in [
            ("highest-level", "turn", "leftover-drain"),
            ("everyone", "turn", "round-robin"),
            ("flag", "preempt", "leftover-flag"),
            ("switch", "preempt", "weighted-slices"),
            ("wait", "preempt", "leftover"),
        ] {
            let told = policy_told(name).unwrap_or_else(|| panic!("{name} is none"));
            assert!(told.contains(&format!("--set {slot}.policy={name}`")), "{told}");
            assert!(told.contains(&format!("--show {recipe} ")), "{told}");
        }
        assert_eq!(["nothing", "", "a b"].map(policy_told), [None, None, None]);
    }
}
