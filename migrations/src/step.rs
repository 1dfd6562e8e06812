//! The form of a schema step.

use sea_orm::DbBackend;
use sha2::{Digest, Sha256};

/// A step of the schema: its statements in the dialect of each database. A line that begins with `--` is a
/// comment, also within a statement.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// The version that took the step first. Databases record it.
    pub name: &'static str,
    /// For SQLite.
    pub sqlite: &'static str,
    /// For PostgreSQL.
    pub postgres: &'static str,
}

impl Step {
    /// The statements without their comments, which may change later.
    pub(crate) fn statements(&self, backend: DbBackend) -> String {
        let text = if backend == DbBackend::Sqlite {
            self.sqlite
        } else {
            self.postgres
        };
        let is_statement = |line: &&str| !line.is_empty() && !line.trim_start().starts_with("--");
        let lines: Vec<&str> = text.lines().filter(is_statement).collect();
        lines.join("\n")
    }

    /// A digest of the statements. Databases record it, too: a step that is not released yet is edited in place,
    /// and builds of different commits share its name alone.
    pub(crate) fn fingerprint(&self, backend: DbBackend) -> String {
        let digest = Sha256::digest(self.statements(backend));
        let first = digest.first_chunk().expect("it has 32 bytes");
        format!("{:016x}", u64::from_be_bytes(*first))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fingerprint(sqlite: &'static str) -> String {
        let (name, postgres) = ("0.1.0", "");
        let step = Step {
            name,
            sqlite,
            postgres,
        };
        step.fingerprint(DbBackend::Sqlite)
    }

    #[test]
    fn a_fingerprint_tells_statements_apart_and_passes_over_comments_and_ends_of_lines() {
        let first = fingerprint("-- Links.\nCREATE TABLE links (\n    slug text\n);\n");
        let same = "CREATE TABLE links (\r\n    -- The name.\r\n    slug text\r\n);\r\n\r\n";
        assert_eq!(fingerprint(same), first);
        assert_eq!(first.len(), 16);
        assert_ne!(
            fingerprint("CREATE TABLE links (\n    name text\n);\n"),
            first
        );
    }
}
