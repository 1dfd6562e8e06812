//! PostgreSQL ends the service's sessions while several clients are at work.

use std::{
    env,
    io::{BufRead, BufReader, Lines, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use url::Url;

use super::{
    actor::act_while,
    amount::{Random, factor},
    trial::Trial,
};

#[test]
fn each_client_is_told_what_became_of_its_links_when_sessions_are_cut() {
    const CLIENTS: usize = 6;
    const CUT: &str = "a session is cut";

    let mut random = Random::new();
    let mut database = Database::create("sessions", random.seed());
    let url = database.url.to_string();
    let folder = tempfile::tempdir().unwrap();
    let mut trial = Trial::start_in(folder, &[("SLUGLINE_DATABASE_URL", &url)]);
    for life in 0..3 * factor() {
        let mut cut = 0;
        let deeds = act_while(&trial, CLIENTS, &mut random, |random| {
            let begun = Instant::now();
            while begun.elapsed() < Duration::from_secs(1) {
                sleep(Duration::from_millis(random.below(60)));
                cut += database.cut(1 + random.below(10));
            }
        });
        trial.table.row(CUT, "all at once").injected += cut;
        for deeds in deeds {
            deeds.settle(&mut trial, CUT, false);
        }
        // Sessions that died unnoticed are nobody's trouble.
        trial.works_again(&format!("life {life}"), 0);
        trial.audit();
        trial.restart(random.one_of(&["KILL", "TERM"]));
    }
    trial.table.conclude(random.seed(), 30, 0);
}

/// A database of one test alone, so that no other test loses a session.
pub(crate) struct Database {
    pub(crate) url: Url,
    /// `psql` on the server's own database.
    psql: Child,
    orders: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
}

impl Database {
    /// Makes one for this test.
    pub(crate) fn create(test: &str, seed: u64) -> Self {
        let server = env::var_os("SLUGLINE_TEST_POSTGRES_URL").expect(
            "SLUGLINE_TEST_POSTGRES_URL names a PostgreSQL server; `cargo xtask test` starts one",
        );
        let server = server.into_string().unwrap();
        let mut psql = Command::new("psql")
            .args(["-qAtX", "-v", "ON_ERROR_STOP=1", &server])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("psql, which comes with PostgreSQL: {error}"));
        let mut url = Url::parse(&server).unwrap();
        url.set_path(&format!("faults_{test}_{}_{seed}", std::process::id()));
        let mut database = Self {
            url,
            orders: psql.stdin.take().unwrap(),
            answers: BufReader::new(psql.stdout.take().unwrap()).lines(),
            psql,
        };
        let made = format!("CREATE DATABASE {};\nSELECT 'made';", database.name());
        assert_eq!(database.ask(&made), "made");
        database
    }

    fn name(&self) -> &str {
        self.url.path().trim_start_matches('/')
    }

    /// Ends this many sessions, any of them. Gives how many there were to end.
    pub(crate) fn cut(&mut self, sessions: u64) -> u64 {
        let question = format!(
            "SELECT count(pg_terminate_backend(pid)) FROM (SELECT pid FROM pg_stat_activity \
             WHERE datname = '{}' ORDER BY random() LIMIT {sessions}) AS chosen;",
            self.name()
        );
        self.ask(&question).parse().unwrap()
    }

    fn ask(&mut self, question: &str) -> String {
        writeln!(self.orders, "{question}").unwrap();
        self.answers
            .next()
            .expect("psql answers until it is told to end")
            .unwrap()
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let dropped = format!("DROP DATABASE {} WITH (FORCE);\n\\q", self.name());
        let _ = writeln!(self.orders, "{dropped}");
        let _ = self.psql.wait();
    }
}
