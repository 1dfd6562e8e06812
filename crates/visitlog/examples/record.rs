//! The access log from a program: record visits, ask, erase.

use std::{error::Error, net::Ipv4Addr, sync::Arc};

use slugline_analytics::{RecorderOptions, RecorderPorts, SamplingTargets};
use slugline_domain::{
    CountersQuery, FollowedLink, Link, Visit, VisitHeaders, Way,
    ports::{Clock, VisitEraser, VisitLog, VisitSink},
};
use slugline_system::{OsRandom, SystemClock};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    // Without this, more than 600 visits of a link a minute are sampled, and answers about them
    // are estimates that say so.
    let options = RecorderOptions {
        sampling: SamplingTargets::NONE,
        ..RecorderOptions::default()
    };
    let ports = RecorderPorts::new(Arc::new(SystemClock), Arc::new(OsRandom));
    let (recorder, log) = slugline_visitlog::start(&folder.path().join("v.db"), options, ports)?;

    let (now, to) = (SystemClock.now(), "https://example.com/".parse()?);
    let link = Link::new("1".parse()?, "docs".parse()?, to, now.second());
    let followed = Arc::new(FollowedLink::from(&link));
    for visitor in 0..1_000 {
        recorder.record(Visit {
            at: now,
            link: Arc::clone(&followed),
            client: Ipv4Addr::from_bits(visitor).into(),
            headers: VisitHeaders::new("Example/1.0", "https://news.example/", "en"),
            place: None,
            way: Way::Main,
        });
    }
    recorder.flush().await?;
    let report = log.counters(&CountersQuery::default()).await?;
    assert_eq!(report.rows[0].counters.visits, 1_000);
    assert!(report.sampling.exact());

    recorder.erase(&link.id).await?;
    let report = log.counters(&CountersQuery::default()).await?;
    assert_eq!(report.rows[0].counters.visits, 0);
    recorder.shutdown().await;
    Ok(())
}

#[test]
fn it_runs() {
    main().unwrap();
}
