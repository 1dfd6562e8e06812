//! `slugline seed`: fills an instance with realistic data.
//!
//! It creates links with the API's use case and visits with the recorder, so the stored data
//! has the form of real data. Where `SLUGLINE_DOMAINS` names hosts, they have a third of the links. The same amounts on the same day give the same links and visits.

mod chance;
mod links;
mod people;
mod visits;

use std::io::{self, Write};

use anyhow::{Context, bail};
use chance::Chance;
pub(crate) use links::Amount;
use slugline_domain::{LinkFilter, StatusFilter, ports::Clock};
use slugline_system::SystemClock;

use crate::{
    backup::journal, data_folder, instance_lock::InstanceLock, settings::Settings, wiring,
};

/// Fills an instance that has no links. It opens the databases of the settings, so no service
/// may use them meanwhile.
pub(crate) async fn run(settings: &Settings, amount: Amount) -> anyhow::Result<()> {
    data_folder::prepare(&settings.data_dir)?;
    let lock = InstanceLock::take(&settings.data_dir)?;
    journal::finish_pending(&settings.data_dir, &lock)?;
    if !settings.domains.is_empty() {
        let domains = wiring::domains_of_operator(settings).await?;
        let named = domains.name_missing(&settings.domains).await;
        named.context("SLUGLINE_DOMAINS")?;
    }
    let service = wiring::links_of_operator(settings).await?;
    let all = LinkFilter {
        status: StatusFilter::All,
        ..LinkFilter::default()
    };
    let present = service.count(all).await.context("counting links")?;
    if present > 0 {
        bail!(
            "this instance has {present} links, and seeded ones would be mixed with them: name an \
             empty folder with --data-dir"
        );
    }
    let now = SystemClock.now();
    let mut chance = Chance::seeded(0x51_09_11_4e);
    let links = links::make(&service, &settings.domains, amount, now, &mut chance).await?;
    let (recorder, _log) = wiring::open_recorder(settings).await?;
    visits::record(&recorder, &links, amount, now, &mut chance).await?;
    let dropped = recorder.dropped();
    recorder.shutdown().await;
    writeln!(
        io::stdout(),
        "made {} links and {} visits over {} days",
        links.len(),
        u64::from(amount.visits) - dropped,
        amount.days
    )?;
    Ok(())
}
