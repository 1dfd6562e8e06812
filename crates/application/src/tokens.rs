//! Lists, makes and revokes named tokens.

use std::{collections::BTreeSet, fmt, sync::Arc};

use sha2::{Digest, Sha256};
use slugline_domain::{
    AuditNote, AuditedOperation, Author, Binding, DomainName, Host, LinkFilter, LinkKey, LinkOrder,
    ListQuery, Reach, Scope, Scopes, StatusFilter, Tag, TokenName, TokenRecord, UnixSeconds,
    ports::{Clock, LinkStore, Random, TokenStore},
};

use crate::{
    access::{Access, Forbidden},
    error::Error,
    links::find_spelled,
    named_domains::NamedDomains,
    secret_text::{SECRET_BYTES, digest_of, has_bytes, mint},
};

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
    /// Stores the links that tokens are bound to.
    pub links: Arc<dyn LinkStore>,
    /// The domains, and their rules for the spelling of slugs.
    pub domains: NamedDomains,
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
    /// The links for which it permits them. Without a key, a tag and a domain these are all links.
    pub bound_to: BoundTo,
    /// The moment from which it is refused; `None` if it works until it is revoked.
    pub expires_at: Option<UnixSeconds>,
}

/// The links that a token is to be bound to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BoundTo {
    /// Keys of links that are there. The token is bound to these links, not to others that have
    /// their keys later.
    pub keys: Vec<LinkKey>,
    /// Tags: the links that have one of them at the time of a call.
    pub tags: BTreeSet<Tag>,
    /// Domains: only their links are meant, and all of these if there are neither keys nor tags.
    pub domains: BTreeSet<DomainName>,
}

/// A token, and the keys of the links that it is bound to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedToken {
    /// The token as it is stored.
    pub record: TokenRecord,
    /// The keys, sorted. Links that were deleted have none.
    pub keys: Vec<LinkKey>,
}

/// A token that was just made, with its text. Only the digest is stored, so the service cannot show
/// the text again.
#[derive(Debug)]
pub struct MadeToken {
    /// The secret text.
    pub text: TokenText,
    /// The token as it is stored.
    pub listed: ListedToken,
}

/// The secret text of a named token: `slugline_`, then 43 letters, digits, `-` and `_`.
#[derive(Clone, PartialEq, Eq)]
pub struct TokenText(String);

impl TokenText {
    /// The start of every text, by which people and scanners of leaked secrets know it.
    pub const PREFIX: &'static str = "slugline_";
    fn mint(random: &dyn Random) -> Self {
        let secret = mint::<SECRET_BYTES>(random);
        Self(format!("{}{secret}", Self::PREFIX))
    }

    /// The text in clear.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The start of the texts that assistants get. Versions that know of no assistants take them
    /// for no tokens, so they refuse them.
    const ACCESS_PREFIX: &'static str = "slugline_access_";

    /// A text for an assistant.
    pub(crate) fn mint_access(random: &dyn Random) -> Self {
        let secret = mint::<SECRET_BYTES>(random);
        Self(format!("{}{secret}", Self::ACCESS_PREFIX))
    }

    /// Returns whether a text has the form of an assistant's.
    pub(crate) fn is_access(presented: &str) -> bool {
        Self::is_secret_after(Self::ACCESS_PREFIX, presented)
    }

    fn is_secret_after(prefix: &str, presented: &str) -> bool {
        let secret = presented.strip_prefix(prefix);
        secret.is_some_and(|secret| has_bytes(secret, SECRET_BYTES))
    }

    /// The digests of a text that may be one of a named token; `None` if its form shows that
    /// it is none.
    pub(crate) fn digests_of(presented: &str) -> Option<TokenDigests> {
        if Self::is_access(presented) {
            return Some(TokenDigests::OfAssistant(digest_of(presented)));
        }
        let made = Self::is_secret_after(Self::PREFIX, presented);
        made.then(|| TokenDigests::of(presented))
    }
}

