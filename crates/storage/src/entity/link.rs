//! The rows of links: their columns, and links made of them. A row that breaks a domain rule is
//! an error that names the column; this module never repairs rows.
//!
//! A new column is a member of [`Model`]. The compiler then names the two functions that must handle
//! it: one names every column, and the other one every member of a link.

use std::{collections::BTreeMap, error::Error as StdError};

use sea_orm::{
    Iterable, QuerySelect,
    entity::prelude::*,
    sea_query::{Expr, ExprTrait},
};
use slugline_domain::{
    Country, Delivery, Destination, DomainName, Life, Link, LinkContent, LinkId, LinkKey,
    MaxVisits, PasswordHash, Preview, RequestDigests, Revision, Routing, Rules, Slug, Split, Tags,
    Text, UnixSeconds, VisitsBefore, searched_text,
};

use super::{routing_text, search_key::destination_key, tags_text};
use crate::{
    failure::BadRow,
    hexadecimal::{from_hexadecimal, hexadecimal},
};

table! {
    /// A link as the table holds it.
    "short_links",
    /// The database assigns it.
    #[sea_orm(primary_key)]
    number: i64,
    id: String,
    /// The name of the host; empty for the default domain.
    domain: String,
    slug: String,
    destination: String,
    comment: Option<String>,
    title: Option<String>,
    description: Option<String>,
    image: Option<String>,
    apple: Option<String>,
    google: Option<String>,
    /// Countries and their destinations: lines of a code, a blank and a URL.
    geo: Option<String>,
    redirect_with_query: Option<bool>,
    cloaking: Option<bool>,
    proxy: Option<bool>,
    flagged_unsafe: Option<bool>,
    /// Rules in the form of `routing_text`.
    rules: Option<String>,
    /// The shares of the split: lines of a percentage, a blank and a URL.
    shares: Option<String>,
    shares_until: Option<i64>,
    forward_path: Option<bool>,
    password_hash: Option<String>,
    created_at: i64,
    updated_at: i64,
    expires_at: Option<i64>,
    ends_at: Option<i64>,
    /// The number of the version, which each change by an author increases.
    revision: i64,
    starts_at: Option<i64>,
    start_url: Option<String>,
    expired_url: Option<String>,
    max_visits: Option<i64>,
    /// Only a counted visit changes it.
    visits_used: i64,
    disabled: bool,
    noindex: Option<bool>,
    /// The visits that the link had elsewhere.
    visits_before: Option<i64>,
    /// A copy of the tags, each after a `T`. Tags are in lower case, so no tag holds one.
    tags: Option<String>,
    /// The digests of the request that made the link, in hexadecimal; both or none.
    request_key: Option<String>,
    request_digest: Option<String>,
    ;
    /// The texts that searches look into, folded.
    folded_text: String,
    /// Digest of the destination without its query string.
    destination_key: String,
}

/// Selects the columns to read, in the order of [`Model`]. Only searches need the searched texts,
/// which can be longer than the rest.
pub(crate) fn select() -> Select<Entity> {
    Entity::find().select_only().columns(read_columns())
}

/// As [`select`], for redirects, which need none of the last three columns.
pub(crate) fn select_followed() -> Select<Entity> {
    use Column::{RequestDigest, RequestKey, Tags};

    let columns =
        read_columns().filter(|column| !matches!(column, Tags | RequestKey | RequestDigest));
    let unread = [(); 3].map(|()| Expr::cust("NULL"));
    Entity::find().select_only().columns(columns).exprs(unread)
}

/// The columns to read.
pub(crate) fn read_columns() -> impl Iterator<Item = Column> {
    Column::iter().filter(|column| !matches!(column, Column::FoldedText | Column::DestinationKey))
}

/// The links, or the versions, that these requests made, by the digests of their keys.
pub(crate) fn is_made_by(keys: &[String]) -> Expr {
    Expr::col(Column::RequestKey).is_in(keys.iter().map(String::as_str))
}

