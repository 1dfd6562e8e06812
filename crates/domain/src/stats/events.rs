//! The latest visits, one by one.

use std::{borrow::Cow, cmp::Ordering};

use crate::{
    Colo, Country, Degrees, Dimension, RowLimit, TimeZoneName, UnixMillis, VisitFilter, VisitRecord,
};

/// The question for the latest visits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventsQuery {
    /// The visits to list.
    pub filter: VisitFilter,
    /// The largest number of visits to list.
    pub limit: RowLimit,
}

/// One stored visit as it may be shown: nothing in it identifies a visitor. An
/// empty text means unknown. Events are ordered by their members.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Event {
    /// The time.
    pub at: UnixMillis,
    /// The slug at the time.
    pub slug: String,
    /// The link's main destination at the time.
    pub url: String,
    /// The raw `User-Agent`.
    pub user_agent: String,
    /// Host, and port if any, of the referring page.
    pub referer: String,
    /// Country code.
    pub country: String,
    /// Region with its country.
    pub region: String,
    /// City with its country.
    pub city: String,
    /// IANA time zone of the visitor's place.
    pub timezone: String,
    /// First language of `Accept-Language`.
    pub language: String,
    /// Operating system.
    pub os: String,
    /// Browser name.
    pub browser: String,
    /// Kind of browser.
    pub browser_type: String,
    /// Device model.
    pub device: String,
    /// Kind of device.
    pub device_type: String,
    /// Data centre code of the edge network in front.
    pub colo: String,
    /// North of the equator; zero when unknown.
    pub latitude: Degrees,
    /// East of Greenwich; zero when unknown.
    pub longitude: Degrees,
}

impl From<&VisitRecord<'_>> for Event {
    fn from(record: &VisitRecord<'_>) -> Self {
        let place = record.place;
        let at = place.coordinates;
        Self {
            at: record.at,
            slug: record.slug.to_string(),
            url: record.url.into(),
            user_agent: record.user_agent.into(),
            referer: record.referer.into(),
            country: place.country.as_ref().map_or("", Country::as_str).into(),
            region: place.region_label(),
            city: place.city_label(),
            timezone: place
                .timezone
                .as_ref()
                .map_or("", TimeZoneName::as_str)
                .into(),
            language: record.language.into(),
            os: record.os.into(),
            browser: record.browser.into(),
            browser_type: record.browser_type.into(),
            device: record.device.into(),
            device_type: record.device_type.into(),
            colo: place.colo.as_ref().map_or("", Colo::as_str).into(),
            latitude: at.map_or(Degrees::ZERO, |at| Degrees::nearest(at.latitude())),
            longitude: at.map_or(Degrees::ZERO, |at| Degrees::nearest(at.longitude())),
        }
    }
}

impl Event {
    /// The event's value of a dimension. Events do not contain the visitor's address.
    pub fn value(&self, dimension: Dimension) -> Cow<'_, str> {
        Cow::Borrowed(match dimension {
            Dimension::Slug => &self.slug,
            Dimension::Url => &self.url,
            Dimension::UserAgent => &self.user_agent,
            Dimension::Ip => "",
            Dimension::Referer => &self.referer,
            Dimension::Country => &self.country,
            Dimension::Region => &self.region,
            Dimension::City => &self.city,
            Dimension::Timezone => &self.timezone,
            Dimension::Language => &self.language,
            Dimension::Os => &self.os,
            Dimension::Browser => &self.browser,
            Dimension::BrowserType => &self.browser_type,
            Dimension::Device => &self.device,
            Dimension::DeviceType => &self.device_type,
            Dimension::Colo => &self.colo,
            Dimension::Latitude => return self.latitude.to_string().into(),
            Dimension::Longitude => return self.longitude.to_string().into(),
        })
    }

    /// The latest of these, newest first. Events of the same moment are ordered
    /// by their content, so that every engine chooses the same ones in the same
    /// order.
    pub fn latest(mut events: Vec<Self>, limit: RowLimit) -> Vec<Self> {
        events.sort_by(Self::newest_first);
        events.truncate(limit.as_usize());
        events
    }

    fn newest_first(&self, other: &Self) -> Ordering {
        other.at.cmp(&self.at).then_with(|| self.cmp(other))
    }
}
