//! Rows ↔ links. A row that breaks a domain rule is reported with its column,
//! and never repaired silently.

use std::{collections::BTreeMap, error::Error as StdError};

use slugline_domain::{
    Comment, Country, Delivery, Description, Destination, ImageRef, Link, LinkContent, LinkId,
    PasswordHash, Preview, Revision, Routing, Slug, Tag, Tags, Text, Title, UnixSeconds,
};
use thiserror::Error;

use super::search_key::{destination_key, search_text};
use crate::entity::{link, tag};

/// A row breaks a rule of the domain.
#[derive(Debug, Error)]
#[error("link {id} has an invalid {column}")]
pub(crate) struct BadRow {
    id: String,
    column: &'static str,
    #[source]
    source: Box<dyn StdError + Send + Sync>,
}

/// The row of a link, without the number that the database gives it.
pub(crate) fn to_row(link: &Link) -> link::Model {
    let content = &link.content;
    let text = |text: Option<&str>| text.map(str::to_owned);
    link::Model {
        number: 0,
        id: link.id.to_string(),
        slug: link.slug.to_string(),
        destination: content.destination.to_string(),
        comment: text(content.comment.as_ref().map(Comment::as_str)),
        title: text(content.preview.title.as_ref().map(Title::as_str)),
        description: text(
            content
                .preview
                .description
                .as_ref()
                .map(Description::as_str),
        ),
        image: text(content.preview.image.as_ref().map(ImageRef::as_str)),
        apple: text(content.routing.apple.as_ref().map(Destination::as_str)),
        google: text(content.routing.google.as_ref().map(Destination::as_str)),
        geo: geo_to_text(&content.routing.geo),
        redirect_with_query: content.routing.with_query,
        cloaking: content.delivery.cloaking,
        proxy: content.delivery.proxy,
        flagged_unsafe: content.flagged_unsafe,
        password_hash: text(link.password.as_ref().map(PasswordHash::as_str)),
        search_text: search_text(link),
        destination_key: destination_key(&content.destination),
        created_at: link.created_at.get(),
        updated_at: link.updated_at.get(),
        expires_at: content.expires_at.map(UnixSeconds::get),
        ends_at: link.ends_at.map(UnixSeconds::get),
        revision: link.revision.get(),
    }
}

pub(crate) fn tag_rows(link: &Link) -> Vec<tag::Model> {
    let row = |tag: &Tag| tag::Model {
        link_id: link.id.to_string(),
        tag: tag.to_string(),
    };
    link.content.tags.iter().map(row).collect()
}

pub(crate) fn to_link(row: link::Model, tags: &[String]) -> Result<Link, BadRow> {
    let check = Check { id: row.id.clone() };
    Ok(Link {
        id: check.column("id", LinkId::parse(&row.id))?,
        slug: check.column("slug", Slug::parse(&row.slug))?,
        created_at: check.column("created_at", UnixSeconds::new(row.created_at))?,
        updated_at: check.column("updated_at", UnixSeconds::new(row.updated_at))?,
        revision: Revision::new(row.revision),
        ends_at: check.column("ends_at", row.ends_at.map(UnixSeconds::new).transpose())?,
        password: row.password_hash.map(PasswordHash::new),
        content: LinkContent {
            destination: check.column("destination", Destination::restore(&row.destination))?,
            comment: check.text("comment", row.comment.as_deref())?,
            expires_at: check.column(
                "expires_at",
                row.expires_at.map(UnixSeconds::new).transpose(),
            )?,
            tags: check.tags(tags)?,
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
            },
            delivery: Delivery {
                cloaking: row.cloaking,
                proxy: row.proxy,
            },
            flagged_unsafe: row.flagged_unsafe,
        },
    })
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
struct Check {
    id: String,
}

impl Check {
    fn column<T, E>(&self, column: &'static str, parsed: Result<T, E>) -> Result<T, BadRow>
    where
        E: Into<Box<dyn StdError + Send + Sync>>,
    {
        parsed.map_err(|error| BadRow {
            id: self.id.clone(),
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

    fn tags(&self, stored: &[String]) -> Result<Tags, BadRow> {
        let tags = stored
            .iter()
            .map(|text| Tag::parse(text))
            .collect::<Result<Vec<_>, _>>();
        let tags = self.column("tags", tags)?;
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
        let error = to_link(row, &[]).unwrap_err();
        assert_eq!(error.to_string(), "link abc has an invalid destination");
    }
}
