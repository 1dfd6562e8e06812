//! The site token and the named tokens, which guard the whole API.

use std::{
    fmt,
    net::IpAddr,
    sync::{Arc, PoisonError, RwLock, RwLockReadGuard},
};

use sha2::{Digest, Sha256};
use slugline_domain::{
    TokenName, TokenRecord, UnixSeconds,
    origin::is_same_address,
    ports::{Clock, Random, SignInCodes, StoreError, TokenStore},
};
use subtle::ConstantTimeEq;
use thiserror::Error;

use crate::{
    attempts::{SecretLimit, TooManyAttempts},
    caller::Caller,
    known_tokens::KnownTokens,
    secret_text::{SECRET_BYTES, digest_of, has_bytes, mint},
    tokens::TokenText,
};

/// The secret that API clients send. Only its digest is kept.
#[derive(Clone, PartialEq, Eq)]
pub struct SiteToken {
    digest: [u8; 32],
    short: bool,
}

impl SiteToken {
    /// The minimum length of a token in characters, the same as Sink's.
    pub const MIN_CHARS: usize = 8;
    /// The length in characters from which an attacker cannot guess a random token in years. A
    /// right token always passes, however many wrong ones came before, so only the length
    /// keeps strangers out.
    pub const ADVISED_CHARS: usize = 16;

    /// Takes the token in clear.
    ///
    /// # Errors
    /// It has fewer than [`SiteToken::MIN_CHARS`] characters.
    pub fn new(token: &str) -> Result<Self, TokenTooShort> {
        let length = token.chars().count();
        if length < Self::MIN_CHARS {
            return Err(TokenTooShort { length });
        }
        Ok(Self {
            digest: digest_of(token),
            short: length < Self::ADVISED_CHARS,
        })
    }

    /// Returns whether the token has fewer than [`SiteToken::ADVISED_CHARS`] characters.
    pub fn is_short(&self) -> bool {
        self.short
    }

    /// Compares digests, which takes the same time for all texts, whatever their lengths
    /// and wherever they differ.
    fn matches(&self, presented: &str) -> bool {
        self.digest.ct_eq(&digest_of(presented)).into()
    }
}

impl fmt::Debug for SiteToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SiteToken(…)")
    }
}

/// The text is too short for a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "the token has {length} characters, at least {} are needed",
    SiteToken::MIN_CHARS
)]
pub struct TokenTooShort {
    /// The number of characters in the text.
    pub length: usize,
}

