//! The days that a question takes from their totals instead of their rows.
//!
//! A question without conditions on rows, or with conditions on the texts that it ranks, may do so
//! for each day that is wholly in its time range, has totals, and has no row in the tail. Everything else is scanned, and added to the totals. So
//! the answer is that of a scan of all rows.

use slugline_domain::{
    Dimension, LocalSeconds, Protection, SamplingInterval, TimeUnit, UnixMillis, ZoneOffsets,
};

use super::{
    count::{INTERVAL_MAX, VISITORS, VISITS},
    moments::Moments,
    skewed,
    values::{PLACE_VISITS, PLACES, beyond_visitors_of, place_columns},
};
use crate::engine::{
    read::{
        dictionary::Dictionary,
        filter::RowFilter,
        selection::{index, short},
        snapshot::Snapshot,
        texts::Texts,
        totals::Crowd,
    },
    store::{
        chunk::ChunkError,
        columns::{TEXTS, text_of},
        day_totals::Record,
        error::EngineError,
        tail,
    },
};
use crate::utc::MILLIS_PER_DAY;

/// The totals of one day, each of which may be missing.
#[derive(Debug)]
pub(crate) struct KnownDay<'c>(Record<'c>);

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

/// Reads totals of each day that has them and hands them over. The filter then leaves these days
/// out. Says what the largest sampling interval of the days is.
///
/// The question may have conditions on the texts of column `of`, which `see` has to mind. `read` gives
/// `None` if the day lacks what the question needs. Nothing is handed over of a day
/// whose totals are damaged, nor about hidden texts.
pub(crate) fn take<T>(
    snapshot: &Snapshot<'_>,
    filter: &mut RowFilter,
    of: Option<usize>,
    read: impl Fn(&KnownDay<'_>) -> Result<Option<T>, EngineError>,
    mut see: impl FnMut(&RowFilter, T),
) -> Result<SamplingInterval, EngineError> {
    let mut interval_max = SamplingInterval::EVERY;
    let mut taken = Vec::new();
    let conceals = of.is_some_and(|column| filter.conceals(column));
    if let Some(days) = filter.whole_days(of) {
        let in_tail = tail::days(snapshot.db())?;
        for record in Record::between(snapshot.db(), days)? {
            snapshot.check()?;
            if in_tail.iter().any(|days| days.contains(&record.day)) {
                continue;
            }
            let day = KnownDay(record);
            let found = day.interval_max().and_then(|interval| {
                if conceals && !day.hides_nothing()? {
                    return Ok(None);
                }
                let totals = read(&day)?;
                // Which rows of a sampled day had the largest interval is not known.
                let interval = interval.filter(|interval| {
                    filter.is_about_all_rows() || *interval == SamplingInterval::EVERY
                });
                Ok(interval.zip(totals))
            });
            match found {
                Ok(Some((interval, totals))) => {
                    interval_max = interval_max.max(interval);
                    taken.push(day.0.day);
                    see(filter, totals);
                }
                Ok(None) => {}
                // Its rows are scanned.
                Err(error) if error.is_damage() => {}
                Err(error) => return Err(error),
            }
        }
    }
    filter.leave_out(taken);
    Ok(interval_max)
}

impl KnownDay<'_> {
    fn interval_max(&self) -> Result<Option<SamplingInterval>, EngineError> {
        let numbers = self.0.numbers(INTERVAL_MAX)?;
        let largest = numbers.and_then(|numbers| u32::try_from(*numbers.first()?).ok());
        Ok(largest.and_then(SamplingInterval::new))
    }

    /// True if no visit of the day had a password before it, and all say so.
    fn hides_nothing(&self) -> Result<bool, EngineError> {
        let said = self.texts(text_of(Dimension::Protection))?;
        Ok(said.is_some_and(|said| said.iter().eq([Protection::None.as_str()])))
    }

    /// Visits and visitors; `None` if visitors of the day may be those of other days, too.
    pub(crate) fn moments(&self) -> Result<Option<Moments>, EngineError> {
        let (Some(visits), Some(visitors)) = (self.0.numbers(VISITS)?, self.0.numbers(VISITORS)?)
        else {
            return Ok(None);
        };
        let start = self.0.day.saturating_mul(MILLIS_PER_DAY);
        let moments = Moments::new(start, visits, visitors);
        moments.map(Some).ok_or_else(|| self.wrong(VISITORS))
    }

    /// Visits and visitors of each hour or day of the clock; `None` if the totals do not say them.
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

    /// A list of numbers most of which are small.
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
