//! Findings about settings that are allowed but risky.

use slugline_application::SiteToken;
use slugline_contract::{Finding, Fix, Level};
use slugline_domain::routing::KnownPlaces;
use slugline_visitlog::history_in;

use crate::settings::{AccessLog, Settings};

/// One finding for each setting that should, or could, have another value; the worst first.
pub(crate) fn findings(settings: &Settings, token: Option<&SiteToken>) -> Vec<Finding> {
    let short = token.is_some_and(SiteToken::is_short).then(|| Finding {
        code: "short_token",
        level: Level::Warning,
        message: format!(
            "the site token has fewer than {} characters, and a short one can be guessed",
            SiteToken::ADVISED_CHARS
        ),
        fix: Fix::Setting {
            setting: "SLUGLINE_SITE_TOKEN",
            value: None,
        },
    });
    let proxied = !settings.trusted_proxies.is_empty();
    let unnamed = (proxied && settings.base_url.is_none()).then(|| Finding {
        code: "base_url_missing",
        level: Level::Warning,
        message: "SLUGLINE_TRUSTED_PROXIES is set and SLUGLINE_BASE_URL is not, so the address in \
                  short links is the one that the proxy passes on, which a client may have chosen"
            .into(),
        fix: Fix::setting("SLUGLINE_BASE_URL", "https://sl.example"),
    });
    let placeless = (settings.known_places() == KnownPlaces::Nothing).then(|| Finding {
        code: "places_unknown",
        level: Level::Note,
        message: "nothing says where visitors are, so countries and cities stay unknown".into(),
        fix: Fix::setting("SLUGLINE_GEOIP_PATH", "/path/to/cities.mmdb"),
    });
    let kept = settings.recorder.retention_days.is_none().then(|| Finding {
        code: "visits_kept_for_good",
        level: Level::Note,
        message: "visits are kept for good".into(),
        fix: Fix::setting("SLUGLINE_RETENTION_DAYS", "365"),
    });
    // A file that cannot be read is what `slugline doctor` is for.
    let clickhouse = matches!(settings.access_log, AccessLog::ClickHouse(_));
    let left = clickhouse && history_in(&settings.embedded_log()).unwrap_or(false);
    let left = left.then(|| Finding {
        code: "visits_left_behind",
        level: Level::Warning,
        message: "the embedded access log of the data folder has visits that are not in \
                  ClickHouse, so answers lack them"
            .into(),
        fix: Fix::Command {
            command: "slugline visits move",
        },
    });
    [short, unnamed, left, placeless, kept]
        .into_iter()
        .flatten()
        .collect()
}

/// One sentence for each setting that should have another value. The service logs them when it
/// starts, and `slugline doctor` repeats them.
pub(crate) fn advice(settings: &Settings, token: Option<&SiteToken>) -> Vec<String> {
    let findings = findings(settings, token).into_iter();
    findings
        .filter(|finding| finding.level < Level::Note)
        .map(|Finding { message, fix, .. }| format!("{message}; {fix}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(pairs: &[(&str, &str)]) -> Vec<String> {
        let settings = Settings::from_pairs(pairs.iter().copied()).unwrap();
        advice(&settings, settings.site_token.as_ref())
    }

    fn noted(pairs: &[(&str, &str)]) -> Vec<&'static str> {
        let settings = Settings::from_pairs(pairs.iter().copied()).unwrap();
        let findings = findings(&settings, settings.site_token.as_ref()).into_iter();
        findings.map(|finding| finding.code).collect()
    }

    #[test]
    fn a_careful_operator_hears_nothing() {
        assert_eq!(given(&[]), Vec::<String>::new());
        let careful = [
            ("SLUGLINE_SITE_TOKEN", "correct-horse-battery"),
            ("SLUGLINE_TRUSTED_PROXIES", "10.0.0.0/8"),
            ("SLUGLINE_BASE_URL", "https://sl.example"),
        ];
        assert_eq!(given(&careful), Vec::<String>::new());
    }

    #[test]
    fn a_short_token_and_a_missing_base_url_are_named() {
        let short = given(&[("SLUGLINE_SITE_TOKEN", "hunter2hunter2!")]);
        assert!(short[0].contains("SLUGLINE_SITE_TOKEN"), "{short:?}");
        assert!(!short[0].contains("hunter2"), "{short:?}");
        let proxied = given(&[("SLUGLINE_TRUSTED_PROXIES", "10.0.0.0/8")]);
        assert!(proxied[0].contains("set SLUGLINE_BASE_URL"), "{proxied:?}");
    }

    #[test]
    fn what_may_be_meant_so_is_noted_and_no_advice() {
        assert_eq!(noted(&[]), ["visits_kept_for_good"]);
        let off = ("SLUGLINE_GEOIP_PATH", "off");
        let without = ["places_unknown", "visits_kept_for_good"];
        assert_eq!(noted(&[off]), without);
        let by_headers = [
            ("SLUGLINE_TRUSTED_PROXIES", "10.0.0.0/8"),
            ("SLUGLINE_RETENTION_DAYS", "30"),
        ];
        assert_eq!(noted(&by_headers), ["base_url_missing"]);
        let by_nobody = [by_headers[0], ("SLUGLINE_GEO_HEADERS", "none"), off];
        assert_eq!(
            noted(&by_nobody),
            ["base_url_missing", "places_unknown", "visits_kept_for_good"]
        );
        let by_file = [("SLUGLINE_GEOIP_PATH", "/places.mmdb"), by_headers[1]];
        assert_eq!(noted(&by_file), [""; 0]);
    }
}
