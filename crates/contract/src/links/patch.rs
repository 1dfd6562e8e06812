//! The body that changes some members of a link.

use schemars::JsonSchema;
use serde::Deserialize;
use slugline_application::ChangeTerms;
use slugline_domain::{Change, LinkKey, LinkPatch, Password, Slug};

use super::{
    edit::{password_change, terms},
    key::{host_schema, key},
    member_reader::{Body, MemberReader},
    members::{LinkMembers, members_or_null},
};
use crate::{Problem, bounds::Bounds, sent::Sent, validation::Validation};

/// Changes to a link. A member that is left out is kept, `null` removes it. Tags
/// and countries are replaced as a whole; the slug itself cannot be changed.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["slug"]), transform = members_or_null)]
pub struct PatchLink {
    /// The link to change.
    #[schemars(length(min = 1, max = Slug::MAX_CHARS), regex(pattern = Slug::PATTERN))]
    pub slug: Sent<String>,
    /// Host of its domain; the default one if left out.
    #[schemars(schema_with = "host_schema")]
    pub domain: Sent<String>,
    /// The members that the author decides.
    #[serde(flatten)]
    pub members: LinkMembers,
    /// A new password; null or an empty text removes the password. Never send a mask back.
    #[schemars(length(max = Password::MAX_CHARS))]
    pub password: Sent<String>,
    /// Check and store nothing.
    #[serde(rename = "validateOnly")]
    #[schemars(extend("default" = false))]
    pub validate_only: Sent<bool>,
}

impl PatchLink {
    /// Makes domain values of the members.
    ///
    /// # Errors
    /// Lists every member that is missing, of another type or out of bounds.
    pub fn validate(&self, bounds: &Bounds) -> Result<(LinkKey, LinkPatch, ChangeTerms), Problem> {
        self.validate_as(Body::Partial, bounds)
    }

    /// As [`Self::validate`], for the members of another body.
    pub(super) fn validate_as(
        &self,
        body: Body,
        bounds: &Bounds,
    ) -> Result<(LinkKey, LinkPatch, ChangeTerms), Problem> {
        let mut validation = Validation::default();
        let key = key(&mut validation, &self.domain, &self.slug);
        let members = self.members.patch(&mut MemberReader {
            validation: &mut validation,
            bounds,
            body,
        });
        validation.circles(Some(members.circles(key.as_ref(), &bounds.own_addresses)));
        let password = if let Sent::Null = self.password {
            Change::Clear
        } else {
            let sent = validation.value(&["password"], &self.password);
            password_change(&mut validation, sent)
        };
        let patch = LinkPatch {
            password,
            ..members
        };
        let terms = terms(&mut validation, &self.validate_only);
        validation.finish(|| Some((key?, patch, terms)))
    }
}

#[cfg(test)]
mod tests {
    use schemars::SchemaGenerator;
    use serde_json::{Value, json};

    use slugline_testkit::assert_matches;

    use super::*;
    use crate::{faults::paths, reader::read, schema::settings};

    fn validate(body: &Value) -> Result<(LinkKey, LinkPatch), Problem> {
        let (key, patch, _) = read::<PatchLink>(body)?.validate(&Bounds::default())?;
        Ok((key, patch))
    }

    #[test]
    fn absent_null_and_a_value_are_three_things() {
        let (key, patch) = validate(&json!({
            "slug": "docs", "comment": null, "title": "t", "tags": null, "password": null,
            "cloaking": false, "geo": {"DE": "https://example.de/"},
        }))
        .unwrap();
        assert_eq!(key.slug.as_str(), "docs");
        assert_eq!(patch.comment, Change::Clear);
        assert_matches!(patch.title, Change::Set(_));
        assert_eq!(patch.description, Change::Keep);
        assert_eq!(patch.tags, Change::Clear);
        assert_eq!(patch.password, Change::Clear);
        assert_eq!(patch.cloaking, Change::Set(false));
        assert_matches!(patch.geo, Change::Set(ref geo) if geo.len() == 1);
        assert_eq!(patch.destination, None);
    }

    #[test]
    fn all_faults_are_listed_at_once() {
        let body = json!({"slug": "a/b", "url": "x", "tags": [" ", 1], "apple": "javascript:1",
            "proxy": 0, "password": ["p"]});
        let expected = "slug url tags.0 tags.1 apple proxy password";
        assert_eq!(paths(validate(&body)).join(" "), expected);
    }

    #[test]
    fn the_document_lets_members_be_null_except_those_that_cannot_be_removed() {
        let generator = SchemaGenerator::new(settings(&Bounds::default()));
        let schema = generator.into_root_schema_for::<PatchLink>().to_value();
        let kind = |member: &str| schema["properties"][member]["type"].clone();
        assert_eq!(kind("comment"), json!(["string", "null"]));
        assert_eq!(kind("tags"), json!(["array", "null"]));
        assert_eq!(kind("geo"), json!(["object", "null"]));
        assert_eq!(kind("url"), "string");
        assert!(!schema.to_string().contains("nullable"));
        assert_eq!(schema["required"], json!(["slug"]));
    }
}
