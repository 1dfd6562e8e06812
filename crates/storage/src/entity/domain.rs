//! Named domains.

use sea_orm::entity::prelude::*;
use slugline_domain::{Destination, Domain, Host, SlugCase};

use crate::{
    failure::Failure,
    row::{Columns, Row},
};

table! {
    "domains",
    #[sea_orm(primary_key, auto_increment = false)]
    host: String,
    home_url: Option<String>,
    not_found_url: Option<String>,
    expired_url: Option<String>,
    /// `None` where the instance decides.
    case_sensitive: Option<bool>,
    fall_through: bool,
    /// Seconds.
    created_at: i64,
}

/// The row of a domain that is named at this second.
pub(crate) fn to_row(domain: &Domain, created_at: i64) -> Model {
    let text = |url: &Option<Destination>| url.as_ref().map(ToString::to_string);
    Model {
        host: domain.host.to_string(),
        home_url: text(&domain.home_url),
        not_found_url: text(&domain.not_found_url),
        expired_url: text(&domain.expired_url),
        case_sensitive: domain.case.map(|case| case == SlugCase::Sensitive),
        fall_through: domain.fall_through,
        created_at,
    }
}

impl Row for Domain {
    fn read(columns: &mut impl Columns) -> Result<Self, Failure> {
        let row = Model::read(columns)?;
        let url = |text: Option<String>| {
            let url = text.as_deref().map(Destination::restore).transpose();
            url.map_err(|_| Failure::BadDomainUrl)
        };
        let case = |is_sensitive| {
            if is_sensitive {
                SlugCase::Sensitive
            } else {
                SlugCase::Insensitive
            }
        };
        Ok(Domain {
            home_url: url(row.home_url)?,
            not_found_url: url(row.not_found_url)?,
            expired_url: url(row.expired_url)?,
            case: row.case_sensitive.map(case),
            fall_through: row.fall_through,
            ..Self::new(Host::parse(&row.host)?)
        })
    }
}