/// The reason why a caller may not use the API.
#[derive(Debug, Error)]
pub enum Denied {
    /// The caller sent no token.
    #[error("Unauthorized")]
    NoToken,
    /// The token is too short to be a site token.
    #[error("Token is too short")]
    TooShort,
    /// The token is wrong, or was revoked.
    #[error("Unauthorized")]
    WrongToken,
    /// The token belongs to an assistant, and opens another address than this one.
    #[error("Unauthorized")]
    OtherResource,
    /// There is no such one-time code, it was used before, or it is over.
    #[error("Unauthorized")]
    WrongCode,
    /// The token is right, and has expired.
    #[error("Unauthorized")]
    Expired {
        /// Its name.
        name: TokenName,
        /// The moment from which it is refused.
        at: UnixSeconds,
    },
    /// The token is wrong, and the caller's network has sent too many wrong ones.
    #[error("Too many failed attempts")]
    TooMany(#[from] TooManyAttempts),
    /// The token may be one of the named ones, which cannot be read at the moment.
    #[error("named tokens cannot be read")]
    Store(#[from] StoreError),
}

/// Decides who calls, by the token.
#[derive(Debug)]
pub struct Authenticator {
    site: RwLock<SiteToken>,
    named: KnownTokens,
    codes: Option<Arc<dyn SignInCodes>>,
    clock: Arc<dyn Clock>,
    wrong: SecretLimit,
}

/// The dependencies of an [`Authenticator`].
#[derive(Debug)]
pub struct AuthenticatorParts {
    /// The site token.
    pub site: SiteToken,
    /// The named tokens.
    pub named: Arc<dyn TokenStore>,
    /// One-time codes for the site token; `None` if the instance has none.
    pub codes: Option<Arc<dyn SignInCodes>>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
}

impl Authenticator {
    /// Creates a guard with these tokens.
    pub fn new(parts: AuthenticatorParts) -> Self {
        Self {
            site: RwLock::new(parts.site),
            named: KnownTokens::new(parts.named),
            codes: parts.codes,
            clock: parts.clock,
            wrong: SecretLimit::new(),
        }
    }

    /// Returns the number of callers refused by the limit on wrong tokens since the start.
    pub fn turned_away(&self) -> u64 {
        self.wrong.turned_away()
    }

    /// Replaces the site token. The former one is refused from now on.
    pub fn rotate(&self, site: SiteToken) {
        *self.site.write().unwrap_or_else(PoisonError::into_inner) = site;
    }

    /// Returns the caller by the token that a client sends. A right one passes however many wrong
    /// ones the client's network sent before, unless they were so many that the store is not asked
    /// about a token that this process does not know yet.
    ///
    /// # Errors
    /// The caller may not use the API; the error gives the reason.
    pub async fn authenticate(
        &self,
        presented: Option<&str>,
        client: IpAddr,
    ) -> Result<Caller, Denied> {
        self.authenticate_at(None, presented, client).await
    }

    /// The same for the address of a resource (RFC 8707), which tokens of assistants open if they
    /// were issued for it.
    ///
    /// # Errors
    /// The caller may not use the API; the error gives the reason.
    pub async fn authenticate_at(
        &self,
        resource: Option<&str>,
        presented: Option<&str>,
        client: IpAddr,
    ) -> Result<Caller, Denied> {
        let presented = presented.ok_or(Denied::NoToken)?;
        if self.is_site_token(presented) {
            return Ok(Caller::Site);
        }
        if let Some(digests) = TokenText::digests_of(presented) {
            // A known token is found at the first look.
            let mut either = digests.each();
            either.sort_by_key(|digest| !self.named.was_right(digest));
            if !self.named.was_right(&either[0]) {
                self.wrong.may_look(client, self.clock.now())?;
            }
            for digest in either {
                if let Some(record) = self.holder(&digest).await?
                    && digests.fit(&record)
                {
                    let assistant = record.assistant.as_ref();
                    let is_here = |it: &str| resource.is_some_and(|at| is_same_address(at, it));
                    if assistant.is_some_and(|one| !is_here(&one.resource)) {
                        return Err(Denied::OtherResource);
                    }
                    return Ok(Caller::Token(record));
                }
            }
        }
        self.wrong.count(client, self.clock.now())?;
        if presented.chars().count() < SiteToken::MIN_CHARS {
            return Err(Denied::TooShort);
        }
        Err(Denied::WrongToken)
    }

    /// Exchanges a one-time code for the site token, which is in force from now on. Wrong codes
    /// count as wrong tokens.
    ///
    /// # Errors
    /// The code is wrong or over, the client sent too many wrong ones, or codes cannot be read.
    pub async fn redeem(&self, code: &str, client: IpAddr) -> Result<String, Denied> {
        let now = self.clock.now();
        if let (Some(codes), Some(digest)) = (&self.codes, SignInCode::digest_of(code)) {
            self.wrong.may_look(client, now)?;
            if let Some(token) = codes.redeem(&digest, now.second()).await?
                && let Ok(site) = SiteToken::new(&token)
            {
                // The token may be so new that this process has not heard of it.
                self.rotate(site);
                return Ok(token);
            }
        }
        self.wrong.count(client, now)?;
        Err(Denied::WrongCode)
    }

    /// Returns whether a caller who was let in would be let in again, for answers that go on
    /// for as long as the client reads. The holder of a former site token stays until the
    /// answer ends.
    pub async fn still_admits(&self, caller: &Caller) -> bool {
        match caller {
            Caller::Site | Caller::Operator => true,
            Caller::Token(record) => {
                matches!(self.holder(&record.digest).await, Ok(Some(_)))
            }
        }
    }

    /// The mark that the site token leaves beside a secret of its holder. It fits that secret and
    /// that token alone, so it shows whether the token was replaced since, and gives neither away.
    pub(crate) fn site_mark(&self, secret: &str) -> [u8; 32] {
        let mark = Sha256::new_with_prefix(self.site().digest);
        mark.chain_update(secret).finalize().into()
    }

    fn is_site_token(&self, presented: &str) -> bool {
        self.site().matches(presented)
    }

    fn site(&self) -> RwLockReadGuard<'_, SiteToken> {
        self.site.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The named token with this digest.
    async fn holder(&self, digest: &[u8; 32]) -> Result<Option<Arc<TokenRecord>>, Denied> {
        let now = self.clock.now();
        let Some(record) = self.named.find(digest, now).await? else {
            return Ok(None);
        };
        if let Some(at) = record.expires_at
            && record.is_expired(now.second())
        {
            let name = record.name.clone();
            return Err(Denied::Expired { name, at });
        }
        self.named.note_use(&record, now.second());
        Ok(Some(record))
    }
}

/// A code that stands for the site token once, for [`SignInCode::SECONDS`]: 43 letters, digits,
/// `-` and `_`. Only its digest is stored.
#[derive(Clone, PartialEq, Eq)]
pub struct SignInCode(String);

impl SignInCode {
    /// The lifetime of a code.
    pub const SECONDS: i64 = 600;
    /// Draws a code.
    pub fn mint(random: &dyn Random) -> Self {
        Self(mint::<SECRET_BYTES>(random))
    }

    /// The code in clear.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The digest by which the code is stored.
    pub fn digest(&self) -> [u8; 32] {
        digest_of(&self.0)
    }

    /// The digest of a text that may be a code; `None` if its form shows that it is none.
    pub(crate) fn digest_of(presented: &str) -> Option<[u8; 32]> {
        has_bytes(presented, SECRET_BYTES).then(|| digest_of(presented))
    }
}

impl fmt::Debug for SignInCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SignInCode(…)")
    }
}

