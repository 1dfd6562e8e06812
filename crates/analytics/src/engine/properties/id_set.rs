use std::collections::BTreeSet;

use proptest::{collection::btree_set, prelude::*};

use super::super::id_set::IdSet;

fn ids() -> impl Strategy<Value = BTreeSet<u32>> {
    btree_set(0_u32..400, 0..60)
}

fn set(ids: &BTreeSet<u32>) -> IdSet {
    let mut set = IdSet::default();
    for &id in ids {
        set.insert(id);
    }
    set
}

proptest! {
    #[test]
    fn a_set_agrees_with_one_of_the_standard_library(one in ids(), other in ids()) {
        let (mine, others) = (set(&one), set(&other));
        for id in 0..500 {
            prop_assert_eq!(mine.contains(id), one.contains(&id));
        }
        prop_assert_eq!(mine.len(), one.len());
        prop_assert_eq!(mine.missing_from(&others), one.difference(&other).count());
        let mut both = mine;
        both.intersect(&others);
        for id in 0..500 {
            prop_assert_eq!(both.contains(id), one.contains(&id) && other.contains(&id));
        }
    }
}
