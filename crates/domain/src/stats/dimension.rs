//! The table of dimensions: the properties of visits that questions can use.

use std::{fmt, str::FromStr};

use thiserror::Error;

/// Makes the enum and the table of its facts. A dimension is one line: what it says, its name
/// in code, and its facts. The order of the lines is the order of members, options and columns
/// on the wire.
macro_rules! dimensions {
    ($($(#[doc = $says:literal])+ $dimension:ident = $facts:expr;)+) => {
        /// A property of a visit that questions can filter or group by.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Dimension {
            $($(#[doc = $says])+ $dimension,)+
            /// A [`Protection`](crate::Protection); empty if it was not recorded. Only the
            /// service's own questions name it.
            Protection,
        }

        impl Dimension {
            /// Every dimension that questions of clients may name.
            pub const ALL: &'static [Self] = &[$(Self::$dimension),+];

            const fn facts(self) -> &'static Facts {
                match self {
                    $(Self::$dimension => const { &Facts { says: concat!($($says),+), ..$facts } },)+
                    Self::Protection => const { &text("protection") },
                }
            }
        }
    };
}

dimensions! {
    /// The slug at the time of the visit, after its domain and a slash if the domain has a name.
    Slug = text("slug").filter();
    /// The link's main destination at the time of the visit; empty if the token may not
    /// see it.
    Url = text("url").filter().commas();
    /// The raw user agent.
    UserAgent = text("user_agent").named("ua").commas();
    /// An opaque token for the visitor's address.
    Ip = Facts { kind: DimensionKind::Visitor, ..text("visitor") }.named("ip");
    /// Host, and port if any, of the referring page; empty when there is none.
    Referer = text("referer").filter();
    /// Two-letter country code.
    Country = Facts { kind: DimensionKind::Country, ..text("country") }.filter().place();
    /// Region with its country.
    Region = text("region").filter().commas().place();
    /// City with its country.
    City = text("city").filter().commas().place();
    /// Time zone of the visitor's place, such as Europe/Berlin.
    Timezone = Facts { kind: DimensionKind::Zone, ..text("timezone") }.filter().place();
    /// First language that the visitor prefers, such as en-US.
    Language = text("language").filter();
    /// Operating system.
    Os = text("os").filter();
    /// Browser.
    Browser = text("browser").filter();
    /// Kind of browser, such as crawler; empty for ordinary ones.
    BrowserType = text("browser_type").named("browserType").filter();
    /// Device model; empty on desktops.
    Device = text("device").filter().commas();
    /// Kind of device; empty on desktops.
    DeviceType = text("device_type").named("deviceType").filter();
    /// Data centre code of the edge network in front.
    Colo = text("colo").named("COLO").place();
    /// Degrees north of the equator, to two decimals; 0 when unknown.
    Latitude = degrees("latitude").place();
    /// Degrees east of Greenwich, to two decimals; 0 when unknown.
    Longitude = degrees("longitude").place();
    /// The campaign's source, of the visitor's query or else of the destination.
    UtmSource = text("utm_source").named("utmSource").filter().commas();
    /// The campaign's medium, of the visitor's query or else of the destination.
    UtmMedium = text("utm_medium").named("utmMedium").filter().commas();
    /// The campaign's name, of the visitor's query or else of the destination.
    UtmCampaign = text("utm_campaign").named("utmCampaign").filter().commas();
    /// Kind of way that led here: direct, search, social, mail, campaign, ai-assistant or referral.
    Channel = text("channel").filter();
    /// Domain of the link at the time of the visit, such as go.example; empty for the default one.
    Domain = text("domain").filter();
}

impl FromStr for Dimension {
    type Err = DimensionError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::named(name).ok_or_else(|| DimensionError(name.into()))
    }
}

/// The name on the wire.
impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// No dimension has this name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0:?} is not a dimension")]
pub struct DimensionError(Box<str>);

/// The values that a dimension may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DimensionKind {
    /// Any text; an empty one means unknown, or none.
    Text,
    /// A country's code.
    Country,
    /// The name of a time zone.
    Zone,
    /// [`Degrees`](crate::Degrees).
    Degrees,
    /// A visitor's token, which no single visit shows.
    Visitor,
}

/// The facts in the table about one dimension.
struct Facts {
    says: &'static str,
    name: &'static str,
    column: &'static str,
    kind: DimensionKind,
    filters: bool,
    holds_commas: bool,
    is_a_place: bool,
}

const fn text(column: &'static str) -> Facts {
    Facts {
        says: "",
        name: column,
        column,
        kind: DimensionKind::Text,
        filters: false,
        holds_commas: false,
        is_a_place: false,
    }
}

const fn degrees(column: &'static str) -> Facts {
    Facts {
        kind: DimensionKind::Degrees,
        ..text(column)
    }
}

impl Facts {
    /// The name on the wire, where it differs from that of the column.
    const fn named(self, name: &'static str) -> Self {
        Self { name, ..self }
    }

    /// Clients can filter by it.
    const fn filter(self) -> Self {
        Self {
            filters: true,
            ..self
        }
    }

    /// Its values may hold commas.
    const fn commas(self) -> Self {
        Self {
            holds_commas: true,
            ..self
        }
    }

    /// It is known only if the visitor's place is.
    const fn place(self) -> Self {
        Self {
            is_a_place: true,
            ..self
        }
    }
}

impl Dimension {
    /// Returns the dimension with this name on the wire.
    pub fn named(name: &str) -> Option<Self> {
        let mut all = Self::ALL.iter().copied();
        all.find(|dimension| dimension.name() == name)
    }

    /// The name on the wire, such as `browserType`.
    pub fn name(self) -> &'static str {
        self.facts().name
    }

    /// The name of the column in files and in ClickHouse, such as `browser_type`.
    pub const fn column(self) -> &'static str {
        self.facts().column
    }

    /// A sentence for clients about its values.
    pub fn says(self) -> &'static str {
        self.facts().says.trim_ascii()
    }

    /// The values that it may have.
    pub fn kind(self) -> DimensionKind {
        self.facts().kind
    }

    /// Returns whether the values are degrees.
    pub fn is_degrees(self) -> bool {
        self.kind() == DimensionKind::Degrees
    }

    /// Returns whether clients can filter by it.
    pub fn filters(self) -> bool {
        self.facts().filters
    }

    /// Returns whether its values may hold commas. Some makers' device names do, and people
    /// name campaigns as they like.
    pub fn holds_commas(self) -> bool {
        self.facts().holds_commas
    }

    /// Returns whether it is known only if the visitor's place is.
    pub fn is_a_place(self) -> bool {
        self.facts().is_a_place
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_and_columns_are_those_of_one_dimension_each() {
        let names: HashSet<&str> = Dimension::ALL.iter().map(|of| of.name()).collect();
        let columns: HashSet<&str> = Dimension::ALL.iter().map(|of| of.column()).collect();
        assert_eq!(names.len(), Dimension::ALL.len());
        assert_eq!(columns.len(), Dimension::ALL.len());
        for &dimension in Dimension::ALL {
            assert_eq!(Dimension::named(dimension.name()), Some(dimension));
            assert!(
                dimension.says().ends_with(|end: char| end != ' '),
                "{dimension:?}"
            );
        }
        assert_eq!(Dimension::named("protection"), None);
    }
}
