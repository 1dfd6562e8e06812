//! The common response of all pages.

use actix_web::{HttpResponse, http::header};
use askama::Template;

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
