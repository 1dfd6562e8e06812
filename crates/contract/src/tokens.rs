//! Named tokens on the wire.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use slugline_application::{BoundTo, Caller, ListedToken, MadeToken, NewToken};
use slugline_domain::{
    Binding, DomainName, LinkKey, Scope, Scopes, Tag, TokenName, UnixSeconds, assistants::Assistant,
};

use crate::{
    Problem, ScopeName,
    issue::{Explain, IssueCode},
    scalars::Instant,
    sent::Sent,
    validation::Validation,
};

/// A token to be made.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["name", "scopes"]))]
pub struct MakeToken {
    /// A name that no other token has and that looks like no other one, such as that of the
    /// program that will use it: letters and digits of any language, ASCII punctuation and
    /// single blanks.
    #[schemars(length(min = 1, max = TokenName::MAX_CHARS))]
    pub name: Sent<String>,
    /// What the token permits.
    #[schemars(length(min = 1))]
    pub scopes: Sent<Vec<Sent<ScopeName>>>,
    /// Slugs of links; `go.example.com/promo` stands for a slug of another domain. The token reaches these links alone, and those with one of `tags`. It stays
    /// with a link: if another link gets the slug later, the token does not reach that one.
    #[schemars(length(min = 1, max = Binding::MAX))]
    pub slugs: Sent<Vec<Sent<String>>>,
    /// Tags. The token reaches the links that have one of them at the time of a call, and those of
    /// `slugs`. Without slugs, tags and domains it reaches every link.
    #[schemars(length(min = 1, max = Binding::MAX))]
    pub tags: Sent<Vec<Sent<String>>>,
    /// Hosts of domains; an empty text or the host of the public address stands for the default one.
    /// The token reaches links of these domains alone: all of them, or those of `slugs` and `tags`
    /// among them.
    #[schemars(length(min = 1, max = Binding::MAX))]
    pub domains: Sent<Vec<Sent<String>>>,
    /// When the token ends, in Unix seconds; it works until it is revoked when left out.
    pub expires_at: Sent<Instant>,
}

impl MakeToken {
    /// Makes domain values of the members.
    ///
    /// # Errors
    /// Lists every member that is missing, of another type or out of bounds.
    pub fn validate(&self) -> Result<NewToken, Problem> {
        let mut validation = Validation::default();
        let name = validation.required(&["name"], &self.name, |name| TokenName::parse(name));
        let sent = validation.there(&["scopes"], &self.scopes);
        let scopes = sent.and_then(|sent| scopes(&mut validation, sent));
        let keys = parsed(&mut validation, "slugs", &self.slugs, |key| {
            LinkKey::parse(key)
        });
        let tags = parsed(&mut validation, "tags", &self.tags, Tag::parse);
        let domains = parsed(&mut validation, "domains", &self.domains, |host| {
            DomainName::parse(host.trim())
        });
        let expires_at =
            validation.optional(&["expiresAt"], &self.expires_at, |sent| sent.planned());
        validation.finish(|| {
            Some(NewToken {
                name: name?,
                scopes: scopes?,
                bound_to: BoundTo {
                    keys: keys?,
                    tags: tags?.into_iter().collect(),
                    domains: domains?.into_iter().collect(),
                },
                expires_at,
            })
        })
    }
}

/// The values of a list that may be left out. An empty list is refused: a client that sends it
/// wants to bind the token, and nothing would bind it.
fn parsed<T, E: Explain>(
    validation: &mut Validation,
    name: &str,
    sent: &Sent<Vec<Sent<String>>>,
    parse: impl Fn(&str) -> Result<T, E>,
) -> Option<Vec<T>> {
    if let Sent::Absent = sent {
        return Some(Vec::new());
    }
    let sent = validation.value(&[name], sent)?;
    if sent.is_empty() {
        let message = format!("{name} is empty, so it would bind the token to nothing");
        let expected = format!("1 to {}, or left out", Binding::MAX);
        validation.note(&[name], (IssueCode::TooSmall, message, expected));
        return None;
    }
    let one = |(i, value): (usize, &Sent<String>)| {
        validation.required(&[name, &i.to_string()], value, |text| parse(text))
    };
    let values: Vec<Option<T>> = sent.iter().enumerate().map(one).collect();
    values.into_iter().collect()
}

