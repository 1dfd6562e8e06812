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
        // Actix decodes the part that no scope has matched, and a path that had to be decoded
        // has no slug.
        Self::cut(request.path(), request.match_info().unprocessed())
    }

    fn cut(whole: &'r str, rest: &str) -> Self {
        match whole.strip_suffix(rest) {
            Some(below) => Self {
                below,
                path: &whole[below.len()..],
            },
            None => Self {
                below: "",
                path: whole,
            },
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
    fn a_path_is_cut_where_scopes_end() {
        for (whole, rest, below, path) in [
            ("/docs", "/docs", "", "/docs"),
            ("/s/docs", "/docs", "/s", "/docs"),
            ("/%73/docs", "/docs", "/%73", "/docs"),
            ("/s", "", "/s", ""),
            ("/s/%64ocs", "/docs", "", "/s/%64ocs"),
        ] {
            assert_eq!(Mounted::cut(whole, rest), Mounted { below, path });
        }
    }
}
