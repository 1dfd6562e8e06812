//! Checks visitors' passwords for a link.

use std::{
    collections::HashSet,
    net::IpAddr,
    sync::{Arc, Mutex},
};

use slugline_domain::{
    AuditNote, AuditedOperation, Author, FollowedLink, Password, PasswordForm, PasswordHash,
    UnixMillis,
    ports::{LinkStore, Update, Version},
};

use crate::{
    error::Error,
    passwords::{NotChecked, PasswordAttempt, PasswordCheck, Passwords},
    resolver::Resolver,
};

/// Checks passwords of links, and replaces imported hashes of other kinds by Argon2id
/// when the first visitor sends the password.
#[derive(Debug)]
pub struct Gatekeeper {
    parts: GatekeeperParts,
    /// The identities of links whose hash is being renewed.
    renewing: Mutex<HashSet<String>>,
}

/// The dependencies of a gatekeeper.
#[derive(Debug)]
pub struct GatekeeperParts {
    /// Checks and hashes passwords.
    pub passwords: Arc<Passwords>,
    /// Stores renewed hashes.
    pub store: Arc<dyn LinkStore>,
    /// The cache that forgets a link when its hash is renewed.
    pub resolver: Arc<Resolver>,
}

impl Gatekeeper {
    /// Creates a gatekeeper from its dependencies.
    pub fn new(parts: GatekeeperParts) -> Self {
        Self {
            parts,
            renewing: Mutex::default(),
        }
    }

    /// Checks a visitor's password against the stored password of this link. An old hash
    /// is renewed after the visitor was answered.
    ///
    /// # Errors
    /// There were too many wrong passwords, or too many requests wait for a check.
    pub async fn check(
        self: &Arc<Self>,
        link: &FollowedLink,
        hash: &PasswordHash,
        presented: &str,
        client: IpAddr,
        now: UnixMillis,
    ) -> Result<PasswordCheck, NotChecked> {
        let attempt = PasswordAttempt {
            key: &link.to_key(),
            hash,
            presented,
            client,
            now,
        };
        let outcome = self.parts.passwords.check(attempt).await?;
        let old = PasswordForm::of(hash.as_str()) != Ok(PasswordForm::Argon2id);
        if outcome == PasswordCheck::Right && old {
            self.renew_in_background(link, presented, now);
        }
        Ok(outcome)
    }

    fn renew_in_background(
        self: &Arc<Self>,
        link: &FollowedLink,
        presented: &str,
        now: UnixMillis,
    ) {
        // A password that is too long to be set today is still checked.
        let Ok(password) = Password::parse(presented) else {
            return;
        };
        if !self.locked().insert(link.id().to_owned()) {
            return;
        }
        let (this, link) = (Arc::clone(self), link.clone());
        tokio::spawn(async move {
            // No request waits for the renewal. If it fails, the old hash still works,
            // and the next visitor triggers another attempt.
            let _ = this.renew(&link, &password, now).await;
            this.locked().remove(link.id());
        });
    }

    /// Stores a new hash unless the link has another one meanwhile. The time of the last
    /// change stays, because nothing that the author decides is different.
    async fn renew(
        &self,
        followed: &FollowedLink,
        password: &Password,
        now: UnixMillis,
    ) -> Result<(), Error> {
        let hash = self.parts.passwords.hash(password).await?;
        let stored = self.parts.store.find(&followed.to_key()).await?;
        let same = stored.filter(|stored| stored.password == followed.terms().password);
        let Some(mut link) = same else {
            return Ok(());
        };
        let known = Version::of(&link);
        link.password = Some(hash);
        let note = AuditNote::new(now, &Author::service(), AuditedOperation::LinkRehash);
        let outcome = self.parts.store.update(&link, &known, &note).await;
        let is_stored = matches!(outcome, Ok(Update::Stored));
        self.parts.resolver.announce(&link.key, &note, is_stored);
        outcome?;
        Ok(())
    }

    fn locked(&self) -> std::sync::MutexGuard<'_, HashSet<String>> {
        self.renewing
            .lock()
            .expect("nothing panics while holding the lock")
    }
}

#[cfg(test)]
mod tests {
    use slugline_domain::{Link, ports::AuditTrail};
    use slugline_testkit::{
        ALL, FixedClock, MemoryLinkStore, NOON, NOTE, SeededRandom, destination, key, link,
        newest_lines, with,
    };

    use super::*;
    use crate::NamedDomains;
    use crate::ResolverOptions;

    /// "x", by Python's `hashlib.pbkdf2_hmac`.
    const SINK: &str =
        "sink-pwd:v1:1:AAAAAAAAAAAAAAAAAAAAAA:0mw6xp-eFNAZZprz8ndsX6WoyuMc8-sYmj5jUGoN1kE:eA";

