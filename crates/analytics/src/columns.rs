//! The table of columns, for both engines. A new column needs a line at the end of `stored`, and
//! one in [`Row::text`](crate::row::Row::text), which fills it. In older visits it is unknown. A
//! dimension that follows from others is a column that is not stored, and needs no line here.

use std::sync::LazyLock;

use slugline_domain::{Derivation, Dimension, VisitColumn, VisitColumnKind};

use crate::bounds;

/// A column of texts.
#[derive(Clone, Copy, Debug)]
pub struct TextColumn {
    pub dimension: Dimension,
    /// The name in the chunks of an embedded log.
    pub name: &'static str,
    pub family: Family,
    /// The text of a visit about which nothing is known.
    pub unknown: &'static str,
    /// The bytes at which stored texts were cut.
    pub max_bytes: usize,
}

impl TextColumn {
    /// The name in files of visits, and in ClickHouse's table.
    pub fn public_name(&self) -> &'static str {
        self.dimension.column()
    }
}

/// Columns whose texts mostly come together. A row of a chunk has one number for all columns of a
/// family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    VisitedLink,
    Client,
    Place,
    Referer,
    Language,
    Campaign,
    /// Columns that follow by rules from those of several families.
    Derived,
    /// The column of domains, which follows from that of slugs alone. Apart from the others its
    /// entries are those of the targets, not combinations of those with everything else.
    Domain,
}

impl Family {
    pub const ALL: [Self; 8] = [
        Self::VisitedLink,
        Self::Client,
        Self::Place,
        Self::Referer,
        Self::Language,
        Self::Campaign,
        Self::Derived,
        Self::Domain,
    ];

    /// Those whose columns are stored.
    pub const STORED: [Self; 6] = [
        Self::VisitedLink,
        Self::Client,
        Self::Place,
        Self::Referer,
        Self::Language,
        Self::Campaign,
    ];

    /// Those whose columns follow from others.
    pub const DERIVED: [Self; 2] = [Self::Derived, Self::Domain];

    /// Returns whether its columns follow from others.
    pub fn is_derived(self) -> bool {
        Self::DERIVED.contains(&self)
    }

    /// The column of these numbers in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::VisitedLink => "targets",
            Self::Client => "clients",
            Self::Place => "places",
            Self::Referer => "referers",
            Self::Language => "languages",
            Self::Campaign => "campaigns",
            Self::Derived => "derived",
            Self::Domain => "domains",
        }
    }

    /// The column of the fingerprints of the family's entries.
    pub fn keys(self) -> &'static str {
        match self {
            Self::VisitedLink => "target_keys",
            Self::Client => "client_keys",
            Self::Place => "place_keys",
            Self::Referer => "referer_keys",
            Self::Language => "language_keys",
            Self::Campaign => "campaign_keys",
            Self::Derived => "derived_keys",
            Self::Domain => "domain_keys",
        }
    }

    /// The index of the family in lists of all families.
    pub fn index(self) -> usize {
        match self {
            Self::VisitedLink => 0,
            Self::Client => 1,
            Self::Place => 2,
            Self::Referer => 3,
            Self::Language => 4,
            Self::Campaign => 5,
            Self::Derived => 6,
            Self::Domain => 7,
        }
    }

    /// The indexes of the family's columns in [`TEXTS`].
    pub fn columns(self) -> &'static [usize] {
        static OF_EACH: LazyLock<[Vec<usize>; Family::ALL.len()]> = LazyLock::new(|| {
            let is_of = |place: &usize, family| TEXTS[*place].family == family;
            let places = 0..TEXTS.len();
            Family::ALL.map(|family| {
                places
                    .clone()
                    .filter(|place| is_of(place, family))
                    .collect()
            })
        });
        &OF_EACH[self.index()]
    }
}

