//! Redirects for addresses of Sink's dashboard, which people have as bookmarks and Sink's
//! browser extension opens.

/// Returns the new address of one of those paths: relative, because a reverse proxy may
/// have stripped a prefix. Callers ask only when no link has the path as its slug.
///
/// `path` and `query` are taken unchanged from the request.
pub fn moved(path: &str, query: Option<&str>) -> Option<String> {
    let page = match path.strip_suffix('/').unwrap_or(path) {
        "/dashboard" => String::new(),
        "/dashboard/links" => "links".to_owned(),
        "/dashboard/link" => match query.filter(|query| query.starts_with("slug=")) {
            Some(slug) => format!("analytics?{slug}"),
            None => "links".to_owned(),
        },
        _ => return None,
    };
    let up = "../".repeat(path.matches('/').count().saturating_sub(1));
    Some(format!("{up}_dashboard/{page}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_the_older_dashboard_lead_here_below_any_prefix() {
        for (path, query, location) in [
            ("/dashboard", None, "_dashboard/"),
            ("/dashboard/", None, "../_dashboard/"),
            ("/dashboard/links", None, "../_dashboard/links"),
            ("/dashboard/links/", None, "../../_dashboard/links"),
            ("/dashboard/link", None, "../_dashboard/links"),
            (
                "/dashboard/link",
                Some("slug=a-b"),
                "../_dashboard/analytics?slug=a-b",
            ),
        ] {
            assert_eq!(moved(path, query).as_deref(), Some(location), "{path}");
        }
        for other in [
            "/",
            "/dash",
            "/dashboard/x",
            "/dashboards",
            "/Dashboard/links",
        ] {
            assert_eq!(moved(other, None), None, "{other}");
        }
    }
}
