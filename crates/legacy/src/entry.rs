//! Key and value → link.

use serde_json::{Map, Value};
use slugline_domain::{
    Countries, Country, EntryFault, EntryKey, ImportedPassword, LINK_KEY_PREFIX, LinkContent,
    LinkId, OldEntry, OldLink, Slug, Tag, Tags, Text, UnixSeconds,
};

use crate::value::{Members, destination, fault, text};

/// The parts of one entry of an old store.
#[derive(Debug)]
pub(crate) struct Stored<'a> {
    /// The key without [`LINK_KEY_PREFIX`], or `None` if it is not UTF-8.
    pub(crate) slug: Option<&'a str>,
    pub(crate) value: Content<'a>,
    /// The time at which the store drops the entry.
    pub(crate) expiry: Option<UnixSeconds>,
    /// The metadata beside the value; may repeat `url`, `comment` and
    /// `expiration`.
    pub(crate) metadata: Option<&'a Map<String, Value>>,
}

#[derive(Debug)]
pub(crate) enum Content<'a> {
    Json(&'a [u8]),
    /// The value cannot be read as text, for this reason.
    Unreadable(&'static str),
}

impl Stored<'_> {
    /// Reads the link.
    pub(crate) fn link(&self) -> Result<OldLink, EntryFault> {
        let slug = self
            .slug
            .ok_or_else(|| EntryFault::new("the key is not UTF-8"))?;
        let slug = parse_slug(slug)?;
        let bytes = match self.value {
            Content::Json(bytes) => bytes,
            Content::Unreadable(why) => return Err(EntryFault::new(why)),
        };
        // A syntax error gives line and column and quotes nothing.
        let value: Value = serde_json::from_slice(bytes)
            .map_err(|error| EntryFault::new(&format!("the value is not JSON: {error}")))?;
        let object = value.as_object();
        let object = object.ok_or_else(|| EntryFault::new("the value is not a JSON object"))?;
        let members = Members(object);
        let nothing = Map::new();
        let metadata = Members(self.metadata.unwrap_or(&nothing));
        agree(&slug, members.filled_text("slug")?)?;

        let destination = members
            .destination("url")?
            .map_or_else(|| metadata.destination("url"), |url| Ok(Some(url)))?
            .ok_or_else(|| EntryFault::new("url is missing"))?;
        let author = members.seconds("expiration")?;
        let dropped = self.expiry.or(metadata.seconds("expiration")?);
        // Old stores know no other members, and learn none that links get later.
        let mut content = LinkContent::leading_to(destination);
        let comment = members.text("comment")?.or(metadata.text("comment")?);
        content.comment = old_text("comment", comment)?;
        content.expires_at = author.or(dropped);
        content.tags = tags(members.list("tags")?)?;
        content.preview.title = old_text("title", members.text("title")?)?;
        content.preview.description = old_text("description", members.text("description")?)?;
        content.preview.image = old_text("image", members.text("image")?)?;
        content.routing.apple = members.destination("apple")?;
        content.routing.google = members.destination("google")?;
        content.routing.geo = members.object("geo")?.map_or(Ok(Countries::new()), geo)?;
        content.routing.with_query = members.flag("redirectWithQuery")?;
        content.delivery.cloaking = members.flag("cloaking")?;
        content.delivery.proxy = members.flag("proxy")?;
        content.flagged_unsafe = members.flag("unsafe")?;
        Ok(OldLink {
            id: id(members.filled_text("id")?)?,
            created_at: members.seconds("createdAt")?,
            updated_at: members.seconds("updatedAt")?,
            // Preview mode drops entries before their author's expiry.
            ends_at: dropped.filter(|dropped| author.is_some_and(|author| *dropped < author)),
            password: password(members.filled_text("password")?)?,
            content,
            slug,
        })
    }

    /// The link or its fault, under a key that is safe to show.
    pub(crate) fn entry(&self, key: &[u8]) -> OldEntry {
        OldEntry {
            key: EntryKey::new(&String::from_utf8_lossy(key)),
            link: self.link(),
        }
    }
}

/// The slug in a key, if the key is one of a link.
pub(crate) fn slug_of_key(key: &[u8]) -> Option<&[u8]> {
    key.strip_prefix(LINK_KEY_PREFIX.as_bytes())
}

/// Visitors' requests are looked up by the key, so it must be a valid slug as
/// it is.
fn parse_slug(text: &str) -> Result<Slug, EntryFault> {
    let slug = Slug::parse(text).map_err(|error| fault("key", &error))?;
    if slug.as_str() == text {
        Ok(slug)
    } else {
        Err(EntryFault::new("key: white space around the slug"))
    }
}

