//! Hides destinations from callers who may not see them.
//!
//! A question about destinations sees the rows of a block in two parts: those whose destination is
//! shown, and the others, in which it is unknown. No later step can tell a hidden destination from
//! an unknown one.

use slugline_analytics::columns::{TEXTS, text_of};
use slugline_domain::{Destinations, Dimension, Protection};

use crate::{
    file::{chunk::Chunk, error::EngineError},
    format::{
        block::Block,
        dictionary::Texts,
        selection::{Selection, index},
        values::Values,
    },
};

/// The rule that decides which destinations are hidden.
#[derive(Debug)]
pub(crate) struct Concealment {
    /// The columns of destinations, and of their protection.
    url: usize,
    protection: usize,
}

/// A part of the rows of a block, which a question sees on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowVisibility {
    All,
    /// The rows whose destination is shown.
    Shown,
    /// The other rows.
    Hidden,
}

impl Concealment {
    /// `None` if no destination is hidden.
    pub(crate) fn of(destinations: Destinations) -> Option<Self> {
        (destinations != Destinations::All).then(|| Self {
            url: text_of(Dimension::Url),
            protection: text_of(Dimension::Protection),
        })
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
    pub(crate) fn hide(&self, block: &mut Block, part: RowVisibility) {
        if part == RowVisibility::Hidden {
            block.hide(self.url);
        }
    }

    /// The rows of a block that are in a part. `rows` are those of its chunk that are left.
    pub(crate) fn select(
        &self,
        part: RowVisibility,
        block: &mut Block,
        chunk: Option<&Chunk<'_>>,
        rows: &Selection,
    ) -> Result<Selection, EngineError> {
        let shown = self.shown(block, chunk, rows)?;
        Ok(shown.select(|is_shown| is_shown == (part == RowVisibility::Shown)))
    }

    /// Tells of each row if its destination is shown: if its visit says that there was no password.
    fn shown(
        &self,
        block: &mut Block,
        chunk: Option<&Chunk<'_>>,
        rows: &Selection,
    ) -> Result<Values<bool>, EngineError> {
        let family = TEXTS[self.protection].family;
        let of_entries = match chunk {
            Some(chunk) => of_entries(&chunk.texts(self.protection)?),
            None => of_entries(block.texts(self.protection)),
        };
        let of_entries = match of_entries {
            Values::Same(shown) => return Ok(Values::Same(shown)),
            Values::Each(of_entries) => of_entries,
        };
        if let Some(chunk) = chunk {
            block.load_codes(chunk, family, rows)?;
        }
        let codes = block.codes(family).clone();
        // Writers make no entry without a text.
        Ok(codes.map(|entry| of_entries.get(index(entry)).is_some_and(|&shown| shown)))
    }
}

/// Tells of each entry of the family if it is shown.
fn of_entries(texts: &Texts) -> Values<bool> {
    let of_texts = texts.dictionary.iter();
    let of_texts: Vec<bool> = of_texts
        .map(|text| text == Protection::None.as_str())
        .collect();
    let shown = |number: u32| of_texts.get(index(number)).is_some_and(|&shown| shown);
    if texts.of.is_empty() {
        Values::Same(shown(0))
    } else {
        Values::Each(texts.of.iter().map(|&number| shown(number)).collect())
    }
}
