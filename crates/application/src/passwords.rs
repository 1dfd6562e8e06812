//! Passwords of links: hashing them, and checking what visitors type.

use std::{fmt, net::IpAddr, sync::Arc};

use argon2::{
    Argon2, PasswordVerifier,
    password_hash::{PasswordHasher, phc},
};
use base64::{
    Engine, alphabet,
    engine::{GeneralPurpose, general_purpose},
};
use pbkdf2::pbkdf2_hmac_array;
use sha2::Sha256;
use slugline_domain::{
    ImportedPassword, Password, PasswordForm, PasswordFormError, PasswordHash, SinkForm, Slug,
    UnixMillis, ports::Random,
};
use subtle::ConstantTimeEq;
use thiserror::Error;
use tokio::{sync::Semaphore, task};

use crate::attempts::{AttemptLimit, TooManyAttempts};

/// Hashes passwords with Argon2id and checks them against every stored form,
/// away from the threads that serve requests.
///
/// One hash takes about 20 MiB of memory and tens of milliseconds, so few run
/// at a time and wrong attempts are limited per link and client.
pub struct Passwords {
    random: Arc<dyn Random>,
    at_work: Semaphore,
    failures: AttemptLimit<(Slug, IpAddr)>,
}

/// What came of checking a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PasswordCheck {
    /// It is the link's password.
    Right,
    /// It is not.
    Wrong,
}

/// A password could not be hashed.
#[derive(Debug, Error)]
#[error("argon2 failed: {0}")]
pub struct HashError(String);

/// Somebody trying a password on a link.
#[derive(Clone, Debug)]
pub struct PasswordAttempt<'a> {
    /// The link.
    pub slug: &'a Slug,
    /// Its stored password.
    pub hash: &'a PasswordHash,
    /// What was typed, unparsed: stored passwords are trimmed, so this is too.
    pub presented: &'a str,
    /// Who tries.
    pub client: IpAddr,
    /// When.
    pub now: UnixMillis,
}

impl Passwords {
    /// Wrong passwords a client may try on one link in a minute.
    pub const MAX_FAILURES_PER_MINUTE: u32 = 10;
    /// Hashes computed at the same time. Two keep a small machine responsive.
    const CONCURRENT_HASHES: usize = 2;
    /// Pairs of link and client whose failures are remembered.
    const REMEMBERED_PAIRS: usize = 10_000;

    /// Draws salts from this source.
    pub fn new(random: Arc<dyn Random>) -> Self {
        Self {
            random,
            at_work: Semaphore::new(Self::CONCURRENT_HASHES),
            failures: AttemptLimit::new(Self::MAX_FAILURES_PER_MINUTE, Self::REMEMBERED_PAIRS),
        }
    }

    /// The stored form of a password: a PHC string with Argon2's default
    /// parameters (19 MiB, two passes, one lane; the OWASP minimum).
    ///
    /// # Errors
    /// Argon2 itself failed, for want of memory for instance.
    pub async fn hash(&self, password: &Password) -> Result<PasswordHash, HashError> {
        let mut salt = [0; 16];
        self.random.fill(&mut salt);
        let password = password.clone();
        self.compute(move || {
            let hash: phc::PasswordHash = Argon2::default()
                .hash_password_with_salt(password.reveal().as_bytes(), &salt)
                .map_err(|error| HashError(error.to_string()))?;
            Ok(PasswordHash::new(hash.to_string()))
        })
        .await?
    }

    /// The stored form of an imported password: its own, or a new one when it
    /// comes in clear.
    ///
    /// # Errors
    /// As for [`Passwords::hash`].
    pub async fn adopt(&self, imported: ImportedPassword) -> Result<PasswordHash, HashError> {
        match imported {
            ImportedPassword::Hashed(hash) => Ok(hash),
            ImportedPassword::Plain(password) => self.hash(&password).await,
        }
    }

