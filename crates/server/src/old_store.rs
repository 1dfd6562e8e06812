//! Moves links from the store of an older instance.

use std::sync::Arc;

use anyhow::{Context, bail};
use slugline_application::{
    Error, LinkMigration, LinkMigrationParts, MigrationStatus, Passwords, RunMigration,
};
use slugline_domain::{
    Author,
    ports::{Clock, MigrationStore, OldStoreError},
};
use slugline_legacy::OldStoreUrl;
use slugline_system::{OsRandom, SystemClock};

use crate::{backup::journal, data_folder, databases, settings::Settings};

/// Builds the migration, and tells the operator the next step.
pub(crate) async fn open(
    settings: &Settings,
    progress: Arc<dyn MigrationStore>,
    passwords: Arc<Passwords>,
    clock: Arc<dyn Clock>,
) -> anyhow::Result<LinkMigration> {
    let old_store = settings.legacy.as_ref().map(OldStoreUrl::open).transpose();
    let migration = LinkMigration::new(LinkMigrationParts {
        progress,
        passwords,
        clock,
        old_store: old_store.context("SLUGLINE_LEGACY_KV_URL")?,
    })
    .await
    .context(databases::CONTEXT)?;
    if migration.is_abandoned().await? {
        tracing::warn!(
            "links were being moved here from an older instance's store and not all of them are: \
             set SLUGLINE_LEGACY_KV_URL again to go on"
        );
    }
    if migration.lock().is_open() {
        return Ok(migration);
    }
    match migration.reach().await {
        Ok(()) | Err(OldStoreError::CursorLost) => {}
        Err(error @ OldStoreError::Unusable(_)) => {
            return Err(error).context("SLUGLINE_LEGACY_KV_URL");
        }
        // The service starts anyway and serves the links that were already moved.
        Err(error @ OldStoreError::Unavailable { .. }) => {
            let error = anyhow::Error::from(error);
            tracing::error!("SLUGLINE_LEGACY_KV_URL: {error:#}");
        }
    }
    Ok(migration)
}

/// Waits for the end of the migration and reports it to the operator.
pub(crate) async fn watch(migration: LinkMigration) {
    if migration.lock().is_open() {
        return;
    }
    tracing::warn!(
        "links wait in the older instance's store (SLUGLINE_LEGACY_KV_URL): run `slugline migrate` \
         with the same settings, or POST /api/link/migration/run until list_complete is true; \
         until then links can be followed, and all other requests for them answer 423"
    );
    migration.watch().await;
    tracing::info!("every link has been moved here; SLUGLINE_LEGACY_KV_URL is not needed any more");
}

/// Moves everything that is left, and returns the report and the number of entries that could
/// not be moved.
pub(crate) async fn migrate(settings: &Settings, force: bool) -> anyhow::Result<(String, u64)> {
    if settings.legacy.is_none() {
        bail!("set SLUGLINE_LEGACY_KV_URL to the store to move links from");
    }
    data_folder::prepare(&settings.data_dir)?;
    let _in_use = journal::use_files(settings)?;
    let store = databases::open(settings).await?;
    let passwords = Arc::new(Passwords::new(Arc::new(OsRandom)));
    let migration = open(settings, store, passwords, Arc::new(SystemClock)).await?;
    let mut request = RunMigration {
        force,
        ..RunMigration::default()
    };
    loop {
        match migration.run(request, &Author::operator()).await {
            Ok(report) if report.next.is_none() => break,
            // Other processes may be migrating, too; this one continues with the next page that
            // none has done.
            Ok(_) | Err(Error::MigrationPageDone) => request = RunMigration::default(),
            Err(error) => {
                return Err(error).context("the migration stopped; run it again to go on");
            }
        }
    }
    report(&migration.status().await?)
}

fn report(status: &MigrationStatus) -> anyhow::Result<(String, u64)> {
    let MigrationStatus::Completed { run, failures } = status else {
        bail!("the migration is not complete, although nothing is left to be moved");
    };
    let tally = run.tally;
    let mut lines = vec![
        format!("scanned   {}", tally.scanned),
        format!("inserted  {}", tally.inserted),
        format!("skipped   {}  (the slug is in use here)", tally.skipped),
        format!("expired   {}  (not moved)", tally.expired),
        format!("failed    {}  (not moved)", tally.failed),
        format!("ignored   {}  (keys that are no links')", tally.ignored),
    ];
    lines.extend(
        failures
            .iter()
            .map(|entry| format!("{}: {}", entry.key, entry.reason)),
    );
    Ok((lines.join("\n"), tally.failed))
}
