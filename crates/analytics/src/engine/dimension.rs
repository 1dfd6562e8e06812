//! Where each dimension is kept.

use slugline_domain::Dimension;

use super::{
    column::Column,
    dictionary::{EMPTY, OTHER},
};
use crate::enrich::bounds;

/// The place of a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Home {
    /// A text in a dictionary.
    Text {
        table: Table,
        column: &'static str,
        /// Bytes at which stored texts were cut.
        max_bytes: usize,
    },
    /// A number of degrees among the places, compared in hundredths.
    Degrees { column: &'static str },
    /// In the rows themselves.
    Visitor,
}

/// A dictionary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Table {
    Targets,
    Clients,
    Places,
    Referers,
    Languages,
}

impl Table {
    pub(super) const ALL: [Self; 5] = [
        Self::Targets,
        Self::Clients,
        Self::Places,
        Self::Referers,
        Self::Languages,
    ];

    /// What stands behind `FROM`.
    pub(super) fn entries(self) -> &'static str {
        match self {
            Self::Targets => "dim_target",
            Self::Clients => "dim_client",
            Self::Places => "dim_place",
            Self::Referers => "dim_value WHERE kind = 1",
            Self::Languages => "dim_value WHERE kind = 2",
        }
    }

    /// The word between [`Table::entries`] and a condition.
    pub(super) fn and(self) -> &'static str {
        match self {
            Self::Targets | Self::Clients | Self::Places => "WHERE",
            Self::Referers | Self::Languages => "AND",
        }
    }

    /// Whether SQLite has an index of the entries by a column.
    pub(super) fn is_indexed_by(self, column: &str) -> bool {
        match self {
            Self::Targets => matches!(column, "link_id" | "slug"),
            Self::Clients => column == "ua",
            Self::Places => column == "country",
            Self::Referers | Self::Languages => column == "v",
        }
    }

    /// The largest id that stands for more than one text or for none.
    pub(super) fn last_special_id(self) -> u32 {
        match self {
            Self::Targets | Self::Clients | Self::Places => OTHER,
            Self::Referers | Self::Languages => EMPTY,
        }
    }

    /// What an entry is called.
    pub(super) fn entry_name(self) -> &'static str {
        match self {
            Self::Targets => "target",
            Self::Clients => "client",
            Self::Places => "place",
            Self::Referers => "referer",
            Self::Languages => "language",
        }
    }

    /// The column of rows that refers to it.
    pub(super) fn column(self) -> Column {
        match self {
            Self::Targets => Column::Target,
            Self::Clients => Column::Client,
            Self::Places => Column::Place,
            Self::Referers => Column::Referer,
            Self::Languages => Column::Language,
        }
    }
}

/// Where a dimension is kept.
pub(super) fn home(dimension: Dimension) -> Home {
    use Table::{Clients, Languages, Places, Referers, Targets};

    let bounded = |table, column, max_bytes| Home::Text {
        table,
        column,
        max_bytes,
    };
    let text = |table, column| bounded(table, column, usize::MAX);
    match dimension {
        Dimension::Slug => text(Targets, "slug"),
        Dimension::Url => bounded(Targets, "url", bounds::URL_MAX_BYTES),
        Dimension::UserAgent => bounded(Clients, "ua", bounds::USER_AGENT_MAX_BYTES),
        Dimension::Ip => Home::Visitor,
        Dimension::Referer => bounded(Referers, "v", bounds::REFERER_MAX_BYTES),
        Dimension::Country => text(Places, "country"),
        Dimension::Region => text(Places, "region"),
        Dimension::City => text(Places, "city"),
        Dimension::Timezone => text(Places, "timezone"),
        Dimension::Language => bounded(Languages, "v", bounds::LANGUAGE_MAX_BYTES),
        Dimension::Os => bounded(Clients, "os", bounds::NAME_MAX_BYTES),
        Dimension::Browser => bounded(Clients, "browser", bounds::NAME_MAX_BYTES),
        Dimension::BrowserType => text(Clients, "browser_type"),
        Dimension::Device => bounded(Clients, "device", bounds::NAME_MAX_BYTES),
        Dimension::DeviceType => text(Clients, "device_type"),
        Dimension::Colo => text(Places, "colo"),
        Dimension::Latitude => Home::Degrees { column: "latitude" },
        Dimension::Longitude => Home::Degrees {
            column: "longitude",
        },
    }
}