    /// Checks what a visitor typed.
    ///
    /// # Errors
    /// The visitor was wrong too often; nothing was compared.
    pub async fn check(
        &self,
        attempt: PasswordAttempt<'_>,
    ) -> Result<PasswordCheck, TooManyAttempts> {
        let key = (attempt.slug.clone(), attempt.client);
        self.failures.begin(&key, attempt.now)?;
        let stored = attempt.hash.clone();
        let presented = attempt.presented.trim().to_owned();
        let matches = self
            .compute(move || verify(&stored, &presented))
            .await
            .unwrap_or(false);
        if !matches {
            return Ok(PasswordCheck::Wrong);
        }
        self.failures.succeeded(&key);
        Ok(PasswordCheck::Right)
    }

    async fn compute<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, HashError> {
        let _permit = self
            .at_work
            .acquire()
            .await
            .expect("the semaphore is never closed");
        task::spawn_blocking(work)
            .await
            .map_err(|error| HashError(error.to_string()))
    }
}

impl fmt::Debug for Passwords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Passwords").finish_non_exhaustive()
    }
}

/// A stored form that cannot be read matches nothing.
fn verify(stored: &PasswordHash, presented: &str) -> bool {
    match PasswordForm::of(stored.as_str()) {
        Ok(PasswordForm::Argon2id) => phc::PasswordHash::new(stored.as_str()).is_ok_and(|hash| {
            Argon2::default()
                .verify_password(presented.as_bytes(), &hash)
                .is_ok()
        }),
        Ok(PasswordForm::Sink(form)) => verify_sink(form, presented),
        Err(
            PasswordFormError::Unknown
            | PasswordFormError::Malformed
            | PasswordFormError::TooCostly,
        ) => false,
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
    use slugline_testkit::{NOON, SeededRandom, slug};

    use super::*;

    fn passwords() -> Passwords {
        Passwords::new(Arc::new(SeededRandom::new(1)))
    }

    async fn try_password(
        passwords: &Passwords,
        hash: &PasswordHash,
        presented: &str,
    ) -> Result<PasswordCheck, TooManyAttempts> {
        let client = IpAddr::from([192, 0, 2, 1]);
        let slug = slug("docs");
        let now = NOON.start();
        passwords
            .check(PasswordAttempt {
                slug: &slug,
                hash,
                presented,
                client,
                now,
            })
            .await
    }

    #[tokio::test]
    async fn a_hashed_password_is_recognised_and_salted() {
        let passwords = passwords();
        let password = Password::parse("pässword").unwrap();
        let hash = passwords.hash(&password).await.unwrap();
        assert!(hash.as_str().starts_with("$argon2id$"), "{}", hash.as_str());
        assert_eq!(
            try_password(&passwords, &hash, " pässword ").await,
            Ok(PasswordCheck::Right)
        );
        assert_eq!(
            try_password(&passwords, &hash, "passwort").await,
            Ok(PasswordCheck::Wrong)
        );
        assert_ne!(
            passwords.hash(&password).await.unwrap(),
            hash,
            "each hash has its own salt"
        );
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
    #[tokio::test]
    async fn a_hash_of_sink_is_recognised_and_adopted(
        #[case] password: &str,
        #[case] stored: &str,
    ) {
        let passwords = passwords();
        let imported = ImportedPassword::parse(stored).unwrap();
        let hash = passwords.adopt(imported).await.unwrap();
        assert_eq!(hash.as_str(), stored);
        assert_eq!(
            try_password(&passwords, &hash, password).await,
            Ok(PasswordCheck::Right)
        );
        let almost = format!("{password}.");
        for wrong in [almost.as_str(), "", stored] {
            assert_eq!(
                try_password(&passwords, &hash, wrong).await,
                Ok(PasswordCheck::Wrong)
            );
        }
    }

    #[tokio::test]
    async fn an_unreadable_hash_matches_nothing_and_attempts_run_out() {
        let passwords = passwords();
        let hash = PasswordHash::new("not a hash");
        for _ in 0..Passwords::MAX_FAILURES_PER_MINUTE {
            assert_eq!(
                try_password(&passwords, &hash, "not a hash").await,
                Ok(PasswordCheck::Wrong)
            );
        }
        assert!(try_password(&passwords, &hash, "not a hash").await.is_err());
    }
}
