//! Every setting of the service.
//!
//! `catalogue` lists them once: name, flag, Sink's name for it, default and meaning. The
//! command line, errors and documents are rendered from that list. The sources, in order: flag,
//! `SLUGLINE_…`, Sink's `NUXT_…`, default. A secret may also come from a file that a flag or a
//! variable names, because secrets are often mounted as files.

mod catalogue;
mod groups;
mod parse;
mod source;
mod unknown;

use std::{net::SocketAddr, num::NonZeroU32, path::PathBuf, time::Duration};

pub use catalogue::{CATALOGUE, Group, Setting};
pub use groups::{BackupSchedule, ConnectionLimits};
pub use parse::{AccessLog, PlaceSource, ProxySettings};
use slugline_analytics::{RecorderOptions, SamplingTargets};
use slugline_application::{PreviewMode, ResolverOptions, SiteToken};
use slugline_contract::{Bounds, ImportLimit};
use slugline_domain::{
    BaseUrl, DestinationRules, Host, Keeping, OwnAddresses, SlugCase, routing::KnownPlaces,
};
use slugline_httpkit::{PlaceHeaders, TrustedProxies};
use slugline_legacy::OldStoreUrl;
use slugline_outbound::{AddressPolicy, Policy, PortPolicy, WebhookOptions};
use slugline_redirect::{Address, CachePolicy, RedirectOptions, RedirectStatus};
use slugline_storage::DatabaseUrl;
use source::number;
pub use source::{SettingError, SettingErrors, Shown, Sources};
pub use unknown::warnings as unknown_names;
use url::Url;

pub use crate::traces::TraceOptions;

/// Checked settings, in the types that the parts of the service take.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The address to listen on.
    pub listen: SocketAddr,
    /// The address for metrics, if not beside the API.
    pub metrics_listen: Option<SocketAddr>,
    /// The number of connections, and the timeouts for slow clients.
    pub connections: ConnectionLimits,
    /// The folder of the databases and the minted token.
    pub data_dir: PathBuf,
    /// The site token, if given; else the service mints one.
    pub site_token: Option<SiteToken>,
    /// The file that held it, if one did. The service reads it again.
    pub site_token_file: Option<PathBuf>,
    /// The public origin, if given.
    pub base_url: Option<BaseUrl>,
    /// The only host on which the API, the dashboard and the documents answer.
    pub admin_host: Option<Host>,
    /// Hosts that are to be domains.
    pub domains: Vec<Host>,
    /// The links database.
    pub links: DatabaseUrl,
    /// The store of visits.
    pub access_log: AccessLog,
    /// The store of an older instance whose links to move, if any.
    pub legacy: Option<OldStoreUrl>,
    /// The rule for case in slugs, where a domain has none of its own.
    pub slug_case: SlugCase,
    /// The length of a generated slug in characters, before any lengthening.
    pub generated_slug_chars: usize,
    /// The mode for public demonstrations.
    pub preview: PreviewMode,
    /// The API's limits.
    pub bounds: Bounds,
    /// The options of redirects.
    pub redirects: RedirectOptions,
    /// The cache of links.
    pub resolver: ResolverOptions,
    /// The number of links that one request may import.
    pub import_limit: ImportLimit,
    /// True if web pages of any origin may call the API.
    pub api_cors: bool,
    /// True if assistants may connect by consent, where that is safe.
    pub oauth: bool,
    /// The proxies whose headers to trust.
    pub trusted_proxies: TrustedProxies,
    /// The proxies' headers that give the places of visitors.
    pub place_headers: PlaceHeaders,
    /// The source of the places of other visitors.
    pub places: PlaceSource,
    /// The hosts that link checks may reach.
    pub checks: Policy,
    /// The reach and limits of proxied links; `None` if links may not be proxied.
    pub proxy: Option<ProxySettings>,
    /// The DNS server that lists dangerous hosts, if any.
    pub safe_browsing: Option<Url>,
    /// The receiver of messages about visits, if any.
    pub webhook: Option<WebhookOptions>,
    /// The recorded fields of visits.
    pub recorder: RecorderOptions,
    /// Content and form of the log output.
    pub log: Log,
    /// The time for which the audit trail keeps lines; `None` keeps them for ever.
    pub audit_kept_for: Option<Duration>,
    /// The versions that the store keeps of links that are changed or deleted.
    pub keeping: Keeping,
    /// The watch asks destinations this often; `None` for never.
    pub watch: Option<Duration>,
    /// The writes that each named token has in a minute; `None` sets no limit.
    pub token_writes_per_minute: Option<NonZeroU32>,
    /// Scheduled backups, if any.
    pub backups: Option<BackupSchedule>,
    /// The number of HTTP workers; by default, the number of cores.
    pub workers: Option<usize>,
}

