//! The settings of an instance, for callers that may read them.

use std::num::NonZeroU32;

use slugline_analytics::{CountrySource, RecorderOptions, SamplingTargets};
use slugline_application::{LinkService, LiveVisits, MAX_TAGGED, PreviewMode, SiteToken};
use slugline_contract::{
    CountriesView, Limits, LinkStoreKind, MAX_TAGS, RedirectsView, SetupView, Stores, Switches,
    VisitStoreKind, VisitsView,
};
use slugline_domain::{
    BaseUrl, CheckSize, Comment, Description, PageSize, Password, Slug, SlugCase, Tag, Tags, Title,
    routing::KnownPlaces,
};
use slugline_rest::BODY_LIMIT;
use slugline_storage::DatabaseUrl;

use crate::{
    VERSION,
    risky_settings::findings,
    settings::{AccessLog, PlaceSource, Settings},
};

/// The part of the answer that depends on settings only. Each request adds the running
/// service's part.
pub(crate) fn setup(settings: &Settings, token: &SiteToken) -> SetupView {
    SetupView {
        version: VERSION,
        base_url: settings.base_url.as_ref().map(BaseUrl::to_string),
        base_url_unicode: settings.base_url.as_ref().and_then(BaseUrl::in_unicode),
        admin_url: settings
            .api_base_url()
            .filter(|_| settings.admin_host.is_some())
            .map(|base| base.to_string()),
        limits: limits(settings),
        switches: switches(settings),
        redirects: RedirectsView {
            status: settings.redirects.status.get(),
            max_age_seconds: settings.redirects.cache.max_age().map(|age| age.as_secs()),
            with_query: settings.redirects.with_query,
        },
        visits: visits(&settings.recorder),
        stores: Stores {
            links: match settings.links {
                DatabaseUrl::File(_) => LinkStoreKind::Sqlite,
                DatabaseUrl::Postgres(_) => LinkStoreKind::PostgreSql,
            },
            visits: match settings.access_log {
                AccessLog::ClickHouse(_) => VisitStoreKind::ClickHouse,
                AccessLog::File(_) => VisitStoreKind::Embedded,
            },
        },
        countries: countries(settings),
        findings: findings(settings, Some(token)),
    }
}

fn countries(settings: &Settings) -> Option<CountriesView> {
    let source = CountrySource::of_table();
    (settings.places == PlaceSource::Table).then_some(CountriesView {
        name: source.name,
        address: source.address,
        licence: source.licence,
        date: source.date,
    })
}

fn limits(settings: &Settings) -> Limits {
    let destinations = &settings.bounds.destinations;
    Limits {
        slug_chars: Slug::MAX_CHARS,
        slug_pattern: Slug::PATTERN,
        generated_slug_chars: settings.generated_slug_chars,
        url_chars: destinations.max_bytes(),
        url_schemes: destinations.schemes().map(str::to_owned).collect(),
        comment_chars: Comment::MAX_CHARS,
        title_chars: Title::MAX_CHARS,
        description_chars: Description::MAX_CHARS,
        password_chars: Password::MAX_CHARS,
        tags: Tags::MAX,
        tag_chars: Tag::MAX_CHARS,
        import_links: settings.import_limit.0,
        export_links: LinkService::EXPORT_PAGE,
        list_links: PageSize::MAX,
        batch_links: LinkService::BATCH,
        check_links: CheckSize::MAX,
        stats_rows: settings.bounds.rows_max.get(),
        stats_tags: MAX_TAGS,
        stats_tagged_links: MAX_TAGGED,
        watchers: LiveVisits::WATCHERS,
        body_bytes: BODY_LIMIT,
    }
}

fn switches(settings: &Settings) -> Switches {
    Switches {
        preview_mode: settings.preview == PreviewMode::On,
        // The running service sets this.
        migration_required: false,
        case_sensitive_slugs: settings.slug_case == SlugCase::Sensitive,
        proxied_links: settings.proxy.is_some(),
        destination_screening: settings.safe_browsing.is_some(),
        webhook: settings.webhook.is_some(),
        api_cors: settings.api_cors,
        assistants: settings.base_for_assistants().is_some(),
        trusted_proxies: !settings.trusted_proxies.is_empty(),
        place_file: matches!(settings.places, PlaceSource::File(_)),
        places: settings.known_places() != KnownPlaces::Nothing,
        cities: settings.known_places() == KnownPlaces::Everything,
        trash: settings.keeping.has_trash(),
    }
}

fn visits(options: &RecorderOptions) -> VisitsView {
    let SamplingTargets {
        per_link, overall, ..
    } = options.sampling;
    VisitsView {
        bots: !options.skip_bots,
        retention_days: options.retention_days.map(NonZeroU32::get),
        visitor_salt: options.salt_period.as_str(),
        sample_above: overall.map(NonZeroU32::get),
        sample_link_above: per_link.map(NonZeroU32::get),
    }
}

#[cfg(test)]
mod tests {
    use slugline_contract::{Finding, Fix};
    use slugline_domain::LogTrouble;

    use super::*;
    use crate::settings::CATALOGUE;

    fn shown(pairs: &[(&str, &str)]) -> serde_json::Value {
        let settings = Settings::from_pairs(pairs.iter().copied()).unwrap();
        let token = SiteToken::new("correct-horse-battery").unwrap();
        let token = settings.site_token.clone().unwrap_or(token);
        serde_json::to_value(setup(&settings, &token)).unwrap()
    }

