//! Passwords of links: hashes them, and checks visitors' passwords.

use std::{fmt, net::IpAddr, sync::Arc, time::Duration};

use base64::{
    Engine, alphabet,
    engine::{GeneralPurpose, general_purpose},
};
use pbkdf2::pbkdf2_hmac_array;
use sha2::Sha256;
use slugline_domain::{
    ClientNetwork, ImportedPassword, LinkKey, Password, PasswordForm, PasswordHash, SinkForm,
    UnixMillis, measure::Counter, ports::Random,
};
use subtle::ConstantTimeEq;
use thiserror::Error;

use crate::{
    attempts::{AttemptQueue, ClientLimit, FailureLimit, QueuedAttempt, TooManyAttempts},
    budgets::KeyPermits,
    hashing::{Busy, HashError, HashingPermit, HashingQueue, hash_argon2id, verify_argon2id},
};

/// Hashes passwords with Argon2id and checks them against every stored form, on threads
/// that serve no requests.
///
/// One hash takes about 20 MiB of memory and tens of milliseconds, so few hashes are
/// computed at a time, and few requests wait for one. A client's site has a share of the
/// slots to wait in; its other requests wait for a slot of that share, so that visitors of
/// other sites always find one.
///
/// Wrong passwords are counted per link: for the client's network, for its site, and for
/// all clients together. Beyond a limit, passwords are still checked, but for each site
/// one after the other, with a pause after each wrong one. Visitors can rely on this:
///
/// - Right passwords are not counted: any number of visitors behind one address gets in,
///   even at the same time.
/// - Guesses from other sites do not keep out a visitor who knows the password.
/// - Guesses from the visitor's own site delay the visitor by one pause, unless more
///   requests arrive than may wait. If all clients share an address, they are all one
///   site. No check that bounds guesses can do better for visitors who look the same as
///   guessers.
pub struct Passwords {
    random: Arc<dyn Random>,
    visitors: HashingQueue,
    sites: KeyPermits<ClientNetwork>,
    authors: HashingQueue,
    guesses: Arc<Guesses>,
    too_many: Counter,
    busy: Counter,
}

/// The load of password checks at the moment, and the number of refused visitors since
/// the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PasswordNumbers {
    /// The number of hashes that are being computed.
    pub hashing: usize,
    /// The number of visitors refused after too many wrong passwords.
    pub too_many: u64,
    /// The number of visitors refused because too many requests were waiting.
    pub busy: u64,
}

/// The result of checking a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PasswordCheck {
    /// The password is right.
    Right,
    /// The password is wrong.
    Wrong,
}

/// The reason why a password was not checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NotChecked {
    /// The client sent too many wrong passwords. This one was not compared, or is wrong.
    #[error(transparent)]
    TooMany(#[from] TooManyAttempts),
    /// The maximum number of requests already waits for a check.
    #[error(transparent)]
    Busy(#[from] Busy),
}

/// A visitor's attempt at the password of a link.
#[derive(Clone, Debug)]
pub struct PasswordAttempt<'a> {
    /// The link.
    pub key: &'a LinkKey,
    /// Its stored password.
    pub hash: &'a PasswordHash,
    /// The visitor's password, unparsed. Each of its [spellings](Password::spellings) opens.
    pub presented: &'a str,
    /// The visitor's address.
    pub client: IpAddr,
    /// The time of the attempt.
    pub now: UnixMillis,
}

impl Passwords {
    /// Wrong passwords that a client's network may send for one link in a minute before
    /// it has to pause.
    pub const MAX_FAILURES_PER_MINUTE: u32 = 10;
    /// Hashes computed for visitors at the same time. Two keep a small machine
    /// responsive.
    const AT_A_TIME: usize = 2;
    /// Visitors who may wait for a hash, a few seconds' worth.
    const WAITING_VISITORS: usize = 128;
    /// Visitors of one site among them. Right passwords count nowhere, so without this limit a
    /// client that repeats one could take all slots.
    const WAITING_OF_A_SITE: usize = 8;
    /// Requests that set a password and may wait for a hash. They have their own queue,
    /// so that visitors cannot block them.
    const WAITING_AUTHORS: usize = 64;

