//! A full disk, simulated by a limit on the size of files: writes of a running service fail
//! until the test lifts the limit.

use std::{
    collections::HashSet,
    fs,
    io::{self, BufRead, BufReader, Read, Write},
    sync::{Arc, Mutex},
    thread,
};

use serde_json::{Value, json};

use crate::support::server::{Server, assert_has, command, eventually, run, under_sh};

/// A service whose file sizes can be limited, and its log output.
struct Node {
    server: Server,
    logged: Arc<Mutex<Vec<String>>>,
}

impl Node {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        // A write beyond the limit raises a signal, which ends a program that does not ignore
        // it; a full disk only returns the error.
        let mut command = under_sh("trap '' XFSZ", &command(folder.path()));
        command
            // Each visit is a separate row, or is dropped and counted.
            .env("SLUGLINE_SAMPLE_LINK_ABOVE", "0")
            .env("SLUGLINE_SAMPLE_ABOVE", "0")
            // Otherwise the service would write at midnight.
            .env("SLUGLINE_VISITOR_SALT", "never");
        let (reader, writer) = io::pipe().unwrap();
        command.stderr(writer);
        let server = Server::start_by(command, folder);
        let logged = Arc::new(Mutex::new(Vec::new()));
        let lines = Arc::clone(&logged);
        thread::spawn(move || {
            for line in BufReader::new(reader).lines() {
                lines.lock().unwrap().push(line.unwrap());
            }
        });
        server.create(&json!({"url": "https://example.com/", "slug": "docs"}));
        server.visit("/docs");
        server.counters_with("", 1);
        Self { server, logged }
    }

    /// Leaves no space for a page of visits: the next one would end beyond the limit, but every
    /// attempt writes its beginning.
    fn fill_disk(&self) {
        let log = fs::metadata(self.server.folder().join("analytics.db-wal"));
        self.server
            .limit_files(&(log.unwrap().len() + 1_000).to_string());
    }

    fn free_disk(&self) {
        self.server.limit_files("unlimited");
    }

    /// The number of times that the log output has these words.
    fn times(&self, words: &str) -> usize {
        let logged = self.logged.lock().unwrap();
        logged.iter().filter(|line| line.contains(words)).count()
    }

    fn refused(&self) -> usize {
        self.times("WARN slugline_analytics::writer: the access log takes no visits")
    }

    fn taken_again(&self) -> usize {
        self.times("INFO slugline_analytics::writer: the access log takes visits again")
    }

    /// Waits until the service has tried to store a batch several times.
    fn wait_for_attempts(&self) {
        let log = self.server.folder().join("analytics.db-wal");
        let mut written = HashSet::new();
        eventually("one attempt after another", || {
            written.insert(fs::metadata(&log).unwrap().modified().unwrap());
            written.len() > 3
        });
        eventually("a warning", || self.refused() > 0);
    }

    fn counters(&self) -> Value {
        let path = "/api/stats/counters";
        let answer = self.server.get(path).is(200);
        answer.json()
    }

    /// The access log's part of the health check. The service stays in rotation in every case.
    fn log_health(&self) -> Value {
        let ready = self.server.visit("/_health/ready").is(200);
        let ready = ready.json();
        assert_eq!(ready["status"], "ok");
        assert_eq!(
            ready["parts"]["links"],
            json!({"status": "ok", "reasons": []})
        );
        ready["parts"]["log"].clone()
    }

    /// Follows a link `visits` times, without waiting for each answer.
    fn flood(&self, visits: usize) {
        let request = "GET /docs HTTP/1.1\r\nhost: sl.example\r\n\r\n";
        let last = "GET /docs HTTP/1.1\r\nhost: sl.example\r\nconnection: close\r\n\r\n";
        let mut stream = self.server.connect();
        let mut answers = stream.try_clone().unwrap();
        let answers = thread::spawn(move || {
            let mut text = String::new();
            answers.read_to_string(&mut text).unwrap();
            text
        });
        for _ in 1..visits {
            stream.write_all(request.as_bytes()).unwrap();
        }
        stream.write_all(last.as_bytes()).unwrap();
        let answers = answers.join().unwrap();
        assert_eq!(answers.matches("HTTP/1.1 ").count(), visits);
        assert_eq!(answers.matches("HTTP/1.1 301 ").count(), visits);
    }
}

