//! The pages of a link itself: the preview for bots of social networks, and the
//! frame around the destination.

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::{self, HeaderValue},
};
use askama::Template;
use slugline_domain::FollowedLink;
use slugline_httpkit::Edge;

use crate::{
    mount::Mounted,
    page::{Base, PageMeta, render, respond},
};

const PREVIEW_POLICY: &str = "default-src 'none'; style-src 'self'; img-src data:; form-action \
                              'none'; frame-ancestors 'none'; base-uri 'none'";

/// The frame may show any web page: destinations redirect, and a redirect to an
/// address that is not named here would leave the frame empty.
const FRAME_POLICY: &str = "default-src 'none'; style-src 'self'; img-src data:; frame-src http: \
                            https:; form-action 'none'; frame-ancestors 'none'; base-uri 'none'";

/// The preview that the link's author wrote for social networks, with a link to
/// `target`.
pub(crate) fn preview(
    request: &HttpRequest,
    edge: &Edge,
    link: &FollowedLink,
    target: &str,
) -> HttpResponse {
    let base = base(request, edge, link);
    let meta = PageMeta::new(link, target, &base);
    private(respond(render(&PreviewPage { meta }), PREVIEW_POLICY))
}

/// A preview that does not tell where the link leads: the author's texts, or neutral ones.
pub(crate) fn sealed(request: &HttpRequest, edge: &Edge, link: &FollowedLink) -> HttpResponse {
    let base = base(request, edge, link);
    let meta = PageMeta::new(link, "", &base);
    private(respond(render(&SealedPage { meta }), PREVIEW_POLICY))
}

/// `target` in a frame that fills the window.
pub(crate) fn frame(
    request: &HttpRequest,
    edge: &Edge,
    link: &FollowedLink,
    target: &str,
) -> HttpResponse {
    let base = base(request, edge, link);
    let meta = PageMeta::new(link, target, &base);
    private(respond(render(&FramePage { meta }), FRAME_POLICY))
}

fn base<'r>(request: &'r HttpRequest, edge: &Edge, link: &FollowedLink) -> Base<'r> {
    Base {
        url: edge.base_url_of(request, link.host()),
        mounted: Mounted::of(request),
    }
}

/// Forbids shared caches: the next visitor may get something else under the
/// same address.
fn private(mut response: HttpResponse) -> HttpResponse {
    let cache = HeaderValue::from_static("no-store, private");
    response.headers_mut().insert(header::CACHE_CONTROL, cache);
    response
}

#[derive(Template)]
#[template(path = "preview.html")]
struct PreviewPage<'a> {
    meta: PageMeta<'a>,
}

#[derive(Template)]
#[template(path = "sealed.html")]
struct SealedPage<'a> {
    meta: PageMeta<'a>,
}

#[derive(Template)]
#[template(path = "frame.html")]
struct FramePage<'a> {
    meta: PageMeta<'a>,
}

#[cfg(test)]
mod tests {
    use slugline_domain::{Description, ImageRef, Link, Title, Uri};
    use slugline_testkit::link;

    use super::*;

    const HOSTILE: &str = "\"'></title><script>alert('x')</script>\n&";

    fn base() -> Base<'static> {
        Base {
            url: "https://sl.example".parse().unwrap(),
            mounted: Mounted {
                below: "",
                path: "/docs",
            },
        }
    }

    fn pages(link: &Link, target: &str) -> [String; 2] {
        let link = FollowedLink::from(link);
        let (base, target) = (base(), Uri::of(target));
        let meta = || PageMeta::new(&link, target.as_str(), &base);
        [
            render(&PreviewPage { meta: meta() }),
            render(&FramePage { meta: meta() }),
        ]
    }

    #[test]
    fn both_pages_say_what_the_author_wrote() {
        let mut link = link("docs").build();
        link.content.preview.title = Title::parse("The docs").ok();
        link.content.preview.description = Description::parse("All of them").ok();
        link.content.preview.image = ImageRef::parse("/_assets/a.png").ok();
        for html in pages(&link, "https://example.com/a?b=c&d") {
            for tag in [
                "<title>The docs</title>",
                r#"<meta name="description" content="All of them">"#,
                r#"<meta property="og:type" content="website">"#,
                r#"<meta property="og:url" content="https://sl.example/docs">"#,
                r#"<meta property="og:title" content="The docs">"#,
                r#"<meta property="og:description" content="All of them">"#,
                r#"<meta property="og:image" content="https://sl.example/_assets/a.png">"#,
                r#"<meta name="twitter:card" content="summary_large_image">"#,
                r#"<meta name="twitter:title" content="The docs">"#,
                r#"<meta name="twitter:description" content="All of them">"#,
                r#"<meta name="twitter:image" content="https://sl.example/_assets/a.png">"#,
                r#"url=https://example.com/a?b=c&#38;d">"#,
            ] {
                assert!(html.contains(tag), "{tag}: {html}");
            }
        }
    }

    #[test]
    fn without_texts_the_destinations_host_is_the_title() {
        for html in pages(&link("docs").build(), "https://example.com/a") {
            for (part, is_there) in [
                (r#"og:title" content="example.com""#, true),
                (r#"twitter:card" content="summary""#, true),
                ("description", false),
                (":image", false),
            ] {
                assert_eq!(html.contains(part), is_there, "{part}: {html}");
            }
        }
        for html in pages(&link("docs").build(), "mailto:a@example.com") {
            assert!(html.contains("<title>Link</title>"), "{html}");
        }
    }

    #[test]
    fn nothing_written_by_strangers_becomes_markup() {
        let mut link = link("docs").build();
        link.content.preview.title = Title::parse(HOSTILE).ok();
        link.content.preview.description = Description::parse(HOSTILE).ok();
        for image in [
            format!("/{HOSTILE}"),
            format!("https://e.example/{HOSTILE}"),
        ] {
            link.content.preview.image = ImageRef::parse(&image).ok();
            let target = format!("https://e.example/{}", HOSTILE.replace('\n', ""));
            for html in pages(&link, &target) {
                for markup in ["<script", "\"'>"] {
                    assert!(!html.contains(markup), "{html}");
                }
                assert_eq!(html.matches("</title>").count(), 1, "{html}");
                assert!(html.contains("&#60;script&#62;"), "{html}");
            }
        }
    }

    #[test]
    fn a_refresh_holds_one_address_whatever_the_destination_holds() {
        for target in [
            "https://e.example/\" 'a;url=x",
            "HTTPS://e.example/?\"'<b>;url='x'#'\"<",
        ] {
            for html in pages(&link("docs").build(), target) {
                let refresh = html.split_once("http-equiv=\"refresh\" content=\"");
                let content = refresh.unwrap().1.split('"').next().unwrap();
                let (_, address) = content.split_once(";url=").unwrap();
                let start = address.to_ascii_lowercase();
                assert!(start.starts_with("https://e.example/"), "{content}");
                assert!(!address.contains(['<', '>', ' ', '\'']), "{content}");
            }
        }
    }
}
