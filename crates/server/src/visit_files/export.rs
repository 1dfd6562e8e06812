//! `slugline visits export`: visits to a file.

use std::{
    io::{self, BufWriter, Write},
    path::Path,
    sync::Arc,
};

use anyhow::Context;
use serde_json::{Map, Value};
use slugline_application::{Caller, StatsService, TaggedQuery};
use slugline_contract::{AnalyticsFilter, Problem, UnknownNames, VisitFile, VisitText, read};
use slugline_domain::{VisitFilter, VisitRows};
use slugline_system::SystemClock;

use super::{Form, STANDARD, open_log, tell};
use crate::{
    backup::{Draft, create_private, journal, partial, refuse_to_replace},
    settings::Settings,
    wiring,
};

/// Writes visits to the file, which appears when it is complete and on the disk. Only its owner
/// can read it. `filters` are the members of a question and their values.
///
/// # Errors
/// A filter is wrong, the file is there already and `replace` is false, visits cannot be read, or
/// the file cannot be written. It leaves no file then.
pub(crate) async fn run(
    settings: &Settings,
    file: &str,
    form: Form,
    filters: Map<String, Value>,
    replace: bool,
) -> anyhow::Result<()> {
    let asked = asked(filters)?;
    let form = form.of(file)?;
    let path = Path::new(file);
    if file != STANDARD {
        refuse_to_replace(path, replace)?;
    }
    let _in_use = journal::use_files(settings)?;
    let rows = rows(settings, asked).await?;
    if file == STANDARD {
        return write(rows, form, io::stdout()).await.map(drop);
    }
    let whole = async {
        let draft = Draft::at(partial(path))?;
        let (written, output) = write(rows, form, create_private(&draft.path)?).await?;
        draft.publish(output, path, replace)?;
        anyhow::Ok(written)
    };
    let written = whole
        .await
        .with_context(|| format!("{file} was not written"))?;
    tell(&format!("exported {written} visits to {file}"));
    Ok(())
}

fn asked(filters: Map<String, Value>) -> Result<TaggedQuery<VisitFilter>, Problem> {
    let filters = Value::Object(filters);
    UnknownNames::of::<AnalyticsFilter>(&filters).refuse_all()?;
    read::<AnalyticsFilter>(&filters)?.validate()
}

/// Tags belong to links, so a question about tags needs the database of links, too.
async fn rows(
    settings: &Settings,
    asked: TaggedQuery<VisitFilter>,
) -> anyhow::Result<Box<dyn VisitRows>> {
    let log = open_log(settings)?;
    if asked.tags.is_everything() {
        return Ok(log.visits(&asked.query).await?);
    }
    let links = wiring::links_of_operator(settings).await?;
    let stats = StatsService::new(log, (**links).clone(), Arc::new(SystemClock));
    let stats = stats.seen_by(&Caller::Operator);
    let export = stats.visits(asked).await.map_err(Problem::from)?;
    Ok(export.rows)
}

async fn write<W: Write>(
    mut rows: Box<dyn VisitRows>,
    form: VisitFile,
    file: W,
) -> anyhow::Result<(u64, W)> {
    let mut file = BufWriter::new(file);
    let mut text = VisitText::new(form, rows.columns());
    loop {
        let visits = rows.next().await?;
        file.write_all(&text.part(&visits))?;
        if visits.is_empty() {
            break;
        }
    }
    let written = text.written();
    file.write_all(&text.end())?;
    let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
    Ok((written, file))
}