/// Content and form of the log output.
#[derive(Clone, Debug)]
pub struct Log {
    /// A tracing filter, such as `info,slugline_analytics=debug`.
    pub filter: String,
    /// JSON lines instead of text.
    pub json: bool,
    /// Log a line for each request.
    pub requests: bool,
    /// Trace requests.
    pub traces: Option<TraceOptions>,
}

impl Log {
    /// The settings of the log output alone.
    pub(crate) fn resolve(sources: &Sources) -> Result<Self, SettingErrors> {
        sources.check_all(Self::check)
    }

    fn check(sources: &Sources) -> Result<Self, SettingError> {
        Ok(Self {
            filter: sources.parsed("SLUGLINE_LOG", parse::log_filter)?,
            json: sources.parsed("SLUGLINE_LOG_FORMAT", parse::log_format)?,
            requests: sources.flag("SLUGLINE_LOG_REQUESTS")?,
            traces: {
                let share = sources.parsed("SLUGLINE_TRACES_SHARE", parse::share)?;
                let collector = sources.optional("SLUGLINE_TRACES_URL", parse::collector)?;
                collector.map(|collector| TraceOptions { collector, share })
            },
        })
    }
}

/// The settings of a command that calls a running instance.
#[derive(Clone)]
pub(crate) struct ClientSettings {
    /// The token of the instance, as text, if given.
    pub(crate) site_token: Option<String>,
}

impl ClientSettings {
    /// The names of the settings it uses.
    pub(crate) const NAMES: [&str; 3] =
        ["SLUGLINE_SITE_TOKEN", "SLUGLINE_LOG", "SLUGLINE_LOG_FORMAT"];

    pub(crate) fn resolve(sources: &Sources) -> Result<Self, SettingError> {
        let token = |text: &str| SiteToken::new(text).map(|_| text.to_owned());
        Ok(Self {
            site_token: sources.optional("SLUGLINE_SITE_TOKEN", token)?,
        })
    }
}

/// The address on which the service listens, for a command that asks it.
pub(crate) fn listen(sources: &Sources) -> Result<SocketAddr, SettingError> {
    sources.parsed(LISTEN, parse::address)
}

/// The setting of that address.
pub(crate) const LISTEN: &str = "SLUGLINE_LISTEN";

impl Settings {
    /// Settings from names and values only, for tests and embedding programs.
    ///
    /// # Errors
    /// A value is wrong, or a name is not a setting.
    pub fn from_pairs<'a>(
        pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, SettingErrors> {
        Self::resolve(&Sources::from_pairs(pairs)?)
    }

    /// Checks the values of all sources.
    ///
    /// # Errors
    /// The error names each wrong setting, the origin of its value, and valid values.
    pub fn resolve(sources: &Sources) -> Result<Self, SettingErrors> {
        sources.check_all(Self::check)
    }

