use std::{net::IpAddr, sync::Arc};

use rstest::rstest;
use slugline_domain::{
    Author, Reach, Scope, Scopes, TokenName, TokenRecord,
    assistants::{Client, ClientDocument},
    ports::TokenStore,
};
use slugline_storage::SqlTokenStore;
use slugline_testkit::{
    FixedClock, LinksFile, ListedDocuments, NOON, NOTE, SeededRandom, assert_matches, tag, with,
};

use super::*;
use crate::NamedDomains;
use crate::links::fixture::opened;
use crate::{
    Authenticator, AuthenticatorParts, BoundTo, Caller, Denied, NewToken, SiteToken, Tokens,
    TokensParts,
};

const RESOURCE: &str = "https://sl.example/api/mcp";
const DOCUMENT: &str = "https://claude.ai/client.json";
const CALLBACK: &str = "https://claude.ai/callback";
// RFC 7636, appendix B.
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

struct Fixture {
    assistants: Assistants,
    authenticator: Arc<Authenticator>,
    tokens: Tokens,
    token_store: Arc<SqlTokenStore>,
    file: LinksFile,
    documents: Arc<ListedDocuments>,
    clock: Arc<FixedClock>,
}

fn fixture() -> Fixture {
    let clock = Arc::new(FixedClock::at(NOON));
    let random = Arc::new(SeededRandom::new(1));
    let file = LinksFile::new();
    let store = opened(&file);
    let token_store = Arc::new(store.tokens());
    let documents = Arc::new(ListedDocuments::default());
    documents.put(DOCUMENT, document());
    let authenticator = Arc::new(Authenticator::new(AuthenticatorParts {
        site: SiteToken::new("correct horse").unwrap(),
        named: token_store.clone(),
        codes: None,
        clock: clock.clone(),
    }));
    let tokens = Tokens::new(TokensParts {
        store: token_store.clone(),
        links: store.clone(),
        domains: NamedDomains::default(),
        clock: clock.clone(),
        random: random.clone(),
    });
    Fixture {
        assistants: Assistants::new(AssistantsParts {
            store: Arc::new(store.assistants()),
            token_store: token_store.clone(),
            tokens: tokens.clone(),
            authenticator: authenticator.clone(),
            documents: documents.clone(),
            clock: clock.clone(),
            random,
            resource: RESOURCE.into(),
        }),
        authenticator,
        tokens,
        token_store,
        file,
        documents,
        clock,
    }
}

fn document() -> ClientDocument {
    ClientDocument {
        client_id: DOCUMENT.into(),
        client_name: Some("Claude".into()),
        redirect_uris: vec!["claude://callback".into(), CALLBACK.into()],
        fresh_for: None,
    }
}

fn parameters() -> AskedParameters {
    let given = |text: &str| Some(text.to_owned());
    AskedParameters {
        client_id: given(DOCUMENT),
        redirect_uri: given(CALLBACK),
        response_type: given("code"),
        scope: None,
        code_challenge: given(CHALLENGE),
        code_challenge_method: given("S256"),
        resource: given(RESOURCE),
    }
}

fn here() -> IpAddr {
    "192.0.2.1".parse().unwrap()
}

fn everything() -> Decision {
    Decision {
        scopes: Scope::ALL.to_vec(),
        bound_to: BoundTo::default(),
        until: None,
    }
}

fn exchange(code: &str) -> Exchange<'_> {
    Exchange {
        code,
        client_id: DOCUMENT,
        code_verifier: VERIFIER,
        redirect_uri: Some(CALLBACK),
        resource: Some(RESOURCE),
    }
}

fn refresh(text: &str) -> Refresh<'_> {
    Refresh {
        refresh_token: text,
        client_id: DOCUMENT,
        scope: None,
        resource: None,
    }
}

impl Fixture {
    async fn signed_in(&self) -> SignedIn {
        self.signed_in_with("correct horse").await
    }

    async fn signed_in_with(&self, token: &str) -> SignedIn {
        let cookie = self.assistants.sign_in(token, here()).await;
        let signed_in = self.assistants.signed_in(&cookie.unwrap()).await;
        signed_in.unwrap().unwrap()
    }

