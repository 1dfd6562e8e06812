//! Names → addresses.

use std::{
    fmt, io,
    net::{IpAddr, ToSocketAddrs},
    sync::Arc,
    thread,
};

use async_trait::async_trait;
use tokio::sync::{Semaphore, oneshot};

/// Looks names up. The client checks the addresses, so an implementation need
/// not.
#[async_trait]
pub trait Resolve: fmt::Debug + Send + Sync {
    /// Every address of a name, in the order in which to try them.
    async fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>>;
}

/// The operating system's resolver, with its hosts file and search domains.
///
/// It blocks a thread for as long as a name server takes, which may be half a
/// minute. So each look-up has its own thread: actix gives each worker few
/// blocking threads, and passwords are hashed on them. Strangers choose most
/// names, so the number of threads is bounded. Clients for different purposes
/// have their own resolvers and do not wait for each other's names.
#[derive(Clone, Debug)]
pub struct SystemResolver {
    lookups: Arc<Semaphore>,
}

impl SystemResolver {
    /// The most names that one resolver looks up at a time.
    const AT_ONCE: usize = 64;
}

impl Default for SystemResolver {
    fn default() -> Self {
        Self {
            lookups: Arc::new(Semaphore::new(Self::AT_ONCE)),
        }
    }
}

#[async_trait]
impl Resolve for SystemResolver {
    async fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        let turn = Arc::clone(&self.lookups).acquire_owned().await;
        let turn = turn.map_err(io::Error::other)?;
        let (tell, told) = oneshot::channel();
        let name = name.to_owned();
        let lookup = move || {
            let found = (name.as_str(), 0).to_socket_addrs();
            // The caller may be gone. The permit is free when the look-up ends.
            let _ = tell.send(found.map(|found| found.map(|address| address.ip()).collect()));
            drop(turn);
        };
        thread::Builder::new()
            .name("name look-up".into())
            .spawn(lookup)?;
        told.await.map_err(io::Error::other)?
    }
}
