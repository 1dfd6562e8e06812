//! Entry points for `fuzz/`: bodies, queries, and files of links and of visits.

use std::ops::ControlFlow;

use jiff::tz::TimeZone;
use serde::de::DeserializeOwned;
use serde_json::Value;
use slugline_domain::{DestinationRules, ProbeCaller, VisitColumn, VisitColumnKind};

use crate::{
    Code, Problem,
    audit::ListAudit,
    bounds::Bounds,
    links::{
        BatchLinks, CheckLinks, CountLinks, CreateLink, DeleteLink, EditLink, ExactUrlSearch,
        ExportLinks, GetLink, ImportLimit, ImportLinks, LinkFile, ListLinks, PatchLink,
        SearchLinks, SuggestPreview, SuggestSlug, UpdateLink, fuzz_cells, read_links,
    },
    migration::RunMigration,
    reader::{query_to_json, read},
    stats::{AnalyticsFilter, HeatmapRequest, LimitedRequest, MetricsRequest, ViewsRequest},
    visits::{VisitFile, VisitFormat, VisitText, read_visits},
};

/// Takes bytes for a JSON body; the first byte selects its kind.
///
/// # Panics
/// A refusal does not state the fault.
pub fn fuzz_body(bytes: &[u8]) {
    let Some((kind, body)) = bytes.split_first() else {
        return;
    };
    if let Ok(value) = serde_json::from_slice(body) {
        validate(*kind, &value);
    }
}

/// Takes bytes for a query string; the first byte selects its kind.
///
/// # Panics
/// A refusal does not state the fault, or the query is not an object of texts.
pub fn fuzz_query(bytes: &[u8]) {
    let Some((kind, query)) = bytes.split_first() else {
        return;
    };
    let value = query_to_json(&String::from_utf8_lossy(query));
    let members = value.as_object().expect("a query is an object");
    assert!(
        members
            .values()
            .all(|value| value.is_string() || value.is_array())
    );
    validate(*kind, &value);
}

/// Takes bytes for a file of links and for cells of a table; the first byte selects the
/// form.
///
/// # Panics
/// Links are not counted from 0, a refusal does not state the fault, or a cell does not
/// return the text that was put into it.
pub fn fuzz_import(bytes: &[u8]) {
    let Some((kind, file)) = bytes.split_first() else {
        return;
    };
    let (bounds, limit) = (bounds(), ImportLimit(20));
    let format = match kind % 6 {
        0 => LinkFile::Documents,
        1 => LinkFile::Table,
        5 => LinkFile::Lines,
        form @ (2 | 3) => {
            let links = if form == 2 {
                ImportLinks::read_file(LinkFile::Table, file, &bounds, limit)
            } else {
                ImportLinks::read_document(file, &bounds, limit)
            };
            tells(&links.as_ref().map(drop).map_err(Problem::clone));
            if let Ok(links) = links {
                assert!((1..=20).contains(&links.links.len()));
            }
            return;
        }
        _ => return fuzz_cells(&String::from_utf8_lossy(file)),
    };
    let mut links = 0;
    let outcome = read_links(format, file, &TimeZone::UTC, |read| {
        assert_eq!(read.index, links);
        links += 1;
        tells(&read.link.and_then(|link| link.validate(&bounds)).map(drop));
        ControlFlow::Continue(())
    });
    if let Err(error) = outcome {
        assert!(!error.to_string().is_empty());
    }
}

