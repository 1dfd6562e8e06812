//! Moving links here from an older instance's store.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use slugline_application::{
    self as application, ExpiredEntry, MigrationStatus, RunCursor, RunReport,
};
use slugline_domain::{FailedEntry, MigrationRun, Tally, UnixSeconds};

use crate::{
    Problem, cursor,
    scalars::{BoolOrString, iso_8601},
    sent::Sent,
    validation::Validation,
};

/// Which page of links to move.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RunMigration {
    /// The cursor of the previous report. Without it the migration goes on where it is, or begins.
    #[schemars(length(max = MAX_CURSOR_CHARS))]
    pub cursor: Sent<String>,
    /// True to look at all of the old store's entries again, after some were mended for
    /// instance. Links that are here stay as they are. Ignored beside a cursor.
    #[schemars(extend("default" = false))]
    pub force: Sent<BoolOrString>,
}

/// The longest cursor that is read, in bytes: Sink's bound.
const MAX_CURSOR_CHARS: usize = 2048;

/// The content of a cursor: version, run, page.
#[derive(Serialize, Deserialize)]
struct CursorContent(u8, u32, u32);

const CURSOR_VERSION: u8 = 1;

impl RunMigration {
    /// Makes domain values of the members.
    ///
    /// # Errors
    /// Lists every member that is of another type, or says that the migration did not
    /// issue the cursor. An empty cursor counts as absent.
    pub fn validate(&self) -> Result<application::RunMigration, Problem> {
        let mut validation = Validation::default();
        let cursor = validation.value(&["cursor"], &self.cursor);
        let cursor = cursor.filter(|text| !text.is_empty());
        let force = validation.flag("force", &self.force);
        validation.finish(|| Some(()))?;
        let read = |text: &String| read_cursor(text).ok_or(application::Error::MigrationCursor);
        Ok(application::RunMigration {
            cursor: cursor.map(read).transpose()?,
            force,
        })
    }
}

fn read_cursor(text: &str) -> Option<RunCursor> {
    let CursorContent(version, run, page) = cursor::content(text, MAX_CURSOR_CHARS)?;
    (version == CURSOR_VERSION).then_some(RunCursor { run, page })
}

fn write_cursor(cursor: RunCursor) -> String {
    cursor::write(&CursorContent(CURSOR_VERSION, cursor.run, cursor.page))
}

/// The outcome for a page of the old store's entries.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MigrationReport {
    /// True if every link is here, so that links can be used.
    pub completed: bool,
    /// True if this was the last page.
    pub list_complete: bool,
    /// Where to continue; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// The number of entries by outcome.
    #[serde(flatten)]
    pub tally: TallyView,
    /// Entries of this page that could not be moved.
    #[serde(rename = "failedItems")]
    pub failed_items: Vec<LeftItem>,
    /// Entries of this page that had expired and were left where they are.
    #[serde(rename = "expiredItems")]
    pub expired_items: Vec<LeftItem>,
}

/// The number of entries by outcome.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct TallyView {
    /// Entries of links that were looked at.
    pub scanned: u64,
    /// Links that were moved here.
    pub inserted: u64,
    /// Links whose slug is in use here.
    pub skipped: u64,
    /// Links that had expired and were not moved.
    pub expired: u64,
    /// Entries that hold no link that could be moved.
    pub failed: u64,
    /// Entries under other keys, which are no links.
    pub ignored: u64,
}

/// An entry that was not moved.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LeftItem {
    /// Its key in the old store.
    pub key: String,
    /// Why.
    pub reason: String,
}

/// The progress of the migration.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MigrationView {
    /// True if every link is here, so that links can be used.
    pub completed: bool,
    /// The result of the last complete run; `null` when there was none.
    pub marker: Option<MarkerView>,
    /// The run in course or, when none is, the last one; absent when there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<RunView>,
}

/// The result of a complete run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MarkerView {
    /// Always 1.
    pub version: u8,
    /// When: ISO 8601, UTC.
    #[schemars(extend("format" = "date-time"))]
    pub completed_at: String,
    /// Entries of links that were looked at.
    pub scanned: u64,
    /// Links that were moved here.
    pub inserted: u64,
    /// Links whose slug was in use here.
    pub skipped: u64,
    /// Links that had expired and were not moved.
    pub expired: u64,
}

/// A run as far as it has come.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RunView {
    /// Pages that are done.
    pub pages: u32,
    /// The number of entries by outcome.
    #[serde(flatten)]
    pub tally: TallyView,
    /// The first entries that could not be moved; `failed` counts all.
    #[serde(rename = "failedItems")]
    #[schemars(length(max = FailedEntry::MAX_KEPT))]
    pub failed_items: Vec<LeftItem>,
}

impl From<&RunReport> for MigrationReport {
    fn from(report: &RunReport) -> Self {
        Self {
            completed: report.completed,
            list_complete: report.next.is_none(),
            cursor: report.next.map(write_cursor),
            tally: report.tally.into(),
            failed_items: report.failures.iter().map(LeftItem::from).collect(),
            expired_items: report.expired.iter().map(LeftItem::from).collect(),
        }
    }
}

