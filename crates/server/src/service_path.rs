//! Recognizes the service's own paths.

/// True if a path, as sent in the request, may be one of the service's own. All others are
/// slugs or unknown: `/api` and `/api/` are a slug.
///
/// The table of routes decodes paths, so a path with a `%` may be a path of the service; the
/// table decides.
pub(crate) fn may_be_service_path(path: &str) -> bool {
    let below_api = path
        .strip_prefix("/api/")
        .is_some_and(|rest| !rest.is_empty());
    below_api
        || path.starts_with("/_")
        || path.starts_with("/.well-known/")
        || path.as_bytes().contains(&b'%')
}

#[cfg(test)]
mod tests {
    use slugline_contract::Bounds;

    use super::*;
    use crate::api_routes::declared;

    #[test]
    fn every_documented_path_but_the_links_own_is_the_services() {
        let api = declared(&Bounds::default()).unwrap();
        for path in api.paths().filter(|path| *path != "/{slug}") {
            assert!(may_be_service_path(path), "{path}");
        }
    }

    #[test]
    fn what_is_a_slug_is_not_the_services() {
        for path in [
            "/",
            "/docs",
            "/docs/",
            "/api",
            "/api/",
            "/apix/y",
            "/.well-known",
            "//",
            "*",
            "",
        ] {
            assert!(!may_be_service_path(path), "{path}");
        }
        for path in [
            "/api/x",
            "/api//",
            "/_x",
            "/.well-known/x",
            "/%61pi/link/list",
        ] {
            assert!(may_be_service_path(path), "{path}");
        }
    }
}
