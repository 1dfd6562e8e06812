//! A file of visits as the body of an answer, sent while it is read.

use actix_web::{
    HttpRequest, HttpResponse, Responder,
    body::BoxBody,
    http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE},
};
use aide::{
    OperationOutput,
    generate::GenContext,
    openapi::{MediaType, Operation, Response, StatusCode as DocumentedStatus},
};
use slugline_application::{Error, VisitExport};
use slugline_contract::{Code, Problem, VisitFile, VisitText};
use slugline_domain::{StoredVisit, VisitRows};
use slugline_httpkit::report;
use tokio::task::{self, JoinError};

use crate::{
    parts::{Parts, Sender},
    reply::Reply,
};

/// A file that is being sent.
pub(crate) struct VisitBody {
    file: VisitFile,
    file_name: String,
    parts: Parts,
}

impl VisitBody {
    /// Reads the first visits before the answer starts, so that an unreadable access log gives an
    /// error and not a broken file. A client that disconnects ends the reading of visits.
    pub(crate) async fn start(
        file: VisitFile,
        VisitExport {
            exported_at,
            mut rows,
        }: VisitExport,
    ) -> Result<Self, Error> {
        let first = rows.next().await?;
        Ok(Self {
            file,
            file_name: file.name(exported_at),
            parts: Parts::sent_by(|parts| send(file, rows, first, parts)),
        })
    }
}

async fn send(
    file: VisitFile,
    mut rows: Box<dyn VisitRows>,
    mut visits: Vec<StoredVisit>,
    parts: Sender,
) -> Result<(), Problem> {
    let mut text = VisitText::new(file, rows.columns());
    loop {
        let last = visits.is_empty();
        let written = task::spawn_blocking(move || {
            // Away from the threads that answer redirects.
            let part = text.part(&visits);
            (text, part)
        });
        let (rest, part) = written.await.map_err(|error| panicked(&error))?;
        // Gzip keeps what is too little to be packed.
        if !part.is_empty() && !parts.send(part).await {
            return Ok(());
        }
        text = rest;
        if last {
            break;
        }
        visits = rows
            .next()
            .await
            .map_err(|error| report(Error::from(error)))?;
    }
    let end = text.end();
    if !end.is_empty() {
        parts.send(end).await;
    }
    Ok(())
}

fn panicked(error: &JoinError) -> Problem {
    tracing::error!(%error, "an export broke off");
    Problem::new(Code::InternalError, "the export broke off")
}

impl Reply for VisitBody {}

impl Responder for VisitBody {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        let disposition = format!("attachment; filename=\"{}\"", self.file_name);
        HttpResponse::Ok()
            .insert_header((CONTENT_TYPE, self.file.media_type()))
            .insert_header((CONTENT_DISPOSITION, disposition))
            .insert_header((CACHE_CONTROL, "no-store"))
            .body(self.parts)
    }
}

impl OperationOutput for VisitBody {
    type Inner = ();

    fn inferred_responses(
        _: &mut GenContext,
        _: &mut Operation,
    ) -> Vec<(Option<DocumentedStatus>, Response)> {
        let mut response = Response {
            description: "A file of visits".into(),
            ..Response::default()
        };
        for media_type in ["application/x-ndjson", "text/csv", "application/gzip"] {
            let content = &mut response.content;
            content.insert(media_type.into(), MediaType::default());
        }
        vec![(Some(DocumentedStatus::Code(200)), response)]
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use actix_web::body;
    use async_trait::async_trait;
    use slugline_domain::{
        SamplingInterval, UnixMillis, VisitColumn, VisitTexts, ports::VisitLogError,
    };

    use super::*;

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

    async fn start(visits: usize, gzip: bool, end: End) -> Result<VisitBody, Error> {
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
        VisitBody::start(file, export).await
    }

    #[actix_web::test]
    async fn parts_follow_each_other_to_the_end() {
        let one = start(1, false, End::Whole).await.unwrap();
        let one = body::to_bytes(one.parts).await.unwrap();
        let (line, _) = one.split_last_chunk::<1>().unwrap();
        let line: serde_json::Value = serde_json::from_slice(line).unwrap();
        assert_eq!((&line["ts_ms"], &line["link_id"]), (&7.into(), &"a".into()));
        assert_eq!(line["visitor"], u64::MAX.to_string());
        for visits in [0, 1, 3] {
            let body = start(visits, false, End::Whole).await.unwrap();
            let sent = body::to_bytes(body.parts).await.unwrap();
            assert_eq!(sent, one.repeat(visits));
            let packed = start(visits, true, End::Whole).await.unwrap();
            let packed = body::to_bytes(packed.parts).await.unwrap();
            assert!(packed.starts_with(&[0x1f, 0x8b]));
        }
    }

    #[actix_web::test]
    async fn a_failure_is_an_error_before_the_first_visit_and_a_cut_after_it() {
        assert!(start(0, false, End::Fails).await.is_err());
        for gzip in [false, true] {
            for end in [End::Fails, End::Panics] {
                let body = start(2, gzip, end).await.unwrap();
                assert!(body::to_bytes(body.parts).await.is_err(), "{end:?}");
            }
        }
    }
}