    /// Takes salts from this random source.
    pub fn new(random: Arc<dyn Random>) -> Self {
        Self {
            random,
            visitors: HashingQueue::new(Self::AT_A_TIME, Self::WAITING_VISITORS),
            sites: KeyPermits::new(Self::WAITING_OF_A_SITE, Self::WAITING_VISITORS),
            authors: HashingQueue::new(1, Self::WAITING_AUTHORS),
            guesses: Arc::new(Guesses::new()),
            too_many: Counter::default(),
            busy: Counter::default(),
        }
    }

    /// Returns the load of password checks, and the number of refused visitors.
    pub fn numbers(&self) -> PasswordNumbers {
        PasswordNumbers {
            hashing: self.visitors.at_work() + self.authors.at_work(),
            too_many: self.too_many.get(),
            busy: self.busy.get(),
        }
    }

    /// Returns the stored form of a password: a PHC string with Argon2's default
    /// parameters.
    ///
    /// # Errors
    /// Too many requests wait for a hash, or Argon2 itself failed, for example because
    /// memory was short.
    pub async fn hash(&self, password: &Password) -> Result<PasswordHash, HashError> {
        let mut salt = [0; 16];
        self.random.fill(&mut salt);
        let password = password.clone();
        let permit = self.authors.permit().await?;
        permit
            .run(move || hash_argon2id(password.reveal().as_bytes(), salt))
            .await?
            .map(PasswordHash::new)
    }

    /// Returns the stored form of an imported password: the imported hash, or a new one
    /// if the password is in clear.
    ///
    /// # Errors
    /// As for [`Passwords::hash`].
    pub async fn adopt(&self, imported: ImportedPassword) -> Result<PasswordHash, HashError> {
        match imported {
            ImportedPassword::Hashed(hash) => Ok(hash),
            ImportedPassword::Plain(password) => self.hash(&password).await,
        }
    }

    /// Checks a visitor's password.
    ///
    /// # Errors
    /// The client sent too many wrong passwords, or too many requests wait for a check.
    pub async fn check(&self, attempt: PasswordAttempt<'_>) -> Result<PasswordCheck, NotChecked> {
        let checked = self.check_uncounted(attempt).await;
        match &checked {
            Err(NotChecked::TooMany(_)) => self.too_many.count(),
            Err(NotChecked::Busy(_)) => self.busy.count(),
            Ok(PasswordCheck::Right | PasswordCheck::Wrong) => {}
        }
        checked
    }

    async fn check_uncounted(
        &self,
        attempt: PasswordAttempt<'_>,
    ) -> Result<PasswordCheck, NotChecked> {
        let guess = Guess {
            key: attempt.key.clone(),
            client: ClientNetwork::of(attempt.client),
            now: attempt.now,
        };
        let (permit, turn) = self.admit(&guess).await?;
        let stored = attempt.hash.clone();
        let presented = attempt.presented.to_owned();
        let guesses = Arc::clone(&self.guesses);
        // Counted on the computing thread; otherwise a client who disconnects before the
        // answer could have any number of passwords hashed.
        let work = move || {
            // All spellings are one attempt, with one permit.
            let spellings = Password::spellings(&presented);
            if spellings.iter().any(|spelling| verify(&stored, spelling)) {
                return Ok(PasswordCheck::Right);
            }
            guesses.count(&guess);
            match turn {
                Some(turn) => Err(turn.was_wrong()),
                None => Ok(PasswordCheck::Wrong),
            }
        };
        let checked = permit.run(work).await;
        // A check that panicked has let no visitor in.
        Ok(checked.unwrap_or(Ok(PasswordCheck::Wrong))?)
    }

    /// Waits until the guess may be checked, in its site's turn if there is a pause.
    async fn admit(
        &self,
        guess: &Guess,
    ) -> Result<(HashingPermit, Option<QueuedAttempt>), NotChecked> {
        if self.guesses.pause(guess).is_none() {
            let permit = self.permit(guess.client).await?;
            // Other guesses may have failed while this one waited.
            if self.guesses.pause(guess).is_none() {
                return Ok((permit, None));
            }
        }
        let pause = self.guesses.pause(guess).unwrap_or_default();
        let site = (guess.key.clone(), guess.client.site());
        let turn = self.guesses.queue.next(&site, pause).await?;
        Ok((self.permit(guess.client).await?, Some(turn)))
    }

    /// Waits for a permit to compute a visitor's hash, in one of the slots of the client's site.
    async fn permit(&self, client: ClientNetwork) -> Result<HashingPermit, Busy> {
        let _slot = self.sites.wait(&client.site()).await.ok_or(Busy)?;
        self.visitors.permit().await
    }
}

