//! Every error code, its status and its title.

/// The stable name of an error kind. Clients may rely on it; texts may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Code {
    /// Members are missing or out of bounds; `data.issues` lists them.
    ValidationError,
    /// The body is not JSON.
    InvalidJson,
    /// The body is not CSV with the columns of links.
    InvalidCsv,
    /// The request has more links than allowed.
    TooManyLinks,
    /// The cursor was not issued for this listing.
    InvalidCursor,
    /// No token, or a wrong one.
    Unauthorized,
    /// No link has the slug.
    LinkNotFound,
    /// No such version of the link is kept.
    VersionNotFound,
    /// The link has expired.
    LinkExpired,
    /// The password is wrong.
    WrongPassword,
    /// The link is flagged unsafe and the visitor has not confirmed it.
    ConfirmationRequired,
    /// The caller's token does not permit this.
    MissingScope,
    /// The change would leave the links that the caller's token is bound to.
    OutOfReach,
    /// The instance is a public demonstration, which forbids this.
    PreviewMode,
    /// A proxied link leads to an address to which the service does not connect.
    ProxyTargetNotAllowed,
    /// A proxied link's destination gave no answer.
    ProxyFailed,
    /// The limit of concurrent proxied requests is reached.
    ProxyBusy,
    /// A browser asks a proxied link for the script of a service worker.
    ServiceWorkerNotServed,
    /// No token has the name.
    TokenNotFound,
    /// No domain has the host.
    DomainNotFound,
    /// The path does not exist.
    RouteNotFound,
    /// The path exists, but not with this method.
    MethodNotAllowed,
    /// An active link has the slug.
    SlugTaken,
    /// Another request changed the link at the same time.
    LinkModified,
    /// The link is not a version that the request was meant for.
    PreconditionFailed,
    /// Another link has the id.
    IdTaken,
    /// Another token has the name.
    TokenNameTaken,
    /// The host is named already.
    DomainExists,
    /// The domain has links, so it is not taken away.
    DomainHasLinks,
    /// The key belongs to another request.
    IdempotencyKeyReused,
    /// The link that the same request made was deleted.
    LinkDeleted,
    /// The cursor belongs to a run of the migration that is over.
    MigrationRunGone,
    /// The page of the migration that the cursor names was already moved.
    MigrationPageDone,
    /// The body arrived too slowly.
    RequestTimeout,
    /// The body exceeds the server's limit.
    BodyTooLarge,
    /// The path behind a slug is too long.
    UriTooLong,
    /// Links still have to be moved here from an older instance.
    MigrationRequired,
    /// There were too many failed attempts; the client must wait.
    TooManyAttempts,
    /// The token's own requests are in the way; it must wait for them or end them.
    TokenBusy,
    /// The token wrote too often; it must wait.
    TooManyWrites,
    /// The server failed.
    InternalError,
    /// Links or the access log cannot be reached at the moment.
    Unavailable,
    /// The maximum number of passwords is being checked or set.
    Busy,
    /// The answer would exceed the time limit of queries.
    QueryTimeout,
    /// The maximum number of watchers of visits is reached.
    TooManyWatchers,
}