fn scopes(validation: &mut Validation, sent: &[Sent<ScopeName>]) -> Option<Scopes> {
    let mut scopes = Vec::new();
    for (i, name) in sent.iter().enumerate() {
        let name = validation.there(&["scopes", &i.to_string()], name);
        scopes.push(name.copied().map(Scope::from));
    }
    let scopes: Option<Vec<Scope>> = scopes.into_iter().collect();
    validation.member(&["scopes"], Scopes::new(scopes?))
}

/// Which token to revoke.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["name"]))]
pub struct RevokeToken {
    /// The name of the token.
    #[schemars(length(min = 1, max = TokenName::MAX_CHARS))]
    pub name: Sent<String>,
}

impl RevokeToken {
    /// Returns the name.
    ///
    /// # Errors
    /// The text is no name of a token.
    pub fn validate(&self) -> Result<TokenName, Problem> {
        let mut validation = Validation::default();
        let name = validation.required(&["name"], &self.name, |name| TokenName::restore(name));
        validation.finish(|| name)
    }
}

/// A named token, without its secret text.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Token")]
pub struct TokenView {
    /// Its name.
    pub name: String,
    /// The scopes that it permits.
    pub scopes: Vec<ScopeName>,
    /// The slugs of the links that it is bound to, with the host before them in a named domain. Left out when it is bound to none by slug.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slugs: Option<Vec<String>>,
    /// The tags that it is bound to. Left out when it is bound to none. A token without slugs, tags
    /// and domains reaches every link.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
    /// The hosts of the domains that it is bound to; an empty text is the default domain. Left out
    /// when it is bound to none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domains: Option<Vec<String>>,
    /// When it was made, in Unix seconds.
    pub created_at: i64,
    /// When it ends, in Unix seconds. Left out when it works until it is revoked. An assistant that
    /// renews its token in time moves the end, unless a person chose one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<i64>,
    /// The assistant that it belongs to. Left out for a token that a person made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assistant: Option<AssistantView>,
    /// When it was last used, in Unix seconds, exact to a minute. Left out when it never was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<i64>,
}

impl From<&ListedToken> for TokenView {
    fn from(listed: &ListedToken) -> Self {
        let token = &listed.record;
        let binding = token.reach.binding();
        let by_slug = binding.filter(|binding| !binding.links().is_empty());
        let by_tag = binding.filter(|binding| !binding.tags().is_empty());
        let by_domain = binding.filter(|binding| !binding.domains().is_empty());
        Self {
            name: token.name.to_string(),
            scopes: token.scopes.iter().map(ScopeName::from).collect(),
            slugs: by_slug.map(|_| listed.keys.iter().map(LinkKey::to_string).collect()),
            tags: by_tag.map(|binding| binding.tags().iter().map(Tag::to_string).collect()),
            domains: by_domain.map(|binding| {
                binding
                    .domains()
                    .iter()
                    .map(DomainName::to_string)
                    .collect()
            }),
            created_at: token.created_at.get(),
            expires_at: token.ends_at().map(UnixSeconds::get),
            assistant: token.assistant.as_ref().map(AssistantView::from),
            last_used_at: token.last_used_at.map(UnixSeconds::get),
        }
    }
}

/// An application that a person connected by consent.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Assistant")]
pub struct AssistantView {
    /// The name that it gives itself. It is not verified.
    pub name: String,
    /// The host that describes it, or the one to which its answers go.
    pub host: String,
}

impl From<&Assistant> for AssistantView {
    fn from(assistant: &Assistant) -> Self {
        Self {
            name: assistant.name.to_string(),
            host: assistant.host.to_string(),
        }
    }
}

/// Every named token.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TokenList {
    /// The tokens by name; the site token is none of them.
    pub tokens: Vec<TokenView>,
}

impl TokenList {
    /// Shows these tokens.
    pub fn new(tokens: &[ListedToken]) -> Self {
        Self {
            tokens: tokens.iter().map(TokenView::from).collect(),
        }
    }
}

/// A token that was just made.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TokenMade {
    /// The secret text that callers send. No later answer shows it.
    pub token: String,
    /// The rest.
    #[serde(flatten)]
    pub view: TokenView,
}

impl From<&MadeToken> for TokenMade {
    fn from(made: &MadeToken) -> Self {
        Self {
            token: made.text.as_str().to_owned(),
            view: TokenView::from(&made.listed),
        }
    }
}