    #[test]
    fn nothing_secret_is_shown() {
        // Secrets and locations, with the mark in each.
        const SECRETS: [(&str, &str); 7] = [
            ("SLUGLINE_SITE_TOKEN", "MARKtoken"),
            (
                "SLUGLINE_DATABASE_URL",
                "postgres://MARKuser:MARKword@MARKhost/MARKname",
            ),
            (
                "SLUGLINE_ANALYTICS_URL",
                "clickhouse+https://MARKuser:MARKword@MARKhost/MARKname",
            ),
            (
                "SLUGLINE_LEGACY_KV_URL",
                "redis://:MARKword@MARKhost:6379/0",
            ),
            ("SLUGLINE_SAFE_BROWSING_DOH", "https://MARKhost/MARKpath"),
            ("SLUGLINE_WEBHOOK_URL", "https://MARKhost/MARKpath"),
            (
                "SLUGLINE_WEBHOOK_SECRET",
                "whsec_TUFSS01BUktNQVJLTUFSS01BUktNQVJL",
            ),
        ];
        for setting in CATALOGUE.iter().filter(|setting| setting.secret) {
            assert!(
                SECRETS.iter().any(|(name, _)| *name == setting.name),
                "{} is not tried here",
                setting.name
            );
        }
        let others = [
            ("SLUGLINE_DATA_DIR", "/MARK/data"),
            ("SLUGLINE_GEOIP_PATH", "/MARK/places.mmdb"),
        ];
        let pairs: Vec<_> = SECRETS.into_iter().chain(others).collect();
        let shown = shown(&pairs);
        assert_eq!(shown["stores"]["links"], "postgresql");
        assert_eq!(shown["stores"]["visits"], "clickhouse");
        assert_eq!(shown["switches"]["webhook"], true);
        let text = shown.to_string().to_lowercase();
        // The secret of the webhook is the mark in base64.
        for mark in ["mark", "tufss", "whsec_"] {
            assert!(!text.contains(mark), "{text}");
        }
    }

    #[test]
    fn settings_show_as_bounds_and_switches() {
        let plain = shown(&[]);
        assert_eq!(plain["stores"]["links"], "sqlite");
        assert_eq!(
            plain["limits"]["urlSchemes"],
            serde_json::json!(["http", "https"])
        );
        assert_eq!(plain["limits"]["importLinks"], 100);
        assert_eq!(plain["redirects"]["maxAgeSeconds"], 90);
        assert_eq!(plain["switches"]["trash"], true);
        for setting in ["SLUGLINE_TRASH_DAYS", "SLUGLINE_HISTORY_VERSIONS"] {
            assert_eq!(shown(&[(setting, "0")])["switches"]["trash"], false);
        }
        assert_eq!(plain["visits"]["retentionDays"], serde_json::Value::Null);
        let other = shown(&[
            ("SLUGLINE_ALLOWED_SCHEMES", "mailto"),
            ("SLUGLINE_IMPORT_REQUEST_LIMIT", "7"),
            ("SLUGLINE_REDIRECT_NO_STORE", "true"),
            ("SLUGLINE_RETENTION_DAYS", "30"),
            ("SLUGLINE_SAMPLE_ABOVE", "0"),
            ("SLUGLINE_PUBLIC_PREVIEW_MODE", "true"),
            ("SLUGLINE_BASE_URL", "https://sl.example"),
        ]);
        assert_eq!(other["limits"]["urlSchemes"][2], "mailto");
        assert_eq!(other["limits"]["importLinks"], 7);
        assert!(other["redirects"].get("maxAgeSeconds").is_none());
        assert_eq!(other["visits"]["retentionDays"], 30);
        assert!(other["visits"].get("sampleAbove").is_none());
        assert_eq!(other["visits"]["sampleLinkAbove"], 600);
        assert_eq!(other["switches"]["previewMode"], true);
        assert_eq!(other["baseUrl"], "https://sl.example");
    }

    #[test]
    fn every_fix_names_a_setting_that_there_is() {
        let settings = Settings::from_pairs([
            ("SLUGLINE_SITE_TOKEN", "hunter2!"),
            ("SLUGLINE_TRUSTED_PROXIES", "10.0.0.0/8"),
            ("SLUGLINE_GEO_HEADERS", "none"),
            ("SLUGLINE_GEOIP_PATH", "off"),
        ]);
        let settings = settings.unwrap();
        let mut all = findings(&settings, settings.site_token.as_ref());
        assert_eq!(all.len(), 4);
        let troubles = [
            LogTrouble::NotStoring,
            LogTrouble::Full,
            LogTrouble::NotShipping,
            LogTrouble::Panicked,
            LogTrouble::Damaged,
        ];
        all.extend(troubles.map(Finding::from));
        let peer = "10.0.0.1".parse().unwrap();
        all.push(Finding::untrusted_proxy(peer, "x-forwarded-for"));
        all.push(Finding::other_client_header(peer, "x-real-ip", "forwarded"));
        for Finding { code, fix, .. } in all {
            if let Fix::Setting { setting, .. } = fix {
                let known = CATALOGUE.iter().any(|known| known.name == setting);
                assert!(known, "{code}: {setting}");
            }
        }
    }
}
