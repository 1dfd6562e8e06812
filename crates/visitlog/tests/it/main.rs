//! The access log through its public interface, on real files.

/// The recorder is killed at random points and keeps every acknowledged row exactly once.
mod crash;
/// Files that are damaged, foreign or still locked.
mod damage;
/// Erasing the visits of one link.
mod erasure;
mod exact;
/// The example runs.
#[path = "../../examples/record.rs"]
mod example;
/// The memory of counting a day whose texts strangers chose, and a process that dies of it.
#[cfg(target_os = "linux")]
mod hostile_day;
/// Lost visits, and answers about their time after a restart.
mod losses;
/// Each call of each kind of work that rewrites chunks fails, or the process dies before it.
#[cfg(target_os = "linux")]
mod matrix;
mod panics;
/// Data that must never be found on the disk.
mod privacy;
/// The memory of waiting visits.
#[cfg(target_os = "linux")]
mod queue_memory;
/// Queue, batches, flushing and shutting down.
mod recorder;
/// Visits, links, random bytes and short forms of questions.
mod support;
/// The contract of the ports, and engines that break it.
mod visit_store;
