//! The question for places.

use hashbrown::HashMap;
use slugline_domain::{Degrees, Dimension, LocationRow, LocationsQuery};

use super::{
    answer::{Answer, keep_first, number},
    columns::{Column, Family, text_of},
    dictionary::Interner,
    error::EngineError,
    filter::RowFilter,
    groups::{most_first, visits_of_entries},
    scan::Snapshot,
    selection::index,
};

/// Works the rows out.
pub(super) fn answer(
    snapshot: &Snapshot<'_>,
    query: &LocationsQuery,
) -> Result<Answer<LocationRow>, EngineError> {
    let filter = RowFilter::resolve(snapshot.db(), &query.filter)?;
    let shown = [Dimension::City, Dimension::Latitude, Dimension::Longitude].map(text_of);
    let mut texts: [Interner; 3] = Default::default();
    let mut visits_of: HashMap<[u32; 3], u64> = HashMap::new();
    let interval_max = snapshot.scan(&filter, &shown.map(Column::Text), |block| {
        let columns = shown.map(|column| block.texts(column));
        // Each text is looked up once in each chunk.
        let mut known = columns.iter().zip(&mut texts);
        let numbers: [Vec<u32>; 3] = std::array::from_fn(|_| {
            let (column, texts) = known.next().expect("there are three");
            texts.numbers(&column.dictionary)
        });
        let [_, latitudes, longitudes] = columns;
        for (entry, visits) in (0..).zip(visits_of_entries(block, Family::Place)) {
            let is_known = |degrees: &str| degrees != "0.00";
            if visits > 0 && is_known(latitudes.get(entry)) && is_known(longitudes.get(entry)) {
                let place = [0, 1, 2].map(|n| numbers[n][index(columns[n].number(entry))]);
                *visits_of.entry(place).or_default() += visits;
            }
        }
        Ok(())
    })?;
    let all = number(visits_of.len());
    let [cities, latitudes, longitudes] = &texts.each_ref().map(|interner| &interner.texts);
    let label = |([city, latitude, longitude], visits): ([u32; 3], u64)| {
        let latitude = degrees(latitudes.get(latitude));
        let longitude = degrees(longitudes.get(longitude));
        ((cities.get(city), latitude, longitude), visits)
    };
    let mut ranked: Vec<_> = visits_of.into_iter().map(label).collect();
    keep_first(&mut ranked, query.limit, most_first);
    let row = |((city, latitude, longitude), count): ((&str, Degrees, Degrees), u64)| LocationRow {
        city: city.to_owned(),
        latitude,
        longitude,
        count,
    };
    Ok(Answer {
        rows: ranked.into_iter().map(row).collect(),
        rows_before_limit: all,
        interval_max,
        sketched: false,
    })
}

/// The number of degrees that a text of a column says.
pub(super) fn degrees(text: &str) -> Degrees {
    text.parse().map_or(Degrees::ZERO, Degrees::nearest)
}
