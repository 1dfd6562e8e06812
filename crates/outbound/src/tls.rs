//! Whom to trust behind `https`.

use std::sync::Arc;

use rustls::{ClientConfig, RootCertStore, crypto::ring};

/// TLS that trusts the system's authorities, so that an operator's own are
/// among them, or Mozilla's where the system has none, as in an empty container.
pub(crate) fn configuration() -> Arc<ClientConfig> {
    let mut roots = RootCertStore::empty();
    let system = rustls_native_certs::load_native_certs();
    let (usable, _) = roots.add_parsable_certificates(system.certs);
    if usable == 0 {
        tracing::info!("the system has no certificate authorities; using Mozilla's");
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    }
    // The provider is named rather than installed for the process: an embedding
    // program may have installed another one.
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("ring speaks the default versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    Arc::new(config)
}