#[cfg(test)]
mod tests {
    use slugline_domain::{Author, Reach, Scope, Scopes, ports::Hearing};
    use slugline_testkit::{
        FixedClock, MemoryLinkStore, MemorySignInCodes, MemoryTokenStore, NOON, NOTE, SeededRandom,
        assert_matches, seconds, tag, with,
    };

    use super::*;
    use crate::{BoundTo, NamedDomains, NewToken, Tokens, TokensParts};

    struct Fixture {
        guard: Authenticator,
        clock: Arc<FixedClock>,
        store: Arc<MemoryTokenStore>,
        codes: Arc<MemorySignInCodes>,
        tokens: Tokens,
    }

    fn fixture() -> Fixture {
        let clock = Arc::new(FixedClock::at(NOON));
        let store = Arc::new(MemoryTokenStore::default());
        let codes = Arc::new(MemorySignInCodes::of("correct horse"));
        Fixture {
            guard: Authenticator::new(AuthenticatorParts {
                site: SiteToken::new("correct horse").unwrap(),
                named: store.clone(),
                codes: Some(codes.clone()),
                clock: clock.clone(),
            }),
            codes,
            tokens: Tokens::new(TokensParts {
                store: store.clone(),
                links: Arc::new(MemoryLinkStore::default()),
                domains: NamedDomains::default(),
                clock: clock.clone(),
                random: Arc::new(SeededRandom::new(1)),
            }),
            clock,
            store,
        }
    }

    impl Fixture {
        async fn try_from(&self, text: &str, from: &str) -> Result<Caller, Denied> {
            let from = from.parse().unwrap();
            self.guard.authenticate(Some(text), from).await
        }

        async fn try_token(&self, text: &str) -> Result<Caller, Denied> {
            self.try_from(text, "192.0.2.1").await
        }