    fn gatekeeper() -> (Arc<Gatekeeper>, Arc<MemoryLinkStore>) {
        let store = Arc::new(MemoryLinkStore::default());
        let gatekeeper = Gatekeeper::new(GatekeeperParts {
            passwords: Arc::new(Passwords::new(Arc::new(SeededRandom::new(1)))),
            store: store.clone(),
            resolver: Arc::new(Resolver::new(
                store.clone(),
                Arc::new(FixedClock::at(NOON)),
                NamedDomains::default(),
                ResolverOptions::default(),
            )),
        });
        (Arc::new(gatekeeper), store)
    }

    async fn knock(gatekeeper: &Arc<Gatekeeper>, link: &Link, presented: &str) -> PasswordCheck {
        let client = IpAddr::from([192, 0, 2, 1]);
        let hash = link.password.clone().unwrap();
        let outcome = gatekeeper
            .check(&link.into(), &hash, presented, client, NOON.start())
            .await;
        outcome.unwrap()
    }

    async fn stored(store: &MemoryLinkStore) -> Link {
        store.find(&key("docs")).await.unwrap().unwrap()
    }

    #[tokio::test]
    async fn a_renewed_hash_opens_for_the_same_password_and_changes_nothing_else() {
        let (gatekeeper, store) = gatekeeper();
        let old = link("docs").password(SINK).tags(&["a"]).build();
        store.insert(&ALL, &old, &NOTE).await.unwrap();
        let resolved = gatekeeper.parts.resolver.find(&old.key).await.unwrap();
        assert_eq!(resolved.as_deref(), Some(&FollowedLink::from(&old)));

        let password = Password::parse("x").unwrap();
        gatekeeper
            .renew(&FollowedLink::from(&old), &password, NOON.start())
            .await
            .unwrap();
        let new = stored(&store).await;
        let hash = new.password.clone().unwrap();
        assert_eq!(PasswordForm::of(hash.as_str()), Ok(PasswordForm::Argon2id));
        assert_eq!(knock(&gatekeeper, &new, " x ").await, PasswordCheck::Right);
        assert_eq!(knock(&gatekeeper, &new, "y").await, PasswordCheck::Wrong);
        let again = gatekeeper.parts.resolver.find(&old.key).await.unwrap();
        assert_eq!(
            again.as_deref(),
            Some(&FollowedLink::from(&new)),
            "the memory was cleared"
        );
        let unchanged = with(new, |it| it.password.clone_from(&old.password));
        assert_eq!(unchanged, old);
    }

    #[tokio::test]
    async fn only_the_right_password_renews_a_hash_and_only_once() {
        let (gatekeeper, store) = gatekeeper();
        let old = link("docs").password(SINK).build();
        store.insert(&ALL, &old, &NOTE).await.unwrap();
        assert_eq!(knock(&gatekeeper, &old, "y").await, PasswordCheck::Wrong);
        assert!(gatekeeper.locked().is_empty());
        for _ in 0..3 {
            assert_eq!(knock(&gatekeeper, &old, "x").await, PasswordCheck::Right);
        }
        while !gatekeeper.locked().is_empty() {
            tokio::task::yield_now().await;
        }
        let hash = stored(&store).await.password.unwrap();
        assert_eq!(PasswordForm::of(hash.as_str()), Ok(PasswordForm::Argon2id));
        let newest_first = newest_lines(10);
        let lines = store.lines(&newest_first).await.unwrap();
        assert_eq!(lines.len(), 2, "the link was created and renewed once");
        assert_eq!(lines[0].operation, AuditedOperation::LinkRehash.as_str());
        assert_eq!(lines[0].author, Author::service());
    }

    #[tokio::test]
    async fn a_link_that_changed_meanwhile_keeps_its_new_password() {
        let (gatekeeper, store) = gatekeeper();
        let old = link("docs").password(SINK).build();
        store.insert(&ALL, &old, &NOTE).await.unwrap();
        let mut edited = old.clone();
        edited.revision = old.revision.next();
        edited.password = Some(PasswordHash::new("another"));
        edited.content.destination = destination("https://example.org/");
        store
            .update(&edited, &Version::of(&old), &NOTE)
            .await
            .unwrap();
        let password = Password::parse("x").unwrap();
        gatekeeper
            .renew(&FollowedLink::from(old), &password, NOON.start())
            .await
            .unwrap();
        assert_eq!(stored(&store).await, edited);
    }

    #[tokio::test]
    async fn a_store_that_is_down_does_not_stop_the_visitor() {
        let (gatekeeper, store) = gatekeeper();
        let old = link("docs").password(SINK).build();
        store.break_down();
        assert_eq!(knock(&gatekeeper, &old, "x").await, PasswordCheck::Right);
        while !gatekeeper.locked().is_empty() {
            tokio::task::yield_now().await;
        }
    }
}
