//! Builds a service: of settings alone, as the binary does, or with additions of a program that
//! embeds it.

use std::{fmt, sync::Arc};

use actix_web::web::ServiceConfig;

use crate::{
    additions::{Additions, Routes},
    observers::Observer,
    operation::Operation,
    service::Service,
    settings::Settings,
};

/// A service that is about to start. Each addition is one more way for others to reach the same
/// use cases, or to learn what happens; none changes what the service does without it.
pub struct ServiceBuilder<'s> {
    settings: &'s Settings,
    pub(crate) additions: Additions,
}

impl fmt::Debug for ServiceBuilder<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServiceBuilder").finish_non_exhaustive()
    }
}

impl Service {
    /// Begins with the service as the settings make it.
    pub fn builder(settings: &Settings) -> ServiceBuilder<'_> {
        ServiceBuilder {
            settings,
            additions: Additions::default(),
        }
    }
}

impl ServiceBuilder<'_> {
    /// Adds routes of actix below a prefix of your own such as `/_acme`, whose paths no link can
    /// have. Each worker calls the function once; paths in it are relative to the prefix.
    ///
    /// These routes are yours wholly: nothing checks a token, limits a body or documents them.
    /// [`operation`](Self::operation) does all that. Their handlers may take a
    /// [`Context`](crate::operation::Context) to reach the use cases.
    #[must_use]
    pub fn routes(
        mut self,
        prefix: &'static str,
        configure: impl Fn(&mut ServiceConfig) + Send + Sync + 'static,
    ) -> Self {
        let configure = Arc::new(configure);
        self.additions.routes.push(Routes { prefix, configure });
        self
    }

    /// Adds an operation to the REST API, below a folder of your own: `/api/acme/…` for callers
    /// with a token, or `/_acme/…` for everybody.
    ///
    /// It stands in `/_docs/openapi.json` with its schemas and error codes, behind the same
    /// tokens, scopes and limits as the others.
    #[must_use]
    pub fn operation(mut self, operation: Operation) -> Self {
        self.additions.operations.push(operation);
        self
    }

    /// Adds an observer of visits and changes.
    #[must_use]
    pub fn observer(mut self, observer: impl Observer) -> Self {
        self.additions.observers.push(Box::new(observer));
        self
    }

    /// Starts the service: checks the additions, prepares the data folder, opens and migrates the
    /// databases, and listens. It stops when [`Service::stop`] is called.
    ///
    /// # Errors
    /// The error names the setting or the addition that prevents the start, and the remedy. An
    /// addition is refused before anything is opened or made.
    pub async fn start(self) -> anyhow::Result<Service> {
        Service::start(self.settings, self.additions).await
    }
}
