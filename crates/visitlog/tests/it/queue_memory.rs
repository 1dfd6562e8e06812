use std::{
    env, fs,
    net::{IpAddr, Ipv4Addr},
    path::PathBuf,
    process::{self, Command},
    sync::Arc,
};

use rusqlite::Connection;
use slugline_analytics::{RecorderOptions, SamplingTargets};
use slugline_domain::{
    Colo, Coordinates, Country, Place, PlaceName, TimeZoneName, Visit, VisitHeaders,
    ports::VisitSink,
};

use crate::support::{NEW_YEAR_MS, file, link, open, visit};

/// The variable that gives the folder to the child process.
const FOLDER: &str = "SLUGLINE_TEST_QUEUE_FOLDER";

/// Visits of a flood: some fewer than wait at most.
const FLOOD: u32 = 60_000;

/// The memory of this process, in bytes.
fn resident() -> usize {
    let status = fs::read_to_string("/proc/self/status").expect("Linux tells");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.expect("Linux tells").trim().trim_end_matches(" kB");
    kilobytes.parse::<usize>().expect("a number") * 1_024
}

/// A visit as a browser behind a proxy sends it, which names the visitor's place.
fn flooding(client: u32) -> Visit {
    let user_agent = format!(
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) \
         Chrome/138.0.{client}.0 Safari/537.36"
    );
    let place = Place {
        country: Country::parse("AT").ok(),
        region: PlaceName::new("Vienna"),
        city: PlaceName::new("Vienna"),
        timezone: TimeZoneName::new("Europe/Vienna"),
        colo: Colo::new("vie"),
        coordinates: Coordinates::new(48.2, 16.37),
    };
    Visit {
        client: IpAddr::V4(Ipv4Addr::from_bits(client)),
        headers: VisitHeaders::new(
            &user_agent,
            "https://news.example/",
            "de-AT,de;q=0.9,en;q=0.8",
        ),
        place: Some(Box::new(place)),
        ..visit(NEW_YEAR_MS, client)
    }
}

/// The child, whose memory nothing else uses.
#[test]
fn child_is_flooded() {
    let Some(folder) = env::var_os(FOLDER).map(PathBuf::from) else {
        return;
    };
    let options = RecorderOptions {
        // The writer takes only the first visit.
        batch_rows: 1,
        sampling: SamplingTargets::NONE,
        ..RecorderOptions::default()
    };
    let (recorder, _log) = open(&file(&folder), options);
    let other = Connection::open(file(&folder)).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let link = link("docs-1", "docs", "https://example.com/docs");
    let send = |visits: std::ops::Range<u32>| {
        for client in visits {
            let link = Arc::clone(&link);
            recorder.record(Visit {
                link,
                ..flooding(client)
            });
        }
    };
    send(0..100);
    let (before, counted_before) = (resident(), recorder.numbers().waiting_bytes);
    send(100..FLOOD);
    let (taken, numbers) = (resident() - before, recorder.numbers());
    let counted = numbers.waiting_bytes - counted_before;
    println!(
        "visits {} counted {counted} taken {taken} lost {}",
        numbers.waiting, numbers.dropped
    );
    // The test does not wait until they are stored.
    process::exit(0);
}

#[test]
fn waiting_visits_take_the_memory_that_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(env::current_exe().expect("the test runs from a file"))
        .args(["--exact", "queue_memory::child_is_flooded", "--nocapture"])
        .env(FOLDER, folder.path())
        .output()
        .expect("the test can run itself");
    let output = String::from_utf8(output.stdout).unwrap();
    let words: Vec<&str> = output.split_whitespace().collect();
    let number = |name: &str| -> usize {
        let index = words.iter().position(|word| word.ends_with(name)).unwrap();
        words[index + 1].parse().unwrap()
    };
    let (visits, counted, taken) = (number("visits"), number("counted"), number("taken"));
    assert_eq!(number("lost"), 0);
    let each = |bytes: usize| bytes / visits;
    assert!(
        (250..=500).contains(&each(counted)),
        "{} bytes each",
        each(counted)
    );
    assert!(
        taken <= counted + counted / 4,
        "{} of {} bytes each",
        each(taken),
        each(counted)
    );
}
