//! `/_metrics`, on the service's own listener or on a separate one.

use std::{
    io,
    net::{SocketAddr, TcpListener},
    sync::Arc,
};

use actix_web::{
    App, HttpRequest, HttpResponse, HttpServer, Resource,
    dev::ServerHandle,
    http::header,
    web::{self, Data},
};
use anyhow::Context;
use slugline_application::Error;
use slugline_domain::Scope;
use slugline_httpkit::{Failure, caller};

use super::{Metrics, text::MEDIA_TYPE};

/// The path of the metrics.
pub(crate) const PATH: &str = "/_metrics";

/// The resource. It checks no token, but a caller whose token was checked needs the scope
/// `admin`.
pub(crate) fn resource(metrics: &Arc<Metrics>) -> Resource {
    Resource::new(PATH)
        .app_data(Data::from(Arc::clone(metrics)))
        .route(web::get().to(show))
        .route(web::head().to(show))
}

#[expect(
    clippy::future_not_send,
    reason = "actix runs each handler on one thread"
)]
async fn show(metrics: Data<Metrics>, request: HttpRequest) -> Result<HttpResponse, Failure> {
    // The listener for metrics alone knows no callers.
    if let Some(caller) = caller(&request) {
        caller.may(Scope::Admin).map_err(Error::from)?;
    }
    Ok(HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, MEDIA_TYPE))
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .body(metrics.render()))
}

/// A listener for metrics alone.
#[derive(Debug)]
pub(crate) struct MetricsListener(ServerHandle);

impl MetricsListener {
    /// Binds the address, if a setting names one, and serves the metrics there without a token.
    pub(crate) fn start(
        address: Option<SocketAddr>,
        metrics: &Arc<Metrics>,
    ) -> anyhow::Result<Option<Self>> {
        /// Usually there is one scrape at a time.
        const CONNECTIONS: usize = 64;

        let Some(wanted) = address else {
            return Ok(None);
        };
        let taken = || {
            format!(
                "SLUGLINE_METRICS_LISTEN is {wanted}, which cannot be listened on; stop the \
                 other program or choose another port"
            )
        };
        let listener = TcpListener::bind(wanted).with_context(taken)?;
        let address = listener.local_addr().with_context(taken)?;
        let metrics = Arc::clone(metrics);
        let serve = || -> io::Result<_> {
            let server = HttpServer::new(move || App::new().service(resource(&metrics)))
                .workers(1)
                .max_connections(CONNECTIONS)
                .disable_signals()
                .listen(listener)?;
            Ok(server.run())
        };
        let server = serve().with_context(taken)?;
        let handle = server.handle();
        tokio::spawn(async move {
            if let Err(error) = server.await {
                tracing::error!(%error, "the listener for metrics ended badly");
            }
        });
        tracing::info!(%address, "metrics are at {PATH} there");
        Ok(Some(Self(handle)))
    }

    pub(crate) async fn stop(self) {
        self.0.stop(false).await;
    }
}
