//! The stored totals of one day.

use slugline_analytics::{
    columns::{TEXTS, text_of},
    moments::{Crowd, Moments},
    utc::MILLIS_PER_DAY,
};
use slugline_domain::{Dimension, LocalSeconds, Protection, TimeUnit, UnixMillis, ZoneOffsets};

use super::{
    count::{VISIT_VARIANCE, VISITOR_VARIANCE, VISITORS, VISITS},
    values::{PLACE_VISITS, PLACES, beyond_visitors_of, place_columns},
};
use crate::{
    file::{day_totals::Record, error::EngineError},
    format::{
        chunk::ChunkError,
        dictionary::Dictionary,
        selection::{index, short},
        skewed,
        texts::Texts,
    },
};

/// The totals of one day, each of which may be missing.
#[derive(Debug)]
pub(crate) struct KnownDay<'c>(pub(crate) Record<'c>);

/// The values of a column.
#[derive(Debug)]
pub(crate) struct Listed {
    pub(crate) texts: Dictionary,
    pub(crate) visits: Vec<u64>,
    pub(crate) visitors: Option<Vec<u64>>,
}

/// Combinations of texts in some columns, each an entry, with their visits.
#[derive(Debug)]
pub(crate) struct Combinations<const N: usize> {
    pub(crate) texts: [Texts; N],
    pub(crate) visits: Vec<u64>,
}

impl KnownDay<'_> {
    /// Returns whether every visit of the day states that its link had no password.
    pub(crate) fn hides_nothing(&self) -> Result<bool, EngineError> {
        let said = self.texts(text_of(Dimension::Protection))?;
        Ok(said.is_some_and(|said| said.iter().eq([Protection::None.as_str()])))
    }

    /// Visits and visitors; `None` if a visitor of the day may also be one of another day.
    pub(crate) fn moments(&self) -> Result<Option<Moments>, EngineError> {
        let (Some(visits), Some(visitors)) = (self.0.numbers(VISITS)?, self.0.numbers(VISITORS)?)
        else {
            return Ok(None);
        };
        let start = self.0.day.saturating_mul(MILLIS_PER_DAY);
        let variance = match (
            self.0.numbers(VISIT_VARIANCE)?,
            self.0.numbers(VISITOR_VARIANCE)?,
        ) {
            (Some(of_visits), Some(of_visitors)) => Some([of_visits, of_visitors]),
            _ => None,
        };
        let moments = Moments::new(start, visits, visitors, variance);
        moments.map(Some).ok_or_else(|| self.wrong(VISITORS))
    }

    /// Visits and visitors of each hour or day of the clock; `None` if the totals do not contain
    /// them.
    pub(crate) fn by_clock(
        &self,
        zone: &ZoneOffsets,
        unit: TimeUnit,
    ) -> Result<Option<Vec<(LocalSeconds, Crowd)>>, EngineError> {
        let start = UnixMillis::new(self.0.day.saturating_mul(MILLIS_PER_DAY));
        let moments = self.moments()?;
        Ok(moments.and_then(|moments| moments.by_clock(zone.stretch_at(start), unit)))
    }

    /// All values of a column.
    pub(crate) fn values(&self, column: usize) -> Result<Option<Listed>, EngineError> {
        let name = TEXTS[column].name;
        let (Some(texts), Some(visits)) = (self.0.texts(name)?, self.skewed(name)?) else {
            return Ok(None);
        };
        let beyond = self.skewed(&beyond_visitors_of(column))?;
        let of_visitors = beyond.as_ref().map_or(texts.len(), Vec::len);
        if visits.len() != texts.len() || of_visitors != texts.len() {
            return Err(self.wrong(name));
        }
        let visitors = beyond.map(|beyond| {
            let of_each = visits.iter().zip(beyond);
            of_each
                .map(|(visits, beyond)| visits.saturating_sub(beyond))
                .collect()
        });
        Ok(Some(Listed {
            texts,
            visits,
            visitors,
        }))
    }

    /// The texts of all values of a column, without their numbers.
    pub(crate) fn texts(&self, column: usize) -> Result<Option<Dictionary>, EngineError> {
        self.0.texts(TEXTS[column].name)
    }

    /// All combinations of texts in some columns, with their visits.
    pub(crate) fn combinations<const N: usize>(
        &self,
        columns: [usize; N],
    ) -> Result<Option<Combinations<N>>, EngineError> {
        if let [column] = columns[..] {
            return Ok(self.values(column)?.map(|listed| {
                let of = (0..short(listed.texts.len())).collect();
                let mut texts = Some(Texts {
                    of,
                    dictionary: listed.texts,
                });
                Combinations {
                    texts: std::array::from_fn(|_| texts.take().unwrap_or_default()),
                    visits: listed.visits,
                }
            }));
        }
        if columns[..] != place_columns() {
            return Ok(None);
        }
        let Some(visits) = self.skewed(PLACE_VISITS)? else {
            return Ok(None);
        };
        let mut shown: [Texts; N] = std::array::from_fn(|_| Texts::default());
        for ((texts, column), name) in shown.iter_mut().zip(columns).zip(PLACES) {
            let (Some(dictionary), Some(of)) = (self.texts(column)?, self.0.numbers(name)?) else {
                return Ok(None);
            };
            let of: Option<Vec<u32>> = of.into_iter().map(|of| u32::try_from(of).ok()).collect();
            let of = of.filter(|of| {
                let is_there = |of: &u32| index(*of) < dictionary.len();
                of.len() == visits.len() && of.iter().all(is_there)
            });
            let of = of.ok_or_else(|| self.wrong(name))?;
            *texts = Texts { of, dictionary };
        }
        let texts = shown;
        Ok(Some(Combinations { texts, visits }))
    }

    /// A list of mostly small numbers.
    fn skewed(&self, name: &str) -> Result<Option<Vec<u64>>, EngineError> {
        let Some(small) = self.0.numbers(name)? else {
            return Ok(None);
        };
        let large = self.0.numbers(&skewed::large_of(name))?;
        let all = skewed::join(small, large);
        all.map(Some).ok_or_else(|| self.wrong("of visits"))
    }

    fn wrong(&self, column: &'static str) -> EngineError {
        self.0.damaged(ChunkError::Value { column })
    }
}
