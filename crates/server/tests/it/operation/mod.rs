//! Running the service: its settings, its files, its commands.

pub(crate) mod backup; // one file of everything, and the way back
pub(crate) mod store_outage; // the database goes away

mod below_a_path; // a base URL with a path
mod doctor; // whether the databases are sound
mod doors; // hosts with links of their own, and the one for administration
#[cfg(target_os = "linux")] // which alone has limits that can be changed from outside
mod full_disk; // a disk that takes no more visits
mod metrics; // what Prometheus reads
mod migration; // links of an older instance
mod operators; // log output, help, settings
#[cfg(unix)] // whose named pipes keep a restore waiting
mod restore_alone; // a restore, and commands that use the same files
mod setup; // what an instance tells of its set-up, and what it never tells
mod startup; // settings, token, data folder, shutdown
#[cfg(feature = "otel")]
mod traces; // what a collector of traces hears
mod upgrade; // data of earlier versions