impl Code {
    /// Every code, for documents and tests.
    pub const ALL: &'static [Self] = &[
        Self::ValidationError,
        Self::InvalidJson,
        Self::InvalidCsv,
        Self::TooManyLinks,
        Self::InvalidCursor,
        Self::Unauthorized,
        Self::LinkNotFound,
        Self::VersionNotFound,
        Self::LinkExpired,
        Self::WrongPassword,
        Self::ConfirmationRequired,
        Self::MissingScope,
        Self::OutOfReach,
        Self::PreviewMode,
        Self::ProxyTargetNotAllowed,
        Self::ProxyFailed,
        Self::ProxyBusy,
        Self::ServiceWorkerNotServed,
        Self::TokenNotFound,
        Self::DomainNotFound,
        Self::RouteNotFound,
        Self::MethodNotAllowed,
        Self::SlugTaken,
        Self::LinkModified,
        Self::PreconditionFailed,
        Self::IdTaken,
        Self::TokenNameTaken,
        Self::DomainExists,
        Self::DomainHasLinks,
        Self::IdempotencyKeyReused,
        Self::LinkDeleted,
        Self::MigrationRunGone,
        Self::MigrationPageDone,
        Self::RequestTimeout,
        Self::BodyTooLarge,
        Self::UriTooLong,
        Self::MigrationRequired,
        Self::TooManyAttempts,
        Self::TokenBusy,
        Self::TooManyWrites,
        Self::InternalError,
        Self::Unavailable,
        Self::Busy,
        Self::QueryTimeout,
        Self::TooManyWatchers,
    ];

    /// Returns the code as bodies spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ValidationError => "validation_error",
            Self::InvalidJson => "invalid_json",
            Self::InvalidCsv => "invalid_csv",
            Self::TooManyLinks => "too_many_links",
            Self::InvalidCursor => "invalid_cursor",
            Self::Unauthorized => "unauthorized",
            Self::LinkNotFound => "link_not_found",
            Self::VersionNotFound => "version_not_found",
            Self::LinkExpired => "link_expired",
            Self::WrongPassword => "wrong_password",
            Self::ConfirmationRequired => "confirmation_required",
            Self::MissingScope => "missing_scope",
            Self::OutOfReach => "out_of_reach",
            Self::PreviewMode => "preview_mode",
            Self::ProxyTargetNotAllowed => "proxy_target_not_allowed",
            Self::ProxyFailed => "proxy_failed",
            Self::ProxyBusy => "proxy_busy",
            Self::ServiceWorkerNotServed => "service_worker_not_served",
            Self::TokenNotFound => "token_not_found",
            Self::DomainNotFound => "domain_not_found",
            Self::RouteNotFound => "route_not_found",
            Self::MethodNotAllowed => "method_not_allowed",
            Self::SlugTaken => "slug_taken",
            Self::LinkModified => "link_modified",
            Self::PreconditionFailed => "precondition_failed",
            Self::IdTaken => "id_taken",
            Self::TokenNameTaken => "token_name_taken",
            Self::DomainExists => "domain_exists",
            Self::DomainHasLinks => "domain_has_links",
            Self::IdempotencyKeyReused => "idempotency_key_reused",
            Self::LinkDeleted => "link_deleted",
            Self::MigrationRunGone => "migration_run_gone",
            Self::MigrationPageDone => "migration_page_done",
            Self::RequestTimeout => "request_timeout",
            Self::BodyTooLarge => "body_too_large",
            Self::UriTooLong => "uri_too_long",
            Self::MigrationRequired => "migration_required",
            Self::TooManyAttempts => "too_many_attempts",
            Self::TokenBusy => "token_busy",
            Self::TooManyWrites => "too_many_writes",
            Self::InternalError => "internal_error",
            Self::Unavailable => "unavailable",
            Self::Busy => "busy",
            Self::QueryTimeout => "query_timeout",
            Self::TooManyWatchers => "too_many_watchers",
        }
    }

    /// Returns the HTTP status of the code.
    pub fn status(self) -> u16 {
        match self {
            Self::ValidationError
            | Self::InvalidJson
            | Self::InvalidCsv
            | Self::TooManyLinks
            | Self::InvalidCursor => 400,
            Self::Unauthorized => 401,
            Self::WrongPassword
            | Self::ConfirmationRequired
            | Self::MissingScope
            | Self::OutOfReach
            | Self::PreviewMode
            | Self::ProxyTargetNotAllowed
            | Self::ServiceWorkerNotServed => 403,
            Self::LinkNotFound
            | Self::VersionNotFound
            | Self::TokenNotFound
            | Self::DomainNotFound
            | Self::RouteNotFound => 404,
            Self::MethodNotAllowed => 405,
            Self::RequestTimeout => 408,
            Self::SlugTaken
            | Self::LinkModified
            | Self::IdTaken
            | Self::TokenNameTaken
            | Self::DomainExists
            | Self::DomainHasLinks
            | Self::MigrationRunGone
            | Self::MigrationPageDone => 409,
            Self::LinkExpired | Self::LinkDeleted => 410,
            Self::PreconditionFailed => 412,
            Self::BodyTooLarge => 413,
            Self::UriTooLong => 414,
            Self::IdempotencyKeyReused => 422,
            Self::MigrationRequired => 423,
            Self::TooManyAttempts | Self::TokenBusy | Self::TooManyWrites => 429,
            Self::InternalError => 500,
            Self::ProxyFailed => 502,
            Self::Unavailable
            | Self::Busy
            | Self::ProxyBusy
            | Self::QueryTimeout
            | Self::TooManyWatchers => 503,
        }
    }

    /// Returns the short text of the code (`statusMessage` on the wire).
    pub fn title(self) -> &'static str {
        match self {
            Self::ValidationError => "Validation Error",
            Self::InvalidJson | Self::InvalidCsv => "Bad Request",
            Self::TooManyLinks => "Too many links",
            Self::InvalidCursor => "Invalid pagination cursor",
            Self::Unauthorized => "Unauthorized",
            Self::LinkNotFound => "Link not found",
            Self::VersionNotFound => "Version not found",
            Self::LinkExpired => "Link expired",
            Self::WrongPassword => "Incorrect password",
            Self::ConfirmationRequired => {
                "Unsafe link: confirmation required (set x-link-confirm: true header)"
            }
            Self::MissingScope => "The token lacks a scope",
            Self::OutOfReach => "Outside the links of the token",
            Self::PreviewMode => "Preview mode cannot change links.",
            Self::ProxyTargetNotAllowed => "Proxy target is not allowed",
            Self::ProxyFailed => "Proxy request failed",
            Self::ProxyBusy => "Too many proxied requests",
            Self::ServiceWorkerNotServed => "Service workers are not served",
            Self::TokenNotFound => "Token not found",
            Self::DomainNotFound => "Domain not found",
            Self::RouteNotFound => "Not Found",
            Self::MethodNotAllowed => "Method Not Allowed",
            Self::SlugTaken => "Link already exists",
            Self::LinkModified => "Link was modified or replaced",
            Self::PreconditionFailed => "Precondition Failed",
            Self::IdTaken => "Link id already exists",
            Self::TokenNameTaken => "Token already exists",
            Self::DomainExists => "Domain already exists",
            Self::DomainHasLinks => "Domain has links",
            Self::IdempotencyKeyReused => "The key belongs to another request",
            Self::LinkDeleted => "Link was deleted",
            Self::MigrationRunGone => "Migration run no longer exists",
            Self::MigrationPageDone => "Migration page was already processed",
            Self::RequestTimeout => "Request Timeout",
            Self::BodyTooLarge => "Payload Too Large",
            Self::UriTooLong => "URI Too Long",
            Self::MigrationRequired => "Link migration is required",
            Self::TooManyAttempts => "Too Many Requests",
            Self::TokenBusy => "The token is busy",
            Self::TooManyWrites => "Too many writes",
            Self::InternalError => "Server Error",
            Self::Unavailable => "Service Unavailable",
            Self::Busy => "Too many passwords at once",
            Self::QueryTimeout => "Analytics query took too long",
            Self::TooManyWatchers => "Too many watch visits",
        }
    }
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
