//! Lists, makes and revokes named tokens.

use std::{fmt, sync::Arc};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest, Sha256};
use slugline_domain::{
    AuditNote, Author, Operation, Scope, Scopes, TokenName, TokenRecord, UnixSeconds,
    ports::{Clock, Random, TokenStore},
};

use crate::{Access, Error, Forbidden};

/// Lists, makes and revokes named tokens.
#[derive(Clone, Debug)]
pub struct Tokens {
    parts: Arc<TokensParts>,
}

/// The dependencies of [`Tokens`].
#[derive(Debug)]
pub struct TokensParts {
    /// Stores tokens.
    pub store: Arc<dyn TokenStore>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Makes secrets.
    pub random: Arc<dyn Random>,
}

/// A token to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewToken {
    /// Its name, which no other token has.
    pub name: TokenName,
    /// The scopes that it permits.
    pub scopes: Scopes,
    /// The moment from which it is refused; `None` if it works until it is revoked.
    pub expires_at: Option<UnixSeconds>,
}

/// A token that was just made, with its text. Only the digest is stored, so nobody can read
/// the text again.
#[derive(Debug)]
pub struct MadeToken {
    /// The secret text.
    pub text: TokenText,
    /// The token as it is stored.
    pub record: TokenRecord,
}

/// The secret text of a named token: `slugline_`, then 43 letters, digits, `-` and `_`.
#[derive(Clone, PartialEq, Eq)]
pub struct TokenText(String);

impl TokenText {
    /// The start of every text, by which people and scanners of leaked secrets know it.
    pub const PREFIX: &'static str = "slugline_";
    /// 256 random bits.
    const SECRET_BYTES: usize = 32;

    fn mint(random: &dyn Random) -> Self {
        let mut secret = [0; Self::SECRET_BYTES];
        random.fill(&mut secret);
        Self(format!(
            "{}{}",
            Self::PREFIX,
            URL_SAFE_NO_PAD.encode(secret)
        ))
    }

    /// The text in clear.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The digest of a text that may be one of a named token; `None` if its form shows that
    /// it is none.
    pub(crate) fn digest_of(presented: &str) -> Option<[u8; 32]> {
        let secret = presented.strip_prefix(Self::PREFIX)?;
        let bytes = URL_SAFE_NO_PAD.decode(secret).ok()?;
        (bytes.len() == Self::SECRET_BYTES).then(|| Sha256::digest(presented).into())
    }
}

impl fmt::Debug for TokenText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenText(…)")
    }
}

impl Tokens {
    /// The access rule of every use case here. Only adapters check it: the operator's own
    /// commands work in preview mode too.
    pub const NEEDS: Access = Access::outside_preview(Scope::Admin, Forbidden::Tokens);

    /// Creates the use cases from their dependencies.
    pub fn new(parts: TokensParts) -> Self {
        Self {
            parts: Arc::new(parts),
        }
    }

    /// Every named token, by name. The site token is none of them.
    ///
    /// # Errors
    /// The store failed.
    pub async fn list(&self) -> Result<Vec<TokenRecord>, Error> {
        Ok(self.parts.store.list().await?)
    }

    /// Makes a token.
    ///
    /// # Errors
    /// The expiry is not in the future, another token has the name or one that looks like it, or
    /// the store failed.
    pub async fn make(&self, new: NewToken, author: &Author) -> Result<MadeToken, Error> {
        let note = self.note(Operation::TokenAdd, author);
        let now = note.at.second();
        if let Some(expires_at) = new.expires_at.filter(|end| *end <= now) {
            return Err(Error::TokenExpiryNotInFuture { expires_at, now });
        }
        self.refuse_look_alikes(&new.name).await?;
        let text = TokenText::mint(&*self.parts.random);
        let record = TokenRecord {
            name: new.name,
            digest: Sha256::digest(text.as_str()).into(),
            scopes: new.scopes,
            expires_at: new.expires_at,
            created_at: now,
            last_used_at: None,
        };
        if self.parts.store.insert(&record, &note).await? {
            Ok(MadeToken { text, record })
        } else {
            Err(Error::TokenNameTaken(record.name))
        }
    }

    /// Revokes a token for good. From now on every node refuses it.
    ///
    /// # Errors
    /// No token has the name, or the store failed.
    pub async fn revoke(&self, name: &TokenName, author: &Author) -> Result<(), Error> {
        let note = self.note(Operation::TokenRevoke, author);
        if self.parts.store.revoke(name, &note).await? {
            Ok(())
        } else {
            Err(Error::TokenNotFound(name.clone()))
        }
    }

