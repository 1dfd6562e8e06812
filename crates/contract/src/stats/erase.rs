//! Erasing the visits of a link.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use slugline_application::WhichLink;
use slugline_domain::{Erasure, LinkId, Slug};

use crate::{
    Problem,
    links::key::{host_schema, key_or_id},
    sent::Sent,
    validation::Validation,
};

/// The link whose visits are to be erased: `slug` or `id`, and not both.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct EraseVisits {
    /// The slug of the link.
    #[schemars(length(min = 1, max = Slug::MAX_CHARS), regex(pattern = Slug::PATTERN))]
    pub slug: Sent<String>,
    /// Host of its domain; the default one if left out.
    #[schemars(schema_with = "host_schema")]
    pub domain: Sent<String>,
    /// The id of the link, also if the link no longer exists.
    #[schemars(length(min = 1, max = LinkId::MAX_CHARS), regex(pattern = LinkId::PATTERN))]
    pub id: Sent<String>,
}

impl EraseVisits {
    /// Returns the link.
    ///
    /// # Errors
    /// Neither or both are there, or one is malformed.
    pub fn validate(&self) -> Result<WhichLink, Problem> {
        let mut validation = Validation::default();
        let which = key_or_id(&mut validation, &self.domain, &self.slug, &self.id);
        validation.finish(|| which)
    }
}

/// The erasure.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ErasedVisits {
    /// The id of the link.
    pub id: String,
    /// True when no answer has the visits any more. False when the order is stored and ClickHouse
    /// is away or slow: it is carried out as soon as possible, also after a restart. Until then
    /// answers may have the visits; the same request, sent again, tells when it is done.
    pub erased: bool,
}

impl ErasedVisits {
    /// Shows an erasure.
    pub fn new(link: &LinkId, erasure: Erasure) -> Self {
        Self {
            id: link.to_string(),
            erased: erasure == Erasure::Done,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use slugline_domain::LinkKey;

    use super::*;
    use crate::{faults::paths, reader::read};

    fn validate(sent: &Value) -> Result<WhichLink, Problem> {
        read::<EraseVisits>(sent)?.validate()
    }

    #[test]
    fn one_of_slug_and_id_names_the_link() {
        let slug = validate(&json!({"slug": " docs "})).unwrap();
        assert_eq!(slug, WhichLink::Key(LinkKey::parse("docs").unwrap()));
        let id = validate(&json!({"id": "docs-1"})).unwrap();
        assert_eq!(id, WhichLink::Id(LinkId::parse("docs-1").unwrap()));
    }

    #[test]
    fn every_fault_names_its_field() {
        for (sent, expected) in [
            (json!({}), &["slug"][..]),
            (json!({"slug": "docs", "id": "docs-1"}), &["id"]),
            (json!({"slug": "a/b"}), &["slug"]),
            (json!({"id": "a b"}), &["id"]),
            (json!({"id": ""}), &["id"]),
            (json!({"slug": "a/b", "id": "a b"}), &["slug", "id", "id"]),
        ] {
            assert_eq!(paths(validate(&sent)), expected, "{sent}");
        }
    }
}
