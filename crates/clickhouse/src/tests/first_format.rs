//! Rows as the first version wrote them into the spool.

use slugline_analytics::row::Row;

use crate::row_binary::put_text;

/// A row in format 1.
pub(crate) fn encode_first(row: &Row<'_>) -> Vec<u8> {
    let mut bytes = row.at.get().to_le_bytes().to_vec();
    let Row {
        target,
        client,
        place,
        ..
    } = row;
    for text in [target.link_id, target.slug, target.url, client.user_agent] {
        put_text(&mut bytes, text);
    }
    bytes.extend_from_slice(&row.visitor.0.to_le_bytes());
    for text in [
        &row.referer,
        place.country,
        place.region,
        place.city,
        place.timezone,
        row.language,
        client.os,
        client.browser,
        client.browser_type,
        client.device,
        client.device_type,
        place.colo,
    ] {
        put_text(&mut bytes, text);
    }
    for degrees in [place.latitude, place.longitude] {
        bytes.extend_from_slice(&degrees.hundredths().to_le_bytes());
    }
    bytes.extend_from_slice(&row.sampled.interval.get().to_le_bytes());
    bytes.push(row.sampled.coherent.into());
    bytes
}
