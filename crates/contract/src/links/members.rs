//! The members of a link that its author sets, for every body that has them.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::{Value, json};
use slugline_domain::{
    Change, Comment, Country, Delivery, Description, Destination, DestinationError,
    DestinationRules, ImageRef, Life, LinkContent, LinkPatch, Preview, Routing, Tag, Tags, Text,
    TextError, Title, UnixSeconds,
};

use super::{
    life::{self, LifeMembers},
    routing::{self, RULES, SPLIT, rules_schema, split_schema},
};
use crate::{bounds::Bounds, instant::Instant, issue::Issue, sent::Sent, validation::Validation};

/// What the author of a link decides. Bodies that hold a link hold these
/// members beside their own.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct LinkMembers {
    /// Where the link leads: http or https.
    #[schemars(url, length(min = 1, max = DestinationRules::DEFAULT_MAX_CHARS))]
    pub url: Sent<String>,
    /// A private note.
    #[schemars(length(max = Comment::MAX_CHARS))]
    pub comment: Sent<String>,
    /// When it expires: RFC 3339 or Unix seconds.
    #[schemars(range(min = UnixSeconds::MIN, max = UnixSeconds::MAX))]
    pub expiration: Sent<Instant>,
    /// Tags to group links by; lower-cased.
    #[schemars(extend("x-obvious" = true), length(max = Tags::MAX), inner(length(min = 1, max = Tag::MAX_CHARS)))]
    pub tags: Sent<Vec<Sent<String>>>,
    /// Title of the preview.
    #[schemars(length(max = Title::MAX_CHARS))]
    pub title: Sent<String>,
    /// Description of the preview.
    #[schemars(length(max = Description::MAX_CHARS))]
    pub description: Sent<String>,
    /// Image of the preview: a URL or a path.
    #[schemars(length(max = ImageRef::MAX_CHARS))]
    pub image: Sent<String>,
    /// Destination of iPhones and iPads.
    #[schemars(url, length(min = 1, max = DestinationRules::DEFAULT_MAX_CHARS))]
    pub apple: Sent<String>,
    /// Destination of Android devices.
    #[schemars(url, length(min = 1, max = DestinationRules::DEFAULT_MAX_CHARS))]
    pub google: Sent<String>,
    /// Destinations by country: code to URL.
    #[schemars(schema_with = "urls_by_country")]
    pub geo: Sent<BTreeMap<String, Sent<String>>>,
    /// Pass the query on; left out, as the server is set.
    pub redirect_with_query: Sent<bool>,
    /// Show the destination in a frame.
    pub cloaking: Sent<bool>,
    /// Fetch the destination and pass it on.
    pub proxy: Sent<bool>,
    /// Warn visitors before they go on.
    #[serde(rename = "unsafe")]
    pub flagged_unsafe: Sent<bool>,
    /// Other destinations for some visitors, in order.
    #[schemars(description = RULES)]
    #[schemars(schema_with = "rules_schema")]
    pub rules: Sent<Vec<Value>>,
    /// Percentages of the visitors for other destinations.
    #[schemars(description = SPLIT)]
    #[schemars(schema_with = "split_schema")]
    pub split: Sent<Vec<Value>>,
    /// When the split ends.
    #[schemars(range(min = UnixSeconds::MIN, max = UnixSeconds::MAX))]
    pub split_until: Sent<Instant>,
    /// Pass on the path behind the slug, to {path} or {1} to {9} in the URL, else to its end.
    pub forward_path: Sent<bool>,
    /// When the link starts and ends, and where visitors go before and after.
    #[serde(flatten)]
    pub life: LifeMembers,
}

/// The bounds of titles and other texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextBounds {
    /// The current bounds.
    Todays,
    /// The widest bounds that any version had, for imported links that were created under
    /// them.
    Widest,
}

impl LinkMembers {
    /// Parses the members of a new link; `None` after it noted a fault.
    pub(super) fn content(
        &self,
        texts: TextBounds,
        validation: &mut Validation,
        bounds: &Bounds,
    ) -> Option<LinkContent> {
        self.refuse_null(validation);
        let content = self.replacement(texts, validation, bounds)?;
        if let Err(fault) = content.check() {
            validation.found(Issue::of_life(fault));
        }
        Some(content)
    }

    /// Notes each `null` of the members that Sink does not know. It stands for nothing in a new link.
    fn refuse_null(&self, validation: &mut Validation) {
        validation.refuse_null("rules", &self.rules);
        validation.refuse_null("split", &self.split);
        validation.refuse_null("splitUntil", &self.split_until);
        validation.refuse_null("forwardPath", &self.forward_path);
        self.life.refuse_null(validation);
    }