    /// Two names that look alike pass this if they are made at the same moment. The audit trail
    /// then has a line for each of them, as it has for a name that is revoked and made again.
    async fn refuse_look_alikes(&self, name: &TokenName) -> Result<(), Error> {
        let tokens = self.parts.store.list().await?;
        let names = tokens.into_iter().map(|token| token.name);
        let mut others = names.filter(|other| other != name);
        match others.find(|other| other.looks_like(name)) {
            Some(other) => Err(Error::TokenNameResembles {
                name: name.clone(),
                other,
            }),
            None => Ok(()),
        }
    }

    fn note(&self, operation: Operation, author: &Author) -> AuditNote {
        AuditNote {
            at: self.parts.clock.now(),
            author: author.clone(),
            operation,
        }
    }
}

#[cfg(test)]
mod tests {
    use slugline_testkit::{FixedClock, MemoryTokenStore, NOON, SeededRandom, seconds};

    use super::*;

    fn tokens() -> (Tokens, Arc<MemoryTokenStore>) {
        let store = Arc::new(MemoryTokenStore::default());
        let tokens = Tokens::new(TokensParts {
            store: store.clone(),
            clock: Arc::new(FixedClock::at(NOON)),
            random: Arc::new(SeededRandom::new(1)),
        });
        (tokens, store)
    }

    fn new(name: &str) -> NewToken {
        NewToken {
            name: TokenName::parse(name).unwrap(),
            scopes: Scopes::new([Scope::LinksRead]).unwrap(),
            expires_at: None,
        }
    }

    #[tokio::test]
    async fn only_the_digest_of_a_token_is_stored() {
        let (tokens, store) = tokens();
        let made = tokens.make(new("ci"), &Author::operator()).await.unwrap();
        let text = made.text.as_str();
        assert!(text.starts_with("slugline_") && text.len() == 52, "{text}");
        assert_eq!(TokenText::digest_of(text), Some(made.record.digest));
        assert_eq!(store.list().await.unwrap(), [made.record]);
        assert_eq!(format!("{:?}", made.text), "TokenText(…)");
        let other = tokens
            .make(new("other"), &Author::operator())
            .await
            .unwrap();
        assert_ne!(other.text, made.text);
    }

    #[tokio::test]
    async fn names_are_unique_and_the_expiry_is_in_the_future() {
        let (tokens, _) = tokens();
        tokens.make(new("ci"), &Author::operator()).await.unwrap();
        let again = tokens
            .make(new("ci"), &Author::operator())
            .await
            .unwrap_err();
        assert!(matches!(again, Error::TokenNameTaken(_)), "{again}");
        let over = NewToken {
            expires_at: Some(NOON),
            ..new("over")
        };
        let over = tokens.make(over, &Author::operator()).await.unwrap_err();
        assert!(
            matches!(over, Error::TokenExpiryNotInFuture { .. }),
            "{over}"
        );
        let soon = NewToken {
            expires_at: Some(seconds(1)),
            ..new("soon")
        };
        tokens.make(soon, &Author::operator()).await.unwrap();
        let ci = TokenName::parse("ci").unwrap();
        tokens.revoke(&ci, &Author::operator()).await.unwrap();
        let gone = tokens.revoke(&ci, &Author::operator()).await.unwrap_err();
        assert!(matches!(gone, Error::TokenNotFound(_)), "{gone}");
    }

    #[tokio::test]
    async fn a_name_that_looks_like_that_of_another_token_is_refused() {
        let (tokens, _) = tokens();
        tokens.make(new("ci"), &Author::operator()).await.unwrap();
        let cyrillic = new("сі");
        let refused = tokens.make(cyrillic.clone(), &Author::operator()).await;
        assert!(
            matches!(&refused, Err(Error::TokenNameResembles { other, .. }) if other.as_str() == "ci"),
            "{refused:?}"
        );
        tokens
            .revoke(&new("ci").name, &Author::operator())
            .await
            .unwrap();
        tokens.make(cyrillic, &Author::operator()).await.unwrap();
    }

    #[test]
    fn what_has_another_form_is_no_token() {
        let secret = "A".repeat(43);
        assert!(TokenText::digest_of(&format!("slugline_{secret}")).is_some());
        for other in [
            secret.clone(),
            format!("slugline_{}", &secret[1..]),
            format!("slugline_{secret}A"),
            format!("slugline_{secret} "),
            format!("Slugline_{secret}"),
        ] {
            assert_eq!(TokenText::digest_of(&other), None, "{other}");
        }
    }
}
