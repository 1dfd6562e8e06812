//! Lowers the priority of work, so that redirects do not wait for it.

/// Lowers the priority of this thread. Elsewhere than on Linux that would be
/// the priority of the whole process (setpriority(2), "C library/kernel
/// differences").
#[cfg(target_os = "linux")]
pub(crate) fn step_back() {
    /// The kernel gives it 36 shares for 1,024 of an ordinary thread
    /// (`sched_prio_to_weight`).
    const NICE: i32 = 15;
    if let Err(error) = rustix::process::setpriority_process(None, NICE) {
        tracing::debug!(%error, "a question keeps the usual priority");
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn step_back() {}