impl fmt::Debug for Passwords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Passwords").finish_non_exhaustive()
    }
}

/// A client's guess of a link's password.
struct Guess {
    key: LinkKey,
    client: ClientNetwork,
    now: UnixMillis,
}

/// Recent wrong guesses.
struct Guesses {
    by_client: ClientLimit<LinkKey>,
    by_link: FailureLimit<LinkKey>,
    queue: AttemptQueue<(LinkKey, ClientNetwork)>,
}

impl Guesses {
    /// The number of links, and of pairs of link and client, whose failures are
    /// remembered.
    const REMEMBERED: usize = 10_000;
    /// Wrong passwords that all clients together may send for a link in a minute before
    /// each site has to pause.
    const MAX_PER_LINK: u32 = 100;
    /// The pause after a wrong guess of a site beyond its own limit: 20 guesses a minute.
    const PAUSE: Duration = Duration::from_secs(3);
    /// The pause beyond the limit of the link, which many sites exceed together.
    const LONG_PAUSE: Duration = Duration::from_secs(30);
    /// The time for which a request waits for its turn.
    const TIMEOUT: Duration = Duration::from_secs(5);

    fn new() -> Self {
        Self {
            by_client: ClientLimit::new(Passwords::MAX_FAILURES_PER_MINUTE, Self::REMEMBERED),
            by_link: FailureLimit::new(Self::MAX_PER_LINK, Self::REMEMBERED),
            queue: AttemptQueue::new(Self::TIMEOUT, Self::REMEMBERED),
        }
    }

    /// The pause after this guess, if there were too many wrong ones before it.
    fn pause(&self, guess: &Guess) -> Option<Duration> {
        let Guess { key, client, now } = guess;
        if self.by_link.check(key, *now).is_err() {
            Some(Self::LONG_PAUSE)
        } else if self.by_client.check(key, *client, *now).is_err() {
            Some(Self::PAUSE)
        } else {
            None
        }
    }

    fn count(&self, guess: &Guess) {
        let Guess { key, client, now } = guess;
        // Beyond a limit, failures are not counted, because pauses limit the guesses.
        let _ = self.by_link.count(key, *now);
        let _ = self.by_client.count(key, *client, *now);
    }
}

/// Compares with a stored hash. A form that cannot be parsed matches no password.
fn verify(stored: &PasswordHash, presented: &str) -> bool {
    match PasswordForm::of(stored.as_str()) {
        Ok(PasswordForm::Argon2id) => verify_argon2id(stored.as_str(), presented.as_bytes()),
        Ok(PasswordForm::Sink(form)) => verify_sink(form, presented),
        // It compares in constant time, and no more than 72 bytes, as the program that hashed.
        Ok(PasswordForm::Bcrypt) => bcrypt::verify(presented, stored.as_str()).unwrap_or(false),
        Err(_) => false,
    }
}

