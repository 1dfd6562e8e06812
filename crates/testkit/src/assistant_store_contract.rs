//! The contract of every [`AssistantStore`]. A back end calls [`run_suite`] with a function that
//! makes an empty store, and the store of tokens beside it.

use slugline_domain::{
    Author, Binding, CallerName, ClientTag, DomainName, LinkId, Reach, Scope, Scopes, TokenRecord,
    UnixSeconds,
    assistants::{
        Assistant, AssistantStore, Client, ClientId, ClientName, CodeChallenge, Connected,
        Connection, ConnectionKey, ConsentCode, ConsentSession, RedirectAddress, Renewal,
    },
    ports::{Hearing, TokenStore},
};

use crate::{
    NOTE,
    join_all::join_all,
    seconds, tag,
    token_store_contract::{name, token},
    with,
};

/// Runs every clause, each on its own store.
///
/// # Panics
/// A clause is violated.
pub async fn run_suite<A: AssistantStore, T: TokenStore>(empty: impl AsyncFn() -> (A, T)) {
    applications_without_consent_go_when_there_are_many(&empty().await.0).await;
    a_session_ends_with_its_decision(&empty().await.0).await;
    a_consent_is_read_as_it_was_stored(&empty().await.0).await;
    a_code_is_used_once(&empty().await).await;
    of_many_exchanges_of_a_code_one_succeeds(&empty().await).await;
    a_taken_name_leaves_the_code(&empty().await).await;
    a_renewal_replaces_both_texts(&empty().await).await;
    a_connection_ends_with_its_token(&empty().await).await;
    a_connection_is_ended_by_each_of_its_texts(&empty().await).await;
    what_has_ended_is_removed_in_pieces(&empty().await).await;
}

fn id(text: &str) -> ClientId {
    ClientId::parse(text).expect("an identifier")
}

fn client(text: &str, at: i64) -> Client {
    let address = |text| RedirectAddress::parse(text).expect("an address");
    Client {
        id: id(text),
        name: ClientName::parse("Assistant “Ü”").expect("a name"),
        redirects: vec![
            address("https://claude.ai/cb?a=1"),
            address("http://127.0.0.1/cb"),
        ],
        created_at: seconds(at),
    }
}

fn session(digest: u8, ends_at: i64) -> ConsentSession {
    ConsentSession {
        digest: [digest; 32],
        holder: [8; 32],
        ends_at: seconds(ends_at),
    }
}

fn code(digest: u8) -> ConsentCode {
    ConsentCode {
        digest: [digest; 32],
        holder: [9; 32],
        client: id("one"),
        name: ClientName::parse("Claude").expect("a name"),
        host: "claude.ai".into(),
        redirect: RedirectAddress::parse("https://claude.ai/cb").expect("an address"),
        challenge: CodeChallenge::parse(&"x".repeat(43)).expect("a challenge"),
        scopes: Scopes::new([Scope::LinksRead, Scope::AnalyticsRead]).expect("scopes"),
        reach: Reach::Everything,
        resource: "https://sl.example/api/mcp".into(),
        until: None,
        expires_at: seconds(60),
        author: Author::operator(),
    }
}

/// A token of an assistant, whose digest is this byte, and its connection, whose other digests
/// are the bytes after it.
fn connected(name_text: &str, digest: u8) -> (TokenRecord, Connection) {
    let ends_at = seconds(1_000);
    let record = TokenRecord {
        expires_at: Some(seconds(100)),
        assistant: Some(Assistant {
            name: ClientName::parse("Claude").expect("a name"),
            host: "claude.ai".into(),
            resource: "https://sl.example/api/mcp".into(),
            ends_at,
        }),
        ..token(name_text, digest)
    };
    let connection = Connection {
        family: [digest + 1; 32],
        refresh: [digest + 2; 32],
        access: record.digest,
        code: [digest + 3; 32],
        client: id("one"),
        until: Some(seconds(5_000)),
        token: record.name.clone(),
        scopes: record.scopes.clone(),
        resource: "https://sl.example/api/mcp".into(),
        ends_at,
    };
    (record, connection)
}