/// The row of a link, without the number that the database gives it.
pub(crate) fn to_row(link: &Link) -> Model {
    let content = &link.content;
    let (preview, routing, life) = (&content.preview, &content.routing, &content.life);
    Model {
        number: 0,
        id: link.id.to_string(),
        domain: link.key.domain.to_string(),
        slug: link.key.slug.to_string(),
        destination: content.destination.to_string(),
        comment: text(content.comment.as_ref()),
        title: text(preview.title.as_ref()),
        description: text(preview.description.as_ref()),
        image: text(preview.image.as_ref()),
        apple: text(routing.apple.as_ref()),
        google: text(routing.google.as_ref()),
        geo: geo_to_text(&routing.geo),
        redirect_with_query: routing.with_query,
        cloaking: content.delivery.cloaking,
        proxy: content.delivery.proxy,
        flagged_unsafe: content.flagged_unsafe,
        rules: routing_text::write_rules(&routing.rules),
        shares: routing.split.as_ref().map(routing_text::write_split),
        shares_until: routing.split_until.map(UnixSeconds::get),
        forward_path: routing.forward_path,
        password_hash: link.password.as_ref().map(|hash| hash.as_str().to_owned()),
        folded_text: searched_text(link),
        destination_key: destination_key(&content.destination),
        created_at: link.created_at.get(),
        updated_at: link.updated_at.get(),
        expires_at: content.expires_at.map(UnixSeconds::get),
        ends_at: link.ends_at.map(UnixSeconds::get),
        revision: link.revision.get(),
        starts_at: life.starts_at.map(UnixSeconds::get),
        start_url: text(life.start_url.as_ref()),
        expired_url: text(life.expired_url.as_ref()),
        max_visits: life.max_visits.map(|most| most.get().into()),
        visits_used: link.visits_used.into(),
        disabled: life.disabled,
        noindex: content.delivery.noindex,
        visits_before: content.visits_before.map(|count| count.get().into()),
        tags: tags_to_text(&content.tags),
        request_key: link.request.map(|request| hexadecimal(&request.key)),
        request_digest: link.request.map(|request| hexadecimal(&request.asked)),
    }
}

fn text<T: ToString>(member: Option<&T>) -> Option<String> {
    member.map(ToString::to_string)
}

/// The link of a row.
pub(crate) fn to_link(row: Model) -> Result<Link, BadRow> {
    let check = Check { id: &row.id };
    Ok(Link {
        id: check.column("id", LinkId::parse(&row.id))?,
        key: check.key(&row.domain, &row.slug)?,
        created_at: check.column("created_at", UnixSeconds::new(row.created_at))?,
        updated_at: check.column("updated_at", UnixSeconds::new(row.updated_at))?,
        revision: Revision::new(row.revision),
        ends_at: check.moment("ends_at", row.ends_at)?,
        password: row.password_hash.map(PasswordHash::new),
        visits_used: check.column("visits_used", u32::try_from(row.visits_used))?,
        request: check.request(row.request_key.as_deref(), row.request_digest.as_deref())?,
        content: LinkContent {
            destination: check.column("destination", Destination::restore(&row.destination))?,
            comment: check.text("comment", row.comment.as_deref())?,
            expires_at: check.moment("expires_at", row.expires_at)?,
            tags: check.tags(row.tags.as_deref().unwrap_or_default())?,
            preview: Preview {
                title: check.text("title", row.title.as_deref())?,
                description: check.text("description", row.description.as_deref())?,
                image: check.text("image", row.image.as_deref())?,
            },
            routing: Routing {
                apple: check.destination("apple", row.apple.as_deref())?,
                google: check.destination("google", row.google.as_deref())?,
                geo: check.geo(row.geo.as_deref().unwrap_or_default())?,
                with_query: row.redirect_with_query,
                rules: check.rules(row.rules.as_deref())?,
                split: check.split(row.shares.as_deref())?,
                split_until: check.moment("shares_until", row.shares_until)?,
                forward_path: row.forward_path,
            },
            delivery: Delivery {
                cloaking: row.cloaking,
                proxy: row.proxy,
                noindex: row.noindex,
            },
            flagged_unsafe: row.flagged_unsafe,
            life: Life {
                starts_at: check.moment("starts_at", row.starts_at)?,
                start_url: check.destination("start_url", row.start_url.as_deref())?,
                expired_url: check.destination("expired_url", row.expired_url.as_deref())?,
                max_visits: check
                    .column("max_visits", row.max_visits.map(MaxVisits::new).transpose())?,
                disabled: row.disabled,
            },
            visits_before: check.column(
                "visits_before",
                row.visits_before.map(VisitsBefore::new).transpose(),
            )?,
        },
    })
}

