//! Sends one message to the instance and reads its answer.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use anyhow::{Context, bail, ensure};
use serde_json::{Value, json};
use slugline_mcp::headers_for;
use slugline_outbound::{Client, Fetched, HeaderMap, Method, Outgoing, Policy, Request};
use url::{Host, Url};

/// The timeout for an answer: the longest check of links takes half a minute.
const TIMEOUT: Duration = Duration::from_mins(2);

/// The most bytes of an answer: a page of a thousand links with long URLs fits.
const MAX_ANSWER: usize = 64 << 20;

/// A running instance.
#[derive(Debug)]
pub(crate) struct Upstream {
    client: Client,
    endpoint: Url,
    headers: HeaderMap,
    /// The version that a client of the older generation agreed on; over HTTP each message must
    /// repeat it.
    agreed: Mutex<Option<String>>,
}

impl Upstream {
    /// The instance at this address, such as `https://sl.example`.
    ///
    /// # Errors
    /// The address is not a URL, or the token is not a valid header value.
    pub(crate) fn new(url: &str, token: &str) -> anyhow::Result<Self> {
        let base = url.trim().trim_end_matches('/');
        let base = base.strip_suffix(slugline_mcp::PATH).unwrap_or(base);
        let endpoint = Url::parse(&format!("{base}{}", slugline_mcp::PATH)).ok();
        let endpoint = endpoint.filter(|url| matches!(url.scheme(), "http" | "https"));
        let endpoint = endpoint.with_context(|| {
            format!("--url is {url:?}: expected a URL such as https://sl.example")
        })?;
        let mut headers = HeaderMap::new();
        let bearer = format!("Bearer {token}").parse();
        let bearer = bearer.context("SLUGLINE_SITE_TOKEN cannot stand in a header")?;
        headers.insert("authorization", bearer);
        for (name, value) in [
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
        ] {
            headers.insert(name, value.parse().expect("a plain text"));
        }
        Ok(Self {
            // The user named the instance, so any network is allowed.
            client: Client::new(Policy::for_operators_servers()),
            endpoint,
            headers,
            agreed: Mutex::default(),
        })
    }

    /// Refuses plain http except to this machine: the token grants full access, and any machine on
    /// the network path can read it over http.
    ///
    /// # Errors
    /// The instance is on another machine and its address is not https.
    pub(crate) fn refuse_plain_http(&self) -> anyhow::Result<()> {
        let loopback = match self.endpoint.host() {
            Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.to_canonical().is_loopback(),
            None => false,
        };
        ensure!(
            loopback || self.endpoint.scheme() == "https",
            "--url is {}: over http everybody on the way can read the token; use https, or \
             --allow-plain-http where the network is yours",
            self.endpoint.origin().ascii_serialization()
        );
        Ok(())
    }

    /// Sends a message and returns the answer on one line; `None` if the message needs none.
    pub(crate) async fn pass_on(&self, line: &[u8]) -> Option<String> {
        let message: Value = serde_json::from_slice(line).unwrap_or_default();
        match self.exchange(line, &message).await {
            Ok(answer) => answer,
            Err(error) => {
                tracing::error!("{error:#}");
                let expects = message.get("method").is_none() || !message["id"].is_null();
                expects.then(|| failure(&message["id"], &format!("{error:#}")))
            }
        }
    }

    async fn exchange(&self, line: &[u8], message: &Value) -> anyhow::Result<Option<String>> {
        let request = Request {
            method: Method::POST,
            url: self.endpoint.clone(),
            headers: self.headers_of(message),
            body: Outgoing::whole(line.to_vec()),
            timeout: TIMEOUT,
        };
        let origin = self.endpoint.origin().ascii_serialization();
        let fetched = self.client.fetch(request, MAX_ANSWER).await;
        let fetched = fetched.with_context(|| {
            format!("Slugline cannot be reached at {origin}: start it, or name another with --url")
        })?;
        if fetched.body.is_empty() && fetched.status == 202 {
            return Ok(None);
        }
        let answer = self.answer(&fetched, &origin)?;
        if message["method"] == "initialize"
            && let Some(version) = answer["result"]["protocolVersion"].as_str()
        {
            let mut agreed = self.agreed.lock().unwrap_or_else(PoisonError::into_inner);
            *agreed = Some(version.to_owned());
        }
        if message.get("method").is_some() && message.get("id").is_none() {
            tracing::error!("a notification was refused: {}", answer["error"]["message"]);
            return Ok(None);
        }
        // An answer without a line break passes unchanged, byte by byte.
        Ok(Some(match String::from_utf8(fetched.body) {
            Ok(text) if !text.contains('\n') => text,
            Ok(_) | Err(_) => answer.to_string(),
        }))
    }

