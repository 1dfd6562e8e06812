//! The body that replaces a link.

use schemars::JsonSchema;
use serde::Deserialize;
use slugline_application::{self as application, ChangeTerms};
use slugline_domain::{Change, Password, Slug};

use super::{
    key::{host_schema, key},
    member_reader::{Body, MemberReader},
    members::{LinkMembers, ours_or_null},
};
use crate::{Problem, bounds::Bounds, sent::Sent, validation::Validation};

/// A link's new content. A member that is left out is removed, except the password, a warning,
/// rules, split, splitUntil, forwardPath, startsAt, startUrl, expiredUrl, maxVisits and disabled,
/// which are kept; null removes the last nine.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["slug", "url"]), transform = ours_or_null)]
pub struct EditLink {
    /// The link to change.
    #[schemars(length(min = 1, max = Slug::MAX_CHARS), regex(pattern = Slug::PATTERN))]
    pub slug: Sent<String>,
    /// Host of its domain; the default one if left out.
    #[schemars(schema_with = "host_schema")]
    pub domain: Sent<String>,
    /// The members that the author decides.
    #[serde(flatten)]
    pub members: LinkMembers,
    /// A new password; left out, the old one stays; an empty text removes it. Never send a mask back.
    #[schemars(length(max = Password::MAX_CHARS))]
    pub password: Sent<String>,
    /// Check and store nothing.
    #[serde(rename = "validateOnly")]
    #[schemars(extend("default" = false))]
    pub validate_only: Sent<bool>,
}

impl EditLink {
    /// Makes domain values of the members.
    ///
    /// # Errors
    /// Lists every member that is missing, of another type or out of bounds.
    pub fn validate(
        &self,
        bounds: &Bounds,
    ) -> Result<(application::EditLink, ChangeTerms), Problem> {
        let mut validation = Validation::default();
        let key = key(&mut validation, &self.domain, &self.slug);
        let ours = self.members.patch(&mut MemberReader {
            validation: &mut validation,
            bounds,
            body: Body::Whole,
        });
        let content = ours.clone().into_content();
        let own = &bounds.own_addresses;
        validation.circles(content.as_ref().map(|it| it.circles(key.as_ref(), own)));
        let sent = validation.value(&["password"], &self.password);
        let password = password_change(&mut validation, sent);
        let terms = terms(&mut validation, &self.validate_only);
        validation.finish(|| {
            let edit = application::EditLink {
                key: key?,
                content: content?,
                ours,
                password,
            };
            Some((edit, terms))
        })
    }
}

/// The terms of a change in a body.
pub(super) fn terms(validation: &mut Validation, validate_only: &Sent<bool>) -> ChangeTerms {
    let validate_only = validation.value(&["validateOnly"], validate_only);
    ChangeTerms {
        validate_only: validate_only == Some(&true),
        ..ChangeTerms::default()
    }
}

/// Absent keeps, empty removes, anything else is a new password.
pub(super) fn password_change(
    validation: &mut Validation,
    sent: Option<&String>,
) -> Change<Password> {
    match sent {
        None => Change::Keep,
        Some(text) if text.trim().is_empty() => Change::Clear,
        Some(text) => validation
            .member(&["password"], Password::parse(text))
            .map_or(Change::Keep, Change::Set),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use slugline_testkit::assert_matches;

    use super::*;
    use crate::{faults::paths, reader::read};

    fn validate(body: &Value) -> Result<application::EditLink, Problem> {
        Ok(read::<EditLink>(body)?.validate(&Bounds::default())?.0)
    }

    #[test]
    fn slug_and_url_are_required_and_identity_is_not_taken() {
        let body =
            json!({"slug": "Docs", "url": "https://example.com/", "id": "x", "createdAt": 1});
        assert_eq!(validate(&body).unwrap().key.slug.as_str(), "Docs");
        for (body, path) in [
            (json!({"url": "https://e.example"}), "slug"),
            (json!({"slug": "a"}), "url"),
        ] {
            assert_eq!(paths(validate(&body))[0], path);
        }
    }

    #[test]
    fn all_faults_are_listed_at_once() {
        let body = json!({"url": "x", "cloaking": "yes", "tags": ["ok", ""], "password": 1});
        let expected = ["slug", "url", "tags.1", "cloaking", "password"];
        assert_eq!(paths(validate(&body)), expected);
    }

    #[test]
    fn a_password_is_kept_removed_or_replaced_but_never_a_mask() {
        let with = |password: Option<&str>| {
            let mut body = json!({"slug": "a", "url": "https://example.com/"});
            if let Some(password) = password {
                body["password"] = password.into();
            }
            validate(&body).map(|edit| edit.password)
        };
        assert_eq!(with(None).unwrap(), Change::Keep);
        assert_eq!(with(Some(" ")).unwrap(), Change::Clear);
        assert_matches!(with(Some("new")).unwrap(), Change::Set(_));
        assert_eq!(paths(with(Some(Password::MASK))), ["password"]);
    }
}
