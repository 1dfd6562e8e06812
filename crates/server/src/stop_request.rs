//! Handles Ctrl-C, and SIGTERM from service managers.

use tokio::signal;

/// Listens for a request to stop, from the moment it is made.
#[derive(Debug)]
pub(crate) struct StopRequest {
    #[cfg(unix)]
    interrupt: signal::unix::Signal,
    #[cfg(unix)]
    terminate: signal::unix::Signal,
}

#[cfg(unix)]
impl StopRequest {
    pub(crate) fn listen() -> anyhow::Result<Self> {
        use anyhow::Context;
        use signal::unix::{SignalKind, signal};

        let why = "signals cannot be listened for";
        Ok(Self {
            interrupt: signal(SignalKind::interrupt()).context(why)?,
            terminate: signal(SignalKind::terminate()).context(why)?,
        })
    }

    pub(crate) async fn received(mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

#[cfg(not(unix))]
impl StopRequest {
    pub(crate) fn listen() -> anyhow::Result<Self> {
        Ok(Self {})
    }

    pub(crate) async fn received(self) {
        // If the process cannot listen for Ctrl-C, the system ends the process itself.
        if signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
