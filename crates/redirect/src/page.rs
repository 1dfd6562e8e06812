//! The frame of pages, and what they tell crawlers.

use std::borrow::Cow;

use actix_web::{HttpResponse, http::header};
use askama::Template;
use slugline_domain::{BaseUrl, FollowedLink, Text, Uri};
use url::Url;

use crate::mount::Mounted;

/// The path of the style sheet.
pub const STYLE_PATH: &str = "/_assets/page.css";

const STYLE: &str = include_str!("../templates/page.css");

/// The style sheet of all pages.
pub(crate) async fn style() -> HttpResponse {
    HttpResponse::Ok()
        .content_type("text/css; charset=utf-8")
        .insert_header((header::CACHE_CONTROL, "public, max-age=3600"))
        .insert_header((header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .body(STYLE)
}

/// HTML with the headers of every page. `content_policy` names what it may
/// load; no page from here runs a script.
pub(crate) fn respond(html: String, content_policy: &'static str) -> HttpResponse {
    HttpResponse::Ok()
        .content_type("text/html; charset=utf-8")
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .insert_header((header::CONTENT_SECURITY_POLICY, content_policy))
        .insert_header((header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .insert_header((header::REFERRER_POLICY, "no-referrer"))
        .body(html)
}

pub(crate) fn render(template: &impl Template) -> String {
    template
        .render()
        .expect("writing to a string does not fail")
}

/// The paths below which links are: the one of the service's address, and the mount of the redirects.
pub(crate) struct Base<'r> {
    pub(crate) url: BaseUrl,
    pub(crate) mounted: Mounted<'r>,
}

/// The author's texts, and addresses as they belong into a page.
pub(crate) struct PageMeta<'a> {
    /// The relative address of the service's own paths.
    pub(crate) root: String,
    pub(crate) short_link: String,
    pub(crate) title: Cow<'a, str>,
    pub(crate) description: Option<&'a str>,
    pub(crate) image: Option<String>,
    /// The URI of the destination. It starts with a scheme and so never with a quote, which a
    /// refresh would take as its own.
    pub(crate) address: &'a str,
}

impl<'a> PageMeta<'a> {
    pub(crate) fn new(link: &'a FollowedLink, target: &'a str, base: &Base<'_>) -> Self {
        let Base { url: own, mounted } = base;
        let texts = &link.terms().preview;
        let url = Url::parse(target).ok();
        let title = texts.title.as_ref().map(Text::as_str);
        let host = || url.as_ref().and_then(Url::host_str).map(str::to_owned);
        let description = texts.description.as_ref().map(Text::as_str);
        let image = texts.image.as_ref().map(Text::as_str);
        Self {
            root: mounted.root(),
            short_link: format!("{own}{}/{}", mounted.below, link.slug()),
            title: match title.filter(|title| !title.is_empty()) {
                Some(title) => title.into(),
                None => host().unwrap_or_else(|| "Link".into()).into(),
            },
            description: description.filter(|text| !text.is_empty()),
            image: image.and_then(|image| image_address(image, own)),
            address: target,
        }
    }
}

/// Returns the URL of a picture. A path belongs to this instance. Authors may write
/// anything; a text that is not a web address is left out.
fn image_address(image: &str, own: &BaseUrl) -> Option<String> {
    if image.starts_with('/') {
        return Some(format!("{own}{}", Uri::of(image)));
    }
    let url = Url::parse(image).ok()?;
    matches!(url.scheme(), "http" | "https").then(|| Uri::of(image).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own() -> BaseUrl {
        "https://sl.example".parse().unwrap()
    }

    #[test]
    fn an_image_is_an_address_of_the_web_or_left_out() {
        let shown = |image| image_address(image, &own());
        assert_eq!(shown("/a.png").as_deref(), Some("https://sl.example/a.png"));
        assert_eq!(
            shown("HTTP://e.example/a").as_deref(),
            Some("HTTP://e.example/a")
        );
        assert_eq!(
            shown("https://ü.example/a|b.png").as_deref(),
            Some("https://xn--tda.example/a%7Cb.png")
        );
        for none in ["", "a.png", "javascript:alert(1)", "data:image/png,x"] {
            assert_eq!(shown(none), None, "{none}");
        }
    }
}
