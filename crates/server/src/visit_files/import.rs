//! `slugline visits import`: visits from a file.

use std::{
    fs::File,
    io::{BufReader, Seek},
    ops::ControlFlow,
    sync::Arc,
};

use anyhow::{Context, bail};
use slugline_analytics::{
    ImportPlan, ImportPlanner, Intake, TransferError, VisitImport, visit_columns,
};
use slugline_clickhouse::History;
use slugline_contract::{VisitFile, read_visits};
use slugline_system::{OsRandom, SystemClock};
use slugline_visitlog::LogIntake;

use super::{Form, STANDARD, clickhouse, tell, through_spool};
use crate::{backup::journal, data_folder, settings::Settings};

/// Imports the visits of a file, each once: a file that is in already, or in part, is known by
/// its visits. The file is read twice, and nothing is imported of one with a wrong line.
///
/// # Errors
/// A line is wrong, or the file or the target cannot be used. The message says how much is in.
pub(crate) async fn run(
    settings: &Settings,
    file: &str,
    form: Form,
    again: bool,
) -> anyhow::Result<()> {
    if file == STANDARD {
        bail!("standard input cannot be read twice; write it to a file, and import that");
    }
    let form = form.of(file)?;
    let mut source = File::open(file).with_context(|| format!("cannot open {file}"))?;
    let plan = plan(form, &source).with_context(|| format!("nothing was imported from {file}"))?;
    source
        .rewind()
        .with_context(|| format!("{file} cannot be read twice; nothing was imported from it"))?;
    data_folder::prepare(&settings.data_dir)?;
    let _in_use = journal::use_files(settings)?;
    let all = plan.rows();
    let nothing = || format!("nothing was imported from {file}");
    let into = intake(settings).await.with_context(nothing)?;
    let mut import = VisitImport::begin(into, plan, again).with_context(nothing)?;
    let mut stored = Ok(());
    let read = read_visits(
        form,
        BufReader::new(source),
        visit_columns(),
        &mut |visit| {
            stored = import.add(visit);
            match stored {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            }
        },
    );
    let so_far = import.done();
    let finished = match (stored, read) {
        (Err(error), _) => Err(anyhow::Error::from(error)),
        // It was right when it was read first.
        (Ok(()), Err(error)) => Err(anyhow::Error::from(error).context(TransferError::Changed)),
        (Ok(()), Ok(())) => import.finish().map_err(anyhow::Error::from),
    };
    let done = finished.with_context(|| {
        format!(
            "{} of {all} visits of {file} are stored; mend the cause and run this again, and the \
             others follow, each once",
            so_far.new + so_far.before
        )
    })?;
    tell(&format!(
        "imported {} visits from {file}; {} were there from an earlier import of it",
        done.new, done.before
    ));
    Ok(())
}

/// The access log that the settings name, as imports see it.
async fn intake(settings: &Settings) -> Result<Box<dyn Intake>, TransferError> {
    Ok(match clickhouse(settings) {
        Some(target) => {
            let options = through_spool(settings, target);
            Box::new(History::open(options, Arc::new(SystemClock), Arc::new(OsRandom)).await?)
        }
        None => Box::new(LogIntake::open(
            &settings.embedded_log(),
            &settings.recorder,
        )?),
    })
}

fn plan(form: VisitFile, source: &File) -> anyhow::Result<ImportPlan> {
    let mut planner = ImportPlanner::default();
    read_visits(
        form,
        BufReader::new(source),
        visit_columns(),
        &mut |visit| {
            planner.add(&visit);
            ControlFlow::Continue(())
        },
    )?;
    Ok(planner.finish())
}
