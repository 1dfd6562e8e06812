//! Servers that the benchmarks measure in turn.

use std::{path::Path, time::Duration};

use anyhow::{Context, Result};

use super::{
    load::{Answers, Load, Requests, measure, retry},
    plan::Plan,
    processor::threads_seconds,
    samples::Samples,
    visits::Visits,
};

/// A running server and the requests to it.
#[derive(Debug)]
pub(crate) struct Contender {
    /// Its name in tables.
    pub(crate) name: String,
    pub(crate) url: String,
    pub(crate) visits: Visits,
    /// Its processes.
    pub(crate) processes: Vec<u32>,
    /// The time after the last answer that the measurement includes.
    pub(crate) settle: Duration,
    /// See [`Load::saturates`].
    pub(crate) saturates: bool,
}

/// The figures of a contender.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) name: String,
    /// Processor time for each request, in microseconds.
    pub(crate) micros: Samples,
    /// The part of it that the thread of the access log used.
    pub(crate) writer: Samples,
    /// Requests per second.
    pub(crate) rate: Samples,
    /// The percentage of the time in which it worked.
    pub(crate) busy: Samples,
}

/// Measures all of them round by round, each for the plan's seconds after a second of warm-up.
/// The outcomes are in the same order.
pub(crate) fn interleave(
    plan: &Plan,
    contenders: &[Contender],
    connections: u32,
    scratch: &Path,
) -> Result<Vec<Outcome>> {
    let ask = |contender: &Contender, seconds, saturates| {
        let load = Load {
            url: &contender.url,
            requests: Requests::Visits(&contender.visits),
            seconds,
            connections,
            answers: Answers::Good,
            settle: contender.settle,
            saturates,
            cpus: plan.cpus,
        };
        let writer = || -> Result<f64> {
            let mut processes = contender.processes.iter();
            processes.try_fold(0.0, |sum, &pid| {
                Ok(sum + threads_seconds(pid, Some(WRITER))?)
            })
        };
        let before = writer()?;
        let cost = retry(|| measure(&load, &contender.processes, scratch))
            .with_context(|| contender.name.clone())?;
        let writer = (writer()? - before) * 1e6 / cost.requests;
        anyhow::Ok([cost.micros, writer, cost.rate, cost.busy * 100.0])
    };
    for contender in contenders {
        ask(contender, 1, false)?;
    }
    let mut figures = vec![[const { Vec::new() }; 4]; contenders.len()];
    for round in 1..=plan.rounds {
        eprintln!("round {round} of {}", plan.rounds);
        for (contender, figures) in contenders.iter().zip(&mut figures) {
            for (figures, figure) in
                figures
                    .iter_mut()
                    .zip(ask(contender, plan.seconds, contender.saturates)?)
            {
                figures.push(figure);
            }
        }
    }
    let outcomes = contenders.iter().zip(figures);
    outcomes
        .map(|(contender, [micros, writer, rate, busy])| {
            Ok(Outcome {
                name: contender.name.clone(),
                micros: Samples::new(micros)?,
                writer: Samples::new(writer)?,
                rate: Samples::new(rate)?,
                busy: Samples::new(busy)?,
            })
        })
        .collect()
}

/// Slugline's name for its thread that writes visits.
pub(crate) const WRITER: &str = "access-log";
