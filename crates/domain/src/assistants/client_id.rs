//! Identifiers of applications.

use thiserror::Error;
use url::Url;

/// The identifier of an application: one that this instance gave it (RFC 7591), or the address of
/// a document in which the application describes itself (client id metadata document).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ClientId(Box<str>);

text_form!(ClientId: as_str, Display);

impl ClientId {
    /// The most bytes of an identifier.
    pub const MAX_BYTES: usize = 512;

    /// Checks an identifier.
    ///
    /// # Errors
    /// It is neither an `https` address with a path nor up to 64 letters, digits, `-` and `_`.
    pub fn parse(text: &str) -> Result<Self, ClientIdError> {
        if text.len() > Self::MAX_BYTES {
            return Err(ClientIdError);
        }
        let given = text.len() <= 64
            && !text.is_empty()
            && text
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b));
        if given || is_address_of_document(text) {
            Ok(Self(text.into()))
        } else {
            Err(ClientIdError)
        }
    }

    /// The address of the document that describes the application; `None` if this instance gave
    /// the identifier.
    pub fn document(&self) -> Option<Url> {
        self.0.contains(':').then(|| {
            let url = Url::parse(&self.0);
            url.expect("an identifier with a colon is an address")
        })
    }
}

/// The rules of draft-ietf-oauth-client-id-metadata-document, section 3. The address has to be
/// spelled the one way in which URLs are written, so that two spellings are not two applications.
fn is_address_of_document(text: &str) -> bool {
    Url::parse(text).is_ok_and(|url| {
        url.scheme() == "https"
            && url.as_str() == text
            && url.path() != "/"
            && url.fragment().is_none()
            && url.username().is_empty()
            && url.password().is_none()
    })
}

/// The text is not an identifier of an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "a client_id is one that this instance gave out, or an https address with a path and without \
     a fragment"
)]
pub struct ClientIdError;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_of_a_document_is_spelled_one_way() {
        let id = ClientId::parse("https://claude.ai/oauth/client.json").unwrap();
        assert_eq!(id.document().unwrap().host_str(), Some("claude.ai"));
        for wrong in [
            "http://claude.ai/client.json",
            "https://claude.ai/",
            "https://claude.ai",
            "https://claude.ai/a/../client.json",
            "https://CLAUDE.ai/client.json",
            "https://claude.ai/client.json#x",
            "https://a:b@claude.ai/client.json",
            "claude.ai:client",
            "",
            "a b",
        ] {
            assert_eq!(ClientId::parse(wrong), Err(ClientIdError), "{wrong}");
        }
        let long = format!("https://claude.ai/{}", "x".repeat(ClientId::MAX_BYTES));
        assert_eq!(ClientId::parse(&long), Err(ClientIdError));
    }

    #[test]
    fn an_identifier_that_was_given_out_names_no_document() {
        let id = ClientId::parse("Ab-_9").unwrap();
        assert_eq!(id.document(), None);
        assert!(ClientId::parse(&"x".repeat(65)).is_err());
    }
}
