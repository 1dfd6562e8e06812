//! `slugline token`: its arguments, and the commands about the site token of the data folder.

use std::io::{self, Write};

use anyhow::bail;
use clap::{ArgMatches, Subcommand};
use slugline_system::{OsRandom, SystemClock};

use super::arguments::{settings, sources, these};
use crate::{databases, service, settings::Settings, sign_in_codes, site_token, token_commands};

/// The settings on which the site token of the data folder depends.
const SITE_TOKEN: &[&str] = &[
    "SLUGLINE_ADMIN_HOST",
    "SLUGLINE_LISTEN",
    "SLUGLINE_DATA_DIR",
    "SLUGLINE_SITE_TOKEN",
    "SLUGLINE_BASE_URL",
];

/// The database of named tokens, which is that of links.
const NAMED_TOKENS: &[&str] = &[
    "SLUGLINE_BASE_URL",
    "SLUGLINE_DATA_DIR",
    "SLUGLINE_DATABASE_URL",
    "SLUGLINE_CASE_SENSITIVE",
];

#[derive(Debug, Subcommand)]
pub(super) enum TokenCommand {
    /// Print an address that signs in to the dashboard once, within ten minutes, with the site
    /// token of the data folder
    #[command(args = these(&[SITE_TOKEN]))]
    Show {
        /// Print the token alone, for other commands
        #[arg(long)]
        bare: bool,
    },
    /// Replace the site token of the data folder, also while the service runs, and print an
    /// address that signs in with it once
    #[command(args = these(&[SITE_TOKEN]))]
    Rotate {
        /// Print the token alone, for other commands
        #[arg(long)]
        bare: bool,
    },
    /// Make a token with a name and scopes, and print it, the one time it can be read
    #[command(args = these(&[NAMED_TOKENS]), aliases = ["create", "new", "make", "mint"])]
    Add(token_commands::Wanted),
    /// Print a line for each named token
    #[command(args = these(&[NAMED_TOKENS]), alias = "ls")]
    List,
    /// End a named token for good, on every node, at once
    #[command(args = these(&[NAMED_TOKENS]), aliases = ["delete", "remove", "rm"])]
    Revoke {
        /// Its name
        name: String,
    },
}

pub(super) fn obey(command: TokenCommand, given: &ArgMatches) -> anyhow::Result<()> {
    match command {
        TokenCommand::Show { bare } => {
            let there = ": its value, or the text of the file that it names, is the token";
            let settings = of_data_folder(given, there)?;
            print(&settings, &site_token::read_kept(&settings.data_dir)?, bare)
        }
        TokenCommand::Rotate { bare } => {
            let elsewhere = ": change it there. A running service reads a file again within a \
                             second, and a variable or a flag at its next start";
            let settings = of_data_folder(given, elsewhere)?;
            let token = site_token::rotate_in(&settings.data_dir, &OsRandom)?;
            // Continue if standard error is closed.
            let _ = writeln!(
                io::stderr(),
                "A running service takes the new site token within two seconds, and refuses the \
                 former one from then on."
            );
            print(&settings, &token, bare)
        }
        TokenCommand::Add(wanted) => token_commands::add(&settings(given)?, wanted),
        TokenCommand::List => token_commands::list(&settings(given)?),
        TokenCommand::Revoke { name } => token_commands::revoke(&settings(given)?, &name),
    }
}

/// The settings, unless they give the token themselves; `elsewhere` says what to do then.
fn of_data_folder(given: &ArgMatches, elsewhere: &str) -> anyhow::Result<Settings> {
    let sources = sources(given);
    let settings = Settings::resolve(&sources)?;
    if let Some(origin) = sources.origin("SLUGLINE_SITE_TOKEN") {
        bail!("the site token is not the data folder's; {origin} gives it{elsewhere}");
    }
    if !site_token::file_in(&settings.data_dir).exists() {
        databases::refuse_missing(&settings)?;
    }
    Ok(settings)
}

/// Prints an address that signs in to the dashboard once, with this token, or only the token.
fn print(settings: &Settings, token: &str, bare: bool) -> anyhow::Result<()> {
    if bare {
        return Ok(writeln!(io::stdout(), "{token}")?);
    }
    let code = sign_in_codes::issue(&settings.data_dir, &OsRandom, &SystemClock)?;
    let origin = service::known_origin(settings).unwrap_or_else(|| {
        let folder = settings.data_dir.display();
        // Continue if standard error is closed.
        let _ = writeln!(
            io::stderr(),
            "warning: no service runs on the folder {folder} now; the address is that of one with \
             these settings"
        );
        service::local_origin(settings.listen)
    });
    let _ = writeln!(
        io::stderr(),
        "This address signs in once, within ten minutes:"
    );
    let address = site_token::sign_in_address(&origin, &code);
    Ok(writeln!(io::stdout(), "{address}")?)
}