/// Entries are found by their keys, so the key decides. If the member differs
/// from it in more than case, the two belong to different links.
fn agree(key: &Slug, member: Option<&str>) -> Result<(), EntryFault> {
    match member {
        Some(member) if !member.eq_ignore_ascii_case(key.as_str()) => {
            Err(EntryFault::new("slug is another one than the key's"))
        }
        Some(_) | None => Ok(()),
    }
}

fn id(text: Option<&str>) -> Result<Option<LinkId>, EntryFault> {
    let id = text.map(LinkId::parse).transpose();
    id.map_err(|error| fault("id", &error))
}

fn password(text: Option<&str>) -> Result<Option<ImportedPassword>, EntryFault> {
    let password = text.map(ImportedPassword::parse).transpose();
    password.map_err(|error| fault("password", &error))
}

/// Old versions allowed longer texts.
fn old_text<const MAX: usize>(
    name: &str,
    text: Option<&str>,
) -> Result<Option<Text<MAX>>, EntryFault> {
    let text = text.map(Text::restore).transpose();
    text.map_err(|error| fault(name, &error))
}

fn tags(items: &[Value]) -> Result<Tags, EntryFault> {
    let tag = |item: &Value| Tag::parse(text("tags", item)?).map_err(|error| fault("tags", &error));
    let tags = items.iter().map(tag).collect::<Result<Vec<_>, _>>()?;
    Tags::new(tags).map_err(|error| fault("tags", &error))
}