    fn check(sources: &Sources) -> Result<Self, SettingError> {
        let max_url_chars = sources.number("SLUGLINE_PUBLIC_MAX_URL_LENGTH", 256..=24_000)?;
        let max_age = sources.number("SLUGLINE_REDIRECT_MAX_AGE", 0..=31_536_000)?;
        let cache = if sources.flag("SLUGLINE_REDIRECT_NO_STORE")? {
            CachePolicy::no_store()
        } else {
            CachePolicy::private(Duration::from_secs(max_age))
        };
        let cache_ttl = sources.number("SLUGLINE_LINK_CACHE_TTL", 0..=86_400)?;
        let stale_ttl = sources.number("SLUGLINE_LINK_STALE_TTL", 0..=31_536_000)?;
        let case = if sources.flag("SLUGLINE_CASE_SENSITIVE")? {
            SlugCase::Sensitive
        } else {
            SlugCase::Insensitive
        };
        let base_url = sources.optional("SLUGLINE_BASE_URL", str::parse::<BaseUrl>)?;
        let domains = sources.list("SLUGLINE_DOMAINS", Host::parse)?;
        let below = |address: Address| address.below(base_url.as_ref());
        let slugs = OwnAddresses::of_slugs(case);
        let own_addresses = base_url.iter().fold(slugs, |own, base| own.at(base));
        let data_dir: PathBuf = sources.parsed("SLUGLINE_DATA_DIR", parse::path)?;
        let links = sources
            .optional("SLUGLINE_DATABASE_URL", str::parse)?
            .unwrap_or_else(|| DatabaseUrl::File(data_dir.join("links.db")));
        let access_log = sources
            .optional("SLUGLINE_ANALYTICS_URL", parse::analytics_url)?
            .unwrap_or_else(|| AccessLog::File(data_dir.join(EMBEDDED_LOG)));
        Ok(Self {
            audit_kept_for: audit_kept_for(sources)?,
            keeping: keeping(sources)?,
            watch: watch(sources)?,
            token_writes_per_minute: NonZeroU32::new(
                sources.number("SLUGLINE_TOKEN_WRITES_PER_MINUTE", 0..=1_000_000)?,
            ),
            backups: groups::schedule(sources, &links)?,
            listen: listen(sources)?,
            metrics_listen: sources.optional("SLUGLINE_METRICS_LISTEN", parse::address)?,
            connections: ConnectionLimits::resolve(sources)?,
            site_token: sources.optional("SLUGLINE_SITE_TOKEN", SiteToken::new)?,
            site_token_file: sources.file("SLUGLINE_SITE_TOKEN").map(PathBuf::from),
            links,
            data_dir,
            access_log,
            legacy: sources.optional("SLUGLINE_LEGACY_KV_URL", str::parse)?,
            slug_case: case,
            generated_slug_chars: sources.number("SLUGLINE_PUBLIC_SLUG_DEFAULT_LENGTH", 1..=64)?,
            admin_host: admin_host(sources, base_url.as_ref(), &domains)?,
            domains,
            base_url: base_url.clone(),
            preview: if sources.flag("SLUGLINE_PUBLIC_PREVIEW_MODE")? {
                PreviewMode::On
            } else {
                PreviewMode::Off
            },
            bounds: Bounds {
                destinations: DestinationRules::new(
                    max_url_chars,
                    sources.list("SLUGLINE_ALLOWED_SCHEMES", str::parse)?,
                ),
                rows_max: sources.parsed("SLUGLINE_LIST_QUERY_LIMIT", parse::row_limit)?,
                own_addresses,
            },
            redirects: RedirectOptions {
                status: sources.parsed("SLUGLINE_REDIRECT_STATUS_CODE", |text| {
                    RedirectStatus::new(text.parse().unwrap_or_default())
                })?,
                cache,
                with_query: sources.flag("SLUGLINE_REDIRECT_WITH_QUERY")?,
                noindex: sources.flag("SLUGLINE_NOINDEX")?,
                home: sources
                    .optional("SLUGLINE_HOME_URL", Address::absolute)?
                    .map(below),
                not_found: sources
                    .optional("SLUGLINE_NOT_FOUND_REDIRECT", Address::absolute_or_path)?
                    .map(below),
                expired: sources
                    .optional("SLUGLINE_EXPIRED_REDIRECT", Address::absolute_or_path)?
                    .map(below),
            },
            resolver: ResolverOptions {
                capacity_bytes: sources.number("SLUGLINE_LINK_CACHE_MEMORY", 1..=65_536)? << 20,
                fresh_for: Duration::from_secs(cache_ttl),
                stale_for: Duration::from_secs(stale_ttl),
                ..ResolverOptions::default()
            },
            import_limit: ImportLimit(sources.number("SLUGLINE_IMPORT_REQUEST_LIMIT", 1..=1000)?),
            api_cors: sources.flag("SLUGLINE_API_CORS")?,
            oauth: sources.flag("SLUGLINE_OAUTH")?,
            trusted_proxies: TrustedProxies::new(
                sources.list("SLUGLINE_TRUSTED_PROXIES", parse::network)?,
                sources.parsed("SLUGLINE_CLIENT_IP_HEADER", str::parse)?,
            ),
            place_headers: sources.parsed("SLUGLINE_GEO_HEADERS", str::parse)?,
            places: sources
                .optional("SLUGLINE_GEOIP_PATH", parse::places)?
                .unwrap_or(PlaceSource::Table),
            checks: Policy {
                addresses: AddressPolicy::public_and(
                    sources.list("SLUGLINE_CHECK_ALLOWED_NETWORKS", parse::network)?,
                ),
                ports: PortPolicy::only(
                    sources.list("SLUGLINE_CHECK_ALLOWED_PORTS", parse::ports)?,
                ),
                ..Policy::default()
            },
            proxy: parse::proxy(sources)?,
            safe_browsing: sources.optional("SLUGLINE_SAFE_BROWSING_DOH", parse::server_url)?,
            webhook: parse::webhook(sources)?,
            recorder: RecorderOptions {
                sampling: SamplingTargets {
                    per_link: sources.parsed("SLUGLINE_SAMPLE_LINK_ABOVE", parse::limit)?,
                    overall: sources.parsed("SLUGLINE_SAMPLE_ABOVE", parse::limit)?,
                },
                retention_days: sources.parsed("SLUGLINE_RETENTION_DAYS", parse::limit)?,
                skip_bots: sources.flag("SLUGLINE_DISABLE_BOT_ACCESS_LOG")?,
                salt_period: sources.parsed("SLUGLINE_VISITOR_SALT", str::parse)?,
                ..RecorderOptions::default()
            },
            log: Log::check(sources)?,
            workers: sources.optional("SLUGLINE_WORKERS", number(1..=1024))?,
        })
    }
}

