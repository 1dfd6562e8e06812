//! Clients that hang up before the answer: the service makes the change or not, and visitors
//! see the same result.

use std::{fs, io::Write, thread::sleep, time::Duration};

use super::{
    amount::{Random, factor},
    operation::{Operation, Reply},
    promise::Promise,
    trial::Trial,
};
use crate::support::server::{eventually, request};

#[test]
fn visitors_see_what_became_of_a_change_whose_author_hung_up() {
    use Operation::{Create, Delete, Edit, Patch};

    const HUNG_UP: &str = "the client hangs up";
    /// A change takes a few milliseconds.
    const LONGEST_MICROSECONDS: u64 = 12_000;

    let mut random = Random::new();
    let mut trial = Trial::start();
    let mut promises = Vec::new();
    trial.stock(1, Some(1));
    let before = sockets(trial.server().process_id());
    for _ in 0..120 * factor() {
        let operation = random.one_of(&[Create, Edit, Patch, Delete]);
        let slugs = trial.stock(1, operation.before());
        // Visitors get the link from the cache, which must follow the change.
        trial.server().visit(&format!("/{}", slugs[0]));
        let delay = Duration::from_micros(random.below(LONGEST_MICROSECONDS));
        hang_up(&trial, operation, &slugs[0], delay);
        let reply = Reply::Unanswered(format!("hung up after {delay:?}"));
        let operation_name = format!("{operation:?}");
        let (before, after) = (operation.before(), operation.after());
        let promise = Promise::after(slugs, before, after, &reply, &operation_name);
        promises.push((promise, operation_name));
    }
    eventually("the service has closed their connections", || {
        sockets(trial.server().process_id()) <= before
    });
    // The links have one writer, so this change follows those that continue without their client.
    trial.works_again("everybody has hung up", 0);
    for (promise, operation) in promises {
        let row = trial.table.row(HUNG_UP, &operation);
        row.injected += 1;
        row.unanswered += 1;
        trial.keep(HUNG_UP, &operation, promise);
    }
    trial.restart("KILL");
    trial.table.conclude(random.seed(), 100, 100);
}

/// Sends a request, waits this long but reads no answer, and cuts the connection. If an earlier
/// answer is unread, closing sends a reset, and the server then drops its pending work.
fn hang_up(trial: &Trial, operation: Operation, slug: &str, delay: Duration) {
    let slugs = [slug.to_owned()];
    let (method, path, body) = operation.request(&slugs, operation.after().unwrap_or_default());
    let server = trial.server();
    let mut stream = server.begin("GET", "/_health/live", "", "");
    stream.peek(&mut [0]).unwrap();
    let path = format!("/api/link/{path}");
    let request = request(method, &path, "", &body.to_string());
    stream.write_all(request.as_bytes()).unwrap();
    sleep(delay);
}

/// The number of sockets that a process has open.
fn sockets(process: u32) -> usize {
    let files = fs::read_dir(format!("/proc/{process}/fd")).unwrap();
    let targets = files.filter_map(|file| fs::read_link(file.ok()?.path()).ok());
    targets
        .filter(|target| target.to_string_lossy().starts_with("socket:"))
        .count()
}
