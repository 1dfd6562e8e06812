//! The body that creates a link.

use schemars::JsonSchema;
use serde::Deserialize;
use slugline_application::{CreateTerms, NewLink};
use slugline_domain::{LinkId, LinkKey, Password, Slug};

use super::{
    key::{domain_of, host_schema},
    member_reader::Body,
    members::LinkMembers,
};
use crate::{Problem, bounds::Bounds, scalars::Instant, sent::Sent, validation::Validation};

/// A link to be made. Only `url` is required.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["url"]))]
pub struct CreateLink {
    /// The link.
    #[serde(flatten)]
    pub link: UpsertLink,
    /// Answer with an equal active link, if there is one.
    #[schemars(extend("default" = false))]
    pub reuse: Sent<bool>,
}

/// A link to be made unless its slug is in use. Only `url` is required.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["url"]))]
pub struct UpsertLink {
    /// The members that the author decides.
    #[serde(flatten)]
    pub members: LinkMembers,
    /// Path of the short link; random when left out.
    #[schemars(length(min = 1, max = Slug::MAX_CHARS), regex(pattern = Slug::PATTERN))]
    pub slug: Sent<String>,
    /// Host of its domain; the default one if left out.
    #[schemars(schema_with = "host_schema")]
    pub domain: Sent<String>,
    /// The password for visitors; never shown again.
    #[schemars(length(min = 1, max = Password::MAX_CHARS))]
    pub password: Sent<String>,
    /// Identity; a new one when left out.
    #[schemars(length(min = 1, max = LinkId::MAX_CHARS), regex(pattern = LinkId::PATTERN))]
    pub id: Sent<String>,
    /// When it was made; now if left out.
    pub created_at: Sent<Instant>,
    /// When it last changed; now if left out.
    pub updated_at: Sent<Instant>,
    /// Check and store nothing.
    #[schemars(extend("default" = false))]
    pub validate_only: Sent<bool>,
}

impl CreateLink {
    /// Makes domain values of the members.
    ///
    /// # Errors
    /// Lists every member that is missing, of another type or out of bounds.
    pub fn validate(&self, bounds: &Bounds) -> Result<(NewLink, CreateTerms), Problem> {
        let mut validation = Validation::default();
        let reuse = validation.flag("reuse", &self.reuse);
        let (new, terms) = self.link.parse(validation, bounds)?;
        Ok((new, CreateTerms { reuse, ..terms }))
    }
}

impl UpsertLink {
    /// Makes domain values of the members.
    ///
    /// # Errors
    /// Lists every member that is missing, of another type or out of bounds.
    pub fn validate(&self, bounds: &Bounds) -> Result<(NewLink, CreateTerms), Problem> {
        self.parse(Validation::default(), bounds)
    }