/// Stores what [`connected`] makes.
async fn connect(
    store: &impl AssistantStore,
    name_text: &str,
    digest: u8,
) -> (TokenRecord, Connection) {
    let (record, connection) = connected(name_text, digest);
    let asked = with(code(0), |it| it.digest = connection.code);
    agree(store, &asked).await;
    let done = store
        .connect(&asked.digest, &record, &connection, &NOTE)
        .await;
    assert_eq!(done.expect("connect"), Connected::Done);
    (record, connection)
}

/// Stores a code.
async fn agree(store: &impl AssistantStore, code: &ConsentCode) {
    let opened = session(0xee, 10);
    let at = seconds(0);
    store.open_session(&opened, at).await.expect("open");
    let agreed = store.consent(&opened.digest, code, at).await;
    assert!(agreed.expect("consent"));
}

async fn applications_without_consent_go_when_there_are_many(store: &impl AssistantStore) {
    for (text, at) in [("one", 1), ("two", 2), ("three", 3)] {
        let made = client(text, at);
        assert!(add(store, &made, 0).await);
        let found = store.client(&made.id).await.expect("find");
        assert_eq!(found, Some(made));
    }
    assert_eq!(store.client(&id("four")).await.expect("find"), None);
    agree(store, &code(1)).await;
    for (text, at) in [("four", 4), ("five", 5)] {
        assert!(add(store, &client(text, at), 3).await);
    }
    let left = async |texts: &[&str]| {
        for text in ["one", "two", "three", "four", "five", "six"] {
            let found = store.client(&id(text)).await.expect("find");
            assert_eq!(found.is_some(), texts.contains(&text), "{text}");
        }
    };
    left(&["one", "three", "four", "five"]).await;
    assert!(!add(store, &client("six", 6), 3).await, "all are young");
    left(&["one", "three", "four", "five"]).await;
    assert!(add(store, &client("six", 6), 4).await, "one is not");
    left(&["one", "four", "five", "six"]).await;
}

/// Stores one of at most three without consent, of which those since this moment stay.
async fn add(store: &impl AssistantStore, made: &Client, young_since: i64) -> bool {
    let added = store.add_client(made, 3, seconds(young_since)).await;
    added.expect("add")
}

async fn a_session_ends_with_its_decision(store: &impl AssistantStore) {
    let at = seconds(0);
    let of_token = with(session(2, 20), |it| it.holder = [9; 32]);
    store.open_session(&session(1, 10), at).await.expect("open");
    store.open_session(&of_token, at).await.expect("open");
    let found = store.session(&[2; 32]).await.expect("find");
    assert_eq!(found, Some(of_token.clone()));
    let first = store.consent(&[2; 32], &code(1), at).await;
    assert!(first.expect("consent"));
    let again = store.consent(&[2; 32], &code(2), at).await;
    assert!(!again.expect("consent"), "a form decides once");
    assert_eq!(store.code(&[2; 32]).await.expect("find"), None);
    assert_eq!(store.session(&[2; 32]).await.expect("find"), None);
    let later = session(3, 30);
    store.open_session(&later, seconds(10)).await.expect("open");
    let ended = store.session(&[1; 32]).await.expect("find");
    assert_eq!(ended, None);
    assert!(store.close_session(&[3; 32]).await.expect("close"));
    assert!(!store.close_session(&[3; 32]).await.expect("close"));
}

async fn a_consent_is_read_as_it_was_stored(store: &impl AssistantStore) {
    let ids = [LinkId::parse("a_B-c").expect("an id")];
    let go = DomainName::parse("go.example").expect("a host");
    let both =
        Binding::new(ids, [tag("a"), tag("ü b")], [DomainName::DEFAULT, go]).expect("a binding");
    let full = ConsentCode {
        client: id("https://claude.ai/client.json"),
        reach: Reach::bound(both),
        until: Some(seconds(99)),
        author: Author {
            caller: CallerName::parse("Büro").expect("a name"),
            client: Some(ClientTag::new(0xab)),
        },
        ..code(2)
    };
    for stored in [code(1), full] {
        agree(store, &stored).await;
        let found = store.code(&stored.digest).await.expect("find");
        assert_eq!(found.as_ref(), Some(&stored));
        assert_eq!(found.expect("found").digest, stored.digest);
    }
    let opened = session(7, 100);
    store
        .open_session(&opened, seconds(60))
        .await
        .expect("open");
    let late = store.consent(&[7; 32], &code(3), seconds(60)).await;
    assert!(late.expect("consent"));
    let expired = store.code(&[1; 32]).await.expect("find");
    assert_eq!(expired, None);
}

