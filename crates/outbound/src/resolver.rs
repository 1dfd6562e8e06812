//! Names → addresses.

use std::{fmt, io, net::IpAddr};

use async_trait::async_trait;

/// Looks names up. What it answers is judged by the client, so an
/// implementation need not be careful.
#[async_trait]
pub trait Resolve: fmt::Debug + Send + Sync {
    /// Every address of a name, in the order in which to try them.
    async fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>>;
}

/// The operating system's resolver, with its hosts file and search domains.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemResolver;

#[async_trait]
impl Resolve for SystemResolver {
    async fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        let found = tokio::net::lookup_host((name, 0)).await?;
        Ok(found.map(|address| address.ip()).collect())
    }
}