/// The access log of a data folder.
const EMBEDDED_LOG: &str = "analytics.db";

impl Settings {
    /// The file of the embedded access log. With ClickHouse, the one that an instance had before.
    pub(crate) fn embedded_log(&self) -> PathBuf {
        match &self.access_log {
            AccessLog::File(file) => file.clone(),
            AccessLog::ClickHouse(_) => self.data_dir.join(EMBEDDED_LOG),
        }
    }

    /// The file in which visits wait for ClickHouse.
    pub(crate) fn spool_file(&self) -> PathBuf {
        self.data_dir.join("analytics-spool.db")
    }

    /// The watch asks destinations this often. Links of a public demonstration end too soon for it.
    pub(crate) fn watched(&self) -> Option<Duration> {
        self.watch.filter(|_| self.preview == PreviewMode::Off)
    }

    /// Returns the places that a file, the table of countries, or a trusted proxy's headers tell.
    pub(crate) fn known_places(&self) -> KnownPlaces {
        let by_proxy =
            !self.trusted_proxies.is_empty() && self.place_headers != PlaceHeaders::Nobody;
        match &self.places {
            PlaceSource::File(_) => KnownPlaces::Everything,
            _ if by_proxy => KnownPlaces::Everything,
            PlaceSource::Table => KnownPlaces::Countries,
            PlaceSource::Nothing => KnownPlaces::Nothing,
        }
    }

    /// The address of the API and the dashboard, if the settings name one.
    pub(crate) fn api_base_url(&self) -> Option<BaseUrl> {
        let public = self.base_url.as_ref()?;
        Some(match &self.admin_host {
            Some(host) => public.of_host(host.as_str()),
            None => public.clone(),
        })
    }

    /// The address at which assistants connect. There is none in preview mode, whose token is
    /// public, nor where tokens would travel in clear, nor without a public address.
    pub(crate) fn base_for_assistants(&self) -> Option<BaseUrl> {
        let safe =
            |base: &BaseUrl| base.origin().scheme() == "https" || base.origin().is_loopback();
        self.api_base_url()
            .filter(safe)
            .filter(|_| self.oauth && self.preview == PreviewMode::Off)
    }
}