/// The caller's token: its name and what it permits.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CallersToken {
    /// `site` for the site token, else the token's name.
    token_name: String,
    /// Every scope that the token permits; with `admin` all of them.
    scopes: Vec<ScopeName>,
    /// When the token ends, in Unix seconds. Left out when it works until it is revoked.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<i64>,
    /// The slugs of the links that the token is bound to. Left out when it is bound to none by slug.
    #[serde(skip_serializing_if = "Option::is_none")]
    slugs: Option<Vec<String>>,
    /// The tags that the token is bound to. Left out when it is bound to none. A token without slugs
    /// and tags reaches every link.
    #[serde(skip_serializing_if = "Option::is_none")]
    tags: Option<Vec<String>>,
}

impl CallersToken {
    /// Shows the token of a caller. `listed` is the caller's named token.
    pub fn new(caller: &Caller, listed: Option<&ListedToken>) -> Self {
        let permitted = Scope::ALL.into_iter();
        let permitted = permitted.filter(|scope| caller.may(*scope).is_ok());
        let view = listed.map(TokenView::from);
        Self {
            token_name: caller.name().to_owned(),
            scopes: permitted.map(ScopeName::from).collect(),
            expires_at: view.as_ref().and_then(|view| view.expires_at),
            slugs: view.as_ref().and_then(|view| view.slugs.clone()),
            tags: view.and_then(|view| view.tags),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::{faults::paths, reader::read};

    fn validate(body: &Value) -> Result<NewToken, Problem> {
        read::<MakeToken>(body)?.validate()
    }

    #[test]
    fn a_name_and_scopes_make_a_token() {
        let new = validate(&json!({"name": " ci ", "scopes": ["admin", "links:read"]})).unwrap();
        assert_eq!((new.name.as_str(), new.expires_at), ("ci", None));
        let scopes: Vec<Scope> = new.scopes.iter().collect();
        assert_eq!(scopes, [Scope::LinksRead, Scope::Admin]);
        let until = json!({"name": "ci", "scopes": ["admin"], "expiresAt": "2027-01-01"});
        assert!(validate(&until).unwrap().expires_at.is_some());
    }

    #[test]
    fn slugs_and_tags_bind_a_token() {
        let bound = json!({"name": "partner", "scopes": ["links:read"], "slugs": ["Docs"],
            "tags": [" B ", "a", "b"]});
        let bound_to = validate(&bound).unwrap().bound_to;
        assert_eq!(bound_to.keys, [LinkKey::parse("Docs").unwrap()]);
        assert_eq!(
            bound_to.tags,
            ["a", "b"].map(|tag| Tag::parse(tag).unwrap()).into()
        );
        let free = json!({"name": "ci", "scopes": ["links:read"]});
        assert_eq!(validate(&free).unwrap().bound_to, BoundTo::default());
    }

    #[test]
    fn every_fault_is_named() {
        for (body, expected) in [
            (json!({}), "name scopes"),
            (
                json!({"name": "site", "scopes": ["links:read", "links", 5], "expiresAt": "x"}),
                "name scopes.1 scopes.2 expiresAt",
            ),
            (
                json!({"name": "a", "scopes": [], "slugs": [], "tags": null}),
                "scopes slugs tags",
            ),
            (
                json!({"name": "a", "scopes": ["admin"], "slugs": ["a", "b/c/d"], "tags": [" ", 5]}),
                "slugs.1 tags.0 tags.1",
            ),
        ] {
            assert_eq!(paths(validate(&body)).join(" "), expected, "{body}");
        }
    }

    #[test]
    fn a_name_that_only_earlier_versions_allowed_is_refused_and_can_be_revoked() {
        let problem = validate(&json!({"name": "site\u{200b}", "scopes": ["admin"]})).unwrap_err();
        assert_eq!(problem.issues.len(), 1);
        let issue = &problem.issues[0];
        assert_eq!(
            issue.message,
            "the name has the character U+200B, which is not allowed"
        );
        let expected = &issue.expected;
        assert!(expected.contains("letters and digits"), "{expected}");
        let older = read::<RevokeToken>(&json!({"name": "site\u{200b}"})).unwrap();
        assert_eq!(older.validate().unwrap().as_str(), "site\u{200b}");
    }

    #[test]
    fn scopes_have_one_spelling() {
        for scope in Scope::ALL {
            let name = ScopeName::from(scope);
            assert_eq!(serde_json::to_value(name).unwrap(), scope.as_str());
            assert_eq!(Scope::from(name), scope);
        }
    }
}