#[test]
fn visits_wait_for_a_full_disk_and_are_counted_once_when_there_is_room() {
    let node = Node::start();
    for (round, visits) in [(1, 30), (2, 60)] {
        node.fill_disk();
        for _ in 0..10 {
            assert_eq!(node.server.visit("/docs").status, 301);
        }
        node.wait_for_attempts();
        // The service is storing a batch, and these visits wait behind it.
        for _ in 0..20 {
            let answer = node.server.visit("/docs").is(301);
            assert_eq!(answer.header("location"), "https://example.com/");
        }
        assert_eq!(node.counters()["data"][0]["visits"], visits - 29);
        let full = json!({"status": "degraded", "reasons": ["the disk takes no visits"]});
        assert_eq!(node.log_health(), full);
        assert_eq!((node.refused(), node.taken_again()), (round, round - 1));

        node.free_disk();
        let counters = node.server.counters_with("", visits + 1);
        let exact = json!({"interval_max": 1, "exact": true, "dropped": 0});
        assert_eq!(counters["sampling"], exact);
        eventually("the news", || node.taken_again() == round);
        assert_eq!(node.refused(), round);
        assert_eq!(node.log_health(), json!({"status": "ok", "reasons": []}));
    }
    // Stored visits stay, and none is stored twice.
    let (status, folder) = node.server.stop("TERM");
    assert!(status.success());
    Server::start_in(folder, &[]).counters_with("", 61);
}

#[test]
fn visits_beyond_the_queue_are_dropped_and_answers_say_so() {
    let node = Node::start();
    node.fill_disk();
    node.server.visit("/docs");
    node.wait_for_attempts();
    let mut sent = 2;
    let dropped = |counters: &Value| counters["sampling"]["dropped"].as_u64().unwrap();
    while dropped(&node.counters()) == 0 {
        assert!(sent < 200_000, "the queue has no end");
        node.flood(5_000);
        sent += 5_000;
    }
    assert_eq!(node.refused(), 1);
    let counters = node.counters();
    assert_eq!(counters["data"][0]["visits"], 1);
    assert_eq!(counters["sampling"]["exact"], false);

    node.free_disk();
    eventually("the news", || node.taken_again() == 1);
    let dropped = dropped(&node.counters());
    let counters = node.server.counters_with("", sent - dropped);
    assert_eq!(counters["sampling"]["dropped"], dropped);
    assert_eq!(node.times("visits were dropped"), 1);
    assert_eq!(node.refused(), 1);
    node.server.visit("/docs");
    node.server.counters_with("", sent - dropped + 1);

    // The loss count survives a kill, because the service stored it. The kill is one more.
    let server = Server::start_in(node.server.kill(), &[]);
    let counters = server.counters_with("", sent - dropped + 1);
    let lossy = json!({"interval_max": 1, "exact": false, "dropped": dropped + 1});
    assert_eq!(counters["sampling"], lossy);
    // And it counts only for its own time span.
    let counters = server.counters_with("endAt=1000000000", 0);
    assert_eq!(counters["sampling"]["exact"], true);
}

#[test]
fn a_failed_change_marks_the_links_until_one_succeeds() {
    let node = Node::start();
    let links = || node.server.visit("/_health/ready").is(200).json()["parts"]["links"].clone();
    let create = || {
        let link = json!({"url": "https://example.com/"});
        node.server.post("/api/link/create", &link).status
    };
    node.server.limit_files("0");
    assert_eq!(create(), 503);
    let reason =
        "the last change of the links database failed; redirects go on, and the log says why";
    let degraded = json!({"status": "degraded", "reasons": [reason]});
    assert_eq!(links(), degraded);
    assert_eq!(node.server.visit("/docs").status, 301);
    node.free_disk();
    assert_eq!(create(), 201);
    assert_eq!(links(), json!({"status": "ok", "reasons": []}));
}

#[test]
fn a_start_on_a_full_disk_names_the_file() {
    let node = Node::start();
    let (_, folder) = node.server.stop("TERM");
    let mut command = under_sh("trap '' XFSZ; ulimit -f 0", &command(folder.path()));
    let (status, _, said) = run(&mut command);
    assert_eq!(status, Some(1), "{said}");
    let file = folder.path().join("links.db");
    let named = format!("the links database {}", file.display());
    assert_has(&said, &[&named]);
    assert!(!said.contains("SLUGLINE_DATABASE_URL"), "{said}");
}
