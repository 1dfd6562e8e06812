//! A disk that is really full: limits on file sizes, which hit every write in turn, and a small
//! file system.

use std::fs;

use super::{
    amount::{Random, factor},
    checkpoints::import_heavy,
    operation::{Operation, Reply},
    promise::Promise,
    shim::{Fault, Kind},
    small_disk::SmallDisk,
    trial::{IGNORING_LIMITS, Trial},
};

#[test]
fn an_acknowledged_link_survives_a_log_that_cannot_grow() {
    const LIMIT: &str = "a limit on the log";
    /// The average step from one limit to the next; a create writes some sixty kilobytes.
    const STEP: u64 = 6_000;

    let mut random = Random::new();
    let mut trial = Trial::start();
    let mut beyond = 0;
    for round in 0..60 * factor() {
        if round % 60 == 0 {
            trial.begin_anew();
        } else if round % 20 == 0 {
            // Starts a new write-ahead log, so that limits stay near its end.
            trial.restart("TERM");
        }
        beyond += 1 + random.below(2 * STEP);
        let log = length(&trial, "links.db-wal");
        trial.server().limit_files(&(log + beyond).to_string());
        let reply = change(&mut trial, LIMIT, &mut random);
        trial.server().limit_files("unlimited");
        if reply == Reply::Acknowledged {
            beyond = 0;
        }
        let row = trial.table.row(LIMIT, "all");
        row.injected += u64::from(reply == Reply::Refused);
        trial.works_again(&format!("the limit was {beyond} beyond {log}"), 0);
    }
    trial.restart("KILL");
    trial.table.conclude(random.seed(), 15, 15);
}

#[test]
fn an_acknowledged_link_survives_a_database_that_cannot_grow() {
    const LIMIT: &str = "a limit on the database";

    let mut random = Random::new();
    let mut trial = Trial::start();
    for _ in 0..factor() {
        trial.begin_anew();
        // The write-ahead log may grow to four megabytes before a checkpoint.
        while length(&trial, "links.db") < 5 << 20 {
            for _ in 0..3 {
                import_heavy(&mut trial, "none");
            }
            trial.restart("TERM");
        }
        let beyond = random.below(3 * 4096);
        let database = length(&trial, "links.db");
        trial.server().limit_files(&(database + beyond).to_string());
        let mut refused = 0;
        for _ in 0..30 {
            let reply = import_heavy(&mut trial, LIMIT);
            refused += u64::from(reply == Reply::Refused);
            change(&mut trial, LIMIT, &mut random);
            if refused == 3 {
                break;
            }
        }
        trial.table.row(LIMIT, "all").injected += refused;
        trial.server().limit_files("unlimited");
        trial.works_again(&format!("the limit was {beyond} beyond {database}"), 0);
        import_heavy(&mut trial, "none any more");
        trial.restart("KILL");
    }
    trial.table.conclude(random.seed(), 1, 1);
}

#[test]
fn an_acknowledged_link_survives_a_full_disk() {
    const FULL: &str = "a full disk";

    let mut random = Random::new();
    // Held longer than the service that uses it.
    let mut disk = None;
    let mut trial = Trial::start();
    for round in 0..8 * factor() {
        if round % 8 == 0 {
            let folder = tempfile::tempdir().unwrap();
            // If the system allows no mounts, the shim returns the errors of a full disk;
            // either way the service gets no space.
            let mounted = SmallDisk::mount(folder.path(), 12 << 20);
            let preparation = mounted.as_ref().map(SmallDisk::preparation);
            trial.begin_anew_in(folder, preparation.as_deref().unwrap_or(IGNORING_LIMITS));
            println!(
                "{FULL}: {}",
                if mounted.is_some() {
                    "mounted"
                } else {
                    "pretended"
                }
            );
            // The service on the previous disk has ended.
            disk = mounted;
        }
        let left = random.below(30) * 4096;
        match &disk {
            Some(disk) => disk.fill(left),
            None => trial
                .faults
                .set(Fault::of(Kind::Full, 1 + left / 2048, Fault::FOREVER)),
        }
        let mut refused = 0;
        for _ in 0..20 {
            let reply = change(&mut trial, FULL, &mut random);
            refused += u64::from(reply == Reply::Refused);
            if refused == 4 {
                break;
            }
        }
        trial.table.row(FULL, "all").injected += u64::from(refused > 0);
        match &disk {
            Some(disk) => disk.free(),
            None => drop(trial.faults.lift()),
        }
        trial.works_again(&format!("{left} bytes were left"), 0);
        // The write-ahead log has free pages by now; a new one must grow.
        trial.restart("TERM");
    }
    trial.table.conclude(random.seed(), 4, 4);
}

/// Creates links and edits one of them until the fault stops it. Returns the last reply.
fn change(trial: &mut Trial, fault: &str, random: &mut Random) -> Reply {
    use Operation::{Create, Edit, Import};

    let operation = random.one_of(&[Create, Create, Import]);
    let slugs = trial.stock(operation.links(), None);
    let mut promise = Promise::of(slugs, None);
    let mut reply = Reply::Refused;
    for (operation, version) in [(operation, 1), (Edit, 2)] {
        reply = operation.send(trial.server(), &promise.slugs, version);
        promise.asked_for(Some(version), reply == Reply::Acknowledged);
        promise.story = format!("{fault}, {operation:?}: {reply:?}");
        if reply != Reply::Acknowledged || promise.slugs.len() > 1 {
            break;
        }
    }
    trial.answered(fault, &format!("{operation:?}"), &reply, promise);
    reply
}

fn length(trial: &Trial, file: &str) -> u64 {
    let file = trial.server().folder().join(file);
    fs::metadata(file).map_or(0, |data| data.len())
}
