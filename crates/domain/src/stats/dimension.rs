//! The properties of visits that questions can use.

/// A property of a visit that questions can filter or group by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dimension {
    /// The slug at the time of the visit.
    Slug,
    /// The link's main destination at the time of the visit.
    Url,
    /// The raw `User-Agent`.
    UserAgent,
    /// An opaque token for the visitor's address.
    Ip,
    /// Host, and port if any, of the referring page; empty when there is none.
    Referer,
    /// Country code.
    Country,
    /// Region with its country.
    Region,
    /// City with its country.
    City,
    /// IANA time zone of the visitor's place.
    Timezone,
    /// First language of `Accept-Language`.
    Language,
    /// Operating system.
    Os,
    /// Browser name.
    Browser,
    /// Kind of browser: empty for ordinary ones, else `crawler`, `cli`, ….
    BrowserType,
    /// Device model.
    Device,
    /// Kind of device: empty on desktops.
    DeviceType,
    /// Data centre code of the edge network in front.
    Colo,
    /// Latitude in degrees.
    Latitude,
    /// Longitude in degrees.
    Longitude,
    /// The campaign's `utm_source`, such as `newsletter`.
    UtmSource,
    /// The campaign's `utm_medium`, such as `email`.
    UtmMedium,
    /// The campaign's `utm_campaign`, its name.
    UtmCampaign,
    /// A [`Protection`](crate::Protection); empty if it was not recorded. Only the service's own
    /// questions name it.
    Protection,
}

impl Dimension {
    /// Every dimension that questions of clients may name.
    pub const ALL: [Self; 21] = [
        Self::Slug,
        Self::Url,
        Self::UserAgent,
        Self::Ip,
        Self::Referer,
        Self::Country,
        Self::Region,
        Self::City,
        Self::Timezone,
        Self::Language,
        Self::Os,
        Self::Browser,
        Self::BrowserType,
        Self::Device,
        Self::DeviceType,
        Self::Colo,
        Self::Latitude,
        Self::Longitude,
        Self::UtmSource,
        Self::UtmMedium,
        Self::UtmCampaign,
    ];

    /// Returns whether the values are degrees.
    pub fn is_degrees(self) -> bool {
        matches!(self, Self::Latitude | Self::Longitude)
    }
}
