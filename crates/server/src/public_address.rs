//! Looks at the public address from outside, as an assistant that wants to connect.

use std::time::{Duration, Instant};

use async_trait::async_trait;
use serde_json::Value;
use slugline_application::PreviewMode;
use slugline_contract::{Finding, Fix, Level};
use slugline_domain::{BaseUrl, origin::is_same_address, with_causes};
use slugline_outbound::{Client, HeaderMap, Method, Outgoing, Policy, Request};
use slugline_rest::Outside;
use tokio::sync::Mutex;
use url::Url;

use crate::settings::Settings;

/// Long enough for a far proxy, and short enough for a person who waits for the page.
const TIMEOUT: Duration = Duration::from_secs(4);

/// A proxy's page is no longer; ours is much shorter.
const MAX_BYTES: usize = 64 << 10;

/// A text that is no token, to see if it arrives.
const NO_TOKEN: &str = "Bearer not-a-token-but-a-question-whether-headers-arrive";

/// Looks when a client asks, at most once a minute.
#[derive(Debug)]
pub(crate) struct OutsideWatch {
    view: View,
    last: Mutex<Option<(Instant, Vec<Finding>)>>,
}

/// The address to look at.
#[derive(Debug)]
enum View {
    /// Assistants are not to connect, or no address is known.
    Nothing,
    /// The address is not one at which they can.
    Plain(BaseUrl),
    /// They can connect here.
    Address(BaseUrl),
}

impl View {
    fn of(settings: &Settings) -> Self {
        let wanted = settings.oauth && settings.preview == PreviewMode::Off;
        match (settings.base_for_assistants(), settings.api_base_url()) {
            (Some(base), _) => Self::Address(base),
            (None, Some(plain)) if wanted => Self::Plain(plain),
            (None, _) => Self::Nothing,
        }
    }
}

/// Looks once. `None` if there is nothing to look at.
pub(crate) async fn look(settings: &Settings) -> Option<Vec<Finding>> {
    match View::of(settings) {
        View::Nothing => None,
        view @ (View::Plain(_) | View::Address(_)) => Some(findings(&view).await),
    }
}

impl OutsideWatch {
    /// The time for which a look counts.
    const LIFE: Duration = Duration::from_mins(1);

    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            view: View::of(settings),
            last: Mutex::default(),
        }
    }
}

#[async_trait]
impl Outside for OutsideWatch {
    async fn findings(&self) -> Vec<Finding> {
        let mut last = self.last.lock().await;
        if let Some((at, findings)) = &*last
            && at.elapsed() < Self::LIFE
        {
            return findings.clone();
        }
        let found = findings(&self.view).await;
        *last = Some((Instant::now(), found.clone()));
        found
    }
}

async fn findings(view: &View) -> Vec<Finding> {
    let base = match view {
        View::Nothing => return Vec::new(),
        View::Plain(base) => return vec![plain(base)],
        View::Address(base) => base,
    };
    let client = Client::new(Policy::for_operators_servers());
    let mut found = Vec::new();
    found.extend(metadata(&client, base).await.err());
    // An address that does not answer has been named already.
    if found.is_empty() {
        found.extend(header(&client, base).await.err());
    }
    found
}

fn finding(code: &'static str, level: Level, message: String, fix: Fix) -> Finding {
    Finding {
        code,
        level,
        message,
        fix,
    }
}

fn base_url(base: &BaseUrl) -> Fix {
    let (host, path) = (base.origin().host_name(), base.path());
    Fix::setting("SLUGLINE_BASE_URL", format!("https://{host}{path}"))
}

fn plain(base: &BaseUrl) -> Finding {
    let message = format!(
        "{base} is not https, so assistants such as claude.ai cannot connect by it; tokens would \
         travel in clear"
    );
    finding(
        "assistants_need_https",
        Level::Note,
        message,
        base_url(base),
    )
}

/// Asks for the document that clients read first. Its issuer has to be the address.
async fn metadata(client: &Client, base: &BaseUrl) -> Result<(), Finding> {
    let address = base.well_known(slugline_oauth::SERVER_METADATA_PATH, "");
    let again = || Fix::Command {
        command: "slugline doctor",
    };
    let request = Request::get(url(&address), TIMEOUT);
    let fetched = client.fetch(request, MAX_BYTES).await.map_err(|error| {
        let reason = with_causes(&error);
        let message = format!(
            "{base} does not answer from here ({reason}), so assistants may not reach it either"
        );
        finding("outside_silent", Level::Warning, message, again())
    })?;
    let document = serde_json::from_slice::<Value>(&fetched.body).unwrap_or_default();
    match document["issuer"].as_str() {
        Some(issuer) if is_same_address(issuer, base.as_str()) => Ok(()),
        Some(issuer) => {
            let message = format!(
                "{address} is answered in the name of {issuer}, so assistants refuse to connect; \
                 another instance or another address is there"
            );
            Err(finding(
                "outside_other_issuer",
                Level::Warning,
                message,
                base_url(base),
            ))
        }
        None => {
            let status = fetched.status;
            let message = format!(
                "{address} is answered with the status {status} and not by this service, so \
                 assistants cannot connect; have the proxy pass /.well-known/oauth-* on at the root \
                 of the host, and /_oauth/ and /api/mcp below {base}"
            );
            Err(finding(
                "outside_not_ours",
                Level::Warning,
                message,
                again(),
            ))
        }
    }
}

/// Sends a wrong token: the answer tells if the header arrived.
async fn header(client: &Client, base: &BaseUrl) -> Result<(), Finding> {
    let address = format!("{base}{}", slugline_mcp::PATH);
    let mut headers = HeaderMap::new();
    let token = NO_TOKEN.parse().expect("visible ASCII");
    headers.insert("authorization", token);
    let request = Request {
        method: Method::POST,
        url: url(&address),
        headers,
        body: Outgoing::whole("{}"),
        timeout: TIMEOUT,
    };
    let Ok(answer) = client.begin(request).await else {
        return Ok(());
    };
    let challenge = answer.headers.get("www-authenticate");
    let challenge = challenge
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    // Beyond the limit on wrong tokens there is no challenge, and the header arrived.
    let arrived = answer.status == 429 || challenge.contains("invalid_token");
    if arrived {
        return Ok(());
    }
    let message = if challenge.contains("resource_metadata") {
        format!(
            "{base} is reached without the header Authorization, which something in front cuts \
             off, so no token works there; have the proxy pass it on"
        )
    } else {
        format!(
            "{address} is answered with the status {} and without our challenge, so assistants \
             cannot connect; have the proxy pass 401 and WWW-Authenticate on",
            answer.status
        )
    };
    let fix = Fix::Command {
        command: "slugline doctor",
    };
    Err(finding("outside_header_cut", Level::Warning, message, fix))
}

fn url(address: &str) -> Url {
    address.parse().expect("an address and a path are a URL")
}
