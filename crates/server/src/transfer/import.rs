//! Imports links from a file.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read, Write},
    mem,
    ops::ControlFlow,
    path::Path,
};

use anyhow::Context;
use slugline_application::{
    Error, ImportLink, ImportOutcome, ImportedLink, LinkService, NamedDomains, Rehearsal,
};
use slugline_contract::{
    Bounds, ImportLink as LinkOnWire, Problem, ReadLink, Sent, TransferFormat, left_out, read_links,
};
use slugline_domain::{DomainName, LinkId, ports::Clock, text::without_byte_order_mark};
use slugline_storage::DatabaseUrl;
use slugline_system::SystemClock;
use tokio::task::JoinHandle;

use super::{Links, STANDARD, format_by_name, open};
use crate::{databases::missing_file, settings::Settings};

/// Links written in one batch.
const BATCH: usize = 500;

/// The most faults to print; the import counts the rest.
const TOLD: usize = 20;

/// Imports the links of a file. It prints and skips invalid links and imports the others. A
/// malformed file changes nothing if it can be read twice; from a pipe, the links before the
/// fault are imported. Links that name no domain come into `domain`. Repeating an import is
/// harmless: it names none of the links that came before. A dry run changes nothing.
///
/// # Errors
/// [`LinksLeft`], or the reason it stopped.
pub(crate) fn run(
    settings: &Settings,
    file: &str,
    format: Option<TransferFormat>,
    domain: &DomainName,
    dry_run: bool,
) -> anyhow::Result<()> {
    let told = |what: &'static str| move || format!("{what} {file}");
    let is_standard = file == STANDARD;
    let open = || File::open(file).with_context(told("cannot open"));
    let mut source: Box<dyn BufRead> = if is_standard {
        Box::new(io::stdin().lock())
    } else {
        Box::new(BufReader::new(open()?))
    };
    let format = format.or_else(|| format_by_name(file));
    let format = format
        .map_or_else(|| format_of(&mut source), Ok)
        .with_context(told("cannot read"))?;
    // A pipe can be read only once.
    if !is_standard && Path::new(file).is_file() {
        let whole = read_links(format, open()?, |_| ControlFlow::Continue(()));
        whole.with_context(told("nothing was imported from"))?;
    }
    let target = target(settings, dry_run);
    let store = Store::of(settings, dry_run)?;
    take_over(store, format, source, domain, &settings.bounds, &target)
        .with_context(told("importing"))
}

/// Tells the format by the first character, because a document of links is an object and no
/// table begins like one.
fn format_of(mut source: impl BufRead) -> io::Result<TransferFormat> {
    let start = without_byte_order_mark(source.fill_buf()?);
    Ok(match start.trim_ascii_start().first() {
        Some(b'{' | b'[') | None => TransferFormat::Json,
        Some(_) => TransferFormat::Csv,
    })
}

/// The import left some links of a file out and took all others.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("{0} links could not be imported; the lines above say why")]
pub(crate) struct LinksLeft(usize);

/// Names the database that takes the links, so that the operator notices a mistyped folder.
fn target(settings: &Settings, dry_run: bool) -> String {
    let made = if dry_run { "would make" } else { "made" };
    let new =
        missing_file(settings).map(|file| format!("{made} a new database {}", file.display()));
    new.unwrap_or_else(|| match &settings.links {
        DatabaseUrl::File(file) => format!("the database is {}", file.display()),
        DatabaseUrl::Postgres(_) => "the database is the PostgreSQL one of the settings".into(),
    })
}