impl From<&MigrationStatus> for MigrationView {
    fn from(status: &MigrationStatus) -> Self {
        match status {
            MigrationStatus::NotNeeded { since } => Self {
                completed: true,
                marker: Some(MarkerView::new(*since, Tally::default())),
                run: None,
            },
            MigrationStatus::Waiting { run, failures } => Self {
                completed: false,
                marker: None,
                run: run.as_ref().map(|run| RunView::new(run, failures)),
            },
            MigrationStatus::Completed { run, failures } => Self {
                completed: true,
                marker: run.ended_at.map(|end| MarkerView::new(end, run.tally)),
                run: Some(RunView::new(run, failures)),
            },
        }
    }
}

impl MarkerView {
    fn new(end: UnixSeconds, tally: Tally) -> Self {
        Self {
            version: 1,
            completed_at: iso_8601(end.start()),
            scanned: tally.scanned,
            inserted: tally.inserted,
            skipped: tally.skipped,
            expired: tally.expired,
        }
    }
}

impl RunView {
    fn new(run: &MigrationRun, failures: &[FailedEntry]) -> Self {
        Self {
            pages: run.pages,
            tally: run.tally.into(),
            failed_items: failures.iter().map(LeftItem::from).collect(),
        }
    }
}

impl From<Tally> for TallyView {
    fn from(tally: Tally) -> Self {
        Self {
            scanned: tally.scanned,
            inserted: tally.inserted,
            skipped: tally.skipped,
            expired: tally.expired,
            failed: tally.failed,
            ignored: tally.ignored,
        }
    }
}

impl From<&FailedEntry> for LeftItem {
    fn from(entry: &FailedEntry) -> Self {
        Self {
            key: entry.key.to_string(),
            reason: entry.reason.to_string(),
        }
    }
}

impl From<&ExpiredEntry> for LeftItem {
    fn from(entry: &ExpiredEntry) -> Self {
        Self {
            key: entry.key.to_string(),
            reason: format!("expired since {}", iso_8601(entry.since.start())),
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::{Value, json, to_value};
    use slugline_domain::{EntryFault, EntryKey};

    use super::*;
    use crate::{Code, faults::paths, reader::read};

    fn request(body: &Value) -> Result<application::RunMigration, Problem> {
        read::<RunMigration>(body)?.validate()
    }

    fn tally() -> Tally {
        Tally {
            scanned: 10,
            inserted: 1,
            skipped: 2,
            expired: 3,
            failed: 4,
            ignored: 5,
        }
    }

    #[rstest]
    #[case(json!({}), false)]
    #[case(json!({"cursor": ""}), false)]
    #[case(json!({"force": true}), true)]
    #[case(json!({"force": "true"}), true)]
    #[case(json!({"force": "false"}), false)]
    fn a_run_is_asked_for_by_json_or_query(#[case] body: Value, #[case] force: bool) {
        let cursor = None;
        assert_eq!(
            request(&body),
            Ok(application::RunMigration { cursor, force })
        );
    }

    #[test]
    fn no_other_word_is_true() {
        assert_eq!(paths(request(&json!({"force": "yes"}))), ["force"]);
    }

    #[test]
    fn a_report_gives_the_cursor_of_the_next_page() {
        let next = Some(RunCursor { run: 2, page: 7 });
        let report = RunReport {
            completed: false,
            next,
            tally: tally(),
            failures: vec![FailedEntry {
                key: EntryKey::new("link:x"),
                reason: EntryFault::new("url is missing"),
            }],
            expired: vec![ExpiredEntry {
                key: EntryKey::new("link:y"),
                since: UnixSeconds::new(1_800_000_000).unwrap(),
            }],
        };
        let mut shown = to_value(MigrationReport::from(&report)).unwrap();
        let cursor = shown.as_object_mut().unwrap().remove("cursor").unwrap();
        assert_eq!(request(&json!({"cursor": cursor})).unwrap().cursor, next);
        assert_eq!(
            shown,
            json!({
                "completed": false, "list_complete": false, "scanned": 10, "inserted": 1,
                "skipped": 2, "expired": 3, "failed": 4, "ignored": 5,
                "failedItems": [{"key": "link:x", "reason": "url is missing"}],
                "expiredItems": [
                    {"key": "link:y", "reason": "expired since 2027-01-15T08:00:00.000Z"}
                ],
            })
        );
        for wrong in ["nonsense", "WzIsMSwwXQ"] {
            let problem = request(&json!({"cursor": wrong})).unwrap_err();
            assert_eq!(problem.code, Code::InvalidCursor);
            assert_eq!(problem.title, "Invalid migration cursor");
        }
    }

    #[test]
    fn an_instance_with_nothing_to_move_is_complete() {
        let since = UnixSeconds::new(1_800_000_000).unwrap();
        let shown = MigrationView::from(&MigrationStatus::NotNeeded { since });
        assert_eq!(
            to_value(shown).unwrap(),
            json!({"completed": true, "marker": {
                "version": 1, "completedAt": "2027-01-15T08:00:00.000Z",
                "scanned": 0, "inserted": 0, "skipped": 0, "expired": 0,
            }})
        );
        let waiting = MigrationStatus::Waiting {
            run: None,
            failures: Vec::new(),
        };
        let shown = to_value(MigrationView::from(&waiting)).unwrap();
        assert_eq!(shown, json!({"completed": false, "marker": null}));
    }
}
