//! A database for one test, so that the test can end its sessions without harm to others.

use std::{
    env,
    io::{BufRead, BufReader, Lines, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use url::Url;

/// The address of the tests' server.
#[expect(
    clippy::disallowed_methods,
    reason = "the test command hands the server over this way"
)]
pub(crate) fn postgres_url() -> String {
    env::var("SLUGLINE_TEST_POSTGRES_URL").expect(
        "SLUGLINE_TEST_POSTGRES_URL names a PostgreSQL server; `cargo xtask test` starts one",
    )
}

/// A database on the tests' server, dropped with this value.
pub(crate) struct OwnDatabase {
    url: Url,
    /// `psql` on the server's own database.
    psql: Psql,
}

impl OwnDatabase {
    pub(crate) fn create(name: &str) -> Self {
        let server = postgres_url();
        let mut psql = Psql::connect(&server);
        let mut url = Url::parse(&server).unwrap();
        let name = format!("{name}_{}", std::process::id());
        let made = format!("CREATE DATABASE {name};\nSELECT 'made';");
        assert_eq!(psql.ask(&made), "made");
        url.set_path(&name);
        Self { url, psql }
    }

    pub(crate) fn url(&self) -> &Url {
        &self.url
    }

    /// Runs a query with one value, in another database of the server.
    pub(crate) fn ask_the_server(&mut self, question: &str) -> String {
        self.psql.ask(question)
    }

    /// Opens a session in this database.
    pub(crate) fn open(&self) -> Psql {
        Psql::connect(self.url.as_str())
    }

    /// Ends any `sessions` sessions. Returns the number that existed.
    pub(crate) fn cut(&mut self, sessions: u64) -> u64 {
        self.cut_those(&format!("true ORDER BY random() LIMIT {sessions}"))
    }

    /// Ends the sessions that listen. Returns their number.
    pub(crate) fn cut_listeners(&mut self) -> u64 {
        // Only a listener reads announcements, all the time, and rings the bell in between.
        self.cut_those(
            "(query ILIKE '%link_announcements%' OR query ILIKE '%slugline_links%') \
             AND pid <> pg_backend_pid()",
        )
    }

    fn cut_those(&mut self, condition: &str) -> u64 {
        let question = format!(
            "SELECT count(pg_terminate_backend(pid)) FROM (SELECT pid FROM pg_stat_activity \
             WHERE datname = '{}' AND {condition}) AS chosen;",
            self.name()
        );
        self.ask_the_server(&question).parse().unwrap()
    }

    pub(crate) fn name(&self) -> &str {
        self.url.path().trim_start_matches('/')
    }
}

impl Drop for OwnDatabase {
    fn drop(&mut self) {
        let dropped = format!("DROP DATABASE {} WITH (FORCE);", self.name());
        self.psql.tell(&dropped);
    }
}

/// A session of `psql`.
pub(crate) struct Psql {
    process: Child,
    orders: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
}

impl Psql {
    pub(crate) fn connect(url: &str) -> Self {
        let mut process = Command::new("psql")
            .args(["-qAtX", "-v", "ON_ERROR_STOP=1", url])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("psql, which comes with PostgreSQL: {error}"));
        Self {
            orders: process.stdin.take().unwrap(),
            answers: BufReader::new(process.stdout.take().unwrap()).lines(),
            process,
        }
    }

    /// Runs a query with one value.
    pub(crate) fn ask(&mut self, question: &str) -> String {
        writeln!(self.orders, "{question}").unwrap();
        self.answers
            .next()
            .expect("psql answers until it is told to end")
            .unwrap()
    }

    fn tell(&mut self, order: &str) {
        let _ = writeln!(self.orders, "{order}");
    }
}

impl Drop for Psql {
    fn drop(&mut self) {
        self.tell("\\q");
        let _ = self.process.wait();
    }
}