fn take_over(
    store: Store,
    format: TransferFormat,
    source: impl Read,
    domain: &DomainName,
    bounds: &Bounds,
    target: &str,
) -> anyhow::Result<()> {
    let mut import = Import {
        store,
        batch: Vec::with_capacity(BATCH),
        writing: None,
        done: Done::default(),
    };
    let mut outcome = Ok(());
    let read = read_links(format, source, |read| {
        outcome = match checked(read, domain, bounds) {
            Ok((place, link)) => import.add(place, link),
            Err(why) => {
                import.done.failed += 1;
                import.leave(&why);
                Ok(())
            }
        };
        match outcome {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    });
    let finished = import.flush().and_then(|()| import.finish_writing());
    let Done {
        stored,
        skipped,
        failed,
        left,
    } = import.done;
    // Links imported before a fault stay, and the message says so.
    tell(&match import.store {
        Store::Database(_) => format!(
            "imported {stored} links, skipped {skipped} whose slug is in use, failed {failed}; \
             {target}"
        ),
        Store::Nowhere(_) => format!(
            "would import {stored} links, skip {skipped} whose slug is in use, fail {failed}; \
             {target}; nothing was changed"
        ),
    });
    outcome.and(finished)?;
    let ignored = read?;
    if !ignored.is_empty() {
        tell(&format!(
            "ignored what links do not have: {}",
            ignored.iter().map(hinted).collect::<Vec<_>>().join(", ")
        ));
    }
    match left {
        0 => Ok(()),
        _ => Err(LinksLeft(left).into()),
    }
}

/// An ignored name, and the member that it stands for in other programs.
fn hinted(name: &String) -> String {
    match LinkOnWire::member_meant(name) {
        Some(member) => format!("{name} (did you mean {member}?)"),
        None => name.clone(),
    }
}

/// The store that takes the links.
enum Store {
    Database(Links),
    /// A dry run only says what would become of them.
    Nowhere(Box<Rehearsal>),
}

impl Store {
    /// Opens the database, or reads it for a dry run, which makes none.
    fn of(settings: &Settings, dry_run: bool) -> anyhow::Result<Self> {
        if dry_run && missing_file(settings).is_some() {
            let now = SystemClock.now().second();
            let empty = Rehearsal::new(NamedDomains::new(settings.slug_case), now);
            return Ok(Self::Nowhere(Box::new(empty)));
        }
        let links = open(settings)?;
        if dry_run {
            let rehearsal = links.runtime.block_on(links.service.rehearse_import());
            return Ok(Self::Nowhere(Box::new(rehearsal.map_err(Problem::from)?)));
        }
        let permitted = links.service.permit(LinkService::IMPORT);
        permitted.map_err(Problem::from)?;
        Ok(Self::Database(links))
    }
}

/// An import under way.
struct Import {
    store: Store,
    /// Links to write, each behind its place in the file.
    batch: Vec<(String, ImportLink)>,
    /// The batch before, which is written while this one is read.
    writing: Option<JoinHandle<Result<Written, Error>>>,
    done: Done,
}

/// The links of a batch with their outcomes, each behind its place in the file.
type Written = Vec<(String, ImportedLink)>;

/// The links handled so far.
#[derive(Default)]
struct Done {
    stored: usize,
    skipped: usize,
    failed: usize,
    /// Those that failed, and those whose slug another link has.
    left: usize,
}

impl Import {
    fn add(&mut self, place: String, link: ImportLink) -> anyhow::Result<()> {
        if let Store::Nowhere(rehearsal) = &mut self.store {
            let outcome = rehearsal.take(&link);
            let slug = link.slug.map(|slug| slug.to_string());
            self.count(
                &place,
                &slug.unwrap_or_default(),
                link.id.as_ref(),
                &outcome,
            );
            return Ok(());
        }
        self.batch.push((place, link));
        if self.batch.len() == BATCH {
            self.flush()
        } else {
            Ok(())
        }
    }

    /// Counts a link, and names it if it was left out.
    fn count(&mut self, place: &str, slug: &str, id: Option<&LinkId>, outcome: &ImportOutcome) {
        let done = &mut self.done;
        *match outcome {
            ImportOutcome::Stored => &mut done.stored,
            ImportOutcome::Skipped | ImportOutcome::CameBefore => &mut done.skipped,
            ImportOutcome::IdTaken
            | ImportOutcome::NoDomain
            | ImportOutcome::Forwarding(_)
            | ImportOutcome::KeyReused
            | ImportOutcome::LinkDeleted => &mut done.failed,
        } += 1;
        if let Some(why) = left_out(outcome, id) {
            self.leave(&format!("{place}: {slug}: {why}"));
        }
    }

    fn leave(&mut self, why: &str) {
        if self.done.left < TOLD {
            tell(why);
        }
        self.done.left += 1;
    }

    /// Begins to write the batch once the batch before is written. If that fails, this one is
    /// dropped.
    fn flush(&mut self) -> anyhow::Result<()> {
        let (places, batch): (Vec<_>, Vec<_>) = mem::take(&mut self.batch).into_iter().unzip();
        self.finish_writing()?;
        if let Store::Database(links) = &self.store
            && !batch.is_empty()
        {
            let service = links.service.clone();
            let write = async move {
                let imported = service.import(batch).await?;
                Ok(places.into_iter().zip(imported).collect())
            };
            self.writing = Some(links.runtime.spawn(write));
        }
        Ok(())
    }

    fn finish_writing(&mut self) -> anyhow::Result<()> {
        let (Store::Database(links), Some(writing)) = (&self.store, self.writing.take()) else {
            return Ok(());
        };
        let written = links.runtime.block_on(writing)?.map_err(|error| {
            let cause = std::error::Error::source(&error).map(ToString::to_string);
            let problem = Problem::from(error);
            cause
                .map_or_else(|| problem.clone().into(), anyhow::Error::msg)
                .context(problem)
        })?;
        for (place, ImportedLink { link, outcome }) in written {
            self.count(&place, link.key.slug.as_str(), Some(&link.id), &outcome);
        }
        Ok(())
    }
}

/// The place of the link in its file and the link in domain values, or its fault with the place.
/// One that names no domain comes into `domain`.
fn checked(
    ReadLink { index, line, link }: ReadLink,
    domain: &DomainName,
    bounds: &Bounds,
) -> Result<(String, ImportLink), String> {
    let place = line.map_or_else(|| format!("links.{index}"), |line| format!("line {line}"));
    let checked = link.and_then(|mut link| {
        let sent = link.domain.value().map(|host| host.trim());
        if link.domain == Sent::Absent || sent == Some("") {
            link.domain = Sent::Value(domain.as_str().to_owned());
        }
        link.validate(bounds)
    });
    match checked {
        Ok(link) => Ok((place, link)),
        Err(problem) if line.is_none() => Err(problem.within(&[&place]).detail),
        // The detail names the line.
        Err(problem) if problem.issues.is_empty() => Err(problem.detail),
        Err(problem) => Err(format!("{place}: {}", problem.detail)),
    }
}

/// Prints a message; continues if standard error is closed.
fn tell(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}