/// Without a public origin, links that the API shows would have the host of the API.
fn admin_host(
    sources: &Sources,
    base_url: Option<&BaseUrl>,
    domains: &[Host],
) -> Result<Option<Host>, SettingError> {
    sources.optional("SLUGLINE_ADMIN_HOST", |text| {
        let host = Host::parse(text).map_err(|error| error.to_string())?;
        let Some(base_url) = base_url else {
            let fix = "set SLUGLINE_BASE_URL, too: the address of the links, on another host";
            return Err(fix.to_owned());
        };
        if base_url.origin().host_name() == host.as_str() {
            return Err("choose another host than that of SLUGLINE_BASE_URL".to_owned());
        }
        if domains.contains(&host) {
            return Err("take this host out of SLUGLINE_DOMAINS".to_owned());
        }
        Ok(host)
    })
}

fn audit_kept_for(sources: &Sources) -> Result<Option<Duration>, SettingError> {
    let days = sources.number("SLUGLINE_AUDIT_DAYS", 0..=36_500)?;
    Ok((days > 0).then(|| Duration::from_hours(24 * days)))
}

/// A demonstration keeps nothing of strangers.
fn keeping(sources: &Sources) -> Result<Keeping, SettingError> {
    let versions = sources.number("SLUGLINE_HISTORY_VERSIONS", 0..=1_000)?;
    let days = sources.number("SLUGLINE_TRASH_DAYS", 0..=36_500)?;
    if sources.flag("SLUGLINE_PUBLIC_PREVIEW_MODE")? {
        return Ok(Keeping::NOTHING);
    }
    Ok(Keeping {
        versions,
        deleted_for: Duration::from_hours(24 * days),
    })
}

