//! The latest visits, one by one.

use std::{borrow::Cow, cmp::Ordering};

use crate::{
    Colo, Country, Degrees, Destinations, Dimension, LinkId, RowLimit, TimeZoneName, UnixMillis,
    VisitFilter, VisitRecord,
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
    /// The link's main destination at the time; empty if it is hidden from the asker.
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
    /// The campaign's source.
    pub utm_source: String,
    /// The campaign's medium.
    pub utm_medium: String,
    /// The campaign's name.
    pub utm_campaign: String,
}

impl Event {
    /// A visit for a caller who sees these destinations.
    pub fn of(record: &VisitRecord<'_>, destinations: &Destinations) -> Self {
        let place = record.place;
        let at = place.coordinates;
        Self {
            at: record.at,
            slug: record.slug.to_string(),
            url: if destinations.show(record.protection) {
                record.url.into()
            } else {
                String::new()
            },
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
            utm_source: record.campaign.source.into(),
            utm_medium: record.campaign.medium.into(),
            utm_campaign: record.campaign.name.into(),
        }
    }

    /// The dimensions that are members, in the order of the members.
    pub const MEMBERS: [Dimension; 20] = [
        Dimension::Slug,
        Dimension::Url,
        Dimension::UserAgent,
        Dimension::Referer,
        Dimension::Country,
        Dimension::Region,
        Dimension::City,
        Dimension::Timezone,
        Dimension::Language,
        Dimension::Os,
        Dimension::Browser,
        Dimension::BrowserType,
        Dimension::Device,
        Dimension::DeviceType,
        Dimension::Colo,
        Dimension::Latitude,
        Dimension::Longitude,
        Dimension::UtmSource,
        Dimension::UtmMedium,
        Dimension::UtmCampaign,
    ];

    /// Makes an event of texts. Asks for that of each of [`Event::MEMBERS`], in this order.
    ///
    /// # Errors
    /// A text cannot be had.
    pub fn read<E>(
        at: UnixMillis,
        mut text: impl FnMut(Dimension) -> Result<String, E>,
    ) -> Result<Self, E> {
        let degrees = |text: String| text.parse().map_or(Degrees::ZERO, Degrees::nearest);
        Ok(Self {
            at,
            slug: text(Dimension::Slug)?,
            url: text(Dimension::Url)?,
            user_agent: text(Dimension::UserAgent)?,
            referer: text(Dimension::Referer)?,
            country: text(Dimension::Country)?,
            region: text(Dimension::Region)?,
            city: text(Dimension::City)?,
            timezone: text(Dimension::Timezone)?,
            language: text(Dimension::Language)?,
            os: text(Dimension::Os)?,
            browser: text(Dimension::Browser)?,
            browser_type: text(Dimension::BrowserType)?,
            device: text(Dimension::Device)?,
            device_type: text(Dimension::DeviceType)?,
            colo: text(Dimension::Colo)?,
            latitude: degrees(text(Dimension::Latitude)?),
            longitude: degrees(text(Dimension::Longitude)?),
            utm_source: text(Dimension::UtmSource)?,
            utm_medium: text(Dimension::UtmMedium)?,
            utm_campaign: text(Dimension::UtmCampaign)?,
        })
    }

    /// The event's value of a dimension. Events contain neither the visitor's address nor the
    /// link's protection.
    pub fn value(&self, dimension: Dimension) -> Cow<'_, str> {
        Cow::Borrowed(match dimension {
            Dimension::Slug => &self.slug,
            Dimension::Url => &self.url,
            Dimension::UserAgent => &self.user_agent,
            Dimension::Ip | Dimension::Protection => "",
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
            Dimension::UtmSource => &self.utm_source,
            Dimension::UtmMedium => &self.utm_medium,
            Dimension::UtmCampaign => &self.utm_campaign,
        })
    }

    /// Returns whether this event of a link meets the conditions. An event tells
    /// nothing about its visitor, whose address counts as unknown. It was made for
    /// the filter's own destinations.
    pub fn meets(&self, filter: &VisitFilter, link: &LinkId) -> bool {
        let second = self.at.second();
        filter.from.is_none_or(|from| second >= from)
            && filter.until.is_none_or(|until| second <= until)
            && filter.links.admits(link)
            && filter
                .values
                .iter()
                .all(|(dimension, choice)| choice.admits(&*self.value(*dimension)))
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

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    /// An event whose members have these numbers.
    fn event(numbers: &[usize]) -> (Event, Vec<Dimension>) {
        let mut asked = Vec::new();
        let Ok(event) = Event::read(UnixMillis::new(0), |dimension| {
            asked.push(dimension);
            Ok::<_, Infallible>(format!("{}.00", numbers[asked.len() - 1]))
        });
        (event, asked)
    }

    #[test]
    fn each_member_is_read_once_shown_and_sorts_by_its_place() {
        let numbers: Vec<usize> = (0..Event::MEMBERS.len()).collect();
        let (read, asked) = event(&numbers);
        assert_eq!(asked, Event::MEMBERS);
        for dimension in Dimension::ALL {
            let place = asked.iter().position(|member| *member == dimension);
            let expected = place.map_or(String::new(), |place| format!("{place}.00"));
            assert_eq!(read.value(dimension), expected, "{dimension:?}");
        }
        for place in 0..numbers.len() {
            let (mut small, mut large) = (vec![1; numbers.len()], vec![1; numbers.len()]);
            large[place] = 2;
            small[place + 1..].fill(9);
            assert!(event(&small).0 < event(&large).0, "{:?}", asked[place]);
        }
    }
}
