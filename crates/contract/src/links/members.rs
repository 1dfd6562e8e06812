//! The members of a link that its author decides, whichever body they came in.

use std::collections::BTreeMap;

use schemars::{Schema, SchemaGenerator, json_schema};
use slugline_domain::{
    Country, Delivery, Destination, DestinationRules, LinkContent, Preview, Routing, Tag, Tags,
    Text, TextError, UnixSeconds,
};

use crate::{Rules, check::Checks};

/// What was sent; absent members are `None`.
pub(super) struct Members<'a> {
    pub(super) url: &'a str,
    pub(super) comment: Option<&'a str>,
    pub(super) expiration: Option<i64>,
    pub(super) tags: Option<&'a [String]>,
    pub(super) title: Option<&'a str>,
    pub(super) description: Option<&'a str>,
    pub(super) image: Option<&'a str>,
    pub(super) apple: Option<&'a str>,
    pub(super) google: Option<&'a str>,
    pub(super) geo: Option<&'a BTreeMap<String, String>>,
    pub(super) redirect_with_query: Option<bool>,
    pub(super) cloaking: Option<bool>,
    pub(super) proxy: Option<bool>,
    pub(super) flagged_unsafe: Option<bool>,
}

/// Which bounds hold for titles and other texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextBounds {
    /// Those of today.
    Todays,
    /// The widest that ever held: a link that comes from elsewhere keeps what it
    /// was allowed once.
    Widest,
}

impl Members<'_> {
    /// The content they make, unless one is out of bounds, which is noted.
    pub(super) fn check(&self, checks: &mut Checks, rules: &Rules) -> Option<LinkContent> {
        self.check_within(TextBounds::Todays, checks, rules)
    }

    /// The same with other bounds.
    pub(super) fn check_within(
        &self,
        bounds: TextBounds,
        checks: &mut Checks,
        rules: &Rules,
    ) -> Option<LinkContent> {
        let destination = |text: &str| Destination::parse(text, &rules.destinations);
        let url = checks.member(&["url"], destination(self.url));
        let comment = checks.optional(&["comment"], text(self.comment, bounds));
        let expires_at = checks.optional(&["expiration"], self.expiration.map(UnixSeconds::new));
        let tags = tags(checks, self.tags.unwrap_or_default());
        let preview = Preview {
            title: checks.optional(&["title"], text(self.title, bounds)),
            description: checks.optional(&["description"], text(self.description, bounds)),
            image: checks.optional(&["image"], text(self.image, bounds)),
        };
        let routing = Routing {
            apple: checks.optional(&["apple"], self.apple.map(destination)),
            google: checks.optional(&["google"], self.google.map(destination)),
            geo: self
                .geo
                .map(|sent| geo(checks, sent, rules))
                .unwrap_or_default(),
            with_query: self.redirect_with_query,
        };
        Some(LinkContent {
            destination: url?,
            comment,
            expires_at,
            tags: tags?,
            preview,
            routing,
            delivery: Delivery {
                cloaking: self.cloaking,
                proxy: self.proxy,
            },
            flagged_unsafe: self.flagged_unsafe,
        })
    }
}

pub(super) fn tags(checks: &mut Checks, sent: &[String]) -> Option<Tags> {
    let mut tags = Vec::new();
    for (i, text) in sent.iter().enumerate() {
        tags.push(checks.member(&["tags", &i.to_string()], Tag::parse(text)));
    }
    let tags: Option<Vec<Tag>> = tags.into_iter().collect();
    checks.member(&["tags"], Tags::new(tags?))
}

pub(super) fn geo(
    checks: &mut Checks,
    sent: &BTreeMap<String, String>,
    rules: &Rules,
) -> BTreeMap<Country, Destination> {
    let mut geo = BTreeMap::new();
    for (code, url) in sent {
        let path = ["geo", code.as_str()];
        let country = checks.member(&path, Country::parse(code));
        let destination = checks.member(&path, Destination::parse(url, &rules.destinations));
        geo.extend(country.zip(destination));
    }
    geo
}

fn text<const MAX: usize>(
    sent: Option<&str>,
    bounds: TextBounds,
) -> Option<Result<Text<MAX>, TextError>> {
    sent.map(match bounds {
        TextBounds::Todays => Text::parse,
        TextBounds::Widest => Text::restore,
    })
}

pub(super) fn urls_by_country(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "object",
        "propertyNames": {"pattern": "^[A-Za-z]{2}$"},
        "additionalProperties": {
            "type": "string",
            "format": "uri",
            "minLength": 1,
            "maxLength": DestinationRules::DEFAULT_MAX_CHARS,
        },
    })
}