/// The digests under which the token with a text may be stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenDigests {
    /// Those of a token that a person made.
    Made {
        /// That of a token for every link: SHA-256.
        free: [u8; 32],
        /// That of a bound token: SHA-256 of `bound `, then the text. A bound token that lost its
        /// binding is refused instead of reaching every link.
        bound: [u8; 32],
    },
    /// That of an assistant's token: SHA-256.
    OfAssistant([u8; 32]),
}

impl TokenDigests {
    fn of(text: &str) -> Self {
        let bound = Sha256::new_with_prefix("bound ").chain_update(text);
        Self::Made {
            free: digest_of(text),
            bound: bound.finalize().into(),
        }
    }

    fn for_reach(self, reach: &Reach) -> [u8; 32] {
        match (self, reach) {
            (Self::OfAssistant(digest), _) => digest,
            (Self::Made { free, .. }, Reach::Everything) => free,
            (Self::Made { bound, .. }, Reach::Bound(_)) => bound,
        }
    }

    /// Every digest.
    pub(crate) fn each(self) -> Vec<[u8; 32]> {
        match self {
            Self::Made { free, bound } => vec![free, bound],
            Self::OfAssistant(digest) => vec![digest],
        }
    }

    /// Returns whether the token found under one of the digests is stored where it belongs.
    pub(crate) fn fit(self, record: &TokenRecord) -> bool {
        let of_assistant = matches!(self, Self::OfAssistant(_));
        record.digest == self.for_reach(&record.reach) && record.assistant.is_some() == of_assistant
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
    pub async fn list(&self) -> Result<Vec<ListedToken>, Error> {
        let mut tokens = Vec::new();
        for record in self.parts.store.list().await? {
            tokens.push(self.listed(record).await?);
        }
        Ok(tokens)
    }

    /// Adds the keys of the links that a token is bound to.
    ///
    /// # Errors
    /// The store of links failed.
    pub async fn listed(&self, record: TokenRecord) -> Result<ListedToken, Error> {
        let keys = match record.reach.binding() {
            Some(binding) if !binding.links().is_empty() => self.keys_of(binding).await?,
            Some(_) | None => Vec::new(),
        };
        Ok(ListedToken { record, keys })
    }

    /// Makes a token.
    ///
    /// # Errors
    /// The expiry is not in the future, another token has the name or one that looks like it, the
    /// token would be bound and have the scope `admin`, no link has a slug that it is to be bound to,
    /// or the store failed.
    pub async fn make(&self, new: NewToken, author: &Author) -> Result<MadeToken, Error> {
        let note = self.note(AuditedOperation::TokenAdd, author);
        let now = note.at.second();
        if let Some(expires_at) = new.expires_at.filter(|end| *end <= now) {
            return Err(Error::TokenExpiryNotInFuture { expires_at, now });
        }
        self.refuse_look_alikes(&new.name).await?;
        let reach = self.reach(&new.bound_to).await?;
        if reach != Reach::Everything && new.scopes.permit(Scope::Admin) {
            return Err(Error::AdminBound);
        }
        let text = TokenText::mint(&*self.parts.random);
        let record = TokenRecord {
            name: new.name,
            digest: TokenDigests::of(text.as_str()).for_reach(&reach),
            scopes: new.scopes,
            reach,
            expires_at: new.expires_at,
            created_at: now,
            last_used_at: None,
            assistant: None,
        };
        if self.parts.store.insert(&record, &note).await? {
            let listed = self.listed(record).await?;
            Ok(MadeToken { text, listed })
        } else {
            Err(Error::TokenNameTaken(record.name))
        }
    }

    /// Revokes a token for good. From now on every node refuses it.
    ///
    /// # Errors
    /// No token has the name, or the store failed.
    pub async fn revoke(&self, name: &TokenName, author: &Author) -> Result<(), Error> {
        let note = self.note(AuditedOperation::TokenRevoke, author);
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

    /// The links that a token is bound to.
    pub(crate) async fn reach(&self, bound_to: &BoundTo) -> Result<Reach, Error> {
        if bound_to == &BoundTo::default() {
            return Ok(Reach::Everything);
        }
        let mut links = Vec::new();
        for key in &bound_to.keys {
            let key = self.parts.domains.meant_key(key)?;
            let found = find_spelled(&*self.parts.links, &self.parts.domains, &key).await?;
            let link = found.ok_or_else(|| Error::BoundToNoLink(key.into_owned()))?;
            links.push(link.id);
        }
        let domains = bound_to.domains.iter().cloned();
        let domains: Result<Vec<_>, _> =
            domains.map(|name| self.parts.domains.meant(name)).collect();
        let binding = Binding::new(links, bound_to.tags.clone(), domains?)?;
        Ok(Reach::bound(binding))
    }

    /// The host of the default domain, if the instance knows it, and the named domains.
    pub(crate) fn hosts(&self) -> (Option<Host>, Vec<Host>) {
        let set = self.parts.domains.current();
        let named = set.named().map(|domain| domain.host.clone());
        (set.public().cloned(), named.collect())
    }

    async fn keys_of(&self, binding: &Binding) -> Result<Vec<LinkKey>, Error> {
        let named = Binding::new(binding.links().iter().cloned(), [], [])?;
        let query = ListQuery {
            now: self.parts.clock.now().second(),
            order: LinkOrder::SlugAscending,
            filter: LinkFilter {
                status: StatusFilter::All,
                reach: Reach::bound(named),
                ..LinkFilter::default()
            },
            after: None,
            limit: u32::try_from(Binding::MAX).expect("a small number"),
        };
        let links = self.parts.links.list(&query).await?;
        Ok(links.into_iter().map(|link| link.key).collect())
    }

    fn note(&self, operation: AuditedOperation, author: &Author) -> AuditNote {
        AuditNote::new(self.parts.clock.now(), author, operation)
    }
}

#[cfg(test)]
mod tests {
    use slugline_testkit::{
        ALL, DeleteByKey, FixedClock, MemoryLinkStore, MemoryTokenStore, NOON, NOTE, SeededRandom,
        assert_matches, key, link, seconds, tag, with,
    };

    use super::*;

    fn tokens() -> (Tokens, Arc<MemoryTokenStore>) {
        let (tokens, store, _) = tokens_and_links();
        (tokens, store)
    }

    fn tokens_and_links() -> (Tokens, Arc<MemoryTokenStore>, Arc<MemoryLinkStore>) {
        let store = Arc::new(MemoryTokenStore::default());
        let links = Arc::new(MemoryLinkStore::default());
        let tokens = Tokens::new(TokensParts {
            store: store.clone(),
            links: links.clone(),
            domains: NamedDomains::default(),
            clock: Arc::new(FixedClock::at(NOON)),
            random: Arc::new(SeededRandom::new(1)),
        });
        (tokens, store, links)
    }

    fn new(name: &str) -> NewToken {
        NewToken {
            name: TokenName::parse(name).unwrap(),
            scopes: Scopes::new([Scope::LinksRead]).unwrap(),
            bound_to: BoundTo::default(),
            expires_at: None,
        }
    }

    #[tokio::test]
    async fn only_the_digest_of_a_token_is_stored() {
        let (tokens, store) = tokens();
        let made = tokens.make(new("ci"), &Author::operator()).await.unwrap();
        let text = made.text.as_str();
        assert!(text.starts_with("slugline_") && text.len() == 52, "{text}");
        let digests = TokenText::digests_of(text).unwrap();
        assert!(digests.fit(&made.listed.record));
        assert_eq!(made.listed.record.digest, digests.each()[0]);
        assert_eq!(store.list().await.unwrap(), [made.listed.record]);
        assert_eq!(format!("{:?}", made.text), "TokenText(…)");
        let other = tokens.make(new("other"), &Author::operator()).await;
        assert_ne!(other.unwrap().text, made.text);
    }

    #[tokio::test]
    async fn names_are_unique_and_the_expiry_is_in_the_future() {
        let (tokens, _) = tokens();
        tokens.make(new("ci"), &Author::operator()).await.unwrap();
        let again = tokens.make(new("ci"), &Author::operator()).await;
        assert_matches!(again, Err(Error::TokenNameTaken(_)));
        let over = with(new("over"), |it| it.expires_at = Some(NOON));
        let over = tokens.make(over, &Author::operator()).await.unwrap_err();
        assert_matches!(over, Error::TokenExpiryNotInFuture { .. });
        let soon = with(new("soon"), |it| it.expires_at = Some(seconds(1)));
        tokens.make(soon, &Author::operator()).await.unwrap();
        let ci = TokenName::parse("ci").unwrap();
        tokens.revoke(&ci, &Author::operator()).await.unwrap();
        let gone = tokens.revoke(&ci, &Author::operator()).await.unwrap_err();
        assert_matches!(gone, Error::TokenNotFound(_));
    }

    #[tokio::test]
    async fn a_name_that_looks_like_that_of_another_token_is_refused() {
        let (tokens, _) = tokens();
        tokens.make(new("ci"), &Author::operator()).await.unwrap();
        let cyrillic = new("сі");
        let refused = tokens.make(cyrillic.clone(), &Author::operator()).await;
        assert_matches!(&refused, Err(Error::TokenNameResembles { other, .. })
            if other.as_str() == "ci");
        let ci = new("ci").name;
        tokens.revoke(&ci, &Author::operator()).await.unwrap();
        tokens.make(cyrillic, &Author::operator()).await.unwrap();
    }

    #[test]
    fn what_has_another_form_is_no_token() {
        let secret = "A".repeat(43);
        assert!(TokenText::digests_of(&format!("slugline_{secret}")).is_some());
        for other in [
            secret.clone(),
            format!("slugline_{}", &secret[1..]),
            format!("slugline_{secret}A"),
            format!("slugline_{secret} "),
            format!("Slugline_{secret}"),
        ] {
            assert_eq!(TokenText::digests_of(&other), None, "{other}");
        }
    }

    fn bound_to(keys: &[&str], tags: &[&str]) -> BoundTo {
        BoundTo {
            keys: keys.iter().map(|text| key(text)).collect(),
            tags: tags.iter().map(|text| tag(text)).collect(),
            domains: BTreeSet::new(),
        }
    }

    #[tokio::test]
    async fn a_bound_token_keeps_the_links_that_had_the_slugs() {
        let (tokens, store, links) = tokens_and_links();
        for text in ["docs", "news"] {
            let made = link(text).id(&format!("first-{text}")).build();
            links.insert(&ALL, &made, &NOTE).await.unwrap();
        }
        let new = NewToken {
            bound_to: bound_to(&["NEWS", "docs"], &["b", "a"]),
            ..new("partner")
        };
        let made = tokens.make(new, &Author::operator()).await.unwrap();
        assert_eq!(made.listed.keys, ["docs", "news"].map(key));
        let digests = TokenText::digests_of(made.text.as_str()).unwrap();
        assert_eq!(made.listed.record.digest, digests.each()[1]);
        assert!(digests.fit(&made.listed.record));
        links.delete(&key("docs"), &NOTE).await.unwrap();
        let other = link("docs").id("another").build();
        links.insert(&ALL, &other, &NOTE).await.unwrap();
        let listed = tokens.list().await.unwrap();
        assert_eq!(listed[0].keys, [key("news")]);
        assert!(!listed[0].record.reach.holds(&other));
        let mut elsewhere = store.list().await.unwrap().remove(0);
        elsewhere.reach = Reach::Everything;
        assert!(!digests.fit(&elsewhere), "a binding that got lost");
    }

    #[tokio::test]
    async fn a_binding_needs_links_that_are_there_and_no_admin() {
        let (tokens, store, _) = tokens_and_links();
        let nothing = NewToken {
            bound_to: bound_to(&["docs"], &["a"]),
            ..new("partner")
        };
        let refused = tokens.make(nothing, &Author::operator()).await;
        assert_matches!(refused, Err(Error::BoundToNoLink(_)));
        let admin = NewToken {
            scopes: Scopes::new([Scope::Admin, Scope::LinksRead]).unwrap(),
            bound_to: bound_to(&[], &["a"]),
            ..new("partner")
        };
        let refused = tokens.make(admin, &Author::operator()).await;
        assert_matches!(refused, Err(Error::AdminBound));
        assert_eq!(store.list().await.unwrap(), []);
    }
}
