//! The contract of every [`TokenStore`]. A back end calls [`run_suite`] with a function that
//! makes an empty store.

use slugline_domain::{
    Binding, DomainName, LinkId, Reach, Scope, Scopes, TokenName, TokenRecord,
    ports::{Hearing, TokenStore},
};

use crate::{NOON, NOTE, join_all::join_all, seconds, tag, with};

/// Runs every clause, each on its own store.
///
/// # Panics
/// A clause is violated.
pub async fn run_suite<S: TokenStore>(empty_store: impl AsyncFn() -> S) {
    what_was_stored_is_found_by_its_digest(&empty_store().await).await;
    a_taken_name_and_a_taken_digest_are_refused(&empty_store().await).await;
    tokens_are_listed_by_name(&empty_store().await).await;
    a_revoked_token_is_gone_at_once(&empty_store().await).await;
    the_latest_use_is_kept(&empty_store().await).await;
    of_many_with_one_name_one_is_stored(&empty_store().await).await;
}

pub(crate) fn name(text: &str) -> TokenName {
    TokenName::parse(text).expect("a name")
}

/// A token whose digest is this byte, repeated.
pub(crate) fn token(name_text: &str, digest: u8) -> TokenRecord {
    TokenRecord {
        name: name(name_text),
        digest: [digest; 32],
        scopes: Scopes::new([Scope::LinksRead, Scope::AnalyticsRead]).expect("two scopes"),
        reach: Reach::Everything,
        expires_at: None,
        created_at: NOON,
        last_used_at: None,
        assistant: None,
    }
}

/// A binding to these identities, tags and domains.
fn bound(ids: &[&str], tags: &[&str], domains: &[&str]) -> Reach {
    let ids = ids.iter().map(|id| LinkId::parse(id).expect("an id"));
    let tags = tags.iter().map(|text| tag(text));
    let domains = domains.iter();
    let domains = domains.map(|name| DomainName::parse(name).expect("a domain"));
    Reach::bound(Binding::new(ids, tags, domains).expect("a binding"))
}

async fn what_was_stored_is_found_by_its_digest(store: &impl TokenStore) {
    let plain = token("ci", 1);
    let full = TokenRecord {
        scopes: Scopes::new(Scope::ALL).expect("scopes"),
        reach: bound(&["0", "a_B-c"], &["a", "ü b\nc"], &["", "go.example"]),
        expires_at: Some(seconds(99)),
        last_used_at: Some(seconds(7)),
        ..token("Bücher; 'x' \"y\"", 0xfe)
    };
    let tagged = with(token("tagged", 4), |it| it.reach = bound(&[], &["a"], &[]));
    let linked = with(token("linked", 5), |it| it.reach = bound(&["a"], &[], &[]));
    let of_default_domain = TokenRecord {
        reach: bound(&[], &[], &[""]),
        ..token("plain domain", 6)
    };
    let of_domains = TokenRecord {
        reach: bound(&[], &[], &["xn--bcher-kva.example", "[::1]"]),
        ..token("two domains", 7)
    };
    for stored in [
        &plain,
        &full,
        &tagged,
        &linked,
        &of_default_domain,
        &of_domains,
    ] {
        assert!(store.insert(stored, &NOTE).await.expect("insert"));
        let found = store.find(&stored.digest).await.expect("find");
        assert_eq!(found.as_ref(), Some(stored));
        assert_eq!(found.expect("found").digest, stored.digest);
    }
    assert_eq!(store.find(&[3; 32]).await.expect("find"), None);
    let listed = store.list().await.expect("list");
    assert_eq!(
        listed,
        [full, plain, linked, of_default_domain, tagged, of_domains]
    );
}

async fn a_taken_name_and_a_taken_digest_are_refused(store: &impl TokenStore) {
    assert!(store.insert(&token("ci", 1), &NOTE).await.expect("insert"));
    assert!(!store.insert(&token("ci", 2), &NOTE).await.expect("insert"));
    assert!(
        !store
            .insert(&token("other", 1), &NOTE)
            .await
            .expect("insert")
    );
    assert!(store.insert(&token("CI", 2), &NOTE).await.expect("insert"));
    assert_eq!(store.list().await.expect("list").len(), 2);
}

async fn tokens_are_listed_by_name(store: &impl TokenStore) {
    assert_eq!(store.list().await.expect("list"), []);
    for (text, digest) in [("b", 1), ("a", 2), ("Z", 3), ("ä", 4)] {
        store
            .insert(&token(text, digest), &NOTE)
            .await
            .expect("insert");
    }
    let listed = store.list().await.expect("list");
    let names: Vec<&str> = listed.iter().map(|token| token.name.as_str()).collect();
    assert_eq!(names, ["Z", "a", "b", "ä"], "by code point");
}

async fn a_revoked_token_is_gone_at_once(store: &impl TokenStore) {
    store.insert(&token("ci", 1), &NOTE).await.expect("insert");
    store
        .insert(&token("other", 2), &NOTE)
        .await
        .expect("insert");
    let before = store.hearing();
    assert!(store.revoke(&name("ci"), &NOTE).await.expect("revoke"));
    if let Hearing::Announced(_) = before {
        assert_ne!(store.hearing(), before, "whoever remembers it must ask");
    }
    assert_eq!(store.find(&[1; 32]).await.expect("find"), None);
    assert!(store.find(&[2; 32]).await.expect("find").is_some());
    assert!(
        !store.revoke(&name("ci"), &NOTE).await.expect("revoke"),
        "gone"
    );
    let bound = TokenRecord {
        reach: bound(&["a"], &["b"], &["go.example"]),
        ..token("bound", 9)
    };
    for _ in 0..2 {
        assert!(store.insert(&bound, &NOTE).await.expect("insert"));
        assert!(store.revoke(&bound.name, &NOTE).await.expect("revoke"));
        assert_eq!(store.find(&bound.digest).await.expect("find"), None);
    }
    let reused = token("other name", 9);
    assert!(store.insert(&reused, &NOTE).await.expect("insert"));
    let found = store.find(&reused.digest).await.expect("find");
    assert_eq!(found, Some(reused), "a binding ends with its token");
    assert!(store.insert(&token("ci", 3), &NOTE).await.expect("insert"));
}

async fn the_latest_use_is_kept(store: &impl TokenStore) {
    store.insert(&token("ci", 1), &NOTE).await.expect("insert");
    let used = async || {
        let found = store.find(&[1; 32]).await.expect("find");
        found.expect("stored").last_used_at
    };
    for (at, expected) in [(5, 5), (9, 9), (7, 9)] {
        let touched = store.touch(&name("ci"), seconds(at)).await;
        touched.expect("touch");
        assert_eq!(used().await, Some(seconds(expected)));
    }
    store.touch(&name("nobody"), NOON).await.expect("touch");
    assert_eq!(store.list().await.expect("list").len(), 1);
}

async fn of_many_with_one_name_one_is_stored(store: &impl TokenStore) {
    let tokens: Vec<TokenRecord> = (1..=6).map(|digest| token("ci", digest)).collect();
    let inserts = tokens.iter().map(|token| store.insert(token, &NOTE));
    let stored = join_all(inserts.collect()).await;
    let stored = stored.into_iter().map(|stored| stored.expect("insert"));
    assert_eq!(stored.filter(|stored| *stored).count(), 1);
    assert_eq!(store.list().await.expect("list").len(), 1);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemoryTokenStore;

    #[tokio::test]
    async fn the_store_in_memory_keeps_the_contract() {
        run_suite(async || MemoryTokenStore::default()).await;
    }
}
