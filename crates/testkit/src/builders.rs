//! Builders of links that state only what matters to a test.

use std::sync::{Arc, LazyLock};

use slugline_domain::{
    AuditFilter, AuditNote, AuditQuery, AuditedOperation, Author, Comment, Country, Delivery,
    Description, Destination, DestinationRules, FollowedLink, ImageRef, Life, Link, LinkContent,
    LinkId, LinkKey, MaxVisits, PasswordHash, Preview, Reach, Revision, Routing, Rules, Slug,
    Split, Tag, Tags, Title, UnixSeconds, VisitsBefore,
    routing::{Condition, ConditionKind, Rule, Share},
};

/// The time of tests that do not set one.
pub const NOON: UnixSeconds = match UnixSeconds::new(1_800_000_000) {
    Ok(moment) => moment,
    Err(_) => panic!("the moment is in range"),
};

/// The moment `after_noon` seconds after [`NOON`]; before it if negative.
///
/// # Panics
/// The moment is out of range.
pub fn seconds(after_noon: i64) -> UnixSeconds {
    UnixSeconds::new(NOON.get() + after_noon).expect("tests stay near noon")
}

/// A value with a change.
pub fn with<T>(mut value: T, change: impl FnOnce(&mut T)) -> T {
    change(&mut value);
    value
}

/// The reach of a caller who is bound to nothing.
pub static ALL: Reach = Reach::Everything;

/// The note of a change by the operator at [`NOON`].
pub static NOTE: LazyLock<AuditNote> = LazyLock::new(|| noted(NOON));

/// The note of a change by the operator at this moment.
pub fn noted(moment: UnixSeconds) -> AuditNote {
    AuditNote {
        at: moment.start(),
        author: Author::operator(),
        operation: AuditedOperation::LinkCreate,
    }
}

/// A question for this many of the latest lines of the audit trail.
pub fn newest_lines(limit: u32) -> AuditQuery {
    AuditQuery {
        filter: AuditFilter::default(),
        after: None,
        limit,
    }
}

/// A slug.
///
/// # Panics
/// The text is not one.
pub fn slug(text: &str) -> Slug {
    Slug::parse(text).expect("tests use good slugs")
}

/// The key of a link: `docs` in the default domain, `go.example/docs` in another.
///
/// # Panics
/// The text is not one.
pub fn key(text: &str) -> LinkKey {
    LinkKey::parse(text).expect("tests use good keys")
}

/// A tag.
///
/// # Panics
/// The text is not one.
pub fn tag(text: &str) -> Tag {
    Tag::parse(text).expect("tests use good tags")
}

/// A destination under the default rules.
///
/// # Panics
/// The text is not one.
pub fn destination(text: &str) -> Destination {
    Destination::parse(text, &DestinationRules::default()).expect("tests use good destinations")
}

/// Starts a link with a key. Its id is derived from the text of the key.
///
/// # Panics
/// The text is not that of a key.
pub fn link(key_text: &str) -> LinkBuilder {
    let id: String = key_text
        .chars()
        .map(|character| {
            if "./".contains(character) {
                '-'
            } else {
                character
            }
        })
        .take(30)
        .collect();
    LinkBuilder(Link::new(
        LinkId::parse(&format!("id-{id}")).expect("the text of a key makes an id"),
        key(key_text),
        destination("https://example.com/"),
        NOON,
    ))
}

/// A link that has every member. Its tags are not in order.
///
/// # Panics
/// Never: the members are valid.
pub fn full_link(key_text: &str) -> Link {
    let text = "it's; DROP TABLE short_links --\u{1f600}";
    let geo = [("DE", "https://example.de/"), ("AT", "https://example.at/")];
    let geo = geo.map(|(code, url)| (Country::parse(code).expect("code"), destination(url)));
    Link {
        created_at: seconds(3),
        updated_at: seconds(5),
        revision: Revision::FIRST.next(),
        ends_at: Some(seconds(1800)),
        password: Some(PasswordHash::new("$argon2id$v=19$stored")),
        content: LinkContent {
            destination: destination("https://example.com/ünï?q='\"%_\\"),
            comment: Some(Comment::parse(text).expect("short")),
            expires_at: Some(seconds(3600)),
            tags: Tags::new(["zebra", "ähre", "a"].map(tag)).expect("few"),
            preview: Preview {
                title: Some(Title::parse("Title").expect("short")),
                description: Some(Description::parse("").expect("short")),
                image: Some(ImageRef::parse("/a.png").expect("short")),
            },
            routing: Routing {
                apple: Some(destination("https://apps.example/a")),
                google: Some(destination("https://apps.example/g")),
                geo: geo.into(),
                with_query: Some(true),
                rules: full_rules(),
                split: Some(full_split()),
                split_until: Some(seconds(900)),
                forward_path: Some(true),
            },
            delivery: Delivery {
                cloaking: Some(true),
                proxy: Some(false),
                noindex: Some(true),
            },
            flagged_unsafe: Some(false),
            life: Life {
                starts_at: Some(seconds(-60)),
                start_url: Some(destination("https://soon.example/ü")),
                expired_url: Some(destination("https://over.example/?a='")),
                max_visits: MaxVisits::new(100).ok(),
                disabled: true,
            },
            visits_before: VisitsBefore::new(7).ok(),
        },
        visits_used: 40,
        ..link(key_text).build()
    }
}

