//! Checks that the databases of a backup are sound, of a known version, and all our own.

use std::path::Path;

use anyhow::{Context, bail};
use slugline_application::SiteToken;
use slugline_storage::{DatabaseUrl, SchemaConnection};

use super::parts::BackupPart;
use crate::foreign;

/// Examines a copy of a part and returns its findings, one line each. SQLite may leave files
/// beside the copy.
///
/// # Errors
/// The copy is damaged, of a newer version, or something else, or has a foreign object.
pub(super) fn examine(part: BackupPart, copy: &Path) -> anyhow::Result<Vec<String>> {
    let examined = || match part {
        BackupPart::Links => links(copy),
        BackupPart::Visits => visits(copy),
        BackupPart::SiteToken => site_token(copy),
    };
    examined().with_context(|| format!("the {} cannot be used", part.word()))
}

fn links(copy: &Path) -> anyhow::Result<Vec<String>> {
    let url = DatabaseUrl::File(copy.to_owned());
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    runtime.block_on(async {
        let database = SchemaConnection::open_to_examine(&url).await?;
        // Before the check of pages, which evaluates expressions of the schema.
        foreign::refuse_in_links(copy, &database).await?;
        let damages = database.damages().await?;
        if !damages.is_empty() {
            bail!("damaged: {}", damages.join("; "));
        }
        let schema = match database.pending().await?.len() {
            0 => "the schema is up to date".to_owned(),
            steps => format!("the schema is {steps} steps behind; the next start takes them"),
        };
        let mut found = vec!["pages are sound".to_owned(), schema];
        let named = database.named_tokens()?;
        if named > 0 {
            found.push(format!("named tokens: {named}"));
        }
        Ok(found)
    })
}

/// The numbers of named tokens and of links with a limit of visits in a copy of the links.
pub(super) fn tokens_and_limits(copy: &Path) -> anyhow::Result<(u64, u64)> {
    let url = DatabaseUrl::File(copy.to_owned());
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let database = runtime.block_on(SchemaConnection::open_to_examine(&url))?;
    Ok((database.named_tokens()?, database.limited_links()?))
}

fn visits(copy: &Path) -> anyhow::Result<Vec<String>> {
    foreign::refuse_in_visits(copy)?;
    let examined = slugline_visitlog::examine(copy)?;
    let told = |sound: bool| {
        let things = examined.iter().filter(move |thing| thing.sound == sound);
        things.map(|thing| format!("{}: {}", thing.what, thing.found))
    };
    let damages: Vec<String> = told(false).collect();
    if !damages.is_empty() {
        bail!("damaged: {}", damages.join("; "));
    }
    Ok(told(true).collect())
}

fn site_token(copy: &Path) -> anyhow::Result<Vec<String>> {
    SiteToken::new(std::fs::read_to_string(copy)?.trim())?;
    Ok(vec!["it is there".to_owned()])
}
