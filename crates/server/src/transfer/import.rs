//! Imports links from a file.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{self, Write},
    mem,
    ops::ControlFlow,
};

use anyhow::Context;
use indicatif::ProgressBar;
use jiff::tz::TimeZone;
use serde_json::{Value, json};
use slugline_application::{
    Error, ImportLink, ImportOutcome, ImportedLink, LinkService, NamedDomains, Rehearsal,
};
use slugline_contract::{
    Bounds, ImportLink as LinkOnWire, Problem, ReadLink, Sent, left_out, read_links,
};
use slugline_domain::{DomainName, LinkId, LinkKey, Slug, ports::Clock};
use slugline_storage::DatabaseUrl;
use slugline_system::SystemClock;
use tokio::task::JoinHandle;

use super::{
    Links, LinksLeft,
    arguments::Wishes,
    open,
    report::Report,
    slug_map::SlugMap,
    source::Source,
    tally::{Tally, word},
};
use crate::{databases::missing_file, progress, settings::Settings};

/// Links written in one batch.
const BATCH: usize = 500;

/// The most faults to print; the import counts the rest.
const TOLD: usize = 20;

/// Imports the links of a file. It prints and skips invalid links and imports the others. A
/// malformed file changes nothing if it can be read twice; from a pipe, the links before the
/// fault are imported. Repeating an import is harmless: it names none of the links that came
/// before. A dry run changes nothing.
///
/// # Errors
/// [`LinksLeft`], or the reason it stopped.
pub(super) fn run(settings: &Settings, file: &str, wishes: &Wishes) -> anyhow::Result<()> {
    let told = |what: &'static str| move || format!("{what} {file}");
    let zone = wishes.zone.clone().unwrap_or(TimeZone::UTC);
    let mut source = Source::open(file, wishes.format)?;
    if source.is_lasting() {
        check(source, &zone).with_context(told("nothing was imported from"))?;
        source = Source::open(file, wishes.format)?;
    }
    let target = target(settings, wishes.dry_run);
    let import = Import {
        bounds: &settings.bounds,
        domains: wishes.domain.iter().cloned().collect(),
        slugs: SlugMap::open(wishes.map.as_deref(), wishes.dry_run)?,
        report: Report::begin(wishes.report.as_deref(), file, wishes.dry_run)?,
        store: Store::of(settings, wishes.dry_run)?,
        line: progress::line("imported", source.length),
        batch: Vec::with_capacity(BATCH),
        writing: None,
        tally: Tally::default(),
    };
    take_over(import, source, &zone, &target).with_context(told("importing"))
}