/// The columns of texts that are stored. Their order never changes, because a row that waits for
/// ClickHouse states only how many of the columns it has.
const fn stored() -> [TextColumn; STORED] {
    use Dimension as D;
    use Family::{Campaign, Client, Language, Place, Referer, VisitedLink};
    [
        text(D::Slug, "slug", VisitedLink, usize::MAX),
        text(D::Url, "url", VisitedLink, bounds::URL_MAX_BYTES),
        text(D::UserAgent, "ua", Client, bounds::USER_AGENT_MAX_BYTES),
        text(D::Os, "os", Client, bounds::NAME_MAX_BYTES),
        text(D::Browser, "browser", Client, bounds::NAME_MAX_BYTES),
        text(D::BrowserType, "browser_type", Client, usize::MAX),
        text(D::Device, "device", Client, bounds::NAME_MAX_BYTES),
        text(D::DeviceType, "device_type", Client, usize::MAX),
        text(D::Country, "country", Place, usize::MAX),
        text(D::Region, "region", Place, usize::MAX),
        text(D::City, "city", Place, usize::MAX),
        text(D::Timezone, "timezone", Place, usize::MAX),
        text(D::Colo, "colo", Place, usize::MAX),
        degrees(D::Latitude, "latitude"),
        degrees(D::Longitude, "longitude"),
        text(D::Referer, "referer", Referer, bounds::REFERER_MAX_BYTES),
        text(
            D::Language,
            "language",
            Language,
            bounds::LANGUAGE_MAX_BYTES,
        ),
        text(D::UtmSource, "utm_source", Campaign, bounds::UTM_MAX_BYTES),
        text(D::UtmMedium, "utm_medium", Campaign, bounds::UTM_MAX_BYTES),
        text(
            D::UtmCampaign,
            "utm_campaign",
            Campaign,
            bounds::UTM_MAX_BYTES,
        ),
        text(
            D::Protection,
            "protection",
            VisitedLink,
            bounds::NAME_MAX_BYTES,
        ),
    ]
}

/// The number of columns that are stored, the first ones of [`TEXTS`].
pub const STORED: usize = 21;

/// Every column of texts: those that are stored, and those that follow from them.
pub const TEXTS: [TextColumn; STORED + derived()] = {
    let stored = stored();
    let mut all = [stored[0]; STORED + derived()];
    let mut place = 0;
    while place < STORED {
        all[place] = stored[place];
        place += 1;
    }
    let mut line = 0;
    while line < Dimension::ALL.len() {
        let dimension = Dimension::ALL[line];
        if let Some(derivation) = dimension.derivation() {
            let family = match derivation {
                Derivation::Rules(_) => Family::Derived,
                Derivation::HostOfKey => Family::Domain,
            };
            all[place] = text(dimension, dimension.column(), family, usize::MAX);
            place += 1;
        }
        line += 1;
    }
    all
};

/// The number of dimensions that follow from others.
const fn derived() -> usize {
    let (mut count, mut line) = (0, 0);
    while line < Dimension::ALL.len() {
        if Dimension::ALL[line].derivation().is_some() {
            count += 1;
        }
        line += 1;
    }
    count
}

/// The columns of texts that stored visits have, in the order of files.
pub fn visit_columns() -> &'static [VisitColumn] {
    static COLUMNS: LazyLock<Vec<VisitColumn>> = LazyLock::new(|| {
        let column = |column: &TextColumn| VisitColumn {
            name: column.public_name(),
            kind: if column.unknown.is_empty() {
                // No text in a file is longer than the longest that is stored.
                let max_bytes = column.max_bytes.min(bounds::URL_MAX_BYTES);
                VisitColumnKind::Text { max_bytes }
            } else {
                VisitColumnKind::Degrees
            },
        };
        TEXTS[..STORED].iter().map(column).collect()
    });
    &COLUMNS
}

/// The index of a dimension's column in [`TEXTS`]; `None` for visitors, which are numbers.
pub fn column_of(dimension: Dimension) -> Option<usize> {
    TEXTS
        .iter()
        .position(|column| column.dimension == dimension)
}

/// The index of the column of a dimension that is a text.
pub fn text_of(dimension: Dimension) -> usize {
    column_of(dimension).expect("it is a text")
}

const fn text(
    dimension: Dimension,
    name: &'static str,
    family: Family,
    max_bytes: usize,
) -> TextColumn {
    TextColumn {
        dimension,
        name,
        family,
        unknown: "",
        max_bytes,
    }
}

const fn degrees(dimension: Dimension, name: &'static str) -> TextColumn {
    TextColumn {
        unknown: "0.00",
        ..text(dimension, name, Family::Place, usize::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_dimension_but_the_visitor_is_one_column() {
        for &dimension in Dimension::ALL {
            let columns = TEXTS.iter().filter(|column| column.dimension == dimension);
            assert_eq!(columns.count(), usize::from(dimension != Dimension::Ip));
        }
        assert_eq!(TEXTS[text_of(Dimension::Protection)].name, "protection");
        for (place, family) in Family::ALL.into_iter().enumerate() {
            assert_eq!(family.index(), place);
        }
    }

    #[test]
    fn columns_that_rows_may_have_keep_their_places() {
        let names = TEXTS.map(|column| column.name).join(" ");
        let released = "slug url ua os browser browser_type device device_type country region city \
                        timezone colo latitude longitude referer language utm_source utm_medium \
                        utm_campaign protection";
        assert!(names.starts_with(released), "{names}");
    }
}
