//! What every handler needs.

use std::sync::Arc;

use actix_web::web::Data;
use slugline_application::Assistants;
use slugline_httpkit::{Guard, Origin, ProtectedResource};

/// The use cases of assistants, and the addresses under which clients find them. These come from
/// the settings, never from a request: clients compare them.
#[derive(Debug)]
pub struct Connecting {
    pub(crate) assistants: Arc<Assistants>,
    pub(crate) origin: Origin,
    pub(crate) resource: ProtectedResource,
    pub(crate) guard: Data<Guard>,
}

impl Connecting {
    /// The use cases at this public origin, for this resource. The guard tells clients apart.
    pub fn new(
        assistants: Arc<Assistants>,
        origin: Origin,
        resource: ProtectedResource,
        guard: Data<Guard>,
    ) -> Self {
        Self {
            assistants,
            origin,
            resource,
            guard,
        }
    }

    /// The use cases.
    pub fn assistants(&self) -> &Assistants {
        &self.assistants
    }

    /// An address of the service.
    pub(crate) fn at(&self, path: &str) -> String {
        format!("{}{path}", self.origin)
    }
}
