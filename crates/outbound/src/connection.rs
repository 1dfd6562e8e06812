//! Connects an accepted URL to an accepted address.

use std::{
    io,
    net::{IpAddr, SocketAddr},
};

use rustls::pki_types::ServerName;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    time::{Duration, timeout},
};

use crate::{
    AddressPolicy, Error, Refusal, Resolve,
    accepted_url::{AcceptedHost, AcceptedUrl},
    tls::Trust,
};

/// The most addresses of one host that are tried, so that a name with hundreds
/// of them cannot make us connect to as many servers.
const ATTEMPTS: usize = 4;
/// The time for one address if others are left. A first address that swallows
/// packets, such as IPv6 behind a broken tunnel, must not use up the deadline.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(2);

/// Bytes in both directions, with or without TLS.
pub(crate) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

/// Connects to the target. Looks a name up once, and connects to the addresses
/// that it has checked; there is no second look-up that could answer
/// differently.
pub(crate) async fn open(
    target: &AcceptedUrl,
    policy: &AddressPolicy,
    resolver: &dyn Resolve,
    trust: &Trust,
) -> Result<Box<dyn Stream>, Error> {
    let (addresses, name) = match &target.host {
        AcceptedHost::Address(address) => (vec![*address], ServerName::from(*address)),
        AcceptedHost::Name(name) => {
            let addresses = vetted(name, policy, resolver).await?;
            let name = ServerName::try_from(name.clone())
                .map_err(|error| Error::Resolve(io::Error::other(error)))?;
            (addresses, name)
        }
    };
    let stream = connect(&addresses, target.port).await?;
    if !target.tls {
        return Ok(Box::new(stream));
    }
    let secured = trust.connector().connect(name, stream).await;
    let stream = secured.map_err(Error::Tls)?;
    Ok(Box::new(stream))
}

/// Refuses a name with a single inner address: its owner may have added that
/// one so that we connect to it.
async fn vetted(
    name: &str,
    policy: &AddressPolicy,
    resolver: &dyn Resolve,
) -> Result<Vec<IpAddr>, Error> {
    let addresses = resolver.addresses(name).await.map_err(Error::Resolve)?;
    if let Some(inner) = addresses.iter().find(|address| !policy.allows(**address)) {
        return Err(Refusal::Address(*inner).into());
    }
    Ok(addresses)
}

async fn connect(addresses: &[IpAddr], port: u16) -> Result<TcpStream, Error> {
    let mut failure = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
    let mut rest = addresses.iter().take(ATTEMPTS).peekable();
    while let Some(address) = rest.next() {
        let attempt = TcpStream::connect(SocketAddr::new(*address, port));
        let outcome = if rest.peek().is_some() {
            let late = |_| io::Error::from(io::ErrorKind::TimedOut);
            timeout(ATTEMPT_TIMEOUT, attempt)
                .await
                .map_err(late)
                .flatten()
        } else {
            attempt.await
        };
        match outcome {
            Ok(stream) => return Ok(stream),
            Err(error) => failure = error,
        }
    }
    Err(Error::Connect(failure))
}