fn verify_sink(form: SinkForm<'_>, presented: &str) -> bool {
    // Some encoders leave the unused bits of the last character set.
    const BASE64: GeneralPurpose = GeneralPurpose::new(
        &alphabet::URL_SAFE,
        general_purpose::NO_PAD.with_decode_allow_trailing_bits(true),
    );
    let (Ok(salt), Ok(hash)) = (BASE64.decode(form.salt), BASE64.decode(form.hash)) else {
        return false;
    };
    let computed = pbkdf2_hmac_array::<Sha256, 32>(presented.as_bytes(), &salt, form.iterations);
    computed.ct_eq(&hash[..]).into()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use slugline_testkit::{NOON, SeededRandom, assert_matches, key};

    use super::*;

    fn passwords() -> Passwords {
        Passwords::new(Arc::new(SeededRandom::new(1)))
    }

    async fn try_password(passwords: &Passwords, hash: &PasswordHash, presented: &str) -> Tried {
        try_from("192.0.2.1", passwords, hash, presented).await
    }

    async fn try_from(
        client: &str,
        passwords: &Passwords,
        hash: &PasswordHash,
        presented: &str,
    ) -> Tried {
        let attempt = PasswordAttempt {
            key: &key("docs"),
            hash,
            presented,
            client: client.parse().unwrap(),
            now: NOON.start(),
        };
        passwords.check(attempt).await
    }

    type Tried = Result<PasswordCheck, NotChecked>;
    const RIGHT: Tried = Ok(PasswordCheck::Right);
    const WRONG: Tried = Ok(PasswordCheck::Wrong);

    /// "x", by Python's `hashlib.pbkdf2_hmac`: cheap to check.
    fn cheap() -> PasswordHash {
        PasswordHash::new(
            "sink-pwd:v1:1:AAAAAAAAAAAAAAAAAAAAAA:0mw6xp-eFNAZZprz8ndsX6WoyuMc8-sYmj5jUGoN1kE:eA",
        )
    }

    #[tokio::test]
    async fn a_hashed_password_is_recognised_and_salted() {
        let passwords = passwords();
        let password = Password::parse("pässword").unwrap();
        let hash = passwords.hash(&password).await.unwrap();
        assert!(hash.as_str().starts_with("$argon2id$"), "{}", hash.as_str());
        for (presented, outcome) in [(" pässword ", RIGHT), ("passwort", WRONG)] {
            let tried = try_password(&passwords, &hash, presented).await;
            assert_eq!(tried, outcome, "{presented}");
        }
        let other = passwords.hash(&password).await.unwrap();
        assert_ne!(other, hash, "each hash has its own salt");
    }

    /// Made by Python's `hashlib.pbkdf2_hmac`.
    #[rstest]
    #[case(
        "correct horse",
        "sink-pwd:v1:10000:AAECAwQFBgcICQoLDA0ODw:5RUHDgNTp9sBOWGYS4e6u57cz_Sq3_TQgaDP_8MW6L8:cnNl"
    )]
    #[case(
        "pässwörd🔑",
        "sink-pwd:v1:10000:yMnKy8zNzs_Q0dLT1NXW1w:kRkMwGjRLXHYk9oHg5YX0sgmjlh0_WVZNSLf7Ncl61s:cmTwn5SR"
    )]
    #[case(
        "x",
        "sink-pwd:v1:1:AAAAAAAAAAAAAAAAAAAAAA:0mw6xp-eFNAZZprz8ndsX6WoyuMc8-sYmj5jUGoN1kE:eA"
    )]
    // By crypt() of PostgreSQL.
    #[case(
        "pässwörd🔑",
        "$2a$04$3Rh34To4U4N599rEq9U88.DA9uuaO.P1R.B1NU.eUXB8ud3SC4nk6"
    )]
    #[tokio::test]
    async fn a_hash_of_others_is_recognised_and_adopted(
        #[case] password: &str,
        #[case] stored: &str,
    ) {
        let passwords = passwords();
        let imported = ImportedPassword::parse(stored).unwrap();
        let hash = passwords.adopt(imported).await.unwrap();
        assert_eq!(hash.as_str(), stored);
        let tried = try_password(&passwords, &hash, password).await;
        assert_eq!(tried, RIGHT);
        let almost = format!("{password}.");
        for wrong in [almost.as_str(), "", stored] {
            let tried = try_password(&passwords, &hash, wrong).await;
            assert_eq!(tried, WRONG);
        }
    }

    /// Of "éé" by Python's `hashlib.pbkdf2_hmac`: composed, decomposed, and half of each.
    #[rstest]
    #[case::composed(
        "sink-pwd:v1:1:AAAAAAAAAAAAAAAAAAAAAA:5qlFIN1-g05FXVZ8S-fR3xaVsnUt-ueZkz4jNSqWYK4:w6nDqQ"
    )]
    #[case::decomposed(
        "sink-pwd:v1:1:AAAAAAAAAAAAAAAAAAAAAA:ileZsi_EPKCourgjLwz3W4bh7NvZi8HUxJyBqMHXhKU:zIFlzIE"
    )]
    #[case::mixed(
        "sink-pwd:v1:1:AAAAAAAAAAAAAAAAAAAAAA:J-kdJN50Y58NO_ACxH6Eu8lwwwmvtgSExotPXJzUMEc:w6llzIE"
    )]
    #[tokio::test]
    async fn a_hash_of_any_spelling_is_recognised(#[case] stored: &str) {
        let (composed, apart, mixed) = ("\u{e9}\u{e9}", "e\u{301}e\u{301}", "\u{e9}e\u{301}");
        let hash = PasswordHash::new(stored);
        let tried = try_password(&passwords(), &hash, mixed).await;
        assert_eq!(tried, RIGHT);
        let is_mixed = stored.ends_with("w6llzIE");
        for sent in [composed, apart] {
            let tried = try_password(&passwords(), &hash, sent).await;
            assert_eq!(tried, if is_mixed { WRONG } else { RIGHT }, "{sent}");
        }
    }

    #[tokio::test]
    async fn all_spellings_of_a_guess_are_one_failure() {
        let passwords = passwords();
        for i in 0..Passwords::MAX_FAILURES_PER_MINUTE {
            let tried = try_password(&passwords, &cheap(), &format!("\u{e9}e\u{301} {i}")).await;
            assert_eq!(tried, WRONG, "{i}");
        }
        let guessed = try_password(&passwords, &cheap(), "\u{e9}").await;
        assert_matches!(guessed, Err(NotChecked::TooMany(_)));
    }

    #[tokio::test]
    async fn a_password_opens_in_whichever_form_it_was_set_and_is_sent() {
        let passwords = passwords();
        for set in ["caf\u{e9}", "cafe\u{301}"] {
            let password = Password::parse(set).unwrap();
            let hash = passwords.hash(&password).await.unwrap();
            for sent in ["caf\u{e9}", "cafe\u{301}"] {
                assert_eq!(try_password(&passwords, &hash, sent).await, RIGHT);
            }
            assert_eq!(try_password(&passwords, &hash, "cafe").await, WRONG);
        }
    }

    #[tokio::test]
    async fn an_unreadable_hash_matches_nothing() {
        let hash = PasswordHash::new("not a hash");
        let tried = try_password(&passwords(), &hash, "not a hash").await;
        assert_eq!(tried, WRONG);
    }

    /// Uses up the failures that this client may have without a pause.
    async fn guess_from(client: &str, passwords: &Passwords, times: u32) {
        for i in 0..times {
            let wrong = format!("guess {i}");
            let tried = try_from(client, passwords, &cheap(), &wrong).await;
            assert_eq!(tried, WRONG, "{client}, {i}");
        }
    }

    #[tokio::test]
    async fn guesses_run_out_and_the_right_password_still_opens() {
        let passwords = passwords();
        guess_from("192.0.2.1", &passwords, Passwords::MAX_FAILURES_PER_MINUTE).await;
        for _ in 0..20 {
            let tried = try_password(&passwords, &cheap(), "x").await;
            assert_eq!(tried, RIGHT, "a right one costs no pause");
        }
        let guessed = try_password(&passwords, &cheap(), "y").await;
        assert_matches!(guessed, Err(NotChecked::TooMany(_)));
        let tried = try_password(&passwords, &cheap(), "x").await;
        assert_eq!(tried, RIGHT, "after a pause");
    }

    #[tokio::test]
    async fn networks_of_one_site_guess_as_one_and_others_are_free() {
        let passwords = passwords();
        let max = Passwords::MAX_FAILURES_PER_MINUTE;
        guess_from("2001:db8:0:1::1", &passwords, max).await;
        let neighbour = "2001:db8:0:1::2";
        let guessed = try_from(neighbour, &passwords, &cheap(), "y").await;
        assert!(guessed.is_err(), "the same /64");
        guess_from("2001:db8:0:2::1", &passwords, max).await;
        guess_from("2001:db8:0:3::1", &passwords, max).await;
        guess_from("2001:db8:0:4::1", &passwords, max).await;
        let unused = "2001:db8:0:5::1";
        let guessed = try_from(unused, &passwords, &cheap(), "y").await;
        assert!(guessed.is_err(), "the same /48");
        guess_from("2001:db8:1::1", &passwords, max).await;
    }

    #[tokio::test]
    async fn many_sites_that_guess_one_link_are_slowed_and_none_is_kept_out() {
        let passwords = passwords();
        for site in 0..10 {
            guess_from(&format!("192.0.2.{site}"), &passwords, 10).await;
        }
        let newcomer = "198.51.100.1";
        let tried = try_from(newcomer, &passwords, &cheap(), "x").await;
        assert_eq!(tried, RIGHT);
        let mistyped = try_from(newcomer, &passwords, &cheap(), "y").await;
        let wait = TooManyAttempts {
            retry_after: Guesses::LONG_PAUSE,
        };
        assert_eq!(mistyped, Err(NotChecked::TooMany(wait)));
        let too_soon = try_from(newcomer, &passwords, &cheap(), "x").await;
        assert!(too_soon.is_err(), "the pause is long");
        let tried = try_from("198.51.100.2", &passwords, &cheap(), "x").await;
        assert_eq!(tried, RIGHT, "the mistake of another site is no matter");
    }

    #[tokio::test]
    async fn many_right_visitors_behind_one_address_get_in_at_the_same_time() {
        let passwords = Arc::new(passwords());
        let password = Password::parse("pässword").unwrap();
        let hash = passwords.hash(&password).await.unwrap();
        let all_at_once = || async {
            let visitors: Vec<_> = (0..40)
                .map(|_| {
                    let (passwords, hash) = (Arc::clone(&passwords), hash.clone());
                    tokio::spawn(async move { try_password(&passwords, &hash, "pässword").await })
                })
                .collect();
            for visitor in visitors {
                assert_eq!(visitor.await.unwrap(), RIGHT);
            }
        };
        all_at_once().await;
        guess_from("192.0.2.1", &passwords, Passwords::MAX_FAILURES_PER_MINUTE).await;
        let tried = try_password(&passwords, &hash, "pässword").await;
        assert_eq!(tried, RIGHT);
    }

    #[tokio::test]
    async fn one_client_with_the_right_password_leaves_places_to_others() {
        let passwords = Arc::new(passwords());
        let mut computing = Vec::new();
        for _ in 0..Passwords::AT_A_TIME {
            computing.push(passwords.visitors.permit().await.unwrap());
        }
        let attempt = |client: String| {
            let passwords = Arc::clone(&passwords);
            tokio::spawn(async move { try_from(&client, &passwords, &cheap(), "x").await })
        };
        // The networks of one /48 are one site.
        let many = (0..2 * Passwords::WAITING_VISITORS).map(|i| format!("2001:db8:0:{i:x}::1"));
        let many: Vec<_> = many.map(attempt).collect();
        let site = ClientNetwork::of("2001:db8::1".parse().unwrap()).site();
        while passwords.sites.requests(&site) < Passwords::WAITING_VISITORS {
            tokio::task::yield_now().await;
        }
        let other = attempt("192.0.2.1".into());
        let others = ClientNetwork::of("192.0.2.1".parse().unwrap());
        while passwords.sites.requests(&others) == 0 && !other.is_finished() {
            tokio::task::yield_now().await;
        }
        drop(computing);
        assert_eq!(other.await.unwrap(), RIGHT);
        let mut let_in = 0;
        for visitor in many {
            match visitor.await.unwrap() {
                Ok(PasswordCheck::Right) => let_in += 1,
                refused => assert_eq!(refused, Err(NotChecked::Busy(Busy))),
            }
        }
        assert!(let_in >= Passwords::WAITING_VISITORS, "{let_in}");
        assert_eq!(passwords.sites.requests(&site), 0);
    }

    #[tokio::test]
    async fn guesses_sent_at_the_same_time_are_limited_like_others() {
        let passwords = Arc::new(passwords());
        let guesses: Vec<_> = (0..100)
            .map(|i| {
                let passwords = Arc::clone(&passwords);
                tokio::spawn(async move {
                    try_password(&passwords, &cheap(), &format!("guess {i}")).await
                })
            })
            .collect();
        let mut compared = 0;
        for guess in guesses {
            match guess.await.unwrap() {
                Ok(PasswordCheck::Wrong) => compared += 1,
                other => assert_matches!(other, Err(NotChecked::TooMany(_))),
            }
        }
        let max = usize::try_from(Passwords::MAX_FAILURES_PER_MINUTE).unwrap();
        let most = max + Passwords::AT_A_TIME - 1;
        assert!((max..=most).contains(&compared), "{compared}");
    }

    #[tokio::test]
    async fn a_guess_counts_although_its_author_hangs_up() {
        let passwords = Arc::new(passwords());
        for _ in 0..Passwords::MAX_FAILURES_PER_MINUTE {
            let waiting = Arc::clone(&passwords);
            let passwords = Arc::clone(&passwords);
            let guess = tokio::spawn(async move {
                let _ = try_password(&passwords, &cheap(), "y").await;
            });
            // The first poll hands the work over to another thread.
            tokio::task::yield_now().await;
            guess.abort();
            let _ = guess.await;
            while waiting.visitors.free() < Passwords::AT_A_TIME {
                tokio::task::yield_now().await;
            }
        }
        let guessed = try_password(&passwords, &cheap(), "y").await;
        assert_matches!(guessed, Err(NotChecked::TooMany(_)));
    }
}