    /// Parses the members of a link that is replaced, which may have the rest already; `None` after
    /// it noted a fault.
    pub(super) fn replacement(
        &self,
        texts: TextBounds,
        validation: &mut Validation,
        bounds: &Bounds,
    ) -> Option<LinkContent> {
        let url = validation.required(&["url"], &self.url, |url| destination(url, bounds));
        let comment = validation.optional(&["comment"], &self.comment, |sent| text(sent, texts));
        let expires_at = match texts {
            TextBounds::Todays => {
                validation.optional(&["expiration"], &self.expiration, |sent| sent.planned())
            }
            TextBounds::Widest => {
                validation.optional(&["expiration"], &self.expiration, |sent| sent.second())
            }
        };
        let tags = match validation.value(&["tags"], &self.tags) {
            Some(sent) => tags(validation, sent),
            None => Some(Tags::default()),
        };
        let preview = Preview {
            title: validation.optional(&["title"], &self.title, |sent| text(sent, texts)),
            description: validation.optional(&["description"], &self.description, |sent| {
                text(sent, texts)
            }),
            image: validation.optional(&["image"], &self.image, |sent| text(sent, texts)),
        };
        let to = |url: &String| destination(url, bounds);
        let routing = Routing {
            apple: validation.optional(&["apple"], &self.apple, to),
            google: validation.optional(&["google"], &self.google, to),
            geo: match validation.value(&["geo"], &self.geo) {
                Some(sent) => geo(validation, sent, bounds),
                None => BTreeMap::new(),
            },
            with_query: flag(validation, "redirectWithQuery", &self.redirect_with_query),
            ..Routing::default()
        };
        let delivery = Delivery {
            cloaking: flag(validation, "cloaking", &self.cloaking),
            proxy: flag(validation, "proxy", &self.proxy),
        };
        let flagged_unsafe = flag(validation, "unsafe", &self.flagged_unsafe);
        let ours = self.ours(validation, bounds);
        let mut content = LinkContent {
            destination: url?,
            comment,
            expires_at,
            tags: tags?,
            preview,
            routing,
            delivery,
            flagged_unsafe,
            life: Life::NONE,
        };
        ours.apply(&mut content);
        Some(content)
    }

    /// Returns the change that the members make which Sink does not know. Clients of Sink leave
    /// them out when they replace a link, so they are kept then; `null` removes.
    pub(super) fn ours(&self, validation: &mut Validation, bounds: &Bounds) -> LinkPatch {
        LinkPatch {
            rules: validation.change(&["rules"], &self.rules, |validation, sent| {
                routing::rules(validation, sent, bounds)
            }),
            split: validation.change(&["split"], &self.split, |validation, sent| {
                routing::split(validation, sent, bounds)
            }),
            split_until: validation.change(
                &["splitUntil"],
                &self.split_until,
                |validation, sent| validation.member(&["splitUntil"], sent.planned()),
            ),
            forward_path: flag_change(validation, "forwardPath", &self.forward_path),
            life: self.life.patch(validation, bounds),
            ..LinkPatch::default()
        }
    }

    /// Returns the same members, with `null` in place of each empty text.
    pub(super) fn with_empty_texts_removed(mut self) -> Self {
        let Self {
            url: _,
            comment,
            expiration: _,
            tags: _,
            title,
            description,
            image,
            apple,
            google,
            geo: _,
            redirect_with_query: _,
            cloaking: _,
            proxy: _,
            flagged_unsafe: _,
            rules: _,
            split: _,
            split_until: _,
            forward_path: _,
            life,
        } = &mut self;
        let own = [comment, title, description, image, apple, google];
        for text in own.into_iter().chain(life.texts()) {
            if text.value().is_some_and(String::is_empty) {
                *text = Sent::Null;
            }
        }
        self
    }

    /// Returns the change that the members make; `null` removes, except the destination.
    /// The password is not among them, so it stays.
    pub(super) fn patch(&self, validation: &mut Validation, bounds: &Bounds) -> LinkPatch {
        LinkPatch {
            destination: validation.optional(&["url"], &self.url, |url| destination(url, bounds)),
            comment: text_change(validation, "comment", &self.comment),
            expires_at: validation.change(&["expiration"], &self.expiration, |validation, sent| {
                validation.member(&["expiration"], sent.planned())
            }),
            tags: validation.change(&["tags"], &self.tags, |validation, sent| {
                tags(validation, sent)
            }),
            title: text_change(validation, "title", &self.title),
            description: text_change(validation, "description", &self.description),
            image: text_change(validation, "image", &self.image),
            apple: destination_change(validation, "apple", &self.apple, bounds),
            google: destination_change(validation, "google", &self.google, bounds),
            geo: validation.change(&["geo"], &self.geo, |validation, sent| {
                Some(geo(validation, sent, bounds))
            }),
            with_query: flag_change(validation, "redirectWithQuery", &self.redirect_with_query),
            cloaking: flag_change(validation, "cloaking", &self.cloaking),
            proxy: flag_change(validation, "proxy", &self.proxy),
            flagged_unsafe: flag_change(validation, "unsafe", &self.flagged_unsafe),
            password: Change::Keep,
            ..self.ours(validation, bounds)
        }
    }
}