    /// Goes on with a validation that may have found faults.
    fn parse(
        &self,
        mut validation: Validation,
        bounds: &Bounds,
    ) -> Result<(NewLink, CreateTerms), Problem> {
        let content = self.members.content(Body::New, &mut validation, bounds);
        let slug = validation.optional(&["slug"], &self.slug, |slug| Slug::parse(slug));
        let domain = domain_of(&mut validation, &self.domain);
        let key = slug.clone().map(|slug| LinkKey::new(domain.clone(), slug));
        let own = &bounds.own_addresses;
        validation.circles(content.as_ref().map(|it| it.circles(key.as_ref(), own)));
        let password =
            validation.optional(&["password"], &self.password, |text| Password::parse(text));
        let id = validation.optional(&["id"], &self.id, |id| LinkId::parse(id));
        let created_at =
            validation.optional(&["createdAt"], &self.created_at, |sent| sent.second());
        let updated_at =
            validation.optional(&["updatedAt"], &self.updated_at, |sent| sent.second());
        let terms = CreateTerms {
            validate_only: validation.flag("validateOnly", &self.validate_only),
            ..CreateTerms::default()
        };
        validation.finish(|| {
            let new = NewLink {
                id,
                domain,
                slug,
                created_at,
                updated_at,
                password,
                ..NewLink::of(content?)
            };
            Some((new, terms))
        })
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::{Value, json};
    use slugline_domain::Tag;

    use super::*;
    use crate::{
        faults::{faults, paths},
        reader::read,
    };

    fn validate(body: &Value) -> Result<NewLink, Problem> {
        let (new, _) = read::<CreateLink>(body)?.validate(&Bounds::default())?;
        Ok(new)
    }

    #[test]
    fn the_terms_are_members_of_the_body() {
        let terms = |body: &Value| {
            let create = read::<CreateLink>(body).unwrap();
            create.validate(&Bounds::default()).map(|(_, terms)| terms)
        };
        let both = json!({"url": "https://e.example/", "reuse": true, "validateOnly": true});
        let terms_of_both = terms(&both).unwrap();
        assert!(terms_of_both.reuse && terms_of_both.validate_only);
        let none = terms(&json!({"url": "https://e.example/"})).unwrap();
        assert!(!none.reuse && !none.validate_only);
        let wrong = json!({"url": "https://e.example/", "reuse": 1, "validateOnly": "yes"});
        assert_eq!(paths(terms(&wrong)), ["reuse", "validateOnly"]);
    }

    #[test]
    fn a_url_is_enough_and_unknown_members_are_dropped() {
        let new = validate(&json!({"url": " https://example.com/ ", "zz": {"y": 1}})).unwrap();
        assert_eq!(
            new,
            validate(&json!({"url": "https://example.com/"})).unwrap()
        );
        assert!(new.slug.is_none() && new.id.is_none() && new.password.is_none());
        assert_eq!(
            new.content.delivery.cloaking, None,
            "unsaid differs from false"
        );
    }

    #[test]
    fn every_member_reaches_the_domain() {
        let new = validate(&json!({
            "url": "https://example.com/", "slug": "Docs", "comment": "c", "expiration": 1_900_000_000,
            "tags": ["B", "a", "b"], "password": "pw", "title": "t", "description": "", "image": "/i.png",
            "apple": "https://a.example/", "google": "https://g.example/",
            "geo": {" de ": "https://d.example/"}, "redirectWithQuery": false, "cloaking": true,
            "proxy": false, "unsafe": true, "id": "x7", "createdAt": 5, "updatedAt": 6
        }))
        .unwrap();
        let content = &new.content;
        assert_eq!(new.slug.unwrap().as_str(), "Docs");
        let tags = content.tags.iter().map(Tag::as_str).collect::<Vec<_>>();
        assert_eq!(tags, ["b", "a"]);
        assert_eq!(content.routing.geo.keys().next().unwrap().as_str(), "DE");
        assert_eq!(content.routing.with_query, Some(false));
        let delivery = (content.delivery.cloaking, content.delivery.proxy);
        assert_eq!(delivery, (Some(true), Some(false)));
        assert_eq!(content.flagged_unsafe, Some(true));
        assert_eq!(content.preview.description.as_ref().unwrap().as_str(), "");
        assert_eq!(
            (new.created_at.unwrap().get(), new.updated_at.unwrap().get()),
            (5, 6)
        );
        assert_eq!(new.password.unwrap().reveal(), "pw");
        assert_eq!(new.id.unwrap().as_str(), "x7");
    }

    #[test]
    fn all_faults_are_listed_at_once() {
        let wrong = json!({
            "url": "nope", "slug": "a/b", "tags": ["ok", " ", 5], "geo": {"DEU": "https://x.example"},
            "password": "__SINK_MASKED__•••••", "title": "x".repeat(257), "apple": "javascript:1",
            "cloaking": "yes", "image": null, "expiration": "soon", "id": 5
        });
        let expected =
            "url expiration tags.1 tags.2 title image apple geo.DEU cloaking slug password id";
        assert_eq!(paths(validate(&wrong)).join(" "), expected);
        let mut issues = validate(&wrong).unwrap_err().issues.into_iter();
        assert!(issues.all(|issue| !issue.expected.is_empty()));
    }

    #[test]
    fn a_refusal_stays_small_however_many_faults_there_are() {
        let body = json!({"url": "https://example.com/", "tags": vec![0; 100_000]});
        assert_eq!(validate(&body).unwrap_err().issues.len(), 1_000);
    }

    #[rstest]
    #[case(json!({"url": ""}), "url", "URL is required")]
    #[case(json!({"url": format!("https://e.example/{}", "a".repeat(16_384))}), "url", "URL must not exceed 16384 bytes: its 16402 characters are sent as 16402 bytes")]
    #[case(json!({"url": format!("https://e.example/{}", "я".repeat(2_728))}), "url", "URL must not exceed 16384 bytes: its 2746 characters are sent as 16386 bytes")]
    #[case(json!({"url": "https://e.example/a\u{200b}b"}), "url", "URL has the invisible character U+200B")]
    #[case(json!({"url": "https://e.example", "tags": ["1","2","3","4","5","6","7","8","9","10","11"]}), "tags", "11 tags, at most 10 are allowed")]
    #[case(json!({"url": "https://e.example", "createdAt": 9_007_199_254_740_992i64}), "createdAt", "9007199254740992 is not a moment between -(2^53-1) and 2^53-1 seconds")]
    fn bounds_are_enforced(#[case] body: Value, #[case] path: &str, #[case] message: &str) {
        let fault = (path.to_owned(), message.to_owned());
        assert_eq!(faults(validate(&body))[0], fault);
    }
}
