//! What a newcomer reads when the service has started.

use crate::{Service, VERSION};

/// The address, and two things to try.
pub(crate) fn text(service: &Service) -> String {
    let origin = service.origin();
    // A shell must put the variable in, and must leave the token alone.
    let (token, quote, notice) = match service.minted_token() {
        Some(token) => (
            token,
            '\'',
            format!(
                "Your site token, shown this once and kept in {}:\n\n  {token}\n\n",
                service.token_file().display()
            ),
        ),
        None => ("$SLUGLINE_SITE_TOKEN", '"', String::new()),
    };
    format!(
        r#"Slugline {VERSION} is listening on {origin}

{notice}Make a link:

  curl {origin}/api/link/create -H {quote}Authorization: Bearer {token}{quote} --json '{{"url":"https://example.com/","slug":"hello"}}'

then open {origin}/hello

Let an AI agent use it (MCP over HTTP):

  {{"mcpServers":{{"slugline":{{"type":"http","url":"{origin}/api/mcp","headers":{{"Authorization":"Bearer {token}"}}}}}}}}

API reference: {origin}/_docs/scalar
"#
    )
}
