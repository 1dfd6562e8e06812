//! The clock of the machine jumps while the service runs.

use std::time::UNIX_EPOCH;

use serde_json::json;

use super::{amount::factor, shim::Faults};
use crate::support::server::{Server, command};

const HOUR: i64 = 3_600;
const DAY: i64 = 24 * HOUR;

fn start_in(folder: tempfile::TempDir, clock: &Faults) -> Server {
    let mut command = command(folder.path());
    // A clock that is a year ahead makes all visits too old.
    command.env("SLUGLINE_RETENTION_DAYS", "30");
    command.env("SLUGLINE_SAMPLE_LINK_ABOVE", "0");
    command.env("SLUGLINE_SAMPLE_ABOVE", "0");
    clock.attach(&mut command);
    Server::start_by(command, folder)
}

#[test]
fn links_work_and_nothing_is_lost_when_the_clock_jumps() {
    let clock = Faults::none();
    let mut server = start_in(tempfile::tempdir().unwrap(), &clock);
    let now = i64::try_from(UNIX_EPOCH.elapsed().unwrap().as_secs()).unwrap();
    server.create(&json!({"slug": "lasting", "url": "https://example.com/"}));
    let ending = json!({"slug": "ending", "url": "https://example.com/", "expiration": now + HOUR});
    server.create(&ending);
    let (mut visits, mut made) = (0, 0);
    for _ in 0..factor() {
        for ahead in [2 * HOUR, -2 * HOUR, 400 * DAY, -400 * DAY, 40 * DAY, 0] {
            clock.set_clock_ahead(ahead);
            assert_eq!(server.visit("/lasting").status, 301, "{ahead} s");
            visits += 1;
            let has_ended = ahead > HOUR;
            let status = server.visit("/ending").status;
            assert_eq!(status == 301, !has_ended, "{ahead} s: {status}");
            visits += u64::from(!has_ended);
            let slug = format!("made-{made}");
            server.create(&json!({"slug": slug, "url": "https://example.com/"}));
            assert_eq!(server.visit(&format!("/{slug}")).status, 301, "{ahead} s");
            visits += 1;
            made += 1;
            // The writer has met this clock before the next one.
            server.counters_with("", visits);
            assert_eq!(server.visit("/_health/ready").status, 200, "{ahead} s");
        }
        let (status, folder) = server.stop("TERM");
        assert!(status.success());
        server = start_in(folder, &clock);
    }
    server.counters_with("", visits);
    let count = server.get("/api/link/count?status=all");
    assert_eq!(count.json()["count"], 2 + made);
    println!(
        "{} jumps: 0 redirects failed, 0 links and 0 of {visits} visits lost",
        6 * factor()
    );
}
