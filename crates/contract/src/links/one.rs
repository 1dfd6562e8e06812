//! Naming one link.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use slugline_application::{Error, SeenLink};
use slugline_domain::Slug;

use super::view::SeenLinkView;
use crate::{issue::IssueCode, problem::Problem, sent::Sent, validation::Validation};

/// Which link to read.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["slug"]))]
pub struct GetLink {
    /// The slug of the link.
    #[schemars(length(min = 1, max = Slug::MAX_CHARS), extend("x-obvious" = true))]
    pub slug: Sent<String>,
}

impl GetLink {
    /// Returns the slug to look up. A text that cannot be a slug names no link, so the
    /// error says that no link has it.
    ///
    /// # Errors
    /// The text is empty or too long, or cannot be a slug.
    pub fn validate(&self) -> Result<Slug, Problem> {
        let mut validation = Validation::default();
        let Some(text) = validation.there(&["slug"], &self.slug) else {
            return validation.finish(|| None);
        };
        let text = text.trim();
        let expected = format!("1 to {} characters", Slug::MAX_CHARS);
        let fault = match text.chars().count() {
            0 => (IssueCode::TooSmall, "slug is empty".into(), expected),
            1..=Slug::MAX_CHARS => {
                return Slug::parse(text).map_err(|_| Error::LinkNotFound(text.to_owned()).into());
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
}

impl DeleteLink {
    /// Returns the slug to delete.
    ///
    /// # Errors
    /// The text is not a slug.
    pub fn validate(&self) -> Result<Slug, Problem> {
        let mut validation = Validation::default();
        let slug = validation.required(&["slug"], &self.slug, |slug| Slug::parse(slug));
        validation.finish(|| slug)
    }
}

/// The deletion.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DeletedLink {
    /// The slug as it was sent.
    pub slug: String,
    /// True if there was a link to delete; there is none now.
    pub deleted: bool,
    /// The deleted link, from which it can be made again, except its password. Absent when there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<SeenLinkView>,
}

impl DeletedLink {
    /// Shows the deleted link, if there was one with this slug.
    pub fn new(slug: &Slug, link: Option<&SeenLink>) -> Self {
        Self {
            slug: slug.to_string(),
            deleted: link.is_some(),
            link: link.map(SeenLinkView::from),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{code::Code, reader::read};

    #[test]
    fn reading_what_cannot_be_a_slug_finds_nothing_but_deleting_it_is_a_fault() {
        let get =
            |slug: &str| read::<GetLink>(&json!({"slug": slug})).and_then(|get| get.validate());
        assert_eq!(get(" Docs ").unwrap().as_str(), "Docs");
        assert_eq!(get("a/b?c").unwrap_err().code, Code::LinkNotFound);
        assert_eq!(get("  ").unwrap_err().code, Code::ValidationError);
        assert_eq!(
            get(&"a".repeat(2049)).unwrap_err().code,
            Code::ValidationError
        );
        let delete =
            |slug: &str| read::<DeleteLink>(&json!({"slug": slug})).and_then(|one| one.validate());
        assert_eq!(delete(" Docs ").unwrap().as_str(), "Docs");
        assert_eq!(delete("a/b").unwrap_err().issues[0].path, ["slug"]);
    }
}