        async fn make(&self, name: &str, expires_at: Option<UnixSeconds>) -> String {
            let new = NewToken {
                name: named(name),
                scopes: Scopes::new([Scope::LinksRead]).unwrap(),
                bound_to: BoundTo::default(),
                expires_at,
            };
            let made = self.tokens.make(new, &Author::operator()).await.unwrap();
            made.text.as_str().to_owned()
        }

        async fn stored(&self, name: &str) -> TokenRecord {
            let all = self.store.list().await.unwrap();
            all.into_iter().find(|one| one.name == named(name)).unwrap()
        }
    }

    fn named(text: &str) -> TokenName {
        TokenName::parse(text).unwrap()
    }

    #[tokio::test]
    async fn only_the_exact_token_passes() {
        let it = fixture();
        assert_eq!(it.try_token("correct horse").await.unwrap(), Caller::Site);
        let none = it.guard.authenticate(None, "::1".parse().unwrap()).await;
        assert_matches!(none, Err(Denied::NoToken));
        assert_matches!(it.try_token("short").await, Err(Denied::TooShort));
        for wrong in [
            "correct horse ",
            "Correct horse",
            "correct hors",
            "correct horses",
        ] {
            let refused = it.try_token(wrong).await;
            assert_matches!(refused, Err(Denied::WrongToken), "{wrong}");
        }
        assert_eq!(it.store.finds(), 0, "their form shows that they are wrong");
    }

    #[tokio::test]
    async fn a_guessing_network_is_stopped_and_right_tokens_pass_from_it() {
        let it = fixture();
        let (known, unknown) = (it.make("a", None).await, it.make("b", None).await);
        let guesser = "2001:db8::1";
        let neighbour_in_the_same_network = "2001:db8::2";
        it.try_from(&known, guesser).await.unwrap();
        let guess = async |from| it.try_from("wrong-token", from).await;
        for _ in 0..SecretLimit::MAX_FAILURES_PER_MINUTE {
            assert_matches!(guess(guesser).await, Err(Denied::WrongToken));
        }
        for from in [guesser, neighbour_in_the_same_network] {
            assert_matches!(guess(from).await, Err(Denied::TooMany(_)));
            assert!(it.try_from("correct horse", from).await.is_ok());
            assert!(it.try_from(&known, from).await.is_ok());
        }
        assert!(it.try_from(&unknown, guesser).await.is_ok());
        assert_matches!(guess("2001:db8:0:1::1").await, Err(Denied::WrongToken));
        it.clock.advance_seconds(120);
        assert_matches!(guess(guesser).await, Err(Denied::WrongToken));
    }

    #[tokio::test]
    async fn wrong_tokens_without_end_spare_the_store() {
        let it = fixture();
        let wrong = format!("slugline_{}", "A".repeat(43));
        for _ in 0..3_000 {
            it.try_token(&wrong).await.unwrap_err();
        }
        let asked = it.store.finds();
        assert_matches!(it.try_token(&wrong).await, Err(Denied::TooMany(_)));
        assert_eq!(it.store.finds(), asked);
    }

    #[tokio::test]
    async fn wrong_tokens_of_the_right_form_count_as_wrong() {
        let it = fixture();
        let wrong = format!("slugline_{}", "A".repeat(43));
        for _ in 0..SecretLimit::MAX_FAILURES_PER_MINUTE {
            assert_matches!(it.try_token(&wrong).await, Err(Denied::WrongToken));
        }
        assert_matches!(it.try_token(&wrong).await, Err(Denied::TooMany(_)));
        assert_eq!(it.guard.turned_away(), 1);
    }