    /// The JSON-RPC message in a response, whatever its status.
    fn answer(&self, fetched: &Fetched, origin: &str) -> anyhow::Result<Value> {
        let answer: Option<Value> = serde_json::from_slice(&fetched.body).ok();
        let answer = answer.unwrap_or_default();
        if answer.is_array() || answer["jsonrpc"] == "2.0" {
            return Ok(answer);
        }
        ensure!(
            fetched.status != 401,
            "Slugline at {origin} refuses the token: set SLUGLINE_SITE_TOKEN, or \
             SLUGLINE_SITE_TOKEN_FILE, to the token of that instance"
        );
        let said = answer["statusMessage"].as_str();
        match said.filter(|_| fetched.status != 404) {
            Some(said) => bail!("{origin} answered {} {said}", fetched.status),
            None => bail!(
                "{} answered {}, which is no Slugline: check --url",
                self.endpoint,
                fetched.status
            ),
        }
    }

    fn headers_of(&self, message: &Value) -> HeaderMap {
        let mut headers = self.headers.clone();
        let own = headers_for(message);
        if own.is_empty() && message["method"] != "initialize" {
            let agreed = self.agreed.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(version) = agreed.as_deref().and_then(|version| version.parse().ok()) {
                headers.insert("mcp-protocol-version", version);
            }
        }
        for (name, value) in own {
            // If the value is not a valid header, the instance rejects the message because the
            // header is missing.
            if let Ok(value) = value.parse() {
                headers.insert(name, value);
            }
        }
        headers
    }
}

/// The error answer for a message that the instance did not answer. Its code is JSON-RPC's
/// internal error, here between the client and the tools.
fn failure(id: &Value, message: &str) -> String {
    let id = if id.is_string() || id.is_i64() || id.is_u64() {
        id
    } else {
        &Value::Null
    };
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32603, "message": message}}).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_leaves_the_machine_encrypted() {
        let refused = |url: &str| Upstream::new(url, "token").unwrap().refuse_plain_http();
        for url in [
            "http://127.0.0.1:8080",
            "http://127.9.9.9",
            "http://[::1]:8080",
            "http://[::ffff:127.0.0.1]",
            "http://localhost:1",
            "HTTP://LocalHost",
            "https://sl.example",
        ] {
            assert!(refused(url).is_ok(), "{url}");
        }
        for url in [
            "http://sl.example",
            "http://10.0.0.1",
            "http://localhost.evil.example",
            "http://127.0.0.1.evil.example",
            "http://localhost@evil.example",
            "http://0.0.0.0",
        ] {
            let error = refused(url).unwrap_err().to_string();
            assert!(error.contains("--allow-plain-http"), "{error}");
        }
    }

    #[test]
    fn the_endpoint_may_be_named_with_or_without_its_path() {
        let endpoint = |url: &str| Upstream::new(url, "token").map(|up| up.endpoint.to_string());
        for url in [
            "http://h:1",
            "http://h:1/",
            "http://h:1/api/mcp",
            "http://h:1/api/mcp/",
        ] {
            assert_eq!(endpoint(url).unwrap(), "http://h:1/api/mcp", "{url}");
        }
        for wrong in ["h:1", "ftp://h", ""] {
            let error = endpoint(wrong).unwrap_err().to_string();
            assert!(error.contains("https://sl.example"), "{error}");
        }
        assert!(Upstream::new("http://h", "a\nb").is_err());
    }
}
