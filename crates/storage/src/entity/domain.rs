//! Named domains.

use sea_orm::entity::prelude::*;
use slugline_domain::{Destination, Domain, Host, SlugCase};

use crate::{
    failure::Failure,
    session::{Columns, Row},
};

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "domains")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub host: String,
    pub home_url: Option<String>,
    pub not_found_url: Option<String>,
    pub expired_url: Option<String>,
    /// `None` where the instance decides.
    pub case_sensitive: Option<bool>,
    pub fall_through: bool,
    /// Seconds.
    pub created_at: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

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
    fn read(columns: &impl Columns) -> Result<Self, Failure> {
        let url = |column| {
            let text = columns.optional_text(column)?;
            let url = text.as_deref().map(Destination::restore).transpose();
            url.map_err(|_| Failure::BadDomainUrl)
        };
        let case = columns.optional_flag(4)?.map(|is_sensitive| {
            if is_sensitive {
                SlugCase::Sensitive
            } else {
                SlugCase::Insensitive
            }
        });
        Ok(Domain {
            home_url: url(1)?,
            not_found_url: url(2)?,
            expired_url: url(3)?,
            case,
            fall_through: columns.optional_flag(5)?.unwrap_or_default(),
            ..Self::new(Host::parse(&columns.text(0)?)?)
        })
    }
}
