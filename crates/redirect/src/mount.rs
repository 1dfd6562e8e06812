//! The place at which redirects are mounted.

use actix_web::HttpRequest;

/// The path of a request, cut where the redirects are mounted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mounted<'r> {
    /// The path up to there: empty, or a prefix such as `/s`.
    pub(crate) below: &'r str,
    /// The path from there on, as the client sent it: `/docs`.
    pub(crate) path: &'r str,
}

impl<'r> Mounted<'r> {
    pub(crate) fn of(request: &'r HttpRequest) -> Self {
        let matched = request.match_info();
        Self::cut(request.path(), matched.as_str(), matched.unprocessed())
    }

    /// Cuts a path. Actix decodes paths, so `rest`, the part that no scope has matched, need not
    /// be the end of the path as it was sent.
    fn cut(whole: &'r str, decoded: &str, rest: &str) -> Self {
        if let Some(below) = whole.strip_suffix(rest) {
            let path = &whole[below.len()..];
            return Self { below, path };
        }
        let prefix = decoded.strip_suffix(rest).unwrap_or_default();
        let path = whole.strip_prefix(prefix).unwrap_or(whole);
        let below = &whole[..whole.len() - path.len()];
        Self { below, path }
    }

    /// Returns the address of the mount as pages name it: relative, because a proxy in front may have taken
    /// a path away that browsers ask for.
    pub(crate) fn root(self) -> String {
        match self.path.matches('/').count() {
            // The address has no slash at its end.
            0 => {
                let own = self.below.rsplit('/').next().unwrap_or_default();
                format!("./{own}/")
            }
            1 => "./".to_owned(),
            slashes => "../".repeat(slashes - 1),
        }
    }

    /// True for the address of the mount itself.
    pub(crate) fn is_home(self) -> bool {
        matches!(self.path, "" | "/")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_name_the_mount_from_where_they_are() {
        for (below, path, root) in [
            ("", "/", "./"),
            ("", "/docs", "./"),
            ("/s", "/docs", "./"),
            ("", "/docs/", "../"),
            ("", "/gh/a/b", "../../"),
            ("/s", "", "./s/"),
        ] {
            assert_eq!(Mounted { below, path }.root(), root, "{below}{path}");
        }
    }

    #[test]
    fn a_path_is_cut_where_scopes_end() {
        for (whole, decoded, rest, below, path) in [
            ("/docs", "/docs", "/docs", "", "/docs"),
            ("/s/docs", "/s/docs", "/docs", "/s", "/docs"),
            ("/%73/docs", "/s/docs", "/docs", "/%73", "/docs"),
            ("/s", "/s", "", "/s", ""),
            ("/s/%64ocs", "/s/docs", "/docs", "/s", "/%64ocs"),
            ("/s/gh/a%20b", "/s/gh/a b", "/gh/a b", "/s", "/gh/a%20b"),
            ("/%73/%64ocs", "/s/docs", "/docs", "", "/%73/%64ocs"),
        ] {
            assert_eq!(Mounted::cut(whole, decoded, rest), Mounted { below, path });
        }
    }
}
