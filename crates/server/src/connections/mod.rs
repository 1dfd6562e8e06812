//! Connections of clients: limits on their number, and timeouts for slow clients.
//!
//! Actix ends idle connections and limits the time for the head of a connection's first
//! request. This module adds everything else, on both sides of actix's HTTP: below it a stream
//! that watches the client's bytes in both directions, above it a service that tracks requests
//! being answered. That service also logs a line for each request if a setting asks for it
//! (`request_log`).
//!
//! | A client that | meets |
//! |---|---|
//! | sends a later head slowly | `stream`: the connection ends |
//! | sends a body slowly | `request_body`: 408, then the connection ends |
//! | sends more body than the service reads | `exchange`, `lingering_close`: the connection ends after the answer |
//! | does not take its answers | `stream`: the service reads nothing more, then the connection is reset |
//! | opens many connections | `admission`: the next one is closed at once |

mod admission;
mod connection;
mod exchange;
mod lingering_close;
mod request_body;
mod request_log;
mod stream;
mod waiting_time;

use std::{
    future::ready,
    io,
    net::{SocketAddr, TcpListener},
    rc::Rc,
    sync::Arc,
    time::Duration,
};

use actix_http::{HttpService, Protocol, error::DispatchError};
use actix_service::{ServiceFactoryExt, apply_fn_factory, fn_service, map_config};
use actix_web::{
    App,
    dev::{AppConfig, Server},
    rt::net::TcpStream,
};
use admission::Admissions;
use slugline_httpkit::TrustedProxies;
use socket2::{Domain, Socket, Type};
use stream::WatchedStream;

use crate::{process, settings::ConnectionLimits, wiring::Components};

/// Connections that the kernel queues until a worker accepts them; the number is actix's
/// default.
const BACKLOG: i32 = 1024;

/// Bytes of answers that the kernel buffers beyond those in flight. Without this limit it
/// buffers up to 4 MB for a client that reads nothing, and reports progress in steps of a third
/// of that, so that a slow reader looks stalled.
#[cfg(target_os = "linux")]
const UNSENT: u32 = 16 << 10;

/// The stream times out a client that is slow to take the rest of its answer, or to notice that
/// the connection ends. With zero, actix would drop the rest of an answer as soon as the
/// connection counts as idle.
const NEVER: Duration = Duration::from_hours(1);

/// Seconds that requests under way have to finish when the service stops.
const DRAIN_SECONDS: u64 = 10;

/// Binds the address, if it is free. Clients cannot connect before the caller calls [`listen`].
pub(crate) fn bind(address: SocketAddr) -> io::Result<Socket> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
    #[cfg(unix)]
    socket.set_reuse_address(true)?;
    // Accepted sockets inherit this option.
    #[cfg(target_os = "linux")]
    socket.set_tcp_notsent_lowat(UNSENT)?;
    socket.bind(&address.into())?;
    Ok(socket)
}

/// Listens on an address that [`bind`] has taken.
pub(crate) fn listen(socket: Socket) -> io::Result<TcpListener> {
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}

/// Serves the parts on the listener.
pub(crate) fn serve(
    listener: TcpListener,
    parts: Components,
    limits: ConnectionLimits,
    trusted: TrustedProxies,
    workers: Option<usize>,
    log_requests: bool,
) -> io::Result<Server> {
    let mut server = Server::build()
        .disable_signals()
        .shutdown_timeout(DRAIN_SECONDS);
    let workers = workers
        .or_else(|| std::thread::available_parallelism().ok().map(Into::into))
        .unwrap_or(1);
    let in_all = limits.in_all.unwrap_or_else(process::most_connections);
    // When all workers are at their limit, further clients wait in the backlog.
    server = server
        .workers(workers)
        .max_concurrent_connections((in_all / workers).max(1));
    let refused = Arc::clone(&parts.metrics.refused_connections);
    let admissions = Arc::new(Admissions::new(limits.per_client, trusted, refused));
    let stopping = server.graceful_shutdown_signal();
    let server = server.listen("http", listener, move || {
        let admissions = Arc::clone(&admissions);
        let stopping = stopping.clone();
        let parts = parts.clone();
        let measured = parts.metrics.requests.of_a_worker();
        let app = App::new().configure(move |config| parts.configure(config));
        let app = map_config(app, |()| AppConfig::default());
        let http = HttpService::build()
            .client_request_timeout(limits.head_timeout)
            .client_disconnect_timeout(NEVER)
            .graceful_shutdown_signal(move || {
                let stopping = stopping.clone();
                async move { stopping.notified().await }
            })
            .on_connect_ext(|stream: &WatchedStream, data| {
                data.insert(Rc::clone(stream.connection()));
            })
            .finish(apply_fn_factory(app, move |request, app: &_| {
                exchange::begin(request, app, log_requests, &measured)
            }));
        fn_service(move |io: TcpStream| ready(admit(io, &admissions, limits))).and_then(http)
    })?;
    Ok(server.run())
}

type Admitted = (WatchedStream, Protocol, Option<SocketAddr>);

/// Closes a refused connection at once: an answer would cost the work that the refusal should
/// save.
fn admit(
    io: TcpStream,
    admissions: &Arc<Admissions>,
    limits: ConnectionLimits,
) -> Result<Admitted, DispatchError> {
    let peer = io.peer_addr()?;
    let admission = admissions.admit(peer.ip()).ok_or_else(|| {
        let reason = "the client has as many connections as it may";
        io::Error::new(io::ErrorKind::QuotaExceeded, reason)
    })?;
    let stream = WatchedStream::new(io, limits, admission);
    Ok((stream, Protocol::Http1, Some(peer)))
}
