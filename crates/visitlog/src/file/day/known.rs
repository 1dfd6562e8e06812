//! The stored totals of one day.

use std::cell::OnceCell;

use rusqlite::Connection;
use slugline_analytics::{
    columns::{TEXTS, text_of},
    moments::{Crowd, Moments},
    utc::MILLIS_PER_DAY,
};
use slugline_domain::{Dimension, LocalSeconds, Protection, TimeUnit, UnixMillis, ZoneOffsets};

use super::{
    count::{VISIT_VARIANCE, VISITOR_VARIANCE, VISITORS, VISITS},
    segment::Segment,
    values::{PLACE_VISITS, PLACES, beyond_visitors_of, place_columns, shared_of},
};
use crate::{
    file::{day_totals::Record, error::EngineError},
    format::{
        chunk::ChunkError,
        dictionary::{Dictionary, Texts},
        selection::{index, short},
        skewed,
    },
};

/// The totals of a segment of one day, each of which may be missing.
#[derive(Debug)]
pub(crate) struct KnownDay<'c> {
    db: &'c Connection,
    pub(crate) day: i64,
    segment: Segment,
    /// The records that were read, by the indexes of their segments.
    records: [OnceCell<Record<'c>>; Segment::EACH.len()],
}

/// The values of a column. Some of them may have no visits in the segment.
#[derive(Debug)]
pub(crate) struct Listed {
    pub(crate) texts: Dictionary,
    pub(crate) visitors: Vec<u64>,
}

/// Combinations of texts in some columns, each an entry, with their visits.
#[derive(Debug)]
pub(crate) struct Combinations<const N: usize> {
    pub(crate) texts: [Texts; N],
    pub(crate) visits: Vec<u64>,
}

/// Reads every record of a day that has totals.
pub(crate) fn check(db: &Connection, day: i64) -> Result<(), EngineError> {
    for segment in Segment::EACH {
        Record::read(db, day, segment)?.check()?;
    }
    Ok(())
}

impl<'c> KnownDay<'c> {
    /// The totals of a segment of a day that has totals.
    pub(crate) fn of(db: &'c Connection, day: i64, segment: Segment) -> Self {
        Self {
            db,
            day,
            segment,
            records: Default::default(),
        }
    }

