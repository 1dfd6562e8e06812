//! The language of a visitor.

use actix_web::{HttpRequest, http::header::ACCEPT_LANGUAGE};

use crate::header::{cookie, header};

/// A language and region that pages exist in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Locale {
    /// German.
    German,
    /// English, for every visitor whom no other language fits.
    #[default]
    English,
    /// French.
    French,
    /// Indonesian.
    Indonesian,
    /// Italian.
    Italian,
    /// Portuguese as in Brazil.
    BrazilianPortuguese,
    /// Portuguese as in Portugal.
    EuropeanPortuguese,
    /// Vietnamese.
    Vietnamese,
    /// Chinese in simplified characters.
    SimplifiedChinese,
    /// Chinese in traditional characters.
    TraditionalChinese,
}

impl Locale {
    /// Sink's cookie for a language chosen by hand. It takes precedence over
    /// the browser's preferences.
    const COOKIE: &str = "sink_i18n_redirected";

    /// Every locale.
    pub const ALL: [Self; 10] = [
        Self::German,
        Self::English,
        Self::French,
        Self::Indonesian,
        Self::Italian,
        Self::BrazilianPortuguese,
        Self::EuropeanPortuguese,
        Self::Vietnamese,
        Self::SimplifiedChinese,
        Self::TraditionalChinese,
    ];

    /// The visitor's locale.
    pub fn of(request: &HttpRequest) -> Self {
        let chosen = cookie(request, Self::COOKIE).and_then(|tag| Self::fitting(&tag));
        chosen
            .or_else(|| Self::preferred(&header(request, &ACCEPT_LANGUAGE)?))
            .unwrap_or_default()
    }

    /// The name in `lang` attributes and headers, by BCP 47.
    pub fn tag(self) -> &'static str {
        match self {
            Self::German => "de-DE",
            Self::English => "en-US",
            Self::French => "fr-FR",
            Self::Indonesian => "id-ID",
            Self::Italian => "it-IT",
            Self::BrazilianPortuguese => "pt-BR",
            Self::EuropeanPortuguese => "pt-PT",
            Self::Vietnamese => "vi-VN",
            Self::SimplifiedChinese => "zh-CN",
            Self::TraditionalChinese => "zh-TW",
        }
    }

    /// The best of an `Accept-Language` header: of those that fit, the first
    /// with the highest weight (RFC 9110 §12.5.4).
    pub fn preferred(header: &str) -> Option<Self> {
        let mut best: Option<(f32, Self)> = None;
        for range in header.split(',') {
            let (tag, weight) = range.split_once(';').unwrap_or((range, ""));
            let Some(weight) = weight_of(weight) else {
                continue;
            };
            if weight > best.map_or(0.0, |(highest, _)| highest)
                && let Some(locale) = Self::fitting(tag.trim())
            {
                best = Some((weight, locale));
            }
        }
        best.map(|(_, locale)| locale)
    }

    /// The locale for a language tag. A language in one region stands for all
    /// of its regions.
    fn fitting(tag: &str) -> Option<Self> {
        let mut parts = tag.split('-');
        let language = parts.next()?.to_ascii_lowercase();
        let names = |wanted: &[&str]| {
            let mut parts = parts.clone();
            parts.any(|part| wanted.iter().any(|name| part.eq_ignore_ascii_case(name)))
        };
        Some(match language.as_str() {
            "de" => Self::German,
            "en" | "*" => Self::English,
            "fr" => Self::French,
            "id" => Self::Indonesian,
            "it" => Self::Italian,
            "pt" if names(&["PT"]) => Self::EuropeanPortuguese,
            "pt" => Self::BrazilianPortuguese,
            "vi" => Self::Vietnamese,
            "zh" if names(&["Hant", "TW", "HK", "MO"]) && !names(&["Hans"]) => {
                Self::TraditionalChinese
            }
            "zh" => Self::SimplifiedChinese,
            _ => return None,
        })
    }
}

/// Parses `q=0.8`. Returns 1 if there is no weight, `None` if it is malformed.
fn weight_of(parameter: &str) -> Option<f32> {
    let parameter = parameter.trim();
    if parameter.is_empty() {
        return Some(1.0);
    }
    let (name, value) = parameter.split_once('=')?;
    let weight = value.trim().parse().ok()?;
    (name.trim().eq_ignore_ascii_case("q") && (0.0..=1.0).contains(&weight)).then_some(weight)
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    fn chosen(cookie: &str, accepted: &str) -> &'static str {
        let request = TestRequest::default()
            .insert_header(("cookie", cookie))
            .insert_header(("accept-language", accepted))
            .to_http_request();
        Locale::of(&request).tag()
    }

    #[test]
    fn the_cookie_counts_before_the_browser_and_the_browser_before_english() {
        assert_eq!(chosen("a=b; sink_i18n_redirected=fr-FR", "de"), "fr-FR");
        assert_eq!(chosen("sink_i18n_redirected=xx-XX", "de"), "de-DE");
        assert_eq!(chosen("x_sink_i18n_redirected=fr-FR; =; ;", "de"), "de-DE");
        assert_eq!(chosen("", "xx"), "en-US");
        let nothing_said = TestRequest::default().to_http_request();
        assert_eq!(Locale::of(&nothing_said).tag(), "en-US");
    }

    #[test]
    fn the_heaviest_language_that_fits_is_taken() {
        for (accepted, tag) in [
            ("de-AT,de;q=0.9,en;q=0.8", "de-DE"),
            ("en;q=0.5, it;q=0.8, fr;q=0.8", "it-IT"),
            ("ja, ko;q=0.9, vi;q=0.1", "vi-VN"),
            ("fr;q=0, id;q=0.001", "id-ID"),
            ("*, de;q=0.5", "en-US"),
            ("de;q=2, fr;q=nan, it;q=-1, id;x=1, vi ; Q = 0.2", "vi-VN"),
            (",;,;q=,-;q=1,--", "en-US"),
        ] {
            assert_eq!(chosen("", accepted), tag, "{accepted}");
        }
    }

    #[test]
    fn a_language_stands_for_its_regions() {
        for (tag, locale) in [
            ("DE-ch", "de-DE"),
            ("en-GB", "en-US"),
            ("fr-CA", "fr-FR"),
            ("pt", "pt-BR"),
            ("pt-br", "pt-BR"),
            ("pt-PT", "pt-PT"),
            ("zh", "zh-CN"),
            ("zh-SG", "zh-CN"),
            ("zh-Hans-HK", "zh-CN"),
            ("zh-Hant", "zh-TW"),
            ("zh-hk", "zh-TW"),
            ("zh-MO", "zh-TW"),
            ("zh-Hant-TW", "zh-TW"),
        ] {
            assert_eq!(chosen("", tag), locale, "{tag}");
        }
    }
}