fn tags_to_text(tags: &Tags) -> Option<String> {
    let text = tags_text::write(tags);
    (!text.is_empty()).then_some(text)
}

/// Neither destinations nor country codes hold line breaks, and codes hold no
/// blanks, so lines of both need no escaping.
fn geo_to_text(geo: &BTreeMap<Country, Destination>) -> Option<String> {
    let lines: Vec<String> = geo
        .iter()
        .map(|(country, to)| format!("{country} {to}"))
        .collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// Builds errors that name the row and the column.
struct Check<'r> {
    id: &'r str,
}

impl Check<'_> {
    fn column<T, E>(&self, column: &'static str, parsed: Result<T, E>) -> Result<T, BadRow>
    where
        E: Into<Box<dyn StdError + Send + Sync>>,
    {
        parsed.map_err(|error| BadRow {
            id: self.id.to_owned(),
            column,
            source: error.into(),
        })
    }

    fn text<const MAX: usize>(
        &self,
        column: &'static str,
        stored: Option<&str>,
    ) -> Result<Option<Text<MAX>>, BadRow> {
        self.column(column, stored.map(Text::restore).transpose())
    }

    fn destination(
        &self,
        column: &'static str,
        stored: Option<&str>,
    ) -> Result<Option<Destination>, BadRow> {
        self.column(column, stored.map(Destination::restore).transpose())
    }

    fn moment(
        &self,
        column: &'static str,
        stored: Option<i64>,
    ) -> Result<Option<UnixSeconds>, BadRow> {
        self.column(column, stored.map(UnixSeconds::new).transpose())
    }

    pub(super) fn key(&self, domain: &str, slug: &str) -> Result<LinkKey, BadRow> {
        let domain = self.column("domain", DomainName::parse(domain))?;
        let slug = self.column("slug", Slug::parse(slug))?;
        Ok(LinkKey::new(domain, slug))
    }

    pub(super) fn rules(&self, stored: Option<&str>) -> Result<Rules, BadRow> {
        let rules = stored.map_or(Ok(Rules::NONE), routing_text::read_rules);
        self.column("rules", rules)
    }

    pub(super) fn split(&self, stored: Option<&str>) -> Result<Option<Split>, BadRow> {
        let split = stored.map(routing_text::read_split).transpose();
        self.column("shares", split)
    }

    fn request(
        &self,
        key: Option<&str>,
        asked: Option<&str>,
    ) -> Result<Option<RequestDigests>, BadRow> {
        let (Some(key), Some(asked)) = (key, asked) else {
            return Ok(None);
        };
        let read = |column, text| {
            let digest = from_hexadecimal(text).ok_or("it is no digest");
            self.column(column, digest)
        };
        let key = read("request_key", key)?;
        let asked = read("request_digest", asked)?;
        Ok(Some(RequestDigests { key, asked }))
    }

    fn tags(&self, stored: &str) -> Result<Tags, BadRow> {
        let tags = self.column("tags", tags_text::read(stored))?;
        Ok(self.column("tags", Tags::new(tags))?.sorted())
    }

    fn geo(&self, stored: &str) -> Result<BTreeMap<Country, Destination>, BadRow> {
        let mut geo = BTreeMap::new();
        for line in stored.lines() {
            let (country, to) = line.split_once(' ').unwrap_or((line, ""));
            geo.insert(
                self.column("geo", Country::parse(country))?,
                self.column("geo", Destination::restore(to))?,
            );
        }
        Ok(geo)
    }
}

#[cfg(test)]
mod tests {
    use slugline_testkit::link;

    use super::*;

    #[test]
    fn a_row_that_breaks_a_rule_is_named() {
        let mut row = to_row(&link("docs").id("abc").build());
        row.destination = "javascript:alert(1)".into();
        let error = to_link(row).unwrap_err();
        assert_eq!(error.to_string(), "link abc has an invalid destination");
    }
}
