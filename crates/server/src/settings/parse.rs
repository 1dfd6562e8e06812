//! Parses the texts of single settings. The errors say which values are valid.

use std::{
    net::{IpAddr, SocketAddr},
    num::{NonZeroU32, NonZeroUsize},
    ops::RangeInclusive,
    path::PathBuf,
    time::Duration,
};

use ipnet::IpNet;
use slugline_clickhouse::ClickHouseTarget;
use slugline_domain::RowLimit;
use slugline_outbound::{AddressPolicy, Policy, RetryPolicy, WebhookOptions, WebhookSecret};
use slugline_redirect::ProxyLimits;
use tracing_subscriber::{EnvFilter, filter::LevelFilter};
use url::Url;

use super::source::{SettingError, Sources};

pub(super) fn address(text: &str) -> Result<SocketAddr, &'static str> {
    text.parse()
        .map_err(|_| "expected an address and a port, such as 127.0.0.1:8080")
}

/// The source of the places of visitors, unless a proxy names them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlaceSource {
    /// Nothing does.
    Nothing,
    /// The table of countries in the program.
    Table,
    /// A file of cities or countries.
    File(PathBuf),
}

/// A file, or the word that switches the table of countries off.
pub(super) fn places(text: &str) -> Result<PlaceSource, &'static str> {
    match text {
        "off" => Ok(PlaceSource::Nothing),
        text => path(text).map(PlaceSource::File),
    }
}

pub(super) fn path(text: &str) -> Result<PathBuf, &'static str> {
    if text.is_empty() {
        Err("expected a path")
    } else {
        Ok(text.into())
    }
}

pub(super) fn analytics_url(text: &str) -> Result<AccessLog, String> {
    if text.starts_with("clickhouse") {
        let target = text.parse::<ClickHouseTarget>();
        return target
            .map(AccessLog::ClickHouse)
            .map_err(|error| error.to_string());
    }
    let path = text
        .strip_prefix("sqlite://")
        .or_else(|| text.strip_prefix("sqlite:"));
    match path {
        Some(path) if !path.is_empty() => Ok(AccessLog::File(path.into())),
        Some(_) | None => Err("expected sqlite: and the path of a file, or \
                               clickhouse+https://user:password@host:port/database"
            .into()),
    }
}

pub(super) fn network(text: &str) -> Result<IpNet, &'static str> {
    let network = text
        .parse()
        .or_else(|_| text.parse::<IpAddr>().map(IpNet::from).map_err(drop));
    network.map_err(|()| "expected a network such as 10.0.0.0/8, or an address")
}

pub(super) fn ports(text: &str) -> Result<RangeInclusive<u16>, &'static str> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let range = first.trim().parse().ok().zip(last.trim().parse().ok());
    range
        .map(|(first, last)| first..=last)
        .filter(|ports| !ports.is_empty())
        .ok_or("expected a port such as 443, or a range such as 8000-8999")
}

/// The URL of a server that the service calls. The client would reject user information in it,
/// so this rejects it earlier.
pub(super) fn server_url(text: &str) -> Result<Url, &'static str> {
    const EXPECTED: &str = "expected a URL with http or https and without user name, such as https://service.example/path";
    let url = Url::parse(text).map_err(|_| EXPECTED)?;
    let plain = url.username().is_empty() && url.password().is_none();
    let web = matches!(url.scheme(), "http" | "https");
    (plain && web).then_some(url).ok_or(EXPECTED)
}

/// The collector of traces, in a program that can send them.
pub(super) fn collector(text: &str) -> Result<Url, &'static str> {
    if !cfg!(feature = "otel") {
        return Err(
            "this program cannot send traces; unset it, or build the program with \
             `cargo build --release --features otel`",
        );
    }
    server_url(text)
}

