//! The question for the latest visits.

use std::cmp::Reverse;

use slugline_domain::{Dimension, Event, EventsQuery, UnixMillis};

use crate::engine::{
    read::{
        block::Block,
        filter::RowFilter,
        scan::{Asked, Snapshot},
        shown_visitors::degrees,
    },
    store::{
        columns::{Column, TEXTS, text_of},
        error::EngineError,
    },
};

/// Finds them.
pub(crate) fn answer(
    snapshot: &Snapshot<'_>,
    query: &EventsQuery,
) -> Result<Vec<Event>, EngineError> {
    let filter = RowFilter::resolve(snapshot.db(), &query.filter)?;
    let last = query.limit.as_usize() - 1;
    let columns: Vec<Column> = (0..TEXTS.len()).map(Column::Text).collect();
    let mut latest: Vec<Event> = Vec::new();
    let mut oldest = i64::MIN;
    // Texts are read of those only that may be among the latest.
    let asked = Asked {
        columns: &columns,
        latest: Some(query.limit),
    };
    snapshot.scan_back(&filter, asked, |block, _| {
        let rows = (0..block.rows).filter(|&row| block.time.at(row) >= oldest);
        latest.extend(rows.map(|row| event(&block, row)));
        latest.sort_by_key(|event| Reverse(event.at));
        // Of the visits at that moment it is not decided yet which are left out.
        if let Some(event) = latest.get(last) {
            oldest = event.at.get();
            latest.retain(|event| event.at.get() >= oldest);
        }
        Ok(oldest)
    })?;
    Ok(Event::latest(latest, query.limit))
}

fn event(block: &Block, row: usize) -> Event {
    let text = |dimension| block.text(text_of(dimension), row);
    Event {
        at: UnixMillis::new(block.time.at(row)),
        slug: text(Dimension::Slug).into(),
        url: text(Dimension::Url).into(),
        user_agent: text(Dimension::UserAgent).into(),
        referer: text(Dimension::Referer).into(),
        country: text(Dimension::Country).into(),
        region: text(Dimension::Region).into(),
        city: text(Dimension::City).into(),
        timezone: text(Dimension::Timezone).into(),
        language: text(Dimension::Language).into(),
        os: text(Dimension::Os).into(),
        browser: text(Dimension::Browser).into(),
        browser_type: text(Dimension::BrowserType).into(),
        device: text(Dimension::Device).into(),
        device_type: text(Dimension::DeviceType).into(),
        colo: text(Dimension::Colo).into(),
        latitude: degrees(text(Dimension::Latitude)),
        longitude: degrees(text(Dimension::Longitude)),
    }
}
