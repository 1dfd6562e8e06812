//! Circles: files that use each other in a loop.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use super::uses::Uses;

/// The circles among the files, each with all its files.
pub(super) fn circles(uses: &Uses) -> BTreeSet<BTreeSet<&Path>> {
    let mut homes: BTreeMap<&Path, Vec<&Path>> = BTreeMap::new();
    for (user, home) in uses.keys() {
        homes.entry(user).or_default().push(home);
    }
    let below = homes.keys().map(|file| (*file, all_below(file, &homes)));
    let below: BTreeMap<&Path, BTreeSet<&Path>> = below.collect();
    let on_circle = below.iter().filter(|(file, files)| files.contains(*file));
    on_circle
        .map(|(file, files)| {
            let leads_back = |other: &&Path| below.get(other).is_some_and(|b| b.contains(file));
            files.iter().copied().filter(leads_back).collect()
        })
        .collect()
}

/// Every file that one uses, itself or through others.
fn all_below<'a>(file: &'a Path, homes: &BTreeMap<&'a Path, Vec<&'a Path>>) -> BTreeSet<&'a Path> {
    let mut found = BTreeSet::new();
    let mut unread = vec![file];
    while let Some(file) = unread.pop() {
        let homes = homes.get(file).into_iter().flatten().copied();
        unread.extend(homes.filter(|home| found.insert(*home)));
    }
    found
}