    /// Makes a named token; returns its text.
    async fn make(&self, name: &str, scope: Scope, tags: &[&str]) -> String {
        let new = NewToken {
            name: TokenName::parse(name).unwrap(),
            scopes: Scopes::new([scope]).unwrap(),
            bound_to: BoundTo {
                tags: tags.iter().map(|text| tag(text)).collect(),
                ..BoundTo::default()
            },
            expires_at: None,
        };
        let made = self.tokens.make(new, &Author::operator()).await.unwrap();
        made.text.as_str().to_owned()
    }

    async fn code(&self, decision: Decision) -> String {
        let signed_in = self.signed_in().await;
        self.code_of(&signed_in, decision).await
    }

    async fn code_of(&self, signed_in: &SignedIn, decision: Decision) -> String {
        let asked = self.assistants.examine(&parameters()).await.unwrap();
        let author = Author::operator();
        let allowed = self.assistants.allow(signed_in, &asked, decision, author);
        allowed.await.unwrap()
    }

    async fn exchange(&self, exchange: Exchange<'_>) -> Result<Granted, AssistantError> {
        self.assistants.exchange(exchange, here()).await
    }

    async fn refresh(&self, refresh: Refresh<'_>) -> Result<Granted, AssistantError> {
        self.assistants.refresh(refresh, here()).await
    }

    async fn granted(&self) -> Granted {
        let code = self.code(everything()).await;
        self.exchange(exchange(&code)).await.unwrap()
    }

    async fn enters_at(&self, resource: Option<&str>, text: &str) -> Result<Caller, Denied> {
        let authenticator = &self.authenticator;
        authenticator
            .authenticate_at(resource, Some(text), here())
            .await
    }

    async fn enters(&self, text: &str) -> Result<Caller, Denied> {
        self.enters_at(Some(RESOURCE), text).await
    }

    async fn listed(&self) -> Vec<TokenRecord> {
        self.token_store.list().await.unwrap()
    }
}

#[tokio::test]
async fn a_consent_gives_a_named_token_for_one_address() {
    let it = fixture();
    let granted = it.granted().await;
    assert_eq!(granted.seconds, 3_600);
    let access = granted.access.as_str();
    let caller = it.enters(access).await.unwrap();
    assert_eq!(caller.name(), "Claude (claude.ai)");
    assert!(caller.is_assistant());
    assert!(caller.may(Scope::LinksWrite).is_ok());
    assert!(caller.may(Scope::Admin).is_err(), "admin is never given");
    // The setting may have named the address in another spelling when the token was given.
    let spelled = Some("https://SL.example:443/api/mcp");
    assert!(it.enters_at(spelled, access).await.is_ok());
    for elsewhere in [None, Some("https://other.example/api/mcp")] {
        let refused = it.enters_at(elsewhere, access).await;
        assert_matches!(refused, Err(Denied::OtherResource));
    }
    let refused = it.enters(&granted.refresh).await;
    assert_matches!(refused, Err(Denied::WrongToken));
    it.clock.advance_seconds(3_600);
    let refused = it.enters(access).await;
    assert_matches!(refused, Err(Denied::Expired { .. }));
}

#[tokio::test]
async fn a_person_takes_scopes_away_binds_and_ends() {
    let it = fixture();
    let decision = Decision {
        scopes: vec![Scope::LinksRead],
        bound_to: with(BoundTo::default(), |it| it.tags = [tag("summer")].into()),
        until: Some(it.assistants.after(100)),
    };
    let code = it.code(decision).await;
    let granted = it.exchange(exchange(&code)).await.unwrap();
    assert_eq!(granted.seconds, 100);
    let records = it.listed().await;
    let record = &records[0];
    assert_eq!(record.scopes, Scopes::new([Scope::LinksRead]).unwrap());
    assert_ne!(record.reach, Reach::Everything);
    let renewed = it.refresh(refresh(&granted.refresh)).await.unwrap();
    assert_eq!(renewed.seconds, 100, "a renewal does not move the end");
    it.clock.advance_seconds(100);
    assert!(!it.assistants.remove_ended().await.unwrap());
    assert_eq!(it.listed().await, []);
}