async fn a_code_is_used_once((store, tokens): &(impl AssistantStore, impl TokenStore)) {
    let (record, connection) = connect(store, "Claude", 10).await;
    assert_eq!(store.code(&connection.code).await.expect("find"), None);
    let found = tokens.find(&record.digest).await.expect("find");
    assert_eq!(found.as_ref(), Some(&record));
    assert_eq!(tokens.list().await.expect("list"), [record]);
    let (other, its) = connected("Other", 20);
    let again = store.connect(&connection.code, &other, &its, &NOTE).await;
    assert_eq!(again.expect("connect"), Connected::CodeGone);
    assert_eq!(tokens.list().await.expect("list").len(), 1);
    for key in [
        ConnectionKey::Code(connection.code),
        ConnectionKey::Family(connection.family),
        ConnectionKey::Access(connection.access),
    ] {
        let found = store.connection(key).await.expect("find");
        assert_eq!(found.as_ref(), Some(&connection), "{key:?}");
    }
    let nobody = store.connection(ConnectionKey::Family([99; 32])).await;
    assert_eq!(nobody.expect("find"), None);
}

async fn of_many_exchanges_of_a_code_one_succeeds(
    (store, tokens): &(impl AssistantStore, impl TokenStore),
) {
    agree(store, &code(1)).await;
    let all: Vec<_> = (1..6)
        .map(|n| connected(&format!("a{n}"), n * 10))
        .collect();
    let exchanges = all.iter();
    let exchanges = exchanges.map(|(record, its)| store.connect(&[1; 32], record, its, &NOTE));
    let done = join_all(exchanges.collect()).await;
    let done = done.into_iter().map(|outcome| outcome.expect("connect"));
    assert_eq!(done.filter(|one| *one == Connected::Done).count(), 1);
    assert_eq!(tokens.list().await.expect("list").len(), 1);
}

async fn a_taken_name_leaves_the_code((store, tokens): &(impl AssistantStore, impl TokenStore)) {
    let made = tokens.insert(&token("Claude", 1), &NOTE).await;
    made.expect("insert");
    agree(store, &code(2)).await;
    let (record, connection) = connected("Claude", 10);
    let taken = store.connect(&[2; 32], &record, &connection, &NOTE).await;
    assert_eq!(taken.expect("connect"), Connected::NameTaken);
    assert!(store.code(&[2; 32]).await.expect("find").is_some());
    let family = ConnectionKey::Family(connection.family);
    let found = store.connection(family).await;
    assert_eq!(found.expect("find"), None);
}

fn renewal(connection: &Connection, next: u8) -> Renewal {
    Renewal {
        family: connection.family,
        spent: connection.refresh,
        refresh: [next; 32],
        former_access: connection.access,
        access: [next + 1; 32],
        scopes: Scopes::new([Scope::LinksRead]).expect("scopes"),
        access_ends_at: seconds(200),
        ends_at: seconds(2_000),
    }
}