/// Reads everything and keeps nothing.
fn check(mut source: Source, zone: &TimeZone) -> anyhow::Result<()> {
    let keep_nothing = |_| ControlFlow::Continue(());
    let whole = read_links(source.form, &mut source.bytes, zone, keep_nothing);
    source.end()?;
    whole?;
    Ok(())
}

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
    mut import: Import<'_>,
    mut source: Source,
    zone: &TimeZone,
    target: &str,
) -> anyhow::Result<()> {
    let mut outcome = Ok(());
    let line = import.line.clone();
    let bytes = line.wrap_read(&mut source.bytes);
    let read = read_links(source.form, bytes, zone, |read| {
        outcome = import.take(read);
        match outcome {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    });
    let finished = import.flush().and_then(|()| import.finish_writing());
    line.finish_and_clear();
    // Links imported before a fault stay, and the message says so.
    let is_dry = matches!(import.store, Store::Nowhere(_));
    for said in import.tally.lines(is_dry, target) {
        tell(&said);
    }
    outcome.and(finished)?;
    source.end()?;
    let ignored = read?;
    if !ignored.is_empty() {
        tell(&format!(
            "ignored what links do not have: {}",
            ignored.iter().map(hinted).collect::<Vec<_>>().join(", ")
        ));
    }
    match import.tally.left() {
        0 => Ok(()),
        left => Err(LinksLeft(left, "imported").into()),
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

    fn domains(&self) -> &NamedDomains {
        match self {
            Self::Database(links) => links.service.domains(),
            Self::Nowhere(rehearsal) => rehearsal.domains(),
        }
    }
}

/// An import under way.
struct Import<'s> {
    bounds: &'s Bounds,
    /// The domains here of the hosts that links name; that of the empty host is for links that name none.
    domains: BTreeMap<String, DomainName>,
    store: Store,
    slugs: SlugMap,
    report: Report,
    line: ProgressBar,
    /// Links to write, each behind what the file says of it.
    batch: Vec<(Place, ImportLink)>,
    /// The batch before, which is written while this one is read.
    writing: Option<JoinHandle<Result<Written, Error>>>,
    tally: Tally,
}

/// A link in its file.
struct Place {
    /// Its line, or its index in a list.
    at: String,
    /// The slug as the file spells it.
    slug: String,
    cuts: Vec<String>,
}

/// The links of a batch with their outcomes, each behind its place in the file.
type Written = Vec<(Place, ImportedLink)>;

impl Import<'_> {
    fn take(&mut self, read: ReadLink) -> anyhow::Result<()> {
        let ReadLink {
            index,
            line,
            link,
            slug,
            cuts,
        } = read;
        let at = line.map_or_else(|| format!("links.{index}"), |line| format!("line {line}"));
        let slug = slug.map(|slug| self.slugs.renamed(slug));
        let checked = link.and_then(|mut link| {
            if let Some(slug) = &slug {
                link.slug = Sent::Value(slug.clone());
            }
            let host = link.domain.value().map(|host| host.trim().to_lowercase());
            if let Some(domain) = self.domains.get(&host.unwrap_or_default()) {
                link.domain = Sent::Value(domain.as_str().to_owned());
            }
            link.validate(self.bounds)
        });
        let slug = slug.unwrap_or_default();
        let place = Place { at, slug, cuts };
        let (word, why) = match checked {
            Ok(link) if self.store.domains().meant(link.domain.clone()).is_ok() => {
                return self.add(place, link);
            }
            Ok(link) => {
                let (at, host) = (&place.at, link.domain.as_str());
                let why = format!(
                    "{at}: {host} is no domain here: `slugline domains add {host}`, or --domain \
                     {host}=HOST, or --domain {host}= for the default domain"
                );
                ("failed", why)
            }
            Err(problem) => {
                let is_unfit = problem.issues.iter().any(|issue| issue.path == ["slug"]);
                let why = match line {
                    None => problem.within(&[&place.at]).detail,
                    // The detail names the line.
                    Some(_) if problem.issues.is_empty() => problem.detail,
                    Some(_) => format!("{}: {}", place.at, problem.detail),
                };
                if is_unfit {
                    self.slugs.propose(&place.slug)?;
                    ("noSlug", format!("{why} ({})", place.slug))
                } else {
                    ("failed", why)
                }
            }
        };
        let told = json!({"slug": place.slug});
        self.tell_of(&place, word, told, Some(why))
    }

    fn add(&mut self, place: Place, link: ImportLink) -> anyhow::Result<()> {
        if let Store::Nowhere(rehearsal) = &mut self.store {
            let outcome = rehearsal.take(&link);
            let key = LinkKey::new(link.domain, link.slug.unwrap_or_else(unnamed));
            return self.count(&place, &key, link.id.as_ref(), &outcome);
        }
        self.batch.push((place, link));
        if self.batch.len() == BATCH {
            self.flush()
        } else {
            Ok(())
        }
    }

    /// Counts a link, reports it, and names it if it was left out.
    fn count(
        &mut self,
        place: &Place,
        key: &LinkKey,
        id: Option<&LinkId>,
        outcome: &ImportOutcome,
    ) -> anyhow::Result<()> {
        let slug = &self.store.domains().canonical(key).slug;
        let in_case = place.slug.eq_ignore_ascii_case(slug.as_str());
        let word = word(outcome, in_case && place.slug != slug.as_str());
        let (domain, id_text) = (key.domain.as_str(), id.map(LinkId::as_str));
        let told = json!({"slug": slug.as_str(), "domain": domain, "id": id_text});
        let why = left_out(outcome, id).map(|why| format!("{}: {slug}: {why}", place.at));
        self.tell_of(place, word, told, why)
    }

    /// Counts a link, reports it, and says why it was left out if it was.
    fn tell_of(
        &mut self,
        place: &Place,
        word: &'static str,
        mut told: Value,
        why: Option<String>,
    ) -> anyhow::Result<()> {
        self.tally.add(word);
        if word == "made" && !place.cuts.is_empty() {
            self.tally.add("cut");
        }
        told["outcome"] = word.into();
        told["place"] = place.at.as_str().into();
        told["cuts"] = place.cuts.as_slice().into();
        told["why"] = why.as_deref().into();
        self.report.say(&told)?;
        if let Some(why) = why.filter(|_| self.tally.left() <= TOLD) {
            self.line.suspend(|| tell(&why));
        }
        Ok(())
    }

    /// Begins to write the batch once the batch before is written. If that fails, this one is
    /// dropped.
    fn flush(&mut self) -> anyhow::Result<()> {
        let batch = mem::take(&mut self.batch);
        self.finish_writing()?;
        let Store::Database(links) = &self.store else {
            return Ok(());
        };
        if batch.is_empty() {
            return Ok(());
        }
        if self.report.is_kept() {
            let ids = batch.iter().filter_map(|(_, link)| link.id.clone());
            let ids: BTreeSet<LinkId> = ids.collect();
            let used = links.runtime.block_on(links.service.ids_in_use(&ids));
            let used = used.map_err(Problem::from)?;
            let new: Vec<&str> = ids.difference(&used).map(LinkId::as_str).collect();
            self.report.say(&json!({"making": new}))?;
        }
        let (places, batch): (Vec<_>, Vec<_>) = batch.into_iter().unzip();
        let service = links.service.clone();
        let write = async move {
            let imported = service.import(batch).await?;
            Ok(places.into_iter().zip(imported).collect())
        };
        self.writing = Some(links.runtime.spawn(write));
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
            self.count(&place, &link.key, Some(&link.id), &outcome)?;
        }
        Ok(())
    }
}

/// Stands for a slug that the import will draw.
fn unnamed() -> Slug {
    Slug::parse("generated").expect("it is a slug")
}

/// Prints a message; continues if standard error is closed.
fn tell(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}