#[tokio::test]
async fn a_code_works_once_and_its_second_use_revokes() {
    let it = fixture();
    let code = it.code(everything()).await;
    let granted = it.exchange(exchange(&code)).await.unwrap();
    let again = it.exchange(exchange(&code)).await;
    assert_matches!(again, Err(AssistantError::WrongGrant(_)));
    let refused = it.enters(granted.access.as_str()).await;
    assert_matches!(refused, Err(Denied::WrongToken));
    let renewed = it.refresh(refresh(&granted.refresh)).await;
    assert_matches!(renewed, Err(AssistantError::WrongGrant(_)));
}

#[tokio::test]
async fn a_code_is_for_one_application_address_verifier_resource_and_minute() {
    let it = fixture();
    let code = it.code(everything()).await;
    let good = exchange(&code);
    let other = "a".repeat(43);
    for wrong in [
        with(good, |it| it.client_id = "other"),
        with(good, |it| it.redirect_uri = Some("https://claude.ai/")),
        with(good, |it| it.code_verifier = &other),
        with(good, |it| it.code_verifier = CHALLENGE),
        with(good, |it| it.code_verifier = ""),
        with(good, |it| it.code = &other),
        Exchange { code: "", ..good },
    ] {
        let refused = it.exchange(wrong).await;
        assert_matches!(refused, Err(AssistantError::WrongGrant(_)), "{wrong:?}");
    }
    let elsewhere = with(good, |it| it.resource = Some("https://other.example/"));
    let refused = it.exchange(elsewhere).await;
    assert_matches!(refused, Err(AssistantError::WrongResource { .. }));
    it.clock.advance_seconds(60);
    let late = it.exchange(good).await;
    assert_matches!(late, Err(AssistantError::WrongGrant(_)));
}

#[tokio::test]
async fn a_refresh_token_rotates_and_its_reuse_revokes_the_family() {
    let it = fixture();
    let first = it.granted().await;
    let second = it.refresh(refresh(&first.refresh)).await.unwrap();
    assert!(it.enters(second.access.as_str()).await.is_ok());
    let former = it.enters(first.access.as_str()).await;
    assert_matches!(former, Err(Denied::WrongToken));
    let stolen = with(refresh(&second.refresh), |it| it.client_id = "other");
    let refused = it.refresh(stolen).await;
    assert_matches!(refused, Err(AssistantError::WrongGrant(_)));
    let mut more = refresh(&second.refresh);
    more.scope = Some("links:read admin");
    let refused = it.refresh(more).await;
    assert_matches!(refused, Err(AssistantError::ScopeNotGranted));
    assert_eq!(it.listed().await.len(), 1, "one line for one assistant");
    let stale = it.refresh(refresh(&first.refresh)).await;
    assert_matches!(stale, Err(AssistantError::WrongGrant(_)));
    let refused = it.enters(second.access.as_str()).await;
    assert_matches!(refused, Err(Denied::WrongToken));
    assert_eq!(it.listed().await, []);
}

#[tokio::test]
async fn unused_connections_end() {
    let it = fixture();
    let granted = it.granted().await;
    it.clock.advance_seconds(Assistants::IDLE_SECONDS);
    let late = it.refresh(refresh(&granted.refresh)).await;
    assert_matches!(late, Err(AssistantError::WrongGrant(_)));
}

#[tokio::test]
async fn applications_give_their_tokens_back() {
    let it = fixture();
    let (one, two) = (it.granted().await, it.granted().await);
    let listed = it.listed().await;
    let names: Vec<&str> = listed.iter().map(|token| token.name.as_str()).collect();
    assert_eq!(names, ["Claude (claude.ai)", "Claude (claude.ai) 2"]);
    let give_back =
        async |text: &str, id: Option<&str>| it.assistants.give_back(text, id, here()).await;
    assert!(give_back(one.access.as_str(), Some("other")).await.is_err());
    give_back(one.access.as_str(), None).await.unwrap();
    give_back(&two.refresh, Some(DOCUMENT)).await.unwrap();
    give_back(&two.refresh, Some(DOCUMENT)).await.unwrap();
    give_back("nonsense", None).await.unwrap();
    assert_eq!(it.listed().await, []);
}

