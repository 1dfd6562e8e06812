//! A visit in the form that engines keep.

use std::borrow::Cow;

use slugline_domain::{
    Campaign, Degrees, Dimension, SamplingInterval, StoredVisit, UnixMillis, Visit,
};

use crate::{columns::text_of, sampling::Sampled, visitor::VisitorHash};

/// A visit to store as a row.
#[derive(Debug)]
pub struct Kept {
    pub visit: Visit,
    pub visitor: VisitorHash,
    pub sampled: Sampled,
}

/// One stored visit. Texts are within the bounds of
/// [`bounds`](crate::bounds); an empty text means unknown.
#[derive(Clone, Debug)]
pub struct Row<'v> {
    pub at: UnixMillis,
    pub target: VisitedLink<'v>,
    pub client: Client<'v>,
    pub place: Place<'v>,
    /// Host, and port if any, of the referring page.
    pub referer: Cow<'v, str>,
    pub language: &'v str,
    pub campaign: Campaign<'v>,
    pub visitor: VisitorHash,
    pub sampled: Sampled,
}

/// The link as it was at the visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VisitedLink<'v> {
    pub link_id: &'v str,
    /// The text of the link's key.
    pub slug: &'v str,
    pub url: &'v str,
    /// A [`Protection`](slugline_domain::Protection); empty if it was not recorded.
    pub protection: &'v str,
}

/// The facts about the visitor's program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Client<'v> {
    pub user_agent: &'v str,
    pub os: &'v str,
    pub browser: &'v str,
    pub browser_type: &'v str,
    pub device: &'v str,
    pub device_type: &'v str,
}

/// The visitor's place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Place<'v> {
    pub country: &'v str,
    pub region: &'v str,
    pub city: &'v str,
    pub timezone: &'v str,
    pub colo: &'v str,
    /// Zero when unknown. The same holds for the longitude.
    pub latitude: Degrees,
    pub longitude: Degrees,
}

impl<'v> Row<'v> {
    /// A visit of which nothing else is known.
    pub fn new(at: UnixMillis, target: VisitedLink<'v>, visitor: VisitorHash) -> Self {
        Self {
            at,
            target,
            client: Client::default(),
            place: Place::default(),
            referer: Cow::default(),
            language: "",
            campaign: Campaign::default(),
            visitor,
            sampled: Sampled {
                interval: SamplingInterval::EVERY,
                coherent: true,
            },
        }
    }

    /// A visit from a file. A new column of texts needs a line here, and one in [`Row::text`].
    pub fn of(visit: &'v StoredVisit) -> Self {
        let text = |dimension| visit.texts.get(text_of(dimension));
        let degrees = |dimension| Degrees::nearest(text(dimension).parse().unwrap_or(0.0));
        Self {
            at: visit.at,
            target: VisitedLink {
                link_id: &visit.link,
                slug: text(Dimension::Slug),
                url: text(Dimension::Url),
                protection: text(Dimension::Protection),
            },
            client: Client {
                user_agent: text(Dimension::UserAgent),
                os: text(Dimension::Os),
                browser: text(Dimension::Browser),
                browser_type: text(Dimension::BrowserType),
                device: text(Dimension::Device),
                device_type: text(Dimension::DeviceType),
            },
            place: Place {
                country: text(Dimension::Country),
                region: text(Dimension::Region),
                city: text(Dimension::City),
                timezone: text(Dimension::Timezone),
                colo: text(Dimension::Colo),
                latitude: degrees(Dimension::Latitude),
                longitude: degrees(Dimension::Longitude),
            },
            referer: text(Dimension::Referer).into(),
            language: text(Dimension::Language),
            campaign: Campaign {
                source: text(Dimension::UtmSource),
                medium: text(Dimension::UtmMedium),
                name: text(Dimension::UtmCampaign),
            },
            visitor: VisitorHash(visit.visitor),
            sampled: Sampled {
                interval: visit.interval,
                coherent: visit.coherent,
            },
        }
    }
}

impl Row<'_> {
    /// A property of the visit as answers show it.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "derived dimensions need no line here"
    )]
    pub fn text(&self, dimension: Dimension) -> Cow<'_, str> {
        if dimension == Dimension::Ip {
            return self.visitor.to_string().into();
        }
        if let Some(derivation) = dimension.derivation() {
            return derivation.value(|source| self.text(source));
        }
        match dimension {
            Dimension::Slug => self.target.slug.into(),
            Dimension::Url => self.target.url.into(),
            Dimension::UserAgent => self.client.user_agent.into(),
            Dimension::Referer => self.referer.as_ref().into(),
            Dimension::Country => self.place.country.into(),
            Dimension::Region => self.place.region.into(),
            Dimension::City => self.place.city.into(),
            Dimension::Timezone => self.place.timezone.into(),
            Dimension::Language => self.language.into(),
            Dimension::Os => self.client.os.into(),
            Dimension::Browser => self.client.browser.into(),
            Dimension::BrowserType => self.client.browser_type.into(),
            Dimension::Device => self.client.device.into(),
            Dimension::DeviceType => self.client.device_type.into(),
            Dimension::Colo => self.place.colo.into(),
            Dimension::Latitude => self.place.latitude.to_string().into(),
            Dimension::Longitude => self.place.longitude.to_string().into(),
            Dimension::UtmSource => self.campaign.source.into(),
            Dimension::UtmMedium => self.campaign.medium.into(),
            Dimension::UtmCampaign => self.campaign.name.into(),
            Dimension::Protection => self.target.protection.into(),
            // Nothing, since `ip` was shown and what follows from others was derived above. So a
            // line that is forgotten here shows no visitor.
            _ => "".into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::{STORED, TEXTS, TextColumn};

    #[test]
    fn the_text_of_each_column_of_a_file_comes_back() {
        let texts: Vec<String> = (1..).zip(&TEXTS[..STORED]).map(text_of_column).collect();
        let visit = StoredVisit {
            at: UnixMillis::new(0),
            link: "a".into(),
            visitor: 7,
            interval: SamplingInterval::EVERY,
            coherent: true,
            texts: texts.iter().map(String::as_str).collect(),
        };
        let row = Row::of(&visit);
        for (column, text) in TEXTS.iter().zip(&texts) {
            assert_eq!(row.text(column.dimension), **text, "{}", column.name);
        }
    }

    /// A text that no other column has.
    fn text_of_column((number, column): (usize, &TextColumn)) -> String {
        if column.dimension.is_degrees() {
            format!("{number}.50")
        } else {
            column.name.to_owned()
        }
    }
}
