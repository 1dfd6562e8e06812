//! Checks of a URL that need no look-up.

use std::net::IpAddr;

use url::{Host, Url};

use crate::{AddressPolicy, PortPolicy, Refusal};

/// A URL whose scheme, port and host are acceptable. If the host is a name, its
/// addresses still have to be checked.
#[derive(Clone, Debug)]
pub(crate) struct AcceptedUrl {
    pub(crate) url: Url,
    pub(crate) host: AcceptedHost,
    pub(crate) port: u16,
    pub(crate) tls: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum AcceptedHost {
    Address(IpAddr),
    Name(String),
}

impl AcceptedUrl {
    /// Checks a URL. The URL parser has already turned every spelling of an
    /// address (`0x7f.1`, `2130706433`, full-width digits) into the address.
    pub(crate) fn vet(
        url: Url,
        addresses: &AddressPolicy,
        ports: &PortPolicy,
    ) -> Result<Self, Refusal> {
        let tls = match url.scheme() {
            "http" => false,
            "https" => true,
            _ => return Err(Refusal::Scheme),
        };
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Refusal::UserInfo);
        }
        let port = url.port().unwrap_or(if tls { 443 } else { 80 });
        if !ports.allows(port) {
            return Err(Refusal::Port(port));
        }
        let host = match url.host().ok_or(Refusal::NoHost)? {
            Host::Ipv4(address) => literal(address.into(), addresses)?,
            Host::Ipv6(address) => literal(address.into(), addresses)?,
            Host::Domain(name) => AcceptedHost::Name(complete_name(name, addresses)?),
        };
        Ok(Self {
            url,
            host,
            port,
            tls,
        })
    }
}

fn literal(address: IpAddr, addresses: &AddressPolicy) -> Result<AcceptedHost, Refusal> {
    if addresses.allows(address) {
        Ok(AcceptedHost::Address(address))
    } else {
        Err(Refusal::Address(address))
    }
}

/// Refuses the names of this machine without asking a resolver (RFC 6761 §6.3).
/// A final dot only marks a name as complete.
fn complete_name(name: &str, addresses: &AddressPolicy) -> Result<String, Refusal> {
    let plain = name.strip_suffix('.').unwrap_or(name);
    if plain.is_empty() {
        return Err(Refusal::NoHost);
    }
    let last = plain.rsplit('.').next().unwrap_or(plain);
    if last.eq_ignore_ascii_case("localhost") && !addresses.allows_local_names() {
        return Err(Refusal::LocalName);
    }
    Ok(plain.to_owned())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use slugline_testkit::assert_matches;

    use super::*;

    fn vet(url: &str) -> Result<AcceptedUrl, Refusal> {
        let url = Url::parse(url).unwrap();
        AcceptedUrl::vet(url, &AddressPolicy::public_only(), &PortPolicy::default())
    }

    #[rstest]
    #[case("http://127.0.0.1/")]
    #[case("http://127.0.0.1./")]
    #[case("http://0x7f.1/")]
    #[case("http://0x7f000001/")]
    #[case("http://2130706433/")]
    #[case("http://017700000001/")]
    #[case("http://0177.0.0.1/")]
    #[case("http://127.1/")]
    #[case("http://0/")]
    #[case("http://%31%32%37.0.0.1/")]
    #[case("http://１２７.０.０.１/")]
    #[case("http://[::1]/")]
    #[case("http://[::ffff:10.0.0.1]/")]
    #[case("http://[::ffff:a00:1]/")]
    #[case("http://[64:ff9b::7f00:1]/")]
    #[case("http://[fd00::1]/")]
    #[case("https://169.254.169.254/latest/meta-data/")]
    fn every_spelling_of_an_inner_address_is_refused(#[case] url: &str) {
        assert_matches!(vet(url), Err(Refusal::Address(_)), "{url}");
    }

    #[rstest]
    #[case("ftp://example.com/", Refusal::Scheme)]
    #[case("file:///etc/passwd", Refusal::Scheme)]
    #[case("mailto:a@example.com", Refusal::Scheme)]
    #[case("http://user@example.com/", Refusal::UserInfo)]
    #[case("http://:secret@example.com/", Refusal::UserInfo)]
    #[case("http://localhost/", Refusal::LocalName)]
    #[case("http://LOCALHOST./", Refusal::LocalName)]
    #[case("http://a.localhost:8080/", Refusal::LocalName)]
    #[case("http://example.com:22/", Refusal::Port(22))]
    #[case("https://example.com:0/", Refusal::Port(0))]
    #[case("http://./", Refusal::NoHost)]
    fn refuses(#[case] url: &str, #[case] refusal: Refusal) {
        assert_eq!(vet(url).unwrap_err(), refusal, "{url}");
    }

    #[test]
    fn what_is_public_by_its_look_passes() {
        for (url, port, tls) in [
            ("http://example.com/a?b#c", 80, false),
            ("https://notlocalhost/", 443, true),
            ("https://localhost.example/", 443, true),
            ("http://9.9.9.9:8080/", 8080, false),
            ("https://[2606:4700::1111]/", 443, true),
        ] {
            let target = vet(url).unwrap();
            assert_eq!((target.port, target.tls), (port, tls), "{url}");
        }
    }
}