#[tokio::test]
async fn only_requests_with_a_known_address_are_answered_there() {
    let it = fixture();
    let given = |text: &str| Some(text.to_owned());
    let evil = || given("https://evil.example/");
    for shown in [
        with(parameters(), |it| it.client_id = None),
        with(parameters(), |it| it.client_id = given("nobody")),
        with(parameters(), |it| it.client_id = evil()),
        with(parameters(), |it| it.redirect_uri = None),
        with(parameters(), |it| it.redirect_uri = evil()),
        with(parameters(), |it| {
            it.redirect_uri = given("claude://callback");
        }),
    ] {
        let refused = it.assistants.examine(&shown).await;
        assert_matches!(refused, Err(NotAsked::Shown(_)), "{shown:?}");
    }
    for sent in [
        with(parameters(), |it| it.response_type = given("token")),
        with(parameters(), |it| it.code_challenge = None),
        with(parameters(), |it| it.code_challenge_method = None),
        with(parameters(), |it| it.code_challenge_method = given("plain")),
        with(parameters(), |it| it.scope = given("admin")),
        with(parameters(), |it| it.resource = evil()),
    ] {
        let refused = it.assistants.examine(&sent).await;
        assert_matches!(refused, Err(NotAsked::Sent { .. }), "{sent:?}");
    }
    for spelled in [
        "https://sl.example/api/mcp/",
        "HTTPS://SL.Example:443/api/mcp",
        "https://sl.example./api/mcp",
    ] {
        let spelled = with(parameters(), |it| it.resource = given(spelled));
        assert!(it.assistants.examine(&spelled).await.is_ok());
    }
}

#[tokio::test]
async fn a_document_names_its_own_address_and_is_kept_a_while() {
    let it = fixture();
    it.assistants.examine(&parameters()).await.unwrap();
    it.assistants.examine(&parameters()).await.unwrap();
    assert_eq!(it.documents.fetches(), 1);
    it.clock.advance_seconds(86_400);
    let foreign = with(document(), |it| it.client_id = "https://claude.ai/".into());
    it.documents.put(DOCUMENT, foreign);
    let refused = it.assistants.examine(&parameters()).await;
    assert_matches!(refused, Err(NotAsked::Shown(AssistantError::Document(_))));
    for _ in 0..100 {
        it.assistants.examine(&parameters()).await.unwrap_err();
    }
    assert_eq!(it.documents.fetches(), 61, "60 in an hour");
}

#[tokio::test]
async fn only_who_may_make_tokens_consents() {
    let it = fixture();
    let admin = it.make("admin-bot", Scope::Admin, &[]).await;
    let cookie = it.assistants.sign_in(&admin, here()).await.unwrap();
    let signed_in = it.assistants.signed_in(&cookie).await.unwrap().unwrap();
    assert_eq!(signed_in.caller.name(), "admin-bot");
    let name = TokenName::parse("admin-bot").unwrap();
    it.token_store.revoke(&name, &NOTE).await.unwrap();
    assert!(it.assistants.signed_in(&cookie).await.unwrap().is_none());
    for other in [
        it.make("reader", Scope::LinksRead, &[]).await,
        it.make("bound", Scope::LinksWrite, &["a"]).await,
    ] {
        let refused = it.assistants.sign_in(&other, here()).await;
        assert_matches!(refused, Err(SignInRefused::MayNotConsent));
    }
    let granted = it.granted().await;
    let refused = it.assistants.sign_in(granted.access.as_str(), here()).await;
    assert_matches!(refused, Err(SignInRefused::Denied(Denied::OtherResource)));
    let refused = it.assistants.sign_in("wrong-token", here()).await;
    assert_matches!(refused, Err(SignInRefused::Denied(Denied::WrongToken)));
}

#[rstest]
#[case::site_token("correct horse")]
#[case::named_token("deputy")]
#[tokio::test]
async fn what_precedes_a_connection_ends_with_the_token_that_began_it(#[case] holder: &str) {
    let it = fixture();
    let deputy = it.make("deputy", Scope::Admin, &[]).await;
    let token = if holder == "deputy" { &deputy } else { holder };
    let code = it
        .code_of(&it.signed_in_with(token).await, everything())
        .await;
    let cookie = it.assistants.sign_in(token, here()).await.unwrap();
    assert!(it.assistants.signed_in(&cookie).await.unwrap().is_some());
    if holder == "deputy" {
        let name = TokenName::parse(holder).unwrap();
        it.token_store.revoke(&name, &NOTE).await.unwrap();
    } else {
        it.authenticator
            .rotate(SiteToken::new("other horse").unwrap());
    }
    assert!(it.assistants.signed_in(&cookie).await.unwrap().is_none());
    let refused = it.exchange(exchange(&code)).await;
    assert_matches!(refused, Err(AssistantError::WrongGrant(_)));
    assert!(
        it.listed()
            .await
            .iter()
            .all(|token| token.assistant.is_none())
    );
}