/// Adapts the schemas of changes: members may be `null`, except those that cannot be
/// removed.
pub(super) fn members_or_null(schema: &mut Schema) {
    or_null(schema, |name| {
        !["slug", "domain", "url", "partial", "validateOnly"].contains(&name)
    });
}

/// Adapts the schemas of replacing bodies: members that clients of Sink do not know may be `null`.
pub(super) fn ours_or_null(schema: &mut Schema) {
    let routing = ["rules", "split", "splitUntil", "forwardPath"];
    or_null(schema, |name| {
        life::NAMES.contains(&name) || routing.contains(&name)
    });
}

fn or_null(schema: &mut Schema, is_meant: impl Fn(&str) -> bool) {
    for (name, member) in properties(schema) {
        if !is_meant(name) {
            continue;
        }
        let types = &member["type"];
        let mut types = types
            .as_array()
            .cloned()
            .unwrap_or_else(|| vec![types.clone()]);
        types.push(json!("null"));
        member["type"] = types.into();
        member["nullable"] = true.into();
    }
}

/// Adapts the schemas of imports: texts may be as long as in any earlier export, and the
/// slug may be absent.
pub(super) fn widest_texts(schema: &mut Schema) {
    for (name, member) in properties(schema) {
        if ["title", "image"].contains(&name.as_str()) {
            member["maxLength"] = Description::MAX_CHARS.into();
        }
        if name == "slug" {
            member["type"] = json!(["string", "null"]);
            member["nullable"] = true.into();
        }
    }
}

fn properties(schema: &mut Schema) -> impl Iterator<Item = (&String, &mut Value)> {
    let members = schema.get_mut("properties").and_then(Value::as_object_mut);
    members.into_iter().flatten()
}

fn destination(url: &str, bounds: &Bounds) -> Result<Destination, DestinationError> {
    Destination::parse(url, &bounds.destinations)
}

fn flag(validation: &mut Validation, name: &str, sent: &Sent<bool>) -> Option<bool> {
    validation.value(&[name], sent).copied()
}

fn flag_change(validation: &mut Validation, name: &str, sent: &Sent<bool>) -> Change<bool> {
    validation.change(&[name], sent, |_, flag| Some(*flag))
}

fn text_change<const MAX: usize>(
    validation: &mut Validation,
    name: &str,
    sent: &Sent<String>,
) -> Change<Text<MAX>> {
    validation.change(&[name], sent, |validation, sent| {
        validation.member(&[name], Text::parse(sent))
    })
}

fn destination_change(
    validation: &mut Validation,
    name: &str,
    sent: &Sent<String>,
    bounds: &Bounds,
) -> Change<Destination> {
    validation.change(&[name], sent, |validation, sent| {
        validation.member(&[name], destination(sent, bounds))
    })
}

pub(super) fn tags(validation: &mut Validation, sent: &[Sent<String>]) -> Option<Tags> {
    let mut tags = Vec::new();
    for (i, tag) in sent.iter().enumerate() {
        tags.push(validation.required(&["tags", &i.to_string()], tag, |tag| Tag::parse(tag)));
    }
    let tags: Option<Vec<Tag>> = tags.into_iter().collect();
    validation.member(&["tags"], Tags::new(tags?))
}

fn geo(
    validation: &mut Validation,
    sent: &BTreeMap<String, Sent<String>>,
    bounds: &Bounds,
) -> BTreeMap<Country, Destination> {
    let mut geo = BTreeMap::new();
    for (code, url) in sent {
        let path = ["geo", code.as_str()];
        let country = validation.member(&path, Country::parse(code));
        let destination = validation.required(&path, url, |url| destination(url, bounds));
        geo.extend(country.zip(destination));
    }
    geo
}

fn text<const MAX: usize>(sent: &str, texts: TextBounds) -> Result<Text<MAX>, TextError> {
    match texts {
        TextBounds::Todays => Text::parse(sent),
        TextBounds::Widest => Text::restore(sent),
    }
}

fn urls_by_country(_: &mut SchemaGenerator) -> Schema {
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
