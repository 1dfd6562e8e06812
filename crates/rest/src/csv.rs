//! Long tables, sent while they are read.

use std::{
    error::Error as StdError,
    fmt,
    future::Future,
    pin::Pin,
    task::{Context, Poll, ready},
};

use actix_web::{
    HttpRequest, HttpResponse, Responder,
    body::{BodySize, BoxBody, MessageBody},
    http::header::{self, HeaderName},
    web::Bytes,
};
use aide::{
    OperationOutput,
    generate::GenContext,
    openapi::{Operation, Response, StatusCode as DocumentedStatus},
};
use slugline_application::Error;
use slugline_contract::{CSV_HEAD, csv_lines};
use slugline_domain::{AccessRow, AccessRows, ports::VisitLogError};

use crate::{extract::json, reply::Reply};

/// Says `false` if the numbers of a table are estimates, or some visits are missing.
const EXACT: HeaderName = HeaderName::from_static("slugline-exact");

/// A table as a file to be saved.
pub(crate) struct Csv {
    file_name: String,
    exact: bool,
    lines: Lines,
}

impl Csv {
    /// Reads the first rows before the answer starts, so that an unreadable access log gives an
    /// error and not a broken file.
    pub(crate) async fn start(
        file_name: String,
        mut rows: Box<dyn AccessRows>,
    ) -> Result<Self, Error> {
        let first = rows.next().await?;
        let next = format!("{CSV_HEAD}{}", csv_lines(&first));
        Ok(Self {
            file_name,
            exact: rows.sampling().exact(),
            lines: Lines::Ready { next, rows },
        })
    }
}

impl Reply for Csv {}

impl Responder for Csv {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        let disposition = format!("attachment; filename=\"{}\"", self.file_name);
        HttpResponse::Ok()
            .insert_header((header::CONTENT_TYPE, "text/csv; charset=utf-8"))
            .insert_header((header::CONTENT_DISPOSITION, disposition))
            .insert_header((header::CACHE_CONTROL, "no-store"))
            .insert_header((EXACT, self.exact.to_string()))
            .body(self.lines)
    }
}

impl OperationOutput for Csv {
    type Inner = ();

    fn inferred_responses(
        context: &mut GenContext,
        _: &mut Operation,
    ) -> Vec<(Option<DocumentedStatus>, Response)> {
        let mut response = Response {
            description: "A CSV file".into(),
            ..Response::default()
        };
        let schema = context.schema.subschema_for::<String>();
        response.content.insert("text/csv".into(), json(schema));
        vec![(Some(DocumentedStatus::Code(200)), response)]
    }
}

type Read = (Box<dyn AccessRows>, Result<Vec<AccessRow>, VisitLogError>);

/// The body. It reads the next rows once the last ones are sent.
enum Lines {
    /// Lines to send, and the source of the next ones.
    Ready {
        next: String,
        rows: Box<dyn AccessRows>,
    },
    /// Rows are being read.
    Reading(Pin<Box<dyn Future<Output = Read> + Send>>),
    /// All lines were sent, or reading failed.
    Ended,
}

impl fmt::Debug for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Lines(…)")
    }
}

impl MessageBody for Lines {
    type Error = Box<dyn StdError>;

    fn size(&self) -> BodySize {
        BodySize::Stream
    }

    fn poll_next(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        let lines = self.get_mut();
        if let Self::Reading(reading) = lines {
            let (rows, read) = ready!(reading.as_mut().poll(context));
            match read {
                Ok(read) if read.is_empty() => *lines = Self::Ended,
                Ok(read) => {
                    let next = csv_lines(&read);
                    *lines = Self::Ready { next, rows };
                }
                Err(error) => {
                    *lines = Self::Ended;
                    let error: Box<dyn StdError> = Box::new(error);
                    tracing::error!(error = error.as_ref(), "an export broke off");
                    // The answer breaks off, so that the client notices the error.
                    return Poll::Ready(Some(Err(error)));
                }
            }
        }
        Poll::Ready(match std::mem::replace(lines, Self::Ended) {
            Self::Ready { next, mut rows } => {
                *lines = Self::Reading(Box::pin(async move {
                    let read = rows.next().await;
                    (rows, read)
                }));
                Some(Ok(next.into()))
            }
            Self::Reading(_) | Self::Ended => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use actix_web::body;
    use actix_web::test::TestRequest;
    use async_trait::async_trait;
    use slugline_domain::{SamplingInterval, SamplingNote};

    use super::*;

    /// Rows in parts of one, and then perhaps a failure.
    #[derive(Debug)]
    struct Parts {
        left: u64,
        fails: bool,
    }

    #[async_trait]
    impl AccessRows for Parts {
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
                unrecorded: false,
                dropped: 0,
                damaged: 0,
                sketched: self.fails,
            }
        }
    }

    async fn start(left: u64, fails: bool) -> Result<Csv, Error> {
        Csv::start("a.csv".into(), Box::new(Parts { left, fails })).await
    }

    #[actix_web::test]
    async fn all_parts_follow_each_other_behind_the_head() {
        for (parts, expected) in [
            (0, CSV_HEAD.to_owned()),
            (
                3,
                format!("{CSV_HEAD}docs,u,1,2,0\ndocs,u,1,1,0\ndocs,u,1,0,0\n"),
            ),
        ] {
            let csv = start(parts, false).await.unwrap();
            let sent = body::to_bytes(csv.lines).await.unwrap();
            assert_eq!(sent, expected);
        }
    }

    #[actix_web::test]
    async fn an_answer_says_whether_its_numbers_are_exact() {
        for estimated in [false, true] {
            let csv = start(2, estimated).await.unwrap();
            let answer = csv.respond_to(&TestRequest::default().to_http_request());
            let exact = answer.headers().get("slugline-exact").unwrap();
            assert_eq!(exact, if estimated { "false" } else { "true" });
        }
    }

    #[actix_web::test]
    async fn a_failure_is_an_error_before_the_first_row_and_a_cut_after_it() {
        assert!(start(0, true).await.is_err());
        let csv = start(2, true).await.unwrap();
        assert!(body::to_bytes(csv.lines).await.is_err());
    }
}