#[tokio::test]
async fn right_texts_pass_however_many_wrong_ones_came_before() {
    let it = fixture();
    let code = it.code(everything()).await;
    let (renewed, given_back) = (it.granted().await, it.granted().await);
    let wrong = "A".repeat(43);
    let texts = [wrong.as_str(), "x"].into_iter().cycle();
    for text in texts.take(100) {
        it.exchange(exchange(text)).await.unwrap_err();
    }
    let refused = it.exchange(exchange("x")).await;
    assert_matches!(refused, Err(AssistantError::TooMany(_)));
    it.exchange(exchange(&code)).await.unwrap();
    it.refresh(refresh(&renewed.refresh)).await.unwrap();
    let access = given_back.access.as_str();
    it.assistants.give_back(access, None, here()).await.unwrap();
    assert_eq!(it.listed().await.len(), 2);
}

#[tokio::test]
async fn wrong_texts_without_end_spare_the_database() {
    let it = fixture();
    let wrong = "A".repeat(43);
    for _ in 0..3_000 {
        it.exchange(exchange(&wrong)).await.unwrap_err();
    }
    it.file.break_down();
    let refused = it.exchange(exchange(&wrong)).await;
    assert_matches!(refused, Err(AssistantError::TooMany(_)));
}

#[tokio::test]
async fn a_renewal_may_narrow_the_access_token_and_leaves_the_grant() {
    let it = fixture();
    let granted = it.granted().await;
    let mut narrow = refresh(&granted.refresh);
    narrow.scope = Some("links:read offline_access");
    let narrow = it.refresh(narrow).await.unwrap();
    assert_eq!(narrow.scopes, Scopes::new([Scope::LinksRead]).unwrap());
    let caller = it.enters(narrow.access.as_str()).await.unwrap();
    assert!(caller.may(Scope::LinksRead).is_ok());
    assert!(caller.may(Scope::LinksWrite).is_err());
    let whole = it.refresh(refresh(&narrow.refresh)).await.unwrap();
    assert_eq!(whole.scopes, granted.scopes);
    let caller = it.enters(whole.access.as_str()).await.unwrap();
    assert!(caller.may(Scope::LinksWrite).is_ok());
}

#[tokio::test]
async fn the_access_token_before_the_last_renewal_gives_the_tokens_back() {
    let it = fixture();
    let first = it.granted().await;
    let second = it.refresh(refresh(&first.refresh)).await.unwrap();
    let former = first.access.as_str();
    it.assistants
        .give_back(former, Some(DOCUMENT), here())
        .await
        .unwrap();
    let refused = it.refresh(refresh(&second.refresh)).await;
    assert_matches!(refused, Err(AssistantError::WrongGrant(_)));
    assert_eq!(it.listed().await, []);
}

#[tokio::test]
async fn a_session_decides_once_and_not_for_long() {
    let it = fixture();
    let asked = it.assistants.examine(&parameters()).await.unwrap();
    let signed_in = it.signed_in().await;
    let value = signed_in.form_value("x");
    assert!(signed_in.is_form_value("x", &value) && !signed_in.is_form_value("y", &value));
    let allow = async |signed_in: &SignedIn, decision| {
        let (assistants, author) = (&it.assistants, Author::operator());
        assistants.allow(signed_in, &asked, decision, author).await
    };
    let nothing = with(everything(), |it| it.scopes = vec![Scope::Admin]);
    assert_matches!(allow(&signed_in, nothing).await, Err(NotDecided::NoScope));
    let past = with(everything(), |it| it.until = Some(NOON));
    let refused = allow(&signed_in, past).await;
    assert_matches!(refused, Err(NotDecided::EndNotInFuture));
    allow(&signed_in, everything()).await.unwrap();
    assert_matches!(allow(&signed_in, everything()).await, Err(NotDecided::Over));
    let denied = it.signed_in().await;
    it.assistants.deny(&denied).await.unwrap();
    assert_matches!(allow(&denied, everything()).await, Err(NotDecided::Over));
    let cookie = it.assistants.sign_in("correct horse", here()).await;
    let cookie = cookie.unwrap();
    it.clock.advance_seconds(Assistants::SESSION_SECONDS);
    assert!(it.assistants.signed_in(&cookie).await.unwrap().is_none());
    assert!(it.assistants.signed_in("x").await.unwrap().is_none());
}

