//! The greeting of a service that has started.

use std::{
    io::{self, IsTerminal, Write},
    path::Path,
};

use slugline_domain::BaseUrl;
use slugline_system::{OsRandom, SystemClock};

use crate::{
    VERSION,
    service::{Service, local_origin, origin},
    sign_in_codes,
    site_token::{Source, file_in, sign_in_address},
};

/// Greets on standard output. With log output in JSON it writes lines instead, because a collector
/// may read standard output, too.
///
/// Only a terminal is shown a new token: whatever else takes the output, such as the journal or a
/// container engine, would keep it.
pub(crate) fn greet(service: &Service, log_is_json: bool) {
    let mut output = io::stdout();
    let is_terminal = output.is_terminal();
    if log_is_json && !is_terminal {
        return log(service);
    }
    // Continue if standard output is closed.
    let _ = writeln!(output, "{}", text(service, is_terminal));
}

fn log(service: &Service) {
    tracing::info!(
        address = %service.address,
        base_url = service.settings.base_url.as_ref().map(BaseUrl::as_str),
        "listening"
    );
    if let Source::Minted(_) = service.token_source {
        let folder = &service.settings.data_dir;
        tracing::info!(
            file = %file_in(folder).display(),
            command = command_that_prints(folder),
            "the site token is in a new file"
        );
    }
}

/// The address, and three commands to try.
fn text(service: &Service, to_terminal: bool) -> String {
    let settings = &service.settings;
    let local = local_origin(service.address);
    let origin = &origin(settings, service.address);
    let public = match &settings.base_url {
        Some(base_url) => match base_url.in_unicode() {
            Some(unicode) => format!("Its public address is {base_url}, which is {unicode}\n"),
            None => format!("Its public address is {base_url}\n"),
        },
        None => String::new(),
    };
    let folder = &settings.data_dir;
    let file = file_in(folder);
    let shown = file.display();
    let Shown {
        notice,
        in_shell,
        in_file,
        once,
        dashboard,
    } = match &service.token_source {
        Source::Minted(token) if to_terminal => Shown {
            notice: format!(
                "Your site token, shown this once and kept in {shown}:\n\n  {token}\n\n"
            ),
            in_shell: format!("'Authorization: Bearer {token}'"),
            in_file: token.clone(),
            once: ", which this address signs in to once, within ten minutes",
            dashboard: dashboard(folder, origin),
        },
        Source::Minted(_) | Source::Kept => Shown {
            notice: format!(
                "Your site token is in {shown}. This prints it:\n\n  {}\n\n",
                command_that_prints(folder)
            ),
            in_shell: format!("\"Authorization: Bearer $(cat '{shown}')\""),
            in_file: "YOUR-SITE-TOKEN".into(),
            once: "",
            dashboard: format!("{origin}/_dashboard/"),
        },
        Source::Settings => Shown {
            notice: String::new(),
            in_shell: "\"Authorization: Bearer $SLUGLINE_SITE_TOKEN\"".into(),
            in_file: "YOUR-SITE-TOKEN".into(),
            once: "",
            dashboard: format!("{origin}/_dashboard/"),
        },
    };
    format!(
        r#"Slugline {VERSION} is listening on {local}
{public}
{notice}Open the dashboard{once}:

  {dashboard}

Make a link:

  curl {origin}/api/link/create -H {in_shell} --json '{{"url":"https://example.com/","slug":"hello"}}'

then open {origin}/hello, and count its visits, each of which shows within two seconds:

  curl {origin}/api/stats/counters -H {in_shell}

Let an AI agent use it (MCP over HTTP):

  {{"mcpServers":{{"slugline":{{"type":"http","url":"{origin}/api/mcp","headers":{{"Authorization":"Bearer {in_file}"}}}}}}}}

API reference: {origin}/_docs/swagger
"#
    )
}

/// The address of the dashboard, which signs in once. Without a code it asks for the token, which
/// stands above it.
fn dashboard(folder: &Path, origin: &str) -> String {
    match sign_in_codes::issue(folder, &OsRandom, &SystemClock) {
        Ok(code) => sign_in_address(origin, &code),
        Err(error) => {
            tracing::warn!("there is no address that signs in: {error:#}");
            format!("{origin}/_dashboard/")
        }
    }
}

/// The command that prints the token of this data folder.
fn command_that_prints(folder: &Path) -> String {
    format!(
        "slugline token show --bare --data-dir '{}'",
        folder.display()
    )
}

/// The texts about the token in the greeting.
struct Shown {
    notice: String,
    /// The header for a command that can be pasted.
    in_shell: String,
    /// The token for a file that no shell reads.
    in_file: String,
    /// The limits of the address, if it signs in.
    once: &'static str,
    /// The address of the dashboard; it signs in once if the token may be shown.
    dashboard: String,
}
