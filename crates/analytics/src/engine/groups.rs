//! Rows put together by what is shown of them.
//!
//! Several dictionary entries can show the same: many places share a country,
//! and a link has an entry for every destination that it ever had.

use rusqlite::{Connection, Row};
use slugline_domain::SamplingInterval;

use super::{
    dimension::Table, error::EngineError, filter::RowFilter, scan::Snapshot, totals::Totals,
};

/// What is shown of a dictionary's entries, read from a row whose first column
/// is the id. `None` leaves an entry out.
#[derive(Debug)]
pub(super) struct Labels<K> {
    pub(super) table: Table,
    /// The columns after the id. Sorted by them, entries that show the same
    /// stand together.
    pub(super) columns: &'static str,
    pub(super) read: fn(&Row<'_>) -> Result<Option<K>, rusqlite::Error>,
}

/// Which group each entry of a dictionary belongs to. Groups are numbered in
/// the order of their labels, so whoever sorts by number needs no texts.
#[derive(Debug)]
pub(super) struct Groups {
    table: Table,
    /// By dictionary id.
    members: Vec<Member>,
    /// An entry of each group.
    examples: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
enum Member {
    /// There is no such entry, or no row can have it.
    Missing,
    /// The entry does not count.
    LeftOut,
    Of(usize),
}

impl Groups {
    /// Groups the entries that `admits` lets through.
    pub(super) fn load<K: PartialEq>(
        db: &Connection,
        labels: &Labels<K>,
        admits: impl Fn(u32) -> bool,
    ) -> Result<Self, rusqlite::Error> {
        let Labels {
            table,
            columns,
            read,
        } = labels;
        let entries = table.entries();
        // SQLite sorts in bounded memory, which cannot be said of a list of
        // every destination that there ever was.
        let mut statement = db.prepare_cached(&format!(
            "SELECT id, {columns} FROM {entries} ORDER BY {columns}"
        ))?;
        let mut entries = statement.query([])?;
        let mut groups = Builder::new(*table);
        while let Some(entry) = entries.next()? {
            let id = entry.get(0)?;
            if admits(id) {
                groups.add(id, read(entry)?);
            }
        }
        Ok(groups.finish())
    }

    /// Groups entries that come in the order of their labels.
    pub(super) fn of_sorted<K: PartialEq>(
        table: Table,
        entries: impl IntoIterator<Item = (u32, Option<K>)>,
    ) -> Self {
        let mut groups = Builder::new(table);
        for (id, label) in entries {
            groups.add(id, label);
        }
        groups.finish()
    }

    /// The dictionary whose entries are grouped.
    pub(super) fn table(&self) -> Table {
        self.table
    }

    /// How many groups there are.
    pub(super) fn len(&self) -> usize {
        self.examples.len()
    }

    /// The group of a row with this id; `None` when it does not count.
    pub(super) fn of(&self, id: u32) -> Result<Option<usize>, EngineError> {
        match self.members.get(index_of(id)) {
            Some(Member::Of(group)) => Ok(Some(*group)),
            Some(Member::LeftOut) => Ok(None),
            Some(Member::Missing) | None => Err(EngineError::Dangling {
                kind: self.table.entry_name(),
                id,
            }),
        }
    }

    /// An entry of a group, to read its label from.
    pub(super) fn example(&self, group: usize) -> u32 {
        self.examples[group]
    }
}

/// Adds up the rows of each group.
pub(super) fn totals<K: PartialEq>(
    snapshot: &Snapshot<'_>,
    filter: &RowFilter,
    labels: &Labels<K>,
) -> Result<(Groups, Totals, SamplingInterval), EngineError> {
    let table = labels.table;
    let groups = Groups::load(snapshot.db(), labels, |id| filter.admits(table, id))?;
    let mut totals = Totals::default();
    let mut columns = Totals::COLUMNS.to_vec();
    columns.push(table.column());
    let interval_max = snapshot.scan(filter, &columns, |block| {
        for (row, &id) in block.ids(table).iter().enumerate() {
            if let Some(group) = groups.of(id)? {
                totals.add(group, block, row);
            }
        }
        Ok(())
    })?;
    Ok((groups, totals, interval_max))
}

/// Reads the label of one entry.
pub(super) fn label<K>(db: &Connection, labels: &Labels<K>, id: u32) -> Result<K, EngineError> {
    let Labels {
        table,
        columns,
        read,
    } = labels;
    let dangling = || EngineError::Dangling {
        kind: table.entry_name(),
        id,
    };
    let (entries, and) = (table.entries(), table.and());
    let mut statement = db.prepare_cached(&format!(
        "SELECT id, {columns} FROM {entries} {and} id = ?1"
    ))?;
    let mut entry = statement.query([id])?;
    let entry = entry.next()?.ok_or_else(dangling)?;
    read(entry)?.ok_or_else(dangling)
}

struct Builder<K> {
    groups: Groups,
    newest: Option<K>,
}

impl<K: PartialEq> Builder<K> {
    fn new(table: Table) -> Self {
        Self {
            groups: Groups {
                table,
                members: Vec::new(),
                examples: Vec::new(),
            },
            newest: None,
        }
    }

    fn add(&mut self, id: u32, label: Option<K>) {
        let groups = &mut self.groups;
        let member = match label {
            None => Member::LeftOut,
            Some(label) => {
                if self.newest.as_ref() != Some(&label) {
                    groups.examples.push(id);
                    self.newest = Some(label);
                }
                Member::Of(groups.examples.len() - 1)
            }
        };
        let index = index_of(id);
        if index >= groups.members.len() {
            groups.members.resize(index + 1, Member::Missing);
        }
        groups.members[index] = member;
    }

    fn finish(self) -> Groups {
        self.groups
    }
}

fn index_of(id: u32) -> usize {
    usize::try_from(id).expect("32 bits fit a pointer's size")
}
