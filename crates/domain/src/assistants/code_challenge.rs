//! Proof that the client that exchanges a code is the one who asked for it (PKCE, RFC 7636).

/// The challenge of a request, by the method `S256`: the SHA-256 digest of a verifier, in base64url.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeChallenge(Box<str>);

text_form!(CodeChallenge: as_str);

impl CodeChallenge {
    /// The length of 256 bits in base64url.
    const CHARS: usize = 43;

    /// Checks a challenge; `None` if it is no digest in base64url.
    pub fn parse(text: &str) -> Option<Self> {
        let fits = text.len() == Self::CHARS
            && text
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b));
        fits.then(|| Self(text.into()))
    }
}

/// A verifier, which its owner keeps until the exchange.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeVerifier(Box<str>);

text_form!(CodeVerifier: as_str);

impl CodeVerifier {
    /// Checks a verifier; `None` if it has not the form of RFC 7636, section 4.1.
    pub fn parse(text: &str) -> Option<Self> {
        let fits = (43..=128).contains(&text.len())
            && text
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"-._~".contains(&b));
        fits.then(|| Self(text.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_challenge_is_a_digest_and_a_verifier_is_long() {
        let digest = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
        assert_eq!(CodeChallenge::parse(digest).unwrap().as_str(), digest);
        assert_eq!(CodeChallenge::parse(&digest[1..]), None);
        assert_eq!(CodeChallenge::parse(&digest.replace('-', "+")), None);
        assert!(CodeVerifier::parse(&"a~._-".repeat(10)).is_some());
        for wrong in ["a".repeat(42), "a".repeat(129), "a b".repeat(20)] {
            assert_eq!(CodeVerifier::parse(&wrong), None, "{wrong}");
        }
    }
}
