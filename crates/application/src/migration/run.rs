//! Moves one page of links.

use slugline_domain::{
    Advance, AuditNote, AuditedOperation, Author, EntryKey, FailedEntry, MigrationRun,
    MigrationStep, MovedLink, OldEntry, OldPage, Scope, Tally, UnixSeconds, ports::OldStoreError,
};

use super::{LinkMigration, OldLinks, old_links::id_of};
use crate::{
    access::{Access, Forbidden},
    error::Error,
};

/// The page to move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunMigration {
    /// The cursor from another page's report. Without it, the migration continues where
    /// it stopped, or begins.
    pub cursor: Option<RunCursor>,
    /// Begins again from the first page, even if the migration is completed. Links that
    /// are here stay as they are. A cursor takes precedence.
    pub force: bool,
}

/// A page of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunCursor {
    /// Number of the run.
    pub run: u32,
    /// The number of pages before it.
    pub page: u32,
}

/// The outcome for a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunReport {
    /// True if every link is here.
    pub completed: bool,
    /// The next page; `None` after the last page.
    pub next: Option<RunCursor>,
    /// The outcomes for the page's entries.
    pub tally: Tally,
    /// Entries that could not be moved.
    pub failures: Vec<FailedEntry>,
    /// Entries that were not moved because they had expired.
    pub expired: Vec<ExpiredEntry>,
}

/// An expired entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpiredEntry {
    /// Its key.
    pub key: EntryKey,
    /// The second at which it expired.
    pub since: UnixSeconds,
}

impl LinkMigration {
    /// The access rule of [`Self::run`]. Only adapters check it.
    pub const RUN: Access = Access::outside_preview(Scope::Admin, Forbidden::Migrate);

    /// The number of attempts when other callers move the same page.
    const ATTEMPTS: usize = 5;

