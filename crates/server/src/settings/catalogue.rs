//! The list of settings.

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

macro_rules! settings {
    ($(
        $(#[$doc:meta])+
        $group:ident $heading:literal {$(
            $($secret:ident)? $name:literal $(or $sink:literal)* $(= $default:literal)?:
                $meaning:literal,
        )+}
    )+) => {
        /// Settings that belong together.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Group {$(
            $(#[$doc])+
            $group,
        )+}

        impl Group {
            /// The heading in the help.
            pub fn heading(self) -> &'static str {
                match self {
                    $(Self::$group => $heading,)+
                }
            }
        }

        /// Every setting, in the order of the help.
        pub const CATALOGUE: &[Setting] = &[$($(
            Setting {
                group: Group::$group,
                name: $name,
                sink_names: &[$($sink),*],
                default: concat!($($default)?),
                meaning: $meaning,
                secret: !concat!($(stringify!($secret))?).is_empty(),
            },
        )+)+];
    };
}

// A row gives the name, Sink's names, the default and the meaning. `secret` stands before a
// setting whose value must not be shown.
settings! {
    /// The most important settings. The short help shows only these.
    Basics "Main settings" {
        "SLUGLINE_LISTEN" = "127.0.0.1:8080": "Address and port to listen on",
        "SLUGLINE_DATA_DIR" = "./data": "Folder of the databases and the minted token",
        secret "SLUGLINE_SITE_TOKEN" or "NUXT_SITE_TOKEN":
            "Bearer token of the API, 8 characters or more [default: minted on first start]",
        "SLUGLINE_BASE_URL":
            "Public address, such as https://sl.example or https://example.com/go [default: as the client \
             sees it]",
        "SLUGLINE_ADMIN_HOST":
            "The only host on which the API, the dashboard and the docs answer; no link is followed there",
        "SLUGLINE_DOMAINS":
            "Further hosts with links of their own, separated by commas; they stay when they leave this list",
        secret "SLUGLINE_DATABASE_URL":
            "Links: sqlite://FILE or postgres://… [default: links.db in the data folder]",
        secret "SLUGLINE_ANALYTICS_URL":
            "Access log: sqlite://FILE or clickhouse+https://USER:PASSWORD@HOST:PORT/DATABASE \
             [default: analytics.db in the data folder]",
        "SLUGLINE_TRUSTED_PROXIES":
            "Networks of proxies whose forwarded headers are believed, comma-separated",
    }
    /// Rules for links, and their storage.
    Links "Links" {
        secret "SLUGLINE_LEGACY_KV_URL":
            "Older instance's store to move links from: redis://… or file:FILE, a bulk file",
        "SLUGLINE_PUBLIC_SLUG_DEFAULT_LENGTH" or "NUXT_PUBLIC_SLUG_DEFAULT_LENGTH" = "6":
            "Characters of a generated slug, before any lengthening",
        "SLUGLINE_PUBLIC_MAX_URL_LENGTH" or "NUXT_PUBLIC_MAX_URL_LENGTH" = "16384":
            "Longest destination in bytes as it is sent, 256 to 24000",
        "SLUGLINE_CASE_SENSITIVE" or "NUXT_CASE_SENSITIVE" = "false":
            "Whether Docs and docs are two slugs",
        "SLUGLINE_ALLOWED_SCHEMES": "Destination schemes beside http and https, comma-separated",
        "SLUGLINE_PUBLIC_PREVIEW_MODE" or "NUXT_PUBLIC_PREVIEW_MODE" = "false":
            "Public demonstration with a public token: links end after 5 minutes and are always \
             screened; the API refuses to edit, delete, import, export and check links, to suggest \
             slugs and previews, and to move links here from an older instance",
        "SLUGLINE_IMPORT_REQUEST_LIMIT" or "NUXT_IMPORT_REQUEST_LIMIT" = "100":
            "Links that one import request may bring, 1 to 1000",
        "SLUGLINE_LINK_CACHE_TTL" or "NUXT_LINK_CACHE_TTL" = "60":
            "Seconds after which a remembered link is read again, with PostgreSQL; changes by other \
             nodes show at once",
        "SLUGLINE_LINK_CACHE_MEMORY" = "16":
            "Mebibytes for remembered links, 1 to 65536; some 3,000 links each",
        "SLUGLINE_LINK_STALE_TTL" = "86400":
            "Seconds beyond that for which a remembered link works while the database does not answer",
        "SLUGLINE_API_CORS" or "NUXT_API_CORS" = "false":
            "Whether web pages of any origin may call the API (CORS)",
        "SLUGLINE_OAUTH" = "true":
            "Whether assistants may connect by consent (OAuth), where SLUGLINE_BASE_URL is https or loopback",
        "SLUGLINE_HISTORY_VERSIONS" = "20":
            "Former versions that are kept of each link, up to 1000; with 0 nothing can be undone, and \
             deleted links are gone at once",
        "SLUGLINE_TRASH_DAYS" = "30":
            "Days for which a deleted link can be brought back, up to 36500; with 0 it is gone at once",
    }
    /// Answers to visitors.
    Redirects "Redirects" {
        "SLUGLINE_REDIRECT_STATUS_CODE" or "NUXT_REDIRECT_STATUS_CODE" = "301":
            "Status of redirects: 301, 302, 307 or 308",
        "SLUGLINE_REDIRECT_MAX_AGE" = "90": "Seconds a visitor's browser may remember a redirect",
        "SLUGLINE_REDIRECT_NO_STORE" or "NUXT_REDIRECT_NO_STORE" = "false":
            "Whether redirects may not be remembered at all",
        "SLUGLINE_REDIRECT_WITH_QUERY" or "NUXT_REDIRECT_WITH_QUERY" = "false":
            "Whether visitors' query parameters are merged into destinations",
        "SLUGLINE_NOINDEX" = "false": "Whether search engines are asked not to list short links",
        // The second name is the older one.
        "SLUGLINE_HOME_URL" or "NUXT_PUBLIC_HOME_URL" or "NUXT_HOME_URL":
            "Where the bare origin leads, such as https://example.com [default: a small page]",
        "SLUGLINE_NOT_FOUND_REDIRECT" or "NUXT_NOT_FOUND_REDIRECT":
            "Where unknown and expired links lead: a URL or a path [default: an error]",
        "SLUGLINE_EXPIRED_REDIRECT":
            "Where links lead that are expired or used up: a URL or a path [default: as unknown ones]",
    }
    /// Links that forward their destination's answer.
    ProxiedLinks "Proxied links" {
        "SLUGLINE_PUBLIC_LINK_PROXY_ENABLED" or "NUXT_PUBLIC_LINK_PROXY_ENABLED" = "false":
            "Whether links with `proxy` fetch their destination and pass it on under this origin",
        "SLUGLINE_PROXY_ALLOWED_NETWORKS":
            "Networks that proxied links may reach beside the public internet, comma-separated",
        "SLUGLINE_PROXY_REQUESTS" = "256":
            "Proxied requests at a time, 1 to 100000, of them 32 of one client; more are answered with 503",
        "SLUGLINE_PROXY_IDLE_TIMEOUT" = "60":
            "Seconds without a byte after which a proxied request ends, 1 to 3600",
    }
    /// The identity and the place of visitors.
    Visitors "Visitors" {
        "SLUGLINE_CLIENT_IP_HEADER" = "X-Forwarded-For":
            "The one header in which those proxies name the client: X-Forwarded-For, Forwarded, or a \
             proxy's own, such as X-Real-IP",
        "SLUGLINE_GEO_HEADERS" = "auto":
            "Whose headers say where visitors are, if a trusted proxy sends them: cloudflare, \
             cloudfront, fastly, vercel, none, or auto (the only one present)",
        "SLUGLINE_GEOIP_PATH" or "NUXT_GEOIP_PATH":
            "File that says where other visitors are: cities or countries, .mmdb [default: a table of countries in \
             the program; off: nothing]",
    }
    /// The access log and queries on it.
    Visits "Visits" {
        "SLUGLINE_DISABLE_BOT_ACCESS_LOG" or "NUXT_DISABLE_BOT_ACCESS_LOG" = "false":
            "Whether visits of bots are left out of the access log",
        "SLUGLINE_VISITOR_SALT" = "day":
            "How long a visitor can be told apart: day, week, month or never (no end)",
        "SLUGLINE_RETENTION_DAYS" = "0": "Days that visits are kept; 0 for no limit",
        "SLUGLINE_SAMPLE_ABOVE" = "20000":
            "Visits per minute beyond which some stand for many; 0 for no limit",
        "SLUGLINE_SAMPLE_LINK_ABOVE" = "600": "The same for each link",
        "SLUGLINE_LIST_QUERY_LIMIT" or "NUXT_LIST_QUERY_LIMIT" = "500":
            "Most rows of an answer about visits, 1 to 100000",
    }
    /// Checks of destinations.
    Checks "Checks of destinations" {
        "SLUGLINE_CHECK_ALLOWED_NETWORKS":
            "Networks that link checks may reach beside the public internet, comma-separated",
        "SLUGLINE_CHECK_ALLOWED_PORTS" = "80,443,1024-65535":
            "Ports that link checks may reach, comma-separated",
        "SLUGLINE_WATCH_EVERY" = "0":
            "Seconds from one request to the destination of a link to the next, such as 86400, up to \
             31536000; links whose destination fails twice are broken. 0 asks none",
        secret "SLUGLINE_SAFE_BROWSING_DOH" or "NUXT_SAFE_BROWSING_DOH":
            "DNS-over-HTTPS URL that answers 0.0.0.0 for dangerous hosts; links with a destination \
             there get a warning, unless their author says that they are safe",
    }
    /// Servers that the service calls.
    Services "Servers that are called" {
        secret "SLUGLINE_WEBHOOK_URL" or "NUXT_WEBHOOK_URL":
            "Receiver of a message about each visit, and about each destination that breaks or is mended",
        secret "SLUGLINE_WEBHOOK_SECRET" or "NUXT_WEBHOOK_SECRET":
            "What those messages are signed with: whsec_ and 24 to 64 bytes in base64",
    }
    /// The log output.
    Log "Log" {
        "SLUGLINE_LOG" = "info":
            "What is logged: error, warn, info, debug, trace or off, or a list such as \
             info,slugline_analytics=debug",
        "SLUGLINE_LOG_FORMAT" = "text": "text or json",
        "SLUGLINE_LOG_REQUESTS" = "false":
            "Whether the log has a line for each request: id, method, route, status, duration and \
             bytes, and never a slug, an address or a secret; the id is the client's X-Request-Id or a new one",
        "SLUGLINE_TRACES_URL":
            "Collector of OpenTelemetry traces, OTLP over HTTP, such as \
             http://127.0.0.1:4318/v1/traces; only in a program built with the feature otel \
             [default: nothing is traced]",
        "SLUGLINE_TRACES_SHARE" = "1":
            "Share of requests that are traced, 0 to 1; a client's traceparent goes before it",
        "SLUGLINE_METRICS_LISTEN":
            "Address and port for Prometheus to read /_metrics without a token [default: beside the \
             API, with the site token]",
        "SLUGLINE_AUDIT_DAYS" = "90":
            "Days for which the audit trail keeps the line of a change, up to 36500; 0 keeps it for ever",
    }
    /// Scheduled backups.
    Backups "Backups" {
        "SLUGLINE_BACKUP_DIR":
            "Folder for scheduled backups, of this instance only [default: none are made]",
        "SLUGLINE_BACKUP_EVERY" = "24": "Hours from one scheduled backup to the next, 1 to 8760",
        "SLUGLINE_BACKUP_KEEP" = "7":
            "Scheduled backups that are kept, 1 to 10000; older ones are removed",
    }
    /// Limits and timeouts of connections.
    Connections "Connections" {
        "SLUGLINE_HEAD_TIMEOUT" = "5": "Seconds for the head of a request, 1 to 3600",
        "SLUGLINE_BODY_TIMEOUT" = "30":
            "Seconds that a client may keep the service waiting for a body; each KiB gives one back",
        "SLUGLINE_ANSWER_TIMEOUT" = "30":
            "Seconds that a client may leave an answer untaken; each KiB taken gives one back",
        "SLUGLINE_TOKEN_WRITES_PER_MINUTE" = "6000":
            "Links that one named token may write in a minute, up to 1000000; 0 sets no limit",
        "SLUGLINE_CONNECTIONS_PER_CLIENT" = "512":
            "Connections of one client (an IPv4 address or an IPv6 /64); trusted proxies have no limit",
        "SLUGLINE_CONNECTIONS":
            "Connections in all [default: three quarters of the open files allowed, 10000 at most]",
        "SLUGLINE_WORKERS": "HTTP worker threads [default: one per core]",
    }
}

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
