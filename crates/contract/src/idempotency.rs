//! The key under which a client may send a request again: the header `Idempotency-Key`
//! (draft-ietf-httpapi-idempotency-key-header), or an argument of a tool.

use schemars::JsonSchema;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::json;
use sha2::{Digest, Sha256};
use slugline_application::{Asked, LinkDraft};
use slugline_domain::{
    IdempotencyKey, IdempotencyKeyError, Link, LinkId, LinkKey, Slug, UnixSeconds,
};

use crate::{
    Problem,
    links::{LinkView, Mask},
    sent::Sent,
    validation::Validation,
};

/// Reads the key of a request from the values of the header: a text in quotes (RFC 8941
/// §3.3.3), or the bare key. `None` without the header.
///
/// # Errors
/// There are several values, or one that is no key.
pub fn idempotency_key<'v>(
    mut values: impl Iterator<Item = &'v [u8]>,
) -> Result<Option<IdempotencyKey>, Problem> {
    let Some(value) = values.next() else {
        return Ok(None);
    };
    let text = std::str::from_utf8(value).ok().map(str::trim);
    let text = text.and_then(unquoted).filter(|_| values.next().is_none());
    let key = text
        .ok_or(IdempotencyKeyError)
        .and_then(|text| text.parse());
    let mut validation = Validation::default();
    let key = validation.member(&["Idempotency-Key"], key);
    validation.finish(|| Some(key))
}

/// Arguments, and the key under which a client may send them again.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    default,
    bound = "T: Default + DeserializeOwned"
)]
#[schemars(bound = "T: Default + JsonSchema")]
pub struct Keyed<T> {
    /// The arguments.
    #[serde(flatten)]
    pub arguments: T,
    /// A text that is new with each link, such as a UUID: a repeated call with it makes no second one.
    #[schemars(length(min = 1, max = IdempotencyKey::MAX_BYTES))]
    pub idempotency_key: Sent<String>,
}

impl<T> Keyed<T> {
    /// Reads the key.
    ///
    /// # Errors
    /// It is no key.
    pub fn key(&self) -> Result<Option<IdempotencyKey>, Problem> {
        let mut validation = Validation::default();
        let read = |text: &String| text.parse();
        let key = validation.optional(&["idempotencyKey"], &self.idempotency_key, read);
        validation.finish(|| Some(key))
    }
}

/// Says what a client asks for under a key, at this position if it sends a list.
pub fn asked<P>(draft: &LinkDraft<P>, key: &IdempotencyKey, position: Option<u64>) -> Asked {
    Asked {
        key: key.clone(),
        position,
        digest: digest(draft),
    }
}

/// A digest of what a link is to be: of its members as answers show them, so a member that a later
/// version brings changes no digest of a link that does not have it. The password is left out.
fn digest<P>(draft: &LinkDraft<P>) -> [u8; 32] {
    let moment = UnixSeconds::new(0).expect("it is a moment");
    let slug = Slug::parse("any").expect("it is a slug");
    let link = Link {
        visits_used: draft.visits_used,
        content: draft.content.clone(),
        ..Link::new(
            LinkId::parse("any").expect("it is an identifier"),
            LinkKey::new(draft.domain.clone(), slug),
            draft.content.destination.clone(),
            moment,
        )
    };
    let shown = LinkView::<Mask>::from(&link);
    let mut said = json!({
        "link": shown,
        "id": draft.id.as_ref().map(LinkId::as_str),
        "slug": draft.slug.as_ref().map(Slug::as_str),
        "createdAt": draft.created_at.map(UnixSeconds::get),
        "updatedAt": draft.updated_at.map(UnixSeconds::get),
    });
    said.sort_all_objects();
    Sha256::digest(said.to_string()).into()
}

fn unquoted(text: &str) -> Option<String> {
    let Some(quoted) = text.strip_prefix('"') else {
        return Some(text.to_owned());
    };
    let mut plain = String::new();
    let mut characters = quoted.chars();
    loop {
        match characters.next()? {
            '"' => return characters.next().is_none().then_some(plain),
            '\\' => match characters.next()? {
                escaped @ ('"' | '\\') => plain.push(escaped),
                _ => return None,
            },
            other => plain.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::Value;

    use super::*;
    use crate::{bounds::Bounds, links::CreateLink};

    fn read(values: &[&str]) -> Result<Option<IdempotencyKey>, Problem> {
        idempotency_key(values.iter().map(|value| value.as_bytes()))
    }

    #[test]
    fn a_key_is_quoted_or_bare() {
        assert_eq!(read(&[]).unwrap(), None);
        for (value, key) in [
            ("8e03978e-40d5", "8e03978e-40d5"),
            (" \"8e03978e-40d5\" ", "8e03978e-40d5"),
            (r#""a\"b\\c""#, r#"a"b\c"#),
        ] {
            assert_eq!(read(&[value]).unwrap().unwrap().as_str(), key);
        }
        let long = "k".repeat(256);
        for wrong in [
            &["a", "a"][..],
            &[""],
            &["\"\""],
            &["\"a"],
            &["\"a\"b"],
            &["\"a\";p=1"],
            &["ä"],
            &[&long],
        ] {
            let problem = read(wrong).unwrap_err();
            assert_eq!(problem.issues[0].path, ["Idempotency-Key"], "{wrong:?}");
        }
    }
    fn digest_of(body: &Value) -> [u8; 32] {
        let create = crate::read::<CreateLink>(body).unwrap();
        let (new, _) = create.validate(&Bounds::default()).unwrap();
        asked(&new, &"k".parse().unwrap(), None).digest
    }

    /// Keys last as long as their links, so a later version finds what this one stored.
    #[test]
    fn a_digest_stays_the_same_from_one_version_to_the_next() {
        let body = json!({"url": "https://example.com/", "tags": ["a"]});
        let digest = digest_of(&body).map(|byte| format!("{byte:02x}")).concat();
        assert_eq!(
            digest,
            "6ff92863326a8eff93f0c9e3d5f8b3bfb58115f848d784e3394a308dcaf7e5d2"
        );
    }

    #[rstest]
    #[case(json!({"slug": "docs"}))]
    #[case(json!({"url": "https://other.example/"}))]
    #[case(json!({"comment": "c"}))]
    #[case(json!({"id": "x"}))]
    #[case(json!({"createdAt": 0}))]
    #[case(json!({"maxVisits": 1}))]
    #[case(json!({"domain": "go.example"}))]
    fn whatever_a_client_asks_for_but_the_password_makes_another_digest(#[case] other: Value) {
        let plain = json!({"url": "https://example.com/"});
        let but = |members: &Value| {
            let mut body = plain.clone();
            let members = members.as_object().unwrap().clone();
            body.as_object_mut().unwrap().extend(members);
            digest_of(&body)
        };
        assert_ne!(but(&other), digest_of(&plain));
        assert_eq!(
            but(&json!({"password": "pw", "reuse": true})),
            digest_of(&plain)
        );
    }
}
