//! Naming one link.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use slugline_application::{Error, SeenLink};
use slugline_domain::{LinkKey, Slug};

use super::{
    key::{domain_of, host_schema, key, shown_domain},
    trash::Undo,
    view::SeenLinkView,
};
use crate::{Problem, issue::IssueCode, sent::Sent, validation::Validation};

/// Which link to read.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["slug"]))]
pub struct GetLink {
    /// The slug of the link.
    #[schemars(length(min = 1, max = Slug::MAX_CHARS), extend("x-obvious" = true))]
    pub slug: Sent<String>,
    /// Host of its domain; the default one if left out.
    #[schemars(schema_with = "host_schema")]
    pub domain: Sent<String>,
}

impl GetLink {
    /// Returns the key to look up. A text that cannot be a slug names no link, so the
    /// error says that no link has it.
    ///
    /// # Errors
    /// The text is empty or too long, or cannot be a slug.
    pub fn validate(&self) -> Result<LinkKey, Problem> {
        let mut validation = Validation::default();
        let domain = domain_of(&mut validation, &self.domain);
        let text = validation.there(&["slug"], &self.slug);
        let Some(text) = text.filter(|_| validation.is_empty()) else {
            return validation.finish(|| None);
        };
        let text = text.trim();
        let expected = format!("1 to {} characters", Slug::MAX_CHARS);
        let fault = match text.chars().count() {
            0 => (IssueCode::TooSmall, "slug is empty".into(), expected),
            1..=Slug::MAX_CHARS => {
                let slug = Slug::parse(text).map_err(|_| Error::LinkNotFound(text.to_owned()))?;
                return Ok(LinkKey::new(domain, slug));
            }
            length => {
                let message = format!("slug has {length} characters");
                (IssueCode::TooBig, message, expected)
            }
        };
        validation.note(&["slug"], fault);
        validation.finish(|| None)
    }
}

/// Which link to delete.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["slug"]))]
pub struct DeleteLink {
    /// The slug of the link.
    #[schemars(length(min = 1, max = Slug::MAX_CHARS), regex(pattern = Slug::PATTERN), extend("x-obvious" = true))]
    pub slug: Sent<String>,
    /// Host of its domain; the default one if left out.
    #[schemars(schema_with = "host_schema")]
    pub domain: Sent<String>,
}

impl DeleteLink {
    /// Returns the key to delete.
    ///
    /// # Errors
    /// The text is not a slug.
    pub fn validate(&self) -> Result<LinkKey, Problem> {
        let mut validation = Validation::default();
        let key = key(&mut validation, &self.domain, &self.slug);
        validation.finish(|| key)
    }
}

/// The deletion.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DeletedLink {
    /// The slug as it was sent.
    pub slug: String,
    /// The host of its domain; left out for the default one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// True if there was a link to delete; there is none now.
    pub deleted: bool,
    /// The deleted link. Absent when there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<SeenLinkView>,
    /// Where a person can undo this, and until when.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undo: Option<String>,
}

impl DeletedLink {
    /// Shows the deleted link, if there was one with this key.
    pub fn new(key: &LinkKey, link: Option<&SeenLink>, undo: Undo<'_>) -> Self {
        Self {
            slug: key.slug.to_string(),
            domain: shown_domain(&key.domain),
            deleted: link.is_some(),
            link: link.map(SeenLinkView::from),
            undo: link.and_then(|link| undo.of_deletion(link)),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Code, reader::read};

    #[test]
    fn reading_what_cannot_be_a_slug_finds_nothing_but_deleting_it_is_a_fault() {
        let get =
            |slug: &str| read::<GetLink>(&json!({"slug": slug})).and_then(|get| get.validate());
        assert_eq!(get(" Docs ").unwrap().slug.as_str(), "Docs");
        let long = "a".repeat(2049);
        for (slug, code) in [
            ("a/b?c", Code::LinkNotFound),
            ("  ", Code::ValidationError),
            (&long, Code::ValidationError),
        ] {
            assert_eq!(get(slug).unwrap_err().code, code);
        }
        let delete =
            |slug: &str| read::<DeleteLink>(&json!({"slug": slug})).and_then(|one| one.validate());
        assert_eq!(delete(" Docs ").unwrap().slug.as_str(), "Docs");
        assert_eq!(delete("a/b").unwrap_err().issues[0].path, ["slug"]);
    }
}
