//! Named tokens on the wire.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use slugline_application::{Caller, MadeToken, NewToken};
use slugline_domain::{Scope, Scopes, TokenName, TokenRecord, UnixSeconds};

use crate::{
    instant::Instant,
    problem::Problem,
    sent::{Sent, options},
    validation::Validation,
};

/// What a token permits. `admin` permits everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum ScopeName {
    /// Reads links.
    #[serde(rename = "links:read")]
    LinksRead,
    /// Makes, changes and deletes links; answers show them.
    #[serde(rename = "links:write")]
    LinksWrite,
    /// Reads the access log.
    #[serde(rename = "analytics:read")]
    AnalyticsRead,
    /// Everything, tokens included.
    #[serde(rename = "admin")]
    Admin,
}

options!(ScopeName);

impl From<Scope> for ScopeName {
    fn from(scope: Scope) -> Self {
        match scope {
            Scope::LinksRead => Self::LinksRead,
            Scope::LinksWrite => Self::LinksWrite,
            Scope::AnalyticsRead => Self::AnalyticsRead,
            Scope::Admin => Self::Admin,
        }
    }
}

impl From<ScopeName> for Scope {
    fn from(name: ScopeName) -> Self {
        match name {
            ScopeName::LinksRead => Self::LinksRead,
            ScopeName::LinksWrite => Self::LinksWrite,
            ScopeName::AnalyticsRead => Self::AnalyticsRead,
            ScopeName::Admin => Self::Admin,
        }
    }
}

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
    /// When the token ends, in Unix seconds; it works until it is revoked when left out.
    #[schemars(range(min = UnixSeconds::MIN, max = UnixSeconds::MAX))]
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
        let expires_at =
            validation.optional(&["expiresAt"], &self.expires_at, |sent| sent.planned());
        validation.finish(|| {
            Some(NewToken {
                name: name?,
                scopes: scopes?,
                expires_at,
            })
        })
    }
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
    /// When it was made, in Unix seconds.
    pub created_at: i64,
    /// When it ends, in Unix seconds. Left out when it works until it is revoked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<i64>,
    /// When it was last used, in Unix seconds, exact to a minute. Left out when it never was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<i64>,
}

impl From<&TokenRecord> for TokenView {
    fn from(token: &TokenRecord) -> Self {
        Self {
            name: token.name.to_string(),
            scopes: token.scopes.iter().map(ScopeName::from).collect(),
            created_at: token.created_at.get(),
            expires_at: token.expires_at.map(UnixSeconds::get),
            last_used_at: token.last_used_at.map(UnixSeconds::get),
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
    pub fn new(tokens: &[TokenRecord]) -> Self {
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
            view: TokenView::from(&made.record),
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
}

impl From<&Caller> for CallersToken {
    fn from(caller: &Caller) -> Self {
        let permitted = Scope::ALL.into_iter();
        let permitted = permitted.filter(|scope| caller.may(*scope).is_ok());
        let expires_at = match caller {
            Caller::Token(record) => record.expires_at.map(UnixSeconds::get),
            Caller::Site | Caller::Operator => None,
        };
        Self {
            token_name: caller.name().to_owned(),
            scopes: permitted.map(ScopeName::from).collect(),
            expires_at,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::read;

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
    fn every_fault_is_named() {
        let paths = |body: Value| -> Vec<String> {
            let problem = validate(&body).unwrap_err();
            problem
                .issues
                .iter()
                .map(|one| one.path.join("."))
                .collect()
        };
        assert_eq!(paths(json!({})), ["name", "scopes"]);
        assert_eq!(
            paths(json!({"name": "site", "scopes": ["links:read", "links", 5], "expiresAt": "x"})),
            ["name", "scopes.1", "scopes.2", "expiresAt"]
        );
        assert_eq!(paths(json!({"name": "a", "scopes": []})), ["scopes"]);
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
        assert!(
            issue.expected.contains("letters and digits"),
            "{}",
            issue.expected
        );
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
