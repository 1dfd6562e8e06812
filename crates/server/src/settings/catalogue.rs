//! The list of settings.

/// Settings that belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// The most important settings. The short help shows only these.
    Basics,
    /// Rules for links, and their storage.
    Links,
    /// Answers to visitors.
    Redirects,
    /// Links that forward their destination's answer.
    ProxiedLinks,
    /// The identity and the place of visitors.
    Visitors,
    /// The access log and queries on it.
    Visits,
    /// Checks of destinations.
    Checks,
    /// Servers that the service calls.
    Services,
    /// The log output.
    Log,
    /// Scheduled backups.
    Backups,
    /// Limits and timeouts of connections.
    Connections,
}

impl Group {
    /// The heading in the help.
    pub fn heading(self) -> &'static str {
        match self {
            Self::Basics => "Main settings",
            Self::Links => "Links",
            Self::Redirects => "Redirects",
            Self::ProxiedLinks => "Proxied links",
            Self::Visitors => "Visitors",
            Self::Visits => "Visits",
            Self::Checks => "Checks of destinations",
            Self::Services => "Servers that are called",
            Self::Log => "Log",
            Self::Backups => "Backups",
            Self::Connections => "Connections",
        }
    }
}

/// One setting.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// The heading under which the help shows it.
    pub group: Group,
    /// Name in the environment; the flag is its lower-case form with hyphens.
    pub name: &'static str,
    /// Sink's names for it, read in this order when our variable is not set.
    pub sink_names: &'static [&'static str],
    /// The default value; empty means none.
    pub default: &'static str,
    /// The meaning, with the unit.
    pub meaning: &'static str,
    /// True if the value must not be shown. Such a value may come from a file that the flag or
    /// variable with `file` after its name gives.
    pub secret: bool,
}

impl Setting {
    /// The flag, without its two hyphens: `SLUGLINE_DATA_DIR` → `data-dir`.
    pub fn flag(&self) -> String {
        let name = self.name.strip_prefix("SLUGLINE_").unwrap_or(self.name);
        name.to_ascii_lowercase().replace('_', "-")
    }

    /// `default: minted on first start`, for a default that is not a value.
    pub fn default_in_words(&self) -> Option<&'static str> {
        let (_, bracketed) = self.meaning.split_once('[')?;
        bracketed.strip_suffix(']')
    }

    /// The flag that names a file with the value: `site-token-file`.
    pub fn file_flag(&self) -> String {
        format!("{}-file", self.flag())
    }

    /// The environment variable that names a file with the value.
    pub fn file_variable(&self) -> String {
        format!("{}_FILE", self.name)
    }
}

const fn setting(
    group: Group,
    name: &'static str,
    sink_names: &'static [&'static str],
    default: &'static str,
    meaning: &'static str,
) -> Setting {
    Setting {
        group,
        name,
        sink_names,
        default,
        meaning,
        secret: false,
    }
}

const fn secret(
    group: Group,
    name: &'static str,
    sink_names: &'static [&'static str],
    meaning: &'static str,
) -> Setting {
    Setting {
        group,
        name,
        sink_names,
        default: "",
        meaning,
        secret: true,
    }
}

