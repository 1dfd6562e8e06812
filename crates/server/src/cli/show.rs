//! Commands that print the settings and the token.

use std::io::{self, Write};

use anyhow::bail;
use clap::ArgMatches;
use slugline_system::{OsRandom, SystemClock};

use super::{arguments::sources, grammar::BARE};
use crate::{
    databases, service,
    settings::{Group, Settings},
    sign_in_codes, site_token,
};

/// Prints every setting with its origin, below the headings of the help. The command prints a
/// wrong setting, too, before it fails because of it.
pub(super) fn config(given: &ArgMatches) -> anyhow::Result<()> {
    let sources = sources(given);
    let mut output = io::stdout().lock();
    let mut group: Option<Group> = None;
    for shown in sources.shown() {
        let (own, last) = (shown.setting.group, group.replace(shown.setting.group));
        if last != Some(own) {
            let space = if last.is_some() { "\n" } else { "" };
            writeln!(output, "{space}# {}", own.heading())?;
        }
        // A prompt may have several lines.
        let value = shown.value.replace('\n', "\\n");
        let space = if value.is_empty() { "" } else { " " };
        let (name, origin) = (shown.setting.name, shown.origin);
        writeln!(output, "{name} ={space}{value}  ({origin})")?;
    }
    output.flush()?;
    Settings::resolve(&sources)?;
    Ok(())
}

/// Prints an address that signs in to the dashboard once, with the token from the data folder, or
/// only that token.
///
/// # Errors
/// A setting gives the token, or the folder has none.
pub(super) fn token(given: &ArgMatches) -> anyhow::Result<()> {
    let sources = sources(given);
    let settings = Settings::resolve(&sources)?;
    if let Some(origin) = sources.origin("SLUGLINE_SITE_TOKEN") {
        bail!("the site token is not the data folder's; {origin} gives it");
    }
    if !site_token::file_in(&settings.data_dir).exists() {
        databases::refuse_missing(&settings)?;
    }
    let token = site_token::read_kept(&settings.data_dir)?;
    print(given, &settings, &token)
}

/// Replaces the token of the data folder, and prints the new one like [`token`].
///
/// # Errors
/// A setting gives the token, or the folder has none or cannot be written.
pub(super) fn rotated_token(given: &ArgMatches) -> anyhow::Result<()> {
    let sources = sources(given);
    let settings = Settings::resolve(&sources)?;
    if let Some(origin) = sources.origin("SLUGLINE_SITE_TOKEN") {
        bail!(
            "the site token is not the data folder's; {origin} gives it: change it there. A \
             running service reads a file again within a second, and a variable or a flag at its \
             next start"
        );
    }
    if !site_token::file_in(&settings.data_dir).exists() {
        databases::refuse_missing(&settings)?;
    }
    let token = site_token::rotate_in(&settings.data_dir, &OsRandom)?;
    // Continue if standard error is closed.
    let _ = writeln!(
        io::stderr(),
        "A running service takes the new site token within two seconds, and refuses the former \
         one from then on."
    );
    print(given, &settings, &token)
}

fn print(given: &ArgMatches, settings: &Settings, token: &str) -> anyhow::Result<()> {
    if given.get_flag(BARE) {
        return Ok(writeln!(io::stdout(), "{token}")?);
    }
    let code = sign_in_codes::issue(&settings.data_dir, &OsRandom, &SystemClock)?;
    let origin = service::origin(settings, settings.listen);
    // Continue if standard error is closed.
    let _ = writeln!(
        io::stderr(),
        "This address signs in once, within ten minutes:"
    );
    let address = site_token::sign_in_address(&origin, &code);
    Ok(writeln!(io::stdout(), "{address}")?)
}