fn geo(object: &Map<String, Value>) -> Result<Countries, EntryFault> {
    let pair = |(code, url): (&String, &Value)| {
        let country = Country::parse(code).map_err(|error| fault("geo", &error))?;
        let name = format!("geo.{country}");
        Ok((country, destination(&name, text(&name, url)?)?))
    };
    object.iter().map(pair).collect()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use slugline_testkit::assert_matches;

    use super::*;

    fn read_with(
        slug: &str,
        value: &str,
        expiry: Option<i64>,
        metadata: &Value,
    ) -> Result<OldLink, EntryFault> {
        let stored = Stored {
            slug: Some(slug),
            value: Content::Json(value.as_bytes()),
            expiry: expiry.map(|second| UnixSeconds::new(second).unwrap()),
            metadata: metadata.as_object(),
        };
        stored.link()
    }

    fn read(slug: &str, value: &Value) -> Result<OldLink, EntryFault> {
        read_with(slug, &value.to_string(), None, &Value::Null)
    }

    #[test]
    fn a_url_is_enough_and_every_member_is_taken() {
        let bare = read("Docs", &json!({"url": " https://example.com/ ", "zz": 1})).unwrap();
        assert_eq!(bare.slug.as_str(), "Docs");
        assert!(bare.id.is_none() && bare.created_at.is_none() && bare.password.is_none());
        let full = read(
            "docs",
            &json!({
                "id": "x7fk2m9qpa", "url": "https://example.com/", "slug": "DOCS", "comment": "c",
                "createdAt": 5, "updatedAt": "6", "expiration": 7, "title": "t", "description": "",
                "image": "/i.png", "apple": "https://a.example/", "google": "", "cloaking": true,
                "redirectWithQuery": false, "proxy": null, "password": "hunter2", "unsafe": true,
                "geo": {" de ": "https://d.example/"}, "tags": ["B", "a", "b"]
            }),
        )
        .unwrap();
        let content = &full.content;
        assert_eq!(full.created_at.unwrap().get(), 5);
        assert_eq!(full.updated_at.unwrap().get(), 6);
        assert_eq!(content.expires_at.unwrap().get(), 7);
        assert_eq!(content.preview.description.as_ref().unwrap().as_str(), "");
        assert!(content.routing.apple.is_some() && content.routing.google.is_none());
        assert_eq!(content.routing.geo.keys().next().unwrap().as_str(), "DE");
        assert_eq!(content.routing.with_query, Some(false));
        assert_eq!(content.delivery.cloaking, Some(true));
        assert_eq!(content.delivery.proxy, None);
        assert_eq!(content.flagged_unsafe, Some(true));
        let tags: Vec<_> = content.tags.iter().map(Tag::as_str).collect();
        assert_eq!(tags, ["b", "a"]);
        assert_matches!(full.password, Some(ImportedPassword::Plain(_)));
    }

    #[test]
    fn old_bounds_are_tolerated() {
        let long = "x".repeat(2048);
        let link = read(
            "a",
            &json!({"url": "mailto:a@example.com", "title": long, "image": long, "id": "A_b-1"}),
        )
        .unwrap();
        assert_eq!(link.content.preview.title.unwrap().as_str(), long);
        assert_eq!(link.content.preview.image.unwrap().as_str(), long);
    }

    #[rstest]
    #[case(Some(100), None, None, Some(100), None)]
    #[case(None, Some(100), None, Some(100), None)]
    #[case(None, None, Some(100), Some(100), None)]
    #[case(Some(100), Some(100), Some(100), Some(100), None)]
    #[case(Some(100), Some(200), None, Some(100), None)]
    #[case(Some(200), Some(100), None, Some(200), Some(100))]
    fn a_link_ends_with_its_entry_or_when_its_author_said(
        #[case] author: Option<i64>,
        #[case] entry: Option<i64>,
        #[case] metadata: Option<i64>,
        #[case] expires: Option<i64>,
        #[case] ends: Option<i64>,
    ) {
        let value = json!({"url": "https://example.com/", "expiration": author}).to_string();
        let link = read_with("a", &value, entry, &json!({"expiration": metadata})).unwrap();
        assert_eq!(link.content.expires_at.map(UnixSeconds::get), expires);
        assert_eq!(link.ends_at.map(UnixSeconds::get), ends);
    }

    #[test]
    fn metadata_fills_what_the_value_leaves_out() {
        let metadata = json!({"url": "https://m.example/", "comment": "m"});
        let link = read_with("a", "{}", None, &metadata).unwrap();
        assert_eq!(link.content.destination.as_str(), "https://m.example/");
        let own = r#"{"url":"https://own.example/","comment":"own"}"#;
        let link = read_with("a", own, None, &metadata).unwrap();
        assert_eq!(link.content.destination.as_str(), "https://own.example/");
        assert_eq!(link.content.comment.unwrap().as_str(), "own");
    }

    #[rstest]
    #[case("a", json!({}), "url is missing")]
    #[case("a", json!({"url": ""}), "url is missing")]
    #[case("a", json!({"url": 5}), "url is not a text")]
    #[case("a", json!({"url": "nope"}), "url: URL format is invalid")]
    #[case("a", json!({"url": "javascript:alert(1)"}), "url: URL scheme \"javascript\" is not allowed")]
    #[case("a", json!({"url": "https://e.example/", "slug": "b"}), "slug is another one than the key's")]
    #[case("a b", json!({"url": "https://e.example/"}), "key: slug may hold letters, digits, '_' and single hyphens between them, and starts with a letter or digit")]
    #[case(" a", json!({"url": "https://e.example/"}), "key: white space around the slug")]
    #[case("", json!({"url": "https://e.example/"}), "key: slug is empty")]
    #[case("a", json!({"url": "https://e.example/", "id": "a b"}), "id: id may hold letters, digits, '_' and '-'")]
    #[case("a", json!({"url": "https://e.example/", "comment": "a\u{0}b"}), "comment holds a null character")]
    #[case("a", json!({"url": "https://e.example/", "password": "__SINK_MASKED__abc"}), "password: masked password cannot be submitted")]
    #[case("a", json!({"url": "https://e.example/", "password": "sink-pwd:v1:nonsense"}), "password: password starts like a stored hash but is malformed")]
    #[case("a", json!({"url": "https://e.example/", "expiration": "soon"}), "expiration is not Unix seconds")]
    #[case("a", json!({"url": "https://e.example/", "unsafe": "no"}), "unsafe is not true or false")]
    #[case("a", json!({"url": "https://e.example/", "geo": {"DE": "data:,x"}}), "geo.DE: URL scheme \"data\" is not allowed")]
    #[case("a", json!({"url": "https://e.example/", "tags": "x"}), "tags is not a list")]
    #[case("a", json!(["url"]), "the value is not a JSON object")]
    fn a_broken_entry_says_what_is_wrong(
        #[case] slug: &str,
        #[case] value: Value,
        #[case] reason: &str,
    ) {
        assert_eq!(read(slug, &value).unwrap_err().as_str(), reason);
    }

    #[test]
    fn reasons_quote_nothing_of_the_value() {
        for value in [
            r#"{"url":"https://user:hunter2@e.example:port/"}"#,
            r#"{"url":"https://e.example/","password":"hunter2"#,
            r#""hunter2""#,
            r#"{"url":"https://e.example/","password":["hunter2"]}"#,
            r#"{"url":"https://e.example/","slug":"hunter2"}"#,
        ] {
            let reason = read_with("a", value, None, &Value::Null).unwrap_err();
            assert!(!reason.as_str().contains("hunter2"), "{reason}");
        }
    }
}