/// Two rules that hold every kind of value between them.
fn full_rules() -> Rules {
    let condition = |name: &str, negated, values: &[&str]| {
        let kind = ConditionKind::named(name).expect("a kind");
        Condition::parse(kind, negated, values).expect("tests use good conditions")
    };
    let first = vec![
        condition("device", false, &["ios", "tablet"]),
        condition("country", true, &["DE", "AT"]),
        condition("city", false, &["São Paulo", "it's"]),
        condition("query", false, &["a+b=x%26y", "c", "d="]),
        condition("from", false, &["2026-12-01"]),
        condition("hours", false, &["22:00-06:00"]),
    ];
    let second = vec![
        condition("until", false, &["1800000000"]),
        condition("bot", false, &["false"]),
        condition("network", true, &["192.0.2.0/24", "2001:db8::/32"]),
    ];
    let zone = "Europe/Berlin".parse().expect("a zone");
    let rules = [
        Rule::new(first, Some(zone), destination("https://rules.example/1")),
        Rule::new(second, None, destination("https://rules.example/ü")),
    ];
    let rules = rules.map(|rule| rule.expect("tests use good rules"));
    Rules::new(rules.into()).expect("few")
}

fn full_split() -> Split {
    let share = |weight, url| Share {
        weight,
        destination: destination(url),
    };
    let shares = [
        share(30, "https://split.example/a"),
        share(20, "https://split.example/b"),
    ];
    Split::new(shares.into()).expect("two shares")
}

/// A link under construction.
#[derive(Clone, Debug)]
pub struct LinkBuilder(Link);

impl LinkBuilder {
    /// Sets the identifier.
    ///
    /// # Panics
    /// The text is not an identifier.
    #[must_use]
    pub fn id(mut self, id: &str) -> Self {
        self.0.id = LinkId::parse(id).expect("tests use good ids");
        self
    }

    /// Sets the destination.
    #[must_use]
    pub fn to(mut self, url: &str) -> Self {
        self.0.content.destination = destination(url);
        self
    }

    /// Sets the time of creation, in seconds after [`NOON`].
    #[must_use]
    pub fn created(mut self, after_noon: i64) -> Self {
        self.0.created_at = seconds(after_noon);
        self.0.updated_at = seconds(after_noon);
        self
    }

    /// Sets the expiry, in seconds after [`NOON`].
    #[must_use]
    pub fn expires(mut self, after_noon: i64) -> Self {
        self.0.content.expires_at = Some(seconds(after_noon));
        self
    }

    /// Sets the tags.
    ///
    /// # Panics
    /// A text is not a tag, or there are too many.
    #[must_use]
    pub fn tags(mut self, tags: &[&str]) -> Self {
        self.0.content.tags =
            Tags::new(tags.iter().map(|text| tag(text))).expect("tests use few tags");
        self
    }

    /// Sets the comment.
    ///
    /// # Panics
    /// The text is too long.
    #[must_use]
    pub fn comment(mut self, text: &str) -> Self {
        self.0.content.comment = Some(Comment::parse(text).expect("tests use short comments"));
        self
    }

    /// Sets the rules.
    #[must_use]
    pub fn rules(mut self, rules: Rules) -> Self {
        self.0.content.routing.rules = rules;
        self
    }

    /// Sets the start, in seconds after [`NOON`].
    #[must_use]
    pub fn starts(mut self, after_noon: i64) -> Self {
        self.0.content.life.starts_at = Some(seconds(after_noon));
        self
    }

    /// Limits the visits.
    ///
    /// # Panics
    /// The number is out of range.
    #[must_use]
    pub fn max_visits(mut self, visits: i64) -> Self {
        let visits = MaxVisits::new(visits).expect("tests use good limits");
        self.0.content.life.max_visits = Some(visits);
        self
    }

    /// Sets the number of visits that were counted.
    #[must_use]
    pub fn visits_used(mut self, visits: u32) -> Self {
        self.0.visits_used = visits;
        self
    }

    /// Hides the link.
    #[must_use]
    pub fn disabled(mut self) -> Self {
        self.0.content.life.disabled = true;
        self
    }

    /// Sets the stored password.
    #[must_use]
    pub fn password(mut self, stored: &str) -> Self {
        self.0.password = Some(PasswordHash::new(stored));
        self
    }

    /// The link as visits hold it.
    pub fn followed(self) -> Arc<FollowedLink> {
        Arc::new(self.build().into())
    }

    /// Builds the link.
    pub fn build(self) -> Link {
        self.0
    }
}
