//! What the settings allow and an operator may regret.

use slugline_application::SiteToken;

use crate::Settings;

/// One sentence for each thing that should be set otherwise. The service says
/// them when it starts, and `slugline doctor` repeats them.
pub(crate) fn advice(settings: &Settings, token: Option<&SiteToken>) -> Vec<String> {
    let mut advice = Vec::new();
    if token.is_some_and(SiteToken::is_short) {
        advice.push(format!(
            "the site token has fewer than {} characters, and a short one can be guessed; set a \
             longer SLUGLINE_SITE_TOKEN",
            SiteToken::ADVISED_CHARS
        ));
    }
    if !settings.trusted_proxies.is_empty() && settings.base_url.is_none() {
        advice.push(
            "SLUGLINE_TRUSTED_PROXIES is set and SLUGLINE_BASE_URL is not, so the address in short \
             links is the one that the proxy passes on, which a client may have chosen; set \
             SLUGLINE_BASE_URL to the public address, such as https://sl.example"
                .into(),
        );
    }
    advice
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(pairs: &[(&str, &str)]) -> Vec<String> {
        let settings = Settings::from_pairs(pairs.iter().copied()).unwrap();
        advice(&settings, settings.site_token.as_ref())
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
}
