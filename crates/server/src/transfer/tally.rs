//! The numbers of an import, for a person.

use std::collections::BTreeMap;

use slugline_application::ImportOutcome;

/// The numbers of links by the words for what became of them.
#[derive(Default)]
pub(super) struct Tally(BTreeMap<&'static str, usize>);

/// The words behind each number of links.
const TOLD: &str = "\
same: came before
conflict: with a slug that another link has
folded: with a slug that differs from another in case alone; SLUGLINE_CASE_SENSITIVE=true keeps both
noSlug: with a slug that no link can have here; --dry-run --map FILE proposes others
cut: came without a part of them; --report FILE names the parts";

/// Returns the word for an outcome. `is_folded` says that the slug differs from another in its case alone.
pub(super) fn word(outcome: &ImportOutcome, is_folded: bool) -> &'static str {
    match outcome {
        ImportOutcome::Stored => "made",
        ImportOutcome::CameBefore => "same",
        ImportOutcome::Skipped if is_folded => "folded",
        ImportOutcome::Skipped => "conflict",
        ImportOutcome::IdTaken
        | ImportOutcome::NoDomain
        | ImportOutcome::Forwarding(_)
        | ImportOutcome::KeyReused
        | ImportOutcome::LinkDeleted => "failed",
    }
}

impl Tally {
    pub(super) fn add(&mut self, word: &'static str) {
        *self.0.entry(word).or_default() += 1;
    }

    fn of(&self, words: &[&str]) -> usize {
        words.iter().filter_map(|word| self.0.get(word)).sum()
    }

    /// The links that failed, and those whose slug another link has.
    pub(super) fn left(&self) -> usize {
        self.of(&["folded", "conflict", "failed", "noSlug"])
    }

    /// The lines that end an import.
    pub(super) fn lines(&self, dry_run: bool, target: &str) -> Vec<String> {
        let (made, failed) = (self.of(&["made"]), self.of(&["failed", "noSlug"]));
        let skipped = self.of(&["same", "folded", "conflict"]);
        let (import, skip, fail, end) = if dry_run {
            ("would import", "skip", "fail", "; nothing was changed")
        } else {
            ("imported", "skipped", "failed", "")
        };
        let first = format!(
            "{import} {made} links, {skip} {skipped} whose slug is in use, {fail} {failed}; {target}{end}"
        );
        let told = TOLD.lines().filter_map(|row| {
            let (word, told) = row.split_once(": ")?;
            let number = self.0.get(word)?;
            Some(format!("{number} {told}"))
        });
        [first].into_iter().chain(told).collect()
    }
}
