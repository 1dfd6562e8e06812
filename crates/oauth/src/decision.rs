//! The choice of a person in the form.

use slugline_application::{BoundTo, ConsentRequest, Decision};
use slugline_domain::{DomainName, LinkKey, Scope, Tag, UnixSeconds};

use crate::parameters::Parameters;

/// The days after which a connection may end.
pub(crate) const DAYS: [u16; 5] = [1, 7, 30, 90, 365];

const DAY_SECONDS: i64 = 86_400;

/// The members of the form as they are shown again.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    pub(crate) scopes: Vec<Scope>,
    pub(crate) tags: String,
    pub(crate) slugs: String,
    /// Hosts of domains.
    pub(crate) domains: Vec<String>,
    /// `None` is no end.
    pub(crate) days: Option<u16>,
}

impl Choice {
    /// A fresh form: all that the application asks for, for every link, without an end.
    pub(crate) fn of(asked: &ConsentRequest) -> Self {
        Self {
            scopes: asked.scopes.iter().collect(),
            tags: String::new(),
            slugs: String::new(),
            domains: Vec::new(),
            days: None,
        }
    }

    pub(crate) fn read(sent: &Parameters) -> Self {
        let scopes = sent.all("scope").filter_map(|text| Scope::parse(text).ok());
        let days = sent.get("days").and_then(|days| days.parse().ok());
        Self {
            scopes: scopes.collect(),
            tags: sent.get("tags").unwrap_or_default().to_owned(),
            slugs: sent.get("slugs").unwrap_or_default().to_owned(),
            domains: sent.all("domain").map(str::to_owned).collect(),
            days: days.filter(|days| DAYS.contains(days)),
        }
    }

    /// The decision, made now.
    ///
    /// # Errors
    /// A text is no slug, no tag or no host; the error names it.
    pub(crate) fn decision(&self, now: UnixSeconds) -> Result<Decision, String> {
        let keys = words(&self.slugs, true).map(|text| {
            let key = text.trim_start_matches('/');
            LinkKey::parse(key).map_err(|error| format!("{text}: {error}"))
        });
        let tags = words(&self.tags, false)
            .map(|text| Tag::parse(text).map_err(|error| format!("{text}: {error}")));
        let domains = self.domains.iter();
        let domains =
            domains.map(|text| DomainName::parse(text).map_err(|error| format!("{text}: {error}")));
        let until = self
            .days
            .map(|days| now.get() + i64::from(days) * DAY_SECONDS);
        Ok(Decision {
            scopes: self.scopes.clone(),
            bound_to: BoundTo {
                keys: keys.collect::<Result<_, _>>()?,
                tags: tags.collect::<Result<_, _>>()?,
                domains: domains.collect::<Result<_, _>>()?,
            },
            until: until.and_then(|moment| UnixSeconds::new(moment).ok()),
        })
    }
}

/// The entries of a list with commas. Slugs may be separated by blanks, too; tags may have some.
fn words(text: &str, by_blanks: bool) -> impl Iterator<Item = &str> {
    let entries = text.split(move |c: char| {
        matches!(c, ',' | '、' | '，' | '\n' | '\r') || by_blanks && c.is_whitespace()
    });
    entries.map(str::trim).filter(|entry| !entry.is_empty())
}

#[cfg(test)]
mod tests {
    use slugline_testkit::{NOON, key, tag};

    use super::*;

    #[test]
    fn a_form_becomes_a_decision() {
        let sent = "scope=links:read&scope=admin&scope=x&tags=a,+b+c+&slugs=/docs+news&days=7&domain=go.example";
        let choice = Choice::read(&Parameters::read(sent));
        let decision = choice.decision(NOON).unwrap();
        assert_eq!(decision.scopes, [Scope::LinksRead, Scope::Admin]);
        assert_eq!(decision.bound_to.tags, [tag("a"), tag("b c")].into());
        assert_eq!(decision.bound_to.keys, [key("docs"), key("news")]);
        let domains = decision.bound_to.domains.iter().map(DomainName::as_str);
        assert_eq!(domains.collect::<Vec<_>>(), ["go.example"]);
        let end = decision.until.unwrap().get() - NOON.get();
        assert_eq!(end, 7 * DAY_SECONDS);
    }

    #[test]
    fn what_is_no_slug_is_named() {
        let choice = Choice::read(&Parameters::read("slugs=a/b/c&days=8"));
        assert_eq!(choice.days, None);
        assert!(choice.decision(NOON).unwrap_err().starts_with("a/b/c: "));
    }
}
