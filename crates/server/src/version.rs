//! The version.

/// The version that every face of the service reports.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
