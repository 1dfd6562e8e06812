//! `slugline domains list`, `add`, `edit` and `remove`: domains in the database that the settings
//! name, also while a service uses it.

use std::io::{self, Write};

use anyhow::Context;
use serde_json::{Map, Value, json};
use slugline_application::{Domains, Error};
use slugline_contract::{DomainView, NamedDomain, Problem, RemoveDomain, read};
use slugline_domain::{Author, Host, Reach};

use crate::{backup::journal, data_folder, databases, process, settings::Settings, wiring};

/// Prints a line for each domain.
///
/// # Errors
/// The database failed.
pub(crate) fn list(settings: &Settings) -> anyhow::Result<()> {
    databases::refuse_missing(settings)?;
    let domains = with_domains(settings, async |domains| {
        domains.list(&Reach::Everything).await
    })?;
    let mut output = io::stdout().lock();
    for domain in &domains {
        writeln!(output, "{}", line(&domain.into()))?;
    }
    Ok(output.flush()?)
}

/// Names a host, in a new database if there is none: hosts are named before links of them are imported.
///
/// # Errors
/// A value is wrong, the host is named already, or the database failed.
pub(crate) fn add(
    settings: &Settings,
    host: &str,
    mut record: Map<String, Value>,
) -> anyhow::Result<()> {
    record.insert("host".into(), host.into());
    let domain = read::<NamedDomain>(&record.into())?.validate(&settings.bounds)?;
    with_domains(settings, async |domains| {
        domains.add(&domain, &Author::operator()).await
    })?;
    told(&format!("added {}", line(&(&domain).into())))
}

/// Changes the members that `record` holds.
///
/// # Errors
/// A value is wrong, the host is not named, or the database failed.
pub(crate) fn edit(
    settings: &Settings,
    host: &str,
    record: Map<String, Value>,
) -> anyhow::Result<()> {
    databases::refuse_missing(settings)?;
    let host = the_host(host)?;
    let before = with_domains(settings, async |domains| {
        domains.get(&host, &Reach::Everything).await
    })?;
    let mut after = serde_json::to_value(DomainView::from(&before)).context("a domain is JSON")?;
    for (member, value) in record {
        after[member] = value;
    }
    let domain = read::<NamedDomain>(&after)?.validate(&settings.bounds)?;
    with_domains(settings, async |domains| {
        domains.edit(&domain, &Author::operator()).await
    })?;
    told(&format!("changed {}", line(&(&domain).into())))
}

/// Takes a domain away. `fate` is what becomes of its links, and where they are moved.
///
/// # Errors
/// The host is not named, it has links that stay, links of the other domain have some of the
/// slugs, or the database failed.
pub(crate) fn remove(
    settings: &Settings,
    host: &str,
    fate: Option<(&str, &str)>,
) -> anyhow::Result<()> {
    databases::refuse_missing(settings)?;
    let mut wanted = json!({"host": host});
    let verb = fate.map_or("", |(links, _)| links);
    if let Some((links, target)) = fate {
        wanted["links"] = links.into();
        wanted["moveTo"] = target.into();
    }
    let (host, fate) = read::<RemoveDomain>(&wanted)?.validate()?;
    let removed = with_domains(settings, async |domains| {
        match domains.remove(&host, &fate, &Author::operator()).await {
            // Members of the API are flags here.
            Err(Error::DomainHasLinks { host, links }) => Ok(Err((host, links))),
            removed => removed.map(Ok),
        }
    })?;
    match removed {
        Ok(removed) if removed.links == 0 => told(&format!("removed {host}")),
        Ok(removed) => {
            let links = removed.links;
            told(&format!("removed {host}, and {verb}d {links} links of it"))
        }
        Err((host, links)) => anyhow::bail!(
            "{host} has links, {links} of them: say what becomes of them with --move-to HOST or \
             --delete-links"
        ),
    }
}

fn the_host(text: &str) -> anyhow::Result<Host> {
    let wanted = json!({"host": text});
    Ok(read::<RemoveDomain>(&wanted)?.validate()?.0)
}

fn told(line: &str) -> anyhow::Result<()> {
    Ok(writeln!(
        io::stdout(),
        "{line}; a running service knows it within a second"
    )?)
}

/// The host, and what was decided about it.
fn line(domain: &DomainView) -> String {
    let mut line = domain.host.clone();
    for (word, url) in [
        ("home", &domain.home_url),
        ("not found", &domain.not_found_url),
        ("expired", &domain.expired_url),
    ] {
        if let Some(url) = url {
            std::fmt::Write::write_fmt(&mut line, format_args!("  {word} {url}"))
                .expect("strings take what is written");
        }
    }
    match domain.case_sensitive {
        Some(true) => line.push_str("  case matters"),
        Some(false) => line.push_str("  case does not matter"),
        None => {}
    }
    if domain.fall_through {
        line.push_str("  falls through to the default domain");
    }
    line
}

fn with_domains<T>(
    settings: &Settings,
    work: impl AsyncFnOnce(&Domains) -> Result<T, Error>,
) -> anyhow::Result<T> {
    data_folder::prepare(&settings.data_dir)?;
    let _in_use = journal::use_files(settings)?;
    let runtime = process::runtime()?;
    runtime.block_on(async {
        let domains = wiring::domains_of_operator(settings).await?;
        let done = work(&domains).await;
        Ok(done.map_err(Problem::from)?)
    })
}