#[tokio::test]
async fn registrations_are_checked_and_limited() {
    let it = fixture();
    let new = |name: Option<&str>, redirects: &[&str]| NewClient {
        name: name.map(str::to_owned),
        redirects: redirects.iter().map(|&text| text.to_owned()).collect(),
    };
    let register = async |new| it.assistants.register(new, here()).await;
    let long = format!("{CALLBACK}/{}", "x".repeat(500));
    let made = register(new(None, &[CALLBACK])).await.unwrap();
    assert_eq!(made.name.as_str(), "claude.ai");
    for wrong in [
        new(None, &[]),
        new(None, &["http://claude.ai/"]),
        new(None, &[CALLBACK, "javascript:alert(1)"]),
        new(None, &[CALLBACK; 17]),
        new(Some("a\u{202e}b"), &[CALLBACK]),
        new(None, &[long.as_str()]),
    ] {
        assert!(register(wrong).await.is_err());
    }
    for _ in 0..20 {
        register(new(Some("Claude"), &[CALLBACK])).await.unwrap();
    }
    for _ in 0..3 {
        register(new(None, &[CALLBACK])).await.unwrap();
    }
    let refused = register(new(None, &[CALLBACK])).await;
    assert_matches!(refused, Err(AssistantError::TooMany(_)));
}

/// Registers from a network of its own, by its number.
async fn register_from(it: &Fixture, network: u32) -> Result<Client, AssistantError> {
    let from = IpAddr::from((0xc633_0000_u32 + network).to_be_bytes());
    let new = NewClient {
        name: None,
        redirects: vec![CALLBACK.into()],
    };
    it.assistants.register(new, from).await
}

#[tokio::test]
async fn who_is_connecting_is_not_evicted() {
    let it = fixture();
    let mut first = None;
    for network in 0..1_000 {
        if network % 250 == 0 {
            it.clock.advance_seconds(120);
        }
        let made = register_from(&it, network).await.unwrap();
        first.get_or_insert(made.id);
    }
    let first = first.unwrap();
    let full = register_from(&it, 2_000).await;
    assert_matches!(full, Err(AssistantError::TooMany(_)));
    assert!(it.assistants.client(&first).await.is_ok());
    it.clock.advance_seconds(Assistants::SPARED_SECONDS - 360);
    register_from(&it, 2_001).await.unwrap_err();
    it.clock.advance_seconds(1);
    let new = register_from(&it, 2_002).await.unwrap();
    assert!(it.assistants.client(&new.id).await.is_ok());
}

#[tokio::test]
async fn all_networks_together_register_up_to_a_limit() {
    let it = fixture();
    for network in 0..Assistants::ALL_REGISTRATIONS_PER_MINUTE {
        register_from(&it, network).await.unwrap();
    }
    let refused = register_from(&it, 999).await;
    assert_matches!(refused, Err(AssistantError::TooMany(_)));
    it.clock.advance_seconds(120);
    register_from(&it, 999).await.unwrap();
}

#[tokio::test]
async fn wrong_codes_are_limited_by_network() {
    let it = fixture();
    let wrong = "A".repeat(43);
    for _ in 0..30 {
        let refused = it.exchange(exchange(&wrong)).await;
        assert_matches!(refused, Err(AssistantError::WrongGrant(_)));
    }
    let refused = it.exchange(exchange(&wrong)).await;
    assert_matches!(refused, Err(AssistantError::TooMany(_)));
    it.file.break_down();
    let elsewhere = "198.51.100.1".parse().unwrap();
    let failed = it.assistants.exchange(exchange(&wrong), elsewhere).await;
    assert_matches!(failed, Err(AssistantError::Store(_)));
}