    /// Moves one page of links, unless none are left. Several callers may do so at once,
    /// and each page is moved by one of them.
    ///
    /// # Errors
    /// The migration did not issue the cursor, its page was already moved, or its run is
    /// over; or one of the stores failed, and nothing has changed.
    pub async fn run(
        &self,
        mut request: RunMigration,
        author: &Author,
    ) -> Result<RunReport, Error> {
        let Some(old) = &self.old else {
            return Ok(RunReport::nothing_left());
        };
        for _ in 0..Self::ATTEMPTS {
            let Some(run) = self.choose(&request).await? else {
                return Ok(RunReport::nothing_left());
            };
            let page = match old.store.page(run.next.as_ref()).await {
                Ok(page) => page,
                Err(OldStoreError::CursorLost) => {
                    // Nothing is lost when all pages are read once more.
                    self.begin_after(Some(run.number)).await?;
                    request = RunMigration::default();
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            match self.move_page(old, &run, page, author).await? {
                Some(report) => return Ok(report),
                None if request.cursor.is_some() => return Err(Error::MigrationPageDone),
                None => request.force = false,
            }
        }
        Err(Error::MigrationPageDone)
    }

    /// Returns the run that the request means, or nothing if no links are left to move.
    async fn choose(&self, request: &RunMigration) -> Result<Option<MigrationRun>, Error> {
        let latest = self.state().await?.latest;
        if let Some(cursor) = request.cursor {
            return cursor.find(latest).map(Some);
        }
        match latest {
            Some(run) if !request.force => Ok(run.ended_at.is_none().then_some(run)),
            latest => {
                self.begin_after(latest.map(|run| run.number)).await?;
                Ok(self.state().await?.latest)
            }
        }
    }

    /// Begins another run, unless another caller begins one at the same moment, which
    /// serves as well.
    async fn begin_after(&self, latest: Option<u32>) -> Result<(), Error> {
        let now = self.clock.now().second();
        self.progress.begin(latest, now).await?;
        Ok(())
    }

    /// Moves a page of the run, unless another caller has done so.
    async fn move_page(
        &self,
        old: &OldLinks,
        run: &MigrationRun,
        page: OldPage,
        author: &Author,
    ) -> Result<Option<RunReport>, Error> {
        let note = AuditNote::new(self.clock.now(), author, AuditedOperation::LinkMigrate);
        let now = note.at.second();
        let (mut links, mut failures, mut expired) = (Vec::new(), Vec::new(), Vec::new());
        for OldEntry { key, link } in page.entries {
            let link = match link {
                Ok(link) => link,
                Err(reason) => {
                    failures.push(FailedEntry { key, reason });
                    continue;
                }
            };
            match link.effective_expiry() {
                Some(since) if since <= now => expired.push(ExpiredEntry { key, since }),
                Some(_) | None => links.push(MovedLink {
                    spare_id: id_of(&link.slug),
                    link: old.adopt(link).await?,
                }),
            }
        }
        let step = MigrationStep {
            run: run.number,
            page: run.pages,
            next: page.next,
            links,
            failures,
            expired: count(&expired),
            ignored: page.ignored,
            note,
        };
        let Advance::Done { inserted, skipped } = self.progress.advance(&step).await? else {
            return Ok(None);
        };
        if step.next.is_none() {
            self.lock.unlock();
        }
        let failed = count(&step.failures);
        Ok(Some(RunReport {
            completed: self.lock.is_open(),
            next: step.next.is_some().then_some(RunCursor {
                run: step.run,
                page: step.page + 1,
            }),
            tally: Tally {
                scanned: inserted + skipped + step.expired + failed,
                inserted,
                skipped,
                expired: step.expired,
                failed,
                ignored: step.ignored,
            },
            failures: step.failures,
            expired,
        }))
    }
}

impl RunReport {
    /// Returns the report for a migration that is already completed.
    fn nothing_left() -> Self {
        Self {
            completed: true,
            next: None,
            tally: Tally::default(),
            failures: Vec::new(),
            expired: Vec::new(),
        }
    }
}

impl RunCursor {
    /// The run whose next page this is.
    fn find(self, latest: Option<MigrationRun>) -> Result<MigrationRun, Error> {
        let run = latest.ok_or(Error::MigrationRunGone)?;
        if self.run > run.number || (self.run == run.number && self.page > run.pages) {
            return Err(Error::MigrationCursor);
        }
        if self.run < run.number {
            return Err(Error::MigrationRunGone);
        }
        if self.page < run.pages || run.ended_at.is_some() {
            return Err(Error::MigrationPageDone);
        }
        Ok(run)
    }
}

fn count<T>(items: &[T]) -> u64 {
    u64::try_from(items.len()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use slugline_domain::{
        EntryFault, ImportedPassword, OldLink, Password,
        ports::{LinkStore, MigrationStore},
    };
    use slugline_storage::SqlLinkStore;
    use slugline_testkit::{
        ALL, FixedClock, LinksFile, MemoryOldStore, NOON, NOTE, SeededRandom, assert_matches, key,
        link, old_link, seconds, with,
    };

    use super::*;

    use crate::{
        LinkMigrationParts, MigrationStatus, Passwords, Resolver, ResolverOptions,
        links::fixture::opened,
    };

    struct Move {
        migration: LinkMigration,
        links: Arc<SqlLinkStore>,
        _file: LinksFile,
        old: Arc<MemoryOldStore>,
        clock: Arc<FixedClock>,
    }

    fn entry(link: OldLink) -> OldEntry {
        OldEntry {
            key: EntryKey::new(&format!("link:{}", link.slug)),
            link: Ok(link),
        }
    }

    fn broken(key: &str) -> OldEntry {
        OldEntry {
            key: EntryKey::new(key),
            link: Err(EntryFault::new("url is missing")),
        }
    }

    async fn node(progress: Arc<SqlLinkStore>, old: Arc<MemoryOldStore>) -> LinkMigration {
        let parts = LinkMigrationParts {
            progress,
            old_store: Some(old),
            passwords: Arc::new(Passwords::new(Arc::new(SeededRandom::new(1)))),
            clock: Arc::new(FixedClock::at(NOON)),
        };
        LinkMigration::new(parts).await.unwrap()
    }

    async fn moving(entries: Vec<OldEntry>) -> Move {
        let file = LinksFile::new();
        let links = opened(&file);
        let old = Arc::new(MemoryOldStore::new(entries));
        Move {
            migration: node(links.clone(), old.clone()).await,
            links,
            _file: file,
            old,
            clock: Arc::new(FixedClock::at(NOON)),
        }
    }

    fn five() -> Vec<OldEntry> {
        ["a", "b", "c", "d", "e"]
            .map(|text| entry(old_link(text)))
            .to_vec()
    }

    async fn run_once(migration: &LinkMigration, asked: RunMigration) -> Result<RunReport, Error> {
        migration.run(asked, &Author::operator()).await
    }

    /// Follows the cursors to the end.
    async fn run_all(migration: &LinkMigration, force: bool) -> Vec<RunReport> {
        let mut reports: Vec<RunReport> = Vec::new();
        loop {
            let cursor = reports.last().and_then(|report| report.next);
            let report = run_once(migration, RunMigration { cursor, force }).await;
            let report = report.unwrap();
            let ended = report.next.is_none();
            reports.push(report);
            if ended {
                return reports;
            }
        }
    }

    #[tokio::test]
    async fn a_run_moves_what_can_be_moved_and_opens_the_lock_at_its_end() {
        let mut entries = five();
        let mut ended = old_link("ended");
        ended.content.expires_at = Some(NOON);
        entries.extend([entry(ended), broken("link:x")]);
        let fixture = moving(entries).await;
        let locked = fixture.migration.lock().check();
        assert_matches!(locked, Err(Error::MigrationRequired));
        let reports = run_all(&fixture.migration, false).await;
        let completed: Vec<bool> = reports.iter().map(|report| report.completed).collect();
        assert_eq!(completed, [false, false, false, true]);
        assert!(fixture.migration.lock().is_open());
        let tallies = reports.iter().map(|report| report.tally);
        let sum = |part: fn(&Tally) -> u64| tallies.clone().map(|tally| part(&tally)).sum::<u64>();
        assert_eq!((sum(|t| t.scanned), sum(|t| t.inserted)), (7, 5));
        assert_eq!(reports[2].expired[0].key.as_str(), "link:ended");
        let MigrationStatus::Completed { run, failures } =
            fixture.migration.status().await.unwrap()
        else {
            panic!("it is completed")
        };
        assert_eq!((run.tally.failed, run.tally.expired), (1, 1));
        assert_eq!(failures[0].key.as_str(), "link:x");
        assert_eq!(fixture.links.find(&key("ended")).await.unwrap(), None);
        let again = run_once(&fixture.migration, RunMigration::default()).await;
        assert_eq!(again.unwrap(), RunReport::nothing_left());
    }

    #[tokio::test]
    async fn a_moved_link_is_the_one_that_visitors_were_served() {
        let mut plain = old_link("plain");
        let password = Password::parse("hunter2").unwrap();
        plain.password = Some(ImportedPassword::Plain(password));
        plain.updated_at = Some(seconds(-5));
        let fixture = moving(vec![entry(plain)]).await;
        let mut resolver = Resolver::new(
            fixture.links.clone(),
            fixture.clock.clone(),
            crate::NamedDomains::default(),
            ResolverOptions::default(),
        );
        resolver.old_links = fixture.migration.old_links();
        let served = resolver.find(&key("PLAIN")).await.unwrap().unwrap();
        run_all(&fixture.migration, false).await;
        let moved = fixture.links.find(&key("plain")).await.unwrap().unwrap();
        assert_eq!(moved.id.as_str(), served.id());
        assert_eq!(moved.created_at, seconds(-5));
        assert!(moved.password.unwrap().as_str().starts_with("$argon2id$"));
        fixture.old.go_away();
        assert!(resolver.find(&key("unknown")).await.unwrap().is_none());
    }

    #[tokio::test]
    async fn cursors_name_the_next_page_and_no_other() {
        let fixture = moving(five()).await;
        let at = async |run, page| {
            let cursor = Some(RunCursor { run, page });
            let force = false;
            run_once(&fixture.migration, RunMigration { cursor, force }).await
        };
        assert_matches!(at(1, 0).await, Err(Error::MigrationRunGone));
        let first = run_once(&fixture.migration, RunMigration::default()).await;
        assert_eq!(first.unwrap().next, Some(RunCursor { run: 1, page: 1 }));
        assert_matches!(at(1, 0).await, Err(Error::MigrationPageDone));
        assert_matches!(at(1, 2).await, Err(Error::MigrationCursor));
        assert_matches!(at(2, 0).await, Err(Error::MigrationCursor));
        at(1, 1).await.unwrap();
        let force = with(RunMigration::default(), |it| it.force = true);
        let forced = run_once(&fixture.migration, force).await.unwrap();
        assert_eq!(forced.tally.skipped, 2);
        assert_matches!(at(1, 2).await, Err(Error::MigrationRunGone));
    }

    #[tokio::test]
    async fn a_run_goes_on_where_it_was_and_begins_again_when_the_cursor_is_lost() {
        let fixture = moving(five()).await;
        let run = async || run_once(&fixture.migration, RunMigration::default()).await;
        run().await.unwrap();
        fixture.old.go_away();
        assert_matches!(run().await, Err(Error::OldStore(_)));
        assert!(fixture.links.find(&key("c")).await.unwrap().is_none());
        fixture.old.come_back();
        let again = run().await.unwrap();
        assert_eq!(again.next, Some(RunCursor { run: 2, page: 1 }));
        assert_eq!((again.tally.inserted, again.tally.skipped), (0, 2));
        run_all(&fixture.migration, false).await;
        assert!(fixture.links.find(&key("e")).await.unwrap().is_some());
    }

    #[tokio::test]
    async fn force_moves_what_was_mended_and_leaves_the_lock_open() {
        let fixture = moving(vec![broken("link:x")]).await;
        run_all(&fixture.migration, false).await;
        let mine = link("a").to("https://mine.example/").build();
        fixture.links.insert(&ALL, &mine, &NOTE).await.unwrap();
        for mended in ["x", "a", "b"] {
            fixture.old.add(entry(old_link(mended)));
        }
        let force = with(RunMigration::default(), |it| it.force = true);
        let first = run_once(&fixture.migration, force).await.unwrap();
        assert!(first.completed && first.next.is_some());
        assert!(fixture.migration.lock().is_open());
        run_all(&fixture.migration, false).await;
        assert!(fixture.links.find(&key("x")).await.unwrap().is_some());
        let mine = fixture.links.find(&key("a")).await.unwrap().unwrap();
        assert_eq!(mine.content.destination.as_str(), "https://mine.example/");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn several_nodes_share_the_pages_and_learn_of_the_end() {
        let entries: Vec<OldEntry> = (0..40)
            .map(|number| entry(old_link(&format!("l{number}"))))
            .collect();
        let fixture = moving(entries).await;
        let other = node(fixture.links.clone(), fixture.old.clone()).await;
        let run = |migration: LinkMigration| async move {
            let mut inserted = 0;
            while !migration.lock().is_open() {
                match run_once(&migration, RunMigration::default()).await {
                    Ok(report) => inserted += report.tally.inserted,
                    Err(Error::MigrationPageDone) => {}
                    Err(error) => panic!("{error}"),
                }
            }
            inserted
        };
        let idle = node(fixture.links.clone(), fixture.old.clone()).await;
        let (one, two) = tokio::join!(
            tokio::spawn(run(fixture.migration.clone())),
            tokio::spawn(run(other)),
        );
        assert_eq!(one.unwrap() + two.unwrap(), 40);
        assert!(!idle.lock().is_open());
        idle.watch().await;
        let state = fixture.links.state().await.unwrap();
        assert_eq!(state.completed.unwrap().tally.inserted, 40);
    }
}
