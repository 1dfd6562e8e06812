//! Limits for the process's open files and connections.

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
pub(crate) fn connections() -> usize {
    let share = limit().saturating_mul(3) / 4;
    usize::try_from(share.clamp(1, MOST_CONNECTIONS)).expect("it is small")
}

#[cfg(unix)]
fn limit() -> u64 {
    use rustix::process::{Resource, getrlimit};

    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

#[cfg(not(unix))]
fn limit() -> u64 {
    1024
}
