//! The process: signals, open files, the priority of threads, runtimes of commands.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, Thread},
};

use anyhow::Context;
use tokio::{
    runtime::{Builder, Runtime},
    signal,
};

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

/// The most connections, even if more files may be open: each takes some 30 KB.
const MOST_CONNECTIONS: u64 = 10_000;

/// Raises the limit of open files as far as the process may. Systems start programs with a low
/// limit for old programs that cannot handle large descriptors.
#[cfg(unix)]
pub(crate) fn raise_limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        ..limit
    };
    match setrlimit(Resource::Nofile, raised) {
        Ok(()) => tracing::debug!(
            from = limit.current,
            to = limit.maximum,
            "the limit of open files is raised"
        ),
        Err(error) => tracing::debug!(%error, "the limit of open files stays as it is"),
    }
}

#[cfg(not(unix))]
pub(crate) fn raise_limit() {}

/// The default for the number of connections: three quarters of the open files. The rest are
/// for databases and outbound requests.
pub(crate) fn most_connections() -> usize {
    let share = open_files().saturating_mul(3) / 4;
    usize::try_from(share.clamp(1, MOST_CONNECTIONS)).expect("it is small")
}

#[cfg(unix)]
fn open_files() -> u64 {
    use rustix::process::{Resource, getrlimit};

    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

#[cfg(not(unix))]
fn open_files() -> u64 {
    1024
}

/// A thread beside the service. Dropping this tells it to stop, and wakes it if it is parked.
#[derive(Debug)]
pub(crate) struct WorkThread {
    stopping: Arc<AtomicBool>,
    thread: Thread,
}

impl WorkThread {
    /// Starts the thread, whose work ends soon after the flag that it gets is set.
    pub(crate) fn start(
        name: &str,
        work: impl FnOnce(Arc<AtomicBool>) + Send + 'static,
    ) -> anyhow::Result<Self> {
        let stopping = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&stopping);
        let thread = thread::Builder::new().name(name.into());
        let handle = thread.spawn(move || work(stop));
        let handle = handle.with_context(|| format!("the thread {name} cannot be started"))?;
        Ok(Self {
            stopping,
            thread: handle.thread().clone(),
        })
    }
}

impl Drop for WorkThread {
    fn drop(&mut self) {
        self.stopping.store(true, Ordering::Relaxed);
        self.thread.unpark();
    }
}

/// Lowers the priority of this thread. Elsewhere than on Linux that would be the priority of the
/// whole process (setpriority(2), "C library/kernel differences").
#[cfg(target_os = "linux")]
pub(crate) fn step_back() {
    /// The kernel gives it 36 shares for 1,024 of an ordinary thread (`sched_prio_to_weight`).
    const NICE: i32 = 15;
    if let Err(error) = rustix::process::setpriority_process(None, NICE) {
        tracing::debug!(%error, "a thread keeps the usual priority");
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn step_back() {}

pub(crate) fn runtime() -> anyhow::Result<Runtime> {
    Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("the runtime cannot be started")
}

pub(crate) fn one_thread() -> anyhow::Result<Runtime> {
    Builder::new_current_thread()
        .enable_all()
        .build()
        .context("the runtime cannot be started")
}
