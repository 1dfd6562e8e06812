//! Work that redirects must not have to wait for.

use std::thread;

use tokio::sync::oneshot;

use crate::engine::store::error::EngineError;

/// Runs a question on a thread of its own that, like those it starts, gets a
/// processor when no redirect wants it, and else a thirtieth of one. It would
/// share the processors evenly otherwise: a dashboard of a few pages would make
/// redirects wait whenever the machine is busy.
pub(crate) async fn run<T: Send + 'static>(
    question: impl FnOnce() -> Result<T, EngineError> + Send + 'static,
) -> Result<T, EngineError> {
    let (tell, told) = oneshot::channel();
    thread::Builder::new()
        .name("access-log-question".into())
        .spawn(move || {
            step_back();
            // The caller may be gone.
            let _ = tell.send(question());
        })
        .map_err(EngineError::Thread)?;
    told.await.map_err(|_| EngineError::Panicked)?
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_question_is_answered_and_a_panic_is_an_error() {
        assert_eq!(run(|| Ok(7)).await.unwrap(), 7);
        let panicked = run::<()>(|| panic!("as a test")).await;
        assert!(matches!(panicked, Err(EngineError::Panicked)));
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn only_the_thread_of_a_question_steps_back() {
        let nice = || rustix::process::getpriority_process(None).unwrap();
        let before = nice();
        let during = run(move || Ok(nice())).await.unwrap();
        assert_eq!(during, before.max(15));
        assert_eq!(nice(), before);
    }
}
