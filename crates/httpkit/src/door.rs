//! The doors of the service: which hosts have which paths.

/// The door by which a request comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Door {
    /// No host is set aside for administration: every path on every host.
    Everything,
    /// The host for administration, which follows no link.
    Administration,
    /// Another host, which follows links and shows nothing else of the service.
    Links,
}
