//! The columns of a link that a redirect needs, and the value made of them.

use sea_orm::{EntityTrait, QuerySelect, Select};
use slugline_domain::{
    Delivery, Destination, FollowedLink, LinkId, PasswordHash, Preview, Revision, Routing, Terms,
};

use super::link::{self, Check, Column};
use crate::{
    failure::{BadRow, Failure},
    session::{Columns, Row},
};

/// The columns as the table holds them.
#[derive(Clone, Debug)]
pub(crate) struct Followed {
    id: String,
    domain: String,
    slug: String,
    destination: String,
    title: Option<String>,
    description: Option<String>,
    image: Option<String>,
    apple: Option<String>,
    google: Option<String>,
    geo: Option<String>,
    with_query: Option<bool>,
    cloaking: Option<bool>,
    proxy: Option<bool>,
    flagged_unsafe: Option<bool>,
    rules: Option<String>,
    shares: Option<String>,
    shares_until: Option<i64>,
    forward_path: Option<bool>,
    password_hash: Option<String>,
    expires_at: Option<i64>,
    ends_at: Option<i64>,
    revision: i64,
}

#[cfg(feature = "postgres")]
impl Followed {
    /// The name of the domain, empty for the default one, and the slug.
    pub(crate) fn key(&self) -> (&str, &str) {
        (&self.domain, &self.slug)
    }
}

/// Selects the columns, in the order of [`Followed`].
pub(crate) fn select() -> Select<link::Entity> {
    link::Entity::find().select_only().columns([
        Column::Id,
        Column::Domain,
        Column::Slug,
        Column::Destination,
        Column::Title,
        Column::Description,
        Column::Image,
        Column::Apple,
        Column::Google,
        Column::Geo,
        Column::RedirectWithQuery,
        Column::Cloaking,
        Column::Proxy,
        Column::FlaggedUnsafe,
        Column::Rules,
        Column::Shares,
        Column::SharesUntil,
        Column::ForwardPath,
        Column::PasswordHash,
        Column::ExpiresAt,
        Column::EndsAt,
        Column::Revision,
    ])
}

impl Row for Followed {
    fn read(columns: &impl Columns) -> Result<Self, Failure> {
        let mut indexes = 0..;
        let mut next = || indexes.next().expect("a row has few columns");
        Ok(Self {
            id: columns.text(next())?,
            domain: columns.text(next())?,
            slug: columns.text(next())?,
            destination: columns.text(next())?,
            title: columns.optional_text(next())?,
            description: columns.optional_text(next())?,
            image: columns.optional_text(next())?,
            apple: columns.optional_text(next())?,
            google: columns.optional_text(next())?,
            geo: columns.optional_text(next())?,
            with_query: columns.optional_flag(next())?,
            cloaking: columns.optional_flag(next())?,
            proxy: columns.optional_flag(next())?,
            flagged_unsafe: columns.optional_flag(next())?,
            rules: columns.optional_text(next())?,
            shares: columns.optional_text(next())?,
            shares_until: columns.optional_number(next())?,
            forward_path: columns.optional_flag(next())?,
            password_hash: columns.optional_text(next())?,
            expires_at: columns.optional_number(next())?,
            ends_at: columns.optional_number(next())?,
            revision: columns.number(next())?,
        })
    }
}

/// The value of a row.
pub(crate) fn to_followed(row: Followed) -> Result<FollowedLink, BadRow> {
    let check = Check { id: &row.id };
    let author = check.moment("expires_at", row.expires_at)?;
    let instance = check.moment("ends_at", row.ends_at)?;
    let terms = Terms {
        expiry: author.into_iter().chain(instance).min(),
        password: row.password_hash.map(PasswordHash::new),
        flagged_unsafe: row.flagged_unsafe == Some(true),
        preview: Preview {
            title: check.text("title", row.title.as_deref())?,
            description: check.text("description", row.description.as_deref())?,
            image: check.text("image", row.image.as_deref())?,
        },
        routing: Routing {
            apple: check.destination("apple", row.apple.as_deref())?,
            google: check.destination("google", row.google.as_deref())?,
            geo: check.geo(row.geo.as_deref().unwrap_or_default())?,
            with_query: row.with_query,
            rules: check.rules(row.rules.as_deref())?,
            split: check.split(row.shares.as_deref())?,
            split_until: check.moment("shares_until", row.shares_until)?,
            forward_path: row.forward_path,
        },
        delivery: Delivery {
            cloaking: row.cloaking,
            proxy: row.proxy,
        },
    };
    Ok(FollowedLink::new(
        &check.column("id", LinkId::parse(&row.id))?,
        &check.key(&row.domain, &row.slug)?,
        Revision::new(row.revision),
        &check.column("destination", Destination::restore(&row.destination))?,
        terms,
    ))
}
