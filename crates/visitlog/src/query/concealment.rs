//! Hides destinations from callers who may not see them.
//!
//! A question about destinations sees the rows of a block in two parts: those whose destination is
//! shown, and the others, in which it is unknown. No later step can tell a hidden destination from
//! an unknown one.

use std::collections::HashSet;

use rusqlite::Connection;
use slugline_analytics::columns::{TEXTS, text_of};
use slugline_domain::{Destinations, Dimension, Protection};

use crate::{
    file::{chunk::Chunk, error::EngineError, links},
    format::{
        block::Block,
        selection::{Selection, index},
        texts::Texts,
        values::Values,
    },
};

/// The rule that decides which destinations are hidden.
#[derive(Debug)]
pub(crate) struct Concealment {
    /// The links whose older visits show their destinations.
    unrecorded: HashSet<i64>,
    /// The columns of destinations, and of their protection.
    url: usize,
    protection: usize,
}

/// A part of the rows of a block, which a question sees on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    All,
    /// The rows whose destination is shown.
    Shown,
    /// The other rows.
    Hidden,
}

/// The verdict of a row's protection: the destination is shown, it is hidden, or the link decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Shown,
    Hidden,
    /// The link decides.
    Unrecorded,
}

impl Verdict {
    fn of(protection: &str) -> Self {
        if protection == Protection::None.as_str() {
            Self::Shown
        } else if protection.is_empty() {
            Self::Unrecorded
        } else {
            Self::Hidden
        }
    }
}

impl Concealment {
    /// `None` if no destination is hidden.
    pub(crate) fn resolve(
        db: &Connection,
        destinations: &Destinations,
    ) -> Result<Option<Self>, rusqlite::Error> {
        let Destinations::Unprotected { unrecorded } = destinations else {
            return Ok(None);
        };
        Ok(Some(Self {
            unrecorded: links::find_all(db, unrecorded)?,
            url: text_of(Dimension::Url),
            protection: text_of(Dimension::Protection),
        }))
    }

    /// Returns whether it affects questions about a column of texts.
    pub(crate) fn concerns(&self, column: usize) -> bool {
        column == self.url
    }

    /// The column of the protection.
    pub(crate) fn protection(&self) -> usize {
        self.protection
    }

    /// Makes the destinations of a block unknown if they are hidden in this part.
    pub(crate) fn hide(&self, block: &mut Block, part: Part) {
        if part == Part::Hidden {
            block.hide(self.url);
        }
    }

    /// The rows of a block that are in a part. `rows` are those of its chunk that are left.
    pub(crate) fn select(
        &self,
        part: Part,
        block: &mut Block,
        chunk: Option<&Chunk<'_>>,
        rows: &Selection,
    ) -> Result<Selection, EngineError> {
        let verdicts = self.verdicts(block, chunk, rows)?;
        let is_in_part = |is_shown| is_shown == (part == Part::Shown);
        let decides = |verdict| verdict == Verdict::Unrecorded;
        // Most visits state it themselves.
        if verdicts.select(decides).count(block.rows) == 0 {
            return Ok(verdicts.select(|verdict| is_in_part(verdict == Verdict::Shown)));
        }
        let links = match chunk {
            Some(chunk) => chunk.links()?.of_rows(rows),
            None => block.link.clone(),
        };
        let is_shown = |row| match verdicts.at(row) {
            Verdict::Shown => true,
            Verdict::Hidden => false,
            Verdict::Unrecorded => self.unrecorded.contains(&links.at(row)),
        };
        let shown: Vec<bool> = (0..block.rows).map(is_shown).collect();
        Ok(Selection::of(&shown, is_in_part))
    }

    /// The verdict of each row's protection.
    fn verdicts(
        &self,
        block: &mut Block,
        chunk: Option<&Chunk<'_>>,
        rows: &Selection,
    ) -> Result<Values<Verdict>, EngineError> {
        let family = TEXTS[self.protection].family;
        let of_entries = match chunk {
            Some(chunk) => of_entries(&chunk.texts(self.protection)?),
            None => of_entries(block.texts(self.protection)),
        };
        let of_entries = match of_entries {
            Values::Same(verdict) => return Ok(Values::Same(verdict)),
            Values::Each(of_entries) => of_entries,
        };
        if let Some(chunk) = chunk {
            block.load_codes(chunk, family, rows)?;
        }
        // Writers make no entry without a text.
        let verdict = |entry| of_entries.get(index(entry)).copied();
        let codes = block.codes(family).clone();
        Ok(codes.map(|entry| verdict(entry).unwrap_or(Verdict::Hidden)))
    }
}

/// The verdict of each entry of the family.
fn of_entries(texts: &Texts) -> Values<Verdict> {
    let of_texts: Vec<Verdict> = texts.dictionary.iter().map(Verdict::of).collect();
    let verdict = |number: u32| {
        let verdict = of_texts.get(index(number)).copied();
        verdict.unwrap_or(Verdict::Hidden)
    };
    if texts.of.is_empty() {
        Values::Same(verdict(0))
    } else {
        Values::Each(texts.of.iter().map(|&number| verdict(number)).collect())
    }
}