    fn record(&self, segment: Segment) -> Result<&Record<'c>, EngineError> {
        let record = &self.records[segment.index()];
        if let Some(record) = record.get() {
            return Ok(record);
        }
        let read = Record::read(self.db, self.day, segment)?;
        Ok(record.get_or_init(|| read))
    }

    /// Returns whether every visit states that its link had no password.
    pub(crate) fn hides_nothing(&self) -> Result<bool, EngineError> {
        let said = self.texts(text_of(Dimension::Protection))?;
        Ok(said.is_some_and(|said| said.of_each().all(|said| said == Protection::None.as_str())))
    }

    /// Visits and visitors; `None` if a visitor of the day may also be one of another day.
    pub(crate) fn moments(&self) -> Result<Option<Moments>, EngineError> {
        let record = self.record(self.segment)?;
        let numbers = |name| record.numbers(&self.segment.column(name));
        let (Some(visits), Some(visitors)) = (numbers(VISITS)?, numbers(VISITORS)?) else {
            return Ok(None);
        };
        let start = self.day.saturating_mul(MILLIS_PER_DAY);
        let variance = match (numbers(VISIT_VARIANCE)?, numbers(VISITOR_VARIANCE)?) {
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
        let start = UnixMillis::new(self.day.saturating_mul(MILLIS_PER_DAY));
        let moments = self.moments()?;
        Ok(moments.and_then(|moments| moments.by_clock(zone.stretch_at(start), unit)))
    }

    /// All values of a column with their visitors.
    pub(crate) fn values(&self, column: usize) -> Result<Option<Listed>, EngineError> {
        let Some(texts) = self.all_texts(column)? else {
            return Ok(None);
        };
        let visitors = |segment| self.visitors_of(segment, column, texts.len());
        let visitors = match self.segment {
            Segment::All | Segment::Bots => visitors(self.segment)?,
            Segment::People => {
                let (Some(all), Some(bots)) = (visitors(Segment::All)?, visitors(Segment::Bots)?)
                else {
                    return Ok(None);
                };
                let shared = self.list(Segment::People, &shared_of(column), texts.len())?;
                let shared = shared.unwrap_or_else(|| vec![0; texts.len()]);
                let of_each = all.iter().zip(bots).zip(shared);
                let people =
                    of_each.map(|((all, bots), shared)| all.checked_add(shared)?.checked_sub(bots));
                let people: Option<Vec<u64>> = people.collect();
                Some(people.ok_or_else(|| self.wrong("of visitors"))?)
            }
        };
        Ok(visitors.map(|visitors| Listed { texts, visitors }))
    }

    /// The texts that visits have in a column.
    pub(crate) fn texts(&self, column: usize) -> Result<Option<Texts>, EngineError> {
        if self.segment != Segment::All {
            let found = self.combinations([column])?;
            return Ok(found.map(|Combinations { texts: [texts], .. }| texts));
        }
        Ok(self.all_texts(column)?.map(|dictionary| Texts {
            of: (0..short(dictionary.len())).collect(),
            dictionary,
        }))
    }

    /// All combinations of texts in some columns that have visits.
    pub(crate) fn combinations<const N: usize>(
        &self,
        columns: [usize; N],
    ) -> Result<Option<Combinations<N>>, EngineError> {
        let (name, count, texts) = match columns[..] {
            [column] => {
                let Some(dictionary) = self.all_texts(column)? else {
                    return Ok(None);
                };
                let count = dictionary.len();
                let of = (0..short(count)).collect();
                (TEXTS[column].name, count, vec![Texts { of, dictionary }])
            }
            _ if columns[..] == place_columns() => {
                let Some(texts) = self.places()? else {
                    return Ok(None);
                };
                let count = texts.first().map_or(0, |texts| texts.of.len());
                (PLACE_VISITS, count, texts)
            }
            _ => return Ok(None),
        };
        let visits = self.visits(name, count)?;
        let Some(visits) = visits else {
            return Ok(None);
        };
        let Ok(texts) = <[Texts; N]>::try_from(texts) else {
            return Ok(None);
        };
        let has_visits = |entry: &usize| visits[*entry] > 0;
        let entries: Vec<usize> = (0..visits.len()).filter(has_visits).collect();
        let texts = texts.map(|texts: Texts| Texts {
            of: entries.iter().map(|&entry| texts.of[entry]).collect(),
            dictionary: texts.dictionary,
        });
        let visits = entries.into_iter().map(|entry| visits[entry]).collect();
        Ok(Some(Combinations { texts, visits }))
    }

    /// All texts of a column.
    fn all_texts(&self, column: usize) -> Result<Option<Dictionary>, EngineError> {
        let name = Segment::All.column(TEXTS[column].name);
        self.record(Segment::All)?.texts(&name)
    }

    /// The texts of all places, in each of their columns.
    fn places(&self) -> Result<Option<Vec<Texts>>, EngineError> {
        let mut shown: Vec<Texts> = Vec::new();
        for (column, name) in place_columns().into_iter().zip(PLACES) {
            let stored = Segment::All.column(name);
            let numbers = self.record(Segment::All)?.numbers(&stored)?;
            let (Some(dictionary), Some(of)) = (self.all_texts(column)?, numbers) else {
                return Ok(None);
            };
            let of: Option<Vec<u32>> = of.into_iter().map(|of| u32::try_from(of).ok()).collect();
            let of = of.filter(|of| {
                let is_there = |of: &u32| index(*of) < dictionary.len();
                let as_many = shown.first().is_none_or(|first| first.of.len() == of.len());
                as_many && of.iter().all(is_there)
            });
            let of = of.ok_or_else(|| self.wrong(name))?;
            shown.push(Texts { of, dictionary });
        }
        Ok(Some(shown))
    }

    /// The segment's visits of so many values or places, in the column of this name.
    fn visits(&self, name: &str, count: usize) -> Result<Option<Vec<u64>>, EngineError> {
        let visits = |segment| self.list(segment, name, count);
        if self.segment != Segment::People {
            return visits(self.segment);
        }
        let (Some(all), Some(bots)) = (visits(Segment::All)?, visits(Segment::Bots)?) else {
            return Ok(None);
        };
        let people = all.into_iter().zip(bots);
        let people = people.map(|(all, bots)| all.checked_sub(bots));
        let people: Option<Vec<u64>> = people.collect();
        people.map(Some).ok_or_else(|| self.wrong("of visits"))
    }

    /// The visitors of so many values of a column in a segment that has lists of them.
    fn visitors_of(
        &self,
        segment: Segment,
        column: usize,
        count: usize,
    ) -> Result<Option<Vec<u64>>, EngineError> {
        let visits = self.list(segment, TEXTS[column].name, count)?;
        let beyond = self.list(segment, &beyond_visitors_of(column), count)?;
        let (Some(visits), Some(beyond)) = (visits, beyond) else {
            return Ok(None);
        };
        let visitors = visits.into_iter().zip(beyond);
        let visitors = visitors.map(|(visits, beyond)| visits.saturating_sub(beyond));
        Ok(Some(visitors.collect()))
    }

    /// A list of so many mostly small numbers.
    fn list(
        &self,
        segment: Segment,
        name: &str,
        count: usize,
    ) -> Result<Option<Vec<u64>>, EngineError> {
        let record = self.record(segment)?;
        let name = segment.column(name);
        let Some(small) = record.numbers(&name)? else {
            return Ok(None);
        };
        let large = record.numbers(&skewed::large_of(&name))?;
        let all = skewed::join(small, large).filter(|all| all.len() == count);
        all.map(Some).ok_or_else(|| self.wrong("of visits"))
    }

    fn wrong(&self, column: &'static str) -> EngineError {
        EngineError::Totals {
            day: self.day,
            source: ChunkError::Value { column },
        }
    }
}
