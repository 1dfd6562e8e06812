//! Dictionary ids to include or to exclude.

use super::id_set::IdSet;

/// Ids of which a row must have one, or must have none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct IdChoice {
    ids: IdSet,
    included: bool,
}

impl IdChoice {
    pub(super) fn new(ids: IdSet, included: bool) -> Self {
        Self { ids, included }
    }

    pub(super) fn contains(&self, id: u32) -> bool {
        self.ids.contains(id) == self.included
    }

    /// The ids of which a row must have one; `None` if some are excluded
    /// instead.
    pub(super) fn included(&self) -> Option<&IdSet> {
        self.included.then_some(&self.ids)
    }

    /// Leaves what is also in the other choice.
    pub(super) fn narrow(&mut self, mut other: Self) {
        match (self.included, other.included) {
            (true, true) => self.ids.intersect(&other.ids),
            (true, false) => self.ids.subtract(&other.ids),
            (false, true) => {
                other.ids.subtract(&self.ids);
                *self = other;
            }
            (false, false) => self.ids.unite(&other.ids),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every choice among ids of the first, the second and a later word.
    fn choices() -> Vec<IdChoice> {
        const IDS: [u32; 4] = [0, 63, 64, 1_000];

        let sets = (0..16_u32).map(|bits| {
            let mut set = IdSet::default();
            for (at, id) in (0..).zip(IDS) {
                if bits >> at & 1 == 1 {
                    set.insert(id);
                }
            }
            set
        });
        sets.flat_map(|set| [true, false].map(|included| IdChoice::new(set.clone(), included)))
            .collect()
    }

    #[test]
    fn a_narrowed_choice_contains_what_both_contain() {
        for one in choices() {
            for other in choices() {
                let mut both = one.clone();
                both.narrow(other.clone());
                for id in [0, 1, 63, 64, 65, 999, 1_000, 70_000] {
                    let expected = one.contains(id) && other.contains(id);
                    assert_eq!(both.contains(id), expected, "{one:?} {other:?} {id}");
                }
            }
        }
    }
}
