//! The certificate authorities that `https` trusts.

use std::sync::{Arc, OnceLock};

use rustls::{ClientConfig, RootCertStore, crypto::ring};
use tokio_rustls::TlsConnector;

/// The trusted certificate authorities. They are hundreds of files, so they are
/// read on first use and not at start.
#[derive(Debug, Default)]
pub(crate) struct Trust(OnceLock<Arc<ClientConfig>>);

impl Trust {
    /// The connector that secures connections.
    pub(crate) fn connector(&self) -> TlsConnector {
        let config = self.0.get_or_init(|| trusting(authorities()));
        TlsConnector::from(Arc::clone(config))
    }
}

/// The system's authorities, so that an operator's own are among them
/// (`SSL_CERT_FILE` and `SSL_CERT_DIR` count, as they do for OpenSSL).
/// Mozilla's if the system has none, as in an empty container.
fn authorities() -> RootCertStore {
    let mut roots = RootCertStore::empty();
    let system = rustls_native_certs::load_native_certs();
    let (usable, _) = roots.add_parsable_certificates(system.certs);
    if usable == 0 {
        tracing::info!("the system has no certificate authorities; using Mozilla's");
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    }
    roots
}

fn trusting(roots: RootCertStore) -> Arc<ClientConfig> {
    // The provider is named rather than installed for the process, because an
    // embedding program may have installed another one.
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("ring speaks the default versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    Arc::new(config)
}

#[cfg(test)]
mod tests {
    use std::{
        io,
        net::{IpAddr, Ipv4Addr},
    };

    use async_trait::async_trait;
    use rcgen::{CertifiedKey, generate_simple_self_signed};
    use rustls::{ServerConfig, pki_types::PrivateKeyDer};
    use tokio::{net::TcpListener, task::JoinSet};
    use tokio_rustls::TlsAcceptor;

    use slugline_testkit::assert_matches;

    use super::*;
    use crate::{AddressPolicy, Error, PortPolicy, Resolve, accepted_url::AcceptedUrl, connection};

    const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

    /// Resolves every name to this machine.
    #[derive(Debug)]
    struct Everywhere;

    #[async_trait]
    impl Resolve for Everywhere {
        async fn addresses(&self, _: &str) -> io::Result<Vec<IpAddr>> {
            Ok(vec![HERE])
        }
    }

    /// A server whose certificate is for `shop.example`, and a client
    /// configuration that trusts it.
    async fn shop() -> (u16, Trust, JoinSet<()>) {
        let CertifiedKey { cert, signing_key } =
            generate_simple_self_signed(["shop.example".to_owned()]).unwrap();
        let key = PrivateKeyDer::try_from(signing_key.serialize_der()).unwrap();
        let server = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![cert.der().clone()], key)
            .unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(server));
        let listener = TcpListener::bind((HERE, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let mut serving = JoinSet::new();
        serving.spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                // The client decides; the server only answers.
                let _ = acceptor.accept(stream).await;
            }
        });
        let mut roots = RootCertStore::empty();
        roots.add(cert.der().clone()).unwrap();
        (port, Trust(OnceLock::from(trusting(roots))), serving)
    }

    async fn open(url: &str, trust: &Trust) -> Result<(), Error> {
        let policy = AddressPolicy::public_and(vec![HERE.into()]);
        let target = AcceptedUrl::vet(url.parse().unwrap(), &policy, &PortPolicy::default())?;
        connection::open(&target, &policy, &Everywhere, trust)
            .await
            .map(drop)
    }

    #[tokio::test]
    async fn a_certificate_counts_for_its_name_and_from_a_known_authority_only() {
        let (port, trust, _serving) = shop().await;
        let shop = format!("https://shop.example:{port}/");
        open(&shop, &trust).await.unwrap();
        // The certificate must match the name, not the address that it resolves
        // to.
        for wrong in [
            format!("https://other.example:{port}/"),
            format!("https://127.0.0.1:{port}/"),
        ] {
            assert_matches!(open(&wrong, &trust).await, Err(Error::Tls(_)), "{wrong}");
        }
        assert_matches!(open(&shop, &Trust::default()).await, Err(Error::Tls(_)));
    }

    #[test]
    fn there_is_always_somebody_to_trust() {
        assert!(!authorities().is_empty());
    }
}
