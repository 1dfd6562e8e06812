//! The running service: start, address, stop.

use std::{
    io,
    net::{SocketAddr, TcpListener},
    sync::Arc,
    time::Instant,
};

use actix_web::dev::ServerHandle;
use anyhow::Context;
use slugline_system::OsRandom;
use socket2::Socket;
use tokio::task::{JoinHandle, JoinSet};

use crate::{
    additions::Additions,
    assistants, background,
    background::keep_removing,
    backup::{journal, schedule},
    connections,
    data_folder::{self, NewFolder},
    databases,
    instance_lock::{InstanceLock, running_address},
    links_check,
    metrics::MetricsListener,
    old_store,
    process::WorkThread,
    risky_settings::advice,
    settings::Settings,
    site_token::{self, Source},
    wiring::{self, Components},
};

/// A running service.
#[derive(Debug)]
pub struct Service {
    pub(crate) settings: Settings,
    pub(crate) address: SocketAddr,
    pub(crate) token_source: Source,
    parts: Components,
    /// Work that nothing waits for. It ends with this set, also where a program drops the service.
    background: JoinSet<()>,
    backups: Option<WorkThread>,
    links_check: Option<WorkThread>,
    metrics: Option<MetricsListener>,
    handle: ServerHandle,
    server: JoinHandle<io::Result<()>>,
    // Dropped last: another process may take the folder only when nothing writes to it.
    _lock: InstanceLock,
}

impl Service {
    pub(crate) async fn start(settings: &Settings, additions: Additions) -> anyhow::Result<Self> {
        let checked = additions.check(settings)?;
        // First, because binding often fails and leaves nothing behind.
        let socket = bind(settings.listen)?;
        let made = data_folder::prepare(&settings.data_dir)?;
        let mut lock = InstanceLock::take(&settings.data_dir)?;
        let folder = NewFolder::new(made);
        journal::finish_pending(&settings.data_dir, &lock)?;
        let is_new = databases::missing_file(settings).is_some();
        let (token, token_source) = match settings.site_token.clone() {
            Some(token) => (token, Source::Settings),
            None => site_token::kept_in(&settings.data_dir, &OsRandom)?,
        };
        for sentence in advice(settings, Some(&token)) {
            tracing::warn!("{sentence}");
        }
        let parts = wiring::build(settings, token.clone(), checked).await?;
        let listener = listen(socket, settings.listen)?;
        if let Source::Minted(token) = &token_source {
            site_token::keep_in(&settings.data_dir, token)?;
        }
        let backups = schedule::start(settings, Arc::clone(&parts.metrics.backups))?;
        let links_check = links_check::start(settings, Arc::clone(&parts.metrics.links))?;
        let metrics = MetricsListener::start(settings.metrics_listen, &parts.metrics)?;
        let (server, address) = serve(settings, listener, parts.clone())?;
        lock.name_address(&origin(settings, address));
        folder.keep();
        if is_new {
            tracing::info!(
                folder = %settings.data_dir.display(),
                "there was no instance here, and a new one was made"
            );
        }
        let watched = match &token_source {
            Source::Settings => settings.site_token_file.clone(),
            Source::Kept | Source::Minted(_) => Some(site_token::file_in(&settings.data_dir)),
        };
        let mut background = work_beside_requests(&parts);
        if let Some(file) = watched {
            let authenticator = Arc::clone(&parts.metrics.authenticator);
            background.spawn(site_token::watch(file, token, authenticator));
        }
        data_folder::warn_of_readers(settings);
        Ok(Self {
            settings: settings.clone(),
            address,
            token_source,
            parts,
            background,
            backups,
            links_check,
            metrics,
            handle: server.handle(),
            server: tokio::spawn(server),
            _lock: lock,
        })
    }

    /// The address it listens on, with the port that was bound.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The visits and changes that observers did not hear of, because they were slower than what
    /// happened.
    pub fn unobserved(&self) -> u64 {
        self.parts.observers.dropped()
    }

    /// Stops accepting requests, finishes those under way, and writes the queued visits.
    ///
    /// # Errors
    /// The listener failed while it ran.
    pub async fn stop(self) -> anyhow::Result<()> {
        let recorder = &self.parts.recorder;
        let (asked_at, stored) = (Instant::now(), recorder.stored());
        tracing::info!("stopping: finishing requests and writing visits");
        drop(self.background);
        drop(self.backups);
        drop(self.links_check);
        // Live streams would otherwise continue for as long as clients watch.
        self.parts.live.close();
        self.handle.stop(true).await;
        if let Some(metrics) = self.metrics {
            metrics.stop().await;
        }
        // After the last request, so that its visit is written too.
        let ended = self.server.await;
        recorder.shutdown().await;
        // After the last visit, so that its message is sent too.
        if let Some(webhook) = &self.parts.webhook {
            webhook.shutdown().await;
        }
        self.parts.observers.leave().await;
        let written = recorder.stored() - stored;
        tracing::info!(
            visits_written = written,
            visits_lost_since_start = recorder.dropped(),
            milliseconds = u64::try_from(asked_at.elapsed().as_millis()).unwrap_or(u64::MAX),
            "stopped"
        );
        Ok(ended.context("the listener ended badly")??)
    }
}

fn work_beside_requests(parts: &Components) -> JoinSet<()> {
    let (audit, links) = (parts.audit.clone(), parts.links.clone());
    let mut work = JoinSet::new();
    work.spawn(old_store::watch(parts.migration.clone()));
    work.spawn(async move { keep_removing("old lines", || audit.remove_old()).await });
    work.spawn(async move { keep_removing("old versions", || links.remove_old_versions()).await });
    work.spawn(background::follow_domains(parts.domains.clone()));
    work.spawn(background::watch_destinations(parts.watch.clone()));
    work.spawn(assistants::remove_ended(parts.assistants.clone()));
    work
}

/// The address of the dashboard: the one that the settings name, if any.
pub(crate) fn origin(settings: &Settings, address: SocketAddr) -> String {
    let named = settings.api_base_url().map(|base| base.to_string());
    named.unwrap_or_else(|| local_origin(address))
}

/// The address of the dashboard for a command: the one that the settings name, else that of the
/// service that runs on the data folder.
pub(crate) fn known_origin(settings: &Settings) -> Option<String> {
    let named = settings.api_base_url().map(|base| base.to_string());
    named.or_else(|| running_address(&settings.data_dir))
}

/// The address of a service on this machine.
pub(crate) fn local_origin(address: SocketAddr) -> String {
    if address.ip().is_unspecified() {
        // The service listens on every address of the machine; `localhost` always works here.
        format!("http://localhost:{}", address.port())
    } else {
        format!("http://{address}")
    }
}

fn bind(address: SocketAddr) -> anyhow::Result<Socket> {
    connections::bind(address).with_context(|| taken(address))
}

fn listen(socket: Socket, address: SocketAddr) -> anyhow::Result<TcpListener> {
    connections::listen(socket).with_context(|| taken(address))
}

fn taken(address: SocketAddr) -> String {
    format!(
        "SLUGLINE_LISTEN is {address}, which cannot be listened on; stop the other program or \
         choose another port"
    )
}

fn serve(
    settings: &Settings,
    listener: TcpListener,
    parts: Components,
) -> anyhow::Result<(actix_web::dev::Server, SocketAddr)> {
    let address = listener.local_addr();
    let address = address.context("the listener has no address")?;
    let server = connections::serve(
        listener,
        parts,
        settings.connections,
        settings.trusted_proxies.clone(),
        settings.workers,
        settings.log.requests,
    );
    Ok((server.context("the listener cannot be served")?, address))
}