/// Every setting, in the order of the help.
pub const CATALOGUE: &[Setting] = &[
    setting(
        Group::Basics,
        "SLUGLINE_LISTEN",
        &[],
        "127.0.0.1:8080",
        "Address and port to listen on",
    ),
    setting(
        Group::Basics,
        "SLUGLINE_DATA_DIR",
        &[],
        "./data",
        "Folder of the databases and the minted token",
    ),
    secret(
        Group::Basics,
        "SLUGLINE_SITE_TOKEN",
        &["NUXT_SITE_TOKEN"],
        "Bearer token of the API, 8 characters or more [default: minted on first start]",
    ),
    setting(
        Group::Basics,
        "SLUGLINE_BASE_URL",
        &[],
        "",
        "Public origin, such as https://sl.example [default: as the client sees it]",
    ),
    setting(
        Group::Basics,
        "SLUGLINE_ADMIN_HOST",
        &[],
        "",
        "The only host on which the API, the dashboard and the docs answer; no link is followed there",
    ),
    setting(
        Group::Basics,
        "SLUGLINE_DOMAINS",
        &[],
        "",
        "Further hosts with links of their own, separated by commas; they stay when they leave this list",
    ),
    secret(
        Group::Basics,
        "SLUGLINE_DATABASE_URL",
        &[],
        "Links: sqlite://FILE or postgres://… [default: links.db in the data folder]",
    ),
    secret(
        Group::Basics,
        "SLUGLINE_ANALYTICS_URL",
        &[],
        "Access log: sqlite://FILE or clickhouse+https://USER:PASSWORD@HOST:PORT/DATABASE \
         [default: analytics.db in the data folder]",
    ),
    setting(
        Group::Basics,
        "SLUGLINE_TRUSTED_PROXIES",
        &[],
        "",
        "Networks of proxies whose forwarded headers are believed, comma-separated",
    ),
    secret(
        Group::Links,
        "SLUGLINE_LEGACY_KV_URL",
        &[],
        "Older instance's store to move links from: redis://… or file:FILE, a bulk file",
    ),
    setting(
        Group::Links,
        "SLUGLINE_PUBLIC_SLUG_DEFAULT_LENGTH",
        &["NUXT_PUBLIC_SLUG_DEFAULT_LENGTH"],
        "6",
        "Characters of a generated slug, before any lengthening",
    ),
    setting(
        Group::Links,
        "SLUGLINE_PUBLIC_MAX_URL_LENGTH",
        &["NUXT_PUBLIC_MAX_URL_LENGTH"],
        "16384",
        "Longest destination in characters, 256 to 24000",
    ),
    setting(
        Group::Links,
        "SLUGLINE_CASE_SENSITIVE",
        &["NUXT_CASE_SENSITIVE"],
        "false",
        "Whether Docs and docs are two slugs",
    ),
    setting(
        Group::Links,
        "SLUGLINE_ALLOWED_SCHEMES",
        &[],
        "",
        "Destination schemes beside http and https, comma-separated",
    ),
    setting(
        Group::Links,
        "SLUGLINE_PUBLIC_PREVIEW_MODE",
        &["NUXT_PUBLIC_PREVIEW_MODE"],
        "false",
        "Public demonstration with a public token: links end after 5 minutes and are always \
         screened; the API refuses to edit, delete, import, export and check links, to suggest \
         slugs and previews, and to move links here from an older instance",
    ),
    setting(
        Group::Links,
        "SLUGLINE_IMPORT_REQUEST_LIMIT",
        &["NUXT_IMPORT_REQUEST_LIMIT"],
        "100",
        "Links that one import request may bring, 1 to 1000",
    ),
    setting(
        Group::Links,
        "SLUGLINE_LINK_CACHE_TTL",
        &["NUXT_LINK_CACHE_TTL"],
        "60",
        "Seconds after which a remembered link is read again, with PostgreSQL; changes by other \
         nodes show at once",
    ),
    setting(
        Group::Links,
        "SLUGLINE_LINK_CACHE_MEMORY",
        &[],
        "16",
        "Mebibytes for remembered links, 1 to 65536; some 3,000 links each",
    ),
    setting(
        Group::Links,
        "SLUGLINE_LINK_STALE_TTL",
        &[],
        "86400",
        "Seconds beyond that for which a remembered link works while the database does not answer",
    ),
    setting(
        Group::Links,
        "SLUGLINE_API_CORS",
        &["NUXT_API_CORS"],
        "false",
        "Whether web pages of any origin may call the API (CORS)",
    ),
    setting(
        Group::Links,
        "SLUGLINE_OAUTH",
        &[],
        "true",
        "Whether assistants may connect by consent (OAuth), where SLUGLINE_BASE_URL is https or loopback",
    ),
    setting(
        Group::Links,
        "SLUGLINE_HISTORY_VERSIONS",
        &[],
        "20",
        "Former versions that are kept of each link, up to 1000; with 0 nothing can be undone, and \
         deleted links are gone at once",
    ),
    setting(
        Group::Links,
        "SLUGLINE_TRASH_DAYS",
        &[],
        "30",
        "Days for which a deleted link can be brought back, up to 36500; with 0 it is gone at once",
    ),
    setting(
        Group::Redirects,
        "SLUGLINE_REDIRECT_STATUS_CODE",
        &["NUXT_REDIRECT_STATUS_CODE"],
        "301",
        "Status of redirects: 301, 302, 307 or 308",
    ),
    setting(
        Group::Redirects,
        "SLUGLINE_REDIRECT_MAX_AGE",
        &[],
        "90",
        "Seconds a visitor's browser may remember a redirect",
    ),
    setting(
        Group::Redirects,
        "SLUGLINE_REDIRECT_NO_STORE",
        &["NUXT_REDIRECT_NO_STORE"],
        "false",
        "Whether redirects may not be remembered at all",
    ),
    setting(
        Group::Redirects,
        "SLUGLINE_REDIRECT_WITH_QUERY",
        &["NUXT_REDIRECT_WITH_QUERY"],
        "false",
        "Whether visitors' query parameters are merged into destinations",
    ),
    setting(
        Group::Redirects,
        "SLUGLINE_NOINDEX",
        &[],
        "false",
        "Whether search engines are asked not to list short links",
    ),
    setting(
        Group::Redirects,
        "SLUGLINE_HOME_URL",
        // The second name is the older one.
        &["NUXT_PUBLIC_HOME_URL", "NUXT_HOME_URL"],
        "",
        "Where the bare origin leads, such as https://example.com [default: a small page]",
    ),
    setting(
        Group::Redirects,
        "SLUGLINE_NOT_FOUND_REDIRECT",
        &["NUXT_NOT_FOUND_REDIRECT"],
        "",
        "Where unknown and expired links lead: a URL or a path [default: an error]",
    ),
    setting(
        Group::Redirects,
        "SLUGLINE_EXPIRED_REDIRECT",
        &[],
        "",
        "Where links lead that are expired or used up: a URL or a path [default: as unknown ones]",
    ),
    setting(
        Group::ProxiedLinks,
        "SLUGLINE_PUBLIC_LINK_PROXY_ENABLED",
        &["NUXT_PUBLIC_LINK_PROXY_ENABLED"],
        "false",
        "Whether links with `proxy` fetch their destination and pass it on under this origin",
    ),
    setting(
        Group::ProxiedLinks,
        "SLUGLINE_PROXY_ALLOWED_NETWORKS",
        &[],
        "",
        "Networks that proxied links may reach beside the public internet, comma-separated",
    ),
    setting(
        Group::ProxiedLinks,
        "SLUGLINE_PROXY_REQUESTS",
        &[],
        "256",
        "Proxied requests at a time, 1 to 100000, of them 32 of one client; more are answered with 503",
    ),
    setting(
        Group::ProxiedLinks,
        "SLUGLINE_PROXY_IDLE_TIMEOUT",
        &[],
        "60",
        "Seconds without a byte after which a proxied request ends, 1 to 3600",
    ),
    setting(
        Group::Visitors,
        "SLUGLINE_CLIENT_IP_HEADER",
        &[],
        "X-Forwarded-For",
        "The one header in which those proxies name the client: X-Forwarded-For, Forwarded, or a \
         proxy's own, such as X-Real-IP",
    ),
    setting(
        Group::Visitors,
        "SLUGLINE_GEO_HEADERS",
        &[],
        "auto",
        "Whose headers say where visitors are, if a trusted proxy sends them: cloudflare, \
         cloudfront, fastly, vercel, none, or auto (the only one present)",
    ),
    setting(
        Group::Visitors,
        "SLUGLINE_GEOIP_PATH",
        &["NUXT_GEOIP_PATH"],
        "",
        "File that says where other visitors are: cities or countries, .mmdb",
    ),
    setting(
        Group::Visits,
        "SLUGLINE_DISABLE_BOT_ACCESS_LOG",
        &["NUXT_DISABLE_BOT_ACCESS_LOG"],
        "false",
        "Whether visits of bots are left out of the access log",
    ),
    setting(
        Group::Visits,
        "SLUGLINE_VISITOR_SALT",
        &[],
        "day",
        "How long a visitor can be told apart: day, week, month or never (no end)",
    ),
    setting(
        Group::Visits,
        "SLUGLINE_RETENTION_DAYS",
        &[],
        "0",
        "Days that visits are kept; 0 for no limit",
    ),
    setting(
        Group::Visits,
        "SLUGLINE_SAMPLE_ABOVE",
        &[],
        "20000",
        "Visits per minute beyond which some stand for many; 0 for no limit",
    ),
    setting(
        Group::Visits,
        "SLUGLINE_SAMPLE_LINK_ABOVE",
        &[],
        "600",
        "The same for each link",
    ),
    setting(
        Group::Visits,
        "SLUGLINE_LIST_QUERY_LIMIT",
        &["NUXT_LIST_QUERY_LIMIT"],
        "500",
        "Most rows of an answer about visits, 1 to 100000",
    ),
    setting(
        Group::Checks,
        "SLUGLINE_CHECK_ALLOWED_NETWORKS",
        &[],
        "",
        "Networks that link checks may reach beside the public internet, comma-separated",
    ),
    setting(
        Group::Checks,
        "SLUGLINE_CHECK_ALLOWED_PORTS",
        &[],
        "80,443,1024-65535",
        "Ports that link checks may reach, comma-separated",
    ),
    setting(
        Group::Checks,
        "SLUGLINE_WATCH_EVERY",
        &[],
        "0",
        "Seconds from one request to the destination of a link to the next, such as 86400, up to \
         31536000; links whose destination fails twice are broken. 0 asks none",
    ),
    secret(
        Group::Checks,
        "SLUGLINE_SAFE_BROWSING_DOH",
        &["NUXT_SAFE_BROWSING_DOH"],
        "DNS-over-HTTPS URL that answers 0.0.0.0 for dangerous hosts; links with a destination \
         there get a warning, unless their author says that they are safe",
    ),
    secret(
        Group::Services,
        "SLUGLINE_WEBHOOK_URL",
        &["NUXT_WEBHOOK_URL"],
        "Receiver of a message about each visit, and about each destination that breaks or is mended",
    ),
    secret(
        Group::Services,
        "SLUGLINE_WEBHOOK_SECRET",
        &["NUXT_WEBHOOK_SECRET"],
        "What those messages are signed with: whsec_ and 24 to 64 bytes in base64",
    ),
    setting(
        Group::Log,
        "SLUGLINE_LOG",
        &[],
        "info",
        "What is logged: error, warn, info, debug, trace or off, or a list such as \
         info,slugline_analytics=debug",
    ),
    setting(
        Group::Log,
        "SLUGLINE_LOG_FORMAT",
        &[],
        "text",
        "text or json",
    ),
    setting(
        Group::Log,
        "SLUGLINE_LOG_REQUESTS",
        &[],
        "false",
        "Whether the log has a line for each request: id, method, route, status, duration and \
         bytes, and never a slug, an address or a secret; the id is the client's X-Request-Id or a new one",
    ),
    setting(
        Group::Log,
        "SLUGLINE_TRACES_URL",
        &[],
        "",
        "Collector of OpenTelemetry traces, OTLP over HTTP, such as \
         http://127.0.0.1:4318/v1/traces; only in a program built with the feature otel \
         [default: nothing is traced]",
    ),
    setting(
        Group::Log,
        "SLUGLINE_TRACES_SHARE",
        &[],
        "1",
        "Share of requests that are traced, 0 to 1; a client's traceparent goes before it",
    ),
    setting(
        Group::Log,
        "SLUGLINE_METRICS_LISTEN",
        &[],
        "",
        "Address and port for Prometheus to read /_metrics without a token [default: beside the \
         API, with the site token]",
    ),
    setting(
        Group::Log,
        "SLUGLINE_AUDIT_DAYS",
        &[],
        "90",
        "Days for which the audit trail keeps the line of a change, up to 36500; 0 keeps it for ever",
    ),
    setting(
        Group::Backups,
        "SLUGLINE_BACKUP_DIR",
        &[],
        "",
        "Folder for scheduled backups, of this instance only [default: none are made]",
    ),
    setting(
        Group::Backups,
        "SLUGLINE_BACKUP_EVERY",
        &[],
        "24",
        "Hours from one scheduled backup to the next, 1 to 8760",
    ),
    setting(
        Group::Backups,
        "SLUGLINE_BACKUP_KEEP",
        &[],
        "7",
        "Scheduled backups that are kept, 1 to 10000; older ones are removed",
    ),
    setting(
        Group::Connections,
        "SLUGLINE_HEAD_TIMEOUT",
        &[],
        "5",
        "Seconds for the head of a request, 1 to 3600",
    ),
    setting(
        Group::Connections,
        "SLUGLINE_BODY_TIMEOUT",
        &[],
        "30",
        "Seconds that a client may keep the service waiting for a body; each KiB gives one back",
    ),
    setting(
        Group::Connections,
        "SLUGLINE_ANSWER_TIMEOUT",
        &[],
        "30",
        "Seconds that a client may leave an answer untaken; each KiB taken gives one back",
    ),
    setting(
        Group::Connections,
        "SLUGLINE_TOKEN_WRITES_PER_MINUTE",
        &[],
        "6000",
        "Links that one named token may write in a minute, up to 1000000; 0 sets no limit",
    ),
    setting(
        Group::Connections,
        "SLUGLINE_CONNECTIONS_PER_CLIENT",
        &[],
        "512",
        "Connections of one client (an IPv4 address or an IPv6 /64); trusted proxies have no limit",
    ),
    setting(
        Group::Connections,
        "SLUGLINE_CONNECTIONS",
        &[],
        "",
        "Connections in all [default: three quarters of the open files allowed, 10000 at most]",
    ),
    setting(
        Group::Connections,
        "SLUGLINE_WORKERS",
        &[],
        "",
        "HTTP worker threads [default: one per core]",
    ),
];

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn the_settings_of_a_group_stand_together() {
        let mut groups: Vec<Group> = CATALOGUE.iter().map(|setting| setting.group).collect();
        groups.dedup();
        let mut headings: Vec<&str> = groups.iter().map(|group| group.heading()).collect();
        let count = headings.len();
        headings.sort_unstable();
        headings.dedup();
        assert_eq!(headings.len(), count);
    }

    #[test]
    fn names_and_flags_are_unique() {
        let names: HashSet<_> = CATALOGUE.iter().map(|setting| setting.name).collect();
        let secrets = || CATALOGUE.iter().filter(|setting| setting.secret);
        let flags = CATALOGUE.iter().map(Setting::flag);
        let flags: HashSet<_> = flags.chain(secrets().map(Setting::file_flag)).collect();
        assert_eq!(
            (names.len(), flags.len()),
            (CATALOGUE.len(), CATALOGUE.len() + secrets().count())
        );
        assert!(flags.contains("data-dir"));
    }
}