/// Takes bytes for a file of visits; the first byte selects the form.
///
/// # Panics
/// A refusal does not state the fault, or visits that are written and read again are others.
pub fn fuzz_visits(bytes: &[u8]) {
    const TEXTS: [VisitColumn; 4] = [
        VisitColumn {
            name: "slug",
            kind: VisitColumnKind::Text { max_bytes: 20 },
        },
        VisitColumn {
            name: "url",
            kind: VisitColumnKind::Text { max_bytes: 40 },
        },
        VisitColumn {
            name: "user_agent",
            kind: VisitColumnKind::Text { max_bytes: 20 },
        },
        VisitColumn {
            name: "latitude",
            kind: VisitColumnKind::Degrees,
        },
    ];
    let Some((kind, text)) = bytes.split_first() else {
        return;
    };
    let format = [VisitFormat::Csv, VisitFormat::Ndjson][usize::from(kind % 2)];
    let gzip = kind & 2 != 0;
    let read = |file, text: &[u8]| {
        let mut visits = Vec::new();
        let outcome = read_visits(file, text, &TEXTS, &mut |visit| {
            visits.push(visit);
            ControlFlow::Continue(())
        });
        (visits, outcome)
    };
    let (visits, outcome) = read(VisitFile { format, gzip }, text);
    if let Err(error) = outcome {
        assert!(!error.to_string().is_empty());
    }
    for format in [VisitFormat::Csv, VisitFormat::Ndjson] {
        let file = VisitFile {
            format,
            gzip: false,
        };
        let mut text = VisitText::new(file, &TEXTS);
        let mut bytes = text.part(&visits);
        bytes.extend(text.end());
        let (again, outcome) = read(file, &bytes);
        assert!(outcome.is_ok(), "what is written can be read");
        assert_eq!(again, visits);
    }
}

/// Short URLs, so that URLs beyond a limit occur, too.
fn bounds() -> Bounds {
    Bounds {
        destinations: DestinationRules::new(300, Vec::new()),
        ..Bounds::default()
    }
}

fn validate(kind: u8, value: &Value) {
    let bounds = &bounds();
    match kind % 22 {
        0 => with(value, |body: CreateLink| body.validate(bounds).map(drop)),
        1 => with(value, |body: EditLink| body.validate(bounds).map(drop)),
        2 => with(value, |body: PatchLink| body.validate(bounds).map(drop)),
        3 => with(value, |body: UpdateLink| body.validate(bounds).map(drop)),
        4 => with(value, |body: CheckLinks| {
            body.validate(ProbeCaller::default()).map(drop)
        }),
        5 => with(value, |body: ExactUrlSearch| {
            body.validate(bounds).map(drop)
        }),
        6 => with(value, |body: DeleteLink| body.validate().map(drop)),
        7 => with(value, |query: GetLink| query.validate().map(drop)),
        8 => with(value, |query: ListLinks| query.validate().map(drop)),
        9 => with(value, |query: SearchLinks| query.validate(bounds).map(drop)),
        10 => with(value, |query: CountLinks| query.validate(bounds).map(drop)),
        11 => with(value, |query: ExportLinks| query.validate().map(drop)),
        12 => with(value, |query: SuggestSlug| query.validate(bounds).map(drop)),
        13 => with(value, |query: SuggestPreview| {
            query.validate(bounds).map(drop)
        }),
        14 => with(value, |query: RunMigration| query.validate().map(drop)),
        15 => with(value, |query: AnalyticsFilter| query.validate().map(drop)),
        16 => with(value, |query: HeatmapRequest| query.validate().map(drop)),
        17 => with(value, |query: LimitedRequest| {
            query.check_events(bounds).map(drop)
        }),
        18 => with(value, |query: MetricsRequest| {
            query.validate(bounds).map(drop)
        }),
        19 => with(value, |query: ViewsRequest| query.validate().map(drop)),
        20 => with(value, |body: BatchLinks| body.validate().map(drop)),
        _ => with(value, |query: ListAudit| query.validate().map(drop)),
    }
}

fn with<T: DeserializeOwned>(value: &Value, check: impl Fn(T) -> Result<(), Problem>) {
    let taken = read(value);
    assert_eq!(taken.is_ok(), value.is_object(), "every object can be read");
    tells(&taken.and_then(check));
}

/// Checks that a refusal is a sentence, and that each fault of an invalid input has a
/// path.
fn tells(outcome: &Result<(), Problem>) {
    let Err(problem) = outcome else {
        return;
    };
    assert!(!problem.detail.is_empty() && problem.status() >= 400);
    let faults = problem.code == Code::ValidationError;
    assert_eq!(faults, !problem.issues.is_empty());
    for issue in &problem.issues {
        assert!(!issue.message.is_empty() && !issue.expected.is_empty());
    }
}
