//! The secret texts on the way to a token. Only their digests are stored.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest, Sha256};
use slugline_domain::{
    assistants::{CodeChallenge, CodeVerifier},
    ports::Random,
};
use subtle::ConstantTimeEq;

pub(super) use crate::secret_text::digest_of;
use crate::secret_text::{SECRET_BYTES, has_bytes, mint};

/// A cookie or a code.
pub(super) fn mint_secret(random: &dyn Random) -> String {
    mint::<SECRET_BYTES>(random)
}

/// Returns whether a text has the form of a cookie or a code.
pub(super) fn is_secret(text: &str) -> bool {
    has_bytes(text, SECRET_BYTES)
}

/// The identifier of a new application.
pub(super) fn mint_client_id(random: &dyn Random) -> String {
    format!("assistant-{}", mint::<16>(random))
}

/// A refresh token: what all of a connection have in common, and a secret of its own. So a spent
/// one is known without a list of spent ones.
pub(super) struct RefreshText {
    family: String,
    secret: String,
}

impl RefreshText {
    const PREFIX: &'static str = "slugline_refresh_";
    /// The length of 128 bits in base64url.
    const FAMILY_CHARS: usize = 22;

    /// The first of a new connection.
    pub(super) fn mint(random: &dyn Random) -> Self {
        Self {
            family: mint::<16>(random),
            secret: mint::<SECRET_BYTES>(random),
        }
    }

    /// The next of the same connection.
    pub(super) fn next(&self, random: &dyn Random) -> Self {
        Self {
            family: self.family.clone(),
            secret: mint::<SECRET_BYTES>(random),
        }
    }

    /// Reads a text; `None` if its form shows that it is none.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let rest = text.strip_prefix(Self::PREFIX)?;
        let (family, secret) = rest.split_at_checked(Self::FAMILY_CHARS)?;
        (has_bytes(family, 16) && has_bytes(secret, SECRET_BYTES)).then(|| Self {
            family: family.to_owned(),
            secret: secret.to_owned(),
        })
    }

    pub(super) fn text(&self) -> String {
        format!("{}{}{}", Self::PREFIX, self.family, self.secret)
    }

    pub(super) fn digest(&self) -> [u8; 32] {
        digest_of(&self.text())
    }

    pub(super) fn family_digest(&self) -> [u8; 32] {
        digest_of(&self.family)
    }
}

/// Returns whether a verifier meets a challenge (RFC 7636, section 4.6).
pub(super) fn meets(verifier: &CodeVerifier, challenge: &CodeChallenge) -> bool {
    let answer = URL_SAFE_NO_PAD.encode(digest_of(verifier.as_str()));
    answer
        .as_bytes()
        .ct_eq(challenge.as_str().as_bytes())
        .into()
}

/// The value that a form has to bring back: only who has the cookie can know it, and it fits one
/// request.
pub(super) fn form_value(cookie: &str, request: &str) -> String {
    let value = Sha256::new_with_prefix("consent form ")
        .chain_update(cookie)
        .chain_update(" ")
        .chain_update(request);
    URL_SAFE_NO_PAD.encode(value.finalize())
}

#[cfg(test)]
mod tests {
    use slugline_testkit::SeededRandom;

    use super::*;

    #[test]
    fn a_verifier_meets_its_challenge_only() {
        // RFC 7636, appendix B.
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
        let verifier = CodeVerifier::parse(verifier).unwrap();
        let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
        assert!(meets(&verifier, &CodeChallenge::parse(challenge).unwrap()));
        let plain = CodeChallenge::parse(verifier.as_str()).unwrap();
        assert!(!meets(&verifier, &plain), "the method plain");
    }

    #[test]
    fn refresh_tokens_of_a_connection_have_its_family_in_common() {
        let random = SeededRandom::new(1);
        let first = RefreshText::mint(&random);
        let read = RefreshText::parse(&first.text()).unwrap();
        assert_eq!(read.digest(), first.digest());
        let next = read.next(&random);
        assert_eq!(next.family_digest(), first.family_digest());
        assert_ne!(next.digest(), first.digest());
        for wrong in [
            "",
            "slugline_refresh_",
            "slugline_refresh_ü",
            &first.text()[1..],
        ] {
            assert!(RefreshText::parse(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn a_form_fits_one_cookie_and_one_request() {
        let value = form_value("a", "x");
        assert_eq!(value, form_value("a", "x"));
        assert_ne!(value, form_value("b", "x"));
        assert_ne!(value, form_value("a", "y"));
    }
}