pub(super) fn share(text: &str) -> Result<f64, &'static str> {
    let share: Option<f64> = text.parse().ok();
    let share = share.filter(|share| (0.0..=1.0).contains(share));
    share.ok_or("expected a number from 0 to 1, such as 0.01")
}

/// The store of visits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AccessLog {
    /// In a file of this node.
    File(PathBuf),
    /// In ClickHouse, behind a spool in the data folder.
    ClickHouse(ClickHouseTarget),
}

/// Reach and limits of proxied links.
#[derive(Clone, Debug)]
pub struct ProxySettings {
    /// The addresses and ports they may reach.
    pub reach: Policy,
    /// Their number and timeouts.
    pub limits: ProxyLimits,
}

/// The reach and limits of proxied links; `None` if links may not be proxied.
pub(super) fn proxy(sources: &Sources) -> Result<Option<ProxySettings>, SettingError> {
    /// The most requests of one client at a time.
    const PER_CLIENT: NonZeroUsize = NonZeroUsize::new(32).expect("more than none");
    const MOST: NonZeroUsize = NonZeroUsize::new(100_000).expect("more than none");
    let networks = sources.list("SLUGLINE_PROXY_ALLOWED_NETWORKS", network)?;
    let enabled = sources.flag("SLUGLINE_PUBLIC_LINK_PROXY_ENABLED")?;
    let idle = sources.number("SLUGLINE_PROXY_IDLE_TIMEOUT", 1..=3600)?;
    let requests = sources.number("SLUGLINE_PROXY_REQUESTS", NonZeroUsize::MIN..=MOST)?;
    Ok(enabled.then(|| ProxySettings {
        reach: Policy {
            addresses: AddressPolicy::public_and(networks),
            ..Policy::default()
        },
        limits: ProxyLimits {
            requests,
            requests_per_client: PER_CLIENT,
            idle: Duration::from_secs(idle),
        },
    }))
}

/// The receiver of messages about visits, if its address is given. This checks the secret even
/// without an address, so that the operator learns of a wrong one early.
pub(super) fn webhook(sources: &Sources) -> Result<Option<WebhookOptions>, SettingError> {
    let secret = sources.optional("SLUGLINE_WEBHOOK_SECRET", WebhookSecret::parse)?;
    let url = sources.optional("SLUGLINE_WEBHOOK_URL", server_url)?;
    Ok(url.map(|url| WebhookOptions {
        url,
        secret,
        retries: RetryPolicy::default(),
    }))
}

pub(super) fn log_filter(text: &str) -> Result<String, String> {
    const EXPECTED: &str = "expected error, warn, info, debug, trace or off, or a list such as \
                            info,slugline_analytics=debug";
    // The filter takes a bare word for a module name, and then shows that module's events and
    // no others.
    let words = text.split(',').map(str::trim);
    let unknown = |word: &&str| !word.contains('=') && word.parse::<LevelFilter>().is_err();
    if !text.contains('[')
        && let Some(word) = words.clone().find(unknown)
    {
        return Err(format!("{word:?} is not a level; {EXPECTED}"));
    }
    match EnvFilter::try_new(text) {
        Ok(_) => Ok(text.to_owned()),
        Err(error) => Err(format!("{EXPECTED}: {error}")),
    }
}

pub(super) fn log_format(text: &str) -> Result<bool, &'static str> {
    match text {
        "text" => Ok(false),
        "json" => Ok(true),
        _ => Err("expected text or json"),
    }
}

/// Zero means no limit.
pub(super) fn limit(text: &str) -> Result<Option<NonZeroU32>, &'static str> {
    text.parse()
        .map(NonZeroU32::new)
        .map_err(|_| "expected a whole number, 0 for no limit")
}

pub(super) fn row_limit(text: &str) -> Result<RowLimit, String> {
    let max = RowLimit::MAX;
    RowLimit::new(text.parse().unwrap_or_default(), max)
        .map_err(|_| format!("expected a whole number from 1 to {}", max.get()))
}