fn watch(sources: &Sources) -> Result<Option<Duration>, SettingError> {
    let seconds = sources.number("SLUGLINE_WATCH_EVERY", 0..=31_536_000)?;
    Ok((seconds > 0).then(|| Duration::from_secs(seconds)))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case(&[], false)]
    #[case(&[("SLUGLINE_BASE_URL", "https://sl.example")], true)]
    #[case(&[("SLUGLINE_BASE_URL", "http://127.0.0.1:8080")], true)]
    #[case(&[("SLUGLINE_BASE_URL", "http://sl.example")], false)]
    #[case(&[("SLUGLINE_BASE_URL", "https://sl.example"), ("SLUGLINE_OAUTH", "false")], false)]
    #[case(&[("SLUGLINE_BASE_URL", "https://sl.example"), ("SLUGLINE_PUBLIC_PREVIEW_MODE", "true")], false)]
    fn assistants_connect_where_tokens_are_safe(
        #[case] pairs: &[(&str, &str)],
        #[case] expected: bool,
    ) {
        let settings = Settings::from_pairs(pairs.iter().copied()).unwrap();
        assert_eq!(settings.base_for_assistants().is_some(), expected);
    }

    #[test]
    fn defaults_are_right() {
        let settings = Settings::from_pairs([]).unwrap();
        assert_eq!(settings.listen.to_string(), "127.0.0.1:8080");
        assert_eq!(settings.data_dir, PathBuf::from("./data"));
        assert!(settings.site_token.is_none() && settings.base_url.is_none());
        assert_eq!(settings.generated_slug_chars, 6);
        assert_eq!(settings.bounds.destinations.max_bytes(), 16_384);
        assert_eq!(settings.import_limit, ImportLimit::DEFAULT);
        assert!(
            !settings
                .checks
                .addresses
                .allows("10.0.0.1".parse().unwrap())
        );
        for port in 0..=u16::MAX {
            let allowed = settings.checks.ports.allows(port);
            assert_eq!(allowed, PortPolicy::default().allows(port), "{port}");
        }
        assert_eq!(settings.resolver.fresh_for, Duration::from_mins(1));
        assert_eq!(
            settings.resolver.capacity_bytes,
            ResolverOptions::default().capacity_bytes
        );
        assert_eq!(settings.resolver.stale_for, Duration::from_hours(24));
        assert_eq!(settings.recorder, RecorderOptions::default());
    }

    #[test]
    fn proxying_is_off_and_limited_when_on() {
        assert!(Settings::from_pairs([]).unwrap().proxy.is_none());
        let on = ("SLUGLINE_PUBLIC_LINK_PROXY_ENABLED", "true");
        let default = Settings::from_pairs([on]).unwrap().proxy.unwrap().limits;
        let at_once = (default.requests.get(), default.requests_per_client.get());
        assert_eq!(at_once, (256, 32));
        assert_eq!(default.idle, Duration::from_mins(1));
    }

    #[rstest]
    #[case(
        "SLUGLINE_LISTEN",
        "8080",
        "an address and a port, such as 127.0.0.1:8080"
    )]
    #[case("SLUGLINE_SITE_TOKEN", "short", "at least 8")]
    #[case("SLUGLINE_BASE_URL", "sl.example", "https://sl.example")]
    #[case("SLUGLINE_DATABASE_URL", "mongodb://x", "sqlite: or postgres:")]
    #[case("SLUGLINE_LEGACY_KV_URL", "http://x", "redis://host:6379/0")]
    #[case("SLUGLINE_ANALYTICS_URL", "redis://x", "sqlite:")]
    #[case("SLUGLINE_ANALYTICS_URL", "redis://x", "clickhouse+https://")]
    #[case("SLUGLINE_ANALYTICS_URL", "clickhouse://h/v", "clickhouse+http")]
    #[case(
        "SLUGLINE_ANALYTICS_URL",
        "clickhouse+http://h/a-b",
        "a database's name"
    )]
    #[case("SLUGLINE_PUBLIC_SLUG_DEFAULT_LENGTH", "0", "from 1 to 64")]
    #[case("SLUGLINE_PUBLIC_MAX_URL_LENGTH", "x", "from 256 to 24000")]
    #[case("SLUGLINE_LIST_QUERY_LIMIT", "0", "from 1 to 100000")]
    #[case("SLUGLINE_REDIRECT_STATUS_CODE", "303", "301, 302, 307 or 308")]
    #[case("SLUGLINE_CASE_SENSITIVE", "maybe", "true or false")]
    #[case("SLUGLINE_IMPORT_REQUEST_LIMIT", "0", "from 1 to 1000")]
    #[case("SLUGLINE_HOME_URL", "example.com", "such as https://example.com")]
    #[case("SLUGLINE_HOME_URL", "/start", "such as https://example.com")]
    #[case("SLUGLINE_NOT_FOUND_REDIRECT", "lost", "or a path such as /lost")]
    #[case(
        "SLUGLINE_NOT_FOUND_REDIRECT",
        "//evil.example",
        "or a path such as /lost"
    )]
    #[case(
        "SLUGLINE_NOT_FOUND_REDIRECT",
        "javascript:alert(1)",
        "such as https://example.com/lost"
    )]
    #[case("SLUGLINE_EXPIRED_REDIRECT", "over", "or a path such as /lost")]
    #[case("SLUGLINE_TRUSTED_PROXIES", "10.0.0.0/8,nonsense", "10.0.0.0/8")]
    #[case("SLUGLINE_CLIENT_IP_HEADER", "X Real IP", "such as X-Forwarded-For")]
    #[case("SLUGLINE_LINK_STALE_TTL", "a day", "from 0 to 31536000")]
    #[case("SLUGLINE_GEO_HEADERS", "akamai", "cloudfront")]
    #[case("SLUGLINE_ALLOWED_SCHEMES", "mailto,javascript", "never allowed")]
    #[case("SLUGLINE_CHECK_ALLOWED_NETWORKS", "10.0.0.0/33", "10.0.0.0/8")]
    #[case("SLUGLINE_CHECK_ALLOWED_PORTS", "443,http", "8000-8999")]
    #[case("SLUGLINE_PUBLIC_LINK_PROXY_ENABLED", "public", "true or false")]
    #[case("SLUGLINE_PROXY_ALLOWED_NETWORKS", "home", "10.0.0.0/8")]
    #[case("SLUGLINE_PROXY_REQUESTS", "0", "from 1 to 100000")]
    #[case("SLUGLINE_PROXY_IDLE_TIMEOUT", "0", "from 1 to 3600")]
    #[case("SLUGLINE_CHECK_ALLOWED_PORTS", "9000-8000", "8000-8999")]
    #[case("SLUGLINE_SAFE_BROWSING_DOH", "dns.example", "https://service.example")]
    #[case("SLUGLINE_SAFE_BROWSING_DOH", "ftp://dns.example/", "http or https")]
    #[case(
        "SLUGLINE_SAFE_BROWSING_DOH",
        "https://me@dns.example/",
        "without user name"
    )]
    #[case("SLUGLINE_WEBHOOK_URL", "hooks.example", "https://service.example")]
    #[case(
        "SLUGLINE_WEBHOOK_URL",
        "https://me:secret@hooks.example/",
        "without user name"
    )]
    #[case("SLUGLINE_WEBHOOK_SECRET", "whsec_AAEC", "24 to 64 random bytes")]
    #[case("SLUGLINE_VISITOR_SALT", "hour", "day")]
    #[case("SLUGLINE_RETENTION_DAYS", "1.5", "0 for no limit")]
    #[case("SLUGLINE_SAMPLE_ABOVE", "-1", "0 for no limit")]
    #[case("SLUGLINE_SAMPLE_LINK_ABOVE", "many", "0 for no limit")]
    #[case("SLUGLINE_LOG_FORMAT", "xml", "text or json")]
    #[case("SLUGLINE_LOG", "in[fo", "expected error, warn, info")]
    #[case(
        "SLUGLINE_LOG",
        "verbose",
        "\"verbose\" is not a level; expected error"
    )]
    #[case("SLUGLINE_LOG", "info,slugline", "\"slugline\" is not a level")]
    #[case("SLUGLINE_LOG", "slugline=loud", "expected error, warn, info")]
    #[case("SLUGLINE_LOG_REQUESTS", "all", "true or false")]
    #[case("SLUGLINE_BODY_TIMEOUT", "0", "from 1 to 3600")]
    #[case("SLUGLINE_METRICS_LISTEN", "9090", "127.0.0.1:8080")]
    #[case("SLUGLINE_BACKUP_EVERY", "24h", "from 1 to 8760")]
    #[case("SLUGLINE_BACKUP_KEEP", "0", "from 1 to 10000")]
    #[case("SLUGLINE_CONNECTIONS_PER_CLIENT", "none", "from 1 to 1000000")]
    #[case("SLUGLINE_CONNECTIONS", "0", "from 1 to 1000000")]
    #[case("SLUGLINE_TOKEN_WRITES_PER_MINUTE", "-1", "from 0 to 1000000")]
    #[case("SLUGLINE_WORKERS", "0", "from 1")]
    fn a_wrong_value_names_the_setting_and_the_fix(
        #[case] name: &str,
        #[case] value: &str,
        #[case] fix: &str,
    ) {
        let error = Settings::from_pairs([(name, value)])
            .unwrap_err()
            .to_string();
        assert!(error.contains(name), "{error}");
        assert!(error.contains(fix), "{error}");
        assert!(!error.contains('\n'), "{error}");
    }

    #[test]
    fn all_wrong_settings_are_told_at_once() {
        let wrong = [
            ("SLUGLINE_REDIRECT_STATUS_CODE", "303"),
            ("SLUGLINE_WEBHOOK_URL", "hooks.example"),
            ("SLUGLINE_SITE_TOKEN_FILE", "/nowhere"),
            ("SLUGLINE_WORKERS", "none"),
            ("SLUGLINE_CASE_SENSITIVE", "true"),
        ];
        let errors = Settings::from_pairs(wrong).unwrap_err();
        assert_eq!(errors.errors().len(), 4, "{errors}");
        let text = errors.to_string();
        assert_eq!(text.lines().count(), 5, "{text}");
        assert!(text.starts_with("4 settings are wrong\n"), "{text}");
        for (name, _) in &wrong[..4] {
            assert!(text.contains(name.trim_end_matches("_FILE")), "{text}");
        }
    }

    #[test]
    fn a_secret_is_not_repeated_in_the_error() {
        let error = Settings::from_pairs([("SLUGLINE_SITE_TOKEN", "hunter2")]).unwrap_err();
        assert!(!error.to_string().contains("hunter2"), "{error}");
        let url = "clickhouse+http://ana:hunter2@h/a-b";
        let error = Settings::from_pairs([("SLUGLINE_ANALYTICS_URL", url)]).unwrap_err();
        assert!(!error.to_string().contains("hunter2"), "{error}");
    }
}
