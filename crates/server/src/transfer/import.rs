//! Imports links from a file.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read, Seek, Write},
    iter::zip,
    mem,
    ops::ControlFlow,
};

use anyhow::Context;
use slugline_application::{
    Error, ImportLink, ImportOutcome, ImportedLink, LinkService, NamedDomains, Rehearsal,
};
use slugline_contract::{
    Bounds, ImportLink as LinkOnWire, Problem, ReadLink, Sent, TransferFormat, import_failure,
    read_links,
};
use slugline_domain::{DomainName, LinkId, Slug, ports::Clock, text::without_byte_order_mark};
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
    let format = format.or_else(|| format_by_name(file));
    let target = target(settings, dry_run);
    let told = |what: &'static str| move || format!("{what} {file}");
    if file == STANDARD {
        let store = Store::of(settings, dry_run)?;
        let mut source = io::stdin().lock();
        let format = format.map_or_else(|| format_of(&mut source), Ok)?;
        return take_over(store, format, source, domain, &settings.bounds, &target);
    }
    let mut source = BufReader::new(File::open(file).with_context(told("cannot open"))?);
    let format = format
        .map_or_else(|| format_of(&mut source), Ok)
        .with_context(told("cannot read"))?;
    if source
        .get_ref()
        .metadata()
        .with_context(told("cannot read"))?
        .is_file()
    {
        let whole = read_links(format, &mut source, |_| ControlFlow::Continue(()));
        whole.with_context(told("nothing was imported from"))?;
        source.rewind().with_context(told("cannot read"))?;
    }
    let store = Store::of(settings, dry_run)?;
    take_over(store, format, source, domain, &settings.bounds, &target)
        .with_context(told("importing"))
}

/// Tells the format by the first character, because a document of links is an object and no
/// table begins like one.
fn format_of(source: &mut impl BufRead) -> io::Result<TransferFormat> {
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
        let place = place(&read);
        outcome = match checked(read, domain, bounds) {
            Ok(link) => import.add(place, link),
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
    let finished = import.finish();
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
    writing: Option<(Vec<String>, Writing)>,
    done: Done,
}

/// What becomes of the links of a batch.
type Writing = JoinHandle<Result<Vec<ImportedLink>, Error>>;

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
            let came_before = rehearsal.came_before(&link);
            let slug = link.slug.as_ref().map_or("", Slug::as_str);
            let link = (place.as_str(), slug, link.id.as_ref());
            self.count(link, &outcome, came_before);
            return Ok(());
        }
        self.batch.push((place, link));
        if self.batch.len() == BATCH {
            self.flush()
        } else {
            Ok(())
        }
    }

    /// Counts a link, and names it unless it was taken over or came before.
    fn count(
        &mut self,
        (place, slug, id): (&str, &str, Option<&LinkId>),
        outcome: &ImportOutcome,
        came_before: bool,
    ) {
        if let Some(why) = import_failure(outcome, id) {
            self.done.failed += 1;
            self.leave(&format!("{place}: {slug}: {why}"));
        } else if *outcome != ImportOutcome::Skipped {
            self.done.stored += 1;
        } else {
            self.done.skipped += 1;
            if !came_before {
                self.leave(&format!("{place}: {slug}: another link has this slug"));
            }
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
        let (places, batch): (Vec<_>, _) = mem::take(&mut self.batch).into_iter().unzip();
        self.finish_writing()?;
        if let Store::Database(links) = &self.store
            && !places.is_empty()
        {
            let service = links.service.clone();
            let write = async move { service.import(batch).await };
            self.writing = Some((places, links.runtime.spawn(write)));
        }
        Ok(())
    }

    /// Writes everything that was read.
    fn finish(&mut self) -> anyhow::Result<()> {
        self.flush()?;
        self.finish_writing()
    }

    fn finish_writing(&mut self) -> anyhow::Result<()> {
        let (Store::Database(links), Some((places, writing))) = (&self.store, self.writing.take())
        else {
            return Ok(());
        };
        let imported = links.runtime.block_on(writing)?.map_err(|error| {
            let cause = std::error::Error::source(&error).map(ToString::to_string);
            let problem = Problem::from(error);
            cause
                .map_or_else(|| problem.clone().into(), anyhow::Error::msg)
                .context(problem)
        })?;
        let came_before = links.runtime.block_on(links.service.came_before(&imported));
        for (at, (place, ImportedLink { link, outcome })) in zip(&places, &imported).enumerate() {
            let named = (place.as_str(), link.key.slug.as_str(), Some(&link.id));
            self.count(
                named,
                outcome,
                came_before.as_ref().is_ok_and(|all| all[at]),
            );
        }
        came_before.map_err(Problem::from)?;
        Ok(())
    }
}

/// Where a link stands in its file.
fn place(read: &ReadLink) -> String {
    match read.line {
        Some(line) => format!("line {line}"),
        None => format!("links.{}", read.index),
    }
}

/// The link in domain values, or its fault and the position of the fault. One that names no domain
/// comes into `domain`.
fn checked(read: ReadLink, domain: &DomainName, bounds: &Bounds) -> Result<ImportLink, String> {
    let ReadLink { index, line, link } = read;
    let checked = link.and_then(|mut link| {
        let sent = link.domain.value().map(|host| host.trim());
        if link.domain == Sent::Absent || sent == Some("") {
            link.domain = Sent::Value(domain.as_str().to_owned());
        }
        link.validate(bounds)
    });
    checked.map_err(|problem| match line {
        Some(line) if !problem.issues.is_empty() => format!("line {line}: {}", problem.detail),
        // The detail already names the line.
        Some(_) => problem.detail,
        None => problem.within(&["links", &index.to_string()]).detail,
    })
}

/// Prints a message; continues if standard error is closed.
fn tell(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}
