//! The greeting after the service has started.

use crate::{
    Service, VERSION,
    site_token::{Source, sign_in_address},
};

/// The address, and three commands to try.
pub(crate) fn text(service: &Service) -> String {
    let local = service.local_origin();
    let origin = service.base_url().unwrap_or(local);
    let public = match service.base_url() {
        Some(base_url) => format!("Its public address is {base_url}\n"),
        None => String::new(),
    };
    let file = service.token_file().display();
    let Shown {
        notice,
        in_shell,
        in_file,
        dashboard,
    } = match service.token_source() {
        Source::Minted(token) => Shown {
            notice: format!(
                "Your site token, shown this once and kept in {file}:\n\n  {token}\n\n"
            ),
            in_shell: format!("'Authorization: Bearer {token}'"),
            in_file: token.clone(),
            dashboard: sign_in_address(origin, token),
        },
        Source::Kept => Shown {
            notice: format!("Your site token is in {file}.\n\n"),
            in_shell: format!("\"Authorization: Bearer $(cat '{file}')\""),
            in_file: "YOUR-SITE-TOKEN".into(),
            dashboard: format!("{origin}/_dashboard/"),
        },
        Source::Settings => Shown {
            notice: String::new(),
            in_shell: "\"Authorization: Bearer $SLUGLINE_SITE_TOKEN\"".into(),
            in_file: "YOUR-SITE-TOKEN".into(),
            dashboard: format!("{origin}/_dashboard/"),
        },
    };
    format!(
        r#"Slugline {VERSION} is listening on {local}
{public}
{notice}Open the dashboard:

  {dashboard}

Make a link:

  curl {origin}/api/link/create -H {in_shell} --json '{{"url":"https://example.com/","slug":"hello"}}'

then open {origin}/hello, and count its visits, each of which shows within two seconds:

  curl {origin}/api/stats/counters -H {in_shell}

Let an AI agent use it (MCP over HTTP):

  {{"mcpServers":{{"slugline":{{"type":"http","url":"{origin}/api/mcp","headers":{{"Authorization":"Bearer {in_file}"}}}}}}}}

API reference: {origin}/_docs/scalar
"#
    )
}

/// The texts about the token in the greeting.
struct Shown {
    notice: String,
    /// The header for a command that can be pasted.
    in_shell: String,
    /// The token for a file that no shell reads.
    in_file: String,
    /// The address of the dashboard; it signs in if the token may be shown.
    dashboard: String,
}
