//! The address that tokens of assistants open, as clients find it (RFC 9728).

use actix_web::http::header::HeaderValue;
use slugline_domain::BaseUrl;

/// The address that tokens of assistants open, and the document that tells clients how to get one.
#[derive(Clone, Debug)]
pub struct ProtectedResource {
    path: &'static str,
    identifier: String,
    metadata: String,
    scope: String,
}

impl ProtectedResource {
    /// The path of the document about a resource at the root of an origin (RFC 9728, section 3.1).
    pub const METADATA_PATH: &'static str = "/.well-known/oauth-protected-resource";

    /// The resource at this path of the service, for which clients first ask for these scopes.
    pub fn new(base: &BaseUrl, path: &'static str, scope: String) -> Self {
        Self {
            path,
            identifier: format!("{base}{path}"),
            metadata: base.well_known(Self::METADATA_PATH, path),
            scope,
        }
    }

    /// The address, which tokens name (RFC 8707).
    pub fn identifier(&self) -> &str {
        &self.identifier
    }

    /// Returns whether a request for this path is one for the resource.
    pub(crate) fn is_at(&self, path: &str) -> bool {
        path.trim_end_matches('/') == self.path
    }

    /// The challenge for a request without a right token. Connector dialogs give up without the
    /// address of the document.
    pub(crate) fn challenge(&self, error: Option<&str>) -> HeaderValue {
        self.bearer(error, &self.scope)
    }

    /// The challenge for a request that needs these scopes, separated by blanks (RFC 6750, section
    /// 3.1).
    pub(crate) fn insufficient(&self, scope: &str) -> HeaderValue {
        self.bearer(Some("insufficient_scope"), scope)
    }

    fn bearer(&self, error: Option<&str>, scope: &str) -> HeaderValue {
        let error = error.map_or_else(String::new, |error| format!(r#"error="{error}", "#));
        let Self { metadata, .. } = self;
        let text = format!(
            r#"Bearer realm="slugline", {error}resource_metadata="{metadata}", scope="{scope}""#
        );
        HeaderValue::from_str(&text).expect("an origin and scopes are visible ASCII")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_challenge_names_the_document_and_the_scopes() {
        let base = "https://sl.example".parse().unwrap();
        let resource = ProtectedResource::new(&base, "/api/mcp", "links:read".into());
        assert_eq!(resource.identifier(), "https://sl.example/api/mcp");
        assert_eq!(
            resource.challenge(None),
            "Bearer realm=\"slugline\", \
             resource_metadata=\"https://sl.example/.well-known/oauth-protected-resource/api/mcp\", \
             scope=\"links:read\""
        );
        let asked = resource.insufficient("links:write");
        assert!(
            asked
                .to_str()
                .unwrap()
                .contains("error=\"insufficient_scope\"")
        );
        for (path, expected) in [
            ("/api/mcp", true),
            ("/api/mcp//", true),
            ("/api/mcp/x", false),
        ] {
            assert_eq!(resource.is_at(path), expected, "{path}");
        }
    }
}
