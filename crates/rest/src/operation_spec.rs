//! A route as its file declares it.

use actix_web::http::Method;
use slugline_application::Access;
use slugline_contract::Code;

/// The facts about a route that its handler's signature does not show.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct OperationSpec {
    /// Method: GET, POST, PUT, PATCH or DELETE.
    pub method: Method,
    /// Path, without parameters; they belong into the query or the body. Below `/api/` the
    /// operation asks for a token.
    pub path: &'static str,
    /// Noun, then verb: `link_create`.
    pub id: &'static str,
    /// Group of operations in the document.
    pub tag: &'static str,
    /// One line.
    pub summary: &'static str,
    /// More.
    pub description: &'static str,
    /// The access rule; checked before any input is read.
    pub needs: Access,
    /// Error codes beyond those that follow from `needs` and those of every route of its
    /// kind.
    pub fails: &'static [Code],
}

impl OperationSpec {
    /// States the facts that every operation has.
    pub fn new(method: Method, path: &'static str, id: &'static str, needs: Access) -> Self {
        Self {
            method,
            path,
            id,
            tag: "Extensions",
            summary: id,
            description: "",
            needs,
            fails: &[],
        }
    }

    /// Describes the operation: one line, and more.
    #[must_use]
    pub fn described(self, summary: &'static str, description: &'static str) -> Self {
        Self {
            summary,
            description,
            ..self
        }
    }

    /// Sets the group of operations in the document.
    #[must_use]
    pub fn in_group(self, tag: &'static str) -> Self {
        Self { tag, ..self }
    }

    /// Documents error codes beyond those that follow from the access rule and the input.
    #[must_use]
    pub fn failing_with(self, fails: &'static [Code]) -> Self {
        Self { fails, ..self }
    }
}

/// The site token guards everything below `/api/`.
pub(crate) fn needs_token(path: &str) -> bool {
    path.starts_with("/api/")
}
