use std::collections::VecDeque;

use actix_web::{body, test::TestRequest};
use async_trait::async_trait;
use slugline_domain::{
    SamplingInterval, SamplingNote, UnixMillis, VisitColumn, VisitTexts, ports::VisitLogError,
};

use super::*;

/// Rows in parts of one, and then perhaps a failure.
#[derive(Debug)]
struct Totalled {
    left: u64,
    fails: bool,
}

#[async_trait]
impl AccessRows for Totalled {
    async fn next(&mut self) -> Result<Vec<AccessRow>, VisitLogError> {
        if self.left == 0 {
            return if self.fails {
                Err(VisitLogError::Failed {
                    action: "test",
                    source: "disk on fire".into(),
                })
            } else {
                Ok(Vec::new())
            };
        }
        self.left -= 1;
        Ok(vec![AccessRow {
            slug: "docs".into(),
            url: "u".into(),
            visitors: 1,
            visits: self.left,
            referers: 0,
        }])
    }

    fn sampling(&self) -> SamplingNote {
        SamplingNote {
            interval_max: SamplingInterval::EVERY,
            dropped: 0,
            damaged: 0,
            sketched: self.fails,
        }
    }
}

async fn start_totals(left: u64, fails: bool) -> Result<Totals, Error> {
    Totals::start("a.csv".into(), Box::new(Totalled { left, fails })).await
}

#[actix_web::test]
async fn all_totals_follow_each_other_behind_the_head() {
    for (parts, expected) in [
        (0, CSV_HEAD.to_owned()),
        (
            3,
            format!("{CSV_HEAD}docs,u,1,2,0\ndocs,u,1,1,0\ndocs,u,1,0,0\n"),
        ),
    ] {
        let csv = start_totals(parts, false).await.unwrap();
        let sent = body::to_bytes(csv.file.parts).await.unwrap();
        assert_eq!(sent, expected);
    }
}

#[actix_web::test]
async fn an_answer_says_whether_its_numbers_are_exact() {
    for estimated in [false, true] {
        let csv = start_totals(2, estimated).await.unwrap();
        let answer = csv.respond(&TestRequest::default().to_http_request());
        let exact = answer.headers().get("slugline-exact").unwrap();
        assert_eq!(exact, if estimated { "false" } else { "true" });
    }
}

#[actix_web::test]
async fn a_failure_of_totals_is_an_error_before_the_first_row_and_a_cut_after_it() {
    assert!(start_totals(0, true).await.is_err());
    let csv = start_totals(2, true).await.unwrap();
    assert!(body::to_bytes(csv.file.parts).await.is_err());
}

/// The end of some rows.
#[derive(Clone, Copy, Debug)]
enum End {
    Whole,
    Fails,
    Panics,
}

#[derive(Debug)]
struct Rows(VecDeque<StoredVisit>, End);

#[async_trait]
impl VisitRows for Rows {
    fn columns(&self) -> &'static [VisitColumn] {
        &[]
    }

    async fn next(&mut self) -> Result<Vec<StoredVisit>, VisitLogError> {
        match (self.0.pop_front(), self.1) {
            (Some(visit), _) => Ok(vec![visit]),
            (None, End::Whole) => Ok(Vec::new()),
            (None, End::Fails) => Err(VisitLogError::Failed {
                action: "test",
                source: "disk on fire".into(),
            }),
            (None, End::Panics) => panic!("as a test"),
        }
    }
}

async fn start_visits(visits: usize, gzip: bool, end: End) -> Result<Visits, Error> {
    let visit = StoredVisit {
        at: UnixMillis::new(7),
        link: "a".into(),
        visitor: u64::MAX,
        interval: SamplingInterval::EVERY,
        coherent: true,
        texts: VisitTexts::default(),
    };
    let export = VisitExport {
        exported_at: UnixMillis::new(0),
        rows: Box::new(Rows(vec![visit; visits].into(), end)),
    };
    let file = VisitFile {
        gzip,
        ..VisitFile::default()
    };
    Visits::start(file, export).await
}

#[actix_web::test]
async fn parts_follow_each_other_to_the_end() {
    let one = start_visits(1, false, End::Whole).await.unwrap();
    let one = body::to_bytes(one.0.parts).await.unwrap();
    let (line, _) = one.split_last_chunk::<1>().unwrap();
    let line: serde_json::Value = serde_json::from_slice(line).unwrap();
    assert_eq!((&line["ts_ms"], &line["link_id"]), (&7.into(), &"a".into()));
    assert_eq!(line["visitor"], u64::MAX.to_string());
    for visits in [0, 1, 3] {
        let body = start_visits(visits, false, End::Whole).await.unwrap();
        let sent = body::to_bytes(body.0.parts).await.unwrap();
        assert_eq!(sent, one.repeat(visits));
        let packed = start_visits(visits, true, End::Whole).await.unwrap();
        let packed = body::to_bytes(packed.0.parts).await.unwrap();
        assert!(packed.starts_with(&[0x1f, 0x8b]));
    }
}

#[actix_web::test]
async fn a_failure_of_visits_is_an_error_before_the_first_visit_and_a_cut_after_it() {
    assert!(start_visits(0, false, End::Fails).await.is_err());
    for gzip in [false, true] {
        for end in [End::Fails, End::Panics] {
            let body = start_visits(2, gzip, end).await.unwrap();
            assert!(body::to_bytes(body.0.parts).await.is_err(), "{end:?}");
        }
    }
}