    #[tokio::test]
    async fn a_code_is_exchanged_once_and_wrong_ones_count_as_wrong_tokens() {
        let it = fixture();
        let random = SeededRandom::new(7);
        let codes = [(); 3].map(|()| SignInCode::mint(&random));
        for code in &codes {
            it.codes.add(code.digest(), seconds(600));
        }
        let from = "192.0.2.1".parse().unwrap();
        let redeem = async |code: &str| it.guard.redeem(code, from).await;
        assert_eq!(redeem(codes[0].as_str()).await.unwrap(), "correct horse");
        for wrong in [codes[0].as_str(), "", "correct horse", &"A".repeat(43)] {
            assert_matches!(redeem(wrong).await, Err(Denied::WrongCode), "{wrong:?}");
        }
        for _ in 4..SecretLimit::MAX_FAILURES_PER_MINUTE {
            it.try_token("wrong-token").await.unwrap_err();
        }
        assert_matches!(redeem("").await, Err(Denied::TooMany(_)));
        assert!(redeem(codes[1].as_str()).await.is_ok());
        it.clock.advance_seconds(600);
        assert_matches!(redeem(codes[2].as_str()).await, Err(Denied::WrongCode));
    }

    #[tokio::test]
    async fn the_token_of_a_code_is_in_force_at_once() {
        let it = fixture();
        it.guard.rotate(SiteToken::new("former horse").unwrap());
        let code = SignInCode::mint(&SeededRandom::new(7));
        it.codes.add(code.digest(), seconds(600));
        let from = "192.0.2.1".parse().unwrap();
        let token = it.guard.redeem(code.as_str(), from).await.unwrap();
        assert_eq!(it.try_token(&token).await.unwrap(), Caller::Site);
        assert!(it.try_token("former horse").await.is_err());
    }

    #[tokio::test]
    async fn missing_tokens_are_not_held_against_the_client() {
        let it = fixture();
        for _ in 0..100 {
            let from = "192.0.2.1".parse().unwrap();
            let refused = it.guard.authenticate(None, from).await;
            assert_matches!(refused, Err(Denied::NoToken));
        }
        let wrong = it.try_token("wrong-token").await;
        assert_matches!(wrong, Err(Denied::WrongToken));
    }

    #[tokio::test]
    async fn a_named_token_passes_until_it_expires() {
        let it = fixture();
        let text = it.make("ci", Some(seconds(10))).await;
        let caller = it.try_token(&text).await.unwrap();
        assert_eq!(caller.name(), "ci");
        assert!(caller.may(Scope::LinksRead).is_ok());
        let refused = caller.may(Scope::Admin).unwrap_err();
        assert_eq!(refused.scope, Scope::Admin, "the site token may do it");
        it.clock.advance_seconds(9);
        assert!(it.try_token(&text).await.is_ok());
        it.clock.advance_seconds(1);
        assert_matches!(it.try_token(&text).await, Err(Denied::Expired { .. }));
        assert!(!it.guard.still_admits(&caller).await);
    }

    #[tokio::test]
    async fn a_bound_token_passes_with_its_binding_and_not_without() {
        let it = fixture();
        let new = NewToken {
            name: named("partner"),
            scopes: Scopes::new([Scope::LinksRead]).unwrap(),
            bound_to: with(BoundTo::default(), |it| it.tags = [tag("a")].into()),
            expires_at: None,
        };
        let made = it.tokens.make(new, &Author::operator()).await.unwrap();
        let caller = it.try_token(made.text.as_str()).await.unwrap();
        assert_eq!(caller.reach(), &made.listed.record.reach);
        let asked = it.store.finds();
        it.try_token(made.text.as_str()).await.unwrap();
        assert_eq!(it.store.finds(), asked, "it is known");
        assert!(it.guard.still_admits(&caller).await);
        it.store.revoke_unheard(&named("partner"));
        it.store.hear(Hearing::Deaf);
        let unbound = with(made.listed.record, |it| it.reach = Reach::Everything);
        it.store.insert(&unbound, &NOTE).await.unwrap();
        let refused = it.try_token(made.text.as_str()).await;
        assert_matches!(refused, Err(Denied::WrongToken));
    }

