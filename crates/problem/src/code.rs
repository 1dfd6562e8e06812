//! Every error code, its status and its title.

/// Makes the enum of the rows of a table: the code, its HTTP status, its word and its title.
macro_rules! codes {
    ($($(#[$about:meta])+ $code:ident: $status:literal, $word:literal, $title:literal;)+) => {
        /// The stable name of an error kind. Clients may rely on it; texts may change.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Code {
            $($(#[$about])+ $code,)+
        }

        impl Code {
            /// Every code, for documents and tests.
            pub const ALL: &'static [Self] = &[$(Self::$code),+];

            /// Returns the code as bodies spell it.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$code => $word,)+
                }
            }

            /// Returns the HTTP status of the code.
            pub fn status(self) -> u16 {
                match self {
                    $(Self::$code => $status,)+
                }
            }

            /// Returns the short text of the code (`statusMessage` on the wire).
            pub fn title(self) -> &'static str {
                match self {
                    $(Self::$code => $title,)+
                }
            }
        }
    };
}

codes! {
    /// Members are missing or out of bounds; `data.issues` lists them.
    ValidationError: 400, "validation_error", "Validation Error";
    /// The body is not JSON.
    InvalidJson: 400, "invalid_json", "Bad Request";
    /// The body is not CSV with the columns of links.
    InvalidCsv: 400, "invalid_csv", "Bad Request";
    /// The request has more links than allowed.
    TooManyLinks: 400, "too_many_links", "Too many links";
    /// The cursor was not issued for this listing.
    InvalidCursor: 400, "invalid_cursor", "Invalid pagination cursor";
    /// No token, or a wrong one.
    Unauthorized: 401, "unauthorized", "Unauthorized";
    /// No link has the slug.
    LinkNotFound: 404, "link_not_found", "Link not found";
    /// No such version of the link is kept.
    VersionNotFound: 404, "version_not_found", "Version not found";
    /// The link has expired.
    LinkExpired: 410, "link_expired", "Link expired";
    /// The password is wrong.
    WrongPassword: 403, "wrong_password", "Incorrect password";
    /// The link is flagged unsafe and the visitor has not confirmed it.
    ConfirmationRequired: 403, "confirmation_required",
        "Unsafe link: confirmation required (set x-link-confirm: true header)";
    /// The caller's token does not permit this.
    MissingScope: 403, "missing_scope", "The token lacks a scope";
    /// The change would leave the links that the caller's token is bound to.
    OutOfReach: 403, "out_of_reach", "Outside the links of the token";
    /// The instance is a public demonstration, which forbids this.
    PreviewMode: 403, "preview_mode", "Preview mode cannot change links.";
    /// A proxied link leads to an address to which the service does not connect.
    ProxyTargetNotAllowed: 403, "proxy_target_not_allowed", "Proxy target is not allowed";
    /// A proxied link's destination gave no answer.
    ProxyFailed: 502, "proxy_failed", "Proxy request failed";
    /// The limit of concurrent proxied requests is reached.
    ProxyBusy: 503, "proxy_busy", "Too many proxied requests";
    /// A browser asks a proxied link for the script of a service worker.
    ServiceWorkerNotServed: 403, "service_worker_not_served", "Service workers are not served";
    /// No token has the name.
    TokenNotFound: 404, "token_not_found", "Token not found";
    /// No domain has the host.
    DomainNotFound: 404, "domain_not_found", "Domain not found";
    /// The path does not exist.
    RouteNotFound: 404, "route_not_found", "Not Found";
    /// The path exists, but not with this method.
    MethodNotAllowed: 405, "method_not_allowed", "Method Not Allowed";
    /// An active link has the slug.
    SlugTaken: 409, "slug_taken", "Link already exists";
    /// Another request changed the link at the same time.
    LinkModified: 409, "link_modified", "Link was modified or replaced";
    /// The link is not a version that the request was meant for.
    PreconditionFailed: 412, "precondition_failed", "Precondition Failed";
    /// Another link has the id.
    IdTaken: 409, "id_taken", "Link id already exists";
    /// Another token has the name.
    TokenNameTaken: 409, "token_name_taken", "Token already exists";
    /// The host is named already.
    DomainExists: 409, "domain_exists", "Domain already exists";
    /// The domain has links, so it is not taken away.
    DomainHasLinks: 409, "domain_has_links", "Domain has links";
    /// The key belongs to another request.
    IdempotencyKeyReused: 422, "idempotency_key_reused", "The key belongs to another request";
    /// The link that the same request made was deleted.
    LinkDeleted: 410, "link_deleted", "Link was deleted";
    /// The cursor belongs to a run of the migration that is over.
    MigrationRunGone: 409, "migration_run_gone", "Migration run no longer exists";
    /// The page of the migration that the cursor names was already moved.
    MigrationPageDone: 409, "migration_page_done", "Migration page was already processed";
    /// The body arrived too slowly.
    RequestTimeout: 408, "request_timeout", "Request Timeout";
    /// The body exceeds the server's limit.
    BodyTooLarge: 413, "body_too_large", "Payload Too Large";
    /// The path behind a slug is too long.
    UriTooLong: 414, "uri_too_long", "URI Too Long";
    /// The body is in a content coding, and none is read.
    ContentCodingNotRead: 415, "content_coding_not_read", "Unsupported Media Type";
    /// Links still have to be moved here from an older instance.
    MigrationRequired: 423, "migration_required", "Link migration is required";
    /// There were too many failed attempts; the client must wait.
    TooManyAttempts: 429, "too_many_attempts", "Too Many Requests";
    /// The token's own requests are in the way; it must wait for them or end them.
    TokenBusy: 429, "token_busy", "The token is busy";
    /// The token wrote too often; it must wait.
    TooManyWrites: 429, "too_many_writes", "Too many writes";
    /// The server failed.
    InternalError: 500, "internal_error", "Server Error";
    /// Links or the access log cannot be reached at the moment.
    Unavailable: 503, "unavailable", "Service Unavailable";
    /// The maximum number of passwords is being checked or set.
    Busy: 503, "busy", "Too many passwords at once";
    /// The answer would exceed the time limit of queries.
    QueryTimeout: 503, "query_timeout", "Analytics query took too long";
    /// The maximum number of watchers of visits is reached.
    TooManyWatchers: 503, "too_many_watchers", "Too many watch visits";
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn codes_are_distinct_snake_case_words() {
        let words: HashSet<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!(words.len(), Code::ALL.len());
        for word in words {
            assert!(
                word.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'),
                "{word}"
            );
        }
    }
}