async fn a_renewal_replaces_both_texts((store, tokens): &(impl AssistantStore, impl TokenStore)) {
    let (mut record, connection) = connected("Claude", 10);
    let ids = [LinkId::parse("a").expect("an id")];
    record.reach = Reach::bound(Binding::new(ids, [], []).expect("a binding"));
    agree(store, &code(1)).await;
    let done = store.connect(&[1; 32], &record, &connection, &NOTE).await;
    assert_eq!(done.expect("connect"), Connected::Done);
    let heard = tokens.hearing();
    let renewal = renewal(&connection, 50);
    assert!(store.renew(&renewal).await.expect("renew"));
    if let Hearing::Announced(_) = heard {
        // A node that remembers the former one must ask.
        assert_ne!(tokens.hearing(), heard);
    }
    let former = tokens.find(&record.digest).await.expect("find");
    assert_eq!(former, None);
    let expected = TokenRecord {
        digest: renewal.access,
        scopes: renewal.scopes.clone(),
        expires_at: Some(renewal.access_ends_at),
        assistant: record.assistant.clone().map(|assistant| Assistant {
            ends_at: renewal.ends_at,
            ..assistant
        }),
        ..record
    };
    let found = tokens.find(&renewal.access).await.expect("find");
    assert_eq!(found, Some(expected));
    assert!(!store.renew(&renewal).await.expect("renew"), "it is spent");
    let family = ConnectionKey::Family(connection.family);
    let found = store.connection(family).await;
    let found = found.expect("find").expect("there");
    assert_eq!(found.refresh, renewal.refresh);
    assert_eq!(found.access, renewal.access);
    assert_eq!(found.ends_at, renewal.ends_at);
    assert_eq!(found.scopes, connection.scopes, "what was granted stays");
    let former = ConnectionKey::Access(connection.access);
    let by_former = store.connection(former).await.expect("find");
    assert_eq!(by_former, Some(found));
}

async fn a_connection_ends_with_its_token(
    (store, tokens): &(impl AssistantStore, impl TokenStore),
) {
    let (record, connection) = connect(store, "Claude", 10).await;
    assert!(tokens.revoke(&record.name, &NOTE).await.expect("revoke"));
    let renewed = store.renew(&renewal(&connection, 50)).await;
    assert!(!renewed.expect("renew"));
    let family = ConnectionKey::Family(connection.family);
    let found = store.connection(family).await;
    assert_eq!(found.expect("find"), None);
    let gone = store.disconnect(family, &NOTE).await;
    assert_eq!(gone.expect("disconnect"), None);
    let made = tokens.insert(&token("Claude", 10), &NOTE).await;
    assert!(made.expect("insert"));
    let found = tokens.find(&[10; 32]).await.expect("find");
    assert_eq!(found.expect("there").assistant, None);
}

async fn a_connection_is_ended_by_each_of_its_texts(
    (store, tokens): &(impl AssistantStore, impl TokenStore),
) {
    for (name_text, digest) in [("a", 10), ("b", 20), ("c", 30)] {
        let (record, connection) = connect(store, name_text, digest).await;
        let key = match digest {
            10 => ConnectionKey::Code(connection.code),
            20 => ConnectionKey::Family(connection.family),
            _ => ConnectionKey::Access(connection.access),
        };
        let ended = store.disconnect(key, &NOTE).await.expect("disconnect");
        assert_eq!(ended, Some(name(name_text)));
        assert_eq!(tokens.find(&record.digest).await.expect("find"), None);
        assert_eq!(store.connection(key).await.expect("find"), None);
        let again = store.disconnect(key, &NOTE).await.expect("disconnect");
        assert_eq!(again, None);
    }
    assert_eq!(tokens.list().await.expect("list"), []);
}

async fn what_has_ended_is_removed_in_pieces(
    (store, tokens): &(impl AssistantStore, impl TokenStore),
) {
    for (name_text, digest) in [("a", 10), ("b", 20), ("c", 30)] {
        connect(store, name_text, digest).await;
    }
    let made = tokens.insert(&token("made", 1), &NOTE).await;
    made.expect("insert");
    let remove = async |at: UnixSeconds, limit| {
        let removed = store.disconnect_ended(at, limit, &NOTE).await;
        removed.expect("remove")
    };
    assert_eq!(remove(seconds(999), 9).await, 0);
    assert_eq!(remove(seconds(1_000), 2).await, 2);
    assert_eq!(remove(seconds(1_000), 2).await, 1);
    assert_eq!(remove(seconds(1_000), 2).await, 0);
    let left = tokens.list().await.expect("list");
    assert_eq!(left.len(), 1);
}
