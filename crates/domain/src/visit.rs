//! One followed link.

use std::{borrow::Cow, net::IpAddr, sync::Arc};

use crate::{
    Campaign, Colo, Coordinates, Country, Degrees, Dimension, FollowedLink, Place, Protection,
    SamplingInterval, TimeZoneName, UnixMillis, VisitHeaders, Way,
};

/// The facts about a visit at the moment of the redirect. It waits in a queue,
/// so it is small: the writer works out everything else later.
#[derive(Clone, Debug)]
pub struct Visit {
    /// The time.
    pub at: UnixMillis,
    /// The link as it was at that moment.
    pub link: Arc<FollowedLink>,
    /// The visitor's address. It is never written to disk: the access log keeps
    /// a keyed hash of it.
    pub client: IpAddr,
    /// The request's headers, and the campaign in its query.
    pub headers: VisitHeaders,
    /// The visitor's place, if a CDN or proxy in front of the service named it.
    pub place: Option<Box<Place>>,
    /// The way by which the link led the visitor.
    pub way: Way,
}

impl Visit {
    /// The destination that the access log names: that of the rule or the share by which the link
    /// led the visitor, else the link's own. Destinations for devices and countries are not named,
    /// as in Sink.
    pub fn url(&self) -> &str {
        match self.way {
            Way::Rule(_) | Way::Share(_) => self.link.end_of(self.way),
            Way::Main | Way::Apple | Way::Google | Way::Geo(_) => self.link.destination(),
        }
    }
}

/// A visit as the access log stores it, with everything that is derived from
/// it. Texts are no longer than the log's bounds, and empty if unknown.
///
/// It borrows its texts: an observer copies those it needs.
#[derive(Clone, Copy, Debug)]
pub struct VisitRecord<'v> {
    /// The time.
    pub at: UnixMillis,
    /// The link's identity, a [`LinkId`](crate::LinkId).
    pub link_id: &'v str,
    /// The text of the link's [`LinkKey`](crate::LinkKey) at that moment:
    /// [`split_key`](crate::split_key) tells its domain and its [`Slug`](crate::Slug) apart.
    pub slug: &'v str,
    /// The destination by [`Visit::url`].
    pub url: &'v str,
    /// The destination's protection at that moment.
    pub protection: Protection,
    /// The `User-Agent` header.
    pub user_agent: &'v str,
    /// Host, and port if any, of the referring page.
    pub referer: &'v str,
    /// The most preferred language, such as `en-US`.
    pub language: &'v str,
    /// Operating system, such as `macOS`.
    pub os: &'v str,
    /// Browser or other program, such as `Chrome` or `Googlebot`.
    pub browser: &'v str,
    /// Kind of program, such as `crawler` or `inapp`; empty for browsers.
    pub browser_type: &'v str,
    /// Model of the device, such as `iPhone`; empty on desktops.
    pub device: &'v str,
    /// Kind of device, such as `mobile`; empty on desktops.
    pub device_type: &'v str,
    /// The place of the visitor.
    pub place: &'v Place,
    /// The campaign that brought the visitor.
    pub campaign: Campaign<'v>,
    /// The number of real visits that this one stands for.
    pub interval: SamplingInterval,
}

impl VisitRecord<'_> {
    /// The text of a dimension as answers show it. A record does not have the visitor's address.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "derived dimensions need no line here"
    )]
    pub fn value(&self, dimension: Dimension) -> Cow<'_, str> {
        if let Some(derivation) = dimension.derivation() {
            return derivation.value(|source| self.value(source));
        }
        let place = self.place;
        let degrees = |of: fn(Coordinates) -> f64| {
            let known = place.coordinates.map(of);
            known.map_or(Degrees::ZERO, Degrees::nearest).to_string()
        };
        Cow::Borrowed(match dimension {
            Dimension::Slug => self.slug,
            Dimension::Url => self.url,
            Dimension::UserAgent => self.user_agent,
            Dimension::Referer => self.referer,
            Dimension::Country => place.country.as_ref().map_or("", Country::as_str),
            Dimension::Region => return place.region_label().into(),
            Dimension::City => return place.city_label().into(),
            Dimension::Timezone => place.timezone.as_ref().map_or("", TimeZoneName::as_str),
            Dimension::Language => self.language,
            Dimension::Os => self.os,
            Dimension::Browser => self.browser,
            Dimension::BrowserType => self.browser_type,
            Dimension::Device => self.device,
            Dimension::DeviceType => self.device_type,
            Dimension::Colo => place.colo.as_ref().map_or("", Colo::as_str),
            Dimension::Latitude => return degrees(Coordinates::latitude).into(),
            Dimension::Longitude => return degrees(Coordinates::longitude).into(),
            Dimension::UtmSource => self.campaign.source,
            Dimension::UtmMedium => self.campaign.medium,
            Dimension::UtmCampaign => self.campaign.name,
            Dimension::Protection => self.protection.as_str(),
            // `ip`, since what follows from others was derived above.
            _ => "",
        })
    }
}