    #[tokio::test]
    async fn a_known_token_costs_no_look_at_the_store_while_revocations_are_announced() {
        let it = fixture();
        let text = it.make("ci", None).await;
        for _ in 0..5 {
            it.try_token(&text).await.unwrap();
        }
        assert_eq!(it.store.finds(), 1);
        it.clock.advance_seconds(60);
        it.try_token(&text).await.unwrap();
        assert_eq!(it.store.finds(), 2, "it is read again after a minute");
    }

    #[tokio::test]
    async fn a_revoked_token_is_refused_at_once() {
        for hearing in [Hearing::Announced(1), Hearing::Deaf, Hearing::Counted(1)] {
            let it = fixture();
            it.store.hear(hearing);
            let text = it.make("ci", None).await;
            let caller = it.try_token(&text).await.unwrap();
            assert!(it.guard.still_admits(&caller).await);
            let revoked = it.tokens.revoke(&named("ci"), &Author::operator()).await;
            revoked.unwrap();
            let refused = it.try_token(&text).await;
            assert_matches!(refused, Err(Denied::WrongToken), "{hearing:?}");
            assert!(!it.guard.still_admits(&caller).await);
        }
    }

    #[tokio::test]
    async fn a_token_that_another_node_revoked_is_refused_once_that_may_be_known() {
        let it = fixture();
        let text = it.make("ci", None).await;
        it.try_token(&text).await.unwrap();
        it.store.revoke_unheard(&named("ci"));
        assert!(it.try_token(&text).await.is_ok(), "nothing was announced");
        it.store.hear(Hearing::Announced(2));
        assert!(it.try_token(&text).await.is_err());

        let text = it.make("lost", None).await;
        it.try_token(&text).await.unwrap();
        it.store.revoke_unheard(&named("lost"));
        it.store.hear(Hearing::Deaf);
        assert!(it.try_token(&text).await.is_err(), "announcements get lost");
    }

    #[tokio::test]
    async fn without_the_store_named_tokens_wait_and_the_site_token_passes() {
        let it = fixture();
        let text = it.make("ci", None).await;
        it.try_token(&text).await.unwrap();
        it.store.set_broken(true);
        // Announcements still come.
        assert!(it.try_token(&text).await.is_ok());
        it.store.hear(Hearing::Deaf);
        assert_matches!(it.try_token(&text).await, Err(Denied::Store(_)));
        assert_eq!(it.try_token("correct horse").await.unwrap(), Caller::Site);
        it.store.set_broken(false);
        assert!(it.try_token(&text).await.is_ok());
    }

    #[tokio::test]
    async fn the_last_use_is_noted_once_a_minute() {
        let it = fixture();
        it.store.hear(Hearing::Deaf);
        let text = it.make("ci", None).await;
        let noted = async || {
            // What was spawned runs before this task goes on.
            tokio::task::yield_now().await;
            let last = it.stored("ci").await.last_used_at;
            last.map(|last| last.get() - NOON.get())
        };
        assert_eq!(noted().await, None);
        for (wait, expected) in [(0, 0), (59, 0), (1, 60), (30, 60), (90, 180)] {
            it.clock.advance_seconds(wait);
            it.try_token(&text).await.unwrap();
            assert_eq!(noted().await, Some(expected));
        }
    }

    #[tokio::test]
    async fn the_former_site_token_is_refused_after_a_rotation() {
        let it = fixture();
        it.guard.rotate(SiteToken::new("battery staple").unwrap());
        assert_eq!(it.try_token("battery staple").await.unwrap(), Caller::Site);
        assert_matches!(it.try_token("correct horse").await, Err(Denied::WrongToken));
    }

    #[test]
    fn a_token_needs_eight_characters_and_stays_out_of_debug_output() {
        let short = SiteToken::new("1234567").unwrap_err();
        assert_eq!(short, TokenTooShort { length: 7 });
        assert!(SiteToken::new("123456789012345").unwrap().is_short());
        assert!(!SiteToken::new("1234567890123456").unwrap().is_short());
        let token = SiteToken::new("hunter2hunter2").unwrap();
        assert_eq!(format!("{token:?}"), "SiteToken(…)");
    }
}
